"""Evenings in browsers: who may do what, what a tap does to the evening, and what a page shows of it.

A page is a door of :mod:`equipoise.play.evening`, as a terminal and a chat are: a tap becomes an event of the
lobby that the page is called after, is kept with all that follows before it is answered, and what other doors
do is seen here.  :class:`Evenings` is the worker that takes taps; what a page knows beside the evening
(links, seats, taps that came) is in :mod:`equipoise.play.evening_page`.  Which other teams are as even, and
why these were made, follows from the search that the evening asked for, and is kept nowhere.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import math
import secrets
import time
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, ClassVar, NamedTuple

import msgspec

from equipoise.archive.archive import Archive, TakenMeanwhileError, open_archive
from equipoise.archive.rated_players import people_of, rated
from equipoise.archive.standing import LAST
from equipoise.core.clock import deadline
from equipoise.core.match import Ruleset
from equipoise.core.plain_data import seen
from equipoise.core.player import Player, Rating, is_bot
from equipoise.core.rulesets import ruleset_from
from equipoise.errors import ALIKE, AmbiguousError, InputError, nearest
from equipoise.files.pasted_names import PastedEntries, parse_paste
from equipoise.identity.merges import ANONYMOUS, VOUCHED, check_new_name
from equipoise.identity.names import folded
from equipoise.identity.roster_lookup import RosterLookup
from equipoise.play import evening_events as ev
from equipoise.play.evening import EVENING, comes_or_goes, ranks_of
from equipoise.play.evening_events import Event, Setup
from equipoise.play.evening_page import LONGEST_NAME, MOST_PEOPLE, ORGANISER, EveningPage
from equipoise.play.evening_records import BESIDE, CHANGED, COUNTED, MERGED, REWRITTEN, TONIGHT, Record
from equipoise.play.evening_state import EveningGame, Phase, Room, Step
from equipoise.play.ledger import accounts
from equipoise.play.proposals import Arranged, count_splits, placed_players, rules, units_of_teams
from equipoise.ratings.display_scale import scale_of
from equipoise.ratings.point_changes import BAND, points
from equipoise.service.kept_evening import KeptEvening
from equipoise.service.link_codes import redeem
from equipoise.service.night import Night, heard_of
from equipoise.teams.balance import balance
from equipoise.teams.request import BalanceRequest
from equipoise.teams.solution import Status

#: Seconds for a search while everybody waits; up to some 20 players the best is proven long before.
SECONDS = 1.0

#: Names of people known from before that a first visit offers, and other teams that can be stepped through.
MOST_REGULARS, MOST_OTHERS = 60, 12

#: How much further from even than the most even teams others may be, in win probability: not at all, to be
#: best (players of like strength count for more than half a point in a hundred), and to be near best.
EXACT, SAME, NEAR = 1e-9, 0.005, 0.01

#: How far from even, in win probability, a chance may be for the bubble to stay within the lines.
LEVEL = 0.025

#: Signs of an id that are shown of those whose names and points are the same.
SHORT_ID = 4

#: Games below which somebody is new.
SETTLED = 10

#: Letters of which an evening's name in links is made, and how many it may have.
LONGEST_SLUG = 40

#: Syllables of code words.
_CONSONANTS, _VOWELS = "bdfghjklmnprstvz", "aeiou"

#: Characters of a paste.
MOST_TEXT = 10_000

#: What is asked back: which reading of a paste is meant, and whether somebody is one whose name is like it.
PASTE, ALIKE_NAME = "paste", "near"

#: Why a tap is refused whose id another one had; it is for whoever writes a page.
USED_ID = "Another tap came with this id before; give each tap an id of its own."

#: How often taps are taken again because somebody else was faster.
TRIES = 8

log = logging.getLogger(__name__)


def hashed(key: str) -> str:
    """Return the hash under which a key, a code word or a device is kept."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def code_word() -> str:
    """Return a code word that can be said aloud: one of some 40 million, whose guesses are slowed down."""
    parts = [
        "".join(secrets.choice(_CONSONANTS) + secrets.choice(_VOWELS) for _ in range(2)) for _ in range(2)
    ]
    return "-".join(parts)


def plain_code(text: str) -> str:
    """Return a code word as it is compared: people type it with blanks and capitals."""
    return "".join(letter for letter in text.lower() if letter.isalpha())


class TonightLinks(NamedTuple):
    """What opens an evening: the keys of the organiser's and the guests' link, and the code word."""

    evening: str
    organiser: str
    guests: str
    code: str

    def organiser_link(self, base: str) -> str:
        """Return the organiser's link, which carries the guests' key too, so that it can be passed on."""
        return f"{base}/tonight/{self.evening}#o={self.organiser}&k={self.guests}"

    def guests_link(self, base: str) -> str:
        """Return the guests' link."""
        return f"{base}/tonight/{self.evening}#k={self.guests}"


def opened_evening(
    archive: Archive,
    evening: str,
    title: str,
    *,
    hours: float,
    teams: int = 2,
    size: int = 0,
    ruleset: str = "",
    starts: float = 0.0,
) -> TonightLinks:
    """Open the page of an evening, or of one of that name again, and return its links.

    The lobby of that name is opened too where there is none.  Who is there stays, unless nothing was done for
    longer than an evening lasts.  The links cannot be shown again.

    Raises
    ------
    InputError
        If the name cannot stand in a link, or is that of a lobby where games begin by themselves.
    """
    if (
        not evening
        or len(evening) > LONGEST_SLUG
        or not set(evening) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    ):
        msg = f"evening must be up to {LONGEST_SLUG} small letters, digits and hyphens, got {evening!r:.60}"
        raise InputError(msg)
    played = ruleset_from(ruleset) if ruleset else Ruleset()
    kept, now = KeptPages(archive), time.time()
    room = kept.evening.rooms.get(evening)
    if room is not None and not room.lobby.called:
        msg = f"evening: in the lobby {evening!r} games begin by themselves; a page needs another name"
        raise InputError(msg)
    trail = kept.evening.trail(evening)
    page = kept.pages.get(evening)
    goes_on = bool(trail) and now - trail[-1].at <= EVENING and (page is None or not page.ended)
    since = now
    if goes_on:
        ended = [each.ended or now for each in kept.evening.ended(evening)]
        since = min([each for each in ended if now - each <= EVENING], default=now)
    links = _new_links(evening)
    opening = _record(
        evening, "open", title=title, starts=starts, since=since, expires=now + 3600.0 * hours,
        keys=_keys_of(links),
    )  # fmt: skip
    wanted = replace(ev.night_lobby(evening), teams=teams, size=size or None, ruleset=played)
    if room is None or (wanted != ev.night_lobby(evening) and wanted != room.lobby):
        kept.take(ev.Open(wanted), now, strictly=True, beside=[opening])
    else:
        kept.remember(opening)
    if not goes_on and room is not None:
        rest = Setup(apart=room.setup.apart, teams=wanted.teams, size=wanted.size)
        kept.take(ev.Gather(evening, rest, ask=False), now, strictly=True)
    return links


