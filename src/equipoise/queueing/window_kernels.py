"""The search for matches among those who wait, written for :mod:`equipoise.core.compiled`.

Tickets stand in the order of their ratings, and those still free are linked to their free neighbours.
A search begins with one ticket, the anchor, lists its nearest free neighbours one by one, and goes through
the windows (sets of tickets that fill the seats of a match) in the order of the farthest ticket in them: what
a window has besides its anchor and its farthest ticket is found by depth first.
Of a role or a size of party as many are listed as a number of matches needs, so that a surplus of one keeps
none of the others off the list; and no step is spent where those left cannot fill the roles or the seats.
Every full window is divided into teams as evenly as possible, and it is accepted only if the teams' totals
then differ by at most what its tickets accept: a bound that grows while they wait.
What decides is this acceptance; to weigh the split in the choice of a window changes little.

Two teams of at most :data:`MOST_EXACT` tickets are divided by going through all splits in Gray's order, one
ticket changing sides at a step.  All others are divided by complete greedy search: the ticket that is next
in size and skill goes to the weakest team with room first, then to the others, within a number of steps.

References
----------
R. Korf, "A complete anytime algorithm for number partitioning", Artificial Intelligence 106 (1998) 181.
F. Gray, "Pulse code communication", US patent 2632058, 1953.
"""

from __future__ import annotations

from typing import Any, NamedTuple

# Memory views when plain, arrays when compiled; all are only indexed.
Column = Any

#: Tickets of a match of two teams up to which every split is gone through, and steps of the search beyond.
MOST_EXACT, SPLIT_STEPS = 14, 3000

#: More than any difference of totals.
FAR = 1e300


class TicketColumns(NamedTuple):
    """Tickets in the order of their ratings."""

    rating: Column  # mean of the members' ratings
    total: Column  # their sum, above the middle of the scale
    size: Column  # members
    tolerance: Column  # how far apart the ratings of a match may be
    bound: Column  # how far apart the totals of the teams may be
    places: Column  # bit mask of the regions, and of the maps, that do
    maps: Column
    roles: Column  # row by row, by set of roles: members who play no others
    avoid: Column  # by ticket: where in ``avoided`` those begin that it must not meet; one more at the end
    avoided: Column  # positions of tickets
    before: Column  # the free tickets on both sides, shifted by 1; 0 and n + 1 are the ends; changed
    after: Column
    match: Column  # the match it is in, -1 where it waits; changed
    team: Column  # its team there; changed


class MatchShape(NamedTuple):
    """What holds for every match."""

    teams: int
    team_size: int
    role_sets: int  # columns of ``roles``
    party_gap: int  # how much the largest parties of two teams may differ in size
    windows: int  # full windows that are looked at for an anchor
    steps: int  # steps of the search for an anchor
    reach: int  # neighbours that are listed for an anchor
    matches: int  # for how many matches those of a role, or of a size of party, are listed
    relaxed: int  # 1 where nobody is asked what they tolerate


class WindowScratch(NamedTuple):
    """Room for the search; all of it is changed but ``room`` and ``role_limits``."""

    near: Column  # the anchor and its neighbours, the nearest first
    seats: Column  # members of the first so many of them
    useful: Column  # those of them that one match has room for, by the sizes of parties alone
    others: Column  # row by row, by set of roles: those of them who play no others
    sized: Column  # by size: how many of them are so large
    room: Column  # by size: for how many so large one match has room
    floor: Column  # how far apart totals may be where nobody is asked
    spent: Column  # windows and steps of this anchor so far
    chosen: Column  # by depth: which of the listed is taken
    players: Column  # by depth: the members of those taken
    packed: Column  # by depth: bit mask of the sizes that the first of two teams can have
    low: Column  # by depth: the lowest and the highest rating
    high: Column
    tolerance: Column  # by depth: the least of the tolerances
    bound: Column  # by depth: the sum over tickets of bound times size
    places: Column  # by depth: what does for all
    maps: Column
    role_counts: Column  # by set of roles: those of the tickets taken, by team beyond
    role_limits: Column  # by set of roles: the seats of a team for these roles
    window: Column  # the tickets of a full window, by size and skill
    side: Column  # by ticket of the window: its team in the split at hand
    best: Column  # and in the best split
    team_players: Column  # by team: players, total and largest party so far
    team_total: Column
    team_party: Column
    tried: Column  # by ticket of the window: which of the teams is tried


