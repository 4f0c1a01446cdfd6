"""Annealing: random exchanges, worse ones too at first, in which everything may change but who must not.

Blocks of one size change places, those who wait included; blocks of several sizes do, as many players each
way; teams change lobbies, alone or with one another.

Then the worst teams are annealed once more, with some others and without the rest: among hundreds of teams
two that could help each other hardly meet by chance.  Among the worst and a few others they do at once:
where skills are whole numbers, most last deviations go.

References
----------
P. Shaw, "Using constraint programming and local search methods to solve vehicle routing problems",
Principles and Practice of Constraint Programming, 1998; doi:10.1007/3-540-49481-2_30: a part of the solution
is taken apart and put together better, again and again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from equipoise.core.arrays import Bools, Floats, Ints
from equipoise.core.compiled import chosen
from equipoise.core.stopping import Stop, never, seconds_left
from equipoise.lobbies.kernels import (
    LOOKED_AT,
    MODULUS,
    MOST_TAKEN,
    LobbyBlocks,
    LobbyColumns,
    LobbyNumbers,
    LobbyTeams,
    anneal,
)
from equipoise.lobbies.problem import WAITING, LobbyProblem, Placing
from equipoise.lobbies.quick_bounds import spread_evenly

#: Steps of one call of the kernel, compiled and plain: some milliseconds, after which it is asked whether to
#: stop; and how many a second has at least, by which searches with a limit of time are cut.
CHUNK, PLAIN_CHUNK = 50_000, 2_000  # effort
SPEED, PLAIN_SPEED = 4e6, 1e5  # effort

#: Steps from which loading the compiled kernel pays.
COMPILED_FROM = 200_000  # effort

#: How many distances and exponential draws there are to choose from.
TABLE = 4_096


class Annealing:
    """A placing that is changed at random.

    Parameters
    ----------
    problem : LobbyProblem
        What is divided.
    placing : Placing
        Where it begins.
    seed : int
        Of the only randomness.
    work : float
        How many steps there will be in all.
    stop : callable
        When it holds, an approach to it is enough: numba is not loaded where that would take longer.
    """

    def __init__(
        self, problem: LobbyProblem, placing: Placing, seed: int, work: float, stop: Stop = never
    ) -> None:
        self.problem = problem
        self._kernel = chosen(anneal, work, COMPILED_FROM, seconds_left(stop))
        self.plain = self._kernel is anneal
        n_teams = len(placing.lobby)
        rng = np.random.default_rng(seed)
        self._state = int(rng.integers(1, MODULUS))
        self._doors = rng.exponential(1.0, TABLE)
        order = np.lexsort((problem.skill, problem.size))
        size = problem.size[order]
        most = int((np.searchsorted(size, size, "right") - np.searchsorted(size, size)).max())
        # Near partners as often as far ones: a step's length is uniform in its logarithm.
        self._reach = np.exp(rng.uniform(0.0, math.log(max(most, 2)), TABLE)).astype(np.int64)
        self._rules = LobbyNumbers(
            n_blocks=problem.n_blocks, n_teams=n_teams, n_lobbies=problem.n_lobbies,
            team_size=problem.team_size, min_size=problem.min_size, absolute=problem.absolute,
            per_player=problem.per_player, barred=problem.barred,
            mixed=_mixes(problem, placing),
            free=problem.n_lobbies > 1,
        )  # fmt: skip
        place = np.empty(problem.n_blocks, dtype=np.int64)
        place[order] = np.arange(problem.n_blocks)
        first, last = np.searchsorted(size, problem.size), np.searchsorted(size, problem.size, "right")
        self._columns = (order, place, first.astype(np.int64), last.astype(np.int64))
        may = np.concatenate([problem.may, np.ones((len(problem.may), 1), dtype=np.bool_)], axis=1)
        self._may = may.reshape(-1)
        self.begin(placing)

    def begin(self, placing: Placing, *, free: bool = True) -> None:
        """Go on from a placing with as many teams; only if free may the lobbies' numbers of teams change."""
        problem, n_teams = self.problem, len(placing.lobby)
        order, place, first, last = self._columns
        team = np.where(placing.team == WAITING, n_teams, placing.team).astype(np.int64)
        by_team = np.argsort(team, kind="stable")
        held = np.bincount(team, minlength=n_teams + 1).astype(np.int64)
        start = np.cumsum(held) - held
        slot = np.empty_like(team)
        slot[by_team] = np.arange(len(team)) - start[team[by_team]]
        base = np.arange(n_teams + 1, dtype=np.int64) * problem.team_size
        member = np.full(n_teams * problem.team_size + problem.n_blocks, -1, dtype=np.int64)
        member[base[team] + slot] = np.arange(problem.n_blocks)
        waiting = team == n_teams
        totals = np.append(placing.totals(problem), problem.skill[waiting].sum())
        players = np.append(placing.sizes(problem), problem.size[waiting].sum()).astype(np.int64)
        size, kind = np.ascontiguousarray(problem.size), np.ascontiguousarray(problem.kind)
        self._blocks = LobbyBlocks(problem.skill, size, kind, place, first, last, order, team, slot)
        self._teams = LobbyTeams(
            base, held, players, totals, np.append(placing.costs(problem), 0.0),
            np.append(placing.lobby, problem.n_lobbies).astype(np.int64), member,
        )  # fmt: skip
        counts = np.bincount(placing.lobby, minlength=problem.n_lobbies).astype(np.int64)
        least, most = (problem.least, problem.most) if free else (counts.copy(), counts.copy())
        self._lobbies = LobbyColumns(problem.target, least, most, counts, self._may)
        if self.plain:  # lists are far quicker where nothing is compiled
            self._blocks, self._teams = LobbyBlocks(*_listed(self._blocks)), LobbyTeams(*_listed(self._teams))
            self._lobbies = LobbyColumns(*_listed(self._lobbies))

    def run(self, steps: int, hot: float, cold: float, stop: Stop) -> Placing:
        """Return the placing after so many steps, the heat falling from ``hot`` to ``cold``, or to a stop."""
        tables: list[Any] = [self._reach, self._doors, np.zeros(2 * MOST_TAKEN + LOOKED_AT, dtype=np.int64)]
        reach, doors, scratch = _listed(tables) if self.plain else tables
        cooling = (cold / hot) ** (1.0 / steps)
        done = 0
        while done < steps and not stop():
            now = min(PLAIN_CHUNK if self.plain else CHUNK, steps - done)
            self._state = self._kernel(
                self._blocks, self._teams, self._lobbies, self._rules, reach, doors, scratch,
                self._state, hot * cooling**done, cooling, now,
            )  # fmt: skip
            done += now
        return self.placing()

    def value(self) -> float:
        """Return what the teams cost, as the walk keeps it."""
        return float(np.sum(self._teams.cost))

    def placing(self) -> Placing:
        """Return the placing as it is."""
        n_teams = self._rules.n_teams
        team: Ints = np.array(self._blocks.team)
        return Placing.of(np.where(team == n_teams, WAITING, team), np.array(self._teams.lobby[:n_teams]))


