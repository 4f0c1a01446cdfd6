"""The hot loop of window enumeration, written for :mod:`equipoise.compiled`.

Teams are filled one by one, depth first: a *level* is a team.  At each level the first free block by rank
leads a team of one of the *classes* that are left (teams under the same rules), and its mates are picked
from the other free blocks in ascending position, so that every split comes once.  Positions ascend in
mu among single players, larger blocks come before them: so the least and the greatest sum of any number of
mates is known from prefix sums, and the last mate is found by bisection.

All that changes is kept in arrays that are handed in, so that a search can be left and gone on with.
"""

from __future__ import annotations

import math
from typing import Any

# Memory views when plain, arrays when compiled; both are only indexed.
Column = Any

#: What a search does next; see :func:`fill_teams`.
ENTER, CHOOSE, PICK, UP, DONE = range(5)

#: Teams that may use the whole of their windows in a guided search, besides the last one.
UNGUIDED = 4

#: What is checked of the teams filled so far; see :class:`equipoise.teams.objectives.objective.Running`.
NOTHING, INFORMATION, DEVIATIONS = range(3)


def fill_teams(
    blocks: tuple[Column, ...],
    classes: tuple[Column, ...],
    windows: tuple[Column, ...],
    close: tuple[float, ...],
    rule: tuple[float, ...],
    levels: tuple[Column, ...],
    picks: tuple[Column, ...],
    state: Column,
    looks: int,
    out: Column,
) -> tuple[int, int]:
    """Go on with a search until all is seen, so many steps are done, or the room for results is full.

    Parameters
    ----------
    blocks : columns
        Size, first axis, second axis, kind, ranks (the blocks in the order in which they lead), whether
        two of them clash (two-dimensional; without rows where none do).
    classes : columns
        Players needed, first and second axis of what is in the team from the start, which blocks clash with
        that, how many teams, and their numbers (both two-dimensional), all in them when full, and by how much
        their first total exceeds their strength.
    windows : columns
        The least and greatest total of each class on the first axis, and those on the second.
    close : tuple of float
        Every strength is at least any other times the first number, less the second; then come what
        rounding may add on each axis, and the part of their windows that all but the last few teams may
        use (0 for no such guidance).
    rule : tuple of float
        What is checked of the teams filled so far: which of the rules, the cost, the centre, the prior, the
        players and the variance of all, and the players' sum of squares between teams at most.
    levels, picks : columns
        The search's memory; see the names where they are taken apart.
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
    while looked < looks and found < room and state[0] != DONE:
        looked += 1
        if state[0] == ENTER:
            enter(blocks, levels, picks, state)
            if state[1] == len(levels[0]) - 1:
                if fits_the_rest(blocks, classes, windows, close, levels, picks, state[1]):
                    write(classes, levels, picks, out, found)
                    found += 1
                state[0] = UP
            else:
                state[0] = CHOOSE
        elif state[0] == CHOOSE:
            choose_class(blocks, classes, windows, close, levels, picks, state)
        elif state[0] == PICK:
            looked += pick_mates(blocks, classes, windows, close, levels, picks, state, looks - looked)
            if state[0] == PICK and picks[5][state[2] - 1] == 0:
                if fits_so_far(rule, classes, levels, picks, state):
                    go_down(classes, levels, picks, state)
                else:
                    take_back(levels, picks, state)
        else:
            go_up(levels, picks, state)
    return found, looked


def enter(
    blocks: tuple[Column, ...], levels: tuple[Column, ...], picks: tuple[Column, ...], state: Column
) -> None:
    """List the free blocks of a new level but its leader, with prefix sums of the first axis."""
    sizes, firsts, ranks = blocks[0], blocks[1], blocks[4]
    of_class, leader, start, listed, singles = levels[0], levels[1], levels[2], levels[3], levels[4]
    free, prefix, taken = picks[0], picks[1], picks[6]
    level = state[1]
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
    start[level] = state[2]


def narrow(
    classes: tuple[Column, ...],
    windows: tuple[Column, ...],
    close: tuple[float, ...],
    levels: tuple[Column, ...],
    picks: tuple[Column, ...],
    state: Column,
) -> None:
    """Bring the levels that are begun up to narrower windows; go back to where they forbid."""
    of_class, start, low, high = levels[0], levels[2], levels[5], levels[6]
    first = picks[3]
    for level in range(state[1] + 1):
        if of_class[level] < 0:
            return
        bound(classes, windows, close, levels, level, of_class[level])
        if level < state[1]:
            total = first[start[level + 1] - 1]
            if total < low[level] or total > high[level]:
                while state[1] > level + 1:
                    go_up(levels, picks, state)
                state[0] = UP
                return


def bound(
    classes: tuple[Column, ...],
    windows: tuple[Column, ...],
    close: tuple[float, ...],
    levels: tuple[Column, ...],
    level: int,
    c: int,
) -> None:
    """Set what the picks of a level must sum to on the first axis for a team of a class."""
    share, span, pad, _, guide = close
    base, extras = classes[1], classes[7]
    extra = extras[c]
    low_of, high_of = windows[0], windows[1]
    low, high, largest, smallest, rest, left = (
        levels[5],
        levels[6],
        levels[7],
        levels[8],
        levels[9],
        levels[10],
    )
    least, most = low_of[c], high_of[c]
    a = largest[level] * share - span
    b = (smallest[level] + span) / share
    least = max(least, a + extra)
    most = min(most, b + extra)
    others = len(low) - 1 - level
    if others > 0:
        whole = rest[level]
        others_low = 0.0
        others_high = 0.0
        others_extra = 0.0
        for other in range(len(base)):
            count = left[level, other]
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
        if guide > 0.0 and others > UNGUIDED:
            # Near what is left for each, so that nothing is made up for by the last ones.
            half = guide * (high_of[c] - low_of[c]) / 2.0
            drift = (whole - (others_low + low_of[c] + others_high + high_of[c]) / 2.0) / (others + 1)
            target = (low_of[c] + high_of[c]) / 2.0 + drift
            least = max(least, target - half)
            most = min(most, target + half)
    low[level] = least - base[c] - pad
    high[level] = most - base[c] + pad


def choose_class(
    blocks: tuple[Column, ...],
    classes: tuple[Column, ...],
    windows: tuple[Column, ...],
    close: tuple[float, ...],
    levels: tuple[Column, ...],
    picks: tuple[Column, ...],
    state: Column,
) -> None:
    """Let the leader of a level into a team of the next class it fits into; go up where there is none."""
    need, class_clash = classes[0], classes[3]
    of_class, leader, left = levels[0], levels[1], levels[10]
    first, second, missing = picks[3], picks[4], picks[5]
    level, at = state[1], state[2]
    lead = leader[level]
    size = blocks[0][lead]
    for c in range(of_class[level] + 1, len(need)):
        if left[level, c] > 0 and size <= need[c] and class_clash[c, lead] == 0:
            of_class[level] = c
            bound(classes, windows, close, levels, level, c)
            first[at] = blocks[1][lead]
            second[at] = blocks[2][lead]
            missing[at] = need[c] - size
            picks[2][at] = -1
            state[0] = PICK
            state[2] = at + 1
            state[3] = 0
            return
    of_class[level] = -1
    state[0] = UP


def pick_mates(
    blocks: tuple[Column, ...],
    classes: tuple[Column, ...],
    windows: tuple[Column, ...],
    close: tuple[float, ...],
    levels: tuple[Column, ...],
    picks: tuple[Column, ...],
    state: Column,
    looks: int,
) -> int:
    """Pick mates until a team is full and within its windows, or there are none; return the steps done."""
    sizes, firsts, seconds, kinds, _, clash = blocks
    free, prefix, position, first, second, missing, _ = picks
    level, at, cursor = state[1], state[2], state[3]
    c, lead, begin = levels[0][level], levels[1][level], levels[2][level]
    n, parties, low, high = levels[3][level], levels[4][level], levels[5][level], levels[6][level]
    second_low = windows[2][c] - classes[2][c] - close[3]
    second_high = windows[3][c] - classes[2][c] + close[3]
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
                    and clashes(clash, classes[3], free, position, level, c, lead, begin, at, block)
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
            state[0] = CHOOSE
            break
        cursor = position[at] + 1
    state[2] = at
    state[3] = cursor
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


def take_back(levels: tuple[Column, ...], picks: tuple[Column, ...], state: Column) -> None:
    """Take the last pick back; where it was the leader, another class is next."""
    state[2] -= 1
    if state[2] == levels[2][state[1]]:
        state[0] = CHOOSE
    else:
        state[0] = PICK
        state[3] = picks[2][state[2]] + 1


def fits_so_far(
    rule: tuple[float, ...],
    classes: tuple[Column, ...],
    levels: tuple[Column, ...],
    picks: tuple[Column, ...],
    state: Column,
) -> bool:
    """Tell whether the teams filled so far can be part of a split within the cost, all others as one.

    The next level's running numbers are set on the way.
    """
    kind, cost, centre, prior, whole_count, whole_variance, between = rule
    if kind == NOTHING:
        return True
    told, least, most, count_left, second_left = levels[11], levels[12], levels[13], levels[14], levels[15]
    level, at = state[1], state[2]
    c = levels[0][level]
    count = classes[6][c]
    total, square = picks[3][at - 1] + classes[1][c], picks[4][at - 1] + classes[2][c]
    variance = moment(count, total, square, centre)
    rest = count_left[level] - count
    rest_square = second_left[level] - square
    rest_variance = moment(rest, levels[9][level] - total, rest_square, centre)
    count_left[level + 1] = rest
    second_left[level + 1] = rest_square
    if kind == INFORMATION:
        own = share_of_information(count, variance + prior, whole_count, whole_variance)
        others = share_of_information(rest, rest_variance + prior, whole_count, whole_variance)
        told[level + 1] = told[level] + own
        return bool(told[level] + own + others <= cost)
    deviation = math.sqrt(variance)
    least[level + 1] = min(least[level], deviation)
    most[level + 1] = max(most[level], deviation)
    if most[level + 1] - least[level + 1] > cost:
        return False
    # The mean square of the others' deviations is their variance less what lies between them.
    inside = rest_variance - between / max(rest, 1.0)
    if rest == 0.0:
        return True
    reaches_most = math.sqrt(rest_variance) >= most[level + 1] - cost
    return bool(reaches_most and math.sqrt(max(inside, 0.0)) <= least[level + 1] + cost)


def moment(count: float, total: float, square: float, centre: float) -> float:
    """Return a variance from sums; 0 of nothing."""
    if count == 0.0:
        return 0.0
    offset = total / count - centre
    return max(square / count - offset * offset, 0.0)


def share_of_information(count: float, variance: float, whole_count: float, whole_variance: float) -> float:
    """Return a team's term of the mutual information, in nats."""
    if count == 0.0 or whole_variance == 0.0:
        return 0.0
    if variance == 0.0:
        return math.inf
    return -0.5 * count / whole_count * math.log(variance / whole_variance)


