"""The outbox: what is to be sent to webhooks, written in the transaction of what it is about.

So nothing is sent that did not happen, and nothing that happened is left out, whatever is killed.
It is sent at least once, with an id by which receivers know it again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import sqlalchemy as sa

from equipoise.archive.database import Database
from equipoise.archive.tables import OUTBOX

#: Seconds until a first and until any later try at most; each waits twice as long as the one before.
SOONEST, LATEST = 1.0, 3600.0

#: Seconds for which what was sent is still shown.
SHOWN = 86_400.0

#: Characters of what went wrong that are kept.
LONGEST_TROUBLE = 200


class OutboxNote(NamedTuple):
    """Something to tell: of which kind, the id that it has at all times, and its content as JSON."""

    kind: str
    id: str
    body: str


@dataclass(frozen=True, slots=True)
class Delivery:
    """Something to tell to one webhook, and how that went so far.

    Parameters
    ----------
    hook : str
        The webhook's name.
    id, kind, body : str
        As in the note.
    made : float
        When it happened.
    tries : int
        How often it was tried.
    due : float
        When it is tried next.
    sent : float
        When it was taken; 0 where it was not yet.
    trouble : str
        What went wrong the last time.
    """

    hook: str
    id: str
    kind: str
    made: float
    body: str
    tries: int
    due: float
    sent: float
    trouble: str


def put(
    database: Database,
    connection: sa.Connection,
    hooks: Mapping[str, Sequence[str]],
    notes: Iterable[OutboxNote],
    now: float,
) -> None:
    """Add notes for the webhooks that want their kind; one that is there already stays as it is."""
    rows = [
        (hook, note.id, note.kind, now, note.body, 0, now, 0.0, "")
        for note in notes
        for hook in hooks.get(note.kind, ())
    ]
    database.insert_missing(connection, OUTBOX, rows)


def wait_after(tries: int) -> float:
    """Return how many seconds to wait after so many tries.

    Examples
    --------
    >>> [wait_after(tries) for tries in (1, 2, 3, 30)]
    [1.0, 2.0, 4.0, 3600.0]
    """
    return min(SOONEST * 2.0 ** min(tries - 1, 20), LATEST)


class Outbox:
    """The outbox of an archive; see :meth:`equipoise.archive.archive.Archive.outbox`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, hooks: Mapping[str, Sequence[str]], notes: Iterable[OutboxNote], now: float) -> None:
        """Add notes in a transaction of their own."""
        with self._database.writing() as connection:
            put(self._database, connection, hooks, notes, now)

    def due(self, hook: str, now: float, limit: int) -> list[Delivery]:
        """Return what is to be sent to a webhook by now, what was due first first."""
        wanted = sa.select(OUTBOX).where(OUTBOX.c.hook == hook, OUTBOX.c.sent == 0.0, OUTBOX.c.due <= now)
        return self._read(wanted.order_by(OUTBOX.c.due, OUTBOX.c.made).limit(limit))

    def took(self, each: Delivery, now: float) -> None:
        """Note that something was taken, and forget what was long ago."""
        with self._database.writing() as connection:
            connection.execute(_row(each).values(sent=now, tries=each.tries + 1, trouble=""))
            connection.execute(
                sa.delete(OUTBOX).where(
                    OUTBOX.c.hook == each.hook, OUTBOX.c.sent > 0.0, OUTBOX.c.sent < now - SHOWN
                )
            )

    def failed(self, each: Delivery, now: float, trouble: str) -> None:
        """Note that something was not taken, and why; it is tried again, later each time."""
        tries = each.tries + 1
        with self._database.writing() as connection:
            connection.execute(
                _row(each).values(tries=tries, due=now + wait_after(tries), trouble=trouble[:LONGEST_TROUBLE])
            )

    def listed(self, limit: int) -> list[Delivery]:
        """Return what is to be sent and was sent lately, what is to be sent and the newest first."""
        return self._read(sa.select(OUTBOX).order_by(OUTBOX.c.sent > 0.0, OUTBOX.c.made.desc()).limit(limit))

    def waiting(self) -> dict[str, tuple[int, float]]:
        """Return for each webhook how much is to be sent, and since when the oldest of it."""
        wanted = (
            sa.select(OUTBOX.c.hook, sa.func.count(), sa.func.min(OUTBOX.c.made))
            .where(OUTBOX.c.sent == 0.0)
            .group_by(OUTBOX.c.hook)
        )
        with self._database.reading() as connection:
            return {hook: (int(count), float(oldest)) for hook, count, oldest in connection.execute(wanted)}

    def _read(self, wanted: sa.Select[Any]) -> list[Delivery]:
        with self._database.reading() as connection:
            return [Delivery(*row) for row in connection.execute(wanted)]


def _row(each: Delivery) -> sa.Update:
    return sa.update(OUTBOX).where(OUTBOX.c.hook == each.hook, OUTBOX.c.id == each.id)
