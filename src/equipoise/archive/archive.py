"""The archive: matches that are kept once and for good, and the ratings that follow from them.

What happened is kept as it was reported: matches, the events of nights, how far each followed log was read.
What follows from it (ratings, names, numbers of games) is derived and can always be rebuilt, see
:mod:`equipoise.archive.learning`.  How a database does it is in :mod:`equipoise.archive.database`; what the
events of a night mean is in :mod:`equipoise.play.evening_records`.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from equipoise.archive import corrections, forgotten_rows, kept_chronicle, outbox, shared_ids, stored_matches
from equipoise.archive import digest as contents
from equipoise.archive.audit_log import AuditLog
from equipoise.archive.chosen_model import chosen, guessed, renamed, starting_of, with_merged
from equipoise.archive.database import Database, file_of, shown
from equipoise.archive.digest import Content
from equipoise.archive.kept_chronicle import KeptChronicle
from equipoise.archive.learning import Learner, version_of_ratings
from equipoise.archive.migrations.upgrading import prepare
from equipoise.archive.outbox import Outbox, OutboxNote
from equipoise.archive.player_games import Appearance, appearances
from equipoise.archive.postgresql import Postgres
from equipoise.archive.rated_players import people_of
from equipoise.archive.row_codec import match_of, record_of
from equipoise.archive.shards import Alone, Shard, channel_of, shard_of, tell
from equipoise.archive.shared_ids import Doubtful
from equipoise.archive.sqlite import Sqlite
from equipoise.archive.standing import Recorded, Standing, Updated
from equipoise.archive.stored_matches import Listed
from equipoise.archive.tables import (
    ARCHIVE,
    FOLLOWED,
    HEAD,
    MATCH,
    NIGHT,
    archive_row,
    grow,
    identities,
    identity,
    mark_stale,
    merged_ids,
    present,
    text_of,
    turn_of,
)
from equipoise.archive.ticket_record import ArchiveMarks, TicketRecord, archive_marks
from equipoise.core.match import Match
from equipoise.errors import InputError
from equipoise.identity.forgetting import Forgotten, Tombstones
from equipoise.identity.merges import NAMED, VOUCHED
from equipoise.identity.names import bare
from equipoise.identity.shared_ids import Identities
from equipoise.play.evening_records import (
    COUNTED,
    DISCORD,
    GUESSES,
    MERGED,
    PICKUP,
    REWRITTEN,
    TAKEN,
    TONIGHT,
    namings,
    renamed_record,
    spellings,
    weighs,
)
from equipoise.ratings.model import RatingModel

if TYPE_CHECKING:
    from equipoise.identity.double_ids import DoubleId

#: What a store's address may look like.
SCHEMES = "sqlite:///path/to/file (four slashes for an absolute path) or postgresql://user@host/database"

#: What SQLite takes for a database that ends with the program.
IN_MEMORY = ":memory:"

#: Seconds to wait for another process that writes.
TIMEOUT = 60.0

#: Seconds between two results where the clock is not later than the first.
TICK = 0.001


def say(text: str) -> None:
    """Write a message to standard error for the user who waits."""
    sys.stderr.write(f"{text}\n")


def _connected(url: str, *, create: bool, timeout: float, waiting: Callable[[str], None]) -> Database:
    """Return the database of an address.

    Raises
    ------
    InputError
        If the address is none, or what it needs is not installed.
    """
    scheme, colon, rest = url.partition("://")
    if scheme == "sqlite" and rest == f"/{IN_MEMORY}":
        msg = f"must outlive the command, got {url!r}; write {SCHEMES}"
        raise InputError(msg, "store")
    if (path := file_of(url)) is not None:
        return Sqlite(path, create=create, timeout=timeout, waiting=waiting)
    if scheme in ("postgresql", "postgres") and colon:
        try:
            address = sa.make_url(url)
        except (SQLAlchemyError, ValueError):  # the error would show a password
            address = None
        if address is not None:
            return Postgres(address, timeout=timeout, waiting=waiting)
    msg = f"must be {SCHEMES}, or a file such as night.db, got {shown(url)!r}"
    raise InputError(msg, "store")


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
        ``sqlite:///path`` (four slashes for an absolute path), the path of a file that ends in ``.db``,
        ``.sqlite`` or ``.sqlite3``, or ``postgresql://user@host/database``.
    create : bool
        Whether to make it where it does not exist.
    model : RatingModel or str, optional
        What learns, or its registered name; by default what the archive was last rebuilt with, and for a new
        one the default model.
    timeout : float
        Seconds to wait for another process that writes.
    waiting : callable
        Called when something is waited for, or the database is one to know about.

    Raises
    ------
    InputError
        If the address, the database or the model is at fault.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from equipoise.core.match import Contest, Ruleset
    >>> duel = Match((Contest(Ruleset(), (["ann"], ["bob"]), (1, 2)),))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open_archive(f"sqlite:///{pathlib.Path(folder, 'games.db')}") as archive:
    ...         archive.record([duel, duel]), archive.update_ratings().matches
    (Recorded(new=1, duplicates=1, conflicts=(), shared=(), moved=0, others=()), 1)
    """
    database = _connected(url, create=create, timeout=timeout, waiting=waiting)
    try:
        return Archive(database, model, create=create)
    except BaseException:
        database.close()
        raise


