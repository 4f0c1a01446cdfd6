"""Dates of games: those without one get that of their source, in the order they stand there."""

from __future__ import annotations

import hashlib

import pytest

from equipoise import Contest, Match, Ruleset
from equipoise.core.dates import SKEW, SPREAD, STEP, SourceDates, ahead
from equipoise.core.match import moved


def game(name: str, *, dated: bool = False, ended: float = 60.0) -> Match:
    """Return a game of two contests."""
    contests = [Contest(Ruleset(), [["a"], ["b"]], (1, 2), at=at) for at in (ended - 20.0, ended + 5.0)]
    return Match(contests, began=ended - 60.0, ended=ended, id=name, dated=dated)


def dated(dating: SourceDates, match: Match) -> Match:
    """Return a game with its date, read long after."""
    return dating.dated(match, 2e9).match


def within(name: str) -> float:
    """Return where a source stands for its first game, between 0 and a thousandth of a second."""
    return int(hashlib.sha256(name.encode()).hexdigest()[:8], 16) / 2**32 / 1024


def test_games_without_dates_follow_one_another() -> None:
    """After the date of the source, by the hash of the first of them; all their times move as far."""
    dating = SourceDates(1e9)
    found = [dated(dating, game(name)) for name in ("x", "y", "z")]
    for n, match in enumerate(found):
        assert match.ended == 1e9 + within("x") + n / 2**20
        assert match.began == pytest.approx(1e9 - 60.0, abs=0.01)
        assert {contest.at for contest in match.contests} == {match.ended}
    assert dating.kept() == (within("x"), 3, None, 0.0)
    assert (STEP, SPREAD) == (2.0**-20, 2.0**-10)


def test_a_source_goes_on_where_it_was_left() -> None:
    """With the offset of its first game, and the steps there were."""
    whole = SourceDates(1e9)
    first, second = dated(whole, game("x")), dated(whole, game("y"))
    assert dated(SourceDates(1e9), game("x")) == first
    assert dated(SourceDates(1e9, known=(within("x"), 1)), game("y")) == second


def test_the_last_date_of_a_log_is_better_known_than_that_of_its_file() -> None:
    """A game that has a date keeps it."""
    dating = SourceDates(1e9)
    own = game("d", dated=True, ended=5e8)
    assert dated(dating, own) is own
    assert dated(dating, game("x")).ended == 5e8 + within("x")
    assert dating.kept()[1] == 1


def test_moving_a_match_moves_all_its_times() -> None:
    """Where it already ends then, nothing is made anew."""
    match = game("x")
    assert moved(match, 60.0) is match
    later = moved(match, 100.0)
    assert (later.began, later.ended, [each.at for each in later.contests]) == (40.0, 100.0, [80.0, 105.0])
    assert moved(Match(match.contests, id="x"), 100.0).began is None


@pytest.mark.parametrize(
    ("late", "words"), [(-5.0, ""), (SKEW, ""), (121.0, "2 minutes"), (90_000.0, "1,500 minutes")]
)
def test_clocks_may_differ_by_two_minutes(late: float, words: str) -> None:
    """What is further ahead is said in minutes."""
    reported = ahead(1e9 + late, 1e9)
    assert reported == (f"dated {words} ahead of this machine's clock" if words else "")
