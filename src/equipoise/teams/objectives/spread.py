"""``spread``: among the divisions nobody can tell from the fairest, the one with the most alike teams."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import cast

import numpy as np

from equipoise.arrays import Floats
from equipoise.teams.objectives.moments import WinDistance, largest_square, second_moment_reach
from equipoise.teams.objectives.objective import (
    Criterion,
    Crowd,
    Interval,
    Objective,
    Pair,
    Running,
    Units,
    Windows,
    means,
)
from equipoise.teams.problem.problem import COUNT, MU, SQUARE


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
        """See :meth:`equipoise.teams.objectives.objective.Criterion.cost`."""
        return cast("Floats", np.ptp(standard_deviations(totals, self.centre), axis=1))

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
        return Windows(mu, second, running=Running(2, cost, self.centre, between=between))

    def _reach(self, cost: float, pair: Pair, between: float | None = None) -> tuple[Interval, Interval]:
        shares = pair.shares
        _, variance = pair.moments(self.centre, self.second)

        def first_variance(within: Interval) -> Interval:
            product = shares[0] * shares[1] * cost * cost
            low = math.sqrt(max(within.low - product, 0.0)) - shares[1] * cost
            high = math.sqrt(within.high) + shares[1] * cost
            return Interval(max(low, 0.0) ** 2, high**2)

        return second_moment_reach(pair, self.centre, variance, first_variance, between)


def standard_deviations(totals: Floats, centre: float) -> Floats:
    """Return the standard deviation of mu within each team, shape (m, n_teams)."""
    counts = totals[:, :, COUNT]
    squares = np.divide(totals[:, :, SQUARE], counts, out=np.zeros_like(counts), where=counts > 0)
    offsets = np.where(counts > 0, means(totals) - centre, 0.0)
    return cast("Floats", np.sqrt(np.maximum(squares - offsets * offsets, 0.0)))


def spread(units: Units) -> Objective:
    """Return the objective: win probability within the units' tolerance, then the spread."""
    first = ((WinDistance(units.beta, units.zero), units.tolerance),)
    return Objective("spread", SpreadDifference(units.centre), first)
