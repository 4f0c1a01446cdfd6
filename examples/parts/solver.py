"""A custom solver in one file: the best of many random splits, for whoever wants to see how far that gets.

equipoise balance examples/roster.txt --solver examples.parts.solver:SOLVER
"""

from __future__ import annotations

import numpy as np

from equipoise.extending import MOVES, PRICES, ROLES, RULES, Best, Found, Solver, Task

#: Splits that are drawn at a time, and how often.
DRAWN, TIMES = 1 << 10, 1 << 5


def solve(task: Task) -> Found:
    """Draw teams at random, each player's in turn, and keep the legal splits; nothing is proven."""
    problem, best = task.problem, Best(task)
    fixed = np.array(problem.fixed)
    seats = np.arange(problem.n_blocks) % problem.n_teams
    for _ in range(TIMES):
        labels = task.rng.permuted(np.tile(seats, (DRAWN, 1)), axis=1).astype(np.int8)
        labels[:, fixed >= 0] = fixed[fixed >= 0]
        best.offer(labels[problem.legal(labels)])
        if task.stop() or best.reaches(task.criterion.floor):
            break
    return best.found(bound=task.criterion.floor, proven=best.reaches(task.criterion.floor))


#: What is registered, or named on the command line: its name, what it does, and what it supports.
SOLVER = Solver("random", solve, supports=frozenset({MOVES, PRICES, ROLES, RULES}))
