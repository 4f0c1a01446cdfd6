"""Rows of a table, whatever holds it: CSV, a spreadsheet, a data frame, or mappings."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any, NamedTuple

from equipoise.core.data_frames import SEPARATOR_LINE, columns_of, rows_of
from equipoise.core.packages import needs
from equipoise.core.plain_data import has_value
from equipoise.errors import InputError
from equipoise.files.file_kinds import check
from equipoise.files.read_roster import content_of, decoded
from equipoise.games.plain.reader import row_under

#: Where a row stands, and its cells by column; columns are in small letters, empty cells are left out.
Row = tuple[str, dict[str, Any]]

#: Endings of spreadsheets.
SPREADSHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")


class TextTable(NamedTuple):
    """A table as text that was read already, and what messages call it."""

    where: str
    content: bytes


def rows_from(source: Any) -> tuple[str, list[Row]]:
    """Return what messages call a table, and its rows.

    Parameters
    ----------
    source : str, path, TextTable, data frame, or iterable of mappings
        The path of a CSV file or a spreadsheet (its first sheet), a frame of pandas or polars, or the rows.

    Raises
    ------
    InputError
        If it cannot be read, or a row is no mapping.
    """
    if isinstance(source, str | Path | TextTable):
        if not isinstance(source, TextTable) and str(source).lower().endswith(SPREADSHEETS):
            return str(source), _under_header(_sheet(str(source)), f"{source}, row")
        where, content = source if isinstance(source, TextTable) else content_of(str(source))
        check(content, where, "results")
        text = SEPARATOR_LINE.sub("", decoded(content, where))
        header = text.lstrip().partition("\n")[0]
        reader = csv.reader(io.StringIO(text), delimiter=max(",;\t", key=header.count))
        try:
            lines = [(reader.line_num, [cell.strip() for cell in cells]) for cells in reader]
        except csv.Error as error:
            msg = f"{where}, line {reader.line_num}: it is no CSV: {error}"
            raise InputError(msg) from error
        return where, _under_header(lines, f"{where}, line")
    rows = rows_of(source, "results")
    if rows is None and not isinstance(source, Iterable):
        msg = f"results must be a path, a data frame or rows, got {source!r:.80}"
        raise InputError(msg)
    found = list(source) if rows is None else rows
    for number, row in enumerate(found, start=1):
        if not isinstance(row, Mapping):
            msg = f"results, row {number}: it must be a mapping from columns to cells, got {row!r:.40}"
            raise InputError(msg)
    return "results", [
        (
            at,
            {
                name: cell.strip() if isinstance(cell, str) else cell
                for name, cell in zip(columns_of(row, at), row.values(), strict=True)
                if has_value(cell)
            },
        )
        for at, row in ((f"results, row {number}", row) for number, row in enumerate(found, start=1))
    ]


def _under_header(lines: Iterable[tuple[int, Sequence[Any]]], place: str) -> list[Row]:
    """Return the rows under the first one that is not empty, which names the columns."""
    columns: list[str] = []
    rows: list[Row] = []
    for number, cells in lines:
        if not any(cell != "" for cell in cells):
            continue
        if not columns:
            columns = columns_of(cells, f"{place} {number}")
        else:
            rows.append((f"{place} {number}", row_under(columns, cells)))
    return rows


def _sheet(path: str) -> list[tuple[int, list[Any]]]:
    """Return the rows of the first sheet, numbered as the spreadsheet shows them."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError:
        msg = f"{path}: this {needs('python_calamine')}; or save the file as CSV"
        raise InputError(msg) from None
    try:
        sheet = CalamineWorkbook.from_path(path).get_sheet_by_index(0)
        rows = sheet.to_python(skip_empty_area=False)
    except (OSError, CalamineError, IndexError) as error:
        msg = f"{path}: cannot be read: {error}"
        raise InputError(msg) from error
    return [(number, [_cell(cell) for cell in row]) for number, row in enumerate(rows, start=1)]


def _cell(cell: Any) -> Any:
    """Return a cell of a spreadsheet: whole numbers as such, dates with a time of day."""
    if isinstance(cell, float) and cell.is_integer():
        return int(cell)
    if isinstance(cell, date) and not isinstance(cell, datetime):
        return datetime(cell.year, cell.month, cell.day)  # noqa: DTZ001  # a sheet knows no zones
    return cell.strip() if isinstance(cell, str) else cell
