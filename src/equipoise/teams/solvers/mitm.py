"""``mitm``: meeting in the middle, the exact solver for two teams.

See :mod:`equipoise.teams.solvers.halves`.
"""

from __future__ import annotations

from equipoise.errors import UnsupportedError
from equipoise.teams.problem.components import components
from equipoise.teams.solvers.halves import fits, meet, rows_needed
from equipoise.teams.solvers.task import Found, Task


def solve(task: Task) -> Found:
    """Find the best divisions and prove them best; see :class:`equipoise.teams.solvers.task.Solver`.

    Raises
    ------
    InputError
        If there are not two teams, the criterion has no reach, or the lists would not fit in memory.
    """
    if task.problem.n_teams != 2:
        msg = f": 'mitm' divides two teams, not {task.problem.n_teams}; 'enumerate' does more"
        raise UnsupportedError(msg, "solver")
    if not task.criterion.has_reach:
        msg = ": 'mitm' needs a criterion with a reach; 'enumerate' and 'climb' do without"
        raise UnsupportedError(msg, "solver")
    parts = components(task.problem)
    if not fits(parts):
        rows = rows_needed(parts)
        msg = f": 'mitm' would list {rows:.3g} part-divisions; 'resplit' finds near-perfect teams instead"
        raise UnsupportedError(msg, "solver")
    return meet(task)
