"""``equipoise live --game nexuiz`` on a real server: its teams and the matches are the chosen ones."""

from __future__ import annotations

import pytest
from benchmarks.play.nexuiz import installed, measure

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not installed(),
        reason="nexuiz-server is not installed; scripts/install-test-servers --nexuiz does it",
    ),
]


def test_teams_and_matches_are_as_chosen_and_mutators_choose_the_ruleset() -> None:
    """Two games, the second with a mutator: console, ``teamstatus`` and the archive agree."""
    rows = measure(2, 1)
    for row in rows:
        assert row["chosen"] == row["real"] == row["kept"]
        assert row["mutators"] == row["kept_mutators"]
        assert [len(team) for team in row["chosen"]] == [4, 4]
    assert [row["mutators"] for row in rows] == [[], ["minstagib"]]
