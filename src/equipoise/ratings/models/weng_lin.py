"""``bradley-terry`` and ``plackett-luce``: Weng and Lin's algorithms 1 and 4; compatible with ``openskill``.

The numbers are those of the package, step by step, so that a ladder kept there can move here.
See docs/algorithms/weng-lin.md.
"""

from __future__ import annotations

import itertools
import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from equipoise.core.match import Contest, Ruleset, Teams
from equipoise.core.player import Rating
from equipoise.errors import InputError
from equipoise.ratings.distributions import below, odds, quantile
from equipoise.ratings.model import question
from equipoise.ratings.per_player_model import Entries, Entry, Folding, Table, check_above, check_finite

#: A team's sum of mu and of sigma squared.
Sums = tuple[float, float]


@dataclass(frozen=True, slots=True)
class WengLin(Folding):
    """Bayesian approximation by moments: each model says what a team's place tells about its sum.

    Parameters
    ----------
    mu, sigma : float
        Of a new player.
    beta : float
        Performance noise of a team.
    tau : float
        Standard deviation by which skills may change before each contest.
    kappa : float
        The least part of a variance that one contest leaves.

    References
    ----------
    R. Weng, C.-J. Lin, JMLR 12 (2011) 267, algorithms 1 and 4.
    """

    mu: float = 25.0
    sigma: float = 25.0 / 3.0
    beta: float = 25.0 / 6.0
    tau: float = 25.0 / 300.0
    kappa: float = 0.0001

    answers: ClassVar[frozenset[str]] = frozenset({"quality"})

    def __post_init__(self) -> None:
        check_above(self, 0.0, "sigma", "beta", "kappa")
        check_finite(self, "mu", "tau")
        if self.tau < 0.0:
            msg = f"tau must be at least 0, got {self.tau!r}"
            raise InputError(msg)

    @abstractmethod
    def pull(self, sums: Sequence[Sums], ranks: Sequence[float]) -> list[Sums]:
        """Return omega and delta of each team: how far its sum moves, and the part its variance loses."""

    def newcomer(self) -> Entry:
        """Return mu and sigma of a new player."""
        return (self.mu, self.sigma)

    def change(self, entries: Entries, contest: Contest) -> Entries:
        """Return mu and sigma of everyone after a contest."""
        drifted: Entries = [
            [(mu, math.sqrt(sigma * sigma + self.tau * self.tau)) for mu, sigma in team] for team in entries
        ]
        sums = _sums(drifted, contest)
        after: Entries = []
        for team, members, (_, variance), (omega, delta) in zip(
            drifted, contest.teams, sums, self.pull(sums, contest.ranks), strict=True
        ):
            after.append(
                [
                    self._moved(entry, variance, (omega, delta), share)
                    for entry, (_, share) in zip(team, members, strict=True)
                ]
            )
        return after

    def predict(self, entries: Entries, contest: Contest) -> list[float]:
        """Return the chances as ``predict_win`` of openskill: normal, the mean over pairs for many teams."""
        sums = _sums(entries, contest)
        if len(sums) == 2:
            first = self._beats(*sums)
            return [first, 1.0 - first]
        means = [
            sum(self._beats(one, other) for j, other in enumerate(sums) if j != i) / (len(sums) - 1)
            for i, one in enumerate(sums)
        ]
        total = sum(means)
        return [mean / total for mean in means]

    def quality(
        self, state: Table, teams: Teams, ruleset: Ruleset | None = None, at: float | None = None
    ) -> float:
        """Return the chance of a draw as ``predict_draw`` of openskill: the mean over pairs of teams.

        The margin of a draw is wider the fewer players there are, so it compares matches of one size only.

        Examples
        --------
        >>> from equipoise.ratings.models.weng_lin import PlackettLuce
        >>> round(PlackettLuce().quality({}, (["ann"], ["bob"])), 4)
        0.2371
        """
        contest = question(teams, ruleset, at or 0.0)
        players = sum(map(len, contest.teams))
        margin = math.sqrt(players) * self.beta * quantile((1.0 + 1.0 / players) / 2.0)
        draws = []
        for one, other in itertools.combinations(_sums(self.entries(state, contest), contest), 2):
            spread = math.sqrt(2.0 * self.beta**2 + one[1] + other[1])
            lead = one[0] - other[0]
            draws.append(below((margin - lead) / spread) - below((-lead - margin) / spread))
        return sum(draws) / len(draws)

    def known(self, entry: Entry) -> Rating:
        """Return mu and sigma."""
        return Rating(*entry)

    def _beats(self, one: Sums, other: Sums) -> float:
        return below((one[0] - other[0]) / math.sqrt(2.0 * self.beta**2 + one[1] + other[1]))

    def _moved(self, entry: Entry, variance: float, pulls: Sums, share: float) -> Entry:
        """Return an entry after its share of the team's change."""
        mu, sigma = entry
        omega, delta = pulls
        part = share * sigma * sigma / variance
        kept = max(1.0 - part * delta * share, self.kappa)
        return mu + part * omega, sigma * math.sqrt(kept)


