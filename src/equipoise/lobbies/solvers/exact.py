"""``exact``: all teams there could be, by column generation, reduced-cost fixing and an integer program.

The linear program chooses teams in parts; it starts with a good plan's teams and takes in whichever team
its prices call cheap, until none is.  Then the prices prove a bound, and a team whose reduced cost exceeds
the gap between plan and bound is in no better plan.  The few that are left make the integer program.

References
----------
C. Barnhart, E. L. Johnson, G. L. Nemhauser, M. W. P. Savelsbergh, P. H. Vance, "Branch-and-price: column
generation for solving huge integer programs", Operations Research 46, 1998; doi:10.1287/opre.46.3.316.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equipoise.arrays import Floats, Ints
from equipoise.lobbies.bounding import place_and_bound
from equipoise.lobbies.bounds import EPSILON, lobby_prices, total_prices
from equipoise.lobbies.candidates import Candidates, list_candidates
from equipoise.lobbies.problem import WAITING, LobbyTask, Placed, Placing
from equipoise.programs import Program

#: Relative difference of values that rounding explains.
RELATIVE = 1e-9

#: Columns that come in at a time, for each block.
AT_A_TIME = 4


@dataclass(frozen=True)
class _Relaxed:
    """The end of the column generation: a bound and what each column's cost exceeds its prices by."""

    bound: float
    reduced: Floats


def solve(task: LobbyTask) -> Placed:
    """Return the best placing; without a proof where the time was up.

    Raises
    ------
    InputError
        If there are too many teams to list.
    """
    candidates = list_candidates(task.problem)
    start = place_and_bound(task, task.start)
    if start.proven or task.stop():
        return start
    problem = task.problem
    value = start.placing.value(problem)
    unit = value / task.n_teams
    relaxed = _relax(task, candidates, start.placing, unit)
    if relaxed is None:
        return start
    bound = min(max(start.bound, relaxed.bound), value)
    if value - bound <= RELATIVE * value:
        return Placed(start.placing, value, proven=True)
    found = _choose(task, candidates, relaxed, value - relaxed.bound, unit)
    if found is None:
        return Placed(start.placing, bound, proven=False)
    placing, proven = found
    if placing is None or placing.value(problem) > value:
        placing = start.placing
    value = placing.value(problem)
    return Placed(placing, value if proven else min(bound, value), proven)


def _program(task: LobbyTask) -> Program:
    """Return the program without columns: rows for blocks, lobbies, the number of teams, and of players."""
    problem = task.problem
    fits = problem.size <= problem.team_size
    blocks = np.where(fits & (task.waiting == 0), 1.0, 0.0)
    seated = problem.n_players - task.waiting
    low = np.concatenate([blocks, problem.least, [task.n_teams, seated]])
    high = np.concatenate([np.ones(problem.n_blocks), problem.most, [task.n_teams, seated]])
    return Program(low.astype(np.float64), high.astype(np.float64), task.stop)


def _add(
    program: Program,
    task: LobbyTask,
    candidates: Candidates,
    chosen: tuple[Ints, Ints],
    unit: float,
    *,
    whole: bool,
) -> None:
    problem = task.problem
    team, lobby = chosen
    blocks = candidates.blocks[team]
    n, first = len(team), problem.n_blocks
    total = first + problem.n_lobbies
    rows = np.concatenate(
        [blocks, np.stack([first + lobby, np.full(n, total), np.full(n, total + 1)], axis=1)], axis=1
    )
    values = np.ones(rows.shape)
    # Where all teams are of one size, the number of players says nothing new.
    values[:, -1] = 0.0 if problem.equal_sizes else candidates.sizes[team]
    program.add(candidates.costs[team, lobby] / unit, rows, values, whole=whole)


def _start_columns(task: LobbyTask, candidates: Candidates, placing: Placing) -> tuple[Ints, Ints]:
    """Return where a placing's teams stand among the candidates, and their lobbies."""
    base = task.problem.n_blocks + 1
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
        return order[np.searchsorted(keys[order], mine)], placing.lobby
    place = {tuple(row): n for n, row in enumerate(candidates.blocks.tolist())}
    return np.array([place[tuple(row)] for row in rows.tolist()]), placing.lobby


def _relax(task: LobbyTask, candidates: Candidates, placing: Placing, unit: float) -> _Relaxed | None:
    """Solve the linear program; None where the time was up."""
    problem = task.problem
    program = _program(task)
    if problem.equal_sizes:
        program.change_row(problem.n_blocks + problem.n_lobbies + 1, 0.0, 0.0)
    known = np.zeros(candidates.costs.shape, dtype=np.bool_)
    chosen = _start_columns(task, candidates, placing)
    while True:
        known[chosen] = True
        _add(program, task, candidates, chosen, unit, whole=False)
        answer = program.solve()
        if answer.columns is None or not answer.proven or task.stop():
            return None
        prices = answer.prices * unit
        reduced, bound = _price(task, candidates, prices)
        fresh = np.where(known, np.inf, reduced)
        if not fresh.min() < -RELATIVE * unit * 100:
            return _Relaxed(bound, reduced)
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
    return reduced, bound - EPSILON * size


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


def _choose(
    task: LobbyTask, candidates: Candidates, relaxed: _Relaxed, gap: float, unit: float
) -> tuple[Placing | None, bool] | None:
    """Solve the integer program over the columns a better plan can have."""
    program = _program(task)
    if task.problem.equal_sizes:
        program.change_row(task.problem.n_blocks + task.problem.n_lobbies + 1, 0.0, 0.0)
    team, lobby = np.nonzero(relaxed.reduced <= gap * (1.0 + 1e-6) + RELATIVE * unit * 100)
    _add(program, task, candidates, (team, lobby), unit, whole=True)
    answer = program.solve(gap=RELATIVE * task.n_teams)
    if answer.columns is None:
        return (None, True) if answer.proven else None
    taken = np.flatnonzero(answer.columns > 0.5)
    of_block = np.full(task.problem.n_blocks, WAITING, dtype=np.int64)
    blocks = candidates.blocks[team[taken]]
    there = blocks >= 0
    of_block[blocks[there]] = np.nonzero(there)[0]
    return Placing(of_block, lobby[taken]), answer.proven
