"""Some of the benchmark's tournaments: as good as the best that long searches found."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from equipoise import fill

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

#: As many players as there may be, small and large.
SEEDS = (3, 8, 13, 21, 35, 58)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_nobody_could_tell_a_better_plan(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Within what the page allows of the best known, which no bound is above."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    from lobby_instances import tournament
    from tournaments import compared

    results: dict[str, Any] = json.loads((BENCHMARKS / "tournaments.json").read_text(encoding="utf-8"))
    row = next(row for row in compared(results) if row["seed"] == seed)
    plan = fill(**tournament(seed))
    assert len(plan.waiting) == row["waiting"]
    assert plan.value - row["best"] <= row["allowed"]
    assert plan.bound <= row["best"] * (1.0 + 1e-9)
    for module in ("tournaments", "lobby_instances", "reporting"):
        sys.modules.pop(module, None)
