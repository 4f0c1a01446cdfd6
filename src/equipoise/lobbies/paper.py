"""``paper``: the program of Bohlin and Chaturvedy as printed, for teams of two; a baseline.

A binary variable says whether players i and j, i < j, are a team in lobby k.  Every player is in one team;
every lobby keeps its numbers of teams; the players of each premade team are together in some lobby.

References
----------
A. S. Bohlin, N. Chaturvedy, "Optimization of team assignment based on a kill-death ratio match making
system as applied to online battle royale-style video games using SAS".
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from equipoise.core.linear_programs import TOO_COARSE, Program
from equipoise.errors import InputError
from equipoise.lobbies.problem import LobbyTask, Placed, Placing

#: How far above the program's bound a proven value may be, relative to it.
RELATIVE = 1e-9


def solve(task: LobbyTask) -> Placed:
    """Return the best placing; without a proof where the time was up.

    Raises
    ------
    InputError
        If teams are not of two, somebody must wait, or somebody is barred: the program knows none of it.
    """
    problem = task.problem
    if problem.team_size != 2 or not problem.equal_sizes or task.waiting or problem.barred:
        msg = (
            "solver: 'paper' fills teams of two with everybody and knows no bars; 'exact' and 'large' do more"
        )
        raise InputError(msg)
    # Players, not parties: a premade team is two players with a constraint.
    player = np.repeat(np.arange(problem.n_blocks), problem.size)
    premade = np.flatnonzero(problem.size == 2)
    first = np.searchsorted(player, premade)
    n, lobbies = len(player), problem.n_lobbies
    skill = problem.skill[player] / problem.size[player]
    i, j = np.triu_indices(n, 1)
    low = np.concatenate([np.ones(n), problem.least, np.ones(len(premade))])
    high = np.concatenate([np.ones(n), problem.most, np.ones(len(premade))])
    program = Program(low.astype(np.float64), high.astype(np.float64), task.stop, strict=True)
    of_pair = np.full(n, -1, dtype=np.int64)
    of_pair[first] = n + lobbies + np.arange(len(premade))
    together = np.where(player[i] == player[j], of_pair[i], -1)
    costs = problem.deviations((skill[i] + skill[j])[:, None], np.array(2), problem.target)
    # In units of a good plan, so that HiGHS's absolute tolerances mean the same for every field; a team
    # that alone deviates more than that plan is in no better one.
    known = task.start.value(problem)
    unit = 0.1 * known or 1.0
    for lobby in range(lobbies):
        rows = np.stack([i, j, np.full(len(i), n + lobby), together], axis=1)
        most = np.where(costs[:, lobby] <= known * (1.0 + RELATIVE), 1.0, 0.0)
        program.add(np.minimum(costs[:, lobby], known) / unit, rows, np.ones(rows.shape), most, whole=True)
    answer = program.solve()
    if answer.columns is None:
        return Placed(task.start, 0.0, proven=False)
    taken = np.flatnonzero(answer.columns > 0.5)
    where, pair = np.divmod(taken, len(i))
    team = np.empty(problem.n_blocks, dtype=np.int64)
    team[player[i[pair]]] = team[player[j[pair]]] = np.arange(len(pair))
    placing = Placing.of(team, where)
    value = placing.value(problem)
    if answer.proven and 0.0 < value * TOO_COARSE < unit:  # the unit of a far worse plan
        return solve(replace(task, start=placing))
    bound = max(min(answer.bound * unit, value), 0.0)
    proven = answer.proven and value - bound <= RELATIVE * value
    if not proven and known < value:
        placing, value = task.start, known
        bound = min(bound, value)
    return Placed(placing, value if proven else bound, proven)