def renewed_links(archive: Archive, evening: str, *, hours: float, revoke: bool = True) -> TonightLinks:
    """Return new links of an evening that goes on, in place of those before or beside them."""
    links = _new_links(evening)
    KeptPages(archive).remember(
        _record(evening, "keys", keys=_keys_of(links), only=revoke, expires=time.time() + 3600.0 * hours)
    )
    return links


def is_going_on(archive: Archive, evening: str) -> bool:
    """Tell whether the page of an evening was opened, and is neither over nor expired."""
    page = KeptPages(archive).pages.get(evening)
    return page is not None and page.expires > time.time() and not page.ended


def _new_links(evening: str) -> TonightLinks:
    return TonightLinks(evening, secrets.token_urlsafe(16), secrets.token_urlsafe(16), code_word())


def _keys_of(links: TonightLinks) -> dict[str, str]:
    return {
        hashed(links.organiser): "organiser", hashed(links.guests): "guests",
        hashed(plain_code(links.code)): "code",
    }  # fmt: skip


def _record(evening: str, kind: str, **more: Any) -> dict[str, Any]:
    """Return a record of a page that no tap has made."""
    made = {"id": secrets.token_hex(8), "by": ORGANISER, "device": "", "at": time.time()}
    return {"kind": TONIGHT, "evening": evening, "type": kind, **made, **more}


class Tap(NamedTuple):
    """What somebody did on a page: plain data with an id of the device's own making."""

    evening: str
    by: str
    device: str
    step: Mapping[str, Any]


class TonightView(NamedTuple):
    """What a page may know of an evening, as JSON, and who may ask for it; empty where it cannot be shown."""

    evening: str
    revision: int
    body: bytes
    keys: Mapping[str, str]
    expires: float


class TapAnswer(NamedTuple):
    """What became of a tap: ``done``, ``known``, ``conflict``, ``refused`` or ``asked``, and why.

    It is known where it had come before, and a conflict where another one had come with its id.
    """

    id: str
    status: str
    why: str = ""
    more: Mapping[str, Any] | None = None


@dataclass(slots=True)
class _KnownPeople:
    """What the archive knows of everybody, at one revision."""

    revision: int
    standing: Any
    merged: Mapping[str, str]


class KeptPages(KeptEvening):
    """The evenings of an archive with their pages, and how often each has changed."""

    def __init__(self, archive: Archive) -> None:
        self.pages: dict[str, EveningPage] = {}
        self._read, self._changed = 0, dict[str, int]()
        super().__init__(archive, seconds=SECONDS)

    def load(self) -> None:
        """Let all be what the archive has of it by now."""
        self.pages, self._read, self._changed = {}, 0, {}
        super().load()
        for page in self.pages.values():
            page.let_be_one(self.evening.one)

    def read(self, record: Record) -> None:
        """Take in a record."""
        self._read += 1
        if record["kind"] == TONIGHT:
            if (
                "since" in record or record["evening"] in self.pages
            ):  # else of a page before evenings were one
                known = {**record, "who": self.evening.one(record["who"])} if record.get("who") else record
                self.pages.setdefault(record["evening"], EveningPage()).take(known)
            self._changed[record["evening"]] = self._read
        elif record["kind"] == MERGED:
            for page in self.pages.values():
                page.let_be_one(self.evening.one)
            self._changed[""] = self._read
        elif record["kind"] not in BESIDE or record["kind"] in (CHANGED, REWRITTEN):
            self._changed[self._lobby_changed(record)] = self._read

    def _lobby_changed(self, record: Record) -> str:
        """Return the lobby that a record is about; empty where it may be about any."""
        event = record.get("event", record)
        lobby = event.get("lobby")
        if isinstance(lobby, Mapping):
            return str(lobby["name"])
        game = event.get("game") or (record["match"] if record["kind"] == COUNTED else "")
        known = self.evening.games.get(game) or self.evening.over.get(game)
        return lobby or (known.lobby.name if known is not None else "")

    def revision(self, name: str) -> int:
        """Return a number that is another one after each change of an evening."""
        return max(self._changed.get(name, 0), self._changed.get("", 0))


class _QuestionError(Exception):
    """A tap that needs one more answer of who tapped."""

    def __init__(self, why: str, more: Mapping[str, Any]) -> None:
        self.why, self.more = why, more
        super().__init__(why)


@dataclass(slots=True)
class _Why:
    """What the search for teams went through, for a page: derived, and worked out again where it is lost.

    Parameters
    ----------
    others : sequence of mappings
        Teams and chances to step through, those that were proposed first.
    proof : str
        ``proven``, ``near`` or ``found``.
    why : mapping
        For the one sentence that says why.
    """

    others: Sequence[Mapping[str, Any]]
    proof: str
    why: Mapping[str, Any]


class _Tapped(NamedTuple):
    """A tap with all that it is about."""

    name: str
    kind: str
    by: str
    device: str
    step: Mapping[str, Any]
    record: dict[str, Any]
    page: EveningPage
    room: Room
    #: What its sender hears besides.
    report: list[str]

    def text(self, field: str) -> str:
        """Return what a tap says in a field."""
        value = self.step[field]
        if not isinstance(value, str):
            msg = f"{field} must be text"
            raise InputError(msg)
        return value


