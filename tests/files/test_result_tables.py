"""Results from a spreadsheet: a row a match."""

from __future__ import annotations

import calendar
import math
import tomllib
import zipfile
from datetime import UTC, date, datetime
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from equipoise import Elo, InputError, Match, Skipped, read_matches, read_results, replay
from equipoise.core.match_records import time_from
from equipoise.errors import AmbiguousError
from equipoise.files.result_tables import is_results
from equipoise.files.table_dates import month_of
from equipoise.ratings.replay import in_order

WIDE = """date,red1,red2,blue1,blue2,score_red,score_blue
2026-01-31,Ann,Bob,Cid,Dan,3,1
2026-02-01,Ann,Cid,Bob,,0,0
"""


ROW = {"date": "2026-01-31", "red1": "Ann", "blue1": "Cid", "result": "win"}


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
    match = one({"ended": 1e9, **row})
    assert isinstance(match, Match)
    assert match.contests[0].ranks == ranks


def test_dates_with_slashes_are_read_as_was_said() -> None:
    """03/04/2026 has no meaning of its own: the order is named, or it is asked."""
    row = {"date": "03/04/2026", "red1": "a", "blue1": "b", "result": "win"}
    day, month = one(row, "day-first"), one(row, "month-first")
    assert isinstance(day, Match)
    assert isinstance(month, Match)
    assert (day.ended, month.ended) == (1775174400.0, 1772582400.0)
    with pytest.raises(AmbiguousError, match="choose --dates day-first or --dates month-first"):
        one(row)
    assert isinstance(one({**row, "date": "31/02/2026"}, "day-first"), Skipped)


@pytest.mark.parametrize("dates", ["day-first", "month-first"])
def test_a_table_with_its_dates_in_the_other_order_is_refused(dates: str) -> None:
    """None of its rows counts: those that happen to be read would have wrong dates."""
    (other,) = {"day-first", "month-first"} - {dates}
    wrong = {"day-first": "01/31/2026", "month-first": "31/01/2026"}[dates]
    rows = [{**ROW, "date": "03/04/2026"}, {**ROW, "date": wrong}]
    assert all(isinstance(match, Match) for match in read_results(rows, dates=other))
    message = f"^results, row 2: date: '{wrong}' is no date, {dates}; .* choose --dates {other}"
    with pytest.raises(InputError, match=message):
        next(read_results(rows, dates=dates))


@pytest.mark.parametrize(
    "written", ["2026/01/05", "2026-1-5", "2026.1.05", " 2026-01-05 ", "20260105", 20260105]
)
def test_dates_that_begin_with_the_year_are_read(written: Any) -> None:
    """With any sign between the numbers, and whatever order other dates have."""
    for dates in (None, "day-first", "month-first"):
        match = one({**ROW, "date": written}, dates)
        assert isinstance(match, Match)
        assert match.ended == 1767571200.0
    if isinstance(written, str) and len(written) > 8:
        match = one({**ROW, "date": f"{written.strip()} 20:15"})
        assert isinstance(match, Match)
        assert match.ended == 1767571200.0 + 73_000 - 100


@pytest.mark.parametrize("kind", [int, float, str])
@pytest.mark.parametrize(
    ("number", "looks"),
    [
        (46027, "looks like 2026-01-05 as spreadsheets count days"), (2026, "looks like a year"),
        (1767643200000, "looks like milliseconds"), (-5, "is no time; write a date"), (0, "is no time"),
        (46027123, "is no date"),
    ],
)  # fmt: skip
def test_numbers_that_are_no_time_are_refused(kind: type, number: int, looks: str) -> None:
    """By the name of the column, with what they look like; seconds since 1970 are read."""
    skipped = one({**ROW, "date": kind(number)})
    assert isinstance(skipped, Skipped)
    assert skipped.reason.startswith("date: ")
    assert looks in skipped.reason
    match = one({**ROW, "date": kind(1767643200)})
    assert isinstance(match, Match)
    assert match.ended == 1767643200.0


