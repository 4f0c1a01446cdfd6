"""The problem of filling lobbies in numbers, and what solvers are asked for and give back.

A *block* is a party, or a player without one: it stays together, and all that counts of it is its total
skill, its number of players and its *kind*: which lobbies it may be in.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from equipoise.arrays import Bools, Floats, Ints, Places
from equipoise.stopping import Stop, never

#: The team of blocks that wait.
WAITING = -1


@dataclass(frozen=True)
class LobbyProblem:
    """Blocks, lobbies and rules.

    Parameters
    ----------
    skill : ndarray of float, shape (n_blocks,)
        Each block's total, roster units.
    size : ndarray of int, shape (n_blocks,)
        Each block's number of players.
    kind : ndarray of int, shape (n_blocks,)
        The row of ``may`` that says where the block may be.
    may : ndarray of bool, shape (n_kinds, n_lobbies)
        Whether blocks of a kind may be in a lobby.
    target : ndarray of float, shape (n_lobbies,)
        What a team of the lobby should have.
    least, most : ndarray of int, shape (n_lobbies,)
        Fewest and most teams of each lobby.
    team_size, min_size : int
        Most and fewest players of a team.
    absolute : bool
        Whether the deviation is absolute; else it is squared.
    per_player : bool
        Whether targets are for a team's mean; else for its total.
    """

    skill: Floats
    size: Ints
    kind: Ints
    may: Bools
    target: Floats
    least: Ints
    most: Ints
    team_size: int
    min_size: int
    absolute: bool = False
    per_player: bool = False

    @property
    def n_blocks(self) -> int:
        """How many blocks there are."""
        return len(self.skill)

    @property
    def n_lobbies(self) -> int:
        """How many lobbies there are."""
        return len(self.target)

    @cached_property
    def n_players(self) -> int:
        """How many players there are."""
        return int(self.size.sum())

    @cached_property
    def barred(self) -> bool:
        """Whether any block may not be everywhere."""
        return not bool(self.may.all() or self.may[np.unique(self.kind)].all())

    @property
    def equal_sizes(self) -> bool:
        """Whether all teams have the same number of players."""
        return self.min_size == self.team_size

    def deviations(self, totals: Floats, sizes: Ints, target: Floats) -> Floats:
        """Return what teams cost, any shape, from their totals, numbers of players and targets."""
        away = (totals / sizes if self.per_player else totals) - target
        return np.abs(away) if self.absolute else away * away


@dataclass(frozen=True)
class Placing:
    """Who is in which team, and which lobby each team is in.

    Parameters
    ----------
    team : ndarray of int, shape (n_blocks,)
        Each block's team, ``WAITING`` for none.
    lobby : ndarray of int, shape (n_teams,)
        Each team's lobby.
    """

    team: Places
    lobby: Places

    @classmethod
    def of(cls, team: Ints | Places, lobby: Ints | Places) -> Placing:
        """Return the placing with indices of any kind."""
        return cls(team.astype(np.int32), lobby.astype(np.int32))

    def totals(self, problem: LobbyProblem) -> Floats:
        """Return each team's total skill, shape (n_teams,)."""
        return self._sums(problem.skill)

    def sizes(self, problem: LobbyProblem) -> Ints:
        """Return each team's number of players, shape (n_teams,)."""
        return np.rint(self._sums(problem.size)).astype(np.int64)

    def _sums(self, column: Floats | Ints) -> Floats:
        """Return the sum of a column of the blocks for each team."""
        team, seated = self.team, self.team >= 0
        if not seated.all():
            team, column = team[seated], column[seated]
        return np.bincount(team, weights=column, minlength=len(self.lobby)).astype(np.float64, copy=False)

    def costs(self, problem: LobbyProblem) -> Floats:
        """Return each team's deviation, shape (n_teams,)."""
        return problem.deviations(self.totals(problem), self.sizes(problem), problem.target[self.lobby])

    def value(self, problem: LobbyProblem) -> float:
        """Return the sum of the teams' deviations."""
        return math.fsum(self.costs(problem).data)


@dataclass(frozen=True)
class Placed:
    """What a solver found.

    Parameters
    ----------
    placing : Placing
        A legal one.
    bound : float
        What no legal placing of as many players is below.
    proven : bool
        Whether this is the best there is.
    """

    placing: Placing
    bound: float
    proven: bool


@dataclass(frozen=True)
class LobbyTask:
    """What a solver is asked for.

    Parameters
    ----------
    problem : LobbyProblem
        What is divided.
    n_teams : int
        How many teams there are to be.
    waiting : int
        How many players are to wait: as few as possible.
    start : Placing
        A legal placing with so many teams and players waiting.
    stop : callable
        Asked now and then; once it returns True the solver ends with what it has.
    nodes : int, optional
        Most nodes of an integer program, one that is large not being tried: a limit that, unlike time, is the
        same everywhere.
    """

    problem: LobbyProblem
    n_teams: int
    waiting: int
    start: Placing
    stop: Stop = field(default=never)
    nodes: int | None = None


LobbySolver = Callable[[LobbyTask], Placed]
