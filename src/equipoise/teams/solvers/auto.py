"""Which solver for which task: a table over size and kind."""

from __future__ import annotations

from collections.abc import Callable

from equipoise.errors import InputError, UnsupportedError
from equipoise.registry import SOLVERS
from equipoise.stopping import never
from equipoise.teams.problem.components import Components, components
from equipoise.teams.problem.problem import Problem
from equipoise.teams.solvers import bitset, fold, window
from equipoise.teams.solvers.enumerate import divisions as count_divisions
from equipoise.teams.solvers.halves import fits, rows_needed
from equipoise.teams.solvers.task import Found, Task

#: Divisions up to which going through them all is quickest: 12 players into two teams.
ENUMERATED = 1 << 11

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


def check_heed(name: str | Callable[[Task], Found], problem: Problem) -> None:
    """Refuse a solver that would pass over what is asked for."""
    heedful = HEEDFUL if problem.roles is None else HEED_ROLES
    if name in SOLVERS and not problem.plain and name not in heedful:
        what = "wishes with a price and rules of one's own" if problem.roles is None else "roles"
        msg = f": {name!r} does not heed {what}; {', '.join(map(repr, heedful))} do"
        raise UnsupportedError(msg, "solver")