def make_matches(
    tickets: TicketColumns,
    order: Column,
    floors: Column,
    shape: MatchShape,
    scratch: WindowScratch,
    first: int,
) -> int:
    """Make matches with each ticket of an order in turn, and return the number of the next match.

    Parameters
    ----------
    tickets : TicketColumns
        Those who wait; what is changed says who plays.
    order : column
        The anchors, by position.
    floors : column
        How far apart totals may be where nobody is asked, one after another until there is a match.
    first : int
        The number of the first match.
    """
    number = first
    for place in range(len(order)):
        anchor = order[place]
        if tickets.match[anchor] >= 0:
            continue
        length = 0
        for item in range(len(floors)):
            if length == 0:
                scratch.floor[0] = floors[item]
                length = find_window(tickets, anchor, shape, scratch)
        if length:
            for item in range(length):
                ticket = scratch.window[item]
                tickets.match[ticket] = number
                tickets.team[ticket] = scratch.best[item]
                before = tickets.before[ticket + 1]
                after = tickets.after[ticket + 1]
                tickets.after[before] = after
                tickets.before[after] = before
            number += 1
    return number


def measure_windows(
    tickets: TicketColumns, order: Column, shape: MatchShape, scratch: WindowScratch, spreads: Column
) -> None:
    """Write down how far apart the ratings are of the match that each anchor would have, if it came first."""
    for place in range(len(order)):
        spreads[place] = FAR
        if tickets.match[order[place]] < 0:
            length = find_window(tickets, order[place], shape, scratch)
            if length:
                spreads[place] = scratch.high[length] - scratch.low[length]


def find_window(tickets: TicketColumns, anchor: int, shape: MatchShape, scratch: WindowScratch) -> int:
    """Return how many tickets a match with an anchor has, 0 where there is none; scratch has which.

    A neighbour is listed only when no window is accepted of those that are nearer: mostly few are needed.
    """
    if not takes_anchor(tickets, anchor, shape, scratch):
        return 0
    n = len(tickets.rating)
    rating = tickets.rating[anchor]
    listed = 1
    seen = 0
    below = tickets.before[anchor + 1]
    above = tickets.after[anchor + 1]
    while listed < shape.reach and (below > 0 or above <= n):
        downwards = below > 0 and (
            above > n or rating - tickets.rating[below - 1] <= tickets.rating[above - 1] - rating
        )
        if downwards:
            ticket = below - 1
            below = tickets.before[below]
        else:
            ticket = above - 1
            above = tickets.after[above]
        distance = abs(tickets.rating[ticket] - rating)
        if shape.relaxed == 0 and (distance > tickets.tolerance[anchor] or seen >= shape.steps):
            break  # the others are farther still
        seen += 1
        meets = shape.relaxed != 0 or distance <= tickets.tolerance[ticket]
        if meets and is_wanted(tickets, ticket, listed, shape, scratch):
            add_neighbour(tickets, ticket, listed, shape, scratch)
            length = search_windows(tickets, listed, shape, scratch)
            if length or scratch.spent[0] >= shape.windows or scratch.spent[1] >= shape.steps:
                return length
            listed += 1
    return 0


def takes_anchor(tickets: TicketColumns, anchor: int, shape: MatchShape, scratch: WindowScratch) -> bool:
    """Begin with an anchor, which is listed and taken; tell whether it can be in a match at all."""
    for item in range(shape.role_sets):
        scratch.role_counts[item] = 0
        scratch.others[item] = 0
    for size in range(shape.team_size + 1):
        scratch.sized[size] = 0
    scratch.seats[0] = 0
    scratch.useful[0] = 0
    scratch.players[0] = 0
    scratch.packed[0] = 1
    scratch.low[0] = FAR
    scratch.high[0] = -FAR
    scratch.tolerance[0] = FAR
    scratch.bound[0] = 0.0
    scratch.places[0] = -1
    scratch.maps[0] = -1
    scratch.spent[0] = 0
    scratch.spent[1] = 0
    if not fits(tickets, anchor, 0, shape, scratch):
        return False
    add_neighbour(tickets, anchor, 0, shape, scratch)
    take(tickets, 0, 0, shape, scratch)
    return True


