"""The tables of an archive, the same for every database, and what every part of it asks of them.

Texts from outside (ids, names) are kept as bytes of UTF-8: their order is then that of the code points in
every database, and nothing in them is refused.
``migrations/`` has the way from any earlier schema to this one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sa

from equipoise.core.match import replay_key
from equipoise.errors import InputError
from equipoise.identity.shared_ids import Identities

#: The newest schema: the name of the last step in ``migrations/versions``.
HEAD = "13"

#: The oldest schema whose equipoise may go on with a database of the newest: every step since has only added
#: tables, and columns with a default, and nothing that is learnt.  So servers of one database are upgraded
#: one after the other.
OLDEST = "12"

METADATA = sa.MetaData()

#: One row: what holds for the archive as a whole.
#: ``revision`` grows with each change; ``rated`` is the revision that the derived rows are of, ``rated_by``
#: the model and all its parameters that made them, ``last_*`` the last match in them, and ``stale`` why they
#: must be rebuilt (empty where they need not); ``oldest`` is :data:`OLDEST` of who upgraded the schema.
ARCHIVE = sa.Table(
    "archive",
    METADATA,
    sa.Column("one", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("revision", sa.BigInteger, nullable=False),
    sa.Column("salt", sa.LargeBinary, nullable=False),
    sa.Column("model", sa.Text, nullable=False),
    sa.Column("settings", sa.Text, nullable=False),
    sa.Column("rated", sa.BigInteger, nullable=False),
    sa.Column("rated_by", sa.Text, nullable=False),
    sa.Column("last_ended", sa.Double, nullable=False),
    sa.Column("last_match", sa.LargeBinary, nullable=False),
    sa.Column("stale", sa.Text, nullable=False),
    sa.Column("oldest", sa.Text, nullable=False, server_default=sa.text("''")),
)

#: What happened: a row a match, with its record as JSON and the revision it came with; ``turn`` is its turn
#: among those that ended at the same time.
MATCH = sa.Table(
    "match",
    METADATA,
    sa.Column("id", sa.LargeBinary, primary_key=True),
    sa.Column("ended", sa.Double, nullable=False),
    sa.Column("revision", sa.BigInteger, nullable=False),
    sa.Column("undone", sa.Boolean, nullable=False),
    sa.Column("record", sa.Text, nullable=False),
    sa.Column("turn", sa.LargeBinary, nullable=False),
    sa.Index("match_in_order", "ended", "turn"),
    sa.Index("match_by_revision", "revision"),
)

#: Who is the same person as whom.
MERGED = sa.Table(
    "merged",
    METADATA,
    sa.Column("player", sa.LargeBinary, primary_key=True),
    sa.Column("into", sa.LargeBinary, nullable=False),
)

#: Ids that two clients had at once who both played, and each match they were in: when it ended, the names of
#: those who had the id there, and whether that match proves it.  It follows from the matches.
CLIENT = sa.Table(
    "client",
    METADATA,
    sa.Column("player", sa.LargeBinary, primary_key=True),
    sa.Column("match", sa.LargeBinary, primary_key=True),
    sa.Column("names", sa.Text, nullable=False),
    sa.Column("proven", sa.Boolean, nullable=False),
    sa.Column("server", sa.Text, nullable=False),
)

#: Of each id that several people have, who bears which name, as JSON; it follows from the table before.
SHARED = sa.Table(
    "shared",
    METADATA,
    sa.Column("player", sa.LargeBinary, primary_key=True),
    sa.Column("people", sa.Text, nullable=False),
)

#: Who must not come back: a salted hash of the id, from which the id follows that stands in its place.
FORGOTTEN = sa.Table(
    "forgotten",
    METADATA,
    sa.Column("tombstone", sa.LargeBinary, primary_key=True),
)

#: What follows from the matches: the model's state and what else is known, as rows of numbers, with the
#: revision each was last written at.
DERIVED = sa.Table(
    "derived",
    METADATA,
    sa.Column("part", sa.Text, primary_key=True),
    sa.Column("key", sa.LargeBinary, primary_key=True),
    sa.Column("place", sa.BigInteger, nullable=False),
    sa.Column("numbers", sa.LargeBinary, nullable=False),
    sa.Column("revision", sa.BigInteger, nullable=False),
    sa.Index("derived_by_revision", "revision"),
    sqlite_with_rowid=False,  # else every key is kept twice
)

#: The times the derived rows were written since one of them was last deleted or moved: a process that has
#: them as of one of these needs only what was written later.
RENEWAL = sa.Table(
    "renewal",
    METADATA,
    sa.Column("token", sa.LargeBinary, primary_key=True),
    sa.Column("revision", sa.BigInteger, nullable=False),
)

#: How many derived rows each part has.
SIZE = sa.Table(
    "size",
    METADATA,
    sa.Column("part", sa.Text, primary_key=True),
    sa.Column("rows", sa.BigInteger, nullable=False),
)

#: Places in replay order to go back to; ``matches`` is how many there are from each to the next.
CHECKPOINT = sa.Table(
    "checkpoint",
    METADATA,
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("ended", sa.Double, nullable=False),
    sa.Column("match", sa.LargeBinary, nullable=False),
    sa.Column("matches", sa.BigInteger, nullable=False),
)

#: What derived rows were at a checkpoint that have changed since; without numbers where there was none.
UNDO = sa.Table(
    "undo",
    METADATA,
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("part", sa.Text, primary_key=True),
    sa.Column("key", sa.LargeBinary, primary_key=True),
    sa.Column("place", sa.BigInteger, nullable=False),
    sa.Column("numbers", sa.LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

#: Matches that corrections have changed; from the earliest on the derived rows are stale.
CHANGED = sa.Table(
    "changed",
    METADATA,
    sa.Column("id", sa.LargeBinary, primary_key=True),
    sa.Column("ended", sa.Double, nullable=False),
)

#: Matches that came late and are not learnt from yet, and when that was noted, seconds since 1970.
LATE = sa.Table(
    "late",
    METADATA,
    sa.Column("id", sa.LargeBinary, primary_key=True),
    sa.Column("ended", sa.Double, nullable=False),
    sa.Column("noted", sa.Double, nullable=False),
)

#: What the ratings come to as plain numbers, for those who read with SQL; it follows from the derived rows.
RATING = sa.Table(
    "rating",
    METADATA,
    sa.Column("player", sa.Text, primary_key=True),
    sa.Column("ruleset", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("game", sa.Text, nullable=False),
    sa.Column("game_type", sa.Text, nullable=False),
    sa.Column("mutators", sa.Text, nullable=False),
    sa.Column("mu", sa.Double, nullable=False),
    sa.Column("sigma", sa.Double, nullable=False),
    sa.Column("weight", sa.Double, nullable=False),
    sa.Column("games", sa.BigInteger, nullable=False),
)

#: The chronicle that pages show: what it is of, numbered 0, and its columns in parts; and the model's state
#: at its end.
TIMELINE = sa.Table(
    "timeline",
    METADATA,
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("content", sa.LargeBinary, nullable=False),
)
TIMELINE_STATE = sa.Table(
    "timeline_state",
    METADATA,
    sa.Column("part", sa.Text, primary_key=True),
    sa.Column("key", sa.LargeBinary, primary_key=True),
    sa.Column("place", sa.BigInteger, nullable=False),
    sa.Column("numbers", sa.LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

#: How far followed logs were read.
FOLLOWED = sa.Table(
    "followed",
    METADATA,
    sa.Column("log", sa.LargeBinary, primary_key=True),
    sa.Column("place", sa.Text, nullable=False),
)

#: What stands in the place of a log to count how often somebody was forgotten who was before.
AGAIN = b"forgotten:again"

#: What happened in nights of games: events as JSON, numbered from 1, only ever added.
NIGHT = sa.Table(
    "night",
    METADATA,
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("event", sa.Text, nullable=False),
)

#: What is to be sent to webhooks, a row for each and what it receives; ``sent`` is 0 until it was taken.
OUTBOX = sa.Table(
    "outbox",
    METADATA,
    sa.Column("hook", sa.Text, primary_key=True),
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("made", sa.Double, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("tries", sa.BigInteger, nullable=False),
    sa.Column("due", sa.Double, nullable=False),
    sa.Column("sent", sa.Double, nullable=False),
    sa.Column("trouble", sa.Text, nullable=False),
    sa.Index("outbox_by_due", "hook", "sent", "due"),
)

#: What happened in queues: events as lines of JSON, numbered from 1 in each queue, only ever added, the
#: replies to each, and the epoch of the owner that wrote them; 0 without owners that take turns.
QUEUE_EVENT = sa.Table(
    "queue_event",
    METADATA,
    sa.Column("queue", sa.Text, primary_key=True),
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("at", sa.Double, nullable=False),
    sa.Column("event", sa.Text, nullable=False),
    sa.Column("replies", sa.Text, nullable=False),
    sa.Column("epoch", sa.BigInteger, nullable=False, server_default=sa.text("0")),
)

#: What a queue knew after an event, as one text, from which it goes on; the newest alone.
QUEUE_STATE = sa.Table(
    "queue_state",
    METADATA,
    sa.Column("queue", sa.Text, primary_key=True),
    sa.Column("number", sa.BigInteger, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
)

#: Which ticket is in which match now: a ticket is in one at most.
QUEUE_MEMBER = sa.Table(
    "queue_member",
    METADATA,
    sa.Column("queue", sa.Text, primary_key=True),
    sa.Column("ticket", sa.LargeBinary, primary_key=True),
    sa.Column("match", sa.Text, nullable=False),
)

#: In which ticket of which queue somebody is, by the id that they count as: one person in one of all queues.
QUEUE_PERSON = sa.Table(
    "queue_person",
    METADATA,
    sa.Column("person", sa.LargeBinary, primary_key=True),
    sa.Column("queue", sa.Text, nullable=False),
    sa.Column("ticket", sa.LargeBinary, nullable=False),
)

#: What admins did over the network: who, what, to whom, and what came of it; only ever added.
AUDIT = sa.Table(
    "audit",
    METADATA,
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("at", sa.Double, nullable=False),
    sa.Column("whose", sa.Text, nullable=False),
    sa.Column("what", sa.Text, nullable=False),
    sa.Column("asked", sa.Text, nullable=False),
    sa.Column("outcome", sa.Text, nullable=False),
)

#: What one of several servers owns at a time: how often it has changed hands, who has it, over which
#: connection, and when the owner was last heard of, seconds since 1970 by the database's clock.
SHARD = sa.Table(
    "shard",
    METADATA,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("epoch", sa.BigInteger, nullable=False),
    sa.Column("worker", sa.Text, nullable=False),
    sa.Column("backend", sa.BigInteger, nullable=False),
    sa.Column("heard", sa.Double, nullable=False),
)

#: The servers of one database, and when each was last heard of.
WORKER = sa.Table(
    "worker",
    METADATA,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("heard", sa.Double, nullable=False),
)

#: What servers ask the owner of a queue, as JSON, and the answers once there are some.
LETTER = sa.Table(
    "letter",
    METADATA,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("queue", sa.Text, nullable=False),
    sa.Column("worker", sa.Text, nullable=False),
    sa.Column("sent", sa.Double, nullable=False),
    sa.Column("questions", sa.Text, nullable=False),
    sa.Column("answers", sa.Text, nullable=True),
    sa.Index("letter_by_queue", "queue", "sent"),
)


#: Ids that are asked for at once; SQLite before 3.32 takes 999 values in a statement.
ASKED = 900


def identity(text: str) -> bytes:
    """Return an id as it is kept: bytes whose order is that of the code points."""
    return text.encode("utf-8", "surrogatepass")


def identities_of(texts: Sequence[str]) -> list[bytes]:
    """Return ids as they are kept, many at once.

    Examples
    --------
    >>> identities_of(["Zoë", chr(0)]) == [identity("Zoë"), identity(chr(0))], identities_of([])
    (True, [])
    """
    kept = "\0".join(texts).encode("utf-8", "surrogatepass").split(b"\0")
    return kept if len(kept) == len(texts) else list(map(identity, texts))


def text_of(identity: bytes) -> str:
    """Return the id that is kept as bytes."""
    return bytes(identity).decode("utf-8", "surrogatepass")


def texts_of(identities: Sequence[bytes]) -> list[str]:
    """Return ids that are kept as bytes, many at once."""
    try:
        texts = b"\0".join(identities).decode().split("\0")
    except UnicodeDecodeError:
        texts = []
    return texts if len(texts) == len(identities) else list(map(text_of, identities))


def turn_of(identity: bytes) -> bytes:
    """Return the turn of the match with an id among those that ended at the same time."""
    return replay_key(bytes(identity))


def archive_row(connection: sa.Connection) -> Any:
    """Return the one row of the archive."""
    return connection.execute(sa.select(ARCHIVE)).one()


def grow(connection: sa.Connection) -> int:
    """Count one change more, and return the new revision."""
    connection.execute(sa.update(ARCHIVE).values(revision=ARCHIVE.c.revision + 1))
    return int(connection.execute(sa.select(ARCHIVE.c.revision)).scalar_one())


def mark_stale(connection: sa.Connection, reason: str, earliest: tuple[float, bytes] = (-1e300, b"")) -> None:
    """Note why the derived rows must be rebuilt, and from which match on; by default from the first."""
    grow(connection)
    ended, key = earliest
    connection.execute(sa.delete(CHANGED).where(CHANGED.c.id == key, CHANGED.c.ended >= ended))
    if not connection.execute(sa.select(CHANGED.c.id).where(CHANGED.c.id == key)).first():
        connection.execute(sa.insert(CHANGED).values(id=key, ended=ended))
    connection.execute(sa.update(ARCHIVE).values(stale=reason))
    connection.execute(sa.delete(TIMELINE).where(TIMELINE.c.number == 0))


def in_replay_order(last: tuple[float, bytes] | None) -> sa.Select[Any]:
    """Select the matches that count, in replay order, after some place in it: an end and a turn."""
    wanted = sa.select(MATCH.c.ended, MATCH.c.turn, MATCH.c.record).where(MATCH.c.undone.is_(False))
    if last is not None:
        later = sa.and_(MATCH.c.ended == last[0], MATCH.c.turn > last[1])
        wanted = wanted.where(MATCH.c.ended >= last[0], sa.or_(MATCH.c.ended > last[0], later))
    return wanted.order_by(MATCH.c.ended, MATCH.c.turn)


def found(
    connection: sa.Connection, ids: Sequence[bytes], *columns: sa.ColumnElement[Any]
) -> Iterator[sa.Row[Any]]:
    """Go through those of some matches that the archive has: the id and other columns of each."""
    for start in range(0, len(ids), ASKED):
        wanted = sa.select(MATCH.c.id, *columns).where(MATCH.c.id.in_(ids[start : start + ASKED]))
        yield from connection.execute(wanted)


def present(connection: sa.Connection, ids: Sequence[bytes]) -> dict[bytes, float]:
    """Return those ids that the archive has, and when their matches ended."""
    return {bytes(row.id): float(row.ended) for row in found(connection, ids, MATCH.c.ended)}


def merged_ids(connection: sa.Connection) -> dict[str, str]:
    """Return from each merged id the one it counts as."""
    return roots_of({text_of(row.player): text_of(row.into) for row in connection.execute(sa.select(MERGED))})


def identities(connection: sa.Connection) -> Identities:
    """Return who everybody in the matches is."""
    shared = {text_of(row.player): json.loads(row.people) for row in connection.execute(sa.select(SHARED))}
    return Identities(merged_ids(connection), shared)


def roots_of(pairs: dict[str, str]) -> dict[str, str]:
    """Return from each merged id the one it counts as, where each may be merged into one that is merged."""
    roots = {}
    for player in pairs:
        root = player
        while root in pairs:
            root = pairs[root]
        roots[player] = root
    return roots


def keys_like(connection: sa.Connection, match_id: str) -> list[bytes]:
    """Return the ids that begin with a text, two at most, or else those that have it as a part."""
    start = identity(match_id)
    wanted = sa.select(MATCH.c.id).where(MATCH.c.id >= start).order_by(MATCH.c.id).limit(2)
    found = [bytes(each) for each in connection.execute(wanted).scalars()]
    found = [each for each in found if each.startswith(start)]
    if not found and start:
        found = [
            each for each in map(bytes, connection.execute(sa.select(MATCH.c.id)).scalars()) if start in each
        ]
    return found


def match_key(connection: sa.Connection, match_id: str) -> bytes:
    """Return the id of the one match whose id begins so, or else of the one with this part in it."""
    start, found = identity(match_id), keys_like(connection, match_id)
    if not found or not start:
        msg = f"match: there is none whose id is or has {match_id!r}"
        raise InputError(msg)
    if len(found) > 1 and found[0] != start:
        msg = f"match: several have an id with {match_id!r}; give more of it"
        raise InputError(msg)
    return found[0]
