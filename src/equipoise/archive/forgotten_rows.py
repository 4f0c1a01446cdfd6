"""Rows beside the matches that name people: what is sent, what happened in queues, what admins did.

A person who is forgotten is written out of them too, whatever was sent or done already.
"""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa

from equipoise.archive.row_codec import match_of, record_of
from equipoise.archive.tables import AUDIT, OUTBOX, QUEUE_EVENT, QUEUE_MEMBER, QUEUE_STATE, identity, text_of
from equipoise.errors import EquipoiseError
from equipoise.identity.forgetting import Forgotten
from equipoise.identity.merges import anonymous

#: The kind of note whose body is the record of a match.
RESULT = "result"


def write_out(connection: sa.Connection, gone: Forgotten) -> None:
    """Write a person out of the outbox, the records of queues, and the audit log."""
    for row in connection.execute(sa.select(OUTBOX)).all():
        body, name = _note(row.kind, row.body, gone), gone.text(row.id)
        trouble = row.trouble if not _named_in(row.trouble, gone) else ""
        if (body, name, trouble) != (row.body, row.id, row.trouble):
            key = (OUTBOX.c.hook == row.hook, OUTBOX.c.id == row.id)
            connection.execute(sa.update(OUTBOX).where(*key).values(body=body, id=name, trouble=trouble))
    for row in connection.execute(sa.select(QUEUE_EVENT)).all():
        event, replies = _without(row.event, gone), _without(row.replies, gone)
        if (event, replies) != (row.event, row.replies):
            key = (QUEUE_EVENT.c.queue == row.queue, QUEUE_EVENT.c.number == row.number)
            connection.execute(sa.update(QUEUE_EVENT).where(*key).values(event=event, replies=replies))
    for row in connection.execute(sa.select(QUEUE_STATE)).all():
        state = _changed(row.state, gone.without)
        if state != row.state:
            changed = sa.update(QUEUE_STATE).where(QUEUE_STATE.c.queue == row.queue)
            connection.execute(changed.values(state=state))
    for row in connection.execute(sa.select(QUEUE_MEMBER)).all():
        ticket = gone.text(text_of(row.ticket))
        if ticket != text_of(row.ticket):
            key = (QUEUE_MEMBER.c.queue == row.queue, QUEUE_MEMBER.c.ticket == row.ticket)
            connection.execute(sa.update(QUEUE_MEMBER).where(*key).values(ticket=identity(ticket)))
    for row in connection.execute(sa.select(AUDIT)).all():
        asked = _changed(row.asked, gone.without)
        outcome = "" if _named_in(row.outcome, gone) else row.outcome
        if (asked, outcome) != (row.asked, row.outcome):
            changed = sa.update(AUDIT).where(AUDIT.c.number == row.number)
            connection.execute(changed.values(asked=asked, outcome=outcome))


def _note(kind: str, body: str, gone: Forgotten) -> str:
    """Return the body of a note without a person."""
    if kind == RESULT:
        try:
            return record_of(anonymous(match_of(body), dict(gone.ids)))
        except (EquipoiseError, LookupError, TypeError, ValueError):
            pass  # written by an earlier version
    return _changed(body, gone.without)


def _without(line: str, gone: Forgotten) -> str:
    """Return an event of a queue, or the replies to one, without a person: the kind before each stays."""

    def without(plain: Any) -> Any:
        if isinstance(plain, list) and len(plain) == 2 and isinstance(plain[0], str):
            return [plain[0], gone.without(plain[1])]
        if isinstance(plain, list):
            return [without(each) for each in plain]
        return gone.without(plain)

    return _changed(line, without)


def _changed(text: str, change: Any) -> str:
    """Return JSON after a change; the same bytes where nothing is another."""
    before = json.loads(text)
    after = change(before)
    return text if after == before else json.dumps(after, separators=(",", ":"), ensure_ascii=False)


def _named_in(text: str, gone: Forgotten) -> bool:
    """Tell whether a message names the person."""
    return any(each in text for each in gone.ids)
