"""Ways back: what the derived rows were at earlier places of the replay, so that little is learnt again.

A checkpoint is a place in replay order with the rows that have changed since, as they were there; going back
is writing those of the newest checkpoints first, down to the one that is asked for.  Neighbours are united as
their spans grow, so that there are few: their number grows as the logarithm of the number of matches.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import sqlalchemy as sa

from equipoise.archive.database import Database
from equipoise.archive.records import MatchRow
from equipoise.archive.schema import CHANGED, CHECKPOINT, UNDO

#: Matches in the span of a checkpoint, at least, where there are more.
SPAN = 1000

#: Parts of what is to be learnt that have a checkpoint each, as far as spans allow.
PARTS = 8

#: The largest part of what comes after them that the span of two united neighbours may be.
MOST_OF_LATER = 0.5

#: A place in replay order.
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
    """The way to a checkpoint: the rows as they were there, without numbers where there was none."""

    to: Checkpoint
    rows: tuple[MatchRow, ...]


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
    first = connection.execute(sa.select(CHANGED).order_by(CHANGED.c.ended, CHANGED.c.id).limit(1)).first()
    return None if first is None else (float(first.ended), bytes(first.id))


def way_back(connection: sa.Connection, position: Position) -> Back | None:
    """Return the way to the newest checkpoint before a match, None where there is none."""
    there = [each for each in _all(connection) if each.position < position]
    if not there:
        return None
    rows: dict[tuple[str, bytes], MatchRow] = {}
    wanted = sa.select(UNDO).where(UNDO.c.number >= there[-1].number).order_by(UNDO.c.number.desc())
    for one in connection.execute(wanted):
        rows[one.part, bytes(one.key)] = MatchRow(one.part, bytes(one.key), one.place, bytes(one.numbers))
    return Back(there[-1], tuple(rows.values()))


def _all(connection: sa.Connection) -> list[Checkpoint]:
    rows = connection.execute(sa.select(CHECKPOINT).order_by(CHECKPOINT.c.number))
    return [Checkpoint(row.number, float(row.ended), bytes(row.match), row.matches) for row in rows]


def go_back(connection: sa.Connection, back: Back) -> None:
    """Let go of a checkpoint and of those after it; the derived rows are then the caller's."""
    connection.execute(sa.delete(UNDO).where(UNDO.c.number >= back.to.number))
    connection.execute(sa.delete(CHECKPOINT).where(CHECKPOINT.c.number >= back.to.number))


def forget_all(connection: sa.Connection) -> None:
    """Delete every checkpoint."""
    connection.execute(sa.delete(UNDO))
    connection.execute(sa.delete(CHECKPOINT))


def note(database: Database, connection: sa.Connection, one: CheckpointNote) -> None:
    """Keep what rows were at a place."""
    there = _all(connection)
    if there and there[-1].matches + one.matches <= SPAN:
        number = there[-1].number
        grown = sa.update(CHECKPOINT).where(CHECKPOINT.c.number == number)
        connection.execute(grown.values(matches=there[-1].matches + one.matches))
    else:
        number = there[-1].number + 1 if there else 1
        database.insert(connection, CHECKPOINT, [(number, *one.position, one.matches)])
        there = [*there, Checkpoint(number, *one.position, one.matches)]
        while (at := to_unite([each.matches for each in there])) is not None:
            older, newer = there[at], there[at + 1]
            _unite_two(connection, older, newer)
            there[at : at + 2] = [older._replace(matches=older.matches + newer.matches)]
    database.insert_missing(connection, UNDO, [(number, *row) for row in one.rows])


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
    """Unite two neighbours: where both have a row that of the older one stays."""
    same = UNDO.alias()
    known = sa.exists().where(
        same.c.number == older.number, same.c.part == UNDO.c.part, same.c.key == UNDO.c.key
    )
    connection.execute(sa.delete(UNDO).where(UNDO.c.number == newer.number, known))
    connection.execute(sa.update(UNDO).where(UNDO.c.number == newer.number).values(number=older.number))
    connection.execute(sa.delete(CHECKPOINT).where(CHECKPOINT.c.number == newer.number))
    grown = sa.update(CHECKPOINT).where(CHECKPOINT.c.number == older.number)
    connection.execute(grown.values(matches=older.matches + newer.matches))
