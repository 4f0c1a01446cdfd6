"""Tables as text: aligned for a terminal, CSV for a spreadsheet, and Markdown."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from equipoise.core.plain_data import calling_nobody

#: What makes a cell a formula in a spreadsheet.
FORMULA = ("=", "+", "-", "@", "\t", "\r")

#: What begins like a formula and is none: a number, a share in percent, or the dash of what is not known.
_HARMLESS = re.compile(r"[+-]?\d+(\.\d+)?(e[+-]?\d+)?( ?%)?|-", re.IGNORECASE)


class Grid(NamedTuple):
    """Columns and rows of text."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


def escaped(cell: str) -> str:
    """Return a cell that no spreadsheet takes for a formula: with a quote before it where it must be.

    Examples
    --------
    >>> escaped("=1+1"), escaped("-3.5"), escaped("+2.0 %"), escaped("Ann")
    ("'=1+1", '-3.5', '+2.0 %', 'Ann')
    """
    return f"'{cell}" if cell.startswith(FORMULA) and not _HARMLESS.fullmatch(cell) else cell


def text_lines(grid: Grid) -> list[str]:
    """Return a table as people read it: the first column to the left, the others to the right."""
    everything = (grid.columns, *grid.rows)
    widths = [max(len(row[n]) for row in everything) for n in range(len(grid.columns))]
    return [
        "  ".join(
            cell.ljust(width) if n == 0 else cell.rjust(width)
            for n, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in everything
    ]


def csv_lines(grid: Grid) -> list[str]:
    """Return a table as CSV, safe for spreadsheets."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(
        [grid.columns, *([escaped(cell) for cell in row] for row in grid.rows)]
    )
    return text.getvalue().splitlines()


def markdown_lines(grid: Grid) -> list[str]:
    """Return a table as Markdown."""
    rows = [
        grid.columns,
        ["---"] * len(grid.columns),
        *([plain_cell(cell) for cell in row] for row in grid.rows),
    ]
    return [f"| {' | '.join(row)} |" for row in rows]


def plain_cell(cell: str) -> str:
    """Return a cell in which nothing is markup and nobody is mentioned."""
    return calling_nobody(re.sub(r"([\\`*_{}\[\]<>#|~])", r"\\\1", cell))


#: The forms of a table by name.
FORMS: dict[str, Callable[[Grid], list[str]]] = {
    "text": text_lines, "csv": csv_lines, "markdown": markdown_lines,
}  # fmt: skip
