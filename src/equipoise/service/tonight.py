"""Evenings in browsers, kept in an archive: who may do what, what a tap does, and what a page shows of it.

:class:`Evenings` is a worker.  It takes taps, finds the answers that they need, and keeps each as a step in
the archive before it is answered; a tap that comes again changes nothing.  Events that another process has
added are taken in before any other, so that one evening may be in several servers, a chat and a terminal.
An evening itself is in :mod:`equipoise.play.tonight`.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import secrets
import time
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import msgspec
import numpy as np

from equipoise.archive.archive import Archive, NightStep, open_archive
from equipoise.archive.rated_players import people_of, rated, weights_of
from equipoise.archive.standing import LAST
from equipoise.core.clock import deadline
from equipoise.core.match import Contest, Match, Ruleset
from equipoise.core.player import Player, Rating, is_bot
from equipoise.core.rulesets import ruleset_from
from equipoise.core.win_probability import win_probability
from equipoise.errors import ALIKE, AmbiguousError, InputError, nearest
from equipoise.files.pasted_names import Entry, parse_paste
from equipoise.identity.names import folded
from equipoise.identity.roster_lookup import RosterLookup
from equipoise.play.evening_events import Attend, Setup, night_lobby
from equipoise.play.evening_records import NIGHT, TONIGHT
from equipoise.play.ledger import accounts
from equipoise.play.proposals import MEETING, Arranged, arrange, rules
from equipoise.play.tonight import (
    FOR_GOOD,
    IN,
    LONGEST_NAME,
    ORGANISER,
    Step,
    Tonight,
    TonightDivision,
    TonightPhase,
    TonightRecord,
    question,
    refuse,
)
from equipoise.ratings.display_scale import scale_of
from equipoise.ratings.point_changes import point_changes, points
from equipoise.service.kept_evening import KeptEvening
from equipoise.service.night import Night
from equipoise.teams.balance import balance
from equipoise.teams.request import BalanceRequest
from equipoise.teams.solution import Solution, Status

#: Seconds for a search while everybody waits; up to some 20 players the best is proven long before.
SECONDS = 1.0

#: Names of people known from before that a first visit offers, and other teams that can be stepped through.
MOST_REGULARS, MOST_OTHERS = 60, 12

#: How much further from even than the most even teams others may be, in win probability: not at all, to be
#: best (players of like strength count for more than half a point in a hundred), and to be near best.
EXACT, SAME, NEAR = 1e-9, 0.005, 0.01

#: How far from even, in win probability, a chance may be for the bubble to stay within the lines.
LEVEL = 0.025

#: Games below which somebody is new, and standard deviations of the band that most likely has the skill.
SETTLED, BAND = 10, 1.96

#: Letters of which an evening's name in links is made, and how many it may have.
LONGEST_SLUG = 40

#: Syllables of code words.
_CONSONANTS, _VOWELS = "bdfghjklmnprstvz", "aeiou"

#: Characters of a paste.
MOST_TEXT = 10_000

#: What is asked back: which reading of a paste is meant, and whether somebody is one whose name is like it.
PASTE, ALIKE_NAME = "paste", "near"

#: What of a tap is text.
PLAIN = frozenset({"who", "one", "other", "old", "new", "until", "of", "match", "status"})

#: How often taps are worked out again because somebody else was faster.
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
    """Open an evening, or one of that name again, and return its links, which cannot be shown again.

    Raises
    ------
    InputError
        If the name cannot stand in a link.
    """
    if (
        not evening
        or len(evening) > LONGEST_SLUG
        or not set(evening) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    ):
        msg = f"evening must be up to {LONGEST_SLUG} small letters, digits and hyphens, got {evening!r:.60}"
        raise InputError(msg)
    if ruleset:
        ruleset_from(ruleset)
    links = TonightLinks(evening, secrets.token_urlsafe(16), secrets.token_urlsafe(16), code_word())
    step = {
        "type": "open",
        "title": title,
        "starts": starts,
        "expires": time.time() + 3600.0 * hours,
        "keys": _keys_of(links),
        "teams": teams,
        "size": size,
        "ruleset": ruleset,
    }
    archive.add_night_events([_event(evening, step)], None)
    return links


def renewed_links(archive: Archive, evening: str, *, hours: float, revoke: bool = True) -> TonightLinks:
    """Return new links of an evening that goes on, in place of those before or beside them."""
    links = TonightLinks(evening, secrets.token_urlsafe(16), secrets.token_urlsafe(16), code_word())
    step = {
        "type": "keys", "keys": _keys_of(links), "only": revoke, "expires": time.time() + 3600.0 * hours
    }  # fmt: skip
    archive.add_night_events([_event(evening, step)], None)
    return links


def is_going_on(archive: Archive, evening: str) -> bool:
    """Tell whether an evening of this name was opened, and is neither over nor expired."""
    record = TonightRecord()
    for event in archive.night_events():
        if event["kind"] == TONIGHT and event["evening"] == evening:
            with suppress(InputError, KeyError):
                record.take(event)
    return record.state.expires > time.time() and record.state.phase is not TonightPhase.ENDED


def _keys_of(links: TonightLinks) -> dict[str, str]:
    return {
        hashed(links.organiser): "organiser", hashed(links.guests): "guests",
        hashed(plain_code(links.code)): "code",
    }  # fmt: skip


def _event(evening: str, step: Mapping[str, Any]) -> dict[str, Any]:
    made = {"id": secrets.token_hex(8), "by": ORGANISER, "device": "", "at": time.time()}
    return {"kind": TONIGHT, "evening": evening, **made, **step}


class Tap(NamedTuple):
    """What somebody did on a page: plain data with an id of the device's own making."""

    evening: str
    by: str
    device: str
    step: Mapping[str, Any]


