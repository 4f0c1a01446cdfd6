"""Every exact solver with every objective and kind of rule against going through all; rules at every size."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.play.nights import Night

from equipoise import InputError, Solution, Status, balance
from equipoise.core.registry import OBJECTIVES, resolve
from equipoise.teams.laws import best_costs, random_problem, random_units
from equipoise.teams.problem.problem import MU
from equipoise.teams.solvers.pairwise import range_bound
from equipoise.teams.solvers.task import Task

pytestmark = pytest.mark.slow

TOLERANCE = 0.02

KINDS = ("none", "uncertain", "parties", "apart", "fixed", "sizes", "bots", "all")


def rules(kind: str, n: int, n_teams: int) -> dict[str, Any]:
    """Return what a kind of rules adds to a night of so many players and teams."""
    even = n // n_teams
    rest = [even] * (n_teams - 2)
    known: dict[str, dict[str, Any]] = {
        "none": {},
        "uncertain": {"sigmas": tuple(float(place % 3) for place in range(n))},
        "parties": {"parties": ((0, 1), (2, 3))},
        "apart": {"apart": ((0, 1), (2, 4))},
        "fixed": {"fixed": ((0, 1), (n - 1, 0))},
        "sizes": {"sizes": (even + 1, *rest, n - sum(rest) - even - 1)},
        "bots": {"bot_weight": 20.0, "seats": even + 1},
        "all": {"parties": ((0, 1),), "apart": ((1, 2),), "fixed": ((3, 1),), "bot_weight": 9.0},
    }
    return known[kind]


def night_of(n: int, n_teams: int, kind: str, *, whole: bool = False) -> Night:
    """Return a roster with zeros, ties and equal players among its weights."""
    rng = np.random.default_rng([n, n_teams, len(kind)])
    weights = np.abs(np.round(rng.normal(25.0, 8.0, n), 0 if whole else 2))
    weights[rng.integers(n)] = 0.0
    weights[0] = weights[n // 2]
    return Night(tuple(weights.tolist()), n_teams, **rules(kind, n, n_teams))


def answer(night: Night, **asked: Any) -> Solution | None:
    """Return the solution; None where the solver says that it does not serve."""
    try:
        return balance(**night.arguments(), **asked)
    except InputError:
        return None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("n_teams", [2, 3, 4])
def test_every_exact_solver_finds_the_best_of_all(n_teams: int, objective: str, kind: str) -> None:
    """Whatever the solver, the value is that of the best split there is, and it is called proven."""
    night = night_of(8 if n_teams < 4 else 7, n_teams, kind, whole=n_teams == 2)
    asked = {"objective": objective, "tolerance": TOLERANCE}
    expected = night.best(**asked)
    solvers = 0
    for solver in ("auto", "enumerate", "mitm", "bitset", "window"):
        solution = answer(night, **asked, solver=solver)
        if solution is None:
            continue
        solvers += 1
        assert solution.status is Status.OPTIMAL, solver
        assert solution.value == pytest.approx(expected, rel=1e-7, abs=1e-7), solver
        night.check(solution, **asked)
    assert solvers >= 3


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_ten_players_in_four_teams(objective: str) -> None:
    """The largest that is gone through: 6300 splits, each under every naming of the teams."""
    night = Night(night_of(10, 4, "none").weights, 4, parties=((0, 1),), apart=((2, 3, 4),), fixed=((5, 0),))
    solution = balance(**night.arguments(), objective=objective, tolerance=TOLERANCE)
    assert solution.status is Status.OPTIMAL
    night.check(solution, proof=True, objective=objective, tolerance=TOLERANCE)


#: Solvers at the sizes they are for: (solver, players, teams).
LARGE = [
    ("mitm", 30, 2),
    ("bitset", 60, 2),
    ("window", 40, 4),
    ("resplit", 100, 2),
    ("resplit", 60, 5),
    ("climb", 100, 2),
    ("anneal", 50, 2),
    ("exchange", 100, 2),
    ("fold", 8001, 2),
    ("fold", 6000, 7),
    ("greedy-cap", 100, 2),
    ("auto", 64, 2),
    ("auto", 48, 6),
]


@pytest.mark.parametrize("with_bots", [False, True])
@pytest.mark.parametrize(("solver", "n", "n_teams"), LARGE)
def test_large_rosters_keep_every_rule(solver: str, n: int, n_teams: int, *, with_bots: bool) -> None:
    """Parties, who is apart, who is fixed, sizes and bots are kept, and the totals are as reported."""
    weights = np.round(np.random.default_rng(n).normal(250.0, 80.0, n))
    night = Night(
        tuple(weights.tolist()), n_teams,
        parties=((0, 1, 2), (3, 4), (5, 6)), apart=((0, 7), (3, 8)), fixed=((9, 1),),
        bot_weight=200.0 if with_bots else None, seats=-(-n // n_teams) + 1 if with_bots else 0,
    )  # fmt: skip
    solution = answer(
        night, solver=solver, objective="difference", keep=1 if n > 5000 else 3, stop=_after(1000)
    )  # fmt: skip
    assert solution is not None
    night.check(solution, objective="difference", keep=1 if n > 5000 else 3)


def _after(times: int) -> Any:
    """Return a question that is answered with no so many times, and then with yes."""
    left = [times]

    def stop() -> bool:
        left[0] -= 1
        return left[0] < 0

    return stop


@pytest.mark.parametrize("objective", ["difference", "ratio", "win"])
@pytest.mark.parametrize("n_teams", [3, 4])
def test_what_whole_numbers_leave_is_below_every_division(n_teams: int, objective: str) -> None:
    """The bound without a search is true for teams of any sizes."""
    for seed in range(10):
        rng = np.random.default_rng([seed, n_teams])
        problem = random_problem(rng, 6, n_teams)
        features = problem.features.copy()
        features[:, MU] = rng.integers(0, 6, problem.n_blocks)
        problem = replace(problem, features=features, filler=None)
        criterion = resolve("objective", OBJECTIVES, objective)(random_units(rng, problem)).criterion
        costs = best_costs(Task(problem, criterion))
        bound = range_bound(Task(problem, criterion))
        assert not costs or bound <= costs[0] + 1e-12
