"""Match files straight into columns, for who rates whole histories.

The meaning and the errors are those of :func:`equipoise.files.read_matches.read_matches`, many times faster
and
smaller.  What is rare is left to that function: :func:`read_columns` gives None where a file is of another
format, or where two records of one id would have to be compared.
"""

from __future__ import annotations

import io
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from equipoise.core.arrays import Ints
from equipoise.core.match import Match, Skipped, replay_key
from equipoise.errors import InputError
from equipoise.files.file_kinds import HEAD, mistaken
from equipoise.files.match_json_columns import Decoded, LineDecoder
from equipoise.files.match_table_columns import (
    Cells,
    RowDecoder,
    Unusual,
    frame_columns,
    hashes_of,
    parquet_columns,
    rows_of,
)
from equipoise.files.result_tables import TABLES, is_results
from equipoise.games.log_reader import LONGEST_LINE
from equipoise.games.plain.reader import Faults, Progress, from_line, silence
from equipoise.ratings.history_columns import Columns

#: Bytes that are decoded at a time: as much as stays in a processor's cache.
BLOCK = 1 << 17  # effort

#: Endings of files that hold no lines of JSON: tables, and others.
PARQUET, OTHERS = ".parquet", (".npz",)

#: What is nothing in a line, as :mod:`equipoise.games.plain.reader` has it.
_BLANK = b" \t\r\n\xef\xbb\xbf"


@dataclass(slots=True)
class ReadColumns:
    """Files as columns, in order of play, and the records that could not be read.

    Then in how many contests ranks and scores do not tie the same teams, and where the first of these stand;
    and what was left out of matches.
    """

    columns: Columns
    skipped: list[Skipped]
    tied_apart: int
    places: list[str]
    faults: Faults


class _Rare(Exception):  # noqa: N818  # it is no error
    """The files need the way that is slow and does everything."""


def content_of(line: bytes) -> int:
    """Return a hash of a line."""
    return hash(line.strip())


def _contents(lines: Sequence[bytes], numbers: Sequence[int]) -> list[int]:
    """Return a hash of each of some lines."""
    return [hash(lines[n].strip()) for n in numbers]


def _counted(parts: Iterator[Cells], tell: Callable[[], None]) -> Iterator[Cells]:
    """Give parts, and tell after each."""
    for part in parts:
        yield part
        tell()


def read_columns(
    sources: Sequence[str], progress: Progress | None = None, *, most_places: int = 0
) -> ReadColumns | None:
    """Read match files into columns; None where that needs :func:`equipoise.files.read_matches.read_matches`.

    Parameters
    ----------
    sources : sequence of str
        Paths.
    progress : callable, optional
        Called now and then with how far it is, from 0 to 1.
    most_places : int
        Of how many matches the places are given, where ranks and scores do not tie the same teams.

    Raises
    ------
    InputError
        If a file cannot be read at all.
    """
    reading = _Reading(sources)
    tell = progress or silence
    try:
        for n in range(len(sources)):
            reading.read(n, lambda part, n=n: tell((n + part) / len(sources)))  # type: ignore[misc]  # its default
        return reading.done(most_places)
    except (_Rare, Unusual):
        return None


def read_frames(
    sources: Sequence[str], frames: Sequence[tuple[int, Any]], most_places: int = 0
) -> ReadColumns | None:
    """Put the rows of data frames, each with the number of its source, into columns; None as above."""
    reading = _Reading(sources)
    try:
        for number, frame in frames:
            reading.add_frame(frame, number)
        return reading.done(most_places)
    except (_Rare, Unusual):
        return None


