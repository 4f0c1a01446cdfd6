"""Rosters from files: names as people write them, tables and JSON, from bytes to players.

Every mistake in a file becomes an :class:`~equipoise.errors.InputError` that begins with the file and the
line (or the entry) and says what is allowed.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from equipoise.errors import InputError
from equipoise.files.fields import (
    NO_NUMBER,
    NUMBER,
    content_of,
    decoded,
    fail,
    number_of,
    price_of,
    short,
    text_of,
)
from equipoise.files.paste_lines import plain_name
from equipoise.files.pastes import parse_paste, weight_of
from equipoise.players import NO_SIDE, Player, Rating

#: The columns (or keys) a roster may have, and what else they are called.
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "name": ("name", "player", "nick", "nickname", "player name", "user", "username"),
    "id": ("id",),
    "weight": (
        *("weight", "rating", "skill", "elo", "mmr", "score", "sr", "points", "level"),
        *("skill level", "skill rating", "elo rating", "player score", "player rating"),
    ),
    "mu": ("mu",),
    "sigma": ("sigma", "deviation", "rd"),
    "party": ("party", "premade", "group"),
    "side": ("side",),
    "team": ("team",),
    "bot": ("bot",),
    "roles": ("roles", "role"),
    "prefer": ("prefer", "with"),
    "avoid": ("avoid", "without"),
}

#: What separates several in one cell of a table; in JSON they are a list or an object.
SEPARATOR = ";"

#: Columns of numbers, which a spreadsheet may write with a decimal comma.
_NUMBERS = {"weight", "mu", "sigma", "side"}
_WITH_COMMA = re.compile(r"[+]?[\d.'’\u202f\u00a0]*,[\d.]*")
#: What begins JSON; a clan's tag or a time in brackets does not.
_JSON = re.compile(r"\{|\[\s*(?:[\"{\[\]]|-?\d[\d.]*\s*[,\]]|$)")
#: The line below the header of a Markdown table.
_RULE = re.compile(r"[\s|:+-]*-[\s|:+-]*")

_YES, _NO = ("1", "true", "yes"), ("", "0", "false", "no")


def read_roster(source: str, read: str | None = None) -> list[Player]:
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
    return parse_roster(content, where, "" if source == "-" else Path(source).suffix.lower(), read)


def parse_roster(content: bytes, where: str, ending: str = "", read: str | None = None) -> list[Player]:
    r"""Read a roster from bytes; see :func:`read_roster`.

    Parameters
    ----------
    content : bytes
        UTF-8 text, with or without a byte order mark, lines ended in any way.
    where : str
        What messages call the source.
    ending : str
        ``".txt"``, ``".csv"``, ``".tsv"`` or ``".json"``; anything else leaves it to the content.
    read : {"weight-first", "name-first", "names"}, optional
        How to read lines that can be read in several ways; see :func:`equipoise.files.pastes.parse_paste`.

    Examples
    --------
    >>> [player.rating.mu for player in parse_roster(b"5 Ann\n7 Bob", "here")]
    [5.0, 7.0]
    """
    text = decoded(content, where)
    if not text.strip():
        fail(where, "it is empty; a roster has a line for each player")
    first = text.lstrip()
    if ending == ".json" or (ending not in (".txt", ".csv", ".tsv") and _JSON.match(first)):
        players = _from_json(text, where)
    elif ending in (".csv", ".tsv") or (ending != ".txt" and _looks_like_table(first.split("\n")[0])):
        players = _from_table(text, where)
    else:
        players = _from_lines(text, where, read)
    if not players:
        fail(where, "it has no players; a roster has a line for each player")
    return players


def _looks_like_table(header: str) -> bool:
    if NUMBER.match(header):
        return False
    names = {
        cell.strip().strip('"').lower()
        for cell in re.split(r"[|]" if _is_markdown(header) else r"[,;\t]", header)
    }
    return any(_column(name) is not None for name in names)


def _column(name: str) -> str | None:
    return next((column for column, names in COLUMNS.items() if name.strip().lower() in names), None)


def _from_lines(text: str, where: str, read: str | None) -> list[Player]:
    seen: dict[str, int] = {}
    players = []
    for entry in parse_paste(text, where, read):
        row: dict[str, Any] = {"name": entry.name}
        if entry.weight is not None:
            row["weight"] = entry.weight
        if entry.party is not None:
            row["party"] = entry.party
        players.append(_player(row, f"{where}, line {entry.line}", seen, entry.line))
    return players


def _from_table(text: str, where: str) -> list[Player]:
    seen: dict[str, int] = {}
    columns: list[str] | None = None
    players = []
    for number, cells in _rows(text, where):
        if not any(cell.strip() for cell in cells):
            continue
        if columns is None:
            columns = _header(cells, f"{where}, line {number}")
            continue
        at = f"{where}, line {number}"
        if len(cells) > len(columns):
            fail(at, f"it has {len(cells)} cells, but the header has {len(columns)} columns")
        row: dict[str, Any] = {
            column: plain_name(cell)
            for column, cell in zip(columns, cells, strict=False)
            if column and cell.strip()
        }
        for column in _NUMBERS & row.keys():
            if _WITH_COMMA.fullmatch(row[column]):
                row[column] = weight_of(row[column], at, row[column])
        players.append(_player(row, at, seen, number))
    return players


def _rows(text: str, where: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the cells of each row of a CSV, tab or Markdown table."""
    header = next(line for line in text.split("\n") if line.strip())
    if _is_markdown(header):
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip() and not _RULE.fullmatch(line):
                yield (
                    number,
                    [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")],
                )
        return
    delimiter = max(",;\t", key=header.count)
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True)
    try:
        for cells in reader:
            yield reader.line_num, cells
    except csv.Error as error:
        fail(f"{where}, line {reader.line_num}", f"it is not CSV: {error}")


