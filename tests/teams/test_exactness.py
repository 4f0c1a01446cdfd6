"""``balance`` against the slow obvious oracle, and planted optima where the oracle is too slow."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.play.nights import Night
from tests.strategies import cases

from equipoise import Bots, Status, balance
from equipoise.core.registry import OBJECTIVES, SOLVERS
from equipoise.teams.problem.problem import MU
from equipoise.teams.problem.two_team_components import components

TOLERANCE = 0.02


def check(night: Night, objective: str, solver: str) -> None:
    """Assert that the solution is the oracle's best, and that what it says of itself is true."""
    asked = {"objective": objective, "tolerance": TOLERANCE}
    solution = balance(**night.arguments(), **asked, solver=solver)
    best = night.best(**asked)
    night.check(solution, **asked)
    if best is None:
        assert solution.status is Status.INFEASIBLE
        assert solution.reason
        return
    assert solution.status is Status.OPTIMAL
    assert solution.value == pytest.approx(best, rel=1e-9, abs=1e-9)
    assert solution.gap == pytest.approx(0.0, abs=1e-9)
    assert math.fsum(solution.best.win_probability) == pytest.approx(1.0)


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["auto", "enumerate", "mitm"])
@pytest.mark.parametrize("objective", OBJECTIVES)
@settings(max_examples=40, derandomize=True)
@given(night=cases())
def test_balance_finds_the_oracles_optimum(objective: str, solver: str, night: Night) -> None:
    """Whatever the roster and the preferences, the value is the best there is, or nothing is legal."""
    check(night, objective, solver)


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["difference", "ratio", "win"])
@settings(max_examples=40, derandomize=True)
@given(night=cases(), data=st.data())
def test_bit_sets_find_the_oracles_optimum(objective: str, night: Night, data: st.DataObject) -> None:
    """The same for whole numbers, which bit sets are for."""
    whole = data.draw(st.lists(st.integers(0, 50), min_size=night.n, max_size=night.n))
    check(replace(night, weights=tuple(map(float, whole))), objective, "bitset")


@pytest.mark.slow
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("n", [9, 10, 11, 12])
def test_twelve_players(objective: str, n: int) -> None:
    """Up to twelve players every exact solver agrees with the oracle."""
    rng = np.random.default_rng(n)
    weights = tuple(np.round(np.abs(rng.normal(25.0, 8.0, n)), 2).tolist())
    night = Night(weights, parties=((0, 1),), apart=((2, 3),))
    for solver in ("enumerate", "mitm"):
        check(night, objective, solver)


@pytest.mark.parametrize("n", [24, *(pytest.param(n, marks=pytest.mark.slow) for n in (32, 40))])
def test_planted_optimum_of_the_sum(n: int) -> None:
    """A roster made of two teams of equal sums is divided without a gap, and that is proven."""
    for solver, largest in (("bitset", 3000), ("mitm", 10**9)):
        rng = np.random.default_rng(n)
        team = rng.integers(largest // 2, largest, n // 2)
        other = rng.integers(largest // 2, largest, n // 2 - 1)
        last = int(team.sum() - other.sum())
        while last < 0:
            other[other.argmax()] //= 2
            last = int(team.sum() - other.sum())
        weights = [*team.tolist(), *other.tolist(), last]
        roster = {f"p{i}": float(weight) for i, weight in enumerate(rng.permutation(weights))}
        solution = balance(roster, objective="difference", solver=solver)
        assert (solution.status, solution.value) == (Status.OPTIMAL, 0.0)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("n", [24, 28])
def test_planted_twins(objective: str, n: int) -> None:
    """Where every player has a twin, alike teams are found: no gap, no difference of spread."""
    rng = np.random.default_rng(n)
    half = np.round(rng.normal(25.0, 8.0, n // 2), 3)
    roster = {f"p{i}": float(weight) for i, weight in enumerate(np.concatenate([half, half]))}
    solution = balance(roster, objective=objective, solver="mitm")
    assert solution.status is Status.OPTIMAL
    assert solution.value == pytest.approx(1.0 if objective == "ratio" else 0.0, abs=1e-6)


@pytest.mark.parametrize("n", [17, 20])
def test_meeting_in_the_middle_agrees_with_bit_sets(n: int) -> None:
    """Two exact solvers that share no step find the same value beyond the oracle's reach."""
    rng = np.random.default_rng(n)
    roster = {f"p{i}": float(weight) for i, weight in enumerate(rng.integers(0, 3000, n))}
    bots = Bots(weight=700.0, target=24)
    for objective in ("difference", "ratio", "win"):
        one = balance(roster, objective=objective, solver="mitm", bots=bots, keep=5)
        other = balance(roster, objective=objective, solver="bitset", bots=bots, keep=5)
        assert [s.value for s in one.splits] == pytest.approx([s.value for s in other.splits], abs=1e-12)


def test_the_bot_balancers_example() -> None:
    """The 17 players of the bot balancer of 2010 with bots of 20: its 373 to 374 is the proven optimum."""
    weights = [5, 3, 2, 7, 23, 92, 93, 95, 27, 56, 28, 99, 1, 23, 83, 41, 49]
    roster = {f"p{n}": float(weight) for n, weight in enumerate(weights)}
    bots = Bots(weight=20.0, minimum=6, maximum=12, target=8)
    solution = balance(roster, objective="ratio", bots=bots)
    assert solution.status is Status.OPTIMAL
    assert sorted(solution.best.totals) == [373.0, 374.0]
    assert solution.value == pytest.approx(373 / 374)


def test_components_of_a_problem_are_found_once() -> None:
    """The same problem gives the same components, so that no step pays for them twice."""
    from equipoise.teams.laws import random_problem

    problem = random_problem(np.random.default_rng(1))
    assert components(problem) is components(problem)
    assert components(problem).steps[:, MU].shape == (len(components(problem).free),)


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["auto", *SOLVERS])
@pytest.mark.parametrize("teams", [2, 3])
def test_teams_that_are_fixed_are_judged_whatever_the_solver(solver: str, teams: int) -> None:
    """With everybody fixed there is one split, of any size, and nothing to search for."""
    roster = {f"p{n}": float(n * 7 % 50) for n in range(64)}
    fixed = {who: n % teams for n, who in enumerate(roster)}
    solution = balance(roster, teams=teams, fixed=fixed, solver=solver)
    assert solution.status is Status.OPTIMAL
    assert [len(team) for team in solution.best.teams] == [len(range(n, 64, teams)) for n in range(teams)]
    free = {who: team for who, team in fixed.items() if who not in ("p0", "p1", "p4", "p9")}
    assert balance(roster, teams=teams, fixed=free, solver="enumerate").status is Status.OPTIMAL
