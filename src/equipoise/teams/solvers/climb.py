"""``climb``: hill climbing from random divisions, by the best exchange or change of team each time.

Any objective for two teams.  Not exact: it says how far from a bound it ended.
"""

from __future__ import annotations

from equipoise.teams.solvers.bounds import lower_bound
from equipoise.teams.solvers.moves import Neighbourhood, climb_down
from equipoise.teams.solvers.task import Best, Found, Task

#: Climbs; the best of them counts.
RESTARTS = 20


def solve(task: Task) -> Found:
    """Climb from several starts; see :class:`equipoise.teams.solvers.task.Solver`."""
    near = Neighbourhood(task)
    best = Best(task)
    bound = lower_bound(task, near.parts)
    for _ in range(RESTARTS):
        start = near.start()
        if start is None:
            return best.found(bound=bound, proven=True)
        climb_down(near, start, best)
        if task.stop() or best.reaches(bound):
            break
    return best.found(bound=bound, proven=best.reaches(bound))
