"""Annealing: random exchanges, worse ones too at first, in which everything may change but who must not.

Blocks of one size change places, those who wait included; blocks of several sizes do, as many players each
way; teams change lobbies, alone or with one another.
"""

from __future__ import annotations

import math

import numpy as np

from equipoise.arrays import Bools, Ints
from equipoise.compiled import compiled, pays
from equipoise.lobbies.annealing_kernels import (
    LOOKED_AT,
    MODULUS,
    MOST_TAKEN,
    Blocks,
    Lobbies,
    Rules,
    Teams,
    anneal,
)
from equipoise.lobbies.problem import WAITING, LobbyProblem, Placing
from equipoise.stopping import Stop

#: Steps of one call of the kernel: a hundredth of a second, after which it is asked whether to stop.
CHUNK = 100_000

#: Steps from which loading the compiled kernel pays.
COMPILED_FROM = 200_000

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
    """

    def __init__(self, problem: LobbyProblem, placing: Placing, seed: int, work: float) -> None:
        self.problem = problem
        self._kernel = compiled(anneal) if pays(work, COMPILED_FROM) else anneal
        n_teams = len(placing.lobby)
        rng = np.random.default_rng(seed)
        self._state = int(rng.integers(1, MODULUS))
        self._doors = rng.exponential(1.0, TABLE)
        order = np.lexsort((problem.skill, problem.size))
        size = problem.size[order]
        most = int((np.searchsorted(size, size, "right") - np.searchsorted(size, size)).max())
        # Near partners as often as far ones: a step's length is uniform in its logarithm.
        self._reach = np.exp(rng.uniform(0.0, math.log(max(most, 2)), TABLE)).astype(np.int64)
        self._rules = Rules(
            n_blocks=problem.n_blocks, n_teams=n_teams, n_lobbies=problem.n_lobbies,
            team_size=problem.team_size, min_size=problem.min_size, absolute=problem.absolute,
            per_player=problem.per_player, barred=problem.barred,
            mixed=bool((problem.size > 1).any() and (problem.size < problem.team_size).any())
            or not problem.equal_sizes,
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
        self._blocks = Blocks(
            problem.skill, problem.size, problem.kind, place, first, last, order, team, slot
        )
        self._teams = Teams(
            base, held, players, totals, np.append(placing.costs(problem), 0.0),
            np.append(placing.lobby, problem.n_lobbies).astype(np.int64), member,
        )  # fmt: skip
        counts = np.bincount(placing.lobby, minlength=problem.n_lobbies).astype(np.int64)
        least, most = (problem.least, problem.most) if free else (counts.copy(), counts.copy())
        self._lobbies = Lobbies(problem.target, least, most, counts, self._may)

    def run(self, steps: int, hot: float, cold: float, stop: Stop) -> Placing:
        """Return the placing after so many steps, the heat falling from ``hot`` to ``cold``, or to a stop."""
        scratch = np.zeros(2 * MOST_TAKEN + LOOKED_AT, dtype=np.int64)
        cooling = (cold / hot) ** (1.0 / steps)
        done = 0
        while done < steps and not stop():
            now = min(CHUNK, steps - done)
            self._state = self._kernel(
                self._blocks, self._teams, self._lobbies, self._rules, self._reach, self._doors, scratch,
                self._state, hot * cooling**done, cooling, now,
            )  # fmt: skip
            done += now
        return self.placing()

    def value(self) -> float:
        """Return what the teams cost, as the walk keeps it."""
        return float(self._teams.cost.sum())

    def placing(self) -> Placing:
        """Return the placing as it is."""
        n_teams = self._rules.n_teams
        team: Ints = np.where(self._blocks.team == n_teams, WAITING, self._blocks.team)
        return Placing(team, self._teams.lobby[:n_teams].copy())


#: Steps of a search: so many by the square of the number of blocks, up to a fifth of a second's; so many more
#: for each block, up to some seconds'.
SQUARE, FEW, EACH, MANY = 2_000, 4_000_000, 20_000, 16_000_000

#: Steps for each block beyond those, which nobody should be without.
LEAST_EACH = 1_000

#: The heat at the begin of rounds in which lobbies' numbers of teams are free, and in which they are not, and
#: at the end, in squared (absolute: plain) standard deviations of skill.
HOT, WARM, COLD = 10.0, 0.05, 1e-6

#: Rounds of the two sorts, and the share of the steps of the first.
FREE_ROUNDS, ROUNDS, FREE_SHARE = 4, 12, 0.6

#: Blocks above which there is one round of each sort: restarts are for small instances.
ONE_ROUND = 1_000

#: What a team may be from the bound for the search to end, in squared (absolute: plain) standard deviations.
ENOUGH = 1e-5


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
    rounds = _rounds(problem.n_blocks, times)
    annealing = Annealing(problem, placing, seed, sum(steps for _, steps in rounds))
    best, value = placing, placing.value(problem)
    unit = heat_of(problem)
    enough = bound + ENOUGH * unit * len(placing.lobby)
    tried: dict[bytes, int] = {}
    for free, steps in rounds:
        if stop() or value <= enough:
            break
        annealing.begin(placing if free else moved(problem, best, tried), free=free)
        found = annealing.run(steps, (HOT if free else WARM) * unit, COLD * unit, stop)
        now = found.value(problem)
        if now < value:
            best, value = found, now
    return best


def _rounds(n_blocks: int, times: float) -> list[tuple[bool, int]]:
    """Return for each round whether numbers of teams are free, and its steps."""
    few = min(SQUARE * n_blocks * n_blocks, FEW)
    steps = times * (min(few + EACH * n_blocks, MANY) + LEAST_EACH * n_blocks)
    free, fixed = int(FREE_SHARE * steps), int((1.0 - FREE_SHARE) * steps)
    if n_blocks > ONE_ROUND:
        # The numbers of the first plan sum best; of so many teams a free round hardly finds such ones.
        return [(False, fixed), (True, free)]
    return [(True, free // FREE_ROUNDS)] * FREE_ROUNDS + [(False, fixed // ROUNDS)] * ROUNDS


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
    minds least.

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
    best = (float(tried.get(counts.tobytes(), 0)), 0.0)
    chosen: tuple[int, int] | None = None
    for one in np.flatnonzero(counts > problem.least).tolist():
        mine = np.flatnonzero(placing.lobby == one)
        for other in np.flatnonzero(counts < problem.most).tolist():
            team = mine[int(rise[mine, other].argmin())]
            if one == other or not np.isfinite(rise[team, other]):
                continue
            common = max(abs(away + problem.target[one] - problem.target[other]) - room, 0.0)
            common = common if problem.absolute else common * common / len(sizes)
            key = (float(tried.get(_key(counts, one, other), 0)), common + float(rise[team, other]))
            if key < best:
                best, chosen = key, (int(team), other)
    lobby = placing.lobby.copy()
    if chosen is not None:
        team, other = chosen
        counts[lobby[team]] -= 1
        counts[other] += 1
        lobby[team] = other
    tried[counts.tobytes()] = tried.get(counts.tobytes(), 0) + 1
    return Placing(placing.team, lobby)


def _key(counts: Ints, one: int, other: int) -> bytes:
    """Return what tells numbers of teams apart, one moved from a lobby to another."""
    after = counts.copy()
    after[one] -= 1
    after[other] += 1
    return after.tobytes()


def _allowed(problem: LobbyProblem, placing: Placing) -> Bools:
    """Return whether each team may be in each lobby, shape (n_teams, n_lobbies)."""
    allowed = np.ones((len(placing.lobby), problem.n_lobbies), dtype=np.bool_)
    seated = placing.team >= 0
    np.logical_and.at(allowed, placing.team[seated], problem.may[problem.kind[seated]])
    return allowed
