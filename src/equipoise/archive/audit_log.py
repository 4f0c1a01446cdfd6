"""The audit log: what admins did over the network, only ever added."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from equipoise.archive.database import Database
from equipoise.archive.tables import AUDIT


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """What somebody did.

    Parameters
    ----------
    number : int
        From 1.
    at : float
        When, in seconds since 1970.
    whose : str
        The id of the token.
    what : str
        What was asked for, such as ``merge``.
    asked : str
        Its details, as JSON.
    outcome : str
        ``asked`` before it is done, then ``done``, or why it was not.
    """

    number: int
    at: float
    whose: str
    what: str
    asked: str
    outcome: str


class AuditLog:
    """The audit log of an archive."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, at: float, whose: str, what: str, asked: str, outcome: str) -> None:
        """Add an entry."""
        with self._database.writing() as connection:
            last = connection.execute(sa.select(sa.func.max(AUDIT.c.number))).scalar() or 0
            row = (int(last) + 1, at, whose, what, asked, outcome)
            self._database.insert(connection, AUDIT, [row])

    def listed(self, before: int | None, limit: int) -> list[AuditEntry]:
        """Return some entries, the newest first: those before a number, or the last ones."""
        wanted = sa.select(AUDIT).order_by(AUDIT.c.number.desc()).limit(limit)
        if before is not None:
            wanted = wanted.where(AUDIT.c.number < before)
        with self._database.reading() as connection:
            return [AuditEntry(*row) for row in connection.execute(wanted)]