@pytest.mark.parametrize("column", ["ended", "date", "time", "played"])
@pytest.mark.parametrize("wrong", ["yesterday", "2026-13-05", 2026, "2026-01-05T25:00"])
def test_a_wrong_date_is_named_by_its_column(column: str, wrong: Any) -> None:
    """As the table calls it."""
    skipped = one({"red1": "a", "blue1": "b", "result": "win", column: wrong})
    assert isinstance(skipped, Skipped)
    assert skipped.reason.startswith(column)


@pytest.mark.parametrize(
    ("cell", "team"),
    [
        ("Ann+Bob", ["Ann", "Bob"]), ("Ann/Bob", ["Ann", "Bob"]), ("Ann & Bob;Cid", ["Ann", "Bob", "Cid"]),
        ("R&B", ["R&B"]), ("C++", ["C++"]), ('"Ann and Bob"; Cid', ["Ann and Bob", "Cid"]),
        ("Ann (she/her)", ["Ann (she/her)"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize(("own", "other"), [("team1", "team2"), ("winner", "loser"), ("home", "away")])
def test_players_of_a_cell_are_parted_as_parties_of_a_roster(
    cell: str, team: list[str], own: str, other: str
) -> None:
    """What a paste reads as several players is none; what it refuses is refused here."""
    row = {own: cell, "date": "2026-01-31", other: "Zoe", **({} if own == "winner" else {"score": "3:1"})}
    match = one(row)
    assert isinstance(match, Match), match
    assert [player for player, _ in match.contests[0].teams[0]] == team
    for doubtful in ("Ann and Bob", "Ann vs Bob", "Cid; Ann und Bob"):
        skipped = one({**row, own: doubtful})
        assert isinstance(skipped, Skipped)
        assert skipped.reason.startswith(f"{own}: ")
        assert "double quotes" in skipped.reason


@pytest.mark.parametrize(
    "cells", [{"score_red": "3,5", "score_blue": "1"}, {"score": "3,5:1"}, {"score": "3.5:1"}], ids=str
)
def test_scores_may_have_a_decimal_comma(cells: dict[str, str]) -> None:
    """As rosters have it, in a row for each player too; what may be thousands is refused."""
    row = {"date": "2026-01-31", "red": "Ann", "blue": "Bob"}
    match = one({**row, **cells})
    assert isinstance(match, Match), match
    assert match.contests[0].scores == (3.5, 1.0)
    (long,) = read_results(
        [{**row, "name": n, "team": n, "score": s} for n, s in (("a", "2,5"), ("b", "-1,5"))]
    )
    assert isinstance(long, Match), long
    assert long.contests[0].scores == (2.5, -1.5)
    skipped = one({**row, "score_red": "1,234", "score_blue": "0"})
    assert isinstance(skipped, Skipped)
    assert skipped.reason.startswith("score_red: '1,234'")


@pytest.mark.parametrize("first", ["sep=;", '"sep=;"', "\ufeffsep=;"])
def test_a_line_that_names_the_separator_is_no_header(first: str, tmp_path: Path) -> None:
    """As in rosters; places are those of the file."""
    path = tmp_path / "results.csv"
    path.write_text(
        f"{first}\ndate;red1;blue1;score_red;score_blue\n2026-01-05;Ann;Bob;3,5;1\n2026-01-05;a;b;x;1\n"
    )
    match, skipped = read_results(str(path))
    assert isinstance(match, Match)
    assert match.contests[0].scores == (3.5, 1.0)
    assert isinstance(skipped, Skipped)
    assert skipped.where.endswith("line 4")


@pytest.mark.parametrize("source", [[], pl.DataFrame([ROW]).head(0)], ids=["rows", "frame"])
def test_a_table_without_rows_is_refused(source: Any, tmp_path: Path) -> None:
    """By saying just that, whatever its columns."""
    path = tmp_path / "results.csv"
    path.write_text("date,red1,blue1,result\n", encoding="utf-8")
    for table in (source, str(path)):
        with pytest.raises(InputError, match="it has no rows"):
            list(read_results(table))


def test_dates_of_frames_are_read() -> None:
    """A date without a time is its midnight, UTC, as where it is written out."""
    row = {"red1": "a", "blue1": "b", "result": "win"}
    days = [
        one({**row, "date": day})
        for day in (date(2026, 1, 31), datetime(2026, 1, 31, tzinfo=UTC), "2026-01-31")
    ]
    assert [match.ended for match in days if isinstance(match, Match)] == [1769817600.0] * 3


def test_a_column_that_appears_twice_is_refused(tmp_path: Path) -> None:
    """Whichever of the two counted, the other one would be lost without a word."""
    (tmp_path / "twice.csv").write_text("date,red1,blue1,Red1,result\n2026-01-01,a,b,c,win\n")
    with pytest.raises(InputError, match="line 1: the column 'red1' appears twice; delete all but one"):
        list(read_results(str(tmp_path / "twice.csv")))


@pytest.mark.parametrize("name", ["red1 ", "RED1", " Red1"])
def test_rows_with_a_column_twice_are_refused(name: str) -> None:
    """Mappings and frames as a file: blanks and capitals tell no columns apart."""
    row = {"date": "2026-01-31", "red1": "Ann", "blue1": "Cid", "result": "win", name: "Bob"}
    for source, place in (([row], "results, row 1"), (pl.DataFrame([row]), "results")):
        with pytest.raises(
            InputError, match=f"^{place}: the column 'red1' appears twice; delete all but one"
        ):
            list(read_results(source))


class Missing:
    """What compares as NA of pandas does: the answer is NA again, which is neither true nor false."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> Any:
        """Return nothing that is known."""
        return self

    def __bool__(self) -> bool:
        """Refuse, as NA does."""
        raise TypeError

    def __repr__(self) -> str:
        """Return the same name in every process, so that each collects the same tests."""
        return "<NA>"


@pytest.mark.parametrize(
    "empty", [None, "", " ", math.nan, np.float32("nan"), np.datetime64("NaT"), Missing()], ids=repr
)
def test_empty_cells_of_rows_are_nobody(empty: Any) -> None:
    """Whatever a frame has for an empty cell, in a row for each match or for each player."""
    row = {"date": "2026-01-31", "red1": "Bob", "blue1": "Dee", "result": "win"}
    assert one({**row, "red2": empty, "score_red": empty, "map": empty, "id": empty}) == one(row)
    members = [{"ended": 1e9, "name": name, "result": won} for name, won in (("a", "win"), ("b", "loss"))]
    wide = [{**member, "team": empty, "rank": empty} for member in members]
    assert list(read_results(wide)) == list(read_results(members))


def test_equal_rows_are_as_many_matches_in_their_order() -> None:
    """Each has an id of its own, the same whenever the table is read, and a second of its own."""
    back = {**ROW, "result": "loss"}
    rows = [ROW, ROW, back, ROW]
    matches = in_order(read_results(rows))
    assert [match.contests[0].ranks for match in matches] == [(1, 2), (1, 2), (2, 1), (1, 2)]
    assert list(read_results(rows)) == matches
    assert len(in_order(read_results([*rows, {**ROW, "date": "2026-01-31T00:00:01"}]))) == 5
    twice = Elo().rating(replay(Elo(), read_results([ROW, ROW])), "Ann").mu
    assert twice > Elo().rating(replay(Elo(), read_results([ROW])), "Ann").mu
    alike = [
        {"match": n, "date": "2026-01-31", "name": who, "team": who, "score": 1} for n in "12" for who in "ab"
    ]
    assert len(in_order(read_results(alike))) == 2


def test_what_has_an_id_counts_once() -> None:
    """Ids of a table are told apart by date; one that two different rows have is refused."""
    rows = [{**ROW, "id": 7}, ROW, {**ROW, "id": 7}, {**ROW, "id": 7, "date": "2026-02-01"}]
    assert [match.id for match in in_order(read_results(rows))][::2] == [
        "results-2026-01-31-7", "results-2026-02-01-7",
    ]  # fmt: skip
    with pytest.raises(InputError, match="two different ones have the id 'results-2026-01-31-7'"):
        in_order(read_results([rows[0], {**rows[0], "result": "loss"}]))


#: Rows of one date, two of them equal, in a row for each match and in a row for each player.
EVENING = [
    ROW, {**ROW, "blue1": "Dan"}, ROW, {**ROW, "map": "Dust"}, {**ROW, "map": "Maze"},
    {**ROW, "red2": "Eve", "game": "chess"}, {**ROW, "result": "draw"},
]  # fmt: skip
PLAYERS = [
    {"date": f"2026-01-31T20:0{n}", "name": who, "team": team, "result": result}
    for n in range(3)
    for who, team, result in (("Ann", "x", "win"), ("Bob", "x", "win"), ("Cid", "y", "loss"))
]


def ids(rows: list[dict[str, Any]]) -> set[str]:
    """Return the ids of the matches in a table."""
    return {match.id for match in in_order(read_results(rows))}


@pytest.mark.parametrize("rows", [EVENING, PLAYERS], ids=["matches", "players"])
def test_a_row_has_its_id_in_whatever_order_the_table_is(rows: list[dict[str, Any]]) -> None:
    """Backwards, sorted by another column, or with names in other letters, all games are known again."""
    known = ids(rows)
    assert ids(rows[::-1]) == known
    assert ids(sorted(rows, key=lambda row: (row["result"], str(row)))) == known
    shouted = [
        {key: f" {cell} " if key in ("date", "game") else cell.upper() for key, cell in row.items()}
        for row in rows
    ]
    assert ids(shouted) == known
    twice = [*read_results(rows), *read_results(rows[::-1])]
    assert len(in_order(twice)) == len(known)


@pytest.mark.parametrize(
    "chosen", [slice(2, None), slice(None, 3), slice(None, None, 2), slice(2, 3)], ids=repr
)
def test_an_excerpt_has_no_game_that_the_table_has_not(chosen: slice) -> None:
    """Of equal rows too; and a table with a row more, wherever that stands, has one game more."""
    known, part = ids(EVENING), EVENING[chosen]
    assert ids(part) < known
    assert len(ids(part)) == len(part)
    more = {**ROW, "red1": "Zoe"}
    for table in ([more, *EVENING], [*EVENING[:3], more, *EVENING[3:]], [*EVENING, more]):
        assert len(ids(table) - known) == 1


def test_ids_of_a_table_are_known_at_another_place_of_it() -> None:
    """The second by which rows of a date are apart makes no other match of them."""
    rows = [{**ROW, "id": 1}, {**ROW, "id": 2, "result": "loss"}, {**ROW, "id": 3}]
    assert len(in_order([*read_results(rows), *read_results(rows[::-1]), *read_results(rows[1:])])) == 3


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("date,red1,blue1,score_red,score_blue", ["2026-01-01,a,b,3,1", "2026-01-02,a,b,3,1,9"]),
        ("date,player,score", ["2026-01-01,a,3", "2026-01-01,b,1", "2026-01-02,a,3", "2026-01-02,b,1,5"]),
        ("date,player,score", ["2026-01-01,a,3", "2026-01-01,b,1", "2026-01-02,a,3,5", "2026-01-02,b,1"]),
    ],
)
def test_a_row_with_more_cells_than_columns_is_wrong(tmp_path: Path, header: str, rows: list[str]) -> None:
    """An unquoted decimal comma makes two cells of one; the others are read."""
    wrong = next(n for n, row in enumerate(rows) if row.count(",") > header.count(","))
    (tmp_path / "a.csv").write_text("\n".join([header, *rows]))
    match, skipped = read_results(str(tmp_path / "a.csv"))
    assert isinstance(match, Match)
    assert isinstance(skipped, Skipped)
    assert skipped.where.endswith(f"line {wrong + 2}")
    assert skipped.reason.startswith(f"it has {header.count(',') + 2} cells")


@pytest.mark.parametrize("wrong", [None, 5])
def test_what_is_no_table_is_refused(wrong: Any) -> None:
    """By a message, not a traceback."""
    with pytest.raises(InputError, match="results must be a path, a data frame or rows"):
        list(read_results(wrong))


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"ended": 1e9, "red1": "a", "blue1": "b", "result": "maybe"}, "result must be win, loss or draw"),
        (
            {"ended": 1e9, "red1": "a", "blue1": "b", "winner": "green"},
            "winner must be red, blue, one of the players",
        ),
        ({"ended": 1e9, "red1": "a", "blue1": "b", "score_red": 1}, "score_blue"),
        ({"ended": 1e9, "team1": "a", "team2": "b", "score1": "x", "score2": 1}, "score1 must be a number"),
        ({"ended": 1e9, "red1": "a", "blue1": "b", "Red Score": "x", "Blue Score": 1}, "red score must be a"),
        ({"ended": 1e9, "red1": "a", "blue1": "b"}, "ranks and scores are both missing"),
        ({"ended": 1e9, "red1": "a", "blue1": "a", "result": "win"}, "teams: the player 'a'"),
        ({"ended": 1e9, "winner": "a"}, "loser is missing"),
    ],
)
def test_what_is_wrong_with_a_row_is_said(row: dict[str, Any], reason: str) -> None:
    """A row that is wrong is skipped, with its place and the column."""
    reported = one(row)
    assert isinstance(reported, Skipped)
    assert reported.where == "results, row 1"
    assert reported.reason.startswith(reason)


def test_tables_without_teams_are_refused() -> None:
    """So are rows that are none, and orders of dates that there are not."""
    for source, dates, message in (
        ([{"ended": 1e9, "map": "a"}], None, "columns of two teams"),
        (["a"], None, "must be a mapping"),
        ([], "year-first", "dates must be"),
    ):
        with pytest.raises(InputError, match=message):
            list(read_results(source, dates=dates))


def test_whole_teams_in_a_cell() -> None:
    """Numbered as team1 and score1, or called by colours."""
    for row in (
        {"team 1": "a; b", "team 2": "c, d", "score 1": 3, "score 2": "1"},
        {"red": "a;b", "blue": "c;d", "winner": "red"},
        {"team1": "a; b", "team2": "c; d", "winner": "1"},
    ):
        match = one({"ended": 1e9, **row})
        assert isinstance(match, Match), match
        assert [[p for p, _ in team] for team in match.contests[0].teams] == [["a", "b"], ["c", "d"]]
        assert match.contests[0].ranks[0] < match.contests[0].ranks[1]


@pytest.mark.parametrize("column", ["score", "result"])
@pytest.mark.parametrize("cell", ["3:1", "3-1", " 3 : 1 ", "3\u20131", "3.0:1"])
def test_scores_in_one_cell(column: str, cell: str) -> None:
    """In the order of the teams; what is none is said with how it is written."""
    row = {"date": "2026-01-31", "home": "Ann, Bob", "away": "Cid, Dan", column: cell}
    match = next(read_results([row]))
    assert isinstance(match, Match)
    ahead, behind = match.contests[0].ranks
    assert (match.contests[0].scores, ahead < behind) == ((3.0, 1.0), True)
    for wrong in ("3", "3:1:2", "3:", "three", "03:01:00", "-3:1"):
        skipped = next(read_results([{**row, column: wrong}]))
        assert isinstance(skipped, Skipped)
        assert f"{column} must be" in skipped.reason


def test_a_row_a_player() -> None:
    """By score, rank or result; rows of a match may stand apart, and contradictions are skipped by place."""

    def table(*rows: tuple[Any, ...]) -> list[Match | Skipped]:
        names = ("match", "date", "player", "team", "result")
        return list(read_results([dict(zip(names, row, strict=True)) for row in rows]))

    won, drawn = table(
        (1, "2026-05-01", "a", "x", "win"), (2, "2026-05-01", "a", "x", "draw"),
        (1, "2026-05-01", "b", "y", "loss"), (2, "2026-05-01", "b", "y", "D"),
    )  # fmt: skip
    assert isinstance(won, Match)
    assert isinstance(drawn, Match)
    assert (won.contests[0].ranks, drawn.contests[0].ranks) == ((1, 2), (1, 1))
    for rows, reason in (
        ([(1, "2026-05-01", "a", "x", "win"), (1, "2026-05-01", "b", "x", "loss")], "team 'x': its score"),
        ([(1, "2026-05-01", "a", "x", "win"), (1, "2026-05-02", "b", "y", "loss")], "a match must have one"),
        ([(1, "2026-05-01", "a", "x", "hm")], "result must be"),
    ):
        (skipped,) = table(*rows)
        assert isinstance(skipped, Skipped)
        assert reason in skipped.reason
    (scored,) = read_results(
        [{"ended": 1e9, "name": n, "team": n, "score": s} for n, s in (("a", 2), ("b", 5))]
    )
    assert isinstance(scored, Match)
    assert scored.contests[0].scores == (2, 5)
    (teamless,) = read_results([{"ended": 1e9, "name": n, "result": "draw"} for n in "ab"])
    assert isinstance(teamless, Skipped)


#: The least that a workbook needs: its sheet, and where that is.
WORKBOOK = {
    "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    "_rels/.rels": (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship '
        'Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
        'Target="xl/workbook.xml"/></Relationships>'
    ),
    "xl/workbook.xml": (
        '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
        'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
        '<sheets><sheet name="one" sheetId="1" r:id="r1"/></sheets></workbook>'
    ),
    "xl/_rels/workbook.xml.rels": (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship '
        'Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" '
        'Target="worksheets/one.xml"/></Relationships>'
    ),
}


def test_a_spreadsheet_is_a_table(tmp_path: Path) -> None:
    """Its first sheet, with numbers as cells of their own kind; what is none is refused."""
    rows = [["Date", "Red1", "Blue1", "Score red", "Score blue"], [], ["2026-01-05T20:00", "Ann", 7, 3, 1.5]]
    cells = ""
    for row in rows:
        texts = [
            f'<c t="inlineStr"><is><t>{each}</t></is></c>'
            if isinstance(each, str)
            else f"<c><v>{each}</v></c>"
            for each in row
        ]
        cells += f"<row>{''.join(texts)}</row>"
    sheet = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        f"<sheetData>{cells}</sheetData></worksheet>"
    )
    path = tmp_path / "results.xlsx"
    with zipfile.ZipFile(path, "w") as file:
        for name, content in {**WORKBOOK, "xl/worksheets/one.xml": sheet}.items():
            file.writestr(name, content)
    (match,) = read_results(str(path))
    assert isinstance(match, Match), match
    assert (match.roster, match.ended, match.contests[0].scores) == (("Ann", "7"), 1767643200.0, (3, 1.5))
    path.write_bytes(b"no spreadsheet")
    with pytest.raises(InputError, match=r"results\.xlsx: cannot be read"):
        list(read_results(str(path)))


@pytest.mark.parametrize(("shown", "day"), [("13/04/2026", "2026-04-03"), ("04/13/2026", "2026-03-04")])
@pytest.mark.parametrize("last", [False, True])
def test_one_date_shows_the_order_of_its_whole_column(shown: str, day: str, last: bool) -> None:
    """A date that fits one order only decides the ambiguous ones, whether it stands before or after them."""
    rows = [{"date": when, "red": "Ann", "blue": "Bob", "result": "win"} for when in (shown, "03/04/2026")]
    found = list(read_results(rows[::-1] if last else rows))
    assert time_from(day, "date") in [match.ended for match in found if isinstance(match, Match)]
    assert len(found) == 2


def test_a_column_that_shows_both_orders_or_none_is_still_asked_about() -> None:
    """Nothing is guessed, and no row is read, where dates fit both orders or contradict each other."""
    for column, error, says in (
        (("03/04/2026", "04/04/2026"), AmbiguousError, "row 1: '03/04/2026' .*day-first: 2026-04-03"),
        (("04/04/2026", "13/04/2026", "04/13/2026"), InputError,
         "row 2: '13/04/2026' is day-first, and results, row 3: '04/13/2026' is month-first"),
    ):  # fmt: skip
        rows = [{"date": when, "red": "Ann", "blue": "Bob", "result": "win"} for when in column]
        with pytest.raises(error, match=says):
            list(read_results(rows))


@pytest.mark.parametrize(
    "rows",
    [
        [{"red": "Ann", "blue": "Bob", "winner": "bob"}],
        [{"player1": "Ann", "player2": "Bob", "winner": "Bob"}],
        [{"home": "Ann", "away": "Bob", "winner": " BOB "}],
        [{"red1": "Ann", "red2": "Cid", "blue1": "Bob", "blue2": "Dan", "winner": "Dan"}],
    ],
)
def test_a_winner_is_a_player_by_name(rows: list[dict[str, Any]]) -> None:
    """Whatever the case; the player's team has won."""
    (match,) = read_results(rows)
    assert isinstance(match, Match)
    assert match.contests[0].ranks == (2, 1)


def test_a_winner_that_is_a_team_and_a_player_of_the_other_is_refused() -> None:
    """It can mean two results."""
    (found,) = read_results([{"red": "Blue", "blue": "Ann", "winner": "blue"}])
    assert isinstance(found, Skipped)
    assert "is a team and a player of another one" in found.reason


def test_without_dates_the_order_of_the_rows_stands() -> None:
    """As in a table with dates; a row that is added later changes nothing about those that were read."""
    rows = [{"red": "Ann", "blue": "Bob", "winner": name} for name in ("Ann", "Bob", "Ann")]
    matches = [match for match in read_results(rows) if isinstance(match, Match)]
    assert [match.contests[0].ranks[0] for match in matches] == [1, 2, 1]
    assert [match.ended for match in matches] == sorted({match.ended for match in matches}, key=float)
    new = {"red": "Dan", "blue": "Bob", "winner": "Dan"}
    longer = [match for match in read_results([new, *rows]) if isinstance(match, Match)]
    assert [match.id for match in longer[1:]] == [match.id for match in matches]
    long = [
        {"match": number, "player": player, "team": player, "result": result}
        for number, results in ((1, ("win", "loss")), (2, ("draw", "draw")))
        for player, result in zip(("Ann", "Bob"), results, strict=True)
    ]  # fmt: skip
    assert [match.roster for match in read_results(long) if isinstance(match, Match)] == [("Ann", "Bob")] * 2


def test_one_row_without_a_date_among_others_is_skipped() -> None:
    """Nothing says when it was."""
    found = list(read_results([ROW, {name: cell for name, cell in ROW.items() if name != "date"}]))
    assert isinstance(found[0], Match)
    assert isinstance(found[1], Skipped)
    assert "in every row or in none" in found[1].reason


@pytest.mark.parametrize(
    "written",
    [
        "13/4/26", "13.04.26", "13/04/2026", "13 April 2026", "13th Apr 2026", "13-Apr-26", "April 13, 2026",
        "Mon 13 April 2026", "Montag, 13. April 2026", "lun. 13 avril 2026", "13 de abril de 2026",
        "Monday 13/04/2026", "20260413", "2026.4.13",
    ],
)  # fmt: skip
def test_one_day_however_it_is_written(written: str) -> None:
    """Short years, names of months and days in four languages; the time of day may follow."""
    for clock, seconds in (("", 0), (" 19:30", 70200)):
        if written == "20260413" and clock:
            continue
        match = one({**ROW, "date": written + clock})
        assert isinstance(match, Match), match
        assert match.ended == datetime(2026, 4, 13, tzinfo=UTC).timestamp() + seconds


def test_a_line_that_names_the_separator_hides_no_table(tmp_path: Path) -> None:
    """As spreadsheets write it above the columns; the table is known, and read as without it."""
    text = "date;red;blue;winner\n13.01.2026;Ann;Bob;Bob\n"
    plain, named = tmp_path / "plain.csv", tmp_path / "named.csv"
    plain.write_text(text, encoding="utf-8")
    named.write_text(f"sep=;\r\n{text}", encoding="utf-8", newline="")
    assert is_results(str(plain))
    assert is_results(str(named))
    assert list(read_matches(str(plain))) == list(read_matches(str(named)))


def test_every_month_of_the_grammar_has_its_number() -> None:
    """As Python's own names of months in English, and in the order the grammar lists each language in."""
    words = tomllib.loads(
        resources.files("equipoise.core").joinpath("paste_grammar.toml").read_text(encoding="utf-8")
    )["words"]["month"]
    english = {name.lower(): n for n, name in enumerate(calendar.month_name) if n}
    english |= {name.lower(): n for n, name in enumerate(calendar.month_abbr) if n}
    assert {name: month_of(name) for name in english} == english
    for languages, listed in words.items():
        numbers = [month_of(word) for word in listed]
        assert None not in numbers, languages
        if languages in ("fr", "es"):
            assert len(set(numbers)) == len(listed)
    assert month_of("marathon") is None


def test_short_years_that_may_stand_in_front_are_refused() -> None:
    """26/04/13 and 26/04/20 are a week apart or seven years; 13/04/26 and 14/04/26 are days apart."""
    rows = [{**ROW, "date": date} for date in ("26/04/13", "26/04/20")]
    with pytest.raises(InputError, match=r"row 1: the year of '26/04/13' may be the first"):
        list(read_results(rows))
    assert all(isinstance(match, Match) for match in read_results(rows, dates="day-first"))
    days = [{**ROW, "date": date} for date in ("13/04/26", "14/04/26", "03/05/26")]
    ended = [match.ended for match in read_results(days) if isinstance(match, Match)]
    assert ended == [datetime(2026, *day, tzinfo=UTC).timestamp() for day in ((4, 13), (4, 14), (5, 3))]


def test_a_date_that_is_one_day_in_both_orders_is_read() -> None:
    """04/04/2026 needs no answer; 04/05/2026 does."""
    assert isinstance(one({**ROW, "date": "04/04/2026"}), Match)
    with pytest.raises(AmbiguousError):
        one({**ROW, "date": "04/05/2026"})


def test_an_empty_cell_is_reported_where_it_makes_teams_uneven() -> None:
    """Not where both teams have as many, nor where a third team does not play."""
    notes: list[str] = []
    columns = ("red1", "red2", "blue1", "blue2", "green1")
    names = (("Ann", "Bob", "Cid", ""), ("Ann", "", "Cid", ""), ("Ann", "Bob", "Cid", "Dan"))
    rows = [{**dict(zip(columns, (*row, ""), strict=True)), "winner": "red"} for row in names]
    assert len(list(read_results(rows, note=notes.append))) == 3
    assert notes == [
        "results has no dates: its matches count in the order of the rows, as if played in 2000",
        "results, row 1: blue2 is empty: read as 2 against 1",
    ]


@pytest.mark.parametrize(
    ("header", "row", "ranks"),
    [
        ("Team A,Team B,Score", '"Ann, Bob","Cid, Dee",3-1', (1.0, 2.0)),
        ("player1,player2,score1,score2", "Ann,Bob,7,11", (2.0, 1.0)),
        ("Player A;Player B;Sieger", "Ann;Bob;Bob", (2.0, 1.0)),
        ("Heim;Gast;Tore Heim;Tore Gast", "Ann + Bob;Cid + Dee;1;1", (1.0, 1.0)),
        ("Domicile;Extérieur;Résultat", "Ann;Bob;nul", (1.0, 1.0)),
        ("Jugador 1,Jugador 2,Ganador", "Ann,Bob,empate", (1.0, 1.0)),
        ("Home,Away,Home goals,Away goals", "Ann,Bob,2,0", (1.0, 2.0)),
    ],
)
def test_columns_are_known_by_what_people_call_them(
    tmp_path: Path, header: str, row: str, ranks: tuple[float, float]
) -> None:
    """Titles in four languages, scores beside teams or players, separators of every kind."""
    path = tmp_path / "games.csv"
    path.write_text(f"{header}\n{row}\n", encoding="utf-8")
    (match,) = read_results(str(path))
    assert isinstance(match, Match)
    (contest,) = match.contests
    found = tuple(contest.ranks)
    assert (found[0] < found[1], found[0] > found[1]) == (ranks[0] < ranks[1], ranks[0] > ranks[1])
    assert is_results(str(path))
