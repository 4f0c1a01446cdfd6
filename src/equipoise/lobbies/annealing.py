"""Annealing: random exchanges, worse ones too at first, in which everything may change but who must not.

Blocks of one size change places, those who wait included; blocks of several sizes do, as many players each
way; teams change lobbies, alone or with one another.
"""

from __future__ import annotations

import math

import numpy as np

from equipoise.arrays import Ints
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
    """

    def __init__(self, problem: LobbyProblem, placing: Placing, seed: int = 0) -> None:
        self.problem = problem
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

    @property
    def draw(self) -> int:
        """A random number."""
        return self._state

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
        self._blocks = Blocks(problem.skill, problem.size, problem.kind, place, first, last, order, team, slot)
        self._teams = Teams(
            base, held, players, totals, np.append(placing.costs(problem), 0.0),
            np.append(placing.lobby, problem.n_lobbies).astype(np.int64), member,
        )  # fmt: skip
        counts = np.bincount(placing.lobby, minlength=problem.n_lobbies).astype(np.int64)
        least, most = (problem.least, problem.most) if free else (counts.copy(), counts.copy())
        self._lobbies = Lobbies(problem.target, least, most, counts, self._may)

    def run(self, steps: int, hot: float, cold: float, stop: Stop) -> Placing:
        """Return the placing after so many steps, the heat falling from ``hot`` to ``cold``, or to a stop."""
        kernel = compiled(anneal) if pays(steps, COMPILED_FROM) else anneal
        scratch = np.zeros(2 * MOST_TAKEN + LOOKED_AT, dtype=np.int64)
        cooling = (cold / hot) ** (1.0 / steps)
        done = 0
        while done < steps and not stop():
            now = min(CHUNK, steps - done)
            self._state = kernel(
                self._blocks, self._teams, self._lobbies, self._rules, self._reach, self._doors, scratch,
                self._state, hot * cooling**done, cooling, now,
            )  # fmt: skip
            done += now
        return self.placing()

    def placing(self) -> Placing:
        """Return the placing as it is."""
        n_teams = self._rules.n_teams
        team: Ints = np.where(self._blocks.team == n_teams, WAITING, self._blocks.team)
        return Placing(team, self._teams.lobby[:n_teams].copy())


#: Steps of the first round: some for everybody, so many each; and the most of one round.
FIRST, EACH, MOST_STEPS = 100_000, 1_000, 20_000_000

#: The heat at the begin and the end of a round, in squared (absolute: plain) standard deviations of skill.
HOT, COLD = 1.0, 1e-7

#: Rounds of which one begins where the best ended, with other numbers of teams.
ROUNDS = 12


def search(
    problem: LobbyProblem, placing: Placing, stop: Stop, *, rounds: int = ROUNDS, seed: int = 0
) -> Placing:
    """Return a placing at least as good, after rounds of annealing with several numbers of teams a lobby."""
    best, value = placing, placing.value(problem)
    annealing = Annealing(problem, placing, seed)
    unit = heat_of(problem)
    tried: dict[bytes, int] = {}
    steps = min(FIRST + EACH * problem.n_blocks, MOST_STEPS)
    for number in range(rounds):
        if stop() or value <= 0.0:
            break
        free = number % 3 == 2 and problem.n_lobbies > 1
        start = best if free else moved_counts(problem, best, value, tried, annealing.draw)
        annealing.begin(start, free=free)
        found = annealing.run(steps, HOT * unit, COLD * unit, stop)
        now = found.value(problem)
        if now < value:
            best, value = found, now
    return best


def heat_of(problem: LobbyProblem) -> float:
    """Return the heat of an exchange by one standard deviation of skill."""
    fitting = problem.size <= problem.team_size
    spread = float((problem.skill[fitting] / problem.size[fitting]).std())
    spread = spread or float(np.abs(problem.target).max()) or 1.0
    if problem.per_player:
        spread /= problem.team_size
    return spread if problem.absolute else spread * spread


def moved_counts(
    problem: LobbyProblem, placing: Placing, value: float, tried: dict[bytes, int], draw: int
) -> Placing:
    """Return the placing with at most one team in another lobby, such that the numbers are least tried.

    Among those the numbers come first whose targets sum to nearest what the players have.
    """
    counts = np.bincount(placing.lobby, minlength=problem.n_lobbies)
    sizes, totals = placing.sizes(problem), placing.totals(problem)
    shown = totals / sizes if problem.per_player else totals
    waiting = problem.skill[(placing.team == WAITING) & (problem.size <= problem.team_size)]
    room = float(waiting.max() - waiting.min()) if len(waiting) > 1 else 0.0
    away = float(shown.sum() - counts @ problem.target)
    best: tuple[float, ...] = ()
    chosen = (-1, -1)
    for one in range(problem.n_lobbies):
        for other in range(problem.n_lobbies):
            after = counts.copy()
            if one != other:
                if counts[one] <= problem.least[one] or counts[other] >= problem.most[other]:
                    continue
                after[one] -= 1
                after[other] += 1
            times = tried.get(after.tobytes(), 0)
            far = abs(away + problem.target[one] - problem.target[other])
            key = (times, max(far - room, 0.0))
            if not best or key < best:
                best, chosen = key, (one, other)
    one, other = chosen
    lobby = placing.lobby.copy()
    if one != other:
        may = np.ones(len(lobby), dtype=np.bool_)
        seated = placing.team >= 0
        np.logical_and.at(may, placing.team[seated], problem.may[problem.kind[seated], other])
        mine = np.flatnonzero((lobby == one) & may)
        if len(mine):
            cost = problem.deviations(totals[mine], sizes[mine], problem.target[other])
            lobby[mine[int(cost.argmin())]] = other
            counts[one] -= 1
            counts[other] += 1
    key_of = counts.tobytes()
    tried[key_of] = tried.get(key_of, 0) + 1
    return Placing(placing.team, lobby)
