"""The hot loops, written for :mod:`equipoise.core.compiled`: plain functions over indexable sequences.

Only loops, arithmetic and comparisons here, on memory views (plain) or arrays (compiled), so that both ways
give the same numbers bit for bit.  What numpy does as fast, :func:`outline`, is no kernel.

The part-splits of a half stand on a :class:`Shelf`: for each size one range of rows, ascending in the first
axis (mu).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from equipoise.core.arrays import Floats

# Memory views when plain, arrays when compiled; both are only indexed.
Column = Any

#: Its multiples, less their whole parts, are spread evenly over 0 to 1 however many are taken.
GOLDEN_RATIO = (5.0**0.5 - 1.0) / 2.0

#: Rows of a block whose least and greatest number on the second axis are known.
BLOCK = 64

#: Rows of a block from which on it is looked at whole first.
WORTH_A_LOOK = 4


class Shelf(NamedTuple):
    """Columns by part-split, and where the rows of each size begin.

    The code counts the components with sign +1 of each kind in a mixed radix, the first kind least
    significant: it is below the number of rows, so it never overflows.
    """

    first: Column  # totals on the first axis
    second: Column  # and on the second
    code: Column  # which components have sign +1
    starts: Column  # by size, from the least on: its first row; then where the last size ends


class Kinds(NamedTuple):
    """Columns by kind of equal components."""

    copies: Column  # how many components
    size: Column  # what one with sign +1 adds to the size,
    first: Column  # to the first axis
    second: Column  # and to the second


class Outline(NamedTuple):
    """Columns by block of :data:`BLOCK` rows: the least and the greatest number on the second axis."""

    least: Column
    most: Column


class Ranges(NamedTuple):
    """Columns by range: the left and the right rows that go together, both ascending in the first axis."""

    left_start: Column
    left_end: Column
    right_start: Column
    right_end: Column


class Within(NamedTuple):
    """The least and the greatest sum on each axis."""

    first_low: float
    first_high: float
    second_low: float
    second_high: float


class Reached(NamedTuple):
    """Where a sweep goes on: the range, the left row and the right row."""

    at: int
    left: int
    right: int


def list_half(kinds: Kinds, shelves: tuple[Shelf, ...]) -> tuple[int, int, int]:
    """List the part-splits of components, kind by kind, each list merged from two of the one before.

    Parameters
    ----------
    kinds : Kinds
        What is listed.
    shelves : three of Shelf
        Room for all rows and sizes each.  They are written in turn; what is in them does not matter.

    Returns
    -------
    which : int
        The shelf that holds the list.
    low : int
        The least size in it.
    sizes : int
        How many sizes there are.
    """
    whole, low, sizes = 0, 0, 1
    shelves[0].first[0] = 0.0
    shelves[0].second[0] = 0.0
    shelves[0].code[0] = 0
    shelves[0].starts[0] = 0
    shelves[0].starts[1] = 1
    radix = 1
    for kind in range(len(kinds.copies)):
        base, base_low, base_sizes = whole, low, sizes
        base_first, base_second, base_code, base_starts = shelves[base]
        for copy in range(kinds.copies[kind]):
            added = (copy + 1) * radix
            step_size = (copy + 1) * kinds.size[kind]
            step_first = (copy + 1) * kinds.first[kind]
            step_second = (copy + 1) * kinds.second[kind]
            first, second, code, starts = shelves[whole]
            out = (base + 1) % 3
            if out == whole:
                out = (base + 2) % 3
            out_first, out_second, out_code, out_starts = shelves[out]
            out_low = min(low, base_low + step_size)
            out_sizes = max(low + sizes, base_low + base_sizes + step_size) - out_low
            row = 0
            for c in range(out_sizes):
                out_starts[c] = row
                own = c + out_low - low
                i = 0
                i_end = 0
                if 0 <= own < sizes:
                    i = starts[own]
                    i_end = starts[own + 1]
                other = c + out_low - step_size - base_low
                j = 0
                j_end = 0
                if 0 <= other < base_sizes:
                    j = base_starts[other]
                    j_end = base_starts[other + 1]
                while i < i_end and j < j_end:
                    shifted = base_first[j] + step_first
                    if first[i] <= shifted:
                        out_first[row] = first[i]
                        out_second[row] = second[i]
                        out_code[row] = code[i]
                        i += 1
                    else:
                        out_first[row] = shifted
                        out_second[row] = base_second[j] + step_second
                        out_code[row] = base_code[j] + added
                        j += 1
                    row += 1
                while i < i_end:
                    out_first[row] = first[i]
                    out_second[row] = second[i]
                    out_code[row] = code[i]
                    i += 1
                    row += 1
                while j < j_end:
                    out_first[row] = base_first[j] + step_first
                    out_second[row] = base_second[j] + step_second
                    out_code[row] = base_code[j] + added
                    j += 1
                    row += 1
            out_starts[out_sizes] = row
            whole, low, sizes = out, out_low, out_sizes
        radix *= kinds.copies[kind] + 1
    return whole, low, sizes


def sample(ranges: Ranges, pairs: float, out_left: Column, out_right: Column) -> None:
    """Choose pairs of rows that are evenly spaced through all, without chance.

    Parameters
    ----------
    ranges : Ranges
        The rows that go together.
    pairs : float
        How many pairs there are.
    out_left, out_right : sequence of int
        Where the pairs' rows are written, as many as there is room for.
    """
    n = len(out_left)
    at, before, until = -1, 0.0, 0.0
    left_rows, right_rows = 0, 0
    for index in range(n):
        spot = (index + 0.5) / n * pairs
        while until <= spot:
            at += 1
            before = until
            left_rows = ranges.left_end[at] - ranges.left_start[at]
            right_rows = ranges.right_end[at] - ranges.right_start[at]
            until += float(left_rows) * right_rows
        out_left[index] = ranges.left_start[at] + int((spot - before) / (until - before) * left_rows)
        out_right[index] = ranges.right_start[at] + int(index * GOLDEN_RATIO % 1.0 * right_rows)


def outline(second: Floats) -> Outline:
    """Return the least and the greatest number of each :data:`BLOCK` of a column, the last one too."""
    begins = range(0, len(second), BLOCK)
    return Outline(np.minimum.reduceat(second, begins), np.maximum.reduceat(second, begins))


def outside(blocks: Outline, block: int, low: float, high: float) -> bool:
    """Tell whether all numbers of a block are outside a range."""
    return bool(blocks.most[block] < low or blocks.least[block] > high)


def pairs_within(
    left: Shelf,
    right: Shelf,
    blocks: Outline,
    ranges: Ranges,
    within: Within,
    reached: Reached,
    looks: int,
    out_left: Column,
    out_right: Column,
) -> tuple[int, int, Reached]:
    """Find the pairs of a left and a right row whose sums lie within bounds on both axes.

    The pairs of each range are gone through left row by left row, the right rows ascending.

    Parameters
    ----------
    left, right : Shelf
        The part-splits of both halves.
    blocks : Outline
        Of the right rows' second axis: a block that is outside is passed over whole.
    ranges : Ranges
        The rows that go together, as those of one size do.
    within : Within
        The bounds.
    reached : Reached
        Where to go on; all 0 at first.
    looks : int
        How many pairs and blocks within the first bounds are looked at before it comes back.
    out_left, out_right : sequence of int
        Where the pairs' rows are written.

    Returns
    -------
    found : int
        How many pairs were written.
    looked : int
        How many pairs and blocks were looked at.
    reached : Reached
        Where to go on; the range is the number of ranges when all were seen.
    """
    low_first, high_first = within.first_low, within.first_high
    low_second, high_second = within.second_low, within.second_high
    left_first, left_second = left.first, left.second
    right_first, right_second = right.first, right.second
    left_row, resume = reached.left, reached.right
    found = 0
    room = len(out_left)
    looked = 0
    for k in range(reached.at, len(ranges.left_end)):
        right_start = ranges.right_start[k]
        begin = ranges.right_end[k]
        end = begin
        for i in range(max(ranges.left_start[k], left_row), ranges.left_end[k]):
            a = left_first[i]
            b = left_second[i]
            while end > right_start and right_first[end - 1] + a > high_first:
                end -= 1
            begin = min(begin, end)
            while begin > right_start and right_first[begin - 1] + a >= low_first:
                begin -= 1
            if end == right_start:
                break
            j = max(begin, resume)
            resume = 0
            while j < end:
                if looked >= looks:
                    return found, looked, Reached(k, i, j)
                stop = min(end, (j // BLOCK + 1) * BLOCK)
                if stop - j > WORTH_A_LOOK and outside(blocks, j // BLOCK, low_second - b, high_second - b):
                    looked += 1
                    j = stop
                    continue
                last = min(stop, j + looks - looked)
                looked += last - j
                for row in range(j, last):
                    s = right_second[row] + b
                    if s >= low_second and s <= high_second:
                        out_left[found] = i
                        out_right[found] = row
                        found += 1
                        if found == room:
                            return found, looked - (last - row - 1), Reached(k, i, row + 1)
                j = last
        left_row = 0
        resume = 0
    return found, looked, Reached(len(ranges.left_end), 0, 0)
