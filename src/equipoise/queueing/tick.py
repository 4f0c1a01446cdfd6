"""One tick of a queue: matches of those who wait, now.

First those who have waited ``longest_wait``, the oldest first: nobody's tolerance keeps them waiting any
longer, only what never gives way: seats, ruleset, regions, maps, roles, whom somebody avoids, and the most
that the chance may be from even.  Then all others, those first whose last match others did not accept.

After a tick nobody who has waited that long could be in a match with those left over, as far as the search
went: it goes through all windows of a small queue, and through a stated number of steps of a large one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from equipoise.core.arrays import Ints
from equipoise.core.copies import copies
from equipoise.core.player import Player, Rating
from equipoise.core.win_probability import win_probability
from equipoise.errors import InputError, again
from equipoise.queueing.columns import EVERYWHERE, QueueColumns, form_matches
from equipoise.queueing.policy import QueuePolicy
from equipoise.queueing.preferences import divided_by_preferences
from equipoise.queueing.tickets import FoundMatch, QueueTicket, check_time

#: Regions that tickets of one queue may name: bits of a number that has a sign.
MOST_REGIONS = 62


class TickResult(NamedTuple):
    """What a tick found, and who goes on waiting, in the order they came."""

    matches: tuple[FoundMatch, ...]
    waiting: tuple[QueueTicket, ...]


def tick(queue: Iterable[QueueTicket], now: float, policy: QueuePolicy) -> TickResult:
    """Make matches of those who wait.

    Parameters
    ----------
    queue : iterable of QueueTicket
        Who waits.
    now : float
        The time, by the clock of ``since``.
    policy : QueuePolicy
        What a match must be like.

    Raises
    ------
    InputError
        If a ticket's id or a player appears twice, or tickets name too many regions.

    Examples
    --------
    >>> people = {"Ann": 1500, "Bob": 1505}
    >>> queue = [QueueTicket(name, [Player(name, rating)], 0.0) for name, rating in people.items()]
    >>> matches, waiting = tick(queue, 1.0, QueuePolicy(team_size=1))
    >>> [[ticket.id for ticket in team] for team in matches[0].teams], waiting
    ([['Bob'], ['Ann']], ())
    """
    tickets = tuple(queue)
    check_time(now)
    check_queue(tickets)
    matches = find_matches(tickets, now, policy)
    return TickResult(tuple(matches), _without(tickets, matches))


def find_matches(tickets: Sequence[QueueTicket], now: float, policy: QueuePolicy) -> list[FoundMatch]:
    """Return the matches of :func:`tick`, of tickets in which nobody is twice."""
    matches: list[FoundMatch] = []
    left = tickets
    if min([ticket.since for ticket in tickets], default=now) <= now - policy.longest_wait:
        for pool in pools(tickets, policy, apart=False):
            if any(now - ticket.since >= policy.longest_wait for ticket in pool):
                matches += _matches_of(pool, now, policy, overdue=True)
        left = _without(tickets, matches)
    for pool in pools(left, policy, apart=True):
        matches += _matches_of(pool, now, policy, overdue=False)
    return matches


def _without(tickets: Sequence[QueueTicket], matches: Sequence[FoundMatch]) -> tuple[QueueTicket, ...]:
    """Return the tickets that are in no match."""
    taken = {id(ticket) for match in matches for team in match.teams for ticket in team}
    return tuple([ticket for ticket in tickets if id(ticket) not in taken])


def check_queue(tickets: Sequence[QueueTicket]) -> None:
    """Refuse a queue in which a ticket or a player is twice."""
    ids = [ticket.id for ticket in tickets]
    if len(set(ids)) < len(ids):
        msg = f": the ticket {ids[again(ids)]!r} appears twice"
        raise InputError(msg, "queue")
    players = [player.id for ticket in tickets for player in ticket.players]
    if len(set(players)) < len(players):
        msg = f": the player {players[again(players)]!r} appears twice; nobody waits twice at once"
        raise InputError(msg, "queue")


def pools(tickets: Sequence[QueueTicket], policy: QueuePolicy, *, apart: bool) -> list[list[QueueTicket]]:
    """Return the tickets that may meet, by ruleset, and apart from those whose rating is provisional.

    Who plays none of the roles of the policy has no place in any team.
    """
    if policy.roles:
        roles = [name for name, _ in policy.roles]
        tickets = [ticket for ticket in tickets if not ticket.without_role(roles)]
    apart = apart and policy.provisional is not None
    found: dict[tuple[str, bool], list[QueueTicket]] = {}
    for ticket in tickets:
        new = apart and is_provisional(ticket, policy)
        found.setdefault((ticket.ruleset, new), []).append(ticket)
    return list(found.values())


def is_provisional(ticket: QueueTicket, policy: QueuePolicy) -> bool:
    """Tell whether somebody's rating is too uncertain to meet those who are known, if the policy says so."""
    return policy.provisional is not None and any(
        not isinstance(player.rating, Rating) or player.rating.sigma > policy.provisional
        for player in ticket.players
    )


