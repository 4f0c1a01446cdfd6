"""``exact``: all teams there could be, by column generation, reduced-cost fixing and an integer program.

The linear program chooses teams in parts; it starts with a good plan's teams and takes in whichever team
its prices call cheap, until none is.  Then the prices prove a bound, and a team whose reduced cost exceeds
the gap between plan and bound is in no better plan.  The few that are left make the integer program: first
those of the lowest reduced costs alone, whose best plan is often so good that no other team matters.
It is solved in reduced costs and in units of the gap, or of a part of the plan's value where the gap is
wider: its tolerances are then less than a billionth of both, for values may differ in their ninth digit.

References
----------
C. Barnhart, E. L. Johnson, G. L. Nemhauser, M. W. P. Savelsbergh, P. H. Vance, "Branch-and-price: column
generation for solving huge integer programs", Operations Research 46, 1998; doi:10.1287/opre.46.3.316.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from equipoise.core.arrays import Floats, Ints
from equipoise.core.linear_programs import TOO_COARSE, Program
from equipoise.core.stopping import seconds_left, share_of
from equipoise.errors import InputError
from equipoise.lobbies.annealing import search
from equipoise.lobbies.problem import WAITING, LobbyProblem, LobbyTask, Placed, Placing
from equipoise.lobbies.quick_bounds import EPSILON, lobby_prices, rounded_up, total_prices

#: Relative difference of values that rounding explains.
RELATIVE = 1e-9

#: Candidates from which annealing looks for a better plan to begin with, and the share of its usual work.
SEARCHED_FROM, SEARCHING = 4_000, 0.25  # effort

#: Columns up to which an integer program is tried where its nodes are limited.
QUICK = 8_000  # effort

#: Columns that come in at a time, for each block.
AT_A_TIME = 4  # effort


#: Columns for each block with which the first integer program is made, and how much further the next reaches.
FEW, GROWTH = 4, 4.0  # effort

#: The unit of an integer program: the gap, but at most this share of the plan's value.  There is another in
#: a smaller unit where it was this many times the gap that is left.
FINE, COARSE = 1.0 / 16.0, 1_000.0  # effort

#: Teams times lobbies up to which they are listed: a gigabyte; and those listed in a second.
MOST_CANDIDATES, A_SECOND = 16_000_000, 1_000_000  # effort


@dataclass(frozen=True)
class Candidates:
    """Teams there could be.

    Parameters
    ----------
    blocks : ndarray of int, shape (n, team_size)
        Their blocks, ascending, -1 for none.
    sizes : ndarray of int, shape (n,)
        Their numbers of players.
    costs : ndarray of float, shape (n, n_lobbies)
        Their deviations in each lobby; infinite where they may not be.
    """

    blocks: Ints
    sizes: Ints
    costs: Floats


@dataclass(frozen=True)
class _Relaxed:
    """A bound, the rows' prices, each column's cost less these, and whether that is the end of it."""

    bound: float
    prices: Floats
    reduced: Floats
    whole: bool


def solve(task: LobbyTask) -> Placed:
    """Return the best placing; without a proof where the time was up.

    Raises
    ------
    InputError
        If there are too many teams to list.
    """
    problem, start = task.problem, task.start
    number = count_candidates(problem)
    if number <= MOST_CANDIDATES and number > A_SECOND * seconds_left(task.stop):
        return Placed(search(problem, start, task.stop), 0.0, proven=False)
    candidates = list_candidates(problem)
    if candidates.costs.size > SEARCHED_FROM:
        start = search(problem, start, share_of(task.stop, SEARCHING), times=SEARCHING)
    value = start.value(problem)
    if value == 0.0 or task.stop():
        return Placed(start, 0.0, proven=value == 0.0)
    unit = value / task.n_teams
    relaxed = _relax(task, candidates, start, unit)
    bound = min(rounded_up(problem, max(relaxed.bound, 0.0), task.n_teams, task.waiting), value)
    if value - bound <= RELATIVE * value:
        return Placed(start, value, proven=True)
    if relaxed.whole:
        return _whole(task, candidates, relaxed, start, unit)
    return Placed(start, bound, proven=False)


def _limits(task: LobbyTask) -> tuple[Floats, Floats]:
    """Return the limits of the rows: for blocks, lobbies, the number of teams, and of players."""
    problem = task.problem
    fits = problem.size <= problem.team_size
    blocks = np.where(fits & (task.waiting == 0), 1.0, 0.0)
    # Where all teams are of one size, the number of players says nothing new.
    seated = 0 if problem.equal_sizes else problem.n_players - task.waiting
    low = np.concatenate([blocks, problem.least, [task.n_teams, seated]])
    high = np.concatenate([np.ones(problem.n_blocks), problem.most, [task.n_teams, seated]])
    return low.astype(np.float64), high.astype(np.float64)


def _add(
    program: Program,
    task: LobbyTask,
    candidates: Candidates,
    chosen: tuple[Ints, Ints],
    costs: Floats,
    *,
    whole: bool = False,
) -> None:
    """Add some teams in some lobbies with their costs."""
    problem = task.problem
    team, lobby = chosen
    blocks = candidates.blocks[team]
    n, first = len(team), problem.n_blocks
    total = first + problem.n_lobbies
    rows = np.concatenate(
        [blocks, np.stack([first + lobby, np.full(n, total), np.full(n, total + 1)], axis=1)], axis=1
    )
    values = np.ones(rows.shape)
    values[:, -1] = 0.0 if problem.equal_sizes else candidates.sizes[team]
    program.add(costs, rows, values, whole=whole)


def _start_columns(task: LobbyTask, candidates: Candidates, placing: Placing) -> tuple[Ints, Ints]:
    """Return where a placing's teams stand among the candidates, and their lobbies."""
    base, lobby = task.problem.n_blocks + 1, placing.lobby.astype(np.int64)
    weights = (
        base ** np.arange(candidates.blocks.shape[1]) if base ** candidates.blocks.shape[1] < 2**62 else None
    )
    members: list[list[int]] = [[] for _ in placing.lobby]
    for block, team in enumerate(placing.team.tolist()):
        if team != WAITING:
            members[team].append(block)
    width = candidates.blocks.shape[1]
    rows = np.array([team + [-1] * (width - len(team)) for team in members])
    if weights is not None:
        keys, mine = (candidates.blocks + 1) @ weights, (rows + 1) @ weights
        order = np.argsort(keys, kind="stable")
        return order[np.searchsorted(keys[order], mine)], lobby
    place = {tuple(row): n for n, row in enumerate(candidates.blocks.tolist())}
    return np.array([place[tuple(row)] for row in rows.tolist()]), lobby