class Evenings:
    """The worker.

    Parameters
    ----------
    url : str
        The archive.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._opened: Archive | None = None
        self._kept: KeptPages | None = None
        self._people: _KnownPeople | None = None
        self._whys: dict[str, _Why] = {}

    def __call__(self, asked: tuple[str, Any] | None) -> Generator[None, None, Any]:
        """Answer ``take`` with taps, and ``look`` with the revisions that are known."""
        yield from ()
        if asked is None:
            return None
        kind, what = asked
        try:
            if kind == "regulars":
                self.kept.follow()
                return self.regulars(what)
            return self._take(what) if kind == "take" else self._look(what)
        except BaseException:  # what is known may be half of a transaction: it is read again
            self._kept = None
            raise

    @property
    def kept(self) -> KeptPages:
        """The evenings of the archive."""
        if self._kept is None:
            if self._opened is None:
                self._opened = open_archive(self._url, create=False, waiting=log.warning)
            self._kept = KeptPages(self._opened)
            self._kept.settle()
            self._kept.start(time.time())
        return self._kept

    def add(self, evening: str, text: str) -> None:
        """Add people to an evening before it is served.

        Raises
        ------
        InputError
            If the names cannot be read.
        """
        step = {"id": secrets.token_hex(8), "type": "add", "text": text}
        (answer,), _ = self._take([Tap(evening, ORGANISER, "", step)])
        if self._opened is not None:
            self._opened.close()
            self._opened = self._kept = None
        if answer.status != "done":
            msg = f"NAMES: {(answer.more or {}).get('text', answer.why)}"
            raise InputError(msg)

    # What is asked

    def _look(self, revisions: Mapping[str, int]) -> list[TonightView]:
        """Return the views of evenings that are newer than what is known; of all where one is ``""``."""
        self.kept.follow()
        return [
            self._view(name) for name in self.kept.pages
            if ("" in revisions or name in revisions) and self.kept.revision(name) != revisions.get(name)
        ]  # fmt: skip

    def _take(self, taps: Sequence[Tap]) -> tuple[list[TapAnswer], list[TonightView]]:
        """Take taps, as many as can be in one transaction; return what became of each, and the evenings."""
        answers: dict[int, TapAnswer] = {}
        for _ in range(TRIES):
            self.kept.follow()
            try:
                with self.kept.together():
                    for n, tap in enumerate(taps):
                        answers[n] = self._tapped(tap, answers.get(n))
                break
            except TakenMeanwhileError:  # what was not kept is taken again
                continue
        else:
            msg = "too much is being done elsewhere; ask again"
            raise InputError(msg)
        changed = {tap.evening for tap in taps} & self.kept.pages.keys()
        return [answers[n] for n in range(len(taps))], [self._view(name) for name in changed]

    # One tap

    def _tapped(self, tap: Tap, before: TapAnswer | None) -> TapAnswer:
        """Take a tap, unless it was taken ``before`` somebody else's step came between."""
        given, page = str(tap.step.get("id", "")), self.kept.pages.get(tap.evening)
        if page is None:
            return TapAnswer(given, "refused", "There is no such evening.")
        own = hashed(f"{tap.device} {given}")[:16]
        body = hashed(json.dumps(tap.step, sort_keys=True))[:16]
        if page.taps.get(own, "") not in ("", body):
            return TapAnswer(given, "conflict", USED_ID)
        if own in page.taps:
            return before if before is not None and before.status == "done" else TapAnswer(given, "known")
        kind = tap.step.get("type")
        try:
            if not isinstance(kind, str) or kind not in self._STEPS:
                msg = f"a tap must be one of {', '.join(self._STEPS)}, got {kind!r:.40}"
                raise InputError(msg)
            page.check(kind, tap.by)
            record = {
                "kind": TONIGHT, "evening": tap.evening, "id": own, "type": kind, "by": tap.by,
                "device": tap.device, "at": time.time(), "body": body,
            }  # fmt: skip
            room = self.kept.evening.rooms[tap.evening]
            each = _Tapped(tap.evening, kind, tap.by, tap.device, tap.step, record, page, room, [])
            self._check_game(each)
            self._STEPS[kind](self, each)
        except _QuestionError as error:
            return TapAnswer(given, "asked", error.why, error.more)
        except TakenMeanwhileError:
            raise
        except InputError as error:
            return TapAnswer(given, "refused", _sentence(error.problem))
        except (KeyError, TypeError, ValueError) as error:
            log.info("a tap that cannot be read", extra={"why": repr(error)})
            return TapAnswer(given, "refused", "This tap cannot be read.")
        return TapAnswer(given, "done", " ".join(each.report))

    def _check_game(self, tap: _Tapped) -> None:
        """Refuse a tap for other teams than those in view."""
        if tap.step.get("match"):
            game = self._game(tap.name)
            if game is None or tap.text("match") != game.id:
                msg = "the teams have changed meanwhile"
                raise InputError(msg)

    def _game(self, name: str) -> EveningGame | None:
        """Return the teams in view, None where there are none."""
        game = self.kept.evening.current(name)
        return game if game is not None and (game.phase is not Phase.OVER or game.counted) else None

    def _current(self, name: str) -> EveningGame:
        """Return the teams in view, which must not be played yet."""
        game = self._game(name)
        if game is None or game.phase is Phase.OVER:
            msg = "there are no teams that wait to be played"
            raise InputError(msg)
        return game

    def _do(self, tap: _Tapped, event: Event | None = None, **more: Any) -> None:
        """Keep a tap, with the event that it stands for, where it stands for one."""
        record = {**tap.record, **more}
        if event is None:
            self.kept.remember(record)
        else:
            self.kept.take(event, record["at"], strictly=True, beside=[record])

    def _status_of(self, room: Room, who: str) -> str:
        """Return whether somebody is in, maybe, late or out; empty for those who are not there."""
        return ev.IN if who in room.setup.here else room.states.get(who, "")

    def _known(self, tap: _Tapped, who: str) -> str:
        """Return somebody who is on the page."""
        who = self.kept.evening.one(who)
        if not self._status_of(tap.room, who):
            msg = "that name is not here"
            raise InputError(msg)
        return who

    def _name(self, who: str) -> str:
        return self.kept.shown(who)[:LONGEST_NAME]

    # People

    def _claim(self, tap: _Tapped) -> None:
        """Somebody says on their device who they are, which means that they are in."""
        who, name, regular = self._claimed(tap)
        if who.startswith(ANONYMOUS):
            msg = "nobody can be who was forgotten; take a name of your own"
            raise InputError(msg)
        status = self._status_of(tap.room, who)
        seat = tap.page.seats.get(who, "")
        fresh = not status and not regular
        if not status and len(tap.room.setup.here) + len(tap.room.states) >= MOST_PEOPLE:
            msg = f"there are {MOST_PEOPLE} names already"
            raise InputError(msg)
        if fresh:
            tap.page.check_newcomer(tap.device, tap.by)
        if status and seat not in ("", tap.device):
            self._do(tap, who=who, asks=True)
            return
        self._take_back_mistaken(tap, who)
        coming = None
        if status != ev.IN:
            spelled = {} if who in tap.room.spelled else {who: name}
            coming = ev.Attend(tap.name, (who,), spelled=spelled, who=who)
        self._do(tap, coming, who=who, new=fresh, came=coming is not None)

    def _take_back_mistaken(self, tap: _Tapped, who: str) -> None:
        """Let the name that a device has taken before be where it was, where nothing but that let it in."""
        mistaken = tap.page.seated(tap.device)
        if mistaken in ("", who) or tap.page.came.get(mistaken) != tap.device:
            return
        trail = self.kept.evening.trail(tap.name)
        coming = [step for step in trail if isinstance(step.event, ev.Attend) and step.event.who == mistaken]
        if coming and self._status_of(tap.room, mistaken) == ev.IN:
            undoing = ev.Undo(mistaken, lobby=tap.name, step=coming[-1].number)
            with contextlib.suppress(InputError):  # the game has gone on: the organiser's to say
                self.kept.take(undoing, tap.record["at"], strictly=True)

    def _claimed(self, tap: _Tapped) -> tuple[str, str, bool]:
        """Return who is meant by a name that somebody takes, how they are written, whether they are known."""
        lookup, given = self._lookup(tap.room), tap.step.get("who")
        who = self.kept.evening.one(given) if isinstance(given, str) else None
        if who is not None and (self._status_of(tap.room, who) or who in lookup.ids):
            shown = self._name(who) if self._status_of(tap.room, who) else lookup.shown(who)
            return who, shown[:LONGEST_NAME], who in lookup.ids
        name = named(tap.step.get("name", who or ""))
        return self._identified(tap.room, lookup, name, sure=bool(tap.step.get("sure")))

    def _lookup(self, room: Room) -> RosterLookup:
        people = self._everyone()
        spelled = {who: self._name(who) for who in (*room.setup.here, *room.states)}
        return people_of(people.standing, people.merged, time.time(), spelled)

    def _identified(
        self, room: Room, lookup: RosterLookup, name: str, *, sure: bool
    ) -> tuple[str, str, bool]:
        """Return who bears a name: somebody known, or somebody new where no name is like it or it is sure."""
        known = lookup.id_of(name)
        if known is not None:
            shown = self._name(known) if self._status_of(room, known) else lookup.shown(known)
            return known, shown[:LONGEST_NAME], True
        names = {} if sure else lookup.names()
        near = nearest(folded(name), names, ALIKE)
        if near is not None:
            other = names[near]
            raise _QuestionError(ALIKE_NAME, {"name": name, "who": other, "known": lookup.shown(other)})
        check_new_name(name)
        return name, name, False

    def _status(self, tap: _Tapped) -> None:
        status, who = tap.text("status"), self._known(tap, tap.text("who"))
        if status not in (ev.IN, ev.MAYBE, ev.OUT):
            msg = "a status is in, maybe or out"
            raise InputError(msg)
        tap.page.check_answers(who, self._name(who), tap.by, tap.device)
        until = str(tap.step.get("until", ""))[:LONGEST_NAME] if status == ev.MAYBE else ""
        event = None
        if status != self._status_of(tap.room, who):
            event = ev.Attend(tap.name, (who,), status, who="" if tap.by == ORGANISER else who)
        self._do(tap, event, who=who, until=until)

    def _allow(self, tap: _Tapped) -> None:
        who = self._known(tap, tap.text("who"))
        tap.page.check_answers(who, self._name(who), tap.by, tap.device)
        if tap.kind == "allow" and who not in tap.page.asked:
            msg = "nobody asks for that name now"
            raise InputError(msg)
        self._do(tap, who=who)

    def _add(self, tap: _Tapped) -> None:
        """Add names that the organiser typed or pasted, with their parties and weights."""
        text = str(tap.step.get("text", ""))[:MOST_TEXT]
        try:
            entries = _entries(text, tap.step.get("read"))
        except AmbiguousError as error:
            ways = {way: reading[0] for way, reading in error.ways.items()}
            raise _QuestionError(PASTE, {"text": str(error), "ways": ways, "paste": text}) from None
        tap.report.extend(heard_of(entries))
        lookup, room = self._lookup(tap.room), tap.room
        found: dict[str, str] = {}
        ids: dict[str, str] = {}
        parties: dict[str, list[str]] = {}
        for entry in entries:
            name = named(entry.name)
            who, shown, _ = self._identified(room, lookup, name, sure=True)
            if who in found:
                msg = f"{shown} is in it twice"
                raise InputError(msg)
            found[who], ids[entry.name] = shown, who
            if entry.party is not None:
                parties.setdefault(entry.party, []).append(who)
        if not found:
            msg = "there are no names in it"
            raise InputError(msg)
        if len({*room.setup.here, *room.states, *found}) > MOST_PEOPLE:
            msg = f"there is room for {MOST_PEOPLE} names"
            raise InputError(msg)
        night = Night(self.kept.archive, self.kept, tap.name, warn=log.info)
        state = str(tap.step.get("status", ev.IN))
        coming = tuple(who for who in found if state != ev.IN or who not in room.setup.here)
        duos = tuple(tuple(party) for party in parties.values() if len(party) > 1)
        spelled = {who: shown for who, shown in found.items() if who not in room.spelled}
        weights = night.weighing(entries, ids)
        if not coming and not weights and set(duos) <= set(room.setup.duos):
            self._do(tap)
            return
        self._do(tap, ev.Attend(tap.name, coming, state, duos, spelled, weights))
        night.note_weights(weights)

    def _party(self, tap: _Tapped) -> None:
        """Let people stay together, or, where one is named, no longer."""
        wanted = tuple(dict.fromkeys(self._known(tap, str(each)) for each in list(tap.step["who"])[:8]))
        others = tuple(duo for duo in tap.room.setup.duos if not set(duo) & set(wanted))
        self._gather(tap, duos=others if len(wanted) < 2 else (*others, wanted))

    def _settings(self, tap: _Tapped) -> None:
        teams, size = int(tap.step["teams"]), int(tap.step.get("size", 0))
        if not 2 <= teams <= 8 or not 0 <= size <= 64:
            msg = "there are 2 to 8 teams of at most 64"
            raise InputError(msg)
        names = tap.room.setup.names if len(tap.room.setup.names) == teams else ()
        self._gather(tap, teams=teams, size=size or None, names=names)

    def _gather(self, tap: _Tapped, **changes: Any) -> None:
        """Let other rules hold; teams in view are made again by them."""
        game = self._game(tap.name)
        ask = game is not None and game.phase is Phase.PLAYING
        setup = replace(tap.room.setup, **changes)
        self._do(tap, ev.Gather(tap.name, setup, fresh=False, ask=ask))

    # Teams

    def _divide(self, tap: _Tapped) -> None:
        game, played = self._game(tap.name), self._played(tap.name)
        if game is not None and game.phase is not Phase.OVER and game.begun:
            msg = "a game is being played"
            raise InputError(msg)
        if tap.step.get("round") not in (None, len(played) + 1):
            msg = "that round is over"
            raise InputError(msg)
        self._do(tap, ev.Call(tap.name, same=bool(tap.step.get("same", False))))

    def _next(self, tap: _Tapped) -> None:
        game = self._current(tap.name)
        why = self._why(tap.name, game)
        if why is None or len(why.others) < 2:
            msg = "there are no other teams to step to"
            raise InputError(msg)
        at = _place_among(why.others, game.teams)
        following = why.others[0 if at is None else (at + 1) % len(why.others)]
        teams = tuple(map(tuple, following["teams"]))
        self._do(tap, ev.SetTeams(tap.name, teams), teams=teams)

    def _swap(self, tap: _Tapped) -> None:
        self._do(tap, ev.SwapPlayers(tap.name, tap.text("one"), tap.text("other")))

    def _lock(self, tap: _Tapped) -> None:
        """Keep somebody in the team they are in, or let them go; nobody named is everybody."""
        who = (tap.text("who"),) if "who" in tap.step else ()
        self._do(tap, ev.Lock(tap.name, who, on=bool(tap.step.get("on", True))))

    def _sit_out(self, tap: _Tapped) -> None:
        self._do(tap, ev.SitOut(tap.name, tap.text("who")))

    def _exactly(self, tap: _Tapped) -> None:
        teams = tuple(tuple(str(each) for each in team) for team in list(tap.step["teams"])[:8])
        self._do(tap, ev.SetTeams(tap.name, teams))

    def _draft(self, tap: _Tapped) -> None:
        captains = tuple(str(each) for each in tap.step["captains"])
        self._do(tap, ev.Captains(tap.name, captains))

    def _pick(self, tap: _Tapped) -> None:
        game = self._current(tap.name)
        if game.phase is not Phase.DRAFTING:
            msg = "nobody picks now"
            raise InputError(msg)
        captain = game.teams[game.turn][0]
        if tap.by != ORGANISER and tap.page.seats.get(captain) != tap.device:
            msg = f"it is {self._name(captain)}'s turn"
            raise InputError(msg)
        who = "" if tap.by == ORGANISER else captain
        self._do(tap, ev.Pick(who, tap.text("who"), tap.name))

    def _play(self, tap: _Tapped) -> None:
        self._do(tap, ev.Begin(tap.name))

    def _substitute(self, tap: _Tapped) -> None:
        new, spelled = self.kept.evening.one(tap.text("new")), dict[str, str]()
        if not self._status_of(tap.room, new):
            lookup, sure = self._lookup(tap.room), bool(tap.step.get("sure"))
            new, name, _ = self._identified(tap.room, lookup, named(new), sure=sure)
            spelled = {} if new in tap.room.spelled else {new: name}
        leaves = bool(tap.step.get("leaves"))
        self._do(tap, ev.Substitute(tap.name, new, tap.text("old"), spelled, leaves=leaves))

    def _link(self, tap: _Tapped) -> None:
        """Let whoever asked for a code in a chat be somebody on the page.

        A seat does not prove who took it: a guest links a name that nobody has borne yet, the
        organiser, who sees who is there, every name.
        """
        who = self._known(tap, tap.text("who"))
        tap.page.check_answers(who, self._name(who), tap.by, tap.device)
        people = self._everyone()
        played = {player for player, _ in people.standing.games}
        known = played | people.merged.keys() | set(people.merged.values())
        if tap.by != ORGANISER and (who in known or who.startswith(VOUCHED)):
            msg = f"{self._name(who)} has played before: the organiser types your code"
            raise InputError(msg)
        code, record = tap.text("code")[:LONGEST_NAME], {**tap.record, "who": who}
        redeem(self.kept.archive, code, who, tap.record["at"], [record])
        self.kept.catch_up()

    # Roles and maps

    def _roles(self, tap: _Tapped) -> None:
        plays = {str(who): roles for who, roles in dict(tap.step.get("plays") or {}).items()}
        given = tuple(
            (self._known(tap, who), tuple(named(each) for each in list(roles)[:10]))
            for who, roles in plays.items()
        )  # fmt: skip
        needs = tap.step.get("needs")
        counted = None if needs is None else tuple((named(role), int(n)) for role, n in dict(needs).items())
        self._do(tap, ev.SetRoles(tap.name, given, counted))

    def _maps(self, tap: _Tapped) -> None:
        maps = tuple(named(each) for each in list(tap.step["maps"])[:40])
        self._do(tap, ev.Maps(tap.name, maps, str(tap.step.get("how", ev.TURN))))

    def _mine(self, tap: _Tapped) -> str:
        """Return for whom a guest acts, empty for the organiser."""
        mine = "" if tap.by == ORGANISER else tap.page.seated(tap.device)
        if tap.by != ORGANISER and not mine:
            msg = "say who you are first"
            raise InputError(msg)
        return mine

    def _veto(self, tap: _Tapped) -> None:
        self._do(tap, ev.Veto(self._mine(tap), tap.text("map"), tap.name))

    def _vote(self, tap: _Tapped) -> None:
        voter = self._mine(tap) or self._known(tap, tap.text("who"))
        self._do(tap, ev.Vote(voter, tap.text("choice"), tap.name))

    # Results, and what is taken back

    def _result(self, tap: _Tapped) -> None:
        game = self._game(tap.name)
        if game is None or game.phase is not Phase.PLAYING:
            saved = game is not None and game.phase is Phase.OVER
            msg = "this result is saved already" if saved else self.kept.evening.refusal(game)
            raise InputError(msg)
        ranks, scores = _ranks_and_scores(tap.step)
        if len(ranks) != len(game.teams) or len(scores) not in (0, len(ranks)):
            msg = "a result has a number for each team"
            raise InputError(msg)
        at = self.kept.archive.time_of_result(tap.record["at"])
        self._do(tap, ev.Report("", ranks, scores, tap.name, game.id, at))

    def _undo(self, tap: _Tapped) -> None:
        wanted = tap.text("of")
        trail = {str(step.number): step for step in self.kept.evening.trail(tap.name)}
        if wanted not in trail:
            msg = "that is undone already"
            raise InputError(msg)
        who = getattr(trail[wanted].event, "who", "")
        mine = tap.page.seated(tap.device)
        if tap.by != ORGANISER and not (who and who == mine):
            msg = "only the organiser can undo what somebody else did"
            raise InputError(msg)
        undoing = "" if tap.by == ORGANISER else mine
        self._do(tap, ev.Undo(undoing, lobby=tap.name, step=int(wanted)))

    def _redo(self, tap: _Tapped) -> None:
        again = self.kept.evening.taken_back(tap.name)
        if again is None or tap.text("of") != str(again.number):
            msg = "there is nothing to do again"
            raise InputError(msg)
        self._do(tap, ev.Redo(tap.name))

    def _end(self, tap: _Tapped) -> None:
        self._do(tap)

    _STEPS: ClassVar[Mapping[str, Callable[[Any, _Tapped], None]]] = {
        "claim": _claim, "status": _status, "allow": _allow, "deny": _allow, "add": _add, "party": _party,
        "settings": _settings, "divide": _divide, "next": _next, "swap": _swap, "lock": _lock,
        "sitout": _sit_out, "exactly": _exactly, "draft": _draft, "pick": _pick, "play": _play,
        "substitute": _substitute, "roles": _roles, "maps": _maps, "veto": _veto, "vote": _vote,
        "result": _result, "undo": _undo, "redo": _redo, "end": _end, "link": _link,
    }  # fmt: skip

    # Why these teams

    def _everyone(self) -> _KnownPeople:
        archive = self.kept.archive
        revision = archive.revision()
        if self._people is None or self._people.revision != revision:
            if archive.is_behind():
                archive.update_ratings()
                revision = archive.revision()
            self._people = _KnownPeople(revision, archive.standing(), archive.merged())
        return self._people

    def _rated(self, name: str, players: Sequence[str]) -> tuple[list[Player], dict[str, float]]:
        people, lobby = self._everyone(), self.kept.evening.lobbies[name]
        ruleset = self.kept.ruleset(lobby)
        # Two who played beside one another are one by now; the game stays as it was played.
        roots = [people.merged.get(each, each) for each in players]
        here = rated(people.standing, dict.fromkeys(roots), ruleset, people.merged, by_name=False)
        known = dict(zip(dict.fromkeys(roots), here.players, strict=True))
        named = [
            replace(known[root], id=each, name=each, bot=False)
            for each, root in zip(players, roots, strict=True)
        ]
        return named, here.units

    def ratings(self, name: str, players: Sequence[str]) -> dict[str, Any]:
        """Return what is known of players, for pages: skill, points with their band, and games."""
        people, ruleset = self._everyone(), self.kept.ruleset(self.kept.evening.lobbies[name])
        scale = scale_of(people.standing.model, people.standing.state, ruleset)
        games: dict[str, int] = {}
        for (player, of), count in people.standing.games.items():
            if ruleset is None or of == ruleset:
                games[player] = games.get(player, 0) + count
        found = {}
        for player, given in zip(players, self._rated(name, players)[0], strict=True):
            rating = given.rating
            mu, sigma = (rating.mu, rating.sigma) if isinstance(rating, Rating) else (0.0, 0.0)
            low, high = (points(scale.shown(mu + sign * BAND * sigma)) for sign in (-1.0, 1.0))
            found[player] = {
                "mu": mu, "sigma": sigma, "points": points(scale.shown(mu)), "low": low, "high": high,
                "games": games.get(people.merged.get(player, player), 0),
            }  # fmt: skip
        return found

    def _units(self, name: str, teams: Sequence[Sequence[str]]) -> tuple[float, float]:
        """Return the noise of one player, and the skill of one who makes no difference."""
        players, units = self._rated(name, [*chain(*teams)])
        if {"beta", "zero"} <= units.keys():
            return units["beta"], units["zero"]
        keywords: dict[str, Any] = {
            "teams": len(teams), "stop": deadline(0.0), **units_of_teams(units, len(teams))
        }  # fmt: skip
        found = balance(BalanceRequest.of(players, **keywords))
        return found.beta, found.zero

    def _why(self, name: str, game: EveningGame) -> _Why | None:
        """Return what the search for these teams went through; None where nobody sought them."""
        if game.asked is None or game.picks:
            return None
        if game.id not in self._whys:
            arranged = self.kept.arranged
            if arranged is None or arranged.proposal.id != game.id:
                try:
                    arranged = self.kept.arrange(game.asked)
                except InputError:  # somebody was forgotten or renamed since
                    return None
            if game.asked.now is None:
                found = self._sought(name, game, game.asked.setup, arranged)
            else:
                found = self._joined(name, game, arranged)
            self._whys = {**dict(list(self._whys.items())[-MOST_OTHERS:]), game.id: found}
        return self._whys[game.id]

    def _sought(self, name: str, game: EveningGame, setup: Setup, arranged: Arranged) -> _Why:
        """Return what is known of teams that were made again.

        Where they are sought once more after the ratings have changed, those that were found then stay the
        first, and nothing is proven of them.
        """
        solution, proposal, again = arranged.solution, game.found or arranged.proposal, arranged.proposal
        pairs = zip(proposal.chances, again.chances, strict=False)
        same = proposal.teams == again.teams and all(abs(one - other) <= EXACT for one, other in pairs)
        shown = [list(team) for team in proposal.teams]
        others: list[dict[str, Any]] = [{"teams": shown, "chances": list(proposal.chances)}]
        played = {each.parted for each in self._played(name)}
        seen = {frozenset(map(frozenset, shown))} | played
        for split in sorted(solution.splits, key=lambda each: _chance_gap(each.win_probability)):
            teams = [[player.id for player in team] for team in split.teams]
            parted = frozenset(map(frozenset, teams))
            if parted not in seen and len(others) < MOST_OTHERS:
                seen |= {parted}
                others.append({"teams": teams, "chances": list(split.win_probability)})
        first, least = _chance_gap(proposal.chances), self._least_gap(name, setup, [*chain(*shown)])
        if not same:
            proof = "found"
        elif least is None:
            proof = "near" if solution.gap is not None and solution.gap <= NEAR else "found"
        else:
            proof = "proven" if first <= least + SAME else "near" if first <= least + NEAR else "found"
        playing = set(chain(*shown))
        parties = [[p for p in party if p in playing] for party in setup.duos]
        together = [party for party in parties if len(party) > 1]
        locks = [player for player, _ in setup.fixed if player in playing]
        known, last = accounts(self.kept.evening.played(name)), self._played(name)[-1:]
        owed = [p for p in playing if p in known and known[p].out > 0 and last and p in last[0].out]
        why = {
            "together": together,
            "count": 0 if locks or len(shown) != 2 else count_splits(len(playing), together),
            "repeated": arranged.repeated, "out": list(proposal.out), "owed": sorted(owed), "locks": locks,
            "closest": same and least is not None and first <= least + EXACT, "fresh": arranged.fresh,
        }  # fmt: skip
        return _Why(others, proof, why)

    def _least_gap(self, name: str, setup: Setup, playing: Sequence[str]) -> float | None:
        """Return how far from even the most even teams of these players are; None where nobody knows."""
        players, units = self._rated(name, playing)
        units = units_of_teams(units, setup.teams)
        keywords: dict[str, Any] = {**rules(setup, playing), **units, "stop": deadline(SECONDS)}
        placed = placed_players(setup, players)
        found = balance(BalanceRequest.of(placed, objective="win", **keywords))
        return found.best.imbalance if found.status is Status.OPTIMAL else None

    def _joined(self, name: str, game: EveningGame, arranged: Arranged) -> _Why:
        """Return what is known of teams that changed with the people."""
        before = next((s for s in reversed(self.kept.evening.trail(name)) if game.id not in s.games), None)
        old = None if before is None or before.room is None else before.games.get(before.room.game)
        proposal = game.found or arranged.proposal
        came: list[str] = []
        left: list[str] = []
        if old is not None:
            now, then = {*chain(*proposal.teams)}, {*chain(*old.teams)}
            came = sorted(now - then - {*old.out})
            left = sorted(then - now - {*proposal.out, *game.resting})
        others = [{"teams": [list(team) for team in proposal.teams], "chances": list(proposal.chances)}]
        why = {"came": came, "left": left, "moved": list(proposal.moved), "together": []}
        return _Why(others, "found", why)

    # What a page shows

    def _played(self, name: str) -> list[EveningGame]:
        """Return the games of this evening that count."""
        since = self.kept.pages[name].since
        return [each for each in self.kept.evening.ended(name) if (each.ended or 0.0) >= since]

    def _view(self, name: str) -> TonightView:
        page = self.kept.pages[name]
        try:
            body = msgspec.json.encode(self._shown(name, page))
        except InputError:  # what was kept stays kept, and keys that are revoked are
            log.error("an evening that cannot be shown", extra={"evening": name})  # whose error names people
            body = b""
        return TonightView(name, self.kept.revision(name), body, page.keys, page.expires)

    def _phase(self, name: str, game: EveningGame | None) -> str:
        """Return what the evening is at, as pages know it."""
        if self.kept.pages[name].ended:
            return "ended"
        if game is None or game.phase is Phase.DIVIDING:
            return "gathering"
        if game.phase is Phase.OVER:
            return "saved" if game.id in [each.id for each in self._played(name)] else "gathering"
        if game.phase is Phase.DRAFTING:
            return "drafting"
        return "playing" if game.begun else "teams"

    def _shown(self, name: str, page: EveningPage) -> dict[str, Any]:
        evening = self.kept.evening
        room, game, played = evening.rooms[name], self._game(name), self._played(name)
        phase, setup = self._phase(name, game), room.setup
        others = {who: state for who, state in room.states.items() if not who.startswith(ANONYMOUS)}
        statuses = {**dict.fromkeys(setup.here, ev.IN), **others}
        ratings, known = self.ratings(name, list(statuses)), accounts(each.in_ledger for each in played)
        shown = told_apart({who: self._name(who) for who in statuses}, ratings)
        party = {player: n for n, each in enumerate(setup.duos) for player in each}
        people = [
            {
                "id": who, "name": shown[who], "status": ev.MAYBE if status == ev.LATER else status,
                "until": page.until.get(who, "") if status == ev.MAYBE else "",
                "seat": page.seats.get(who, ""), "asked": page.asked.get(who, ""), "party": party.get(who),
                "out": known[who].out if who in known else 0, **ratings[who],
            }
            for who, status in statuses.items()
        ]  # fmt: skip
        last = played[-1] if played else None
        target, again = evening.last_step(name), evening.taken_back(name)
        if target is not None and comes_or_goes(target.event):
            target = None
        drafting = phase == "drafting" and game is not None
        current = game if phase in ("drafting", "teams", "playing", "saved") else None
        return {
            "revision": self.kept.revision(name), "evening": name, "title": page.title, "starts": page.starts,
            "teams": setup.teams, "size": setup.size or 0, "maps": room.lobby.maps,
            "map_by": _map_by(room), "phase": phase,
            "round": len(played) + (phase != "saved"), "people": people,
            "division": None if current is None else self._division(name, room, current),
            "turn": game.turn if drafting and game else None,
            "captains": [team[0] for team in game.teams] if drafting and game else (),
            "unpicked": game.unpicked if drafting and game else (),
            "last": None if last is None else {
                "match": last.id, "teams": last.teams, "chances": last.chances, "ranks": last.ranks,
                "scores": last.scores, "out": last.out, "map": last.map, "changes": self._changes(last.id),
            },
            "undo": None if target is None else self._deed(page, target, shown),
            "redo": None if again is None else self._deed(page, again, shown),
            "steps": [self._deed(page, step, shown) for step in evening.trail(name)[-12:]],
        }  # fmt: skip

    def _changes(self, match: str) -> dict[str, Any] | None:
        """Return what a result changed, None until that is known."""
        if match not in self.kept.changed:
            return None
        rows, of = self.kept.changed[match]
        return {"rows": [each.as_dict() for each in rows], "of": of}

    def _division(self, name: str, room: Room, game: EveningGame) -> dict[str, Any]:
        """Return the teams in view."""
        over = game.phase is Phase.OVER
        why = None if over or game.phase is Phase.DRAFTING else self._why(name, game)
        beta, zero = self._units(name, game.teams)
        playing = [*chain(*game.teams)]
        others = [] if why is None else why.others
        at = _place_among(others, game.teams)
        # Another process may have found others than this one does now.
        stepped = game.parted == frozenset(map(frozenset, self.kept.pages[name].stepped))
        best = [] if not others else others[0]["chances"]
        proof = "captains" if game.picks or game.phase is Phase.DRAFTING else "hand"
        if why is not None:
            proof = _proof_in_view(why.proof, int(stepped) if at is None else at, game.chances, best)
        return {
            "id": game.id, "teams": game.teams,
            "chances": () if game.phase is Phase.DRAFTING else game.chances, "out": game.out,
            "proof": proof, "best": best,
            "hand": bool(game.moved) if proof == "captains" else at is None and not stepped,
            "others": len(others),
            "even": sum(_chance_gap(each["chances"]) <= LEVEL + 1e-12 for each in others), "at": at or 0,
            "locks": [player for player, _ in room.setup.fixed if player in playing],
            "why": {} if why is None else why.why, "ratings": self.ratings(name, playing),
            "beta": beta, "zero": zero, "map": game.map,
            "strike": game.maps if game.phase is Phase.STRIKING else (),
            "ballot": game.lobby.maps if game.phase is Phase.CHOOSING else (),
            "votes": dict(game.votes), "side": self._side(game),
        }  # fmt: skip

    def _side(self, game: EveningGame) -> int | None:
        """Return the team whose turn it is to strike a map."""
        return self.kept.evening.side(game) if game.phase is Phase.STRIKING else None

    def _deed(self, page: EveningPage, step: Step, shown: Mapping[str, str]) -> dict[str, Any]:
        """Return what a step was, for the line that offers to undo it, with people as they are ``shown``."""
        kind, people, status = _deed_of(step)
        names = [shown.get(each) or self._name(each) for each in people]
        who = getattr(step.event, "who", "")
        return {
            "id": str(step.number), "type": kind, "names": names, "status": status,
            "by": "guest" if who else ORGANISER, "device": page.seats.get(who, ""),
            "at": step.at,
        }  # fmt: skip

    def regulars(self, evening: str) -> list[dict[str, str]]:
        """Return those who play here else, the last seen first."""
        people, room = self._everyone(), self.kept.evening.rooms.get(evening)
        here = () if room is None else (*room.setup.here, *room.states)
        standing = people.standing
        lookup = people_of(standing, people.merged, time.time())
        last = dict.fromkeys((people.merged.get(p, p) for p, _ in standing.games if not is_bot(p)), -math.inf)
        for (player, _), numbers in standing.known.names.items():
            root = people.merged.get(player, player)
            if root in last:
                last[root] = max(last[root], float(numbers[LAST]))
        order = sorted((p for p in last if p not in here), key=lambda p: -last[p])[:MOST_REGULARS]
        names = {player: lookup.shown(player)[:LONGEST_NAME] for player in order}
        names |= {player: self._name(player) for player in here}
        shown = names if room is None else told_apart(names, self.ratings(evening, list(names)))
        return [{"id": player, "name": shown[player]} for player in order]