def _mixes(problem: LobbyProblem, placing: Placing) -> bool:
    """Tell whether exchanges of blocks of different sizes change anything.

    A party that is a team by itself is one wherever it goes, unless it takes the place of players who wait.
    """
    size = problem.size
    parts = (size > 1) & (size < problem.team_size)
    waits = bool((placing.team == WAITING).any())
    return not problem.equal_sizes or bool(parts.any() or (waits and (size > 1).any()))


def _listed(columns: Iterable[Any]) -> list[list[Any]]:
    return [column.tolist() for column in columns]


#: Steps of a search: so many by the square of the number of blocks, up to a fifth of a second's; so many more
#: for each block, up to some seconds'.
SQUARE, FEW, ANNEAL_EACH, MANY = 2_000, 4_000_000, 20_000, 16_000_000

#: Steps for each block beyond those, which nobody should be without.
LEAST_EACH = 1_000  # effort

#: The heat at the begin of rounds in which lobbies' numbers of teams are free, and in which they are not, and
#: at the end, in squared (absolute: plain) standard deviations of skill.
HOT, WARM, COLD = 10.0, 0.05, 1e-6  # effort

#: Rounds of the two sorts, and the share of the steps of the first.
FREE_ROUNDS, ROUNDS, FREE_SHARE = 4, 12, 0.6  # effort

