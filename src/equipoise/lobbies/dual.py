"""A bound for teams of any size, by column generation over bins of skill.

The prices of players are a function of skill, linear between some knots.  A linear program over teams in
parts chooses the knots' prices; which teams it lacks is found by convolution: the highest price that a team
of so many players with such a total can have, on a fine grid of totals.  The same convolution turns any
prices into a true bound: what the cheapest team of a lobby costs, less its players' prices, is what a team in
that lobby is worth (weak duality).  A player stands for all within half a cell of the grid, so each
cost is the least of all totals that a team's cells can stand for.

References
----------
P. C. Gilmore, R. E. Gomory, "A linear programming approach to the cutting-stock problem", Operations
Research 9, 1961; doi:10.1287/opre.9.6.849.
P. Wentges, "Weighted Dantzig-Wolfe decomposition for linear mixed-integer programming", International
Transactions in Operational Research 4, 1997, for the smoothing of prices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equipoise.arrays import Bools, Floats, Ints
from equipoise.compiled import compiled, pays
from equipoise.lobbies.bounds import EPSILON, lobby_prices, total_prices
from equipoise.lobbies.dual_kernels import add_one
from equipoise.lobbies.problem import WAITING, LobbyProblem, Placing
from equipoise.programs import Program
from equipoise.stopping import Stop

#: Work of one convolution from which loading the compiled kernel pays.
COMPILED_FROM = 2_000_000


@dataclass(frozen=True)
class _Class:
    """Blocks of one size that may be in the same lobbies."""

    size: int
    kind: int
    blocks: Ints  # which they are
    cell: Ints  # their totals on the grid
    knots: Ints  # cells, ascending
    first: int  # the row of the first knot

    def weights(self, cell: Ints) -> tuple[Ints, Floats]:
        """Return the two rows of each cell, and the weight of the second."""
        last = max(len(self.knots) - 2, 0)
        at = np.clip(np.searchsorted(self.knots, cell, "right") - 1, 0, last)
        if len(self.knots) == 1:
            return self.first + at, np.zeros(len(cell))
        low, high = self.knots[at], self.knots[at + 1]
        return self.first + at, (cell - low) / (high - low)


class Grid:
    """Blocks on a grid of totals: a block of s players is at ``s * base + cell * step``, nearly.

    Parameters
    ----------
    problem : LobbyProblem
        What is divided; bars count where there are few kinds of them.
    cells : int
        How many cells the skills of single players have.
    knots : int
        How many knots the prices of single players have.
    """

    def __init__(self, problem: LobbyProblem, cells: int, knots: int) -> None:
        self.problem = problem
        fits = np.flatnonzero(problem.size <= problem.team_size)
        each = problem.skill[fits] / problem.size[fits]
        self.base = float(each.min())
        offset = problem.skill - problem.size * self.base
        self.step = _step(offset[fits], float(each.max()) - self.base, cells)
        cell = np.rint(offset / self.step).astype(np.int64)
        #: How far a block may be from its cell, rounding included.
        reach = float(np.abs(problem.skill[fits]).max()) + abs(self.base) * problem.team_size
        self.away = float(np.abs(offset - cell * self.step)[fits].max()) + 8.0 * EPSILON * reach
        self.classes: list[_Class] = []
        self.patterns = _patterns(problem)
        kind = problem.kind if self.patterns.shape[1] == len(problem.may) else np.zeros_like(problem.kind)
        rows = 0
        for size, which in np.unique(np.stack([problem.size[fits], kind[fits]], 1), axis=0).tolist():
            blocks = fits[(problem.size[fits] == size) & (kind[fits] == which)]
            chosen = _knots(np.sort(cell[blocks]), knots)
            self.classes.append(_Class(size, which, blocks, cell[blocks], chosen, rows))
            rows += len(chosen)
        self.n_knots = rows
        sizes = range(problem.min_size, problem.team_size + 1)
        width = max(int((part.cell.max()) * problem.team_size // part.size) + 1 for part in self.classes) + 1
        totals = np.arange(width * 1, dtype=np.float64) * self.step
        #: The least cost of each team size, lobby and total on the grid.
        self.cost = {size: self._costs(size, totals) for size in sizes}
        self.width = width

    def _costs(self, size: int, totals: Floats) -> Floats:
        problem = self.problem
        target = problem.target * (size if problem.per_player else 1)
        away = np.abs(totals + size * self.base - target[:, None])
        away = np.maximum(away - size * self.away, 0.0) / (size if problem.per_player else 1)
        return away if problem.absolute else away * away

    def by_cell(self, price: Floats, pattern: int) -> dict[int, tuple[Ints, Floats]]:
        """Return cells and prices of single blocks of each size that may be in lobbies of a pattern."""
        found: dict[int, tuple[Ints, Floats]] = {}
        for part in self.classes:
            if not self.patterns[pattern, part.kind]:
                continue
            cell = np.unique(part.cell)
            worth = self.price_of(part, cell, price)
            if part.size in found:
                both = np.concatenate([found[part.size][0], cell])
                prices = np.concatenate([found[part.size][1], worth])
                order = np.lexsort((-prices, both))
                both, prices = both[order], prices[order]
                keep = np.append(True, both[1:] != both[:-1])
                cell, worth = both[keep], prices[keep]
            found[part.size] = (cell, worth)
        return found

    @staticmethod
    def price_of(part: _Class, cell: Ints, price: Floats) -> Floats:
        """Return the prices of blocks of a class at some cells."""
        return np.asarray(np.interp(cell, part.knots, price[part.first : part.first + len(part.knots)]))

    def highest(self, items: dict[int, tuple[Ints, Floats]]) -> list[Floats]:
        """Return for each number of players and total the highest price of so many; minus infinity for none."""
        best = [np.zeros(1)]
        run = None
        for size in range(1, self.problem.team_size + 1):
            now = np.full(self.width, -np.inf)
            longest = 0
            for block, (cell, worth) in items.items():
                if block <= size:
                    before = best[size - block]
                    if run is None:
                        run = compiled(add_one) if pays(len(cell) * self.width, COMPILED_FROM) else add_one
                    run(now, before, cell, worth)
                    longest = max(longest, len(before) + int(cell.max()))
            best.append(now[:longest] if longest else now[:1])
        return best


def _step(offset: Floats, span: float, cells: int) -> float:
    """Return the grid's step: that of a lattice on which all are, if it is coarse enough, else an even one."""
    if span <= 0.0:
        return 1.0
    step = span / cells
    unit = 1.0
    while span / unit > cells * 8 and unit < 1e15:
        unit *= 10.0
    for lattice in (unit, unit / 2.0, unit / 10.0, unit / 20.0, unit / 100.0):
        if span / lattice <= cells * 8 and bool((offset % lattice == 0.0).all()):
            return lattice
    return step


