"""The problem of filling lobbies in numbers, and what solvers are asked for and give back.

A *block* is a party, or a player without one: it stays together, and all that counts of it is its total
skill, its number of players and its *kind*: which lobbies it may be in.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from equipoise.core.arrays import Bools, Floats, Ints, Places
from equipoise.core.stopping import Stop, never
from equipoise.errors import InputError
from equipoise.lobbies.plan import Lobby
from equipoise.teams.problem.build import Roster
from equipoise.teams.problem.exactness import less

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

    @cached_property
    def whole(self) -> bool:
        """Whether all deviations are whole numbers, whose sums have no rounding."""
        if self.per_player and self.team_size > 1:
            return False
        numbers = (self.skill, self.target)
        return all(bool((each == np.rint(each)).all() and np.abs(each).sum() < 2.0**52) for each in numbers)

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


@dataclass(frozen=True)
class LobbyRequest:
    """What is asked for, by places in the roster and in the list of lobbies.

    Parameters
    ----------
    roster : Roster
        Everyone, rated.
    skill : ndarray of float, shape (n_players,)
        What each counts.
    lobbies : tuple of Lobby
        Whose targets may be None.
    team_size, min_size : int
        Most and fewest players of a team.
    parties : tuple of tuples of int
        Players who stay together; nobody is in two.
    bars : tuple of (int, int)
        A player, and a lobby that player may not be in.
    """

    roster: Roster
    skill: Floats
    lobbies: tuple[Lobby, ...]
    team_size: int
    min_size: int
    parties: tuple[tuple[int, ...], ...]
    bars: tuple[tuple[int, int], ...]

    def problem(self, targets: Floats, *, absolute: bool, per_player: bool) -> LobbyProblem:
        """Return the problem."""
        # One number seen a million times where all are alike: there is no need of memory for each.
        skill, size = self.skill, np.broadcast_to(np.int64(1), len(self.skill))
        if self.parties:
            block_of = self.block_of()
            size, skill = np.bincount(block_of), np.bincount(block_of, self.skill).astype(np.float64)
        kinds, kind = self._kinds(len(size))
        room = len(self.skill) // self.min_size
        most = [room if lobby.max_teams is None else min(lobby.max_teams, room) for lobby in self.lobbies]
        return LobbyProblem(
            skill=skill,
            size=size,
            kind=kind,
            may=kinds,
            target=targets,
            least=np.array([lobby.min_teams for lobby in self.lobbies], dtype=np.int64),
            most=np.maximum(most, [lobby.min_teams for lobby in self.lobbies]).astype(np.int64),
            team_size=self.team_size,
            min_size=self.min_size,
            absolute=absolute,
            per_player=per_player,
        )

    def shut_out(self) -> tuple[int, ...]:
        """Return who may be in no lobby that is open, parties with all their players."""
        closed = {place for place, lobby in enumerate(self.lobbies) if lobby.max_teams == 0}
        if len(closed) == len(self.lobbies):
            return tuple(range(len(self.skill)))
        barred: dict[int, set[int]] = {}
        for place, lobby in self.bars:
            barred.setdefault(place, set()).add(lobby)
        groups = [party for party in self.parties if not barred.keys().isdisjoint(party)]
        together = {place for party in groups for place in party}
        groups += [(place,) for place in barred if place not in together]
        everywhere = set(range(len(self.lobbies)))
        out = [
            group
            for group in groups
            if closed.union(*(barred.get(place, ()) for place in group)) == everywhere
        ]
        return tuple(sorted(place for group in out for place in group))

    def without(self, places: Collection[int]) -> LobbyRequest:
        """Return what is asked of all others."""
        gone = frozenset(places)
        left = [place for place in range(len(self.skill)) if place not in gone]
        now = {place: number for number, place in enumerate(left)}
        return replace(
            self,
            roster=replace(self.roster, players=tuple(self.roster.players[place] for place in left)),
            skill=self.skill[left],
            parties=tuple(
                tuple(now[place] for place in party) for party in self.parties if gone.isdisjoint(party)
            ),
            bars=tuple((now[place], lobby) for place, lobby in self.bars if place not in gone),
        )

    def _kinds(self, n_blocks: int) -> tuple[Bools, Ints]:
        """Return the sets of lobbies that blocks may be in, and which of them each block has."""
        if not self.bars:
            return np.ones((1, len(self.lobbies)), dtype=np.bool_), np.broadcast_to(np.int64(0), n_blocks)
        blocks = self.block_of()[[place for place, _ in self.bars]].tolist()
        closed: dict[int, set[int]] = {}
        for block, (_, lobby) in zip(blocks, self.bars, strict=True):
            closed.setdefault(block, set()).add(lobby)
        # Most blocks have no bar, and many have the same: rows are compared once for each that there is.
        number = {frozenset[int](): 0}
        kind = np.zeros(n_blocks, dtype=np.int64)
        for block, lobbies in closed.items():
            kind[block] = number.setdefault(frozenset(lobbies), len(number))
        may = np.ones((len(number), len(self.lobbies)), dtype=np.bool_)
        for bars, row in number.items():
            may[row, list(bars)] = False
        there, kind = np.unique(kind, return_inverse=True)
        kinds, order = np.unique(may[there], axis=0, return_inverse=True)
        return kinds, np.asarray(order).reshape(-1)[kind].astype(np.int64)

    def named_parties(self) -> tuple[tuple[str, ...], ...]:
        """Return the parties by their players' ids."""
        return tuple(tuple(self.roster.players[place].id for place in party) for party in self.parties)

    def named_bars(self) -> dict[str, tuple[str, ...]]:
        """Return the names of the lobbies that players may not be in, by id."""
        named: dict[str, tuple[str, ...]] = {}
        for place, lobby in self.bars:
            who = self.roster.players[place].id
            named[who] = (*named.get(who, ()), self.lobbies[lobby].name)
        return named

    def block_of(self) -> Ints:
        """Return the block of each player; blocks are in the roster's order of their first players."""
        first = np.arange(len(self.skill))
        if not self.parties:
            return first
        for party in self.parties:
            first[list(party)] = party[0]
        return np.unique(first, return_inverse=True)[1].astype(np.int64)


