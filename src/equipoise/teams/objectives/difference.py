"""``difference``: the largest team total minus the smallest, in roster units."""

from __future__ import annotations

from dataclasses import dataclass

from equipoise.arrays import Floats
from equipoise.teams.objectives.moments import ranges
from equipoise.teams.objectives.objective import Closeness, Crowd, DifferenceCriterion, Objective, Pair, Units
from equipoise.teams.problem.problem import MU
from equipoise.teams.problem.rounding import Rounding


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
    """Return the objective; it has no unit of its own."""
    del units
    return Objective("difference", Difference())