#: What events are called in the texts of a page, and their fields that name people.
DEEDS: Mapping[type, tuple[str, tuple[str, ...]]] = {
    ev.Call: ("divide", ()), ev.SwapPlayers: ("swap", ("one", "other")), ev.Lock: ("lock", ("players",)),
    ev.SitOut: ("sitout", ("player",)), ev.Captains: ("draft", ()), ev.Pick: ("pick", ("player",)),
    ev.Begin: ("play", ()), ev.Report: ("result", ()), ev.Correct: ("result", ()),
    ev.Substitute: ("substitute", ("instead", "player")), ev.Maps: ("maps", ()), ev.Veto: ("veto", ()),
    ev.Vote: ("vote", ("who",)), ev.SetRoles: ("roles", ()), ev.Undo: ("undo", ()),
}  # fmt: skip


def _deed_of(step: Step) -> tuple[str, list[str], str]:
    """Return what a step is called, whom it is about, and which status they got."""
    event = step.event
    if isinstance(event, ev.Attend):
        if len(event.players) == 1 and not event.duos:
            return "status", list(event.players), ev.MAYBE if event.state == ev.LATER else event.state
        return "add", [], ""
    if isinstance(event, ev.Gather):
        before = None if step.room is None else step.room.setup
        if event.fresh or before is None:
            return "divide" if event.ask else "add", [], ""
        if before.duos == event.setup.duos:
            return "settings", [], ""
        return "party", [party[0] for party in event.setup.duos[-1:]], ""
    if isinstance(event, ev.SetTeams):
        game = None if step.room is None else step.games.get(step.room.game)
        stepped = game is not None and game.phase is Phase.PLAYING and game.asked is not None
        return "next" if stepped else "exactly", [], ""
    kind, fields = DEEDS.get(type(event), ("other", ()))
    values = [getattr(event, field) for field in fields]
    people = [each for value in values for each in ((value,) if isinstance(value, str) else value)]
    return kind, [each for each in people if each], ""


