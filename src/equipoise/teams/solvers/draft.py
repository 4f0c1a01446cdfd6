"""``alternate``, ``snake``, ``greedy``, ``greedy-cap``: the drafts people use, kept as baselines.

Each places the players strongest first, by its own rule, and leaves the rule only where the sizes, parties
or wishes could not be met otherwise.  None is optimal: the solution says how far from a bound it is.

References
----------
alternate, snake and greedy with a cap: S. McCormick, "Teams, Partitions, Oh My!" (KAG Gather);
greedy: R. Graham, "Bounds on multiprocessing timing anomalies", SIAM J. Appl. Math. 17 (1969) 416.
"""

from __future__ import annotations

from equipoise.errors import UnsupportedError
from equipoise.teams.problem.components import components
from equipoise.teams.solvers.bounds import lower_bound
from equipoise.teams.solvers.starts import Rule, Standing, draft
from equipoise.teams.solvers.task import Best, Found, Task


def alternate(task: Task) -> Found:
    """First to one team, second to the other, and so on."""
    return _drafted(task, lambda standing: standing.turn % 2)


def snake(task: Task) -> Found:
    """One to the first team, two to the second, two to the first, and so on."""
    return _drafted(task, lambda standing: (standing.turn + 1) // 2 % 2)


def greedy(task: Task) -> Found:
    """Each to the team whose total is smaller so far."""
    return _drafted(task, _to_weaker)


def greedy_cap(task: Task) -> Found:
    """Each to the team whose total is smaller, until that has half of the players; the rest to the other."""
    cap = -(-task.problem.n_players // 2)

    def rule(standing: Standing) -> int:
        full = [count >= cap for count in standing.sizes]
        return full.index(False) if any(full) and not all(full) else _to_weaker(standing)

    return _drafted(task, rule)


def _to_weaker(standing: Standing) -> int:
    return int(standing.mu[1] < standing.mu[0])


def _drafted(task: Task, rule: Rule) -> Found:
    if task.problem.n_teams != 2:
        msg = f": drafts divide two teams, not {task.problem.n_teams}; 'enumerate' does more"
        raise UnsupportedError(msg, "solver")
    parts = components(task.problem)
    best = Best(task)
    # A later criterion chooses among what earlier ones left, and a draft leaves one division: the start.
    if not task.start:
        signs = draft(parts, rule)
        if signs is None:
            return best.found(bound=task.criterion.floor, proven=True)
        best.offer(parts.labels(signs[None, :]))
    bound = lower_bound(task, parts)
    return best.found(bound=bound, proven=best.reaches(bound))
