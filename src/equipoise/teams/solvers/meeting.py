"""Meeting in the middle: the best splits into two teams by pairing the part-splits of two halves.

The criterion says in which range of mu, and of its second axis, a split must total to reach a cost
(:meth:`~equipoise.teams.objectives.objective.Criterion.reach`), and one sweep over the lists of both halves
(:mod:`equipoise.teams.solvers.halves`) finds all pairs in that range.  The cost aimed at starts below what is
expected and grows until enough splits are found: then every split up to that cost has been seen, and the best
ones are proven.

Time O(2^(n/2)) a sweep plus the pairs in range; memory O(2^(n/2)).

References
----------
E. Horowitz, S. Sahni, "Computing partitions with applications to the knapsack problem", JACM 21 (1974) 277,
doi:10.1145/321812.321823.
"""

from __future__ import annotations

import math
from dataclasses import replace
from heapq import heappop, heappush
from itertools import count, pairwise

import numpy as np
from numpy.typing import NDArray

from equipoise.arrays import Floats
from equipoise.compiled import pays, run
from equipoise.stopping import seconds_left
from equipoise.teams.objectives.objective import EVERYWHERE, Interval, Pair
from equipoise.teams.problem.components import components
from equipoise.teams.problem.problem import N_FEATURES
from equipoise.teams.solvers import mitm_kernels as kernels
from equipoise.teams.solvers.bounds import lower_bound
from equipoise.teams.solvers.halves import SizeClass, lists
from equipoise.teams.solvers.task import Best, Found, Task

#: From how many rows of the larger half on, loading numba for a single roster pays: about where the plain
#: loops take as long as the import (both about half a second).
COMPILE_FROM = 1 << 17

#: What is run, compiled or not.
KERNELS = (kernels.list_half, kernels.pairs_within, kernels.sample)

#: How many pairs are looked at before the cost aimed at is lowered to the best known.
BATCH = 4096

#: Pairs a kernel looks at before the clock is asked again: a millisecond compiled, a tenth of a second plain.
LOOKS = 1 << 20

#: Such turns after which the proof is given up: a second compiled, a minute plain.  Both ways have the same
#: patience, so that they give the same answers.
MOST_TURNS = 1 << 10

#: Pairs that may get in after which the proof is given up: some seconds, as each is judged.
MOST_PAIRS = 1 << 22

#: How much the cost aimed at grows when it was set too low.
GROWTH = 8.0

#: Pairs of one range of mu that may get in before it is gone through in slices, and into how many.
MOST_IN_A_SLICE, SLICES = 1 << 12, 8

#: The range nothing is in.
NOWHERE = kernels.Within(math.inf, -math.inf, math.inf, -math.inf)

#: The second axis of criteria that have none.
NO_AXIS = (0.0,) * N_FEATURES

#: The axis that is listed for those, as most objectives choose by it next.
SQUARES = (0.0, 0.0, 1.0, 0.0, 0.0)


def meet(task: Task, patience: float = 1.0) -> Found:
    """Find the best splits of two teams and prove them best, if the pairs in range are not too many.

    Parameters
    ----------
    task : Task
        With two teams.
    patience : float
        What share of the usual effort may be spent before the proof is given up.

    Raises
    ------
    equipoise.teams.problem.components.Contradiction
        If blocks must be both together and apart.
    """
    return _Meeting(task, patience).run()


