"""How what a contest tells moves its players, what is known of the ruleset, and the temperature: kernels."""

from __future__ import annotations

from equipoise.ratings.models.gaussian_filter.layout import *

#: The temperature stays between these.
COOLEST, HOTTEST = 0.25, 2.5
#: The least part of a variance that one contest leaves, whatever its weight.
LEAST_LEFT = 1e-4
#: Trust in statistics stays below this.
MOST_TRUST = 2.0


def learn(
    table: Column,
    rulesets: Column,
    world: Column,
    which: int,
    depth: int,
    first_member: Column,
    places: Column,
    told: Column,
    space: Column,
    seats: Column,
    first: int,
    end: int,
) -> None:
    """Move everyone by their statistics and with their team; and what is known of statistics and bodies."""
    count, start = end - first, first_member[first]
    parts = bodies = 0.0
    for k in range(count):
        parts += space[WORKSPACE * k + STATISTIC_PART]
        bodies += space[WORKSPACE * k + BODIES]
    parts /= count
    bodies /= count
    trust_pull = trust_information = body_pull = body_information = 0.0
    for k in range(count):
        team_pull, team_information = space[WORKSPACE * k + PULL], space[WORKSPACE * k + INFORMATION]
        part, body = space[WORKSPACE * k + STATISTIC_PART] - parts, space[WORKSPACE * k + BODIES] - bodies
        trust_pull += part * team_pull
        body_pull += body * team_pull
        trust_information += part * part * team_information
        body_information += body * body * team_information
        for j in range(first_member[first + k], first_member[first + k + 1]):
            seat = SEAT * (j - start)
            step, shrink = seats[seat + STEP], seats[seat + SHRINK]
            share = told[TELL * j + SHARE]
            attention = told[TELL * j + LEARN] * share
            pull = attention * team_pull
            information = attention * share * team_information
            loss = information / (1.0 + information * seats[seat + SEAT_SPREAD])
            move(table, world, depth, places, j, step, shrink, pull, loss)
    # The features sum to 0 over the teams, so that of k teams k - 1 tell something.
    again = count / (count - 1.0)
    adapt(rulesets, which + TRUST, trust_pull, trust_information * again)
    adapt(rulesets, which + BODY, body_pull, body_information * again)
    rulesets[which + TRUST] = min(max(rulesets[which + TRUST], 0.0), MOST_TRUST)


def move(
    table: Column,
    world: Column,
    depth: int,
    places: Column,
    j: int,
    step: float,
    shrink: float,
    pull: float,
    loss: float,
) -> None:
    """Move the parts of one player's skill, and the sums over bots with a bot's general part."""
    if places[PLACE * j + BOT]:
        variance = table[ROW * places[PLACE * j] + VARIANCE]
        world[BOT_STATISTICS] += variance * step
        world[BOT_MEANS] += (variance - variance * variance * shrink) * pull
    for level in range(LEVELS):
        if level >= depth:
            break
        row = ROW * places[PLACE * j + level]
        variance = table[row + VARIANCE]
        left = variance - variance * variance * shrink
        table[row + STATISTIC] += variance * step
        table[row + MEAN] += left * pull
        table[row + VARIANCE] = left * max(1.0 - left * loss, LEAST_LEFT)


def adapt(rulesets: Column, at: int, pull: float, information: float) -> None:
    """Move a number that a ruleset learns, and what stands after it: how sure that is."""
    variance = rulesets[at + 1]
    rulesets[at] += variance * pull
    rulesets[at + 1] = variance / (1.0 + variance * information)


def recalibrate(
    hyper: Column,
    scale: float,
    world: Column,
    rank_of: Column,
    order: Column,
    space: Column,
    chances: Column,
    first: int,
    end: int,
) -> None:
    """Let the temperature follow what happened to those who were predicted to win; a tie tells nothing."""
    winner = order[first]
    if rank_of[first + winner] != rank_of[first + order[first + 1]]:
        mean = square = 0.0
        for k in range(end - first):
            exponent = scale * space[WORKSPACE * k + PREDICTED]
            mean += chances[first + k] * exponent
            square += chances[first + k] * exponent * exponent
        pull = scale * space[WORKSPACE * winner + PREDICTED] - mean
        evidence = world[EVIDENCE] * hyper[FORGETTING] + max(square - mean * mean, 0.0)
        temperature = world[TEMPERATURE] + pull / (evidence + hyper[CAUTION])
        world[EVIDENCE] = evidence
        world[TEMPERATURE] = min(max(temperature, COOLEST), HOTTEST)
