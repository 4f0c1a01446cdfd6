"""The workers that write and read the archive for the service.

What :class:`Keeping` has answered survives a crash; :class:`Reading` gives matches and histories.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from typing import Any, NamedTuple

import msgspec

from equipoise.archive.archive import Archive, open_archive
from equipoise.archive.outbox import OutboxNote
from equipoise.archive.rated_players import people_of
from equipoise.archive.shards import KEPT
from equipoise.core.dates import unlikely
from equipoise.core.match import Match, Ruleset, moved
from equipoise.errors import EquipoiseError, InputError
from equipoise.identity.roster_lookup import MOST_LISTED, AmbiguousNameError
from equipoise.ratings.display_scale import scale_of
from equipoise.service import exported_site
from equipoise.service.snapshot import nearest

log = logging.getLogger(__name__)


#: What became of a question: it was news, it was known, another is kept under its id, there is no such one.
NEW, KNOWN, OTHER, MISSING = "new", "known", "other", "missing"


class ReportedGame(NamedTuple):
    """A match to be kept; ``timed`` tells whether its end was given, or is the moment at which it came."""

    match: Match
    timed: bool

    @property
    def id(self) -> str:
        """Its id."""
        return self.match.id


class UndoneGame(NamedTuple):
    """A match that is not to count, or (``back``) is to count again."""

    id: str
    back: bool = False


class MergedPlayers(NamedTuple):
    """Two ids that are one person, or (``back``) no longer."""

    player: str
    other: str
    back: bool = False

    @property
    def id(self) -> str:
        """The one under which both count."""
        return self.player


class ForgottenPlayer(NamedTuple):
    """Somebody to be taken out of all that is kept."""

    id: str


class AuditStep(NamedTuple):
    """What an admin does, for the audit log."""

    whose: str
    what: str
    asked: str
    outcome: str

    @property
    def id(self) -> str:
        """What was asked for."""
        return self.what


class LoneNote(NamedTuple):
    """Something to tell webhooks that changes nothing in the archive."""

    note: OutboxNote

    @property
    def id(self) -> str:
        """Its id."""
        return self.note.id


#: What is kept.
Kept = Match | ReportedGame | UndoneGame | MergedPlayers | ForgottenPlayer | AuditStep | LoneNote


class Keeping:
    """Keeps games in an archive that exists; learning from them is not its business.

    Parameters
    ----------
    url : str
        The archive.
    seconds : float
        How long to wait for another process that writes it.
    hooks : mapping
        The webhooks that receive each kind of event.
    """

    def __init__(self, url: str, seconds: float, hooks: Mapping[str, Sequence[str]] | None = None) -> None:
        self._url = url
        self._seconds = seconds
        self._hooks = hooks or {}
        self._is_file = url.startswith("sqlite:")
        self._opened: Archive | None = None

    def __call__(self, question: Kept | None) -> Generator[None, None, bool | str]:
        """Keep a game, or take one back; return whether that was new, of a report one of the outcomes.

        Of None only that this process is ready: it has opened the archive then, which takes longer than to
        keep a result, unless that is away.
        """
        yield from ()
        if question is None:
            with suppress(EquipoiseError), self._archive() as archive:
                archive.is_behind()
            return False
        match = question.match if isinstance(question, ReportedGame) else question
        if isinstance(match, Match) and (wrong := unlikely(match.ended or 0.0, time.time())):
            msg = f": {wrong}"
            raise InputError(msg, "ended")
        with self._archive() as archive:
            if isinstance(question, MergedPlayers):
                from equipoise.service import merging  # nothing else needs evenings

                with exported_site.corrected(archive, log.info):
                    if question.back:
                        archive.merge(question.player, question.other, back=True)
                    else:
                        merging.merge(archive, question.player, question.other)
                return NEW
            if isinstance(question, ForgottenPlayer):
                from equipoise.service import forgetting  # nothing else needs evenings

                with exported_site.corrected(archive, log.info):
                    return forgetting.forget(archive, question.id)
            if isinstance(question, AuditStep):
                archive.audit_log.add(time.time(), *question)
                return NEW
            if isinstance(question, LoneNote):
                archive.outbox.put(self._hooks, [question.note], time.time())
                return NEW
            if isinstance(question, Match):
                new = archive.record([question], self._hooks, time.time()).new > 0
                if new:
                    archive.tell(KEPT)
                    _warn(archive, question)
                return new
            outcome = (
                _reported(archive, question, self._hooks)
                if isinstance(question, ReportedGame)
                else _undone(archive, question)
            )
            if outcome == NEW:
                archive.tell(KEPT)
            return outcome

    @contextmanager
    def _archive(self) -> Iterator[Archive]:
        """Give the archive, and close its file again, which may be replaced; a server stays connected."""
        archive = self._opened or open_archive(
            self._url, create=False, timeout=self._seconds, waiting=log.warning
        )
        self._opened = None
        try:
            yield archive
        except BaseException:
            archive.close()
            raise
        if self._is_file:
            archive.close()
        self._opened = archive


def _reported(archive: Archive, report: ReportedGame, hooks: Mapping[str, Sequence[str]]) -> str:
    """Keep a match that is reported; return what became of it."""
    match = report.match
    recorded = archive.record([match], hooks, time.time())
    if recorded.new:
        _warn(archive, match)
        return NEW
    if recorded.conflicts and not report.timed:  # the same match may have been reported at another moment
        kept = archive.listed_match(match.id)
        if kept is not None:
            recorded = archive.record([moved(match, kept.match.ended or 0.0)])
    return OTHER if recorded.conflicts else KNOWN


def _warn(archive: Archive, match: Match) -> None:
    """Warn of a result whose game was read from a log too, so that it counts twice."""
    for logged, result in archive.reported_too([match]):
        log.warning(
            "the result %r is probably the game %s, which was read from a log; both count: "
            "either ingest the log or report results",
            result, logged[:12],
        )  # fmt: skip


def _undone(archive: Archive, undo: UndoneGame) -> str:
    """Take a match back, or let it count again."""
    kept = archive.listed_match(undo.id)
    if kept is None:
        return MISSING
    with exported_site.corrected(archive, log.info):
        if kept.undone is not undo.back:
            return KNOWN
        archive.undo(undo.id, back=undo.back)
        return NEW


class Read(NamedTuple):
    """What was read, as JSON, and the revision it is of; no body where there is no such thing."""

    body: bytes | None
    revision: int


class Reading:
    """Reads an archive that exists; its writers are not waited for.

    Parameters
    ----------
    url : str
        The archive.
    """

    def __init__(self, url: str) -> None:
        self._url = url

    def __call__(self, question: tuple[str, Any] | None) -> Generator[None, None, Any]:
        """Answer what a method has a name for, as ``matches``; of None only that this process is ready."""
        yield from ()
        if question is None:
            return None
        kind, asked = question
        with open_archive(self._url, create=False) as archive:
            revision = archive.revision()
            plain = getattr(self, f"_{kind}")(archive, asked)
        return Read(None if plain is None else msgspec.json.encode(plain), revision)

    @staticmethod
    def _matches(archive: Archive, asked: tuple[tuple[float, str] | None, int]) -> Any:
        before, limit = asked
        found = archive.listed(before, limit + 1)
        last = found[limit - 1].match if len(found) > limit else None
        return {
            "matches": [each.as_dict() for each in found[:limit]],
            "next": None if last is None else [last.ended or 0.0, last.id],
        }

    @staticmethod
    def _match(archive: Archive, asked: str) -> Any:
        found = archive.listed_match(asked)
        return None if found is None else found.as_dict()

    @staticmethod
    def _meant_match(archive: Archive, asked: str) -> Any:
        try:
            found = archive.meant_match(asked)
        except InputError as error:
            return {"several": str(error)}
        return None if found is None else found.as_dict()

    @staticmethod
    def _history(archive: Archive, asked: tuple[str, bool]) -> Any:
        player, why = asked
        games = [each.as_dict() for each in archive.history(player, why=why)]
        return {"id": player, "games": games} if games else None

    @staticmethod
    def _who(archive: Archive, asked: tuple[list[str], Ruleset]) -> Any:
        names, ruleset = asked
        standing = archive.standing()
        near = nearest(ruleset, standing.rulesets)
        known = None if near == Ruleset() else near
        lookup = people_of(standing, archive.merged(), time.time())
        scale = scale_of(standing.model, standing.state, known)

        def candidate(player: str) -> dict[str, Any]:
            weight = scale.shown(standing.model.rating(standing.state, player, known).mu)
            return {"id": player, "name": lookup.shown(player), "weight": round(float(weight), 1)}

        found: list[dict[str, Any]] = []
        for name in names:
            try:
                player = lookup.id_of(name)
                candidates = [] if player is None else [player]
            except AmbiguousNameError as error:
                player, candidates = None, [one for one, _ in error.candidates[:MOST_LISTED]]
            found.append({"name": name, "id": player, "candidates": [candidate(one) for one in candidates]})
        return {"people": found}

    @staticmethod
    def _sessions(archive: Archive, asked: None) -> Any:
        del asked
        return archive.sessions()

    @staticmethod
    def _queue_events(archive: Archive, asked: tuple[str, int, int]) -> Any:
        queue, number, limit = asked
        found = archive.ticket_record(queue).since(number, limit)
        return [{"number": each.number, "at": each.at, "replies": json.loads(each.replies)} for each in found]

    @staticmethod
    def _outbox(archive: Archive, asked: int) -> Any:
        found = archive.outbox.listed(asked)
        return {"deliveries": [{**asdict(each), "body": json.loads(each.body)} for each in found]}

    @staticmethod
    def _audit(archive: Archive, asked: tuple[int | None, int]) -> Any:
        before, limit = asked
        found = archive.audit_log.listed(before, limit + 1)
        return {
            "entries": [{**asdict(each), "asked": json.loads(each.asked)} for each in found[:limit]],
            "next": found[limit - 1].number if len(found) > limit else None,
        }

    @staticmethod
    def _news(archive: Archive, asked: tuple[int, int, int]) -> Any:
        known, until, limit = asked
        count = archive.news_count(known, until)
        some = archive.news(known, until, limit) if count <= limit else []
        return {"count": count, "matches": [each.as_dict() for each in some]}