#: Blocks above which there is one round of each sort: restarts are for small instances.
ONE_ROUND = 1_000  # effort

#: Lobbies up to which two teams move at a time.
MOST_TWO_MOVES = 12  # effort

#: Steps for each block below which a round is too short.
FEWEST_EACH = 100  # effort

#: What a team may be from the bound for the search to end, in squared (absolute: plain) standard deviations;
#: and where there is a limit of time to use.
ENOUGH, NEARER = 1e-5, 5e-7


def enough_of(problem: LobbyProblem, n_teams: int, stop: Stop) -> float:
    """Return by how much a plan's value may be above the bound for the work to end."""
    return (ENOUGH if seconds_left(stop) == math.inf else NEARER) * heat_of(problem) * n_teams


def search(
    problem: LobbyProblem,
    placing: Placing,
    stop: Stop,
    *,
    bound: float = 0.0,
    seed: int = 0,
    times: float = 1.0,
) -> Placing:
    """Return a placing at least as good, after rounds of annealing.

    In the first rounds the lobbies' numbers of teams are free, from then on each round has numbers near the
    best so far.

    Parameters
    ----------
    bound : float
        What no placing is below: one that is hardly above ends the search.
    seed : int
        Of the only randomness.
    times : float
        How many times the usual work is done.
    """
    work = _work(problem.n_blocks, times)
    annealing = Annealing(problem, placing, seed, work, stop)
    # A search that is stopped while it is hot has found nothing.
    work = min(work, (PLAIN_SPEED if annealing.plain else SPEED) * seconds_left(stop))
    rounds = _rounds(problem.n_blocks, work)
    best, value = placing, placing.value(problem)
    unit = heat_of(problem)
    enough = bound + enough_of(problem, len(placing.lobby), stop)
    tried: dict[bytes, int] = {}
    for free, steps in rounds:
        if stop() or value <= enough:
            break
        annealing.begin(placing if free else moved(problem, best, tried), free=free)
        found = annealing.run(steps, (HOT if free else WARM) * unit, COLD * unit, stop)
        now = found.value(problem)
        # Of very many teams each round would cost as much again: only the last plan is polished.
        if len(placing.lobby) <= MANY_TEAMS and (now < value or (problem.whole and not free)):
            found = polish(problem, found, stop, enough)
            now = found.value(problem)
        if now < value:
            best, value = found, now
    return best


def _work(n_blocks: int, times: float) -> float:
    """Return the steps of a search."""
    few = min(SQUARE * n_blocks * n_blocks, FEW)
    return times * (min(few + ANNEAL_EACH * n_blocks, MANY) + LEAST_EACH * n_blocks)