def search_windows(tickets: TicketColumns, farthest: int, shape: MatchShape, scratch: WindowScratch) -> int:
    """Go through the windows of the anchor, the farthest, and others between: return the length of one."""
    seats = shape.teams * shape.team_size
    if scratch.useful[farthest + 1] < seats or not roles_are_left(1, 1, farthest + 1, shape, scratch):
        return 0
    if not fits(tickets, scratch.near[farthest], 1, shape, scratch):
        return 0
    take(tickets, farthest, 1, shape, scratch)
    depth = 2
    item = 1
    while depth >= 2:
        scratch.spent[1] += 1
        if scratch.players[depth] == seats:
            length = accepted_length(tickets, depth, shape, scratch)
            scratch.spent[0] += 1
            if length or scratch.spent[0] >= shape.windows:
                return length
            item = farthest
        if scratch.spent[1] >= shape.steps:
            return 0
        # Those left up to the farthest must be enough to fill the seats.
        left = 0
        if item < farthest:
            left = scratch.seats[farthest] - scratch.seats[item]
        if (
            left == 0
            or scratch.players[depth] + left < seats
            or not roles_are_left(depth, item, farthest, shape, scratch)
        ):
            depth -= 1
            item = scratch.chosen[depth] + 1
            drop(tickets, depth, shape, scratch)
        else:
            if fits(tickets, scratch.near[item], depth, shape, scratch):
                take(tickets, item, depth, shape, scratch)
                depth += 1
            item += 1
    return 0


def roles_are_left(depth: int, start: int, end: int, shape: MatchShape, scratch: WindowScratch) -> bool:
    """Tell whether those taken and those listed from a start to an end are enough for each set of roles.

    Enough for a set are those who do not play only others.
    """
    seats = shape.teams * shape.team_size
    players = scratch.players[depth] + scratch.seats[end] - scratch.seats[start]
    for one in range(shape.role_sets):
        only = scratch.role_counts[one]
        only += scratch.others[end * shape.role_sets + one] - scratch.others[start * shape.role_sets + one]
        if players - only < seats - shape.teams * scratch.role_limits[one]:
            return False
    return True


def is_wanted(
    tickets: TicketColumns, ticket: int, listed: int, shape: MatchShape, scratch: WindowScratch
) -> bool:
    """Tell whether a ticket can play with the anchor, and not enough like it are listed by now."""
    if tickets.places[ticket] & tickets.places[scratch.near[0]] == 0:
        return False
    if tickets.maps[ticket] & tickets.maps[scratch.near[0]] == 0:
        return False
    size = tickets.size[ticket]
    if size > shape.team_size or scratch.sized[size] >= shape.matches * scratch.room[size]:
        return False
    row = ticket * shape.role_sets
    for one in range(shape.role_sets):
        only = tickets.roles[row + one]
        if only > scratch.role_limits[one]:
            return False
        if only == 0:
            continue
        most = shape.teams * scratch.role_limits[one]
        if scratch.role_counts[one] + only > most:
            return False
        if scratch.others[listed * shape.role_sets + one] + only > shape.matches * most:
            return False
    return not avoids(tickets, ticket, 1, scratch)


def add_neighbour(
    tickets: TicketColumns, ticket: int, listed: int, shape: MatchShape, scratch: WindowScratch
) -> None:
    """Add a ticket to those listed."""
    size = tickets.size[ticket]
    scratch.near[listed] = ticket
    scratch.seats[listed + 1] = scratch.seats[listed] + size
    scratch.useful[listed + 1] = scratch.useful[listed]
    if scratch.sized[size] < scratch.room[size]:
        scratch.useful[listed + 1] += size
    scratch.sized[size] += 1
    row, sums = ticket * shape.role_sets, listed * shape.role_sets
    for one in range(shape.role_sets):
        scratch.others[sums + shape.role_sets + one] = scratch.others[sums + one] + tickets.roles[row + one]