def _is_markdown(header: str) -> bool:
    return "|" in header and not any(separator in header for separator in ",;\t")


def _header(cells: Sequence[str], at: str) -> list[str]:
    columns = [_column(cell) or "" for cell in cells]
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
    seen: dict[str, int] = {}
    if isinstance(data, dict):
        return [
            _player(
                {"name": name, **({} if weight is None else {"weight": weight})},
                f"{where}, entry {n}",
                seen,
                n,
            )
            for n, (name, weight) in enumerate(data.items(), start=1)
        ]
    if not isinstance(data, list):
        fail(where, "it is neither a list of players nor an object from names to weights")
    players = []
    for number, given in enumerate(data, start=1):
        at = f"{where}, entry {number}"
        entry = _spelt_out(given)
        if not isinstance(entry, dict):
            fail(
                at,
                f'{short(json.dumps(entry))} is not an object; a player is {{"name": ..., "weight": ...}}',
            )
        row = {
            column: value
            for key, value in entry.items()
            if (column := _column(key)) and value not in (None, "")
        }
        players.append(_player(row, at, seen, number))
    return players


def _spelt_out(entry: Any) -> Any:
    """Return the object that a name alone, or a list of a name and a weight, stands for."""
    if isinstance(entry, str):
        return {"name": entry}
    if isinstance(entry, list) and len(entry) == len(("name", "weight")):
        return {"name": entry[0], "weight": entry[1]}
    return entry


def _object(pairs: list[tuple[str, Any]], where: str) -> dict[str, Any]:
    """Return a JSON object; one that has a key twice would lose a player without a word."""
    data = dict(pairs)
    if len(data) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        fail(where, f"the key {short(twice)} comes twice in one object; names must differ")
    return data


