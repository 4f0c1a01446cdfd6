"""The hot loop of :func:`equipoise.teams.batches.balance_many`, written for :mod:`equipoise.compiled`."""

from __future__ import annotations

from typing import Any

# Memory views when plain, arrays when compiled; both are only indexed.
Column = Any


def best_splits(ratings: Column, out: Column, into: Column, chosen: Column) -> None:
    """Find each match's split with the least difference, going through all by one exchange a step.

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
