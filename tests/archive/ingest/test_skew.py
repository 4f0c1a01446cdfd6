"""Games that are dated ahead of the clock count as read now: later ones would come late beside them."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from equipoise.archive.archive import open_archive
from equipoise.archive.ingest.ingest import Ingest
from equipoise.archive.ingest.log_files import find_logs
from equipoise.core.dates import SKEW
from equipoise.core.match import Contest, Match, Ruleset
from equipoise.errors import InputError
from equipoise.service.archive_workers import Keeping


def test_a_game_of_the_future_counts_as_read_now(tmp_path: Path) -> None:
    """Nothing is lost where clocks or zones are wrong: the order of the log stays, and it is said once."""
    now = time.time()
    log = tmp_path / "games.jsonl"
    lines = [
        {"id": f"g{n}", "ended": now + ahead, "teams": [["ann"], ["bob"]], "scores": [2, 1]}
        for n, ahead in enumerate((-60.0, 36000.0, 600.0, SKEW / 2, 1e9))
    ]
    log.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with open_archive(f"sqlite:///{tmp_path}/games.db") as archive:
        for new in (5, 0):
            ingest = Ingest(archive)
            ingest.read(find_logs((str(log),)))
            ingest.keep()
            assert (ingest.tally.matches, ingest.tally.duplicates) == (new, 5 - new)
            assert ingest.tally.skipped_lines == 0
            ((wrong, many),) = ingest.tally.ahead.values()
            assert (wrong, many) == ("dated 600 minutes ahead of this machine's clock", 3)
        kept = {match.id: match for match in archive.matches()}
    assert sorted(kept) == ["g0", "g1", "g2", "g3", "g4"]
    at = [kept[name].ended or 0.0 for name in ("g1", "g2", "g4")]
    assert at == sorted(at)
    assert all(now <= each <= time.time() + 1.0 for each in at)
    assert [kept[name].dated for name in ("g0", "g1", "g3")] == [True, False, True]


def test_a_result_of_the_future_is_not_kept(tmp_path: Path) -> None:
    """Whoever says when it ended."""
    url = f"sqlite:///{tmp_path}/games.db"
    open_archive(url).close()
    duel = Contest(Ruleset("oa", "ctf"), (["ann"], ["bob"]), (1, 2), at=time.time() + 600.0)
    with pytest.raises(InputError, match=r"^ended: dated 10 minutes ahead"):
        list(Keeping(url, 1.0)(Match((duel,), id="g1")))
