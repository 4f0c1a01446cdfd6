"""Objectives on moments: what totals of mu, of its square and of its uncertainty say of a split.

``difference``: the largest team total minus the smallest, in roster units.

``ratio``: the smallest team total over the largest; 1 is even.

``win``: the largest distance of a team's win probability from even.

``spread``: among the splits nobody can tell from the fairest, the one with the most alike teams.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import numpy as np

from equipoise.core.arrays import Floats
from equipoise.core.win_probability import LOGISTIC_SLOPE, difference_for, noise_of, win_probability
from equipoise.teams.objectives.objective import (
    EVERYWHERE,
    Closeness,
    Criterion,
    Crowd,
    DifferenceCriterion,
    Interval,
    Objective,
    Pair,
    Units,
    Windows,
    means,
)
from equipoise.teams.objectives.partial_kernels import DEVIATIONS, Partial
from equipoise.teams.problem.exactness import OPERATIONS, ROSTER, UNIT, Rounding, Unit
from equipoise.teams.problem.problem import COUNT, MU, SQUARE, VARIANCE


@dataclass(frozen=True)
class WinDistance(DifferenceCriterion):
    """The largest distance of a team's win probability from 1 / n_teams.

    With two teams and given sizes it grows with the difference of strengths alone: the uncertainty in the
    link is that of the whole roster, however it is divided.

    Parameters
    ----------
    beta : float
        Performance noise of one player in one game, roster units, above 0.
    zero : float
        The weight of a player whose presence makes no difference, roster units.

    References
    ----------
    See :func:`equipoise.core.win_probability.win_probability`.

    Examples
    --------
    >>> totals = np.zeros((1, 2, 5)); totals[0, :, COUNT] = 1; totals[0, 0, MU] = 1
    >>> WinDistance(beta=1.0).cost(totals).round(4)
    array([0.2691])
    """

    beta: float = 1.0
    zero: float = 0.0

    def cost(self, totals: Floats) -> Floats:
        mu, variance, count = totals[:, :, MU], totals[:, :, VARIANCE], totals[:, :, COUNT]
        chances = win_probability(mu, variance, count, self.beta, self.zero)
        return widest(np.abs(chances - 1.0 / totals.shape[1]))

    def error(self, rounding: Rounding) -> float:
        """See :meth:`equipoise.teams.objectives.objective.Criterion.error`.

        A softmax changes by at most half of what the largest of its exponents changes by; the exponents are
        off as strengths are, and as the noise is, relative to it.
        """
        problem = rounding.problem
        # Bots and uncertain ratings only add to the noise.
        least = self.beta * math.sqrt(max(problem.n_players, 1) * 2.0 / problem.n_teams)
        return 0.5 * LOGISTIC_SLOPE * rounding.strength(self.zero) / least + 2.0 * rounding.unit

    def largest_difference(self, cost: float, pair: Pair) -> float:
        return difference_for(cost, float(noise_of(pair.whole[VARIANCE], sum(pair.counts), 2, self.beta)))

    def closeness(self, cost: float, crowd: Crowd) -> Closeness:
        even = 1.0 / len(crowd.counts)
        if cost >= even:
            return Closeness()
        span = math.log((even + cost) / (even - cost)) / self._slope(crowd)
        return Closeness(span=span, zero=self.zero)

    def windows(self, cost: float, crowd: Crowd) -> Windows:
        """See :meth:`equipoise.teams.objectives.objective.Criterion.windows`.

        A strength less the mean of all is ``log P - mean(log P)`` over the slope of the link.  With every
        chance from a to b, the other teams' logarithms lie above their chord over that range, and their
        mean is at most the logarithm of their mean: the first says how large a strength can be, the second
        how small.
        """
        windows = super().windows(cost, crowd)
        k = len(crowd.counts)
        a, b = 1.0 / k - cost, 1.0 / k + cost
        if not 0.0 < a < b < 1.0:
            return windows
        others = (k - 1) * math.log(a) + (1.0 - b - (k - 1) * a) * math.log(b / a) / (b - a)
        above = ((k - 1) * math.log(b) - others) / k / self._slope(crowd)
        below = (k - 1) / k * math.log((1.0 - a) / (k - 1) / a) / self._slope(crowd)
        extras = crowd.extras(self.zero)
        mean = (float(crowd.whole[MU]) - sum(extras)) / k
        near = (Interval(mean + extra - below, mean + extra + above) for extra in extras)
        mu = tuple(own.overlap(known) for own, known in zip(near, windows.mu, strict=True))
        return windows._replace(mu=mu)

    def _slope(self, crowd: Crowd) -> float:
        """Return how fast the logarithm of a chance grows with a team's strength."""
        counts = crowd.counts
        return LOGISTIC_SLOPE / float(noise_of(crowd.whole[VARIANCE], sum(counts), len(counts), self.beta))


