"""The derived rows of an archive: all of them, those that have changed, or those of some players alone.

Each time they are written they get a token.  A process that has kept them knows by it whether what was
written since is all that differs: a backup that was put in the place of a newer archive, a rebuild and rows
that were deleted have other tokens.

So that little is learnt again when a match comes late, there are ways back to what the rows were at earlier
places of the replay: a checkpoint is a place in replay order with the rows that have changed since, as they
were there; going
back is writing those of the newest checkpoints first, down to the one that is asked for.  Neighbours are
united as
their spans grow, so that there are few: their number grows as the logarithm of the number of matches.
"""

from __future__ import annotations

import secrets
import struct
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import Any, NamedTuple

import sqlalchemy as sa

from equipoise.archive.database import Database
from equipoise.archive.postgresql import array_of
from equipoise.archive.row_codec import MatchRow, common_keys, keys_of, parts_of, patched, state_of
from equipoise.archive.standing import Known
from equipoise.archive.tables import (
    ASKED,
    CHANGED,
    CHECKPOINT,
    DERIVED,
    RATING,
    RENEWAL,
    SIZE,
    UNDO,
    archive_row,
    turn_of,
)
from equipoise.ratings.model import State

#: How the names of parts of the model's state and of what else is known begin.
STATE, KNOWN = "state.", "known."

#: Renewals that are remembered: a follower that has seen none of them reads everything.
RENEWALS = 1000

#: Ranges of keys that are asked for at once, each of two values.
TOGETHER = ASKED // 3

#: What reading rows that were damaged raises.
UNREADABLE = (ValueError, TypeError, LookupError, struct.error)


class Both(NamedTuple):
    """What a model knows, and what else is known."""

    state: State
    known: Known


@dataclass(frozen=True, slots=True)
class Kept:
    """All derived rows as they were when they had a token."""

    token: bytes
    revision: int
    both: Both


@dataclass(slots=True)
class Places:
    """Where rows stand in their parts, for those who have only some of them.

    Parameters
    ----------
    known : dict
        The places of rows by part and key.
    sizes : Counter
        How many rows each part has; a new one gets the place after them.
    """

    known: dict[tuple[str, bytes], int]
    sizes: Counter[str] = field(default_factory=Counter)

    def placed(self, rows: Iterable[MatchRow]) -> Iterator[MatchRow]:
        """Give rows their places, in the order in which new ones follow each other."""
        for row in rows:
            at = row.part, row.key
            if at not in self.known:
                self.known[at] = self.sizes[row.part]
                self.sizes[row.part] += 1
            yield row._replace(place=self.known[at])


def token_of(connection: sa.Connection) -> bytes:
    """Return the token of the derived rows as they are, empty where there is none."""
    newest = sa.select(RENEWAL.c.token).order_by(RENEWAL.c.revision.desc()).limit(1)
    found = connection.execute(newest).scalar()
    return b"" if found is None else bytes(found)


def all_of(connection: sa.Connection, empty: State, revision: int, kept: Kept | None = None) -> Kept:
    """Return all derived rows, of which those that are kept and have not changed since are not read.

    Parameters
    ----------
    connection : Connection
        Where they are read, as of one revision.
    empty : State
        A state of the model that made them.
    revision : int
        That of the archive.
    kept : Kept, optional
        What is known of them.
    """
    token = token_of(connection)
    if kept is not None and token and kept.token == token:
        return kept
    wanted = sa.select(DERIVED.c.part, DERIVED.c.key, DERIVED.c.place, DERIVED.c.numbers)
    if kept is not None and _is_remembered(connection, kept.token):
        since = wanted.where(DERIVED.c.revision > kept.revision).order_by(DERIVED.c.part, DERIVED.c.place)
        return Kept(token, revision, changed(kept.both, list(match_rows(connection.execute(since)))))
    rows = list(match_rows(connection.execute(wanted)))
    return Kept(token, revision, Both(state_of(empty, rows, STATE), state_of(Known(), rows, KNOWN)))


def _is_remembered(connection: sa.Connection, token: bytes) -> bool:
    return connection.execute(sa.select(RENEWAL).where(RENEWAL.c.token == token)).first() is not None


def match_rows(found: Iterable[Any]) -> Iterator[MatchRow]:
    """Go through rows of a database as rows of a state."""
    return (MatchRow(one.part, bytes(one.key), one.place, bytes(one.numbers)) for one in found)


