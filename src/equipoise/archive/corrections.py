"""Corrections of an archive: matches that do not count, merged ids, and people who are forgotten.

Each takes effect on what happened; what follows from it is marked as stale.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import sqlalchemy as sa

from equipoise.archive import identities
from equipoise.archive.databases import Database
from equipoise.archive.records import match_of, record_of
from equipoise.archive.schema import DERIVED, FORGOTTEN, MATCH, MERGED
from equipoise.archive.tables import archive_row, identity, mark_stale, match_key, merged_ids, text_of
from equipoise.errors import InputError
from equipoise.matches import Match
from equipoise.ratings.model import is_bot

#: What a command that needs a player is told where there is none.
NOBODY = "an id that 'equipoise players' lists is allowed"


def undo(connection: sa.Connection, match_id: str, *, back: bool) -> str:
    """Let a match not count any more, or count again; return its id."""
    key = match_key(connection, match_id)
    changed = sa.update(MATCH).where(MATCH.c.id == key, MATCH.c.undone.is_(back)).values(undone=not back)
    if not connection.execute(changed).rowcount:
        msg = f"match: {text_of(key)!r} {'counts' if back else 'is undone'} already"
        raise InputError(msg)
    mark_stale(connection, "an undone match counts again" if back else "a match was undone")
    return text_of(key)


def merge(connection: sa.Connection, player: str, other: str) -> None:
    """Let two ids be one person, under the first."""
    merged = merged_ids(connection)
    root, leaf = merged.get(player, player), merged.get(other, other)
    if root == leaf:
        msg = f"merge: {player!r} and {other!r} are one person already"
        raise InputError(msg)
    seen: set[str] = set()
    for match in _matches(connection):
        known = identities.renamed(match, merged)
        there = identities.everyone(known) & {root, leaf}
        seen |= there
        if len(there) == 2 and any(identities.opposed(contest, {leaf: root}) for contest in known.contests):
            msg = f"merge: {root!r} and {leaf!r} played against each other in the match {match.id}"
            raise InputError(msg)
    for missing in {root, leaf} - seen:
        msg = f"merge: there is no player {missing!r}; {NOBODY}"
        raise InputError(msg)
    connection.execute(sa.insert(MERGED).values(player=identity(leaf), into=identity(root)))
    mark_stale(connection, "players were merged")


def separate(connection: sa.Connection, player: str, other: str) -> None:
    """Take back that the second id is the first one."""
    pair = (MERGED.c.player == identity(other), MERGED.c.into == identity(player))
    if not connection.execute(sa.delete(MERGED).where(*pair)).rowcount:
        msg = f"merge: {other!r} was not merged into {player!r}"
        raise InputError(msg)
    mark_stale(connection, "merged players were separated")


def forget(database: Database, connection: sa.Connection, player: str) -> str:
    """Write a person's ids and names out of everything; return the id that stands in its place."""
    if is_bot(player):
        msg = f"forget: {player!r} is a bot; a person is allowed"
        raise InputError(msg)
    merged = merged_ids(connection)
    root = merged.get(player, player)
    salt = bytes(archive_row(connection).salt)
    ids = {root, *(leaf for leaf, into in merged.items() if into == root)}
    ids |= {
        each
        for match in _matches(connection)
        for each in identities.everyone(match)
        if identities.without_number(each) in ids
    }
    stones = {each: identities.tombstone(salt, each) for each in ids}
    names = {each: identities.stand_in(stone) for each, stone in stones.items()}
    rows = [
        (bytes(row.id), row.ended, row.revision, row.undone, record_of(identities.anonymous(match, names)))
        for row in connection.execute(sa.select(MATCH))
        if not names.keys().isdisjoint(identities.everyone(match := match_of(row.record)))
    ]
    if not rows:
        msg = f"forget: there is no player {player!r}; {NOBODY}"
        raise InputError(msg)
    database.upsert(connection, MATCH, rows)
    database.insert(connection, FORGOTTEN, [(stone,) for stone in stones.values()])
    _rename_merged(connection, names)
    connection.execute(sa.delete(DERIVED))
    mark_stale(connection, "a player was forgotten")
    return names[root]


def _rename_merged(connection: sa.Connection, names: Mapping[str, str]) -> None:
    """Let the stand-ins of merged ids be merged too."""
    for row in connection.execute(sa.select(MERGED)).all():
        player, into = text_of(row.player), text_of(row.into)
        if names.keys() & {player, into}:
            values = {
                "player": identity(names.get(player, player)),
                "into": identity(names.get(into, into)),
            }
            connection.execute(sa.update(MERGED).where(MERGED.c.player == row.player).values(values))


def _matches(connection: sa.Connection) -> Iterator[Match]:
    """Go through all matches as they were told."""
    for row in connection.execute(sa.select(MATCH.c.record)):
        yield match_of(row.record)


class Forgetting:
    """Replaces forgotten players in matches on their way in."""

    def __init__(self, connection: sa.Connection) -> None:
        self._salt = bytes(archive_row(connection).salt)
        self._stones = {
            bytes(stone) for stone in connection.execute(sa.select(FORGOTTEN.c.tombstone)).scalars()
        }

    def applied(self, match: Match) -> Match:
        """Return a match without those who are forgotten."""
        if not self._stones:
            return match
        return identities.anonymous(
            match,
            {
                player: identities.stand_in(identities.tombstone(self._salt, player))
                for player in identities.everyone(match)
                if self._is_forgotten(player)
            },
        )

    def _is_forgotten(self, player: str) -> bool:
        """Tell whether this is a forgotten player, or a second one with the same id."""
        return any(
            identities.tombstone(self._salt, each) in self._stones
            for each in {player, identities.without_number(player)}
        )
