"""Everything an archive holds that does not follow from the rest, in one order: for digest and export."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import sqlalchemy as sa

from equipoise.archive.chosen_model import Chosen
from equipoise.archive.database import Database
from equipoise.archive.row_codec import match_of, record_of
from equipoise.archive.tables import (
    ARCHIVE,
    FORGOTTEN,
    MATCH,
    MERGED,
    NIGHT,
    archive_row,
    identity,
    mark_stale,
    text_of,
    turn_of,
)
from equipoise.errors import InputError

#: Kinds of content: what holds for the whole, matches, merged ids, tombstones, and events of nights.
WHOLE, GAME, SAME, GONE, STEP = "archive", "match", "merged", "forgotten", "night"

#: The layout of the content; a later one is refused.
FORMAT = 1

#: Matches that are handed on at once.
TOGETHER = 10_000  # effort


class Content(NamedTuple):
    """One piece of content: a match with its record, a merged id with the one it counts as, a tombstone."""

    kind: str
    id: bytes
    ended: float = 0.0
    undone: bool = False
    text: str = ""


def contents(connection: sa.Connection) -> Iterator[Content]:
    """Go through everything, the same in every database."""
    row = archive_row(connection)
    facts = {"format": FORMAT, "model": row.model, "settings": row.settings}
    yield Content(WHOLE, bytes(row.salt), text=json.dumps(facts, sort_keys=True))
    matches = sa.select(MATCH.c.id, MATCH.c.ended, MATCH.c.undone, MATCH.c.record).order_by(MATCH.c.id)
    for one in connection.execution_options(yield_per=TOGETHER).execute(matches):
        yield Content(GAME, bytes(one.id), one.ended, bool(one.undone), one.record)
    for one in connection.execute(sa.select(MERGED).order_by(MERGED.c.player)):
        yield Content(SAME, bytes(one.player), text=text_of(one.into))
    for stone in connection.execute(
        sa.select(FORGOTTEN.c.tombstone).order_by(FORGOTTEN.c.tombstone)
    ).scalars():
        yield Content(GONE, bytes(stone))
    for row in connection.execute(sa.select(NIGHT).order_by(NIGHT.c.number)):
        yield Content(STEP, row.number.to_bytes(8, "big"), text=row.event)


def digest(content: Iterable[Content]) -> str:
    """Return a hash of content, but for the salt and the model of the archive."""
    found = hashlib.sha256()
    for one in content:
        if one.kind != WHOLE:
            for part in (one.kind.encode(), one.id, b"\1" if one.undone else b"\0", identity(one.text)):
                found.update(len(part).to_bytes(8, "big") + part)
    return found.hexdigest()


def fill(database: Database, connection: sa.Connection, content: Iterable[Content]) -> int:
    """Put content into an archive that holds nothing; return how many matches there were.

    Raises
    ------
    InputError
        If the archive holds something, or the content is not that of an archive.
    """
    if connection.execute(sa.select(MATCH.c.id).limit(1)).first():
        msg = f": {database.where} holds matches already; name a new archive"
        raise InputError(msg, "store")
    matches = 0
    rows: list[tuple[object, ...]] = []
    for one in content:
        if one.kind == WHOLE:
            _fill_whole(connection, one)
        elif one.kind == GAME:
            rows.append((one.id, one.ended, 1, one.undone, _record(one), turn_of(one.id)))
            matches += 1
        elif one.kind == SAME:
            database.insert(connection, MERGED, [(one.id, identity(one.text))])
        elif one.kind == GONE:
            database.insert(connection, FORGOTTEN, [(one.id,)])
        elif one.kind == STEP:
            database.insert(connection, NIGHT, [(int.from_bytes(one.id, "big"), one.text)])
        else:
            msg = f"content: {one.kind!r} is not one of {WHOLE}, {GAME}, {SAME}, {GONE} and {STEP}"
            raise InputError(msg)
        if len(rows) == TOGETHER:
            database.insert(connection, MATCH, rows)
            rows = []
    database.insert(connection, MATCH, rows)
    mark_stale(connection, "the archive was imported")
    return matches


def _fill_whole(connection: sa.Connection, one: Content) -> None:
    facts = json.loads(one.text)
    if facts["format"] != FORMAT:
        msg = f"content: the format {facts['format']} is not known; this equipoise knows {FORMAT}"
        raise InputError(msg)
    Chosen(facts["model"], facts["settings"]).made()
    connection.execute(
        sa.update(ARCHIVE).values(salt=one.id, model=facts["model"], settings=facts["settings"])
    )


def _record(one: Content) -> str:
    """Return the record of a match, as this equipoise writes it."""
    match = match_of(one.text)
    if identity(match.id) != one.id or (match.dated and float(match.ended or 0.0) != one.ended):
        msg = f"content: the match {text_of(one.id)!r} has the record of another one"
        raise InputError(msg)
    return record_of(match)
