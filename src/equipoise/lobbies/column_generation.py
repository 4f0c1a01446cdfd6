"""A bound for teams of any size, by column generation over prices of skill.

Players' prices are a function of skill, linear between some knots.  A linear program over teams in parts
chooses the knots' prices; which teams it lacks is found on a fine grid of totals, and a bound is proven with
the prices of every round.

The highest price that a team of so many players with such a total can have is a convolution of maximum
and sum, block by block.  What the cheapest team of a lobby costs, less its players' prices, is what a team
of that lobby is worth at least: weak duality, whatever the prices.  A cell stands for all within half its
width, so the cost of a total is the least of all that its cells can stand for.

References
----------
P. C. Gilmore, R. E. Gomory, "A linear programming approach to the cutting-stock problem", Operations
Research 9, 1961; doi:10.1287/opre.9.6.849.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from equipoise.core.arrays import Bools, Floats, Ints
from equipoise.core.linear_programs import Program
from equipoise.core.stopping import Stop, seconds_left
from equipoise.lobbies.problem import WAITING, LobbyProblem, LobbyTask, Placing
from equipoise.lobbies.quick_bounds import EPSILON, lobby_prices, total_prices

#: Additions that all convolutions for one team size together may take; and fewest and most cells.
WORK, FEWEST_CELLS, MOST_CELLS = 30_000_000, 128, 65_536  # effort

#: Kinds of bars up to which they count; of more, all are left out of account, which only lowers a bound.
MOST_KINDS = 6  # effort

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
        self.step = _step(offset[fits], span, _cells(problem.team_size, len(fits)))
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


def _cells(team_size: int, n_blocks: int) -> int:
    """Return how many cells single players may have, so that convolutions stay short.

    A convolution takes a pass over all totals for each cell in which there is a block.
    """
    passes = max(team_size * (team_size - 1) / 2.0, 1.0)
    cells = max((WORK / passes) ** 0.5, WORK / passes / n_blocks)
    return int(min(max(cells, FEWEST_CELLS), MOST_CELLS))


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


#: Knots of a class in large problems, and in small ones of up to so many blocks: where skill has a heavy
#: tail, a price for nearly everyone is worth far more than the linear program's time.
KNOTS, MORE_KNOTS, SMALL = 160, 400, 1_000

#: Rounds of column generation, ten being usual, and those in which the distance must fall by ``CLOSE``.
MOST_ROUNDS, PATIENCE = 40, 4  # effort

#: Relative distance of the linear program's value and the bound at which the rounds end, and where there is
#: a limit of time.
CLOSE, CLOSER = 0.004, 0.0002

#: Teams of the first plan that the linear program begins with.
FIRST_TEAMS = 2_000

#: What a knot's lack or surplus costs, in mean costs of a team: there is always a solution in parts.
SLACK = 1e5

#: A team on the grid: its lobby, then the class and cell of each of its blocks, ascending.
Team = tuple[int, tuple[tuple[int, int], ...]]


def dual_bound(task: LobbyTask, placing: Placing, stop: Stop) -> float:
    """Return what no plan is below; 0 where the time was up.

    Parameters
    ----------
    placing : Placing
        A good plan, whose teams are those the linear program begins with.
    """
    return _Generation(task, placing, stop).solve()


class _Generation:
    """Column generation: the linear program, the columns it has, and the best bound."""

    def __init__(self, task: LobbyTask, placing: Placing, stop: Stop) -> None:
        self.task, self.stop = task, stop
        self.grid = BlockGrid(task.problem, KNOTS if task.problem.n_blocks > SMALL else MORE_KNOTS)
        problem, knots = task.problem, self.grid.n_knots
        self.first_lobby, self.unit = knots, max(placing.value(problem) / task.n_teams, 1e-300)
        supply = np.zeros(knots)
        size = np.zeros(knots)
        for part in self.grid.classes:
            row, share = part.shares(part.cell)
            np.add.at(supply, row, 1.0 - share)
            np.add.at(supply, np.minimum(row + 1, knots - 1), share)
            size[part.rows] = part.size
        low = np.concatenate([supply, problem.least, [task.n_teams, task.waiting]])
        high = np.concatenate([supply, problem.most, [task.n_teams, task.waiting]])
        self.program = Program(low.astype(np.float64), high.astype(np.float64), stop)
        own = np.arange(knots)[:, None]
        for sign in (1.0, -1.0):
            self.program.add(np.full(knots, SLACK), own, np.full((knots, 1), sign))
        if task.waiting:
            rows = np.concatenate([own, np.full((knots, 1), knots + problem.n_lobbies + 1)], axis=1)
            self.program.add(np.zeros(knots), rows, np.stack([np.ones(knots), size], axis=1))
        else:
            self.program.change_row(knots + problem.n_lobbies + 1, 0.0, 0.0)
        self.fixed = self.program.n_columns
        self.costs: list[Floats] = []
        self.known: set[Team] = set()
        self._add(self._teams(placing))

    def _teams(self, placing: Placing) -> list[Team]:
        """Return some teams of a plan on the grid."""
        problem = self.task.problem
        whose, cell = np.full(problem.n_blocks, -1), np.zeros(problem.n_blocks, dtype=np.int64)
        for number, part in enumerate(self.grid.classes):
            whose[part.blocks], cell[part.blocks] = number, part.cell
        every = -(-len(placing.lobby) // FIRST_TEAMS)
        members: dict[int, list[tuple[int, int]]] = {}
        chosen = np.flatnonzero((placing.team != WAITING) & (placing.team % every == 0))
        for team, one, at in zip(
            placing.team[chosen].tolist(), whose[chosen].tolist(), cell[chosen].tolist(), strict=True
        ):
            members.setdefault(team, []).append((one, at))
        return [(int(placing.lobby[team]), tuple(sorted(blocks))) for team, blocks in members.items()]

    def _add(self, teams: list[Team]) -> bool:
        """Add the teams that are new, and tell whether any is."""
        teams = [team for team in dict.fromkeys(teams) if team not in self.known]
        if not teams:
            return False
        self.known.update(teams)
        grid, width = self.grid, self.task.problem.team_size
        which, cells = np.full((len(teams), width), -1), np.zeros((len(teams), width), dtype=np.int64)
        for number, (_, team) in enumerate(teams):
            which[number, : len(team)], cells[number, : len(team)] = zip(*team, strict=True)
        rows = np.full((len(teams), 2 * width + 2), -1, dtype=np.int64)
        values = np.zeros(rows.shape)
        sizes = np.zeros(len(teams), dtype=np.int64)
        for number, part in enumerate(grid.classes):
            n, place = np.nonzero(which == number)
            row, share = part.shares(cells[n, place])
            rows[n, 2 * place], values[n, 2 * place] = row, 1.0 - share
            rows[n, 2 * place + 1], values[n, 2 * place + 1] = np.minimum(row + 1, grid.n_knots - 1), share
            np.add.at(sizes, n, part.size)
        lobby = np.array([lobby for lobby, _ in teams])
        rows[:, -2], rows[:, -1] = self.first_lobby + lobby, self.first_lobby + self.task.problem.n_lobbies
        values[:, -2:] = 1.0
        total = cells.sum(axis=1)
        cost = np.zeros(len(teams))
        for size, costs in grid.costs.items():
            of = sizes == size
            cost[of] = costs[lobby[of], total[of]]
        self.costs.append(cost)
        self.program.add(cost / self.unit, rows, values)
        return True

    def solve(self) -> float:
        """Return the best bound of all rounds."""
        best = 0.0
        highest, gaps = -np.inf, list[float]()
        close = CLOSE if seconds_left(self.stop) == math.inf else CLOSER
        for _ in range(MOST_ROUNDS):
            answer = self.program.solve()
            if answer.columns is None or not answer.proven or self.stop():
                break
            value = float(np.concatenate(self.costs) @ answer.columns[self.fixed :])
            bound, fresh = self._certified(answer.prices[: self.grid.n_knots] * self.unit)
            best = max(best, bound)
            highest = max(highest, bound)
            gaps.append(value - highest)
            if len(gaps) > 2 * PATIENCE and gaps[-PATIENCE] - gaps[-1] < close * value:
                break
            if value - best <= close * value or self.stop() or not self._add(fresh):
                break
        return best

    def _certified(self, price: Floats) -> tuple[float, list[Team]]:
        """Return the bound that prices of knots prove, and for each knot the cheapest team with it."""
        grid, problem = self.grid, self.task.problem
        worth = np.zeros(problem.n_lobbies)
        fresh: list[Team] = []
        largest = 0.0
        for number, allowed in enumerate(grid.patterns):
            lobbies = np.flatnonzero(grid.pattern == number)
            items = grid.items(price, allowed)
            highest = grid.highest(items)
            worth[lobbies] = grid.worth(lobbies, highest)
            if not np.isfinite(worth[lobbies]).all():
                return 0.0, []
            largest = max(
                largest, *(float(np.abs(one[np.isfinite(one)]).max(initial=0.0)) for one in highest)
            )
            fresh += self._lacking(allowed, items, highest, grid.cheapest(lobbies, worth))
        prices = grid.block_prices(price)
        bound = total_prices(prices, problem, self.task.waiting)
        bound += lobby_prices(worth, problem, self.task.n_teams)
        rounding = 2.0 * float(np.abs(prices).sum())
        rounding += self.task.n_teams * (problem.team_size + 4) * (largest + float(np.abs(worth).max()))
        return bound - EPSILON * rounding, fresh

    def _lacking(
        self, allowed: Bools, items: Items, highest: list[Floats], least: dict[int, Cheapest]
    ) -> list[Team]:
        """Return for each knot the cheapest team that a block there is in."""
        found: list[Team] = []
        there = [(n, part) for n, part in enumerate(self.grid.classes) if allowed[part.kind]]
        classes = {(part.size, cell): n for n, part in there for cell in part.cells.tolist()}
        for number, part in there:
            for knot in part.knots.tolist():
                best, size, others = np.inf, 0, 0
                for players, (cost, _) in least.items():
                    rest = players - part.size
                    if rest >= 0:
                        price = highest[rest][: len(cost) - knot]
                        reduced = cost[knot : knot + len(price)] - price
                        at = int(reduced.argmin())
                        if reduced[at] < best:
                            best, size, others = float(reduced[at]), players, at
                if np.isfinite(best):
                    partners = _members(classes, items, highest, size - part.size, others)
                    lobby = int(least[size].lobby[knot + others])
                    found.append((lobby, tuple(sorted([(number, knot), *partners]))))
        return found


def _members(
    classes: dict[tuple[int, int], int], items: Items, highest: list[Floats], size: int, total: int
) -> list[tuple[int, int]]:
    """Return the classes and cells of the dearest team of so many players with a total.

    Parameters
    ----------
    classes : dict from (int, int) to int
        A class that has a block of some size at some cell.
    """
    found: list[tuple[int, int]] = []
    while size > 0:
        best, block, cell = -np.inf, 0, 0
        for players, (cells, worth) in items.items():
            if players > size:
                continue
            before = highest[size - players]
            rest: Ints = total - cells
            there = (rest >= 0) & (rest < len(before))
            value = np.where(there, before[np.where(there, rest, 0)] + worth, -np.inf)
            at = int(value.argmax())
            if value[at] > best:
                best, block, cell = float(value[at]), players, int(cells[at])
        found.append((classes[block, cell], cell))
        size, total = size - block, total - cell
    return found
