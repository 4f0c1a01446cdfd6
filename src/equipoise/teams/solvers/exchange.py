"""``exchange``: local search that moves and exchanges blocks, for any number of teams and any preference.

It sees splits whole, so it supports roles, prices of preferences and custom rules, by every objective.
From a draft it takes the best move until none is better, then goes on from a place a few random exchanges
away.  Splits that break rules are passed through, the less broken first, so that it finds its way to a
legal one.  Not exact: it says how far from the objective's floor it ended.

References
----------
H. Lourenço, O. Martin, T. Stützle, "Iterated local search", in Handbook of Metaheuristics, 2003,
doi:10.1007/0-306-48056-5_11.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import NamedTuple

import numpy as np

from equipoise.arrays import Floats, Labels
from equipoise.teams.solvers.neighbours import BlockMoves, MoveJudge
from equipoise.teams.solvers.pairwise import draft_teams
from equipoise.teams.solvers.task import MOVES, PRICES, ROLES, RULES, Best, Fit, Found, Solver, Task

#: Splits judged in all: some seconds where a team's line-up has to be worked out for each.
MOST_JUDGED = 1 << 16

#: The same where what a split is worth is made of sums over players and preferences.
MOST_SUMMED = 1 << 17

#: Starts in a row that lead nowhere better after which it ends.
MOST_STALE = 50

#: Neighbours judged at a step; where there are more, as many are drawn at random.
MOST_MOVES = 1 << 11

#: Steps of working out line-ups at a step of the search, from which fewer moves are drawn, and the fewest.
MOST_LINE_UPS, FEWEST_MOVES = 1 << 26, 64

#: Random moves between one local optimum and the next start.
KICKS = 3


def solve(task: Task) -> Found:
    """Search until the effort is spent; see :class:`equipoise.teams.solvers.task.Solver`."""
    problem = task.problem
    best = Best(task)
    floor = task.criterion.floor
    start = task.start[0] if task.start else draft_teams(problem, task.rng)
    if start is None:
        start = task.rng.integers(problem.n_teams, size=problem.n_blocks).astype(np.int8)
    search = _Descent(task, best)
    summed = problem.roles is None and problem.rows is None
    most = task.effort * (MOST_SUMMED if summed else MOST_JUDGED)
    here = search.descended(search.at(start), most)
    stale = 0
    while (
        search.judged < most
        and stale < task.effort * MOST_STALE
        and not task.stop()
        and not best.reaches(floor)
    ):
        moves = BlockMoves.drawn(problem, task.rng, MOST_MOVES)
        kicked = here.labels
        for _ in range(KICKS):
            kicked = moves.one(int(task.rng.integers(len(moves.blocks)))).after(kicked)[0]
        reached = search.descended(search.at(kicked), most)
        stale = 0 if reached.rank < here.rank else stale + 1
        if reached.rank <= here.rank:
            here = reached
    return best.found(bound=floor, proven=best.reaches(floor))


class _Standing(NamedTuple):
    """A split and what is compared: how far rules and limits are broken, and the cost."""

    rank: tuple[float, float]
    labels: Labels


class _Descent:
    """What goes from a split to better ones, and how many splits it has judged."""

    def __init__(self, task: Task, best: Best) -> None:
        self.task = task
        self.best = best
        self.near = MoveJudge(task.problem)
        self.judged = 0
        roles = task.problem.roles
        work = 0.0 if roles is None else 2.0 * roles.work / task.problem.n_teams
        self.most_moves = MOST_MOVES
        if work * MOST_MOVES > MOST_LINE_UPS:  # a step must not take many times a time limit
            self.most_moves = max(FEWEST_MOVES, int(MOST_LINE_UPS / work))

    def at(self, labels: Labels) -> _Standing:
        """Return a split as a place; it is offered where it is legal."""
        problem, row = self.task.problem, labels[None, :]
        broken = self.near.violation(row)
        if not broken[0]:
            self.best.offer(row)
        totals = problem.totals(row)
        self.judged += 1
        rank = self._beyond(broken, totals)[0], self.task.criterion.cost(totals)[0]
        return _Standing((float(rank[0]), float(rank[1])), labels)

    def descended(self, here: _Standing, most: float) -> _Standing:
        """Return the local optimum below a place, or where it is once so many splits were judged."""
        task = self.task
        while self.judged < most and not task.stop():
            moves = BlockMoves.drawn(task.problem, task.rng, self.most_moves)
            near = self.near.judged(here.labels, moves)
            self.judged += len(near.labels)
            costs = task.criterion.cost(near.totals)
            broken = self._beyond(near.broken, near.totals)
            self._offer(near.labels, near.broken, broken, costs)
            best = int(np.lexsort((costs, broken))[0])
            # The last digits of what a move changes depend on the way there: only those of whole splits
            # are compared, so that no way leads round in a circle.
            there = self.at(near.labels[best])
            if there.rank >= here.rank:
                break
            here = there
        return here

    def _beyond(self, broken: Floats, totals: Floats) -> Floats:
        """Return how far rules and limits are broken, shape (m,), from how far rules are."""
        for criterion, limit in self.task.limits:
            broken = broken + np.maximum(criterion.cost(totals) - limit, 0.0)
        return broken

    def _offer(self, labels: Labels, broken: Floats, beyond: Floats, costs: Floats) -> None:
        """Offer the legal splits that can get in: the best will add up what only these have to be."""
        task = self.task
        within = (broken == 0.0) & (beyond <= self._slack)
        if not within.any():
            return
        least = float(costs[within].min()) if task.keep == 1 else math.inf
        within &= costs <= min(self.best.worst, least) + 2.0 * task.error
        self.best.offer(labels[within])

    @cached_property
    def _slack(self) -> float:
        """By how much rounding may make legal splits look as if they were beyond the limits."""
        return sum(2.0 * criterion.error(self.task.problem.rounding) for criterion, _ in self.task.limits)


def _suits(task: Task) -> Fit:
    return Fit.NO if task.problem.plain else Fit.ABLE


SOLVER = Solver(
    "exchange", solve, seeded=True, supports=frozenset({PRICES, ROLES, RULES, MOVES}), suits=_suits
)
