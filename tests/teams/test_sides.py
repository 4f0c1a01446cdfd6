"""A side that is worth something: teams, chances, late joiners and the checker count it."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from equipoise import BalanceRequest, InputError, Player, Rating, advantage, balance, explain, place_late
from equipoise.core.win_probability import LOGISTIC_SLOPE
from equipoise.pages.text.explanation import explanation_lines
from equipoise.teams.late_join import late
from equipoise.verification.receipt_check import verify
from equipoise.verification.receipts import receipt


def chance_of(first: list[Rating], second: list[Rating], side: float, beta: float) -> float:
    """Return the first team's chance by the book: log-odds by skill, and those of the side."""
    noise = math.sqrt(sum(one.sigma**2 + beta**2 for one in (*first, *second)))
    lead = sum(one.mu for one in first) - sum(one.mu for one in second)
    odds = LOGISTIC_SLOPE * lead / noise + math.log(side / (1.0 - side))
    return 1.0 / (1.0 + math.exp(-odds))


@pytest.mark.parametrize("seed", range(25))
def test_teams_are_the_most_even_with_their_sides(seed: int) -> None:
    """Beside all divisions, each with both ways round; the checker finds the receipt right."""
    rng = np.random.default_rng(seed)
    n, side = int(rng.integers(4, 10)), round(float(rng.uniform(0.2, 0.8)), 2)
    ratings = [
        Rating(round(float(mu), 1), float(sigma))
        for mu, sigma in zip(rng.normal(5, 2, n), rng.choice([0, 1], n), strict=True)
    ]
    roster = {str(k): each for k, each in enumerate(ratings)}
    request = BalanceRequest.of(roster, objective="win", side_chance=side, beta=2.0, zero=0.0, keep=2)
    solution = balance(request)
    best = min(
        abs(chance_of([ratings[k] for k in first], [ratings[k] for k in rest], side, 2.0) - 0.5)
        for size in {n // 2, n - n // 2}
        for first in itertools.combinations(range(n), size)
        for rest in [[k for k in range(n) if k not in first]]
    )
    assert solution.best.imbalance == pytest.approx(best, abs=1e-12)
    assert all(each.verdict.value == "confirmed" for each in verify(receipt(request, solution)).findings)


def information_of_teams(weights: np.ndarray, wishes: np.ndarray, first: np.ndarray) -> float:
    """Return what the teams tell of skill, less what they tell of the side wanted, by the book."""
    prior, wish = weights.var() / 64.0, wishes.mean()
    cost = 0.0
    for team, side in ((first, -1.0), (~first, 1.0)):
        own = wishes[team].mean()
        divergence = sum(
            part * math.log(part / of_all) for part, of_all in ((own, wish), (1 - own, 1 - wish)) if part > 0
        )
        apart = math.log((weights.var() + prior) / (weights[team].var() + prior))
        cost += team.mean() * (0.5 * apart - 0.01 * divergence * np.sign((own - wish) * side))
    return float(cost)


@pytest.mark.parametrize("seed", range(20))
def test_preferences_count_by_side_where_one_is_better(seed: int) -> None:
    """Beside all divisions, each with both ways round; the checker finds the receipt right."""
    rng = np.random.default_rng(seed)
    n, keep = int(rng.choice([4, 6, 8])), int(rng.choice([1, 3]))
    weights, wishes = np.round(rng.uniform(1, 99, n), 2), rng.choice([0.0, 0.5, 1.0], n)
    wishes[0] = 0.0
    roster = [
        Player(str(k), weight, side=side)
        for k, (weight, side) in enumerate(zip(weights.tolist(), wishes.tolist(), strict=True))
    ]
    objective = ["indistinguishable", "difference"] if seed % 3 == 2 else "indistinguishable"
    request = BalanceRequest.of(roster, objective=objective, side_chance=0.6, keep=keep)
    solution = balance(request)
    best = min(
        information_of_teams(weights, wishes, np.isin(np.arange(n), first))
        for first in itertools.combinations(range(n), n // 2)
    )
    first = {player.id for player in solution.best.teams[0]}
    found = information_of_teams(weights, wishes, np.array([str(k) in first for k in range(n)]))
    assert found == pytest.approx(best, abs=1e-12)
    assert all(each.verdict.value == "confirmed" for each in verify(receipt(request, solution)).findings)


@pytest.mark.parametrize("objective", ["spread", "difference", "ratio", "indistinguishable"])
@pytest.mark.parametrize("side", [0.3, 0.65])
def test_whatever_the_objective_teams_are_named_so_that_chances_are_more_even(
    objective: str, side: float
) -> None:
    """The other way round is no better."""
    weights = dict(zip("abcdefg", (9, 7, 6, 5, 4, 3, 3), strict=True))
    solution = balance(weights, objective=objective, side_chance=side, beta=3.0, zero=0.0)
    chance = solution.best.win_probability[0]
    odds, worth = math.log(chance / (1.0 - chance)), math.log(side / (1.0 - side))
    assert abs(odds) <= abs(-(odds - worth) + worth) + 1e-12


def test_an_even_side_changes_nothing() -> None:
    """It is the default."""
    weights = {name: float(n * n % 7) for n, name in enumerate("abcdefgh")}
    assert balance(weights, side_chance=0.5) == balance(weights)


def test_who_comes_late_goes_where_sides_say() -> None:
    """Between equal teams the side decides, for strong and for weak."""
    assert place_late(3, [10, 10], [2, 2], side_chance=0.6, beta=2.0, zero=0).team == 1
    assert place_late(3, [10, 10], [2, 2], side_chance=0.4, beta=2.0, zero=0).team == 0
    now = [Player("a", 5, team=0), Player("b", 5, team=1), Player("c", 3)]
    placement = late(now, objective="win", side_chance=0.6, beta=2.0, zero=0.0)
    assert placement.team == 1
    chance = placement.best.win_probability[0]
    assert chance == pytest.approx(chance_of([Rating(5)], [Rating(5), Rating(3)], 0.6, 2.0))
    assert placement.best.advantage[0] == pytest.approx((1.0 - chance) / chance)
    assert advantage([1.0, 1.0], [1, 1], beta=1.0, side_chance=0.6) == pytest.approx((1.0, 1.5))


def test_an_explanation_names_the_side() -> None:
    """In words and in data."""
    explanation = explain({"a": 3, "b": 2, "c": 1}, side_chance=0.4)
    assert "Blue has the better side: of equal teams it wins 60 %, which the chances count." in (
        explanation_lines(explanation, ["Red", "Blue"])
    )
    assert explanation.as_dict()["side_chance"] == 0.4


@pytest.mark.parametrize(("side", "teams"), [(0.6, 3), (1.0, 2), (0.0, 2), (math.nan, 2)])
def test_what_is_no_side_is_refused(side: float, teams: int) -> None:
    """More than two teams, and chances that are no chances, with the field named."""
    with pytest.raises(InputError, match="side_chance"):
        balance({"a": 3, "b": 2, "c": 1, "d": 1}, side_chance=side, teams=teams)