def fits(tickets: TicketColumns, ticket: int, depth: int, shape: MatchShape, scratch: WindowScratch) -> bool:
    """Tell whether a ticket can join those taken so far."""
    players = scratch.players[depth] + tickets.size[ticket]
    if players > shape.teams * shape.team_size or tickets.size[ticket] > shape.team_size:
        return False
    if shape.relaxed == 0:
        rating = tickets.rating[ticket]
        spread = max(scratch.high[depth], rating) - min(scratch.low[depth], rating)
        if spread > min(scratch.tolerance[depth], tickets.tolerance[ticket]):
            return False
    if scratch.places[depth] & tickets.places[ticket] == 0:
        return False
    if scratch.maps[depth] & tickets.maps[ticket] == 0:
        return False
    if shape.teams == 2 and not packs(scratch.packed[depth], tickets.size[ticket], players, shape.team_size):
        return False
    return plays(tickets, ticket, shape, scratch) and not avoids(tickets, ticket, depth, scratch)


def packs(packed: int, size: int, players: int, team_size: int) -> bool:
    """Tell whether both of two teams have room for those taken so far and one more."""
    least = max(0, players - team_size)
    most = min(team_size, players)
    reached = (packed | (packed << size)) >> least
    return reached & ((1 << (most - least + 1)) - 1) != 0


def plays(tickets: TicketColumns, ticket: int, shape: MatchShape, scratch: WindowScratch) -> bool:
    """Tell whether there are roles left for a ticket's members in the match as a whole."""
    row = ticket * shape.role_sets
    for item in range(shape.role_sets):
        if scratch.role_counts[item] + tickets.roles[row + item] > shape.teams * scratch.role_limits[item]:
            return False
    return True


def avoids(tickets: TicketColumns, ticket: int, depth: int, scratch: WindowScratch) -> bool:
    """Tell whether one of those taken so far must not meet a ticket."""
    for item in range(tickets.avoid[ticket], tickets.avoid[ticket + 1]):
        for other in range(depth):
            if scratch.near[scratch.chosen[other]] == tickets.avoided[item]:
                return True
    return False


def take(tickets: TicketColumns, item: int, depth: int, shape: MatchShape, scratch: WindowScratch) -> None:
    """Take one of those listed."""
    ticket = scratch.near[item]
    size = tickets.size[ticket]
    rating = tickets.rating[ticket]
    packed = scratch.packed[depth]
    scratch.chosen[depth] = item
    scratch.players[depth + 1] = scratch.players[depth] + size
    scratch.packed[depth + 1] = (packed | (packed << size)) & ((1 << (shape.team_size + 1)) - 1)
    scratch.low[depth + 1] = min(scratch.low[depth], rating)
    scratch.high[depth + 1] = max(scratch.high[depth], rating)
    scratch.tolerance[depth + 1] = min(scratch.tolerance[depth], tickets.tolerance[ticket])
    scratch.bound[depth + 1] = scratch.bound[depth] + tickets.bound[ticket] * size
    scratch.places[depth + 1] = scratch.places[depth] & tickets.places[ticket]
    scratch.maps[depth + 1] = scratch.maps[depth] & tickets.maps[ticket]
    row = ticket * shape.role_sets
    for one in range(shape.role_sets):
        scratch.role_counts[one] += tickets.roles[row + one]


def drop(tickets: TicketColumns, depth: int, shape: MatchShape, scratch: WindowScratch) -> None:
    """Give the ticket back that was taken at a depth."""
    row = scratch.near[scratch.chosen[depth]] * shape.role_sets
    for one in range(shape.role_sets):
        scratch.role_counts[one] -= tickets.roles[row + one]


def accepted_length(tickets: TicketColumns, length: int, shape: MatchShape, scratch: WindowScratch) -> int:
    """Divide a full window, and return its length if the best split is accepted, else 0."""
    for item in range(length):
        scratch.window[item] = scratch.near[scratch.chosen[item]]
    average = scratch.bound[length] / (shape.teams * shape.team_size)
    bound = scratch.floor[0] if shape.relaxed else average
    if shape.teams == 2 and length <= MOST_EXACT:
        difference = divide_in_two(tickets, length, shape, scratch)
    else:
        difference = divide_greedily(tickets, length, bound, shape, scratch)
    return length if difference <= bound else 0


