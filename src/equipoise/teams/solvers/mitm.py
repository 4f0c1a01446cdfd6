"""``mitm``: meeting in the middle, the exact solver for two teams.

See :mod:`equipoise.teams.solvers.meeting`.
"""

from __future__ import annotations

import math

from equipoise.errors import UnsupportedError
from equipoise.stopping import seconds_left
from equipoise.teams.problem.components import components
from equipoise.teams.solvers.halves import fits, rows_needed
from equipoise.teams.solvers.meeting import meet
from equipoise.teams.solvers.task import MOVES, PRICES, RULES, Fit, Found, Solver, Task

#: Players up to which a proof for two teams is worth waiting for: 40 of different weight take 0.04 s by
#: ``difference`` and 0.3 s by ``spread``.
PROVEN_PLAYERS = 40

#: Rows of the larger half up to which more players are proven too: as quick as going without a proof.
QUICK_ROWS = 1 << 17


def solve(task: Task) -> Found:
    """Find the best splits and prove them best; see :class:`equipoise.teams.solvers.task.Solver`.

    Raises
    ------
    InputError
        If the criterion has no reach, or the lists would not fit in memory.
    """
    if not task.criterion.has_reach:
        msg = ": 'mitm' needs a criterion with a reach; 'enumerate' and 'climb' do without"
        raise UnsupportedError(msg, "solver")
    parts = components(task.problem)
    if not fits(parts):
        rows = rows_needed(parts)
        msg = f": 'mitm' would list {rows:.3g} part-splits; 'resplit' finds near-perfect teams instead"
        raise UnsupportedError(msg, "solver")
    return meet(task)


def _suits(task: Task) -> Fit:
    """Tell whether to go for a proof: on a full server only if it is quick, or if time is given for it."""
    if not task.criterion.has_reach:
        return Fit.NO
    parts = components(task.problem)
    quick = task.problem.n_players <= PROVEN_PLAYERS or rows_needed(parts) <= QUICK_ROWS
    worth = quick or seconds_left(task.stop) < math.inf or not task.problem.plain
    return Fit.BEST if fits(parts) and worth else Fit.NO


SOLVER = Solver("mitm", solve, teams=2, exact=True, supports=frozenset({PRICES, RULES, MOVES}), suits=_suits)
