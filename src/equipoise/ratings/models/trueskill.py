"""``trueskill``: expectation propagation over the order of the teams; closed form for two.

See docs/algorithms/trueskill.md.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from equipoise.core.match import Contest, Ruleset, Teams
from equipoise.core.player import Rating
from equipoise.core.win_probability import win_probability
from equipoise.errors import InputError
from equipoise.ratings.distributions import below, between, beyond, quantile
from equipoise.ratings.model import question
from equipoise.ratings.per_player_model import Entries, Entry, Folding, Table, check_above, check_finite

#: Messages have settled when none moves by more than this part; and at most so many sweeps.
SETTLED, SWEEPS = 1e-11, 500  # effort

#: A normal distribution as precision and precision times mean, so that products are sums.
Natural = tuple[float, float]


@dataclass(frozen=True, slots=True)
class TrueSkill(Folding):
    """TrueSkill with draws and any number of teams.

    Parameters
    ----------
    mu, sigma : float
        Of a new player.
    beta : float
        Performance noise of a player.
    tau : float
        Standard deviation by which skills may change before each contest, above 0.
    draw_probability : float
        How often even teams draw, from 0 to below 1.

    References
    ----------
    R. Herbrich, T. Minka, T. Graepel, "TrueSkill: A Bayesian Skill Rating System", NIPS 2006.

    Examples
    --------
    >>> from equipoise.core.match import Ruleset
    >>> model = TrueSkill()
    >>> state = model.update(model.initial(), Contest(Ruleset(), (["ann"], ["bob"]), (1, 2)))
    >>> [round(number, 3) for number in state["ann"]]
    [29.396, 7.171]
    """

    mu: float = 25.0
    sigma: float = 25.0 / 3.0
    beta: float = 25.0 / 6.0
    tau: float = 25.0 / 300.0
    draw_probability: float = 0.1

    answers: ClassVar[frozenset[str]] = frozenset({"quality"})

    def __post_init__(self) -> None:
        check_above(self, 0.0, "sigma", "beta", "tau")
        check_finite(self, "mu")
        drawn: Any = self.draw_probability
        known = not isinstance(drawn, bool) and isinstance(drawn, int | float)
        if not known or not drawn >= 0.0 or not _level(drawn) < 1.0:
            msg = f"draw_probability must be at least 0 and below 1, got {drawn!r}"
            raise InputError(msg)

    def newcomer(self) -> Entry:
        """Return mu and sigma of a new player."""
        return (self.mu, self.sigma)

    def change(self, entries: Entries, contest: Contest) -> Entries:
        """Return mu and sigma of everyone after a contest."""
        drifted = [[(mu, sigma * sigma + self.tau * self.tau) for mu, sigma in team] for team in entries]
        # A chain of more than two tied teams depends on their order, which must not be that of listing.
        order = sorted(range(len(drifted)), key=lambda i: (contest.ranks[i], min(contest.teams[i])))
        teams = [self._performance(drifted[i], contest.teams[i]) for i in order]
        margins = [
            self._margin(len(drifted[one]) + len(drifted[other])) for one, other in itertools.pairwise(order)
        ]
        draws = [contest.ranks[one] == contest.ranks[other] for one, other in itertools.pairwise(order)]
        after: Entries = [[] for _ in drifted]
        for i, message in zip(order, messages(teams, margins, draws), strict=True):
            after[i] = self._learnt(drifted[i], contest.teams[i], message)
        return after

    def predict(self, entries: Entries, contest: Contest) -> list[float]:
        """Return the chances: the normal link for two teams, the logistic one of equipoise for more."""
        sums = [self._performance([(mu, s * s) for mu, s in team], members)
                for team, members in zip(entries, contest.teams, strict=True)]  # fmt: skip
        if len(sums) == 2:
            spread = math.sqrt(sums[0][1] + sums[1][1])
            first = below((sums[0][0] - sums[1][0]) / spread)
            return [first, 1.0 - first]
        mu = np.array([[mean for mean, _ in sums]])
        variance = np.array([[variance for _, variance in sums]])
        row: list[float] = win_probability(mu, variance, np.zeros_like(mu), self.beta)[0].tolist()
        return row

    def quality(
        self, state: Table, teams: Teams, ruleset: Ruleset | None = None, at: float | None = None
    ) -> float:
        """Return the match quality of TrueSkill: the chance of a draw over that of one of known, equal teams.

        References
        ----------
        R. Herbrich, T. Minka, T. Graepel, NIPS 2006, section 4 (two players); for any number of teams, the
        differences of neighbours as in the package ``trueskill``: the order of the teams changes nothing.

        Examples
        --------
        >>> round(TrueSkill().quality({}, (["ann"], ["bob"])), 3)
        0.447
        """
        contest = question(teams, ruleset, at or 0.0)
        known = self.entries(state, contest)
        sums = [self._performance([(mu, s * s) for mu, s in team], members)
                for team, members in zip(known, contest.teams, strict=True)]  # fmt: skip
        noise = [self.beta**2 * sum(share * share for _, share in team) for team in contest.teams]
        steps = np.diff(np.eye(len(sums)), axis=0)
        lead = steps @ np.array([mean for mean, _ in sums])
        spread = steps @ np.diag([variance for _, variance in sums]) @ steps.T
        even = np.linalg.det(steps @ np.diag(noise) @ steps.T) / np.linalg.det(spread)
        return math.sqrt(even) * math.exp(-0.5 * float(lead @ np.linalg.solve(spread, lead)))

    def known(self, entry: Entry) -> Rating:
        """Return mu and sigma."""
        return Rating(*entry)

    def _margin(self, players: int) -> float:
        """Return the difference of performances below which so many players draw."""
        return quantile(_level(self.draw_probability)) * math.sqrt(players) * self.beta

    def _performance(
        self, team: Sequence[Entry], members: Sequence[tuple[str, float]]
    ) -> tuple[float, float]:
        """Return mean and variance of a team's performance."""
        mean = variance = 0.0
        for (mu, spread), (_, share) in zip(team, members, strict=True):
            mean += share * mu
            variance += share * share * (spread + self.beta * self.beta)
        return mean, variance

    def _learnt(
        self, team: Sequence[Entry], members: Sequence[tuple[str, float]], message: Natural
    ) -> list[Entry]:
        """Return mu and sigma of a team's players, given what its place says of its performance."""
        mean, variance = self._performance(team, members)
        precision, scaled = message
        # With Kalman's gain in terms of the message's precision, which may be 0.
        total = 1.0 + precision * variance
        learnt: list[Entry] = []
        for (mu, spread), (_, share) in zip(team, members, strict=True):
            gain = share * spread / total
            left = spread * (1.0 - share * gain * precision)
            learnt.append((mu + gain * (scaled - precision * mean), math.sqrt(left)))
        return learnt