def _player(row: Mapping[str, Any], at: str, seen: dict[str, int], number: int) -> Player:
    """Return the player of one line or entry; ``seen`` holds where each id stood."""
    name = text_of(row["name"], "name", at) if "name" in row else ""
    identity = (text_of(row["id"], "id", at) if "id" in row else "") or name
    if not identity:
        fail(at, "it has neither a name nor an id; every player needs one")
    if identity in seen:
        unit = "entry" if ", entry " in at else "line"
        fail(at, f"{short(identity)} is there already, in {unit} {seen[identity]}; names must differ")
    seen[identity] = number
    rating = None
    if "mu" in row:
        rating = Rating(number_of(row["mu"], "mu", at), _sigma(row, at))
    elif "weight" in row:
        rating = Rating(_weight(row["weight"], at), _sigma(row, at))
    side = number_of(row["side"], "side", at) if "side" in row else NO_SIDE
    if not 0.0 <= side <= 1.0:
        fail(at, f"side {side:g} is not allowed; 0 (the first team) to 1 (the last) is")
    return Player(
        identity,
        rating,
        name,
        party=text_of(row["party"], "party", at) if "party" in row else None,
        side=side,
        team=_team(row["team"], at) if "team" in row else None,
        bot=_yes(row["bot"], at) if "bot" in row else False,
        roles=tuple((role, _role_rating(known, role, at)) for role, known in _several(row, "roles", at)),
        prefer=_priced(row, "prefer", at),
        avoid=_priced(row, "avoid", at),
    )


def _several(row: Mapping[str, Any], field: str, at: str) -> list[tuple[str, Any]]:
    """Return the names in a field, with what is said of each: ``Bob;Cid=2%``, a list, or an object."""
    given = row.get(field, ())
    if isinstance(given, Mapping):
        return [(text_of(name, field, at), value) for name, value in given.items()]
    cells = given.split(SEPARATOR) if isinstance(given, str) else given
    if not isinstance(cells, Sequence):
        fail(at, f"{field} {short(json.dumps(given))} is not a list, an object or a text")
    pairs: list[tuple[str, Any]] = []
    for cell in cells:
        name, equals, value = text_of(cell, field, at).rpartition("=")
        if not (equals and _is_amount(value)):
            name, value = text_of(cell, field, at), ""
        if name.strip():
            pairs.append((name.strip(), value.strip() or None))
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        fail(at, f"{field} names {short(next(name for name in names if names.count(name) > 1))} twice")
    return pairs


def _is_amount(text: str) -> bool:
    stripped = text.strip().removesuffix("%")
    return bool(NUMBER.fullmatch(stripped) or NO_NUMBER.fullmatch(stripped))


def _role_rating(known: Any, role: str, at: str) -> Rating | None:
    if known is None:
        return None
    if isinstance(known, Mapping):
        return Rating(number_of(known.get("mu"), f"mu as {role}", at), _sigma(known, at))
    return Rating(number_of(known, f"the rating as {role}", at))


def _priced(row: Mapping[str, Any], field: str, at: str) -> tuple[tuple[str, float | None], ...]:
    return tuple(
        (name, None if value is None else price_of(value, f"the price of {field}", at))
        for name, value in _several(row, field, at)
    )


def _weight(value: Any, at: str) -> float:
    weight = number_of(value, "weight", at)
    if weight < 0:
        fail(at, f"the weight {weight:g} is negative; 0 and above is allowed (a column 'mu' may be negative)")
    return weight


def _sigma(row: Mapping[str, Any], at: str) -> float:
    if "sigma" not in row:
        return 0.0
    sigma = number_of(row["sigma"], "sigma", at)
    if sigma < 0:
        fail(at, f"sigma {sigma:g} is negative; 0 and above is allowed")
    return sigma


def _team(value: Any, at: str) -> int:
    team = number_of(value, "team", at)
    if team < 1 or team != int(team):
        fail(at, f"team {team:g} is not allowed; teams are counted from 1")
    return int(team) - 1


def _yes(value: Any, at: str) -> bool:
    text = str(value).strip().lower()
    if text not in _YES + _NO:
        fail(at, f"bot {short(text)} is not allowed; {', '.join(_YES + _NO[1:])} are")
    return text in _YES
