"""``mitm``: meeting in the middle, the exact solver for two teams: pairs of part-splits of two halves.

The components of a problem are dealt into two halves, and all 2^(n/2) part-splits of each are listed,
ascending in mu for every size.  The criterion says in which range of mu, and of its second axis, a split must
total to reach a cost (:meth:`~equipoise.teams.objectives.objective.Criterion.reach`), and one sweep over the
lists of both halves finds all pairs in that range.  The cost aimed at starts below what is expected and grows
until enough splits are found: then every split up to that cost has been seen, and the best ones are proven.

Time O(2^(n/2)) a sweep plus the pairs in range; memory O(2^(n/2)).

References
----------
E. Horowitz, S. Sahni, "Computing partitions with applications to the knapsack problem", JACM 21 (1974) 277,
doi:10.1145/321812.321823.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from heapq import heappop, heappush
from itertools import count, pairwise

import numpy as np
from numpy.typing import NDArray

from equipoise.core.arrays import Floats, Ints, Labels
from equipoise.core.compiled import pays, run
from equipoise.core.stopping import seconds_left
from equipoise.errors import UnsupportedError
from equipoise.teams.objectives.objective import EVERYWHERE, Interval, Pair
from equipoise.teams.problem.problem import COUNT, MU, N_FEATURES, Problem
from equipoise.teams.problem.two_team_components import Components, components
from equipoise.teams.solvers import mitm_kernels as kernels
from equipoise.teams.solvers.task import MOVES, PRICES, RULES, Best, Fit, Found, Solver, Task
from equipoise.teams.solvers.two_team_bounds import lower_bound

#: Rows of a half beyond which the lists would take gigabytes: three shelves of 2^22 rows are 300 MB.
LARGEST_HALF = 1 << 22

#: A digit that every code has at 0: codes are below the square of the largest half.
NO_DIGIT = 1 << 62

#: Rows of the larger half up to which the lists are kept for the next criterion: some megabytes.
REMEMBERED_ROWS = 1 << 16  # effort

#: Pairs looked at to learn how costs are distributed.
SAMPLE = 64  # effort


@dataclass(frozen=True, slots=True)
class Half:
    """All part-splits of one half; ``rows`` are where each size's begin and end."""

    shelf: kernels.Shelf
    rows: dict[int, tuple[int, int]]


def _shelf(rows: int, sizes: int) -> kernels.Shelf:
    """Return an empty shelf with room for so many rows and sizes."""
    codes, starts = np.empty(rows, dtype=np.int64), np.empty(sizes, dtype=np.int64)
    return kernels.Shelf(np.empty(rows), np.empty(rows), codes, starts)


@dataclass(frozen=True, slots=True)
class SizeClass:
    """All splits with one number of players in the first team.

    ``pair`` holds the teams' totals with bots; ``first`` and ``second`` are what the rows of the two
    shelves lack of the first team's; ``ranges`` are the left rows and the right rows that give the size,
    and ``pairs`` how many they make.
    """

    pair: Pair
    first: float
    second: float
    ranges: kernels.Ranges
    pairs: int


def rows_needed(parts: Components) -> int:
    """Return how many part-splits the larger half would have."""
    return max(parts.halves[1])


def fits(parts: Components) -> bool:
    """Tell whether the halves are small enough to be listed on this machine."""
    return rows_needed(parts) <= LARGEST_HALF


