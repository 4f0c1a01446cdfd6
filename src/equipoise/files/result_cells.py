"""Cells that mean the same in every table of results: when a match was, who came out ahead, who played."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from equipoise.errors import InputError
from equipoise.files.paste_lines import HELD, named, parts_of, unquoted, weight_of
from equipoise.files.pastes import refuse_joined
from equipoise.files.rosters import WITH_COMMA
from equipoise.games.plain import WRONG
from equipoise.logs.records import LATEST, cell_text, number_from, time_from

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

#: What a result may be, and the rank of the side that had it.
RANKS = {
    "win": 1.0, "won": 1.0, "w": 1.0, "loss": 2.0, "lost": 2.0, "l": 2.0, "draw": 1.0, "tie": 1.0, "d": 1.0,
}  # fmt: skip
DRAWN = ("draw", "tie", "d")

#: How dates with slashes or full stops may be written.
ORDERS = ("day-first", "month-first")

#: The earliest number that is a time, in 1973; what is smaller is a year, or a day of a spreadsheet.
EARLIEST = 1e8

_CLOCK = r"(?:[ T](\d{1,2}):(\d{2})(?::(\d{2}))?)?"
_SLASHED = re.compile(rf"(\d{{1,2}})[./-](\d{{1,2}})[./-](\d{{4}}){_CLOCK}")
_YEAR_FIRST = re.compile(rf"(\d{{4}})[./-](\d{{1,2}})[./-](\d{{1,2}}){_CLOCK}")
_COMPACT = re.compile(r"\A(\d{4})(\d\d)(\d\d)\Z")
_NUMBER = re.compile(r"-?\d+(?:\.\d*)?")

#: The day from which spreadsheets count, and the range that numbers of their days have: 1954 to 2119.
_DAY_0, _DAYS = datetime(1899, 12, 30, tzinfo=UTC), (20_000, 80_000)
_YEARS = (1900, 2200)


def common(row: Mapping[str, Any], dates: str | None) -> dict[str, Any]:
    """Return what a row says of its match, as the fields of a record.

    Raises
    ------
    InputError
        If it is wrong as a whole, or does not say when the match was, or in two ways.
    """
    if WRONG in row:
        raise InputError(row[WRONG])
    column = next((name for name in WHEN if name in row), None)
    if column is None:
        msg = f"ended is missing; one of {', '.join(WHEN)} says when a match was played"
        raise InputError(msg)
    record = {field: row[name] for name, field in OF_MATCH.items() if name in row}
    record["ended"] = _time(row[column], column, dates)
    if "weight" in record:
        record["weight"] = figure(record["weight"], "weight")
    return record


def figure(cell: Any, column: str) -> float:
    """Return a number, also with a decimal comma.

    Examples
    --------
    >>> figure("3,5", "score")
    3.5
    """
    if isinstance(cell, str) and WITH_COMMA.fullmatch(cell.strip()):
        return weight_of(cell, column, cell, "score")
    return number_from(cell, column)


def players_in(cell: Any, column: str) -> list[str]:
    """Return the players in a cell: separated by commas or semicolons, or as the parties of a roster.

    Raises
    ------
    InputError
        If it may be one player or several, as ``Ann and Bob``.

    Examples
    --------
    >>> players_in("Ann; Bob", "red"), players_in("Ann+Bob", "red"), players_in("R&B", "red")
    (['Ann', 'Bob'], ['Ann', 'Bob'], ['R&B'])
    """
    text, held = unquoted(cell_text(cell, column))
    parts = [part for name in re.split(r"[;,]|\s[+&/]\s", text) for part in parts_of(name.strip()) if part]
    for part in parts:
        if HELD not in part:
            refuse_joined(part, named(part, held), column)
    return [named(part, held) for part in parts]


def players_under(row: Mapping[str, Any], columns: Sequence[str]) -> list[str]:
    """Return the players in the cell of the first of these columns that a row has."""
    column = next((name for name in columns if name in row), None)
    if column is None:
        msg = f"{columns[0]} is missing; write the players of a team, as Ann; Bob"
        raise InputError(msg)
    return players_in(row[column], column)


def check_order(rows: Iterable[tuple[str, Mapping[str, Any]]], dates: str) -> None:
    """Refuse a table that has a date of the other order: its other dates would be read wrongly.

    Raises
    ------
    InputError
        If some date can only be of the other order; the message begins with its row.
    """
    (other,) = set(ORDERS) - {dates}
    for at, row in rows:
        column = next((name for name in WHEN if name in row), "")
        when = str(row.get(column, "")).strip()
        if _moment(when, dates) is None and _moment(when, other) is not None:
            msg = (
                f"{at}: {column}: {when!r} is no date, {dates}; if the table has its dates {other}, choose "
                f"--dates {other} (dates= in Python)"
            )
            raise InputError(msg)


def _moment(when: str, dates: str | None) -> datetime | None:
    """Return a date that is written in numbers; None where there is no such day or time of day."""
    found, slashed = _YEAR_FIRST.fullmatch(when), _SLASHED.fullmatch(when)
    if found:
        year, month, day, *clock = (int(part or 0) for part in found.groups())
    elif slashed:
        one, two, year, *clock = (int(part or 0) for part in slashed.groups())
        day, month = (one, two) if dates == "day-first" else (two, one)
    else:
        return None
    try:
        hour, minute, second = clock
        return datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return None


def _time(when: Any, column: str, dates: str | None) -> float:
    """Return a time of a cell; a date with slashes only where it is set which number is the day."""
    if isinstance(when, int | float) and not isinstance(when, bool):
        when = f"{when:.15g}"
    text = _COMPACT.sub(r"\1-\2-\3", when.strip()) if isinstance(when, str) else ""
    slashed = _SLASHED.fullmatch(text)
    if slashed and dates is None:
        msg = (
            f"{column}: {when!r} may begin with the day or the month; choose --dates day-first or "
            "month-first (dates= in Python)"
        )
        raise InputError(msg)
    if slashed or _YEAR_FIRST.fullmatch(text):
        moment = _moment(text, dates)
        if moment is None:
            order = f", {dates}" if slashed else ""
            msg = f"{column}: {when!r} is no date{order}; there is no such day or time of day"
            raise InputError(msg)
        return moment.timestamp()
    if _NUMBER.fullmatch(text) and not EARLIEST <= float(text) < LATEST:
        msg = (
            f"{column}: {when!r} is no time{_likely(float(text))}; write a date such as 2026-01-31, "
            f"or seconds since 1970 from {EARLIEST:.0f} on"
        )
        raise InputError(msg)
    return time_from(text or when, column)


def _likely(number: float) -> str:
    """Return what a number in a column of dates looks like."""
    if _DAYS[0] <= number <= _DAYS[1]:
        day = _DAY_0 + timedelta(days=number)
        return f", but looks like {day:%Y-%m-%d} as spreadsheets count days: give the cells a date's format"
    if _YEARS[0] <= number <= _YEARS[1] and number == int(number):
        return ", but looks like a year"
    return ", but looks like milliseconds" if EARLIEST <= number / 1000.0 < LATEST else ""
