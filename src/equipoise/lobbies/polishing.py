"""Polishing: of very many teams the worst are annealed once more, with some others and without the rest.

Among tens of thousands of teams two that could help each other hardly meet by chance.  Among the worst and
a few hundred others they do at once: where skills are whole numbers, most last deviations go.

References
----------
P. Shaw, "Using constraint programming and local search methods to solve vehicle routing problems",
Principles and Practice of Constraint Programming, 1998; doi:10.1007/3-540-49481-2_30: a part of the solution
is taken apart and put together better, again and again.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from equipoise.arrays import Ints
from equipoise.lobbies.annealing import COLD, WARM, Annealing, heat_of
from equipoise.lobbies.problem import WAITING, LobbyProblem, Placing
from equipoise.stopping import Stop

#: Teams of a part, of which half are the worst; of no more teams than so many, annealing is enough.
PART, FEWEST_TEAMS = 400, 800

#: Steps for each block of a part, and rounds at most.
EACH, MOST_ROUNDS = 1_000, 60

#: The share of value less bound that rounds must take off, and how many may do less one after another.
PROGRESS, PATIENCE = 0.01, 5


def polish(problem: LobbyProblem, placing: Placing, stop: Stop, bound: float) -> Placing:
    """Return a placing at least as good with the same numbers of teams, and who waits unchanged.

    Parameters
    ----------
    bound : float
        What no placing is below.
    """
    if len(placing.lobby) <= FEWEST_TEAMS:
        return placing
    rng = np.random.default_rng(0)
    value = placing.value(problem)
    idle = 0
    for seed in range(MOST_ROUNDS):
        if value <= bound or idle == PATIENCE or stop():
            break
        worst = np.argsort(-placing.costs(problem), kind="stable")[: PART // 2]
        others = rng.choice(len(placing.lobby), PART - len(worst), replace=False)
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
    work = EACH * len(blocks)
    annealing, unit = Annealing(part, start, seed, work, stop), heat_of(problem)
    found = annealing.run(work, WARM * unit, COLD * unit, stop)
    if not found.value(part) < start.value(part):
        return placing
    team, lobby = placing.team.copy(), placing.lobby.copy()
    team[blocks], lobby[teams] = teams[found.team], found.lobby
    return Placing(team, lobby)
