"""The cells of a text by column: a table of matches, some thousand rows at a time.

Most cells are as those of the row above or of some row before, so a text is not cut into all of its cells:
of a column are known where its cells stand, which differ, and what those are that do.

What the cells mean is in :mod:`equipoise.files.match_rows`.
"""

from __future__ import annotations

import csv
import io
import itertools
import operator
from collections.abc import Iterator, Sequence
from typing import IO, Any

import numpy as np

from equipoise.arrays import Ints
from equipoise.errors import InputError
from equipoise.games.plain import checked
from equipoise.tables import SEPARATOR_LINE

#: Rows that become columns at a time, as far as the last match among them is whole.
SOME = 20_000

#: Bytes of a text that become columns at a time.
BLOCK = 1 << 22

#: So many bits of a hash say where in a table it is looked up.
BITS = 16

#: Rows of more bytes than this are not one match.
LONGEST_MATCH = 1 << 24

#: A cell of more bytes is no name and no number: such parts of a text are cut in the plain way.
LONGEST_CELL = 64

#: Bytes that are compared at once, and what is left of them where a cell ends before.
WORD = 8
_LEFT = np.array([(1 << (8 * many)) - 1 for many in range(WORD + 1)], dtype=np.uint64)


class Unusual(Exception):  # noqa: N818  # it is no error
    """The table is not as most are."""


class _Codes(dict[Any, int]):
    """A number for each cell that differs, in the order in which they were met."""

    def __missing__(self, cell: Any) -> int:
        code = self[cell] = len(self)
        return code


class CellColumn:
    """A column as a list of its cells."""

    def __init__(self, cells: Sequence[Any]) -> None:
        self._cells = cells

    def changes(self) -> Any:
        """Tell of each cell whether it is another than that of the row above."""
        cells = self._cells
        differ = map(operator.ne, itertools.islice(cells, 1, None), cells)
        return np.append(True, np.fromiter(differ, np.bool_, len(cells) - 1))

    def at(self, rows: Ints) -> list[Any]:
        """Return the cells of some rows."""
        return [self._cells[n] for n in rows.tolist()]

    def cells(self) -> list[Any]:
        """Return the cells of all rows."""
        return list(self._cells)

    def coded(self) -> tuple[Ints, list[Any]]:
        """Return a number for each cell, and what the numbers mean."""
        codes = _Codes()
        column = np.fromiter(map(codes.__getitem__, self._cells), np.int64, len(self._cells))
        return column, list(codes)


class TextColumn(CellColumn):
    """A column as parts of a text, from a place in it to another each."""

    def __init__(self, content: bytes, words: Any, starts: Ints, ends: Ints) -> None:
        self._content, self._words, self._starts, self._ends = content, words, starts, ends

    def changes(self) -> Any:
        """Tell of each cell whether it is another than that of the row above."""
        differ = np.ones(len(self._starts), dtype=np.bool_)
        differ[1:] = False
        for part in self._parts():
            differ[1:] |= part[1:] != part[:-1]
        return differ

    def at(self, rows: Ints) -> list[Any]:
        """Return the cells of some rows."""
        content, bounds = (
            self._content,
            zip(self._starts[rows].tolist(), self._ends[rows].tolist(), strict=True),
        )
        return [content[start:end].decode() for start, end in bounds]

    def before(self, row: int) -> TextColumn:
        """Return the column as far as a row."""
        return TextColumn(self._content, self._words, self._starts[:row], self._ends[:row])

    def cells(self) -> list[str]:
        """Return the cells of all rows."""
        return self.at(np.arange(len(self._starts)))

    def coded(self) -> tuple[Ints, list[Any]]:
        """Return a number for each cell, and what the numbers mean."""
        parts = self._parts()
        first, codes = grouped(mixed(*parts))
        if all((part == part[first][codes]).all() for part in parts):
            return codes, self.at(first)
        return CellColumn(self.cells()).coded()  # two cells have the same hash

    def _parts(self) -> list[Any]:
        """Return the lengths of the cells, and their bytes as numbers of eight."""
        lengths = self._ends - self._starts
        parts = [lengths.astype(np.uint64)]
        for place in range(0, int(lengths.max()), WORD):
            # What stands behind the end of the text is not looked at, but has to be somewhere.
            at = np.minimum(self._starts + place, len(self._words) - 1)
            parts.append(self._words[at] & _LEFT[np.clip(lengths - place, 0, WORD)])
        return parts


#: Columns of a table by their names, each with a cell for every row: lists, or a :class:`CellColumn`.
Cells = dict[str, Any]


def mixed(*columns: Any) -> Any:
    """Return numbers in which every bit of some columns has a part, by the mixing step of splitmix64."""
    total = np.zeros(len(columns[0]), dtype=np.uint64)
    for column in columns:
        bits = column if column.dtype == np.uint64 else column.astype(np.float64).view(np.uint64)
        total = (total ^ bits) * np.uint64(0xBF58476D1CE4E5B9)
        total ^= total >> np.uint64(31)
    return total


