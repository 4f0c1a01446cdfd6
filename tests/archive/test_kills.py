"""Nothing is lost or counted twice where an ingest is killed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from benchmarks.archive.kills import kills, write_log

pytestmark = pytest.mark.slow


def test_a_killed_ingest_is_completed_by_a_second_run(new_url: Callable[[], str], tmp_path: Path) -> None:
    """After kill -9 the archive opens, and a second run ends at the same digest and ratings."""
    write_log(tmp_path / "log.jsonl", matches=100)
    kept = list(kills(5, new_url, tmp_path / "log.jsonl", seed=2))
    assert all(0 <= each <= 100 for each in kept)
