"""``balance_many``: thousands of small matches at once, each divided into two fairest teams of equal size.

Only the rating sums are looked at; preferences, bots and other objectives are :func:`equipoise.balance`'s.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.core.compiled import pays, run
from equipoise.core.player import LARGEST_WEIGHT
from equipoise.errors import InputError

# What the kernel gets: memory views when plain, arrays when compiled; both are only indexed.
Column = Any

#: Players of a match up to which all its splits are gone through: 6435 of them.
MOST_IN_A_MATCH = 16

#: Splits in all from which loading numba pays.
COMPILE_FROM = 1 << 22


def balance_many(ratings: ArrayLike) -> tuple[NDArray[np.int8], NDArray[np.float64]]:
    """Divide many matches of equally many players each into two teams, all proven best.

    Parameters
    ----------
    ratings : array_like, shape (m, n)
        The players of each match, in any unit; n is even and at most 16.

    Returns
    -------
    labels : ndarray of int8, shape (m, n)
        The team of each player, 0 or 1; the first player is in team 0.
    values : ndarray, shape (m,)
        How far apart the two totals are: ``difference`` of :func:`equipoise.balance`.

    Raises
    ------
    InputError
        If the ratings are not such a table of finite numbers.

    Examples
    --------
    >>> labels, values = balance_many([[9, 7, 5, 4], [1, 1, 1, 9]])
    >>> labels.tolist(), values.tolist()
    ([[0, 1, 1, 0], [0, 0, 1, 1]], [1.0, 8.0])
    """
    try:
        table = np.ascontiguousarray(ratings, dtype=np.float64)
    except (TypeError, ValueError) as error:
        msg = "ratings must be a table of numbers with a row for each match"
        raise InputError(msg) from error
    if table.ndim != 2 or table.shape[1] % 2 or not 2 <= table.shape[1] <= MOST_IN_A_MATCH:
        msg = (
            f"ratings must have the shape (m, n) with n even, from 2 to {MOST_IN_A_MATCH}, got {table.shape}"
        )
        raise InputError(msg)
    if not (np.abs(table) <= LARGEST_WEIGHT).all():
        msg = "ratings must be numbers from -1e15 to 1e15"
        raise InputError(msg)
    left, right = _exchanges(table.shape[1])
    chosen = np.zeros(len(table), dtype=np.int64)
    splits = len(left) * len(table)
    run(best_splits, table, left, right, chosen, fast=pays(splits, COMPILE_FROM))
    labels = _labels(table.shape[1])[chosen]
    values = np.abs(table.sum(axis=1) - 2.0 * np.where(labels == 0, table, 0.0).sum(axis=1))
    return labels, values


def best_splits(ratings: Column, out: Column, into: Column, chosen: Column) -> None:
    """Find each match's split with the least difference, going through all by one exchange a step.

    It is written for :mod:`equipoise.core.compiled`.

    Parameters
    ----------
    ratings : two-dimensional
        The players of each match.
    out, into : columns
        Who leaves the first team and who comes at each step but the first.
    chosen : column
        Where the number of the best split is written.
    """
    for match in range(len(chosen)):
        # The first split has the first half of the players in the first team; what counts is half the gap.
        gap = 0.0
        half = ratings.shape[1] // 2
        for player in range(half):
            gap += ratings[match, player] - ratings[match, player + half]
        gap /= 2.0
        best = abs(gap)
        best_step = 0
        for step in range(1, len(out)):
            gap += ratings[match, into[step]] - ratings[match, out[step]]
            size = abs(gap)
            if size < best:
                best = size
                best_step = step
        chosen[match] = best_step


@lru_cache(maxsize=8)
def _labels(n: int) -> NDArray[np.int8]:
    """Return every split with the first player in team 0, shape (n_splits, n), an exchange apart each."""
    rows = [sum(1 << place for place in team) for team in _revolving(n - 1, n // 2 - 1)]
    masks = np.array(rows, dtype=np.int64)[:, None] >> np.arange(n - 1) & 1
    return np.concatenate([np.zeros((len(rows), 1)), 1 - masks], axis=1).astype(np.int8)


def _revolving(n: int, size: int) -> list[tuple[int, ...]]:
    """Return all subsets of a size, each one exchange from the one before.

    References
    ----------
    D. Knuth, The Art of Computer Programming 4A, 7.2.1.3, algorithm R (the revolving door).
    """
    if size in (0, n):
        return [tuple(range(size))]
    without = _revolving(n - 1, size)
    return without + [(*subset, n - 1) for subset in reversed(_revolving(n - 1, size - 1))]


@lru_cache(maxsize=8)
def _exchanges(n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return who leaves team 0 and who comes at each step through the splits; -1 at the first."""
    change = np.diff(_labels(n), axis=0)
    out = np.concatenate([[-1], change.argmax(axis=1)]) if len(change) else np.array([-1])
    into = np.concatenate([[-1], change.argmin(axis=1)]) if len(change) else np.array([-1])
    return out.astype(np.int64), into.astype(np.int64)
