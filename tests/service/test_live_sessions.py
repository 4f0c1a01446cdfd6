"""``equipoise live`` as people start it, on a real server with people: a small part of the benchmark."""

from __future__ import annotations

import pytest
from benchmarks.games.openarena import installed
from benchmarks.play.live_sessions import play

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not installed(), reason="openarena-server is not installed; scripts/install-test-servers does it"
    ),
]


@pytest.mark.parametrize("seed", [0, 1], ids=["a good net", "half of the packets dropped"])
def test_nobody_is_kicked_and_no_bot_comes_and_goes_for_nothing(seed: int) -> None:
    """Whatever happens at random in some seconds."""
    row = play(seed, 12.0)
    assert row["orders"]
    assert row["faults"] == row["flaps"] == 0
    assert row["kicked"] == []
