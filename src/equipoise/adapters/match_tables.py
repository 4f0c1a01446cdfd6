"""Match files that are tables: a row for each player (CSV, Parquet), or flat arrays (npz)."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NoReturn

from equipoise.adapters.matches import OFTEN, Progress, match_from, number_from
from equipoise.errors import InputError
from equipoise.types import Match, Skipped

#: The columns of a table; ``match``, ``ended``, ``team`` and ``player`` are needed, and one of ``rank`` and
#: ``team_score``.
COLUMNS = (
    *("match", "began", "ended", "game", "game_type", "mutators", "weight"),
    *("team", "rank", "team_score", "player", "share", "kills", "deaths", "score"),
)
_OF_MATCH = ("began", "ended", "game", "game_type", "weight")
_OF_PLAYER = ("share", "kills", "deaths", "score")

_NUMBERS, _WHOLE = "iufb", "iu"

#: The flat arrays: the kinds of their entries as NumPy has them, and what there is one for each of.
FLAT = {
    "ids": (_WHOLE + "U", "player"), "off": (_WHOLE, "match and one"),
    "nA": (_WHOLE, "match"), "nB": (_WHOLE, "match"),
    "y": (_NUMBERS, "match"), "t": (_NUMBERS, "match"), "sA": (_NUMBERS, "match"), "sB": (_NUMBERS, "match"),
    "ctx": (_WHOLE, "match"), "ctxnames": ("U", "name"), "k": (_NUMBERS, "player"), "d": (_NUMBERS, "player"),
}  # fmt: skip
NEEDED = ("ids", "off", "nA", "nB", "y", "t")

#: What parts the mutators in a cell.
SEPARATOR = ";"

#: The part of the work that is done once all rows have been read.
READ = 0.5

#: A row: where it stands, and its cells that are not empty.
Row = tuple[str, Mapping[str, Any]]


def csv_rows(content: bytes, where: str, delimiter: str, tell: Progress) -> Iterator[Row]:
    """Go through the rows of a CSV file; without a delimiter it is what the header has most of."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        msg = f"{where}, line {line}: it is not UTF-8 text; save the file as UTF-8"
        raise InputError(msg) from error
    header = text.split("\n", 1)[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter or max(",;\t", key=header.count))
    columns: list[str] = []
    lines = text.count("\n") + 1
    try:
        for cells in reader:
            if reader.line_num % OFTEN == 0:
                tell(READ * reader.line_num / lines)
            at = f"{where}, line {reader.line_num}"
            if not columns:
                columns = _checked([cell.strip().lower() for cell in cells], at)
            elif any(cells):
                pairs = zip(columns, cells, strict=False)
                yield at, {column: cell.strip() for column, cell in pairs if cell.strip()}
    except csv.Error as error:
        msg = f"{where}, line {reader.line_num}: it is not CSV: {error}"
        raise InputError(msg) from error


def parquet_rows(source: str, tell: Progress) -> Iterator[Row]:
    """Go through the rows of a Parquet file.

    Raises
    ------
    InputError
        If the file cannot be read or the library for it is not installed.
    """
    try:
        import polars as pl
    except ImportError:
        msg = f"{source}: Parquet needs polars; install equipoise[parquet], or convert the file to CSV"
        raise InputError(msg) from None
    try:
        frame = pl.read_parquet(source)
    except (OSError, pl.exceptions.PolarsError) as error:
        msg = (
            f"{source}: cannot be read: {str(error).splitlines()[0] if str(error) else type(error).__name__}"
        )
        raise InputError(msg) from error
    _checked(frame.columns, source)
    for number, row in enumerate(frame.iter_rows(named=True), start=1):
        if number % OFTEN == 0:
            tell(READ * number / frame.height)
        yield f"{source}, row {number}", {name: value for name, value in row.items() if value is not None}


def _checked(columns: list[str], where: str) -> list[str]:
    """Return the columns where the needed ones are there."""
    missing = [name for name in ("match", "ended", "team", "player") if name not in columns]
    if not {"rank", "team_score"} & set(columns):
        missing.append("rank (or team_score)")
    if missing:
        msg = f"{where}: the column {missing[0]} is missing; columns are: {', '.join(COLUMNS)}"
        raise InputError(msg)
    unknown = [name for name in columns if name not in COLUMNS]
    if unknown:
        msg = f"{where}: there is no column {unknown[0]!r}; columns are: {', '.join(COLUMNS)}"
        raise InputError(msg)
    return columns


def from_rows(rows: Iterable[Row], tell: Progress) -> Iterator[Match | Skipped]:
    """Put the rows of each match together; rows of one match may stand apart."""
    by_match: dict[str, list[Row]] = {}
    for where, cells in rows:
        if "match" not in cells:
            yield Skipped(where, "match: it is missing; the id of the match is allowed")
            continue
        by_match.setdefault(str(cells["match"]), []).append((where, cells))
    for number, (name, some) in enumerate(by_match.items(), start=1):
        yield _match(name, some)
        if number % OFTEN == 0:
            tell(READ + (1.0 - READ) * number / len(by_match))


def _match(name: str, rows: list[Row]) -> Match | Skipped:
    """Return the match of its rows; every message says which row."""
    first = rows[0][1]
    record: dict[str, Any] = {"id": name, **{field: first[field] for field in _OF_MATCH if field in first}}
    if "mutators" in first:
        record["mutators"] = [
            part.strip() for part in str(first["mutators"]).split(SEPARATOR) if part.strip()
        ]
    teams: dict[str, list[dict[str, Any]]] = {}
    told: dict[str, dict[str, float]] = {"rank": {}, "team_score": {}}
    where = rows[0][0]
    try:
        for place, cells in rows:
            where = place
            _add_row(cells, first, teams, told)
        where = rows[0][0]
        for field, into in (("rank", "ranks"), ("team_score", "scores")):
            if told[field]:
                if len(told[field]) < len(teams):
                    _fail(f"{field}: some teams have none; all or none is allowed")
                record[into] = [told[field][team] for team in teams]
        return match_from({**record, "teams": list(teams.values())})
    except InputError as error:
        return Skipped(where, str(error))


