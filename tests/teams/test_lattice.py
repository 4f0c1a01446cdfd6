"""The lattice of sums against going through all splits, and what it proves of large rosters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from equipoise import BalanceRequest, balance
from equipoise.teams.objectives.objective import Limit
from equipoise.teams.solvers import enumerate as every
from equipoise.teams.solvers import lattice
from equipoise.teams.solvers.task import Task

HIGHEST = (4, 30, 900, 40_000)


def task_of(weights: Any, objective: str, slack: float | None) -> Task:
    """Return the task of an objective's last criterion, within a slack of the best chances or differences."""
    request = BalanceRequest.of(
        {f"p{n}": float(weight) for n, weight in enumerate(weights)}, objective=objective
    )
    assert request.problem is not None
    asked = request.asked[0]
    if slack is None:
        return Task(request.problem, asked.criterion)
    first = request.judged_by("win" if objective == "spread" else "difference")[0].criterion
    best = every.SOLVER(Task(request.problem, first)).ranked[0].cost
    return Task(request.problem, asked.criterion, (Limit(first, best + slack * max(best, 0.01)),))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("objective", ["spread", "indistinguishable"])
@pytest.mark.parametrize("slack", [None, 0.0, 3.0])
def test_points_bound_every_split_and_proofs_are_true(seed: int, objective: str, slack: float | None) -> None:
    """Few players are freed all at once: what is at a point is found, and nothing is below the bound."""
    rng = np.random.default_rng([seed, 5])
    weights = rng.integers(1, rng.choice(HIGHEST), int(rng.integers(4, 14))) * int(rng.choice([1, 3])) + 7
    task = task_of(weights, objective, slack)
    best, found = every.SOLVER(task), lattice.SOLVER(task)
    assert found.bound <= best.ranked[0].cost
    if found.ranked:
        cost = found.ranked[0].cost
        assert cost >= best.ranked[0].cost
        assert cost == best.ranked[0].cost or not found.proven


@pytest.mark.parametrize("objective", ["spread", "indistinguishable"])
@pytest.mark.parametrize("n", [12, 13])
def test_every_split_that_is_good_enough_is_at_a_point(n: int, objective: str) -> None:
    """No sums that a legal split within the limits has are left out, whatever it costs."""
    weights = np.random.default_rng(n).integers(10, 60, n)
    task = task_of(weights, objective, 5.0)
    labels = np.array([[bits >> place & 1 for place in range(n)] for bits in range(1 << n)], dtype=np.int8)
    labels = labels[task.problem.legal(labels)]
    totals = task.problem.totals(labels)
    ((first, limit),) = task.limits
    costs = np.where(first.cost(totals) <= limit, task.criterion.cost(totals), np.inf)
    below = float(np.quantile(costs[costs < np.inf], 0.3))
    grid = lattice._Lattice(task.problem)
    points = grid.points(task, below)
    assert points is not None
    known = set(zip(points.players.tolist(), points.first.tolist(), points.second.tolist(), strict=True))
    good = costs < below
    assert good.any()
    for row in labels[good]:
        held = row == 0
        sums = int(held.sum()), int(grid.y[held].sum()), int((grid.y[held] ** 2).sum())
        assert sums in known


@pytest.mark.slow
@pytest.mark.parametrize("n", [44, 45, 60, 80, 100, 300])
@pytest.mark.parametrize("objective", ["spread", "indistinguishable"])
def test_large_rosters_of_ratings_are_proven(n: int, objective: str) -> None:
    """Elo from 800 to 2,400 and as many steps of a decimal alike; a seed of the search changes no value."""
    ratings = np.clip(np.random.default_rng([n, 3]).normal(1500.0, 250.0, n).round(), 800.0, 2400.0)
    players = {f"p{place}": rating for place, rating in enumerate(ratings.tolist())}
    solution = balance(players, objective=objective)
    assert (solution.status, solution.solver) == ("optimal", "lattice")
    tenths = balance({who: rating / 10 for who, rating in players.items()}, objective=objective)
    assert [[player.id for player in team] for team in tenths.best.teams] == [
        [player.id for player in team] for team in solution.best.teams
    ]
    assert balance(players, objective=objective, seed=7).value == pytest.approx(solution.value, rel=1e-9)
