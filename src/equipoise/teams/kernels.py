"""The hot loops, written for :mod:`equipoise.compiled`: plain functions over indexable sequences.

Only loops, arithmetic and comparisons here, on lists (plain) or arrays (compiled), so that both ways give
the same numbers bit for bit.

A *shelf* is a set of part-divisions in columns ``(first, second, mask, starts, low)``: the first axis (mu),
the second axis, and a mask of the components with sign +1; one range of rows for each size, ascending in
the first axis.  ``starts[c]`` is where the rows of size ``low + c`` begin.
"""

from __future__ import annotations

from typing import Any

# Lists when plain, arrays when compiled; both are only indexed.
Column = Any
Shelf = tuple[Column, Column, Column, Column, int]


def merge_shifted(shelf: Shelf, base: Shelf, step: tuple[int, float, float, int], out: Shelf) -> None:
    """Write the union of a shelf and a shifted copy of another, keeping the order.

    Every row of ``base`` is taken with the step's players more, what the step adds on the two axes, and
    its bits in the mask.  The columns of ``out`` must be long enough for both shelves; how many sizes it
    has, and from which on, must be set.
    """
    first, second, mask, starts, low = shelf
    base_first, base_second, base_mask, base_starts, base_low = base
    step_size, step_first, step_second, bits = step
    out_first, out_second, out_mask, out_starts, out_low = out
    row = 0
    sizes = len(starts) - 1
    base_sizes = len(base_starts) - 1
    for c in range(len(out_starts) - 1):
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
                out_mask[row] = mask[i]
                i += 1
            else:
                out_first[row] = shifted
                out_second[row] = base_second[j] + step_second
                out_mask[row] = base_mask[j] + bits
                j += 1
            row += 1
        while i < i_end:
            out_first[row] = first[i]
            out_second[row] = second[i]
            out_mask[row] = mask[i]
            i += 1
            row += 1
        while j < j_end:
            out_first[row] = base_first[j] + step_first
            out_second[row] = base_second[j] + step_second
            out_mask[row] = base_mask[j] + bits
            j += 1
            row += 1
    out_starts[len(out_starts) - 1] = row


def pairs_within(
    left: Shelf,
    left_rows: tuple[int, int],
    right: Shelf,
    right_rows: tuple[int, int],
    within: tuple[float, float, float, float],
    resume: int,
    out_left: Column,
    out_right: Column,
) -> tuple[int, int, int]:
    """Find the pairs of a left and a right row whose sums lie within bounds on both axes.

    The rows are ranges that ascend in the first axis, as those of one size do.  The pairs are gone through
    left row by left row, from the right row ``resume`` of the first one on.

    Parameters
    ----------
    within : tuple of float
        The least and the greatest sum on the first axis, and those on the second.
    out_left, out_right : sequence of int
        Where the pairs' rows are written.

    Returns
    -------
    found : int
        How many pairs were written; as many as there is room for if there may be more.
    left_row, resume : int
        Where to go on; the left row is the end of its range when all were seen.
    """
    left_first, left_second = left[0], left[1]
    right_first, right_second = right[0], right[1]
    left_start, left_end = left_rows
    right_start, right_end = right_rows
    low_first, high_first, low_second, high_second = within
    found = 0
    room = len(out_left)
    begin = right_end
    end = right_end
    for i in range(left_start, left_end):
        a = left_first[i]
        b = left_second[i]
        while end > right_start and right_first[end - 1] + a > high_first:
            end -= 1
        if begin > end:
            begin = end
        while begin > right_start and right_first[begin - 1] + a >= low_first:
            begin -= 1
        if end == right_start:
            break
        j = begin
        if resume > j:
            j = resume
        resume = 0
        while j < end:
            s = right_second[j] + b
            if s >= low_second and s <= high_second:
                out_left[found] = i
                out_right[found] = j
                found += 1
                if found == room:
                    return found, i, j + 1
            j += 1
    return found, left_end, 0