def _add_row(
    cells: Mapping[str, Any],
    first: Mapping[str, Any],
    teams: dict[str, list[dict[str, Any]]],
    told: dict[str, dict[str, float]],
) -> None:
    """Add a row to its team; raise what is wrong with it."""
    for field in ("team", "player"):
        if field not in cells:
            _fail(f"{field}: it is missing; every row needs one")
    for field in (*_OF_MATCH, "mutators"):
        if cells.get(field) != first.get(field):
            _fail(f"{field}: it differs within the match; one for all is allowed")
    team = str(cells["team"])
    player = {field: number_from(cells[field], field) for field in _OF_PLAYER if field in cells}
    teams.setdefault(team, []).append({"id": str(cells["player"]), **player})
    for field, known in told.items():
        if field in cells:
            number = number_from(cells[field], field)
            if known.setdefault(team, number) != number:
                _fail(f"{field}: it differs within team {team!r}; one for all is allowed")


def _fail(msg: str) -> NoReturn:
    raise InputError(msg)


def from_npz(source: str, tell: Progress) -> Iterator[Match | Skipped]:
    """Go through the matches of flat arrays in play order; see docs/match-files.md for their names.

    Raises
    ------
    InputError
        If the file cannot be read or an array is missing.
    """
    arrays = _arrays(source)
    latest = 0.0
    for n in range(len(arrays["y"])):
        if n % OFTEN == 0:
            tell(n / len(arrays["y"]))
        day = arrays["t"][n]
        latest = max(latest, day) if day == day else latest  # play order stands, whatever the clock said
        try:
            yield match_from(_record(arrays, n, latest))
        except InputError as error:
            yield Skipped(f"{source}, match {n + 1}", str(error))


def _arrays(source: str) -> dict[str, Any]:
    """Return the arrays of a file as lists, once their kinds and lengths are as they must be."""
    import zipfile

    import numpy as np

    try:
        with np.load(source, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files if name in FLAT}
    except (OSError, ValueError, EOFError, TypeError, zipfile.BadZipFile) as error:
        told = "it is a single array" if isinstance(error, TypeError) else error
        msg = f"{source}: cannot be read: {told}"
        raise InputError(msg) from error
    missing = [name for name in NEEDED if name not in arrays]
    if missing:
        msg = f"{source}: the array {missing[0]!r} is missing; see docs/match-files.md"
        raise InputError(msg)
    sizes = {"match": arrays["y"].size, "match and one": arrays["y"].size + 1, "player": arrays["ids"].size}
    for name, array in arrays.items():
        kinds, each = FLAT[name]
        if array.dtype.kind not in kinds or array.ndim != 1 or len(array) != sizes.get(each, len(array)):
            kind = {_WHOLE: "whole numbers, ", _NUMBERS: "numbers, "}.get(kinds, "")
            msg = f"{source}: the array {name!r} is not as it must be: {kind}one for each {each}"
            raise InputError(msg)
    return {name: array.tolist() for name, array in arrays.items()}


def _record(arrays: Mapping[str, Any], n: int, day: float) -> dict[str, Any]:
    """Return a match of flat arrays as a record."""
    start, first, second = (arrays[name][n] for name in ("off", "nA", "nB"))
    middle, end = start + first, start + first + second
    if min(start, first, second) < 0 or end > len(arrays["ids"]):
        _fail(f"off, nA, nB: players {start} to {end} are not there; ids has {len(arrays['ids'])}")
    won = arrays["y"][n]
    if won not in (0.0, 0.5, 1.0):
        _fail(f"y: {won!r} is not allowed; 1, 0 or 0.5 is")
    record: dict[str, Any] = {
        "ended": day * 86400.0, "ranks": [1.0 - won, won],
        "teams": [[_row(arrays, j) for j in range(*team)] for team in ((start, middle), (middle, end))],
    }  # fmt: skip
    scores = [arrays[name][n] for name in ("sA", "sB") if name in arrays]
    if len(scores) == 2 and all(score == score for score in scores):
        record["scores"] = scores
    if "ctx" in arrays and "ctxnames" in arrays and arrays["ctx"][n] >= 0:
        if arrays["ctx"][n] >= len(arrays["ctxnames"]):
            _fail(f"ctx: {arrays['ctx'][n]} is not allowed; ctxnames has {len(arrays['ctxnames'])}")
        record["game_type"] = arrays["ctxnames"][arrays["ctx"][n]]
    # The place keeps the order of play; the content tells the matches of two files apart.
    content = hashlib.sha256(repr(record).encode()).hexdigest()
    return {"id": f"{n:09d}-{content[:12]}", **record}


def _row(arrays: Mapping[str, Any], j: int) -> dict[str, Any]:
    player: dict[str, Any] = {"id": str(arrays["ids"][j])}
    for name, field in (("k", "kills"), ("d", "deaths")):
        if name in arrays and arrays[name][j] == arrays[name][j]:
            player[field] = arrays[name][j]
    if player.get("kills", 0.0) < 0.0 or player.get("deaths", 0.0) < 0.0:
        player["score"] = player.pop("kills", None)
        player.pop("deaths", None)
    return player
