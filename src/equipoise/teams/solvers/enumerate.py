"""``enumerate``: every legal split, for any objective and any number of teams.

Exact.  Time and memory grow with the number of splits: C(16, 8) / 2 = 6435 for eight against eight.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from equipoise.core.arrays import Floats, Labels
from equipoise.errors import UnsupportedError
from equipoise.teams.objectives.objective import Criterion
from equipoise.teams.problem.problem import Problem
from equipoise.teams.solvers.task import MOVES, PRICES, ROLES, RULES, Best, Fit, Found, Solver, Task

#: Splits judged at once: enough to keep NumPy busy, few enough to stay in the cache of a processor.
CHUNK = 1 << 14  # effort

#: Blocks up to which the splits are kept for the next problem of the same shape.
REMEMBERED_BLOCKS = 16  # effort

#: Splits, legal or not, beyond which enumeration is refused: some minutes.
MOST = 1 << 31

#: Free blocks beyond which the number of splits is not even counted.
LARGEST_POWER = 100  # effort

#: Splits up to which going through them all is quickest: 12 players into two teams.
QUICKEST = 1 << 11  # effort

#: Splits up to which it is still done where no other exact solver serves: some seconds.
BEARABLE = 1 << 24  # effort

#: The same where every team's line-up has to be worked out: 20 players into two teams.
BEARABLE_WITH_ROLES = 1 << 19  # effort


def solve(task: Task) -> Found:
    """Judge every legal split; see :class:`equipoise.teams.solvers.task.Solver`.

    Raises
    ------
    InputError
        If there are too many splits to go through.
    """
    problem = task.problem
    if splits(problem) > MOST:
        msg = (
            f": 'enumerate' would go through {splits(problem):.3g} splits; "
            f"the limit is {MOST:.3g}; 'mitm', 'resplit' and 'climb' have none"
        )
        raise UnsupportedError(msg, "solver")
    remembered = problem.n_blocks <= REMEMBERED_BLOCKS and problem.n_teams == 2
    # What is known at the start comes again at once where everything is looked at in one piece.
    best = Best(task, () if remembered else task.start)
    if remembered:
        listed = _listed(problem)
        best.offer(listed.labels, listed.totals, listed.costs)
        return best.found(bound=task.criterion.floor, proven=True)
    for labels, totals in legal_splits(problem):
        best.offer(labels, totals)
        if task.stop():
            return best.found(bound=task.criterion.floor, proven=False)
    return best.found(bound=task.criterion.floor, proven=True)


def splits(problem: Problem) -> float:
    """Return how many splits there are, legal or not (teams told apart only where they differ)."""
    free = problem.fixed.count(-1) - int(problem.interchangeable)
    return problem.n_teams**free if free <= LARGEST_POWER else math.inf


def legal_splits(problem: Problem) -> Iterator[tuple[Labels, Floats]]:
    """Go through the legal splits and their totals, in chunks."""
    for labels in _divided(*_shape(problem)):
        legal = labels[problem.legal(labels)]
        yield legal, problem.totals(legal)


def _shape(problem: Problem) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], bool]:
    """Return what the splits depend on, legal or not."""
    # A team that is as large as possible leaves the others at most the allowed difference smaller.
    room = (problem.n_players + (problem.n_teams - 1) * problem.max_difference) // problem.n_teams
    max_size = tuple(min(most, room) for most in problem.max_size)
    return tuple(problem.sizes.tolist()), problem.fixed, max_size, problem.interchangeable


class _Listed:
    """All legal splits of a problem with their totals, and their costs by the criteria that were asked."""

    def __init__(self, problem: Problem) -> None:
        rules = problem.min_size, problem.max_size, problem.max_difference, problem.apart
        self.labels = _remembered(_Form(_shape(problem), rules, problem))
        if not problem.plain:
            self.labels = self.labels[problem.excess(self.labels) == 0.0]
        self.totals = problem.totals(self.labels)
        self._costs: list[tuple[Criterion, Floats]] = []

    def costs(self, criterion: Criterion) -> Floats:
        """Return what a criterion says of them: every stage of an objective asks for those before it."""
        for known, costs in self._costs:
            if known is criterion:
                return costs
        costs = criterion.cost(self.totals)
        self._costs.append((criterion, costs))
        return costs


#: The last few problems' splits, as every criterion of an objective asks.
_listed = lru_cache(maxsize=4)(_Listed)


@dataclass(frozen=True)
class _Form:
    """What the legal splits of a problem depend on, roles and custom rules aside."""

    shape: tuple[Any, ...]
    rules: tuple[Any, ...]
    problem: Problem = field(compare=False)


@lru_cache(maxsize=32)
def _remembered(form: _Form) -> Labels:
    labels = np.concatenate(list(_divided(*form.shape)))
    return labels[form.problem.keeps(labels)]


def _divided(
    sizes: tuple[int, ...], fixed: tuple[int, ...], max_size: tuple[int, ...], interchangeable: bool
) -> Iterator[Labels]:
    """Go through the splits in chunks: those who are fixed stand from the beginning, the others follow."""
    start = np.array([[team for team in fixed if team >= 0]], dtype=np.int8)
    order = sorted(range(len(sizes)), key=lambda block: fixed[block] < 0)
    back = np.argsort(order, kind="stable") if start.size else slice(None)
    for labels in _extended(start, tuple(sizes[block] for block in order), max_size, interchangeable):
        yield labels[:, back]


def _extended(
    labels: Labels, sizes: tuple[int, ...], max_size: tuple[int, ...], interchangeable: bool
) -> Iterator[Labels]:
    """Extend splits of the first blocks to all, in chunks, leaving out teams that grow too large.

    Interchangeable teams are numbered by their first block, so that each split comes once.
    """
    n_teams = len(max_size)
    while labels.shape[1] < len(sizes):
        if len(labels) > CHUNK:
            for part in np.array_split(labels, len(labels) // CHUNK + 1):
                yield from _extended(part, sizes, max_size, interchangeable)
            return
        block = labels.shape[1]
        used = labels.max(axis=1, initial=-1) + 1
        extended = []
        for team in range(n_teams):
            size = (labels == team) @ np.array(sizes[:block], dtype=np.int64) + sizes[block]
            fit = size <= max_size[team]
            if interchangeable:
                fit &= team <= used
            column = np.full((int(fit.sum()), 1), team, dtype=np.int8)
            extended.append(np.concatenate([labels[fit], column], axis=1))
        labels = np.concatenate(extended)
    yield labels


def _suits(task: Task) -> Fit:
    """Tell whether there are few splits, or not too many to go through where nothing else proves."""
    number = splits(task.problem)
    if number <= QUICKEST:
        return Fit.BEST
    most = BEARABLE if task.problem.roles is None else BEARABLE_WITH_ROLES
    return Fit.ABLE if number <= most else Fit.NO


SOLVER = Solver(
    "enumerate", solve, exact=True, supports=frozenset({PRICES, ROLES, RULES, MOVES}), suits=_suits
)
