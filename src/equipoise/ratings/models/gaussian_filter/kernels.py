"""The online diagonal Gaussian filter as kernels: predict a contest, then learn from it.

Only loops, arithmetic and ``math`` on lists (plain) or arrays (compiled, see :mod:`equipoise.compiled`), so
that both ways give the same numbers bit for bit.  Which number stands where says
:mod:`equipoise.ratings.models.gaussian_filter.layout`, what a contest tells
:mod:`equipoise.ratings.models.gaussian_filter.channels`, and how that moves everyone
:mod:`equipoise.ratings.models.gaussian_filter.learning`. See docs/algorithms/gaussian-filter.md for the
equations in order.
"""

from __future__ import annotations

import math

from equipoise.ratings.models.gaussian_filter.channels import (
    compare_pair,
    compare_places,
    compare_scores,
    compare_statistics,
    highest,
)
from equipoise.ratings.models.gaussian_filter.experience import add_experience, learn_experience
from equipoise.ratings.models.gaussian_filter.layout import *
from equipoise.ratings.models.gaussian_filter.learning import learn, recalibrate
from equipoise.ratings.normal import odds

#: Shares may be so small that their squares are 0: noise is not, and its inverse squared stays a number.
LEAST_NOISE = 1e-100


def play(
    hyper: Column,
    table: Column,
    rulesets: Column,
    world: Column,
    games: Column,
    contests: Columns,
    teams: Columns,
    members: Columns,
    space: Column,
    seats: Column,
    chances: Column,
    learning: bool,
) -> None:
    """Predict each contest in turn, then learn from it.

    Parameters
    ----------
    hyper : column
        Hyperparameters.
    table, rulesets, world, games : columns
        The state; changed in place.
    contests, teams, members : columns
        What happened, see :class:`equipoise.ratings.models.gaussian_filter.packing.Packed`.
    space, seats : columns
        Room for each team and each player of the largest contest; what is in it does not matter.
    chances : column
        Where the predictions go, one for each team.
    learning : bool
        Whether to learn, or only to predict.
    """  # fmt: skip
    first_team, which_of, depth_of, told_of, at_of, weight_of = contests
    first_member, order, rank_of, score_of = teams
    places, told = members
    for n in range(len(at_of)):
        first, end = first_team[n], first_team[n + 1]
        which, depth, weight = which_of[n] * RULESET, depth_of[n], weight_of[n]
        gather(
            hyper, table, rulesets, world, which, depth, at_of[n], first_member, places, told,
            space, seats, first, end,
        )  # fmt: skip
        if hyper[EXPERIENCED] > 0.0:
            add_experience(rulesets, games, which, first_member, places, told, space, first, end)
        noise = spread_of_difference(hyper, space, end - first)
        publish(hyper[SLOPE] / noise, world, space, chances, first, end)
        if learning:
            compare_statistics(
                hyper, rulesets, which, first_member, told, space, seats, first, end, weight, told_of[n]
            )
            compare_scores(hyper, rulesets, which, score_of, space, first, end, weight)
            if end - first == 2:
                compare_pair(hyper, noise, rank_of, space, first, weight)
            else:
                compare_places(hyper, noise, rank_of, order, space, first, end, weight)
            learn(table, rulesets, world, which, depth, first_member, places, told, space, seats, first, end)
            if hyper[EXPERIENCED] > 0.0:
                learn_experience(rulesets, games, which, first_member, places, space, first, end)
            recalibrate(hyper, hyper[SLOPE] / noise, world, rank_of, order, space, chances, first, end)


def gather(
    hyper: Column,
    table: Column,
    rulesets: Column,
    world: Column,
    which: int,
    depth: int,
    at: float,
    first_member: Column,
    places: Column,
    told: Column,
    space: Column,
    seats: Column,
    first: int,
    end: int,
) -> None:
    """Let uncertainty grow for the time since everyone was last seen, and add up each team.

    A team has its skill, variance, presence and part from statistics; and level and its variance, which are
    those of its players whatever their presence.
    """
    trust, body = rulesets[which + TRUST], rulesets[which + BODY]
    drift_game, drift_day = hyper[DRIFT_GAME], hyper[DRIFT_DAY]
    start = first_member[first]
    for t in range(first, end):
        skill = variance = bodies = statistic_part = noise = level = level_spread = 0.0
        for j in range(first_member[t], first_member[t + 1]):
            bot = places[PLACE * j + BOT]
            mean = statistic = spread = squares = 0.0
            for part in range(LEVELS):
                if part >= depth:
                    break
                row = ROW * places[PLACE * j + part]
                known, seen = table[row + VARIANCE], table[row + SEEN]
                if seen != seen:
                    table[row + SEEN] = at
                    if bot and part == 0:
                        introduce_bot(table, world, row)
                elif not bot:
                    limit = hyper[LIMIT_0 + part]
                    grown = known + (drift_game + drift_day * max(at - seen, 0.0)) * limit
                    known = min(grown, max(limit, known))
                    table[row + VARIANCE] = known
                    table[row + SEEN] = max(at, seen)
                mean += table[row + MEAN]
                statistic += table[row + STATISTIC]
                spread += known
                squares += known * known
            share = told[TELL * j + SHARE]
            whole = mean + trust * statistic
            seat = SEAT * (j - start)
            seats[seat + SEAT_SKILL] = whole
            seats[seat + SEAT_SPREAD] = spread
            seats[seat + SEAT_SQUARES] = squares
            skill += share * (whole + body)
            variance += share * share * spread
            bodies += share
            statistic_part += share * statistic
            noise += share * share
            level += whole
            level_spread += spread
        team = WORKSPACE * (t - first)
        space[team + SKILL] = skill
        space[team + SPREAD] = variance
        space[team + BODIES] = bodies
        space[team + STATISTIC_PART] = statistic_part
        space[team + NOISE] = noise
        space[team + LEVEL] = level
        space[team + LEVEL_SPREAD] = level_spread


def introduce_bot(table: Column, world: Column, row: int) -> None:
    """Let a bot that was never seen start as the mean of the bots, and count it among them."""
    if world[BOTS] > 0.0:
        table[row + MEAN] = world[BOT_MEANS] / world[BOTS]
        table[row + STATISTIC] = world[BOT_STATISTICS] / world[BOTS]
    world[BOT_MEANS] += table[row + MEAN]
    world[BOT_STATISTICS] += table[row + STATISTIC]
    world[BOTS] += 1.0


def spread_of_difference(hyper: Column, space: Column, count: int) -> float:
    """Return the standard deviation of the difference of an average pair of teams' performances."""
    total = 0.0
    for k in range(count):
        total += space[WORKSPACE * k + SPREAD] + hyper[BETA] * hyper[BETA] * space[WORKSPACE * k + NOISE]
    return math.sqrt(max(total, LEAST_NOISE) * (2.0 / count))


def publish(scale: float, world: Column, space: Column, chances: Column, first: int, end: int) -> None:
    """Write down how likely each team is to win."""
    count, heat = end - first, world[TEMPERATURE] * scale
    if count == 2:
        half = 0.5 * (space[SKILL] - space[WORKSPACE + SKILL])
        space[PREDICTED], space[WORKSPACE + PREDICTED] = half, -half
        chances[first], chances[first + 1] = odds(2.0 * heat * half)
    else:
        top, total = highest(space, count), 0.0
        for k in range(count):
            below = space[WORKSPACE * k + SKILL] - top
            power = math.exp(heat * below)
            space[WORKSPACE * k + PREDICTED] = below
            chances[first + k] = power
            total += power
        for k in range(count):
            chances[first + k] /= total
