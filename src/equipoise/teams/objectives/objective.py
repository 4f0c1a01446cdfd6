"""What an objective is: one number for each split, made from its team totals alone.

A :class:`Criterion` is such a number, lower being better.
An :class:`Objective` is a criterion, or several in order: each is brought to its optimum, and the next
one chooses among the splits that are within a tolerance of it.
The objectives themselves are in :mod:`equipoise.teams.objectives`, a file each.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from equipoise.core.arrays import Floats
from equipoise.teams.objectives.partial_kernels import Partial
from equipoise.teams.problem.exactness import ROSTER, UNIT, Rounding, Unit
from equipoise.teams.problem.problem import COUNT, MU, N_FEATURES


@dataclass(frozen=True, slots=True)
class Units:
    """The units that objectives need to know.

    Parameters
    ----------
    beta : float
        Performance noise of one player in one game, roster units, above 0.
    zero : float
        The weight of a player whose presence makes no difference, roster units.
    centre : float
        What was subtracted from mu before squaring, roster units.
    prior : float
        Variance added to every player's, roster units squared: smooths spreads that would be 0.
    side_weight : float
        How much side preferences count against likeness, in nats for each nat.
    tolerance : float
        How far from the best win probability a split may be to be chosen for its likeness.
    side : float
        By how much the first of two teams is better off for its side, in the noise of the difference of two
        teams (:func:`equipoise.core.win_probability.side_shift`).
    signed : bool
        Whether the teams are told apart, so that a side preference counts only in the team it is for.
    beta_source, zero_source : str
        Where beta and the zero come from.
    assumed : bool
        Whether the zero is a convention: neither it nor the worth of a body was asked for.
    unit : Unit
        What one of these units is in those in which the roster was written.
    """

    beta: float = 1.0
    zero: float = 0.0
    centre: float = 0.0
    prior: float = 0.0
    side_weight: float = 0.0
    tolerance: float = 0.001
    side: float = 0.0
    signed: bool = False
    beta_source: str = "as given"
    zero_source: str = "as given"
    assumed: bool = False
    unit: Unit = ROSTER

    @property
    def shown(self) -> Units:
        """The units as the roster was written."""
        out = self.unit.shown
        return replace(
            self, beta=out(self.beta), zero=out(self.zero), centre=out(self.centre),
            prior=out(out(self.prior)), unit=ROSTER,
        )  # fmt: skip


#: How many times the measured effect of rounding is taken, where nobody has worked it out.
MEASURED = 16.0


class Interval(NamedTuple):
    """The range of one team's total in which a cost can be reached."""

    low: float
    high: float

    def overlap(self, other: Interval) -> Interval:
        """Return what the two intervals share (empty where low is above high)."""
        return Interval(max(self.low, other.low), min(self.high, other.high))


EVERYWHERE = Interval(-math.inf, math.inf)


@dataclass(frozen=True, slots=True)
class Pair:
    """What is known of two teams of given sizes before anyone is placed.

    Parameters
    ----------
    counts : pair of int
        Their sizes, bots included.
    whole : ndarray, shape (5,)
        The totals over both, bots included.
    mu : Interval
        Where the first team's total of mu must lie.
    """

    counts: tuple[int, int]
    whole: Floats
    mu: Interval = EVERYWHERE

    @property
    def shares(self) -> tuple[float, float]:
        """Each team's share of the players."""
        n = self.counts[0] + self.counts[1]
        return self.counts[0] / n, self.counts[1] / n

    def moments(self, centre: float, weights: tuple[float, ...], prior: float = 0.0) -> tuple[float, float]:
        """Return mean and variance over both teams; the weights say what counts as a square."""
        n = self.counts[0] + self.counts[1]
        mean = float(self.whole[MU]) / n
        squares = float((self.whole * np.array(weights)).sum()) / n
        return mean, max(squares - (mean - centre) ** 2, 0.0) + prior


