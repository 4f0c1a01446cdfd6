"""A whole evening at once: all rounds fair, sitting out equal, partners and opponents varied.

What a plan is worth is a sum, lower being better, in win probability:

* of each round the largest distance of a team's chance from even;
* a price (``REPEATED`` in :mod:`equipoise.pickup.rounds`) for each time two are together again, and the same
  for being opponents again, where the third time costs twice as much as the second: n games cost
  n (n - 1) / 2;
* the price of each preference that is not met, growing in the same way;
* a price (``PARTED``) for each round in which some of those who came together play and others sit out;
* a price (``UNEQUAL``) for each game that somebody sits out too often or too seldom.

Given all other rounds, that is a sum over the pairs of one round: the best split of a round is found by
looking at all of them.  Rounds are re-split in turn until none gets better, then two of them are shaken and
all goes on from there.  Where there are few splits and rounds, all plans are gone through.

No plan can be below the bound: the fairest split in every round, and the games that pairs must have together
(and against each other) spread evenly over all pairs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from equipoise.ledger import LedgerGame
from equipoise.pickup.arranging import Rated
from equipoise.pickup.night import Proposal, Setup
from equipoise.pickup.rounds import Rounds
from equipoise.stopping import Stop, never

#: Ways to play all rounds but the last up to which all plans are gone through.
MOST_PLANS = 300_000

#: How often a plan that no round can improve is shaken: less often where a round has many splits.
SHAKES, SHAKEN_SPLITS = 150, 300_000

#: Values that differ by less are equal.
EQUAL = 1e-12


@dataclass(frozen=True, slots=True)
class Plan:
    """An evening, divided.

    Parameters
    ----------
    rounds : tuple of Proposal
        Teams, chances and who sits out, in order; their ids are empty.
    value : float
        What it is worth, lower being better, in win probability.
    bound : float
        No plan is below it.
    optimal : bool
        Whether no plan is better.
    unfairness, repeats : float
        The parts of the value: distances from even, and repeated partners and opponents.
    """

    rounds: tuple[Proposal, ...]
    value: float
    bound: float
    optimal: bool
    unfairness: float
    repeats: float

    @property
    def gap(self) -> float:
        """How far the value is from the bound, and so at most from the best."""
        return self.value - self.bound

    def as_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers."""
        rounds = [
            {"teams": [list(team) for team in each.teams], "win_probability": list(each.chances),
             "out": list(each.out), "unmet": [list(pair) for pair in each.unmet]}
            for each in self.rounds
        ]  # fmt: skip
        return {"status": "optimal" if self.optimal else "feasible", "value": self.value, "bound": self.bound,
                "gap": self.gap, "unfairness": self.unfairness, "repeats": self.repeats,
                "rounds": rounds}  # fmt: skip


def plan(
    games: Sequence[LedgerGame], setup: Setup, rated: Rated, rounds: int, *, seed: int = 0, stop: Stop = never
) -> Plan:
    """Return teams for several rounds of those who are here.

    Parameters
    ----------
    games : sequence of LedgerGame
        What was played so far; it says who sits out more often where not all can be equal.
    setup : Setup
        Who is here, and the rules.
    rated : callable
        What is known of them.
    rounds : int
        How many rounds, at least 1.
    seed : int
        Of the shaking.
    stop : callable
        Asked now and then; once it returns True the search ends with what it has.

    Raises
    ------
    InputError
        If there are too few players or rounds, or no teams keep all the rules.
    """
    return planned(Rounds(games, setup, rated, rounds), seed, stop)


def planned(rounds: Rounds, seed: int = 0, stop: Stop = never) -> Plan:
    """Return the best plan that is found, and what is proven of it."""
    best = _shaken(rounds, np.random.default_rng(seed), stop)
    bound, optimal = rounds.bound(), False
    if rounds.complete and math.comb(len(rounds.labels) + rounds.number - 2, rounds.number - 1) <= MOST_PLANS:
        best, optimal = _all(rounds, best, stop)
    value = rounds.value(best)
    optimal = optimal or value - bound <= EQUAL
    made = tuple(rounds.proposal(index) for index in best)
    return Plan(
        made, value, value if optimal else min(bound, value), optimal,
        float(rounds.distance[best].sum()), rounds.repeats(best),
    )  # fmt: skip


def _settled(rounds: Rounds, chosen: list[int], stop: Stop) -> list[int]:
    """Split each round again, given the others, until none gets better."""
    better = True
    while better and not stop():
        better = False
        for n in range(rounds.number):
            others = chosen[:n] + chosen[n + 1 :]
            costs = rounds.costs(rounds.counts(others), last=True)
            index = int(costs.argmin())
            if costs[index] < costs[chosen[n]] - EQUAL:
                chosen[n], better = index, True
    return chosen


def _shaken(rounds: Rounds, rng: np.random.Generator, stop: Stop) -> list[int]:
    """Return the best plan of a search that begins round by round."""
    chosen: list[int] = []
    for n in range(rounds.number):
        chosen.append(int(rounds.costs(rounds.counts(chosen), last=n == rounds.number - 1).argmin()))
    best = _settled(rounds, chosen, never)
    value = rounds.value(best)
    for _ in range(min(SHAKES, SHAKEN_SPLITS // len(rounds.labels)) if rounds.number > 1 else 0):
        if stop():
            break
        tried = list(best)
        one, other = rng.choice(rounds.number, size=2, replace=False).tolist()
        # Who sits out in the one round does so in the other: no single round could change that.
        for n, like in ((one, tried[other]), (other, tried[one])):
            tried[n] = int(rng.choice(np.flatnonzero(rounds.way == rounds.way[like])))
        tried = _settled(rounds, tried, never)
        worth = rounds.value(tried)
        if worth < value - EQUAL:
            best, value = tried, worth
    return best


def _all(rounds: Rounds, start: list[int], stop: Stop) -> tuple[list[int], bool]:
    """Return the best of all plans, and whether all were gone through."""
    best, value, finished = start, rounds.value(start), True
    stack: list[tuple[list[int], float]] = [([], 0.0)]
    while stack:
        if stop():
            finished = False
            break
        chosen, spent = stack.pop()
        left = rounds.number - len(chosen)
        costs = rounds.costs(rounds.counts(chosen), last=left == 1)
        # A round costs no less after others than now, and rounds have no order: indices do not fall.
        costs[: chosen[-1] if chosen else 0] = np.inf
        if left == 1:
            index = int(costs.argmin())
            if spent + costs[index] < value - EQUAL:
                best, value = [*chosen, index], rounds.value([*chosen, index])
            continue
        later = (left - 1) * float(costs.min())
        worth = np.flatnonzero(spent + costs + later < value - EQUAL)[::-1].tolist()
        stack.extend(([*chosen, index], spent + float(costs[index])) for index in worth)
    return best, finished