class _Meeting:
    """One search: the lists, and the sweeps over them."""

    def __init__(self, task: Task, patience: float) -> None:
        self.task = task
        parts = components(task.problem)
        self.best = Best(task)
        self.floor = lower_bound(task, parts)
        self.pairs_seen = 0
        self.looked = 0
        self.usual = math.inf
        halves, rows = parts.halves
        self.fast = pays(max(rows), COMPILE_FROM, seconds_left(task.stop), KERNELS)
        self.most_looks = patience * task.effort * MOST_TURNS * LOOKS
        self.most_pairs = patience * task.effort * MOST_PAIRS
        limited = (limit.criterion.second for limit in task.limits if any(limit.criterion.second))
        self.axis = task.criterion.second if any(task.criterion.second) else next(limited, NO_AXIS)
        listed = self.axis if any(self.axis) else SQUARES
        self.lists = lists(parts, listed, self.fast)
        self.out_left: NDArray[np.int64] = np.empty(BATCH, dtype=np.int64)
        self.out_right: NDArray[np.int64] = np.empty(BATCH, dtype=np.int64)
        zero = max((criterion.zero for criterion in (task.criterion, *(c for c, _ in task.limits))), key=abs)
        terms = max(map(len, halves))
        self.pad_first, self.pad_second = task.problem.rounding.pads(terms, self.axis, zero)

    def run(self) -> Found:
        cost = self._first_aim()
        proven_to = self.floor
        while True:
            if not self._sweep(cost):
                return self.best.found(bound=proven_to, proven=False)
            if cost == math.inf or self.best.reaches(max(cost, self.floor)):
                return self.best.found(bound=math.inf, proven=True)
            proven_to = max(proven_to, cost)
            cost = self._next_aim(cost)

    def _sweep(self, cost: float) -> bool:
        """Look at every split of at most this cost that may get in; False if that was not finished."""
        return all(self._swept(size_class, cost) for size_class in self.lists.classes)

    def _swept(self, size_class: SizeClass, cost: float) -> bool:
        """Look at the splits of a size; False if that was not finished.

        The second axis is bounded the better, the less mu may vary: so where very many pairs get in, the
        range of mu is gone through slice by slice, those first where the best was seen.
        """
        left, right, blocks = self.lists.left.shelf, self.lists.right.shelf, self.lists.blocks
        slices, number = [(0.0, 0, EVERYWHERE)], count(1)
        while slices:
            _, _, mu = heappop(slices)
            least = math.inf
            aim, reached, seen = (math.nan, NOWHERE), kernels.Reached(0, 0, 0), 0
            while reached.at < len(size_class.ranges.left_end):
                if self.best.reaches(self.floor):
                    return True
                aimed = min(cost, self.best.worst)
                if aimed != aim[0]:
                    aim = aimed, self._range(size_class, aimed, mu)
                if seen > MOST_IN_A_SLICE and self._is_wide(aim[1]):
                    for part in self._sliced(size_class, aim[1]):
                        heappush(slices, (least, next(number), part))
                    break
                found, looked, reached = run(
                    kernels.pairs_within,
                    *(left, right, blocks, size_class.ranges, aim[1], reached, LOOKS),
                    *(self.out_left, self.out_right),
                    fast=self.fast,
                )
                if found:
                    labels = self.lists.labels(self.out_left[:found], self.out_right[:found])
                    least = min(least, self.best.offer(labels))
                seen += found
                self.pairs_seen += found
                self.looked += looked
                if self.task.stop() or self.pairs_seen > self.most_pairs or self.looked > self.most_looks:
                    return False
        return True

    def _is_wide(self, within: kernels.Within) -> bool:
        """Tell whether a range of mu is worth slicing: there is a second axis, and more than rounding."""
        width = within.first_high - within.first_low
        return any(self.axis) and SLICES * self.pad_first < width < math.inf

    def _sliced(self, size_class: SizeClass, within: kernels.Within) -> list[Interval]:
        """Return the slices of a range, in terms of the first team's total."""
        edges = np.linspace(within.first_low, within.first_high, SLICES + 1) + size_class.first
        return [Interval(low, high) for low, high in pairwise(edges.tolist())]

    def _range(self, size_class: SizeClass, cost: float, mu: Interval) -> kernels.Within:
        """Return what the rows must sum to within a cost, the limits and a slice, with room for rounding."""
        pair, second = replace(size_class.pair, mu=mu), EVERYWHERE
        for criterion, limit in (*self.task.limits, (self.task.criterion, cost)):
            if criterion.has_reach and limit < math.inf:
                mu, other = criterion.reach(limit, pair)
                pair = Pair(pair.counts, pair.whole, mu)
                if criterion.second == self.axis:
                    second = second.overlap(other)
        mu = pair.mu
        return kernels.Within(
            mu.low - size_class.first - self.pad_first,
            mu.high - size_class.first + self.pad_first,
            second.low - size_class.second - self.pad_second,
            second.high - size_class.second + self.pad_second,
        )

    def _first_aim(self) -> float:
        """Guess the cost up to which there are a few more splits than wanted, from a sample."""
        everything = float(self.lists.pairs)
        if everything <= BATCH:
            return math.inf
        totals = self.lists.sample
        costs = self.task.criterion.cost(totals) - self.task.criterion.floor
        for criterion, limit in self.task.limits:
            limited = criterion.cost(totals)
            within, usual = limit - criterion.floor, _middle(limited) - criterion.floor
            everything *= min(1.0, within / max(2.0 * usual, 1e-300))
        wanted = 8.0 * self.task.keep / max(everything, 1.0)
        self.usual = _middle(costs)
        return self.task.criterion.floor + 2.0 * self.usual * min(wanted, 1.0)

    def _next_aim(self, cost: float) -> float:
        above = (cost - self.task.criterion.floor) * GROWTH
        return self.task.criterion.floor + above if 0.0 < above < self.usual else math.inf


def _middle(values: Floats) -> float:
    """Return the upper median."""
    middle: float = sorted(values.tolist())[len(values) // 2]
    return middle