@dataclass(frozen=True, slots=True)
class Crowd:
    """What is known of two and more teams of given sizes before anyone is placed.

    Parameters
    ----------
    counts : tuple of int
        Their sizes, bots included.
    whole : ndarray, shape (5,)
        The totals over all, bots included.
    mu : tuple of Interval
        Where each team's total of mu must lie.
    """

    counts: tuple[int, ...]
    whole: Floats
    mu: tuple[Interval, ...]

    def extras(self, zero: float) -> tuple[float, ...]:
        """Return by how much each team's total of mu exceeds its strength, see :func:`.strengths`."""
        least = min(self.counts)
        return tuple(zero * (count - least) for count in self.counts)

    def against_the_rest(self, team: int) -> Pair:
        """Return a team and all others taken as one."""
        count = self.counts[team]
        return Pair((count, sum(self.counts) - count), self.whole, self.mu[team])


class Closeness(NamedTuple):
    """How close all strengths must be: each is at least any other times ``share``, less ``span``.

    Strengths are totals of mu above the ``zero``, see :func:`equipoise.core.win_probability.strengths`.
    """

    share: float = 1.0
    span: float = math.inf
    zero: float = 0.0


class Windows(NamedTuple):
    """Where each team's totals must lie, in mu and in the second axis, and what else is known of them."""

    mu: tuple[Interval, ...]
    second: tuple[Interval, ...]
    closeness: Closeness = Closeness()
    partial: Partial = Partial()


