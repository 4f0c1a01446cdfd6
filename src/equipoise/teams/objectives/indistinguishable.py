"""``indistinguishable``: how much a player's team tells about the skill, less how much of the side wanted."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import numpy as np

from equipoise.core.arrays import Floats
from equipoise.teams.objectives.moments import second_moment_reach, variance_errors
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
from equipoise.teams.objectives.partial_kernels import INFORMATION, Partial
from equipoise.teams.problem.exactness import Rounding
from equipoise.teams.problem.problem import COUNT, SIDE, SQUARE, VARIANCE

#: Halvings until an interval is as narrow as a float: the width of its fraction and a few to spare.
_HALVINGS = 60  # effort


@dataclass(frozen=True)
class MutualInformation(Criterion):
    """An upper bound on the mutual information of team and skill, in nats.

    With the share of players ``p_i``, variance ``s_i²`` of each team and ``s²`` of all, it is
    ``sum p_i log(s² / s_i²) / 2``: the mean Kullback-Leibler divergence of the teams' skill
    distributions from everyone's, all taken as normal.  (The terms with the means sum to a constant,
    by the law of total variance.)  The preferences' term ``sum p_i KL(t_i, t)`` is taken off, where t is
    the mean preference of a team and of all.

    Parameters
    ----------
    centre : float
        What was subtracted from mu before squaring, roster units.
    prior : float
        Variance added to every player's own, roster units squared.
    side_weight : float
        What the preferences' term is multiplied with.
    signed : bool
        Whether the teams are told apart: a team whose mean side is the other then adds to the cost what it
        would else take off, and a team in the middle nothing.  Where teams are interchangeable they are
        named after the sides instead.

    References
    ----------
    Kullback-Leibler divergence of two normals: T. Cover, J. Thomas, Elements of Information Theory, 2006.

    Examples
    --------
    Teams of (0, 2) and (1, 1) with prior 1: variances 2 and 1, of all 1.5.

    >>> totals = np.zeros((1, 2, 5)); totals[0, :, COUNT] = 2; totals[0, :, 1] = 2
    >>> totals[0, :, SQUARE] = 4, 2; totals[0, :, SIDE] = 1
    >>> MutualInformation(prior=1.0).cost(totals).round(6)  # log(1.5² / 2) / 4
    array([0.029446])
    """

    centre: float = 0.0
    prior: float = 0.0
    side_weight: float = 0.0
    signed: bool = False
    second = (0.0, 0.0, 1.0, 1.0, 0.0)
    has_reach = True
    has_windows = True

    @property
    def sided(self) -> bool:  # type: ignore[override]  # a constant of the class elsewhere
        """Whether it matters which team is the first: where preferences count by side."""
        return self.signed and self.side_weight > 0.0

    @property
    def floor(self) -> float:  # type: ignore[override]  # as sided
        """What no cost is below: perfect likeness and preferences that tell everything."""
        return -self.side_weight * math.log(2.0)

    def cost(self, totals: Floats) -> Floats:
        counts = totals[:, :, COUNT]
        whole = totals.sum(axis=1, keepdims=True)
        shares = counts / whole[:, :, COUNT]
        apart = _log(self._variances(whole)) - _log(self._variances(totals))
        information = 0.5 * np.where(counts > 0, shares * apart, 0.0).sum(axis=1)
        if self.side_weight:
            divergence = _preference_divergence(totals, whole)
            if self.signed:
                divergence *= _right_side(totals, whole)
            information -= self.side_weight * (shares * divergence).sum(axis=1)
        return cast("Floats", information)

    def _variances(self, totals: Floats) -> Floats:
        counts = np.maximum(totals[:, :, COUNT], 1.0)
        squares = (totals[:, :, SQUARE] + totals[:, :, VARIANCE]) / counts
        offsets = means(totals) - self.centre
        return np.maximum(squares - offsets * offsets, 0.0) + self.prior

    def error(self, rounding: Rounding) -> float:
        """See :meth:`equipoise.teams.objectives.objective.Criterion.error`.

        A logarithm changes by the change relative to what it is taken of, which the prior and the players'
        uncertainty keep from 0.
        """
        sure = self.prior + rounding.least_uncertainty
        least = max(sure, rounding.least_variance if rounding.least_variance < math.inf else 0.0)
        lost = rounding.variance / least if least > 0.0 else math.inf
        return min(lost, 1.0) + 32.0 * rounding.unit + self._preference_error(rounding)

    def errors(self, totals: Floats, rounding: Rounding) -> Floats:
        whole = totals.sum(axis=1, keepdims=True)
        shares = totals[:, :, COUNT] / whole[:, :, COUNT]
        each = np.where(shares > 0.0, self._lost(totals, rounding), 0.0)
        lost = (shares * each).sum(axis=1) + self._lost(whole, rounding)[:, 0]
        information = lost / 2.0 + 32.0 * rounding.unit + self._preference_error(rounding)
        return cast("Floats", np.minimum(information, self.error(rounding)))

    def _lost(self, totals: Floats, rounding: Rounding) -> Floats:
        """Return by how much the logarithm of each variance may be off, shape (m, n_teams)."""
        variances = self._variances(totals)
        off = variance_errors(totals, rounding)
        off += rounding.unit * (totals[:, :, VARIANCE] / np.maximum(totals[:, :, COUNT], 1.0) + self.prior)
        least = np.maximum(variances - off, self.prior)
        return np.divide(off, least, out=np.full_like(off, math.inf), where=least > 0.0)

    def _preference_error(self, rounding: Rounding) -> float:
        """Return what rounding does to the preferences' term."""
        if not self.side_weight:
            return 0.0
        # x log(x) near 0 changes by the change times its logarithm, a share of all by as many as there are.
        preference = rounding.side / rounding.fewest
        steep = 2.0 * abs(math.log(preference)) + 4.0 * rounding.count
        return self.side_weight * rounding.problem.n_teams * preference * steep

    def reach(self, cost: float, pair: Pair) -> tuple[Interval, Interval]:
        """See :meth:`equipoise.teams.objectives.objective.Criterion.reach`.

        The logarithm is concave, so the variance within teams is at least ``s² exp(-2 cost)``; given
        that, the first team's is ``within (1 + u / p1)`` with
        ``p1 log(1 + u / p1) + p2 log(1 - u / p2) >= -2 cost``, a concave function that is 0 at 0.
        """
        n = pair.counts[0] + pair.counts[1]
        side = float(pair.whole[SIDE]) / n
        cost = max(cost + self.side_weight * _entropy(side), 0.0)
        _, variance = pair.moments(self.centre, self.second, self.prior)
        if min(pair.counts) == 0 or variance == 0.0:
            return second_moment_reach(pair, self.centre, variance, lambda within: within)
        first, second = pair.shares
        farthest = math.sqrt(-math.expm1(-2.0 * cost) * variance * second / first)
        mean, _ = pair.moments(self.centre, self.second)
        near = Interval((mean - farthest) * pair.counts[0], (mean + farthest) * pair.counts[0])
        pair = Pair(pair.counts, pair.whole, pair.mu.overlap(near))

        def loss(u: float) -> float:
            return first * math.log1p(u / first) + second * math.log1p(-u / second)

        low, high = _last_above(loss, -2.0 * cost, -first), _last_above(loss, -2.0 * cost, second)

        def first_variance(within: Interval) -> Interval:
            least = max(within.low, variance * math.exp(-2.0 * cost))
            return Interval(
                least * (1.0 + low / first) - self.prior, within.high * (1.0 + high / first) - self.prior
            )

        return second_moment_reach(pair, self.centre, variance, first_variance)

    def windows(self, cost: float, crowd: Crowd) -> Windows:
        """See :meth:`equipoise.teams.objectives.objective.Criterion.windows`.

        Taking all teams but one as one does not add to the information: the logarithm of the variance of
        teams together is at least the mean of their logarithms.
        """
        reaches = [self.reach(cost, crowd.against_the_rest(team)) for team in range(len(crowd.counts))]
        pair = crowd.against_the_rest(0)
        _, variance = pair.moments(self.centre, self.second, self.prior)
        n = sum(crowd.counts)
        most = cost + self.side_weight * _entropy(float(crowd.whole[SIDE]) / n)
        partial = Partial(INFORMATION, most, self.centre, self.prior, float(n), variance)
        mu, second = tuple(mu for mu, _ in reaches), tuple(second for _, second in reaches)
        return Windows(mu, second, partial=partial)


