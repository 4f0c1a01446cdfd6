"""``equipoise live`` on a real Teeworlds server with stock clients: moves between lives, late joiners."""

from __future__ import annotations

import pytest
from benchmarks.play.teeworlds import JOINING, READING, measure
from benchmarks.play.teeworlds_server import missing

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(missing()), reason=missing() or "installed")]


def test_nobody_is_moved_while_alive_and_teams_are_level() -> None:
    """A minute of deaths, joining, leaving and kills of the program and the server."""
    row = measure(1, seed=3)
    assert row["arrivals"] >= 4
    assert row["faults"] == 0
    assert all(seconds <= JOINING + READING for seconds in row["moved_alive"])
    assert row["unbalanced"] == []
