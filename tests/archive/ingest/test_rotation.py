"""Any schedule of writing, rotation, stops and kills leaves the digest of the whole log."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.archive.rotation import schedules

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("seed", range(1000, 1025, 5))
def test_schedules_lose_nothing(tmp_path: Path, seed: int) -> None:
    """See :mod:`benchmarks.archive.rotation`, which plays 500."""
    assert schedules(5, tmp_path, seed=seed)