@dataclass(frozen=True)
class SidedWinDistance(WinDistance):
    """The distance of two teams' chances from even where the first has a side that is worth something.

    Parameters
    ----------
    side : float
        By how much the first team is better off, in the noise of the difference of two teams.

    Examples
    --------
    The first team is the weaker one by what its side gives.

    >>> totals = np.zeros((1, 2, 5)); totals[0, :, COUNT] = 1; totals[0, 1, MU] = 0.5
    >>> SidedWinDistance(beta=0.5**0.5, side=0.5).cost(totals)
    array([0.])
    """

    side: float = 0.0
    by_difference = False
    has_windows = False
    sided = True

    def cost(self, totals: Floats) -> Floats:
        mu, variance, count = totals[:, :, MU], totals[:, :, VARIANCE], totals[:, :, COUNT]
        chances = win_probability(mu, variance, count, self.beta, self.zero, self.side)
        return widest(np.abs(chances - 0.5))

    def error(self, rounding: Rounding) -> float:
        return super().error(rounding) + rounding.unit * LOGISTIC_SLOPE * abs(self.side)

    def reach(self, cost: float, pair: Pair) -> tuple[Interval, Interval]:
        """See :meth:`equipoise.teams.objectives.objective.Criterion.reach`: even is beside the middle."""
        half = self.largest_difference(cost, pair) / 2
        noise = float(noise_of(pair.whole[VARIANCE], sum(pair.counts), 2, self.beta))
        middle = float(pair.whole[MU]) + self.zero * (pair.counts[0] - pair.counts[1]) - self.side * noise
        return Interval(middle / 2 - half, middle / 2 + half).overlap(pair.mu), EVERYWHERE


def win_distance(units: Units) -> WinDistance:
    """Return the distance of win probabilities from even in the given units."""
    if units.side:
        return SidedWinDistance(units.beta, units.zero, units.side)
    return WinDistance(units.beta, units.zero)


def widest(numbers: Floats) -> Floats:
    """Return the largest number of each row, shape (m,); of two columns without going along an axis."""
    if numbers.shape[1] == 2:
        return cast("Floats", np.maximum(numbers[:, 0], numbers[:, 1]))
    return cast("Floats", numbers.max(axis=1))


def ranges(numbers: Floats) -> Floats:
    """Return the largest number of each row less the least, shape (m,)."""
    if numbers.shape[1] == 2:
        return np.abs(numbers[:, 0] - numbers[:, 1])
    return cast("Floats", np.ptp(numbers, axis=1))


def second_moment_reach(
    pair: Pair,
    centre: float,
    variance: float,
    first_variance: Callable[[Interval], Interval],
    between: float | None = None,
) -> tuple[Interval, Interval]:
    """Turn a bound on the first team's variance into one on its mu and its sum of squares.

    Parameters
    ----------
    pair : Pair
        What is known of the two teams.
    centre : float
        What was subtracted from mu before squaring.
    variance : float
        The variance over both teams, roster units squared.
    first_variance : callable
        From the interval of the variance within teams (their mean, weighted by size) to the interval
        of the first team's.
    between : float or None
        What the variance between all teams is at most, where there are more than the two.

    Returns
    -------
    pair of Interval
        As :meth:`equipoise.teams.objectives.objective.Criterion.reach` has them.
    """
    if min(pair.counts) == 0:
        return pair.mu, EVERYWHERE
    first, second = pair.shares
    n = pair.counts[0]
    mean = float(pair.whole[MU]) / (pair.counts[0] + pair.counts[1])
    # The variance between teams, p1 p2 (mean1 - mean2)² = p1 / p2 (mean1 - mean)², is at most the whole.
    farthest = math.sqrt(variance * second / first)
    mu = pair.mu.overlap(Interval(n * (mean - farthest), n * (mean + farthest)))
    offsets = Interval(mu.low / n - mean, mu.high / n - mean)
    if between is None:
        between = largest_square(offsets) * first / second
    least_between = smallest_square(offsets) * first / second
    inside = first_variance(Interval(max(variance - between, 0.0), max(variance - least_between, 0.0)))
    from_centre = Interval(mu.low / n - centre, mu.high / n - centre)
    squares = Interval(
        n * (inside.low + smallest_square(from_centre)), n * (inside.high + largest_square(from_centre))
    )
    return mu, squares


def variance_errors(totals: Floats, rounding: Rounding) -> Floats:
    """Return what rounding may do to the variance of mu within each team, shape (m, n_teams).

    It is the bound of :attr:`.Rounding.variance` for the players a team has, instead of for any.
    """
    counts = np.maximum(totals[:, :, COUNT], 1.0)
    squares, centre = totals[:, :, SQUARE] / counts, abs(rounding.problem.centre)
    far = np.sqrt(squares)
    mean = rounding.unit * (centre + far)
    lost = rounding.unit * (squares + centre * far) + OPERATIONS * UNIT * squares
    return lost + 2.0 * far * mean + mean * mean


