"""What the parts of an archive ask of its tables, within a transaction that is open."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from equipoise.archive.schema import ARCHIVE, MATCH, MERGED
from equipoise.errors import InputError

#: Ids that are asked for at once; SQLite before 3.32 takes 999 values in a statement.
ASKED = 900


def identity(text: str) -> bytes:
    """Return an id as it is kept: bytes whose order is that of the code points."""
    return text.encode("utf-8", "surrogatepass")


def text_of(identity: bytes) -> str:
    """Return the id that is kept as bytes."""
    return bytes(identity).decode("utf-8", "surrogatepass")


def archive_row(connection: sa.Connection) -> Any:
    """Return the one row of the archive."""
    return connection.execute(sa.select(ARCHIVE)).one()


def grow(connection: sa.Connection) -> int:
    """Count one change more, and return the new revision."""
    connection.execute(sa.update(ARCHIVE).values(revision=ARCHIVE.c.revision + 1))
    return int(connection.execute(sa.select(ARCHIVE.c.revision)).scalar_one())


def mark_stale(connection: sa.Connection, reason: str) -> None:
    """Note why the derived rows must be made anew."""
    grow(connection)
    connection.execute(sa.update(ARCHIVE).values(stale=reason))


def in_replay_order(last: tuple[float, bytes] | None) -> sa.Select[Any]:
    """Select the matches that count, in replay order, after some place in it."""
    wanted = sa.select(MATCH.c.ended, MATCH.c.id, MATCH.c.record).where(MATCH.c.undone.is_(False))
    if last is not None:
        later = sa.and_(MATCH.c.ended == last[0], MATCH.c.id > last[1])
        wanted = wanted.where(MATCH.c.ended >= last[0], sa.or_(MATCH.c.ended > last[0], later))
    return wanted.order_by(MATCH.c.ended, MATCH.c.id)


def present(connection: sa.Connection, ids: list[bytes]) -> set[bytes]:
    """Return those ids that the archive has."""
    found: set[bytes] = set()
    for start in range(0, len(ids), ASKED):
        wanted = sa.select(MATCH.c.id).where(MATCH.c.id.in_(ids[start : start + ASKED]))
        found.update(bytes(each) for each in connection.execute(wanted).scalars())
    return found


def merged_ids(connection: sa.Connection) -> dict[str, str]:
    """Return from each merged id the one it counts as."""
    pairs = {text_of(row.player): text_of(row.into) for row in connection.execute(sa.select(MERGED))}
    roots = {}
    for player in pairs:
        root = player
        while root in pairs:
            root = pairs[root]
        roots[player] = root
    return roots


def match_key(connection: sa.Connection, match_id: str) -> bytes:
    """Return the id of the one match whose id begins so."""
    start = identity(match_id)
    wanted = sa.select(MATCH.c.id).where(MATCH.c.id >= start).order_by(MATCH.c.id).limit(2)
    found = [bytes(each) for each in connection.execute(wanted).scalars()]
    found = [each for each in found if each.startswith(start)]
    if not found or not start:
        msg = f"match: there is none whose id begins with {match_id!r}"
        raise InputError(msg)
    if len(found) > 1 and found[0] != start:
        msg = f"match: several have an id that begins with {match_id!r}; give more of it"
        raise InputError(msg)
    return found[0]