def changed(both: Both, rows: Sequence[MatchRow]) -> Both:
    """Return what is known with some rows as they are given; those without numbers are left out."""
    return Both(patched(both.state, rows, STATE), patched(both.known, rows, KNOWN))


def some_of(
    connection: sa.Connection, empty: State, players: Iterable[str], back: Sequence[MatchRow] = ()
) -> tuple[Both, Places]:
    """Return what is known of some players and of no player in particular, and where the rows stand.

    Parameters
    ----------
    connection : Connection
        Where it is read.
    empty : State
        A state of the model that made the rows.
    players : iterable of str
        Whose rows are wanted.
    back : sequence of MatchRow
        How rows were at an earlier place, without numbers where there were none; what is returned is as of
        there.
    """
    parts = [*parts_of(empty, STATE), *parts_of(Known(), KNOWN)]
    found = rows_of_players(connection, DERIVED, parts, players)
    sizes = Counter({row.part: row.rows for row in connection.execute(sa.select(SIZE))})
    for row in back:
        if not row.numbers:
            sizes[row.part] -= 1
            found.pop((row.part, row.key), None)
        elif (row.part, row.key) in found:
            found[row.part, row.key] = row
    rows = list(found.values())
    both = Both(state_of(empty, rows, STATE), state_of(Known(), rows, KNOWN))
    return both, Places({at: row.place for at, row in found.items()}, sizes)


def rows_of_players(
    connection: sa.Connection, table: sa.Table, parts: Iterable[str], players: Iterable[str]
) -> dict[tuple[str, bytes], MatchRow]:
    """Return the rows of some parts that are of some players, or of no player in particular."""
    ranges = [*common_keys(), *(each for player in players for each in keys_of(player))]
    if connection.dialect.name == "postgresql":
        found = _within_all(connection, table.name, list(parts), ranges)
    else:
        found = (
            row
            for part in parts
            for first in range(0, len(ranges), TOGETHER)
            for row in _within(connection, table.name, part, ranges[first : first + TOGETHER])
        )
    return {(row.part, row.key): row for row in found}


def _within(
    connection: sa.Connection, table: str, part: str, ranges: Sequence[tuple[bytes, bytes]]
) -> Iterator[MatchRow]:
    """Go through the rows of a part whose keys are in some ranges, each found by the index.

    SQLite goes through what stands before a cross join first; of any other join, which SQLAlchemy would
    write, it may go through all rows of the part for the ranges.
    """
    wanted = (
        f"WITH asked (low, high) AS (VALUES {', '.join(['(?, ?)'] * len(ranges))}) "  # noqa: S608  # marks, and a name of the schema
        "SELECT kept.part, kept.key, kept.place, kept.numbers "
        f"FROM asked CROSS JOIN {table} kept "
        "WHERE kept.part = ? AND kept.key >= asked.low AND kept.key < asked.high"
    )
    yield from match_rows(connection.exec_driver_sql(wanted, (*chain.from_iterable(ranges), part)))


def _within_all(
    connection: sa.Connection, table: str, parts: Sequence[str], ranges: Sequence[tuple[bytes, bytes]]
) -> Iterator[MatchRow]:
    """Go through the rows of some parts whose keys are in some ranges, in PostgreSQL.

    It is asked once, as each question takes it as long as many ranges, and in the same words whatever their
    number, as its driver reads the text of each new statement.  The offset has it look up each range by the
    index, whatever it knows of the table.
    """
    wanted = (
        "SELECT kept.part, kept.key, kept.place, kept.numbers "  # noqa: S608  # a name of the schema
        "FROM unnest(%s::text[]) AS asked (part) "
        "CROSS JOIN unnest(%s::bytea[], %s::bytea[]) AS near (low, high) "
        f"CROSS JOIN LATERAL (SELECT part, key, place, numbers FROM {table} "
        "WHERE part = asked.part AND key >= near.low AND key < near.high OFFSET 0) kept"
    )
    values = map(array_of, (parts, *zip(*ranges, strict=True)))
    yield from match_rows(connection.exec_driver_sql(wanted, tuple(values)))


def write(
    database: Database, connection: sa.Connection, rows: Iterable[MatchRow], revision: int, *, new: bool
) -> None:
    """Write rows; ``new`` says that none of them is there."""
    put = database.insert if new else database.upsert
    put(connection, DERIVED, [(*row, revision) for row in rows])


def delete(connection: sa.Connection, rows: Iterable[MatchRow]) -> None:
    """Delete some rows."""
    for row in rows:
        connection.execute(sa.delete(DERIVED).where(DERIVED.c.part == row.part, DERIVED.c.key == row.key))


