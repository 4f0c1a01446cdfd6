"""The fairness benchmark: its schedule follows from its seed, its page from its games, and it plays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from benchmarks.games.openarena import installed
from benchmarks.play import fairness


def test_skills_are_hidden_in_the_names() -> None:
    """Every skill once, in an order that the seed draws."""
    assert min(fairness.SKILLS.values()) == 1.0
    assert max(fairness.SKILLS.values()) == 5.0
    assert len(set(fairness.SKILLS.values())) == fairness.BOTS
    assert list(fairness.SKILLS.values()) != sorted(fairness.SKILLS.values())


def test_every_block_has_one_roster_and_every_arm_once() -> None:
    """Orders and colours differ."""
    learnt = fairness.Learning()
    blocks = [fairness.block(n, learnt) for n in range(6)]
    for games in blocks:
        assert sorted(game.arm for game in games) == sorted(fairness.ARMS)
        assert len({frozenset((*game.red, *game.blue)) for game in games}) == 1
        assert {len(game.red) for game in games} == {4}
    assert len({tuple(game.arm for game in games) for games in blocks}) > 1


def test_an_interval_that_is_shown_is_that_of_its_blocks() -> None:
    """A mean that never varies has no width; of losers with less than half a game is one-sided."""
    assert fairness.interval([2.0] * 9, 0) == (2.0, 2.0, 2.0)
    assert fairness.one_sided({"scores": [20, 9]}) == 1.0
    assert fairness.one_sided({"scores": [10, 20]}) == 0.0


def test_games_that_were_played_are_not_played_again_and_others_are_refused(tmp_path: Path) -> None:
    """A file of games goes on where it ended, and only for the schedule it is of."""
    kept = tmp_path / "games.jsonl"
    asked = fairness.learning_game(0)
    line: dict[str, Any] = {**fairness.line_of(asked, None), "scores": [20.0, 3.0], "counts": {}}
    del line["failed"]
    kept.write_text(json.dumps(line) + "\n", encoding="utf-8")
    table = fairness.Table(kept, None, 0.0)
    assert table(asked)["scores"] == [20.0, 3.0]
    with pytest.raises(fairness.OutOfTimeError):
        table(fairness.learning_game(1))
    with pytest.raises(RuntimeError, match="another one"):
        fairness.Table(kept, None, 0.0)(fairness.learning_game(1))


@pytest.mark.slow
@pytest.mark.skipif(not installed(), reason="openarena-server is not installed")
def test_a_dozen_games_are_played_and_reported(tmp_path: Path) -> None:
    """Both experiments, from the first game to the page."""
    kept = tmp_path / "games.jsonl"
    assert fairness.play_all(kept, 60.0, blocks=1, lever_blocks=1, learning=3)
    page = fairness.page(kept)
    assert "Played: 3 games for learning and 3 of three arms" in page
    assert "| on |" in page
