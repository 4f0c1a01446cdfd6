"""The archive: matches that are kept once and for ever, and the ratings that follow from them.

What happened is kept as it was told; what follows from it (ratings, names, numbers of games) is derived and
can always be made anew.  How a database does it stands in :mod:`equipoise.archive.databases`.
"""

from __future__ import annotations

import json
import re
import secrets
import struct
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import sqlalchemy as sa

from equipoise.archive import corrections
from equipoise.archive import exports as contents
from equipoise.archive.appearances import Appearance, appearances
from equipoise.archive.checkpoints import (
    Back,
    Note,
    Position,
    changed_since,
    forget_all,
    go_back,
    note,
    together,
    way_back,
)
from equipoise.archive.databases import Database, connect
from equipoise.archive.exports import Content
from equipoise.archive.known import Known, Recorded, Standing, Updated
from equipoise.archive.migrations.upgrading import upgrade, version_of
from equipoise.archive.models import Chosen, chosen, rated_by
from equipoise.archive.records import (
    Row,
    match_of,
    patched,
    record_of,
    rows_before,
    rows_of,
    state_of,
)
from equipoise.archive.schema import (
    ARCHIVE,
    CHANGED,
    DERIVED,
    FOLLOWED,
    HEAD,
    MATCH,
    archive_row,
    grow,
    identity,
    in_replay_order,
    mark_stale,
    merged_ids,
    present,
)
from equipoise.errors import InputError
from equipoise.matches import Match
from equipoise.ratings.model import RatingModel, State, is_bot

#: How the names of parts of the model's state and of what else is known begin.
STATE, KNOWN = "state.", "known."

#: Matches that are learnt from at once: enough for the compiled kernels to pay, some 100 MB of memory.
TOGETHER = 10_000

#: How often it is tried to learn while others may write, before they have to wait.
ATTEMPTS = 3

#: What the id of a match from a log is, which hashes its lines, and how near in time another one may be it.
LOGGED, LOGGED_LENGTH, NEAR = re.compile("[0-9a-f]{64}"), 64, 3600.0

#: Seconds to wait for another process that writes.
TIMEOUT = 60.0


@dataclass(slots=True)
class _Kept:
    """The derived rows as they are in the database, so that only what changes is read and written."""

    of: tuple[object, ...]
    state: State
    known: Known


@dataclass(frozen=True, slots=True)
class _Learnt:
    """What was learnt, and what it rests on: None where it was from the beginning.

    ``back`` is the way that was gone back first, and ``notes`` the ways back that are new.
    """

    before: _Kept | None
    state: State
    known: Known
    last: tuple[float, bytes]
    matches: int
    back: Back | None
    notes: tuple[Note, ...]


def _of(row: Any) -> tuple[object, ...]:
    """Return what tells the derived rows of an archive from all others."""
    return bytes(row.salt), int(row.rated), float(row.last_ended), bytes(row.last_match), row.rated_by


def _people(match: Match) -> set[str]:
    """Return the people who played."""
    players = {player for contest in match.contests for team in contest.teams for player, _ in team}
    return {player for player in players if not is_bot(player)}


def say(text: str) -> None:
    """Write a message for whoever waits to standard error."""
    sys.stderr.write(f"{text}\n")


def open_archive(
    url: str,
    *,
    create: bool = True,
    model: RatingModel | str | None = None,
    timeout: float = TIMEOUT,
    waiting: Callable[[str], None] = say,
) -> Archive:
    """Open an archive, or make a new one.

    Parameters
    ----------
    url : str
        ``sqlite:///path`` (four slashes for an absolute path) or ``postgresql://user@host/database``.
    create : bool
        Whether to make it where it does not exist.
    model : RatingModel or str, optional
        What learns, or its registered name; by default what the archive was last rebuilt with, and for a new
        one the default model.
    timeout : float
        Seconds to wait for another process that writes.
    waiting : callable
        Told when something is waited for, or the database is one to know about.

    Raises
    ------
    InputError
        If the address, the database or the model is at fault.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from equipoise.matches import Contest, Ruleset
    >>> duel = Match((Contest(Ruleset(), (["ann"], ["bob"]), (1, 2)),))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open_archive(f"sqlite:///{pathlib.Path(folder, 'games.db')}") as archive:
    ...         archive.record([duel, duel]), archive.update_ratings().matches
    (Recorded(new=1, duplicates=1), 1)
    """
    database = connect(url, create=create, timeout=timeout, waiting=waiting)
    try:
        return Archive(database, None if model is None else chosen(model), create=create)
    except BaseException:
        database.close()
        raise


