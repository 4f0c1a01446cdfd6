"""Which solver for which task: a table over size and kind, and the run through an objective's criteria."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from equipoise.errors import InputError
from equipoise.registry import SOLVERS, call_part, resolve
from equipoise.stopping import Stop, never
from equipoise.teams.objectives.objective import Limit, Objective
from equipoise.teams.problem.components import Components, components
from equipoise.teams.problem.problem import Problem
from equipoise.teams.solvers import bitset, draft, exchange, fold, resplit, window
from equipoise.teams.solvers.enumerate import divisions as count_divisions
from equipoise.teams.solvers.halves import fits, rows_needed
from equipoise.teams.solvers.task import Found, Ranked, Task

#: Divisions up to which going through them all is quickest: 12 players into two teams.
ENUMERATED = 1 << 11

#: What rounding may add to a cost when its totals are summed in another order, relative to the cost.
LIMIT_ROUNDING = 1e-9

#: Divisions up to which it is still done where no other exact solver serves: some seconds.
ENUMERATED_AT_MOST = 1 << 24

#: The same where every team's line-up has to be worked out: 20 players into two teams.
ENUMERATED_WITH_ROLES = 1 << 19

#: Players up to which a proof for two teams is worth waiting for: 40 of different weight take 0.04 s by
#: ``gap`` and 0.3 s by ``spread``.
PROVEN_PLAYERS = 40

#: Rows of the larger half up to which more players are proven too: as quick as going without a proof.
QUICK_ROWS = 1 << 17

#: The solvers that heed prices of wishes and rules of one's own; of them, those that heed roles.
HEEDFUL = ("enumerate", "mitm", "exchange", "milp")
HEED_ROLES = ("enumerate", "exchange")


def pick(task: Task) -> str:
    """Return the name of the solver for a task.

    Raises
    ------
    InputError
        If no solver serves it.
    """
    problem = task.problem
    divisions = count_divisions(problem)
    if problem.n_blocks > fold.MANY and task.criterion.has_reach and divisions > 1:
        return "fold"
    if divisions <= ENUMERATED:
        return "enumerate"
    if not problem.plain:
        return _pick_heedful(task, divisions)
    if problem.n_teams != 2:
        if window.suits(task):
            return "window"
        if divisions <= ENUMERATED_AT_MOST:
            return "enumerate"
        if task.criterion.has_reach:
            return "resplit"
        msg = (
            f"teams: {problem.n_blocks} players and parties into {problem.n_teams} teams are too many to "
            f"enumerate (up to {ENUMERATED_AT_MOST} divisions are), and the objective has no reach"
        )
        raise InputError(msg)
    parts = components(problem)
    if bitset.suits(task, parts):
        return "bitset"
    if task.criterion.has_reach:
        return "mitm" if fits(parts) and _worth_proving(task, parts) else "resplit"
    return "enumerate" if divisions <= ENUMERATED_AT_MOST else "anneal"


def _worth_proving(task: Task, parts: Components) -> bool:
    """Tell whether to go for a proof: on a full server only if it is quick, or if time is given for it."""
    quick = task.problem.n_players <= PROVEN_PLAYERS or rows_needed(parts) <= QUICK_ROWS
    return quick or task.stop is not never


def _pick_heedful(task: Task, divisions: float) -> str:
    """Return the name of the solver for a task with prices, roles or rules of one's own."""
    problem = task.problem
    if problem.n_teams == 2 and problem.roles is None and task.criterion.has_reach:
        return "mitm" if fits(components(problem)) else "exchange"
    most = ENUMERATED_AT_MOST if problem.roles is None else ENUMERATED_WITH_ROLES
    return "enumerate" if divisions <= most else "exchange"


def _check_heed(name: str | Callable[[Task], Found], problem: Problem) -> None:
    """Refuse a solver that would pass over what is asked for."""
    heedful = HEEDFUL if problem.roles is None else HEED_ROLES
    if name in SOLVERS and not problem.plain and name not in heedful:
        what = "wishes with a price and rules of one's own" if problem.roles is None else "roles"
        msg = f"solver: {name!r} does not heed {what}; {', '.join(map(repr, heedful))} do"
        raise InputError(msg)


