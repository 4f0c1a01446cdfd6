"""A lower bound on the spread of many teams that needs no search: what the farthest players force.

Whoever is far from all others makes the standard deviation of one team large, whoever is with them.  And of
teams without the few farthest players one has a small deviation: the sum of squares within some of the teams
is at most that of all their players together.
"""

from __future__ import annotations

import math

import numpy as np

from equipoise.core.arrays import Floats
from equipoise.teams.objectives.moments import SpreadDifference
from equipoise.teams.objectives.objective import Criterion
from equipoise.teams.problem.problem import MU, Problem
from equipoise.teams.solvers.window import size_vectors

#: The share of the largest weight by which a bound is lowered for its rounding.
LOWERED = 1e-9


def least_cost(problem: Problem, criterion: Criterion) -> float:
    """Return what no split costs less than: the criterion's floor where nothing more is known."""
    known = problem.filler is None and problem.roles is None and bool((problem.sizes == 1).all())
    if not (isinstance(criterion, SpreadDifference) and known and problem.n_teams > 2):
        return criterion.floor
    vectors = size_vectors(problem)
    if not vectors:
        return criterion.floor
    fewest, most = min(map(min, vectors)), max(map(max, vectors))
    weights: Floats = np.sort(problem.features[:, MU])
    weights = weights - weights.mean()
    if fewest < 1:
        return criterion.floor
    largest = max(
        min(_least_deviation(weights, end, size) for size in range(fewest, most + 1)) for end in (0, -1)
    )
    bound = largest - _most_of_least(weights, problem.n_teams, fewest)
    return max(bound - LOWERED * float(np.abs(weights).max()), criterion.floor)


def _least_deviation(weights: Floats, end: int, size: int) -> float:
    """Return the least standard deviation of so many players of whom one is the first or the last.

    The others are those nearest to their mean, so neighbours.

    Parameters
    ----------
    weights : ndarray of float, shape (n,)
        Ascending.
    """
    own, others = weights[end], np.delete(weights, end)
    sums = np.concatenate([[0.0], np.cumsum(others)])
    squares = np.concatenate([[0.0], np.cumsum(others * others)])
    total = sums[size - 1 :] - sums[: len(sums) - size + 1] + own
    square = squares[size - 1 :] - squares[: len(squares) - size + 1] + own * own
    return math.sqrt(max(float((square / size - (total / size) ** 2).min()), 0.0))


def _most_of_least(weights: Floats, n_teams: int, fewest: int) -> float:
    """Return what the least deviation of a team is at most: without some far players, for each number."""
    best = math.inf
    for without in range(n_teams):
        # Teams without those players have so many others at least.
        others = (n_teams - without) * fewest
        best = min(best, math.sqrt(float(((weights - weights.mean()) ** 2).sum()) / others))
        away = np.abs(weights - weights.mean())
        weights = np.delete(weights, int(away.argmax()))
    return best