def _relax(task: LobbyTask, candidates: Candidates, placing: Placing, unit: float) -> _Relaxed:
    """Solve the linear program, or as much of it as there is time for."""
    program = Program(*_limits(task), task.stop)
    known = np.zeros(candidates.costs.shape, dtype=np.bool_)
    chosen = _start_columns(task, candidates, placing)
    best = _Relaxed(0.0, np.zeros(0), candidates.costs, whole=False)
    while True:
        known[chosen] = True
        _add(program, task, candidates, chosen, candidates.costs[chosen] / unit)
        answer = program.solve()
        if answer.columns is None or not answer.proven or task.stop():
            return best
        prices = answer.prices * unit
        reduced, bound = _price(task, candidates, prices)
        fresh = np.where(known, np.inf, reduced)
        if not fresh.min() < -RELATIVE * unit * 100:
            return _Relaxed(bound, prices, reduced, whole=True)
        if bound > best.bound:
            best = _Relaxed(bound, prices, reduced, whole=False)
        chosen = _cheapest(candidates, fresh, -RELATIVE * unit * 100)


def _price(task: LobbyTask, candidates: Candidates, prices: Floats) -> tuple[Floats, float]:
    """Return each column's reduced cost, and the bound the prices prove whatever they are."""
    problem = task.problem
    n = problem.n_blocks
    block = np.append(prices[:n], 0.0)
    lobby, team, player = prices[n : n + problem.n_lobbies], prices[-2], prices[-1]
    if problem.equal_sizes:
        player = 0.0
    own = block[candidates.blocks].sum(axis=1) + team + player * candidates.sizes
    reduced = candidates.costs - own[:, None] - lobby
    fitting = np.where(problem.size <= problem.team_size, block[:-1], 0.0)
    total = total_prices(fitting, problem, task.waiting)
    seated = problem.n_players - task.waiting
    bound = total + lobby_prices(lobby, problem, task.n_teams) + task.n_teams * team + player * seated
    # The linear program's tolerance: no plan has more teams than this to gain by.
    bound += task.n_teams * min(float(reduced.min()), 0.0)
    size = float(np.abs(prices).sum()) + task.n_teams * (abs(float(team)) + float(np.abs(lobby).max()))
    return reduced, float(bound - EPSILON * size)


def _cheapest(candidates: Candidates, reduced: Floats, limit: float) -> tuple[Ints, Ints]:
    """Return the columns to take in: below the limit, the cheapest for each of their blocks."""
    team, lobby = np.nonzero(reduced < limit)
    order = np.argsort(reduced[team, lobby], kind="stable")
    team, lobby = team[order], lobby[order]
    rank = np.zeros(len(team), dtype=np.int64)
    least = np.full(len(team), len(team), dtype=np.int64)
    for place in range(candidates.blocks.shape[1]):
        block = candidates.blocks[team, place]
        by_block = np.argsort(block, kind="stable")
        first = np.searchsorted(block[by_block], block[by_block])
        rank[by_block] = np.arange(len(team)) - first
        least = np.where(block >= 0, np.minimum(least, rank), least)
    keep = least < AT_A_TIME
    return team[keep], lobby[keep]


