"""Rows of a table, a player each, as the typed lines of :mod:`equipoise.files.match_lines`.

Here are only tables that are as most are: the rows of a match one after the other, and nothing wrong with
them.  Others are left to :func:`equipoise.games.plain.from_rows`, which says what is wrong.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Generator, Mapping
from operator import itemgetter
from typing import TextIO

import msgspec

from equipoise.errors import InputError
from equipoise.files.match_lines import TypedLine, TypedPlayer
from equipoise.games.plain import SEPARATOR, checked

#: What is the same in all rows of a match, and in all rows of a team.
OF_MATCH = ("ended", "began", "game", "game_type", "mutators", "weight")
OF_TEAM = ("rank", "team_score")


class Unusual(Exception):  # noqa: N818  # it is no error
    """The table is not as most are."""


def matches_of(file: TextIO, delimiter: str = "") -> Generator[list[Mapping[str, str]], None, None]:
    """Go through the matches of a table, each as its rows: the cells that are not empty.

    Raises
    ------
    Unusual
        If the rows of a match stand apart, or the text is no such table.
    """
    try:
        header = file.readline()
        delimiter = delimiter or max(",;\t", key=header.count)
        names = next(csv.reader([header], delimiter=delimiter), [])
        columns = checked([cell.strip().lower() for cell in names], "")
        if len(set(columns)) < len(columns):
            raise Unusual
        seen: set[str] = set()
        group: list[Mapping[str, str]] = []
        last = ""
        for cells in csv.reader(file, delimiter=delimiter):
            row = {name: text for name, cell in zip(columns, cells, strict=False) if (text := cell.strip())}
            if not row:
                continue
            name = row.get("match", "")
            if name != last:
                if group:
                    yield group
                if not name or name in seen:
                    raise Unusual
                seen.add(name)
                group, last = [], name
            group.append(row)
        if group:
            yield group
    except (csv.Error, UnicodeDecodeError, InputError) as error:
        raise Unusual from error


def line_of(rows: list[Mapping[str, str]]) -> TypedLine | None:
    """Return the match of rows as a line; None where something is rare or wrong."""
    first = rows[0]
    teams: dict[str, list[str | TypedPlayer]] = {}
    known: dict[str, tuple[str | None, ...]] = {}
    match = tuple(first.get(field) for field in OF_MATCH)
    try:
        for row in sorted(rows, key=itemgetter("team", "player")):
            team, player = row["team"], row["player"]
            of_team = (row.get("rank"), row.get("team_score"))
            if tuple(map(row.get, OF_MATCH)) != match or known.setdefault(team, of_team) != of_team:
                return None
            if "party" in row or "left" in row:
                return None  # these are checked record by record
            teams.setdefault(team, []).append(_player(row, player))
        ranks, scores = (_numbers(known, place) for place in range(len(OF_TEAM)))
        mutators = filter(None, map(str.strip, first.get("mutators", "").split(SEPARATOR)))
        return TypedLine(
            ended=first["ended"], teams=list(teams.values()), id=first["match"],
            began=first.get("began", msgspec.UNSET),
            game=first.get("game", ""), game_type=first.get("game_type", ""),
            mutators=tuple(mutators),
            ranks=ranks, scores=scores, weight=float(first.get("weight", 1.0)),
        )  # fmt: skip
    except (KeyError, ValueError):
        return None


def _player(row: Mapping[str, str], name: str) -> str | TypedPlayer:
    """Return a player as a line has it."""
    if not row.keys() & {"share", "kills", "deaths", "score"}:
        return name
    return TypedPlayer(
        id=name, share=float(row.get("share", 1.0)), kills=_number(row, "kills"),
        deaths=_number(row, "deaths"), score=_number(row, "score"),
    )  # fmt: skip


def _number(row: Mapping[str, str], field: str) -> float | None:
    return float(row[field]) if field in row else None


def _numbers(known: Mapping[str, tuple[str | None, ...]], place: int) -> list[float] | None:
    """Return what each team's rows say, None where none does; raise where only some do."""
    cells = [each[place] for each in known.values()]
    if all(cell is None for cell in cells):
        return None
    numbers = [math.nan if cell is None else float(cell) for cell in cells]
    if any(number != number for number in numbers):
        msg = "some teams have none"
        raise ValueError(msg)
    return numbers
