"""Whatever is registered keeps the laws of its kind."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.core.registry import OBJECTIVES, RERANKERS, SOLVERS, resolve
from equipoise.teams.laws import check_objective, check_solver, random_problem, random_units
from equipoise.teams.problem.two_team_components import components
from equipoise.teams.solvers import bitset
from equipoise.teams.solvers.task import Task

SLOW = {"anneal"}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("name", OBJECTIVES)
def test_every_objective_keeps_the_laws(name: str, seed: int) -> None:
    """See :func:`equipoise.teams.laws.check_objective`."""
    check_objective(resolve("objective", OBJECTIVES, name), np.random.default_rng(seed))


@pytest.mark.slow
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("name", [name for name in SOLVERS if name != "lattice"])  # whole numbers alone
def test_every_solver_keeps_the_laws_with_every_objective(name: str, objective: str) -> None:
    """See :func:`equipoise.teams.laws.check_solver`; bit sets are held to what they say they suit."""
    solver = resolve("solver", SOLVERS, name)
    tried = 0
    for seed in range(2 if name in SLOW else 8):
        rng = np.random.default_rng([seed, 7])
        problem = random_problem(rng, most_blocks=8)
        goal = resolve("objective", OBJECTIVES, objective)(random_units(rng, problem))
        task = Task(problem, goal.criterion, tuple((c, 0.0) for c, _ in goal.first))  # type: ignore[arg-type]
        if name == "bitset" and not bitset.suits(task, components(problem)):
            continue
        check_solver(solver, goal, problem, exact=solver.exact)
        tried += 1
    assert tried or (name == "bitset" and objective in ("indistinguishable", "spread"))


@pytest.mark.parametrize("name", RERANKERS)
def test_every_criterion_is_zero_for_the_same_team_twice_and_blind_to_order(name: str) -> None:
    """A re-ranker compares teams, whichever comes first and however its players are listed."""
    criterion = resolve("criterion", RERANKERS, name)
    rng = np.random.default_rng(3)
    one, other = rng.normal(25, 8, 5), rng.normal(25, 8, 4)
    assert criterion([one, one]) == 0.0
    assert criterion([one, other]) == pytest.approx(criterion([other[::-1], one[::-1]]))
    assert criterion([one, other]) > 0.0
