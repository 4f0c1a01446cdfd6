"""Histories in Parquet that are larger than memory: parts of them as columns, in the order of play.

Rows are read a slice at a time.  Where they stand in the order of time already, each slice is a part but for
the matches of its last moment, which go on in the next.  Where they do not, each slice is sorted and written
into a folder as a run; a part is then what all runs have of some span of time, whose bounds are taken from a
sample.  All that is as old as a match is in one part, so that within a part the order of ids holds as it does
for :func:`equipoise.files.match_columns.read_columns`, and the same set of matches gives the same columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from equipoise.core.match import Match, Skipped, replay_key
from equipoise.core.match_records import time_from
from equipoise.core.plain_data import has_value
from equipoise.errors import InputError
from equipoise.files.match_columns import ReadColumns, read_frames
from equipoise.files.read_matches import collected, parquet_scan
from equipoise.games.plain.reader import Faults, Progress, checked, from_rows, silence
from equipoise.ratings.history_columns import Columns

#: Rows in memory at a time, and from how many a history is gone through in parts.
ROWS = 1_000_000  # effort

#: Rows of a run that are read or left out together, and every how many-th time is in the sample.
GROUP, SAMPLED = 1 << 16, 1 << 10  # effort

#: Columns beside those of the file: when the match ended, and the row in it.
AT, ROW = "__at", "__row"


class ParquetParts:
    """Parquet files as columns, part by part.

    Parameters
    ----------
    sources : sequence of str
        Paths of tables of matches.
    folder : Path
        An empty folder for what has to be sorted: as much as the files have.

    Raises
    ------
    InputError
        If a file cannot be read, or a column is missing.
    """

    def __init__(self, sources: Sequence[str], folder: Path) -> None:
        self._sources, self._folder = sources, folder
        self._scans = [parquet_scan(source) for source in sources]
        self._rows = [_height(*each) for each in zip(self._scans, sources, strict=True)]
        for scan, source in zip(self._scans, sources, strict=True):
            checked(scan.collect_schema().names(), source)
        #: A hash of the id of each match that was read.
        self._ids: list[Any] = []

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return sum(self._rows)

    def read(self, progress: Progress | None = None, *, most_places: int = 0) -> Iterator[ReadColumns]:
        """Go through the parts, the oldest first.

        Parameters
        ----------
        progress : callable, optional
            Called after each part with how far it is, from 0 to 1.
        most_places : int
            Of how many matches of a part the places are given, where ranks and scores do not tie the same
            teams.

        Raises
        ------
        InputError
            At the end, if two matches of different times have one id.
        """
        tell, done = progress or silence, 0
        order, bounds = self._survey()
        for frames in self._as_they_stand(order) if bounds is None else self._sorted(bounds):
            yield self._columns(frames, most_places)
            done += sum(frame.height for _, frame in frames)
            tell(done / max(self.rows, 1))
        self._check_ids()

    def _survey(self) -> tuple[list[int], list[float] | None]:
        """Return the order of the files by time, and bounds of parts where rows do not stand in its order."""
        first, spans, sample, level = dict[int, float](), list[tuple[int, float, float]](), list[Any](), True
        for number, frame in self._slices(range(len(self._sources)), ["match", "ended"]):
            at = frame[AT].to_numpy()
            level = level and bool((np.diff(at) >= 0.0).all())
            first.setdefault(number, float(at[0]))
            spans.append((number, float(at.min()), float(at.max())))
            sample.append(at[::SAMPLED].copy())
        order = sorted(first, key=lambda number: (first[number], number))
        spans.sort(key=lambda span: order.index(span[0]))
        if level and all(one[2] <= other[1] for one, other in pairwise(spans)):
            return order, None
        times = np.sort(np.concatenate(sample))
        parts = -(-self.rows // ROWS)
        inner = {float(times[n * len(times) // parts]) for n in range(1, parts)} - {float(times[0])}
        return order, [-np.inf, *sorted(inner), np.inf]

    def _slices(self, order: Sequence[int], names: Sequence[str] | None = None) -> Iterator[tuple[int, Any]]:
        """Give the rows of files some at a time that end with a match, with when each match ended."""
        import polars as pl

        for number in order:
            scan, height = self._scans[number], self._rows[number]
            rest: Any = None
            for start in range(0, height, ROWS):
                part = scan.slice(start, ROWS)  # first of all: behind a row index, all rows would be read
                where = f"{self._sources[number]}, rows {start + 1} to {min(start + ROWS, height)}"
                frame = collected(part if names is None else part.select(names), where)
                frame = frame.with_row_index(ROW, offset=start + 1)
                if rest is not None:
                    frame = pl.concat([rest, frame])
                begins = (frame["match"] != frame["match"].shift(1)).fill_null(value=True)
                end = frame.height if start + ROWS >= height else int(begins.arg_true()[-1] or 0)
                rest = frame[end:]
                if end:
                    whole = frame[:end]
                    at = _seconds(whole["ended"])
                    at[~begins[:end].to_numpy()] = np.nan
                    yield number, whole.with_columns(pl.Series(AT, at).fill_nan(None).forward_fill())

    def _as_they_stand(self, order: Sequence[int]) -> Iterator[list[tuple[int, Any]]]:
        """Give the slices of files that are in order; what ended last goes on in the next."""
        waiting: list[tuple[int, Any]] = []
        for number, frame in self._slices(order):
            latest = frame[AT][-1]
            older = frame.filter(frame[AT] < latest)
            if older.height:
                yield [*waiting, (number, older)]
                waiting = []
            waiting.append((number, frame.filter(frame[AT] >= latest)))
        if waiting:
            yield waiting

    def _sorted(self, bounds: Sequence[float]) -> Iterator[list[tuple[int, Any]]]:
        """Write slices as sorted runs, and give what all runs have from each bound to the next."""
        import polars as pl

        runs: list[tuple[int, Path]] = []
        for number, frame in self._slices(range(len(self._sources))):
            path = self._folder / f"{len(runs)}.parquet"
            ordered = frame.sort(AT, maintain_order=True)
            try:
                ordered.write_parquet(path, compression="lz4", row_group_size=GROUP)
            except (OSError, pl.exceptions.PolarsError) as error:
                msg = f"{self._folder}: cannot be written to sort what is too large for memory: {error}"
                raise InputError(msg) from error
            runs.append((number, path))
        for low, high in pairwise(bounds):
            frames: dict[int, list[Any]] = {}
            for number, path in runs:
                found = pl.scan_parquet(path).filter(pl.col(AT) >= low, pl.col(AT) < high).collect()
                if found.height:
                    frames.setdefault(number, []).append(found)
            if frames:
                yield [
                    (number, pl.concat(some).sort(AT, maintain_order=True)) for number, some in frames.items()
                ]

    def _columns(self, frames: Sequence[tuple[int, Any]], most_places: int) -> ReadColumns:
        """Return a part as columns; where its rows are not as most are, by way of matches."""
        import polars as pl

        ids = pl.concat([frame["match"].cast(pl.String) for _, frame in frames])
        self._ids.append(ids.unique().hash().to_numpy())
        plain = [(number, frame.drop(AT, ROW)) for number, frame in frames]
        return read_frames(self._sources, plain, most_places) or self._by_matches(frames, most_places)

    def _by_matches(self, frames: Sequence[tuple[int, Any]], most_places: int) -> ReadColumns:
        """Return a part as columns; what is wrong is left out, and named."""
        known: dict[str, Match] = {}
        skipped: list[Skipped] = []
        faults: Faults = {}
        where: dict[str, str] = {}
        for number, frame in frames:
            rows = frame.drop(AT).iter_rows(named=True)
            for one in from_rows((_named(row, self._sources[number]) for row in rows), faults=faults):
                if isinstance(one, Skipped):
                    skipped.append(one)
                elif known.setdefault(one.id, one) != one:
                    reason = f"id: another match has the id {one.id!r} too; ids must differ"
                    skipped.append(Skipped(self._sources[number], reason))
                else:
                    where.setdefault(one.id, self._sources[number])
        columns = Columns()
        ordered = sorted(known.values(), key=lambda match: (match.ended or 0.0, replay_key(match.id)))
        for match in ordered:
            columns.add(match)
        apart = columns.tied_apart()
        places = [f"{where[ordered[n].id]} ({ordered[n].id!r})" for n in apart[:most_places].tolist()]
        return ReadColumns(columns, skipped, len(apart), places, faults)

    def _check_ids(self) -> None:
        """Raise where matches of two parts have one id."""
        import polars as pl

        hashes = np.sort(np.concatenate([np.empty(0, np.uint64), *self._ids]))
        twice = np.unique(hashes[1:][hashes[1:] == hashes[:-1]])
        if not len(twice):
            return
        seen: dict[str, float] = {}
        for number, frame in self._slices(range(len(self._sources)), ["match", "ended"]):
            named = frame.with_columns(pl.col("match").cast(pl.String))
            again = named.filter(named["match"].hash().is_in(twice.tolist())).select("match", AT)
            for name, at in again.unique().rows():
                if seen.setdefault(name, at) != at:
                    msg = (
                        f"{self._sources[number]}: matches of two times have the id {name!r}; ids must differ"
                    )
                    raise InputError(msg)


def _named(row: dict[str, Any], source: str) -> tuple[str, dict[str, Any]]:
    """Return where a row stands, and its cells that are not empty."""
    where = f"{source}, row {row.pop(ROW)}"
    return where, {name: cell for name, cell in row.items() if has_value(cell)}


def rows_of_parquet(sources: Sequence[str]) -> int:
    """Return how many rows Parquet files have, 0 where one is none; an exported archive is no table."""
    if not sources or not all(Path(source).suffix.lower() == ".parquet" for source in sources):
        return 0
    scans = [parquet_scan(source) for source in sources]
    if not all({"match", "ended"} <= set(scan.collect_schema().names()) for scan in scans):
        return 0
    return sum(map(_height, scans, sources))


def _height(scan: Any, source: str) -> int:
    import polars as pl

    return int(collected(scan.select(pl.len()), source).item())


def _seconds(series: Any) -> Any:
    """Return times as seconds since 1970; 0 for what is no time, which is named when it is read."""
    if series.dtype.is_numeric():
        return np.nan_to_num(series.cast(float).fill_null(0.0).to_numpy()).copy()
    cells = series.unique(maintain_order=True)
    return series.replace_strict(cells, [_time(cell) for cell in cells], return_dtype=float).to_numpy().copy()


def _time(cell: Any) -> float:
    try:
        return time_from(cell.strip() if isinstance(cell, str) else cell, "ended") or 0.0
    except (InputError, TypeError):
        return 0.0
