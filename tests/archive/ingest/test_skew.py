"""Games that are dated ahead of the clock are refused: every later one would come late beside them."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from equipoise.archive.archive import open_archive
from equipoise.archive.ingest.ingest import Ingest
from equipoise.archive.ingest.log_files import find_logs
from equipoise.core.clock import SKEW
from equipoise.core.match import Contest, Match, Ruleset
from equipoise.errors import InputError
from equipoise.service.archive_workers import Keeping


def test_a_game_of_the_future_is_skipped_with_the_reason(tmp_path: Path) -> None:
    """One within what clocks differ by is kept, and so are those around."""
    now = time.time()
    log = tmp_path / "games.jsonl"
    lines = [
        {"id": f"g{n}", "ended": now + ahead, "teams": [["ann"], ["bob"]], "scores": [2, 1]}
        for n, ahead in enumerate((-60.0, 600.0, SKEW / 2, 1e9))
    ]
    log.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with open_archive(f"sqlite:///{tmp_path}/games.db") as archive:
        ingest = Ingest(archive)
        ingest.read(find_logs((str(log),)))
        ingest.keep()
        assert [match.id for match in archive.matches()] == ["g0", "g2"]
    first, second = ingest.tally.first_skipped
    assert (first.where, second.where) == ("game g1", "game g3")
    assert first.reason.startswith("dated 10 minutes ahead of this machine's clock; ")
    assert ingest.tally.skipped_lines == 2


def test_a_result_of_the_future_is_not_kept(tmp_path: Path) -> None:
    """Whoever says when it ended."""
    url = f"sqlite:///{tmp_path}/games.db"
    open_archive(url).close()
    duel = Contest(Ruleset("oa", "ctf"), (["ann"], ["bob"]), (1, 2), at=time.time() + 600.0)
    with pytest.raises(InputError, match=r"^ended: dated 10 minutes ahead"):
        list(Keeping(url, 1.0)(Match((duel,), id="g1")))