@dataclass(frozen=True)
class Criterion:
    """One number for each split, lower being better.

    Subclasses define :meth:`cost`.  Those that also define :meth:`reach` can be solved exactly by
    meeting in the middle; for the others there are enumeration and local search.
    """

    #: The weights of the features in the second axis that :meth:`reach` bounds; all 0 where there is none.
    second = (0.0,) * N_FEATURES

    #: Whether, for two teams of given sizes, the cost depends on the difference of their strengths alone and
    #: grows with its size.
    by_difference = False

    #: Whether it tells the first of two teams from the second, as one has the better side.
    sided = False

    #: The weight above which players add to the strength of their team.
    zero = 0.0

    #: Whether :meth:`reach` narrows anything down.
    has_reach = False

    #: Whether :meth:`windows` says anything of three and more teams.
    has_windows = False

    #: Whether totals of mu that are whole numbers have costs that are.
    whole = False

    #: The cost below which none can be.
    floor = 0.0

    #: Whether totals of mu below 0 mean nothing to it.
    needs_positive = False

    #: What one unit of its cost is as a number for people: other than 1 where it is one of weights.
    unit = ROSTER

    def cost(self, totals: Floats) -> Floats:
        """Return the cost of each split, shape (m,), from totals of shape (m, n_teams, 5)."""
        raise NotImplementedError

    def error(self, rounding: Rounding) -> float:
        """Return by how much rounding may change the cost of any split.

        Two costs that differ by no more than twice this may be equal on paper.  What is not worked out for
        a criterion is measured at teams that are all alike, and taken several times.

        Parameters
        ----------
        rounding : Rounding
            What rounding does to the totals.
        """
        n_teams = rounding.problem.n_teams
        even = np.repeat(rounding.whole[None, None, :] / n_teams, n_teams, axis=1)
        changes = np.array([0.0, rounding.mu, rounding.square, rounding.uncertainty, rounding.side])
        moved = even.repeat(2 * N_FEATURES, axis=0)
        for feature, change in enumerate(changes):
            moved[2 * feature, 0, feature] += change
            moved[2 * feature + 1, 0, feature] -= change
        if rounding.problem.prices is not None:
            paid = np.zeros((*moved.shape[:2], 1))
            even, moved = (np.concatenate([part, paid[: len(part)]], axis=2) for part in (even, moved))
        cost = float(self.cost(even)[0])
        lost = np.abs(self.cost(moved) - cost)
        return float(MEASURED * n_teams * lost.sum() + MEASURED * UNIT * (1.0 + abs(cost)))

    def floor_with(self, moves: float, price: float) -> float:
        """Return what no split is below in which so many players change team, at a price each."""
        del moves, price
        return self.floor

    def errors(self, totals: Floats, rounding: Rounding) -> Floats:
        """Return by how much rounding may change the cost of each split, shape (m,), :meth:`error` at most.

        Parameters
        ----------
        totals : ndarray, shape (m, n_teams, 5)
            As :meth:`cost` takes them.
        rounding : Rounding
            What rounding does to the totals.
        """
        return np.full(len(totals), self.error(rounding))

    def shown(self, cost: float) -> float:
        """Return the number people know the criterion by."""
        return self.unit.shown(cost)

    def cost_of(self, shown: float) -> float:
        """Return the cost that is shown as a number."""
        return self.unit.counted(shown)

    def reach(self, cost: float, pair: Pair) -> tuple[Interval, Interval]:
        """Bound what the first of two teams can total in a split of at most a given cost.

        Parameters
        ----------
        cost : float
            The cost that must not be exceeded.
        pair : Pair
            What is known of the two teams before they are divided.

        Returns
        -------
        pair of Interval
            For the first team's mu, and for its second axis (:attr:`second`).  Every split within
            the cost is inside both; not all that are inside need be within the cost.
        """
        raise NotImplementedError

    def windows(self, cost: float, crowd: Crowd) -> Windows:
        """Bound what each of many teams can total in a split of at most a given cost.

        Parameters
        ----------
        cost : float
            The cost that must not be exceeded.
        crowd : Crowd
            What is known of the teams before they are divided.

        Returns
        -------
        Windows
            Every split within the cost is inside; not all that are inside need be within the cost.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class DifferenceCriterion(Criterion):
    """A criterion that grows with the difference of two teams' strengths: what is left is to say how fast."""

    by_difference = True
    has_reach = True
    has_windows = True

    def largest_difference(self, cost: float, pair: Pair) -> float:
        """Return the largest size of the difference of strengths at which the cost is not exceeded."""
        raise NotImplementedError

    def reach(self, cost: float, pair: Pair) -> tuple[Interval, Interval]:
        half = self.largest_difference(cost, pair) / 2
        middle = (float(pair.whole[MU]) + self.zero * (pair.counts[0] - pair.counts[1])) / 2
        return Interval(middle - half, middle + half).overlap(pair.mu), EVERYWHERE

    def closeness(self, cost: float, crowd: Crowd) -> Closeness:
        """Return how close the strengths must be where the cost is not exceeded."""
        raise NotImplementedError

    def windows(self, cost: float, crowd: Crowd) -> Windows:
        """See :meth:`Criterion.windows`.

        With the others' mean m, a strength s has ``s share - span <= m <= (s + span) / share``.
        """
        close = self.closeness(cost, crowd)
        others, extras = len(crowd.counts) - 1, crowd.extras(self.zero)
        whole = float(crowd.whole[MU]) - sum(extras)
        low = (whole * close.share - others * close.span) / (others + close.share)
        high = (whole + others * close.span) / (1.0 + others * close.share)
        mu = tuple(
            Interval(low + extra, high + extra).overlap(known)
            for extra, known in zip(extras, crowd.mu, strict=True)
        )
        return Windows(mu, (EVERYWHERE,) * len(mu), close)


class Limit(NamedTuple):
    """A criterion whose cost must not exceed a number."""

    criterion: Criterion
    cost: float


@dataclass(frozen=True)
class Objective:
    """Criteria in order, each within a tolerance of its optimum before the next one chooses.

    Parameters
    ----------
    name : str
        The name it is known by.
    criterion : Criterion
        The one that chooses last and gives the value.
    first : tuple of (Criterion, float)
        The criteria that come before, most important first, each with its tolerance in units of its cost.
    """

    name: str
    criterion: Criterion
    first: tuple[tuple[Criterion, float], ...] = ()

    @property
    def order(self) -> tuple[tuple[Criterion, float], ...]:
        """All criteria, most important first, each with its tolerance; the last one has none."""
        return (*self.first, (self.criterion, 0.0))


def means(totals: Floats) -> Floats:
    """Return each team's mean mu, shape (m, n_teams); 0 for a team without players."""
    counts = totals[:, :, COUNT]
    return np.divide(totals[:, :, MU], counts, out=np.zeros_like(counts), where=counts > 0)
