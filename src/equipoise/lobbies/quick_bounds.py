"""Lower bounds of a plan's value that need no search, and the numbers of teams that they call for.

All of them are weak duality: a price for every player and for a team in every lobby, such that no team
costs less than its players' prices and its lobby's together.  Then no plan is below the prices' sum.
Bars, and parties smaller than a team, are left out of account, which can only lower a bound.

References
----------
J. L. W. V. Jensen, "Sur les fonctions convexes et les inégalités entre les valeurs moyennes", Acta
Mathematica 30, 1906: the sum of equal teams' squared deviations is least if all deviate alike.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from equipoise.core.arrays import Floats, Ints
from equipoise.lobbies.problem import LobbyProblem

#: Numbers of teams gone through to find the best: a few tenths of a second's work.
MOST_COUNTS = 500_000  # effort

#: Lobbies up to which there may be so many of them: they stand side by side.
MOST_RANGES = 16  # effort

#: Rounding: what an addition of numbers of size 1 may be wrong by, with room.
EPSILON = 4e-16


def total_prices(price: Floats, problem: LobbyProblem, waiting: int) -> float:
    """Return the least that the prices of those who have a team can sum to.

    Parameters
    ----------
    price : ndarray of float, shape (n_blocks,)
        What each block's seats are worth.
    waiting : int
        How many players wait.
    """
    total = math.fsum(price.tolist()) if len(price) < 100_000 else float(price.sum())
    if not waiting:
        return total
    # The dearest waiting players, parts of blocks allowed, which can only lower the bound.
    order = np.argsort(-price / problem.size, kind="stable")
    ends = np.cumsum(problem.size[order])
    share = np.clip(waiting - (ends - problem.size[order]), 0, problem.size[order]) / problem.size[order]
    return total - float((share * price[order]).sum())


def lobby_prices(price: Floats, problem: LobbyProblem, n_teams: int) -> float:
    """Return the least that the lobbies' prices can sum to: as many teams as possible where they are low."""
    counts = problem.least.copy()
    for lobby in np.argsort(price, kind="stable"):
        counts[lobby] += min(problem.most[lobby] - counts[lobby], n_teams - counts.sum())
    return float(counts @ price)


def best_counts(problem: LobbyProblem, n_teams: int, total: float) -> tuple[Ints, float]:
    """Return numbers of teams whose targets sum to nearest a total, and how far from it any must be.

    The distance is exact up to three lobbies of any size and more small ones; else a bound of it, 0.
    """
    low = problem.least
    high = np.minimum(problem.most, n_teams - (low.sum() - low))
    if problem.n_lobbies == 1:
        counts = np.array([n_teams], dtype=np.int64)
        return counts, abs(total - float(counts @ problem.target))
    ranges = [np.arange(low[k], high[k] + 1) for k in range(problem.n_lobbies - 2)]
    if math.prod(map(len, ranges)) * max(1, len(ranges) / MOST_RANGES) > MOST_COUNTS:
        return _near_counts(problem, n_teams, total), 0.0
    rest = _combined(ranges)
    left = n_teams - rest.sum(axis=1)
    first = np.maximum(low[-2], left - high[-1])
    last = np.minimum(high[-2], left - low[-1])
    rest, left, first, last = (array[first <= last] for array in (rest, left, first, last))
    fixed = rest @ problem.target[:-2] + left * problem.target[-1]
    step = problem.target[-2] - problem.target[-1]
    ideal = (total - fixed) / step if step else np.zeros(len(left))
    best, least = low, math.inf
    for rounded in (np.floor(ideal), np.ceil(ideal)):
        second = np.clip(rounded, first, last)
        away = np.abs(total - fixed - second * step)
        # Among equals the most even numbers.
        at = int(np.lexsort((np.abs(second - left / 2), away))[0])
        if away[at] < least:
            least = float(away[at])
            best = np.concatenate([rest[at], [second[at], left[at] - second[at]]])
    return np.rint(best).astype(np.int64), least


