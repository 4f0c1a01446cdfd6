"""Match files: JSONL, CSV, Parquet and npz, from names of files to matches.

A record that is wrong becomes a :class:`~equipoise.core.match.Skipped` that says where and which field, and
the rest goes on.  The format is described in docs/match-files.md and docs/match.schema.json.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from equipoise.core.match import Match, Skipped, Unfinished
from equipoise.core.packages import needs
from equipoise.core.plain_data import fail, has_value
from equipoise.errors import InputError
from equipoise.files.read_roster import content_of
from equipoise.games.log_reader import Parsed
from equipoise.games.plain.reader import OFTEN, READ, Faults, Progress, Row, checked, from_record

#: Bytes between two reports of progress.
STEP = 1 << 18


def read_matches(
    source: str,
    progress: Progress | None = None,
    note: Callable[[str], None] | None = None,
    dates: str | None = None,
) -> Iterator[Match | Skipped]:
    """Read matches from a file, or JSONL or a table from standard input where the source is ``-``.

    Parameters
    ----------
    source : str
        A path or ``-``.  The ending says the format: ``.csv``, ``.tsv``, ``.parquet`` (needs the extra
        ``parquet``), ``.npz``; anything else is JSONL.  A table of results, or a spreadsheet, is read as by
        :func:`equipoise.read_results`.  Scores or statistics that are wrong are left out of a match where
        the rest says who won.
    progress : callable, optional
        Called now and then with how far a file was read.
    note : callable, optional
        Called with what is to be said of a table of results, as :func:`equipoise.read_results` does; and
        once, at the end, with of how many matches something was left out, and the first three places.
    dates : {"day-first", "month-first"}, optional
        How to read dates such as 03/04/2026 in a table of results; by default as its others show.

    Raises
    ------
    InputError
        If the file cannot be read at all.
    """
    faults: Faults = {}
    yield from read_sparing(source, faults, progress, note, dates)
    if note is not None and faults:
        note(say_left_out(faults))


def read_sparing(
    source: str,
    faults: Faults | None,
    progress: Progress | None = None,
    note: Callable[[str], None] | None = None,
    dates: str | None = None,
) -> Iterator[Match | Skipped]:
    """Read matches as :func:`read_matches` does, and note what is left out; with None, nothing is."""
    from equipoise.files.file_kinds import check, kind_of
    from equipoise.files.result_tables import TABLES, read_results
    from equipoise.files.spreadsheets import SPREADSHEETS, TextTable
    from equipoise.games.plain.reader import PlainReader, csv_rows, from_rows, silence

    tell = progress or silence
    ending = Path(source).suffix.lower()
    if ending == ".npz":
        yield from from_npz(source, tell, faults)
        return
    if ending == ".parquet":
        yield from from_rows(parquet_rows(source, tell), tell, faults)
        return
    if ending in SPREADSHEETS:
        yield from read_results(source, dates=dates, note=note)
        return
    where, content = content_of(source)
    is_table = ending in TABLES or (source == "-" and content.lstrip()[:1] not in (b"", b"{", b"["))
    kind = kind_of(content, where) if is_table else None
    if kind is not None and kind.name == "results":
        yield from read_results(TextTable(where, content), dates=dates, note=note)
        return
    check(content, where, "matches")
    if ending in TABLES or (kind is not None and kind.name == "matches"):
        yield from from_rows(csv_rows(content, where, "\t" if ending == ".tsv" else "", tell), tell, faults)
        return
    reader = PlainReader(where, faults=faults)
    for start in range(0, len(content), STEP):
        yield from _records(reader.read(content[start : start + STEP]))
        tell(start / len(content))
    yield from _records(reader.finish())


def _records(found: Iterable[Parsed]) -> Iterator[Match | Skipped]:
    """Leave out unfinished games, which a file of results has none of."""
    return (one for one in found if not isinstance(one, Unfinished))


#: Matches that are named where they share something odd.
FEW = 3


def say_some(many: int, unit: str, what: str, places: Iterable[str]) -> str:
    """Say what some contests or matches share, and where the first of them stand.

    Examples
    --------
    >>> say_some(2, "match", "no map", ["a.jsonl, line 1", "a.jsonl, line 7"])
    '2 matches have no map; among them: a.jsonl, line 1; a.jsonl, line 7'
    """
    units = f"{unit}es" if unit.endswith("ch") else f"{unit}s"
    some, which = (f"1 {unit} has", "it is") if many == 1 else (f"{many} {units} have", "among them")
    return f"{some} {what}; {which}: {'; '.join(itertools.islice(places, FEW))}"


def say_left_out(faults: Faults) -> str:
    """Say how many matches are without their scores or statistics, and what is wrong with the first."""
    what = "scores or statistics that are wrong and left out; the rest of the match counts"
    return say_some(len(faults), "match", what, itertools.chain.from_iterable(faults.values()))


def tied_apart(ranks: Sequence[float], scores: Sequence[float]) -> bool:
    """Tell whether scores order teams otherwise than ranks: one ties them alone, or who is behind has more.

    Examples
    --------
    >>> tied_apart((0, 1), (3, 3)), tied_apart((0, 0), (3, 1)), tied_apart((0, 1), (1, 3))
    (True, True, True)
    >>> tied_apart((0, 1), (3, 1))
    False
    """
    teams = sorted(zip(ranks, scores, strict=True), key=lambda team: (team[0], -team[1]))
    return any(
        (one[0] == other[0]) != (one[1] == other[1]) or one[1] < other[1]
        for one, other in itertools.pairwise(teams)
    )


_NUMBERS, _WHOLE = "iufb", "iu"

#: The flat arrays: the kinds of their entries as NumPy has them, and what there is one for each of.
FLAT = {
    "ids": (_WHOLE + "U", "player"), "off": (_WHOLE, "match and one"),
    "nA": (_WHOLE, "match"), "nB": (_WHOLE, "match"),
    "y": (_NUMBERS, "match"), "t": (_NUMBERS, "match"), "sA": (_NUMBERS, "match"), "sB": (_NUMBERS, "match"),
    "ctx": (_WHOLE, "match"), "ctxnames": ("U", "name"), "k": (_NUMBERS, "player"), "d": (_NUMBERS, "player"),
}  # fmt: skip
NEEDED = ("ids", "off", "nA", "nB", "y", "t")


def parquet_rows(source: str, tell: Progress) -> Iterator[Row]:
    """Go through the rows of a Parquet file.

    Raises
    ------
    InputError
        If the file cannot be read or the library for it is not installed.
    """
    frame = parquet_frame(source)
    checked(frame.columns, source)
    for number, row in enumerate(frame.iter_rows(named=True), start=1):
        if number % OFTEN == 0:
            tell(READ * number / frame.height)
        yield f"{source}, row {number}", {name: cell for name, cell in row.items() if has_value(cell)}


def parquet_frame(source: str) -> Any:
    """Return the table of a Parquet file."""
    return collected(parquet_scan(source), source)


def parquet_scan(source: str) -> Any:
    """Return the table of a Parquet file as a query of polars, of which nothing but the columns is read.

    Raises
    ------
    InputError
        If the file cannot be read or the library for it is not installed.
    """
    try:
        import polars as pl
    except ImportError:
        msg = f"{source}: this {needs('polars')}; or convert the file to CSV"
        raise InputError(msg) from None
    scan = pl.scan_parquet(source, glob=False)
    collected(scan.head(0), source)
    return scan


def collected(query: Any, source: str) -> Any:
    """Return the table that a query of a Parquet file gives.

    Raises
    ------
    InputError
        If the file cannot be read.
    """
    import polars as pl

    try:
        return query.collect()
    except (OSError, pl.exceptions.PolarsError) as error:
        msg = (
            f"{source}: cannot be read: {str(error).splitlines()[0] if str(error) else type(error).__name__}"
        )
        raise InputError(msg) from error


def from_npz(source: str, tell: Progress, faults: Faults | None = None) -> Iterator[Match | Skipped]:
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
        latest = max(latest, day) if day == day else latest  # play order stands, whatever the clock shows
        where = f"{source}, match {n + 1}"
        try:
            record = _record(arrays, n, latest)
        except InputError as error:
            yield Skipped(where, str(error))
        else:
            yield from_record(record, where, faults)


def _arrays(source: str) -> dict[str, Any]:
    """Return the arrays of a file as lists, once their kinds and lengths are as they must be."""
    import zipfile

    import numpy as np

    try:
        with np.load(source, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files if name in FLAT}
    except (OSError, ValueError, EOFError, TypeError, zipfile.BadZipFile) as error:
        reason = "it is a single array" if isinstance(error, TypeError) else str(error)
        if "pickle" in reason:  # what NumPy advises then is no advice for files of others
            reason = "it is no file of arrays of numbers and texts"
        msg = f"{source}: cannot be read: {reason}"
        raise InputError(msg) from error
    missing = [name for name in NEEDED if name not in arrays]
    if missing:
        msg = f"{source}: the array {missing[0]!r} is missing; see docs/match-files.md"
        raise InputError(msg)
    sizes = {"match": arrays["y"].size, "match and one": arrays["y"].size + 1, "player": arrays["ids"].size}
    for name, array in arrays.items():
        kinds, each = FLAT[name]
        if array.size == 0 and name == "ctxnames":
            continue  # an empty array has no kind of its own
        if array.dtype.kind not in kinds or array.ndim != 1 or len(array) != sizes.get(each, len(array)):
            kind = {_WHOLE: "whole numbers, ", _NUMBERS: "numbers, "}.get(kinds, "")
            msg = f"{source}: the array {name!r} must have {kind}one for each {each}"
            raise InputError(msg)
    return {name: array.tolist() for name, array in arrays.items()}


def _record(arrays: Mapping[str, Any], n: int, day: float) -> dict[str, Any]:
    """Return a match of flat arrays as a record."""
    start, first, second = (arrays[name][n] for name in ("off", "nA", "nB"))
    middle, end = start + first, start + first + second
    if min(start, first, second) < 0 or end > len(arrays["ids"]):
        fail("off, nA, nB", f"players {start} to {end} do not exist; ids has {len(arrays['ids'])}")
    won = arrays["y"][n]
    if won not in (0.0, 0.5, 1.0):
        fail("y", f"{won!r} must be 1, 0 or 0.5")
    record: dict[str, Any] = {
        "ended": day * 86400.0, "ranks": [1.0 - won, won],
        "teams": [[_row(arrays, j) for j in range(*team)] for team in ((start, middle), (middle, end))],
    }  # fmt: skip
    scores = [arrays[name][n] for name in ("sA", "sB") if name in arrays]
    if len(scores) == 2 and all(score == score for score in scores):
        record["scores"] = scores
    if "ctx" in arrays and arrays.get("ctxnames") and arrays["ctx"][n] >= 0:
        if arrays["ctx"][n] >= len(arrays["ctxnames"]):
            fail("ctx", f"{arrays['ctx'][n]} must be below {len(arrays['ctxnames'])}, the length of ctxnames")
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
