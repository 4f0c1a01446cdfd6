"""Several criteria at once: in order with tolerances, or as a weighted sum; and the prices of preferences.

Re-rankers are criteria on the split itself: not additive over a team's members, so they re-rank the best
splits.  Each takes the weights of each team's members, bots included, and returns a number, lower being
better; :data:`equipoise.core.registry.RERANKERS` lists them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, cast

import numpy as np

from equipoise.core.arrays import Floats
from equipoise.teams.objectives.moments import WinDistance, win_distance
from equipoise.teams.objectives.objective import (
    EVERYWHERE,
    Criterion,
    Crowd,
    Interval,
    Objective,
    Pair,
    Units,
    Windows,
)
from equipoise.teams.problem.exactness import Rounding
from equipoise.teams.problem.problem import MOVES, N_FEATURES, PRICE

#: What rounding may add to a cost that is a sum, relative to it.
ROUNDING = 1e-12


@dataclass(frozen=True)
class PreferencePrices(Criterion):
    """The prices of all preferences that a split breaks, in win probability.

    Examples
    --------
    >>> totals = np.zeros((1, 2, 6)); totals[0, :, PRICE] = 0.01, 0.02
    >>> PreferencePrices().cost(totals)
    array([0.03])
    """

    has_reach = True

    def floor_with(self, moves: float, price: float) -> float:
        return moves * price

    def cost(self, totals: Floats) -> Floats:
        return cast("Floats", totals[:, :, PRICE:MOVES].sum(axis=(1, 2)))

    def error(self, rounding: Rounding) -> float:
        return rounding.price

    def reach(self, cost: float, pair: Pair) -> tuple[Interval, Interval]:
        """See :meth:`.Criterion.reach`: prices say nothing of the ratings."""
        del cost
        return pair.mu, EVERYWHERE


@dataclass(frozen=True)
class Moves(Criterion):
    """How many players change team: 0 where nobody is in one already.

    Examples
    --------
    >>> totals = np.zeros((1, 2, 7)); totals[0, :, MOVES] = 1, 2
    >>> Moves().cost(totals)
    array([3.])
    """

    has_reach = True

    def floor_with(self, moves: float, price: float) -> float:
        del price
        return moves

    def cost(self, totals: Floats) -> Floats:
        return cast("Floats", totals[:, :, MOVES:].sum(axis=(1, 2)))

    def error(self, rounding: Rounding) -> float:
        """See :meth:`equipoise.teams.objectives.objective.Criterion.error`: whole numbers are exact."""
        del rounding
        return 0.0

    def reach(self, cost: float, pair: Pair) -> tuple[Interval, Interval]:
        """See :meth:`.Criterion.reach`: who changes team says nothing of the ratings."""
        del cost
        return pair.mu, EVERYWHERE


@dataclass(frozen=True)
class WeightedSum(Criterion):
    """A sum of criteria, each multiplied with a weight above 0.

    Parameters
    ----------
    terms : tuple of (Criterion, float)
        The criteria, in units of their costs, and their weights.

    Examples
    --------
    >>> totals = np.zeros((1, 2, 6)); totals[0, :, PRICE] = 0.01, 0.02
    >>> WeightedSum(((PreferencePrices(), 2.0),)).cost(totals)
    array([0.06])
    """

    terms: tuple[tuple[Criterion, float], ...]

    @property
    def floor(self) -> float:  # type: ignore[override]  # a constant of the class elsewhere
        """The sum of the floors."""
        return sum(weight * criterion.floor for criterion, weight in self.terms)

    @property
    def second(self) -> tuple[float, ...]:  # type: ignore[override]  # as floor
        """The first second axis that any of the criteria has."""
        axes = (criterion.second for criterion, _ in self.terms if any(criterion.second))
        return next(axes, (0.0,) * N_FEATURES)

    @property
    def has_reach(self) -> bool:  # type: ignore[override]  # as floor
        """Whether any of the criteria has one."""
        return any(criterion.has_reach for criterion, _ in self.terms)

    @property
    def by_difference(self) -> bool:  # type: ignore[override]  # as floor
        """Whether all of the criteria are, of the same strengths."""
        zeros = {criterion.zero for criterion, _ in self.terms}
        return len(zeros) == 1 and all(criterion.by_difference for criterion, _ in self.terms)

    @property
    def zero(self) -> float:  # type: ignore[override]  # as floor
        """That of the criteria, where they have one and the same."""
        zeros = {criterion.zero for criterion, _ in self.terms}
        return zeros.pop() if len(zeros) == 1 else 0.0

    @property
    def sided(self) -> bool:  # type: ignore[override]  # as floor
        """Whether any of the criteria is."""
        return any(criterion.sided for criterion, _ in self.terms)

    @property
    def needs_positive(self) -> bool:  # type: ignore[override]  # as floor
        """Whether any of the criteria does."""
        return any(criterion.needs_positive for criterion, _ in self.terms)

    def floor_with(self, moves: float, price: float) -> float:
        return sum(weight * criterion.floor_with(moves, price) for criterion, weight in self.terms)

    def cost(self, totals: Floats) -> Floats:
        costs = np.zeros(len(totals))
        for criterion, weight in self.terms:
            costs += weight * criterion.cost(totals)
        return costs

    def error(self, rounding: Rounding) -> float:
        return sum(weight * criterion.error(rounding) for criterion, weight in self.terms) * (1.0 + ROUNDING)

    def errors(self, totals: Floats, rounding: Rounding) -> Floats:
        errors = np.zeros(len(totals))
        for criterion, weight in self.terms:
            errors += weight * criterion.errors(totals, rounding)
        return errors * (1.0 + ROUNDING)

    def reach(self, cost: float, pair: Pair) -> tuple[Interval, Interval]:
        """See :meth:`equipoise.teams.objectives.objective.Criterion.reach`.

        No criterion can have more than what the floors of the others leave of the cost.
        """
        second = EVERYWHERE
        for criterion, weight in self.terms:
            if not criterion.has_reach:
                continue
            most = criterion.floor + max(cost - self.floor, 0.0) / weight * (1.0 + ROUNDING)
            mu, other = criterion.reach(most, pair)
            pair = Pair(pair.counts, pair.whole, mu)
            if criterion.second == self.second:
                second = second.overlap(other)
        return pair.mu, second


@dataclass(frozen=True)
class About(Criterion):
    """What is made of another criterion, and like it in some ways.

    Parameters
    ----------
    criterion : Criterion
        The other one.
    """

    criterion: Criterion

    #: The constants of the other one that it has.
    alike: ClassVar[tuple[str, ...]] = ("second", "has_reach", "sided")

    def __post_init__(self) -> None:
        for name in self.alike:
            object.__setattr__(self, name, getattr(self.criterion, name))


@dataclass(frozen=True)
class OnPaper(About):
    """What another criterion's cost may be without rounding, at least or at most.

    Parameters
    ----------
    criterion : Criterion
        The other one.
    rounding : Rounding
        What rounding does to the totals.
    side : float
        1 for the most it may be, -1 for the least.
    """

    rounding: Rounding
    side: float

    alike = (*About.alike, "has_windows", "zero")

    @property
    def floor(self) -> float:  # type: ignore[override]  # a constant of the class elsewhere
        """What no such cost is below."""
        return self.criterion.floor - (0.0 if self.side > 0.0 else self.criterion.error(self.rounding))

    def floor_with(self, moves: float, price: float) -> float:
        return self.criterion.floor_with(moves, price) - self.criterion.error(self.rounding)

    def cost(self, totals: Floats) -> Floats:
        return self.criterion.cost(totals) + self.side * self.criterion.errors(totals, self.rounding)

    def error(self, rounding: Rounding) -> float:
        """See :meth:`equipoise.teams.objectives.objective.Criterion.error`: it is accounted for."""
        del rounding
        return 0.0

    def reach(self, cost: float, pair: Pair) -> tuple[Interval, Interval]:
        return self.criterion.reach(self._computed(cost), pair)

    def windows(self, cost: float, crowd: Crowd) -> Windows:
        return self.criterion.windows(self._computed(cost), crowd)

    def _computed(self, cost: float) -> float:
        """Return the most that the criterion computes where this is at most a cost."""
        more = 0.0 if self.side > 0.0 else self.criterion.error(self.rounding)
        return max(cost + more, self.criterion.floor)


@dataclass(frozen=True)
class AtMost(About):
    """By how much another criterion's cost exceeds a level; 0 up to it.

    Parameters
    ----------
    criterion : Criterion
        The other one.
    level : float
        In units of its cost; infinite where there is none.
    """

    level: float

    alike = (*About.alike, "needs_positive")

    def floor_with(self, moves: float, price: float) -> float:
        return max(self.criterion.floor_with(moves, price) - self.level, 0.0)

    def cost(self, totals: Floats) -> Floats:
        return np.maximum(self.criterion.cost(totals) - self.level, 0.0)

    def error(self, rounding: Rounding) -> float:
        return self.criterion.error(rounding)

    def reach(self, cost: float, pair: Pair) -> tuple[Interval, Interval]:
        if self.level == np.inf:
            return pair.mu, EVERYWHERE
        return self.criterion.reach(max(self.level + cost, self.criterion.floor), pair)


def priced(objective: Objective, units: Units) -> Objective:
    """Return an objective in which preferences count against win probability at their prices.

    Where the first criterion is the win probability, the prices are added to it; else the sum of both goes
    before all criteria, with the units' tolerance.  An objective that names ``preferences`` itself stays,
    and so does a point of a front, which is of two criteria and nothing else.
    """
    order = objective.order
    if isinstance(order[0][0], AtMost) or any(_counts_preferences(criterion) for criterion, _ in order):
        return objective
    both = WeightedSum(((win_distance(units), 1.0), (PreferencePrices(), 1.0)))
    if not isinstance(order[0][0], WinDistance):
        return replace(objective, first=((both, units.tolerance), *objective.first))
    if not objective.first:
        return Objective(f"{objective.name} + preferences", both)
    return replace(objective, first=((both, order[0][1]), *objective.first[1:]))


def preferences(units: Units) -> Objective:
    """Return the prices of broken preferences as an objective, in the unit of the prices."""
    del units
    return Objective("preferences", PreferencePrices())


def moves(units: Units) -> Objective:
    """Return how many players change team as an objective."""
    del units
    return Objective("moves", Moves())


def _counts_preferences(criterion: Criterion) -> bool:
    terms = criterion.terms if isinstance(criterion, WeightedSum) else ((criterion, 1.0),)
    return any(isinstance(term, PreferencePrices) for term, _ in terms)


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