def largest_square(interval: Interval) -> float:
    """Return the largest square of a number in the interval."""
    return max(interval.low**2, interval.high**2)


def smallest_square(interval: Interval) -> float:
    """Return the smallest square of a number in the interval."""
    if interval.low <= 0.0 <= interval.high:
        return 0.0
    return min(interval.low**2, interval.high**2)


@dataclass(frozen=True)
class Difference(DifferenceCriterion):
    """The range of the team totals of mu.

    References
    ----------
    S. Mertens, "The easiest hard problem: number partitioning", 2006, equation 1 (two teams).

    Examples
    --------
    >>> import numpy as np
    >>> totals = np.zeros((1, 2, 5)); totals[0, :, MU] = 374, 373
    >>> Difference().cost(totals)
    array([1.])
    """

    unit: Unit = ROSTER
    whole = True

    def cost(self, totals: Floats) -> Floats:
        return ranges(totals[:, :, MU])

    def error(self, rounding: Rounding) -> float:
        """See :meth:`equipoise.teams.objectives.objective.Criterion.error`: that of two totals."""
        return 2.0 * rounding.mu

    def largest_difference(self, cost: float, pair: Pair) -> float:
        del pair
        return cost

    def closeness(self, cost: float, crowd: Crowd) -> Closeness:
        del crowd
        return Closeness(span=cost)


def difference(units: Units) -> Objective:
    """Return the objective; it has no unit of its own but that of the weights."""
    return Objective("difference", Difference(units.unit))


@dataclass(frozen=True)
class Ratio(DifferenceCriterion):
    """One minus the ratio of the smallest total of mu to the largest; no total may be negative.

    Teams that all total 0 are even.

    References
    ----------
    S. Simpson, "Balancing tools for Unreal Tournament", 2010: choosing teams at the start of a game.

    Examples
    --------
    The totals of the example there, 373 to 374:

    >>> totals = np.zeros((1, 2, 5)); totals[0, :, MU] = 374, 373
    >>> cost, = Ratio().cost(totals)
    >>> float(round(Ratio().shown(cost), 5))
    0.99733
    """

    needs_positive = True

    def cost(self, totals: Floats) -> Floats:
        smallest, largest = totals[:, :, MU].min(axis=1), totals[:, :, MU].max(axis=1)
        difference = largest - smallest
        return cast("Floats", np.divide(difference, largest, out=np.zeros_like(largest), where=largest > 0))

    def error(self, rounding: Rounding) -> float:
        """See :meth:`equipoise.teams.objectives.objective.Criterion.error`.

        The largest total is at least its share of the whole; it and the difference are off.
        """
        whole = rounding.least_total
        return 3.0 * rounding.mu * rounding.problem.n_teams / whole + rounding.unit if whole > 0.0 else 0.0

    def shown(self, cost: float) -> float:
        """Return smallest over largest."""
        return 1.0 - cost

    def cost_of(self, shown: float) -> float:
        return 1.0 - shown

    def largest_difference(self, cost: float, pair: Pair) -> float:
        cost = min(cost, 1.0)
        return float(pair.whole[MU]) * cost / (2.0 - cost)

    def closeness(self, cost: float, crowd: Crowd) -> Closeness:
        del crowd
        return Closeness(1.0 - cost, 0.0) if cost < 1.0 else Closeness()


def ratio(units: Units) -> Objective:
    """Return the objective; it has no unit of its own."""
    del units
    return Objective("ratio", Ratio())


def win(units: Units) -> Objective:
    """Return the objective in the given units."""
    return Objective("win", win_distance(units))


#: A variance below this share of the mean square is looked at closely: it may be rounding.
SMALL_SHARE = 1e-6

#: A deviation that is computed as 0 is at most so many times the root of what rounding does to its square.
TAKEN_FOR_0 = 2.0


