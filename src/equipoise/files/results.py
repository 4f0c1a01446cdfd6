"""Results as organisers keep them in a spreadsheet: a row for each match, a cell for each player.

The columns are described in docs/how-to/ratings.md, "Results from a spreadsheet".
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from equipoise.errors import InputError
from equipoise.files.rosters import content_of, decoded
from equipoise.logs.records import match_from, number_from, time_from
from equipoise.matches import Match, Skipped
from equipoise.tables import rows_of

#: Columns that are of the match and of no team.
OF_MATCH = {
    "id": "id",
    "match": "id",
    "game": "game",
    "game_type": "game_type",
    "map": "map",
    "weight": "weight",
}
WHEN = ("ended", "date", "time", "played")
RESULT = ("result", "winner", "win", "loss", "winners", "losers")

#: What a result may be for the team that is named first.
RANKS = {
    "win": (1.0, 2.0), "won": (1.0, 2.0), "w": (1.0, 2.0), "loss": (2.0, 1.0), "lost": (2.0, 1.0),
    "l": (2.0, 1.0), "draw": (1.0, 1.0), "tie": (1.0, 1.0), "d": (1.0, 1.0),
}  # fmt: skip

#: How dates with slashes or full stops may be written.
ORDERS = ("day-first", "month-first")

_SLASHED = re.compile(r"(\d{1,2})[./-](\d{1,2})[./-](\d{4})(?:[ T](\d{1,2}):(\d{2})(?::(\d{2}))?)?")
_MEMBER = re.compile(r"(.*?)[ _]?\d+")
_SCORE = re.compile(r"(?:score[ _](.+)|(.+)[ _]score)")


def read_results(source: Any, *, dates: str | None = None) -> Iterator[Match | Skipped]:
    """Read a table with a row for each match.

    Parameters
    ----------
    source : str, data frame, or iterable of mappings
        A path of a CSV file, a frame of pandas or polars, or the rows.
    dates : {"day-first", "month-first"}, optional
        How dates such as 03/04/2026 are meant, which have no meaning otherwise.

    Yields
    ------
    Match or Skipped
        A match, or where a row stands that is wrong and what is wrong with it.

    Raises
    ------
    InputError
        If the file cannot be read, or the columns name no two teams.

    Examples
    --------
    >>> rows = [{"date": "31/01/2026", "red1": "Ann", "red2": "Bob", "blue1": "Cid", "result": "win"}]
    >>> match = next(read_results(rows, dates="day-first"))
    >>> match.contests[0].teams, match.contests[0].ranks
    (((('Ann', 1.0), ('Bob', 1.0)), (('Cid', 1.0),)), (1.0, 2.0))
    """
    if dates is not None and dates not in ORDERS:
        msg = f"dates must be {' or '.join(ORDERS)}, got {dates!r}"
        raise InputError(msg)
    where, rows = _rows(source)
    columns = list(dict.fromkeys(name for _, row in rows for name in row))
    teams = _teams(columns, where)
    for at, row in rows:
        try:
            yield match_from(_record(row, teams, dates))
        except InputError as error:
            yield Skipped(at, str(error))


def _rows(source: Any) -> tuple[str, list[tuple[str, dict[str, Any]]]]:
    """Return what messages call a table, and its rows with their places; columns in small letters."""
    if isinstance(source, str | Path):
        where, content = content_of(str(source))
        text = decoded(content, where)
        header = text.lstrip().partition("\n")[0]
        reader = csv.reader(io.StringIO(text), delimiter=max(",;\t", key=header.count))
        columns: list[str] = []
        rows: list[tuple[str, dict[str, Any]]] = []
        for cells in reader:
            if not columns:
                columns = [cell.strip().lower() for cell in cells]
            elif any(cell.strip() for cell in cells):
                pairs = zip(columns, (cell.strip() for cell in cells), strict=False)
                rows.append(
                    (f"{where}, line {reader.line_num}", {name: cell for name, cell in pairs if cell})
                )
        return where, rows
    given = rows_of(source)
    found = list(source) if given is None else given
    for number, row in enumerate(found, start=1):
        if not isinstance(row, Mapping):
            msg = f"results, row {number}: it must be a mapping from columns to cells, got {row!r:.40}"
            raise InputError(msg)
    return "results", [
        (f"results, row {number}", {str(name).strip().lower(): cell for name, cell in row.items()
                                    if cell is not None and cell != ""})
        for number, row in enumerate(found, start=1)
    ]  # fmt: skip


def _teams(columns: Sequence[str], where: str) -> dict[str, list[str]]:
    """Return the columns of players of each team, as ``red1`` and ``red2`` are of ``red``."""
    teams: dict[str, list[str]] = {}
    for name in columns:
        member = _MEMBER.fullmatch(name)
        if member and member[1] and name not in (*OF_MATCH, *WHEN, *RESULT) and not _SCORE.fullmatch(name):
            teams.setdefault(member[1], []).append(name)
    if len(teams) < 2 and not {"winner", "winners", "win"} & set(columns):
        msg = (
            f"{where}: it must have columns of two teams or more, as red1, red2, blue1, blue2, or winner and "
            f"loser; it has {', '.join(columns) or 'none'}"
        )
        raise InputError(msg)
    return teams


def _record(row: Mapping[str, Any], teams: Mapping[str, Sequence[str]], dates: str | None) -> dict[str, Any]:
    """Return a row as a record of a match."""
    when = next((row[name] for name in WHEN if name in row), None)
    if when is None:
        msg = f"ended is missing; one of {', '.join(WHEN)} says when a match was played"
        raise InputError(msg)
    record = {field: row[name] for name, field in OF_MATCH.items() if name in row}
    record["ended"] = _time(when, dates)
    if "weight" in record:
        record["weight"] = number_from(record["weight"], "weight")
    if len(teams) < 2:
        won, lost = _named(row, ("winner", "winners", "win")), _named(row, ("loser", "losers", "loss"))
        return {**record, "teams": [won, lost], "ranks": [1.0, 2.0]}
    present = {team: [str(row[name]) for name in members if name in row] for team, members in teams.items()}
    named = [team for team, members in present.items() if members]
    scores = {found[1] or found[2]: cell for name, cell in row.items() if (found := _SCORE.fullmatch(name))}
    record["teams"] = [present[team] for team in named]
    if scores:
        missing = [team for team in named if team not in scores]
        if missing or set(scores) - set(teams):
            wrong = missing[0] if missing else next(iter(set(scores) - set(teams)))
            msg = f"score_{wrong}: each team must have players and a score, teams are {', '.join(named)}"
            raise InputError(msg)
        record["scores"] = [number_from(scores[team], f"score_{team}") for team in named]
    ranks = _ranks(row, named)
    if ranks is not None:
        record["ranks"] = ranks
    return record


def _ranks(row: Mapping[str, Any], teams: Sequence[str]) -> list[float] | None:
    """Return ranks as the result or the winner of a row says; None where it says neither."""
    if "result" in row:
        ranks = RANKS.get(str(row["result"]).strip().lower())
        if ranks is None or len(teams) != 2:
            msg = (
                f"result must be win, loss or draw of {', '.join(teams[:1])} among two teams, "
                f"got {str(row['result'])!r:.40}"
            )
            raise InputError(msg)
        return list(ranks)
    if "winner" in row:
        winner = str(row["winner"]).strip().lower()
        if winner in ("draw", "tie"):
            return [1.0] * len(teams)
        if winner not in teams:
            msg = f"winner must be {', '.join(teams)} or draw, got {winner!r:.40}"
            raise InputError(msg)
        return [1.0 if team == winner else 2.0 for team in teams]
    return None


def _named(row: Mapping[str, Any], columns: Sequence[str]) -> list[str]:
    """Return the players in a cell, separated by commas or semicolons."""
    cell = next((row[name] for name in columns if name in row), None)
    if cell is None:
        msg = f"{columns[0]} is missing; write the players of a team, as Ann; Bob"
        raise InputError(msg)
    return [name.strip() for name in re.split("[;,]", str(cell)) if name.strip()]


def _time(when: Any, dates: str | None) -> float:
    """Return a time of a cell; a date with slashes only where it is set which number is the day."""
    found = _SLASHED.fullmatch(when.strip()) if isinstance(when, str) else None
    if found is None:
        return time_from(when, "ended")
    if dates is None:
        msg = f"ended: {when!r} may begin with the day or the month; say dates='day-first' or 'month-first'"
        raise InputError(msg)
    one, other, year, *clock = (int(part or 0) for part in found.groups())
    day, month = (one, other) if dates == "day-first" else (other, one)
    try:
        hour, minute, second = clock
        return datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp()
    except ValueError as error:
        msg = f"ended: {when!r} is no date, {dates}: {error}"
        raise InputError(msg) from None
