"""Nights on a chat without accounts, in which the bot ends at any line and others take every free nick."""

from __future__ import annotations

import pytest
from benchmarks.play.impostors import measure

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("seed", [1, 2])
def test_nobody_acts_for_another_and_nobody_is_lost(seed: int) -> None:
    """After every kill; nicks change while the bot is there and while it is not."""
    counts = measure(12, seed)
    assert min(counts["games"], counts["taken"], counts["away"], counts["usurped"]) > 0
    assert (counts["wrong"], counts["lost"], counts["obeyed"]) == (0, 0, 0)