def run(
    problem: Problem,
    objective: Objective,
    solver: str | Callable[[Task], Found],
    keep: int,
    stop: Stop,
    seed: int,
    *,
    fill_up: bool = True,
) -> tuple[Found, str]:
    """Bring an objective's criteria to their optimum in order; return what was found, and by which solver.

    Every criterion but the last becomes a limit for those after it.  Where fewer divisions are within the
    limits than are wanted and they are to be filled up, the next best by the last limit's criterion follow.
    The result is proven if every step was.
    """
    task = Task(problem, objective.criterion, keep=keep, stop=stop, seed=seed)
    proven = True
    for criterion, tolerance in objective.first:
        found, name = _solve(replace(task, criterion=criterion, keep=1), solver)
        if not found.ranked:
            return found, name
        best = found.ranked[0]
        limit = Limit(criterion, (best.cost + tolerance) * (1.0 + LIMIT_ROUNDING) + LIMIT_ROUNDING**2)
        task = replace(task, limits=(*task.limits, limit), start=(best.labels,))
        proven = proven and found.proven
    found, name = _solve(task, solver)
    found = Found(found.ranked, found.bound if proven else objective.criterion.floor, found.proven and proven)
    return (_filled_up(task, found, solver) if fill_up and len(found.ranked) < keep else found), name


def as_fixed(task: Task) -> Found:
    """Judge the one division there is where everybody is fixed, even if it breaks rules."""
    labels = np.array(task.problem.fixed, dtype=np.int8)
    cost = float(task.criterion.cost(task.problem.totals(labels[None, :]))[0])
    return Found((Ranked(cost, 0, labels),), cost, proven=True)


def _filled_up(task: Task, found: Found, solver: str | Callable[[Task], Found]) -> Found:
    """Add divisions beyond the limits, one limit after another, the best by its criterion first."""
    ranked, proven = list(found.ranked), found.proven
    known = {task.problem.signature(entry.labels) for entry in ranked}
    for n in range(len(task.limits), 0, -1):
        wider = replace(task, criterion=task.limits[n - 1].criterion, limits=task.limits[: n - 1])
        more, _ = _solve(wider, solver)
        proven = proven and more.proven
        for entry in more.ranked:
            key = task.problem.signature(entry.labels)
            if len(ranked) < task.keep and key not in known:
                cost = float(task.criterion.cost(task.problem.totals(entry.labels[None, :]))[0])
                ranked.append(Ranked(cost, entry.unevenness, entry.labels))
                known.add(key)
    return Found(tuple(ranked), found.bound, proven)


def _solve(task: Task, solver: str | Callable[[Task], Found]) -> tuple[Found, str]:
    """Return what a solver finds, checked, and its name."""
    if solver is as_fixed:
        return as_fixed(task), "as fixed"
    settled = solver in SOLVERS and min(task.problem.fixed) >= 0
    name = pick(task) if solver == "auto" or settled else solver
    _check_heed(name, task.problem)
    found = call_part("solver", name, resolve("solver", SOLVERS, name), task)
    if not isinstance(found, Found):
        msg = f"solver: {name!r} gives a {type(found).__name__}, where a Found is needed"
        raise InputError(msg)
    if not found.proven and task.problem.n_teams == 2:
        found = _with_more(task, found, search_on=solver == "auto" and name == "mitm")
    for ranked in found.ranked:
        if not task.problem.legal(ranked.labels[None, :])[0]:
            msg = f"solver: {name!r} gives a division that breaks the problem's rules"
            raise InputError(msg)
    return found, name if isinstance(name, str) else getattr(name, "__name__", "own")


def _with_more(task: Task, found: Found, *, search_on: bool) -> Found:
    """Return what was found, made better where the search for a proof was given up before its end.

    Where nothing was found a draft is there at once, and local search goes on while there is time.
    """
    start = tuple(ranked.labels for ranked in found.ranked)
    more = found
    if search_on and not task.stop():
        search = resplit if task.problem.plain else exchange
        more = search.solve(replace(task, start=start or task.start))
    elif not start and task.problem.plain:
        more = draft.greedy_cap(task)
    return Found(more.ranked, max(found.bound, more.bound), more.proven)