def write_sizes(database: Database, connection: sa.Connection, sizes: Counter[str]) -> None:
    """Keep how many rows each part has."""
    database.upsert(connection, SIZE, list(sizes.items()))


def renew(database: Database, connection: sa.Connection, revision: int, *, moved: bool) -> bytes:
    """Note that rows were written, and return the new token.

    Parameters
    ----------
    database, connection
        Where they were written.
    revision : int
        What they were written with.
    moved : bool
        Whether some were deleted or stand elsewhere, so that earlier readers cannot go on.
    """
    if moved:
        connection.execute(sa.delete(RENEWAL))
    else:
        old = sa.select(RENEWAL.c.revision).order_by(RENEWAL.c.revision.desc()).offset(RENEWALS).limit(1)
        last = connection.execute(old).scalar()
        if last is not None:
            connection.execute(sa.delete(RENEWAL).where(RENEWAL.c.revision <= last))
    token = secrets.token_bytes(16)
    database.insert(connection, RENEWAL, [(token, revision)])
    return token


def delete_all(connection: sa.Connection) -> None:
    """Delete every derived row."""
    for table in (DERIVED, RENEWAL, SIZE, RATING):
        connection.execute(sa.delete(table))


#: Matches in the span of a checkpoint, at least, where there are more.
SPAN = 1000

#: Parts of what is to be learnt that have a checkpoint each, as far as spans allow.
PARTS = 8

#: The largest part of what comes after them that the span of two united neighbours may be.
MOST_OF_LATER = 0.5

#: Numbers of checkpoints for each revision of the archive, so that none comes again.
NUMBERS = 1 << 16

#: A place in replay order: when a match ended, and its turn among those that ended then.
Position = tuple[float, bytes]

#: Before every match.
BEGINNING: Position = (-1e300, b"")


class Checkpoint(NamedTuple):
    """A place to go back to, and how many matches there are from it to the next."""

    number: int
    ended: float
    match: bytes
    matches: int

    @property
    def position(self) -> Position:
        """The place of the last match that is learnt there."""
        return self.ended, self.match


class Back(NamedTuple):
    """The way to a checkpoint: the rows as they were there, without numbers where there was none.

    ``there`` are the checkpoints from it on.
    """

    to: Checkpoint
    rows: tuple[MatchRow, ...]
    there: tuple[Checkpoint, ...]


class CheckpointNote(NamedTuple):
    """What rows were at a place, before some matches were learnt from."""

    position: Position
    matches: int
    rows: Iterable[MatchRow]