def _knots(cell: Ints, knots: int) -> Ints:
    """Return cells where prices are free, half of them evenly spaced, half with equally many blocks between."""
    half = np.linspace(0.0, 1.0, max(knots // 2, 2))
    even = cell[0] + half * (cell[-1] - cell[0])
    # Only where there are blocks on both sides: the nearest cells that have one.
    near = cell[np.clip(np.searchsorted(cell, even), 0, len(cell) - 1)]
    ranked = cell[np.rint(half * (len(cell) - 1)).astype(np.int64)]
    return np.unique(np.concatenate([near, ranked]))


def _patterns(problem: LobbyProblem) -> Bools:
    """Return which kinds may be in a lobby, shape (n_lobbies, n_kinds); all may where there are many kinds."""
    if not problem.barred or len(problem.may) > 8:
        return np.ones((problem.n_lobbies, 1), dtype=np.bool_)
    return np.asarray(problem.may.T)


@dataclass(frozen=True)
class Dual:
    """Prices, the bound that they prove, and what the linear program's solution is.

    Parameters
    ----------
    price : ndarray of float, shape (n_knots,)
        At each knot.
    bound : float
        What no plan is below.
    teams : list of tuples
        For each team of the solution lobby, the classes and cells of its blocks, and how many there are.
    """

    price: Floats
    bound: float
    value: float
    teams: list[tuple[int, tuple[tuple[int, int], ...], float]]


class Generation:
    """Column generation."""

    def __init__(self, grid: Grid, n_teams: int, waiting: int, stop: Stop) -> None:
        self.grid, self.n_teams, self.waiting, self.stop = grid, n_teams, waiting, stop
        problem = grid.problem
        supply = np.zeros(grid.n_knots)
        for part in grid.classes:
            row, share = part.weights(part.cell)
            np.add.at(supply, row, 1.0 - share)
            np.add.at(supply, np.minimum(row + 1, grid.n_knots - 1), share)
        low = np.concatenate([supply, problem.least, [n_teams], [waiting]])
        high = np.concatenate([supply, problem.most, [n_teams], [waiting]])
        self.program = Program(low.astype(np.float64), high.astype(np.float64), stop)
        self.first_lobby = grid.n_knots
        self.supply = supply
        self.teams: list[tuple[int, tuple[tuple[int, int], ...]]] = []
        self.known: set[tuple[int, tuple[tuple[int, int], ...]]] = set()
        self.unit = 1.0
        self.n_fixed = 0

    def begin(self, placing: Placing) -> None:
        problem, grid = self.grid.problem, self.grid
        self.unit = max(placing.value(problem) / self.n_teams, 1e-300)
        total = self.first_lobby + problem.n_lobbies
        n = grid.n_knots
        size = np.concatenate([np.full(len(part.knots), part.size) for part in grid.classes])
        # Slack at a high price, so that there always is a solution; those who wait.
        big = 1e4
        rows = np.stack([np.arange(n), np.full(n, -1)], axis=1)
        for sign in (1.0, -1.0):
            self.program.add(np.full(n, big), rows, np.full(rows.shape, sign))
        self.n_fixed = 2 * n
        if self.waiting:
            rows[:, 1] = total + 1
            values = np.stack([np.ones(n), size.astype(np.float64)], axis=1)
            self.program.add(np.zeros(n), rows, values)
            self.n_fixed += n
        else:
            self.program.change_row(total + 1, 0.0, 0.0)
        whose = np.full(problem.n_blocks, -1)
        cell = np.zeros(problem.n_blocks, dtype=np.int64)
        for number, part in enumerate(grid.classes):
            whose[part.blocks] = number
            cell[part.blocks] = part.cell
        teams: list[list[tuple[int, int]]] = [[] for _ in placing.lobby]
        for block, team in enumerate(placing.team.tolist()):
            if team != WAITING:
                teams[team].append((int(whose[block]), int(cell[block])))
        self.add([(int(l), tuple(sorted(team))) for l, team in zip(placing.lobby, teams, strict=True)])

    def add(self, teams: list[tuple[int, tuple[tuple[int, int], ...]]]) -> int:
        teams = [team for team in dict.fromkeys(teams) if team not in self.known]
        if not teams:
            return 0
        grid, problem = self.grid, self.grid.problem
        self.known.update(teams)
        self.teams += teams
        width = problem.team_size
        rows = np.full((len(teams), 2 * width + 2), -1, dtype=np.int64)
        values = np.zeros(rows.shape)
        cost = np.zeros(len(teams))
        which = np.full((len(teams), width), -1)
        cells = np.zeros((len(teams), width), dtype=np.int64)
        sizes = np.zeros(len(teams), dtype=np.int64)
        for n, (lobby, team) in enumerate(teams):
            for k, (part, cell) in enumerate(team):
                which[n, k], cells[n, k] = part, cell
                sizes[n] += grid.classes[part].size
        for number, part in enumerate(grid.classes):
            n, k = np.nonzero(which == number)
            row, share = part.weights(cells[n, k])
            rows[n, 2 * k], values[n, 2 * k] = row, 1.0 - share
            rows[n, 2 * k + 1], values[n, 2 * k + 1] = np.minimum(row + 1, grid.n_knots - 1), share
        lobbies = np.array([lobby for lobby, _ in teams])
        rows[:, -2], rows[:, -1] = self.first_lobby + lobbies, self.first_lobby + problem.n_lobbies
        values[:, -2:] = 1.0
        totals = cells.sum(axis=1)
        for size in np.unique(sizes).tolist():
            of = sizes == size
            cost[of] = grid.cost[size][lobbies[of], totals[of]]
        self.program.add(cost / self.unit, rows, values)
        return len(teams)

    def solve(self, rounds: int, close: float) -> Dual | None:
        best: Dual | None = None
        grid = self.grid
        for number in range(rounds):
            answer = self.program.solve()
            if answer.columns is None or not answer.proven or self.stop():
                break
            duals = answer.prices * self.unit
            value = float(answer.columns[: 2 * grid.n_knots].sum() * 1e4)
            price = duals[: grid.n_knots]
            if best is not None and self.smooth > 0.0:
                price = self.smooth * best.price + (1.0 - self.smooth) * price
            bound, fresh = self.certified(price)
            lp = float(self.lp_value(answer.columns))
            if self.trace:
                print(number, 'lp', lp, 'slack', value, 'bound', bound, 'best', best.bound if best else 0, 'cols', len(self.teams), round(__import__('time').perf_counter() - self.t0, 2))
            if best is None or bound > best.bound:
                best = Dual(price, bound, lp, [])
            if lp - best.bound <= close * lp:
                break
            if not self.add(fresh):
                if self.smooth == 0.0: break
                self.smooth = 0.0
        return best

    smooth = 0.0
    trace = False
    t0 = 0.0

    def lp_value(self, columns: Floats) -> float:
        grid = self.grid
        cost = np.array([grid.cost[sum(grid.classes[p].size for p, _ in team)][lobby, sum(c for _, c in team)] for lobby, team in self.teams])
        return float(cost @ columns[self.n_fixed :])

    def certified(self, price: Floats) -> tuple[float, list[tuple[int, tuple[tuple[int, int], ...]]]]:
        """Return the bound of prices at the knots, and the cheapest team with each knot."""
        grid, problem = self.grid, self.grid.problem
        worth = np.zeros(problem.n_lobbies)
        fresh: list[tuple[int, tuple[tuple[int, int], ...]]] = []
        patterns, of = np.unique(grid.patterns, axis=0, return_inverse=True)
        of = np.asarray(of).reshape(-1)
        largest = 0.0
        for pattern in range(len(patterns)):
            lobbies = np.flatnonzero(of == pattern)
            items = grid.by_cell(price, int(lobbies[0]))
            high = grid.highest(items)
            lowest = {}
            for lobby in lobbies:
                worth[lobby] = min(
                    float((grid.cost[size][lobby, : len(high[size])] - high[size]).min()) for size in grid.cost
                )
            largest = max(largest, max(float(np.abs(h[np.isfinite(h)]).max(initial=0.0)) for h in high))
            for size, cost in grid.cost.items():
                reduced = cost[lobbies] - worth[lobbies, None]
                arg = reduced.argmin(axis=0)
                lowest[size] = (reduced.min(axis=0), lobbies[arg])
            fresh += self._cheapest(price, items, high, lowest, int(lobbies[0]))
        prices = np.zeros(problem.n_blocks)
        for part in grid.classes:
            prices[part.blocks] = grid.price_of(part, part.cell, price)
        total = total_prices(prices, problem, self.waiting)
        bound = total + lobby_prices(worth, problem, self.n_teams)
        error = EPSILON * (float(np.abs(prices).sum()) * 2 + self.n_teams * 8.0 * (largest + float(np.abs(worth).max())))
        return bound - error, fresh

    def _cheapest(self, price, items, high, lowest, lobby_of_pattern):
        grid = self.grid
        fresh = []
        for number, part in enumerate(grid.classes):
            if not grid.patterns[lobby_of_pattern, part.kind]:
                continue
            own = price[part.first : part.first + len(part.knots)]
            for knot, mine in zip(part.knots.tolist(), own.tolist(), strict=True):
                best = (np.inf, 0, 0)
                for size, (least, _) in lowest.items():
                    rest = size - part.size
                    if rest < 0:
                        continue
                    h = high[rest]
                    r = least[knot : knot + len(h)] - h[: len(least) - knot]
                    at = int(r.argmin())
                    if r[at] < best[0]:
                        best = (float(r[at]), size, at)
                if not np.isfinite(best[0]):
                    continue
                _, size, at = best
                lobby = int(lowest[size][1][knot + at])
                team = [(number, knot), *self._members(items, high, size - part.size, at, lobby_of_pattern)]
                fresh.append((lobby, tuple(sorted(team))))
        return fresh

    def _members(self, items, high, size, total, pattern):
        """Return the blocks of the dearest team of so many players with a total."""
        found = []
        while size > 0:
            best = (-np.inf, 0, 0)
            for block, (cell, worth) in items.items():
                if block > size:
                    continue
                before = high[size - block]
                rest = total - cell
                there = (rest >= 0) & (rest < len(before))
                value = np.where(there, before[np.clip(rest, 0, len(before) - 1)] + worth, -np.inf)
                at = int(value.argmax())
                if value[at] > best[0]:
                    best = (float(value[at]), block, int(cell[at]))
            _, block, cell = best
            for number, part in enumerate(self.grid.classes):
                if part.size == block and self.grid.patterns[pattern, part.kind] and (part.cell == cell).any():
                    found.append((number, cell))
                    break
            size -= block
            total -= cell
        return found