class TonightView(NamedTuple):
    """What a page may know of an evening, as JSON, and who may ask for it."""

    evening: str
    revision: int
    body: bytes
    keys: Mapping[str, str]
    expires: float


class TapAnswer(NamedTuple):
    """What became of a tap: ``done``, ``known`` (it had come before) or ``refused``, and why."""

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
        self._records: dict[str, TonightRecord] = {}
        self._known = 0
        self._events: list[Mapping[str, Any]] = []
        self._revision = -1
        self._epoch = 0
        self._people: _KnownPeople | None = None

    def __call__(self, asked: tuple[str, Any] | None) -> Generator[None, None, Any]:
        """Answer ``take`` with taps, and ``look`` with the revisions that are known."""
        yield from ()
        if asked is None:
            return None
        kind, what = asked
        try:
            if kind == "regulars":
                self._follow()
                return self.regulars(what)
            return self._take(what) if kind == "take" else self._look(what)
        except BaseException:  # what is known may be half of a transaction: it is read again
            self._begin_again()
            raise

    def _begin_again(self) -> None:
        self._records, self._known, self._events = {}, 0, []

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
            self._opened = None
        if answer.status != "done":
            msg = f"NAMES: {(answer.more or {}).get('text', answer.why)}"
            raise InputError(msg)

    @property
    def _archive(self) -> Archive:
        if self._opened is None:
            self._opened = open_archive(self._url, create=False, waiting=log.warning)
        return self._opened

    # What is asked

    def _look(self, revisions: Mapping[str, int]) -> list[TonightView]:
        """Return the views of evenings that are newer than what is known; of all where one is ``""``."""
        self._follow()
        return [
            self._view(name, record)
            for name, record in self._records.items()
            if ("" in revisions or name in revisions) and record.revision + self._epoch != revisions.get(name)
        ]

    def _take(self, taps: Sequence[Tap]) -> tuple[list[TapAnswer], list[TonightView]]:
        """Take taps in one transaction; return what became of each, and the evenings as they are now."""
        for _ in range(TRIES):
            self._follow()
            self._weigh(taps)
            self._everyone()
            resulting = {tap.evening for tap in taps if tap.step.get("type") in ("result", "undo", "redo")}
            before = self._tables(resulting)
            done = [(tap, *self._tapped(tap)) for tap in taps]
            kept = [each for _, each, _ in done if each is not None]
            try:
                if kept:
                    self._known = self._archive.take_night_steps(self._known, partial(_unless_newer, kept))
                    self._events += [event for event, _, _ in kept]
                break
            except _NewerError:  # what was found was of another state: from the record, once more
                self._begin_again()
        else:
            msg = "too much is being done elsewhere; ask again"
            raise InputError(msg)
        settled = [
            (tap.evening, each[2] or str(each[1] and each[1].id))
            for tap, each, _ in done
            if each is not None and (each[1] is not None or each[2] is not None)
        ]
        if settled:
            self._settle(settled, before)
        changed = {tap.evening for tap in taps} & self._records.keys()
        return [answer for *_, answer in done], [self._view(name, self._records[name]) for name in changed]

    def _follow(self) -> None:
        """Take in what others have added, and the whole where somebody was forgotten or renamed."""
        revision = self._archive.revision()
        if revision != self._revision:
            events = [each for each in self._archive.night_events() if each["kind"] == TONIGHT]
            if events[: len(self._events)] != self._events:
                self._begin_again()
                self._epoch += 1
            self._revision = revision
        newer = self._archive.night_events_since(self._known)
        self._take_in(newer)
        self._known += len(newer)

    def _take_in(self, events: Iterable[Mapping[str, Any]]) -> None:
        for event in events:
            if event["kind"] == TONIGHT:
                self._events.append(event)
                record = self._records.setdefault(event["evening"], TonightRecord())
                try:
                    record.take(event)
                except (InputError, KeyError) as error:
                    log.warning("a step of an evening was left out", extra={"why": str(error)})

    # One tap

    def _tapped(self, tap: Tap) -> tuple[NightStep | None, TapAnswer]:
        """Return what is to be kept of a tap, and its answer."""
        record = self._records.get(tap.evening)
        given = str(tap.step.get("id", ""))
        if record is None:
            return None, TapAnswer(given, "refused", "There is no such evening.")
        step_id = hashed(f"{tap.device} {given}")[:16]
        if step_id in record.ids:
            return None, TapAnswer(given, "known")
        try:
            step = self._completed(record, {**tap.step, "id": step_id}, tap)
            asked = question(record.state, step)
            if asked is not None:
                step["answer"] = self._answer(record.state, asked)
            step = json.loads(json.dumps(step))  # as it is read again
            before = record.state
            match = self._match(before, step) if step["type"] == "result" else None
            record.take(step)
            if match is None:
                match = self._redone(record, step)
        except _QuestionError as error:
            return None, TapAnswer(given, "asked", error.why, error.more)
        except InputError as error:
            return None, TapAnswer(given, "refused", error.problem.removeprefix("players: "))
        except (KeyError, TypeError, ValueError) as error:
            log.info("a tap that cannot be read", extra={"why": repr(error)})
            return None, TapAnswer(given, "refused", "This tap cannot be read.")
        return (step, match, self._undone(record, step)), TapAnswer(given, "done")

    def _completed(self, record: TonightRecord, step: Mapping[str, Any], tap: Tap) -> dict[str, Any]:
        """Return a step with all that the service adds to a tap; what it does not know is left out."""
        kind = step.get("type")
        full = {
            "kind": TONIGHT,
            "evening": tap.evening,
            "id": step["id"],
            "type": kind,
            "by": tap.by,
            "device": tap.device,
            "at": max(time.time(), record.steps[-1]["at"] if record.steps else 0.0),
        }
        if kind in FOR_GOOD - {"undo", "redo"}:
            msg = "A tap cannot do that."
            raise refuse(msg)
        for name in PLAIN & step.keys() if kind != "party" else ():
            if not isinstance(step[name], str):
                msg = f"{name} must be text."
                raise refuse(msg)
            full[name] = step[name]
        full |= {name: step[name] for name in ("round", "on", "leaves") if name in step}
        if kind == "claim":
            self._claimed(record, full, step)
        elif kind == "add":
            self._added(record, full, str(step.get("text", ""))[:MOST_TEXT], step.get("read"))
        elif kind == "substitute":
            self._coming(record, full, step)
        elif kind == "result":
            full |= _result(step)
            full["at"] = max(full["at"], self._archive.last_ended())
        return full | _lists_of(kind, step)

    def _lookup(self, record: TonightRecord) -> RosterLookup:
        people = self._everyone()
        spelled = {who: each.name for who, each in record.state.people.items()}
        return people_of(people.standing, people.merged, time.time(), spelled)

    def _claimed(self, record: TonightRecord, full: dict[str, Any], step: Mapping[str, Any]) -> None:
        """Say who is meant by a name that somebody takes, or ask."""
        lookup, who = self._lookup(record), step.get("who")
        if isinstance(who, str) and (who in record.state.people or who in lookup.ids):
            shown = record.state.people[who].name if who in record.state.people else lookup.shown(who)
            full |= {"who": who, "name": shown[:LONGEST_NAME], "regular": who in lookup.ids}
            return
        name = _named(step.get("name", who or ""))
        full |= self._identified(record, lookup, name, sure=bool(step.get("sure")))

    def _identified(
        self, record: TonightRecord, lookup: RosterLookup, name: str, *, sure: bool
    ) -> dict[str, Any]:
        """Return who bears a name: somebody known, or somebody new where no name is like it or it is sure."""
        known = lookup.id_of(name)
        if known is not None:
            if known in record.state.people:
                return {"who": known, "name": record.state.people[known].name, "regular": True}
            return {"who": known, "name": lookup.shown(known)[:LONGEST_NAME], "regular": True}
        names = lookup.names()
        near = nearest(folded(name), names, ALIKE)
        if near is not None and not sure:
            other = names[near]
            raise _QuestionError(ALIKE_NAME, {"name": name, "who": other, "known": lookup.shown(other)})
        return {"who": name, "name": name, "regular": False}

    def _added(self, record: TonightRecord, full: dict[str, Any], text: str, read: object) -> None:
        """Say who is meant by names that the organiser typed or pasted."""
        try:
            entries = _entries(text, read)
        except AmbiguousError as error:
            ways = {way: reading[0] for way, reading in error.ways.items()}
            more = {"text": str(error), "ways": ways, "paste": text}
            raise _QuestionError(PASTE, more) from None
        lookup = self._lookup(record)
        people, parties = [], dict[str, list[str]]()
        for entry in entries:
            name = _named(entry.name)
            found = self._identified(record, lookup, name, sure=True)
            people.append({"id": found["who"], "name": found["name"], "status": IN})
            if entry.party is not None:
                parties.setdefault(entry.party, []).append(found["who"])
        if not people:
            msg = "There are no names in it."
            raise refuse(msg)
        full |= {"people": people, "parties": [party for party in parties.values() if len(party) > 1]}

    def _weigh(self, taps: Sequence[Tap]) -> None:
        """Keep the starting weights of names that the organiser adds, before these are there."""
        for tap in taps:
            record, text = self._records.get(tap.evening), tap.step.get("text")
            if (
                tap.step.get("type") != "add"
                or tap.by != ORGANISER
                or record is None
                or not isinstance(text, str)
            ):
                continue
            try:
                entries = _entries(text[:MOST_TEXT], tap.step.get("read"))
                self._everyone()
                lookup = self._lookup(record)
                ids = {each.name: lookup.id_of(each.name) or each.name for each in entries}
            except InputError:  # the tap is refused with the reason
                continue
            if any(each.weight is not None for each in entries):
                kept = KeptEvening(self._archive, [night_lobby(NIGHT)])
                night = Night(self._archive, kept, NIGHT, warn=log.info)
                weights, shown = night.weighing(entries, ids), night.spellings(ids)
                if weights:
                    spelled = {player: shown[player] for player in weights}
                    kept.take(Attend(NIGHT, (), spelled=spelled, weights=weights))
                    night.note_weights(weights)
                self._follow()

    def _coming(self, record: TonightRecord, full: dict[str, Any], step: Mapping[str, Any]) -> None:
        """Say who comes in for somebody: one who is there, or, by name, one who was not."""
        if step["new"] not in record.state.people:
            lookup = self._lookup(record)
            found = self._identified(record, lookup, _named(step["new"]), sure=bool(step.get("sure")))
            full["new"] = found["who"]
            if found["who"] not in record.state.people:
                msg = f"{found['name']} is not here yet; add the name first."
                raise refuse(msg)

    # Answers

    def _everyone(self) -> _KnownPeople:
        revision = self._archive.revision()
        if self._people is None or self._people.revision != revision:
            if self._archive.is_behind():
                self._archive.update_ratings()
                revision = self._archive.revision()
            self._people = _KnownPeople(revision, self._archive.standing(), self._archive.merged())
        return self._people

    def _rated(self, state: Tonight, players: Sequence[str]) -> tuple[list[Player], dict[str, float]]:
        people = self._everyone()
        ruleset = ruleset_from(state.ruleset) if state.ruleset else None
        here = rated(people.standing, players, ruleset, people.merged, by_name=False)
        named = [
            replace(player, id=each, name=each, bot=False)
            for each, player in zip(players, here.players, strict=True)
        ]
        return named, here.units

    def ratings(self, state: Tonight, players: Sequence[str]) -> dict[str, Any]:
        """Return what is known of players, for pages: skill, points with their band, and games."""
        people = self._everyone()
        ruleset = ruleset_from(state.ruleset) if state.ruleset else None
        scale = scale_of(people.standing.model, people.standing.state, ruleset or Ruleset())
        games: dict[str, int] = {}
        for (player, of), count in people.standing.games.items():
            if ruleset is None or of == ruleset:
                games[player] = games.get(player, 0) + count
        found = {}
        for player, given in zip(players, self._rated(state, players)[0], strict=True):
            rating = given.rating
            mu, sigma = (rating.mu, rating.sigma) if isinstance(rating, Rating) else (0.0, 0.0)
            low, high = (points(scale.shown(mu + sign * BAND * sigma)) for sign in (-1.0, 1.0))
            found[player] = {
                "mu": mu,
                "sigma": sigma,
                "points": points(scale.shown(mu)),
                "low": low,
                "high": high,
                "games": games.get(people.merged.get(player, player), 0),
            }
        return found

    def _answer(self, state: Tonight, asked: Mapping[str, Any]) -> dict[str, Any] | None:
        if asked["ask"] == "judge":
            return self._judged(state, asked["teams"])
        if asked["ask"] == "join":
            return self._joined(state, asked["here"])
        if asked["fixed"]:
            return self._divided_around(state, asked["here"], asked["fixed"])
        setup = self._setup(state, asked["here"])
        arranged = arrange(
            state.games,
            setup,
            lambda players: self._rated(state, players),
            f"night-{secrets.token_hex(8)}",
            seen=state.seen,
            stop=deadline(SECONDS),
            vary=MEETING,
        )
        return self._as_answer(state, arranged)

    def _setup(self, state: Tonight, here: Sequence[str]) -> Setup:
        return Setup(tuple(here), state.parties, state.apart, state.teams, state.size or None)

    def _as_answer(self, state: Tonight, arranged: Arranged) -> dict[str, Any]:
        solution, proposal = arranged.solution, arranged.proposal
        found = [[[p.id for p in team] for team in split.teams] for split in solution.splits]
        chances = [list(split.win_probability) for split in solution.splits]
        shown = [list(team) for team in proposal.teams]
        first = _chance_gap(proposal.chances)
        others = [{"teams": shown, "chances": list(proposal.chances)}]
        seen = {frozenset(map(frozenset, shown))} | state.seen
        for teams, chance in sorted(zip(found, chances, strict=True), key=lambda each: _chance_gap(each[1])):
            parted = frozenset(map(frozenset, teams))
            if parted not in seen and len(others) < MOST_OTHERS:
                seen |= {parted}
                others.append({"teams": teams, "chances": chance})
        least = self._least_gap(state, [*chain(*shown)])
        if least is None:
            proof = "near" if solution.gap is not None and solution.gap <= NEAR else "found"
        else:
            proof = "proven" if first <= least + SAME else "near" if first <= least + NEAR else "found"
        return self._answered(
            state,
            proposal.id,
            shown,
            proposal.chances,
            solution,
            proof=proof,
            others=others,
            out=proposal.out,
            why={
                **self._why(state, shown, proposal.out, repeated=arranged.repeated),
                "closest": least is not None and first <= least + EXACT,
                "fresh": arranged.fresh,
            },
        )

    def _least_gap(self, state: Tonight, playing: Sequence[str]) -> float | None:
        """Return how far from even the most even teams of these players are; None where nobody knows."""
        players, units = self._rated(state, playing)
        setup = self._setup(state, playing)
        keywords: dict[str, Any] = {**rules(setup, playing), **units, "stop": deadline(SECONDS)}
        found = balance(BalanceRequest.of(players, objective="win", **keywords))
        return found.best.imbalance if found.status is Status.OPTIMAL else None

    def _answered(
        self,
        state: Tonight,
        match: str,
        teams: Sequence[Sequence[str]],
        chances: Sequence[float],
        solution: Solution,
        **more: Any,
    ) -> dict[str, Any]:
        playing = [*chain(*teams)]
        return {
            "id": match,
            "teams": [list(team) for team in teams],
            "chances": list(chances),
            "beta": solution.beta,
            "zero": solution.zero,
            "ratings": self.ratings(state, playing),
            **more,
        }

    def _why(
        self, state: Tonight, teams: Sequence[Sequence[str]], out: Sequence[str], *, repeated: bool
    ) -> dict[str, Any]:
        playing = set(chain(*teams))
        parties = [[p for p in party if p in playing] for party in state.parties]
        together = [party for party in parties if len(party) > 1]
        known = accounts(state.games)
        owed = [player for player in playing if player in known and known[player].out > 0]
        return {
            "together": together,
            "count": _count(len(playing), together, len(teams)),
            "repeated": repeated,
            "out": list(out),
            "owed": [p for p in owed if state.results and p in state.results[-1].game.out],
        }

    def _divided_around(
        self, state: Tonight, here: Sequence[str], fixed: Mapping[str, int]
    ) -> dict[str, Any]:
        """Return teams in which some stay where they are; who sits out still does, as far as may be."""
        division = state.division
        out = [] if division is None else [p for p in division.out if p in here and p not in fixed]
        playing = [player for player in here if player not in out]
        seats = state.size * state.teams if state.size else len(playing)
        playing, out = playing[:seats], [*playing[seats:], *out]
        players, units = self._rated(state, playing)
        keywords: dict[str, Any] = {
            **units,
            "teams": state.teams,
            "fixed": dict(fixed),
            "keep": MOST_OTHERS,
            "stop": deadline(SECONDS),
            "parties": [duo for party in state.parties if len(duo := [p for p in party if p in playing]) > 1],
            "apart": [pair for pair in state.apart if set(pair) <= set(playing)],
        }
        solution = balance(BalanceRequest.of(players, **keywords))
        if not solution.splits:
            msg = f"These rules cannot all hold: {solution.reason}"
            raise refuse(msg)
        others: list[dict[str, Any]] = [
            {"teams": [[p.id for p in team] for team in split.teams], "chances": list(split.win_probability)}
            for split in solution.splits
        ]
        best = solution.splits[0]
        gap = _chance_gap(best.win_probability)
        why = {**self._why(state, others[0]["teams"], out, repeated=False), "locks": list(fixed), "count": 0}
        return self._answered(
            state,
            f"night-{secrets.token_hex(8)}",
            others[0]["teams"],
            best.win_probability,
            solution,
            proof=_proof(solution, gap, gap),
            others=others,
            out=out,
            why=why,
        )

    def _joined(self, state: Tonight, here: Sequence[str]) -> dict[str, Any]:
        """Return the current teams with who came, and without who left, changed as little as possible."""
        division = state.division
        assert division is not None  # noqa: S101 -- as the question says
        of = {"of": division.id}
        if len(here) < state.teams:
            return {**of, "none": True}
        now = {player: n for n, team in enumerate(division.teams) for player in team if player in here}
        match = f"night-{secrets.token_hex(8)}"
        arranged = arrange(
            state.games,
            self._setup(state, here),
            lambda players: self._rated(state, players),
            match,
            now=now,
            still=True,
            stop=deadline(SECONDS),
        )
        came = [p for p in here if p not in set(chain(*division.teams, division.out))]
        left = [p for p in chain(*division.teams) if p not in here]
        why = {"came": came, "left": left, "moved": list(arranged.proposal.moved), "together": []}
        teams, chances = arranged.proposal.teams, arranged.proposal.chances
        others = [{"teams": [list(team) for team in teams], "chances": list(chances)}]
        return of | self._answered(
            state,
            match,
            teams,
            chances,
            arranged.solution,
            proof="found",
            others=others,
            out=arranged.proposal.out,
            why=why,
        )

    def _judged(self, state: Tonight, teams: Sequence[Sequence[str]]) -> dict[str, Any]:
        """Return the chances of given teams."""
        playing = [*chain(*teams)]
        if len(set(playing)) < len(playing) or not set(playing) <= state.people.keys() or not all(teams):
            msg = "These teams name people who are not here."
            raise refuse(msg)
        players, units = self._rated(state, playing)
        keywords: dict[str, Any] = {**units, "teams": len(teams), "stop": deadline(0.0)}
        found = balance(BalanceRequest.of(players, **keywords))
        ratings = self.ratings(state, playing)
        rows = [
            [[ratings[each]["mu"] for each in team], [ratings[each]["sigma"] ** 2 for each in team], team]
            for team in teams
        ]
        mu, variance = (np.array([[math.fsum(row[n]) for row in rows]]) for n in (0, 1))
        count = np.array([[float(len(team)) for team in teams]])
        chances = win_probability(mu, variance, count, found.beta, found.zero)[0].tolist()
        return {
            "id": f"night-{secrets.token_hex(8)}",
            "chances": chances,
            "ratings": ratings,
            "beta": found.beta,
            "zero": found.zero,
        }

    # Results

    def _match(self, state: Tonight, step: Step) -> Match | None:
        """Return the match of a result."""
        division = state.division
        if division is None:
            return None
        ruleset = ruleset_from(state.ruleset) if state.ruleset else Ruleset()
        parties = [
            duo
            for party in state.parties
            for team in division.teams
            if len(duo := [each for each in party if each in team]) > 1
        ]
        contest = Contest(
            ruleset,
            division.teams,
            step["ranks"],
            at=step["at"],
            scores=step.get("scores", ()),
            parties=parties,
        )
        names = tuple((player, state.people[player].name) for player in chain(*division.teams))
        return Match((contest,), ended=step["at"], id=division.id, names=names, picks=division.picks)

    def _undone(self, record: TonightRecord, step: Step) -> str | None:
        """Return the match that an undo takes back."""
        wanted = record.step(step["of"]) if step["type"] == "undo" else None
        return wanted["match"] if wanted is not None and wanted["type"] == "result" else None

    def _redone(self, record: TonightRecord, step: Step) -> Match | None:
        """Return the match that a redo lets count again."""
        wanted = record.step(step["of"]) if step["type"] == "redo" else None
        if wanted is None or wanted["type"] != "result":
            return None
        return self._match(replace(record.state, phase=TonightPhase.PLAYING), wanted)

    def _tables(self, evenings: Iterable[str]) -> dict[str, dict[str, float]]:
        """Return what everybody of the table weighs, in what each evening plays."""
        return {name: self._table(self._records[name].state) for name in evenings if name in self._records}

    def _table(self, state: Tonight) -> dict[str, float]:
        people = self._everyone()
        ruleset = ruleset_from(state.ruleset) if state.ruleset else None
        played = {player for player, of in people.standing.games if ruleset is None or of == ruleset}
        everyone = dict.fromkeys([*state.people, *sorted(played)])
        return weights_of(people.standing, everyone, ruleset, people.merged)

    def _settle(self, settled: Sequence[tuple[str, str]], before: Mapping[str, Mapping[str, float]]) -> None:
        """Learn from results, and keep what they changed."""
        self._archive.update_ratings()
        for name, match in settled:
            record = self._records[name]
            result = next((each for each in record.state.results if each.match == match), None)
            if result is None:
                continue
            after = self._table(record.state)
            was = {**after, **before.get(name, {})}
            rows = [each.as_dict() for each in point_changes(chain(*result.game.teams), was, after)]
            step = _event(name, {"type": "changed", "match": match, "rows": rows, "of": len(after)})
            self._follow()
            self._known = self._archive.take_night_steps(
                self._known, partial(_unless_newer, [(step, None, None)])
            )
            self._take_in([step])

    # What a page shows

    def _view(self, name: str, record: TonightRecord) -> TonightView:
        state = record.state
        body = msgspec.json.encode(self._shown(name, record))
        return TonightView(name, record.revision + self._epoch, body, state.keys, state.expires)

    def _shown(self, name: str, record: TonightRecord) -> dict[str, Any]:
        state, division = record.state, record.state.division
        ratings = self.ratings(state, list(state.people))
        known = accounts(state.games)
        party = {player: n for n, each in enumerate(state.parties) for player in each}
        people = [
            {
                "id": who,
                "name": each.name,
                "status": each.status,
                "until": each.until,
                "seat": each.seat,
                "asked": each.asked,
                "party": party.get(who),
                "out": known[who].out if who in known else 0,
                **{key: ratings[who][key] for key in ("points", "low", "high", "games", "mu", "sigma")},
            }
            for who, each in state.people.items()
        ]
        target, again = record.target("", ORGANISER), record.again
        last = state.results[-1] if state.results else None
        return {
            "revision": record.revision + self._epoch,
            "evening": name,
            "title": state.title,
            "starts": state.starts,
            "teams": state.teams,
            "size": state.size,
            "phase": state.phase,
            "round": state.round,
            "people": people,
            "division": None if division is None else _division_shown(state, record),
            "turn": state.turn,
            "captains": state.captains,
            "unpicked": state.unpicked if state.captains else (),
            "last": None
            if last is None
            else {
                "match": last.match,
                "teams": last.game.teams,
                "chances": last.game.chances,
                "ranks": last.game.ranks,
                "scores": last.scores,
                "out": last.game.out,
                "changes": state.changes.get(last.match),
            },
            "undo": None if target is None else self._deed(state, target),
            "redo": None if again is None else self._deed(state, again),
            "steps": [
                self._deed(state, step)
                for step in record.steps[-12:]
                if step["type"] not in ("changed", "open", "keys", "undo", "redo")
                and step["id"] not in record.undone
            ],
        }

    @staticmethod
    def _deed(state: Tonight, step: Step) -> dict[str, Any]:
        """Return what a step was, for the line that offers to undo it."""
        names = [
            state.people[each].name
            for key in ("who", "one", "other", "old", "new")
            if isinstance(each := step.get(key), str) and each in state.people
        ]
        return {
            "id": step["id"],
            "type": step["type"],
            "names": names,
            "status": step.get("status", ""),
            "by": step["by"],
            "device": step.get("device", ""),
            "at": step["at"],
        }

    def regulars(self, evening: str) -> list[dict[str, str]]:
        """Return those who play here else, the last seen first."""
        people, record = self._everyone(), self._records.get(evening)
        here = record.state.people if record is not None else {}
        standing = people.standing
        lookup = people_of(standing, people.merged, time.time())
        last = dict.fromkeys((people.merged.get(p, p) for p, _ in standing.games if not is_bot(p)), -math.inf)
        for (player, _), numbers in standing.known.names.items():
            root = people.merged.get(player, player)
            if root in last:
                last[root] = max(last[root], float(numbers[LAST]))
        order = sorted((p for p in last if p not in here), key=lambda p: -last[p])[:MOST_REGULARS]
        return [{"id": player, "name": lookup.shown(player)[:LONGEST_NAME]} for player in order]


