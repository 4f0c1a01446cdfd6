"""Blocks on a fine grid of totals, and what prices of skill prove there about teams of any size.

The highest price that a team of so many players with such a total can have is a convolution of maximum
and sum, block by block.  What the cheapest team of a lobby costs, less its players' prices, is what a team
of that lobby is worth at least: weak duality, whatever the prices.  A cell stands for all within half its
width, so the cost of a total is the least of all that its cells can stand for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from equipoise.arrays import Bools, Floats, Ints
from equipoise.lobbies.bounds import EPSILON
from equipoise.lobbies.problem import LobbyProblem

#: Additions that all convolutions for one team size together may take; and fewest and most cells.
WORK, FEWEST_CELLS, MOST_CELLS = 30_000_000, 128, 8_192

#: Kinds of bars up to which they count; of more, all are left out of account, which only lowers a bound.
MOST_KINDS = 6

#: Blocks of one size on the grid: cells, ascending, and their prices.
Items = dict[int, tuple[Ints, Floats]]


@dataclass(frozen=True)
class Class:
    """Blocks of one size that may be in the same lobbies.

    Parameters
    ----------
    size, kind : int
        Of all of them.
    blocks, cell : ndarray of int, shape (n,)
        Which they are, and where on the grid.
    knots : ndarray of int
        The cells between which prices are linear, ascending.
    first : int
        The number of the first knot among those of all classes.
    """

    size: int
    kind: int
    blocks: Ints
    cell: Ints
    knots: Ints
    first: int

    @property
    def rows(self) -> slice:
        """Where the class's knots are among all."""
        return slice(self.first, self.first + len(self.knots))

    @cached_property
    def cells(self) -> Ints:
        """The cells where there is a block, ascending."""
        return np.unique(self.cell)

    def shares(self, cell: Ints) -> tuple[Ints, Floats]:
        """Return for each cell the knot below it, and the share that the next one has in its price."""
        if len(self.knots) == 1:
            return np.full(len(cell), self.first), np.zeros(len(cell))
        at = np.clip(np.searchsorted(self.knots, cell, "right") - 1, 0, len(self.knots) - 2)
        low, high = self.knots[at], self.knots[at + 1]
        return self.first + at, (cell - low) / (high - low)

    def prices(self, cell: Ints, price: Floats) -> Floats:
        """Return the prices of blocks at some cells, given the prices of all knots."""
        return np.asarray(np.interp(cell, self.knots, price[self.rows]))


class Cheapest(NamedTuple):
    """The cheapest lobby for each total of teams of one size.

    Parameters
    ----------
    cost : ndarray of float
        By total: the least cost, less what a team of the lobby is worth.
    lobby : ndarray of int
        By total: the lobby.
    """

    cost: Floats
    lobby: Ints