def mu_of(player: Player, policy: QueuePolicy) -> float:
    """Return a player's rating; the middle where there is none."""
    rating = player.rating
    return rating.mu if type(rating) is Rating else policy.middle


def latency_limit(ticket: QueueTicket, now: float, policy: QueuePolicy, *, overdue: bool) -> float:
    """Return the milliseconds to a region that do for a ticket."""
    if overdue:
        return policy.most_latency
    grown = policy.latency + policy.latency_growth * max(now - ticket.since, 0.0)
    return min(grown, policy.most_latency)


def columns_of(
    tickets: Sequence[QueueTicket], now: float, policy: QueuePolicy, *, overdue: bool
) -> QueueColumns:
    """Return tickets as columns."""
    places, maps = None, None
    if any(map(attrgetter("latencies"), tickets)):
        bits = _region_bits(tickets)
        limits = (latency_limit(ticket, now, policy, overdue=overdue) for ticket in tickets)
        places = np.array(
            [_places(ticket, limit, bits) for ticket, limit in zip(tickets, limits, strict=True)],
            dtype=np.int64,
        )
    if policy.maps:
        maps = np.array([_maps(ticket, policy) for ticket in tickets], dtype=np.int64)
    returned = None
    if any(map(attrgetter("returned"), tickets)):
        returned = np.array([ticket.returned for ticket in tickets], dtype=np.int64)
    size = np.array([len(ticket.players) for ticket in tickets], dtype=np.int64)
    known = [player.rating for ticket in tickets for player in ticket.players]
    mus = [each.mu if type(each) is Rating else policy.middle for each in known]
    total = np.bincount(np.repeat(np.arange(len(tickets)), size), mus, len(tickets))
    return QueueColumns(
        total=total.astype(float),
        size=size,
        waited=now - np.array([ticket.since for ticket in tickets]),
        places=places,
        maps=maps,
        role_rows=_role_rows(tickets, policy),
        avoided=avoided_pairs(tickets),
        returned=returned,
    )


def _region_bits(tickets: Sequence[QueueTicket]) -> dict[str, int]:
    regions = dict.fromkeys(name for ticket in tickets for name, _ in ticket.latencies)
    if len(regions) > MOST_REGIONS:
        msg = f": the tickets of a ruleset may name at most {MOST_REGIONS} regions, got {len(regions)}"
        raise InputError(msg, "queue")
    return {name: 1 << bit for bit, name in enumerate(regions)}


def _places(ticket: QueueTicket, limit: float, bits: Mapping[str, int]) -> int:
    if not ticket.latencies:
        return EVERYWHERE
    return sum(bits[name] for name, latency in ticket.latencies if latency <= limit)


def _maps(ticket: QueueTicket, policy: QueuePolicy) -> int:
    return sum(1 << bit for bit, name in enumerate(policy.maps) if name not in ticket.vetoes)


def _role_rows(tickets: Sequence[QueueTicket], policy: QueuePolicy) -> Ints | None:
    """Return how many members of each ticket play no role but those of each set of roles."""
    if not policy.roles:
        return None
    names = [name for name, _ in policy.roles]
    rows = []
    for ticket in tickets:
        played = [
            sum(1 << bit for bit, name in enumerate(names) if name in dict(player.roles))
            if player.roles
            else EVERYWHERE
            for player in ticket.players
        ]
        rows.append([sum(mask & ~chosen == 0 for mask in played) for chosen in range(1, 1 << len(names))])
    return np.array(rows, dtype=np.int64)


def avoided_pairs(tickets: Sequence[QueueTicket]) -> tuple[tuple[int, int], ...]:
    """Return the pairs of tickets that must not meet, each once, the earlier ticket first."""
    if not any(player.avoid for ticket in tickets for player in ticket.players):
        return ()
    holder = {player.id: place for place, ticket in enumerate(tickets) for player in ticket.players}
    pairs = {
        (min(place, holder[name]), max(place, holder[name]))
        for place, ticket in enumerate(tickets)
        for player in ticket.players
        for name, _ in player.avoid
        if holder.get(name, place) != place
    }
    return tuple(sorted(pairs))


