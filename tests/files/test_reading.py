"""The files that the benchmark of reading makes hold the same matches in every format."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.archive.reading import write_all

from equipoise.files.match_columns import read_columns
from equipoise.ratings.history_columns import replay_columns
from equipoise.ratings.models.gaussian_filter.mixture import Mixture

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("statistics", [False, True])
def test_all_formats_give_the_same_ratings(tmp_path: Path, *, statistics: bool) -> None:
    """Lines, tables and Parquet become columns; tables sort who is in a team, so that sums round apart."""
    pytest.importorskip("polars", reason="Parquet needs polars")
    states = []
    for path in write_all(tmp_path, 200, statistics=statistics).values():
        read = read_columns([str(path)])
        assert read is not None
        assert not read.skipped
        states.append(replay_columns(Mixture(), read.columns))
    lines, table, parquet = states
    assert table == parquet
    model = Mixture()
    for player in model.players(table):
        assert model.rating(lines, player).mu == pytest.approx(model.rating(table, player).mu, abs=1e-9)
