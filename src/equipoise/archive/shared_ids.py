"""Where an archive saw ids that are not one person's, kept beside the matches that prove it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from equipoise.archive.database import Database
from equipoise.archive.row_codec import match_of
from equipoise.archive.tables import ASKED, CLIENT, MATCH, SHARED, identity, mark_stale, text_of
from equipoise.core.match import Match
from equipoise.identity.shared_ids import SeenId, base_of, people_of_id, seen_in


class Doubtful(NamedTuple):
    """An id that is not one person's: the servers it was seen on, and the people with their names.

    Parameters
    ----------
    id : str
        The id that clients have.
    servers : tuple of str
        Names of servers, where known.
    matches, proofs : int
        In how many matches it was, and in how many of them two clients with it played at once.
    people : mapping from str to tuple of str
        From the id that each person has here to the names.
    """

    id: str
    servers: tuple[str, ...]
    matches: int
    proofs: int
    people: Mapping[str, tuple[str, ...]]


def note(
    database: Database, connection: sa.Connection, matches: Mapping[bytes, Match], *, learn: bool = True
) -> list[str]:
    """Note what new matches, kept already, tell of shared ids; return those that now turn out to be.

    Parameters
    ----------
    database, connection
        Where they are kept.
    matches : mapping from bytes to Match
        By their keys.
    learn : bool
        Whether ratings that were learnt otherwise are marked as stale.
    """
    watched = {text_of(one) for one in connection.execute(sa.select(CLIENT.c.player).distinct()).scalars()}
    fresh = {base for match in matches.values() for base in match.shared} - watched
    if not fresh and not watched:
        return []
    rows = [row for base in fresh for row in _scanned(database, connection, base)]
    rows += [row for key, match in matches.items() for row in _rows(key, match, watched)]
    database.upsert(connection, CLIENT, rows)
    return derive(database, connection, {text_of(row[0]) for row in rows}, learn=learn)


def _rows(key: bytes, match: Match, bases: Iterable[str]) -> list[tuple[Any, ...]]:
    """Return the rows of a match for those of some ids that were in it."""
    there = {base_of(player, name) for player, name in match.names}.intersection(bases)
    return [
        (identity(base), key, json.dumps(seen_in(match, base)), base in match.shared, match.server)
        for base in sorted(there)
    ]


def _scanned(database: Database, connection: sa.Connection, base: str) -> list[tuple[Any, ...]]:
    """Return the rows of all kept matches in which an id was."""
    holding = database.holds(MATCH.c.record, json.dumps(base)[:-1])
    wanted = sa.select(MATCH.c.id, MATCH.c.record, MATCH.c.ended).where(holding)
    return [
        row
        for one in connection.execute(wanted)
        for row in _rows(bytes(one.id), match_of(one.record, one.ended), [base])
    ]


def again(database: Database, connection: sa.Connection) -> None:
    """Note everything again: for an archive whose matches were rewritten or filled in."""
    connection.execute(sa.delete(CLIENT))
    connection.execute(sa.delete(SHARED))
    holding = database.holds(MATCH.c.record, '"shared":')
    wanted = sa.select(MATCH.c.id, MATCH.c.record, MATCH.c.ended).where(holding)
    proving = {bytes(one.id): match_of(one.record, one.ended) for one in connection.execute(wanted)}
    note(database, connection, proving, learn=False)


def derive(
    database: Database, connection: sa.Connection, bases: Iterable[str], *, learn: bool = True
) -> list[str]:
    """Work out again who has some ids; return those that were one person's and are several people's."""
    fresh = []
    for base in sorted(bases):
        seen = _seen(connection, base)
        people = people_of_id(base, seen)
        before = _people(connection, base)
        if people == before:
            continue
        connection.execute(sa.delete(SHARED).where(SHARED.c.player == identity(base)))
        if people:
            database.insert(connection, SHARED, [(identity(base), json.dumps(people))])
        if people and not before:
            fresh.append(base)
        if learn:
            _mark(connection, base, seen, before, people)
    return fresh


def _seen(connection: sa.Connection, base: str) -> list[SeenId]:
    """Return where an id was, in matches that count."""
    wanted = (
        sa.select(MATCH.c.ended, MATCH.c.id, CLIENT.c.names, CLIENT.c.proven)
        .join(MATCH, MATCH.c.id == CLIENT.c.match)
        .where(CLIENT.c.player == identity(base), MATCH.c.undone.is_(False))
    )
    return [
        SeenId(float(row.ended), bytes(row.id), tuple(json.loads(row.names)), bool(row.proven))
        for row in connection.execute(wanted)
    ]


def _people(connection: sa.Connection, base: str) -> dict[str, str]:
    kept = connection.execute(sa.select(SHARED.c.people).where(SHARED.c.player == identity(base))).scalar()
    return {} if kept is None else dict(json.loads(kept))


def _mark(
    connection: sa.Connection,
    base: str,
    seen: Sequence[SeenId],
    before: Mapping[str, str],
    after: Mapping[str, str],
) -> None:
    """Let be learnt again what counted for somebody else: from the first match of a name that moved."""
    from equipoise.identity.names import bare

    moved = [
        (one.ended, one.match)
        for one in seen
        if not before
        or not after
        or any(before.get(bare(n), after.get(bare(n))) != after.get(bare(n)) for n in one.names)
    ]
    if moved:
        mark_stale(connection, f"{base} is the id of several people", min(moved))


def of_matches(database: Database, connection: sa.Connection, keys: Sequence[bytes]) -> None:
    """Work out again who has the ids of matches that count no longer or again, or have another date."""
    touched: set[str] = set()
    for first in range(0, len(keys), ASKED):
        wanted = sa.select(CLIENT.c.player).where(CLIENT.c.match.in_(keys[first : first + ASKED])).distinct()
        touched.update(map(text_of, connection.execute(wanted).scalars()))
    derive(database, connection, touched)


def doubtful(connection: sa.Connection) -> list[Doubtful]:
    """Return all ids that are not one person's, those of most people first."""
    found = []
    for row in connection.execute(sa.select(SHARED)):
        people: dict[str, list[str]] = {}
        for name, person in json.loads(row.people).items():
            people.setdefault(person, []).append(name)
        base = text_of(row.player)
        servers = connection.execute(
            sa.select(CLIENT.c.server).where(CLIENT.c.player == row.player).distinct()
        )
        seen = _seen(connection, base)
        found.append(
            Doubtful(
                base, tuple(sorted(filter(None, servers.scalars()))), len(seen),
                sum(one.proven for one in seen), {one: tuple(names) for one, names in sorted(people.items())},
            )
        )  # fmt: skip
    return sorted(found, key=lambda one: (-len(one.people), one.id))
