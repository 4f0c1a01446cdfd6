"""``window``: window enumeration, exact for three and more teams.

See :mod:`equipoise.teams.solvers.windows`.
"""

from __future__ import annotations

from equipoise.errors import UnsupportedError
from equipoise.teams.solvers.task import Fit, Found, Solver, Task
from equipoise.teams.solvers.window_layouts import MOST_SIZES, size_vectors
from equipoise.teams.solvers.windows import MOST_BLOCKS, enumerate_windows


def solve(task: Task) -> Found:
    """Find the best splits and prove them best; see :class:`equipoise.teams.solvers.task.Solver`.

    Raises
    ------
    InputError
        If the criterion has no windows, or there are too many players or team sizes.
    """
    if not task.criterion.has_windows:
        msg = ": 'window' needs a criterion with windows; 'enumerate' does without"
        raise UnsupportedError(msg, "solver")
    if not suits(task):
        msg = (
            f": 'window' takes up to {MOST_BLOCKS} players and parties and {MOST_SIZES} ways to choose "
            "the teams' sizes; 'resplit' takes more"
        )
        raise UnsupportedError(msg, "solver")
    return enumerate_windows(task)


def suits(task: Task) -> bool:
    """Tell whether a task is of the kind, and not too large."""
    if not task.criterion.has_windows or task.problem.n_blocks > MOST_BLOCKS:
        return False
    return size_vectors(task.problem) is not None


def _suits(task: Task) -> Fit:
    return Fit.BEST if task.problem.n_teams != 2 and suits(task) else Fit.NO


SOLVER = Solver("window", solve, exact=True, suits=_suits)