def gather(
    roster: Roster,
    lobbies: tuple[Lobby, ...],
    *,
    team_size: int,
    min_size: int,
    parties: Iterable[Sequence[str]],
    barred: Mapping[str, Collection[str]],
    caution: float,
) -> LobbyRequest:
    """Return what is asked of a roster.

    Raises
    ------
    InputError
        If a player or lobby is not known.
    """
    find = _Finder(roster)
    leader: dict[int, int] = {}

    def lead(place: int) -> int:
        while (above := leader.get(place, place)) != place:
            leader[place] = place = leader.get(above, above)
        return place

    seen: dict[str, int] = {}
    pairs = [
        (seen.setdefault(player.party, place), place)
        for place, player in enumerate(roster.players)
        if player.party is not None
    ]
    for party in parties:
        places = [find("parties", who) for who in party]
        if len(set(places)) < len(places):
            msg = f"parties: a player comes twice in the party of {', '.join(map(repr, party))}"
            raise InputError(msg)
        pairs += [(places[0], place) for place in places[1:]]
    for one, other in pairs:
        low, high = sorted((lead(one), lead(other)))
        leader[high] = low
    together: dict[int, list[int]] = {}
    for place in sorted({place for pair in pairs for place in pair}):
        together.setdefault(lead(place), []).append(place)
    number = {lobby.name: place for place, lobby in enumerate(lobbies)}
    bars = set()
    for who, names in barred.items():
        for name in [names] if isinstance(names, str) else names:
            if name not in number:
                msg = f"barred: there is no lobby {name!r}; there are {', '.join(number)}"
                raise InputError(msg)
            bars.add((find("barred", who), number[name]))
    skill = less(roster.mu, roster.sigma, caution) if caution else roster.mu
    return LobbyRequest(
        roster, skill.astype(np.float64, copy=False), lobbies, team_size, min_size,
        tuple(tuple(party) for party in together.values() if len(party) > 1), tuple(sorted(bars)),
    )  # fmt: skip


class _Finder:
    """Finds players by id, else by name, however many there are."""

    def __init__(self, roster: Roster) -> None:
        self.roster = roster

    @cached_property
    def places(self) -> dict[str, int]:
        """Return from each id its place in the roster."""
        return {player.id: place for place, player in enumerate(self.roster.players)}

    def __call__(self, argument: str, who: str) -> int:
        place = self.places.get(who)
        return self.roster.find(argument, who) if place is None else place
