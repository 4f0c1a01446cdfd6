"""Corrections of an archive: matches that do not count, one person with two ids, people who are forgotten.

Each takes effect on what happened; what follows from it is marked as stale.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

import sqlalchemy as sa

from equipoise.archive import derived_rows, kept_chronicle, shared_ids
from equipoise.archive.chosen_model import Chosen, chosen, guessed
from equipoise.archive.chosen_model import renamed as renamed_guesses
from equipoise.archive.database import Database
from equipoise.archive.derived_rows import BEGINNING, forget_all
from equipoise.archive.queue_names import people_of_queues
from equipoise.archive.row_codec import match_of, record_of
from equipoise.archive.tables import (
    AGAIN,
    ARCHIVE,
    FOLLOWED,
    FORGOTTEN,
    MATCH,
    MERGED,
    RATING,
    archive_row,
    identities,
    identity,
    mark_stale,
    match_key,
    merged_ids,
    roots_of,
    text_of,
)
from equipoise.archive.views import plain
from equipoise.core.match import Match
from equipoise.core.player import is_bot
from equipoise.errors import InputError
from equipoise.identity.forgetting import NONE_GONE, Tombstones, gone_in
from equipoise.identity.merges import anonymous, everyone, opposed, renamed, stand_in, tombstone
from equipoise.identity.names import folded, stem_of
from equipoise.identity.shared_ids import OF, Identities

#: The message of a command that needs a player where there is none.
NOBODY = "'equipoise players' lists the ids"


def undo(database: Database, connection: sa.Connection, match_id: str, *, back: bool) -> str:
    """Exclude a match from the ratings, or include it again; return its id."""
    key = match_key(connection, match_id)
    changed = sa.update(MATCH).where(MATCH.c.id == key, MATCH.c.undone.is_(back)).values(undone=not back)
    if not connection.execute(changed).rowcount:
        msg = f"match: {text_of(key)!r} {'counts' if back else 'is undone'} already"
        raise InputError(msg)
    ended = connection.execute(sa.select(MATCH.c.ended).where(MATCH.c.id == key)).scalar_one()
    mark_stale(connection, "an undone match counts again" if back else "a match was undone", (ended, key))
    shared_ids.of_matches(database, connection, [key])
    return text_of(key)


def merge(
    database: Database, connection: sa.Connection, player: str, other: str, unseen: Collection[str] = ()
) -> tuple[str, str]:
    """Let two ids be one person, under the first, and return which counts as which.

    Of one there may be a guess and no match, or they have only waited in a queue.

    Of ``unseen`` ids there may be neither: somebody has shown that they are theirs, or came to a night.
    """
    merged = merged_ids(connection)
    root, leaf = merged.get(player, player), merged.get(other, other)
    if root == leaf:
        raise one_already(player, other)
    first = math.inf, b""
    undone = set(map(text_of, connection.scalars(sa.select(MATCH.c.id).where(MATCH.c.undone))))
    for match in _matches_of(database, connection, _all_ids(merged, leaf)):
        known = renamed(match, merged)
        if leaf in everyone(known):
            first = min(first, (match.ended or 0.0, identity(match.id)))
        if match.id not in undone and any(opposed(contest, {leaf: root}) for contest in known.contests):
            msg = f"merge: {root!r} and {leaf!r} played against each other in the match {match.id}"
            raise InputError(msg)
    for one in (root, leaf):
        ids = _all_ids(merged, one)
        if unseen and not set(unseen).isdisjoint(ids):
            continue
        if _guessed(connection).isdisjoint(ids) and not any(_matches_of(database, connection, ids)):
            waited = people_of_queues(connection)
            if waited.isdisjoint(ids):
                alike = sorted(each for each in waited if folded(each) == folded(one))
                hint = f"in a queue there was {alike[0]!r}" if alike else NOBODY
                msg = f"merge: there is no player {one!r}; {hint}"
                raise InputError(msg)
    connection.execute(sa.insert(MERGED).values(player=identity(leaf), into=identity(root)))
    mark_stale(connection, "players were merged", first if first[0] < math.inf else BEGINNING)
    return leaf, root


def one_already(player: str, other: str) -> InputError:
    """Return what is wrong with merging two who are one person."""
    return InputError(f"merge: {player!r} and {other!r} are one person already")


def separate(database: Database, connection: sa.Connection, player: str, other: str) -> None:
    """Take back that the second id is the first one."""
    pair = (MERGED.c.player == identity(other), MERGED.c.into == identity(player))
    if not connection.execute(sa.delete(MERGED).where(*pair)).rowcount:
        msg = f"merge: {other!r} was not merged into {player!r}"
        raise InputError(msg)
    theirs = _matches_of(database, connection, _all_ids(merged_ids(connection), other))
    first = min(((match.ended or 0.0, identity(match.id)) for match in theirs), default=BEGINNING)
    mark_stale(connection, "merged players were separated", first)


def _guessed(connection: sa.Connection) -> set[str]:
    """Return the ids of those whose strength was guessed."""
    row = archive_row(connection)
    return set(guessed(Chosen(row.model, row.settings).made()))


def _all_ids(merged: Mapping[str, str], root: str) -> list[str]:
    """Return all ids of a person."""
    return [root, *(leaf for leaf, into in merged.items() if into == root)]


def _matches_of(database: Database, connection: sa.Connection, ids: Sequence[str]) -> Iterator[Match]:
    """Go through the matches of some ids, with the people who played but nobody merged."""
    known = Identities({}, identities(connection).shared)
    named = {each for one in ids for each in (one, *([one.partition(OF)[0]] if OF in one else ()))}
    holding = [database.holds(MATCH.c.record, json.dumps(each)[:-1]) for each in sorted(named)]
    for row in connection.execute(sa.select(MATCH.c.record, MATCH.c.ended).where(sa.or_(*holding))):
        match = known.applied(match_of(row.record, row.ended))
        if not everyone(match).isdisjoint(ids):
            yield match


def forget(
    database: Database, connection: sa.Connection, player: str, others: Collection[str]
) -> dict[str, str]:
    """Write a person's ids and names out of all matches; return what stands for each, the asked one first.

    Of one without a match there is a guess, or it is one of the ``others`` who are known, or has waited in a
    queue, however written there, or was forgotten before: whatever has come since is written out too.
    """
    if is_bot(player):
        msg = f"forget: {player!r} is a bot, not a person"
        raise InputError(msg)
    merged = merged_ids(connection)
    root = merged.get(player, player)
    salt = bytes(archive_row(connection).salt)
    ids = {root, *(leaf for leaf, into in merged.items() if into == root)}
    people = {key: one for of in identities(connection).shared.values() for key, one in of.items()}
    spelled = {f"{one.partition(OF)[0]}{OF}{stem_of(key)}": one for key, one in people.items()}
    ids |= {key for key, one in spelled.items() if one in ids}
    written = set(map(folded, ids))
    waited = sorted(each for each in _only_waited(connection) if folded(each) in written)
    ids |= {*waited}
    stones: dict[str, bytes] = {}
    rows = []
    for row in connection.execute(sa.select(MATCH)):
        match = match_of(row.record)
        gone = gone_in(match, ids)
        if gone:
            stones |= {key: tombstone(salt, key) for key in gone.values()}
            stands = {each: stand_in(stones[key]) for each, key in gone.items()}
            shared = tuple(each for each in match.shared if each not in ids)
            record = record_of(replace(anonymous(match, stands), shared=shared))
            rows.append((bytes(row.id), row.ended, row.revision, row.undone, record, row.turn))
    stones |= {each: tombstone(salt, each) for each in ids}
    names = {each: stand_in(stone) for each, stone in stones.items()}
    again = tombstones(connection).names(ids)
    if not rows and not again and not waited and ids.isdisjoint(_guessed(connection).union(others)):
        msg = f"forget: there is no player {player!r}; {NOBODY}"
        raise InputError(msg)
    if rows:
        database.upsert(connection, MATCH, rows)
    missing = database.insert_missing(connection, FORGOTTEN, [(stone,) for stone in stones.values()])
    if not missing:
        _count_again(database, connection)
    also = sorted(key for key, one in spelled.items() if one == root and key != root)
    _rename_merged(database, connection, names, dict.fromkeys(also, root))
    shared_ids.again(database, connection)
    model = Chosen(archive_row(connection).model, archive_row(connection).settings).made()
    if (other := renamed_guesses(model, names)) is not model:
        connection.execute(sa.update(ARCHIVE).values(settings=chosen(other).settings, rated_by=""))
    derived_rows.delete_all(connection)
    forget_all(connection)
    kept_chronicle.clear(connection)
    mark_stale(connection, "a player was forgotten")
    return {root: names[root], **names}


def _only_waited(connection: sa.Connection) -> set[str]:
    """Return who has waited in a queue, and has no ratings."""
    waited = {plain(each): each for each in people_of_queues(connection)}
    return {waited[each] for each in waited.keys() - set(connection.scalars(sa.select(RATING.c.player)))}


def _count_again(database: Database, connection: sa.Connection) -> None:
    """Count that somebody was forgotten again: no new tombstone shows that all was rewritten."""
    kept = connection.execute(sa.select(FOLLOWED.c.place).where(FOLLOWED.c.log == AGAIN)).scalar()
    database.upsert(connection, FOLLOWED, [(AGAIN, str(int(kept or 0) + 1))])


def _rename_merged(
    database: Database, connection: sa.Connection, names: Mapping[str, str], also: Mapping[str, str]
) -> None:
    """Let the stand-ins of merged ids be merged, and ``also`` those of others; what is merged stays so."""
    pairs = {text_of(row.player): text_of(row.into) for row in connection.execute(sa.select(MERGED))}
    theirs = {player: into for player, into in pairs.items() if names.keys() & {player, into}}
    for player in theirs:
        del pairs[player]
        connection.execute(sa.delete(MERGED).where(MERGED.c.player == identity(player)))
    for player, into in (theirs | dict(also)).items():
        one, other = names.get(player, player), names.get(into, into)
        if one not in pairs and roots_of(pairs).get(other, other) != one:
            pairs[one] = other
            database.insert(connection, MERGED, [(identity(one), identity(other))])


def _matches(connection: sa.Connection) -> Iterator[Match]:
    """Go through all matches as they were reported."""
    for row in connection.execute(sa.select(MATCH.c.record, MATCH.c.ended)):
        yield match_of(row.record, row.ended)


def tombstones(connection: sa.Connection) -> Tombstones:
    """Return what tells who is forgotten."""
    stones = connection.execute(sa.select(FORGOTTEN.c.tombstone)).scalars().all()
    if not stones:
        return NONE_GONE
    return Tombstones(bytes(archive_row(connection).salt), frozenset(map(bytes, stones)))
