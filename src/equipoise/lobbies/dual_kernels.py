"""The loop of the bound over totals, written for :mod:`equipoise.compiled`."""

from __future__ import annotations

from typing import Any

# Lists when plain, arrays when compiled; both are only indexed.
Column = Any


def add_one(best: Column, before: Column, cell: Column, price: Column) -> None:
    """Raise the best prices of teams to those with one block more: a convolution of maximum and sum.

    ``best[t]`` becomes the larger of itself and ``before[t - cell[i]] + price[i]`` over all i.

    Parameters
    ----------
    best : sequence of float
        By total: the highest price of a team; changed.
    before : sequence of float
        The same for teams without the block.
    cell : sequence of int
        The totals that one block can have.
    price : sequence of float
        What such a block is worth.
    """
    n = len(before)
    for i in range(len(cell)):
        shift = cell[i]
        worth = price[i]
        for t in range(n):
            value = before[t] + worth
            if value > best[shift + t]:
                best[shift + t] = value
