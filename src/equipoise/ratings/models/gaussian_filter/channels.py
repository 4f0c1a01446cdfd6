"""What a contest tells of its teams and players: kernels for statistics, scores and places.

Each leaves in the workspace by how much, and how surely, it pulls a team or a player; nobody is moved here.
"""

from __future__ import annotations

import math
from typing import Any

from equipoise.ratings.models.gaussian_filter.layout import *
from equipoise.ratings.normal import odds

#: The least part of the statistics' weight with which they go on being tried where they have not helped.
LEAST_TRUST = 0.2
#: Below this part of the strongest team's power nothing is learnt: its square would leave the numbers.
FAINTEST = 1e-100


def compare_statistics(
    hyper: Column,
    rulesets: Column,
    which: int,
    first_member: Column,
    told: Column,
    space: Column,
    seats: Column,
    first: int,
    end: int,
    weight: float,
    known: int,
) -> None:
    """Write down what each player did beside what was expected, and move the teams' sums with it."""
    start = first_member[first]
    seated = first_member[end] - start
    if known == 0:
        for place in range(seated):
            seats[SEAT * place + STEP] = 0.0
            seats[SEAT * place + SHRINK] = 0.0
    else:
        everyone = everyones_spread = squares = 0.0
        for k in range(end - first):
            everyone += space[WORKSPACE * k + LEVEL]
            everyones_spread += space[WORKSPACE * k + LEVEL_SPREAD]
        per_unit = math.sqrt(rulesets[which + STATISTICS] / rulesets[which + STATISTIC_SQUARES])
        trust, slope = rulesets[which + TRUST], hyper[STATISTIC_SLOPE]
        tried = max(trust, LEAST_TRUST)
        noise = hyper[STATISTIC_NOISE] / (tried * tried) / weight
        for t in range(first, end):
            team = WORKSPACE * (t - first)
            other = 1.0 / (seated - (first_member[t + 1] - first_member[t]))
            against = (everyone - space[team + LEVEL]) * other
            against_spread = (everyones_spread - space[team + LEVEL_SPREAD]) * other * other
            moved = lost = 0.0
            for j in range(first_member[t], first_member[t + 1]):
                seat = SEAT * (j - start)
                step = shrink = 0.0
                figure = told[TELL * j + FIGURE]
                if figure == figure:
                    spread, share = seats[seat + SEAT_SPREAD], told[TELL * j + SHARE]
                    total = slope * slope * (spread + against_spread) + noise
                    gain = told[TELL * j + LEARN] * slope / total
                    step = gain * (figure * per_unit - slope * (seats[seat + SEAT_SKILL] - against))
                    shrink = slope * gain
                    gone = seats[seat + SEAT_SQUARES] * shrink
                    seats[seat + SEAT_SPREAD] = spread - gone
                    moved += share * spread * step
                    lost += share * share * gone
                    squares += figure * figure
                seats[seat + STEP] = step
                seats[seat + SHRINK] = shrink
            space[team + SKILL] += trust * moved
            space[team + STATISTIC_PART] += moved
            space[team + SPREAD] -= lost
        rulesets[which + STATISTIC_SQUARES] += squares
        rulesets[which + STATISTICS] += known


def compare_scores(
    hyper: Column,
    rulesets: Column,
    which: int,
    score_of: Column,
    space: Column,
    first: int,
    end: int,
    weight: float,
) -> None:
    """Pull each team towards what the difference of the scores says; without scores, nowhere."""
    count = end - first
    for k in range(count):
        space[WORKSPACE * k + PULL] = 0.0
        space[WORKSPACE * k + INFORMATION] = 0.0
    if score_of[first] == score_of[first]:
        total, mean, skills, spreads, squares, each = 1.0, 0.0, 0.0, 0.0, 0.0, 1.0 / count
        for k in range(count):
            total += abs(score_of[first + k])
            mean += score_of[first + k] * each
            skills += space[WORKSPACE * k + SKILL] * each
            spreads += space[WORKSPACE * k + SPREAD]
        per_unit = math.sqrt(rulesets[which + MARGINS] / rulesets[which + MARGIN_SQUARES])
        slope, noise, rest = 2.0 * hyper[MARGIN_SLOPE], hyper[MARGIN_NOISE] / weight, 1.0 - each
        per_point = 2.0 / total
        for k in range(count):
            margin = (score_of[first + k] - mean) * per_point
            own = space[WORKSPACE * k + SPREAD]
            spread = rest * rest * own + (spreads - own) * (each * each)
            gain = slope * rest / (slope * slope * spread + noise)
            error = margin * per_unit - slope * (space[WORKSPACE * k + SKILL] - skills)
            space[WORKSPACE * k + PULL] = gain * error
            space[WORKSPACE * k + INFORMATION] = gain * slope * rest
            squares += margin * margin
        rulesets[which + MARGIN_SQUARES] += squares * each
        rulesets[which + MARGINS] += 1.0


def compare_pair(
    hyper: Column, noise: float, rank_of: Column, space: Column, first: int, weight: float
) -> None:
    """Pull two teams towards the result: what :func:`compare_places` comes to with one exponential."""
    scale = hyper[SLOPE] / noise
    push = hyper[OUTCOME] * weight * scale
    chance, rest = odds(scale * (space[SKILL] - space[WORKSPACE + SKILL]))
    ahead, behind = rank_of[first] <= rank_of[first + 1], rank_of[first] >= rank_of[first + 1]
    won = 0.5 * (1.0 + ahead - behind)
    pull = push * (won * rest - (1.0 - won) * chance)
    information = push * scale * chance * rest
    space[PULL] += pull
    space[INFORMATION] += information
    space[WORKSPACE + PULL] -= pull
    space[WORKSPACE + INFORMATION] += information


def compare_places(
    hyper: Column,
    noise: float,
    rank_of: Column,
    order: Column,
    space: Column,
    first: int,
    end: int,
    weight: float,
) -> None:
    """Pull each team towards its place: gradient and information of Plackett-Luce, in one pass each way.

    A tie of t teams counts as each of them coming first of it with weight 1/t.
    """
    count = end - first
    scale = hyper[SLOPE] / noise
    push = hyper[OUTCOME] * weight * scale
    top = highest(space, count)
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
            one = 1.0 / space[WORKSPACE * start + LEVEL]
            inverse += one
            inverse_square += one * one
        for place in range(start, stop):
            k = order[first + place]
            power = space[WORKSPACE * k + POWER]
            information = max(power * inverse - power * power * inverse_square, 0.0)
            space[WORKSPACE * k + PULL] += push * (chosen - power * inverse)
            space[WORKSPACE * k + INFORMATION] += push * scale * information
        start = stop


def highest(space: Column, count: int) -> Any:
    """Return the skill of the strongest team."""
    top = space[SKILL]
    for k in range(1, count):
        top = max(top, space[WORKSPACE * k + SKILL])
    return top
