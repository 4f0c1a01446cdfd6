"""Some of the benchmark's tournaments: as good as the best that long searches found."""

from __future__ import annotations

import json
from typing import Any

import pytest
from benchmarks.lobbies.tournaments import compared, tournament
from benchmarks.reporting import RAW

from equipoise import fill

#: As many players as there may be, small and large.
SEEDS = (3, 8, 13, 21, 35, 58)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_nobody_could_tell_a_better_plan(seed: int) -> None:
    """Within what the page allows of the best known, which no bound is above."""
    results: dict[str, Any] = json.loads((RAW / "tournaments.json").read_text(encoding="utf-8"))
    row = next(row for row in compared(results) if row["seed"] == seed)
    plan = fill(**tournament(seed))
    assert len(plan.waiting) == row["waiting"]
    assert plan.value - row["best"] <= row["allowed"]
    assert plan.bound <= row["best"] * (1.0 + 1e-9)
