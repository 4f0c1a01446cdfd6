"""``glicko2``: rating, deviation and volatility; every player meets the mean opponent of each other team.

See docs/algorithms/glicko2.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from equipoise.core.match import Contest
from equipoise.core.player import Rating
from equipoise.ratings.distributions import odds
from equipoise.ratings.per_player_model import (
    Entries,
    Entry,
    Folding,
    between,
    check_above,
    check_finite,
    softmax,
)

#: Rating points for one unit of the internal scale: 400 / ln 10, as the paper rounds it.
UNIT = 173.7178

#: The volatility is found to this precision (step 5.4 of the paper), and within so many steps.
PRECISION, STEPS = 1e-6, 200  # effort

#: A contest of players who are further apart than this, in units of the scale (5,200 points), tells what one
#: at this distance does: else what it tells is nothing, and an upset everything.
FARTHEST = 30.0

#: An opponent: rating, deviation, and what was scored, from 0 to 1.
Result = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Glicko2(Folding):
    """Glicko-2 with a rating period of one contest.

    Parameters
    ----------
    mean, deviation, volatility : float
        Of a new player.
    tau : float
        How much the volatility may change; 0.3 to 1.2 is usual.

    Raises
    ------
    InputError
        If a constant is out of range.

    References
    ----------
    M. Glickman, "Example of the Glicko-2 system", 2013 (steps 1 to 8 and the worked example).

    Examples
    --------
    >>> before = (1500.0, 200.0, 0.06)
    >>> after = Glicko2().period(before, [(1400, 30, 1), (1550, 100, 0), (1700, 300, 0)])
    >>> [round(number, 5) for number in after]
    [1464.05067, 151.51652, 0.06]
    """

    mean: float = 1500.0
    deviation: float = 350.0
    volatility: float = 0.06
    tau: float = 0.5

    def __post_init__(self) -> None:
        check_above(self, 0.0, "deviation", "volatility", "tau")
        check_finite(self, "mean")

    def newcomer(self) -> Entry:
        """Return rating, deviation and volatility of a new player."""
        return (self.mean, self.deviation, self.volatility)

    def period(self, entry: Entry, results: Sequence[Result]) -> Entry:
        """Return a player's entry after a rating period (steps 2 to 8 of the paper)."""
        phi, sigma = entry[1] / UNIT, entry[2]
        if not results:  # only step 6 applies
            return (entry[0], UNIT * math.hypot(phi, sigma), sigma)
        information = improvement = 0.0
        for rating, deviation, score in results:
            attenuation = damping(deviation / UNIT)
            lead = attenuation * (entry[0] - rating) / UNIT
            expected, rest = odds(min(max(lead, -FARTHEST), FARTHEST))
            information += attenuation * attenuation * expected * rest
            improvement += attenuation * (score * rest - (1.0 - score) * expected)
        variance = 1.0 / information
        sigma = self._volatility(phi, sigma, variance, variance * improvement)
        phi = 1.0 / math.sqrt(1.0 / (phi * phi + sigma * sigma) + information)
        return (entry[0] + UNIT * phi * phi * improvement, UNIT * phi, sigma)

    def change(self, entries: Entries, contest: Contest) -> Entries:
        """Return the entries after a contest."""
        means = _means(entries, contest)
        ranks = contest.ranks
        after: Entries = []
        for i, team in enumerate(entries):
            results = [
                (*means[j], 1.0 if ranks[i] < ranks[j] else 0.5 if ranks[i] == ranks[j] else 0.0)
                for j in range(len(means))
                if j != i
            ]
            after.append(
                [
                    between(entry, self.period(entry, results), share)
                    for entry, (_, share) in zip(team, contest.teams[i], strict=True)
                ]
            )
        return after

    def predict(self, entries: Entries, contest: Contest) -> list[float]:
        """Return the chances of the mean players, both teams' deviations counted."""
        means = _means(entries, contest)
        spread = math.sqrt(sum(deviation * deviation for _, deviation in means) * 2.0 / len(means))
        return softmax([damping(spread / UNIT) * rating / UNIT for rating, _ in means])

    def known(self, entry: Entry) -> Rating:
        """Return rating and deviation."""
        return Rating(entry[0], entry[1])

    def _volatility(self, phi: float, sigma: float, variance: float, gain: float) -> float:
        """Return the new volatility: step 5 of the paper, by the Illinois algorithm."""
        a = math.log(sigma * sigma)

        def slope(x: float) -> float:
            power = math.exp(x)
            total = phi * phi + variance + power
            return power * (gain * gain - total) / (2.0 * total * total) - (x - a) / (self.tau * self.tau)

        low = a
        if gain * gain > phi * phi + variance:
            high = math.log(gain * gain - phi * phi - variance)
        else:
            k = 1
            while slope(a - k * self.tau) < 0.0:
                k += 1
            high = a - k * self.tau
        f_low, f_high = slope(low), slope(high)
        for _ in range(STEPS):
            if abs(high - low) <= PRECISION:
                break
            middle = low + (low - high) * f_low / (f_high - f_low)
            f_middle = slope(middle)
            if f_middle * f_high <= 0.0:
                low, f_low = high, f_high
            else:
                f_low /= 2.0
            high, f_high = middle, f_middle
        return math.exp(low / 2.0)


def damping(phi: float) -> float:
    """Return g of the paper: how much an opponent's uncertainty takes from a result."""
    return 1.0 / math.sqrt(1.0 + 3.0 * phi * phi / (math.pi * math.pi))


def _means(entries: Entries, contest: Contest) -> list[tuple[float, float]]:
    """Return rating and deviation of the mean player of each team, weighted by presence."""
    means = []
    for team, members in zip(entries, contest.teams, strict=True):
        shares = [share for _, share in members]
        total = sum(shares)
        rating = sum(share * entry[0] for share, entry in zip(shares, team, strict=True)) / total
        square = sum(share * entry[1] * entry[1] for share, entry in zip(shares, team, strict=True)) / total
        means.append((rating, math.sqrt(square)))
    return means
