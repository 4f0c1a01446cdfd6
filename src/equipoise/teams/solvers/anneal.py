"""``anneal`` and ``climb``: local search over the signs of two teams' components, for any objective.

A move turns the signs of one component or of two: a change of team, or an exchange.  Hill climbing takes the
best move from random splits until none is better; annealing moves many chains side by side, worse ones too
while it is hot, and climbs from where they were best.  Not exact: they say how far from a bound they ended.

References
----------
S. Kirkpatrick, C. Gelatt, M. Vecchi, "Optimization by simulated annealing", Science 220 (1983) 671,
doi:10.1126/science.220.4598.671.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from equipoise.core.arrays import Floats, Labels
from equipoise.teams.problem.problem import COUNT
from equipoise.teams.problem.two_team_components import Components, components
from equipoise.teams.solvers.draft import random_start
from equipoise.teams.solvers.task import Best, Fit, Found, Solver, Task
from equipoise.teams.solvers.two_team_bounds import lower_bound

Signs = NDArray[np.int8]

#: Moves judged at a step; where there are more, as many are drawn at random.
MOST_MOVES = 1 << 13  # effort

#: Steps of one climb: most end within a dozen; only drawn moves, which never run out, come near it.
MOST_STEPS = 200  # effort

#: Climbs from random splits; the best of them counts.
RESTARTS = 20  # effort

#: Chains side by side: one NumPy call moves them all.
CHAINS = 64  # effort

#: Moves of each chain.
STEPS = 1500  # effort

#: Chains that are climbed down from at the end, the best ones.
CLIMBED = 8  # effort

#: The temperature falls geometrically from the typical cost of the starts to this share of it.
COLDEST = 1e-3  # effort


class Neighbourhood:
    """The moves of a task, and the costs of the splits they lead to.

    Raises
    ------
    equipoise.teams.problem.two_team_components.Contradiction
        If blocks must be both together and apart.
    """

    def __init__(self, task: Task) -> None:
        self.task = task
        self.parts: Components = components(task.problem)
        self.open = np.flatnonzero(self.parts.free)
        legal = np.zeros(task.problem.n_players + 1, dtype=np.bool_)
        legal[list(self.parts.legal_sizes)] = True
        self.legal = legal
        n = len(self.open)
        self.all_moves: NDArray[np.intp] | None = None
        if n * (n + 1) // 2 <= MOST_MOVES:
            singles = np.stack([self.open, np.full(n, -1)], axis=1)
            one, other = np.triu_indices(n, 1)
            self.all_moves = np.concatenate([singles, np.stack([self.open[one], self.open[other]], axis=1)])

    def start(self) -> Signs | None:
        """Return a legal split, one of the task's own where there is one; None if there is none."""
        if self.task.start:
            labels = self.task.start[int(self.task.rng.integers(len(self.task.start)))]
            return np.asarray(self.parts.signs(labels[None, :])[0])
        return random_start(self.parts, self.task.rng)

    def moves(self) -> NDArray[np.intp]:
        """Return moves as pairs of components, -1 for none, shape (n_moves, 2)."""
        if self.all_moves is not None:
            return self.all_moves
        moves = self.task.rng.choice(self.open, size=(MOST_MOVES, 2))
        moves[moves[:, 0] == moves[:, 1], 1] = -1
        return np.asarray(moves)

    def after(self, signs: Signs, first: Floats, moves: NDArray[np.intp]) -> Floats:
        """Return the first team's totals after each move, shape (n_moves, 5)."""
        turned = np.append(-signs[:, None] * self.parts.steps, np.zeros((1, first.shape[-1])), axis=0)
        return np.asarray(first + turned[moves[:, 0]] + turned[moves[:, 1]])

    def costs(self, first: Floats) -> Floats:
        """Return the costs, shape (m,), for the first team's totals (m, 5); infinite where not allowed."""
        sizes = np.rint(first[:, COUNT]).astype(np.int64)
        inside = (sizes >= 0) & (sizes < len(self.legal))
        allowed = inside & self.legal[np.where(inside, sizes, 0)]
        costs = np.full(len(first), math.inf)
        if allowed.any():
            totals = self.parts.totals(first[allowed])
            cost = self.task.criterion.cost(totals)
            for criterion, limit in self.task.limits:
                cost = np.where(criterion.cost(totals) <= limit, cost, math.inf)
            costs[allowed] = cost
        return costs

    def labels(self, signs: Signs) -> Labels:
        """Return the team of each block, shape (1, n_blocks), for signs (n_components,)."""
        return self.parts.labels(signs[None, :])


#: Moves that a climb looks at before it asks whether to stop.
LEAST_LOOKED = 20_000


def climb_down(near: Neighbourhood, signs: Signs, best: Best) -> None:
    """Take the best move until none is better, and offer where that ends.

    Some milliseconds' moves are looked at whatever the time: a random split helps nobody.
    """
    first = near.parts.first_totals(signs[None, :])[0]
    cost = float(near.costs(first[None, :])[0])
    signs, looked = signs.copy(), 0
    for _ in range(MOST_STEPS):
        if looked >= LEAST_LOOKED and near.task.stop():
            break
        moves = near.moves()
        if not len(moves):
            break
        looked += len(moves)
        reached = near.after(signs, first, moves)
        costs = near.costs(reached)
        chosen = int(costs.argmin())
        if not costs[chosen] < cost:
            break
        turned = moves[chosen][moves[chosen] >= 0]
        signs[turned] *= -1
        first, cost = reached[chosen], float(costs[chosen])
    best.offer(near.labels(signs))


def climb(task: Task) -> Found:
    """Climb from random splits, by the best exchange or change of team each time."""
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


def anneal(task: Task) -> Found:
    """Anneal many chains side by side, and climb from where each was best."""
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


def _suits(task: Task) -> Fit:
    """Tell that it does where the objective narrows nothing down."""
    return Fit.NO if task.criterion.has_reach else Fit.ABLE


ANNEAL = Solver("anneal", anneal, teams=2, seeded=True, suits=_suits)
CLIMB = Solver("climb", climb, teams=2, seeded=True)
