"""An evening with an archive: events are kept, with what they do, before anything is answered.

Every door uses this: it hands in events and gets out what there is to say.  Teams are found here, by the
ratings of the archive, and results go into it, with ratings that follow at once.  Several doors, in as many
processes, may be open to one evening: each takes in what the others have kept before it takes a step, and
:meth:`KeptEvening.follow` says what that was.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from equipoise.archive.archive import TakenMeanwhileError
from equipoise.archive.database import OtherWriterError
from equipoise.archive.rated_players import people_of, rated, weights_of
from equipoise.core.clock import deadline
from equipoise.core.match import Contest, Match, Ruleset
from equipoise.core.plain_data import printable
from equipoise.core.player import Player, is_bot
from equipoise.errors import InputError
from equipoise.identity.merges import renamed
from equipoise.identity.roster_lookup import AmbiguousNameError, RosterLookup
from equipoise.play import evening_events as ev
from equipoise.play.evening import Evening
from equipoise.play.evening_events import Command, Divide, EveningLobby, Event, Judge, Keep, Notice, TakeBack
from equipoise.play.evening_records import BEFORE, CHANGED, MERGED, REWRITTEN, Record, record_of, taken
from equipoise.play.evening_state import EveningGame
from equipoise.ratings.point_changes import PointChange, changes_between, points_and_places

if TYPE_CHECKING:
    from equipoise.archive.archive import Archive
    from equipoise.core.stopping import Stop
    from equipoise.play.proposals import Arranged

#: How often a step is taken again where somebody else took one meanwhile.
TIMES = 3

#: Seconds after which a door reports what a result at another one changed, where that one has not.
PATIENCE = 5.0


class NotTakenError(InputError):
    """A step cannot be taken as things are: no teams keep all the rules, or a result counts already."""


@dataclass(frozen=True, slots=True)
class StepTaken:
    """What followed from an event.

    Parameters
    ----------
    commands : tuple of Command
        Notices are to be said; everything else is done already.
    changes : tuple of PointChange
        What a result, or taking it back, changed for those who played.
    new : tuple of str
        The names of those in a result whom the archive did not know.
    refused : str
        Why the event changed nothing; empty where it did.
    again : bool
        Whether it was no longer to be taken.
    """

    commands: tuple[Command, ...]
    changes: tuple[PointChange, ...] = ()
    new: tuple[str, ...] = ()
    refused: str = ""
    again: bool = False

    @property
    def game(self) -> str:
        """The id of the game whose result was kept or taken back; empty where none was."""
        return next((each.game for each in self.commands if isinstance(each, Keep | TakeBack)), "")

    def notices(self) -> list[Notice]:
        """Return what there is to say."""
        return [each for each in self.commands if isinstance(each, Notice)]


class KeptEvening:
    """An evening whose events are kept in an archive; what the archive has of earlier times goes on.

    Parameters
    ----------
    archive : Archive
        Where they are kept.
    lobbies : sequence of EveningLobby
        What people may gather for; the archive may know more of them.
    apart : iterable of (str, str)
        Who never plays in one team.
    vary : float, optional
        The price of meeting again, in win probability: of two people in one team, and of whole teams.
    limited : callable
        What ends a search after some seconds, or before.
    seconds : float
        How long a search may take.
    """

    def __init__(
        self, archive: Archive, lobbies: Sequence[EveningLobby] = (), *,
        apart: Iterable[tuple[str, str]] = (), vary: float | None = None,
        limited: Callable[[float], Stop] = deadline, seconds: float = 10.0,
    ) -> None:  # fmt: skip
        self.archive = archive
        self._lobbies, self._apart, self._vary = tuple(lobbies), tuple(apart), vary
        self.limited, self._seconds = limited, seconds
        #: How everyone was last called who acted.
        self.names: dict[str, str] = {}
        #: The last teams that were found, with what is proven of them.
        self.arranged: Arranged | None = None
        #: What each result changed, with how many are in the table, by the id of its game.
        self.changed: dict[str, tuple[tuple[PointChange, ...], int]] = {}
        #: Where those stood whose result came, by the id of its game, until what that changed is reported.
        self._unreported: dict[str, tuple[Record, float]] = {}
        self._reporting = False
        self.known = 0
        self._heard: list[Command] = []
        self._held: list[dict[str, Any]] | None = None
        self.load()

    def load(self) -> None:
        """Let the evening be what the archive has of it by now."""
        known, self.known = self.known, 0
        self.evening, self._opened = Evening(self._lobbies, self._apart), dict[str, EveningLobby]()
        self.changed, self._unreported, self._held = {}, {}, None if self._held is None else []
        self._to_merge: list[Record] = []
        records = self.archive.night_events()
        self._take_in(records[:known])
        self._heard += self._take_in(records[known:]) if known else self._take_in(records)[:0]
        self._know_merged()
        self._to_open = [lobby for lobby in self._lobbies if self._is_other(lobby)]
        for lobby in self._to_open:
            self.evening.handle(ev.Open(lobby), -math.inf)

    def _is_other(self, lobby: EveningLobby) -> bool:
        """Tell whether a lobby has to be opened: it is not there, or with settings that are asked for."""
        opened = self._opened.get(lobby.name)
        plain = lobby.called and lobby == ev.night_lobby(lobby.name)
        return opened is None or (not (plain and opened.called) and opened != lobby)

    def _know_merged(self) -> None:
        """Let those be one whom the archive merged before there were records of that.

        The next event that is kept brings a record of each, as it is from here on that they are one.
        """
        for player, into in self.archive.merged().items():
            if self.evening.one(player) != self.evening.one(into):
                self._be_one(ev.SamePerson(player, into), -math.inf)
                self._to_merge.append({"kind": MERGED, "player": player, "into": into, "back": False})

    def _be_one(self, event: ev.SamePerson, at: float) -> tuple[Command, ...]:
        """Let two be one, or two again."""
        done = self.evening.handle(event, at)
        if not event.back and event.player in self.names:
            self.names.setdefault(self.evening.one(event.player), self.names[event.player])
        return done

    def _take_in(self, records: Sequence[Record]) -> list[Command]:
        """Let what records say happen, and return what followed."""
        found: list[Command] = []
        for event, at, nick in taken(records):
            if isinstance(event, ev.SamePerson):
                found += self._be_one(event, at)
                continue
            self.note(getattr(event, "who", ""), nick)
            found += self.evening.handle(event, at)
            if isinstance(event, ev.Open):
                self._opened[event.lobby.name] = event.lobby
        for record in records:
            if record["kind"] == BEFORE:
                self._unreported[record["match"]] = record, time.monotonic()
            elif record["kind"] == CHANGED:
                self._unreported.pop(record["match"], None)
                rows = tuple(PointChange(**row) for row in record["rows"])
                self.changed[record["match"]] = rows, record["of"]
                found.append(Notice("changed", record["lobby"], facts={"rows": rows}))
            self.read(record)
        self.known += len(records)
        return found

    def read(self, record: Record) -> None:
        """Take in a record that was kept, whoever did; a door that has records of its own looks at them."""

    def follow(self) -> list[Notice]:
        """Take in what others have kept, and return what there is to say of that."""
        newer = self.archive.night_events_since(self.known)
        if any(record["kind"] == REWRITTEN for record in newer):
            self.names.clear()
            self.load()
        else:
            self._heard += self._take_in(newer)
        if not self.known:  # only evenings that have begun have records of merges
            self._know_merged()
        if any(record["kind"] == MERGED for record in newer) and self.archive.writable:
            with contextlib.suppress(InputError):  # whoever is next, or begins, asks again
                self._heard += self.start(time.time())
        late = time.monotonic() - PATIENCE
        if any(tried < late for _, tried in self._unreported.values()) and self.archive.writable:
            with contextlib.suppress(InputError):
                self._report_changes(time.time())
        heard, self._heard = self._heard, []
        return [each for each in heard if isinstance(each, Notice) and each.kind != "refused"]

    @contextmanager
    def together(self) -> Iterator[None]:
        """Keep what is taken within in one transaction, at the end or with the first result.

        Raises
        ------
        TakenMeanwhileError
            From within, or at the end, if somebody else has taken a step meanwhile: what was not kept yet is
            to be taken again.
        """
        self._held = []
        try:
            yield
            try:
                self._write([])
            except TakenMeanwhileError:
                self.load()
                raise
        finally:
            self._held = None

    def forget(self, player: str, leaving: Sequence[Event], now: float) -> str:
        """Let somebody leave and be forgotten, all of it or nothing; return the id that replaces theirs.

        Raises
        ------
        InputError
            If there is no such player, or the archive cannot be written.
        """
        for attempt in range(TIMES):
            self._held = []
            try:
                for event in leaving:
                    self.take(event, now)
                stand_in = self.archive.forget(player, records=self._held, known=self.known)
                self.known += len(self._held)
                break
            except BaseException as error:  # what was taken is not kept
                self.load()
                if not isinstance(error, TakenMeanwhileError) or attempt == TIMES - 1:
                    raise
            finally:
                self._held = None
        self.follow()
        return stand_in

    def note(self, who: str, nick: str) -> None:
        """Note what somebody is called."""
        if who and nick:
            self.names[self.evening.one(who)] = nick

    def shown(self, player: str) -> str:
        """Return the name of somebody, with nothing in it that changes what is around it."""
        return printable(self.called(player))

    def called(self, player: str) -> str:
        """Return the name of somebody as it is."""
        player = self.evening.one(player)
        if player in self.names:
            return self.names[player]
        spelled = (room.spelled.get(player) for room in self.evening.rooms.values())
        return next(filter(None, spelled), player.lstrip("~"))

    def take(
        self, event: Event, now: float | None = None, nick: str = "", *, strictly: bool = False,
        sign: str | None = None, chat: str = "", beside: Sequence[Record] = (),
        unless: Callable[[], bool] = bool,
    ) -> StepTaken:  # fmt: skip
        """Take an event, keep it with all that follows, and return what follows.

        Parameters
        ----------
        event : Event
            What happened.
        now : float, optional
            When, seconds since 1970.
        nick : str
            What the one who acts is called.
        strictly : bool
            Whether what makes no sense, and a step that somebody else took meanwhile, are errors.
        sign, chat : str
            Of a chat, as :func:`equipoise.play.evening_records.record_of` keeps them.
        beside : sequence of mappings
            Records that are kept with it, if it is.
        unless : callable
            Asked when all that others have kept is known: whether it is no longer to be taken.

        Raises
        ------
        InputError
            If the archive cannot keep it; where it is taken strictly, for every other reason too.
        """
        now = time.time() if now is None else now
        where = {"nick": nick, "sign": sign, "chat": chat}
        for attempt in range(TIMES):
            kept = 0
            try:
                self.catch_up()
                self._report_changes(now)
                if unless():
                    return StepTaken((), again=True)
                event = self.evening.resolved(event)
                is_back = isinstance(event, ev.Undo | ev.Redo)
                known = self.evening.over | self.evening.games if is_back else {}
                commands = self.evening.handle(event, now)
                if refused := _refused(commands):
                    if strictly:
                        raise InputError(refused)
                    return StepTaken(commands, refused=refused)
                if not commands and isinstance(event, ev.Tick):
                    return StepTaken(())
                if getattr(event, "weights", None):  # teams are made by ratings that begin at these
                    self._keep([event], now, commands, beside, **where)
                    self.settle()
                    kept = 1
                commands, events = self._followed(event, commands, now)
                done = StepTaken(commands)
                self._check_not_counted(event, done.game)
                # Where a result is taken back and others came since, its game may be another one by now.
                game = (
                    self.evening.over.get(done.game)
                    or self.evening.games.get(done.game)
                    or known.get(done.game)
                )
                stood = () if game is None else (self._stood(game, now),)
                played = {player for player, _ in self.archive.standing().games} if done.game else set()
                also = [*stood, *(() if kept else beside)]
                self._keep(events[kept:], now, commands, also, **({} if kept else where))
            except NotTakenError as error:
                self._write([])
                self.load()
                if kept:
                    self.take(ev.Undo("", lobby=getattr(event, "lobby", "")), now)
                if strictly:
                    raise
                return StepTaken((Notice("refused", facts={"why": str(error)}),), refused=str(error))
            except InputError as error:
                final = bool(self._held) or strictly or isinstance(error, OtherWriterError)
                self.load()
                if final or attempt == TIMES - 1:
                    raise
                continue
            self.note(getattr(event, "who", ""), nick)
            return done if game is None else self._with_changes(done, game, played, now)
        return StepTaken(())

    def _check_not_counted(self, event: Event, match: str) -> None:
        """Refuse a report where the archive has a result of the game that counts, unknown to the evening."""
        known = self.archive.listed_match(match) if match and isinstance(event, ev.Report) else None
        if known is not None and not known.undone:
            msg = f"a result of {match} that was put back from outside counts; undo that match first"
            raise NotTakenError(msg)

    def catch_up(self) -> None:
        """Take in what others have kept; what there is to say of it waits for :meth:`follow`."""
        if not self._held:
            heard = self.follow()
            self._heard = [*heard, *self._heard]

    def _with_changes(
        self, done: StepTaken, game: EveningGame, played: Collection[str], now: float
    ) -> StepTaken:
        """Return what followed with what the result of a game changed."""
        self._report(game.id, now)
        changes, _ = self.changed.get(game.id, ((), 0))
        counted = self._counted(game.lobby, chain(*game.teams))
        gone = self.archive.tombstones().names(counted.values())
        fresh = [player for player, known in counted.items() if known not in played and known not in gone]
        keep = any(isinstance(each, Keep) for each in done.commands)
        return replace(done, changes=changes, new=tuple(map(self.shown, fresh)) if keep else ())

    def _stood(self, game: EveningGame, now: float) -> Record:
        """Return the record of where those of a game stand before its result."""
        places, _ = self._places(game.lobby, chain(*game.teams))
        return {"kind": BEFORE, "at": now, "lobby": game.lobby.name, "match": game.id, "rows": places}

    def _report_changes(self, now: float) -> None:
        """Report what those results changed whose door ended before it did."""
        if self._unreported and not self._held and not self._reporting:
            tried = time.monotonic()
            self._unreported = {match: (record, tried) for match, (record, _) in self._unreported.items()}
            self.settle()
            for match, (record, _) in list(self._unreported.items()):
                if match in self._unreported and self._report(match, now):
                    facts = {"rows": self.changed[match][0]}
                    self._heard.append(Notice("changed", record["lobby"], facts=facts))

    def _report(self, match: str, now: float) -> bool:
        """Keep what a result changed, and tell whether that was not kept by another door meanwhile."""
        record, _ = self._unreported[match]
        before = {self.evening.one(player): tuple(stood) for player, stood in record["rows"].items()}
        after, of = self._places(self.evening.rooms[record["lobby"]].lobby, before)
        changes = tuple(changes_between(before, after))
        rows = [each.as_dict() for each in changes]
        report = {
            "kind": CHANGED,
            "at": now,
            "lobby": record["lobby"],
            "match": match,
            "rows": rows,
            "of": of,
        }
        self._reporting = True  # what others keep is taken in before this is kept, and may be another result
        try:
            if not self.remember(report, unless=lambda: match not in self._unreported):
                return False
        finally:
            self._reporting = False
        del self._unreported[match]
        self.changed[match] = changes, of
        return True

    def _counted(self, lobby: EveningLobby, players: Iterable[str]) -> dict[str, str]:
        """Return the id that each player of a game has in the archive."""
        return {p: p for p in players} if lobby.called else self.known_as(players, time.time())

    def _places(self, lobby: EveningLobby, players: Iterable[str]) -> tuple[dict[str, tuple[int, int]], int]:
        """Return players' points and places in the table that a game counts in, and how many are in that."""
        counted = self._counted(lobby, players)
        standing, ruleset = self.archive.standing(), self.ruleset(lobby)
        everyone: Iterable[str] = map(self.evening.one, self.evening.rooms[lobby.name].spelled)
        if ruleset is not None:
            everyone = sorted({player for player, each in standing.games if each == ruleset})
        both = dict.fromkeys([*counted.values(), *everyone])
        weights = weights_of(standing, both, ruleset, self.archive.merged())
        places = points_and_places(counted.values(), weights)
        return {player: places[known] for player, known in counted.items()}, len(both)

    @staticmethod
    def ruleset(lobby: EveningLobby) -> Ruleset | None:
        """Return the ruleset whose ratings a lobby goes by; None for what those played have in common."""
        return None if lobby.ruleset == Ruleset() else lobby.ruleset

    def _followed(
        self, event: Event, commands: Sequence[Command], now: float
    ) -> tuple[tuple[Command, ...], list[Event]]:
        """Return the commands of an event and of all answers to them, and these events."""
        found, events = list[Command](), [event]
        waiting = list(commands)
        while waiting:
            command = waiting.pop(0)
            answer = self._answer(command)
            if answer is None:
                found.append(command)
            else:
                events.append(answer)
                waiting += self.evening.handle(answer, now)
        return tuple(found), events

    def start(self, now: float) -> tuple[Command, ...]:
        """Answer what was not answered before the last end."""
        with contextlib.suppress(InputError):  # whoever is next asks again
            self._report_changes(now)
        found: list[Command] = []
        for command in self.evening.pending():
            try:
                answer = self._answer(command)
            except NotTakenError:
                answer = ev.Divided(getattr(command, "game", ""), ())
            if answer is not None:
                found += self.take(answer, now, unless=partial(self._is_answered, answer)).commands
        return tuple(found)

    def _is_answered(self, answer: Event) -> bool:
        """Tell whether the game of an answer waits for it no longer."""
        waiting = [each.game for each in self.evening.pending() if isinstance(each, Divide)]
        return getattr(answer, "game", "") not in waiting

    # Answers

    def _answer(self, command: Command) -> Event | None:
        """Return the answer to a question, None where a command is none."""
        if isinstance(command, Judge):
            from equipoise.play.proposals import judged, unmet

            lobby = self._lobby_of(command.game)
            try:
                chances = judged(command.setup, self.rating(lobby), command.teams)
            except InputError:
                return ev.Judged(command.game, ())
            return ev.Judged(command.game, chances, unmet(command.setup, command.teams))
        if not isinstance(command, Divide):
            return None
        try:
            found = self.arrange(command)
        except InputError as error:
            if self._lobby_of(command.game).called:  # what was there stays, and the step is not taken
                raise NotTakenError(str(error)) from error
            return ev.Divided(command.game, ())
        self.arranged, made = found, found.proposal
        return ev.Divided(
            command.game, made.teams, made.chances, found.price, made.out, made.moved, made.unmet
        )

    def _lobby_of(self, game: str) -> EveningLobby:
        known = self.evening.games.get(game) or self.evening.over[game]
        return known.lobby

    def arrange(self, command: Divide) -> Arranged:
        """Find teams.

        Raises
        ------
        InputError
            If no teams keep the rules.
        """
        from equipoise.play.proposals import MEETING, arrange

        lobby = self._lobby_of(command.game)
        usual = MEETING if self._vary is None else self._vary
        return arrange(
            self.evening.played(lobby.name), command.setup, self.rating(lobby), command.game,
            seen=command.seen, now=command.now, still=command.still,
            vary=usual if command.vary is None else command.vary, stop=self.limited(self._seconds),
        )  # fmt: skip

    def rating(self, lobby: EveningLobby) -> Callable[[Sequence[str]], tuple[list[Player], dict[str, float]]]:
        """Return what gives the ratings of people in a lobby, under the ids they have there."""
        ruleset = self.ruleset(lobby)

        def rates(players: Sequence[str]) -> tuple[list[Player], dict[str, float]]:
            known = {p: p for p in players} if lobby.called else self.known_as(players, time.time())
            here = rated(
                self.archive.standing(), known.values(), ruleset, self.archive.merged(), by_name=False
            )
            given = [
                replace(player, id=each, name=self.shown(each) if lobby.called else each, bot=False)
                for each, player in zip(players, here.players, strict=True)
            ]
            return given, here.units

        return rates

    def known_as(self, players: Iterable[str], now: float) -> dict[str, str]:
        """Return the id that each player has in the archive: their own, or that of whoever bears the name.

        Who took the nick of another one, or bears the name of several, is nobody known.
        """
        lookup = self._lookup(now)
        found: dict[str, str] = {}
        taken_ids: set[str] = set()
        for player in players:
            one = player
            for name in (player, player.removeprefix("~")):
                try:
                    known = None if name.endswith("'") else lookup.id_of(name)
                except InputError:
                    known = None
                if known is not None and not is_bot(known) and known not in taken_ids:
                    one = known
                    break
            found[player] = one
            taken_ids.add(one)
        return found

    def question(self, player: str, now: float) -> str:
        """Return who may be meant by a player who bears the name of several; empty where that is clear."""
        name = player.removeprefix("~")
        if self.known_as([player], now)[player] == player and not name.endswith("'"):
            try:
                self._lookup(now).id_of(name)
            except AmbiguousNameError as error:
                return str(error).partition(": ")[2].partition("; give an id")[0]
        return ""

    def _lookup(self, now: float) -> RosterLookup:
        return people_of(self.archive.standing(), self.archive.merged(), now)

    # Keeping

    def remember(self, record: Record, unless: Callable[[], bool] = bool) -> bool:
        """Keep a record that is no event, and tell whether that was done.

        ``unless`` is asked when all that others have kept is known: whether it is no longer to be kept.
        """
        for attempt in range(TIMES):
            self.catch_up()
            if unless():
                break
            try:
                self._write([record], waits=True)
            except TakenMeanwhileError:
                if self._held or attempt == TIMES - 1:
                    raise
            else:
                return True
        return False

    def _keep(
        self, events: Sequence[Event], now: float, commands: Sequence[Command], beside: Sequence[Record],
        **where: Any,
    ) -> None:  # fmt: skip
        """Keep events with what they do, and where the first one came from: all of it or nothing."""
        if not events:
            return
        keep = next((each for each in commands if isinstance(each, Keep)), None)
        undone = next((each.game for each in commands if isinstance(each, TakeBack)), None)
        match = None if keep is None else self._match(keep, now)
        opened, self._to_open = self._to_open, []
        merged, self._to_merge = self._to_merge, []
        records = [*merged, *(record_of(ev.Open(lobby), now) for lobby in opened), *beside]
        records += [record_of(each, now, **({} if n else where)) for n, each in enumerate(events)]
        self._unreported |= {
            each["match"]: (each, time.monotonic()) for each in beside if each["kind"] == BEFORE
        }
        back = any(isinstance(each, ev.Undo | ev.Redo) for each in events)
        weighs = any(getattr(each, "weights", None) for each in events)
        self._opened |= {lobby.name: lobby for lobby in opened}
        self._write(records, match, undone, waits=not back and not weighs)
        if match is not None or undone is not None or back:
            self.settle()

    def _write(
        self, records: Sequence[Record], match: Match | None = None, undone: str | None = None, *,
        waits: bool = False,
    ) -> None:  # fmt: skip
        """Keep records after those that are held back, or hold them back too."""
        if self._held is not None and waits and match is None and undone is None:
            self._held += map(dict, records)
        else:
            both = [*(self._held or ()), *records]
            if both:
                self.archive.add_night_events(both, self.known, match, undone)
            self.known += len(both)
            self._held = None if self._held is None else []
        for record in records:
            self.read(record)

    def _match(self, keep: Keep, now: float) -> Match:
        """Return a result as an archive keeps it: after those before it, of the people it knows."""
        at = self.archive.time_of_result(now) if keep.at is None else keep.at
        lobby = self.evening.rooms[keep.lobby].lobby
        parties = [duo for duo in keep.parties if any(set(duo) <= set(team) for team in keep.teams)]
        contest = Contest(lobby.ruleset, keep.teams, keep.ranks, at=at, parties=parties, scores=keep.scores)
        names = tuple((player, self.shown(player)) for team in keep.teams for player in team)
        match = Match((contest,), ended=at, id=keep.game, names=names, map=keep.map, picks=keep.picks)
        return match if lobby.called else renamed(match, self.known_as(chain(*keep.teams), now))

    def settle(self) -> None:
        """Let the ratings begin at the starting weights of the events that count, and learn what is new."""
        model: Any = self.archive.chosen_model
        wanted = self.starting(model)
        if wanted is not None and wanted != tuple(model.starting):
            self.archive.rebuild(replace(model, starting=wanted), of_night=True)
        elif self.archive.is_behind():
            self.archive.update_ratings()

    def starting(self, model: Any) -> Any:
        """Return the guesses of a model with those of the evening, None where it takes none."""
        from equipoise.ratings.starting_weights import given_from

        if not hasattr(model, "starting"):
            return None
        weights = [pair for room in self.evening.rooms.values() for pair in room.weights.items()]
        others = [guess for guess in model.starting if guess[0] not in self.evening.ever_weighed]
        return given_from([*others, *weights])


def _refused(commands: Sequence[Command]) -> str:
    """Return why an event changed nothing, nothing where it did."""
    first = commands[0] if len(commands) == 1 else None
    return str(first.facts["why"]) if isinstance(first, Notice) and first.kind == "refused" else ""
