"""A custom objective in one file: the largest difference of the teams' mean weights.

equipoise balance examples/roster.txt --objective examples.parts.objective:mean_difference
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np

from equipoise.extending import COUNT, MU, Criterion, Floats, Objective, Units


@dataclass(frozen=True)
class MeanDifference(Criterion):
    """The range of the teams' means; a team of nobody counts as having the mean 0."""

    def cost(self, totals: Floats) -> Floats:
        """Return the cost of each split, shape (m,), from totals of shape (m, n_teams, 5)."""
        means = totals[:, :, MU] / np.maximum(totals[:, :, COUNT], 1.0)
        return cast("Floats", np.ptp(means, axis=1))


def mean_difference(units: Units) -> Objective:
    """Return the objective; it has no unit of its own."""
    del units
    return Objective("mean-difference", MeanDifference())
