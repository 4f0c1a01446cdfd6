"""Rosters from files: ``weight name`` lines, CSV and JSON, from bytes to players.

Every mistake in a file becomes an :class:`~equipoise.errors.InputError` that begins with the file and the
line (or the entry) and says what is allowed.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from equipoise.errors import InputError
from equipoise.fields import (
    COLUMNS,
    NO_NUMBER,
    NUMBER,
    column_of,
    fail,
    player_of,
    players_of,
    short,
    weight_of,
)
from equipoise.files.contents import content_of, decoded
from equipoise.players import Player


def read_roster(source: str) -> list[Player]:
    """Read a roster from a file, or from standard input where the source is ``-``.

    Parameters
    ----------
    source : str
        A path or ``-``.  Endings ``.txt``, ``.csv``, ``.tsv`` and ``.json`` say the format; of others, and
        of standard input, the first character and line do.

    Raises
    ------
    InputError
        If the file cannot be read or something in it is wrong.
    """
    where, content = content_of(source)
    return parse_roster(content, where, "" if source == "-" else Path(source).suffix.lower())


def parse_roster(content: bytes, where: str, ending: str = "") -> list[Player]:
    r"""Read a roster from bytes; see :func:`read_roster`.

    Parameters
    ----------
    content : bytes
        UTF-8 text, with or without a byte order mark, lines ended in any way.
    where : str
        What messages call the source.
    ending : str
        ``".txt"``, ``".csv"``, ``".tsv"`` or ``".json"``; anything else leaves it to the content.

    Examples
    --------
    >>> [player.rating.mu for player in parse_roster(b"5 Ann\n7 Bob", "here")]
    [5.0, 7.0]
    """
    text = decoded(content, where)
    if not text.strip():
        fail(where, "it is empty; a roster has a line for each player")
    first = text.lstrip()
    if ending == ".json" or (ending not in (".txt", ".csv", ".tsv") and first[0] in "[{"):
        players = _from_json(text, where)
    elif ending in (".csv", ".tsv") or (ending != ".txt" and _looks_like_table(first.split("\n")[0])):
        players = _from_table(text, where)
    else:
        players = _from_lines(text, where)
    if not players:
        fail(where, "it has no players; a roster has a line for each player")
    return players


def _looks_like_table(header: str) -> bool:
    if NUMBER.match(header):
        return False
    names = {cell.strip().strip('"').lower() for cell in re.split(r"[,;\t]", header)}
    return any(column_of(name) is not None for name in names)


def _from_lines(text: str, where: str) -> list[Player]:
    seen: dict[str, int] = {}
    players = []
    for number, full_line in enumerate(text.split("\n"), start=1):
        line = full_line.strip()
        if not line:
            continue
        at = f"{where}, line {number}"
        match = NUMBER.match(line) or NO_NUMBER.match(line)
        if match is None:
            fail(at, f"{short(line)} does not begin with a weight; a line is 'weight name', as in '42 Ann'")
        name = line[match.end() :].strip()
        if not name:
            fail(at, f"there is no name after the weight {match.group()}; a line is 'weight name'")
        weight = weight_of(match.group(), at)
        players.append(player_of({"name": name, "weight": weight}, at, seen, number))
    return players


def _from_table(text: str, where: str) -> list[Player]:
    header_line = next(line for line in text.split("\n") if line.strip())
    delimiter = max(",;\t", key=header_line.count)
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True)
    seen: dict[str, int] = {}
    columns: list[str] | None = None
    players = []
    try:
        for cells in reader:
            number = reader.line_num
            if not any(cell.strip() for cell in cells):
                continue
            if columns is None:
                columns = _header(cells, f"{where}, line {number}")
                continue
            at = f"{where}, line {number}"
            if len(cells) > len(columns):
                fail(at, f"it has {len(cells)} cells, but the header has {len(columns)} columns")
            row = {c: cell.strip() for c, cell in zip(columns, cells, strict=False) if c and cell.strip()}
            players.append(player_of(row, at, seen, number))
    except csv.Error as error:
        fail(f"{where}, line {reader.line_num}", f"it is not CSV: {error}")
    return players


def _header(cells: Sequence[str], at: str) -> list[str]:
    columns = [column_of(cell) or "" for cell in cells]
    if "name" not in columns and "id" not in columns:
        allowed = "; ".join(f"{names[0]} (or {', '.join(names[1:])})" if names[1:] else names[0]
                            for names in COLUMNS.values())  # fmt: skip
        fail(at, f"the header has no column 'name' or 'id'; columns are: {allowed}")
    for column in set(columns) - {""}:
        if columns.count(column) > 1:
            fail(at, f"the header has the column {column!r} more than once")
    return columns


def _from_json(text: str, where: str) -> list[Player]:
    try:
        data = json.loads(text, object_pairs_hook=lambda pairs: _object(pairs, where))
    except InputError:
        raise
    except json.JSONDecodeError as error:
        fail(f"{where}, line {error.lineno}", f"it is not JSON: {error.msg}")
    except ValueError:
        fail(where, "it has a number of more digits than can be read; weights are up to 1e15")
    except RecursionError:
        fail(where, "it is nested too deeply; a roster is a list of players")
    if isinstance(data, dict) and isinstance(data.get("players"), list):
        data = data["players"]
    return players_of(data, where)


def _object(pairs: list[tuple[str, Any]], where: str) -> dict[str, Any]:
    """Return a JSON object; one that has a key twice would lose a player without a word."""
    data = dict(pairs)
    if len(data) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        fail(where, f"the key {short(twice)} comes twice in one object; names must differ")
    return data