def together(left: int, most: int) -> int:
    """Return how many matches to learn from at once, so that a checkpoint lies near the end.

    Examples
    --------
    >>> together(100_000, 10_000), together(10_000, 10_000), together(500, 10_000)
    (10000, 1250, 1000)
    """
    return max(SPAN, min(most, left // PARTS))


def changed_since(connection: sa.Connection) -> Position | None:
    """Return the earliest place where corrections have changed the past, None where they have not."""
    rows = connection.execute(sa.select(CHANGED.c.ended, CHANGED.c.id))
    return min(((float(row.ended), turn_of(bytes(row.id))) for row in rows), default=None)


def checkpoints_from(connection: sa.Connection, position: Position) -> tuple[Checkpoint, ...]:
    """Return the newest checkpoint before a match and those after it, none where there is none before it."""
    there = all_checkpoints(connection)
    first = sum(each.position < position for each in there) - 1
    return tuple(there[first:]) if first >= 0 else ()


def way_back(
    reading: Callable[[], AbstractContextManager[sa.Connection]], there: Sequence[Checkpoint]
) -> Back | None:
    """Return the way to the first of some checkpoints, None where there is none.

    Each is read by itself.  What others add meanwhile are rows as they are; that they did nothing else
    :func:`way_back_now` tells.
    """
    rows: dict[tuple[str, bytes], MatchRow] = {}
    for each in reversed(there):
        with reading() as connection:
            rows |= _of(connection, each)
    return Back(there[0], tuple(rows.values()), tuple(there)) if there else None


def way_back_now(connection: sa.Connection, before: Back) -> Back | None:
    """Return the way back after others may have learnt from what is new, None where they did anything else.

    They add rows to the newest checkpoint, of which those count that are not on the way already.
    """
    there = [each for each in all_checkpoints(connection) if each.number >= before.to.number]
    if [(each.number, each.position) for each in there] != [
        (each.number, each.position) for each in before.there
    ]:
        return None
    rows = _of(connection, there[-1]) | {(row.part, row.key): row for row in before.rows}
    return Back(before.to, tuple(rows.values()), tuple(there))


def _of(connection: sa.Connection, one: Checkpoint) -> dict[tuple[str, bytes], MatchRow]:
    """Return the rows of a checkpoint by part and key."""
    wanted = sa.select(UNDO.c.part, UNDO.c.key, UNDO.c.place, UNDO.c.numbers)
    return {
        (part, bytes(key)): MatchRow(part, bytes(key), place, bytes(numbers))
        for part, key, place, numbers in connection.execute(wanted.where(UNDO.c.number == one.number)).all()
    }


def all_checkpoints(connection: sa.Connection) -> list[Checkpoint]:
    """Return all checkpoints, in the order of their places."""
    rows = connection.execute(sa.select(CHECKPOINT).order_by(CHECKPOINT.c.number))
    return [Checkpoint(row.number, float(row.ended), bytes(row.match), row.matches) for row in rows]


def checkpoint_numbers(connection: sa.Connection) -> frozenset[int]:
    """Return the numbers of all checkpoints."""
    return frozenset(each.number for each in all_checkpoints(connection))


def go_back(connection: sa.Connection, back: Back) -> None:
    """Let go of a checkpoint and of those after it; the derived rows are then the caller's."""
    for each in back.there:
        connection.execute(sa.delete(UNDO).where(UNDO.c.number == each.number))
    connection.execute(sa.delete(CHECKPOINT).where(CHECKPOINT.c.number >= back.to.number))


class StagedNote(NamedTuple):
    """A note whose rows are written already, under the number of a checkpoint that there is not yet."""

    number: int
    position: Position
    matches: int
    rows: int


def stage(database: Database, notes: Iterable[CheckpointNote], many: int) -> list[StagedNote]:
    """Write the rows of notes in a short transaction each, where nobody looks for them yet.

    What a crash leaves of them :func:`note_staged` deletes some time.

    Parameters
    ----------
    database : Database
        Where they are written.
    notes : iterable of CheckpointNote
        In the order of their places.
    many : int
        How many there are.
    """
    staged: list[StagedNote] = []
    with database.writing() as connection:
        first = _next_number(connection)
        # A row that is nobody's, so that no other process takes the same numbers.
        database.insert(connection, UNDO, [(first + n, "", b"", 0, b"") for n in range(many)])
    for number, one in enumerate(notes, first):
        rows = [(number, *row) for row in one.rows]
        with database.writing() as connection:
            connection.execute(sa.delete(UNDO).where(UNDO.c.number == number, UNDO.c.part == ""))
            database.insert_missing(connection, UNDO, rows)
        staged.append(StagedNote(number, one.position, one.matches, len(rows)))
    return staged


def are_staged(connection: sa.Connection, notes: Iterable[StagedNote]) -> bool:
    """Tell whether all rows of staged notes are there: another process may have deleted them."""
    counted = sa.select(sa.func.count()).select_from(UNDO)
    return all(
        connection.execute(counted.where(UNDO.c.number == each.number)).scalar_one() == each.rows
        for each in notes
    )


def note_staged(database: Database, connection: sa.Connection, notes: Sequence[StagedNote]) -> None:
    """Let staged notes be checkpoints, and delete rows that belong to none."""
    database.insert(connection, CHECKPOINT, [(each.number, *each.position, each.matches) for each in notes])
    there, number = {each.number for each in all_checkpoints(connection)}, -1
    while (
        following := connection.execute(
            sa.select(sa.func.min(UNDO.c.number)).where(UNDO.c.number > number)
        ).scalar()
    ) is not None:
        number = int(following)
        if number not in there:
            connection.execute(sa.delete(UNDO).where(UNDO.c.number == number))


def unite_neighbours(connection: sa.Connection) -> None:
    """Unite neighbours whose spans have become small parts of what comes after them."""
    there = all_checkpoints(connection)
    while (at := to_unite([each.matches for each in there])) is not None:
        older, newer = there[at], there[at + 1]
        _unite_two(connection, older, newer)
        there[at : at + 2] = [older._replace(matches=older.matches + newer.matches)]


def forget_all(connection: sa.Connection, *, rows: bool = True) -> None:
    """Delete every checkpoint, with its rows unless these are deleted later."""
    connection.execute(sa.delete(CHECKPOINT))
    if rows:
        connection.execute(sa.delete(UNDO))


def note(database: Database, connection: sa.Connection, one: CheckpointNote, *, unite: bool = True) -> None:
    """Keep what rows were at a place.

    Without ``unite`` checkpoints stay as they are: somebody may be on the way back to one of them.
    """
    there = all_checkpoints(connection)
    if there and (not unite or there[-1].matches + one.matches <= SPAN):
        number = there[-1].number
        grown = sa.update(CHECKPOINT).where(CHECKPOINT.c.number == number)
        connection.execute(grown.values(matches=there[-1].matches + one.matches))
    else:
        number = _next_number(connection)
        database.insert(connection, CHECKPOINT, [(number, *one.position, one.matches)])
        unite_neighbours(connection)
    database.insert_missing(connection, UNDO, [(number, *row) for row in one.rows])


def _next_number(connection: sa.Connection) -> int:
    """Return the number of a new checkpoint: higher than all there are, and one that none has had before."""
    newest = [
        connection.execute(sa.select(sa.func.max(each.c.number))).scalar() for each in (UNDO, CHECKPOINT)
    ]
    return max(int(archive_row(connection).revision) * NUMBERS, *(int(each or 0) for each in newest)) + 1


def unite_all(
    database: Database,
    connection: sa.Connection,
    there: Sequence[Checkpoint],
    matches: int,
    rows: Iterable[MatchRow],
) -> int:
    """Let several checkpoints be one, the first of them, and return its number.

    Parameters
    ----------
    database, connection
        Where they are.
    there : sequence of Checkpoint
        One and all that follow it; without any there is a new one, before all matches.
    matches : int
        How many there are from there on.
    rows : iterable of MatchRow
        Rows that will have changed since, as they are now: those that are on no way back yet were so there.
    """
    if there:
        number = there[0].number
        for each in there[1:]:
            _unite_two(connection, there[0], each)
        connection.execute(sa.update(CHECKPOINT).where(CHECKPOINT.c.number == number).values(matches=matches))
    else:
        forget_all(connection)
        number = _next_number(connection)
        database.insert(connection, CHECKPOINT, [(number, *BEGINNING, matches)])
    # Nearly all are there already, and to find that out takes less than to write them in vain.
    keys = connection.execute(sa.select(UNDO.c.part, UNDO.c.key).where(UNDO.c.number == number))
    known = {(part, bytes(key)) for part, key in keys}
    new = [(number, *row) for row in rows if (row.part, row.key) not in known]
    database.insert_missing(connection, UNDO, new)
    return number


def coarse(there: Sequence[Checkpoint], most: int) -> Checkpoint | None:
    """Return the first checkpoint whose span is too long for those after it, None where all are well.

    Parameters
    ----------
    there : sequence of Checkpoint
        All.
    most : int
        Matches that are learnt from at once.
    """
    later = sum(each.matches for each in there)
    for each in there:
        later -= each.matches
        # What is kept packed comes in parts of that many, and some more that came since.
        if each.matches > max(most + 2 * SPAN, MOST_OF_LATER * later):
            return each
    return None


def to_unite(spans: Sequence[int]) -> int | None:
    """Return the first of some neighbours whose united span is a small part of what comes after, or None.

    So what is learnt because of a late match is at most that much more than what came after it.

    Examples
    --------
    >>> to_unite([1000, 1000, 1000, 3000]), to_unite([1000, 1000, 3000])
    (0, None)
    """
    after = sum(spans)
    for at, (older, newer) in enumerate(pairwise(spans)):
        if older + newer <= MOST_OF_LATER * (after - older - newer):
            return at
        after -= older
    return None


def _unite_two(connection: sa.Connection, older: Checkpoint, newer: Checkpoint) -> None:
    """Unite two neighbours: where both have a row that of the older one stays.

    Written so that the keys are hashed once: PostgreSQL, which knows nothing of numbers that are new, takes
    both for one row, and would go through all of one for each of the other.
    """
    same = UNDO.alias()
    keys = sa.select(same.c.part, same.c.key).where(same.c.number == older.number)
    known = sa.case((sa.tuple_(UNDO.c.part, UNDO.c.key).in_(keys), sa.true()), else_=sa.false())
    connection.execute(sa.delete(UNDO).where(UNDO.c.number == newer.number, known))
    connection.execute(sa.update(UNDO).where(UNDO.c.number == newer.number).values(number=older.number))
    connection.execute(sa.delete(CHECKPOINT).where(CHECKPOINT.c.number == newer.number))
    grown = sa.update(CHECKPOINT).where(CHECKPOINT.c.number == older.number)
    connection.execute(grown.values(matches=older.matches + newer.matches))