def go_down(
    classes: tuple[Column, ...], levels: tuple[Column, ...], picks: tuple[Column, ...], state: Column
) -> None:
    """Leave a full team for the next level."""
    of_class, leader, start = levels[0], levels[1], levels[2]
    largest, smallest, rest, left = levels[7], levels[8], levels[9], levels[10]
    level, at = state[1], state[2]
    c = of_class[level]
    free, position, taken = picks[0], picks[2], picks[6]
    team = classes[5][c, classes[4][c] - left[level, c]]
    taken[leader[level]] = team
    for other in range(start[level] + 1, at):
        taken[free[level, position[other]]] = team
    total = picks[3][at - 1] + classes[1][c]
    largest[level + 1] = max(largest[level], total - classes[7][c])
    smallest[level + 1] = min(smallest[level], total - classes[7][c])
    rest[level + 1] = rest[level] - total
    for other in range(len(classes[0])):
        left[level + 1, other] = left[level, other]
    left[level + 1, c] -= 1
    state[0] = ENTER
    state[1] = level + 1


def go_up(levels: tuple[Column, ...], picks: tuple[Column, ...], state: Column) -> None:
    """Return to the team of the level before and take its last pick back; done where there is none."""
    if state[1] == 0:
        state[0] = DONE
        return
    level = state[1] - 1
    free, position, taken = picks[0], picks[2], picks[6]
    start = levels[2]
    state[1] = level
    state[2] = start[level + 1]
    taken[levels[1][level]] = -1
    for other in range(start[level] + 1, state[2]):
        taken[free[level, position[other]]] = -1
    take_back(levels, picks, state)


