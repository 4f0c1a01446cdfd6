"""The oracle against itself: halves that meet against going through everything, and formulas by hand."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from benchmarks.teams.random_requests import question as asked_of

from equipoise import Bots
from equipoise.core.stopping import never
from equipoise.verification.objective_values import cost, value
from equipoise.verification.optimum import front, near, optimum, splits
from equipoise.verification.question import question, read
from equipoise.verification.two_team_optimum import meeting, suits

OBJECTIVES: list[Any] = [
    "difference", "ratio", "win", "spread", ["difference", "spread"], ["ratio", "win", "spread"],
    ["win", "indistinguishable"],
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_halves_that_meet_find_what_going_through_all_finds(seed: int) -> None:
    """The optimum of every stage is the same number, and the same splits are left."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 10))
    weights = {f"p{i}": float(rng.integers(0, 100)) / 10 for i in range(n)}
    asked: dict[str, Any] = {"objective": OBJECTIVES[rng.integers(len(OBJECTIVES))]}
    if rng.random() < 0.4:
        asked["parties"] = [rng.choice(list(weights), 2, replace=False).tolist()]
    if rng.random() < 0.4:
        asked["apart"] = [rng.choice(list(weights), 2, replace=False).tolist()]
    if rng.random() < 0.3:
        asked["fixed"] = {str(rng.choice(list(weights))): 1}
    if rng.random() < 0.3:
        asked["bots"] = Bots(3.3, target=int(rng.integers(0, 15)))
    elif rng.random() < 0.4:
        asked["sizes"] = (n - 2, 2)
    if rng.random() < 0.3:
        asked["max_difference"] = int(rng.integers(1, 4))
    given = question(weights, **asked)
    assert suits(given)
    one, other = optimum(given), meeting(given, never)
    assert list(one.costs) == list(other.costs)
    if len(given.stages) > 1:
        assert set(one.left) == set(other.left)


def test_one_more_player_is_worth_a_spread_unless_a_zero_is_given() -> None:
    """Five around 1500 with the spread 100 root 2: the zero is 1500 less 100 root 2."""
    weights = {"a": 1300, "b": 1400, "c": 1500, "d": 1600, "e": 1700}
    labels, spread = (0, 1, 1, 0, 0), 100 * math.sqrt(2)
    for asked, lead in (({}, 1700 - 1500 + spread), ({"zero": 0}, 1700), ({"body": 0}, 1700 - 1500)):
        given = question(weights, objective="win", **asked)
        expected = 1 / (1 + math.exp(-1.702 * lead / (spread * math.sqrt(5)))) - 0.5
        assert float(cost(given, "win", labels)) == pytest.approx(expected)


def test_formulas_are_those_of_the_documentation() -> None:
    """Six players whose numbers are worked out by hand: totals 8 and 7, variances 14/3 and 2/9."""
    asked = question({"a": 1, "b": 2, "c": 6, "d": 2, "e": 2, "f": 3}, beta=2.0)
    labels = (0, 0, 0, 1, 1, 1)
    ends = {name: float(cost(asked, name, labels)) for name in ("difference", "ratio", "win", "spread")}
    assert ends["difference"] == 2.0
    assert ends["ratio"] == pytest.approx(2 / 9)
    assert ends["win"] == pytest.approx(1 / (1 + math.exp(-1.702 * 2 / math.sqrt(24))) - 0.5)
    assert ends["spread"] == pytest.approx(math.sqrt(14 / 3) - math.sqrt(2 / 9))
    prior = Fraction(58 * 6 - 16 * 16, 36) / 64
    whole, inside = Fraction(58 * 6 - 16 * 16, 36) + prior, (Fraction(14, 3) + prior, Fraction(2, 9) + prior)
    expected = sum(math.log(whole / part) for part in inside) / 4
    assert float(cost(asked, "indistinguishable", labels)) == pytest.approx(expected)


def test_a_tie_that_floats_lose_is_kept() -> None:
    """Among splits whose tenths sum to the same, the second objective chooses."""
    weights = dict(zip("abcdefgh", (8.1, 5.4, 5.5, 3.7, 6.1, 2, 4.6, 7.8), strict=True))
    best = optimum(question(weights, objective=["difference", "spread"]))
    assert best.costs[0].rational == 0
    assert float(best.costs[1]) == pytest.approx(0.674068)
    points = front(question(weights), "difference", "spread")
    assert len(points) == len({float(one) for one, _ in points}) == 9


@pytest.mark.slow
@pytest.mark.parametrize("number", range(0, 400, 10))
def test_floats_are_as_near_to_exact_costs_as_they_say(number: int) -> None:
    """Only splits that floats cannot tell from the best are judged exactly."""
    plain = asked_of(number)
    pair = plain.pop("pareto", None)
    given = read({**plain, "objective": pair} if pair else plain)
    for stage in given.stages:
        for labels in itertools.islice(splits(given), 12):
            low, high = near(given, stage, labels)
            assert low <= float(value(given, stage, labels)) <= high