def _combined(ranges: Sequence[Ints]) -> Ints:
    """Return all combinations, (m, n_ranges), as a grid of any number of dimensions would."""
    number = math.prod(map(len, ranges))
    rest = np.empty((number, len(ranges)), dtype=np.int64)
    inner = number
    for k, each in enumerate(ranges):
        inner //= len(each)
        rest[:, k] = each[np.arange(number) // inner % len(each)]
    return rest


def _near_counts(problem: LobbyProblem, n_teams: int, total: float) -> Ints:
    """Return numbers of teams whose targets sum near a total, by moving teams from lobby to lobby."""
    counts = problem.least.copy()
    while counts.sum() < n_teams:
        open_lobbies = np.flatnonzero(counts < problem.most)
        each = max((n_teams - counts.sum()) // len(open_lobbies), 1)
        for lobby in open_lobbies:
            counts[lobby] += min(each, problem.most[lobby] - counts[lobby], n_teams - counts.sum())
    for _ in range(100):
        away = total - float(counts @ problem.target)
        rises = problem.target[None, :] - problem.target[:, None]
        room = np.minimum((counts - problem.least)[:, None], (problem.most - counts)[None, :])
        steps = np.where(rises != 0, np.rint(away / np.where(rises == 0, 1.0, rises)), 0)
        steps = np.clip(steps, 0, room)
        after = np.abs(away - steps * rises)
        place = np.unravel_index(int(after.argmin()), after.shape)
        if not after[place] < abs(away):
            break
        counts[place[0]] -= int(steps[place])
        counts[place[1]] += int(steps[place])
    return counts


def even_bound(problem: LobbyProblem, n_teams: int, waiting: int) -> float:
    """Return what no plan is below if skill could be moved freely between the teams (Jensen).

    Where players wait, or teams of different sizes are judged by their means, it is 0.  Where skills and
    targets are whole numbers, so are the deviations, and their squares are least if they differ by at most 1.
    """
    if waiting or (problem.per_player and not problem.equal_sizes):
        return 0.0
    unit = problem.team_size if problem.per_player else 1
    scaled = problem.target * unit
    total = float(problem.skill.sum())
    _, away = best_counts(replace(problem, target=scaled), n_teams, total)
    away = max(away - EPSILON * float(np.abs(problem.skill).sum()) * 8, 0.0) / unit
    return float(spread_evenly(problem, np.array(away), n_teams))


def spread_evenly(problem: LobbyProblem, away: Floats, n_teams: int) -> Floats:
    """Return what teams cost at least that are so far from their targets in all.

    Parameters
    ----------
    away : ndarray of float
        How far, without sign; any shape.
    """
    if problem.whole:
        away = np.ceil(away)
    if problem.absolute:
        return away
    if problem.whole:
        each, more = np.divmod(away, n_teams)
        return np.asarray(n_teams * each * each + more * (2.0 * each + 1.0))
    return np.asarray(away * away / n_teams)


def rounded_up(problem: LobbyProblem, bound: float, n_teams: int, waiting: int) -> float:
    """Return the least value that a plan can have from a bound on.

    Whole deviations have whole values; and where nobody waits and all targets are even, or all are odd, they
    sum to an even number in every plan or to an odd one in every plan, and so do their sizes and squares.
    """
    if not problem.whole or not bound < 2.0**52:
        return bound
    least = math.ceil(bound)
    if not waiting and bool((problem.target % 2.0 == problem.target[0] % 2.0).all()):
        least += (least + int(problem.skill.sum()) + n_teams * int(problem.target[0])) % 2
    return float(least)


def linear_bound(problem: LobbyProblem, n_teams: int, waiting: int) -> float:
    """Return the best bound with prices that are linear in skill; parties of a whole team have exact ones.

    ``d * d >= 2 * slope * d - slope * slope`` and ``|d| >= slope * d`` for slopes of at most 1 make any
    slope a bound; the bound is concave in it.
    """
    if problem.per_player and not problem.equal_sizes:
        return 0.0
    unit = problem.team_size if problem.per_player else 1
    reach = _reach(problem, unit)
    low, high = -reach, reach
    best = 0.0
    sums = _Sums.of(problem, waiting)
    for _ in range(60):
        one, other = low + (high - low) / 3, high - (high - low) / 3
        at_one = _linear(problem, sums, one, unit, n_teams, waiting)
        at_other = _linear(problem, sums, other, unit, n_teams, waiting)
        best = max(best, at_one, at_other)
        low, high = (one, high) if at_one < at_other else (low, other)
        if high - low <= 1e-9 * reach:
            break
    return best


def _reach(problem: LobbyProblem, unit: int) -> float:
    if problem.absolute:
        return 1.0
    largest = float(np.abs(problem.skill).max(initial=0.0)) * problem.team_size / unit
    return 2.0 * (largest + float(np.abs(problem.target).max()))


@dataclass(frozen=True)
class _Sums:
    """What blocks have that are no team by themselves, so that many slopes take one pass over them.

    Parameters
    ----------
    whole : ndarray of int
        The blocks that are one.
    costs : ndarray of float, shape (n_whole, n_lobbies)
        What these cost in each lobby.
    low, high : float
        The others' total, the most skilled (the least) of them waiting if somebody waits.
    size : float
        The total of all, without signs.
    """

    whole: Ints
    costs: Floats
    low: float
    high: float
    size: float

    @classmethod
    def of(cls, problem: LobbyProblem, waiting: int) -> _Sums:
        whole = np.flatnonzero(problem.size == problem.team_size)
        skill = problem.skill.copy()
        skill[whole] = 0.0
        low = total_prices(skill, problem, waiting)
        high = -total_prices(-skill, problem, waiting) if waiting else low
        return cls(whole, whole_costs(problem, whole), low, high, float(np.abs(skill).sum()))


def _linear(problem: LobbyProblem, sums: _Sums, slope: float, unit: int, n_teams: int, waiting: int) -> float:
    factor, constant = (slope, 0.0) if problem.absolute else (2.0 * slope, slope * slope)
    lobby = -factor * problem.target - constant
    value = lobby_prices(lobby, problem, n_teams)
    own = np.asarray((sums.costs - lobby).min(axis=1))
    if waiting and len(own):
        price = factor * problem.skill / unit
        price[sums.whole] = own
        value += total_prices(price, problem, waiting)
    else:
        value += factor * (sums.low if factor > 0.0 else sums.high) / unit + math.fsum(own.tolist())
    size = n_teams * float(np.abs(lobby).max()) + abs(factor) * sums.size / unit + float(np.abs(own).sum())
    return value - EPSILON * size


def whole_costs(problem: LobbyProblem, whole: Ints) -> Floats:
    """Return what parties that are a team by themselves cost in each lobby, shape (n_whole, n_lobbies).

    Parameters
    ----------
    whole : ndarray of int
        The blocks.
    """
    costs = problem.deviations(problem.skill[whole, None], problem.size[whole, None], problem.target)
    return np.asarray(np.where(problem.may[problem.kind[whole]], costs, np.inf))
