"""The bound on the spread of many teams holds for every split, and outliers raise it above 0."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from equipoise import Player, Rating, balance
from equipoise.teams.request import BalanceRequest
from equipoise.teams.solvers.many_team_bounds import least_cost


def least_spread(weights: list[float], n_teams: int) -> float:
    """Return the least range of deviations of all splits into teams whose sizes differ by at most one."""
    least = np.inf
    few, many = divmod(len(weights), n_teams)
    for split in product(range(n_teams), repeat=len(weights)):
        teams = [[x for x, team in zip(weights, split, strict=True) if team == k] for k in range(n_teams)]
        if sorted(map(len, teams)) == [few] * (n_teams - many) + [few + 1] * many:
            deviations = [float(np.std(team)) for team in teams]
            least = min(least, max(deviations) - min(deviations))
    return least


@pytest.mark.parametrize("seed", range(12))
def test_no_split_is_below_the_bound(seed: int) -> None:
    """Outliers above, below and none, against all splits."""
    rng = np.random.default_rng(seed)
    n, n_teams = 6 + seed % 3, 3
    drawn = np.exp(rng.normal(0.0, 2.5, n)) * (-1.0 if seed % 4 == 1 else 1.0)
    weights = (rng.normal(25.0, 8.0, n) if seed % 4 == 2 else drawn).tolist()
    request = BalanceRequest.of(
        {f"p{k}": weight for k, weight in enumerate(weights)}, teams=n_teams, objective="spread"
    )
    assert request.problem is not None
    criterion = request.asked[0].criterion
    bound = criterion.shown(least_cost(request.problem, criterion))
    assert 0.0 <= bound <= least_spread(weights, n_teams) + 1e-9


def test_an_outlier_bounds_the_spread_where_nothing_is_proven() -> None:
    """Whatever the other stages find: one player of 10,000 among others of some 20 makes one team uneven."""
    weights = {f"p{k}": 20.0 + (k * k * 0.7310585786) % 9 for k in range(31)} | {"giant": 10_000.0}
    solution = balance(weights, teams=3, objective="spread", stop=lambda: True)
    assert solution.status.value == "feasible"
    assert solution.value is not None
    assert solution.bound is not None
    assert 0.99 * solution.value <= solution.bound <= solution.value


@pytest.mark.parametrize("objective", ["indistinguishable", "win"])
@pytest.mark.parametrize("seed", range(8))
def test_no_split_is_less_alike_or_less_even_than_the_bound_says(objective: str, seed: int) -> None:
    """Heavy tails, uncertain ratings, teams of one size and of two, against all splits."""
    rng = np.random.default_rng([5, seed])
    n, n_teams = (9, 3) if seed % 2 else (8, 4)
    n -= seed == 6  # seven players in four teams
    players = [
        Player(f"p{k}", Rating(weight, float(rng.integers(0, 3))))
        for k, weight in enumerate(rng.lognormal(2.0, 2.5, n).round(2).tolist())
    ]
    request = BalanceRequest.of(players, teams=n_teams, objective=objective)
    assert request.problem is not None
    solution = balance(request)
    assert solution.status == "optimal"
    bound = least_cost(request.problem, request.asked[0].criterion)
    assert request.asked[0].criterion.floor <= bound <= (solution.value or 0.0)


@pytest.mark.parametrize("objective", ["indistinguishable", "win"])
def test_an_outlier_bounds_chances_and_likeness(objective: str) -> None:
    """One player of 10,000 among others of some 20: the bound is near what is found without a search."""
    weights = {f"p{k}": 20.0 + (k * k * 0.7310585786) % 9 for k in range(32)} | {"giant": 10_000.0}
    solution = balance(weights, teams=3, objective=objective, beta=500.0, stop=lambda: True)
    assert solution.bound is not None
    assert 0.8 * (solution.value or 0.0) <= solution.bound <= (solution.value or 0.0)