def _rounds(n_blocks: int, steps: float) -> list[tuple[bool, int]]:
    """Return for each round whether numbers of teams are free, and its steps."""
    free, fixed = int(FREE_SHARE * steps), int((1.0 - FREE_SHARE) * steps)
    # The numbers of the first plan sum best; of many teams a free round hardly finds such ones.
    if n_blocks > ONE_ROUND or steps < FEWEST_EACH * n_blocks * (FREE_ROUNDS + ROUNDS):
        return [(False, fixed), (True, free)]
    one, other = (False, fixed // ROUNDS), (True, free // FREE_ROUNDS)
    return [one, *[other] * FREE_ROUNDS, *[one] * (ROUNDS - 1)]


def heat_of(problem: LobbyProblem) -> float:
    """Return the heat of an exchange by one standard deviation of skill."""
    fitting = problem.size <= problem.team_size
    spread = float((problem.skill[fitting] / problem.size[fitting]).std())
    spread = spread or float(np.abs(problem.target).max()) or 1.0
    if problem.per_player:
        spread /= problem.team_size
    return spread if problem.absolute else spread * spread


def moved(problem: LobbyProblem, placing: Placing, tried: dict[bytes, int]) -> Placing:
    """Return the placing with at most one team in another lobby: that whose numbers of teams are least tried.

    Among those come first the numbers whose targets sum nearest to what the players have, and the team that
    minds least.  Where deviations are whole numbers, two teams may move, and only to numbers of teams with
    which a better plan may be: there what sums to nearly the same is often far from it in numbers.

    Parameters
    ----------
    tried : dict from bytes to int
        How often numbers of teams were tried; changed.
    """
    counts = np.bincount(placing.lobby, minlength=problem.n_lobbies)
    sizes, totals, costs = placing.sizes(problem), placing.totals(problem), placing.costs(problem)
    away = float(((totals / sizes if problem.per_player else totals) - problem.target[placing.lobby]).sum())
    waiting = problem.skill[(placing.team == WAITING) & (problem.size <= problem.team_size)]
    room = float(np.ptp(waiting)) if len(waiting) else 0.0
    rise = problem.deviations(totals[:, None], sizes[:, None], problem.target) - costs[:, None]
    rise[~_allowed(problem, placing)] = np.inf
    team, risen = _first_to_move(problem, placing, counts, rise)
    movers, change, worse = _moves(problem, team, risen)
    common = np.maximum(np.abs(away - change @ problem.target) - room, 0.0)
    if problem.whole:
        common = spread_evenly(problem, common, len(sizes))
        worse[common >= costs.sum()] = np.inf
        worse += common
    else:
        worse += common if problem.absolute else common * common / len(sizes)
    after = counts + change
    worse[((after < problem.least) | (after > problem.most)).any(axis=1)] = np.inf
    best, move = (float(tried.get(counts.tobytes(), 0)), 0.0), -1
    for place in np.argsort(worse, kind="stable").tolist():
        if not np.isfinite(worse[place]) or (best[0] == 0.0 and worse[place] >= best[1]):
            break
        key = (float(tried.get(after[place].tobytes(), 0)), float(worse[place]))
        if key < best:
            best, move = key, place
    lobby = placing.lobby.copy()
    if move >= 0:
        counts = after[move]
        for mover, other in movers[move].tolist():
            lobby[mover] = other
    tried[counts.tobytes()] = tried.get(counts.tobytes(), 0) + 1
    return Placing(placing.team, lobby)


def _moves(problem: LobbyProblem, team: Ints, risen: Floats) -> tuple[Ints, Ints, Floats]:
    """Return moves of one team, or of two, to other lobbies.

    Parameters
    ----------
    team : ndarray of int, shape (n_lobbies, n_lobbies)
        The team that moves from a lobby to another.
    risen : ndarray of float, shape (n_lobbies, n_lobbies)
        What that costs; infinite where it must not.

    Returns
    -------
    movers : ndarray of int, shape (n, 1 or 2, 2)
        The teams, and where they move; twice the same for one.
    change : ndarray of int, shape (n, n_lobbies)
        How many teams more a lobby has.
    worse : ndarray of float, shape (n,)
        What the move costs.
    """
    one, other = np.nonzero(np.isfinite(risen))
    movers, worse = np.stack([team[one, other], other], axis=1), risen[one, other]
    unit = np.eye(problem.n_lobbies, dtype=np.int64)
    change = unit[other] - unit[one]
    if not problem.whole or problem.n_lobbies > MOST_TWO_MOVES:
        return movers[:, None], change, worse
    n = np.arange(len(one))
    first, second = np.nonzero((n[:, None] <= n) & ((movers[:, None, 0] != movers[:, 0]) | (n[:, None] == n)))
    both = (first != second)[:, None]
    return (
        np.stack([movers[first], movers[second]], axis=1),
        change[first] + np.where(both, change[second], 0),
        worse[first] + np.where(both[:, 0], worse[second], 0.0),
    )


def _first_to_move(
    problem: LobbyProblem, placing: Placing, counts: Ints, rise: Floats
) -> tuple[Ints, Floats]:
    """Return for each lobby and each other the team that minds the move least, and how much it does.

    Parameters
    ----------
    rise : ndarray of float, shape (n_teams, n_lobbies)
        What each team would cost more in each lobby.
    """
    team = np.zeros((problem.n_lobbies, problem.n_lobbies), dtype=np.int64)
    risen = np.full(team.shape, np.inf)
    others = np.arange(problem.n_lobbies)
    for one in np.flatnonzero(counts > problem.least).tolist():
        mine = np.flatnonzero(placing.lobby == one)
        team[one] = mine[rise[mine].argmin(axis=0)]
        risen[one] = rise[team[one], others]
    risen[:, counts >= problem.most] = np.inf
    np.fill_diagonal(risen, np.inf)
    return team, risen


def _allowed(problem: LobbyProblem, placing: Placing) -> Bools:
    """Return whether each team may be in each lobby, shape (n_teams, n_lobbies)."""
    allowed = np.ones((len(placing.lobby), problem.n_lobbies), dtype=np.bool_)
    seated = placing.team >= 0
    np.logical_and.at(allowed, placing.team[seated], problem.may[problem.kind[seated]])
    return allowed


#: Teams of a part, of which half are the worst; of no more teams than so many in all, the share that a part
#: is of them, and how few of them are annealed well enough as a whole.
PART, MANY_TEAMS, SHARE, FEWEST_TEAMS = 400, 800, 0.1, 40  # effort

#: Steps for each block of a part, and rounds at most.
POLISH_EACH, MOST_ROUNDS = 1_000, 60  # effort

#: The share of value less bound that rounds must take off, and how many may do less one after another.
PROGRESS, PATIENCE = 0.01, 5  # effort


def polish(problem: LobbyProblem, placing: Placing, stop: Stop, bound: float) -> Placing:
    """Return a placing at least as good with the same numbers of teams, and who waits unchanged.

    Parameters
    ----------
    bound : float
        What no placing is below.
    """
    n_teams = len(placing.lobby)
    if n_teams <= FEWEST_TEAMS:
        return placing
    size = PART if n_teams > MANY_TEAMS else int(SHARE * n_teams)
    rng = np.random.default_rng(0)
    value = placing.value(problem)
    idle = 0
    for seed in range(MOST_ROUNDS):
        if value <= bound or idle == PATIENCE or stop():
            break
        worst = np.argsort(-placing.costs(problem), kind="stable")[: size // 2]
        others = rng.choice(n_teams, size - len(worst), replace=False)
        placing = _better(problem, placing, np.union1d(worst, others), seed, stop)
        now = placing.value(problem)
        idle = 0 if value - now > PROGRESS * (value - bound) else idle + 1
        value = now
    return placing


def _better(problem: LobbyProblem, placing: Placing, teams: Ints, seed: int, stop: Stop) -> Placing:
    """Return the placing with some teams annealed by themselves, if that is better."""
    number = np.full(len(placing.lobby) + 1, WAITING)
    number[teams] = np.arange(len(teams))
    blocks = np.flatnonzero(number[placing.team] != WAITING)  # those who wait have the last number
    counts = np.bincount(placing.lobby[teams], minlength=problem.n_lobbies)
    part = replace(
        problem, skill=problem.skill[blocks], size=problem.size[blocks], kind=problem.kind[blocks],
        least=counts, most=counts,
    )  # fmt: skip
    start = Placing.of(number[placing.team[blocks]], placing.lobby[teams])
    work = POLISH_EACH * len(blocks)
    annealing, unit = Annealing(part, start, seed, work, stop), heat_of(problem)
    found = annealing.run(work, WARM * unit, COLD * unit, stop)
    if not found.value(part) < start.value(part):
        return placing
    team, lobby = placing.team.copy(), placing.lobby.copy()
    team[blocks], lobby[teams] = teams[found.team], found.lobby
    return Placing(team, lobby)
