"""Lists the kept matches: the newest ones, one by its id, and those that came since a revision."""

from __future__ import annotations

from typing import Any, NamedTuple, NotRequired, TypedDict, cast

import sqlalchemy as sa

from equipoise.archive.database import Database
from equipoise.archive.records import match_of
from equipoise.archive.schema import MATCH, identity
from equipoise.logs.records import record_data
from equipoise.matches import Match


class MatchData(TypedDict):
    """A match as match files have it, with whether it counts and when it came."""

    id: str
    began: NotRequired[float]
    ended: float
    map: NotRequired[str]
    contests: list[dict[str, Any]]
    dated: bool
    undone: bool
    revision: int


class Listed(NamedTuple):
    """A match, whether it was undone, and the revision it came with."""

    match: Match
    undone: bool
    revision: int

    def as_dict(self) -> MatchData:
        """Return it as plain data."""
        facts = {"dated": self.match.dated, "undone": self.undone, "revision": self.revision}
        return cast("MatchData", record_data(self.match) | facts)


def before(database: Database, place: tuple[float, str] | None, limit: int) -> list[Listed]:
    """Return some matches, the newest first, before a place: the end and the id of a match."""
    wanted = sa.select(MATCH).order_by(MATCH.c.ended.desc(), MATCH.c.id.desc()).limit(limit)
    if place is not None:
        ended, key = place[0], identity(place[1])
        earlier = sa.or_(MATCH.c.ended < ended, sa.and_(MATCH.c.ended == ended, MATCH.c.id < key))
        wanted = wanted.where(MATCH.c.ended <= ended, earlier)
    return _read(database, wanted)


def one(database: Database, match_id: str) -> Listed | None:
    """Return the match with an id, None where there is none."""
    found = _read(database, sa.select(MATCH).where(MATCH.c.id == identity(match_id)))
    return found[0] if found else None


def since(database: Database, revision: int, limit: int) -> list[Listed]:
    """Return some matches that came after a revision, the earliest to come first."""
    wanted = sa.select(MATCH).where(MATCH.c.revision > revision)
    return _read(database, wanted.order_by(MATCH.c.revision, MATCH.c.id).limit(limit))


def _read(database: Database, wanted: sa.Select[Any]) -> list[Listed]:
    with database.reading() as connection:
        return [
            Listed(match_of(row.record, row.ended), bool(row.undone), int(row.revision))
            for row in connection.execute(wanted)
        ]
