"""The games of a session as the ledger counts them: the teams, their chances, who came out ahead."""

from __future__ import annotations

from equipoise.ledger import LedgerGame
from equipoise.live.choosing import chances
from equipoise.live.state import State


class Played:
    """The games that have ended, and what the ledger needs to know of the one that runs."""

    def __init__(self) -> None:
        self.games: list[LedgerGame] = []
        #: Who was moved to another team for the game that is about to start.
        self.moved: tuple[str, ...] = ()
        self._teams: tuple[tuple[str, ...], ...] = ()
        self._expected: tuple[float, ...] = ()

    def begin(self, state: State) -> None:
        """Note the teams of a game that starts, and their chances."""
        teams: list[list[str]] = [[] for _ in range(state.match.teams)]
        for player, team in state.plan.items():
            teams[team].append(player)
        self._teams = tuple(map(tuple, teams))
        self._expected = chances(state) if state.bots else ()

    def end(self, scores: tuple[float, ...]) -> None:
        """Add the game, unless a team was empty or has no score."""
        if len(scores) == len(self._teams) == len(self._expected) and all(self._teams):
            ranks = tuple(-score for score in scores)
            self.games.append(LedgerGame(self._teams, self._expected, ranks, (), self.moved))