@dataclass(frozen=True, slots=True)
class BradleyTerry(WengLin):
    """Weng and Lin's Bradley-Terry model with full pairing, gamma = sigma / c.

    References
    ----------
    R. Weng, C.-J. Lin, JMLR 12 (2011) 267, algorithm 1.

    Examples
    --------
    >>> from equipoise.errors import InputError
    >>> from equipoise.core.match import Contest, Ruleset
    >>> model = BradleyTerry()
    >>> state = model.update(model.initial(), Contest(Ruleset(), (["ann"], ["bob"]), (1, 2)))
    >>> [round(number, 4) for number in state["ann"]]
    [27.6354, 8.0659]
    """

    def pull(self, sums: Sequence[Sums], ranks: Sequence[float]) -> list[Sums]:
        """Return omega and delta of each team."""
        pulls = []
        for i, (mu, variance) in enumerate(sums):
            omega = delta = 0.0
            for j, (other, other_variance) in enumerate(sums):
                if j == i:
                    continue
                c = math.sqrt(variance + other_variance + 2.0 * self.beta**2)
                p, _ = odds((mu - other) / c)
                score = 1.0 if ranks[i] < ranks[j] else 0.5 if ranks[i] == ranks[j] else 0.0
                omega += variance / c * (score - p)
                delta += math.sqrt(variance) / c * variance / c / c * p * (1.0 - p)
            pulls.append((omega, delta))
        return pulls


@dataclass(frozen=True, slots=True)
class PlackettLuce(WengLin):
    """Weng and Lin's Plackett-Luce model, gamma = sigma / c.

    References
    ----------
    R. Weng, C.-J. Lin, JMLR 12 (2011) 267, algorithm 4.

    Examples
    --------
    >>> from equipoise.errors import InputError
    >>> from equipoise.core.match import Contest, Ruleset
    >>> model = PlackettLuce()
    >>> state = model.update(model.initial(), Contest(Ruleset(), (["a"], ["b"], ["c"]), (1, 2, 3)))
    >>> [round(state[player][0], 4) for player in "abc"]
    [27.869, 25.7173, 21.4137]
    """

    def pull(self, sums: Sequence[Sums], ranks: Sequence[float]) -> list[Sums]:
        """Return omega and delta of each team."""
        c = math.sqrt(sum(variance + self.beta**2 for _, variance in sums))
        exponents = [mu / c for mu, _ in sums]
        left = []
        for rank in ranks:
            among = [exponent for exponent, other in zip(exponents, ranks, strict=True) if other >= rank]
            top = max(among)  # the exponential of a skill itself may leave the numbers
            left.append((top, sum(math.exp(exponent - top) for exponent in among)))
        tied = [sum(other == rank for other in ranks) for rank in ranks]
        pulls = []
        for i, (_, variance) in enumerate(sums):
            omega = delta = 0.0
            for q in range(len(sums)):
                if ranks[q] <= ranks[i]:
                    top, total = left[q]
                    p = math.exp(exponents[i] - top) / total
                    omega += ((q == i) - p) / tied[q]
                    delta += p * (1.0 - p) / tied[q]
            pulls.append((omega * variance / c, delta * variance / c**2 * math.sqrt(variance) / c))
        return pulls


def _sums(entries: Entries, contest: Contest) -> list[Sums]:
    """Return each team's sum of mu and of sigma squared, everyone with their presence."""
    return [
        (
            sum(share * mu for (mu, _), (_, share) in zip(team, members, strict=True)),
            sum((share * sigma) ** 2 for (_, sigma), (_, share) in zip(team, members, strict=True)),
        )
        for team, members in zip(entries, contest.teams, strict=True)
    ]
