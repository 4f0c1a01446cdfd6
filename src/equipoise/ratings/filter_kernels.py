"""The online diagonal Gaussian filter as kernels: every formula stands here once.

Only loops, arithmetic and ``math`` on lists (plain) or arrays (compiled, see :mod:`equipoise.compiled`), so
that both ways give the same numbers bit for bit.

A *row* is one additive part of a player's skill: the general part, the offset of a game type, the offset of a
mutator set.  ``table`` holds four numbers a row, ``rulesets`` eight a ruleset, ``world`` five in all.
See docs/algorithms/gaussian-filter.md for the equations in order.
"""

from __future__ import annotations

import math
from typing import Any

# Lists when plain, arrays when compiled; both are only indexed.
Column = Any
Columns = tuple[Column, ...]

#: Parts of a player's skill, each with a row.
LEVELS = 3

#: Numbers of a row: the part learnt from results, the part learnt from statistics, variance, day last seen.
ROW, MEAN, STATISTIC, VARIANCE, SEEN = 4, 0, 1, 2, 3

#: Numbers of a ruleset: how far statistics are trusted and how sure that is; the price of a body and how sure
#: that is; running squares and counts of margins and of statistics.
RULESET, TRUST, TRUST_VARIANCE, BODY, BODY_VARIANCE = 8, 0, 1, 2, 3
MARGIN_SQUARES, MARGINS, STATISTIC_SQUARES, STATISTICS = 4, 5, 6, 7

#: Numbers of the world: temperature and what it rests on; sums over bots of both means, and their number.
WORLD, TEMPERATURE, EVIDENCE, BOT_MEANS, BOT_STATISTICS, BOTS = 5, 0, 1, 2, 3, 4

#: Places of the hyperparameters.
SLOPE, BETA, DRIFT_GAME, DRIFT_DAY, LIMIT_0, LIMIT_1, LIMIT_2 = 0, 1, 2, 3, 4, 5, 6
OUTCOME, MARGIN_SLOPE, MARGIN_NOISE, STATISTIC_SLOPE, STATISTIC_NOISE, CAUTION, FORGETTING = (
    7,
    8,
    9,
    10,
    11,
    12,
    13,
)

#: Columns of contests, teams and members; ``FIRST_TEAM`` and ``FIRST_MEMBER`` have one entry more.
FIRST_TEAM, AT, WEIGHT, WHICH = 0, 1, 2, 3
FIRST_MEMBER, RANK, SCORE, ORDER = 0, 1, 2, 3
PLACES, TOLD = 0, 1

#: Numbers of a member: the rows of each level, and whether it is a bot; share, attention, and statistics.
PLACE, BOT = 4, 3
TELL, SHARE, LEARN, FIGURE = 3, 0, 1, 2

#: Numbers of the workspace, for each team of a contest.
SKILL, SPREAD, BODIES, STATISTIC_PART, POWER, PULL, INFORMATION, NOISE, LEVEL, LEVEL_SPREAD, PREDICTED = (
    range(11)
)
WORKSPACE = 11

#: The least part of the statistics' weight with which they go on being tried where they have not helped.
LEAST_TRUST = 0.2
#: Below this part of the strongest team's power nothing is learnt: its square would leave the numbers.
FAINTEST = 1e-100
#: The temperature stays between these.
COOLEST, HOTTEST = 0.25, 2.5


