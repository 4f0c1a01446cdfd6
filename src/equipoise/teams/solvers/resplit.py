"""``resplit``: large neighbourhood search: again and again some components are freed and divided exactly.

For two teams too large to be solved whole, and for three and more.  A start is drafted and climbed down
from; then random sets of components are re-divided by meeting in the middle while all others stay, which
finds the best of millions of splits a time.  Of three and more teams two are freed at a time
(:mod:`equipoise.teams.solvers.pairwise`).  Not exact: it says how far from a bound it ended.

References
----------
P. Shaw, "Using constraint programming and local search methods to solve vehicle routing problems",
CP 1998, doi:10.1007/3-540-49481-2_30 (large neighbourhood search).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from equipoise.arrays import Labels
from equipoise.errors import UnsupportedError
from equipoise.teams.problem.subproblem import subproblem
from equipoise.teams.solvers import pairwise
from equipoise.teams.solvers.anneal import Neighbourhood, climb_down
from equipoise.teams.solvers.bounds import lower_bound
from equipoise.teams.solvers.meeting import meet
from equipoise.teams.solvers.task import Best, Fit, Found, Solver, Task

#: Components freed at once, round by round: some quick rounds, then two that search 256 times more.  Twice as
#: many take twice as long and end as near.
FREED = (22,) * 6 + (30,) * 2

#: Share of the usual effort that one round may take.
PATIENCE = 1.0 / 64.0


def solve(task: Task) -> Found:
    """Climb, then re-divide parts exactly; see :class:`equipoise.teams.solvers.task.Solver`.

    Raises
    ------
    InputError
        If the criterion has no reach.
    """
    if not task.criterion.has_reach:
        msg = ": 'resplit' needs a criterion with a reach; 'enumerate' and 'climb' do without"
        raise UnsupportedError(msg, "solver")
    if task.problem.n_teams != 2:
        return _pair_by_pair(task)
    near = Neighbourhood(task)
    best = Best(task)
    bound = lower_bound(task, near.parts)
    start = near.start()
    if start is None:
        return best.found(bound=bound, proven=True)
    climb_down(near, start, best)
    for freed in FREED * max(round(task.effort), 1):
        if task.stop() or best.reaches(bound):
            break
        incumbent = best.found(bound=bound, proven=False).ranked
        if not incumbent:
            break
        chosen = task.rng.permutation(near.open)[:freed]
        _divide_anew(task, near, incumbent[0].labels, chosen, best)
    return best.found(bound=bound, proven=best.reaches(bound))


def _pair_by_pair(task: Task) -> Found:
    """Re-divide three and more teams two at a time."""
    best = Best(task)
    bound = pairwise.range_bound(task)
    start = task.start[0] if task.start else pairwise.draft_teams(task.problem, task.rng)
    if start is not None:
        pairwise.improve(task, start, best, bound)
    return best.found(bound=bound, proven=best.reaches(bound))


def _divide_anew(
    task: Task, near: Neighbourhood, labels: Labels, chosen: NDArray[np.intp], best: Best
) -> None:
    """Divide the chosen components exactly while all other blocks stay where they are."""
    freed = np.flatnonzero(np.isin(near.parts.component, chosen))
    part = subproblem(task.problem, labels, freed)
    found = meet(replace(task, problem=part, start=()), patience=PATIENCE)
    for ranked in found.ranked:
        whole = labels.copy()
        whole[freed] = ranked.labels[2:]
        best.offer(whole[None, :])


def _suits(task: Task) -> Fit:
    return Fit.ABLE if task.criterion.has_reach else Fit.NO


SOLVER = Solver("resplit", solve, seeded=True, suits=_suits)
