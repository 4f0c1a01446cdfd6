"""``elo``: team means, one factor K, the logistic curve of base ten.

See docs/algorithms/elo.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from equipoise.core.match import Contest
from equipoise.core.player import Rating
from equipoise.ratings.per_player_model import Entries, Entry, Folding, check_above, check_finite, softmax

#: Powers of ten beyond this leave the numbers.
STEEPEST = 300.0


@dataclass(frozen=True, slots=True)
class Elo(Folding):
    """Elo for teams: every player of a team gains what its mean gains.

    Parameters
    ----------
    k : float
        The most a rating can move in a contest of two teams.
    scale : float
        The difference at which the favourite wins ten times as often as it loses.
    start : float
        The rating of a new player.

    References
    ----------
    A. Elo, "The Rating of Chessplayers, Past and Present", Arco 1978, section 1.6.

    Examples
    --------
    >>> from equipoise.core.match import Ruleset
    >>> model = Elo()
    >>> state = model.update(model.initial(), Contest(Ruleset(), (["ann"], ["bob"]), (1, 2)))
    >>> state["ann"], state["bob"]
    ((1516.0,), (1484.0,))
    """

    k: float = 32.0
    scale: float = 400.0
    start: float = 1500.0

    def __post_init__(self) -> None:
        check_above(self, 0.0, "k", "scale")
        check_finite(self, "start")

    def newcomer(self) -> Entry:
        """Return the rating of a new player."""
        return (self.start,)

    def expected(self, one: float, other: float) -> float:
        """Return the expected score of one rating against another, from 0 to 1.

        Examples
        --------
        >>> round(Elo().expected(1613, 1609), 3), round(Elo().expected(1613, 1477), 3)
        (0.506, 0.686)
        """
        return 1.0 / (1.0 + math.pow(10.0, min((other - one) / self.scale, STEEPEST)))

    def change(self, entries: Entries, contest: Contest) -> Entries:
        """Return the ratings after a contest: the mean over all pairs of teams."""
        means = _means(entries, contest)
        ranks = contest.ranks
        after: Entries = []
        for i, team in enumerate(entries):
            gain = 0.0
            for j, mean in enumerate(means):
                if j != i:
                    score = 1.0 if ranks[i] < ranks[j] else 0.5 if ranks[i] == ranks[j] else 0.0
                    gain += score - self.expected(means[i], mean)
            step = self.k * gain / (len(means) - 1)
            shares = [share for _, share in contest.teams[i]]
            after.append([(rating + share * step,) for (rating,), share in zip(team, shares, strict=True)])
        return after

    def predict(self, entries: Entries, contest: Contest) -> list[float]:
        """Return the chances: for two teams the expected score, for more in proportion to the powers."""
        return softmax([mean * math.log(10.0) / self.scale for mean in _means(entries, contest)])

    def known(self, entry: Entry) -> Rating:
        """Return the rating; Elo knows no uncertainty."""
        return Rating(entry[0])


def _means(entries: Entries, contest: Contest) -> list[float]:
    """Return the mean of each team, weighted by presence."""
    return [
        sum(share * rating for (rating,), (_, share) in zip(team, members, strict=True))
        / sum(share for _, share in members)
        for team, members in zip(entries, contest.teams, strict=True)
    ]
