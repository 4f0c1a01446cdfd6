"""An evening of games as one state machine without I/O: events in, commands out, behind every door.

Somebody waits in as many lobbies as they like and plays in one.  A lobby is one of two kinds.  Where *enough
wait*, a game begins by itself: all are asked to be ready, teams are divided, voted on or drafted, a map is
found, both sides report.  Where teams are *called for* (``called``), those who are there stay there from game
to game, and whoever runs the evening asks for teams, swaps and locks people, names captains and maps, and
reports.  What a game goes through is the same in both, and several lobbies, each with a channel of its own,
are one evening.

``now`` is an argument of every event, and time passes by :class:`~equipoise.play.evening_events.Tick`.
Replaying the events gives the same state and the same commands; what carries these out keeps the events.

Every step can be taken back.  What a step may change is copied before it: the lobby's room and its current
game where teams are called for, else the game.  ``Undo`` puts the copy back, and says which result no longer
counts, or counts as it was before.  People come and go by themselves while whoever runs the evening does
something else: their steps do not stand in the way of taking that back, and are taken again after it.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain
from typing import Any, ClassVar

from equipoise.errors import InputError, meant
from equipoise.identity.short_ids import meant_by
from equipoise.play import evening_events as ev
from equipoise.play.evening_events import (
    Command,
    Divide,
    EveningLobby,
    Event,
    Judge,
    Keep,
    Notice,
    Proposal,
    Setup,
    TakeBack,
    Teams,
    of_people,
)
from equipoise.play.evening_state import EveningGame, Phase, Room, Step, UndoneStep, can_be_finished
from equipoise.play.ledger import LedgerGame as Played
from equipoise.play.ledger import accounts, ways_to_sit_out

#: Seconds more for somebody who says that he is late, once.
MORE = 120.0

#: Seconds of an evening: teams that were played longer ago may come again.
EVENING = 12 * 3600.0

#: How many a player may prefer, so that nobody can fill the memory.
MOST_PREFERENCES = 20

#: What somebody in a game does there, and may take back.
IN_GAME = (ev.Ready, ev.Late, ev.Vote, ev.Pick, ev.Veto, ev.Sub, ev.Fill, ev.Report)


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


def comes_or_goes(event: Event, but: str = "") -> bool:
    """Tell whether somebody, other than one, says of nobody but themselves that they are there or not."""
    return isinstance(event, ev.Attend) and event.players == (event.who,) and event.who != but


class Evening:
    """All lobbies, and the games that came of them.

    Parameters
    ----------
    lobbies : iterable of EveningLobby
        What people may gather for; more of them open by an event.
    apart : iterable of (str, str)
        Who never plays in one team.
    """

    def __init__(self, lobbies: Iterable[EveningLobby] = (), apart: Iterable[tuple[str, str]] = ()) -> None:
        given = list(lobbies)
        self.rooms = {lobby.name: Room(lobby, _setup_of(lobby)) for lobby in given}
        if len(self.rooms) < len(given):
            msg = "lobbies must have a name each of its own"
            raise InputError(msg)
        self.apart = tuple(apart)
        self.games: dict[str, EveningGame] = {}
        self.over: dict[str, EveningGame] = {}
        self.duos: dict[str, str] = {}
        self.preferences: dict[tuple[str, str], str] = {}
        #: Who was ever given a starting weight here, even if that was taken back.
        self.ever_weighed: frozenset[str] = frozenset()
        self._waited: dict[str, dict[str, list[str]]] = {}
        self._proposed: dict[frozenset[frozenset[str]], float] = {}
        self._begun: Counter[str] = Counter()
        self._trails: dict[str, list[Step]] = {}
        self._undone: dict[str, list[UndoneStep]] = {}
        self._taken = 0
        self._commands: list[Command] = []
        self._now = -math.inf
        self._merged_into: dict[str, str] = {}

    @property
    def lobbies(self) -> dict[str, EveningLobby]:
        """All lobbies by name."""
        return {name: room.lobby for name, room in self.rooms.items()}

    @property
    def waiting(self) -> dict[str, list[str]]:
        """Who waits in each lobby, or is there, in the order they came."""
        return {name: list(room.setup.here) for name, room in self.rooms.items()}

    # Who is one person

    def one(self, player: str) -> str:
        """Return the id that counts for a person of whom this is an id."""
        while player in self._merged_into:
            player = self._merged_into[player]
        return player

    def ids_of(self, player: str) -> tuple[str, ...]:
        """Return all ids of a person, the one that counts first."""
        wanted = self.one(player)
        return wanted, *(each for each in self._merged_into if self.one(each) == wanted)

    def resolved(self, event: Event) -> Event:
        """Return an event under the ids that count for people, as it is taken and kept."""
        if not self._merged_into or isinstance(event, ev.SamePerson | ev.Open):
            return event
        return of_people(event, self.one)

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
        event = self.resolved(event)
        scope, before, begun = "", None, 0
        try:
            scope = self._scope(event)
            before = self._copied(scope, event) if scope else None
            begun = self._begun[scope]
            self._HANDLERS[type(event)](self, event)
        except InputError as error:
            if before is not None and before.room is not None:
                self._put_back(scope, before)
                self._begun[scope] = begun
            who = getattr(event, "who", "")
            return (Notice("refused", to=(who,) if who else (), facts={"why": str(error)}),)
        kept = (scope in self.rooms or scope in self.games) and not self._is_known()
        if before is not None and kept and not isinstance(event, (ev.Undo, ev.Redo, *ev.ANSWERS)):
            self._note(scope, before)
            if not comes_or_goes(event):
                self._undone.pop(scope, None)
        for name in self.rooms:
            while self._fill(name):
                pass
        return tuple(self._commands)

    def _is_known(self) -> bool:
        """Tell whether what happened had happened already, so that there is nothing to take back."""
        commands = self._commands
        return len(commands) == 1 and isinstance(commands[0], Notice) and commands[0].kind == "known"

    def pending(self) -> tuple[Command, ...]:
        """Return the questions that were not answered yet, to be asked again after a start."""
        return tuple(
            game.asked or self._divide(game)
            for game in self.games.values() if game.phase is Phase.DIVIDING
        )  # fmt: skip

    def deadline(self) -> float:
        """Return when time will change something."""
        return min((game.deadline for game in self.games.values()), default=math.inf)

    def game_of(self, player: str) -> EveningGame | None:
        """Return the game somebody is in, None for anyone else.

        Of several the one that began by itself: where teams are called for, people may wait elsewhere.
        """
        player = self.one(player)
        found = [game for game in self.games.values() if player in game.players]
        return min(found, key=lambda game: game.lobby.called, default=None)

    def game_of_both(self, player: str, other: str) -> EveningGame | None:
        """Return a game with teams that would be another one if these two were one, None where none would.

        Both are in it; or it began by itself, and the other one is in another that did, though nobody is in
        two of these.
        """
        pair = {self.one(player), self.one(other)}
        teamed = [game for game in self.games.values() if game.teams]
        both = [game for game in teamed if pair <= set(game.players)]
        alone = [game for game in teamed if not game.lobby.called and not pair.isdisjoint(game.players)]
        if len(pair) < 2:
            return None
        return next(iter(both), alone[0] if len(alone) > 1 else None)

    def room(self, name: str) -> Room:
        """Return a lobby with those who are there.

        Raises
        ------
        InputError
            If there is none of that name.
        """
        if not name and len(self.rooms) == 1:
            return next(iter(self.rooms.values()))
        short = [each for each in self.rooms if each.rpartition("/")[2] == name]
        if name not in self.rooms and short:
            name = short[0]
        if name not in self.rooms:
            msg = one_of("lobby", name, self.rooms) if self.rooms else f"there is no lobby {name!r:.40}"
            raise InputError(msg)
        return self.rooms[name]

    def current(self, name: str) -> EveningGame | None:
        """Return the current teams of a lobby where these are called for, or those of its last game."""
        game = self.rooms[name].game
        return self.games.get(game) or self.over.get(game)

    def ended(self, name: str) -> list[EveningGame]:
        """Return the games with a result of a lobby where teams are called for, as these were reported."""
        return [self.over[each] for each in self.rooms[name].ended]

    def played(self, name: str = "") -> list[Played]:
        """Return the games that count, in the order they ended, for the ledger.

        Those of a lobby where teams are called for, or without a name those that began by themselves.
        """
        if name and self.rooms[name].lobby.called:
            return [game.in_ledger for game in self.ended(name)]
        return [
            Played(game.teams, game.chances, game.ranks)
            for game in self.over.values() if game.counted and not game.lobby.called
        ]  # fmt: skip

    def seen(self, name: str, now: float) -> set[frozenset[frozenset[str]]]:
        """Return the teams that a lobby where they are called for proposed, or played, this evening."""
        played = [game.parted for game in self.ended(name) if now - (game.ended or 0.0) <= EVENING]
        return {*self.rooms[name].tonight, *played}

    def steps(self, name: str) -> list[Event]:
        """Return the steps that can be taken back, of a lobby where teams are called for or of a game."""
        return [step.event for step in self.trail(name)]

    def trail(self, name: str) -> list[Step]:
        """Return these steps with their numbers, and with what was before each."""
        return list(self._trails.get(name, []))

    def last_step(self, name: str, who: str = "") -> Step | None:
        """Return the step that an undo takes back unless it names one: by somebody, or whoever runs it."""
        trail = self._trails.get(name, [])
        return trail[self._last(trail, who)] if trail else None

    def taken_back(self, name: str) -> Step | None:
        """Return the step of a lobby that a redo would take again."""
        undone = self._undone.get(name, [])
        return undone[-1].steps[0] if undone else None

    # What can be taken back

    def _scope(self, event: Event) -> str:
        """Return what an event may change: such a lobby, or a game; empty where nothing is taken back."""
        name = getattr(event, "lobby", "")
        if isinstance(event, (ev.Tick, ev.Open, ev.Counted, ev.SamePerson, *ev.ANSWERS)):
            return ""
        if isinstance(name, str) and name:
            room = self.room(name)
            if room.lobby.called:
                return room.lobby.name
        game = self._touched(event)
        if game is None:
            return ""
        return game.lobby.name if game.lobby.called else game.id

    def _touched(self, event: Event) -> EveningGame | None:
        """Return the game that an event is about, None where it is about none."""
        if isinstance(event, ev.Correct):
            game = self._any(event.game)
            return game if game.lobby.called else None  # those in charge correct a result by another one
        if isinstance(event, ev.Fill):
            wanted = self._wanted(event.instead)
            return wanted[0][0] if wanted else None
        return self.game_of(event.who) if isinstance(event, IN_GAME) else None

    def _copied(self, scope: str, event: Event) -> Step:
        room = self.rooms.get(scope)
        named = [room.game] if room is not None else [scope]
        if isinstance(event, ev.Correct | ev.Undo) and event.game:
            named.append(meant_by(event.game, self.over | self.games))
        known = self.over | self.games
        games = {each: known[each].copied() if each in known else None for each in named if each}
        return Step(event, room, games)

    def _put_back(self, scope: str, step: Step) -> None:
        """Let everything that a step may have changed be as it was before it."""
        if step.room is not None:
            current = self.rooms[scope].game
            if current not in step.games and current in self.games:
                del self.games[current]
            self.rooms[scope] = step.room
        for each, game in step.games.items():
            was = self.games.pop(each, None) or self.over.get(each)
            if game is None:
                self.over.pop(each, None)
                continue
            copy = game.copied()
            if copy.phase is Phase.OVER:
                self.over[each] = copy
            else:
                self.over.pop(each, None)
                self.games[each] = copy
            if was is not None and was.counted and not copy.counted:
                self._commands.append(TakeBack(each))
            elif copy.counted and was is not None and (was.ranks, was.scores) != (copy.ranks, copy.scores):
                self._commands.append(self._keep(copy))

    def _undo(self, event: ev.Undo) -> None:
        if event.lobby and self.room(event.lobby).lobby.called:
            self._undo_step(self.room(event.lobby).lobby.name, event, event.admin or not event.who)
            return
        mine = self.game_of(event.who) if not event.game else None
        if mine is not None:
            scope = mine.lobby.name if mine.lobby.called else mine.id
            last = self._trails.get(scope, [])[-1:]
            if last and (event.admin or getattr(last[0].event, "who", "") == event.who):
                self._undo_step(scope, event, event.admin)
                return
        self._undo_result(event)

    def _note(self, scope: str, before: Step) -> None:
        """Note a step that can be taken back."""
        self._taken += 1
        step = replace(before, number=self._taken, at=self._now)
        self._trails.setdefault(scope, []).append(step)

    @staticmethod
    def _last(trail: Sequence[Step], who: str) -> int:
        """Return which step is the last one but for those of others who came or went since."""
        own = [n for n, step in enumerate(trail) if not comes_or_goes(step.event, but=who)]
        return own[-1] if own else len(trail) - 1

    def _undo_step(self, scope: str, event: ev.Undo, admin: bool) -> None:
        trail = self._trails.get(scope)
        if not trail:
            msg = "undo: there is no step to take back"
            raise InputError(msg)
        numbers = [step.number for step in trail]
        if event.step and event.step not in numbers:
            msg = "undo: that is taken back already"
            raise InputError(msg)
        n = numbers.index(event.step) if event.step else self._last(trail, event.who)
        step = trail[n]
        who = getattr(step.event, "who", "")
        if not admin and who != event.who:
            msg = "only whoever took the last step, or somebody in charge, can take it back"
            raise InputError(msg)
        if not admin and scope in self.games and self.games[scope].phase is not self._phase_of(step, scope):
            msg = "the game has gone on; ask somebody in charge to take that back"
            raise InputError(msg)
        if not all(comes_or_goes(each.event) for each in trail[n + 1 :]):
            if not comes_or_goes(step.event):
                msg = "undo: something else was done since; the last step is taken back first"
                raise InputError(msg)
            self._undo_coming(scope, event, step)
            return
        back = {player for game in step.games.values() if game is not None for player in game.players}
        now_in = {player: game for game in self.games.values() for player in game.players}
        if any(p in now_in and now_in[p].id not in step.games and not now_in[p].lobby.called
               and step.room is None for p in back):  # fmt: skip
            msg = "somebody who left is in another game by now"
            raise InputError(msg)
        tail = tuple(trail[n:])
        if scope in self.rooms:
            after = replace(self._copied(scope, step.event), number=self._taken)
            self._undone.setdefault(scope, []).append(UndoneStep(tail, after))
        del trail[n:]
        self._put_back(scope, step)
        self._take_again(scope, tail[1:])
        self._say_undone(scope, step)

    def _say_undone(self, scope: str, step: Step, kind: str = "undone") -> None:
        """Say what was taken back, and what is waited for now."""
        game = self.games.get(scope) or (self.current(scope) if scope in self.rooms else None)
        lobby = step.room.lobby.name if step.room is not None else game.lobby.name if game is not None else ""
        what = type(step.event).__name__.lower()
        self._say(kind, lobby, step=what, game="" if game is None else game.id)
        if game is not None and game.phase not in (Phase.OVER, Phase.DIVIDING):
            if not math.isinf(game.deadline):
                game.deadline = self._now + self._seconds(game)
            self._announce(game)

    def _take_again(self, scope: str, steps: Iterable[Step]) -> None:
        """Let those come and go again who did so after a step that was taken back, or taken again."""
        already = len(self._commands)
        for step in steps:
            before = self._copied(scope, step.event)
            try:
                self._HANDLERS[type(step.event)](self, step.event)
            except InputError:  # they are there already
                continue
            again = replace(before, number=step.number, at=step.at)
            self._trails.setdefault(scope, []).append(again)
        asked = [each for each in self._commands[already:] if isinstance(each, Divide)]
        self._commands[already:] = asked[-1:]  # the last one asks for all of them

    def _undo_coming(self, scope: str, event: ev.Undo, step: Step) -> None:
        """Let somebody be where they were before they came or went, though others have done more since."""
        before = self._copied(scope, event)
        room, was, player = self.rooms[scope], step.room, getattr(step.event, "who", "")
        here = [each for each in room.setup.here if each != player]
        states = {who: state for who, state in room.states.items() if who != player}
        if was is not None and player in was.setup.here:
            here.append(player)
        elif was is not None and player in was.states:
            states[player] = was.states[player]
        self._trails[scope].remove(step)
        self._note(scope, before)
        changed = replace(room, setup=replace(room.setup, here=tuple(here)), states=states)
        self.rooms[scope] = changed
        self._say("undone", room.lobby.name, step="attend", game="")
        if set(here) != set(room.setup.here):
            self._people_changed(scope, {})

    def _redo(self, event: ev.Redo) -> None:
        scope = self._called(event.lobby).lobby.name
        in_charge(event.admin or not event.who)
        if not self._undone.get(scope):
            msg = "redo: nothing was taken back last"
            raise InputError(msg)
        undone, trail = self._undone[scope].pop(), self._trails.setdefault(scope, [])
        newer = [step for step in trail if step.number > undone.after.number]
        first = undone.steps[0]
        trail[:] = [*(step for step in trail if step.number < first.number), *undone.steps]
        self._put_back(scope, undone.after)
        self._take_again(scope, newer)
        self._say_undone(scope, first, "redone")

    def _counted(self, event: ev.Counted) -> None:
        """Note that the archive counts a result no longer, or again; so do copies of earlier states.

        Where it is the result of the current teams, it is taken back, or taken again, as from within.
        """
        if event.counts and self._count_again(event.game):
            return
        game = self.over.get(event.game)
        if game is None or game.counted == event.counts or not game.ranks:
            return
        name = game.lobby.name
        if not event.counts and game.lobby.called and self.rooms[name].game == game.id:
            trail = self._trails.get(name, [])
            last = trail[self._last(trail, "")] if trail else None
            if last is not None and last.began_open(game.id):
                self._say("taken back", name, game=game.id)
                self._undo_step(name, ev.Undo("", lobby=name, step=last.number, admin=True), admin=True)
                return

        def ended(room: Room) -> Room:
            others = [each for each in room.ended if each != game.id]
            if event.counts and game.lobby.called:
                others = sorted([*others, game.id], key=lambda each: self.over[each].ended or 0.0)
            return replace(room, ended=tuple(others))

        game.counted = event.counts
        self._say("counts again" if event.counts else "taken back", name, game=game.id)
        self.rooms[name] = ended(self.rooms[name])
        for step in self._trails.get(name, []):
            copy = step.games.get(game.id)
            if copy is not None and copy.phase is Phase.OVER:
                copy.counted = event.counts
        if not game.lobby.called:
            return
        self._trails[name] = [
            step if step.room is None or self._is_before(step, game) else replace(step, room=ended(step.room))
            for step in self._trails.get(name, [])
        ]
        self._undone.pop(name, None)

    def _count_again(self, name: str) -> bool:
        """Take the result of current teams again, if it was taken back last; return whether that was done."""
        game = self.games.get(name)
        undone = self._undone.get(game.lobby.name, []) if game is not None and game.lobby.called else []
        if game is None or not undone or not undone[-1].steps[0].began_open(name):
            return False
        after = undone[-1].after.games.get(name)
        if after is None or not after.counted:
            return False
        self._say("counts again", game.lobby.name, game=name)
        self._redo(ev.Redo(game.lobby.name, admin=True))
        return True

    @staticmethod
    def _is_before(step: Step, game: EveningGame) -> bool:
        """Tell whether a step was taken before a game had its result."""
        return step.room is not None and game.id not in step.room.ended and step.at <= (game.ended or 0.0)

    @staticmethod
    def _phase_of(step: Step, scope: str) -> Phase:
        game = step.games.get(scope)
        return Phase.OVER if game is None else game.phase

    @staticmethod
    def _seconds(game: EveningGame) -> float:
        lobby = game.lobby
        if game.phase is Phase.CHECKING:
            return lobby.ready
        return lobby.contradict if game.phase is Phase.PLAYING else lobby.vote

    def _announce(self, game: EveningGame) -> None:
        """Say what a game is waiting for, once more."""
        lobby, seconds = game.lobby.name, self._seconds(game)
        if game.phase is Phase.VOTING:
            self._say("teams", lobby, game=game.id, teams=game.teams, chances=game.chances, seconds=seconds)
        elif game.phase is Phase.DRAFTING:
            self._say("pick", lobby, game=game.id, captain=game.teams[game.turn][0], teams=game.teams,
                      left=tuple(game.unpicked), seconds=seconds)  # fmt: skip
        elif game.phase is Phase.STRIKING:
            self._say("veto", lobby, game=game.id, maps=tuple(game.maps), team=game.teams[self.side(game)],
                      teams=game.teams)  # fmt: skip
        elif game.phase is Phase.CHOOSING:
            self._say("ballot", lobby, game=game.id, maps=game.lobby.maps, team=(), teams=game.teams)
        elif game.phase is Phase.PLAYING:
            self._say("play", lobby, game=game.id, teams=game.teams, chances=game.chances, map=game.map)

    # Who is there

    def _open(self, event: ev.Open) -> None:
        lobby = event.lobby
        before = self.rooms.get(lobby.name)
        if before is None:
            self.rooms[lobby.name] = Room(lobby, _setup_of(lobby))
        else:
            setup = replace(before.setup, teams=lobby.teams, size=lobby.size)
            self.rooms[lobby.name] = replace(before, lobby=lobby, setup=setup)

    def _called(self, name: str) -> Room:
        """Return a lobby where teams are called for."""
        room = self.room(name)
        if not room.lobby.called:
            msg = f"lobby: in {room.lobby.name!r} a game begins by itself once enough wait"
            raise InputError(msg)
        return room

    def _gather(self, event: ev.Gather) -> None:
        room, setup = self._called(event.lobby), event.setup
        if len(set(setup.here)) < len(setup.here):
            msg = "players: somebody is there twice"
            raise InputError(msg)
        if not event.fresh:
            self._not_begun(room)
        lobby = replace(room.lobby, teams=setup.teams, size=setup.size)
        over = room.game in self.over and not event.fresh
        self._drop(room)
        room = replace(
            room, lobby=lobby, setup=setup, spelled={**room.spelled, **event.spelled},
            states={who: state for who, state in room.states.items() if who not in setup.here},
            game=room.game if over else "", plan=(), tonight=() if event.fresh else room.tonight,
        )  # fmt: skip
        self._weigh(room, event.weights)
        if event.rounds:
            self._play_rounds(self.rooms[lobby.name], event.rounds)
        elif event.ask and setup.here:
            self._ask(self.rooms[lobby.name], vary=event.vary)

    def _weigh(self, room: Room, weights: Mapping[str, float]) -> None:
        self.ever_weighed |= weights.keys()
        self.rooms[room.lobby.name] = replace(room, weights={**room.weights, **weights})

    def _reweighed(self, event: ev.Reweighed) -> None:
        del event
        self.ever_weighed = frozenset()
        self.rooms = {name: replace(room, weights={}) for name, room in self.rooms.items()}
        self._trails = {
            name: [
                step if step.room is None else replace(step, room=replace(step.room, weights={}))
                for step in trail
            ]
            for name, trail in self._trails.items()
        }

    def _attend(self, event: ev.Attend) -> None:
        room = self._called(event.lobby)
        here, states = list(room.setup.here), dict(room.states)
        if event.state not in (ev.IN, ev.MAYBE, ev.LATER, ev.OUT):
            msg = f"state must be in, maybe, late or out, got {event.state!r:.40}"
            raise InputError(msg)
        for player in event.players:
            if event.state == ev.IN:
                if player in here:
                    msg = f"players: {room.spelled.get(player, player)!r} is here already"
                    raise InputError(msg)
                here.append(player)
                states.pop(player, None)
                continue
            if event.state == ev.OUT and player not in here and player not in states:
                msg = f"players: {room.spelled.get(player, player)!r} is not here"
                raise InputError(msg)
            here = [each for each in here if each != player]
            states[player] = event.state
        setup = replace(room.setup, here=tuple(here), duos=(*room.setup.duos, *event.duos))
        changed = setup.here != room.setup.here
        self._weigh(
            replace(room, setup=setup, states=states, spelled={**room.spelled, **event.spelled}),
            event.weights,
        )
        self._say("attending", room.lobby.name, who_all=event.players, state=event.state, waiting=len(here))
        if changed:
            self._people_changed(room.lobby.name, {})

    def _substitute_called(self, event: ev.Substitute) -> None:
        room, game = self._called(event.lobby), self.current(event.lobby)
        here = room.setup.here
        if event.instead not in here:
            msg = f"players: {room.spelled.get(event.instead, event.instead)!r} is not here"
            raise InputError(msg)
        playing = () if game is None or game.phase is Phase.OVER else game.players
        sits_out = event.player in here and game is not None and (
            event.player in game.out or (game.begun and event.player not in playing)
        )  # fmt: skip
        states = {who: state for who, state in room.states.items() if who != event.player}
        if not sits_out:
            if event.player in here:
                msg = f"players: {room.spelled.get(event.player, event.player)!r} is here already"
                raise InputError(msg)
            here = tuple(event.player if each == event.instead else each for each in here)
        elif event.leaves:
            here = tuple(each for each in here if each != event.instead)
        if event.instead not in here:
            states[event.instead] = ev.OUT
        self._weigh(
            replace(room, setup=replace(room.setup, here=here), states=states,
                    spelled={**room.spelled, **event.spelled}),
            event.weights,
        )  # fmt: skip
        self._say("substituted", room.lobby.name, who=event.player, instead=event.instead)
        self._people_changed(room.lobby.name, {event.instead: event.player})

    def _people_changed(self, name: str, instead: Mapping[str, str], *, still: bool = False) -> None:
        """Let teams that were not played yet change with the people, as little as they can.

        With ``still``, and where somebody comes in for another one, nobody moves as long as the rules hold.
        """
        room, game = self.rooms[name], self.current(name)
        self.rooms[name] = room = replace(room, plan=())
        if game is None or game.phase is Phase.OVER:
            return
        if game.begun:
            self._replace_in(game, instead)
            return
        if game.phase is Phase.DRAFTING:
            self._draft_goes_on(room, game, instead)
            return
        if len(room.setup.here) < room.lobby.teams:
            self._drop(room)
            self.rooms[name] = replace(room, game="")
            return
        here, now = room.setup.here, None
        if game.is_whole:
            now = {instead.get(p, p): n for n, team in enumerate(game.teams) for p in team}
        elif game.asked is not None and game.asked.now is not None:
            now = {instead.get(p, p): n for p, n in game.asked.now.items()}
        if now is not None:
            now = {player: n for player, n in now.items() if player in here}
        resting = tuple(
            player for player in game.resting if player in here and player not in instead.values()
        )
        self._ask(room, now=now, still=still or bool(instead), resting=resting)

    def _replace_in(self, game: EveningGame, instead: Mapping[str, str]) -> None:
        """Let substitutes take the very places of those for whom they come in."""
        for old, new in instead.items():
            if old not in game.players:
                continue
            game.replaced(old, new)
            sits = old in self.rooms[game.lobby.name].setup.here
            out = tuple(player for player in game.out if player not in (old, new))
            game.out = (*out, old) if sits else out
            if game.is_whole:
                self._judge(game)

    def _draft_goes_on(self, room: Room, game: EveningGame, instead: Mapping[str, str]) -> None:
        """Let a draft go on with those who came and without those who left, unless a captain did."""
        self._replace_in(game, instead)
        here = room.setup.here
        gone = [player for player in game.players if player not in here]
        left = next((team[0] for team in game.teams if team[0] in gone), "")
        game.teams = tuple(tuple(p for p in team if p not in gone) for team in game.teams)
        game.players = [player for player in game.players if player not in gone]
        game.out = tuple(player for player in game.out if player in here)
        for player in here:
            if player not in game.players and player not in game.out:
                if room.lobby.seats and len(game.players) >= room.lobby.seats:
                    game.out = (*game.out, player)
                else:
                    game.players.append(player)
        together = [tuple(p for p in duo if p in game.players) for duo in self.rules(room.lobby.name).duos]
        game.duos = tuple(duo for duo in together if len(duo) > 1)
        if left or not self._can_draft(game, game.teams):
            self._drop(room)
            self.rooms[room.lobby.name] = replace(room, game="")
            if left:
                self._say("captain left", room.lobby.name, game=game.id, captain=left)
            else:
                self._say("draft over", room.lobby.name, game=game.id)
            return
        self._next_pick(game)

    def _roles(self, event: ev.SetRoles) -> None:
        room = self._called(event.lobby)
        plays = {**dict(room.setup.plays), **dict(event.plays)}
        setup = replace(
            room.setup, plays=tuple((player, roles) for player, roles in plays.items() if roles),
            roles=room.setup.roles if event.needs is None else event.needs,
        )  # fmt: skip
        self.rooms[room.lobby.name] = replace(room, setup=setup)
        self._say("roles", room.lobby.name, plays=setup.plays, needs=setup.roles)

    # Two who are one

    def _merged(self, event: ev.SamePerson) -> None:
        """Let two be one: who is there twice is there once, in all that may be undone or redone too."""
        if event.back:
            if self._merged_into.get(event.player) == event.into:
                del self._merged_into[event.player]
            return
        leaf, root = self.one(event.player), self.one(event.into)
        if leaf == root:
            return
        self._merged_into[leaf] = root
        twice = [name for name, room in self.rooms.items() if {leaf, root} <= set(room.setup.here)]
        doubled = [game.id for game in self.games.values() if {leaf, root} <= {*game.players, *game.out}]
        self._let_be_one()
        for name in doubled:
            game = self.games[name]
            if not game.lobby.called:
                self._call_off(game, [])
            elif not all(game.teams) and game.teams:  # they were a team each
                room = self.rooms[game.lobby.name]
                self._drop(room)
                self.rooms[game.lobby.name] = replace(room, game="", plan=())
                self._say("no teams", game.lobby.name, game=game.id)
        for name in twice:
            room = self.rooms[name]
            if room.lobby.called:
                here = len(room.setup.here)
                self._say("attending", name, who_all=(root,), state=ev.IN, waiting=here)
                self._people_changed(name, {}, still=True)
        self._play_in_one(root)

    def _let_be_one(self) -> None:
        """Let all that is known be under the ids that count for people."""
        one = self.one
        self.rooms = {name: room.of_people(one) for name, room in self.rooms.items()}
        self.games = {name: game.of_people(one) for name, game in self.games.items()}
        self.over = {name: game.of_people(one) for name, game in self.over.items()}
        self.apart = tuple((one(a), one(b)) for a, b in self.apart if one(a) != one(b))
        self.duos = {one(a): one(b) for a, b in self.duos.items() if one(a) != one(b)}
        self.preferences = {
            (one(a), one(b)): kind for (a, b), kind in self.preferences.items() if one(a) != one(b)
        }
        self._proposed = {ev.parted_of(teams, one): at for teams, at in self._proposed.items()}
        self._waited = {
            game: {one(player): names for player, names in waited.items()}
            for game, waited in self._waited.items()
        }
        self._trails = {name: [step.of_people(one) for step in trail] for name, trail in self._trails.items()}
        self._undone = {
            name: [each.of_people(one) for each in undone] for name, undone in self._undone.items()
        }

    def _play_in_one(self, player: str) -> None:
        """Let somebody be in one of the games that begin by themselves, and wait for none beside it."""
        mine = [game for game in self.games.values() if player in game.players and not game.lobby.called]
        mine.sort(key=lambda game: game.phase not in (Phase.PLAYING, Phase.DISPUTED))
        for game in mine[1:]:
            self._call_off(game, [player])
        if mine:
            self._wait_no_longer(player)

    # Waiting

    def _add(self, event: ev.Add) -> None:
        room = self._lobby(event.lobby)
        game = self.game_of(event.who)
        if game is not None and not game.lobby.called:
            msg = "you are in a game; come back after it"
            raise InputError(msg)
        queue = room.setup.here
        if event.who in queue:
            msg = f"you wait in {room.lobby.name} already"
            raise InputError(msg)
        self._queue(room.lobby.name, (*queue, event.who))
        self._say("added", room.lobby.name, who=event.who, waiting=len(queue) + 1, seats=room.lobby.seats)

    def _queue(self, name: str, players: Iterable[str]) -> None:
        """Let these wait in a lobby, in this order."""
        room = self.rooms[name]
        self.rooms[name] = replace(room, setup=replace(room.setup, here=tuple(players)))

    def waits(self, who: str) -> list[str]:
        """Return the names of the lobbies where somebody waits."""
        who = self.one(who)
        return [name for name, room in self.rooms.items() if not room.lobby.called and who in room.setup.here]

    def _wait_no_longer(self, who: str) -> None:
        for name in self.waits(who):
            self._queue(name, (each for each in self.rooms[name].setup.here if each != who))

    def _lobby(self, name: str) -> Room:
        """Return a lobby where a game begins by itself."""
        own = [room for room in self.rooms.values() if not room.lobby.called]
        if not name and len(own) == 1:
            return own[0]
        room = self.room(name)
        if room.lobby.called:
            msg = f"in {room.lobby.name!r} teams are called for; nobody waits there"
            raise InputError(msg)
        return room

    def _leave(self, event: ev.Leave) -> None:
        game = self.game_of(event.who)
        if game is not None and not game.lobby.called:
            if game.phase in (Phase.PLAYING, Phase.DISPUTED):
                self.ask_for_another(game, event.who)
            else:
                self._call_off(game, [event.who])
            return
        left = self.waits(event.who)
        if event.lobby:
            wanted = self._lobby(event.lobby).lobby.name
            left = [name for name in left if name == wanted]
        if not left:
            msg = "you wait nowhere"
            raise InputError(msg)
        for name in left:
            rest = [each for each in self.rooms[name].setup.here if each != event.who]
            self._queue(name, rest)
            self._say("left", name, who=event.who, waiting=len(rest))

    def ask_for_another(self, game: EveningGame, who: str) -> None:
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
        lobby, queue = self.rooms[name].lobby, self.rooms[name].setup.here
        if lobby.called or lobby.size is None or len(queue) < lobby.seats:
            return False
        size, blocks = lobby.size, self._blocks(queue)
        # A duo that no team can hold plays as two.
        blocks = [part for block in blocks for part in ([block] if len(block) <= size else zip(block))]
        for out in ways_to_sit_out(blocks, lobby.seats, accounts(self.played())):
            gone = set(out)
            within = [tuple(p for p in block if p not in gone) for block in blocks]
            within = [block for block in within if block]
            if can_be_finished([()] * lobby.teams, within, size, self.apart):
                self._begin(lobby, [player for player in queue if player not in gone], within)
                return True
        return False

    def _begin(self, lobby: EveningLobby, players: list[str], blocks: Sequence[tuple[str, ...]]) -> None:
        self._begun[lobby.name] += 1
        moment = 0 if math.isinf(self._now) else int(self._now)
        game = EveningGame(
            f"pickup-{_slug(lobby.name)}-{self._begun[lobby.name]}-{moment}", lobby, players, Phase.CHECKING,
            self._now + lobby.ready, tuple(block for block in blocks if len(block) > 1),
        )  # fmt: skip
        self.games[game.id] = game
        self._waited[game.id] = {player: self.waits(player) for player in players}
        for player in players:
            self._wait_no_longer(player)
        if lobby.ready:
            self._say("ready?", lobby.name, game=game.id, players=tuple(players), seconds=lobby.ready)
        else:
            self._seek(game)

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

    def _seek(self, game: EveningGame) -> None:
        """Ask for teams of a game: others than those it has, where it has any."""
        if game.lobby.called:
            self._ask(self.rooms[game.lobby.name])
            return
        game.phase, game.deadline, game.votes = Phase.DIVIDING, math.inf, {}
        self._commands.append(self._divide(game))

    def _divide(self, game: EveningGame) -> Divide:
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

    # Teams are called for

    def _drop(self, room: Room) -> None:
        """Forget current teams that were not played."""
        self.games.pop(room.game, None)

    def rules(self, name: str) -> Setup:
        """Return who is in a lobby where teams are called for, and all that holds for their teams."""
        setup = self.rooms[name].setup
        here, grouped = set(setup.here), set(chain(*setup.duos))
        pairs = [block for block in self._blocks(setup.here) if len(block) > 1 and not set(block) & grouped]
        apart = [pair for pair in self.apart if set(pair) <= here and pair not in setup.apart]
        own = {kind: [pair for pair, each in self.preferences.items() if each == kind and set(pair) <= here]
               for kind in ("prefer", "avoid")}  # fmt: skip
        return replace(
            setup, duos=(*setup.duos, *pairs), apart=(*setup.apart, *apart),
            prefer=tuple(dict.fromkeys((*setup.prefer, *own["prefer"]))),
            avoid=tuple(dict.fromkeys((*setup.avoid, *own["avoid"]))),
            fixed=tuple(each for each in setup.fixed if each[0] in here and each[1] < setup.teams),
            plays=tuple(each for each in setup.plays if each[0] in here),
        )  # fmt: skip

    def _ask(
        self, room: Room, *, now: Mapping[str, int] | None = None, still: bool = False,
        vary: float | None = None, game: str = "", resting: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        """Ask for teams of those who are there, but for some who sit out this game."""
        name = room.lobby.name
        seen = frozenset(self.seen(name, self._now))
        self._drop(room)
        here = tuple(player for player in room.setup.here if player not in resting)
        new = self._new_game(room, game, here)
        new.phase, new.deadline, new.resting = Phase.DIVIDING, math.inf, resting
        rules = self.rules(name)
        if resting:
            rules = replace(rules, here=here, fixed=tuple(each for each in rules.fixed if each[0] in here))
        new.asked = Divide(new.id, rules, seen, now, still, vary)
        self._commands.append(new.asked)

    def _new_game(self, room: Room, game: str, players: Iterable[str]) -> EveningGame:
        setup = self.rules(room.lobby.name)
        playing = tuple(players)
        together = [tuple(p for p in duo if p in playing) for duo in setup.duos]
        new = EveningGame(
            game or self._new_id(room), room.lobby, list(playing), Phase.DIVIDING, math.inf,
            tuple(duo for duo in together if len(duo) > 1),
        )  # fmt: skip
        self.games[new.id] = new
        self.rooms[room.lobby.name] = replace(room, game=new.id)
        return new

    def _new_id(self, room: Room) -> str:
        """Return an id that no other game has: by when it began, and after how many others.

        Not by who is there: an event means the same under other ids, as of people who are forgotten.
        """
        self._begun[room.lobby.name] += 1
        moment = 0.0 if math.isinf(self._now) else self._now
        content = repr((room.lobby.name, moment, self._begun[room.lobby.name]))
        mark = hashlib.sha256(content.encode()).hexdigest()[:12]
        return f"{_slug(room.lobby.name)}-{datetime.fromtimestamp(moment, UTC):%Y-%m-%d}-{mark}"

    def _call(self, event: ev.Call) -> None:
        room = self._called(event.lobby)
        if not room.setup.here:
            msg = "nobody is here yet"
            raise InputError(msg)
        game = self._not_begun(room)
        if room.plan and not event.same:
            following = room.plan[0]
            placed = {player: n for n, team in enumerate(following.teams) for player in team}
            self._ask(replace(room, plan=room.plan[1:]), now=placed, still=True, game=following.id)
            return
        now: dict[str, int] | None = None
        if event.same and game is not None and game.is_whole:
            now = {player: n for n, team in enumerate(game.teams) for player in team}
        self._ask(room, now=now, still=event.same, vary=event.vary)

    def _play_rounds(self, room: Room, rounds: Sequence[Proposal]) -> None:
        """Let teams that were found already be the current ones, and the plan of the games that follow."""
        name = room.lobby.name
        played = self.over.get(rounds[0].id)
        rounds = [replace(each, id=each.id or self._new_id(room)) for each in rounds]
        setup = self.rules(name)
        if played is not None and played.counted:  # only who is here has changed since
            self.rooms[name] = replace(self.rooms[name], game=played.id, plan=tuple(rounds[1:]))
            return
        if not all(self._holds_called(setup, each.teams, each.out) for each in rounds[:1]):
            msg = "rounds: these teams break the rules"
            raise InputError(msg)
        room = replace(self.rooms[name], plan=tuple(rounds[1:]))
        game = self._new_game(room, rounds[0].id, chain(*rounds[0].teams))
        self._take(game, rounds[0])
        self._propose(game)

    # What all of these share

    def _say(self, kind: str, lobby: str = "", to: tuple[str, ...] = (), **facts: Any) -> None:
        self._commands.append(Notice(kind, lobby, to, facts))

    def _game(self, who: str, *phases: Phase) -> EveningGame:
        """Return the game of somebody, which must be waiting for one of these."""
        game = self.game_of(who)
        if game is None:
            msg = "you are in no game"
            raise InputError(msg)
        return self._waiting_for(game, *phases)

    def _waiting_for(self, game: EveningGame, *phases: Phase) -> EveningGame:
        if game.phase not in phases:
            raise InputError(self.refusal(game))
        return game

    def refusal(self, game: EveningGame | None) -> str:
        """Return why something else cannot be done now with a game, or where there is none."""
        if game is None:
            return "there are no teams yet"
        room = self.rooms.get(game.lobby.name)
        spelled = {} if room is None else room.spelled
        return game.refusal(lambda player: spelled.get(player, player))

    def divided(self, lobby: str) -> EveningGame:
        """Return the current teams of a lobby where teams are called for, or those of its last game.

        Raises
        ------
        InputError
            If there are none, or captains still pick them.
        """
        game = self.current(lobby)
        if game is None or not game.is_whole:
            raise InputError(self.refusal(game))
        return game

    def _game_meant(self, who: str, lobby: str, *phases: Phase) -> EveningGame:
        """Return the current game of a lobby where teams are called for, or else that of somebody."""
        if not lobby or not self.room(lobby).lobby.called:
            return self._game(who, *phases)
        game = self.current(self.room(lobby).lobby.name)
        if game is None:
            raise InputError(self.refusal(game))
        if who and who not in (*game.players, *game.out):
            msg = "you are not in that game"
            raise InputError(msg)
        return self._waiting_for(game, *phases)

    def _any(self, name: str) -> EveningGame:
        known = self.over | self.games
        wanted = meant_by(name, known)
        if wanted not in known:
            msg = f"game: there is no {name!r:.60}"
            raise InputError(msg)
        return known[wanted]

    def _close(self, game: EveningGame) -> Mapping[str, list[str]]:
        """End a game without a result, and return where its players waited before it."""
        game.phase = Phase.OVER
        del self.games[game.id]
        self._trails.pop(game.id, None)
        return self._waited.pop(game.id, {})

    def _call_off(self, game: EveningGame, gone: Sequence[str]) -> None:
        """Let those who stay wait where they waited, before all others."""
        waited = self._close(game)
        stay = [player for player in game.players if player not in gone]
        for name, room in self.rooms.items():
            back = [player for player in stay if name in waited.get(player, [game.lobby.name])]
            if back and not room.lobby.called:
                self._queue(name, dict.fromkeys((*back, *room.setup.here)))
        self._say("called off", game.lobby.name, game=game.id, gone=tuple(gone), waiting=tuple(stay))

    # Teams

    def _divided(self, event: ev.Divided) -> None:
        game = self.games.get(event.game)
        if game is None or game.phase is not Phase.DIVIDING:
            return  # somebody left meanwhile
        if not event.teams:
            self._say("no teams", game.lobby.name, game=game.id)
            if game.lobby.called:
                room = self.rooms[game.lobby.name]
                self._drop(room)
                self.rooms[game.lobby.name] = replace(room, game="")
                return
            self._call_off(game, [])
            for player in game.players:  # the same people would be asked without end
                self._wait_no_longer(player)
            return
        if not self._holds(game, event):
            msg = f"teams of {game.id} break its rules"
            raise InputError(msg)
        game.found = Proposal(
            game.id, event.teams, event.chances or (1.0 / game.lobby.teams,) * game.lobby.teams,
            event.out, event.moved, event.unmet,
        )  # fmt: skip
        self._take(game, game.found)
        if game.lobby.called:
            if game.asked is not None and game.asked.now is None and game.parted in game.asked.seen:
                self._say("no others", game.lobby.name, game=game.id, price=f"{100.0 * event.price:g} %")
            self._propose(game)
            return
        if game.parted in self._proposed and self._now - self._proposed[game.parted] <= EVENING:
            self._say("no others", game.lobby.name, game=game.id, price=f"{100.0 * event.price:g} %")
        self._proposed = {t: at for t, at in self._proposed.items() if self._now - at <= EVENING}
        self._proposed[game.parted] = self._now
        if game.parted in game.seen:  # they were refused, and there are no others
            self._accept(game)
            return
        game.seen.add(game.parted)
        self._propose(game)

    @staticmethod
    def _take(game: EveningGame, proposal: Proposal) -> None:
        """Let a game have these teams."""
        game.teams, game.chances, game.out = proposal.teams, proposal.chances, (*proposal.out, *game.resting)
        game.moved, game.unmet = proposal.moved, proposal.unmet
        if game.lobby.called:
            game.players = [player for player in game.players if player not in proposal.out]

    def _propose(self, game: EveningGame) -> None:
        """Ask those who play whether they take their teams, where anybody is asked."""
        if game.lobby.called:
            room = self.rooms[game.lobby.name]
            self.rooms[game.lobby.name] = replace(room, tonight=(*room.tonight, game.parted))
        if not game.lobby.vote:
            self._accept(game)
            return
        game.phase, game.deadline = Phase.VOTING, self._now + game.lobby.vote
        self._say("teams", game.lobby.name, game=game.id, teams=game.teams, chances=game.chances,
                  seconds=game.lobby.vote)  # fmt: skip

    def _holds(self, game: EveningGame, event: ev.Divided) -> bool:
        """Tell whether teams are of the players of a game and keep all rules."""
        if game.lobby.called:
            setup = self.rules(game.lobby.name) if game.asked is None else game.asked.setup
            return self._holds_called(setup, event.teams, event.out)
        teams = event.teams
        team_of = {player: n for n, team in enumerate(teams) for player in team}
        return (
            sorted(chain(*teams)) == sorted(game.players)
            and [len(team) for team in teams] == [game.lobby.size] * game.lobby.teams
            and all(len({team_of[player] for player in duo}) == 1 for duo in game.duos)
            and not any(team_of.get(one, -1) == team_of.get(other, -2) for one, other in self.apart)
        )

    @staticmethod
    def _holds_called(setup: Setup, teams: Teams, out: Collection[str] = ()) -> bool:
        """Tell whether teams are of those who are here and keep all rules."""
        team_of = {player: n for n, team in enumerate(teams) for player in team}
        return (
            sorted((*chain(*teams), *out)) == sorted(setup.here)
            and len(teams) == setup.teams
            and all(team and (setup.size is None or len(team) <= setup.size) for team in teams)
            and all(len({team_of[p] for p in duo if p in team_of}) <= 1 for duo in setup.duos)
            and not any(team_of.get(one, -1) == team_of.get(other, -2) for one, other in setup.apart)
        )

    def _vote(self, event: ev.Vote) -> None:
        phases = (Phase.VOTING, Phase.CHOOSING)
        game = self._game_meant(event.who, event.lobby, *phases, *self._open_to_votes(event))
        if event.who not in game.players:
            msg = "only those who play vote"
            raise InputError(msg)
        if game.phase is Phase.CHOOSING:
            self._vote_on_maps(game, event)
            return
        if event.choice not in ("yes", "no", "captains"):
            msg = f"a vote must be yes, no or captains, got {event.choice!r:.40}"
            raise InputError(msg)
        game.votes.pop(event.who, None)
        game.votes[event.who] = event.choice
        if game.most_wanted("yes"):
            if game.phase is Phase.VOTING:
                self._accept(game)
        elif game.most_wanted("no"):
            self._seek(game)
        elif game.most_wanted("captains"):
            self._draft(game)
        elif game.lobby.called:
            self._say("voted", game.lobby.name, game=game.id, who=event.who, choice=event.choice)

    def _open_to_votes(self, event: ev.Vote) -> tuple[Phase, ...]:
        """Return another phase in which teams may still be refused: while no result is asked for in time."""
        game = self.game_of(event.who)
        if event.lobby and self.room(event.lobby).lobby.called:
            game = self.current(self.room(event.lobby).lobby.name)
        is_open = game is not None and game.lobby.called and not game.lobby.vote and not game.begun
        return (Phase.PLAYING,) if is_open else ()

    def _vote_on_maps(self, game: EveningGame, event: ev.Vote) -> None:
        if event.choice not in game.lobby.maps:
            raise InputError(one_of("map", event.choice, game.lobby.maps))
        game.votes.pop(event.who, None)
        game.votes[event.who] = event.choice
        if game.most_wanted(event.choice) or len(game.votes) == len(game.players):
            self._play(game, self._elected(game))
        else:
            self._say("voted", game.lobby.name, game=game.id, who=event.who, choice=event.choice)

    @staticmethod
    def _elected(game: EveningGame) -> str:
        """Return the map with most votes, of several the first."""
        votes = Counter(game.votes.values())
        return max(game.lobby.maps, key=lambda name: (votes[name], -game.lobby.maps.index(name)))

    # Captains

    def _captains(self, event: ev.Captains) -> None:
        room = self._called(event.lobby)
        game = self._not_begun(room)
        if game is None or game.phase is Phase.OVER or not game.teams:
            game = self._drafted_game(room)
        if len(event.captains) != game.lobby.teams or len(set(event.captains)) < len(event.captains):
            msg = f"captains must be one for each of {game.lobby.teams} teams, got {len(event.captains)}"
            raise InputError(msg)
        for player in event.captains:
            if player not in game.players:
                msg = f"captains: {room.spelled.get(player, player)!r} does not play"
                raise InputError(msg)
        teams = [(who, *(each for each in game.with_partner(who) if each != who)) for who in event.captains]
        if len(set(chain(*teams))) < len(list(chain(*teams))) or not self._can_draft(game, teams):
            msg = "captains: with these the rules leave no teams"
            raise InputError(msg)
        self._begin_draft(game, teams)

    def _drafted_game(self, room: Room) -> EveningGame:
        """Return a new game of those whose turn it is to play."""
        setup, name = self.rules(room.lobby.name), room.lobby.name
        here, out = setup.here, tuple[str, ...]()
        if len(here) < setup.teams:
            msg = f"players: {setup.teams} teams need at least {setup.teams}, got {len(here)}"
            raise InputError(msg)
        if setup.size is not None and len(here) > setup.size * setup.teams:
            grouped = {player: duo for duo in setup.duos for player in duo}
            blocks = list(dict.fromkeys(
                tuple(p for p in grouped.get(player, (player,)) if p in here) for player in here
            ))  # fmt: skip
            out = next(iter(ways_to_sit_out(blocks, setup.size * setup.teams, accounts(self.played(name)))))
        game = self._new_game(room, "", (player for player in here if player not in out))
        game.out = out
        return game

    def _can_draft(self, game: EveningGame, teams: Sequence[Sequence[str]]) -> bool:
        blocks = self._left_over(game, teams)
        return can_be_finished(teams, blocks, game.size, self._apart_of(game))

    def _apart_of(self, game: EveningGame) -> tuple[tuple[str, str], ...]:
        return self.rules(game.lobby.name).apart if game.lobby.called else self.apart

    def _draft(self, game: EveningGame) -> None:
        """Let the first who voted for captains be captains, one of each duo, as far as that can end well."""
        teams: list[tuple[str, ...]] = []
        for player in [who for who, choice in game.votes.items() if choice == "captains"]:
            if len(teams) < game.lobby.teams and not any(player in team for team in teams):
                pair = game.with_partner(player)
                teams.append((player, *(each for each in pair if each != player)))
        if len(teams) < game.lobby.teams or not self._can_draft(game, teams):
            game.votes = {who: choice for who, choice in game.votes.items() if choice != "captains"}
            self._say("no captains", game.lobby.name, game=game.id)
            return
        self._begin_draft(game, teams)

    def _begin_draft(self, game: EveningGame, teams: Sequence[tuple[str, ...]]) -> None:
        game.teams, game.picks, game.votes = tuple(teams), [], {}
        game.chances, game.moved, game.unmet = (1.0 / game.lobby.teams,) * game.lobby.teams, (), ()
        game.phase = Phase.DRAFTING
        self._next_pick(game)

    @staticmethod
    def _left_over(game: EveningGame, teams: Iterable[Sequence[str]]) -> list[tuple[str, ...]]:
        placed = set(chain(*teams))
        return list(dict.fromkeys(
            game.with_partner(player) for player in game.players if player not in placed
        ))  # fmt: skip

    def _with_pick(self, game: EveningGame, block: tuple[str, ...]) -> Teams | None:
        """Return the teams after a pick, None where the rest could not be divided then."""
        turn, apart = game.turn, self._apart_of(game)
        teams = tuple(team + block if n == turn else team for n, team in enumerate(game.teams))
        blocks = self._left_over(game, teams)
        if len(teams[turn]) > game.size or not are_apart(teams, apart):
            return None
        return teams if can_be_finished(teams, blocks, game.size, apart) else None

    def _next_pick(self, game: EveningGame) -> None:
        """Ask for the next pick; what there is no choice in is done."""
        while game.unpicked:
            blocks = self._left_over(game, game.teams)
            ways = [(block, self._with_pick(game, block)) for block in blocks]
            open_ways = [(block, teams) for block, teams in ways if teams is not None]
            if len(open_ways) > 1 and sum(len(team) < game.size for team in game.teams) > 1:
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
            game.deadline = self._now + game.lobby.vote if game.lobby.vote else math.inf
            self._announce(game)
        else:
            self._judge(game)
            self._accept(game)

    def _judge(self, game: EveningGame) -> None:
        """Ask how likely teams that people made are to win."""
        setup = self.rules(game.lobby.name) if game.lobby.called else self._divide(game).setup
        self._commands.append(Judge(game.id, setup, game.teams))

    def _judged(self, event: ev.Judged) -> None:
        game = self.games.get(event.game)
        if game is not None and len(event.chances) == len(game.teams):
            game.chances, game.unmet = event.chances, event.unmet

    def _pick(self, event: ev.Pick) -> None:
        game = self._game_meant(event.who, event.lobby, Phase.DRAFTING)
        captain = game.teams[game.turn][0]
        if event.who and event.who != captain:
            msg = f"it is the turn of {captain!r}"
            raise InputError(msg)
        if event.player not in game.unpicked:
            msg = f"{event.player!r:.40} cannot be picked; there are {', '.join(game.unpicked)}"
            raise InputError(msg)
        teams = self._with_pick(game, game.with_partner(event.player))
        if teams is None:
            msg = f"{event.player!r} cannot be in your team: the rules would leave no teams"
            raise InputError(msg)
        game.picks.append((captain, event.player))
        game.teams = teams
        self._next_pick(game)

    # By hand

    def _not_begun(self, room: Room) -> EveningGame | None:
        """Return the current game of a lobby, which must not be one that is being played."""
        game = self.current(room.lobby.name)
        if game is not None and game.begun and game.phase is not Phase.OVER:
            msg = "the game is being played; report its result, or undo its beginning"
            raise InputError(msg)
        return game

    def _unplayed(self, name: str) -> tuple[Room, EveningGame]:
        """Return a lobby where teams are called for, and its current teams, which must have no result yet."""
        room = self._called(name)
        game = self._not_begun(room)
        if game is None or game.phase is Phase.OVER:
            msg = "there are no teams that wait to be played"
            raise InputError(msg)
        if not game.is_whole:
            raise InputError(self.refusal(game))
        return room, game

    def _swap(self, event: ev.SwapPlayers) -> None:
        room, game = self._unplayed(event.lobby)
        names = {event.one: event.other, event.other: event.one}
        for player in names:
            if player not in (*game.players, *game.out):
                msg = f"players: {room.spelled.get(player, player)!r} is not here"
                raise InputError(msg)
        side = [next((n for n, team in enumerate(game.teams) if player in team), -1) for player in names]
        if len(names) < 2 or side[0] == side[1]:
            msg = "players: two can only change places who are not in one team"
            raise InputError(msg)
        teams = tuple(tuple(names.get(p, p) for p in team) for team in game.teams)
        out = tuple(names.get(p, p) for p in game.out)
        setup = self.rules(room.lobby.name)
        if not self._holds_called(setup, teams, out):
            msg = "players: the rules (who stays together, who plays apart) do not allow that"
            raise InputError(msg)
        game.teams, game.out = teams, out
        game.players = [player for player in setup.here if player not in out]
        game.moved = tuple(dict.fromkeys((*game.moved, *(p for p in names if p not in out))))
        side_of = {player: n for n, team in enumerate(teams) for player in team}
        locked = tuple((player, side_of.get(player, n)) for player, n in room.setup.fixed)
        self.rooms[room.lobby.name] = replace(
            room, setup=replace(room.setup, fixed=locked), tonight=(*room.tonight, game.parted)
        )
        self._judge(game)
        self._say("swapped", room.lobby.name, game=game.id, who=event.one, other=event.other, teams=teams)

    def _set_teams(self, event: ev.SetTeams) -> None:
        room = self._called(event.lobby)
        game, teams, here = self._not_begun(room), event.teams, room.setup.here
        flat = list(chain(*teams))
        if len(set(flat)) < len(flat) or not set(flat) <= set(here) or len(teams) < 2 or not all(teams):
            msg = "teams: they must be two or more, of people who are here, each of them once"
            raise InputError(msg)
        if len(teams) != room.lobby.teams:
            setup = replace(room.setup, teams=len(teams), names=(), fixed=())
            room = replace(room, lobby=replace(room.lobby, teams=len(teams)), setup=setup)
            self.rooms[room.lobby.name] = room
        out = tuple(player for player in here if player not in flat)
        if not self._holds_called(self.rules(room.lobby.name), teams, out):
            msg = "teams: the rules (who stays together, who plays apart, how many) do not allow these"
            raise InputError(msg)
        known = () if game is None or game.phase is Phase.OVER else (*game.players, *game.out)
        same = game is not None and game.is_whole and set(known) == set(here) and game.lobby == room.lobby
        if game is None or not same:
            self._drop(room)
            game = self._new_game(room, "", flat)
        game.teams, game.out, game.players = teams, out, [player for player in here if player not in out]
        self._judge(game)
        if not same:
            game.chances = (1.0 / len(teams),) * len(teams)
            self._propose(game)
            return
        room = self.rooms[room.lobby.name]
        self.rooms[room.lobby.name] = replace(room, tonight=(*room.tonight, game.parted))
        self._announce(game)

    def _sit_out(self, event: ev.SitOut) -> None:
        room, game = self._unplayed(event.lobby)
        if event.player not in game.players:
            msg = f"players: {room.spelled.get(event.player, event.player)!r} does not play"
            raise InputError(msg)
        now = {p: n for n, team in enumerate(game.teams) for p in team if p != event.player}
        self._ask(room, now=now, still=True, resting=(*game.resting, event.player))

    def _begin_playing(self, event: ev.Begin) -> None:
        room, game = self._unplayed(event.lobby)
        self._waiting_for(game, Phase.PLAYING)
        game.begun = True
        self._say("begun", room.lobby.name, game=game.id, teams=game.teams)

    def _lock(self, event: ev.Lock) -> None:
        room = self._called(event.lobby)
        game, fixed = self.current(room.lobby.name), dict(room.setup.fixed)
        if not event.on:
            fixed = {} if not event.players else {p: n for p, n in fixed.items() if p not in event.players}
        else:
            team_of = {} if game is None else {p: n for n, team in enumerate(game.teams) for p in team}
            for player in event.players or tuple(team_of):
                if player not in team_of:
                    msg = f"players: {room.spelled.get(player, player)!r} is in no team"
                    raise InputError(msg)
                fixed[player] = team_of[player]
        setup = replace(room.setup, fixed=tuple(fixed.items()))
        self.rooms[room.lobby.name] = replace(room, setup=setup)
        self._say("locked", room.lobby.name, players=tuple(fixed))

    # Maps

    def _maps(self, event: ev.Maps) -> None:
        room = self._called(event.lobby)
        if event.by not in (ev.TURN, ev.STRIKE, ev.BALLOT):
            msg = f"by must be turn, veto or vote, got {event.by!r:.40}"
            raise InputError(msg)
        if len(set(event.maps)) < len(event.maps):
            msg = "maps: one is there twice"
            raise InputError(msg)
        lobby = replace(room.lobby, maps=event.maps, veto=event.by == ev.STRIKE, ballot=event.by == ev.BALLOT)
        self.rooms[room.lobby.name] = replace(room, lobby=lobby)
        game = self.current(room.lobby.name)
        if game is not None and game.phase is not Phase.OVER:
            game.lobby = lobby
            if game.is_whole and game.phase in (Phase.PLAYING, Phase.STRIKING, Phase.CHOOSING):
                self._accept(game)

    def _accept(self, game: EveningGame) -> None:
        game.votes = {}
        maps = game.lobby.maps
        deadline = self._now + game.lobby.vote if game.lobby.vote else math.inf
        if game.lobby.veto or game.lobby.ballot:
            game.phase = Phase.STRIKING if game.lobby.veto else Phase.CHOOSING
            game.deadline, game.maps = deadline, list(maps)
            self._announce(game)
            return
        number = self._begun[game.lobby.name] - 1
        if game.lobby.called:
            number = len(self.rooms[game.lobby.name].ended)
        self._play(game, maps[number % len(maps)] if maps else "")

    @staticmethod
    def side(game: EveningGame) -> int:
        """Return the team whose turn it is to strike a map."""
        return (len(game.lobby.maps) - len(game.maps)) % game.lobby.teams

    def _veto(self, event: ev.Veto) -> None:
        game = self._game_meant(event.who, event.lobby, Phase.STRIKING)
        side = self.side(game)
        if event.who and game.team_of(event.who) != side:
            msg = f"it is the turn of the side of {game.teams[side][0]!r}"
            raise InputError(msg)
        if event.map not in game.maps:
            if event.map in game.lobby.maps:
                msg = f"map: {event.map} is struck already; left are {', '.join(game.maps)}"
                raise InputError(msg)
            raise InputError(one_of("map", event.map, game.maps))
        self._strike(game, event.map)

    def _strike(self, game: EveningGame, struck: str) -> None:
        game.maps.remove(struck)
        if len(game.maps) == 1:
            self._play(game, game.maps[0])
            return
        game.deadline = self._now + game.lobby.vote if game.lobby.vote else math.inf
        self._announce(game)

    def _play(self, game: EveningGame, where: str) -> None:
        game.phase, game.deadline, game.map, game.votes = Phase.PLAYING, math.inf, where, {}
        if not game.lobby.called:
            self._proposed[game.parted] = self._now
        self._announce(game)

    # While it is played

    def _sub(self, event: ev.Sub) -> None:
        game = self._game(event.who, Phase.VOTING, Phase.STRIKING, Phase.CHOOSING, Phase.PLAYING,
                          Phase.DISPUTED)  # fmt: skip
        if game.lobby.called:
            msg = "name who comes in for you"
            raise InputError(msg)
        self.ask_for_another(game, event.who)

    def _wanted(self, instead: str) -> list[tuple[EveningGame, str]]:
        """Return the games in which somebody asks for a substitute, and who does."""
        return [
            (game, old) for game in self.games.values() for old in game.players
            if old in game.wanted and instead in ("", old)
        ]  # fmt: skip

    def _substitute(self, event: ev.Fill) -> None:
        game_now = self.game_of(event.who)
        if game_now is not None and not game_now.lobby.called:
            msg = "you are in a game yourself"
            raise InputError(msg)
        wanted = self._wanted(event.instead)
        if not wanted:
            msg = f"{event.instead!r:.40} asks for no substitute" if event.instead else "nobody asks for one"
            raise InputError(msg)
        for game, old in wanted:
            teams = tuple(tuple(event.who if p == old else p for p in team) for team in game.teams)
            if are_apart(teams, self.apart):
                game.replaced(old, event.who)
                self._wait_no_longer(event.who)
                self._judge(game)
                self._say("substituted", game.lobby.name, game=game.id, who=event.who, instead=old)
                return
        msg = "you are apart from somebody in that team"
        raise InputError(msg)

    # Results

    def _report(self, event: ev.Report) -> None:
        if event.lobby and self.room(event.lobby).lobby.called:
            game = self._reported_game(event)
            if game is None:
                return
        else:
            game = self._game(event.who, Phase.PLAYING, Phase.DISPUTED)
        ranks = _ranks(event.ranks, game)
        if not game.lobby.contradict:
            self._finish(game, ranks, event.scores, event.at)
            return
        side = game.team_of(event.who)
        game.reports[side] = ranks
        if len(set(game.reports.values())) > 1:
            game.phase, game.deadline = Phase.DISPUTED, math.inf
            self._say("disputed", game.lobby.name, game=game.id, reports=dict(game.reports), teams=game.teams)
        elif len(game.reports) == game.lobby.teams:
            self._finish(game, ranks, event.scores, event.at)
        else:
            if game.phase is Phase.DISPUTED:
                game.phase = Phase.PLAYING
            game.deadline = self._now + game.lobby.contradict
            self._say("reported", game.lobby.name, game=game.id, who=event.who, ranks=ranks, teams=game.teams,
                      seconds=game.lobby.contradict)  # fmt: skip

    def _reported_game(self, event: ev.Report) -> EveningGame | None:
        """Return the game whose result is reported; None where exactly this was reported already."""
        room = self.room(event.lobby)
        if not room.game:
            msg = "there are no teams yet"
            raise InputError(msg)
        wanted = meant_by(event.game, [room.game, *room.ended]) if event.game else room.game
        known = self.over.get(wanted)
        if known is not None and known.counted:
            if known.ranks == tuple(map(float, event.ranks)) and known.scores == tuple(event.scores):
                self._say("known", room.lobby.name, game=wanted)
                return None
            msg = f"the result of {wanted} was reported already; undo takes it back"
            raise InputError(msg)
        if wanted != room.game:
            msg = f"match: the current teams are {room.game}, got {wanted!r}"
            raise InputError(msg)
        if wanted not in self.games:
            msg = f"the result of {wanted} was taken back from outside; make teams again"
            raise InputError(msg)
        game = self.games[wanted]
        if not game.is_whole:
            raise InputError(self.refusal(game))
        if len(event.ranks) != len(game.teams):
            msg = f"score must be one number for each of {len(game.teams)} teams, got {len(event.ranks)}"
            raise InputError(msg)
        if event.who and event.who not in (*game.players, *game.out):
            msg = "only those who are there report a result"
            raise InputError(msg)
        return game

    def _confirm(self, event: ev.Confirm) -> None:
        game = self._game(event.who, Phase.PLAYING)
        others = {ranks for side, ranks in game.reports.items() if side != game.team_of(event.who)}
        if not others:
            msg = "the other side has reported nothing yet"
            raise InputError(msg)
        self._report(ev.Report(event.who, others.pop()))

    def _finish(
        self, game: EveningGame, ranks: tuple[float, ...], scores: tuple[float, ...] = (),
        at: float | None = None,
    ) -> None:  # fmt: skip
        game.phase, game.deadline, game.ranks, game.counted = Phase.OVER, math.inf, ranks, True
        game.takers, game.scores, game.ended = set(), tuple(scores), self._now if at is None else at
        self.games.pop(game.id, None)
        self._waited.pop(game.id, None)
        self._trails.pop(game.id, None)
        self.over.pop(game.id, None)
        self.over[game.id] = game
        if game.lobby.called:
            room = self.rooms[game.lobby.name]
            ended = (*(each for each in room.ended if each != game.id), game.id)
            self.rooms[game.lobby.name] = replace(room, ended=ended)
        self._commands.append(self._keep(game, at))
        self._say("over", game.lobby.name, game=game.id, ranks=ranks, teams=game.teams)

    @staticmethod
    def _keep(game: EveningGame, at: float | None = None) -> Keep:
        team_of = {player: n for n, team in enumerate(game.teams) for player in team}
        parties = game.duos
        if game.lobby.called:
            parties = tuple(
                together for duo in game.duos for n in range(len(game.teams))
                if len(together := tuple(p for p in duo if team_of.get(p) == n)) > 1
            )  # fmt: skip
        return Keep(game.id, game.lobby.name, game.teams, game.ranks, game.map, parties, game.picked,
                    game.scores, at if at is not None or not game.lobby.called else game.ended)  # fmt: skip

    def _correct(self, event: ev.Correct) -> None:
        in_charge(event.admin)
        game = self._any(event.game)
        if game.phase not in (Phase.PLAYING, Phase.DISPUTED, Phase.OVER):
            msg = f"{game.id} is not being played yet"
            raise InputError(msg)
        ranks = _ranks(event.ranks, game)
        if game.counted and game.ranks == ranks and game.scores == tuple(event.scores):
            msg = "that is its result already"
            raise InputError(msg)
        self._finish(game, ranks, event.scores, game.ended if game.lobby.called else None)

    def _undo_result(self, event: ev.Undo) -> None:
        mine = [each.id for each in self.over.values()
                if each.counted and (event.admin or event.who in each.players)]  # fmt: skip
        if not event.game and not mine:
            msg = "you have played no game that counts"
            raise InputError(msg)
        game = self._any(event.game or mine[-1])
        if not game.counted:
            msg = f"{game.id} has no result that counts"
            raise InputError(msg)
        if not event.admin:
            game.takers.add(game.team_of(event.who))
            if len(game.takers) < game.lobby.teams:
                self._say("take back?", game.lobby.name, game=game.id, who=event.who)
                return
        game.counted, game.ranks, game.takers, game.scores = False, (), set(), ()
        if game.lobby.called:
            room = self.rooms[game.lobby.name]
            ended = tuple(each for each in room.ended if each != game.id)
            self.rooms[game.lobby.name] = replace(room, ended=ended)
        self._commands.append(TakeBack(game.id))
        self._say("taken back", game.lobby.name, game=game.id)

    def _cancel(self, event: ev.Cancel) -> None:
        in_charge(event.admin)
        game = self.games.get(meant_by(event.game, self.games))
        if game is None:
            msg = f"game must be one that is not over, got {event.game!r:.40}"
            raise InputError(msg)
        self._close(game)
        if game.lobby.called:
            room = self.rooms[game.lobby.name]
            self.rooms[game.lobby.name] = replace(room, game="")
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
            elif game.phase is Phase.CHOOSING:
                self._play(game, self._elected(game))
            elif game.reports:
                self._finish(game, next(iter(game.reports.values())))

    _HANDLERS: ClassVar[Mapping[type, Callable[[Any, Any], None]]] = {
        ev.Open: _open, ev.Gather: _gather, ev.Attend: _attend, ev.Substitute: _substitute_called,
        ev.SetRoles: _roles, ev.Reweighed: _reweighed, ev.Add: _add, ev.Leave: _leave, ev.Remove: _remove,
        ev.Late: _late, ev.Duo: _duo, ev.Prefer: _prefer, ev.Ready: _ready, ev.Call: _call,
        ev.Divided: _divided, ev.Judged: _judged, ev.Vote: _vote,
        ev.Captains: _captains, ev.Pick: _pick, ev.SwapPlayers: _swap, ev.Lock: _lock, ev.Maps: _maps,
        ev.Veto: _veto, ev.Sub: _sub, ev.Fill: _substitute, ev.Report: _report, ev.Confirm: _confirm,
        ev.SetTeams: _set_teams, ev.SitOut: _sit_out, ev.Begin: _begin_playing,
        ev.Correct: _correct, ev.Undo: _undo, ev.Redo: _redo, ev.Counted: _counted, ev.SamePerson: _merged,
        ev.Cancel: _cancel, ev.Tick: _tick,
    }  # fmt: skip


def ranks_of(scores: Sequence[float]) -> tuple[float, ...]:
    """Return the rank of each score; more is better, equal is a tie.

    Examples
    --------
    >>> ranks_of([1, 3, 1])
    (2.0, 1.0, 2.0)
    """
    return tuple(1.0 + sum(other > score for other in scores) for score in scores)


def _setup_of(lobby: EveningLobby) -> Setup:
    return Setup(teams=lobby.teams, size=lobby.size)


def _slug(name: str) -> str:
    """Return a name as a part of an id."""
    return name.replace("/", "-").replace("#", "")


def _ranks(ranks: Sequence[float], game: EveningGame) -> tuple[float, ...]:
    given = tuple(map(float, ranks))
    if len(given) != game.lobby.teams or not all(map(math.isfinite, given)):
        msg = f"a result must be a number for each of {game.lobby.teams} teams, got {len(given)}"
        raise InputError(msg)
    return given


def _due(game: EveningGame) -> tuple[float, str]:
    return game.deadline, game.id
