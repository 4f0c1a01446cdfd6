"""One game of a lobby: who is in it, what its state is, and what holds for its teams."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from equipoise.errors import InputError
from equipoise.matches import Ruleset
from equipoise.pickup.events import Teams

#: Seconds for being ready, for the vote on teams, and for the other side to contradict a report.
READY, VOTE, CONTRADICT = 60.0, 60.0, 600.0

#: Seconds more for somebody who says that he is late, once.
MORE = 120.0


class Phase(Enum):
    """What a game is waiting for."""

    CHECKING = "ready"
    DIVIDING = "teams"
    VOTING = "votes"
    DRAFTING = "picks"
    STRIKING = "maps"
    PLAYING = "a result"
    DISPUTED = "agreement"
    OVER = "nothing"


@dataclass(frozen=True, slots=True)
class PickupLobby:
    """What people gather for.

    Parameters
    ----------
    name : str
        What it is called.
    teams, size : int
        How many teams of how many players.
    ruleset : Ruleset
        What is played.
    maps : tuple of str
        Where it may be played; without a veto they come in turn.
    veto : bool
        Whether the sides strike maps until one is left.
    ready, vote, contradict : float
        Seconds for each of them.
    """

    name: str
    teams: int = 2
    size: int = 5
    ruleset: Ruleset = field(default_factory=Ruleset)
    maps: tuple[str, ...] = ()
    veto: bool = False
    ready: float = READY
    vote: float = VOTE
    contradict: float = CONTRADICT

    def __post_init__(self) -> None:
        if self.teams < 2 or self.size < 1:
            msg = f"lobby {self.name!r}: it needs 2 teams of 1 at least, got {self.teams} of {self.size}"
            raise InputError(msg)
        if self.veto and len(self.maps) < 2:
            msg = f"lobby {self.name!r}: a veto needs 2 maps at least, got {len(self.maps)}"
            raise InputError(msg)

    @property
    def seats(self) -> int:
        """How many play."""
        return self.teams * self.size


@dataclass(slots=True)
class PickupGame:
    """A game from the ready check to its result.

    Parameters
    ----------
    id : str
        The id of its match.
    lobby : PickupLobby
        What is played.
    players : list of str
        Everyone in it, in the order they came.
    phase : Phase
        What it is waiting for.
    deadline : float
        When that ends, seconds since 1970.
    """

    id: str
    lobby: PickupLobby
    players: list[str]
    phase: Phase
    deadline: float
    duos: tuple[tuple[str, ...], ...] = ()
    ready: set[str] = field(default_factory=set)
    late: set[str] = field(default_factory=set)
    votes: dict[str, str] = field(default_factory=dict)
    seen: set[frozenset[frozenset[str]]] = field(default_factory=set)
    teams: Teams = ()
    chances: tuple[float, ...] = ()
    picks: list[tuple[str, str]] = field(default_factory=list)
    maps: list[str] = field(default_factory=list)
    map: str = ""
    wanted: set[str] = field(default_factory=set)
    reports: dict[int, tuple[float, ...]] = field(default_factory=dict)
    ranks: tuple[float, ...] = ()
    counted: bool = False
    takers: set[int] = field(default_factory=set)

    def team_of(self, player: str) -> int:
        """Return the team, from 0, of somebody in one.

        Raises
        ------
        InputError
            If the player is in none.
        """
        for n, team in enumerate(self.teams):
            if player in team:
                return n
        msg = f"{player!r} is in no team of {self.id}"
        raise InputError(msg)

    @property
    def parted(self) -> frozenset[frozenset[str]]:
        """Who is together, whatever the teams are called."""
        return frozenset(map(frozenset, self.teams))

    @property
    def picked(self) -> tuple[tuple[str, str], ...]:
        """Who picked whom, in order, of those who play; a turn without a choice is no pick."""
        playing = {player for team in self.teams for player in team}
        return tuple(pick for pick in self.picks if set(pick) <= playing)

    def most_wanted(self, choice: str) -> bool:
        """Tell whether more than half of all players vote for something."""
        return 2 * sum(vote == choice for vote in self.votes.values()) > len(self.players)

    def replaced(self, old: str, new: str) -> None:
        """Let somebody take the place of another, in all that is known of the game."""
        self.players[self.players.index(old)] = new
        self.teams = tuple(tuple(new if each == old else each for each in team) for team in self.teams)
        self.duos = tuple(duo for duo in self.duos if old not in duo)
        self.wanted.discard(old)
        self.ready = {new if each == old else each for each in self.ready}
        self.votes.pop(old, None)

    # A draft

    @property
    def turn(self) -> int:
        """The team whose captain picks next: in a row, then back, so that the last picks twice."""
        rounds = _snake(self.lobby.teams)
        turn = next(rounds)
        for _ in range(len(self.picks)):
            turn = next(rounds)
        while len(self.teams[turn]) >= self.lobby.size:
            turn = (turn + 1) % self.lobby.teams
        return turn

    @property
    def unpicked(self) -> list[str]:
        """Those whom no captain has picked yet."""
        placed = {player for team in self.teams for player in team}
        return [player for player in self.players if player not in placed]

    def with_partner(self, player: str) -> tuple[str, ...]:
        """Return those who come along with a player."""
        return next((duo for duo in self.duos if player in duo), (player,))


def _snake(teams: int) -> Iterator[int]:
    while True:
        yield from range(teams)
        yield from reversed(range(teams))


def can_be_finished(
    teams: Sequence[Sequence[str]], blocks: Sequence[Sequence[str]], size: int, apart: Iterable[Sequence[str]]
) -> bool:
    """Tell whether those who are left, each block together, still fit into teams of a size.

    Examples
    --------
    >>> can_be_finished([["a"], ["b"]], [["c", "d"], ["e"], ["f"]], 3, []), can_be_finished(
    ...     [["a", "x"], ["b", "y"]], [["c", "d"]], 3, [])
    (True, False)
    """
    against: dict[str, set[str]] = {}
    for one, other in apart:
        against.setdefault(one, set()).add(other)
        against.setdefault(other, set()).add(one)
    order = sorted(blocks, key=len, reverse=True)
    return _fits([set(team) for team in teams], order, size, against)


def _fits(
    teams: list[set[str]], blocks: Sequence[Sequence[str]], size: int, against: Mapping[str, set[str]]
) -> bool:
    if not blocks:
        return True
    block = set(blocks[0])
    tried = set()
    for team in teams:
        state = frozenset(team)
        if len(team) + len(block) > size or state in tried:
            continue
        tried.add(state)
        if any(against.get(player, set()) & team for player in block):
            continue
        team.update(block)
        found = _fits(teams, blocks[1:], size, against)
        team.difference_update(block)
        if found:
            return True
    return False