def divide_in_two(tickets: TicketColumns, length: int, shape: MatchShape, scratch: WindowScratch) -> float:
    """Find the split into two teams whose totals differ least, and return by how much."""
    sum_all = 0.0
    for item in range(length):
        sum_all += tickets.total[scratch.window[item]]
        scratch.side[item] = 0
    total = 0.0  # of the second team, which the first ticket is never in
    players = 0
    best = FAR
    for step in range(1, 1 << (length - 1)):
        # The lowest bit of the step is the ticket that changes sides.
        changed = 0
        while (step >> changed) & 1 == 0:
            changed += 1
        item = changed + 1
        ticket = scratch.window[item]
        if scratch.side[item] == 0:
            scratch.side[item] = 1
            total += tickets.total[ticket]
            players += tickets.size[ticket]
        else:
            scratch.side[item] = 0
            total -= tickets.total[ticket]
            players -= tickets.size[ticket]
        if players == shape.team_size:
            difference = abs(sum_all - 2.0 * total)
            if difference < best and (
                (shape.role_sets == 0 and shape.party_gap >= shape.team_size)
                or is_fine_split(tickets, length, shape, scratch)
            ):
                best = difference
                for one in range(length):
                    scratch.best[one] = scratch.side[one]
    return best


def is_fine_split(tickets: TicketColumns, length: int, shape: MatchShape, scratch: WindowScratch) -> bool:
    """Tell whether each of two teams has its roles, and parties of about the same size."""
    for team in range(2):
        scratch.team_party[team] = 0
        for one in range(shape.role_sets):
            scratch.role_counts[(team + 1) * shape.role_sets + one] = 0
    for item in range(length):
        ticket = scratch.window[item]
        team = scratch.side[item]
        scratch.team_party[team] = max(scratch.team_party[team], tickets.size[ticket])
        for one in range(shape.role_sets):
            scratch.role_counts[(team + 1) * shape.role_sets + one] += tickets.roles[
                ticket * shape.role_sets + one
            ]
    for team in range(2):
        for one in range(shape.role_sets):
            if scratch.role_counts[(team + 1) * shape.role_sets + one] > scratch.role_limits[one]:
                return False
    alike: bool = abs(scratch.team_party[0] - scratch.team_party[1]) <= shape.party_gap
    return alike


def divide_greedily(
    tickets: TicketColumns, length: int, enough: float, shape: MatchShape, scratch: WindowScratch
) -> float:
    """Find a split into teams whose totals differ little, and return by how much the extremes do.

    It is the best split if the search ends before its steps do; it ends also with one that is good enough.
    """
    sort_window(tickets, length, scratch)
    for team in range(shape.teams):
        scratch.team_players[team] = 0
        scratch.team_total[team] = 0.0
        for one in range(shape.role_sets):
            scratch.role_counts[(team + 1) * shape.role_sets + one] = 0
    best = FAR
    item = 0
    scratch.tried[0] = 0
    for _ in range(SPLIT_STEPS):
        if item == length:
            difference = spread_of_totals(shape, scratch)
            if difference < best and parties_are_alike(tickets, length, shape, scratch):
                best = difference
                for one in range(length):
                    scratch.best[one] = scratch.side[one]
                if best <= enough / 8.0:
                    break
            item -= 1
            unseat(tickets, item, shape, scratch)
            continue
        team = next_team(tickets, item, shape, scratch)
        if team < 0:
            if item == 0:
                break
            item -= 1
            unseat(tickets, item, shape, scratch)
        else:
            seat(tickets, item, team, shape, scratch)
            item += 1
            if item < length:
                scratch.tried[item] = 0
    return best


def sort_window(tickets: TicketColumns, length: int, scratch: WindowScratch) -> None:
    """Put the tickets of a window in order: the largest parties first, then those far from the middle."""
    for item in range(1, length):
        ticket = scratch.window[item]
        place = item
        while place > 0 and comes_before(tickets, ticket, scratch.window[place - 1]):
            scratch.window[place] = scratch.window[place - 1]
            place -= 1
        scratch.window[place] = ticket


