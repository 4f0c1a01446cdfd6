"""``large``: dealing, exchanges and annealing, with a certified bound; from a dozen players to a million."""

from __future__ import annotations

import math

import numpy as np

from equipoise.core.linear_programs import affordable
from equipoise.core.stopping import seconds_left
from equipoise.lobbies.annealing import MANY_TEAMS, enough_of, polish, search
from equipoise.lobbies.column_generation import dual_bound
from equipoise.lobbies.first_placing import MOST_IMPROVED, improve, rising
from equipoise.lobbies.problem import LobbyProblem, LobbyTask, Placed, Placing
from equipoise.lobbies.quick_bounds import even_bound, linear_bound, rounded_up
from equipoise.lobbies.teams_of_two import Binned, certified, ends_of_bins, placing_of, smoothed, solve_bins

#: Bins of the rounds, one after another; with a limit of time there are rounds with more.
BINS, FINER = (200, 400, 800), (1300, 2000)  # effort

#: Lobbies up to which so many pairs of bins are worth it, and where a pass over all players costs more.
MOST_LOBBIES, MOST_LOBBIES_OF_MANY = 12, 6  # effort

#: Bins of the rounds where a pass over all players costs more than a linear program: those before the last
#: only begin the next one.
BINS_OF_MANY = (200, 500, 1300)

#: Relative gap at which a plan is good enough for the work to end; of other teams than those of two one that
#: nobody could tell is, too.
CLOSE = 0.0025


def solve(task: LobbyTask, *, bounded: bool = True) -> Placed:
    """Return a good placing and a bound that no placing of as many players is below.

    Parameters
    ----------
    bounded : bool
        Whether a good bound is worth a linear program; else there are the quick ones.
    """
    problem = task.problem
    placing = task.start
    bound = max(0.0, *(make(problem, task.n_teams, task.waiting) for make in (even_bound, linear_bound)))
    bound = rounded_up(problem, bound, task.n_teams, task.waiting)
    if bounded and affordable(task.stop) and _of_two(problem) and _open(task, placing, bound):
        placing, bound = _by_bins(task, placing, bound)
        bound = rounded_up(problem, bound, task.n_teams, task.waiting)
    if problem.n_blocks > MOST_IMPROVED and placing is task.start:
        placing = improve(problem, placing, task.stop)
    if problem.n_blocks <= MOST_IMPROVED:
        if _open(task, placing, bound) and not task.stop():
            placing = search(problem, placing, task.stop, bound=bound)
            if task.n_teams > MANY_TEAMS and _open(task, placing, bound):
                placing = polish(problem, placing, task.stop, bound)
        if bounded and affordable(task.stop) and _open(task, placing, bound) and not task.stop():
            bound = max(bound, dual_bound(task, placing, task.stop))
            bound = rounded_up(problem, bound, task.n_teams, task.waiting)
    value = placing.value(problem)
    return Placed(placing, min(bound, value), bound >= value * (1.0 - 1e-12))


def _open(task: LobbyTask, placing: Placing, bound: float) -> bool:
    """Tell whether a better plan or bound is worth looking for: with a limit of time nearly always."""
    value = placing.value(task.problem)
    close = CLOSE * value if seconds_left(task.stop) == math.inf else 0.0
    return value - bound > max(close, enough_of(task.problem, task.n_teams, task.stop))


def _of_two(problem: LobbyProblem) -> bool:
    """Tell whether teams are of two, and some of two players without a party."""
    singles = int((problem.size == 1).sum())
    most = MOST_LOBBIES_OF_MANY if problem.n_blocks > MOST_IMPROVED else MOST_LOBBIES
    few = problem.n_lobbies <= most
    return problem.team_size == 2 and problem.equal_sizes and singles > 1 and few


def _by_bins(task: LobbyTask, placing: Placing, bound: float) -> tuple[Placing, float]:
    """Return placing and bound after rounds of finer and finer bins."""
    problem = task.problem
    singles = rising(problem, 1).astype(np.int32)
    many = problem.n_blocks > MOST_IMPROVED
    known: Binned | None = None
    value = placing.value(problem)
    gap, finer = math.inf, tuple[int, ...]()
    if seconds_left(task.stop) < math.inf:
        gap, finer = enough_of(problem, task.n_teams, task.stop), FINER

    def done() -> bool:
        return value - bound <= min(CLOSE * value, gap)

    for bins in (*(BINS_OF_MANY if many else BINS), *finer):
        ends = ends_of_bins(problem.skill[singles], bins)
        binned = solve_bins(problem, singles, ends, task.n_teams, task.waiting, known, task.stop)
        if binned is None:
            break
        known = binned
        if many and bins < BINS_OF_MANY[-1]:
            continue
        if not problem.barred:
            other = placing_of(problem, singles, ends, binned, task.n_teams)
            other = improve(problem, other, task.stop, bound + min(CLOSE * bound, gap))
            if other.value(problem) < value:
                placing, value = other, other.value(problem)
        # A pass over all players each: where the quick bounds are as good, none is needed.
        for prices in (binned, smoothed(binned)):
            if not done():
                bound = max(bound, certified(problem, singles, prices, task.n_teams, task.waiting, task.stop))
        if done() or task.stop() or len(ends) >= len(singles):
            break
    return placing, bound
