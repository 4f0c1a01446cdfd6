"""A bound for teams of any size, by column generation over prices of skill.

Players' prices are a function of skill, linear between some knots.  A linear program over teams in parts
chooses the knots' prices; which teams it lacks the :mod:`~equipoise.lobbies.grid` finds, and proves a
bound with the prices of every round.

References
----------
P. C. Gilmore, R. E. Gomory, "A linear programming approach to the cutting-stock problem", Operations
Research 9, 1961; doi:10.1287/opre.9.6.849.
"""

from __future__ import annotations

import numpy as np

from equipoise.arrays import Bools, Floats, Ints
from equipoise.lobbies.bounds import EPSILON, lobby_prices, total_prices
from equipoise.lobbies.grid import BlockGrid, Cheapest, Items
from equipoise.lobbies.problem import WAITING, LobbyTask, Placing
from equipoise.programs import Program
from equipoise.stopping import Stop

#: Knots of a class in large problems and in small ones, of up to so many blocks.
KNOTS, FEW_KNOTS, SMALL = 160, 80, 1_000

#: Rounds of column generation, ten being usual, and those in which the distance must fall by ``CLOSE``.
MOST_ROUNDS, PATIENCE = 40, 4

#: Relative distance of the linear program's value and the bound at which the rounds end.
CLOSE = 0.004

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
        self.grid = BlockGrid(task.problem, KNOTS if task.problem.n_blocks > SMALL else FEW_KNOTS)
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
        for _ in range(MOST_ROUNDS):
            answer = self.program.solve()
            if answer.columns is None or not answer.proven or self.stop():
                break
            value = float(np.concatenate(self.costs) @ answer.columns[self.fixed :])
            bound, fresh = self._certified(answer.prices[: self.grid.n_knots] * self.unit)
            best = max(best, bound)
            highest = max(highest, bound)
            gaps.append(value - highest)
            if len(gaps) > 2 * PATIENCE and gaps[-PATIENCE] - gaps[-1] < CLOSE * value:
                break
            if value - best <= CLOSE * value or self.stop() or not self._add(fresh):
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
