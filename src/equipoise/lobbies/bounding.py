"""The bound, and for teams of two the first placing, of large problems: as sharp as the size allows."""

from __future__ import annotations

import numpy as np

from equipoise.lobbies.arranging import improve
from equipoise.lobbies.bounds import even_bound, linear_bound
from equipoise.lobbies.pairing import placing_of
from equipoise.lobbies.pairs import Binned, certified, ends_of_bins, smoothed, solve_bins
from equipoise.lobbies.problem import LobbyTask, Placed, Placing
from equipoise.programs import available

#: Bins of the rounds, one after another.
BINS = (200, 400, 800)

#: Relative gap at which a plan is good enough to end the rounds.
CLOSE = 0.004


def place_and_bound(task: LobbyTask, placing: Placing) -> Placed:
    """Return a placing at least as good as the one given, and a bound.

    Parameters
    ----------
    placing : Placing
        A legal one with as many teams as the task asks for.
    """
    problem = task.problem
    bound = max(0.0, *(make(problem, task.n_teams, task.waiting) for make in (even_bound, linear_bound)))
    value = placing.value(problem)
    of_two = problem.team_size == 2 and problem.equal_sizes and available()
    if of_two and (problem.size == 1).sum() > 1 and value - bound > CLOSE * value:
        placing, bound = _by_bins(task, placing, bound)
        value = placing.value(problem)
    return Placed(placing, min(bound, value), bound >= value * (1.0 - 1e-12))


def _by_bins(task: LobbyTask, placing: Placing, bound: float) -> tuple[Placing, float]:
    """Return placing and bound after rounds of finer and finer bins."""
    problem = task.problem
    singles = np.flatnonzero(problem.size == 1)
    singles = singles[np.argsort(problem.skill[singles], kind="stable")]
    skill = problem.skill[singles]
    known: Binned | None = None
    value = placing.value(problem)
    for bins in BINS:
        ends = ends_of_bins(skill, bins)
        binned = solve_bins(problem, singles, ends, task.n_teams, task.waiting, known, task.stop)
        if binned is None:
            break
        known = binned
        for prices in (binned, smoothed(binned)):
            bound = max(bound, certified(problem, singles, prices, task.n_teams, task.waiting))
        if not problem.barred:
            other = improve(problem, placing_of(problem, singles, ends, binned, task.n_teams), task.stop)
            if other.value(problem) < value:
                placing, value = other, other.value(problem)
        if value - bound <= CLOSE * value or task.stop() or len(ends) >= len(skill):
            break
    return placing, bound
