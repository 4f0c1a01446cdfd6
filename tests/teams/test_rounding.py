"""Ties that rounding hides are found, and whatever is called proven is best on paper."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import numpy as np
import pytest

from equipoise import BalanceRequest, Bots, Player, Rating, balance, pareto
from equipoise.core.registry import OBJECTIVES, resolve
from equipoise.teams.laws import legal_splits, random_problem, random_units
from equipoise.teams.objectives.objective import Criterion, Units
from equipoise.teams.problem.problem import MU
from equipoise.verification.exact_numbers import Real
from equipoise.verification.objective_values import cost
from equipoise.verification.optimum import front, optimum, splits
from equipoise.verification.question import question

#: One-decimal rosters with mathematical ties that floats tell apart.
ROSTERS = [
    [8.1, 5.4, 5.5, 3.7, 6.1, 2.0, 4.6, 7.8],
    [1.1, 2.2, 3.3, 4.4, 0.7, 2.8, 3.0, 1.9],
    [-0.3, 0.1, 0.2, 0.7, -1.1, 0.4, 0.6, -0.6],
]


def _roster(weights: list[float]) -> dict[str, float]:
    return {f"p{n}": weight for n, weight in enumerate(weights)}


def _tenths(seed: int, n: int, exponent: int) -> list[float]:
    numbers = np.random.default_rng(seed).integers(-20, 60, n)
    return [float(f"{number}e{exponent - 1}") for number in numbers]


@pytest.mark.slow
@pytest.mark.parametrize("n_teams", [2, 3])
@pytest.mark.parametrize(
    "order",
    [("difference", "spread"), ("difference", "indistinguishable"), ("difference", "difference", "spread")],
)
@pytest.mark.parametrize("exponent", [-9, 0, 12])
def test_no_tie_of_decimals_is_lost(exponent: int, order: tuple[str, ...], n_teams: int) -> None:
    """The last criterion chooses among all that equal the best of those before on paper."""
    for seed, weights in enumerate([*ROSTERS, *(_tenths(seed, 8, 0) for seed in range(5))]):
        scaled = [float(f"{weight}e{exponent}") for weight in weights]
        asked = {"objective": list(order), "tolerances": [0.0] * (len(order) - 1), "teams": n_teams}
        solution = balance(_roster(scaled), **asked)  # type: ignore[arg-type]
        best = float(optimum(question(_roster(scaled), **asked)).costs[-1])
        assert solution.status == "optimal"
        assert solution.value == pytest.approx(best, rel=1e-9, abs=10 * solution.rounding), seed


@pytest.mark.parametrize("solver", ["enumerate", "mitm", "auto"])
def test_every_way_to_a_proof_finds_the_tie(solver: str) -> None:
    """A roster whose differences of 0 are 35 splits' on paper, and one's in floats."""
    solution = balance(_roster(ROSTERS[0]), objective=["difference", "spread"], solver=solver)
    assert (solution.status.value, round(solution.value or 0.0, 6)) == ("optimal", 0.674068)


def test_twenty_players_of_one_decimal_have_the_tie_too() -> None:
    """Meeting in the middle keeps the limit that enumeration keeps; whole numbers are the witness."""
    tenths = np.random.default_rng(3).integers(20, 90, 20)
    decimals = balance(_roster([float(f"{n}e-1") for n in tenths]), objective=["difference", "spread"])
    whole = balance(_roster([float(n) for n in tenths]), objective=["difference", "spread"])
    assert decimals.status == whole.status == "optimal"
    assert decimals.value == pytest.approx((whole.value or 0.0) / 10.0, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_a_front_of_decimals_has_each_point_once(seed: int) -> None:
    """As many points as on paper; none twice for the last digit."""
    weights = _tenths(seed, 8, 0)
    found = pareto(_roster(weights), "difference", "spread")
    points = front(question(_roster(weights)), "difference", "spread")
    assert found.complete
    assert len(found.points) == len(points)
    for one, other in zip(found.points, points, strict=True):
        assert one == pytest.approx([float(number) for number in other], rel=1e-9, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_a_stage_below_zero_keeps_its_own_optimum(seed: int) -> None:
    """Side preferences make costs negative; the bound stays finite and the answer is JSON."""
    rng = np.random.default_rng(seed)
    players = [
        Player(f"p{n}", round(float(rng.normal(25, 8)), 1), side=float(rng.choice([0.0, 0.5, 1.0])))
        for n in range(8)
    ]
    alone = balance(players, objective="indistinguishable")
    solution = balance(players, objective=["indistinguishable", "difference"])
    assert solution.status == "optimal"
    assert solution.bound == solution.value
    assert solution.best.values[0] == pytest.approx(alone.value, abs=1e-12)
    json.dumps(solution.as_dict(), allow_nan=False)


@pytest.mark.slow
@pytest.mark.parametrize("name", OBJECTIVES)
def test_the_bound_on_rounding_holds_for_every_order_of_the_sums(name: str) -> None:
    """Costs of the same split with its blocks in another order differ by no more than twice the bound."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        problem = random_problem(rng)
        objective = resolve("objective", OBJECTIVES, name)(random_units(rng, problem))
        error = objective.criterion.error(problem.rounding)
        assert 0.0 <= error < 1e-6 * max(float(np.abs(problem.features[:, MU]).sum()), 1.0)
        for labels in list(legal_splits(problem))[:20]:
            totals = problem.totals(labels[None, :])
            other = totals.copy()
            for team in range(problem.n_teams):
                own = problem.features[labels == team][::-1]
                bots = totals[0, team, 0] - own[:, 0].sum()
                filled = [*own.tolist(), *([problem.filler.tolist()] * round(bots) if bots else [])]  # type: ignore[union-attr]
                other[0, team] = [math.fsum(row[f] for row in filled) for f in range(5)]
            costs = objective.criterion.cost(np.concatenate([totals, other]))
            assert abs(costs[0] - costs[1]) <= 2.0 * error