def _whole(task: LobbyTask, candidates: Candidates, relaxed: _Relaxed, start: Placing, unit: float) -> Placed:
    """Return the best plan by integer programs over the columns that a better one can have, few at first."""
    problem = task.problem
    value, bound = start.value(problem), min(max(relaxed.bound, 0.0), start.value(problem))
    slack = RELATIVE * unit * 100
    needed = enough = (value - relaxed.bound) * (1.0 + 1e-6) + slack
    few = FEW * problem.n_blocks
    if task.nodes is None and few < relaxed.reduced.size:
        enough = min(enough, float(np.partition(relaxed.reduced, few, axis=None)[few]) + slack)
    while True:
        unit = min(needed, max(FINE * value, slack))
        found, proven = _choose(task, candidates, relaxed, enough, unit)
        if found is not None and found.value(problem) < value:
            start, value = found, found.value(problem)
        needed = (value - relaxed.bound) * (1.0 + 1e-6) + slack
        if value == 0.0:
            return Placed(start, 0.0, proven=True)
        if not proven or (needed <= enough and unit <= min(COARSE * needed, max(TOO_COARSE * value, slack))):
            return Placed(start, value if proven else min(bound, value), proven)
        enough = min(needed, GROWTH * enough)


def _choose(
    task: LobbyTask, candidates: Candidates, relaxed: _Relaxed, enough: float, unit: float
) -> tuple[Placing | None, bool]:
    """Return the best plan of columns with such reduced costs, None without, and whether that is proven."""
    team, lobby = np.nonzero(relaxed.reduced <= enough)
    if task.nodes is not None and len(team) > QUICK:
        return None, False
    # A row that may have more than one value costs its price for every step from the one it would have.
    low, high = _limits(task)
    price, room = relaxed.prices, high - low
    fixed = np.where(price > 0.0, low, high)
    program = Program(fixed, fixed, task.stop, strict=True)
    _add(program, task, candidates, (team, lobby), relaxed.reduced[team, lobby] / unit, whole=True)
    steps = np.flatnonzero((room > 0.0) & (np.abs(price) <= enough))
    program.add(
        np.abs(price[steps]) / unit,
        steps[:, None],
        np.where(price[steps] > 0.0, -1.0, 1.0)[:, None],
        room[steps],
    )
    answer = program.solve(nodes=task.nodes)
    if answer.columns is None:
        return None, answer.proven
    taken = np.flatnonzero(answer.columns[: len(team)] > 0.5)
    of_block = np.full(task.problem.n_blocks, WAITING, dtype=np.int64)
    blocks = candidates.blocks[team[taken]]
    there = blocks >= 0
    of_block[blocks[there]] = np.nonzero(there)[0]
    return Placing.of(of_block, lobby[taken]), answer.proven


def count_candidates(problem: LobbyProblem) -> int:
    """Return how many teams there could be, times lobbies; bars left out of account."""
    # The generating function of block sizes: ways[s] sets of blocks have s players.
    ways = [1] + [0] * problem.team_size
    for size in range(1, problem.team_size + 1):
        blocks = int((problem.size == size).sum())
        before = ways
        ways = [
            sum(before[total - k * size] * math.comb(blocks, k) for k in range(total // size + 1))
            for total in range(problem.team_size + 1)
        ]
    return sum(ways[problem.min_size :]) * problem.n_lobbies


def list_candidates(problem: LobbyProblem) -> Candidates:
    """Return all teams there could be.

    Raises
    ------
    InputError
        If there are too many.
    """
    number = count_candidates(problem)
    if number > MOST_CANDIDATES:
        msg = (
            f"solver: 'exact' would have to list {number:.3g} teams and lobbies, but at most "
            f"{MOST_CANDIDATES} are listed; 'large' has no such limit"
        )
        raise InputError(msg)
    fitting = np.flatnonzero(problem.size <= problem.team_size)
    blocks = np.full((1, 0), -1, dtype=np.int64)
    last, sizes = np.full(1, -1), np.zeros(1, dtype=np.int64)
    parts = []
    for depth in range(problem.team_size):
        row, more = np.nonzero(
            (np.arange(len(fitting))[None, :] > last[:, None])
            & (sizes[:, None] + problem.size[fitting][None, :] <= problem.team_size)
        )
        blocks = np.concatenate([blocks[row], fitting[more][:, None]], axis=1)
        last, sizes = more, sizes[row] + problem.size[fitting[more]]
        done = sizes >= problem.min_size
        padding = np.full((int(done.sum()), problem.team_size - depth - 1), -1, dtype=np.int64)
        parts.append((np.concatenate([blocks[done], padding], axis=1), sizes[done]))
        open_teams = sizes < problem.team_size
        blocks, last, sizes = blocks[open_teams], last[open_teams], sizes[open_teams]
    members, players = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    there = members >= 0
    totals = np.where(there, problem.skill[members], 0.0).sum(axis=1)
    costs = problem.deviations(totals[:, None], players[:, None], problem.target)
    allowed = np.where(there[:, :, None], problem.may[problem.kind[members]], True).all(axis=1)
    return Candidates(members, players, np.where(allowed, costs, np.inf))