@dataclass(frozen=True, eq=False)
class Lists:
    """The part-splits of both halves, and what can be made of them whatever the criterion.

    Parameters
    ----------
    parts : Components
        What is divided.
    axis : tuple of float
        The second axis of the lists.
    fast : bool
        Whether kernels are compiled.
    left, right : Half
        The lists.
    classes : tuple of SizeClass
        The splits of each size that is legal, most even first.
    """

    parts: Components
    axis: tuple[float, ...]
    fast: bool
    left: Half
    right: Half
    classes: tuple[SizeClass, ...]

    @cached_property
    def blocks(self) -> kernels.Outline:
        """The outline of the right rows' second axis."""
        return kernels.outline(self.right.shelf.second)

    @property
    def pairs(self) -> int:
        """How many splits there are of legal sizes."""
        return sum(size_class.pairs for size_class in self.classes)

    @cached_property
    def sample(self) -> Floats:
        """The totals of some splits, evenly spaced through all: a sample without chance."""
        columns = zip(*(size_class.ranges for size_class in self.classes), strict=True)
        ranges = kernels.Ranges(*map(np.concatenate, columns))
        left, right = np.empty((2, SAMPLE), dtype=np.int64)
        run(kernels.sample, ranges, float(self.pairs), left, right, fast=self.fast)
        return self.parts.problem.totals(self.labels(left, right))

    def labels(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> Labels:
        """Return the splits that pairs of rows stand for, shape (m, n_blocks)."""
        left_codes, right_codes = self.left.shelf.code, self.right.shelf.code
        codes = (left_codes[left] + right_codes[right] * len(left_codes))[:, None]
        radix, counted, turned = self._digits
        if counted is None:
            taken = codes & radix > 0
        else:
            base, rank = counted
            taken = codes // radix % base > rank
        return np.asarray(taken ^ turned, dtype=np.int8)

    @cached_property
    def _digits(self) -> tuple[Ints, tuple[Ints, Ints] | None, NDArray[np.bool_]]:
        """How a code tells the team of each block: its radix, more where two are alike, and what 0 means.

        The code counts, in a digit of a radix and a base, how many of a kind have sign +1: the first ones, up
        to a rank.  Without two of a kind every digit is a bit.  A sign that is no choice has a digit that is
        always 0.  The last column is whether 0 stands for the second team.
        """
        parts = self.parts
        kinds = [*parts.halves[0][0], *parts.halves[0][1]]
        chosen = [one for kind in kinds for one in kind]
        radix = np.full(len(parts.free), NO_DIGIT)
        counted = None
        if len(chosen) == len(kinds):
            radix[chosen] = 1 << np.arange(len(kinds))
        else:
            copies = np.array(list(map(len, kinds)), dtype=np.int64)
            radix[chosen] = np.repeat(np.cumprod(copies + 1) // (copies + 1), copies)
            base, rank = np.ones_like(radix), np.zeros_like(radix)
            base[chosen] = np.repeat(copies + 1, copies)
            rank[chosen] = [place for kind in kinds for place in range(len(kind))]
            counted = base[parts.component], rank[parts.component]
        radix = radix[parts.component]
        return radix, counted, (radix < NO_DIGIT) == (parts.side > 0)


def _listed(parts: Components, axis: tuple[float, ...], fast: bool) -> Lists:
    """List the part-splits of both halves, with a second axis."""
    (left, right), rows = parts.halves
    steps = parts.steps[[kind[0] for kind in (*left, *right)]]
    copies = np.array(list(map(len, (*left, *right))), dtype=np.int64)
    second = sum((weight * steps[:, n] for n, weight in enumerate(axis) if weight), np.zeros(len(steps)))
    kinds = kernels.Kinds(copies, steps[:, COUNT].astype(np.int64), steps[:, MU].copy(), second)
    room = parts.problem.n_players + 2
    halves = (
        _half(kernels.Kinds(*(column[: len(left)] for column in kinds)), rows[0], room, fast),
        _half(kernels.Kinds(*(column[len(left) :] for column in kinds)), rows[1], room, fast),
    )
    held = parts.choices[1]
    base = parts.base + parts.steps[held] if held >= 0 else parts.base
    even = parts.problem.n_players / 2
    sizes = sorted(parts.legal_sizes, key=lambda size: abs(size - even))
    classes = tuple(_size_class(parts.problem, size, base, np.array(axis), *halves) for size in sizes)
    return Lists(parts, axis, fast, *halves, classes)


#: The lists of the last problem, where they are short: every criterion of an objective asks for them.
_remembered = lru_cache(maxsize=1)(_listed)


def lists(parts: Components, axis: tuple[float, ...], fast: bool) -> Lists:
    """List the part-splits of both halves.

    Parameters
    ----------
    parts : Components
        What is divided.
    axis : tuple of float
        The weights of the second axis.
    fast : bool
        Whether kernels are compiled.
    """
    return (_remembered if rows_needed(parts) <= REMEMBERED_ROWS else _listed)(parts, axis, fast)


def _half(kinds: kernels.Kinds, rows: int, sizes: int, fast: bool) -> Half:
    """List the part-splits of one half."""
    shelves = tuple(_shelf(rows, sizes) for _ in range(3))
    which, low, n_sizes = run(kernels.list_half, kinds, shelves, fast=fast)
    spans = pairwise(shelves[which].starts[: n_sizes + 1].tolist())
    ranges = {low + c: (start, end) for c, (start, end) in enumerate(spans) if start < end}
    return Half(shelves[which], ranges)


def _size_class(
    problem: Problem, size: int, base: Floats, axis: Floats, left: Half, right: Half
) -> SizeClass:
    """Return what is known of the splits of a size; the base is the first team without those chosen."""
    counts, rest = (size, problem.n_players - size), size - int(base[COUNT])
    whole = problem.whole
    if problem.filler is not None:
        bots = problem.bots(np.array([counts]))[0].tolist()
        counts = counts[0] + bots[0], counts[1] + bots[1]
        whole = whole + problem.filler * sum(bots)
        base = base + problem.filler * bots[0]
    together = [
        (*rows, *right.rows[rest - left_size])
        for left_size, rows in left.rows.items()
        if rest - left_size in right.rows
    ]
    pairs = sum((row[1] - row[0]) * (row[3] - row[2]) for row in together)
    ranges = kernels.Ranges(*np.array(together, dtype=np.int64).reshape(-1, 4).T.copy())
    return SizeClass(Pair(counts, whole), float(base[MU]), float((base * axis).sum()), ranges, pairs)


#: From how many rows of the larger half on, loading numba for a single roster pays: about where the plain
#: loops take as long as the import (both about half a second).
COMPILE_FROM = 1 << 17  # effort

#: Part-splits that plain Python lists in a second: with a limit of time that matters.
PLAIN_SPEED = 400_000.0

#: What is run, compiled or not.
KERNELS = (kernels.list_half, kernels.pairs_within, kernels.sample)

#: How many pairs are looked at before the cost aimed at is lowered to the best known.
BATCH = 4096  # effort

#: Pairs a kernel looks at before the clock is asked again: a millisecond compiled, a tenth of a second plain.
LOOKS = 1 << 20  # effort

#: Such turns after which the proof is given up: a second compiled, a minute plain.  Both ways have the same
#: patience, so that they give the same answers.
MOST_TURNS = 1 << 10  # effort

#: Pairs that may get in after which the proof is given up: some seconds, as each is judged.
MOST_PAIRS = 1 << 22  # effort

#: How much the cost aimed at grows when it was set too low.
GROWTH = 8.0  # effort

#: Pairs of one range of mu that may get in before it is gone through in slices, and into how many.
MOST_IN_A_SLICE, SLICES = 1 << 12, 8  # effort

#: The range nothing is in.
NOWHERE = kernels.Within(math.inf, -math.inf, math.inf, -math.inf)

#: The second axis of criteria that have none.
NO_AXIS = (0.0,) * N_FEATURES

#: The axis that is listed for those, as most objectives choose by it next.
SQUARES = (0.0, 0.0, 1.0, 0.0, 0.0)


def _compiles(rows: int, task: Task) -> bool:
    """Tell whether compiled kernels pay for so many rows of the larger half."""
    return pays(rows, COMPILE_FROM, seconds_left(task.stop), KERNELS)


def _in_time(parts: Components, task: Task) -> bool:
    """Tell whether the part-splits can be listed in the time there is."""
    left, rows = seconds_left(task.stop), parts.halves[1]
    # Each half is listed kind by kind, the last time doubling it.
    return 2.0 * sum(rows) < PLAIN_SPEED * left or _compiles(max(rows), task)


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
    equipoise.teams.problem.two_team_components.Contradiction
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
        self.fast = _compiles(max(rows), task)
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


#: Players up to which a proof for two teams is worth waiting for: 40 of different weight take 0.04 s by
#: ``difference`` and 0.3 s by ``spread``.
PROVEN_PLAYERS = 40  # effort

#: Rows of the larger half up to which more players are proven too: as quick as going without a proof.
QUICK_ROWS = 1 << 17  # effort


def solve(task: Task) -> Found:
    """Find the best splits and prove them best; see :class:`equipoise.teams.solvers.task.Solver`.

    Raises
    ------
    InputError
        If the criterion has no reach, or the lists would not fit in memory.
    """
    if not task.criterion.has_reach:
        msg = ": 'mitm' needs a criterion with a reach; 'enumerate' and 'climb' do without"
        raise UnsupportedError(msg, "solver")
    parts = components(task.problem)
    if not fits(parts):
        rows = rows_needed(parts)
        msg = f": 'mitm' would list {rows:.3g} part-splits; 'resplit' finds near-perfect teams instead"
        raise UnsupportedError(msg, "solver")
    return meet(task)


def _suits(task: Task) -> Fit:
    """Tell whether to go for a proof: on a full server only if it is quick, or if time is given for it."""
    if not task.criterion.has_reach:
        return Fit.NO
    parts = components(task.problem)
    if not fits(parts) or not _in_time(parts, task):
        return Fit.NO
    quick = task.problem.n_players <= PROVEN_PLAYERS or rows_needed(parts) <= QUICK_ROWS
    worth = quick or seconds_left(task.stop) < math.inf or not task.problem.plain
    return Fit.BEST if worth else Fit.NO


SOLVER = Solver("mitm", solve, teams=2, exact=True, supports=frozenset({PRICES, RULES, MOVES}), suits=_suits)