UNSURE = [(4.1e-9, 1.7), (3.7e-9, 1.0), (9e-10, 0.4), (2e-9, 2.4), (5e-9, 0.9)]


@pytest.mark.parametrize("n_teams", [2, 3])
def test_weights_far_below_their_uncertainty_hide_no_optimum(n_teams: int) -> None:
    """What rounding does to a variance is counted relative to what the uncertainty makes of it."""
    players = [Player(f"p{n}", Rating(mu, sigma)) for n, (mu, sigma) in enumerate(UNSURE)]
    for order in (["indistinguishable", "difference"], ["indistinguishable", "spread", "win"]):
        asked = {"objective": order, "tolerances": [0.0] * (len(order) - 1), "teams": n_teams}
        solution = balance(players, **asked)  # type: ignore[arg-type]
        best = float(optimum(question(players, **asked)).costs[0])
        assert solution.status == "optimal"
        assert solution.best.values[0] == pytest.approx(best, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    ("n_teams", "bots"), [(2, Bots(20.3, minimum=2, target=6)), (4, Bots(0.1, target=3))]
)
def test_bots_that_outweigh_everybody_hide_no_ratio(n_teams: int, bots: Bots) -> None:
    """The totals that a ratio is taken of have the bots in them, and so has the bound on its rounding."""
    players = _roster([4.3e-9, 8e-9, 9.6e-9, 7.8e-9, 1.1e-9])
    asked = {"objective": ["ratio", "difference"], "tolerances": [0.0], "teams": n_teams, "bots": bots}
    solution = balance(players, **asked)  # type: ignore[arg-type]
    best = 1.0 - float(optimum(question(players, **asked)).costs[0])
    assert solution.status == "optimal"
    assert solution.best.values[0] == pytest.approx(best, rel=0, abs=1e-13)
    assert balance(players, **{**asked, "objective": "ratio", "tolerances": None}).rounding < 1e-12  # type: ignore[arg-type]


