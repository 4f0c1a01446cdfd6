"""The events of nights, each kept with what it does to the matches, or not at all.

An event is plain data; :mod:`equipoise.pickup.night` says what follows from all of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from equipoise.archive import corrections
from equipoise.archive.database import Database
from equipoise.archive.records import record_of
from equipoise.archive.schema import MATCH, NIGHT, grow, identity, mark_stale
from equipoise.errors import InputError
from equipoise.matches import Match
from equipoise.pickup.night import GUESSES, WEIGHTS, renamed


def events(connection: sa.Connection) -> list[dict[str, Any]]:
    """Return all events in the order they were added."""
    texts = connection.execute(sa.select(NIGHT.c.event).order_by(NIGHT.c.number)).scalars()
    return [json.loads(text) for text in texts]


def add(
    database: Database,
    connection: sa.Connection,
    event: Mapping[str, Any],
    known: int | None,
    match: Match | None = None,
    undone: str | None = None,
) -> None:
    """Add one event, with the match that it reports or takes back.

    Raises
    ------
    InputError
        If there are other events than the known ones by now.
    """
    number = connection.execute(sa.select(sa.func.count()).select_from(NIGHT)).scalar_one()
    if known is not None and number != known:
        msg = (
            "night: somebody else has taken a step meanwhile; look at 'equipoise night table', and try again"
        )
        raise InputError(msg)
    database.insert(connection, NIGHT, [(number + 1, _text(event))])
    if match is not None:
        _report(database, connection, match)
    counts = sa.select(MATCH.c.id).where(MATCH.c.id == identity(undone or ""), MATCH.c.undone.is_(False))
    if undone is not None and connection.execute(counts).first():
        corrections.undo(connection, undone, back=False)


def replace_weights(database: Database, connection: sa.Connection) -> None:
    """Note that other starting weights were chosen than those of the steps so far, if there are any."""
    if any(event["kind"] == WEIGHTS for event in events(connection)):
        add(database, connection, {"kind": GUESSES}, None)


def _report(database: Database, connection: sa.Connection, match: Match) -> None:
    """Keep a match; one that was reported and taken back counts again, as it is reported now."""
    key = identity(match.id)
    record = record_of(corrections.Forgetting(connection).applied(match))
    ended = float(match.ended or 0.0)
    before = connection.execute(sa.select(MATCH.c.ended).where(MATCH.c.id == key)).scalar()
    if before is None:
        database.insert(connection, MATCH, [(key, ended, grow(connection), False, record)])
        return
    changed = sa.update(MATCH).where(MATCH.c.id == key)
    connection.execute(changed.values(ended=ended, record=record, undone=False, revision=grow(connection)))
    mark_stale(connection, "an undone match was reported again", (min(ended, before), key))


def people(connection: sa.Connection) -> set[str]:
    """Return the ids of all who came to a night."""
    return {player for event in events(connection) for player in event.get("spelled", ())}


def rename(connection: sa.Connection, names: Mapping[str, str]) -> None:
    """Write other ids into all events, and no name for them: for people who are forgotten."""
    for row in connection.execute(sa.select(NIGHT)).all():
        before = json.loads(row.event)
        after = renamed(before, names)
        if after != before:
            changed = sa.update(NIGHT).where(NIGHT.c.number == row.number)
            connection.execute(changed.values(event=_text(after)))


def _text(event: Mapping[str, Any]) -> str:
    return json.dumps(event, separators=(",", ":"), allow_nan=False)
