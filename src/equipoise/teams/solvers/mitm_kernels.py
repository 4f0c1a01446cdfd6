"""The hot loops, written for :mod:`equipoise.compiled`: plain functions over indexable sequences.

Only loops, arithmetic and comparisons here, on memory views (plain) or arrays (compiled), so that both ways
give the same numbers bit for bit.

A *shelf* is a set of part-splits in columns ``(first, second, code, starts)``: the first axis (mu), the
second axis, and a code of which components have sign +1; one range of rows for each size, ascending in the
first axis.  ``starts[c]`` is where the rows of the c-th size begin.
The code counts the +1 of each kind in a mixed radix, the first kind least significant: it is below the
number of rows, so it never overflows.
"""

from __future__ import annotations

from typing import Any

# Memory views when plain, arrays when compiled; both are only indexed.
Column = Any
Shelf = tuple[Column, Column, Column, Column]
Kinds = tuple[Column, Column, Column, Column]
Outline = tuple[Column, Column]

#: Its multiples, less their whole parts, are spread evenly over 0 to 1 however many are taken.
GOLDEN_RATIO = (5.0**0.5 - 1.0) / 2.0

#: Rows of a block whose least and greatest number on the second axis are known.
BLOCK = 64

#: Rows of a block from which on it is looked at whole first.
WORTH_A_LOOK = 4


def list_half(kinds: Kinds, shelves: tuple[Shelf, ...]) -> tuple[int, int, int]:
    """List the part-splits of components, kind by kind, each list merged from two of the one before.

    Parameters
    ----------
    kinds : four columns
        For each kind: how many equal components it has, and what one with sign +1 adds to size, first and
        second axis.
    shelves : three shelves
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
    copies, size_steps, first_steps, second_steps = kinds
    whole, low, sizes = 0, 0, 1
    shelves[0][0][0] = 0.0
    shelves[0][1][0] = 0.0
    shelves[0][2][0] = 0
    shelves[0][3][0] = 0
    shelves[0][3][1] = 1
    radix = 1
    for kind in range(len(copies)):
        base, base_low, base_sizes = whole, low, sizes
        base_first, base_second, base_code, base_starts = shelves[base]
        for copy in range(copies[kind]):
            added = (copy + 1) * radix
            step_size = (copy + 1) * size_steps[kind]
            step_first = (copy + 1) * first_steps[kind]
            step_second = (copy + 1) * second_steps[kind]
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
        radix *= copies[kind] + 1
    return whole, low, sizes


def sample(ranges: Column, pairs: float, out_left: Column, out_right: Column) -> None:
    """Choose pairs of rows that are evenly spaced through all, without chance.

    Parameters
    ----------
    ranges : two-dimensional
        As in :func:`pairs_within`.
    pairs : float
        How many pairs there are.
    out_left, out_right : sequence of int
        Where the pairs' rows are written, as many as there is room for.
    """
    n = len(out_left)
    at, before, until = -1, 0.0, 0.0
    for place in range(n):
        spot = (place + 0.5) / n * pairs
        while until <= spot:
            at += 1
            before = until
            until += float(ranges[at, 1] - ranges[at, 0]) * (ranges[at, 3] - ranges[at, 2])
        left_rows, right_rows = ranges[at, 1] - ranges[at, 0], ranges[at, 3] - ranges[at, 2]
        out_left[place] = ranges[at, 0] + int((spot - before) / (until - before) * left_rows)
        out_right[place] = ranges[at, 2] + int(place * GOLDEN_RATIO % 1.0 * right_rows)


def outline(second: Column, rows: int, blocks: Outline) -> None:
    """Write down the least and the greatest number of each :data:`BLOCK` of a column, the last one too."""
    least, most = blocks
    for block in range((rows + BLOCK - 1) // BLOCK):
        low = second[block * BLOCK]
        high = low
        for row in range(block * BLOCK + 1, min((block + 1) * BLOCK, rows)):
            low = min(low, second[row])
            high = max(high, second[row])
        least[block] = low
        most[block] = high


def outside(blocks: Outline, block: int, low: float, high: float) -> bool:
    """Tell whether all numbers of a block are outside a range."""
    return bool(blocks[1][block] < low or blocks[0][block] > high)


def pairs_within(
    left: Shelf,
    right: Shelf,
    blocks: Outline,
    ranges: Column,
    within: tuple[float, float, float, float],
    place: tuple[int, int, int],
    looks: int,
    out_left: Column,
    out_right: Column,
) -> tuple[int, int, tuple[int, int, int]]:
    """Find the pairs of a left and a right row whose sums lie within bounds on both axes.

    The pairs of each range are gone through left row by left row, the right rows ascending.

    Parameters
    ----------
    blocks : pair of columns
        The outline of the right rows' second axis: a block that is outside is passed over whole.
    ranges : two-dimensional
        In each row where the left rows and the right rows that go together begin and end; both ascend in
        the first axis, as those of one size do.
    within : tuple of float
        The least and the greatest sum on the first axis, and those on the second.
    place : tuple of int
        Where to go on: the range, the left row and the right row; (0, 0, 0) at first.
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
    place : tuple of int
        Where to go on; the range is the number of ranges when all were seen.
    """
    left_first, left_second = left[0], left[1]
    right_first, right_second = right[0], right[1]
    low_first, high_first, low_second, high_second = within
    at, left_row, resume = place
    found = 0
    room = len(out_left)
    looked = 0
    for k in range(at, len(ranges)):
        left_end = ranges[k, 1]
        right_start = ranges[k, 2]
        begin = ranges[k, 3]
        end = begin
        for i in range(max(ranges[k, 0], left_row), left_end):
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
                    return found, looked, (k, i, j)
                stop = min(end, (j // BLOCK + 1) * BLOCK)
                if stop - j > WORTH_A_LOOK and outside(blocks, j // BLOCK, low_second - b, high_second - b):
                    looked += 1
                    j = stop
                    continue
                last = min(stop, j + looks - looked)
                looked += last - j
                while j < last:
                    s = right_second[j] + b
                    if s >= low_second and s <= high_second:
                        out_left[found] = i
                        out_right[found] = j
                        found += 1
                        if found == room:
                            return found, looked - (last - j - 1), (k, i, j + 1)
                    j += 1
        left_row = 0
        resume = 0
    return found, looked, (len(ranges), 0, 0)
