"""Who is in a team already, and how many change it: at a price each, or at most so many.

A player changes team who is in another one than ``Player.team_now``; those without one, and bots that fill
up, do not count.  The price is paid with those of preferences, the number is counted in totals of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from equipoise.arrays import Floats, Labels
from equipoise.errors import InputError
from equipoise.players import Player


@dataclass(frozen=True, eq=False)
class Moving:
    """How many players change team, and how many may.

    Parameters
    ----------
    each : ndarray, shape (n_blocks, n_teams)
        How many of a block's players change team where it is in a team.
    most : int or None
        How many players may; None for any number.
    price : float
        What each pays, in win probability; it is among the prices of the problem.
    """

    each: Floats
    most: int | None = None
    price: float = 0.0

    def counted(self, labels: Labels) -> Floats:
        """Return how many players of each team come from another, shape (m, n_teams)."""
        n_teams = self.each.shape[1]
        return np.stack([(labels == team) @ self.each[:, team] for team in range(n_teams)], axis=1)

    def excess(self, labels: Labels) -> Floats:
        """Return how many more players change team than may, shape (m,)."""
        if self.most is None:
            return np.zeros(len(labels))
        return np.asarray(np.maximum(self.counted(labels).sum(axis=1) - self.most, 0.0))


def check_team(player: Player, field: str, n_teams: int) -> None:
    """Refuse a player's ``team`` or ``team_now`` where there is no such team."""
    team: int | None = getattr(player, field)
    if team is not None and not 0 <= team < n_teams:
        msg = f"of {player.label!r} must be from 1 to {n_teams}, got {team + 1}"
        raise InputError(msg, field, player.id)


def moves_of(players: Sequence[Player], n_teams: int) -> Floats:
    """Return 1 for each player in each team that is not theirs now, else 0; shape (n_players, n_teams).

    Raises
    ------
    InputError
        If somebody is in a team that there is not.

    Examples
    --------
    >>> moves_of([Player("Ann", team_now=1), Player("Bob")], 2)
    array([[1., 0.],
           [0., 0.]])
    """
    moves = np.zeros((len(players), n_teams))
    for index, player in enumerate(players):
        if player.team_now is None:
            continue
        check_team(player, "team_now", n_teams)
        moves[index] = 1.0
        moves[index, player.team_now] = 0.0
    return moves
