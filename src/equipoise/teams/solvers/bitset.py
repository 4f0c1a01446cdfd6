"""``bitset``: two teams of players with whole-number ratings, exact at any size that fits in memory.

For every number of players in the first team, one big integer holds which sums of mu it can have: bit s
is on where s can be reached.  Adding a player is a shift and an or.

Time O(n² S / 64) and memory O(n² S) bits for n players whose ratings sum to S.

References
----------
R. Bellman's dynamic programming for subset sums, with one set for each size; see D. Pisinger,
"Linear time algorithms for knapsack problems with bounded weights", J. Algorithms 33 (1999) 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import UnsupportedError
from equipoise.teams.problem.problem import COUNT, MU
from equipoise.teams.problem.two_team_components import Components, components
from equipoise.teams.solvers.task import Best, Fit, Found, Solver, Task
from equipoise.teams.solvers.two_team_bounds import strength_difference

#: Bits of all sets together beyond which the solver refuses: 256 MB.
MOST_BITS = 1 << 31

#: Components up to which the way back from a sum is walked by recursion.
MOST_COMPONENTS = 500

#: From a size to the set of sums that can be reached with it.
Sums = dict[int, int]


def solve(task: Task) -> Found:
    """Find the best splits and prove them best; see :class:`equipoise.teams.solvers.task.Solver`.

    Raises
    ------
    InputError
        If the task is not one for whole numbers; see :func:`suits`.
    """
    parts = components(task.problem) if task.problem.n_teams == 2 else None
    if parts is None or not suits(task, parts):
        msg = (
            ": 'bitset' divides players with whole-number ratings into two teams by an objective of "
            "their difference ('difference', 'ratio' or 'win'); 'mitm' does the others"
        )
        raise UnsupportedError(msg, "solver")
    return _Reach(task, parts).run()


def suits(task: Task, parts: Components) -> bool:
    """Tell whether the solver can do a task: whole numbers, one criterion by difference, memory enough."""
    if not task.criterion.by_difference or task.limits or not task.problem.integral:
        return False
    if len(parts.free) > MOST_COMPONENTS:
        return False
    players, bits = np.abs(parts.steps[:, [COUNT, MU]]).sum(axis=0).tolist()
    return bool((bits / _step(parts) + 1.0) * (players + 1.0) * len(parts.free) <= MOST_BITS)


def _step(parts: Components) -> int:
    """Return the greatest number of which what each component adds is a multiple."""
    return int(np.gcd.reduce(parts.steps[:, MU].astype(np.int64))) or 1


class _Reach:
    """The sets of reachable sums, kind by kind, and the way back from a sum to its splits."""

    def __init__(self, task: Task, parts: Components) -> None:
        self.task = task
        self.parts = parts
        self.kinds, held = parts.choices
        self.signs = np.where(parts.free, -1, 1).astype(np.int8)
        self.base = parts.base.copy()
        if held >= 0:
            self.signs[held] = 1
            self.base += parts.steps[held]
        self.step = _step(parts)
        steps = parts.steps[[kind[0] for kind in self.kinds]][:, [COUNT, MU]].astype(np.int64)
        steps = (steps // (1, self.step)).tolist()
        # Turned so that taking a component never lowers the sum.
        self.turn = [-1 if mu < 0 else 1 for _, mu in steps]
        self.steps = [(turn * size, turn * mu) for turn, (size, mu) in zip(self.turn, steps, strict=True)]
        for kind, turn in zip(self.kinds, self.turn, strict=True):
            if turn < 0:
                self.signs[kind] = 1
                self.base += parts.steps[kind].sum(axis=0)
        self.layers = self._layers()

    def _layers(self) -> list[Sums]:
        """Return what can be reached with the first kinds, of sizes that can still become legal."""
        wanted = [size - int(self.base[COUNT]) for size in self.parts.legal_sizes]
        takes = [len(kind) * size for kind, (size, _) in zip(self.kinds, self.steps, strict=True)]
        # How many those before take at the least and at the most, and those to come.
        low, high = 0, 0
        rest_low, rest_high = sum(take for take in takes if take < 0), sum(take for take in takes if take > 0)
        least, most = min(wanted, default=0), max(wanted, default=0)
        layer: Sums = {0: 1}
        layers = [layer]
        for kind, take, (size, mu) in zip(self.kinds, takes, self.steps, strict=True):
            if take < 0:
                low, rest_low = low + take, rest_low - take
            else:
                high, rest_high = high + take, rest_high - take
            more = abs(take - size)  # between one of a kind and the next
            sizes = range(max(low, least - rest_high) - more, min(high, most - rest_low) + more + 1)
            for _ in kind:
                layer = {n: layer.get(n, 0) | layer.get(n - size, 0) << mu for n in sizes}
            layers.append(layer)
        return layers

    def run(self) -> Found:
        """Take the sums nearest to even, in order, until as many splits are found as are wanted."""
        best = Best(self.task)
        nearest = sorted(
            (
                (cost, abs(2 * size - self.task.problem.n_players), size, total)
                for size in self.parts.legal_sizes
                for cost, total in self._nearest(size - int(self.base[COUNT]))
            ),
        )
        for cost, _, size, total in nearest:
            if best.full and best.worst <= cost:
                break
            for signs in self._back(len(self.kinds), size - int(self.base[COUNT]), total):
                best.offer(self.parts.labels(signs[None, :]))
                if best.full and best.worst <= cost:
                    break
                if self.task.stop():
                    return best.found(bound=nearest[0][0], proven=False)
        return best.found(bound=self.task.criterion.floor, proven=True)

    def _nearest(self, taken: int) -> list[tuple[float, int]]:
        """Return the sums nearest to even for a number of taken players, with their costs."""
        sums = self.layers[-1].get(taken, 0)
        if not sums:
            return []
        middle = min(max(self._even(taken), 0), sums.bit_length() - 1)
        above, below = _bits_up(sums, middle), _bits_down(sums, middle)
        totals = [*islice(above, self.task.keep), *islice(below, self.task.keep)]
        first = np.repeat(self.base[None, :], len(totals), axis=0)
        first[:, COUNT] += taken
        first[:, MU] += self.step * np.array(totals, dtype=np.float64)
        costs = self.task.criterion.cost(self.parts.totals(first))
        return list(zip(costs.tolist(), totals, strict=True))

    def _even(self, taken: int) -> int:
        """Return the steps of taken components at which the teams are about equally strong."""
        first = self.base.copy()
        first[COUNT] += taken
        return round(-strength_difference(self.task, self.parts.totals(first[None, :])) / 2 / self.step)

    def _back(self, kinds: int, taken: int, total: int) -> Iterator[NDArray[np.int8]]:
        """Go through the splits in which the first kinds have a size and a sum."""
        if kinds == 0:
            yield self.signs.copy()
            return
        kind, (size, mu), turn = self.kinds[kinds - 1], self.steps[kinds - 1], self.turn[kinds - 1]
        for copies in range(len(kind) + 1):
            before, rest = taken - copies * size, total - copies * mu
            if rest < 0:
                break
            if self.layers[kinds - 1].get(before, 0) >> rest & 1:
                for signs in self._back(kinds - 1, before, rest):
                    if copies:
                        signs[kind[:copies]] = turn
                    yield signs


def _bits_up(bits: int, start: int) -> Iterator[int]:
    """Go through the places of the bits that are on, from a place upwards."""
    rest, place = bits >> start, start
    while rest:
        step = (rest & -rest).bit_length() - 1
        yield place + step
        rest >>= step + 1
        place += step + 1


def _bits_down(bits: int, start: int) -> Iterator[int]:
    """Go through the places of the bits that are on, below a place, downwards."""
    rest = bits & ((1 << start) - 1)
    while rest:
        place = rest.bit_length() - 1
        yield place
        rest ^= 1 << place


def _suits(task: Task) -> Fit:
    return Fit.BEST if suits(task, components(task.problem)) else Fit.NO


SOLVER = Solver("bitset", solve, teams=2, exact=True, suits=_suits)
