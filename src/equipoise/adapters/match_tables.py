"""Match files that are no text: Parquet, a row for each player, and flat arrays (npz)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from equipoise.errors import InputError
from equipoise.games.plain import Row, checked
from equipoise.games.records import match_from
from equipoise.types import Match, Skipped


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
    checked(frame.columns, source)
    for number, row in enumerate(frame.iter_rows(named=True), start=1):
        yield f"{source}, row {number}", {name: value for name, value in row.items() if value is not None}


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