class _NewerError(Exception):
    """Somebody else has added something meanwhile."""


def _unless_newer(kept: Sequence[NightStep], newer: Sequence[Mapping[str, Any]]) -> Sequence[NightStep]:
    """Return what is to be kept, unless there is something newer."""
    if newer:
        raise _NewerError
    return kept


class _QuestionError(Exception):
    """A tap that needs one more answer of who tapped."""

    def __init__(self, why: str, more: Mapping[str, Any]) -> None:
        self.why, self.more = why, more
        super().__init__(why)


def _entries(text: str, read: object) -> Sequence[Entry]:
    """Return the names of a paste; a number behind a name is its weight where that is a question."""
    way = read if isinstance(read, str) and read else None
    try:
        return parse_paste(text, "names", way)
    except AmbiguousError as error:
        if way is not None or "name-first" not in error.ways:
            raise
    return parse_paste(text, "names", "name-first")


def _named(name: object) -> str:
    """Return a name as it is kept: one line of 1 to 40 letters."""
    if not isinstance(name, str):
        msg = "A name must be text."
        raise refuse(msg)
    plain = " ".join("".join(sign if sign.isprintable() else " " for sign in name).split())
    if not 0 < len(plain) <= LONGEST_NAME:
        msg = f"A name has 1 to {LONGEST_NAME} letters."
        raise refuse(msg)
    return plain


