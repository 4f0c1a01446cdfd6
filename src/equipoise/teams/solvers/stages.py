"""The stages of an objective: its criteria in order, each a limit for those after it, each with its solver.

A stage's limit is the best cost, the tolerance, and what rounding may do to the best cost and to that of the
split that is judged: both may be off, in opposite ways.  So no tie is lost to rounding, and what is found is
worse than the best on paper by no more than the tolerance and four times the rounding
(docs/algorithms/rounding.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import cast

import numpy as np

from equipoise.arrays import Labels
from equipoise.errors import InputError
from equipoise.registry import SOLVERS, call_part, resolve
from equipoise.stopping import Stop
from equipoise.teams.objectives.objective import Criterion, Limit, Objective
from equipoise.teams.problem.problem import Problem
from equipoise.teams.problem.teams_now import unmoved
from equipoise.teams.solvers.task import Fit, Found, Ranked, Solver, Task, signature


def run(
    problem: Problem,
    objective: Objective,
    solver: str | Callable[[Task], Found],
    keep: int,
    stop: Stop,
    seed: int,
    effort: float = 1.0,
    *,
    fill_up: bool = True,
) -> tuple[Found, str]:
    """Bring an objective's criteria to their optimum in order; return what was found, and by which solver.

    Every criterion but the last becomes a limit for those after it.  Where fewer splits are within the
    limits than are wanted and they are to be filled up, the next best by the last limit's criterion follow.
    The result is proven if every step was.
    """
    start: tuple[Labels, ...] = () if problem.moving is None else unmoved(problem)
    limits, proven = list[Limit](), True
    for criterion, tolerance in objective.first:
        found, name = _solve(Task(problem, criterion, tuple(limits), 1, start, stop, seed, effort), solver)
        if not found.ranked:
            return found, name
        best = found.ranked[0]
        limits.append(_limit(problem, criterion, tolerance, best))
        start = (best.labels,)
        proven = proven and found.proven
    task = Task(problem, objective.criterion, tuple(limits), keep, start, stop, seed, effort)
    found, name = _solve(task, solver)
    bound = found.bound if proven and math.isfinite(found.bound) else objective.criterion.floor
    found = Found(found.ranked, bound, found.proven and proven, task.error)
    return (_filled_up(task, found, solver) if fill_up and len(found.ranked) < keep else found), name


def _limit(problem: Problem, criterion: Criterion, tolerance: float, best: Ranked) -> Limit:
    """Return what the stages after one keep to: on paper no worse than its best, but for the tolerance."""
    error = criterion.error(problem.rounding)
    own = float(criterion.errors(problem.totals(best.labels[None, :]), problem.rounding)[0])
    if own == error:
        return Limit(criterion, best.cost + tolerance + 2.0 * error)
    from equipoise.teams.objectives.composing import OnPaper  # most stages do without

    return Limit(OnPaper(criterion, problem.rounding, -1.0), best.cost + tolerance + own)


def _filled_up(task: Task, found: Found, solver: str | Callable[[Task], Found]) -> Found:
    """Add splits beyond the limits, one limit after another, the best by its criterion first."""
    from equipoise.teams.objectives.composing import OnPaper  # as in _limit

    ranked, proven = list(found.ranked), found.proven
    known = {signature(task.problem, entry.labels) for entry in ranked}
    for n in range(len(task.limits), 0, -1):
        criterion = task.limits[n - 1].criterion
        criterion = criterion.criterion if isinstance(criterion, OnPaper) else criterion
        wider = replace(task, criterion=criterion, limits=task.limits[: n - 1])
        more, _ = _solve(wider, solver)
        proven = proven and more.proven
        for entry in more.ranked:
            key = signature(task.problem, entry.labels)
            if len(ranked) < task.keep and key not in known:
                cost = float(task.criterion.cost(task.problem.totals(entry.labels[None, :]))[0])
                ranked.append(Ranked(cost, entry.unevenness, entry.labels))
                known.add(key)
    return replace(found, ranked=tuple(ranked), proven=proven)


def _solve(task: Task, solver: str | Callable[[Task], Found]) -> tuple[Found, str]:
    """Return what a solver finds, checked, and its name."""
    settled = solver in SOLVERS and min(task.problem.fixed, default=0) >= 0
    picked = pick(task) if solver == "auto" or settled else None
    part = picked or resolve("solver", SOLVERS, solver)
    name = part.name if isinstance(part, Solver) else solver
    found = call_part("solver", name, part, task) if picked is None else picked(task)
    if not isinstance(found, Found):
        msg = f": {name!r} must return a Found, got a {type(found).__name__}"
        raise InputError(msg, "solver")
    if not found.proven and task.problem.n_teams == 2:
        found = _with_more(task, found, search_on=solver == "auto" and name == "mitm")
    if found.ranked and not task.problem.legal(np.array([ranked.labels for ranked in found.ranked])).all():
        msg = f": {name!r} gives a split that breaks the problem's rules"
        raise InputError(msg, "solver")
    return found, name if isinstance(name, str) else getattr(name, "__name__", "own")


def _with_more(task: Task, found: Found, *, search_on: bool) -> Found:
    """Return what was found, made better where the search for a proof was given up before its end.

    Where nothing was found a draft is there at once, and local search goes on while there is time.
    """
    from equipoise.teams.solvers import draft, exchange, resplit  # a few players are enumerated without them

    start = tuple(ranked.labels for ranked in found.ranked)
    more = found
    if search_on and not task.stop():
        search = resplit if task.problem.plain else exchange
        more = search.solve(replace(task, start=start or task.start))
    elif not start and task.problem.plain:
        more = draft.greedy_cap(task)
    return Found(more.ranked, max(found.bound, more.bound), more.proven)


@cache
def _registered(name: str) -> Solver:
    """Return the record of a solver, looked up once."""
    return cast("Solver", resolve("solver", SOLVERS, name))


def pick(task: Task) -> Solver:
    """Return the first solver that suits a task best, else the first that is able to do it.

    Raises
    ------
    InputError
        If no solver serves it.
    """
    able: Solver | None = None
    for name in SOLVERS:
        solver = _registered(name)
        if task.problem.n_blocks < solver.least or solver.refusal(task):
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
