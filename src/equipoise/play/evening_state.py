"""What an evening knows of a lobby and those who are there, and of a game up to its result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from equipoise.errors import InputError
from equipoise.identity.names import folded
from equipoise.play.evening_events import (
    Divide,
    EveningLobby,
    Event,
    One,
    Proposal,
    Setup,
    Teams,
    of_people,
    parted_of,
    teams_of,
)
from equipoise.play.ledger import LedgerGame


class Phase(Enum):
    """What a game is waiting for."""

    CHECKING = "ready"
    DIVIDING = "teams"
    VOTING = "votes"
    DRAFTING = "picks"
    STRIKING = "maps"
    CHOOSING = "votes on maps"
    PLAYING = "a result"
    DISPUTED = "agreement"
    OVER = "nothing"


#: What goes on with a game, by what it is waiting for; every door has a step of that name.
_STEPS = {Phase.DRAFTING: "'pick NAME'", Phase.STRIKING: "'veto MAP'", Phase.PLAYING: "report how it ended"}


@dataclass(slots=True)
class EveningGame:
    """A game from the ready check to its result.

    Parameters
    ----------
    id : str
        The id of its match.
    lobby : EveningLobby
        What is played.
    players : list of str
        Everyone in it, in the order they came.
    phase : Phase
        What it is waiting for.
    deadline : float
        When that ends, seconds since 1970.
    """

    id: str
    lobby: EveningLobby
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
    out: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    unmet: tuple[tuple[str, str], ...] = ()
    scores: tuple[float, ...] = ()
    ended: float | None = None
    asked: Divide | None = None
    #: The teams that were found, before anybody changed them by hand.
    found: Proposal | None = None
    #: Whether it is being played, so that its teams stay as they are.
    begun: bool = False
    #: Who sits out this game though there may be a place.
    resting: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """How many play in a team at most."""
        most = -(-len(self.players) // self.lobby.teams)
        return most if self.lobby.size is None or self.lobby.called else self.lobby.size

    @property
    def is_whole(self) -> bool:
        """Whether everyone who plays is in a team."""
        return bool(self.teams) and not self.unpicked

    @property
    def proposal(self) -> Proposal:
        """The teams as they are proposed."""
        return Proposal(self.id, self.teams, self.chances, self.out, self.moved, self.unmet)

    @property
    def in_ledger(self) -> LedgerGame:
        """The game as a ledger counts it."""
        return LedgerGame(self.teams, self.chances, self.ranks, self.out, self.moved, self.unmet)

    def waits_for(self, shown: Callable[[str], str]) -> str:
        """Return what it is waiting for, in words: whose turn it is, and what there is to choose.

        Parameters
        ----------
        shown : callable
            From the id of a player to what is shown.
        """
        if self.phase is Phase.DRAFTING:
            captain, left = shown(self.teams[self.turn][0]), ", ".join(map(shown, self.unpicked))
            return f"{captain} to pick one of {left}"
        if self.phase is Phase.STRIKING:
            return f"a map to be struck (of {', '.join(self.maps)})"
        if self.phase is Phase.CHOOSING:
            return f"votes on maps (of {', '.join(self.lobby.maps)})"
        return str(self.phase.value)

    def refusal(self, shown: Callable[[str], str]) -> str:
        """Return why something else cannot be done now: what is under way, and what goes on with it."""
        whose = "the" if self.lobby.called else "your"
        if self.phase is Phase.OVER:
            return f"{whose} game is over"
        step = f": {_STEPS[self.phase]}" if self.phase in _STEPS else ""
        return f"{whose} game is waiting for {self.waits_for(shown)}{step}"

    def copied(self) -> EveningGame:
        """Return a copy that nothing changes from then on."""
        return replace(
            self, players=list(self.players), ready=set(self.ready), late=set(self.late),
            votes=dict(self.votes), seen=set(self.seen), picks=list(self.picks), maps=list(self.maps),
            wanted=set(self.wanted), reports=dict(self.reports), takers=set(self.takers),
        )  # fmt: skip

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

    def of_people(self, one: One) -> EveningGame:
        """Return the game under the ids that count for people: who was in two places keeps the first.

        One that is over stays as it was played where that would take somebody out of a team.
        """
        teams = teams_of(self.teams, one)
        if self.phase is Phase.OVER and sum(map(len, teams)) < sum(map(len, self.teams)):
            return self

        def each(players: Iterable[str]) -> tuple[str, ...]:
            return tuple(dict.fromkeys(map(one, players)))

        players = each(self.players)
        together = (each(duo) for duo in self.duos)
        return replace(
            self, players=list(players), duos=tuple(duo for duo in together if len(duo) > 1), teams=teams,
            ready=set(each(self.ready)), late=set(each(self.late)), wanted=set(each(self.wanted)),
            votes={one(player): choice for player, choice in self.votes.items()},
            seen={parted_of(parted, one) for parted in self.seen},
            picks=[(one(captain), one(player) if player else "") for captain, player in self.picks],
            out=tuple(player for player in each(self.out) if player not in players),
            moved=each(self.moved), resting=tuple(p for p in each(self.resting) if p not in players),
            unmet=tuple((one(a), one(b)) for a, b in self.unmet if one(a) != one(b)),
            asked=None if self.asked is None else of_people(self.asked, one),
            found=None if self.found is None else of_people(self.found, one),
        )  # fmt: skip

    # A draft

    @property
    def turn(self) -> int:
        """The team whose captain picks next: in a row, then back, so that the last picks twice.

        Where every team is full, nobody does, and it is any.
        """
        rounds = _snake(self.lobby.teams)
        turn = next(rounds)
        for _ in range(len(self.picks)):
            turn = next(rounds)
        for _ in self.teams:
            if len(self.teams[turn]) < self.size:
                break
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


@dataclass(frozen=True, slots=True)
class Room:
    """A lobby with those who are there.

    Parameters
    ----------
    lobby : EveningLobby
        What they gather for.
    setup : Setup
        Who is here (or waits), in order, and what holds for every division of them.
    states : mapping from str to str
        Who said that they are there perhaps, later, or not.
    spelled : mapping from str to str
        How everyone who has come is written, by id.
    weights : mapping from str to float
        Starting weights by id.
    game : str
        The id of the current teams, or of the last ones; empty before the first.
    plan : tuple of Proposal
        The games that follow, where several were divided at once.
    tonight : tuple of sets of teams
        All that were proposed since people gathered.
    ended : tuple of str
        The ids of the games with a result that counts, in the order these were reported.
    """

    lobby: EveningLobby
    setup: Setup
    states: Mapping[str, str] = field(default_factory=dict)
    spelled: Mapping[str, str] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    game: str = ""
    plan: tuple[Proposal, ...] = ()
    tonight: tuple[frozenset[frozenset[str]], ...] = ()
    ended: tuple[str, ...] = ()

    def of_people(self, one: One) -> Room:
        """Return the lobby under the ids that count for people, who are there once; all spellings stay."""
        setup = of_people(self.setup, one)
        spelled = {one(player): name for player, name in self.spelled.items()}
        return replace(
            self, setup=setup, spelled={**spelled, **self.spelled},
            states={one(p): state for p, state in self.states.items() if one(p) not in setup.here},
            plan=tuple(of_people(each, one) for each in self.plan),
            tonight=tuple(parted_of(each, one) for each in self.tonight),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Step:
    """Something that can be taken back, with what it may have changed as that was before.

    Parameters
    ----------
    event : Event
        What happened.
    room : Room or None
        The lobby as it was.
    games : mapping
        The games as they were, None for one that there was not.
    number : int
        Which step of the evening it is; no other has this number.
    at : float
        When it was taken, seconds since 1970.
    """

    event: Event
    room: Room | None
    games: Mapping[str, EveningGame | None]
    number: int = 0
    at: float = 0.0

    def began_open(self, name: str) -> bool:
        """Tell whether a game had no result before it."""
        before = self.games.get(name)
        return before is not None and before.phase is not Phase.OVER

    def of_people(self, one: One) -> Step:
        """Return the step under the ids that count for people."""
        room = None if self.room is None else self.room.of_people(one)
        games = {name: None if game is None else game.of_people(one) for name, game in self.games.items()}
        for name, game in games.items():
            if game is not None and game.phase is not Phase.OVER and not all(game.teams):
                games[name] = None  # somebody played against themselves
        if room is not None and room.game in games and games[room.game] is None:
            room = replace(room, game="")
        return replace(self, event=of_people(self.event, one), room=room, games=games)


@dataclass(frozen=True, slots=True)
class UndoneStep:
    """What was taken back: the steps with those after them, and how things stood then."""

    steps: tuple[Step, ...]
    after: Step

    def of_people(self, one: One) -> UndoneStep:
        """Return what was taken back under the ids that count for people."""
        return UndoneStep(tuple(step.of_people(one) for step in self.steps), self.after.of_people(one))


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


def team_called(setup: Setup, teams: Teams, name: str, id_of: Callable[[str], str | None]) -> int:
    """Return the team, from 0, that is called by its name, its number, or one of its players.

    Parameters
    ----------
    setup : Setup
        What teams are called.
    teams : tuple of tuples of str
        The current teams.
    name : str
        What is typed.
    id_of : callable
        From a name to the id of a player, None where nobody has it.

    Raises
    ------
    InputError
        If there is none.

    Examples
    --------
    >>> [team_called(Setup(), (("ann",), ("bob",)), name, str.lower) for name in ("Blue", "1", "Bob")]
    [1, 0, 1]
    """
    if not teams:
        msg = "there are no teams yet"
        raise InputError(msg)
    wanted = folded(name)
    called = [setup.called(n) for n in range(len(teams))]
    for n, team in enumerate(called):
        if wanted == folded(team):
            return n
    if wanted.isdecimal() and 1 <= int(wanted) <= len(called):
        return int(wanted) - 1
    player = id_of(name)
    for n, players in enumerate(teams):
        if player is not None and player in players:
            return n
    msg = f"team must be one of {', '.join(called)}, a number up to {len(called)} or a player, got {name!r}"
    raise InputError(msg)