def _level(drawn: float) -> float:
    """Return the part of a normal distribution below the margin within which so many draw."""
    return (drawn + 1.0) / 2.0


def messages(
    teams: Sequence[tuple[float, float]], margins: Sequence[float], draws: Sequence[bool]
) -> list[Natural]:
    """Return what the order says of each team's performance, teams in order of rank.

    Parameters
    ----------
    teams : sequence of (mean, variance)
        Performances before.
    margins, draws : sequences
        For each pair of neighbours the margin of a draw, and whether they drew.
    """
    prior = [(1.0 / variance, mean / variance) for mean, variance in teams]
    down: list[Natural] = [(0.0, 0.0)] * len(teams)  # what the pair above says of its lower team
    up: list[Natural] = [(0.0, 0.0)] * len(teams)  # what the pair below says of its upper team
    pairs = list(range(len(margins)))
    for _ in range(SWEEPS):
        moved = 0.0
        for pair in pairs + pairs[-2::-1]:
            upper = (prior[pair][0] + down[pair][0], prior[pair][1] + down[pair][1])
            lower = (prior[pair + 1][0] + up[pair + 1][0], prior[pair + 1][1] + up[pair + 1][1])
            new_upper, new_lower = _compared(upper, lower, margins[pair], draws[pair])
            for old, new in ((up[pair], new_upper), (down[pair + 1], new_lower)):
                moved = max(moved, abs(new[0] - old[0]) / max(new[0], 1e-300), abs(new[1] - old[1]))
            up[pair], down[pair + 1] = new_upper, new_lower
        if moved < SETTLED or len(pairs) == 1:
            break
    return [(one[0] + other[0], one[1] + other[1]) for one, other in zip(down, up, strict=True)]


def _compared(upper: Natural, lower: Natural, margin: float, draw: bool) -> tuple[Natural, Natural]:
    """Return what a comparison of two performances says of the upper and of the lower."""
    mean_1, variance_1 = upper[1] / upper[0], 1.0 / upper[0]
    mean_2, variance_2 = lower[1] / lower[0], 1.0 / lower[0]
    variance = variance_1 + variance_2
    c = math.sqrt(variance)
    x = (mean_1 - mean_2) / c
    v, w = between(x, margin / c) if draw else beyond(x - margin / c)
    if w == 0.0:  # it was certain, which is not news
        return (0.0, 0.0), (0.0, 0.0)
    # The difference seen as a measurement: its mean and variance, from those before and after.
    noise = variance * (1.0 - w) / w
    seen = mean_1 - mean_2 + c * v / w
    return (
        (1.0 / (variance_2 + noise), (seen + mean_2) / (variance_2 + noise)),
        (1.0 / (variance_1 + noise), (mean_1 - seen) / (variance_1 + noise)),
    )
