"""``spread``: among the splits nobody can tell from the fairest, the one with the most alike teams."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import cast

import numpy as np

from equipoise.core.arrays import Floats
from equipoise.teams.objectives.moments import (
    WinDistance,
    largest_square,
    ranges,
    second_moment_reach,
    variance_errors,
)
from equipoise.teams.objectives.objective import (
    Criterion,
    Crowd,
    Interval,
    Objective,
    Pair,
    Units,
    Windows,
    means,
)
from equipoise.teams.objectives.partial_kernels import DEVIATIONS, Partial
from equipoise.teams.problem.float_error import OPERATIONS, UNIT, Rounding
from equipoise.teams.problem.problem import COUNT, MU, SQUARE

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
    first = ((WinDistance(units.beta, units.zero), units.tolerance),)
    return Objective("spread", SpreadDifference(units.centre), first)
