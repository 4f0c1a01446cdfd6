"""How far each followed log was read, and what goes on on each server whose game runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from equipoise.archive.database import Database
from equipoise.archive.schema import FOLLOWED, identity

#: Where names of servers stand among those of logs, which are absolute paths: from here up to the other.
SESSION, _SESSION_END = "live:", "live;"


def sessions(connection: sa.Connection) -> list[dict[str, Any]]:
    """Return what was last kept of each server, in the order of their names."""
    known = sa.select(FOLLOWED.c.place).where(
        FOLLOWED.c.log >= identity(SESSION), FOLLOWED.c.log < identity(_SESSION_END)
    )
    return [json.loads(text) for text in connection.execute(known.order_by(FOLLOWED.c.log)).scalars()]


def place(connection: sa.Connection, log: str) -> dict[str, Any] | None:
    """Return how far a log was read, None where it never was."""
    kept = sa.select(FOLLOWED.c.place).where(FOLLOWED.c.log == identity(log))
    text = connection.execute(kept).scalar()
    return None if text is None else json.loads(text)


def keep(database: Database, connection: sa.Connection, log: str, content: Mapping[str, Any]) -> None:
    """Keep how far a log was read."""
    database.upsert(connection, FOLLOWED, [(identity(log), json.dumps(content))])