def _lists_of(kind: object, step: Mapping[str, Any]) -> dict[str, Any]:
    """Return the lists and numbers of a tap, as they are kept."""
    if kind == "party":
        return {"who": [str(each) for each in step["who"]][:8]}
    if kind == "exactly":
        return {"teams": [[str(each) for each in team] for team in step["teams"]][:8]}
    if kind == "settings":
        return {"teams": int(step["teams"]), "size": int(step.get("size", 0))}
    return {"captains": [str(each) for each in step["captains"]]} if kind == "draft" else {}


def _result(step: Mapping[str, Any]) -> dict[str, Any]:
    """Return ranks and scores of a result that was tapped."""
    scores = [float(each) for each in step.get("scores") or ()]
    ranks = [float(each) for each in step.get("ranks") or ()]
    if scores and not ranks:
        ranks = [1.0 + sum(other > score for other in scores) for score in scores]
    if not all(map(math.isfinite, [*scores, *ranks])) or not ranks:
        msg = "A result has a winner, or a score for each team."
        raise refuse(msg)
    return {"ranks": ranks, "scores": scores}


def _chance_gap(chances: Sequence[float]) -> float:
    """Return by how much the furthest team is off its fair share."""
    return max(abs(chance - 1.0 / len(chances)) for chance in chances)


