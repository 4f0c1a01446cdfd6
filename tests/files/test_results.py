"""Results from a spreadsheet: a row a match."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from equipoise import Elo, InputError, Match, Skipped, read_results, replay

WIDE = """date,red1,red2,blue1,blue2,score_red,score_blue
2026-01-31,Ann,Bob,Cid,Dan,3,1
2026-02-01,Ann,Cid,Bob,,0,0
"""


def one(row: dict[str, Any], dates: str | None = None) -> Match | Skipped:
    """Return what one row becomes."""
    return next(read_results([row], dates=dates))


def test_a_wide_table_is_a_match_a_row(tmp_path: Path) -> None:
    """Columns with a number are of a team; scores decide, empty cells are nobody, a frame is the same."""
    path = tmp_path / "results.csv"
    path.write_text(WIDE, encoding="utf-8")
    matches = list(read_results(str(path)))
    assert [match.contests[0].ranks for match in matches if isinstance(match, Match)] == [(0, 1), (0, 0)]
    assert [match.roster for match in matches if isinstance(match, Match)][1] == ("Ann", "Cid", "Bob")
    assert list(read_results(pl.read_csv(path))) == matches
    assert sorted(player for player in replay(Elo(), matches) if player) == ["Ann", "Bob", "Cid", "Dan"]


@pytest.mark.parametrize(
    ("row", "ranks"),
    [
        ({"red1": "a", "blue1": "b", "result": "Win"}, (1, 2)),
        ({"red1": "a", "blue1": "b", "result": "loss"}, (2, 1)),
        ({"red1": "a", "blue1": "b", "winner": "blue"}, (2, 1)),
        ({"red1": "a", "blue1": "b", "winner": "draw"}, (1, 1)),
        ({"red_1": "a", "blue_1": "b", "green_1": "c", "winner": "green"}, (2, 2, 1)),
        ({"winner": "a; b", "loser": "c, d"}, (1, 2)),
        ({"win": "a", "loss": "c"}, (1, 2)),
    ],
)
def test_who_won_is_said_in_many_ways(row: dict[str, Any], ranks: tuple[int, ...]) -> None:
    """By result, by winner, by who won and who lost."""
    match = one({"ended": 1, **row})
    assert isinstance(match, Match)
    assert match.contests[0].ranks == ranks


def test_dates_with_slashes_are_read_as_was_said() -> None:
    """03/04/2026 has no meaning of its own: the order is named, or the row is skipped and says so."""
    row = {"date": "03/04/2026", "red1": "a", "blue1": "b", "result": "win"}
    day, month = one(row, "day-first"), one(row, "month-first")
    assert isinstance(day, Match)
    assert isinstance(month, Match)
    assert (day.ended, month.ended) == (1775174400.0, 1772582400.0)
    told = one(row)
    assert isinstance(told, Skipped)
    assert "say dates='day-first' or 'month-first'" in told.reason
    assert isinstance(one({**row, "date": "31/12/2026"}, "month-first"), Skipped)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"red1": "a", "blue1": "b", "result": "win"}, "ended is missing"),
        ({"ended": 1, "red1": "a", "blue1": "b", "result": "maybe"}, "result must be win, loss or draw"),
        ({"ended": 1, "red1": "a", "blue1": "b", "winner": "green"}, "winner must be red, blue or draw"),
        ({"ended": 1, "red1": "a", "blue1": "b", "score_red": 1}, "score_blue"),
        ({"ended": 1, "red1": "a", "blue1": "b"}, "ranks and scores are both missing"),
        ({"ended": 1, "red1": "a", "blue1": "a", "result": "win"}, "teams: the player 'a'"),
        ({"ended": 1, "winner": "a"}, "loser is missing"),
    ],
)
def test_what_is_wrong_with_a_row_is_said(row: dict[str, Any], reason: str) -> None:
    """A row that is wrong is skipped, with its place and the column."""
    told = one(row)
    assert isinstance(told, Skipped)
    assert told.where == "results, row 1"
    assert told.reason.startswith(reason)


def test_tables_without_teams_are_refused() -> None:
    """So are rows that are none, and orders of dates that there are not."""
    for source, dates, message in (
        ([{"ended": 1, "player": "a"}], None, "columns of two teams"),
        (["a"], None, "must be a mapping"),
        ([], "year-first", "dates must be"),
    ):
        with pytest.raises(InputError, match=message):
            list(read_results(source, dates=dates))