class BlockGrid:
    """Blocks on a grid: one of s players is near ``s * base + cell * step``.

    Parameters
    ----------
    problem : LobbyProblem
        What is divided.
    knots : int
        How many knots the prices of a class have at most.

    Attributes
    ----------
    away : float
        How far a block is from its cell at most, rounding included.
    patterns : ndarray of bool, shape (n_patterns, n_kinds)
        Which kinds may be in a lobby.
    pattern : ndarray of int, shape (n_lobbies,)
        Each lobby's row of ``patterns``.
    """

    def __init__(self, problem: LobbyProblem, knots: int) -> None:
        self.problem = problem
        fits = np.flatnonzero(problem.size <= problem.team_size)
        each = problem.skill[fits] / problem.size[fits]
        self.base = float(each.min())
        offset = problem.skill - problem.size * self.base
        span = float(each.max()) - self.base
        self.step = _step(offset[fits], span, _cells(problem.team_size))
        cell = np.rint(offset / self.step).astype(np.int64)
        cell[fits] = np.maximum(cell[fits], 0)
        reach = float(np.abs(problem.skill[fits]).max() + np.abs(problem.target).max())
        reach += abs(self.base) * problem.team_size
        self.away = float(np.abs(offset - cell * self.step)[fits].max()) + 8.0 * EPSILON * reach
        bars = problem.barred and len(problem.may) <= MOST_KINDS
        may = problem.may.T if bars else np.ones((problem.n_lobbies, 1), dtype=np.bool_)
        self.patterns, pattern = np.unique(may, axis=0, return_inverse=True)
        self.pattern = np.asarray(pattern).reshape(-1)
        self.classes = _classes(problem, fits, cell, problem.kind if bars else 0 * problem.kind, knots)
        self.n_knots = sum(len(part.knots) for part in self.classes)
        self.width = 1 + max(int(part.cell.max()) * problem.team_size // part.size for part in self.classes)
        self.costs = {size: self._costs(size) for size in range(problem.min_size, problem.team_size + 1)}

    def _costs(self, size: int) -> Floats:
        """Return the least cost of a team of some size in each lobby by total, shape (n_lobbies, width)."""
        problem = self.problem
        unit = size if problem.per_player else 1
        totals = np.arange(self.width) * self.step + size * self.base
        away = np.abs(totals - problem.target[:, None] * unit)
        away = np.maximum(away - size * self.away, 0.0) / unit
        return np.asarray(away if problem.absolute else away * away)

    def items(self, price: Floats, allowed: Bools) -> Items:
        """Return the blocks of each size of the kinds that are allowed, the dearest of each cell."""
        found: Items = {}
        for part in self.classes:
            if not allowed[part.kind]:
                continue
            cell, worth = part.cells, part.prices(part.cells, price)
            if part.size in found:
                other = found[part.size]
                cell, worth = np.concatenate([other[0], cell]), np.concatenate([other[1], worth])
                order = np.lexsort((-worth, cell))
                cell, worth = cell[order], worth[order]
                first = np.append(True, cell[1:] != cell[:-1])
                cell, worth = cell[first], worth[first]
            found[part.size] = (cell, worth)
        return found

    def highest(self, items: Items) -> list[Floats]:
        """Return for each number of players, by total, the highest price; minus infinity for no team."""
        best = [np.zeros(1)]
        for size in range(1, self.problem.team_size + 1):
            fitting = [
                (best[size - block], cell, worth) for block, (cell, worth) in items.items() if block <= size
            ]
            longest = max((len(before) + int(cell[-1]) for before, cell, _ in fitting), default=1)
            now = np.full(longest, -np.inf)
            for before, cell, worth in fitting:
                add_one(now, before, cell, worth)
            best.append(now)
        return best

    def cheapest(self, lobbies: Ints, worth: Floats) -> dict[int, Cheapest]:
        """Return the cheapest of some lobbies by team size and total, given what a team of each is worth."""
        found = {}
        for size, costs in self.costs.items():
            reduced = costs[lobbies] - worth[lobbies, None]
            at = reduced.argmin(axis=0)
            found[size] = Cheapest(np.take_along_axis(reduced, at[None], 0)[0], lobbies[at])
        return found

    def worth(self, lobbies: Ints, highest: list[Floats]) -> Floats:
        """Return what a team of each of some lobbies costs at least, less its players' prices."""
        least = np.full(len(lobbies), np.inf)
        for size, costs in self.costs.items():
            price = highest[size]
            np.minimum(least, (costs[lobbies, : len(price)] - price).min(axis=1), out=least)
        return least

    def block_prices(self, price: Floats) -> Floats:
        """Return the price of every block, shape (n_blocks,); 0 for those that fit into no team."""
        prices = np.zeros(self.problem.n_blocks)
        for part in self.classes:
            prices[part.blocks] = part.prices(part.cell, price)
        return prices


def add_one(best: Floats, before: Floats, cell: Ints, price: Floats) -> None:
    """Raise the best prices of teams to those with one block more: a convolution of maximum and sum.

    ``best[t]`` becomes the larger of itself and ``before[t - cell[i]] + price[i]`` over all i.

    Parameters
    ----------
    best : ndarray of float
        By total: the highest price of a team; changed.
    before : ndarray of float
        The same for teams without the block.
    cell : ndarray of int
        The totals that one block can have.
    price : ndarray of float
        What such a block is worth.
    """
    n = len(before)
    with_block = np.empty(n)
    for shift, worth in zip(cell.tolist(), price.tolist(), strict=True):
        np.add(before, worth, out=with_block)
        there = best[shift : shift + n]
        np.maximum(there, with_block, out=there)


def _cells(team_size: int) -> int:
    """Return how many cells single players may have, so that convolutions stay short."""
    passes = max(team_size * (team_size - 1) / 2.0, 1.0)
    square = (WORK / passes) ** 0.5
    return int(min(max(square, FEWEST_CELLS), MOST_CELLS))


def _step(offset: Floats, span: float, cells: int) -> float:
    """Return the grid's step: that of a lattice of decimals where skills have one that is not too fine."""
    if span <= 0.0:
        return 1.0
    exponent = int(np.floor(np.log10(span)))
    for power in range(exponent, exponent - 5, -1):
        for digit in (1.0, 0.5):
            step = digit * 10.0**power
            if span / step > cells:
                return span / cells
            if bool((np.abs(offset - np.rint(offset / step) * step) <= 1e-9 * step).all()):
                return step
    return span / cells


def _classes(problem: LobbyProblem, fits: Ints, cell: Ints, kind: Ints, knots: int) -> list[Class]:
    found: list[Class] = []
    rows = 0
    for size, which in np.unique(np.stack([problem.size[fits], kind[fits]], 1), axis=0).tolist():
        blocks = fits[(problem.size[fits] == size) & (kind[fits] == which)]
        chosen = _knots(np.sort(cell[blocks]), knots)
        found.append(Class(size, which, blocks, cell[blocks], chosen, rows))
        rows += len(chosen)
    return found


def _knots(cell: Ints, knots: int) -> Ints:
    """Return cells of blocks, half of them evenly spaced, half with equally many blocks between them."""
    share = np.linspace(0.0, 1.0, max(knots // 2, 2))
    even = cell[np.searchsorted(cell, np.floor(cell[0] + share * (cell[-1] - cell[0])).astype(np.int64))]
    ranked = cell[np.rint(share * (len(cell) - 1)).astype(np.int64)]
    return np.unique(np.concatenate([even, ranked]))
