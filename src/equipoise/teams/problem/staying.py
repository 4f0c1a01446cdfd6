"""Who is in a team already, and how many change it: at a price each, or at most so many.

A player changes team who is in another one than ``Player.team_now``; whoever has none yet, and bots that fill
up, do not count.  The price is paid with those of preferences, the number is counted in totals of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from equipoise.arrays import Floats, Labels
from equipoise.errors import InputError
from equipoise.players import Player
from equipoise.teams.problem.matching import FORBIDDEN, matched

if TYPE_CHECKING:
    from equipoise.teams.problem.problem import Problem


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
        if player.team_now >= n_teams:
            msg = f": {player.label!r} is in team {player.team_now + 1}; there are teams 1 to {n_teams}"
            raise InputError(msg, "team_now")
        moves[index] = 1.0
        moves[index, player.team_now] = 0.0
    return moves


def unmoved(problem: Problem) -> tuple[Labels, ...]:
    """Return the split in which everyone stays, if it is legal: something to begin a search with."""
    if problem.moving is None or not problem.n_blocks:
        return ()
    fixed = np.array(problem.fixed)
    labels = np.where(fixed >= 0, fixed, problem.moving.each.argmin(axis=1)).astype(np.int8)
    return (labels,) if problem.legal(labels[None, :])[0] else ()


def renumbered(problem: Problem, players: Sequence[Player], labels: Labels) -> Labels:
    """Return a split with its teams under the numbers at which fewest players change team.

    Teams exchange their numbers where that changes nothing else.
    """
    rules = problem.team_rules_but_now
    common = np.array([[0 if one == other else FORBIDDEN for other in rules] for one in rules])
    for members, team in zip(problem.members, labels.tolist(), strict=True):
        for now in (players[index].team_now for index in members):
            if now is not None:
                common[team, now] += 1
    number = np.argsort(matched(common))
    moved = common.trace() < common[np.arange(len(rules)), number].sum()
    return number[labels].astype(np.int8) if moved else labels
