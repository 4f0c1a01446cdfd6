"""Lower bounds for many teams that need no search: what the farthest players force.

Whoever is far from all others makes the standard deviation of one team large, whoever is with them.  And of
teams without the few farthest players one has a small deviation: the sum of squares within some of the teams
is at most that of all their players together.
The same sums of squares say how unlike the teams' distributions are at least, and the team of the strongest
player is ahead by at least what it is with the weakest others.
"""

from __future__ import annotations

import math

import numpy as np

from equipoise.core.arrays import Floats
from equipoise.core.win_probability import LOGISTIC_SLOPE, noise_of
from equipoise.teams.objectives.indistinguishable import MutualInformation
from equipoise.teams.objectives.moments import SpreadDifference, WinDistance
from equipoise.teams.objectives.objective import Criterion
from equipoise.teams.problem.problem import MU, VARIANCE, Problem

#: The share of the largest weight, or of 1, by which a bound is lowered for its rounding.
LOWERED = 1e-9

#: Halvings of the range in which a bound is best, and an exponential that is as good as infinite.
HALVINGS, MOST_POWER = 60, 700.0


def least_cost(problem: Problem, criterion: Criterion) -> float:
    """Return what no split costs less than: the criterion's floor where nothing more is known."""
    known = problem.filler is None and problem.roles is None and bool((problem.sizes == 1).all())
    if not known or problem.n_teams < 3:
        return criterion.floor
    n, slack = problem.n_players, (problem.n_teams - 1) * problem.max_difference
    fewest = max(min(problem.min_size), -((slack - n) // problem.n_teams))
    most = min(max(problem.max_size), (n + slack) // problem.n_teams)
    if not 1 <= fewest <= most:
        return criterion.floor
    weights: Floats = np.sort(problem.features[:, MU])
    weights = weights - weights.mean()
    variances, n_teams, bound = float(problem.whole[VARIANCE]), problem.n_teams, criterion.floor
    if isinstance(criterion, SpreadDifference):
        bound = _least_spread(weights, n_teams, fewest, most)
        bound -= LOWERED * float(np.abs(weights).max())
    elif isinstance(criterion, MutualInformation):
        least = _least_information(weights, n_teams, (fewest, most), criterion.prior, variances)
        bound = criterion.floor + least - LOWERED
    elif isinstance(criterion, WinDistance) and problem.level:
        scale = LOGISTIC_SLOPE / float(noise_of(variances, problem.n_players, n_teams, criterion.beta))
        ahead = float(weights[-1] + weights[: fewest - 1].sum())
        without = float(weights[-1 - fewest : -1].sum())
        bound = _least_distance(n_teams, n_teams * ahead * scale, (ahead - without) * scale) - LOWERED
    return max(bound, criterion.floor)


def _least_spread(weights: Floats, n_teams: int, fewest: int, most: int) -> float:
    """Return what the largest deviation of a team less the least one is at least."""
    largest = max(
        min(_least_deviation(weights, end, size) for size in range(fewest, most + 1)) for end in (0, -1)
    )
    return largest - _most_of_least(weights, n_teams, fewest)


def _least_information(
    weights: Floats, n_teams: int, sizes: tuple[int, int], prior: float, variances: float
) -> float:
    """Return what the information of team and skill is at least, in nats.

    The few farthest players are in so many teams; of all teams with them together, and of those without,
    the mean logarithm of the variances is at most that of their mean, and those without have no more squares
    than all other players.

    Parameters
    ----------
    weights : ndarray of float, shape (n,)
        With the mean 0.
    n_teams : int
        How many teams there are.
    sizes : pair of int
        The fewest and the most players a team can have.
    prior, variances : float
        What is added to each player's own variance, and the sum of these.
    """
    n = len(weights)
    whole = float((weights * weights).sum()) + variances + n * prior
    if whole <= 0.0:
        return 0.0
    best = 0.0
    for without in range(1, n_teams):
        away = np.abs(weights - weights.mean())
        weights = np.delete(weights, int(away.argmax()))
        rest = float(((weights - weights.mean()) ** 2).sum()) + variances
        most = -math.inf
        for teams in range(1, without + 1):
            for with_them in range(teams * sizes[0], min(teams * sizes[1], n - 1) + 1):
                others = n - with_them
                inside = min(rest + others * prior, whole * others / n)
                most = max(most, _logarithms(whole - inside, with_them, inside, others) / n)
        best = max(best, (math.log(whole / n) - most) / 2.0)
    return best


def _logarithms(one: float, n_one: int, other: float, n_other: int) -> float:
    """Return the sum over players of the logarithm of the mean square of the group they are in."""
    if other <= 0.0:
        return -math.inf
    return n_one * math.log(one / n_one) + n_other * math.log(other / n_other)


def _least_distance(n_teams: int, lead: float, least: float) -> float:
    """Return what the farthest win probability is from even at least.

    If no team is more than a distance behind the strongest, the others are likeliest to win with as many of
    them as near to it as the lead allows, as the exponential is convex.  If one is, it wins no more often
    than if all others but the strongest were as far behind.

    Parameters
    ----------
    n_teams : int
        How many teams there are, three or more.
    lead : float
        By how much the strongest team is ahead of all others, summed over them, in exponents of the link.
    least : float
        By how much it is ahead of each of them at least.
    """
    least, others = max(least, 0.0), n_teams - 1
    lead = max(lead - others * least, 0.0)

    def near(behind: float) -> float:
        far, rest = divmod(lead, behind) if lead else (0.0, 0.0)
        if far >= others:
            return math.inf
        level = far * math.exp(-behind) + math.exp(-rest) + (others - 1 - far)
        return 1.0 / (1.0 + math.exp(-least) * level) - 1.0 / n_teams

    def beyond(behind: float) -> float:
        return 1.0 / n_teams - 1.0 / (math.exp(min(least + behind, MOST_POWER)) + others)

    if not lead:  # the strongest team is ahead of all by as much
        return max(near(1.0), 0.0)
    low, high = 0.0, lead
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if near(middle) > beyond(middle) else (low, middle)
    return max(min(near(high), beyond(high)), near(math.inf), 0.0)


def _least_deviation(weights: Floats, end: int, size: int) -> float:
    """Return the least standard deviation of so many players of whom one is the first or the last.

    The others are those nearest to their mean, so neighbours.

    Parameters
    ----------
    weights : ndarray of float, shape (n,)
        Ascending.
    """
    own, others = weights[end], np.delete(weights, end)
    sums = np.concatenate([[0.0], np.cumsum(others)])
    squares = np.concatenate([[0.0], np.cumsum(others * others)])
    total = sums[size - 1 :] - sums[: len(sums) - size + 1] + own
    square = squares[size - 1 :] - squares[: len(squares) - size + 1] + own * own
    return math.sqrt(max(float((square / size - (total / size) ** 2).min()), 0.0))


def _most_of_least(weights: Floats, n_teams: int, fewest: int) -> float:
    """Return what the least deviation of a team is at most: without some far players, for each number."""
    best = math.inf
    for without in range(n_teams):
        # Teams without those players have so many others at least.
        others = (n_teams - without) * fewest
        best = min(best, math.sqrt(float(((weights - weights.mean()) ** 2).sum()) / others))
        away = np.abs(weights - weights.mean())
        weights = np.delete(weights, int(away.argmax()))
    return best
