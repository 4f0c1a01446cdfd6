"""From players, lobbies and rules to a :class:`~equipoise.lobbies.problem.LobbyProblem`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from equipoise.arrays import Bools, Floats, Ints
from equipoise.errors import InputError
from equipoise.lobbies.plan import Lobby
from equipoise.lobbies.problem import LobbyProblem
from equipoise.teams.problem.roster import Roster


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
    skill = roster.mu - caution * roster.sigma if caution else roster.mu
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