class Archive:
    """Matches and what follows from them, in one database; see :func:`open_archive`."""

    def __init__(self, database: Database, model: Chosen | None, *, create: bool = True) -> None:
        self._database = database
        self._kept: _Kept | None = None
        self._make(create)
        #: Whether the model was asked for, so that it stays until it has learnt.
        self._asked = model is not None
        with database.reading() as connection:
            row = archive_row(connection)
        self._model = model or Chosen(row.model, row.settings)
        self.model: RatingModel = self._model.made()

    def _make(self, create: bool) -> None:
        """Bring the schema up to date and write the one row of the archive, where needed."""
        database = self._database
        with database.reading() as connection:
            version = version_of(connection, database.where)
        if version == HEAD:
            return
        if not version and not create:
            msg = f"store: {database.where} holds no archive; one that an ingest has made is needed"
            raise InputError(msg)
        with database.writing() as connection:
            if version_of(connection, database.where) == HEAD:
                return  # another process was faster
            upgrade(connection)
            if not connection.execute(sa.select(ARCHIVE.c.one)).first():
                fresh = (1, 0, secrets.token_bytes(32), "default", "{}", 0, "", 0.0, b"", "")
                database.insert(connection, ARCHIVE, [fresh])

    def __enter__(self) -> Archive:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    @property
    def writable(self) -> bool:
        """Whether it may be written; one of a read-only disk can only be read."""
        return self._database.writable

    def facts(self) -> dict[str, str]:
        """Return what database this is and which version of it."""
        return {**self._database.facts(), "schema": HEAD}

    # What happened

    def revision(self) -> int:
        """Return a number that grows with every change of what is known."""
        with self._database.reading() as connection:
            return int(connection.execute(sa.select(ARCHIVE.c.revision)).scalar_one())

    def stamp(self) -> tuple[object, ...]:
        """Return a value that differs whenever what is known differs, of this archive or from another."""
        with self._database.reading() as connection:
            row = archive_row(connection)
        return (int(row.revision), *_of(row))

    def last_ended(self) -> float:
        """Return when the last match ended, seconds since 1970; 0 where there is none."""
        with self._database.reading() as connection:
            return float(connection.execute(sa.select(sa.func.max(MATCH.c.ended))).scalar() or 0.0)

    def first_game(self) -> str | None:
        """Return the game of the matches that came first, None where there are several or none."""
        with self._database.reading() as connection:
            first = connection.execute(sa.select(sa.func.min(MATCH.c.revision))).scalar()
            wanted = sa.select(MATCH.c.record, MATCH.c.ended).where(MATCH.c.revision == first)
            rows = connection.execute(wanted).all()
        games = {contest.ruleset.game for row in rows for contest in match_of(*row).contests}
        return games.pop() if len(games) == 1 else None

    def record(self, matches: Iterable[Match]) -> Recorded:
        """Keep matches, all of them or (where that fails) none, each once.

        When this returns they survive a crash and a power cut.  Whoever is forgotten stays so.
        """
        given = list(matches)
        unique = {identity(match.id): match for match in given}
        with self._database.writing() as connection:
            known = present(connection, list(unique))
            new = {key: match for key, match in unique.items() if key not in known}
            self._take_back(connection, unique, known)
            if new:
                revision = grow(connection)
                forget = corrections.Forgetting(connection)
                rows = [
                    (key, float(match.ended or 0.0), revision, False, record_of(forget.applied(match)))
                    for key, match in new.items()
                ]
                self._database.insert(connection, MATCH, rows)
        return Recorded(len(new), len(given) - len(new))

    def _take_back(
        self, connection: sa.Connection, given: dict[bytes, Match], known: dict[bytes, float]
    ) -> None:
        """Let matches without dates be as early as any of their sources says, whichever is read first."""
        earlier = {
            key: float(given[key].ended or 0.0)
            for key, ended in known.items()
            if not given[key].dated and (given[key].ended or 0.0) < ended
        }
        for key, ended in earlier.items():
            connection.execute(sa.update(MATCH).where(MATCH.c.id == key).values(ended=ended))
        if earlier:
            first = min((ended, key) for key, ended in earlier.items())
            mark_stale(connection, "a game without a date was found in an earlier source", first)

    def reported_too(self, matches: Iterable[Match]) -> list[tuple[str, str]]:
        """Return those matches of logs that were probably reported as results too, with the ids of these.

        The same people played the same game within an hour; games without dates are left out.
        """
        read = [match for match in matches if match.dated and LOGGED.fullmatch(match.id)]
        if not read:
            return []
        times = [match.ended or 0.0 for match in read]
        near = MATCH.c.ended.between(min(times) - NEAR, max(times) + NEAR)
        wanted = sa.select(MATCH.c.record, MATCH.c.ended)
        others = wanted.where(near, sa.func.length(MATCH.c.id) != LOGGED_LENGTH, MATCH.c.undone.is_(False))
        with self._database.reading() as connection:
            reported = [match_of(row.record, row.ended) for row in connection.execute(others)]
        return [
            (match.id, other.id)
            for match in read
            for other in reported
            if abs((match.ended or 0.0) - (other.ended or 0.0)) <= NEAR
            and match.ruleset.game == other.ruleset.game
            and _people(match) == _people(other)
        ]

    def matches(self) -> Iterator[Match]:
        """Go through the matches that count, in replay order, merged players under one id."""
        with self._database.reading() as connection:
            merged = merged_ids(connection)
        for part in self._parts():
            for record in part:
                yield corrections.renamed(match_of(*record), merged)

    def _parts(self) -> Iterator[list[tuple[str, float]]]:
        """Go through the records of the matches that count and their ends, each part read at once."""
        last: tuple[float, bytes] | None = None
        while True:
            with self._database.reading() as connection:
                rows = connection.execute(in_replay_order(last).limit(TOGETHER)).all()
            if not rows:
                return
            yield [(row.record, row.ended) for row in rows]
            last = (rows[-1].ended, rows[-1].id)

    # What follows

    @property
    def rebuild_reason(self) -> str:
        """Why the ratings must be made anew; empty where they need not."""
        with self._database.reading() as connection:
            return self._reason(archive_row(connection))

    def is_behind(self) -> bool:
        """Tell whether the ratings lack a match, or must be made anew."""
        with self._database.reading() as connection:
            row = archive_row(connection)
            late = in_replay_order(None).where(MATCH.c.revision > row.rated).limit(1)
            return bool(self._reason(row)) or connection.execute(late).first() is not None

    @property
    def needs_rebuild(self) -> bool:
        """Whether the kept ratings are of another model, other parameters or a past that was changed."""
        return bool(self.rebuild_reason)

    def _reason(self, row: Any) -> str:
        if not self._asked and self._model != Chosen(row.model, row.settings):
            self._model = Chosen(row.model, row.settings)  # another process has chosen another one
            self.model = self._model.made()
        if row.stale:
            return str(row.stale)
        if row.rated_by not in ("", rated_by(self.model)):
            return "the model or its parameters have changed"
        return ""

    def update_ratings(self) -> Updated:
        """Bring the kept ratings up to date: bit for bit those of a rebuild.

        Where the new matches are later than all others only they are learnt from, and only what they change
        is written.  Others may write meanwhile: matches that they keep are learnt from the next time.
        """
        return self._renew("")

    def _renew(self, asked: str) -> Updated:
        """Learn beside others who write, and alone where they change what it rests on again and again."""
        for attempt in range(ATTEMPTS + 1):
            alone = attempt == ATTEMPTS
            with self._database.writing() if alone else self._database.reading() as connection:
                row = archive_row(connection)
                changed = self._reason(row)
                late, since = self._late(connection, row)
                reason = asked or changed or late
                if reason is None:
                    return Updated(0, "")
                learnt = self._learnt(connection, row, reason, None if asked else since)
                changed = self._changed(learnt)
                written = alone and self._write(connection, row, learnt, changed)
            if not alone:
                with self._database.writing() as connection:
                    written = self._write(connection, row, learnt, changed)
            if written:
                self._asked = False
                return Updated(learnt.matches, reason)
        raise AssertionError  # alone it is always written

    def _late(self, connection: sa.Connection, row: Any) -> tuple[str | None, Position | None]:
        """Return why the past is not what was learnt, and from where on.

        The reason is empty where new matches only follow, and None where there are none.
        """
        since = changed_since(connection)
        new = in_replay_order(None).where(MATCH.c.revision > row.rated)
        first = connection.execute(new.limit(1)).first()
        if first is None:
            return None, since
        position = (float(first.ended), bytes(first.id))
        if not row.rated or position > (row.last_ended, bytes(row.last_match)):
            return "", since
        return "a match came that is earlier than others", min(since or position, position)

    def _back(self, connection: sa.Connection, row: Any, since: Position | None) -> Back | None:
        """Return the way back to before a place, None where there is none."""
        if since is None or not row.rated or row.rated_by != rated_by(self.model):
            return None
        return way_back(connection, since)

    def _learnt(self, connection: sa.Connection, row: Any, reason: str, since: Position | None) -> _Learnt:
        """Learn from the matches that are not learnt from yet, or anew from where the past changed."""
        anew = bool(reason) or not row.rated
        back = self._back(connection, row, since) if anew else None
        before = self._derived(connection, row) if back or not anew else None
        last = None if anew else (row.last_ended, bytes(row.last_match))
        if before and back:
            state, known = patched(before.state, back.rows, STATE), patched(before.known, back.rows, KNOWN)
            before, last = _Kept(before.of, state, known), back.to.position
        state, known = (before.state, before.known) if before else (self.model.initial(), Known())
        learnt, notes = 0, list[Note]()
        merged = merged_ids(connection)
        left = int(
            connection.execute(
                sa.select(sa.func.count()).select_from(in_replay_order(last).subquery())
            ).scalar_one()
        )
        while rows := connection.execute(in_replay_order(last).limit(together(left, TOGETHER))).all():
            was = (state, known)
            matches = [corrections.renamed(match_of(each.record, each.ended), merged) for each in rows]
            contests = [contest for match in matches for contest in match.contests]
            state, _ = self.model.run(state, contests)
            known = known.after(matches)
            learnt += len(rows)
            left -= len(rows)
            if last is not None:
                undo = (*rows_before(state, was[0], STATE), *rows_before(known, was[1], KNOWN))
                notes.append(Note(last, len(rows), undo))
            last = (rows[-1].ended, bytes(rows[-1].id))
        return _Learnt(before, state, known, last or (0.0, b""), learnt, back, tuple(notes))

    def _changed(self, learnt: _Learnt) -> list[Row]:
        """Return the derived rows that differ, before anybody has to wait for them to be written."""
        old = (None, None) if learnt.before is None else (learnt.before.state, learnt.before.known)
        return [*rows_of(learnt.state, old[0], STATE), *rows_of(learnt.known, old[1], KNOWN)]

    def _write(self, connection: sa.Connection, row: Any, learnt: _Learnt, changed: list[Row]) -> bool:
        """Write what has changed, unless what it rests on has changed since; tell whether it was written."""
        now = archive_row(connection)
        whole = row.stale or not row.revision
        same = now.revision == row.revision if whole else not now.stale
        if not same or (_of(now), now.model, now.settings) != (_of(row), row.model, row.settings):
            return False
        if learnt.before is None:
            connection.execute(sa.delete(DERIVED))
            forget_all(connection)
        if learnt.back is not None:
            go_back(self._database, connection, learnt.back)
        for each in learnt.notes:
            note(self._database, connection, each)
        connection.execute(sa.delete(CHANGED))
        put = self._database.insert if learnt.before is None else self._database.upsert
        put(connection, DERIVED, changed)
        grow(connection)
        connection.execute(
            sa.update(ARCHIVE).values(
                rated=max(int(row.revision), 1), rated_by=rated_by(self.model), last_ended=learnt.last[0],
                last_match=learnt.last[1], stale="", model=self._model.name, settings=self._model.settings,
            )
        )  # fmt: skip
        self._kept = _Kept(_of(archive_row(connection)), learnt.state, learnt.known)
        return True

    def _derived(self, connection: sa.Connection, row: Any) -> _Kept:
        """Return the derived rows, from memory where nobody has changed them since."""
        if self._kept is None or self._kept.of != _of(row):
            rows = list(map(Row._make, connection.execute(sa.select(DERIVED))))
            empty = Chosen(row.model, row.settings).made().initial()
            try:
                self._kept = _Kept(_of(row), state_of(empty, rows, STATE), state_of(Known(), rows, KNOWN))
            except (ValueError, TypeError, LookupError, struct.error) as error:
                msg = f"store: {self._database.where}: the ratings are damaged; 'rebuild' makes them anew"
                raise InputError(msg) from error
        return self._kept

    def standing(self) -> Standing:
        """Return what is known of everyone, as of one revision."""
        with self._database.reading() as connection:
            row = archive_row(connection)
            kept = self._derived(connection, row)
            late = in_replay_order(None).where(MATCH.c.revision > row.rated)
            current = not self._reason(row) and connection.execute(late.limit(1)).first() is None
        known = kept.known
        model = Chosen(row.model, row.settings).made() if row.rated else self.model
        return Standing(
            model, kept.state, int(row.revision), current, known,
            known.last_names(), known.last_bots(), tuple(known.rulesets()),
        )  # fmt: skip

    def rebuild(self, model: RatingModel | str | None = None) -> Updated:
        """Learn from all matches anew, if wished with another model, which then stays."""
        if model is not None:
            self._model, self._asked = chosen(model), True
            self.model = self._model.made()
        return self._renew("asked for")

    # Corrections

    def undo(self, match_id: str, *, back: bool = False) -> str:
        """Let a match not count any more, and return its id.

        It stays, so that reading its log again does not bring it back.

        Parameters
        ----------
        match_id : str
            The id, or the beginning of it.
        back : bool
            Whether to let it count again instead.

        Raises
        ------
        InputError
            If there is no such match, or several begin so.
        """
        with self._database.writing() as connection:
            return corrections.undo(connection, match_id, back=back)

    def merge(self, player: str, other: str, *, back: bool = False) -> None:
        """Let two ids be one person, under the first; or take that back.

        The matches stay as they were told, so that nothing is lost.

        Raises
        ------
        InputError
            If one of them is not known, they are one already, or they have played against each other.
        """
        with self._database.writing() as connection:
            (corrections.separate if back else corrections.merge)(connection, player, other)

    def forget(self, player: str) -> str:
        """Take a person out of all that is kept, for ever, and return the id that stands in its place.

        The person's ids and names are rewritten in every match; a salted hash of each id stays, so that a log
        that is read again does not bring the person back.  Everyone else's ratings stay what they were.

        Raises
        ------
        InputError
            If there is no such player.
        """
        with self._database.writing() as connection:
            known = corrections.forget(self._database, connection, player)
        self._kept = None
        self.update_ratings()
        self._database.scrub()
        return known

    # All of it

    def contents(self) -> Iterator[Content]:
        """Go through everything that does not follow from the rest, in an order of its own."""
        with self._database.reading() as connection:
            yield from contents.contents(connection)

    def fill(self, content: Iterable[Content]) -> int:
        """Put everything from another archive into this one, which is new; return how many matches there are.

        Raises
        ------
        InputError
            If this one holds something, or the content is wrong.
        """
        with self._database.writing() as connection:
            count = contents.fill(self._database, connection, content)
            row = archive_row(connection)
        self._model = Chosen(row.model, row.settings)
        self.model = self._model.made()
        return count

    def digest(self) -> str:
        """Return a hash of what the archive holds: the same whatever the order of ingest and the database."""
        return contents.digest(self.contents())

    def count(self) -> int:
        """Return how many matches count."""
        with self._database.reading() as connection:
            count = sa.select(sa.func.count()).where(MATCH.c.undone.is_(False))
            return int(connection.execute(count).scalar_one())

    def merged(self) -> dict[str, str]:
        """Return from each merged id the one it counts as."""
        with self._database.reading() as connection:
            return merged_ids(connection)

    def history(self, player: str, *, why: bool = False) -> Iterator[Appearance]:
        """Go through the matches of a player, with the rating after each, and what moved it if wished."""
        merged = self.merged()
        return appearances(self.model, self.matches(), merged.get(player, player), why=why)

    # Followed logs

    def place(self, log: str) -> dict[str, Any] | None:
        """Return what :meth:`keep_place` was last told of a log."""
        with self._database.reading() as connection:
            text = connection.execute(
                sa.select(FOLLOWED.c.place).where(FOLLOWED.c.log == identity(log))
            ).scalar()
        return None if text is None else json.loads(text)

    def keep_place(self, log: str, place: Mapping[str, Any]) -> None:
        """Keep how far a log was read."""
        with self._database.writing() as connection:
            self._database.upsert(connection, FOLLOWED, [(identity(log), json.dumps(place))])
