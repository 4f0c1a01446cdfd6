"""Bounds that need no search: what no split into two teams can be better than."""

from __future__ import annotations

import math

import numpy as np

from equipoise.core.arrays import Floats
from equipoise.teams.problem.problem import COUNT, MU
from equipoise.teams.problem.two_team_components import Components
from equipoise.teams.solvers.task import Task


def lower_bound(task: Task, parts: Components) -> float:
    """Return a cost that no legal split of a task is below.

    For a criterion by difference this is the least difference that two facts leave: the totals of whole
    numbers are so many steps of theirs, and the strongest player is in one of the teams.  For others
    it is the criterion's floor.
    """
    floor = task.criterion.floor
    if not task.criterion.by_difference or task.problem.roles is not None:
        return floor
    costs = [_class_bound(task, parts, size) for size in parts.legal_sizes]
    return max(floor, min(costs, default=floor))


def _class_bound(task: Task, parts: Components, size: int) -> float:
    """Return the bound for splits with a number of players in the first team."""
    problem = task.problem
    first = np.zeros(problem.features.shape[1])
    first[COUNT] = size
    totals = parts.totals(first[None, :])
    # The strengths differ by 2 x + offset, where x is the mu of the roster's players in the first team.
    offset = strength_difference(task, totals)
    even = -offset / 2
    least = 0.0
    weight, step = problem.grid
    if step and problem.rounding.mu < 0.5:
        steps = (even - size * weight) / step
        least = step * abs(steps - round(steps))
    least = max(least, min((max(low - even, even - high, 0.0) for low, high in _ranges(parts, size))))
    if least == 0.0:
        return task.criterion.floor
    nearest = first.copy()
    nearest[MU] = even + least
    return float(task.criterion.cost(parts.totals(nearest[None, :]))[0])


def strength_difference(task: Task, totals: Floats) -> float:
    """Return by how much the first of two teams is stronger, for totals of shape (1, 2, n_features)."""
    # As :func:`equipoise.core.win_probability.strengths`, which takes longer for two numbers.
    (count, other_count), (mu, other_mu) = totals[0, :, COUNT].tolist(), totals[0, :, MU].tolist()
    least, zero = min(count, other_count), task.criterion.zero
    first, second = mu - zero * (count - least), other_mu - zero * (other_count - least)
    return float(first - second)


def _ranges(parts: Components, size: int) -> list[tuple[float, float]]:
    """Return ranges of mu, one of which holds the first team's whatever the split."""
    problem = parts.problem
    if not problem.single or size in (0, problem.n_players):
        return [(-math.inf, math.inf)]
    ratings = np.sort(problem.features[:, MU])
    strongest, others = float(ratings[-1]), ratings[:-1]
    with_strongest = (
        strongest + float(others[: size - 1].sum()),
        strongest + float(others[len(others) - size + 1 :].sum()),
    )
    without = (float(others[:size].sum()), float(others[len(others) - size :].sum()))
    return [with_strongest, without]
