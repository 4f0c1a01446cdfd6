"""What experience adds to a player, learnt for each ruleset; nothing here runs while it is off."""

from __future__ import annotations

from equipoise.ratings.models.gaussian_filter.layout import *
from equipoise.ratings.models.gaussian_filter.learning import adapt

#: Contests after which a player has half of what experience gives: most of it comes in the first ones.
HALF_EXPERIENCE = 10.0


def add_experience(
    rulesets: Column,
    games: Column,
    which: int,
    first_member: Column,
    places: Column,
    told: Column,
    space: Column,
    first: int,
    end: int,
) -> None:
    """Add to each team what its players' experience is worth."""
    experience = rulesets[which + EXPERIENCE]
    for t in range(first, end):
        veterans = 0.0
        for j in range(first_member[t], first_member[t + 1]):
            share, played = told[TELL * j + SHARE], games[places[PLACE * j]]
            veterans += share * played / (played + HALF_EXPERIENCE)
        team = WORKSPACE * (t - first)
        space[team + VETERANS] = veterans
        space[team + SKILL] += experience * veterans


def learn_experience(
    rulesets: Column,
    games: Column,
    which: int,
    first_member: Column,
    places: Column,
    space: Column,
    first: int,
    end: int,
) -> None:
    """Learn from the teams' pulls what experience is worth, and count the contest."""
    count = end - first
    veterans = 0.0
    for k in range(count):
        veterans += space[WORKSPACE * k + VETERANS] / count
    pull = information = 0.0
    for k in range(count):
        veteran = space[WORKSPACE * k + VETERANS] - veterans
        pull += veteran * space[WORKSPACE * k + PULL]
        information += veteran * veteran * space[WORKSPACE * k + INFORMATION]
    adapt(rulesets, which + EXPERIENCE, pull, information * count / (count - 1.0))
    for j in range(first_member[first], first_member[end]):
        games[places[PLACE * j]] += 1.0
