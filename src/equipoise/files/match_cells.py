"""The cells of a text by column: a table of matches, some thousand rows at a time.

What the cells mean is in :mod:`equipoise.files.match_rows`.
"""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Iterator, Sequence
from typing import IO, Any

import numpy as np

from equipoise.errors import InputError
from equipoise.games.plain import checked

#: Rows that become columns at a time, as far as the last match among them is whole.
SOME = 20_000

#: Bytes of a text that become columns at a time.
BLOCK = 1 << 20

#: Columns of a table by their names, each with a cell for every row.
Cells = dict[str, list[Any]]


class Unusual(Exception):  # noqa: N818  # it is no error
    """The table is not as most are."""


def rows_of(file: IO[bytes], delimiter: str = "") -> Iterator[Cells]:
    """Go through the rows of a text, some at a time, as columns.

    Raises
    ------
    Unusual
        If the text is no such table.
    """
    try:
        simple = _is_simple(file)
        header = file.readline().decode("utf-8-sig")
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
        simple = b'"' not in block and block.count(b"\r") == block.count(b"\r\n")
    file.seek(0)
    return simple


def _split(file: IO[bytes], columns: Sequence[str], delimiter: str) -> Iterator[Cells]:
    """Go through rows without quotes: what is between delimiters, all at once."""
    width = len(columns)
    while block := file.read(BLOCK) + file.readline():
        content = block.replace(b"\r\n", b"\n").removesuffix(b"\n")
        if _all_have(content, width - 1, delimiter):
            cells = content.decode().replace("\n", delimiter).split(delimiter)
            yield {name: cells[place::width] for place, name in enumerate(columns)}
        else:
            lines = io.StringIO(content.decode(), newline="")
            yield _transposed(list(csv.reader(lines, delimiter=delimiter)), columns)


def _all_have(content: bytes, many: int, delimiter: str) -> bool:
    """Tell whether each line has so many delimiters."""
    marks = np.frombuffer(content + b"\n", dtype=np.uint8)
    ends = np.flatnonzero(marks == ord("\n"))
    parts = np.flatnonzero(marks == ord(delimiter))
    if len(parts) != many * len(ends):
        return False
    of_line = parts.reshape(len(ends), many)
    return bool((of_line[:, -1] < ends).all() and (of_line[1:, 0] > ends[:-1]).all())


def _transposed(some: Sequence[Sequence[str]], columns: Sequence[str]) -> Cells:
    """Return rows as columns, without empty lines."""
    rows = [row for row in some if row]
    if set(map(len, rows)) - {len(columns)}:
        raise Unusual
    return dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True)) if rows else {}