class _Reading:
    """The columns of files that are being read, and where each match stands."""

    def __init__(self, sources: Sequence[str]) -> None:
        self.columns = Columns()
        self.skipped: list[Skipped] = []
        self.faults: Faults = {}
        self._sources = sources
        self._decoder = LineDecoder(self.columns)
        self._tables = RowDecoder(self._decoder)
        #: Of each match the hash of its line, the file, where in it the line begins, and the id or nothing.
        self._hashes, self._files, self._offsets = array("q"), array("I"), array("Q")
        self._ids: list[str] = []
        #: Of each id the hash of its line.
        self._known: dict[str, int] = {}

    def read(self, number: int, tell: Progress) -> None:
        """Add the matches of a file."""
        ending = Path(self._sources[number]).suffix.lower()
        if ending in OTHERS or is_results(self._sources[number]):
            raise _Rare
        if ending in TABLES:
            self._table(number, "\t" if ending == ".tsv" else "", tell)
            return
        if ending == PARQUET:
            try:
                self._rows(parquet_columns(self._sources[number]), number)
            except InputError as error:
                raise _Rare from error  # an archive that was exported, or a file that is wrong
            return
        with self._opened(number) as file:
            size = max(file.seek(0, io.SEEK_END), 1)
            first, offset = 1, file.seek(0)
            while block := file.read(BLOCK) + file.readline():
                if not offset and not block.lstrip(_BLANK).startswith(b"{"):
                    raise _Rare
                if b"\\u0000" in block:
                    raise _Rare
                lines = block.removesuffix(b"\n").split(b"\n")
                self._block(lines, number, first, offset)
                first += len(lines)
                offset += len(block)
                tell(offset / size)

    def add_frame(self, frame: Any, number: int) -> None:
        """Add the matches of the rows of a data frame."""
        self._rows(frame_columns(frame), number)

    def done(self, most_places: int) -> ReadColumns:
        """Return what was read, in order of play."""
        order = self._arrange()
        apart = self.columns.tied_apart()
        places = [self.place(n) for n in np.unique(order[apart])[:most_places].tolist()]
        return ReadColumns(self.columns, self.skipped, len(apart), places, self.faults)

    def _table(self, number: int, delimiter: str, tell: Progress) -> None:
        """Add the matches of a table whose rows are plain, those of each match one after the other."""
        file = self._opened(number)
        head = file.read(HEAD)
        if mistaken(head, self._sources[number], "matches") is not None:
            file.close()
            raise _Rare
        size = max(file.seek(0, io.SEEK_END), 1)
        file.seek(0)
        with file:
            self._rows(_counted(rows_of(file, delimiter), lambda: tell(min(file.tell() / size, 1.0))), number)

    def _rows(self, parts: Iterator[Cells], number: int) -> None:
        """Add the matches of rows, but for those that were there before."""
        for decoded in self._tables.decode(parts):
            hashes = hashes_of(decoded.columns)
            known = [self._known.get(name) for name in decoded.ids]
            if known == hashes:
                continue
            if any(each is not None for each in known):
                raise _Rare  # some are new, or differ from what was there
            self._known.update(zip(decoded.ids, hashes, strict=True))
            self._extend(decoded, hashes, number, np.zeros(len(decoded.ids)))

    def place(self, which: int) -> str:
        """Return where a match stands that was read, and its id."""
        source, before = self._sources[self._files[which]], self._offsets[which]
        name = f"({self._ids[which] or self._match(which).id!r})"
        if Path(source).suffix.lower() in (*TABLES, PARQUET):
            return f"{source} {name}"
        with self._opened(self._files[which]) as file:
            line = 1 + sum(file.read(min(BLOCK, before - n)).count(b"\n") for n in range(0, before, BLOCK))
        return f"{source}, line {line} {name}"

    def _arrange(self) -> Ints:
        """Put the columns in order of play, each match once; return the order."""
        self._known.clear()
        ended = np.asarray(self.columns.numbers["ended"])
        order = np.argsort(ended, kind="stable")
        level = np.flatnonzero(np.diff(ended[order]) == 0.0)
        if len(level):
            order = self._untied(order, level)
        self.columns.arrange(order)
        return order

    def _opened(self, number: int) -> IO[bytes]:
        source = self._sources[number]
        try:
            return open(source, "rb")
        except (OSError, ValueError) as error:
            msg = f"{source}: cannot be read: {getattr(error, 'strerror', None) or error}"
            raise InputError(msg) from error

    def _block(self, lines: Sequence[bytes], number: int, first: int, offset: int) -> None:
        """Add the matches of some lines; of those that are not plain, one by one."""
        lengths = np.fromiter(map(len, lines), dtype=np.int64, count=len(lines))
        if lengths.max() > LONGEST_LINE:
            raise _Rare
        starts = offset + np.cumsum(lengths + 1) - lengths - 1
        decoded = self._decoder.decode(lines)
        plain = set(decoded.numbers)
        self._add(decoded, lines, number, starts)
        where = self._sources[number]
        for n, line in enumerate(lines if len(plain) < len(lines) else ()):
            if n in plain or not line.strip(_BLANK):
                continue
            found = from_line(line, f"{where}, line {first + n}", self.faults)
            if isinstance(found, Skipped):
                self.skipped.append(found)
            elif self._is_new(found.id, content_of(line)):
                self.columns.add(found)
                self._note([found.id], [content_of(line)], number, starts[n : n + 1])

    def _add(self, decoded: Decoded, lines: Sequence[bytes], number: int, starts: Ints) -> None:
        """Add lines that were decoded, but for those that were there before."""
        hashes = _contents(lines, decoded.numbers)
        ids = decoded.ids
        if all(ids) and len(set(ids)) == len(ids) and self._known.keys().isdisjoint(ids):
            self._known.update(zip(ids, hashes, strict=True))
        else:
            triples = zip(decoded.numbers, ids, hashes, strict=True)
            repeated = frozenset(n for n, name, one in triples if name and not self._is_new(name, one))
            if repeated:
                decoded = self._decoder.decode(lines, repeated)
                hashes = _contents(lines, decoded.numbers)
        self._extend(decoded, hashes, number, starts[decoded.numbers])

    def _extend(self, decoded: Decoded, hashes: Sequence[int], number: int, starts: Any) -> None:
        """Append what was decoded."""
        for name, column in decoded.columns.items():
            self.columns.extend(name, column)
        self.columns.names.update(decoded.names)
        self._note(decoded.ids, hashes, number, starts)

    def _note(self, ids: Sequence[str], hashes: Sequence[int], number: int, starts: Any) -> None:
        """Note where matches stand that were added."""
        self._hashes.extend(hashes)
        self._files.extend([number] * len(ids))
        self._offsets.frombytes(starts.astype(np.uint64).tobytes())
        self._ids.extend(ids)

    def _is_new(self, name: str, content: int) -> bool:
        """Tell whether an id is there for the first time; the same content again is the same match."""
        many = len(self._known)
        if self._known.setdefault(name, content) != content:
            raise _Rare
        return len(self._known) > many

    def _untied(self, order: Ints, level: Ints) -> Ints:
        """Return the order with matches that ended at the same time by id, each once."""
        kept = order.tolist()
        place = 0
        while place < len(level):
            stop = place + 1
            while stop < len(level) and level[stop] == level[stop - 1] + 1:
                stop += 1
            first, end = int(level[place]), int(level[stop - 1]) + 2
            group = self._by_id(kept[first:end])
            kept[first:end] = group + [-1] * (end - first - len(group))
            place = stop
        return np.array([each for each in kept if each >= 0], dtype=np.int64)

    def _by_id(self, group: Sequence[int]) -> list[int]:
        """Return matches by id; of lines without an id that are the same only one."""
        first = {self._ids[match] or self._hashes[match]: match for match in reversed(group)}
        named = {self._ids[match] or self._match(match).id: match for match in first.values()}
        if len(named) < len(first):
            raise _Rare  # one match, written in two ways
        return [named[name] for name in sorted(named, key=replay_key)]

    def _match(self, which: int) -> Match:
        """Return a match as its line says."""
        with self._opened(self._files[which]) as file:
            file.seek(self._offsets[which])
            found = from_line(file.readline().removesuffix(b"\n"), "", {})
        if isinstance(found, Skipped):
            raise _Rare  # the file has changed
        return found