def play(
    hyper: Column,
    table: Column,
    rulesets: Column,
    world: Column,
    contests: Columns,
    teams: Columns,
    members: Columns,
    space: Column,
    chances: Column,
    learning: bool,
) -> None:
    """Predict each contest in turn, then learn from it.

    Parameters
    ----------
    hyper : column
        Hyperparameters, in the places named above.
    table, rulesets, world : columns
        The state; changed in place.
    contests, teams, members : columns
        What happened, see :mod:`equipoise.ratings.packing`.
    space : column
        Room for eleven numbers a team; what is in it does not matter.
    chances : column
        Where the predictions go, one for each team.
    learning : bool
        Whether to learn, or only to predict.
    """  # fmt: skip
    for n in range(len(contests[AT])):
        first, end = contests[FIRST_TEAM][n], contests[FIRST_TEAM][n + 1]
        at, weight, which = contests[AT][n], contests[WEIGHT][n], contests[WHICH][n] * RULESET
        _arrive(hyper, table, world, members, teams[FIRST_MEMBER][first], teams[FIRST_MEMBER][end], at)
        _gather(table, rulesets, which, teams, members, space, first, end)
        noise = _noise(hyper, space, end - first)
        _publish(hyper[SLOPE] / noise, world, space, chances, first, end)
        if not learning:
            continue
        _statistics(hyper, table, rulesets, world, which, teams, members, space, first, end, weight)
        for k in range(end - first):
            space[WORKSPACE * k + PULL] = 0.0
            space[WORKSPACE * k + INFORMATION] = 0.0
        _margin(hyper, rulesets, which, teams, space, first, end, weight)
        _outcome(hyper, noise, teams, space, first, end, weight)
        _learn(table, rulesets, world, which, teams, members, space, first, end)
        _recalibrate(hyper, hyper[SLOPE] / noise, world, teams, space, chances, first, end)


def _arrive(
    hyper: Column, table: Column, world: Column, members: Columns, low: int, high: int, at: float
) -> None:
    """Let the uncertainty of everyone in a contest grow for the time since they were last seen."""
    places = members[PLACES]
    for j in range(low, high):
        for level in range(LEVELS):
            if places[PLACE * j + level] < 0:
                continue
            row = ROW * places[PLACE * j + level]
            if table[row + SEEN] != table[row + SEEN]:
                table[row + SEEN] = at
                if places[PLACE * j + BOT] and level == 0:
                    if world[BOTS] > 0.0:
                        table[row + MEAN] = world[BOT_MEANS] / world[BOTS]
                        table[row + STATISTIC] = world[BOT_STATISTICS] / world[BOTS]
                    world[BOT_MEANS] += table[row + MEAN]
                    world[BOT_STATISTICS] += table[row + STATISTIC]
                    world[BOTS] += 1.0
            elif not places[PLACE * j + BOT]:
                days = max(at - table[row + SEEN], 0.0)
                limit = hyper[LIMIT_0 + level]
                grown = table[row + VARIANCE] + (hyper[DRIFT_GAME] + hyper[DRIFT_DAY] * days) * limit
                table[row + VARIANCE] = min(grown, max(limit, table[row + VARIANCE]))
                table[row + SEEN] = max(at, table[row + SEEN])


def _gather(
    table: Column,
    rulesets: Column,
    which: int,
    teams: Columns,
    members: Columns,
    space: Column,
    first: int,
    end: int,
) -> None:
    """Add up each team: skill, variance, presence, the part from statistics; and without presence."""
    places, told, first_member = members[PLACES], members[TOLD], teams[FIRST_MEMBER]
    trust, body = rulesets[which + TRUST], rulesets[which + BODY]
    for t in range(first, end):
        skill = variance = bodies = statistic_part = noise = level = level_variance = 0.0
        for j in range(first_member[t], first_member[t + 1]):
            mean, statistic, spread = _known(table, places, j)
            share = told[TELL * j + SHARE]
            whole = mean + trust * statistic
            skill += share * (whole + body)
            variance += share * share * spread
            bodies += share
            statistic_part += share * statistic
            noise += share * share
            level += whole
            level_variance += spread
        k = t - first
        space[WORKSPACE * k + SKILL] = skill
        space[WORKSPACE * k + SPREAD] = variance
        space[WORKSPACE * k + BODIES] = bodies
        space[WORKSPACE * k + STATISTIC_PART] = statistic_part
        space[WORKSPACE * k + NOISE] = noise
        space[WORKSPACE * k + LEVEL] = level
        space[WORKSPACE * k + LEVEL_SPREAD] = level_variance