@dataclass(frozen=True)
class SpreadDifference(Criterion):
    """The largest standard deviation of mu within a team minus the smallest, in roster units.

    Parameters
    ----------
    centre : float
        What was subtracted from mu before squaring.

    Examples
    --------
    Teams of (0, 2) and (1, 1): both mean 1, standard deviations 1 and 0.

    >>> totals = np.zeros((1, 2, 5)); totals[0, :, COUNT] = 2; totals[0, :, 1] = 2
    >>> totals[0, :, SQUARE] = 4, 2
    >>> SpreadDifference().cost(totals)
    array([1.])
    """

    centre: float = 0.0
    unit: Unit = ROSTER
    second = (0.0, 0.0, 1.0, 0.0, 0.0)
    has_reach = True
    has_windows = True

    def cost(self, totals: Floats) -> Floats:
        return ranges(standard_deviations(totals, self.centre))

    def error(self, rounding: Rounding) -> float:
        """See :meth:`equipoise.teams.objectives.objective.Criterion.error`.

        There are two deviations, and what rounding does to their roots and difference.
        """
        return 2.0 * rounding.deviation + rounding.unit * math.sqrt(rounding.squares / rounding.fewest)

    def errors(self, totals: Floats, rounding: Rounding) -> Floats:
        """See :meth:`equipoise.teams.objectives.objective.Criterion.errors`.

        A variance that is off by v puts the deviation x off by v / x, and by sqrt(v) at most.
        """
        deviations, lost = standard_deviations(totals, self.centre), variance_errors(totals, rounding)
        roots = np.sqrt(lost)
        each = np.divide(lost, deviations, out=TAKEN_FOR_0 * roots, where=deviations > roots)
        each = np.where(deviations > 0.0, np.minimum(each, roots), each)
        most = 2.0 * np.minimum(each, rounding.deviation).max(axis=1)
        errors = np.minimum(most + rounding.unit * deviations.max(axis=1), self.error(rounding))
        return cast("Floats", errors)

    def reach(self, cost: float, pair: Pair) -> tuple[Interval, Interval]:
        """See :meth:`equipoise.teams.objectives.objective.Criterion.reach`.

        With shares p and standard deviations x, y of the teams, ``p1 x² + p2 y²`` is the variance
        within, which is the whole variance less that between the teams; with ``y = x + d`` it gives
        ``x = sqrt(within - p1 p2 d²) - p2 d`` for every d from -cost to cost.
        """
        return self._reach(cost, pair)

    def windows(self, cost: float, crowd: Crowd) -> Windows:
        """See :meth:`equipoise.teams.objectives.objective.Criterion.windows`.

        The others' deviations are within the cost of a team's, so their mean square is that of a number
        within the cost, as with two teams; only the variance between teams is another.
        """
        n = sum(crowd.counts)
        mean = float(crowd.whole[MU]) / n
        between = sum(
            count / n * largest_square(Interval(mu.low / count - mean, mu.high / count - mean))
            for count, mu in zip(crowd.counts, crowd.mu, strict=True)
            if count
        )
        reaches = [
            self._reach(cost, crowd.against_the_rest(team), between) for team in range(len(crowd.counts))
        ]
        mu, second = tuple(mu for mu, _ in reaches), tuple(second for _, second in reaches)
        partial = Partial(DEVIATIONS, cost, self.centre, between=between * float(n))
        return Windows(mu, second, partial=partial)

    def _reach(self, cost: float, pair: Pair, between: float | None = None) -> tuple[Interval, Interval]:
        shares = pair.shares
        _, variance = pair.moments(self.centre, self.second)

        def first_variance(within: Interval) -> Interval:
            product = shares[0] * shares[1] * cost * cost
            low = math.sqrt(max(within.low - product, 0.0)) - shares[1] * cost
            # It is largest where d is -cost, or where y is 0.
            farthest = min(cost, math.sqrt(within.high / shares[0]))
            rest = within.high - shares[0] * shares[1] * farthest * farthest
            high = math.sqrt(max(rest, 0.0)) + shares[1] * farthest
            return Interval(max(low, 0.0) ** 2, high**2)

        return second_moment_reach(pair, self.centre, variance, first_variance, between)


def standard_deviations(totals: Floats, centre: float) -> Floats:
    """Return the standard deviation of mu within each team, shape (m, n_teams).

    It is 0 where the variance is no more than what rounding makes of players who all weigh the same.
    """
    counts = totals[:, :, COUNT]
    if counts.min(initial=1.0) > 0.0:
        squares, offsets = totals[:, :, SQUARE] / counts, totals[:, :, MU] / counts - centre
    else:
        squares = np.divide(totals[:, :, SQUARE], counts, out=np.zeros_like(counts), where=counts > 0)
        offsets = np.where(counts > 0, means(totals) - centre, 0.0)
    variances = squares - offsets * offsets
    small = variances <= SMALL_SHARE * squares
    if small.any():
        sizes = squares + np.abs(offsets) * (np.abs(offsets) + np.abs(offsets + centre))
        variances = np.where(variances <= 2.0 * (counts + OPERATIONS) * UNIT * sizes, 0.0, variances)
    return cast("Floats", np.sqrt(variances))


def spread(units: Units) -> Objective:
    """Return the objective: win probability within the units' tolerance, then the spread."""
    first = ((win_distance(units), units.tolerance),)
    return Objective("spread", SpreadDifference(units.centre, units.unit), first)
