"""Which solver when: ``exact`` where all teams can be listed, ``large`` before it and for the rest."""

from __future__ import annotations

import math
from dataclasses import replace

from equipoise.lobbies.annealing import ENOUGH, heat_of, search
from equipoise.lobbies.problem import LobbyTask, Placed
from equipoise.lobbies.solvers import exact, large
from equipoise.programs import available
from equipoise.stopping import seconds_left, share_of

#: Teams times lobbies up to which ``exact`` is all it takes; up to which it is tried with no limit of time,
#: for teams of two and for larger ones, whose integer programs are far harder; and with one, for each second,
#: and at most of larger teams.
AT_ONCE, LISTED_PAIRS, LISTED, A_SECOND, MOST_LISTED = 4_000, 250_000, 60_000, 150_000, 4_000_000

#: Nodes of an integer program with no limit of time, for larger teams.
NODES = 200

#: The share of the time that ``exact`` has of what the first search leaves.
FOR_EXACT = 0.7


def solve(task: LobbyTask) -> tuple[Placed, str]:
    """Return what was found, and the name of the solver that found or proved it.

    With a limit of time the search goes on until it is over, or nobody could tell a better plan.
    """
    columns = exact.count_candidates(task.problem) if available() else exact.MOST_CANDIDATES + 1
    limited = seconds_left(task.stop) < math.inf
    most = LISTED_PAIRS if task.problem.team_size <= 2 else LISTED
    if limited:
        listed = exact.MOST_CANDIDATES if task.problem.team_size <= 2 else MOST_LISTED
        most = max(most, int(min(seconds_left(task.stop) * A_SECOND, listed)))
    if columns <= AT_ONCE:
        placed = exact.solve(replace(task, stop=share_of(task.stop, FOR_EXACT)))
        name = "exact"
    else:
        placed, name = large.solve(task, bounded=columns > most), "large"
        if columns <= most and not placed.proven and not task.stop():
            nodes = None if limited or task.problem.team_size <= 2 else NODES
            again = replace(task, start=placed.placing, stop=share_of(task.stop, FOR_EXACT), nodes=nodes)
            placed, name = _better(placed, exact.solve(again), task), "exact"
    if limited:
        placed = _gone_on(task, placed)
    return placed, name


def _better(one: Placed, other: Placed, task: LobbyTask) -> Placed:
    """Return the better placing of two with the better bound."""
    values = one.placing.value(task.problem), other.placing.value(task.problem)
    placing, value = (one.placing, values[0]) if values[0] < values[1] else (other.placing, values[1])
    if other.proven:
        return Placed(placing, value, proven=True)
    return Placed(placing, min(max(one.bound, other.bound), value), proven=one.proven)


def _gone_on(task: LobbyTask, placed: Placed) -> Placed:
    """Return the best placing of searches with other random numbers until the time is up."""
    problem = task.problem
    enough = placed.bound + ENOUGH * heat_of(problem) * task.n_teams
    placing, seed = placed.placing, 0
    while not (placed.proven or task.stop() or placing.value(problem) <= enough):
        seed += 1
        # Every other search starts afresh: the longer ones from where the last ended.
        found = search(
            problem, placing, task.stop, bound=placed.bound, seed=seed, times=1.0 + (seed // 4) % 4
        )
        if found.value(problem) < placing.value(problem):
            placing = found
    return (
        placed if placed.proven else Placed(placing, min(placed.bound, placing.value(problem)), proven=False)
    )
