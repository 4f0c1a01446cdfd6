"""Rows beside the matches that name people: what is sent, what happened in queues, what admins did.

A person who is forgotten is written out of them too, whatever was sent or done already.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from equipoise.archive.row_codec import match_of, record_of
from equipoise.archive.tables import (
    AUDIT,
    LETTER,
    OUTBOX,
    QUEUE_EVENT,
    QUEUE_MEMBER,
    QUEUE_PERSON,
    QUEUE_STATE,
    archive_row,
    identity,
    text_of,
)
from equipoise.archive.ticket_record import archive_marks
from equipoise.errors import EquipoiseError
from equipoise.identity.forgetting import Forgotten
from equipoise.identity.merges import anonymous, stand_in, tombstone
from equipoise.identity.names import folded

#: The kind of note whose body is the record of a match.
RESULT = "result"


def write_out(connection: sa.Connection, gone: Forgotten, again: Collection[str]) -> None:
    """Write a person out of the outbox, the records of queues, and the audit log.

    Those of the ids that were forgotten before are there ``again``.
    """

    def unnamed(text: str) -> str:
        """Return a message, empty where it names the person."""
        return "" if any(each in text for each in gone.ids) else text

    _rewrite(connection, OUTBOX, lambda row: {
        "body": _note(row.kind, row.body, gone), "id": gone.text(row.id), "trouble": unnamed(row.trouble),
    })  # fmt: skip
    _write_out_of_queues(connection, gone, again)
    _rewrite(connection, AUDIT, lambda row: {
        "asked": _changed(row.asked, gone.without), "outcome": unnamed(row.outcome),
    })  # fmt: skip


def _write_out_of_queues(connection: sa.Connection, gone: Forgotten, again: Collection[str]) -> None:
    """Write a person out of the records of queues, and out of what servers ask each other about them.

    There a name is an id of its own, as somebody may wait under one that nobody bore when they entered, and
    under their id too: two tickets stay two, so that the record can be gone through again.  For that an id
    that is forgotten again has another stand-in each time.
    """
    salt = bytes(archive_row(connection).salt)
    times = archive_marks(connection).forgotten
    others = {each: stand_in(tombstone(salt, f"{each} {times}")) for each in again}
    gone = replace(gone, ids={**gone.ids, **others}, spelled=lambda text: stand_in(tombstone(salt, text)))
    _rewrite(connection, QUEUE_EVENT, lambda row: {
        "event": _of_queue(row.event, gone), "replies": _of_queue(row.replies, gone),
    })  # fmt: skip
    _rewrite(
        connection, QUEUE_STATE, lambda row: {"state": _redacted(_changed(row.state, gone.without), gone)}
    )

    def other(kept: bytes) -> bytes:
        return identity(gone.text(text_of(kept)))

    _rewrite(connection, QUEUE_MEMBER, lambda row: {"ticket": other(row.ticket)})
    written = [identity(each) for each in set(map(folded, gone.ids)) - gone.ids.keys()]
    for row in connection.execute(sa.select(QUEUE_PERSON)).all():
        if text_of(row.person) in gone.ids:  # the owner of the queue knows how they are written now
            theirs = (QUEUE_PERSON.c.queue == row.queue, QUEUE_PERSON.c.ticket == row.ticket)
            connection.execute(sa.delete(QUEUE_PERSON).where(QUEUE_PERSON.c.person.in_(written), *theirs))
    _rewrite(connection, QUEUE_PERSON, lambda row: {"person": other(row.person), "ticket": other(row.ticket)})
    for row in connection.execute(sa.select(LETTER)).all():
        lines = [*json.loads(row.questions), row.answers or "null"]
        if any(_of_queue(line, gone) != line for line in lines):  # who asked hears that nobody answered
            connection.execute(sa.delete(LETTER).where(LETTER.c.id == row.id))


def _rewrite(
    connection: sa.Connection, table: sa.Table, change: Callable[[sa.Row[Any]], dict[str, Any]]
) -> None:
    """Write the rows of a table again in which a change makes anything another."""
    for row in connection.execute(sa.select(table)).all():
        values = change(row)
        if any(getattr(row, name) != value for name, value in values.items()):
            key = [column == getattr(row, column.name) for column in table.primary_key.columns]
            connection.execute(sa.update(table).where(*key).values(values))


def _note(kind: str, body: str, gone: Forgotten) -> str:
    """Return the body of a note without a person."""
    if kind == RESULT:
        try:
            return record_of(anonymous(match_of(body), dict(gone.ids)))
        except (EquipoiseError, LookupError, TypeError, ValueError):
            pass  # written by an earlier version
    return _redacted(_changed(body, gone.without), gone)


def _of_queue(line: str, gone: Forgotten) -> str:
    """Return an event of a queue, or the replies to one, without a person: the kind before each stays."""

    def without(plain: Any) -> Any:
        if isinstance(plain, list) and len(plain) == 2 and isinstance(plain[0], str):
            return [plain[0], gone.without(plain[1])]
        if isinstance(plain, list):
            return [without(each) for each in plain]
        return gone.without(plain)

    return _redacted(_changed(line, without), gone)


def _redacted(text: str, gone: Forgotten) -> str:
    """Return JSON without a person in the sentences that say why a ticket left."""
    for each, other in gone.ids.items():
        before, after = (json.dumps(repr(name), ensure_ascii=False)[1:-1] for name in (each, other))
        text = text.replace(before, after)
    return text


def _changed(text: str, change: Any) -> str:
    """Return JSON after a change; the same bytes where nothing is another."""
    before = json.loads(text)
    after = change(before)
    return text if after == before else json.dumps(after, separators=(",", ":"), ensure_ascii=False)
