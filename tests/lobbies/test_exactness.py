"""Plans against an exhaustive oracle: exact solvers find the optimum, bounds are never above it."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.lobbies.oracle import Case, best, cases, check

from equipoise import Lobby, Status, fill
from equipoise.lobbies import exact

pytestmark = pytest.mark.slow


def slack(case: Case) -> float:
    """Return what rounding explains."""
    size = max(
        1.0, *(abs(skill) for skill in case.skills), *(abs(lobby.target or 0) for lobby in case.lobbies)
    )
    return 1e-9 * size if case.deviation == "absolute" else 1e-9 * size * size


@pytest.mark.parametrize("solver", ["exact", "large"])
@settings(max_examples=120)
@given(case=cases())
def test_plans_keep_every_rule_and_bounds_are_true(solver: str, case: Case) -> None:
    """As many players as can be are seated; the exact solver's value is the least there is."""
    plan = fill(**case.arguments(), solver=solver)
    expected = best(case)
    if plan.status is Status.INFEASIBLE:
        assert expected is None, "what can be filled is filled"
        assert plan.conflict
        return
    check(case, plan)
    assert expected is not None
    seated, teams, value = expected
    assert sum(len(team) for lobby in plan.lobbies for team in lobby.teams) == seated
    assert sum(len(lobby.teams) for lobby in plan.lobbies) == teams
    assert plan.bound <= value + slack(case), "the bound is true"
    assert plan.value >= value - slack(case), "nothing is better than the oracle"
    if solver == "exact":
        assert plan.status is Status.OPTIMAL
    if plan.status is Status.OPTIMAL:
        assert plan.value <= value + slack(case), "what is called optimal is"


@settings(max_examples=15)
@given(case=cases(most=10).filter(lambda case: len(case.skills) > 8))
def test_the_exact_solver_is_right_for_ten_players(case: Case) -> None:
    """The same for larger instances, with fewer of them."""
    plan = fill(**case.arguments(), solver="exact")
    expected = best(case)
    if plan.status is not Status.INFEASIBLE:
        check(case, plan)
        assert expected is not None
        assert math.isclose(plan.value, expected[2], rel_tol=1e-7, abs_tol=slack(case))


@pytest.mark.parametrize("few", [1, 2, 1000])
def test_the_first_integer_program_may_be_of_any_size(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where too few teams were tried at first, more are, until no other can matter."""
    rng = np.random.default_rng(5)
    players = {f"p{n}": float(weight) for n, weight in enumerate(rng.normal(10.0, 3.0, 40).round(2))}
    given: Any = {"team_size": 2, "solver": "exact", "parties": [("p0", "p1")], "barred": {"p2": ["calm"]}}
    lobbies = [Lobby("calm", 18.0, min_teams=4), Lobby("wild", 22.0, min_teams=4)]
    expected = fill(players, lobbies, **given)
    monkeypatch.setattr(exact, "FEW", few)
    found = fill(players, lobbies, **given)
    assert (found.status, found.value) == (Status.OPTIMAL, expected.value)


@pytest.mark.parametrize("solver", ["exact", "paper"])
@settings(max_examples=60)
@given(
    weights=st.lists(st.sampled_from(["1", "1.5", "2.5", "4", "8.7", "9.3"]), min_size=8, max_size=8),
    scales=st.lists(st.sampled_from(["1", "1e-9", "1e9"]), min_size=8, max_size=8),
    team_size=st.sampled_from([2, 3, 4]),
)
@example(  # The best plan is far better than the first: a program in units of the first cannot tell it.
    weights=["4", "1", "1", "4", "8.7", "1.5", "1", "1.5"],
    scales=["1e9", "1", "1", "1e9", "1e9", "1", "1e-9", "1e9"],
    team_size=3,
)
def test_what_is_proven_is_so_in_the_ninth_digit(
    solver: str, weights: list[str], scales: list[str], team_size: int
) -> None:
    """Next to players of 1e9 those of 1 decide digits that no tolerance of a program may swallow."""
    team_size = 2 if solver == "paper" else team_size
    skills = [Fraction(weight) * Fraction(scale) for weight, scale in zip(weights, scales, strict=True)]
    target = float(sum(skills) * team_size / 8)
    lobbies = [Lobby("low", target * 0.875), Lobby("high", target * 1.125)]
    players = {f"p{n}": float(skill) for n, skill in enumerate(skills)}
    plan = fill(players, lobbies, team_size=team_size, zero=0.0, solver=solver)
    exactly = [Fraction(skill) for skill in players.values()]
    teams = {
        team: min((sum(exactly[n] for n in team) - Fraction(lobby.target or 0.0)) ** 2 for lobby in lobbies)
        for team in itertools.combinations(range(8), team_size)
    }
    least = min(
        sum(map(teams.__getitem__, chosen))
        for chosen in itertools.combinations(teams, 8 // team_size)
        if len(set(itertools.chain(*chosen))) == 8 // team_size * team_size
    )
    if solver == "exact":
        assert plan.status is Status.OPTIMAL
    if plan.status is Status.OPTIMAL:
        # Totals are sums of doubles, which know their own last digits only.
        assert Fraction(plan.value) <= least * (1 + Fraction(2, 10**9)) + Fraction(target) ** 2 / 10**15
