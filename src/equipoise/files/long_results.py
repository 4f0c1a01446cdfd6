"""Results with a row for each player of a match."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.errors import InputError
from equipoise.files.result_cells import DRAWN, RANKS, WHEN, common, figure
from equipoise.files.sheets import Row
from equipoise.games.plain import WRONG
from equipoise.logs.records import cell_text

#: What the column of players may be called.
PLAYER = ("player", "name", "nick")

#: What tells the rows of one match; without it they are those of one time.
MATCH = ("match", "id")

SCORE, RANK = ("score", "team_score", "team score"), ("rank", "place")


def matches(rows: Sequence[Row]) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return the rows of each match, with the place of the first of them, or of one that is wrong."""
    found: dict[Any, tuple[str, list[dict[str, Any]]]] = {}
    for at, row in rows:
        key = next(((name, str(row[name])) for name in (*MATCH, *WHEN) if name in row), at)
        members = found.setdefault(key, (at, []))[1]
        members.append(row)
        if WRONG in row:
            found[key] = at, members
    return list(found.values())


def record(rows: Sequence[Mapping[str, Any]], dates: str | None) -> dict[str, Any]:
    """Return the rows of a match as a record.

    Raises
    ------
    InputError
        If rows contradict each other, or something is missing.
    """
    teams: dict[str, list[str]] = {}
    standings: dict[str, tuple[float, bool]] = {}
    for row in rows:
        column = next((name for name in PLAYER if name in row), None)
        if column is None:
            msg = f"{PLAYER[0]} is missing; each row is one player of a match"
            raise InputError(msg)
        standing = _standing(row)
        team = cell_text(row.get("team", f"those with {standing[0]:g}"), "team").strip().lower()
        teams.setdefault(team, []).append(cell_text(row[column], column))
        if standings.setdefault(team, standing) != standing:
            msg = f"team {team!r}: its score, rank or result must be the same in all its rows"
            raise InputError(msg)
    shared = common(rows[0], dates)
    for row in rows:
        if common(row, dates) != shared:
            msg = "a match must have one date, one map and one game in all its rows"
            raise InputError(msg)
    values = [standings[team] for team in teams]
    if len({scored for _, scored in values}) > 1:
        msg = "score must be in all rows of a match, or in none"
        raise InputError(msg)
    field = "scores" if values and values[0][1] else "ranks"
    return {**shared, "teams": list(teams.values()), field: [value for value, _ in values]}


def _standing(row: Mapping[str, Any]) -> tuple[float, bool]:
    """Return the score of a row's team and True, or else its rank and False."""
    for names, scored in ((SCORE, True), (RANK, False)):
        for name in names:
            if name in row:
                return figure(row[name], name), scored
    result = str(row.get("result", "")).strip().lower()
    if result not in RANKS:
        msg = f"result must be win, loss or draw, or there must be a score or a rank, got {result!r:.40}"
        raise InputError(msg)
    if result in DRAWN and "team" not in row:
        msg = "team is missing; after a draw nothing else tells the teams apart"
        raise InputError(msg)
    return RANKS[result], False