def test_a_criterion_of_ones_own_has_a_measured_bound() -> None:
    """What is not worked out is measured, and is about what is worked out for the same."""

    class Own(Criterion):
        def cost(self, totals: np.ndarray) -> np.ndarray:
            return np.ptp(totals[:, :, MU], axis=1)

    problem = random_problem(np.random.default_rng(1))
    worked_out = resolve("objective", OBJECTIVES, "difference")(Units()).criterion.error(problem.rounding)
    assert worked_out <= Own().error(problem.rounding) <= 100.0 * worked_out


#: Rosters whose weights differ by many orders, so that rounding hurts a team of light players most.
FAR_APART = [
    [6.9e-5, 53.0, 0.0021, 2.0, 27000.0, 3.0],
    [690000.0, 0.00084, 3.9e-05, 83.0, 0.022],
    [3.7e-13, 5.9e-06, 0.0075, 5.3e-14, 8e-11, 1.7e-05, 0.00067, 0.00056],
    [330000000.0, 9.2e9, 2100000.0, 5.1e14, 9.2e10, 5.5e14, 3.6e13, 6.2e7, 4.3e7, 3.3e7],
]


@pytest.mark.slow
@pytest.mark.parametrize("weights", FAR_APART)
@pytest.mark.parametrize(
    "pair", [("difference", "spread"), ("ratio", "spread"), ("spread", "indistinguishable")]
)
def test_a_front_of_weights_far_apart_has_every_point(weights: list[float], pair: tuple[str, str]) -> None:
    """What rounding does to the worst of all splits does not hide the points that it does not touch."""
    found = pareto(_roster(weights), *pair)
    points = front(question(_roster(weights)), *pair)
    assert found.complete
    shown = [
        [1.0 - float(x) if name == "ratio" else float(x) for name, x in zip(pair, point, strict=True)]
        for point in points
    ]
    assert len(found.points) == len(shown)
    for one, other in zip(found.points, shown, strict=True):
        assert one == pytest.approx(other, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("weights", FAR_APART)
@pytest.mark.parametrize("heavy_apart", [False, True])
def test_a_stage_of_weights_far_apart_lets_no_worse_split_through(
    weights: list[float], heavy_apart: bool
) -> None:
    """The deviations of the split that is chosen are the closest there are, to many digits."""
    order = np.argsort(weights)
    asked = {"objective": ["spread", "difference"], "tolerances": [0.0]}
    if heavy_apart:
        asked["apart"] = [[f"p{order[-1]}", f"p{order[-2]}"]]
    solution = balance(_roster(weights), **asked)  # type: ignore[arg-type]
    best = float(optimum(question(_roster(weights), **asked)).costs[0])
    assert solution.status == "optimal"
    assert solution.best.values[0] == pytest.approx(best, rel=1e-11)


@pytest.mark.slow
def test_the_rounding_of_one_split_is_no_more_than_that_of_all() -> None:
    """And each computed cost is within its own bound of the exact one, whatever the weights."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        weights = [float(f"{rng.integers(1, 99)}e{rng.integers(-6, 7)}") for _ in range(8)]
        request = BalanceRequest.of(_roster(weights))
        problem, asked = request.problem, question(_roster(weights))
        assert problem is not None
        for name in ("spread", "indistinguishable"):
            criterion = resolve("objective", OBJECTIVES, name)(request.asked[1]).criterion
            labels = np.array(list(splits(asked)), dtype=np.int8)
            totals = problem.totals(labels)
            errors = criterion.errors(totals, problem.rounding)
            assert (errors <= criterion.error(problem.rounding)).all()
            for computed, error, split in zip(criterion.cost(totals), errors, labels.tolist(), strict=True):
                exact = cost(asked, name, split)
                shown = Fraction(float(computed)) * Fraction(*criterion.unit)
                assert abs(float((exact - Real(shown)).rounded())) <= criterion.unit.shown(error)