def fits_the_rest(
    blocks: tuple[Column, ...],
    classes: tuple[Column, ...],
    windows: tuple[Column, ...],
    close: tuple[float, ...],
    levels: tuple[Column, ...],
    picks: tuple[Column, ...],
    level: int,
) -> bool:
    """Tell whether all blocks that are left may be the last team."""
    left = levels[10]
    c = 0
    while left[level, c] == 0:
        c += 1
    levels[0][level] = c
    bound(classes, windows, close, levels, level, c)
    missing, first, second = classes[0][c], 0.0, classes[2][c]
    clash, taken = blocks[5], picks[6]
    for block in range(len(blocks[0])):
        if taken[block] < 0:
            missing -= blocks[0][block]
            first += blocks[1][block]
            second += blocks[2][block]
            if len(clash) > 0:
                if classes[3][c, block] != 0:
                    return False
                for other in range(block):
                    if taken[other] < 0 and clash[other, block] != 0:
                        return False
    within_first = levels[5][level] <= first <= levels[6][level]
    within_second = windows[2][c] - close[3] <= second <= windows[3][c] + close[3]
    return bool(missing == 0 and within_first and within_second)


def write(
    classes: tuple[Column, ...], levels: tuple[Column, ...], picks: tuple[Column, ...], out: Column, row: int
) -> None:
    """Write a split: whoever is in no team yet is in the last one."""
    level = len(levels[0]) - 1
    c = levels[0][level]
    last = classes[5][c, classes[4][c] - levels[10][level, c]]
    taken = picks[6]
    for block in range(len(taken)):
        team = taken[block]
        out[row, block] = last if team < 0 else team