def _known(table: Column, places: Column, j: int) -> tuple[float, float, float]:
    """Return a member's mean from results, mean from statistics, and variance: the sums of their rows."""
    mean = statistic = spread = 0.0
    for part in range(LEVELS):
        if places[PLACE * j + part] >= 0:
            row = ROW * places[PLACE * j + part]
            mean += table[row + MEAN]
            statistic += table[row + STATISTIC]
            spread += table[row + VARIANCE]
    return mean, statistic, spread


def _noise(hyper: Column, space: Column, teams: int) -> float:
    """Return the standard deviation of the difference of an average pair of teams' performances."""
    total = 0.0
    for k in range(teams):
        total += space[WORKSPACE * k + SPREAD] + hyper[BETA] * hyper[BETA] * space[WORKSPACE * k + NOISE]
    return math.sqrt(total * (2.0 / teams))


def _publish(scale: float, world: Column, space: Column, chances: Column, first: int, end: int) -> None:
    """Write down how likely each team is to win."""
    top = space[SKILL]
    for k in range(1, end - first):
        top = max(top, space[WORKSPACE * k + SKILL])
    total = 0.0
    for k in range(end - first):
        space[WORKSPACE * k + PREDICTED] = space[WORKSPACE * k + SKILL] - top
        power = math.exp(world[TEMPERATURE] * scale * space[WORKSPACE * k + PREDICTED])
        chances[first + k] = power
        total += power
    for k in range(end - first):
        chances[first + k] /= total


def _statistics(
    hyper: Column,
    table: Column,
    rulesets: Column,
    world: Column,
    which: int,
    teams: Columns,
    members: Columns,
    space: Column,
    first: int,
    end: int,
    weight: float,
) -> None:
    """Learn from what each player did, and move the teams' sums with it."""  # fmt: skip
    places, told = members[PLACES], members[TOLD]
    first_member = teams[FIRST_MEMBER]
    low, high = first_member[first], first_member[end]
    known, centre, everyone, everyones_spread = 0, 0.0, 0.0, 0.0
    for j in range(low, high):
        if told[TELL * j + FIGURE] == told[TELL * j + FIGURE]:
            known += 1
            centre += told[TELL * j + FIGURE]
    if known < 2:
        return
    centre /= known
    for k in range(end - first):
        everyone += space[WORKSPACE * k + LEVEL]
        everyones_spread += space[WORKSPACE * k + LEVEL_SPREAD]
    unit = math.sqrt(rulesets[which + STATISTIC_SQUARES] / rulesets[which + STATISTICS])
    trust = max(rulesets[which + TRUST], LEAST_TRUST)
    slope = hyper[STATISTIC_SLOPE]
    noise = hyper[STATISTIC_NOISE] / (trust * trust * weight)
    squares = 0.0
    for t in range(first, end):
        at = WORKSPACE * (t - first)
        own = first_member[t + 1] - first_member[t]
        others = (high - low) - own
        against = (everyone - space[WORKSPACE * (t - first) + LEVEL]) / others
        against_spread = (everyones_spread - space[WORKSPACE * (t - first) + LEVEL_SPREAD]) / (
            others * others
        )
        for j in range(first_member[t], first_member[t + 1]):
            if told[TELL * j + FIGURE] != told[TELL * j + FIGURE]:
                continue
            figure = told[TELL * j + FIGURE] - centre
            squares += figure * figure
            mean, statistic, spread = _known(table, places, j)
            mean += rulesets[which + TRUST] * statistic
            total = slope * slope * (spread + against_spread) + noise
            gain = told[TELL * j + LEARN] * slope / total
            step = gain * (figure / unit - slope * (mean - against))
            moved = lost = 0.0
            for part in range(LEVELS):
                if places[PLACE * j + part] >= 0:
                    row = ROW * places[PLACE * j + part]
                    variance = table[row + VARIANCE]
                    if places[PLACE * j + BOT] and part == 0:
                        world[BOT_STATISTICS] += variance * step
                    table[row + STATISTIC] += variance * step
                    table[row + VARIANCE] = variance * (1.0 - variance * slope * gain)
                    moved += variance * step
                    lost += variance * variance * slope * gain
            share = told[TELL * j + SHARE]
            space[at + SKILL] += share * rulesets[which + TRUST] * moved
            space[at + STATISTIC_PART] += share * moved
            space[at + SPREAD] -= share * share * lost
    rulesets[which + STATISTIC_SQUARES] += squares
    rulesets[which + STATISTICS] += known


