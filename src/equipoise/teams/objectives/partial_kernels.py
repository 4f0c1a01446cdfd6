"""What a split costs at least once some of its teams are full, all other players taken as one team.

A criterion says with a :class:`Partial` which of the bounds here holds for it; a search that fills teams one
by one asks for it after each.  Written for :mod:`equipoise.core.compiled`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

#: Which bound holds: none, that of a mean logarithm of variances, that of a range of standard deviations.
NOTHING, INFORMATION, DEVIATIONS = range(3)


class Partial(NamedTuple):
    """What is known of the cost once some teams are full; variances are those of the second axis.

    Parameters
    ----------
    kind : int
        :data:`NOTHING`; :data:`INFORMATION` where a cost is the mean logarithm of the teams' variances;
        :data:`DEVIATIONS` where it is the range of their standard deviations.
    cost : float
        What must not be exceeded.
    centre, prior : float
        What was subtracted from mu before squaring, and what is added to variances.
    players : float
        How many there are.
    variance : float
        The variance of all, the prior included.
    between : float
        What the sum of squares between teams is at most.
    """

    kind: int = NOTHING
    cost: float = math.inf
    centre: float = 0.0
    prior: float = 0.0
    players: float = 0.0
    variance: float = 0.0
    between: float = 0.0

    @property
    def begin(self) -> tuple[float, float]:
        """What is kept from team to team, before any is full."""
        return (math.inf, -math.inf) if self.kind == DEVIATIONS else (0.0, 0.0)

    @property
    def rooted(self) -> bool:
        """Whether costs are roots of what is summed: their rounding is far larger than that of sums."""
        return self.kind == DEVIATIONS


def partial_cost(
    partial: Partial,
    kept: Any,
    level: int,
    count: float,
    total: float,
    square: float,
    rest: float,
    rest_total: float,
    rest_square: float,
) -> float:
    """Return what a split costs at least when one more team is full.

    Parameters
    ----------
    partial : Partial
        Not of the kind that says nothing.
    kept : two-dimensional column, shape (n_levels, 2)
        What is kept of the teams before; the row after the level's is set.
    level : int
        How many teams were full.
    count, total, square : float
        The team's players, and their sums on both axes.
    rest, rest_total, rest_square : float
        Those of all who are in no full team.
    """
    variance = moment(count, total, square, partial.centre)
    rest_variance = moment(rest, rest_total, rest_square, partial.centre)
    if partial.kind == INFORMATION:
        own = share_of_information(count, variance + partial.prior, partial.players, partial.variance)
        others = share_of_information(rest, rest_variance + partial.prior, partial.players, partial.variance)
        known: float = kept[level, 0] + own
        kept[level + 1, 0] = known
        return known + others
    deviation = math.sqrt(variance)
    least: float = min(kept[level, 0], deviation)
    most: float = max(kept[level, 1], deviation)
    kept[level + 1, 0] = least
    kept[level + 1, 1] = most
    if rest == 0.0:
        return most - least
    # The mean square of the others' deviations is their variance less what lies between them.
    inside = rest_variance - partial.between / max(rest, 1.0)
    return max(most - least, most - math.sqrt(rest_variance), math.sqrt(max(inside, 0.0)) - least)


def moment(count: float, total: float, square: float, centre: float) -> float:
    """Return a variance from sums; 0 of nothing."""
    if count == 0.0:
        return 0.0
    offset = total / count - centre
    return max(square / count - offset * offset, 0.0)


def share_of_information(count: float, variance: float, whole_count: float, whole_variance: float) -> float:
    """Return a team's term of the mutual information, in nats."""
    if count == 0.0 or whole_variance == 0.0:
        return 0.0
    if variance == 0.0:
        return math.inf
    return -0.5 * count / whole_count * math.log(variance / whole_variance)