def told_apart(names: Mapping[str, str], known: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Return how people are shown: those of one name with their points, and the ends of their ids if need be.

    Examples
    --------
    >>> known = {"a1": {"points": 520}, "b2": {"points": 480}, "c3": {"points": 500}}
    >>> told_apart({"a1": "Max", "b2": "max", "c3": "Zoë"}, known)
    {'a1': 'Max (520)', 'b2': 'max (480)', 'c3': 'Zoë'}
    >>> told_apart({"one-a1": "Max", "one-b2": "Max"}, dict.fromkeys(("one-a1", "one-b2"), {"points": 500}))
    {'one-a1': 'Max (500, …e-a1)', 'one-b2': 'Max (500, …e-b2)'}
    """
    alike = Counter(map(folded, names.values()))
    points_of = {who: f"{known[who]['points']}" for who, name in names.items() if alike[folded(name)] > 1}
    still = Counter((folded(names[who]), each) for who, each in points_of.items())
    for who, each in points_of.items():
        if still[folded(names[who]), each] > 1:
            points_of[who] = f"{each}, …{who[-SHORT_ID:]}"
    return {who: f"{name} ({points_of[who]})" if who in points_of else name for who, name in names.items()}


def _sentence(text: str) -> str:
    """Return a reason as a sentence.

    Examples
    --------
    >>> _sentence("players: 'Ann' is here already")
    "'Ann' is here already."
    >>> _sentence(": 'Max' is the name of several")
    "'Max' is the name of several."
    """
    head, colon, rest = text.partition(": ")
    plain = rest if colon and (head.isalpha() or not head) else text
    return plain[:1].upper() + plain[1:] + ("" if plain.endswith((".", "!", "?")) else ".")


def _map_by(room: Room) -> str:
    """Return how a map is found."""
    return ev.STRIKE if room.lobby.veto else ev.BALLOT if room.lobby.ballot else ev.TURN


def _place_among(others: Sequence[Mapping[str, Any]], teams: Sequence[Sequence[str]]) -> int | None:
    """Return which of several teams these are, None where they are none."""
    wanted = list(map(set, teams))
    return next((n for n, each in enumerate(others) if list(map(set, each["teams"])) == wanted), None)


def _entries(text: str, read: object) -> PastedEntries:
    """Return the names of a paste; a number behind a name is its weight where that is a question."""
    way = read if isinstance(read, str) and read else None
    try:
        return parse_paste(text, "names", way)
    except AmbiguousError as error:
        if way is not None or "name-first" not in error.ways:
            raise
    return parse_paste(text, "names", "name-first")


def named(name: object) -> str:
    r"""Return a name as it is kept: one line of 1 to 40 letters, of which some can be seen.

    Examples
    --------
    >>> named("Ann\u3164  B\u200bob")
    'Ann B ob'
    """
    if not isinstance(name, str):
        msg = "a name must be text"
        raise InputError(msg)
    plain = seen(name)
    if not 0 < len(plain) <= LONGEST_NAME:
        msg = f"a name has 1 to {LONGEST_NAME} letters"
        raise InputError(msg)
    return plain


def _ranks_and_scores(step: Mapping[str, Any]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return ranks and scores of a result that was tapped."""
    scores = tuple(float(each) for each in step.get("scores") or ())
    ranks = tuple(float(each) for each in step.get("ranks") or ())
    if scores and not ranks:
        ranks = ranks_of(scores)
    if not all(map(math.isfinite, (*scores, *ranks))) or not ranks:
        msg = "a result has a winner, or a score for each team"
        raise InputError(msg)
    return ranks, scores


def _chance_gap(chances: Sequence[float]) -> float:
    """Return by how much the furthest team is off its fair share."""
    return max(abs(chance - 1.0 / len(chances)) for chance in chances)


def _proof_in_view(proof: str, at: int, chances: Sequence[float], best: Sequence[float]) -> str:
    """Return how much is known of the teams in view, which may be others than the best ones."""
    if not at or proof not in ("proven", "near"):
        return proof
    more = _chance_gap(chances) - _chance_gap(best)
    if proof == "near":
        return proof if more <= SAME - EXACT else "found"
    return "proven" if more <= EXACT else "near" if more <= NEAR else "found"
