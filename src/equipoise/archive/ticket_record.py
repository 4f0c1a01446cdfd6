"""The record of a queue in the archive: its events, only ever added, with what follows from them at once.

An event, the seats that it gives and takes, and what is to be sent of it are one transaction; what the
events mean is in :mod:`equipoise.queueing.record`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import repeat
from typing import Any, NamedTuple

import sqlalchemy as sa

from equipoise.archive import outbox
from equipoise.archive.corrections import tombstones
from equipoise.archive.database import Database
from equipoise.archive.outbox import OutboxNote
from equipoise.archive.shards import ADDED, NOW, Shard
from equipoise.archive.shards import LETTER as LETTER_SENT
from equipoise.archive.tables import (
    AGAIN,
    ARCHIVE,
    ASKED,
    FOLLOWED,
    FORGOTTEN,
    LETTER,
    QUEUE_EVENT,
    QUEUE_MEMBER,
    QUEUE_PERSON,
    QUEUE_STATE,
    RATING,
    identities_of,
    identity,
    merged_ids,
    text_of,
)
from equipoise.archive.views import plain
from equipoise.identity.forgetting import Tombstones


class RecordedEvent(NamedTuple):
    """An event: its number, when it happened, its line, the replies to it as a list in JSON, and the epoch.

    The epoch is that of the owner that added it; 0 without owners that take turns.
    """

    number: int
    at: float
    event: str
    replies: str
    epoch: int = 0


class KeptState(NamedTuple):
    """What a queue knew after the event of a number, as text."""

    number: int
    state: str


class Letter(NamedTuple):
    """What a server asks the owner of a queue: an id, who asks, and the questions as JSON."""

    id: str
    worker: str
    questions: str


class ArchiveMarks(NamedTuple):
    """How often ids were forgotten, and the revision of the archive: whether either may be another now."""

    forgotten: int
    revision: int


class PersonSeat(NamedTuple):
    """The ticket that somebody is in, its queue, and the match it is in, if it is in one."""

    queue: str
    ticket: str
    match: str


#: Seconds for which a letter is answered, and after which it is gone whatever became of it.
ANSWERED, LAST = 20.0, 120.0


class TicketRecord:
    """The record of one queue.

    Parameters
    ----------
    database : Database
        Where it is.
    queue : str
        The queue.
    shard : Shard, optional
        What says who owns it, where several servers may: events are added by the owner alone.
    """

    def __init__(self, database: Database, queue: str, shard: Shard | None = None) -> None:
        self._database = database
        self._shard = shard
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

    def known(self) -> ArchiveMarks:
        """Return what tells whether people were forgotten, and the record rewritten, or merged."""
        with self._database.reading() as connection:
            return archive_marks(connection)

    def tombstones(self) -> Tombstones:
        """Return what tells who is forgotten."""
        with self._database.reading() as connection:
            return tombstones(connection)

    def merged(self) -> dict[str, str]:
        """Return from each merged id the one it counts as."""
        with self._database.reading() as connection:
            return merged_ids(connection)

    def played(self, people: Collection[str]) -> set[str]:
        """Return those of some ids under which the archive has ratings."""
        with self._database.reading() as connection:
            return _played(connection, people)

    def seats(self) -> dict[str, str]:
        """Return the match that each ticket is in, of those that are in one."""
        wanted = sa.select(QUEUE_MEMBER.c.ticket, QUEUE_MEMBER.c.match)
        with self._database.reading() as connection:
            rows = connection.execute(wanted.where(QUEUE_MEMBER.c.queue == self.queue))
            return {text_of(ticket): match for ticket, match in rows}

    @contextmanager
    def adding(self) -> Iterator[AddedEvents]:
        """Give what adds events; all of it is kept at the end, or nothing.

        Raises
        ------
        FencedError
            If another server owns the queue.
        """
        if self._shard is None:
            with self._database.writing() as connection:
                yield AddedEvents(self._database, connection, self.queue)
            return
        with self._database.sharing() as connection:
            self._shard.confirm(connection)
            yield AddedEvents(self._database, connection, self.queue, self._shard)

    def send(self, letter: Letter) -> None:
        """Ask the owner of the queue, which hears of it at once."""
        assert self._shard is not None  # noqa: S101 -- there is nobody else to ask
        with self._shard.session() as connection:
            connection.exec_driver_sql(f'LISTEN "{self._shard.own_channel}"')
            connection.exec_driver_sql(
                "WITH sent AS (INSERT INTO letter (id, queue, worker, sent, questions) VALUES "  # noqa: S608  # a constant
                f"(%s, %s, %s, {NOW}, %s)) SELECT pg_notify(%s, %s)",
                (*letter[:1], self.queue, *letter[1:], self._shard.channel, f"{LETTER_SENT} {self.queue}"),
            )

    def answers(self, letter: Letter, seconds: float) -> str | None:
        """Wait for the answers to a letter, and take them; return None where there are none after a time."""
        assert self._shard is not None  # noqa: S101 -- there is nobody else to ask
        with self._shard.session() as connection:
            taken = (
                sa.delete(LETTER)
                .where(LETTER.c.id == letter.id, LETTER.c.answers.is_not(None))
                .returning(LETTER.c.answers)
            )
            row = connection.execute(taken).first()
            if row is None and seconds:
                driver: Any = connection.connection.driver_connection
                for _ in driver.notifies(timeout=seconds, stop_after=1):
                    pass
                row = connection.execute(taken).first()
        return None if row is None else str(row.answers)

    def take_back(self, letter: Letter) -> None:
        """Ask no longer; what is being answered is."""
        assert self._shard is not None  # noqa: S101 -- there is nobody else to ask
        with self._shard.session() as connection:
            connection.execute(sa.delete(LETTER).where(LETTER.c.id == letter.id))


class AddedEvents:
    """Events that are being added, in a transaction that is open."""

    def __init__(
        self, database: Database, connection: sa.Connection, queue: str, shard: Shard | None = None
    ) -> None:
        self._database = database
        self._connection = connection
        self._queue = queue
        self._shard = shard
        self._epoch = 0 if shard is None else shard.owned.epoch

    def letters(self, limit: int) -> list[Letter]:
        """Return what other servers ask, in the order they asked."""
        if self._shard is None:
            return []
        wanted = (
            sa.select(LETTER.c.id, LETTER.c.worker, LETTER.c.questions)
            .where(LETTER.c.queue == self._queue, LETTER.c.answers.is_(None))
            .where(LETTER.c.sent > sa.text(f"{NOW} - {ANSWERED}"))
            .order_by(LETTER.c.sent, LETTER.c.id)
            .limit(limit)
        )
        return [Letter(*row) for row in self._connection.execute(wanted)]

    def answer(self, answered: Sequence[tuple[Letter, str]]) -> None:
        """Answer letters; who asked is notified when this is kept."""
        if not answered:
            return
        update = sa.update(LETTER).where(LETTER.c.id == sa.bindparam("its"))
        update = update.values(answers=sa.bindparam("answer"))
        self._connection.execute(update, [{"its": each.id, "answer": answer} for each, answer in answered])
        assert self._shard is not None  # noqa: S101 -- as there were letters
        for worker in {each.worker for each, _ in answered}:
            channel = self._shard.channel_to(worker)
            self._connection.exec_driver_sql("SELECT pg_notify(%s, '')", (channel,))

    def sweep(self) -> None:
        """Forget letters whose answers nobody took."""
        if self._shard is not None:
            old = LETTER.c.sent < sa.text(f"{NOW} - {LAST}")
            self._connection.execute(sa.delete(LETTER).where(LETTER.c.queue == self._queue, old))

    def since(self, number: int) -> list[RecordedEvent]:
        """Return the events after a number, such as those that another process has added."""
        return _since(self._connection, self._queue, number, None)

    def state(self) -> KeptState | None:
        """Return the newest state that was kept."""
        return _state(self._connection, self._queue)

    def known(self) -> ArchiveMarks:
        """Return what tells whether people were forgotten, and the record rewritten, or merged."""
        return archive_marks(self._connection)

    def tombstones(self) -> Tombstones:
        """Return what tells who is forgotten."""
        return tombstones(self._connection)

    def merged(self) -> dict[str, str]:
        """Return from each merged id the one it counts as."""
        return merged_ids(self._connection)

    def people(self) -> dict[str, str]:
        """Return who is in which ticket of this queue."""
        wanted = sa.select(QUEUE_PERSON.c.person, QUEUE_PERSON.c.ticket)
        rows = self._connection.execute(wanted.where(QUEUE_PERSON.c.queue == self._queue))
        return {text_of(person): text_of(ticket) for person, ticket in rows}

    def claim(self, people: Mapping[str, str]) -> dict[str, PersonSeat]:
        """Put people into tickets of this queue; return where those are who are in another one already.

        Whoever asks for the same person in another queue meanwhile waits for the end of this transaction.
        They are put in order, so that two never wait for each other.
        """
        persons, tickets = identities_of(list(people)), identities_of(list(people.values()))
        rows = sorted(zip(persons, repeat(self._queue, len(persons)), tickets, strict=True))
        if self._database.insert_missing(self._connection, QUEUE_PERSON, rows) == len(rows):
            return {}
        found = self.seats_of(list(people))
        return {who: seat for who, seat in found.items() if seat[:2] != (self._queue, people[who])}

    def seats_of(self, people: Sequence[str]) -> dict[str, PersonSeat]:
        """Return the tickets of those of some people who are in one, of whichever queue."""
        found: dict[str, PersonSeat] = {}
        same = sa.and_(
            QUEUE_MEMBER.c.queue == QUEUE_PERSON.c.queue, QUEUE_MEMBER.c.ticket == QUEUE_PERSON.c.ticket
        )
        wanted = sa.select(*QUEUE_PERSON.c, QUEUE_MEMBER.c.match).join(QUEUE_MEMBER, same, isouter=True)
        for start in range(0, len(people), ASKED):
            keys = [identity(each) for each in people[start : start + ASKED]]
            for row in self._connection.execute(wanted.where(QUEUE_PERSON.c.person.in_(keys))):
                found[text_of(row.person)] = PersonSeat(row.queue, text_of(row.ticket), row.match or "")
        return found

    def seated_with(self, seats: Iterable[PersonSeat]) -> dict[tuple[str, str], list[str]]:
        """Return who else is in the tickets of some seats, by queue and ticket."""
        found: dict[tuple[str, str], list[str]] = {(seat.queue, seat.ticket): [] for seat in seats}
        tickets = sorted({identity(ticket) for _, ticket in found})
        for start in range(0, len(tickets), ASKED):
            theirs = QUEUE_PERSON.c.ticket.in_(tickets[start : start + ASKED])
            for row in self._connection.execute(sa.select(*QUEUE_PERSON.c).where(theirs)):
                found.get((row.queue, text_of(row.ticket)), []).append(text_of(row.person))
        return found

    def played(self, people: Collection[str]) -> set[str]:
        """Return those of some ids under which the archive has ratings."""
        return _played(self._connection, people)

    def move(self, people: Mapping[str, str]) -> None:
        """Put people of this queue into other tickets of it."""
        if people:
            self.release(list(people))
            self.claim(people)

    def release(self, people: Sequence[str]) -> None:
        """Take people of this queue out of their tickets."""
        for start in range(0, len(people), ASKED):
            keys = [identity(each) for each in people[start : start + ASKED]]
            theirs = (QUEUE_PERSON.c.queue == self._queue, QUEUE_PERSON.c.person.in_(keys))
            self._connection.execute(sa.delete(QUEUE_PERSON).where(*theirs))

    def add(self, events: Iterable[tuple[int, float, str, str]]) -> None:
        """Add events, with the epoch of who owns the queue; all servers are notified when this is kept.

        Of each its number, when it happened, its line, and the replies are given, as :class:`RecordedEvent`
        has them.
        """
        rows = [(self._queue, *each, self._epoch) for each in events]
        self._database.insert(self._connection, QUEUE_EVENT, rows)
        if self._shard is not None and rows:
            self._shard.tell(self._connection, ADDED, self._queue, str(rows[-1][1]))

    def seat(self, seats: Mapping[str, str]) -> None:
        """Put tickets into matches; one that is in a match already is an error."""
        rows = zip(repeat(self._queue, len(seats)), identities_of(list(seats)), seats.values(), strict=True)
        self._database.insert(self._connection, QUEUE_MEMBER, list(rows))

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
    row = connection.execute(_STATE, {"queue": queue}).first()
    return None if row is None else KeptState(*row)


def archive_marks(connection: sa.Connection) -> ArchiveMarks:
    """Return what tells whether people were forgotten, or anything else has changed."""
    stones, again, revision = connection.execute(_MARKS).one()
    return ArchiveMarks(stones + int(again or 0), revision)


def _played(connection: sa.Connection, people: Collection[str]) -> set[str]:
    shown = {plain(each): each for each in people}
    found: set[str] = set()
    for start in range(0, len(shown), ASKED):
        here = RATING.c.player.in_(list(shown)[start : start + ASKED])
        found.update(connection.scalars(sa.select(RATING.c.player).where(here).distinct()))
    return {shown[each] for each in found}


def _since(connection: sa.Connection, queue: str, number: int, limit: int | None) -> list[RecordedEvent]:
    wanted = _SINCE if limit is None else _SINCE.limit(limit)
    rows = connection.execute(wanted, {"queue": queue, "number": number})
    return [RecordedEvent(*row) for row in rows]


# What is asked in every transaction, put together once. ----------------------------------------------------

_STATE = sa.select(QUEUE_STATE.c.number, QUEUE_STATE.c.state).where(
    QUEUE_STATE.c.queue == sa.bindparam("queue")
)
_MARKS = sa.select(
    sa.select(sa.func.count()).select_from(FORGOTTEN).scalar_subquery(),
    sa.select(FOLLOWED.c.place).where(FOLLOWED.c.log == AGAIN).scalar_subquery(),
    sa.select(ARCHIVE.c.revision).scalar_subquery(),
)
_SINCE = (
    sa.select(*(QUEUE_EVENT.c[name] for name in RecordedEvent._fields))
    .where(QUEUE_EVENT.c.queue == sa.bindparam("queue"), QUEUE_EVENT.c.number > sa.bindparam("number"))
    .order_by(QUEUE_EVENT.c.number)
)