def _matches_of(
    tickets: Sequence[QueueTicket], now: float, policy: QueuePolicy, *, overdue: bool
) -> list[FoundMatch]:
    """Return the matches that one pool gives, with what is to be said of each."""
    columns = columns_of(tickets, now, policy, overdue=overdue)
    match, team = form_matches(columns, policy, overdue=overdue)
    placed = np.flatnonzero(match >= 0)
    if not len(placed):
        return []
    seat = match[placed] * policy.teams + team[placed]
    order = np.argsort(seat, kind="stable")
    placed, seat = placed[order], seat[order]
    seated = [tickets[place] for place in placed.tolist()]
    starts = np.searchsorted(seat, np.arange(int(seat[-1]) + 2)).tolist()
    teams = [tuple(seated[start:end]) for start, end in pairwise(starts)]
    sides = list(zip(*[iter(teams)] * policy.teams, strict=True))
    players = [player for ticket in seated for player in ticket.players]
    if any(map(attrgetter("prefer"), players)):
        sides = [divided_by_preferences(each, now, policy, overdue=overdue) for each in sides]
        seated = [ticket for each in sides for team in each for ticket in team]
        players = [player for ticket in seated for player in ticket.players]
        sizes = [sum(ticket.size for ticket in team) for each in sides for team in each]
        player_seats = np.repeat(np.arange(len(sizes)), sizes)
    else:
        player_seats = np.repeat(seat, columns.size[placed])
    apart, imbalances = _evenness(players, player_seats, len(sides), policy)
    means, firsts = columns.total[placed] / columns.size[placed], starts[: -1 : policy.teams]
    spreads = np.maximum.reduceat(means, firsts) - np.minimum.reduceat(means, firsts)
    more: dict[str, list[Any]] = {}
    if columns.places is not None:
        more["region"] = [_region(each, now, policy, overdue=overdue) for each in sides]
    if policy.maps:
        more["maps"] = [_maps_for(each, policy) for each in sides]
    one = FoundMatch(sides[0], tickets[0].ruleset, "", (), 0.0, 0.0, 0.0)
    return copies(
        one, len(sides), teams=sides, difference=apart, imbalance=imbalances, spread=spreads.tolist(), **more
    )


def evenness(matches: Sequence[Sequence[Sequence[Player]]], policy: QueuePolicy) -> list[tuple[float, float]]:
    """Return of each match how far the totals of its strongest and weakest team are apart, and its chance.

    The chance is that of the stronger of the two, from even; an empty seat counts as a player of the middle.
    """
    teams = [team for teams in matches for team in teams]
    seats = np.repeat(np.arange(len(teams)), [len(team) for team in teams])
    players = [player for team in teams for player in team]
    return list(zip(*_evenness(players, seats, len(matches), policy), strict=True))


def chances_of(found: FoundMatch, policy: QueuePolicy) -> list[float]:
    """Return the chance of each team of a match; of one that joins another nothing, as others play too.

    Examples
    --------
    >>> queue = [QueueTicket(name, [Player(name, 1500.0)], 0.0) for name in ("Ann", "Bob")]
    >>> (match,), _ = tick(queue, 1.0, QueuePolicy(team_size=1))
    >>> chances_of(match, QueuePolicy(team_size=1))
    [0.5, 0.5]
    """
    if found.joins:
        return []
    teams = [[player for ticket in team for player in ticket.players] for team in found.teams]
    above = [sum(mu_of(each, policy) - policy.middle for each in team) for team in teams]
    noise = [sum(each.rating.sigma**2 for each in team if type(each.rating) is Rating) for team in teams]
    sizes = np.full((1, len(teams)), float(policy.team_size))
    chances = win_probability(np.array([above]), np.array([noise]), sizes, policy.beta)
    found_chances: list[float] = chances[0].tolist()
    return found_chances


def _evenness(
    players: Sequence[Player], seat: Ints, count: int, policy: QueuePolicy
) -> tuple[list[float], list[float]]:
    """Return what :func:`evenness` does, of players and the team of each, counted over all matches."""
    if not count:
        return [], []
    known = [player.rating for player in players]
    mus = [each.mu if type(each) is Rating else policy.middle for each in known]
    sigmas = np.array([each.sigma if type(each) is Rating else 0.0 for each in known])
    shape = (count, policy.teams)
    above = np.array(mus) - policy.middle
    total = np.bincount(seat, above, count * policy.teams).reshape(shape)
    variance = np.bincount(seat, sigmas**2, count * policy.teams).reshape(shape)
    high, low = total.argmax(axis=1), total.argmin(axis=1)
    low[high == low] = 1  # all are alike
    ends, every = np.stack((high, low), axis=1), np.arange(count)[:, None]
    most, noise = total[every, ends], variance[every, ends]
    chance = win_probability(most, noise, np.full((count, 2), float(policy.team_size)), policy.beta)
    return (most[:, 0] - most[:, 1]).tolist(), (chance[:, 0] - 0.5).tolist()


def _maps_for(teams: Sequence[Sequence[QueueTicket]], policy: QueuePolicy) -> tuple[str, ...]:
    """Return the maps that nobody of some teams has vetoed."""
    vetoed = {name for team in teams for ticket in team for name in ticket.vetoes}
    return tuple(name for name in policy.maps if name not in vetoed)


def _region(teams: Sequence[Sequence[QueueTicket]], now: float, policy: QueuePolicy, *, overdue: bool) -> str:
    """Return the region in which the slowest of some teams is fastest, of those that do for all."""
    known = [
        {name: latency for name, latency in ticket.latencies if latency <= limit}
        for team in teams
        for ticket in team
        if ticket.latencies
        for limit in (latency_limit(ticket, now, policy, overdue=overdue),)
    ]
    if not known:
        return ""
    common = [name for name in known[0] if all(name in each for each in known)]
    return min(common, key=lambda name: max(each[name] for each in known))
