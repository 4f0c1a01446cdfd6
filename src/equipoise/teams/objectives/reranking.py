"""Criteria on the split itself: not additive over a team's members, so they re-rank the best splits.

A criterion takes the weights of each team's members, bots included, and returns a number, lower being
better; :data:`equipoise.registry.RERANKERS` lists them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from equipoise.arrays import Floats


def quantile_distance(teams: Sequence[Floats]) -> float:
    """Return the largest Wasserstein-1 distance between two teams' weights, in roster units.

    It is the mean difference of their quantiles: how far the weights of one team must be moved, on
    average, to be those of the other.

    References
    ----------
    L. Kantorovich, 1942; in one dimension the area between the distribution functions, see C. Villani,
    Topics in Optimal Transportation, 2003, remark 2.19.

    Examples
    --------
    >>> quantile_distance([np.array([1.0, 4.0]), np.array([2.0, 3.0])])
    1.0
    """
    return max((_distance(one, other) for n, one in enumerate(teams) for other in teams[:n]), default=0.0)


def _distance(one: Floats, other: Floats) -> float:
    if not len(one) or not len(other):
        return 0.0
    points = np.sort(np.concatenate([one, other]))
    below = [np.searchsorted(np.sort(team), points[:-1], side="right") / len(team) for team in (one, other)]
    return float((np.abs(below[0] - below[1]) * np.diff(points)).sum())


def strongest_difference(teams: Sequence[Floats]) -> float:
    """Return by how much the strongest players of two teams differ at most, in roster units.

    Examples
    --------
    >>> strongest_difference([np.array([1.0, 4.0]), np.array([2.0, 3.0])])
    1.0
    """
    strongest = [float(team.max()) for team in teams if len(team)]
    return max(strongest, default=0.0) - min(strongest, default=0.0)
