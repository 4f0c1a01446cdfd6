"""Cells that mean the same in every table of results: when a match was, who came out ahead, who played."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from equipoise.errors import InputError
from equipoise.games.plain import WRONG
from equipoise.logs.records import number_from, time_from

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

_SLASHED = re.compile(r"(\d{1,2})[./-](\d{1,2})[./-](\d{4})(?:[ T](\d{1,2}):(\d{2})(?::(\d{2}))?)?")


def common(row: Mapping[str, Any], dates: str | None) -> dict[str, Any]:
    """Return what a row says of its match, as the fields of a record.

    Raises
    ------
    InputError
        If it is wrong as a whole, or does not say when the match was, or in two ways.
    """
    if WRONG in row:
        raise InputError(row[WRONG])
    when = next((row[name] for name in WHEN if name in row), None)
    if when is None:
        msg = f"ended is missing; one of {', '.join(WHEN)} says when a match was played"
        raise InputError(msg)
    record = {field: row[name] for name, field in OF_MATCH.items() if name in row}
    record["ended"] = _time(when, dates)
    if "weight" in record:
        record["weight"] = number_from(record["weight"], "weight")
    return record


def players_in(cell: Any) -> list[str]:
    """Return the players in a cell: separated by commas or semicolons, or by ``+``, ``&`` or ``/`` in blanks.

    Examples
    --------
    >>> players_in("Ann; Bob"), players_in("Ann & Bob"), players_in("R&B")
    (['Ann', 'Bob'], ['Ann', 'Bob'], ['R&B'])
    """
    return [name.strip() for name in re.split(r"[;,]|\s[+&/]\s", str(cell)) if name.strip()]


def named(row: Mapping[str, Any], columns: Sequence[str]) -> list[str]:
    """Return the players in the cell of the first of these columns that a row has."""
    cell = next((row[name] for name in columns if name in row), None)
    if cell is None:
        msg = f"{columns[0]} is missing; write the players of a team, as Ann; Bob"
        raise InputError(msg)
    return players_in(cell)


def _time(when: Any, dates: str | None) -> float:
    """Return a time of a cell; a date with slashes only where it is set which number is the day."""
    found = _SLASHED.fullmatch(when.strip()) if isinstance(when, str) else None
    if found is None:
        return time_from(when, "ended")
    if dates is None:
        msg = (
            f"ended: {when!r} may begin with the day or the month; choose --dates day-first or month-first "
            "(dates= in Python)"
        )
        raise InputError(msg)
    one, other, year, *clock = (int(part or 0) for part in found.groups())
    day, month = (one, other) if dates == "day-first" else (other, one)
    try:
        hour, minute, second = clock
        return datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp()
    except ValueError as error:
        msg = f"ended: {when!r} is no date, {dates}: {error}"
        raise InputError(msg) from None
