"""``lattice``: two large teams of whole-number weights, by what is achievable at all on paper.

Exact where it ends with a proof.
In whole numbers a team's sum and its sum of squares are whole as well, and the square of a number is odd
where the number is.
So the sums that teams can have lie on a lattice, and what an objective says of its points bounds it: no split
is better than the best point within the limits.
Players beyond some forty have so many splits that nearly every point has one.
One is looked for by meeting in the middle: some players are freed, and the sums of both halves of them are
matched against what the point lacks; then others are freed.
What is found at the best point is proven best; elsewhere the best point is a bound near the value.

References
----------
E. Horowitz, S. Sahni, "Computing partitions with applications to the knapsack problem", 1974,
doi:10.1145/321812.321823 (matching the sums of two halves).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from equipoise.core.arrays import Bools, Floats, Ints, Labels
from equipoise.core.player import NO_SIDE
from equipoise.errors import UnsupportedError
from equipoise.teams.objectives.objective import Interval, Pair
from equipoise.teams.problem.problem import COUNT, MU, N_FEATURES, SIDE, SQUARE, VARIANCE, Problem
from equipoise.teams.solvers import meet_in_the_middle, pairwise
from equipoise.teams.solvers.task import Best, Fit, Found, Solver, Task

#: Blocks from which there are splits enough for nearly every point.
LEAST = 36  # effort

#: Blocks in each half of those that are freed.
HALF = 14  # effort

#: Times that others are freed, for an effort of 1.
TRIALS = 500  # effort

#: The same where points are so many that splits are few: as much work, and four times as many splits.
LARGER, TRIALS_OF_LARGER = 16, 125  # effort

#: Splits at a point that are expected in all trials together, from which it is worth looking for one.
ENOUGH = 4.0  # effort

#: Points that are looked for at once, the best first.
AT_ONCE = 4  # effort

#: Points beyond which they are too many to list: the value is at its floor then, or near enough.
MOST_POINTS = 1 << 18  # effort

#: Largest number that keys may have.
LARGEST_KEY = 1 << 62


class Points(NamedTuple):
    """Sums that the first team can have, best first; shape (m,) each.

    Parameters
    ----------
    players, first, second : ndarray of int
        How many players, and the sums of their steps and of the steps' squares.
    cost : ndarray of float
        What the criterion says of them.
    """

    players: Ints
    first: Ints
    second: Ints
    cost: Floats

    def taken(self, places: Ints | Bools) -> Points:
        """Return some of them."""
        return Points(self.players[places], self.first[places], self.second[places], self.cost[places])


#: No points.
_NONE = np.zeros(0, dtype=np.int64)
NOWHERE = Points(_NONE, _NONE, _NONE, np.zeros(0))


class _Lattice:
    """The lattice of a problem: weights as ``base + step * y`` with whole numbers y from 0 up."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        mu, size = problem.features[:, MU].astype(np.int64), problem.sizes
        self.n, self.sum, self.squares = problem.n_players, int(mu.sum()), float(problem.whole[SQUARE])
        self.base = int(mu.min())
        self.step = int(np.gcd.reduce(mu - self.base)) or 1
        self.y = (mu - self.base) // self.step
        self.widths = int(self.y.sum()) + 1, int((self.y * self.y).sum()) + 1
        self.keys = (size * self.widths[0] + self.y) * self.widths[1] + self.y * self.y

    @property
    def fits(self) -> bool:
        """Whether keys are numbers that a machine has."""
        return (self.n + 1) * self.widths[0] * self.widths[1] < LARGEST_KEY

    def hits(self, half: int) -> float:
        """Return how many splits there are at a point in the middle, of two halves of so many that are freed.

        Sums of many numbers are nearly normal; the points are those of one parity.
        """
        free = min(2 * half, len(self.y))
        y = self.y.astype(np.float64)
        columns = np.stack([np.ones(len(y)), y], axis=1)
        rest = y * y - columns @ np.linalg.lstsq(columns, y * y, rcond=None)[0]
        area = 2.0 * math.pi * max(float(y.std() * rest.std()) * free / 4.0, 0.5)
        return 2.0 * math.comb(free, free // 2) / area

    def totals(self, count: Ints, first: Ints, second: Ints) -> Floats:
        """Return the totals of both teams, shape (m, 2, 5), from sums of the first one's y and y squared."""
        totals = np.zeros((len(first), 2, N_FEATURES))
        offset = float(self.base) - self.problem.centre
        mu = count * self.base + self.step * first
        square = self.step**2 * second + 2.0 * self.step * offset * first + count * offset * offset
        totals[:, 0, COUNT], totals[:, 1, COUNT] = count, self.n - count
        totals[:, 0, MU], totals[:, 1, MU] = mu, self.sum - mu
        totals[:, 0, SQUARE], totals[:, 1, SQUARE] = square, self.squares - square
        totals[:, :, SIDE] = NO_SIDE * totals[:, :, COUNT]
        return totals

    def points(self, task: Task, below: float) -> Points | None:
        """Return the points within the limits that cost less than a number; None where they are too many."""
        rules, found, many = self.problem, list[Points](), 0
        for count in range(rules.min_size[0], rules.max_size[0] + 1):
            other = self.n - count
            in_range = rules.min_size[1] <= other <= rules.max_size[1]
            if not in_range or abs(count - other) > rules.max_difference:
                continue
            for first, second in self._rows(task, count, below):
                many += len(second)
                if many > MOST_POINTS:
                    return None
                counts, firsts = np.full(len(second), count), np.full(len(second), first)
                totals = self.totals(counts, firsts, second)
                points = Points(counts, firsts, second, task.criterion.cost(totals))
                good = points.cost < below
                for criterion, limit in task.limits:
                    good &= criterion.cost(totals) <= limit
                found.append(points.taken(good))
        if not found:
            return NOWHERE
        counts, firsts, seconds = (np.concatenate([one[place] for one in found]) for place in range(3))
        points = Points(counts, firsts, seconds, np.concatenate([one.cost for one in found]))
        return points.taken(np.argsort(points.cost, kind="stable"))

    def _rows(self, task: Task, count: int, below: float) -> Iterator[tuple[int, Ints]]:
        """Go through the sums that a first team of a size can have, each with its sums of squares."""
        pair = Pair((count, self.n - count), self.problem.whole)
        mu, _ = task.criterion.reach(below, pair)
        for criterion, limit in task.limits:
            mu = mu.overlap(criterion.reach(limit, pair)[0])
        offset = float(self.base) - self.problem.centre
        low, high = ((end - count * self.base) / self.step for end in mu)
        # One step more on both sides than what is computed, which may be off by far less.
        for first in range(max(math.floor(low) - 1, 0), min(math.ceil(high) + 1, self.widths[0]) + 1):
            total = float(count * self.base + self.step * first)
            near = Interval(total, total)
            _, squares = task.criterion.reach(below, Pair(pair.counts, pair.whole, near))
            begin, end = (
                (end - count * offset * offset - 2.0 * self.step * offset * first) / self.step**2
                for end in squares
            )
            least = max(math.floor(begin) - 1, 0)
            least += (least - first) % 2  # a square is odd where its number is
            yield first, np.arange(least, min(math.ceil(end) + 1, self.widths[1]) + 1, 2, dtype=np.int64)

    def key(self, points: Points, place: int) -> int:
        """Return the key of a point."""
        size, first, second = int(points.players[place]), int(points.first[place]), int(points.second[place])
        return (size * self.widths[0] + first) * self.widths[1] + second


def solve(task: Task) -> Found:
    """Look for a split at the best point; see :class:`equipoise.teams.solvers.task.Solver`.

    Raises
    ------
    UnsupportedError
        If the problem is none of whole numbers in two teams without rules of its own.
    """
    if not _serves(task):
        msg = ": 'lattice' divides whole-number weights into two teams without rules; 'mitm' does others"
        raise UnsupportedError(msg, "solver")
    start = pairwise.solve(task)
    if not start.ranked or start.proven:
        return start
    lattice, exactly = _Lattice(task.problem), meet_in_the_middle.SOLVER.suits(task) is Fit.BEST
    half, trials = HALF, TRIALS
    if lattice.hits(half) * trials < ENOUGH:
        if exactly:
            return meet_in_the_middle.solve(task)
        half, trials = LARGER, TRIALS_OF_LARGER
    best = Best(task, tuple(one.labels for one in start.ranked))
    points = lattice.points(task, best.worst)
    if points is None:
        return start
    floor = max(float(points.cost[0]) if len(points.cost) else best.worst, start.bound)
    labels = start.ranked[0].labels
    for _ in range(math.ceil(trials * task.effort)):
        if best.worst <= floor or task.stop():
            break
        for split in _matched(task, lattice, points, labels, half):
            best.offer(split[None, :])
        points = points.taken(points.cost < best.worst)
    found = best.found(bound=floor, proven=best.worst <= floor)
    if found.proven or not exactly:
        return found
    # Nobody may be at the best points: of few players all splits are gone through in halves.
    return meet_in_the_middle.solve(replace(task, start=(found.ranked[0].labels,)))


def _matched(task: Task, lattice: _Lattice, points: Points, labels: Labels, half: int) -> list[Labels]:
    """Return splits at the best points that differ from one only in some players who are drawn."""
    free = task.rng.permutation(len(labels))[: 2 * min(half, len(labels) // 2)]
    halves = free[: len(free) // 2], free[len(free) // 2 :]
    held = labels == 0
    held[free] = False
    fixed = int(lattice.keys[held].sum())
    left, right = (_sums(lattice.keys[blocks]) for blocks in halves)
    order = np.argsort(left, kind="stable")
    ordered = left[order]
    found = []
    for place in range(min(AT_ONCE, len(points.cost))):
        wanted = lattice.key(points, place) - fixed - right
        at = np.searchsorted(ordered, wanted)
        hits = np.flatnonzero(ordered[np.minimum(at, len(ordered) - 1)] == wanted)
        if len(hits):
            own = labels.copy()
            own[free] = 1
            for blocks, bits in zip(halves, (int(order[at[hits[0]]]), int(hits[0])), strict=True):
                own[blocks[[bits >> n & 1 == 1 for n in range(len(blocks))]]] = 0
            found.append(own)
    return found


def _sums(keys: Ints) -> Ints:
    """Return the sums of all subsets, by the bits of those in them."""
    sums = np.zeros(1, dtype=np.int64)
    for key in keys.tolist():
        sums = np.concatenate([sums, sums + key])
    return sums


def _serves(task: Task) -> bool:
    """Tell whether only sums and sums of squares count, all of them whole."""
    problem, criteria = task.problem, (task.criterion, *(limit.criterion for limit in task.limits))
    features = problem.features
    return (
        problem.exact and problem.rounding.square == 0.0 and problem.plain and problem.filler is None
        and problem.single and not problem.apart and max(problem.fixed) < 0 and min(problem.min_size) > 0
        and task.keep == 1 and all(criterion.has_reach for criterion in criteria)
        and task.criterion.second[:SQUARE] == (0.0, 0.0) and task.criterion.second[SQUARE] == 1.0
        and task.criterion.second[SIDE] == 0.0
        and not features[:, VARIANCE].any() and bool((features[:, SIDE] == NO_SIDE).all())
        and _Lattice(problem).fits
    )  # fmt: skip


def _suits(task: Task) -> Fit:
    """Tell whether there are so many players that nearly every point has a split."""
    large = task.problem.n_blocks >= LEAST and task.problem.n_teams == 2 and not task.criterion.by_difference
    return Fit.BEST if large and _serves(task) else Fit.NO


SOLVER = Solver("lattice", solve, teams=2, seeded=True, suits=_suits)
