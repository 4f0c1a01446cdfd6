"""Several filters at once: where kernels are compiled a number may be a vector, with a lane for each filter.

A kernel is written for numbers.  Plain it is called for one filter after the other; compiled, the columns of
all of them come as one array of records, which :func:`in_lanes` takes for an array of vectors.  ``+ - * /``,
``max``, ``min``, and of ``math`` ``sqrt``, ``exp`` and ``log`` work lane by lane and give the same bits as on
numbers.  A vector cannot be branched on: what is the same in all lanes is looked up by :func:`shared`.

What numba has to know of vectors is in :mod:`equipoise.core.simd_types`.
"""

from __future__ import annotations

from typing import TypeVar

Columns = TypeVar("Columns")


def in_lanes(columns: Columns) -> Columns:
    """Return tuples of columns, those of records as columns of vectors."""
    return columns


def shared(number: float) -> float:
    """Return what is the same in all lanes."""
    return number


def largest(number: float) -> float:
    """Return the largest of the lanes."""
    return number


def add_up(total: float, number: float) -> float:
    """Return a number and each lane in turn, added up."""
    return total + number


def above(number: float, limit: float) -> float:
    """Return 1 in each lane that is above a limit, else 0."""
    return 1.0 if number > limit else 0.0
