"""Local search over the signs of two teams' components: states, moves, and what they cost.

A move turns the signs of one component or of two: a change of team, or an exchange.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from equipoise.arrays import Floats, Labels
from equipoise.errors import UnsupportedError
from equipoise.teams.problem.components import Components, components
from equipoise.teams.problem.problem import COUNT
from equipoise.teams.solvers.starts import random_start
from equipoise.teams.solvers.task import Best, Task

Signs = NDArray[np.int8]

#: Moves judged at a step; where there are more, as many are drawn at random.
MOST_MOVES = 1 << 13

#: Steps of one climb: most end within a dozen; only drawn moves, which never run out, come near it.
MOST_STEPS = 200


class Neighbourhood:
    """The moves of a task, and the costs of the divisions they lead to.

    Raises
    ------
    InputError
        If there are not two teams.
    equipoise.teams.problem.components.Contradiction
        If blocks must be both together and apart.
    """

    def __init__(self, task: Task) -> None:
        if task.problem.n_teams != 2:
            msg = f": local search divides two teams, not {task.problem.n_teams}; 'enumerate' does more"
            raise UnsupportedError(msg, "solver")
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
        """Return a legal division, one of the task's own where there is one; None if there is none."""
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


def climb_down(near: Neighbourhood, signs: Signs, best: Best) -> None:
    """Take the best move until none is better, and offer where that ends."""
    first = near.parts.first_totals(signs[None, :])[0]
    cost = float(near.costs(first[None, :])[0])
    signs = signs.copy()
    for _ in range(MOST_STEPS):
        if near.task.stop():
            break
        moves = near.moves()
        if not len(moves):
            break
        reached = near.after(signs, first, moves)
        costs = near.costs(reached)
        chosen = int(costs.argmin())
        if not costs[chosen] < cost:
            break
        turned = moves[chosen][moves[chosen] >= 0]
        signs[turned] *= -1
        first, cost = reached[chosen], float(costs[chosen])
    best.offer(near.labels(signs))
