"""Finds what is among the kept matches: all in order, the first game, and those several sources tell of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import sqlalchemy as sa

from equipoise.archive.database import Database
from equipoise.archive.records import match_of, record_of
from equipoise.archive.schema import MATCH, found, identity, in_replay_order, mark_stale
from equipoise.matches import Match
from equipoise.ratings.model import is_bot

#: Matches that are read at once.
TOGETHER = 10_000

#: What the id of a match from a log is, which hashes its lines, and how near in time another one may be it.
LOGGED, LOGGED_LENGTH, NEAR = re.compile("[0-9a-f]{64}"), 64, 3600.0


def each_once(matches: Iterable[Match]) -> tuple[dict[bytes, Match], list[str]]:
    """Return the first match of each id (the earliest of a game without a date), and ids of conflicts."""
    unique: dict[bytes, Match] = {}
    conflicts = []
    for match in matches:
        first = unique.setdefault(identity(match.id), match)
        if not match.dated and (match.ended or 0.0) < (first.ended or 0.0):
            unique[identity(match.id)] = match
        if first is not match and first != match and not LOGGED.fullmatch(match.id):
            conflicts.append(match.id)
    return unique, conflicts


def conflicts(connection: sa.Connection, known: dict[bytes, Match]) -> list[str]:
    """Return the ids of those matches that differ from what is kept under their ids."""
    reported = {key: match for key, match in known.items() if not LOGGED.fullmatch(match.id)}
    kept = found(connection, list(reported), MATCH.c.record)
    differing = [reported[bytes(row.id)] for row in kept if row.record != record_of(reported[bytes(row.id)])]
    return [match.id for match in differing]


def take_back(connection: sa.Connection, matches: dict[bytes, Match], known: dict[bytes, float]) -> None:
    """Let matches without dates be as early as any of their sources says, whichever is read first."""
    earlier = {
        key: float(matches[key].ended or 0.0)
        for key, ended in known.items()
        if not matches[key].dated and (matches[key].ended or 0.0) < ended
    }
    for key, ended in earlier.items():
        connection.execute(sa.update(MATCH).where(MATCH.c.id == key).values(ended=ended))
    if earlier:
        first = min((ended, key) for key, ended in earlier.items())
        mark_stale(connection, "a game without a date was found in an earlier source", first)


def reported_too(database: Database, matches: Iterable[Match]) -> list[tuple[str, str]]:
    """Return those matches of logs that were probably reported as results too, with the ids of these.

    The same people played the same game within an hour; games without dates are left out.
    """
    read = [match for match in matches if match.dated and LOGGED.fullmatch(match.id)]
    if not read:
        return []
    times = [match.ended or 0.0 for match in read]
    near = MATCH.c.ended.between(min(times) - NEAR, max(times) + NEAR)
    wanted = sa.select(MATCH.c.record, MATCH.c.ended)
    others = wanted.where(near, sa.func.length(MATCH.c.id) != LOGGED_LENGTH, MATCH.c.undone.is_(False))
    with database.reading() as connection:
        reported = [match_of(row.record, row.ended) for row in connection.execute(others)]
    return [
        (match.id, other.id)
        for match in read
        for other in reported
        if abs((match.ended or 0.0) - (other.ended or 0.0)) <= NEAR
        and match.ruleset.game == other.ruleset.game
        and _people(match) == _people(other)
    ]


def _people(match: Match) -> set[str]:
    """Return the people who played."""
    players = {player for contest in match.contests for team in contest.teams for player, _ in team}
    return {player for player in players if not is_bot(player)}


def first_game(database: Database) -> str | None:
    """Return the game of the matches that came first, None where there are several or none."""
    with database.reading() as connection:
        first = connection.execute(sa.select(sa.func.min(MATCH.c.revision))).scalar()
        wanted = sa.select(MATCH.c.record, MATCH.c.ended).where(MATCH.c.revision == first)
        rows = connection.execute(wanted).all()
    games = {contest.ruleset.game for row in rows for contest in match_of(*row).contests}
    return games.pop() if len(games) == 1 else None


def parts(database: Database) -> Iterator[list[tuple[str, float]]]:
    """Go through the records of the matches that count and their ends, each part read at once."""
    last: tuple[float, bytes] | None = None
    while True:
        with database.reading() as connection:
            rows = connection.execute(in_replay_order(last).limit(TOGETHER)).all()
        if not rows:
            return
        yield [(row.record, row.ended) for row in rows]
        last = (rows[-1].ended, rows[-1].id)
