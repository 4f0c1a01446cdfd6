"""The benchmarks of nights and pick-up nights, played for a moment: what they promise, but for figures."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.play import nights, pickup_kills, pickups
from benchmarks.play.irc import is_there
from benchmarks.ratings import starting

pytestmark = pytest.mark.slow

needs_a_server = pytest.mark.skipif(is_there("ngircd") is None, reason="ngircd is not installed")


def test_pick_up_nights_without_a_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every game is judged, a seed gives the same ones again, and no teams are beyond certain."""
    monkeypatch.setattr(pickups, "PICTURE", tmp_path / "pickups.svg")
    seeds = [pickups.played(seed, 5) for seed in range(2)]
    assert [len(games) for games in seeds] == [5 * pickups.GAMES] * 2
    assert seeds[0][: 2 * pickups.GAMES] == pickups.played(0, 2)
    assert all(0.0 <= distance < 0.5 for games in seeds for game in games for distance in game)
    page = pickups.report({"seeds": seeds, "irc": seeds[0]})
    assert "2 seeds without a network" in page
    assert (tmp_path / "pickups.svg").read_text().startswith("<svg")


@needs_a_server
def test_pick_up_nights_on_a_real_server() -> None:
    """Three nights, two games at once: announced once, counted once, kept once."""
    assert len(pickups.on_irc(3)) == 6


def test_leagues_through_the_command() -> None:
    """Five leagues: on the first night the command knows what guesses know, and chooses as evenly."""
    played = [nights.through_nights(0, number, nights=1) for number in range(4)]
    played.append(nights.through_nights(0, 4, nights=3))
    assert [len(each) for each in played] == [1, 1, 1, 1, 3]
    assert all(0.0 <= distance < 0.5 for each in played for distance in each)
    figures = starting.league(0, 4, starting.USEFUL)
    page = nights.report({name: [figures["both"]] * 2 for name in ("guesses", "both", "command")})
    assert "2 leagues" in page


def test_killed_nights_end_as_without_a_kill() -> None:
    """Five steps: each taken once, and the ratings bit for bit those of the same steps."""
    assert pickup_kills.killed_nights(5)["kills"] == 5


@needs_a_server
def test_the_killed_bot_doubles_and_loses_nothing() -> None:
    """Five kills on a real server, and the page of what came of them."""
    done = pickup_kills.killed_bot(5, ending=8.0)
    assert done["kills"] == 5
    page = pickup_kills.report({"bot": done, "nights": {"kills": 5, "taken": 0, "matches": 0}})
    assert "5 times at random moments" in page
