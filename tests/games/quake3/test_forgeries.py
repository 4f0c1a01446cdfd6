"""Hostile clients on a real server: what they write is not believed, a small part of the benchmark."""

from __future__ import annotations

import pytest
from benchmarks.games.forgeries import measure
from benchmarks.games.openarena import installed

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not installed(), reason="openarena-server is not installed; scripts/install-test-servers does it"
    ),
]


def test_nothing_that_clients_write_is_believed_and_levels_are_read() -> None:
    """Hundreds of texts with lines of a log in them, and a game that ends meanwhile."""
    raw = measure(300, 300)
    assert raw["forged_lines"]
    assert raw["games"]
    for read in (raw["whole"], *raw["cut"]):
        assert read["believed"] == read["lost levels"] == read["lost people"] == 0
