"""The benchmark of HTTP, played for a moment: what it promises, but for times."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.service import attacks, web


@pytest.mark.slow
@pytest.mark.parametrize("at", [0, 2, 4, 5, 6], ids=lambda at: web.ATTACKS[at].name)
def test_attacked_over_http_everyone_is_answered(at: int, tmp_path: Path) -> None:
    """Healthy clients of both protocols have their answers, nothing is refused, and the exit code is 0."""
    url = f"sqlite:///{tmp_path}/games.db"
    attacks.make(url, 1_000)  # so that everyone has played
    row = web.endure(url, web.ATTACKS[at], 1, 0.1)
    assert row["code"] == 0
    assert row["weights_most"] > 0 < row["http_most"]


@pytest.mark.slow
def test_kills_lose_and_double_nothing(tmp_path: Path) -> None:
    """A twentieth of them, and the page says so."""
    killed = web.kill(10)
    assert killed["kept"] >= 10
    rated = [{"name": "GET", "ours": 2.0, "bare": 4.0, "ours_busiest": 3.0, "bare_busiest": 4.0}]
    results = {"machine": "", "python": "", "cores": 1, "load": 0.0, "times": 1, "seconds": 0.1, "grace": 1.0,
               "first": 0, "rows": [], "rated": rated, "killed": killed}  # fmt: skip
    assert "| GET | 2 | 4 | 0.50 | 3 | 4 | 0.75 |" in web.report(results)
    assert "10 times" in web.report(results)