def _proof(solution: Solution, gap: float, least: float) -> str:
    """Return how much is known of teams: proven best, near best, or only found."""
    if solution.status is Status.OPTIMAL and gap <= least + 1e-9:
        return "proven"
    return "near" if solution.bound is not None and (solution.gap or 0.0) <= NEAR else "found"


def _count(players: int, together: Sequence[Sequence[str]], teams: int) -> int:
    """Return how many ways make two teams whose sizes differ by one at most; 0 where that is not counted."""
    if teams != 2:
        return 0
    blocks = [len(party) for party in together]
    blocks += [1] * (players - sum(blocks))
    ways = [1] + [0] * players
    for size in blocks:
        for total in range(players, size - 1, -1):
            ways[total] += ways[total - size]
    return ways[players // 2] // (1 if players % 2 else 2)


def _proof_in_view(division: TonightDivision) -> str:
    """Return how much is known of the teams in view, which may be others than the best ones."""
    if not division.at or division.proof not in ("proven", "near"):
        return division.proof
    more = _chance_gap(division.chances) - _chance_gap(division.best)
    return (
        division.proof
        if more <= SAME - EXACT and division.proof == "near"
        else ("proven" if more <= EXACT else "near" if more <= NEAR else "found")
    )


def _division_shown(state: Tonight, record: TonightRecord) -> dict[str, Any]:
    division = state.division
    assert division is not None  # noqa: S101 -- as it is called
    even = [each for each in division.others if _chance_gap(each["chances"]) <= LEVEL + 1e-12]
    names = sorted(set(chain(*division.teams, division.out)))
    del names, record
    return {
        "id": division.id,
        "teams": division.teams,
        "chances": division.chances,
        "out": division.out,
        "proof": _proof_in_view(division),
        "best": division.best,
        "hand": division.by_hand,
        "others": len(division.others),
        "even": len(even),
        "at": division.at,
        "locks": division.locks,
        "why": division.why,
        "ratings": division.ratings,
        "beta": division.beta,
        "zero": division.zero,
    }
