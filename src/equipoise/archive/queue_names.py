"""Who the records of queues name: people whom nothing else of the archive need know."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa

from equipoise.archive.tables import QUEUE_EVENT, QUEUE_STATE

#: What has players in an event and in a kept state: tickets and offered seats.
_HOLD = ("players", "teams")

#: How the events begin that name somebody for the first time.
_BEGINNINGS = ('["enter"', '["seats"')


def people_of_queues(connection: sa.Connection) -> set[str]:
    """Return the ids of all who have waited, or played on offered seats, as far as it is recorded."""
    events = sa.select(QUEUE_EVENT.c.event).where(
        sa.or_(*(QUEUE_EVENT.c.event.startswith(each, autoescape=True) for each in _BEGINNINGS))
    )
    found: set[str] = set()
    for wanted in (events, sa.select(QUEUE_STATE.c.state)):
        for text in connection.scalars(wanted):
            found.update(_players_in(json.loads(text)))
    return found


def _players_in(plain: Any, *, here: bool = False) -> Iterator[str]:
    """Go through the ids of players in plain data; ``here`` are what is in it some."""
    if isinstance(plain, list):
        for each in plain:
            yield from _players_in(each, here=here)
    elif isinstance(plain, dict):
        if here and isinstance(plain.get("id"), str):
            yield plain["id"]
        for key, value in plain.items():
            yield from _players_in(value, here=key in _HOLD)
