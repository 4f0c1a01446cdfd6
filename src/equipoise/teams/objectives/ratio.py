"""``ratio``: the smallest team total over the largest; 1 is even."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np

from equipoise.arrays import Floats
from equipoise.teams.objectives.objective import Closeness, Crowd, DifferenceCriterion, Objective, Pair, Units
from equipoise.teams.problem.problem import MU
from equipoise.teams.problem.rounding import Rounding


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