class Archive:
    """Matches and what follows from them, in one database; see :func:`open_archive`."""

    def __init__(self, database: Database, model: RatingModel | str | None, *, create: bool = True) -> None:
        self._database = database
        wanted = None if model is None else chosen(model)
        prepare(database, create=create)
        self._learner = Learner(database, wanted)

    def __enter__(self) -> Archive:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
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

    def marks(self) -> ArchiveMarks:
        """Return how often ids were forgotten, which grows with everybody who is, and the revision."""
        with self._database.reading() as connection:
            return archive_marks(connection)

    def tombstones(self) -> Tombstones:
        """Return what tells who is forgotten."""
        with self._database.reading() as connection:
            return corrections.tombstones(connection)

    def stamp(self) -> tuple[object, ...]:
        """Return a value that differs whenever what is known differs, of this archive or from another."""
        with self._database.reading() as connection:
            row = archive_row(connection)
        return int(row.revision), *version_of_ratings(row)

    def last_ended(self) -> float:
        """Return when the last match ended, seconds since 1970; 0 where there is none."""
        with self._database.reading() as connection:
            return float(connection.execute(sa.select(sa.func.max(MATCH.c.ended))).scalar() or 0.0)

    def time_of_result(self, now: float) -> float:
        """Return when a game ended whose result comes now: after all others, though a clock was set back."""
        last = self.last_ended()
        return now if now > last else last + TICK

    def first_game(self) -> str | None:
        """Return the game of the matches that came first, None where there are several or none."""
        return stored_matches.first_game(self._database)

    def record(
        self,
        matches: Iterable[Match],
        hooks: Mapping[str, Sequence[str]] | None = None,
        now: float = 0.0,
        *,
        redate: Collection[str] = (),
    ) -> Recorded:
        """Keep matches, all of them or (where that fails) none, each once.

        With ``hooks``, the webhooks that want each kind of note, what is new is put into the outbox too, in
        the same transaction.  Known games with the ids ``redate``, of logs and of tables, get the dates they
        have now.

        When this returns they survive a crash and a power cut.  A forgotten player stays so.  Under one id
        the first match stays and a different one is a conflict, but for games of logs: they hash their lines.
        """
        incoming = list(matches)
        unique, conflicts = stored_matches.each_once(incoming)
        with self._database.writing() as connection:
            gone = corrections.tombstones(connection)
            if gone.stones:
                unique = {key: gone.without(match) for key, match in unique.items()}
            known = present(connection, list(unique))
            differing, others = stored_matches.conflicts(
                connection, {key: unique[key] for key in known}, redate
            )
            conflicts += differing
            stored_matches.take_back(connection, unique, known)
            moved = 0
            if redate:
                other = set(conflicts)
                games = {key: unique[key] for key in known if unique[key].id not in other}
                moved = stored_matches.redate(connection, games, known, redate)
            new = {key: match for key, match in unique.items() if key not in known}
            if new:
                revision = grow(connection)
                rows = [
                    (
                        key,
                        float(match.ended or 0.0),
                        revision,
                        False,
                        record_of(match),
                        turn_of(key),
                    )
                    for key, match in new.items()
                ]
                self._database.insert(connection, MATCH, rows)
                if hooks:
                    notes = (OutboxNote("result", f"result:{text_of(row[0])}", row[4]) for row in rows)
                    outbox.put(self._database, connection, hooks, notes, now)
            shared_ids.of_matches(self._database, connection, list(known))
            shared = shared_ids.note(self._database, connection, new)
        duplicates = len(incoming) - len(new) - len(conflicts)
        return Recorded(len(new), duplicates, tuple(conflicts), tuple(shared), moved, tuple(others))

    def reported_too(self, matches: Iterable[Match]) -> list[tuple[str, str]]:
        """Return those matches of logs that were probably reported as results too, with the ids of these.

        See :func:`equipoise.archive.stored_matches.reported_too`.
        """
        return stored_matches.reported_too(self._database, matches)

    def has_logs(self) -> bool:
        """Tell whether a match of a log is kept."""
        return stored_matches.has_logs(self._database)

    def matches(self) -> Iterator[Match]:
        """Go through the matches that count, in replay order, merged players under one id."""
        known = self.identities()
        for part in stored_matches.parts(self._database):
            for record in part:
                yield known.applied(match_of(*record))

    def listed(self, before: tuple[float, str] | None, limit: int) -> list[Listed]:
        """Return some matches, the newest first: those before a place, by end and id, or the last ones."""
        return stored_matches.before(self._database, before, limit)

    def listed_match(self, match_id: str) -> Listed | None:
        """Return the match with an id, None where there is none."""
        return stored_matches.one(self._database, match_id)

    def meant_match(self, match_id: str) -> Listed | None:
        """Return the match with an id, or the only one whose id begins so or has this part; None where none.

        Raises
        ------
        InputError
            If several have it.
        """
        return stored_matches.meant(self._database, match_id)

    def news(self, known: int, until: int, limit: int) -> list[Listed]:
        """Return some matches that came after a revision, up to another, the earliest to come first."""
        return stored_matches.between(self._database, known, until, limit)

    def news_count(self, known: int, until: int) -> int:
        """Return how many matches came after a revision, up to another."""
        return stored_matches.count_between(self._database, known, until)

    # What follows

    @property
    def model(self) -> RatingModel:
        """What learns, with the guesses of merged ids under those that count."""
        return with_merged(self.chosen_model, self.merged())

    @property
    def chosen_model(self) -> RatingModel:
        """What learns, as it was chosen."""
        return self._learner.model

    @property
    def rebuild_reason(self) -> str:
        """Why the ratings must be rebuilt; empty where they need not."""
        return self._learner.reason()

    def is_behind(self) -> bool:
        """Tell whether the ratings lack a match, or must be rebuilt."""
        return self._learner.is_behind()

    @property
    def needs_rebuild(self) -> bool:
        """Whether the kept ratings are of another model, other parameters or a past that was changed."""
        return bool(self.rebuild_reason)

    def update_ratings(self) -> Updated:
        """Bring the kept ratings up to date: bit for bit those of a rebuild.

        Only what follows the earliest change is learnt from, and only what it touches is read and written.
        Others may write meanwhile: matches that they keep are learnt from the next time.
        """
        return self._learner.renew()

    def spread_checkpoints(self) -> Updated:
        """Let checkpoints lie closely again where they became few, so that another process learns as fast.

        It is for when there is nothing else to do; where others write meanwhile, nothing happens.
        """
        return self._learner.renew(spread=True)

    def keep_packed(self) -> None:
        """Keep matches packed once they were learnt from, for who learns from late ones again and again."""
        self._learner.keep_packed()

    def pack(self) -> bool:
        """Pack some of what is to be kept so, before something comes late; return False once all is."""
        return self._learner.pack()

    def follow_newest(self, since: float = math.inf) -> Updated:
        """Learn at once from what follows the last match that is learnt; what came late waits.

        Until :meth:`update_ratings` has learnt from that too, the ratings are as if it had not come.

        Parameters
        ----------
        since : float
            When the first of what is new may have been kept, if that is known: since then it waits.
        """
        return self._learner.follow_newest(since)

    def waiting_since(self) -> float | None:
        """Return since when what came late waits, seconds since 1970; None where nothing does.

        It is 0 where the past was changed in another way, as by a correction.
        """
        return self._learner.waiting_since()

    def standing(self) -> Standing:
        """Return what is known of everyone, as of one revision."""
        return self._learner.standing()

    def rebuild(self, model: RatingModel | str | None = None, *, of_night: bool = False) -> Updated:
        """Learn from all matches again, optionally with another model, which then stays.

        Its starting weights replace those of nights so far, unless they are ``of_night``.
        """
        if isinstance(model, str):
            self._learner.choose(chosen(model))
        elif model is not None:
            if not of_night and starting_of(model) != starting_of(self.chosen_model):
                with self._database.writing() as connection:
                    replace_weights(self._database, connection)
            with self._database.reading() as connection:
                forgotten = corrections.tombstones(connection).names(guessed(model))
            self._learner.choose(chosen(renamed(model, forgotten)))
        return self._learner.renew("asked for")

    def chronicle(self, *, whole: bool = True) -> KeptChronicle:
        """Return what happened and what was thought of it, as pages show it.

        What is kept is gone on from: only where the past has changed are all matches read.
        Without ``whole`` no more matches are to be added, so that less is read.
        """
        known = self.next_chronicle(None, whole=whole)
        return kept_chronicle.made(self._database, self.model) if known is None else known

    def next_chronicle(self, known: KeptChronicle | None, *, whole: bool = True) -> KeptChronicle | None:
        """Return the chronicle that follows from one that is known, or kept; None where it has to be made."""
        return kept_chronicle.newest(self._database, self.model, known, whole=whole)

    def keep_chronicle(self, known: KeptChronicle) -> KeptChronicle:
        """Keep a chronicle, where this may be written and the past is the same; return it as kept."""
        return kept_chronicle.save(self._database, known)

    # Corrections

    def undo(self, match_id: str, *, back: bool = False) -> str:
        """Exclude a match from the ratings, and return its id.

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
            known = corrections.undo(self._database, connection, match_id, back=back)
            note_sites(self._database, connection)
            tell_evenings(self._database, connection, {"kind": COUNTED, "match": known, "counts": back})
            return known

    def merge(
        self, player: str, other: str, *, back: bool = False, unseen: Collection[str] = (),
        records: Sequence[Mapping[str, Any]] = (), known: int | None = None,
    ) -> None:  # fmt: skip
        """Let two ids be one person, under the first; or take that back.

        The matches stay as they were reported, so that nothing is lost.  ``unseen`` are ids that need not
        have played yet, nor come to a night or a queue, as somebody has shown that they are theirs.
        ``records`` are kept with it, as :meth:`add_night_events` does.

        Raises
        ------
        InputError
            If one of them is not known, they are one already, or they have played against each other in a
            match that counts.
        TakenMeanwhileError
            If somebody else has added a record meanwhile.
        """
        with self._database.writing() as connection:
            self._database.alone(connection)  # who is matched meanwhile is matched before, or after
            leaf, root = other, player
            if back:
                corrections.separate(self._database, connection, player, other)
            else:
                came = {*unseen, *people(connection)}
                leaf, root = corrections.merge(self._database, connection, player, other, came)
            note_sites(self._database, connection)
            noted = {"kind": MERGED, "player": leaf, "into": root, "back": back}
            if records or known is not None:
                add(self._database, connection, [noted, *records], known, None, None)
            else:
                tell_evenings(self._database, connection, noted)

    def forget(
        self, player: str, *, records: Sequence[Mapping[str, Any]] = (), known: int | None = None
    ) -> str:
        """Take a person out of all that is kept, for good, and return the id that replaces it.

        The person's ids and names are rewritten in every match; a salted hash of each id stays, so that a log
        that is read again does not bring the person back.  Everyone else's ratings stay what they were.
        Whoever was forgotten before can be again, so that what has come since is gone too.
        ``records`` are kept with it, as :meth:`add_night_events` does.

        Raises
        ------
        InputError
            If there is no such player.
        TakenMeanwhileError
            If somebody else has added a record meanwhile.
        """
        called = self._names_of(player)
        with self._database.writing() as connection:
            self._database.alone(connection)
            if records:
                add(self._database, connection, records, known)
            before = corrections.tombstones(connection)
            names = corrections.forget(self._database, connection, player, people(connection))
            stand_in = next(iter(names.values()))
            gone = Forgotten(names, {bare(each) for each in called}, stand_in)
            rename(
                self._database,
                connection,
                {**dict.fromkeys(chat_players(connection, gone), stand_in), **names},
            )
            end_sessions(connection, [*names, *called])
            forgotten_rows.write_out(connection, gone, before.names(names))
            note_sites(self._database, connection)
            keep(self._database, connection, SCRUB, {})
        self._learner.forget()
        self._learner.choose(chosen(renamed(self.chosen_model, names)))
        self.update_ratings()
        self.scrub()
        return next(iter(names.values()))

    def scrub(self) -> bool:
        """Overwrite what :meth:`forget` has deleted, as far as this is in reach; return whether that was due.

        It is due until it is done: a kill leaves it to whoever asks next.
        """
        if self.place(SCRUB) is None:
            return False
        self._database.scrub()
        with self._database.writing() as connection:
            let_go(connection, SCRUB)
        return True

    def unfinished(self) -> bool:
        """Tell whether a correction has left something to do: to overwrite what it deleted, or pages."""
        return self.place(SCRUB) is not None or any(site.get("due") is not None for site in self.sites())

    def _names_of(self, player: str) -> set[str]:
        """Return the names that mean this person alone, in every spelling that was seen.

        None where a service vouches for every id of theirs: no name ever means such a person.
        """
        merged = self.merged()
        root = merged.get(player, player)
        ids = [root, *(each for each, into in merged.items() if into == root)]
        if all(each.startswith(VOUCHED) for each in ids):
            return set()
        standing = self.standing()
        lookup = people_of(standing, merged)
        called = {name for who, name in standing.known.names if merged.get(who, who) == root}
        with self._database.reading() as connection:
            known = [pair for record in events(connection) for pair in namings(record)]
        others = {
            bare(name) for who, name in known if merged.get(who, who) != root and not is_same(who, name)
        }
        called |= {name for who, name in known if who in ids and not who.startswith(VOUCHED)}
        alone = (name for name in called if set(lookup.bearers.get(bare(name), (root,))) == {root})
        return {name for name in alone if bare(name) not in others}

    # What is sent, and what happened in queues

    @property
    def outbox(self) -> Outbox:
        """What is to be sent to webhooks."""
        return Outbox(self._database)

    @property
    def audit_log(self) -> AuditLog:
        """What admins did over the network."""
        return AuditLog(self._database)

    @property
    def salt(self) -> bytes:
        """Random bytes that this archive alone has."""
        with self._database.reading() as connection:
            return bytes(archive_row(connection).salt)

    def ticket_record(self, queue: str, shard: Alone | Shard | None = None) -> TicketRecord:
        """Return the record of a queue, which the owner of a shard alone adds to where one is given."""
        return TicketRecord(self._database, queue, shard if isinstance(shard, Shard) else None)

    def shard(self, name: str, worker: str) -> Alone | Shard:
        """Return what one server at a time owns, over the connection of this archive."""
        return shard_of(self._database, self.salt, name, worker)

    def check_unpooled(self) -> None:
        """Look whether several servers can share the database: whether its locks outlast transactions.

        Raises
        ------
        InputError
            If it is reached through a pooler in transaction mode.
        """
        if isinstance(self._database, Postgres):
            self._database.check_unpooled()

    def fence(self, shard: Alone | Shard) -> None:
        """Let nothing be written from now on but by the owner of a shard."""
        if isinstance(shard, Shard):
            self._database.fence = shard.fence

    def tell(self, *what: str) -> None:
        """Tell all servers of the database something, where there may be several."""
        if isinstance(self._database, Postgres):
            with self._database.session() as connection:
                tell(connection, channel_of(bytes(archive_row(connection).salt)), *what)

    # Nights of games

    def night_events(self) -> list[dict[str, Any]]:
        """Return what happened in nights of games, in order; see :mod:`equipoise.play.evening_records`."""
        with self._database.reading() as connection:
            return events(connection)

    def night_events_since(self, known: int) -> list[dict[str, Any]]:
        """Return what happened in nights of games after so many events."""
        with self._database.reading() as connection:
            return events(connection, known)

    def add_night_events(
        self,
        records: Sequence[Mapping[str, Any]],
        known: int | None,
        match: Match | None = None,
        undone: str | None = None,
    ) -> None:
        """Keep records together with the match that they report or take back: all of it or nothing.

        Parameters
        ----------
        records : sequence of mappings
            Plain data.
        known : int or None
            How many records the caller knows of; None where others do not matter to these.
        match : Match, optional
            What is reported; one that was undone counts again, as it is reported now.
        undone : str, optional
            The id of the match that is taken back.

        Raises
        ------
        TakenMeanwhileError
            If somebody else has added a record meanwhile.
        """
        with self._database.writing() as connection:
            add(self._database, connection, records, known, match, undone)

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
            shared_ids.again(self._database, connection)
        self._learner.follow()
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

    def identities(self) -> Identities:
        """Return who everybody in the matches is: merged ids, and people who share one."""
        with self._database.reading() as connection:
            return identities(connection)

    def doubtful(self) -> list[Doubtful]:
        """Return the ids that several people have, those of most people first."""
        with self._database.reading() as connection:
            return shared_ids.doubtful(connection)

    def doubles(self, least: float = 0.1) -> tuple[list[DoubleId], int]:
        """Return pairs of ids that may be one person's, with how likely that is: those from ``least`` on.

        Beside them is how many ids were not compared, as too many were seen after them.
        Ratings must be up to date; see :mod:`equipoise.identity.double_ids`.
        """
        from equipoise.identity.double_ids import Attendance, double_ids_in

        standing = self.standing()
        rating = standing.model.rating
        ratings = {player: rating(standing.state, player, None) for player, _ in standing.games}
        attendance = Attendance.of(self.matches())
        return double_ids_in(attendance, ratings, least), attendance.left_out

    def history(self, player: str, *, why: bool = False) -> Iterator[Appearance]:
        """Go through the matches of a player, with the rating after each, and optionally what moved it."""
        return appearances(self.model, self.matches(), self.merged().get(player, player), why=why)

    # Running games

    def sessions(self) -> list[dict[str, Any]]:
        """Return what :meth:`keep_session` was last given for each server, in the order of their names."""
        with self._database.reading() as connection:
            return sessions(connection)

    def keep_session(self, server: str, session: Mapping[str, Any]) -> None:
        """Keep what goes on on a server, for those who look at the archive; what was before is gone."""
        self.keep_place(f"{SESSION}{server}", session)

    # Folders of exported pages

    def sites(self) -> list[dict[str, Any]]:
        """Return what :meth:`keep_site` was given for each folder to which pages were written.

        Where a correction has made pages wrong that are not written again yet, ``due`` is the revision of
        which they are to be.
        """
        return self.places(SITE)

    def keep_site(self, site: Mapping[str, Any]) -> None:
        """Keep that pages are written to the folder ``folder``, and how; all of them are due."""
        with self._database.writing() as connection:
            due = int(archive_row(connection).revision)
            keep(self._database, connection, f"{SITE}{site['folder']}", {**site, "due": due})

    def end_site(self, folder: str, due: int) -> None:
        """Note that what was due in a folder is written, unless a later correction has made more due."""
        with self._database.writing() as connection:
            site = place(connection, f"{SITE}{folder}")
            if site is not None and site.get("due") == due:
                del site["due"]
                keep(self._database, connection, f"{SITE}{folder}", site)

    def let_go_of_site(self, folder: str) -> None:
        """Know no longer of pages in a folder."""
        with self._database.writing() as connection:
            let_go(connection, f"{SITE}{folder}")

    # Sources of logs

    def zones(self) -> dict[str, str]:
        """Return the name of the zone of each source whose local times were read."""
        return {each["source"]: each["zone"] for each in self.places(ZONE)}

    def keep_zones(self, zones: Mapping[str, str]) -> None:
        """Keep the zones of sources."""
        with self._database.writing() as connection:
            for source, zone in zones.items():
                keep(self._database, connection, f"{ZONE}{source}", {"source": source, "zone": zone})

    def place(self, log: str) -> dict[str, Any] | None:
        """Return what :meth:`keep_place` was last given for a log."""
        with self._database.reading() as connection:
            return place(connection, log)

    def places(self, beginning: str) -> list[dict[str, Any]]:
        """Return what was kept under all names that begin so, in their order."""
        with self._database.reading() as connection:
            return places(connection, beginning)

    def followed(self) -> dict[str, list[Any]]:
        """Return the place that was reached in each log that is followed, by its path."""
        with self._database.reading() as connection:
            rows = connection.execute(sa.select(FOLLOWED).order_by(FOLLOWED.c.log)).all()
        kept = {
            bytes(row.log).decode("utf-8", "replace"): json.loads(row.place)
            for row in rows
            if row.place[:1] == "{"
        }
        return {log: found["place"] for log, found in kept.items() if "place" in found and "game" in found}

    def keep_place(self, log: str, place: Mapping[str, Any]) -> None:
        """Keep how far a log was read."""
        with self._database.writing() as connection:
            keep(self._database, connection, log, place)


#: How the names of servers, of zones of sources and of folders of pages begin among those of logs, which are
#: absolute paths.
SESSION, ZONE, SITE = "live:", "zone:", "pages:"

#: What is there, among the names of logs, from when somebody is forgotten until the database is rewritten.
SCRUB = "scrub:"


def sessions(connection: sa.Connection) -> list[dict[str, Any]]:
    """Return what was last kept of each server, in the order of their names."""
    return places(connection, SESSION)


def places(connection: sa.Connection, beginning: str) -> list[dict[str, Any]]:
    """Return what was kept under all names that begin with some text that ends in a colon, in their order."""
    known = sa.select(FOLLOWED.c.place).where(
        FOLLOWED.c.log >= identity(beginning), FOLLOWED.c.log < identity(f"{beginning[:-1]};")
    )
    return [json.loads(text) for text in connection.execute(known.order_by(FOLLOWED.c.log)).scalars()]


def end_sessions(connection: sa.Connection, gone: Collection[str]) -> None:
    """Let go of what goes on on servers where some ids are: it is written again, without those."""
    known = sa.select(FOLLOWED).where(
        FOLLOWED.c.log >= identity(SESSION), FOLLOWED.c.log < identity(f"{SESSION[:-1]};")
    )
    for row in connection.execute(known).all():
        if any(json.dumps(each) in row.place for each in gone):
            connection.execute(sa.delete(FOLLOWED).where(FOLLOWED.c.log == row.log))


def place(connection: sa.Connection, log: str) -> dict[str, Any] | None:
    """Return how far a log was read, None where it never was."""
    kept = sa.select(FOLLOWED.c.place).where(FOLLOWED.c.log == identity(log))
    text = connection.execute(kept).scalar()
    return None if text is None else json.loads(text)


def keep(database: Database, connection: sa.Connection, log: str, content: Mapping[str, Any]) -> None:
    """Keep how far a log was read."""
    database.upsert(connection, FOLLOWED, [(identity(log), json.dumps(content))])


def let_go(connection: sa.Connection, log: str) -> None:
    """Keep no longer how far a log was read."""
    connection.execute(sa.delete(FOLLOWED).where(FOLLOWED.c.log == identity(log)))


def note_sites(database: Database, connection: sa.Connection) -> None:
    """Note that all exported pages are to be written again, of the revision that a correction has made.

    It is kept with the correction, so that a kill between it and the pages leaves them due.
    """
    due = int(archive_row(connection).revision)
    for site in places(connection, SITE):
        keep(database, connection, f"{SITE}{site['folder']}", {**site, "due": due})


class TakenMeanwhileError(InputError):
    """Somebody else has added a record of an evening meanwhile."""


def events(connection: sa.Connection, known: int = 0) -> list[dict[str, Any]]:
    """Return all events in the order they were added, but for as many as are known."""
    later = sa.select(NIGHT.c.event).where(NIGHT.c.number > known).order_by(NIGHT.c.number)
    texts = connection.execute(later).scalars()
    return [json.loads(text) for text in texts]


def add(
    database: Database,
    connection: sa.Connection,
    records: Sequence[Mapping[str, Any]],
    known: int | None,
    match: Match | None = None,
    undone: str | None = None,
) -> None:
    """Add records, with the match that they report or take back.

    Raises
    ------
    TakenMeanwhileError
        If there are other records than the known ones by now.
    """
    number = connection.execute(sa.select(sa.func.max(NIGHT.c.number))).scalar() or 0
    if known is not None and number != known:
        msg = (
            "night: somebody else has taken a step meanwhile; look at 'equipoise night table', and try again"
        )
        raise TakenMeanwhileError(msg)
    numbered = enumerate(records, start=number + 1)
    database.insert(connection, NIGHT, [(n, _text(record)) for n, record in numbered])
    if match is not None:
        _report(database, connection, match)
    counts = sa.select(MATCH.c.id).where(MATCH.c.id == identity(undone or ""), MATCH.c.undone.is_(False))
    if undone is not None and connection.execute(counts).first():
        corrections.undo(database, connection, undone, back=False)
        note_sites(database, connection)


def tell_evenings(database: Database, connection: sa.Connection, record: Mapping[str, Any]) -> None:
    """Add a record of what happened to evenings from outside, if there are any."""
    if connection.execute(sa.select(sa.func.max(NIGHT.c.number))).scalar():
        add(database, connection, [record], None)


def replace_weights(database: Database, connection: sa.Connection) -> None:
    """Note that other starting weights were chosen than those of the steps so far, if there are any."""
    if any(map(weighs, events(connection))):
        add(database, connection, [{"kind": GUESSES}], None)


def _report(database: Database, connection: sa.Connection, match: Match) -> None:
    """Keep a match; one that was reported and taken back counts again, as it is reported now."""
    key = identity(match.id)
    record = record_of(corrections.tombstones(connection).without(match))
    ended = float(match.ended or 0.0)
    before = connection.execute(sa.select(MATCH.c.ended).where(MATCH.c.id == key)).scalar()
    if before is None:
        database.insert(connection, MATCH, [(key, ended, grow(connection), False, record, turn_of(key))])
        return
    changed = sa.update(MATCH).where(MATCH.c.id == key)
    connection.execute(changed.values(ended=ended, record=record, undone=False, revision=grow(connection)))
    mark_stale(connection, "an undone match was reported again", (min(ended, before), key))


def people(connection: sa.Connection) -> set[str]:
    """Return the ids of all who came to a night, or did something in one."""
    happened = events(connection)
    came = {player for record in happened for player in spellings(record)}
    kinds = (TAKEN, PICKUP, DISCORD, TONIGHT)
    acts = [record.get("event", record) for record in happened if record["kind"] in kinds]
    return came | {str(act["who"]) for act in acts if act.get("who")}


def chat_players(connection: sa.Connection, gone: Forgotten) -> set[str]:
    """Return who a person was in chats: accounts and nicks that are one of the names.

    Nobody else who was only called so: a name that somebody shows is not who they are.
    """
    found = set()
    for event in events(connection):
        who = event.get("who") or event.get("event", {}).get("who", "")
        for each in (who, event.get("account", "")):
            if each and not each.startswith(VOUCHED) and gone.text(each) == gone.stand_in:
                found.add(each)
    return found


def is_same(who: str, name: str) -> bool:
    """Tell whether an id is no more than a name, as where nothing but that says who somebody is."""
    return bare(who.removeprefix("~").removeprefix(NAMED)) == bare(name)


def rename(database: Database, connection: sa.Connection, names: Mapping[str, str]) -> None:
    """Write other ids into all events, and no name for them: for people who are forgotten."""
    rewritten = False
    for row in connection.execute(sa.select(NIGHT)).all():
        before = json.loads(row.event)
        after = renamed_record(before, names)
        if after != before:
            changed = sa.update(NIGHT).where(NIGHT.c.number == row.number)
            connection.execute(changed.values(event=_text(after)))
            rewritten = True
    if rewritten:
        tell_evenings(database, connection, {"kind": REWRITTEN})


def _text(event: Mapping[str, Any]) -> str:
    return json.dumps(event, separators=(",", ":"), allow_nan=False)


@contextmanager
def filled(url: str, waiting: Callable[[str], None] = say) -> Iterator[Archive]:
    """Give an archive to be filled, made where there is none.

    One that is new and holds nothing when filling it fails is removed again.
    """
    path = file_of(url) or ""
    new = bool(path) and not Path(path).exists()
    kept = False
    try:
        with open_archive(url, create=True, waiting=waiting) as archive:
            try:
                yield archive
            finally:
                kept = bool(archive.count() or archive.night_events())
    except BaseException:
        if new and not kept:
            for name in (path, f"{path}-wal", f"{path}-shm", f"{path}-journal"):
                Path(name).unlink(missing_ok=True)
        raise
