"""Queries on the kept matches: all in order, the newest, one by its id, those that came since a revision."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, NotRequired, TypedDict, cast

import sqlalchemy as sa

from equipoise.archive.database import Database
from equipoise.archive.row_codec import match_of, record_of
from equipoise.archive.tables import (
    MATCH,
    found,
    identity,
    in_replay_order,
    keys_like,
    mark_stale,
    merged_ids,
)
from equipoise.core.dates import STEP
from equipoise.core.match import Match, replay_key
from equipoise.core.match_records import record_data
from equipoise.core.player import is_bot
from equipoise.errors import InputError
from equipoise.identity.merges import renamed
from equipoise.identity.shared_ids import LOGGED_LENGTH
from equipoise.ratings.replay import OF_TABLE, is_one_game

#: Matches that are read at once.
TOGETHER = 10_000

#: What the id of a match from a log is, which hashes its lines, and how near in time another one may be it.
LOGGED, NEAR, WEEK = re.compile(f"[0-9a-f]{{{LOGGED_LENGTH}}}"), 3600.0, 7 * 86_400.0

#: The part of the people of a match of a log and of a result that must be in both, if both are one game.
SAME = 0.75


def each_once(matches: Iterable[Match]) -> tuple[dict[bytes, Match], list[str]]:
    """Return the first match of each id (the earliest of a game without a date), and ids of conflicts."""
    unique: dict[bytes, Match] = {}
    conflicts = []
    for match in matches:
        first = unique.setdefault(identity(match.id), match)
        if not match.dated and (match.ended or 0.0) < (first.ended or 0.0):
            unique[identity(match.id)] = match
        if first is not match and not LOGGED.fullmatch(match.id) and not is_one_game(first, match):
            conflicts.append(match.id)
    return unique, conflicts


def conflicts(
    connection: sa.Connection, known: dict[bytes, Match], dated: Collection[str] = ()
) -> tuple[list[str], list[str]]:
    """Return the ids of those matches that differ from what is kept under their ids.

    Rows of tables with the ids ``dated`` may have any other date.  Beside them are the ids of those that are
    the same row, but were kept with other people.
    """
    reported = {key: match for key, match in known.items() if not LOGGED.fullmatch(match.id)}
    kept = found(connection, list(reported), MATCH.c.record)
    pairs = [(row.record, reported[bytes(row.id)]) for row in kept]
    differing = [
        (kept_as, match)
        for record, match in pairs
        if record != record_of(match)
        # When it was read is no part of a game.
        and record_of(kept_as := replace(match_of(record), read=None)) != record_of(replace(match, read=None))
    ]
    merged = merged_ids(connection) if differing else {}
    wrong, others = [], []
    for kept_as, match in ((renamed(one, merged), renamed(other, merged)) for one, other in differing):
        if not is_one_game(kept_as, match, whenever=match.id in dated):
            wrong.append(match.id)
        elif set(kept_as.roster) != set(match.roster):
            others.append(match.id)
    return wrong, others


def redate(
    connection: sa.Connection, matches: dict[bytes, Match], known: dict[bytes, float], dated: Collection[str]
) -> int:
    """Let known games have the dates that they have now, as in another zone; return how many moved.

    These are games of logs and rows of tables, and only those with the ids ``dated``: what counts as read
    now, or is dated by the time of its file, says nothing about when it was.
    """
    moved = {
        key: known[key]
        for key in matches
        if (LOGGED.fullmatch(matches[key].id) or matches[key].id.startswith(OF_TABLE))
        and matches[key].id in dated
        and matches[key].read is None
        and abs((matches[key].ended or 0.0) - known[key]) > STEP
    }
    for key in moved:
        match = matches[key]
        new = {"ended": float(match.ended or 0.0), "record": record_of(match)}
        connection.execute(sa.update(MATCH).where(MATCH.c.id == key).values(**new))
    if moved:
        first = min((min(before, matches[key].ended or 0.0), key) for key, before in moved.items())
        mark_stale(connection, "games have other dates", first)
    return len(moved)


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


def has_logs(database: Database) -> bool:
    """Tell whether a match of a log is among the kept ones."""
    logged = sa.select(MATCH.c.id).where(sa.func.length(MATCH.c.id) == LOGGED_LENGTH).limit(1)
    with database.reading() as connection:
        return connection.execute(logged).first() is not None


def reported_too(database: Database, matches: Iterable[Match]) -> list[tuple[str, str]]:
    """Return those matches of logs that were probably reported as results too, with the ids of these.

    Of each pair one is among the given matches.  The same people played the same game, with the same scores
    where both tell them, within an hour; a game without a date, which is dated by its file, within a week
    before that.
    """
    logs: list[Match] = []
    results: list[Match] = []
    for match in matches:
        (logs if LOGGED.fullmatch(match.id) else results).append(match)
    with database.reading() as connection:
        pairs: list[tuple[Match, Match]] = []
        if logs:
            earliest = min((log.ended or 0.0) - (NEAR if log.dated else WEEK) for log in logs)
            reported = _between(
                connection, earliest, max(log.ended or 0.0 for log in logs) + NEAR, logged=False
            )
            pairs += _pairs(logs, reported)
        if results:
            times = [result.ended or 0.0 for result in results]
            pairs += _pairs(_between(connection, min(times) - NEAR, max(times) + WEEK, logged=True), results)
    return [(log.id, result.id) for log, result in pairs]


def _between(connection: sa.Connection, earliest: float, latest: float, *, logged: bool) -> list[Match]:
    """Return the matches of logs, or else the others, that count and ended between two times."""
    length = sa.func.length(MATCH.c.id)
    wanted = sa.select(MATCH.c.record, MATCH.c.ended).where(
        MATCH.c.ended.between(earliest, latest),
        length == LOGGED_LENGTH if logged else length != LOGGED_LENGTH,
        MATCH.c.undone.is_(False),
    )
    return [match_of(row.record, row.ended) for row in connection.execute(wanted)]


def _pairs(logs: Sequence[Match], results: Sequence[Match]) -> list[tuple[Match, Match]]:
    """Return each match of a log with the nearest result that may be the same game, where there is one."""
    of: dict[str, list[Match]] = {}
    for result in results:
        for player in _people(result):
            of.setdefault(player, []).append(result)
    pairs = []
    for log in logs:
        there = {id(result): result for player in _people(log) for result in of.get(player, ())}
        same = [result for result in there.values() if _may_be(log, result)]
        if same:
            pairs.append((log, min(same, key=lambda result: (_apart(log, result), result.id))))
    return pairs


def _apart(log: Match, result: Match) -> float:
    return abs((log.ended or 0.0) - (result.ended or 0.0))


def _may_be(log: Match, result: Match) -> bool:
    """Tell whether a match of a log and a result may be one game; few may have come or gone."""
    one, other = _people(log), _people(result)
    scores = [sorted(match.contests[-1].scores) for match in (log, result)]
    known = all(scores) and len(scores[0]) == len(scores[1])
    back = (log.ended or 0.0) - (result.ended or 0.0)
    return (
        log.ruleset.game == result.ruleset.game
        and SAME * len(one | other) <= len(one & other)
        and (not known or scores[0] == scores[1])
        and (abs(back) <= NEAR or (known and not log.dated and 0.0 <= back <= WEEK))
    )


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
        last = (rows[-1].ended, rows[-1].turn)


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
    wanted = sa.select(MATCH).order_by(MATCH.c.ended.desc(), MATCH.c.turn.desc()).limit(limit)
    if place is not None:
        ended, turn = place[0], replay_key(place[1])
        earlier = sa.or_(MATCH.c.ended < ended, sa.and_(MATCH.c.ended == ended, MATCH.c.turn < turn))
        wanted = wanted.where(MATCH.c.ended <= ended, earlier)
    return _read(database, wanted)


def one(database: Database, match_id: str) -> Listed | None:
    """Return the match with an id, None where there is none."""
    found = _read(database, sa.select(MATCH).where(MATCH.c.id == identity(match_id)))
    return found[0] if found else None


def meant(database: Database, match_id: str) -> Listed | None:
    """Return the match with an id, or the one whose id begins so, or has this part; None where there is none.

    Raises
    ------
    InputError
        If several have it.
    """
    if not match_id or (found := one(database, match_id)) is not None:
        return found if match_id else None
    with database.reading() as connection:
        keys = keys_like(connection, match_id)
    if len(keys) > 1:
        msg = f"match: several have an id with {match_id!r}; give more of it"
        raise InputError(msg)
    return _read(database, sa.select(MATCH).where(MATCH.c.id == keys[0]))[0] if keys else None


def between(database: Database, known: int, until: int, limit: int) -> list[Listed]:
    """Return some matches that came after a revision, up to another, the earliest to come first."""
    wanted = sa.select(MATCH).where(MATCH.c.revision > known, MATCH.c.revision <= until)
    return _read(database, wanted.order_by(MATCH.c.revision, MATCH.c.id).limit(limit))


def count_between(database: Database, known: int, until: int) -> int:
    """Return how many matches came after a revision, up to another."""
    wanted = (
        sa.select(sa.func.count())
        .select_from(MATCH)
        .where(MATCH.c.revision > known, MATCH.c.revision <= until)
    )
    with database.reading() as connection:
        return int(connection.execute(wanted).scalar_one())


def _read(database: Database, wanted: sa.Select[Any]) -> list[Listed]:
    with database.reading() as connection:
        return [
            Listed(match_of(row.record, row.ended), bool(row.undone), int(row.revision))
            for row in connection.execute(wanted)
        ]
