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

import numpy as np
from numpy.typing import NDArray

from equipoise.arrays import Floats, Labels
from equipoise.teams.solvers.pairwise import draft_teams
from equipoise.teams.solvers.task import MOVES, PRICES, ROLES, RULES, Best, Fit, Found, Solver, Task

#: Splits judged in all: some seconds where a team's line-up has to be worked out for each.
MOST_JUDGED = 1 << 16

#: Starts in a row that lead nowhere better after which it ends.
MOST_STALE = 50

#: Neighbours judged at a step; where there are more, as many are drawn at random.
MOST_MOVES = 1 << 11

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
    current = start
    rank, judged = _descended(task, current, best)
    stale = 0
    while (
        judged < task.effort * MOST_JUDGED
        and stale < task.effort * MOST_STALE
        and not task.stop()
        and not best.reaches(floor)
    ):
        moves = _moves(task)
        if not len(moves):
            break
        kicked = rank[1]
        for _ in range(KICKS):
            kicked = _after(kicked, moves[task.rng.integers(len(moves))][None, :])[0]
        reached, more = _descended(task, kicked, best)
        judged += more
        stale = 0 if reached[0] < rank[0] else stale + 1
        if reached[0] <= rank[0]:
            rank = reached
    return best.found(bound=floor, proven=best.reaches(floor))


Reached = tuple[tuple[float, float], Labels]


def _descended(task: Task, labels: Labels, best: Best) -> tuple[Reached, int]:
    """Return the rank and labels of the local optimum below a split, and how many were judged."""
    broken, costs = _judged(task, labels[None, :], best)
    rank, judged = (float(broken[0]), float(costs[0])), 1
    while not task.stop():
        moves = _moves(task)
        if not len(moves):
            break
        near = _after(labels, moves)
        broken, costs = _judged(task, near, best)
        judged += len(near)
        at = int(np.lexsort((costs, broken))[0])
        if (float(broken[at]), float(costs[at])) >= rank:
            break
        rank, labels = (float(broken[at]), float(costs[at])), near[at]
    return (rank, labels), judged


def _moves(task: Task) -> NDArray[np.int64]:
    """Return moves, (block, team) with the team below 0 for an exchange with block -1 - team; (n, 2)."""
    n, k = task.problem.n_blocks, task.problem.n_teams
    block, team = np.divmod(np.arange(n * k), k)
    one, other = np.triu_indices(n, 1)
    moves = np.concatenate([np.stack([block, team], axis=1), np.stack([one, -1 - other], axis=1)])
    if len(moves) > MOST_MOVES:
        moves = moves[task.rng.choice(len(moves), MOST_MOVES, replace=False)]
    return moves


def _after(labels: Labels, moves: NDArray[np.int64]) -> Labels:
    """Return the splits after moves, shape (n_moves, n_blocks)."""
    near = labels[None, :].repeat(len(moves), axis=0)
    rows = np.arange(len(moves))
    exchange = moves[:, 1] < 0
    other = -1 - moves[exchange, 1]
    near[rows[exchange], moves[exchange, 0]] = labels[other]
    near[rows[exchange], other] = labels[moves[exchange, 0]]
    near[rows[~exchange], moves[~exchange, 0]] = moves[~exchange, 1]
    return near


def _judged(task: Task, labels: Labels, best: Best) -> tuple[Floats, Floats]:
    """Return how far rules and limits are broken, and the costs, shape (m,) each; offer what is legal."""
    problem = task.problem
    broken = problem.violation(labels)
    totals = problem.totals(labels)
    costs = task.criterion.cost(totals)
    best.offer(labels[broken == 0.0])
    for criterion, limit in task.limits:
        broken += np.maximum(criterion.cost(totals) - limit, 0.0)
    return broken, costs


def _suits(task: Task) -> Fit:
    return Fit.NO if task.problem.plain else Fit.ABLE


SOLVER = Solver(
    "exchange", solve, seeded=True, supports=frozenset({PRICES, ROLES, RULES, MOVES}), suits=_suits
)
