"""``anneal``: simulated annealing, many chains side by side, each ended by hill climbing.

Any objective for two teams.  Not exact: it says how far from a bound it ended.

References
----------
S. Kirkpatrick, C. Gelatt, M. Vecchi, "Optimization by simulated annealing", Science 220 (1983) 671,
doi:10.1126/science.220.4598.671.
"""

from __future__ import annotations

import math

import numpy as np

from equipoise.teams.solvers.bounds import lower_bound
from equipoise.teams.solvers.moves import Neighbourhood, climb_down
from equipoise.teams.solvers.task import Best, Found, Task

#: Chains side by side: one NumPy call moves them all.
CHAINS = 64

#: Moves of each chain.
STEPS = 1500

#: Chains that are climbed down from at the end, the best ones.
CLIMBED = 8

#: The temperature falls geometrically from the typical cost of the starts to this share of it.
COLDEST = 1e-3


def solve(task: Task) -> Found:
    """Anneal, then climb from where each chain was best; see :class:`equipoise.teams.solvers.task.Solver`."""
    near = Neighbourhood(task)
    best = Best(task)
    bound = lower_bound(task, near.parts)
    starts = [near.start() for _ in range(CHAINS)]
    signs = np.array([start for start in starts if start is not None], dtype=np.int8)
    if not len(signs):
        return best.found(bound=bound, proven=True)
    first = near.parts.first_totals(signs)
    costs = near.costs(first)
    best_signs, best_costs = signs.copy(), costs.copy()
    hottest = float(np.median(costs)) - task.criterion.floor
    rows = np.arange(len(signs))
    for step in range(STEPS if len(near.open) and hottest > 0.0 else 0):
        if task.stop():
            break
        temperature = hottest * math.exp(math.log(COLDEST) * step / STEPS)
        one = task.rng.choice(near.open, size=len(signs))
        other = task.rng.choice(near.open, size=len(signs))
        both = one != other
        turned = -signs[rows, one][:, None] * near.parts.steps[one]
        turned += np.where(both, -signs[rows, other], 0)[:, None] * near.parts.steps[other]
        reached = first + turned
        new_costs = near.costs(reached)
        chance = np.exp(-np.maximum(new_costs - costs, 0.0) / temperature)
        taken = task.rng.random(len(signs)) < chance
        signs[rows[taken], one[taken]] *= -1
        signs[rows[taken & both], other[taken & both]] *= -1
        first[taken], costs[taken] = reached[taken], new_costs[taken]
        better = costs < best_costs
        best_signs[better], best_costs[better] = signs[better], costs[better]
    for chain in np.argsort(best_costs, kind="stable")[:CLIMBED]:
        climb_down(near, best_signs[chain], best)
        if task.stop() or best.reaches(bound):
            break
    return best.found(bound=bound, proven=best.reaches(bound))