def comes_before(tickets: TicketColumns, one: int, other: int) -> bool:
    """Tell whether a ticket is placed before another."""
    before: bool = abs(tickets.total[one]) > abs(tickets.total[other])
    if tickets.size[one] != tickets.size[other]:
        before = tickets.size[one] > tickets.size[other]
    return before


def next_team(tickets: TicketColumns, item: int, shape: MatchShape, scratch: WindowScratch) -> int:
    """Return the next team to try for a ticket of the window, -1 after the last.

    Teams are tried from the weakest where the ticket adds to a team, else from the strongest; of empty teams,
    which are all alike, only one.  ``tried`` is a bit mask of the teams that were.
    """
    ticket = scratch.window[item]
    chosen = -1
    adds = tickets.total[ticket] >= 0.0
    for team in range(shape.teams):
        if (scratch.tried[item] >> team) & 1:
            continue
        if scratch.team_players[team] + tickets.size[ticket] > shape.team_size:
            continue
        if chosen >= 0:
            weaker = scratch.team_total[team] < scratch.team_total[chosen]
            stronger = scratch.team_total[team] > scratch.team_total[chosen]
            if not (weaker if adds else stronger):
                continue
        if has_roles(tickets, ticket, team, shape, scratch):
            chosen = team
    if chosen >= 0:
        empty = scratch.team_players[chosen] == 0
        for team in range(shape.teams):
            if team == chosen or (empty and scratch.team_players[team] == 0):
                scratch.tried[item] |= 1 << team
    return chosen


def has_roles(
    tickets: TicketColumns, ticket: int, team: int, shape: MatchShape, scratch: WindowScratch
) -> bool:
    """Tell whether a team has roles left for a ticket's members."""
    for one in range(shape.role_sets):
        count = scratch.role_counts[(team + 1) * shape.role_sets + one]
        if count + tickets.roles[ticket * shape.role_sets + one] > scratch.role_limits[one]:
            return False
    return True


def seat(tickets: TicketColumns, item: int, team: int, shape: MatchShape, scratch: WindowScratch) -> None:
    """Put a ticket of the window into a team."""
    ticket = scratch.window[item]
    scratch.side[item] = team
    scratch.team_players[team] += tickets.size[ticket]
    scratch.team_total[team] += tickets.total[ticket]
    for one in range(shape.role_sets):
        scratch.role_counts[(team + 1) * shape.role_sets + one] += tickets.roles[
            ticket * shape.role_sets + one
        ]


def unseat(tickets: TicketColumns, item: int, shape: MatchShape, scratch: WindowScratch) -> None:
    """Take a ticket of the window out of its team."""
    ticket = scratch.window[item]
    team = scratch.side[item]
    scratch.team_players[team] -= tickets.size[ticket]
    scratch.team_total[team] -= tickets.total[ticket]
    for one in range(shape.role_sets):
        scratch.role_counts[(team + 1) * shape.role_sets + one] -= tickets.roles[
            ticket * shape.role_sets + one
        ]


def spread_of_totals(shape: MatchShape, scratch: WindowScratch) -> float:
    """Return by how much the strongest team is above the weakest."""
    low = scratch.team_total[0]
    high = low
    for team in range(1, shape.teams):
        low = min(low, scratch.team_total[team])
        high = max(high, scratch.team_total[team])
    difference: float = high - low
    return difference


def parties_are_alike(tickets: TicketColumns, length: int, shape: MatchShape, scratch: WindowScratch) -> bool:
    """Tell whether the largest parties of the teams differ by few enough members."""
    for team in range(shape.teams):
        scratch.team_party[team] = 0
    for item in range(length):
        team = scratch.side[item]
        scratch.team_party[team] = max(scratch.team_party[team], tickets.size[scratch.window[item]])
    low = scratch.team_party[0]
    high = low
    for team in range(1, shape.teams):
        low = min(low, scratch.team_party[team])
        high = max(high, scratch.team_party[team])
    alike: bool = high - low <= shape.party_gap
    return alike