def _margin(
    hyper: Column,
    rulesets: Column,
    which: int,
    teams: Columns,
    space: Column,
    first: int,
    end: int,
    weight: float,
) -> None:
    """Pull each team towards what the difference of the scores says."""  # fmt: skip
    score_of = teams[SCORE]
    count = end - first
    total, mean, skills, spreads = 1.0, 0.0, 0.0, 0.0
    for k in range(count):
        score = score_of[first + k]
        if score != score:
            return
        total += abs(score)
        mean += score / count
        skills += space[WORKSPACE * k + SKILL] / count
        spreads += space[WORKSPACE * k + SPREAD]
    unit = math.sqrt(rulesets[which + MARGIN_SQUARES] / rulesets[which + MARGINS])
    rest = 1.0 - 1.0 / count
    slope = 2.0 * hyper[MARGIN_SLOPE]
    squares = 0.0
    for k in range(count):
        margin = 2.0 * (score_of[first + k] - mean) / total
        squares += margin * margin
        spread = rest * rest * space[WORKSPACE * k + SPREAD] + (spreads - space[WORKSPACE * k + SPREAD]) / (
            count * count
        )
        variance = slope * slope * spread + hyper[MARGIN_NOISE] / weight
        error = margin / unit - slope * (space[WORKSPACE * k + SKILL] - skills)
        space[WORKSPACE * k + PULL] += slope * rest * error / variance
        space[WORKSPACE * k + INFORMATION] += slope * slope * rest * rest / variance
    rulesets[which + MARGIN_SQUARES] += squares / count
    rulesets[which + MARGINS] += 1.0


def _outcome(
    hyper: Column, noise: float, teams: Columns, space: Column, first: int, end: int, weight: float
) -> None:
    """Pull each team towards its place: gradient and information of Plackett-Luce, in one pass each way.

    A tie of t teams counts as each of them coming first of it with weight 1/t.
    """
    rank_of, order = teams[RANK], teams[ORDER]
    count = end - first
    scale = hyper[SLOPE] / noise
    top = space[SKILL]
    for k in range(1, count):
        top = max(top, space[WORKSPACE * k + SKILL])
    left = 0.0
    for place in range(count - 1, -1, -1):
        k = order[first + place]
        power = math.exp(scale * (space[WORKSPACE * k + SKILL] - top))
        left += power
        space[WORKSPACE * k + POWER] = power
        space[WORKSPACE * place + LEVEL] = left
    inverse = inverse_square = 0.0
    start = 0
    while start < count:
        stop = start + 1
        rank = rank_of[first + order[first + start]]
        while stop < count and rank_of[first + order[first + stop]] == rank:
            stop += 1
        chosen = 0.0
        # Once only one team is left it is sure to be next: that is not news.
        if count - start > 1 and space[WORKSPACE * start + LEVEL] > FAINTEST:
            chosen = 1.0 / (stop - start)
            inverse += 1.0 / space[WORKSPACE * start + LEVEL]
            inverse_square += 1.0 / (space[WORKSPACE * start + LEVEL] * space[WORKSPACE * start + LEVEL])
        for place in range(start, stop):
            k = order[first + place]
            power = space[WORKSPACE * k + POWER]
            information = max(power * inverse - power * power * inverse_square, 0.0)
            space[WORKSPACE * k + PULL] += hyper[OUTCOME] * weight * scale * (chosen - power * inverse)
            space[WORKSPACE * k + INFORMATION] += hyper[OUTCOME] * weight * scale * scale * information
        start = stop


