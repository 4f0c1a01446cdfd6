"""Which solver for which task: each says how well it suits, in the order of the registry."""

from __future__ import annotations

from equipoise.errors import InputError
from equipoise.registry import SOLVERS, resolve
from equipoise.teams.solvers.task import Fit, Solver, Task


def pick(task: Task) -> Solver:
    """Return the first solver that suits a task best, else the first that is able to do it.

    Raises
    ------
    InputError
        If no solver serves it.
    """
    able: Solver | None = None
    for name in SOLVERS:
        solver: Solver = resolve("solver", SOLVERS, name)
        if solver.refusal(task):
            continue
        fit = solver.suits(task)
        if fit is Fit.BEST:
            return solver
        if fit is Fit.ABLE and able is None:
            able = solver
    if able is None:
        problem = task.problem
        msg = (
            f": {problem.n_blocks} players and parties into {problem.n_teams} teams are too many to "
            "enumerate, and the objective has no reach"
        )
        raise InputError(msg, "teams")
    return able