def _last_above(function: Callable[[float], float], level: float, end: float) -> float:
    """Return the point between 0 and ``end`` where a function that falls from 0 passes the level."""
    inside, outside = 0.0, end
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2.0
        if middle == end or function(middle) < level:
            outside = middle
        else:
            inside = middle
    return outside


def _log(values: Floats) -> Floats:
    """Return the logarithm; minus infinity at 0, without a warning."""
    return np.log(values, out=np.full_like(values, -np.inf), where=values > 0)


def _entropy(side: float) -> float:
    """Return the entropy of a yes with probability ``side``, in nats: what preferences can tell at most."""
    return -sum(p * math.log(p) for p in (side, 1.0 - side) if p > 0.0)


def _preference_divergence(totals: Floats, whole: Floats) -> Floats:
    """Return the divergence of each team's mean preference from everyone's, shape (m, n_teams), in nats."""
    counts = np.maximum(totals[:, :, COUNT], 1.0)
    preferences = np.clip(totals[:, :, SIDE] / counts, 0.0, 1.0)
    everyone = np.clip(whole[:, :, SIDE] / whole[:, :, COUNT], 0.0, 1.0)
    divergence = np.zeros_like(preferences)
    for preference, all_preferences in ((preferences, everyone), (1.0 - preferences, 1.0 - everyone)):
        known = (preference > 0) & (all_preferences > 0)
        divergence += preference * (
            _log(np.where(known, preference, 1.0)) - _log(np.where(known, all_preferences, 1.0))
        )
    return divergence


def _right_side(totals: Floats, whole: Floats) -> Floats:
    """Return 1 for teams whose mean side is theirs, -1 where it is the other one, (m, n_teams)."""
    counts = np.maximum(totals[:, :, COUNT], 1.0)
    place = np.linspace(-1.0, 1.0, totals.shape[1])
    return np.sign((totals[:, :, SIDE] / counts - whole[:, :, SIDE] / whole[:, :, COUNT]) * place)


def indistinguishable(units: Units) -> Objective:
    """Return the objective with the units' prior and weight of side preferences."""
    criterion = MutualInformation(units.centre, units.prior, units.side_weight, units.signed)
    return Objective("indistinguishable", criterion)
