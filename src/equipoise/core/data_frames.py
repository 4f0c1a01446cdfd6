"""Tables in and out: rows of data frames, whatever made them, and tables that notebooks and frames take.

No library of data frames is needed here: a frame is asked for its rows, or for its own kind to be made.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from equipoise.core.packages import needs
from equipoise.core.plain_data import has_value
from equipoise.errors import InputError, again

#: What spreadsheets write above a table to say what separates its cells.
SEPARATOR_LINE = re.compile(r"\A\s*\"?sep=[,;|\t]\"?[ \t]*(?=\r?\n)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under columns, which a notebook shows and a data frame is made of.

    Parameters
    ----------
    columns : tuple of str
        What they are called.
    rows : tuple of tuples
        The cells, as many in each row as there are columns.

    Examples
    --------
    >>> table = Table(("player", "mu"), (("Ann", 1.5), ("Bob", None)))
    >>> table.records()[0]
    {'player': 'Ann', 'mu': 1.5}
    >>> table._repr_html_().count("<tr>")
    3
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def records(self) -> list[dict[str, Any]]:
        """Return a mapping for each row; ``pandas.DataFrame`` and ``polars.DataFrame`` take them too."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def to_pandas(self) -> Any:
        """Return a data frame of pandas.

        Raises
        ------
        InputError
            If pandas is not installed.
        """
        return _frames("pandas").DataFrame(self.records(), columns=list(self.columns))

    def to_polars(self) -> Any:
        """Return a data frame of polars.

        Raises
        ------
        InputError
            If polars is not installed.
        """
        columns = zip(self.columns, zip(*self.rows, strict=True), strict=True) if self.rows else ()
        return _frames("polars").DataFrame({name: list(cells) for name, cells in columns})

    def _repr_html_(self) -> str:
        """Return the table for a notebook."""
        from html import escape  # a cold start shows no tables

        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        body = "".join(
            f"<tr>{''.join(f'<td>{escape(_cell(cell))}</td>' for cell in row)}</tr>\n" for row in self.rows
        )
        return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>"


def columns_of(names: Iterable[Any], where: str) -> list[str]:
    """Return what columns are called: in small letters, without blanks around them.

    Raises
    ------
    InputError
        If two are called the same: one of them would be lost.

    Examples
    --------
    >>> columns_of(["Red1 ", "", ""], "here")
    ['red1', '', '']
    """
    columns = [str(name).strip().lower() for name in names]
    named = [name for name in columns if name]
    if len(set(named)) < len(named):
        msg = f"{where}: the column {named[again(named)]!r} appears twice; delete all but one"
        raise InputError(msg)
    return columns


def rows_of(table: Any, where: str = "table") -> list[dict[str, Any]] | None:
    """Return the rows of a data frame as mappings, cells without a value left out; None of anything else.

    A frame of polars, of pandas, or any other that has ``to_dicts()`` or ``to_dict("records")``.

    Raises
    ------
    InputError
        If two columns are called the same.

    Examples
    --------
    >>> rows_of(Table(("player",), (("Ann",),))), rows_of({"Ann": 1})
    ([{'player': 'Ann'}], None)
    """
    if isinstance(table, Table):
        rows: Iterable[Mapping[Any, Any]] = table.records()
    elif callable(dicts := getattr(table, "to_dicts", None)):
        rows = dicts()
    elif callable(records := getattr(table, "to_dict", None)) and hasattr(table, "columns"):
        rows = records("records")
    else:
        return None
    columns_of(getattr(table, "columns", ()), where)
    return [{str(name): cell for name, cell in row.items() if has_value(cell)} for row in rows]


def _cell(cell: Any) -> str:
    if isinstance(cell, float):
        return f"{cell:.4g}"
    return "" if cell is None else str(cell)


def _frames(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        msg = f"this {needs(name)}; records() gives the rows without it"
        raise InputError(msg) from None
