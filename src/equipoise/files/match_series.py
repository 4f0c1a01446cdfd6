"""Parquet files of matches as columns, most of which polars compares and counts itself."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from equipoise.arrays import Ints
from equipoise.files.match_cells import CellColumn, Cells
from equipoise.files.match_tables import parquet_frame
from equipoise.games.plain import checked

#: Rows that are taken at a time.
SOME = 50_000


def parquet_columns(source: str) -> Iterator[Cells]:
    """Go through the rows of a Parquet file as columns, some at a time that end with a match.

    Raises
    ------
    InputError
        If the file cannot be read, the library for it is not installed, or a column is missing.
    """
    frame = parquet_frame(source)
    checked(frame.columns, source)
    if not frame.height:
        return
    begins = np.flatnonzero(SeriesColumn(frame["match"]).changes())
    places = np.searchsorted(begins, np.arange(SOME, begins[-1] + 1, SOME))
    bounds = np.unique([0, *begins[places], frame.height]).tolist()
    for begin, end in itertools.pairwise(bounds):
        some = frame[begin:end]
        yield {name: _column(some[name]) for name in some.columns}


class SeriesColumn(CellColumn):
    """A column of texts or whole numbers, with none left out, as polars keeps it."""

    def __init__(self, series: Any) -> None:
        self._series = series

    def changes(self) -> Any:
        """Tell of each cell whether it is another than that of the row above."""
        differ = self._series.ne_missing(self._series.shift(1)).to_numpy(writable=True)
        differ[0] = True
        return differ

    def at(self, rows: Ints) -> list[Any]:
        """Return the cells of some rows."""
        return list(self._series.gather(rows).to_list())

    def cells(self) -> list[Any]:
        """Return the cells of all rows."""
        return list(self._series.to_list())

    def coded(self) -> tuple[Ints, list[Any]]:
        """Return a number for each cell, and what the numbers mean."""
        differing = self._series.unique()
        if self._series.dtype.is_integer():
            numbers = differing.sort().to_numpy()
            return np.searchsorted(numbers, self._series.to_numpy()), numbers.tolist()
        import polars as pl  # what has a series has it

        codes = self._series.cast(pl.Enum(differing)).to_physical()
        return codes.to_numpy().astype(np.int64), differing.to_list()


def _column(series: Any) -> CellColumn:
    """Return a column as it is gone through fastest."""
    plain = series.null_count() == 0 and (series.dtype.is_integer() or str(series.dtype) == "String")
    return SeriesColumn(series) if plain else CellColumn(series.to_list())