def grouped(hashes: Any) -> tuple[Ints, Ints]:
    """Return the first row of each hash that differs, and which of these each row has.

    Each row looks into a table whose rows the hash's first bits number; those who find another hash there
    try again with other bits.

    Examples
    --------
    >>> first, codes = grouped(mixed(np.array([7.0, 5.0, 7.0])))
    >>> first.tolist(), codes.tolist()
    ([0, 1], [0, 1, 0])
    """
    table, codes = np.empty(1 << BITS, dtype=np.int64), np.empty(len(hashes), dtype=np.int64)
    rows, found = np.arange(len(hashes)), list[Ints]()
    while len(rows):
        slots = (hashes >> np.uint64(64 - BITS)).astype(np.int64)
        places = np.arange(len(rows))
        table[slots[::-1]] = places[::-1]  # of several the last stays: the first there is
        at = table[slots]
        same, first = hashes[at] == hashes, np.flatnonzero(at == places)
        numbers = np.empty(len(rows), dtype=np.int64)
        numbers[first] = np.arange(len(first)) + sum(map(len, found))
        codes[rows[same]] = numbers[at[same]]
        found.append(rows[first])
        rows, hashes = rows[~same], mixed(hashes[~same])
    return np.concatenate([np.empty(0, dtype=np.int64), *found]), codes


def rows_of(file: IO[bytes], delimiter: str = "") -> Iterator[Cells]:
    """Go through the rows of a text, some at a time, as columns; texts end with a match.

    Raises
    ------
    Unusual
        If the text is no such table.
    """
    try:
        simple = _is_simple(file)
        header = file.readline().decode("utf-8-sig")
        header = file.readline().decode() if SEPARATOR_LINE.match(header) else header
        delimiter = delimiter or max(",;\t", key=header.count)
        names = next(csv.reader([header], delimiter=delimiter), [])
        columns = checked([cell.strip().lower() for cell in names], "")
        if len(set(columns)) < len(columns):
            raise Unusual
        if simple:
            yield from _split(file, columns, delimiter)
            return
        with io.TextIOWrapper(file, encoding="utf-8", newline="") as text:
            reader = csv.reader(text, delimiter=delimiter)
            while some := list(itertools.islice(reader, SOME)):
                yield _transposed(some, columns)
    except (csv.Error, UnicodeDecodeError, InputError) as error:
        raise Unusual from error


def _is_simple(file: IO[bytes]) -> bool:
    """Tell whether lines and delimiters alone part the cells of a text; the file is at its beginning then."""
    simple = True
    while simple and (block := file.read(BLOCK) + file.readline()):
        simple = b'"' not in block and (b"\r" not in block or block.count(b"\r") == block.count(b"\r\n"))
    file.seek(0)
    return simple


def _split(file: IO[bytes], columns: Sequence[str], delimiter: str) -> Iterator[Cells]:
    """Go through rows without quotes: what is between delimiters, all at once."""
    rest = b""
    while block := file.read(BLOCK) + file.readline():
        content = rest + (block.replace(b"\r\n", b"\n") if b"\r" in block else block)
        content = content if content.endswith(b"\n") else content + b"\n"
        bounds = _bounds(content, len(columns), delimiter)
        if bounds is None:
            content = _without_empty_lines(content)
            bounds = _bounds(content, len(columns), delimiter)
        if bounds is None:
            rest = b""
            lines = io.StringIO(content.decode(), newline="")
            yield _transposed(list(csv.reader(lines, delimiter=delimiter)), columns)
            continue
        content.decode()  # all of it has to be text
        found = _columns(content, bounds, columns)
        last = int(np.flatnonzero(found["match"].changes())[-1])
        if last:
            yield {name: column.before(last) for name, column in found.items()}
        elif len(content) > LONGEST_MATCH:
            raise Unusual
        rest = content[int(bounds[last - 1, -1]) + 1 :] if last else content
    bounds = _bounds(rest, len(columns), delimiter)
    if bounds is not None:
        yield _columns(rest, bounds, columns)


def _without_empty_lines(content: bytes) -> bytes:
    """Return lines without those that are empty."""
    lines = content.strip(b"\n") + b"\n"
    while b"\n\n" in lines:
        lines = lines.replace(b"\n\n", b"\n")
    return lines.lstrip(b"\n")


def _columns(content: bytes, bounds: Ints, columns: Sequence[str]) -> Cells:
    """Return the columns of a text, of which is known where each cell ends."""
    padded = content + bytes(WORD)
    words = np.lib.stride_tricks.as_strided(
        np.frombuffer(padded, dtype="<u8", count=1), (len(content),), (1,), writeable=False
    )
    starts = np.empty_like(bounds)
    starts[:, 1:] = bounds[:, :-1] + 1
    starts[1:, 0] = bounds[:-1, -1] + 1
    starts[0, 0] = 0
    cells = zip(starts.T.copy(), bounds.T.copy(), strict=True)
    return {name: TextColumn(padded, words, *each) for name, each in zip(columns, cells, strict=True)}


def _bounds(content: bytes, width: int, delimiter: str) -> Ints | None:
    """Return where each cell of each line ends; None where some line has not so many, or one too long."""
    marks = np.frombuffer(content, dtype=np.uint8)
    ends = np.flatnonzero(marks == ord("\n"))
    parts = np.flatnonzero(marks == ord(delimiter))
    if len(parts) != (width - 1) * len(ends):
        return None
    bounds = np.column_stack((parts.reshape(len(ends), width - 1), ends))
    flat = np.diff(bounds.ravel(), prepend=-1)
    if not len(flat):
        return None
    # Where a line has more delimiters than it should, one of the next stands before the line's end.
    return bounds if flat.min() > 0 and flat.max() <= LONGEST_CELL + 1 else None


def _transposed(some: Sequence[Sequence[str]], columns: Sequence[str]) -> Cells:
    """Return rows as columns, without empty lines."""
    rows = [row for row in some if row]
    if set(map(len, rows)) - {len(columns)}:
        raise Unusual
    return dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True)) if rows else {}
