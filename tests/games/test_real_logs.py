"""Real logs whose games are known, whole and damaged; ``python -m benchmarks real_logs`` damages them all."""

from __future__ import annotations

import pytest
from benchmarks.games.real_logs import DATA, KnownLog, compare, damage, foreign_logs, known_logs, unlike

#: Of each game a log that is small enough to be damaged in every way within seconds.
SMALL = ("log_bball.log", "sample13", "07_set_team.log", "2025-10-19")

LOGS = list(known_logs()) if DATA.is_dir() else []

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not LOGS, reason="the logs in ../shared/data/games are not beside the project"),
]


@pytest.mark.parametrize("log", LOGS, ids=lambda log: f"{log.game}-{log.name}")
def test_real_logs_are_read_as_they_were_played(log: KnownLog) -> None:
    """Finished games with maps, rosters, scores, winners, rounds, kills and deaths; none invented."""
    row = compare(log)
    assert [faults for faults in row["faults"] if faults] == []
    assert (row["read"], row["invented"]) == (len(log.games), 0)
    if log.game != "CS":  # where a kill of a team mate counts for nobody here
        assert row["figures"]["sum"] <= 0.01 * row["figures"]["known"]


@pytest.mark.parametrize("log", [log for log in LOGS if log.name in SMALL], ids=lambda log: log.name)
def test_damaged_logs_invent_nothing(log: KnownLog) -> None:
    """Cut, put together the wrong way round, with forged names and chat, with other games' lines between."""
    firsts = {each.game: each.content[:20_000] for each in LOGS}
    others = [each for game, each in firsts.items() if game != log.game and unlike(game, log.game)]
    rows = damage(log, [*others, *(each[:20_000] for each in foreign_logs())], 50)
    assert sum(row["forms"] for row in rows) > 40
    assert {row["what"]: row["crashes"] for row in rows if row["crashes"]} == {}
    assert {row["what"]: row["invented"] for row in rows if row["invented"]} == {}
