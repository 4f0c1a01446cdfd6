"""What the two models of Weng and Lin share: the state, the spread of a team's change over its players.

The numbers are those of the package ``openskill``, step by step, so that a ladder kept there can move here.
"""

from __future__ import annotations

import itertools
import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from equipoise.matches import Contest, Ruleset, Teams
from equipoise.players import Rating
from equipoise.ratings.folding import Entries, Entry, Folding, Table
from equipoise.ratings.model import question
from equipoise.ratings.normal import below, quantile

#: A team's sum of mu and of sigma squared.
Sums = tuple[float, float]


@dataclass(frozen=True, slots=True)
class WengLin(Folding):
    """Bayesian approximation by moments: each model says what a team's place tells of its sum.

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
                    self._moved(entry, variance, (omega, delta), share, contest.weight)
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
        >>> from equipoise.ratings.models.plackett_luce import PlackettLuce
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

    def _moved(self, entry: Entry, variance: float, pulls: Sums, share: float, weight: float) -> Entry:
        """Return an entry after its share of the team's change."""
        mu, sigma = entry
        omega, delta = pulls
        part = share * sigma * sigma / variance
        kept = max(1.0 - part * delta * share * weight, self.kappa)
        return mu + part * omega * weight, sigma * math.sqrt(kept)


def _sums(entries: Entries, contest: Contest) -> list[Sums]:
    """Return each team's sum of mu and of sigma squared, everyone with their presence."""
    return [
        (
            sum(share * mu for (mu, _), (_, share) in zip(team, members, strict=True)),
            sum((share * sigma) ** 2 for (_, sigma), (_, share) in zip(team, members, strict=True)),
        )
        for team, members in zip(entries, contest.teams, strict=True)
    ]


def play_duels(hyper: Any, table: Any, members: Any, middle: Any, first: Any, won: Any, chances: Any) -> None:
    """Run Bradley-Terry full over contests of two teams with everyone present: a kernel.

    Parameters
    ----------
    hyper : column
        beta, tau, kappa.
    table : column
        mu and sigma squared of each player, one after the other; changed in place.
    members : column
        The player of each seat.
    middle, first : columns
        For each contest the first seat of the second team and, with one more, of the first.
    won : column
        What the first team scored: 1, 0.5 or 0.
    chances : column
        Where the first team's chance goes, by the normal link.
    """
    tau, kappa = hyper[1] * hyper[1], hyper[2]
    noise = 2.0 * hyper[0] * hyper[0]
    for n in range(len(won)):
        start, centre, end = first[n], middle[n], first[n + 1]
        mu_1 = mu_2 = variance_1 = variance_2 = 0.0
        for j in range(start, centre):
            mu_1 += table[2 * members[j]]
            variance_1 += table[2 * members[j] + 1] + tau
        for j in range(centre, end):
            mu_2 += table[2 * members[j]]
            variance_2 += table[2 * members[j] + 1] + tau
        square = variance_1 + variance_2 + noise
        before = square - tau * (end - start)
        chances[n] = 0.5 * math.erfc((mu_2 - mu_1) / math.sqrt(2.0 * before))
        c = math.sqrt(square)
        p = 1.0 / (1.0 + math.exp((mu_2 - mu_1) / c))
        pull = (won[n] - p) / c
        cut = p * (1.0 - p) / (square * c)
        cut_1, cut_2 = math.sqrt(variance_1) * cut, math.sqrt(variance_2) * cut
        for j in range(start, centre):
            at = 2 * members[j]
            variance = table[at + 1] + tau
            table[at] += variance * pull
            table[at + 1] = variance * max(1.0 - variance * cut_1, kappa)
        for j in range(centre, end):
            at = 2 * members[j]
            variance = table[at + 1] + tau
            table[at] -= variance * pull
            table[at + 1] = variance * max(1.0 - variance * cut_2, kappa)
