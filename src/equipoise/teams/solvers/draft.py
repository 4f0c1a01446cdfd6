"""``alternate``, ``snake``, ``greedy``, ``greedy-cap``: the drafts people use, kept as baselines.

Each places the players strongest first, by its own rule, and leaves the rule only where the sizes, parties
or preferences could not be met otherwise.  None is optimal: the solution says how far from a bound it is.
Local search begins with a draft by chance.

References
----------
alternate, snake and greedy with a cap: S. McCormick, "Teams, Partitions, Oh My!" (KAG Gather);
greedy: R. Graham, "Bounds on multiprocessing timing anomalies", SIAM J. Appl. Math. 17 (1969) 416.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import InputError
from equipoise.teams.problem.problem import COUNT, MU
from equipoise.teams.problem.two_team_components import Components, components
from equipoise.teams.solvers.task import Best, Found, Solver, Task
from equipoise.teams.solvers.two_team_bounds import lower_bound

#: Components of other sizes than one up to which completability is exact; beyond, they are so many that
#: only the ends of the range are looked at.
EXACT_PARTIES = 2000  # effort


class DraftState(NamedTuple):
    """What a draft rule sees when the next component is placed.

    Parameters
    ----------
    turn : int
        How many were placed before.
    mu : tuple of float
        The two teams' totals of mu so far.
    sizes : tuple of int
        Their numbers of players so far.
    """

    turn: int
    mu: tuple[float, float]
    sizes: tuple[int, int]


#: Says which team, 0 or 1, should get the next component's stronger side.
Rule = Callable[[DraftState], int]


def draft(parts: Components, rule: Rule) -> NDArray[np.int8] | None:
    """Place the components one by one, strongest first, where a rule wants them if that can be completed.

    Components that are not a single player are placed before those that are.

    Returns
    -------
    ndarray of int8, shape (n_components,), or None
        The signs; None where no split is legal.

    Raises
    ------
    InputError
        If there are so many parties that their sizes are not gone through, and the draft ends illegally.
    """
    sizes = [int(step) for step in parts.steps[:, COUNT]]
    mu = [float(step) for step in parts.steps[:, MU]]
    order = sorted(np.flatnonzero(parts.free).tolist(), key=lambda c: (abs(sizes[c]) == 1, -abs(mu[c]), c))
    room = _Room(parts, [sizes[c] for c in order])
    if not room.open(0, 0):
        return None
    signs = np.where(parts.free, -1, 1).astype(np.int8)
    whole = parts.problem.features.sum(axis=0)
    # With every sign open, the first team surely has the base less what negative steps may take away.
    first_mu, first_count = float(parts.base[MU]), int(parts.base[COUNT])
    open_mu = sum(mu[c] for c in order)
    open_count = sum(sizes[c] for c in order)
    taken = 0
    for turn, c in enumerate(order):
        second_mu = float(whole[MU]) - first_mu - open_mu
        second_count = int(whole[COUNT]) - first_count - open_count
        stronger = rule(DraftState(turn, (first_mu, second_mu), (first_count, second_count)))
        plus = (stronger == 0) == (mu[c] >= 0)
        if not room.open(turn + 1, taken + sizes[c] * plus):
            plus = not plus
        open_mu -= mu[c]
        open_count -= sizes[c]
        if plus:
            signs[c] = 1
            taken += sizes[c]
            first_mu += mu[c]
            first_count += sizes[c]
    if int(parts.base[COUNT]) + taken not in parts.legal_sizes:
        msg = f": of more than {EXACT_PARTIES} no fitting sizes were found; limit the sizes less"
        raise InputError(msg, "parties")
    return signs


class _Room:
    """Which numbers of players in the first team can still be made legal by the components to come."""

    def __init__(self, parts: Components, sizes: list[int]) -> None:
        base = int(parts.base[COUNT])
        self.legal = [size - base for size in parts.legal_sizes]
        singles = sum(abs(size) == 1 for size in sizes)
        parties = sizes[: len(sizes) - singles]
        self.exact = len(parties) <= EXACT_PARTIES
        low, high = [0], [0]
        for size in reversed(sizes):
            low.append(low[-1] + min(size, 0))
            high.append(high[-1] + max(size, 0))
        self.low, self.high = low[::-1], high[::-1]
        # Bit n: the parties from here on can add n + low; what singles add is a range.
        sets = [1]
        if self.exact:
            for size in reversed(parties):
                sets.append(sets[-1] | sets[-1] << abs(size))
        self.sets = sets[::-1]
        self.n_parties = len(parties)

    def open(self, placed: int, taken: int) -> bool:
        """Tell whether some completion is legal after a number of components and of players taken."""
        if not self.legal:
            return False
        low, high = taken + self.low[placed], taken + self.high[placed]
        if high < self.legal[0] or low > self.legal[-1]:
            return False
        if placed >= self.n_parties or not self.exact:
            return True
        # Singles smear every sum of the parties over a range that begins at it.
        smear = self.high[self.n_parties] - self.low[self.n_parties]
        start, end = self.legal[0] - smear - low, self.legal[-1] - low
        wanted = ((1 << (end + 1)) - 1) >> max(start, 0) << max(start, 0)
        return bool(self.sets[placed] & wanted)


def random_start(parts: Components, rng: np.random.Generator) -> NDArray[np.int8] | None:
    """Return the signs of a random legal split, shape (n_components,); None where there is none."""
    return draft(parts, lambda standing: int(rng.integers(2) + 0 * standing.turn))


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

    def rule(standing: DraftState) -> int:
        full = [count >= cap for count in standing.sizes]
        return full.index(False) if any(full) and not all(full) else _to_weaker(standing)

    return _drafted(task, rule)


def _to_weaker(standing: DraftState) -> int:
    return int(standing.mu[1] < standing.mu[0])


def _drafted(task: Task, rule: Rule) -> Found:
    parts = components(task.problem)
    best = Best(task)
    # A later criterion chooses among what earlier ones left, and a draft leaves one split: the start.
    if not task.start:
        signs = draft(parts, rule)
        if signs is None:
            return best.found(bound=task.criterion.floor, proven=True)
        best.offer(parts.labels(signs[None, :]))
    bound = lower_bound(task, parts)
    return best.found(bound=bound, proven=best.reaches(bound))


ALTERNATE = Solver("alternate", alternate, teams=2)
SNAKE = Solver("snake", snake, teams=2)
GREEDY = Solver("greedy", greedy, teams=2)
GREEDY_CAP = Solver("greedy-cap", greedy_cap, teams=2)
