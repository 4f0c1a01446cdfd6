"""What the filter can learn beside skill and is off by default: parties, experience, and leaving early.

Unvalidated: no public history tells of them, so they are tried on simulated ones alone.  Nothing here runs
while they are off.
"""

from __future__ import annotations

import math

from equipoise.ratings.models.gaussian_filter.layout import *
from equipoise.ratings.models.gaussian_filter.learning import adapt, move
from equipoise.ratings.normal import odds

#: Contests after which a player has half of what experience gives: most of it comes in the first ones.
HALF_EXPERIENCE = 10.0


def add_offsets(
    rulesets: Column,
    games: Column,
    which: int,
    first_member: Column,
    places: Column,
    told: Column,
    extra: Column,
    space: Column,
    first: int,
    end: int,
) -> None:
    """Add to each team what its parties and its players' experience are worth."""
    squad, experience = rulesets[which + SQUAD], rulesets[which + EXPERIENCE]
    for t in range(first, end):
        mates = veterans = 0.0
        for j in range(first_member[t], first_member[t + 1]):
            share, played = told[TELL * j + SHARE], games[places[PLACE * j]]
            mates += share * extra[EXTRA * j + PARTY]
            veterans += share * played / (played + HALF_EXPERIENCE)
        team = WORKSPACE * (t - first)
        space[team + MATES] = mates
        space[team + VETERANS] = veterans
        space[team + SKILL] += squad * mates + experience * veterans


def learn_offsets(
    rulesets: Column,
    games: Column,
    which: int,
    first_member: Column,
    places: Column,
    space: Column,
    first: int,
    end: int,
) -> None:
    """Learn from the teams' pulls what parties and experience are worth, and count the contest."""
    count = end - first
    mates = veterans = 0.0
    for k in range(count):
        mates += space[WORKSPACE * k + MATES] / count
        veterans += space[WORKSPACE * k + VETERANS] / count
    mates_pull = mates_information = veterans_pull = veterans_information = 0.0
    for k in range(count):
        mate, veteran = space[WORKSPACE * k + MATES] - mates, space[WORKSPACE * k + VETERANS] - veterans
        mates_pull += mate * space[WORKSPACE * k + PULL]
        veterans_pull += veteran * space[WORKSPACE * k + PULL]
        mates_information += mate * mate * space[WORKSPACE * k + INFORMATION]
        veterans_information += veteran * veteran * space[WORKSPACE * k + INFORMATION]
    again = count / (count - 1.0)
    adapt(rulesets, which + SQUAD, mates_pull, mates_information * again)
    adapt(rulesets, which + EXPERIENCE, veterans_pull, veterans_information * again)
    for j in range(first_member[first], first_member[end]):
        games[places[PLACE * j]] += 1.0


def move_leavers(
    hyper: Column,
    table: Column,
    world: Column,
    depth: int,
    first_member: Column,
    places: Column,
    told: Column,
    extra: Column,
    seats: Column,
    first: int,
    end: int,
    weight: float,
) -> None:
    """Let everyone who left count as having lost alone against the mean of the other teams' players."""
    start, stop = first_member[first], first_member[end]
    everyone = everyones_spread = 0.0
    for place in range(stop - start):
        everyone += seats[SEAT * place + SEAT_SKILL]
        everyones_spread += seats[SEAT * place + SEAT_SPREAD]
    for t in range(first, end):
        own = own_spread = 0.0
        for j in range(first_member[t], first_member[t + 1]):
            own += seats[SEAT * (j - start) + SEAT_SKILL]
            own_spread += seats[SEAT * (j - start) + SEAT_SPREAD]
        others = (stop - start) - (first_member[t + 1] - first_member[t])
        against, against_spread = (everyone - own) / others, (everyones_spread - own_spread) / others
        for j in range(first_member[t], first_member[t + 1]):
            if extra[EXTRA * j + LEFT] > 0.0:
                seat = SEAT * (j - start)
                spread = seats[seat + SEAT_SPREAD]
                scale = hyper[SLOPE] / math.sqrt(spread + against_spread + 2.0 * hyper[BETA] * hyper[BETA])
                chance, rest = odds(scale * (seats[seat + SEAT_SKILL] - against))
                push = hyper[LEAVING] * weight * told[TELL * j + LEARN] * scale
                information = push * scale * chance * rest
                loss = information / (1.0 + information * spread)
                move(table, world, depth, places, j, 0.0, 0.0, -push * chance, loss)
