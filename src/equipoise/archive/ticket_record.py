"""The record of a queue in the archive: its events, only ever added, with what follows from them at once.

An event, the seats that it gives and takes, and what is to be sent of it are one transaction; what the
events mean is in :mod:`equipoise.queueing.record`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import sqlalchemy as sa

from equipoise.archive import outbox
from equipoise.archive.database import Database
from equipoise.archive.outbox import OutboxNote
from equipoise.archive.tables import (
    ASKED,
    FORGOTTEN,
    QUEUE_EVENT,
    QUEUE_MEMBER,
    QUEUE_STATE,
    identity,
    text_of,
)


class RecordedEvent(NamedTuple):
    """An event: its number, when it happened, its line, and the replies to it as a list in JSON."""

    number: int
    at: float
    event: str
    replies: str


class KeptState(NamedTuple):
    """What a queue knew after the event of a number, as text."""

    number: int
    state: str


class TicketRecord:
    """The record of one queue."""

    def __init__(self, database: Database, queue: str) -> None:
        self._database = database
        self.queue = queue

    def since(self, number: int, limit: int | None = None) -> list[RecordedEvent]:
        """Return the events after a number, in order."""
        with self._database.reading() as connection:
            return _since(connection, self.queue, number, limit)

    def last(self) -> int:
        """Return the number of the last event; 0 where there is none."""
        wanted = sa.select(sa.func.max(QUEUE_EVENT.c.number)).where(QUEUE_EVENT.c.queue == self.queue)
        with self._database.reading() as connection:
            return int(connection.execute(wanted).scalar() or 0)

    def state(self) -> KeptState | None:
        """Return the newest state that was kept."""
        with self._database.reading() as connection:
            return _state(connection, self.queue)

    def forgotten(self) -> int:
        """Return how many ids are forgotten: where more are than before, the record was rewritten."""
        with self._database.reading() as connection:
            return _forgotten(connection)

    def seats(self) -> dict[str, str]:
        """Return the match that each ticket is in, of those that are in one."""
        wanted = sa.select(QUEUE_MEMBER.c.ticket, QUEUE_MEMBER.c.match)
        with self._database.reading() as connection:
            rows = connection.execute(wanted.where(QUEUE_MEMBER.c.queue == self.queue))
            return {text_of(ticket): match for ticket, match in rows}

    @contextmanager
    def adding(self) -> Iterator[AddedEvents]:
        """Give what adds events; all of it is kept at the end, or nothing."""
        with self._database.writing() as connection:
            yield AddedEvents(self._database, connection, self.queue)


class AddedEvents:
    """Events that are being added, in a transaction that is open."""

    def __init__(self, database: Database, connection: sa.Connection, queue: str) -> None:
        self._database = database
        self._connection = connection
        self._queue = queue

    def since(self, number: int) -> list[RecordedEvent]:
        """Return the events after a number, such as those that another process has added."""
        return _since(self._connection, self._queue, number, None)

    def state(self) -> KeptState | None:
        """Return the newest state that was kept."""
        return _state(self._connection, self._queue)

    def forgotten(self) -> int:
        """Return how many ids are forgotten."""
        return _forgotten(self._connection)

    def add(self, events: Iterable[RecordedEvent]) -> None:
        """Add events."""
        self._database.insert(self._connection, QUEUE_EVENT, [(self._queue, *each) for each in events])

    def seat(self, seats: Iterable[tuple[str, str]]) -> None:
        """Put tickets into matches; one that is in a match already is an error."""
        rows = [(self._queue, identity(ticket), match) for ticket, match in seats]
        self._database.insert(self._connection, QUEUE_MEMBER, rows)

    def unseat(self, tickets: Sequence[str]) -> None:
        """Take tickets out of their matches."""
        for start in range(0, len(tickets), ASKED):
            keys = [identity(ticket) for ticket in tickets[start : start + ASKED]]
            self._connection.execute(
                sa.delete(QUEUE_MEMBER).where(
                    QUEUE_MEMBER.c.queue == self._queue, QUEUE_MEMBER.c.ticket.in_(keys)
                )
            )

    def keep_state(self, kept: KeptState, before: float) -> None:
        """Keep a state in place of the one before, and drop the events in it that are older than a time."""
        self._connection.execute(sa.delete(QUEUE_STATE).where(QUEUE_STATE.c.queue == self._queue))
        self._database.insert(self._connection, QUEUE_STATE, [(self._queue, *kept)])
        self._connection.execute(
            sa.delete(QUEUE_EVENT).where(
                QUEUE_EVENT.c.queue == self._queue,
                QUEUE_EVENT.c.number <= kept.number,
                QUEUE_EVENT.c.at < before,
            )
        )

    def tell(self, hooks: Mapping[str, Sequence[str]], notes: Iterable[OutboxNote], now: float) -> None:
        """Put notes into the outbox."""
        outbox.put(self._database, self._connection, hooks, notes, now)


def _state(connection: sa.Connection, queue: str) -> KeptState | None:
    wanted = sa.select(QUEUE_STATE.c.number, QUEUE_STATE.c.state).where(QUEUE_STATE.c.queue == queue)
    row = connection.execute(wanted).first()
    return None if row is None else KeptState(*row)


def _forgotten(connection: sa.Connection) -> int:
    return int(connection.execute(sa.select(sa.func.count()).select_from(FORGOTTEN)).scalar() or 0)


def _since(connection: sa.Connection, queue: str, number: int, limit: int | None) -> list[RecordedEvent]:
    wanted = (
        sa.select(QUEUE_EVENT.c.number, QUEUE_EVENT.c.at, QUEUE_EVENT.c.event, QUEUE_EVENT.c.replies)
        .where(QUEUE_EVENT.c.queue == queue, QUEUE_EVENT.c.number > number)
        .order_by(QUEUE_EVENT.c.number)
        .limit(limit)
    )
    return [RecordedEvent(*row) for row in connection.execute(wanted)]
