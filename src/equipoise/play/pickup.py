"""People who gather for games in lobbies, as a state machine without I/O: events in, commands out.

Somebody waits in as many lobbies as they like and plays in one.  As soon as a lobby has as many as play, with
the rules in view, these are a game: they are asked to be ready, teams are divided, voted on or drafted, a map
is found, both sides report, and the result is kept.  Those in no game can wait meanwhile.

``now`` is an argument of every event, and time passes by :class:`~equipoise.play.pickup_events.Tick`.
Replaying the events gives the same state and the same commands; what carries these out keeps the events.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import chain
from typing import Any, ClassVar

from equipoise.core.match import Ruleset
from equipoise.errors import InputError, meant
from equipoise.identity.short_ids import meant_by
from equipoise.play import pickup_events as ev
from equipoise.play.ledger import LedgerGame as Played
from equipoise.play.ledger import accounts, ways_to_sit_out
from equipoise.play.night import EVENING, Setup
from equipoise.play.pickup_events import Command, Divide, Event, Keep, Notice, TakeBack, Teams

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


#: How many a player may prefer, so that nobody can fill the memory.
MOST_PREFERENCES = 20


def one_of(what: str, name: str, known: Iterable[str]) -> str:
    """Return what to say to somebody who types a name that there is not.

    Examples
    --------
    >>> one_of("lobby", "dule", ["ctf", "duel"])
    "lobby must be one of ctf, duel, got 'dule' (did you mean 'duel'?)"
    """
    known = list(known)
    one = "one of " * (len(known) > 1)
    return f"{what} must be {one}{', '.join(known)}, got {name!r:.40}{meant(name.lower(), known)}"


def in_charge(admin: bool) -> None:
    """Raise unless somebody is one of those in charge."""
    if not admin:
        msg = "only those in charge can do that"
        raise InputError(msg)


def are_apart(teams: Iterable[Sequence[str]], apart: Iterable[tuple[str, str]]) -> bool:
    """Tell whether no team has two who never play together."""
    sets = [set(team) for team in teams]
    return not any(set(pair) <= team for pair in apart for team in sets)


class PickupLobbies:
    """All lobbies, and the games that came of them.

    Parameters
    ----------
    lobbies : sequence of PickupLobby
        What people may gather for.
    apart : iterable of (str, str)
        Who never plays in one team.
    """

    def __init__(self, lobbies: Sequence[PickupLobby], apart: Iterable[tuple[str, str]] = ()) -> None:
        self.lobbies = {lobby.name: lobby for lobby in lobbies}
        if len(self.lobbies) < len(lobbies) or not lobbies:
            msg = "lobbies must be one or more, each with a name of its own"
            raise InputError(msg)
        self.apart = tuple(apart)
        self.waiting: dict[str, list[str]] = {name: [] for name in self.lobbies}
        self.games: dict[str, PickupGame] = {}
        self.over: dict[str, PickupGame] = {}
        self.duos: dict[str, str] = {}
        self.preferences: dict[tuple[str, str], str] = {}
        self._waited: dict[str, dict[str, list[str]]] = {}
        self._proposed: dict[frozenset[frozenset[str]], float] = {}
        self._begun = dict.fromkeys(self.lobbies, 0)
        self._commands: list[Command] = []
        self._now = -math.inf

    def handle(self, event: Event, now: float) -> tuple[Command, ...]:
        """Take an event and return what is to be done.

        What makes no sense changes nothing; the one who did it gets a notice ``"refused"`` with the reason.

        Parameters
        ----------
        event : Event
            What happened.
        now : float
            When, seconds since 1970; a clock that goes back stands still.
        """
        self._now, self._commands = max(now, self._now), []
        try:
            self._HANDLERS[type(event)](self, event)
        except InputError as error:
            who = getattr(event, "who", "")
            return (Notice("refused", to=(who,) if who else (), facts={"why": str(error)}),)
        for name in self.lobbies:
            while self._fill(name):
                pass
        return tuple(self._commands)

    def pending(self) -> tuple[Command, ...]:
        """Return the questions that were not answered yet, to be asked again after a start."""
        return tuple(self._divide(game) for game in self.games.values() if game.phase is Phase.DIVIDING)

    def deadline(self) -> float:
        """Return when time will change something."""
        return min((game.deadline for game in self.games.values()), default=math.inf)

    def game_of(self, player: str) -> PickupGame | None:
        """Return the game somebody is in, None for anyone else."""
        return next((game for game in self.games.values() if player in game.players), None)

    def played(self) -> list[Played]:
        """Return the games that count, in the order they ended, for the ledger."""
        return [Played(game.teams, game.chances, game.ranks) for game in self.over.values() if game.counted]

    # Waiting

    def _add(self, event: ev.Add) -> None:
        lobby = self._lobby(event.lobby)
        if self.game_of(event.who) is not None:
            msg = "you are in a game; come back after it"
            raise InputError(msg)
        queue = self.waiting[lobby.name]
        if event.who in queue:
            msg = f"you wait in {lobby.name} already"
            raise InputError(msg)
        queue.append(event.who)
        self._say("added", lobby.name, who=event.who, waiting=len(queue), seats=lobby.seats)

    def _lobby(self, name: str) -> PickupLobby:
        if not name and len(self.lobbies) == 1:
            return next(iter(self.lobbies.values()))
        if name not in self.lobbies:
            raise InputError(one_of("lobby", name, self.lobbies))
        return self.lobbies[name]

    def _leave(self, event: ev.Leave) -> None:
        game = self.game_of(event.who)
        if game is not None:
            if game.phase in (Phase.PLAYING, Phase.DISPUTED):
                self.ask_for_another(game, event.who)
            else:
                self._call_off(game, [event.who])
            return
        names = [self._lobby(event.lobby).name] if event.lobby else list(self.lobbies)
        left = [name for name in names if event.who in self.waiting[name]]
        if not left:
            msg = "you wait nowhere"
            raise InputError(msg)
        for name in left:
            self.waiting[name].remove(event.who)
            self._say("left", name, who=event.who, waiting=len(self.waiting[name]))

    def ask_for_another(self, game: PickupGame, who: str) -> None:
        """Note that somebody in a game wants a substitute."""
        if who in game.wanted:
            msg = "you have asked for a substitute already"
            raise InputError(msg)
        game.wanted.add(who)
        self._say("wanted", game.lobby.name, game=game.id, who=who)

    def _remove(self, event: ev.Remove) -> None:
        in_charge(event.admin)
        self._leave(ev.Leave(event.player))

    def _duo(self, event: ev.Duo) -> None:
        if event.who == event.other:
            msg = "you cannot be a duo with yourself"
            raise InputError(msg)
        if self.game_of(event.who) is not None:
            msg = "you are in a game; say with whom you play after it"
            raise InputError(msg)
        if event.other:
            self.duos[event.who] = event.other
            both = self.duos.get(event.other) == event.who
            self._say(
                "duo" if both else "asked", to=(event.who, event.other), who=event.who, other=event.other
            )
        else:
            self.duos.pop(event.who, None)
            self._say("alone", to=(event.who,), who=event.who)

    def _prefer(self, event: ev.Prefer) -> None:
        if event.kind not in ("prefer", "avoid", "none") or event.who == event.other:
            msg = f"a preference must be prefer, avoid or none, for somebody else, got {event.kind!r:.40}"
            raise InputError(msg)
        mine = [pair for pair in self.preferences if pair[0] == event.who]
        if event.kind != "none" and len(mine) >= MOST_PREFERENCES and (event.who, event.other) not in mine:
            msg = f"preferences must be at most {MOST_PREFERENCES}; take one back"
            raise InputError(msg)
        self.preferences.pop((event.who, event.other), None)
        if event.kind != "none":
            self.preferences[event.who, event.other] = event.kind
        self._say("preference", to=(event.who,), who=event.who, other=event.other, preference=event.kind)

    # A game begins

    def _blocks(self, players: Sequence[str]) -> list[tuple[str, ...]]:
        """Return players with whom they came, as far as both are there."""
        here = set(players)
        found: list[tuple[str, ...]] = []
        for player in players:
            other = self.duos.get(player, "")
            pair = other in here and self.duos.get(other) == player
            if not pair:
                found.append((player,))
            elif players.index(player) < players.index(other):
                found.append((player, other))
        return found

    def _fill(self, name: str) -> bool:
        """Begin a game where enough wait, and tell whether one began."""
        lobby, queue = self.lobbies[name], self.waiting[name]
        if len(queue) < lobby.seats:
            return False
        blocks = self._blocks(queue)
        # A duo that no team can hold plays as two.
        blocks = [part for block in blocks for part in ([block] if len(block) <= lobby.size else zip(block))]
        for out in ways_to_sit_out(blocks, lobby.seats, accounts(self.played())):
            gone = set(out)
            within = [tuple(p for p in block if p not in gone) for block in blocks]
            within = [block for block in within if block]
            if can_be_finished([()] * lobby.teams, within, lobby.size, self.apart):
                self._begin(lobby, [player for player in queue if player not in gone], within)
                return True
        return False

    def _begin(self, lobby: PickupLobby, players: list[str], blocks: Sequence[tuple[str, ...]]) -> None:
        self._begun[lobby.name] += 1
        moment = 0 if math.isinf(self._now) else int(self._now)
        game = PickupGame(
            f"pickup-{lobby.name}-{self._begun[lobby.name]}-{moment}", lobby, players, Phase.CHECKING,
            self._now + lobby.ready, tuple(block for block in blocks if len(block) > 1),
        )  # fmt: skip
        self.games[game.id] = game
        self._waited[game.id] = {}
        for player in players:
            self._waited[game.id][player] = [name for name, queue in self.waiting.items() if player in queue]
            for queue in self.waiting.values():
                if player in queue:
                    queue.remove(player)
        self._say("ready?", lobby.name, game=game.id, players=tuple(players), seconds=lobby.ready)

    def _ready(self, event: ev.Ready) -> None:
        game = self._game(event.who, Phase.CHECKING)
        game.ready.add(event.who)
        if len(game.ready) == len(game.players):
            self._seek(game)

    def _late(self, event: ev.Late) -> None:
        game = self._game(event.who, Phase.CHECKING)
        if event.who in game.late or event.who in game.ready:
            msg = "you have done so already"
            raise InputError(msg)
        game.late.add(event.who)
        self._say("late", game.lobby.name, who=event.who, seconds=MORE)

    def _seek(self, game: PickupGame) -> None:
        game.phase, game.deadline, game.votes = Phase.DIVIDING, math.inf, {}
        self._commands.append(self._divide(game))

    def _divide(self, game: PickupGame) -> Divide:
        here = set(game.players)
        wanted: dict[str, list[tuple[str, str]]] = {"prefer": [], "avoid": []}
        for pair, kind in self.preferences.items():
            if set(pair) <= here:
                wanted[kind].append(pair)
        setup = Setup(
            tuple(game.players), game.duos, tuple(pair for pair in self.apart if set(pair) <= here),
            game.lobby.teams, game.lobby.size,
            prefer=tuple(sorted(wanted["prefer"])), avoid=tuple(sorted(wanted["avoid"])),
        )  # fmt: skip
        recent = {teams for teams, at in self._proposed.items() if self._now - at <= EVENING}
        return Divide(game.id, setup, frozenset(game.seen | recent))

    # What all of these share

    def _say(self, kind: str, lobby: str = "", to: tuple[str, ...] = (), **facts: Any) -> None:
        self._commands.append(Notice(kind, lobby, to, facts))

    def _game(self, who: str, *phases: Phase) -> PickupGame:
        """Return the game of somebody, which must be waiting for one of these."""
        game = self.game_of(who)
        if game is None:
            msg = "you are in no game"
            raise InputError(msg)
        if game.phase not in phases:
            msg = f"your game is waiting for {game.phase.value}"
            raise InputError(msg)
        return game

    def _any(self, name: str) -> PickupGame:
        known = self.over | self.games
        wanted = meant_by(name, known)
        if wanted not in known:
            msg = f"game: there is no {name!r:.60}"
            raise InputError(msg)
        return known[wanted]

    def _close(self, game: PickupGame) -> Mapping[str, list[str]]:
        """End a game without a result, and return where its players waited before it."""
        game.phase = Phase.OVER
        del self.games[game.id]
        return self._waited.pop(game.id)

    def _call_off(self, game: PickupGame, gone: Sequence[str]) -> None:
        """Let those who stay wait where they waited, before all others."""
        waited = self._close(game)
        stay = [player for player in game.players if player not in gone]
        for name, queue in self.waiting.items():
            queue[:0] = [player for player in stay if name in waited.get(player, [game.lobby.name])]
        self._say("called off", game.lobby.name, game=game.id, gone=tuple(gone), waiting=tuple(stay))

    # Teams

    def _divided(self, event: ev.Divided) -> None:
        game = self.games.get(event.game)
        if game is None or game.phase is not Phase.DIVIDING:
            return  # somebody left meanwhile
        if not event.teams:
            self._say("no teams", game.lobby.name, game=game.id)
            self._call_off(game, [])
            for player in game.players:  # the same people would be asked without end
                for queue in self.waiting.values():
                    if player in queue:
                        queue.remove(player)
            return
        if not self._holds(game, event.teams):
            msg = f"teams of {game.id} break its rules"
            raise InputError(msg)
        game.teams = event.teams
        game.chances = event.chances or (1.0 / game.lobby.teams,) * game.lobby.teams
        if game.parted in self._proposed and self._now - self._proposed[game.parted] <= EVENING:
            self._say("no others", game.lobby.name, game=game.id, price=f"{100.0 * event.price:g} %")
        self._proposed = {t: at for t, at in self._proposed.items() if self._now - at <= EVENING}
        self._proposed[game.parted] = self._now
        if game.parted in game.seen:  # they were refused, and there are no others
            self._accept(game)
            return
        game.seen.add(game.parted)
        game.phase, game.deadline = Phase.VOTING, self._now + game.lobby.vote
        self._say("teams", game.lobby.name, game=game.id, teams=game.teams, chances=game.chances,
                  seconds=game.lobby.vote)  # fmt: skip

    def _holds(self, game: PickupGame, teams: Teams) -> bool:
        """Tell whether teams are of the players of a game and keep all rules."""
        team_of = {player: n for n, team in enumerate(teams) for player in team}
        return (
            sorted(chain(*teams)) == sorted(game.players)
            and [len(team) for team in teams] == [game.lobby.size] * game.lobby.teams
            and all(len({team_of[player] for player in duo}) == 1 for duo in game.duos)
            and not any(team_of.get(one, -1) == team_of.get(other, -2) for one, other in self.apart)
        )

    def _vote(self, event: ev.Vote) -> None:
        game = self._game(event.who, Phase.VOTING)
        if event.choice not in ("yes", "no", "captains"):
            msg = f"a vote must be yes, no or captains, got {event.choice!r:.40}"
            raise InputError(msg)
        game.votes.pop(event.who, None)
        game.votes[event.who] = event.choice
        if game.most_wanted("yes"):
            self._accept(game)
        elif game.most_wanted("no"):
            self._seek(game)
        elif game.most_wanted("captains"):
            self._draft(game)

    def _draft(self, game: PickupGame) -> None:
        """Let the first who voted for captains be captains, one of each duo, as far as that can end well."""
        teams: list[tuple[str, ...]] = []
        for player in [who for who, choice in game.votes.items() if choice == "captains"]:
            if len(teams) < game.lobby.teams and not any(player in team for team in teams):
                pair = game.with_partner(player)
                teams.append((player, *(each for each in pair if each != player)))
        blocks = self._left_over(game, teams)
        if len(teams) < game.lobby.teams or not can_be_finished(teams, blocks, game.lobby.size, self.apart):
            game.votes = {who: choice for who, choice in game.votes.items() if choice != "captains"}
            self._say("no captains", game.lobby.name, game=game.id)
            return
        game.teams, game.picks, game.votes = tuple(teams), [], {}
        game.chances = (1.0 / game.lobby.teams,) * game.lobby.teams
        game.phase = Phase.DRAFTING
        self._next_pick(game)

    @staticmethod
    def _left_over(game: PickupGame, teams: Iterable[Sequence[str]]) -> list[tuple[str, ...]]:
        placed = set(chain(*teams))
        return list(dict.fromkeys(
            game.with_partner(player) for player in game.players if player not in placed
        ))  # fmt: skip

    def _with_pick(self, game: PickupGame, block: tuple[str, ...]) -> Teams | None:
        """Return the teams after a pick, None where the rest could not be divided then."""
        turn = game.turn
        teams = tuple(team + block if n == turn else team for n, team in enumerate(game.teams))
        blocks = self._left_over(game, teams)
        if len(teams[turn]) > game.lobby.size or not are_apart(teams, self.apart):
            return None
        return teams if can_be_finished(teams, blocks, game.lobby.size, self.apart) else None

    def _next_pick(self, game: PickupGame) -> None:
        """Ask for the next pick; what there is no choice in is done."""
        while game.unpicked:
            blocks = self._left_over(game, game.teams)
            ways = [(block, self._with_pick(game, block)) for block in blocks]
            open_ways = [(block, teams) for block, teams in ways if teams is not None]
            if len(open_ways) > 1 and sum(len(team) < game.lobby.size for team in game.teams) > 1:
                break
            if not open_ways:  # this captain's team is complete but for a duo, or the rules leave nobody
                game.picks.append((game.teams[game.turn][0], ""))
                if len(game.picks) > 4 * len(game.players) * game.lobby.teams:
                    self._call_off(game, [])
                    return
                continue
            block, teams = open_ways[0]
            game.picks.append((game.teams[game.turn][0], block[0]))
            game.teams = teams
        if game.unpicked:
            game.deadline = self._now + game.lobby.vote
            self._say("pick", game.lobby.name, game=game.id, captain=game.teams[game.turn][0],
                      teams=game.teams, left=tuple(game.unpicked), seconds=game.lobby.vote)  # fmt: skip
        else:
            self._accept(game)

    def _pick(self, event: ev.Pick) -> None:
        game = self._game(event.who, Phase.DRAFTING)
        captain = game.teams[game.turn][0]
        if event.who != captain:
            msg = f"it is the turn of {captain!r}"
            raise InputError(msg)
        if event.player not in game.unpicked:
            msg = f"{event.player!r:.40} cannot be picked; there are {', '.join(game.unpicked)}"
            raise InputError(msg)
        teams = self._with_pick(game, game.with_partner(event.player))
        if teams is None:
            msg = f"{event.player!r} cannot be in your team: the rules would leave no teams"
            raise InputError(msg)
        game.picks.append((event.who, event.player))
        game.teams = teams
        self._next_pick(game)

    # Maps

    def _accept(self, game: PickupGame) -> None:
        game.votes = {}
        maps = game.lobby.maps
        if game.lobby.veto:
            game.phase, game.deadline, game.maps = Phase.STRIKING, self._now + game.lobby.vote, list(maps)
            self._say("veto", game.lobby.name, game=game.id, maps=maps, team=game.teams[0], teams=game.teams)
            return
        number = self._begun[game.lobby.name] - 1
        self._play(game, maps[number % len(maps)] if maps else "")

    def _veto(self, event: ev.Veto) -> None:
        game = self._game(event.who, Phase.STRIKING)
        side = (len(game.lobby.maps) - len(game.maps)) % game.lobby.teams
        if game.team_of(event.who) != side:
            msg = f"it is the turn of the side of {game.teams[side][0]!r}"
            raise InputError(msg)
        if event.map not in game.maps:
            raise InputError(one_of("map", event.map, game.maps))
        self._strike(game, event.map)

    def _strike(self, game: PickupGame, struck: str) -> None:
        game.maps.remove(struck)
        if len(game.maps) == 1:
            self._play(game, game.maps[0])
            return
        game.deadline = self._now + game.lobby.vote
        side = (len(game.lobby.maps) - len(game.maps)) % game.lobby.teams
        self._say("veto", game.lobby.name, game=game.id, maps=tuple(game.maps), team=game.teams[side],
                  teams=game.teams)  # fmt: skip

    def _play(self, game: PickupGame, where: str) -> None:
        game.phase, game.deadline, game.map = Phase.PLAYING, math.inf, where
        self._proposed[game.parted] = self._now
        self._say("play", game.lobby.name, game=game.id, teams=game.teams, chances=game.chances, map=where)

    # While it is played

    def _sub(self, event: ev.Sub) -> None:
        game = self._game(event.who, Phase.VOTING, Phase.STRIKING, Phase.PLAYING, Phase.DISPUTED)
        self.ask_for_another(game, event.who)

    def _substitute(self, event: ev.Fill) -> None:
        if self.game_of(event.who) is not None:
            msg = "you are in a game yourself"
            raise InputError(msg)
        wanted = [
            (game, old) for game in self.games.values() for old in game.players
            if old in game.wanted and event.instead in ("", old)
        ]  # fmt: skip
        if not wanted:
            msg = f"{event.instead!r:.40} asks for no substitute" if event.instead else "nobody asks for one"
            raise InputError(msg)
        for game, old in wanted:
            teams = tuple(tuple(event.who if p == old else p for p in team) for team in game.teams)
            if are_apart(teams, self.apart):
                game.replaced(old, event.who)
                for queue in self.waiting.values():
                    if event.who in queue:
                        queue.remove(event.who)
                self._say("substituted", game.lobby.name, game=game.id, who=event.who, instead=old)
                return
        msg = "you are apart from somebody in that team"
        raise InputError(msg)

    # Results

    def _report(self, event: ev.Report) -> None:
        game = self._game(event.who, Phase.PLAYING, Phase.DISPUTED)
        ranks = _ranks(event.ranks, game)
        side = game.team_of(event.who)
        game.reports[side] = ranks
        if len(set(game.reports.values())) > 1:
            game.phase, game.deadline = Phase.DISPUTED, math.inf
            self._say("disputed", game.lobby.name, game=game.id, reports=dict(game.reports), teams=game.teams)
        elif len(game.reports) == game.lobby.teams:
            self._finish(game, ranks)
        else:
            if game.phase is Phase.DISPUTED:
                game.phase = Phase.PLAYING
            game.deadline = self._now + game.lobby.contradict
            self._say("reported", game.lobby.name, game=game.id, who=event.who, ranks=ranks, teams=game.teams,
                      seconds=game.lobby.contradict)  # fmt: skip

    def _confirm(self, event: ev.Confirm) -> None:
        game = self._game(event.who, Phase.PLAYING)
        others = {ranks for side, ranks in game.reports.items() if side != game.team_of(event.who)}
        if not others:
            msg = "the other side has reported nothing yet"
            raise InputError(msg)
        self._report(ev.Report(event.who, others.pop()))

    def _finish(self, game: PickupGame, ranks: tuple[float, ...]) -> None:
        game.phase, game.deadline, game.ranks, game.counted = Phase.OVER, math.inf, ranks, True
        game.takers = set()
        self.games.pop(game.id, None)
        self._waited.pop(game.id, None)
        self.over.pop(game.id, None)
        self.over[game.id] = game
        keep = Keep(game.id, game.lobby.name, game.teams, ranks, game.map, game.duos, game.picked)
        self._commands.append(keep)
        self._say("over", game.lobby.name, game=game.id, ranks=ranks, teams=game.teams)

    def _correct(self, event: ev.Correct) -> None:
        in_charge(event.admin)
        game = self._any(event.game)
        if game.phase not in (Phase.PLAYING, Phase.DISPUTED, Phase.OVER):
            msg = f"{game.id} is not being played yet"
            raise InputError(msg)
        ranks = _ranks(event.ranks, game)
        if game.counted and game.ranks == ranks:
            msg = "that is its result already"
            raise InputError(msg)
        self._finish(game, ranks)

    def _undo(self, event: ev.Undo) -> None:
        game = self._any(event.game)
        if not game.counted:
            msg = f"{game.id} has no result that counts"
            raise InputError(msg)
        if not event.admin:
            game.takers.add(game.team_of(event.who))
            if len(game.takers) < game.lobby.teams:
                self._say("take back?", game.lobby.name, game=game.id, who=event.who)
                return
        game.counted, game.ranks, game.takers = False, (), set()
        self._commands.append(TakeBack(game.id))
        self._say("taken back", game.lobby.name, game=game.id)

    def _cancel(self, event: ev.Cancel) -> None:
        in_charge(event.admin)
        game = self.games.get(meant_by(event.game, self.games))
        if game is None:
            msg = f"game must be one that is not over, got {event.game!r:.40}"
            raise InputError(msg)
        self._close(game)
        self._say("cancelled", game.lobby.name, game=game.id)

    # Time

    def _tick(self, event: ev.Tick) -> None:
        del event
        due = sorted((game for game in self.games.values() if game.deadline <= self._now), key=_due)
        # One at a time, as one event keeps one result; the next time brings the next one.
        for game in due[:1]:
            missing = [player for player in game.players if player not in game.ready]
            if game.phase is Phase.CHECKING:
                if set(missing) <= game.late:
                    game.late, game.deadline = set(), self._now + MORE
                    self._say("more time", game.lobby.name, left=tuple(missing), seconds=MORE)
                else:
                    self._call_off(game, [player for player in missing if player not in game.late])
            elif game.phase is Phase.VOTING:
                self._accept(game)
            elif game.phase is Phase.DRAFTING:
                block = next(
                    each for each in self._left_over(game, game.teams) if self._with_pick(game, each)
                )
                self._pick(ev.Pick(game.teams[game.turn][0], block[0]))
            elif game.phase is Phase.STRIKING:
                self._strike(game, game.maps[-1])
            elif game.reports:
                self._finish(game, next(iter(game.reports.values())))

    _HANDLERS: ClassVar[Mapping[type, Callable[[Any, Any], None]]] = {
        ev.Add: _add, ev.Leave: _leave, ev.Remove: _remove, ev.Late: _late, ev.Duo: _duo,
        ev.Prefer: _prefer, ev.Ready: _ready, ev.Divided: _divided, ev.Vote: _vote, ev.Pick: _pick,
        ev.Veto: _veto, ev.Sub: _sub, ev.Fill: _substitute, ev.Report: _report, ev.Confirm: _confirm,
        ev.Correct: _correct, ev.Undo: _undo, ev.Cancel: _cancel, ev.Tick: _tick,
    }  # fmt: skip


def _ranks(ranks: Sequence[float], game: PickupGame) -> tuple[float, ...]:
    given = tuple(map(float, ranks))
    if len(given) != game.lobby.teams or not all(map(math.isfinite, given)):
        msg = f"a result must be a number for each of {game.lobby.teams} teams, got {len(given)}"
        raise InputError(msg)
    return given


def _due(game: PickupGame) -> tuple[float, str]:
    return game.deadline, game.id
