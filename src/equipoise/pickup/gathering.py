"""Those who wait in lobbies, and how games begin: the first part of :mod:`equipoise.pickup.lobby`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from equipoise.errors import InputError, meant
from equipoise.ledger import LedgerGame as Played
from equipoise.ledger import accounts, ways_to_sit_out
from equipoise.pickup import events as ev
from equipoise.pickup.events import Command, Divide, Notice
from equipoise.pickup.game import MORE, Phase, PickupGame, PickupLobby, can_be_finished
from equipoise.pickup.night import Setup

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


class Gathering:
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
        self._begun = dict.fromkeys(self.lobbies, 0)
        self._commands: list[Command] = []
        self._now = -math.inf

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

    def take_add(self, event: ev.Add) -> None:
        """Take an event; see :class:`equipoise.pickup.events.Add`."""
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

    def take_leave(self, event: ev.Leave) -> None:
        """Take an event; see :class:`equipoise.pickup.events.Leave`."""
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

    def take_remove(self, event: ev.Remove) -> None:
        """Take an event; see :class:`equipoise.pickup.events.Remove`."""
        in_charge(event.admin)
        self.take_leave(ev.Leave(event.player))

    def take_duo(self, event: ev.Duo) -> None:
        """Take an event; see :class:`equipoise.pickup.events.Duo`."""
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

    def take_prefer(self, event: ev.Prefer) -> None:
        """Take an event; see :class:`equipoise.pickup.events.Prefer`."""
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

    def take_ready(self, event: ev.Ready) -> None:
        """Take an event; see :class:`equipoise.pickup.events.Ready`."""
        game = self._game(event.who, Phase.CHECKING)
        game.ready.add(event.who)
        if len(game.ready) == len(game.players):
            self._seek(game)

    def take_late(self, event: ev.Late) -> None:
        """Take an event; see :class:`equipoise.pickup.events.Late`."""
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
        return Divide(game.id, setup, frozenset(game.seen))

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
        game = self.games.get(name) or self.over.get(name)
        if game is None:
            msg = f"game: there is no {name!r:.60}"
            raise InputError(msg)
        return game

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


def in_charge(admin: bool) -> None:
    """Raise unless somebody is one of those in charge."""
    if not admin:
        msg = "only those in charge can do that"
        raise InputError(msg)
