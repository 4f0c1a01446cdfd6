"""The hot loop of window enumeration, written for :mod:`equipoise.core.compiled`.

Teams are filled one by one, depth first: a *level* is a team.  At each level the first free block by rank
leads a team of one of the *classes* that are left (teams under the same rules), and its mates are picked
from the other free blocks in ascending position, so that every split comes once.  Positions ascend in
mu among single players, larger blocks come before them: so the least and the greatest sum of any number of
mates is known from prefix sums, and the last mate is found by bisection.

All that changes is kept in arrays that are arguments, so that a search can be left and gone on with.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from equipoise.teams.objectives.partial_kernels import NOTHING, Partial, partial_cost

# Memory views when plain, arrays when compiled; both are only indexed.
Column = Any

#: What a search does next; see :func:`fill_teams`.
ENTER, CHOOSE, PICK, UP, DONE = range(5)

#: Teams that may use the whole of their windows in a guided search, besides the last one.
UNGUIDED = 4

#: What stands where in ``state``: what is next, the level, the number of picks, the next position to try.
NEXT, LEVEL, PICKED, CURSOR = range(4)


class Blocks(NamedTuple):
    """Columns by block: those that are free, in the order of their positions."""

    sizes: Column
    first: Column  # totals on the first axis
    second: Column  # and on the second
    kinds: Column  # equal for blocks that may be exchanged
    ranks: Column  # by rank: the block; in this order they lead
    clash: Column  # by two blocks: whether they must be apart; without rows where none must


class Classes(NamedTuple):
    """Columns by class of teams."""

    need: Column  # players who are missing in each team
    first: Column  # what is in each from the start, on the first axis
    second: Column  # and on the second
    clash: Column  # by class and block: whether it must be apart from what is there
    teams: Column  # how many teams
    members: Column  # by class and place: the team
    sizes: Column  # players in a full team
    extras: Column  # by how much the first total of a full team exceeds its strength


class Bounds(NamedTuple):
    """Columns by class: the least and greatest total of a team on each axis."""

    first_low: Column
    first_high: Column
    second_low: Column
    second_high: Column


class Close(NamedTuple):
    """Numbers on how close strengths must be, and how far totals are rounded."""

    share: float  # every strength is at least any other times this,
    span: float  # less this
    pad: float  # what rounding may add on the first axis
    second_pad: float  # and on the second
    guide: float  # the part of their windows that all but the last few teams may use; 0 for all of it


class Levels(NamedTuple):
    """Columns by level, all changed: the memory of the search for each team."""

    of_class: Column  # the class of the team, -1 where none is chosen
    leader: Column  # the block that leads it
    start: Column  # the place of its first pick
    listed: Column  # how many blocks are free besides the leader
    singles: Column  # how many of them stand before the single players
    low: Column  # what its picks sum to at least on the first axis
    high: Column  # and at most
    largest: Column  # the greatest strength of the teams before
    smallest: Column  # and the least
    rest: Column  # what is left on the first axis for this team and those after it
    left: Column  # by level and class: how many teams are left
    count_left: Column  # players who are in no team before
    second_left: Column  # their total on the second axis
    kept: Column  # by level and number: see :func:`partial_cost`


class Picks(NamedTuple):
    """Columns by pick, all changed unless stated otherwise."""

    free: Column  # by level and position: the block
    prefix: Column  # by level and position: the sum of the first axis before it
    position: Column  # where the picked block stands
    first: Column  # the team's total on the first axis with it
    second: Column  # and on the second
    missing: Column  # players still missing
    taken: Column  # by block: its team, -1 where it has none


def fill_teams(
    blocks: Blocks,
    classes: Classes,
    windows: Bounds,
    close: Close,
    partial: Partial,
    levels: Levels,
    picks: Picks,
    state: Column,
    looks: int,
    out: Column,
) -> tuple[int, int]:
    """Go on with a search until all is seen, so many steps are done, or the room for results is full.

    Parameters
    ----------
    blocks : Blocks
        What is to be divided.
    classes : Classes
        Into what.
    windows : Bounds
        Where the totals must lie.
    close : Close
        How close to one another.
    partial : Partial
        What is checked of the teams filled so far.
    levels : Levels
    picks : Picks
        The search's memory.
    state : column
        What is next, the level, the number of picks, the next position to try.
    out : two-dimensional
        Where splits are written: the team of each block.

    Returns
    -------
    found, looked : int
        How many splits were written, and how many steps were done.
    """
    found = 0
    looked = 0
    room = len(out)
    narrow(classes, windows, close, levels, picks, state)
    while looked < looks and found < room and state[NEXT] != DONE:
        looked += 1
        if state[NEXT] == ENTER:
            enter(blocks, levels, picks, state)
            if state[LEVEL] == len(levels.of_class) - 1:
                if fits_the_rest(blocks, classes, windows, close, levels, picks, state[LEVEL]):
                    write(classes, levels, picks, out, found)
                    found += 1
                state[NEXT] = UP
            else:
                state[NEXT] = CHOOSE
        elif state[NEXT] == CHOOSE:
            choose_class(blocks, classes, windows, close, levels, picks, state)
        elif state[NEXT] == PICK:
            looked += pick_mates(blocks, classes, windows, close, levels, picks, state, looks - looked)
            if state[NEXT] == PICK and picks.missing[state[PICKED] - 1] == 0:
                if fits_so_far(partial, classes, levels, picks, state):
                    go_down(classes, levels, picks, state)
                else:
                    take_back(levels, picks, state)
        else:
            go_up(levels, picks, state)
    return found, looked


def enter(blocks: Blocks, levels: Levels, picks: Picks, state: Column) -> None:
    """List the free blocks of a new level but its leader, with prefix sums of the first axis."""
    sizes, firsts, ranks = blocks.sizes, blocks.first, blocks.ranks
    of_class, leader, start, listed, singles = (
        levels.of_class,
        levels.leader,
        levels.start,
        levels.listed,
        levels.singles,
    )
    free, prefix, taken = picks.free, picks.prefix, picks.taken
    level = state[LEVEL]
    lead = -1
    for place in range(len(ranks)):
        if taken[ranks[place]] < 0:
            lead = ranks[place]
            break
    n = 0
    parties = 0
    total = 0.0
    prefix[level, 0] = 0.0
    for block in range(len(sizes)):
        if taken[block] < 0 and block != lead:
            free[level, n] = block
            total += firsts[block]
            n += 1
            prefix[level, n] = total
            if sizes[block] > 1:
                parties = n
    leader[level] = lead
    listed[level] = n
    singles[level] = parties
    of_class[level] = -1
    start[level] = state[PICKED]


def narrow(
    classes: Classes,
    windows: Bounds,
    close: Close,
    levels: Levels,
    picks: Picks,
    state: Column,
) -> None:
    """Bring the levels that are begun up to narrower windows; go back to where they forbid."""
    of_class, start, low, high = levels.of_class, levels.start, levels.low, levels.high
    first = picks.first
    for level in range(state[LEVEL] + 1):
        if of_class[level] < 0:
            return
        bound(classes, windows, close, levels, level, of_class[level])
        if level < state[LEVEL]:
            total = first[start[level + 1] - 1]
            if total < low[level] or total > high[level]:
                while state[LEVEL] > level + 1:
                    go_up(levels, picks, state)
                state[NEXT] = UP
                return


def bound(
    classes: Classes,
    windows: Bounds,
    close: Close,
    levels: Levels,
    level: int,
    c: int,
) -> None:
    """Set what the picks of a level must sum to on the first axis for a team of a class."""
    share, span = close.share, close.span
    base, extras = classes.first, classes.extras
    extra = extras[c]
    low_of, high_of = windows.first_low, windows.first_high
    least, most = low_of[c], high_of[c]
    a = levels.largest[level] * share - span
    b = (levels.smallest[level] + span) / share
    least = max(least, a + extra)
    most = min(most, b + extra)
    others = len(levels.low) - 1 - level
    if others > 0:
        whole = levels.rest[level]
        others_low = 0.0
        others_high = 0.0
        others_extra = 0.0
        for other in range(len(base)):
            count = levels.left[level, other]
            if other == c:
                count -= 1
            if count > 0:
                others_low += count * low_of[other]
                others_high += count * high_of[other]
                others_extra += count * extras[other]
        strong = whole - extra - others_extra
        least = max(
            least, (strong * share - others * span) / (others + share) + extra, strong - others * b + extra
        )
        most = min(
            most, (strong + others * span) / (1.0 + others * share) + extra, strong - others * a + extra
        )
        least = max(least, whole - others_high)
        most = min(most, whole - others_low)
        if close.guide > 0.0 and others > UNGUIDED:
            # Near what is left for each, so that nothing is made up for by the last ones.
            half = close.guide * (high_of[c] - low_of[c]) / 2.0
            drift = (whole - (others_low + low_of[c] + others_high + high_of[c]) / 2.0) / (others + 1)
            target = (low_of[c] + high_of[c]) / 2.0 + drift
            least = max(least, target - half)
            most = min(most, target + half)
    levels.low[level] = least - base[c] - close.pad
    levels.high[level] = most - base[c] + close.pad


def choose_class(
    blocks: Blocks,
    classes: Classes,
    windows: Bounds,
    close: Close,
    levels: Levels,
    picks: Picks,
    state: Column,
) -> None:
    """Let the leader of a level into a team of the next class it fits into; go up where there is none."""
    need, class_clash = classes.need, classes.clash
    of_class, leader, left = levels.of_class, levels.leader, levels.left
    first, second, missing = picks.first, picks.second, picks.missing
    level, at = state[LEVEL], state[PICKED]
    lead = leader[level]
    size = blocks.sizes[lead]
    for c in range(of_class[level] + 1, len(need)):
        if left[level, c] > 0 and size <= need[c] and class_clash[c, lead] == 0:
            of_class[level] = c
            bound(classes, windows, close, levels, level, c)
            first[at] = blocks.first[lead]
            second[at] = blocks.second[lead]
            missing[at] = need[c] - size
            picks.position[at] = -1
            state[NEXT] = PICK
            state[PICKED] = at + 1
            state[CURSOR] = 0
            return
    of_class[level] = -1
    state[NEXT] = UP


def pick_mates(
    blocks: Blocks,
    classes: Classes,
    windows: Bounds,
    close: Close,
    levels: Levels,
    picks: Picks,
    state: Column,
    looks: int,
) -> int:
    """Pick mates until a team is full and within its windows, or there are none; return the steps done."""
    sizes, firsts, seconds, kinds, clash = (
        blocks.sizes,
        blocks.first,
        blocks.second,
        blocks.kinds,
        blocks.clash,
    )
    free, prefix, position = picks.free, picks.prefix, picks.position
    first, second, missing = picks.first, picks.second, picks.missing
    level, at, cursor = state[LEVEL], state[PICKED], state[CURSOR]
    c, lead, begin = levels.of_class[level], levels.leader[level], levels.start[level]
    n, parties, low, high = levels.listed[level], levels.singles[level], levels.low[level], levels.high[level]
    second_low = windows.second_low[c] - classes.second[c] - close.second_pad
    second_high = windows.second_high[c] - classes.second[c] + close.second_pad
    looked = 0
    while looked < looks:
        looked += 1
        lacks, total = missing[at - 1], first[at - 1]
        if lacks > 0:
            j = candidate(
                free, prefix, firsts, sizes, level, parties, n, lacks, cursor, low - total, high - total
            )
            if j >= 0:
                cursor = j + 1
                block = free[level, j]
                # An equal one that was passed over would have given the same team.
                passed_over = j > position[at - 1] + 1 and kinds[block] == kinds[free[level, j - 1]]
                if passed_over or (
                    len(clash) > 0
                    and clashes(clash, classes.clash, free, position, level, c, lead, begin, at, block)
                ):
                    continue
                position[at] = j
                first[at] = total + firsts[block]
                second[at] = second[at - 1] + seconds[block]
                missing[at] = lacks - sizes[block]
                at += 1
                continue
        elif low <= total <= high and second_low <= second[at - 1] <= second_high:
            break
        at -= 1
        if at == begin:
            state[NEXT] = CHOOSE
            break
        cursor = position[at] + 1
    state[PICKED] = at
    state[CURSOR] = cursor
    return looked


def candidate(
    free: Column, prefix: Column, firsts: Column, sizes: Column,
    level: int, parties: int, n: int, missing: int, j: int, low: float, high: float,
) -> int:  # fmt: skip
    """Return the next position from j on whose block can bring the sum within bounds; -1 for none."""
    while j < parties:
        if sizes[free[level, j]] <= missing:
            return j
        j += 1
    if n - j < missing:
        return -1
    # What the block must be at least, with the strongest others.
    least = low - (prefix[level, n] - prefix[level, n - missing + 1])
    if firsts[free[level, j]] < least:
        left, right = j + 1, n - missing + 1
        while left < right:
            middle = (left + right) // 2
            if firsts[free[level, middle]] < least:
                left = middle + 1
            else:
                right = middle
        j = left
    if j + missing <= n and prefix[level, j + missing] - prefix[level, j] <= high:
        return j
    return -1


def clashes(
    clash: Column, enemies: Column, free: Column, position: Column,
    level: int, c: int, lead: int, begin: int, at: int, block: int,
) -> bool:  # fmt: skip
    """Tell whether a block may not be in the team that is being filled."""
    if enemies[c, block] != 0 or clash[lead, block] != 0:
        return True
    for other in range(begin + 1, at):  # noqa: SIM110  # numba compiles loops, not any()
        if clash[free[level, position[other]], block] != 0:
            return True
    return False


def take_back(levels: Levels, picks: Picks, state: Column) -> None:
    """Take the last pick back; where it was the leader, another class is next."""
    state[PICKED] -= 1
    if state[PICKED] == levels.start[state[LEVEL]]:
        state[NEXT] = CHOOSE
    else:
        state[NEXT] = PICK
        state[CURSOR] = picks.position[state[PICKED]] + 1


def fits_so_far(partial: Partial, classes: Classes, levels: Levels, picks: Picks, state: Column) -> bool:
    """Tell whether the teams filled so far can be part of a split within the cost, all others as one.

    What is kept for the next level is set on the way.
    """
    if partial.kind == NOTHING:
        return True
    level, at = state[LEVEL], state[PICKED]
    c = levels.of_class[level]
    count = classes.sizes[c]
    total, square = picks.first[at - 1] + classes.first[c], picks.second[at - 1] + classes.second[c]
    rest = levels.count_left[level] - count
    rest_total, rest_square = levels.rest[level] - total, levels.second_left[level] - square
    levels.count_left[level + 1] = rest
    levels.second_left[level + 1] = rest_square
    least = partial_cost(partial, levels.kept, level, count, total, square, rest, rest_total, rest_square)
    return bool(least <= partial.cost)


def go_down(classes: Classes, levels: Levels, picks: Picks, state: Column) -> None:
    """Leave a full team for the next level."""
    of_class, leader, start = levels.of_class, levels.leader, levels.start
    largest, smallest, rest, left = levels.largest, levels.smallest, levels.rest, levels.left
    level, at = state[LEVEL], state[PICKED]
    c = of_class[level]
    free, position, taken = picks.free, picks.position, picks.taken
    team = classes.members[c, classes.teams[c] - left[level, c]]
    taken[leader[level]] = team
    for other in range(start[level] + 1, at):
        taken[free[level, position[other]]] = team
    total = picks.first[at - 1] + classes.first[c]
    largest[level + 1] = max(largest[level], total - classes.extras[c])
    smallest[level + 1] = min(smallest[level], total - classes.extras[c])
    rest[level + 1] = rest[level] - total
    for other in range(len(classes.need)):
        left[level + 1, other] = left[level, other]
    left[level + 1, c] -= 1
    state[NEXT] = ENTER
    state[LEVEL] = level + 1


def go_up(levels: Levels, picks: Picks, state: Column) -> None:
    """Return to the team of the level before and take its last pick back; done where there is none."""
    if state[LEVEL] == 0:
        state[NEXT] = DONE
        return
    level = state[LEVEL] - 1
    free, position, taken = picks.free, picks.position, picks.taken
    start = levels.start
    state[LEVEL] = level
    state[PICKED] = start[level + 1]
    taken[levels.leader[level]] = -1
    for other in range(start[level] + 1, state[PICKED]):
        taken[free[level, position[other]]] = -1
    take_back(levels, picks, state)


def fits_the_rest(
    blocks: Blocks,
    classes: Classes,
    windows: Bounds,
    close: Close,
    levels: Levels,
    picks: Picks,
    level: int,
) -> bool:
    """Tell whether all blocks that are left may be the last team."""
    left = levels.left
    c = 0
    while left[level, c] == 0:
        c += 1
    levels.of_class[level] = c
    bound(classes, windows, close, levels, level, c)
    missing, first, second = classes.need[c], 0.0, classes.second[c]
    clash, taken = blocks.clash, picks.taken
    for block in range(len(blocks.sizes)):
        if taken[block] < 0:
            missing -= blocks.sizes[block]
            first += blocks.first[block]
            second += blocks.second[block]
            if len(clash) > 0:
                if classes.clash[c, block] != 0:
                    return False
                for other in range(block):
                    if taken[other] < 0 and clash[other, block] != 0:
                        return False
    within_first = levels.low[level] <= first <= levels.high[level]
    within_second = (
        windows.second_low[c] - close.second_pad <= second <= windows.second_high[c] + close.second_pad
    )
    return bool(missing == 0 and within_first and within_second)


def write(classes: Classes, levels: Levels, picks: Picks, out: Column, row: int) -> None:
    """Write a split: players in no team yet are in the last one."""
    level = len(levels.of_class) - 1
    c = levels.of_class[level]
    last = classes.members[c, classes.teams[c] - levels.left[level, c]]
    taken = picks.taken
    for block in range(len(taken)):
        team = taken[block]
        out[row, block] = last if team < 0 else team
