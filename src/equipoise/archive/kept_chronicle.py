"""The chronicle of an archive, kept: what pages show follows from all matches, and is not worked out twice.

Columns are kept in parts of some matches each, of which only the last one is written again, and the model's
state as rows, of which only those of who played are read and written.  So that a process that begins shows a
new match without going through the old ones.

A chronicle bears a lineage, drawn when it was made.  Whatever changes the past (a correction, somebody who is
forgotten) takes the header away, see :func:`equipoise.archive.tables.mark_stale`; a match that comes late and
another model are noticed here.  Then it is made again.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import msgspec
import numpy as np
import sqlalchemy as sa

from equipoise.archive.chosen_model import is_rated_by, rated_by
from equipoise.archive.database import Database
from equipoise.archive.derived_rows import UNREADABLE, Places, Position, match_rows, rows_of_players
from equipoise.archive.row_codec import match_of, parts_of, rows_of, sizes_of, state_of
from equipoise.archive.tables import (
    MATCH,
    TIMELINE,
    TIMELINE_STATE,
    archive_row,
    found,
    identities,
    identity,
    in_replay_order,
    text_of,
    texts_of,
)
from equipoise.core.match import Match
from equipoise.identity.merges import everyone
from equipoise.ratings.model import RatingModel, is_local
from equipoise.ratings.timeline import COLUMNS, STAGES, TEXTS, Chronicle, ChronicleLearning, empty_chronicle

#: Matches in a part, and new ones up to which the rows of their players are asked for one by one.
SPAN, FEW = 2_000, 50  # effort

#: The layout of parts; what another version wrote is made again.
FORMAT = 1

#: How the names of the parts of the state begin.
PREFIX = "timeline."


class _Header(NamedTuple):
    """What is kept: of which lineage and model, how many matches, and what the archive was then."""

    format: int
    lineage: str
    model: str
    matches: int
    revision: int
    last: tuple[float, str]
    sizes: dict[str, int]

    @property
    def position(self) -> Position:
        """The place of the last match in replay order."""
        return self.last[0], bytes.fromhex(self.last[1])


@dataclass(frozen=True, slots=True)
class KeptChronicle:
    """A chronicle with what it rests on.

    Parameters
    ----------
    chronicle : Chronicle
        As of a revision.
    lineage : str
        What it shares with all that it grew from and none else.
    revision : int
        Of the archive.
    last : (float, bytes)
        The place of the last match in replay order.
    saved : int
        How many matches of it are kept.
    state : State
        What was known then, of everyone or of some.
    places : Places, optional
        Where the rows of some stand.
    """

    chronicle: Chronicle
    lineage: str
    revision: int
    last: Position
    saved: int
    state: Any
    places: Places | None


def newest(
    database: Database, model: RatingModel, known: KeptChronicle | None, *, whole: bool
) -> KeptChronicle | None:
    """Return the chronicle of an archive as it is now, None where it has to be made.

    Parameters
    ----------
    database, model
        Of the archive.
    known : KeptChronicle, optional
        What the caller has, to go on from.
    whole : bool
        Whether more is to follow, so that the state of everybody is wanted.
    """
    with database.reading() as connection:
        revision = int(archive_row(connection).revision)
        header = _header(connection)
        mine = known is not None and known.chronicle.model == model and known.revision <= revision
        if header is None or header.format != FORMAT or not is_rated_by(header.model, model):
            header = None
        if mine and known is not None and header is not None and known.lineage == header.lineage:
            base: KeptChronicle | None = known
        else:
            base = None
        if header is not None:
            since, last = (header.revision, header.position) if base is None else (base.revision, base.last)
            new = _new(connection, since)
            if all(position > last for position, _ in new) and header.revision <= revision:
                matches = [match for _, match in new]
                try:
                    if base is None:
                        base = _loaded(database, connection, model, header, None if whole else matches)
                except UNREADABLE:
                    base = None
                if base is not None:
                    return _grown(base, matches, revision, new[-1][0] if new else last)
    return None


def _grown(base: KeptChronicle, matches: Sequence[Match], revision: int, last: Position) -> KeptChronicle:
    grown = base.chronicle.after(matches)
    return KeptChronicle(grown, base.lineage, revision, last, base.saved, base.state, base.places)


def _new(connection: sa.Connection, since: int) -> list[tuple[Position, Match]]:
    """Return the matches that came after a revision, in replay order, with their places in it."""
    wanted = in_replay_order(None).where(MATCH.c.revision > since)
    known = identities(connection)
    return [
        ((float(row.ended), bytes(row.turn)), known.applied(match_of(row.record, row.ended)))
        for row in connection.execute(wanted)
    ]


def made(database: Database, model: RatingModel) -> KeptChronicle:
    """Return the chronicle of an archive from all its matches."""
    lineage = secrets.token_hex(8)
    if database.writable:
        with database.writing() as connection:  # whatever changes the past meanwhile takes it away
            header = _Header(0, lineage, rated_by(model), 0, 0, (0.0, ""), {})
            database.upsert(connection, TIMELINE, [(0, msgspec.json.encode(header))])
    with database.reading() as connection:
        revision = int(archive_row(connection).revision)
        known, last = identities(connection), (-1e300, b"")
        matches = []
        for row in connection.execute(in_replay_order(None)):
            matches.append(known.applied(match_of(row.record, row.ended)))
            last = float(row.ended), bytes(row.turn)
    read = _reader(database)
    empty = replace(empty_chronicle(model), read=read)
    chronicle = empty.after(matches, all_stages=False)
    return KeptChronicle(chronicle, lineage, revision, last, 0, None, None)


def _reader(database: Database) -> Any:
    """Return what reads matches by their ids."""

    def read_some(ids: Sequence[str]) -> list[Match]:
        with database.reading() as connection:
            known = identities(connection)
            rows = found(connection, [identity(each) for each in ids], MATCH.c.record, MATCH.c.ended)
            read = {text_of(row.id): known.applied(match_of(row.record, row.ended)) for row in rows}
        return [read[each] for each in ids]

    return read_some


def save(database: Database, known: KeptChronicle) -> KeptChronicle:
    """Keep a chronicle, and return it; not where the past has changed since, or somebody has kept more."""
    chronicle = known.chronicle
    if not database.writable or (known.saved == len(chronicle) and known.saved):
        return known
    state = chronicle.learning.state
    with database.writing() as connection:
        header = _header(connection)
        if header is None or header.lineage != known.lineage or header.matches != known.saved:
            return known
        rows = rows_of(state, known.state, PREFIX)
        if known.places is not None:
            rows = known.places.placed(rows)
            sizes = dict(known.places.sizes)
        else:
            sizes = sizes_of(state, PREFIX)
        first = known.saved // SPAN
        if not known.saved:
            connection.execute(sa.delete(TIMELINE))
            connection.execute(sa.delete(TIMELINE_STATE))
        parts = [
            (number + 1, _packed(chronicle, number * SPAN, min((number + 1) * SPAN, len(chronicle))))
            for number in range(first, -(-len(chronicle) // SPAN))
        ]
        last = known.last[0], known.last[1].hex()
        kept = _Header(
            FORMAT, known.lineage, rated_by(chronicle.model), len(chronicle), known.revision, last, sizes
        )
        database.upsert(connection, TIMELINE, [(0, msgspec.json.encode(kept)), *parts])
        put = database.upsert if known.saved else database.insert
        put(connection, TIMELINE_STATE, list(rows))
    return KeptChronicle(
        chronicle, known.lineage, known.revision, known.last, len(chronicle), state, known.places
    )


def clear(connection: sa.Connection) -> None:
    """Let go of what is kept."""
    connection.execute(sa.delete(TIMELINE))
    connection.execute(sa.delete(TIMELINE_STATE))


def _header(connection: sa.Connection) -> _Header | None:
    content = connection.execute(sa.select(TIMELINE.c.content).where(TIMELINE.c.number == 0)).scalar()
    if content is None:
        return None
    try:
        return msgspec.json.decode(bytes(content), type=_Header)
    except msgspec.MsgspecError:
        return None


def _loaded(
    database: Database, connection: sa.Connection, model: RatingModel, header: _Header,
    to_follow: Iterable[Match] | None,
) -> KeptChronicle:  # fmt: skip
    """Return what is kept, with the state of those who play in matches that are to follow, or of all."""
    contents = connection.execute(
        sa.select(TIMELINE.c.content).where(TIMELINE.c.number > 0).order_by(TIMELINE.c.number)
    ).scalars()
    columns, texts = _unpacked([bytes(each) for each in contents])
    if len(texts["ids"]) != header.matches:
        raise ValueError
    empty, places = model.initial(), None
    following = None if to_follow is None else list(to_follow)
    if following is None or len(following) > FEW or not is_local(model):
        wanted = sa.select(TIMELINE_STATE).order_by(TIMELINE_STATE.c.part, TIMELINE_STATE.c.place)
        state = state_of(empty, match_rows(connection.execute(wanted)), PREFIX)
    else:
        players = set[str]().union(*map(everyone, following))
        rows = rows_of_players(connection, TIMELINE_STATE, parts_of(empty, PREFIX), players)
        places = Places({at: row.place for at, row in rows.items()}, Counter(header.sizes))
        state = state_of(empty, rows.values(), PREFIX)
    learning = ChronicleLearning(model, state)
    chronicle = Chronicle(model, learning, columns, texts, _reader(database))
    return KeptChronicle(
        chronicle, header.lineage, header.revision, header.position, header.matches, learning.state, places
    )


def _packed(chronicle: Chronicle, first: int, end: int) -> bytes:
    """Return the columns and new texts of some matches as bytes."""
    before, after = chronicle.bounds(first), chronicle.bounds(end)
    columns = {
        name: np.ascontiguousarray(chronicle.columns[name][before[name] : after[name]]).tobytes()
        for name in COLUMNS
    }
    texts = {
        name: [identity(text) for text in chronicle.texts[name][before[name] : after[name]]] for name in TEXTS
    }
    return msgspec.msgpack.encode((columns, texts))


def _unpacked(parts: Sequence[bytes]) -> tuple[dict[str, Any], dict[str, tuple[str, ...]]]:
    """Return the columns and texts of parts that follow each other."""
    read = msgspec.msgpack.Decoder(tuple[dict[str, memoryview], dict[str, list[bytes]]])
    every = [read.decode(each) for each in parts]
    columns: dict[str, Any] = {}
    for name, kind in COLUMNS.items():
        some = [np.frombuffer(each[name], dtype=kind) for each, _ in every]
        column = np.concatenate(some) if some else np.empty(0, dtype=kind)
        columns[name] = column.reshape(-1, STAGES) if name == "stages" else column
    texts = {name: tuple(texts_of([one for _, each in every for one in each[name]])) for name in TEXTS}
    return columns, texts
