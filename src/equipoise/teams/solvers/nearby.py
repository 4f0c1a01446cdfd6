"""``nearby``: every split that is few moves from the current teams, for players who are in one already.

Exact.  A split in which some players change team costs at least what their moves alone cost: their price, and
nothing where only a limit counts them.  So once any split is known, all that have more moves than its cost
pays for are out, and the others are few where players prefer to stay: of 40 players in two teams 10,701
splits have up to three moves.  Who is in no team yet is in every one for nothing, so each of them makes the
splits as many times more as there are teams.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from equipoise.core.arrays import Floats, Labels
from equipoise.errors import UnsupportedError
from equipoise.teams.problem.problem import Problem
from equipoise.teams.solvers.task import MOVES, PRICES, ROLES, RULES, Best, Fit, Found, Solver, Task

#: Splits judged at once.
CHUNK = 1 << 14  # effort

#: Splits, legal or not, up to which this is as quick as any other way: about a second.
QUICK = 1 << 20  # effort

#: Splits beyond which it is refused: some minutes.
MOST = 1 << 28

#: Splits up to which those with few moves are judged to know how many more can be worth it.
FEW = 1 << 17  # effort

#: Moves that are added at a time then: one exchange.
FIRST = 2  # effort


def solve(task: Task) -> Found:
    """Judge every split that is near enough; see :class:`equipoise.teams.solvers.task.Solver`.

    Raises
    ------
    UnsupportedError
        If there are too many to go through.
    """
    each = _moves(task.problem)
    best = Best(task)
    most = _near_enough(task, each, best)
    number = _number(each, most)
    if number > MOST:
        msg = (
            f": 'nearby' would go through {number:.3g} splits; allowed are {MOST:.3g}; "
            "'mitm' and 'exchange' have no such limit"
        )
        raise UnsupportedError(msg, "solver")
    for labels in _within(each, most):
        best.offer(labels[task.problem.legal(labels)])
        if best.reaches(task.criterion.floor):
            break
        if task.stop():
            return best.found(bound=task.criterion.floor, proven=False)
    return best.found(bound=task.criterion.floor, proven=True)


def _moves(problem: Problem) -> Floats:
    """Return how many players of each block change team in each team, infinite where it must not be."""
    shape = problem.n_blocks, problem.n_teams
    each = np.zeros(shape) if problem.moving is None else problem.moving.each.copy()
    for block, team in enumerate(problem.fixed):
        if team >= 0:
            each[block, np.arange(problem.n_teams) != team] = math.inf
    return each


def _near_enough(task: Task, each: Floats, best: Best) -> float:
    """Return how many moves a split can have that is as good as the best, known from those with few.

    Splits with two moves more are judged as long as these are few and there may be a better one.
    """
    depth = float(each.min(axis=1).sum()) + FIRST
    while depth < (most := _most_moves(task, each, best.worst)) and _number(each, depth) <= FEW:
        for labels in _within(each, depth):
            best.offer(labels[task.problem.legal(labels)])
        depth += FIRST
    return most


def _most_moves(task: Task, each: Floats, worst: float) -> float:
    """Return how many moves a split can have that is within the limits and no worse than a cost."""
    moving = task.problem.moving
    total = float(np.where(np.isinf(each), 0.0, each).max(axis=1).sum())
    most = total if moving is None or moving.most is None else min(float(moving.most), total)
    price = 0.0 if moving is None else moving.price
    allowed = [*task.limits, (task.criterion, worst + task.error)]
    while most > 0 and any(criterion.floor_with(most, price) > cost for criterion, cost in allowed):
        most -= 1
    return most


def _number(each: Floats, most: float) -> float:
    """Return how many splits have at most so many moves, legal or not."""
    counts = np.zeros(int(most) + 1)
    counts[0] = 1.0
    with np.errstate(over="ignore"):  # What is too many to count is too many to look at.
        for row in each:
            longer = np.zeros_like(counts)
            for moves in row[row <= most].astype(int):
                longer[moves:] += counts[: len(counts) - moves]
            counts = longer
        return float(counts.sum())


def _within(each: Floats, most: float) -> Iterator[Labels]:
    """Go through the splits with at most so many moves, in chunks."""
    # What the blocks behind need at least cannot be spent before them.
    behind = np.append(np.cumsum(each.min(axis=1)[::-1])[::-1][1:], 0.0)
    yield from _extended(np.zeros((1, 0), dtype=np.int8), np.zeros(1), each, most - behind)


def _extended(labels: Labels, moves: Floats, each: Floats, most: Floats) -> Iterator[Labels]:
    """Extend splits of the first blocks to all, leaving out those with too many moves."""
    for block in range(labels.shape[1], len(each)):
        if len(labels) > CHUNK:
            parts = len(labels) // CHUNK + 1
            for part, so_far in zip(np.array_split(labels, parts), np.array_split(moves, parts), strict=True):
                yield from _extended(part, so_far, each, most)
            return
        longer, sums = [], []
        for team, more in enumerate(each[block]):
            fit = moves + more <= most[block]
            column = np.full((int(fit.sum()), 1), team, dtype=np.int8)
            longer.append(np.concatenate([labels[fit], column], axis=1))
            sums.append(moves[fit] + more)
        labels, moves = np.concatenate(longer), np.concatenate(sums)
    yield labels


def _suits(task: Task) -> Fit:
    """Tell whether somebody is in a team already, and few splits are near enough to be best."""
    if task.problem.moving is None:
        return Fit.NO
    each = _moves(task.problem)
    most = _near_enough(task, each, Best(replace(task, start=())))
    return Fit.BEST if _number(each, most) <= QUICK else Fit.NO


SOLVER = Solver("nearby", solve, exact=True, supports=frozenset({MOVES, PRICES, ROLES, RULES}), suits=_suits)
