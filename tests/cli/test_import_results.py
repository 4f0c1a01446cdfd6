"""``equipoise import-results``: past results of known and new people, each once."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import runner

from equipoise import Contest, Match, Ruleset, open_archive, read_results
from equipoise.cli import group
from equipoise.errors import AmbiguousError
from equipoise.ratings.replay import in_order

TABLE = """date,red1,red2,blue1,blue2,score_red,score_blue
31/01/2026,Ann,Bobby,Cid,Dan,3,1
31/01/2026,Ann,Bobby,Cid,Dan,3,1
01/02/2026,ann,Cid,BOBBY,Bobbi,0,0
"""


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the user's data be in a folder of the test."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("EQUIPOISE_STORE", raising=False)
    return tmp_path


def run(*args: str, code: int = 0) -> Any:
    """Run a command and return what it prints as JSON."""
    done = runner().invoke(group, [*args, "--json"])
    assert done.exit_code == code, done.output
    return json.loads(done.stdout)


def test_past_results_are_known_to_the_night_and_count_once(tmp_path: Path) -> None:
    """Equal rows are two games; reading the file again, or with a row more, adds what is new."""
    path = tmp_path / "results.csv"
    path.write_text(TABLE, encoding="utf-8")
    first = run("import-results", str(path), "--dates", "day-first")
    assert (first["matches"], first["new"]) == (3, ["Ann", "Bobby", "Cid", "Dan", "Bobbi"])
    assert first["alike"]["Bobbi"] == "Bobby"
    path.write_text(TABLE + "02/02/2026,Ann,,Dan,,1,0\n", encoding="utf-8")
    again = run("import-results", str(path), "--dates", "day-first")
    assert (again["matches"], again["duplicates"], again["new"]) == (1, 3, [])
    players = run("night", "ANN", "bobby", "Cid", "Dan")["splits"][0]["teams"]
    assert {name for team in players for name in team} == {"ANN", "bobby", "Cid", "Dan"}
    assert {row["name"]: row["weight"] is not None for row in run("night", "table")["players"]}["ANN"]


@pytest.mark.parametrize("head", ["", "id,"], ids=["content", "ids"])
def test_a_table_counts_once_however_it_was_sorted_and_cut(tmp_path: Path, head: str) -> None:
    """With ids of its own or without: rows known from another place are known, nothing is skipped."""
    path, url = tmp_path / "results.csv", f"sqlite:///{tmp_path / 'games.db'}"
    rows = ["2026-01-05,Ann,Bob,3,1", "2026-01-05,Cid,Dee,2,1", "2026-01-05,Ann,Bob,0,2"]
    if head:
        rows = [f"{n},{row}" for n, row in enumerate(rows)]
    else:
        rows.append(rows[0])
    parts = [rows, rows[::-1], rows[1:]]
    for part in parts if head else [*parts, [row.upper() for row in rows]]:
        path.write_text("\n".join([f"{head}date,red1,blue1,score_red,score_blue", *part]), encoding="utf-8")
        reported = run("import-results", str(path), "--store", url)
        assert (reported["matches"], reported["skipped_lines"]) == (len(rows) * (part is rows), 0)
        assert reported["duplicates"] == len(part) * (part is not rows)
    with open_archive(url) as archive:
        archive.merge("Ann", "Cid")
    reported = run("import-results", str(path), "--store", url)
    assert (reported["matches"], reported["skipped_lines"]) == (0, 0)


def test_an_archive_has_the_matches_that_python_reads(tmp_path: Path) -> None:
    """With the same ids: equal rows, rows of one time, ids of the table, and one that is there twice."""
    path, url = tmp_path / "results.csv", f"sqlite:///{tmp_path / 'games.db'}"
    path.write_text(
        "id,date,red1,blue1,result\n,2026-01-31,Ann,Cid,win\n,2026-01-31,Ann,Cid,win\n"
        "7,2026-01-31,Ann,Cid,draw\n,2026-01-31T00:00:01,Ann,Cid,win\n7,2026-01-31,Ann,Cid,draw\n",
        encoding="utf-8",
    )
    reported = run("import-results", str(path), "--store", url)
    assert (reported["matches"], reported["duplicates"], reported["skipped_lines"]) == (4, 1, 0)
    with open_archive(url) as archive:
        kept = {match.id for match in archive.matches()}
    assert kept == {match.id for match in in_order(read_results(str(path)))}


@pytest.mark.parametrize(
    ("rows", "noted"),
    [
        (
            ["2026-01-01,Ann,Bob,9,1,draw", "2026-01-02,Ann,Bob,2,2,red", "2026-01-03,Ann,Bob,2,1,red"],
            ["2", "3"],
        ),
        (["2026-01-01,Ann,Bob,9,1,red", "2026-01-02,Ann,Bob,2,2,draw"], []),
    ],
)
def test_scores_and_winners_that_tie_other_teams_are_noted(
    tmp_path: Path, rows: list[str], noted: list[str]
) -> None:
    """As where matches are rated: the rows count, and the lines are named."""
    path = tmp_path / "results.csv"
    path.write_text("\n".join(["date,red1,blue1,score_red,score_blue,winner", *rows]), encoding="utf-8")
    done = runner().invoke(group, ["import-results", str(path)])
    assert done.exit_code == 0, done.output
    assert f"{len(rows)} new matches" in done.output
    assert ("winner at equal or fewer" in done.stderr) == bool(noted)
    if noted:
        assert "; ".join(f"{path}, line {line}" for line in noted) in done.stderr
        assert "the columns 'winner' and 'result' say who won" in done.stderr


def test_a_table_with_its_dates_in_the_other_order_adds_nothing(tmp_path: Path) -> None:
    """Not even the rows that could be read so; the first line that cannot is named, and the other option."""
    path, url = tmp_path / "results.csv", f"sqlite:///{tmp_path / 'games.db'}"
    path.write_text(TABLE.replace("01/02/2026", "02/01/2026"), encoding="utf-8")
    done = runner().invoke(group, ["import-results", str(path), "--dates", "month-first", "--store", url])
    assert done.exit_code == 1
    assert f"{path}, line 2: date: '31/01/2026' is no date, month-first" in str(done.exception)
    assert "--dates day-first" in str(done.exception)
    assert run("import-results", str(path), "--dates", "day-first", "--store", url)["matches"] == 3


def test_rows_that_cannot_be_read_are_named_and_the_others_count(tmp_path: Path) -> None:
    """One person under two spellings; a date to come counts as now; dates without an order are a question."""
    path = tmp_path / "results.csv"
    path.write_text(TABLE.replace("31/", "03/"), encoding="utf-8")  # 31 would say that the day comes first
    asked = runner().invoke(group, ["import-results", str(path), "--json"])
    assert isinstance(asked.exception, AmbiguousError)
    assert "choose --dates day-first" in str(asked.exception)
    path.write_text(
        "date,winner,loser\n2026-01-01,Ann,ann\n2999-01-01,Ann,Bob\n2026-01-01,Ann,Bob\n", encoding="utf-8"
    )
    reported = run("import-results", str(path), code=1)
    assert (reported["matches"], list(reported["ahead"].values())) == (2, [1])
    assert "under two spellings" in reported["first_skipped"][0]["reason"]


@pytest.mark.parametrize("ids", [(), ("g1", "g2")], ids=["rows", "own ids"])
def test_another_zone_gives_known_results_other_dates(ids: tuple[str, ...], tmp_path: Path) -> None:
    """As for logs, and it is said; without a zone the one that is kept goes on, and rows stay one game."""
    table = tmp_path / "results.csv"
    rows = [("2026-03-01 20:00", "Ann", "Bob"), ("2026-03-02 20:00", "Cid", "Bob")]
    titles = [*(["id"] if ids else []), "date", "winner", "loser"]
    cells = [[*ids[n : n + 1], *row] for n, row in enumerate(rows)]
    table.write_text("\n".join(map(",".join, [titles, *cells])))
    store = ("--store", f"sqlite:///{tmp_path}/n.db")

    def imported(*zone: str) -> tuple[list[float], str]:
        done = runner().invoke(group, ["import-results", str(table), *store, *zone])
        assert done.exit_code == 0, done.output
        with open_archive(store[1]) as archive:
            return [match.ended or 0.0 for match in archive.matches()], done.stderr

    berlin, _ = imported("--zone", "Europe/Berlin")
    new_york, said = imported("--zone", "America/New_York")
    assert [late - early for early, late in zip(berlin, new_york, strict=True)] == [6 * 3600.0] * 2
    assert "2 known games have other dates now" in said
    assert imported()[0] == new_york
    with open_archive(store[1]) as archive:
        assert archive.digest() == (archive.rebuild(), archive.digest())[1]


def moments_of(tmp_path: Path, *dates: str) -> tuple[list[str], str]:
    """Return when the rows of a table in Berlin were, in the order of its rows, and what was printed."""
    table, url = tmp_path / "results.csv", f"sqlite:///{tmp_path / 'n.db'}"
    rows = [f"{date},p{n},q{n}" for n, date in enumerate(dates)]
    table.write_text("\n".join(["date,winner,loser", *rows]), encoding="utf-8")
    args = ["import-results", str(table), "--store", url, "--zone", "Europe/Berlin"]
    done = runner().invoke(group, args)
    assert done.exit_code == 0, done.output
    with open_archive(url) as archive:
        ended = {match.contests[0].teams[0][0][0]: match.ended or 0.0 for match in archive.matches()}
    shown = [f"{datetime.fromtimestamp(ended[f'p{n}'], UTC):%H:%M:%S}" for n in range(len(dates))]
    return shown, done.stderr


@pytest.mark.parametrize(
    ("dates", "moments"),
    [
        (("02:10", "02:50", "02:10", "02:50"), ("00:10:00", "00:50:00", "01:10:00", "01:50:00")),
        (("02:50", "02:10", "02:10", "03:10"), ("00:50:00", "01:10:00", "01:10:01", "02:10:00")),
        (("02:10", "02:10", "02:50"), ("00:10:00", "00:10:01", "00:50:00")),
        (("03:10", "02:50", "02:10"), ("02:10:00", "00:50:00", "00:10:00")),
        (("02:50", "02:10", "02:50", "02:10"), ("00:50:00", "00:10:00", "00:50:01", "00:10:01")),
    ],
    ids=["pairs", "once", "one hour", "newest first", "unsorted"],
)
def test_rows_in_order_tell_apart_what_clocks_show_twice(
    dates: tuple[str, ...], moments: tuple[str, ...], tmp_path: Path
) -> None:
    """As the games of a log do, when clocks go back for winter; rows in no order have the first moment."""
    found, heard = moments_of(tmp_path, *[f"2026-10-25 {date}" for date in dates])
    assert tuple(found) == moments
    assert "dated before" not in heard


def test_rows_in_order_stay_so_around_an_hour_that_clocks_leave_out(tmp_path: Path) -> None:
    """What is dated within it moves what follows, as in a log, and that is heard of."""
    found, heard = moments_of(tmp_path, "2026-03-29 01:50", "2026-03-29 02:30", "2026-03-29 03:10")
    assert found == ["00:50:00", "01:30:00", "01:30:00"]
    assert "1 game is dated before the game above it and counts as after it" in heard
    with open_archive(f"sqlite:///{tmp_path / 'n.db'}") as archive:
        assert [match.contests[0].teams[0][0][0] for match in archive.matches()] == ["p0", "p1", "p2"]


def test_several_rows_after_an_hour_that_clocks_leave_out_are_counted(tmp_path: Path) -> None:
    """Each of them is after what stands above it, and one message is enough."""
    dates = ("2026-03-29 02:40", "2026-03-29 03:05", "2026-03-29 03:10")
    found, heard = moments_of(tmp_path, *dates)
    assert found == sorted(found)
    assert "2 games are dated before games above them and count as after them" in heard


def test_known_rows_keep_whom_they_had_and_what_corrects_them_is_heard(tmp_path: Path) -> None:
    """Another answer than before changes no row; undoing it and writing the id into the table does."""
    table, url = tmp_path / "results.csv", f"sqlite:///{tmp_path / 'n.db'}"
    seen = [("aaaa1111", "Max"), ("eeee5555", "Max"), ("Bob", "Bob")]
    played = Contest(Ruleset(), [["aaaa1111"], ["eeee5555"], ["Bob"]], (1.0, 2.0, 3.0), at=9e8)
    with open_archive(url) as archive:
        archive.record([Match((played,), id="g", names=seen)])

    def imported(name: str, *who: str) -> str:
        rows = [f"2026-01-05,{name},Bob", "2026-01-06,Bob,Ann"]
        table.write_text("\n".join(["date,winner,loser", *rows]), encoding="utf-8")
        done = runner().invoke(group, ["import-results", str(table), "--store", url, *who])
        assert done.exit_code == 0, done.output
        return done.output

    assert "keeps whom" not in imported("MAX", "--who", "MAX=aaaa1111")
    assert "keeps whom" not in imported("MAX", "--who", "MAX=aaaa1111")
    heard = imported("MAX", "--who", "MAX=eeee5555")
    assert "2 known" in heard
    (row,) = re.findall("1 known row keeps whom it was read for first: (\\S+); to correct", heard)
    assert runner().invoke(group, ["undo", row, "--store", url]).exit_code == 0
    assert "1 new matches, 1 known" in imported("eeee5555")
    with open_archive(url) as archive:
        assert [set(match.roster) for match in archive.matches()][1] == {"eeee5555", "Bob"}
