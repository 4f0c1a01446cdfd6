"""What is said to those who come from teiserver holds."""

from __future__ import annotations

import pytest
from benchmarks.teams.captains import measure

pytestmark = pytest.mark.slow


def test_re_ranking_by_teiservers_score_finds_its_least() -> None:
    """Five of the benchmark's rosters of eight: no split has a lower score, and the default comes near."""
    (scores,) = measure(rosters=5, sizes=(8,)).values()
    assert scores["`rerank=score, tolerance=0.05`"] == pytest.approx(scores["least"])
    assert scores["least"] <= scores["`balance(players)`"]
