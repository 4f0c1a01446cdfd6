"""A custom rating model in one file: the share of games won, counted from two imaginary ones.

equipoise evaluate examples/matches.jsonl --models examples.parts.model:WinShare
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from equipoise import Contest, Rating
from equipoise.extending import Entries, Entry, Folding, softmax


@dataclass(frozen=True, slots=True)
class WinShare(Folding):
    """Everyone's wins and games; a team is as strong as the mean logit of its members' shares.

    Parameters
    ----------
    imaginary : float
        Games, half of them won, that everyone has before the first.
    """

    imaginary: float = 2.0

    def newcomer(self) -> Entry:
        """Return the wins and games of somebody who was never seen."""
        return (self.imaginary / 2.0, self.imaginary)

    def change(self, entries: Entries, contest: Contest) -> Entries:
        """Add a game to everyone, and to each as much of a win as teams were beaten."""
        after: Entries = []
        for team, rank, members in zip(entries, contest.ranks, contest.teams, strict=True):
            beaten = sum((rank < other) + 0.5 * (rank == other) for other in contest.ranks) - 0.5
            won = beaten / (len(contest.ranks) - 1)
            pairs = zip(team, members, strict=True)
            after.append([(w + share * won, n + share) for (w, n), (_, share) in pairs])
        return after

    def predict(self, entries: Entries, contest: Contest) -> list[float]:
        """Return the chances: in proportion to the exponentials of the teams' strengths."""
        return softmax(
            [
                sum(share * self.known(entry).mu for entry, (_, share) in zip(team, members, strict=True))
                / sum(share for _, share in members)
                for team, members in zip(entries, contest.teams, strict=True)
            ]
        )

    def known(self, entry: Entry) -> Rating:
        """Return the logit of the share, and its standard deviation."""
        wins, games = entry
        return Rating(math.log(wins / (games - wins)), math.sqrt(games / (wins * (games - wins))))
