"""The two halves of a meeting in the middle: lists of all that can be made of each.

The components of a problem are dealt into two halves.  All 2^(n/2) part-splits of each half are listed,
ascending in mu for every size.  :mod:`equipoise.teams.solvers.meeting` pairs those that make good splits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from equipoise.arrays import Floats, Ints, Labels
from equipoise.compiled import run
from equipoise.teams.objectives.objective import Pair
from equipoise.teams.problem.components import Components
from equipoise.teams.problem.problem import COUNT, MU, Problem
from equipoise.teams.solvers import mitm_kernels as kernels

#: Rows of a half beyond which the lists would take gigabytes: three shelves of 2^22 rows are 300 MB.
LARGEST_HALF = 1 << 22

#: A digit that every code has at 0: codes are below the square of the largest half.
NO_DIGIT = 1 << 62

#: Rows of the larger half up to which the lists are kept for the next criterion: some megabytes.
REMEMBERED_ROWS = 1 << 16

#: Pairs looked at to learn how costs are distributed.
SAMPLE = 64


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
