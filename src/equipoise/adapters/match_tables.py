"""Match files that are tables: a row for each player (CSV, Parquet), or flat arrays (npz)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NoReturn

from equipoise.adapters.matches import match_from, number_from
from equipoise.errors import InputError
from equipoise.types import Match, Skipped

#: The columns of a table; ``match``, ``ended``, ``team`` and ``player`` are needed, and one of ``rank`` and
#: ``team_score``.
COLUMNS = (
    *("match", "began", "ended", "game", "game_type", "mutators", "weight"),
    *("team", "rank", "team_score", "player", "share", "kills", "deaths", "score"),
    *("party", "left"),
)
_OF_MATCH = ("began", "ended", "game", "game_type", "weight")
_OF_PLAYER = ("share", "kills", "deaths", "score")

#: What a cell may say about having left.
LEFT = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}

#: What parts the mutators in a cell.
SEPARATOR = ";"

#: A row: where it stands, and its cells that are not empty.
Row = tuple[str, Mapping[str, Any]]


def csv_rows(content: bytes, where: str, delimiter: str = "") -> Iterator[Row]:
    """Go through the rows of a CSV file; the delimiter is by default what the header has most of."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        msg = f"{where}, line {line}: it is not UTF-8 text; save the file as UTF-8"
        raise InputError(msg) from error
    header = text.split("\n", 1)[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter or max(",;\t", key=header.count))
    columns: list[str] = []
    try:
        for cells in reader:
            at = f"{where}, line {reader.line_num}"
            if not columns:
                columns = _checked([cell.strip().lower() for cell in cells], at)
            elif any(cells):
                pairs = zip(columns, cells, strict=False)
                yield at, {column: cell.strip() for column, cell in pairs if cell.strip()}
    except csv.Error as error:
        msg = f"{where}, line {reader.line_num}: it is not CSV: {error}"
        raise InputError(msg) from error


def parquet_rows(source: str) -> Iterator[Row]:
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


def from_rows(rows: Iterable[Row]) -> Iterator[Match | Skipped]:
    """Put the rows of each match together; rows of one match may stand apart."""
    by_match: dict[str, list[Row]] = {}
    for where, cells in rows:
        if "match" not in cells:
            yield Skipped(where, "match: it is missing; the id of the match is allowed")
            continue
        by_match.setdefault(str(cells["match"]), []).append((where, cells))
    for name, some in by_match.items():
        yield _match(name, some)


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
    player: dict[str, Any] = {
        field: number_from(cells[field], field) for field in _OF_PLAYER if field in cells
    }
    if "party" in cells:
        player["party"] = str(cells["party"])
    if "left" in cells:
        player["left"] = LEFT.get(str(cells["left"]).lower(), cells["left"])
    teams.setdefault(team, []).append({"id": str(cells["player"]), **player})
    for field, known in told.items():
        if field in cells:
            number = number_from(cells[field], field)
            if known.setdefault(team, number) != number:
                _fail(f"{field}: it differs within team {team!r}; one for all is allowed")


def _fail(msg: str) -> NoReturn:
    raise InputError(msg)


def from_npz(source: str) -> Iterator[Match | Skipped]:
    """Go through the matches of flat arrays in play order; see docs/match-files.md for their names.

    Raises
    ------
    InputError
        If the file cannot be read or an array is missing.
    """
    import zipfile

    import numpy as np

    try:
        with np.load(source, allow_pickle=False) as file:
            arrays = {name: file[name].tolist() for name in file.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        msg = f"{source}: cannot be read: {error}"
        raise InputError(msg) from error
    missing = [name for name in ("ids", "off", "nA", "nB", "y", "t") if name not in arrays]
    if missing:
        msg = f"{source}: the array {missing[0]!r} is missing; see docs/match-files.md"
        raise InputError(msg)
    latest = 0.0
    for n in range(len(arrays["y"])):
        day = arrays["t"][n]
        latest = max(latest, day) if day == day else latest  # play order stands, whatever the clock said
        try:
            yield match_from(_record(arrays, n, latest))
        except InputError as error:
            yield Skipped(f"{source}, match {n + 1}", str(error))


def _record(arrays: Mapping[str, Any], n: int, day: float) -> dict[str, Any]:
    """Return a match of flat arrays as a record."""
    start = arrays["off"][n]
    middle, end = start + arrays["nA"][n], start + arrays["nA"][n] + arrays["nB"][n]
    won = arrays["y"][n]
    record: dict[str, Any] = {
        "id": f"{n:09d}", "ended": day * 86400.0, "ranks": [1.0 - won, won],
        "teams": [[_row(arrays, j) for j in range(*team)] for team in ((start, middle), (middle, end))],
    }  # fmt: skip
    scores = [arrays[name][n] for name in ("sA", "sB") if name in arrays]
    if len(scores) == 2 and all(score == score for score in scores):
        record["scores"] = scores
    if "ctx" in arrays and "ctxnames" in arrays and arrays["ctx"][n] >= 0:
        record["game_type"] = arrays["ctxnames"][arrays["ctx"][n]]
    return record


def _row(arrays: Mapping[str, Any], j: int) -> dict[str, Any]:
    player: dict[str, Any] = {"id": str(arrays["ids"][j])}
    for name, field in (("k", "kills"), ("d", "deaths")):
        if name in arrays and arrays[name][j] == arrays[name][j]:
            player[field] = arrays[name][j]
    if player.get("kills", 0.0) < 0.0 or player.get("deaths", 0.0) < 0.0:
        player["score"] = player.pop("kills", None)
        player.pop("deaths", None)
    return player