def _learn(
    table: Column,
    rulesets: Column,
    world: Column,
    which: int,
    teams: Columns,
    members: Columns,
    space: Column,
    first: int,
    end: int,
) -> None:
    """Move everyone with their team, and what the ruleset has learnt of statistics and bodies."""
    places, told = members[PLACES], members[TOLD]
    first_member = teams[FIRST_MEMBER]
    count = end - first
    parts = bodies = 0.0
    for k in range(count):
        parts += space[WORKSPACE * k + STATISTIC_PART] / count
        bodies += space[WORKSPACE * k + BODIES] / count
    trust_pull = trust_information = body_pull = body_information = 0.0
    for k in range(count):
        part, body = space[WORKSPACE * k + STATISTIC_PART] - parts, space[WORKSPACE * k + BODIES] - bodies
        trust_pull += part * space[WORKSPACE * k + PULL]
        body_pull += body * space[WORKSPACE * k + PULL]
        trust_information += part * part * space[WORKSPACE * k + INFORMATION] * count / (count - 1)
        body_information += body * body * space[WORKSPACE * k + INFORMATION] * count / (count - 1)
        for j in range(first_member[first + k], first_member[first + k + 1]):
            pull = told[TELL * j + LEARN] * told[TELL * j + SHARE] * space[WORKSPACE * k + PULL]
            information = (
                told[TELL * j + LEARN]
                * told[TELL * j + SHARE]
                * told[TELL * j + SHARE]
                * space[WORKSPACE * k + INFORMATION]
            )
            for level in range(LEVELS):
                if places[PLACE * j + level] >= 0:
                    row = ROW * places[PLACE * j + level]
                    variance = table[row + VARIANCE]
                    if places[PLACE * j + BOT] and level == 0:
                        world[BOT_MEANS] += variance * pull
                    table[row + MEAN] += variance * pull
                    table[row + VARIANCE] = variance / (1.0 + variance * information)
    rulesets[which + TRUST] += rulesets[which + TRUST_VARIANCE] * trust_pull
    rulesets[which + TRUST] = min(max(rulesets[which + TRUST], 0.0), 2.0)
    rulesets[which + TRUST_VARIANCE] /= 1.0 + rulesets[which + TRUST_VARIANCE] * trust_information
    rulesets[which + BODY] += rulesets[which + BODY_VARIANCE] * body_pull
    rulesets[which + BODY_VARIANCE] /= 1.0 + rulesets[which + BODY_VARIANCE] * body_information


def _recalibrate(
    hyper: Column,
    scale: float,
    world: Column,
    teams: Columns,
    space: Column,
    chances: Column,
    first: int,
    end: int,
) -> None:
    """Let the temperature follow what happened to those who were predicted to win."""  # fmt: skip
    rank_of, order = teams[RANK], teams[ORDER]
    winner = order[first]
    if rank_of[first + winner] == rank_of[first + order[first + 1]]:
        return
    mean = square = 0.0
    for k in range(end - first):
        exponent = scale * space[WORKSPACE * k + PREDICTED]
        mean += chances[first + k] * exponent
        square += chances[first + k] * exponent * exponent
    pull = scale * space[WORKSPACE * winner + PREDICTED] - mean
    world[EVIDENCE] = world[EVIDENCE] * hyper[FORGETTING] + max(square - mean * mean, 0.0)
    step = pull / (world[EVIDENCE] + hyper[CAUTION])
    world[TEMPERATURE] = min(max(world[TEMPERATURE] + step, COOLEST), HOTTEST)
