"""When the pieces of a rotation were written: in the order of numbers, by times where these tell."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from equipoise.archive.ingest.log_files import APART, date_of

NOON = 1_700_000_000.0


@pytest.mark.parametrize("step", [-60.0, -1.0, 0.0, 0.0025, 0.5, 1.0, 3600.0])
def test_a_time_is_believed_where_it_tells_and_corrected_where_it_does_not(
    tmp_path: Path, step: float
) -> None:
    """Pieces written ``step`` seconds apart: times in clear order stay, others go back a second each."""
    for number in range(4):
        path = tmp_path / ("games.log" if not number else f"games.log.{number}")
        path.write_bytes(b"")
        os.utime(path, (NOON - number * step, NOON - number * step))
    dates = [date_of(tmp_path / f"games.log.{number}")[0] for number in (3, 2, 1)]
    assert dates == sorted(set(dates))
    clear = step >= 0.5
    expected = [NOON - number * (step if clear else APART) for number in (3, 2, 1)]
    assert dates == pytest.approx(expected, abs=1e-6)
