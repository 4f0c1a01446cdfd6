"""Match files: every format gives the same matches, and every mistake says where it is."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise import InputError, Match, Skipped, read_matches, read_results
from equipoise.core.match_records import match_from
from equipoise.files.match_columns import read_columns
from equipoise.games.plain.reader import GAME

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLE = ROOT / "examples" / "matches.jsonl"
SCHEMA = ROOT / "docs" / "match.schema.json"

TABLE = """\
match,ended,game_type,mutators,team,team_score,player,share,kills,deaths
m1,2026-01-10,ctf,instagib;lowgrav,red,3,Ann,1,9,4
m1,2026-01-10,ctf,instagib;lowgrav,red,3,Bob,0.5,,
m2,2026-01-11,ctf,,x,1,Ann,,,
m1,2026-01-10,ctf,instagib;lowgrav,blue,1,Cid,1,4,9
m2,2026-01-11,ctf,,y,2,Dee,,,
"""


def read(tmp_path: Path, name: str, content: str | bytes) -> list[Match | Skipped]:
    """Return what a file of that content has."""
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return list(read_matches(str(path)))


def test_the_example_is_read_and_fits_the_schema() -> None:
    """Every line is a match, by the reader and by the published schema."""
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
    for line in EXAMPLE.read_text(encoding="utf-8").splitlines():
        validator.validate(json.loads(line))
    matches = list(read_matches(str(EXAMPLE)))
    assert all(isinstance(match, Match) for match in matches)
    last = matches[-1]
    assert isinstance(last, Match)
    assert last.ruleset.mutators == ("instagib",)
    assert last.contests[0].statistics[0].kills == 21


@pytest.mark.parametrize(
    "record",
    [
        {"ended": 1, "teams": [["a"], ["b"]], "ranks": [1, 2], "nosuch": 1},
        {"ended": 1, "teams": [["a"], [{"id": "b", "nosuch": 1}]], "ranks": [1, 2]},
        {"ended": 1, "teams": [["a"], ["b"]]},
        {"ended": 1, "teams": "ab", "ranks": [1, 2]},
        {"ended": 1, "teams": [["a"], [""]], "ranks": [1, 2]},
        {"ended": 1, "mutators": "x", "teams": [["a"], ["b"]], "ranks": [1, 2]},
        {"ended": True, "teams": [["a"], ["b"]], "ranks": [1, 2]},
        {"ended": 1, "contests": []},
        [],
    ],
)
def test_what_the_schema_refuses_the_reader_refuses(record: Any) -> None:
    """Both see the mistake."""
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert not validator.is_valid(record)
    with pytest.raises(InputError):
        match_from(record)


def test_a_table_has_a_row_for_each_player(tmp_path: Path) -> None:
    """Rows of one match may stand apart; mutators are parted by semicolons; empty cells are unknown."""
    one, two = read(tmp_path, "matches.csv", TABLE)
    assert isinstance(one, Match)
    assert isinstance(two, Match)
    contest = one.contests[0]
    assert contest.teams == ((("Cid", 1.0),), (("Ann", 1.0), ("Bob", 0.5))), (
        "teams by name, as rows may be sorted"
    )
    assert (contest.ranks, contest.scores) == ((1.0, 0.0), (1.0, 3.0))
    assert contest.ruleset.mutators == ("instagib", "lowgrav")
    assert [figures.player for figures in contest.statistics] == ["Cid", "Ann"]
    assert two.contests[0].ranks == (1.0, 0.0)


def test_the_order_of_rows_means_nothing(tmp_path: Path) -> None:
    """A table that was sorted otherwise in a spreadsheet has the same matches."""
    header, *rows = TABLE.splitlines()
    expected = {match.id: match for match in read(tmp_path, "matches.csv", TABLE) if isinstance(match, Match)}
    for order in itertools.islice(itertools.permutations(rows), 0, None, 7):
        found = read(tmp_path, "other.csv", "\n".join((header, *order)) + "\n")
        assert {match.id: match for match in found if isinstance(match, Match)} == expected


def test_parquet_is_the_same_table(tmp_path: Path) -> None:
    """The same rows give equal matches."""
    polars = pytest.importorskip("polars")
    as_csv = read(tmp_path, "matches.csv", TABLE)
    polars.read_csv(tmp_path / "matches.csv").write_parquet(tmp_path / "matches.parquet")
    assert list(read_matches(str(tmp_path / "matches.parquet"))) == as_csv
    decimals = polars.read_csv(tmp_path / "matches.csv").cast({"team_score": polars.Decimal(10, 2)})
    decimals.sort("match").write_parquet(tmp_path / "decimals.parquet")
    assert list(read_matches(str(tmp_path / "decimals.parquet"))) == as_csv
    assert read_columns([str(tmp_path / "decimals.parquet")]) is not None
    (tmp_path / "no.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(InputError, match=r"no\.parquet: cannot be read"):
        list(read_matches(str(tmp_path / "no.parquet")))


@pytest.mark.parametrize("field", ["match", "team", "player", "game_type", "mutators"])
@pytest.mark.parametrize("wrong", [["a"], b"a", {"a": 1}], ids=["list", "bytes", "struct"])
def test_a_cell_of_several_values_is_no_name(tmp_path: Path, field: str, wrong: Any) -> None:
    """The text of a list is nobody's name: its match is skipped, however the table is read."""
    polars = pytest.importorskip("polars")
    rows = [
        {"match": m, "ended": 1, "team": t, "player": t, "rank": 1, "game_type": "x", "mutators": "y"}
        for m in "mn" for t in "ab"
    ]  # fmt: skip
    path = str(tmp_path / "a.parquet")
    polars.DataFrame([{**row, field: wrong} for row in rows]).write_parquet(path)
    found = list(read_matches(path))
    assert found
    assert all(isinstance(one, Skipped) and one.reason.startswith(f"{field} must be") for one in found)
    assert read_columns([path]) is None
    row = {"date": "2026-01-31", "red1": "a", "red2": "b", "blue": "c", "blue2": "d", "result": "win"}
    (skipped,) = read_results([{**row, "red1": wrong, "blue1": "e"}])
    assert isinstance(skipped, Skipped)
    assert skipped.reason.startswith("red1 must be one text or number")


def test_matches_that_differ_in_map_or_server_have_ids_of_their_own(tmp_path: Path) -> None:
    """One that has neither keeps the id that it always had; the same line again is the same match."""
    duel = {"ended": 1, "teams": [["a"], ["b"]], "ranks": [1, 2]}
    lines = [
        {**duel, **more}
        for more in ({}, {"map": "Face"}, {"map": "Dust"}, {"server": "Face"}, {"map": "Face"})
    ]
    matches = read(tmp_path, "m.jsonl", "".join(f"{json.dumps(line)}\n" for line in lines))
    ids = [match.id for match in matches if isinstance(match, Match)]
    assert len(set(ids)) == 4
    assert ids[1] == ids[4]
    assert ids[0] == "a9f44b2b641c0ef7dcb703178ef020d0c7ba8ef8"
    found = read_columns([str(tmp_path / "m.jsonl")])
    assert found is not None
    assert len(found.columns) == 4


def test_flat_arrays_are_read_in_play_order(tmp_path: Path) -> None:
    """Scores, statistics and game type where they are known; a half is a tie; the clock is held."""
    np.savez(
        tmp_path / "flat.npz", ids=np.array([7, 3, 5, 3, 7]), off=np.array([0, 3, 5]), nA=np.array([2, 1]),
        nB=np.array([1, 1]), y=np.array([1.0, 0.5]), sA=np.array([3.0, np.nan]), sB=np.array([1.0, np.nan]),
        t=np.array([10.0, 9.0]), ctx=np.array([0, 1]), ctxnames=np.array(["ctf", "dm"]),
        k=np.array([4.0, np.nan, 2.0, np.nan, np.nan]), d=np.array([1.0, np.nan, 2.0, np.nan, np.nan]),
    )  # fmt: skip
    one, two = list(read_matches(str(tmp_path / "flat.npz")))
    assert isinstance(one, Match)
    assert isinstance(two, Match)
    assert one.contests[0].teams == ((("7", 1.0), ("3", 1.0)), (("5", 1.0),))
    assert one.contests[0].ranks[0] < one.contests[0].ranks[1]
    assert one.contests[0].scores == (3.0, 1.0)
    assert [figures.player for figures in one.contests[0].statistics] == ["7", "5"]
    assert (two.contests[0].ranks, two.contests[0].scores, two.ended) == ((0.5, 0.5), (), 864000.0)
    assert two.ruleset.game_type == "dm"


ARRAYS = {
    "ids": np.array([1, 2, 3, 4]), "off": np.array([0, 2, 4]), "nA": np.array([1, 1]), "nB": np.array([1, 1]),
    "y": np.array([1.0, 0.0]), "t": np.array([0.0, 1.0]),
}  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"nA": np.array([1])}, "'nA' must have whole numbers, one for each match"),
        ({"off": np.array([0.0, 2.5, 4.0])}, "'off' must have whole numbers"),
        ({"ids": np.array(5)}, "'ids' must have one for each player"),
        ({"y": np.array(["1", "0"])}, "'y' must have numbers, one for each match"),
        ({"k": np.array([1.0])}, "'k' must have numbers, one for each player"),
    ],
)
def test_arrays_of_other_kinds_or_lengths_are_refused(tmp_path: Path, changes: Any, message: str) -> None:
    """The array is named."""
    np.savez(tmp_path / "flat.npz", **{**ARRAYS, **changes})
    with pytest.raises(InputError, match=message):
        list(read_matches(str(tmp_path / "flat.npz")))
    np.save(tmp_path / "one.npy", np.arange(3))
    (tmp_path / "one.npy").rename(tmp_path / "one.npz")
    with pytest.raises(InputError, match="it is a single array"):
        list(read_matches(str(tmp_path / "one.npz")))
    (tmp_path / "no.npz").write_text("hello")
    with pytest.raises(InputError, match="cannot be read: it is no file of arrays"):
        list(read_matches(str(tmp_path / "no.npz")))


@pytest.mark.parametrize("names", [np.array([]), np.array([], dtype=str)])
def test_arrays_without_names_of_game_types_are_read(tmp_path: Path, names: Any) -> None:
    """Then no match has one, whatever number it has."""
    np.savez(tmp_path / "flat.npz", **{**ARRAYS, "ctx": np.array([0, 1]), "ctxnames": names})
    matches = list(read_matches(str(tmp_path / "flat.npz")))
    assert [match.ruleset.game_type for match in matches if isinstance(match, Match)] == ["", ""]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"nB": np.array([1, 7])}, "off, nA, nB: players 2 to 10 do not exist; ids has 4"),
        ({"off": np.array([0, -2, 4])}, "off, nA, nB: players -2 to 0 do not exist"),
        ({"y": np.array([1.0, 0.3])}, "y: 0.3 must be 1, 0 or 0.5"),
        ({"ctx": np.array([0, 7]), "ctxnames": np.array(["ctf"])}, "ctx: 7 must be below 1"),
    ],
)
def test_a_wrong_match_of_arrays_is_skipped(tmp_path: Path, changes: Any, message: str) -> None:
    """File and match are named, and the other one is read."""
    np.savez(tmp_path / "flat.npz", **{**ARRAYS, **changes})
    good, skipped = read_matches(str(tmp_path / "flat.npz"))
    assert isinstance(good, Match)
    assert isinstance(skipped, Skipped)
    assert skipped.where.endswith("flat.npz, match 2")
    assert skipped.reason.startswith(message)


def test_matches_of_two_array_files_are_told_apart(tmp_path: Path) -> None:
    """Their ids differ where their content does, and follow the order of play."""
    np.savez(tmp_path / "a.npz", **ARRAYS)
    np.savez(tmp_path / "b.npz", **{**ARRAYS, "y": np.array([0.0, 1.0])})
    one, two, again = (
        [match.id for match in read_matches(str(tmp_path / name)) if isinstance(match, Match)]
        for name in ("a.npz", "b.npz", "a.npz")
    )
    assert one == again == sorted(one)
    assert not set(one) & set(two)


def test_every_format_tells_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts from 0 to 1 that only grow."""
    polars = pytest.importorskip("polars")
    monkeypatch.setattr("equipoise.files.read_matches.STEP", 200)
    monkeypatch.setattr("equipoise.games.plain.reader.OFTEN", 1)
    monkeypatch.setattr("equipoise.files.read_matches.OFTEN", 1)
    (tmp_path / "m.csv").write_text(TABLE)
    polars.read_csv(tmp_path / "m.csv").write_parquet(tmp_path / "m.parquet")
    np.savez(tmp_path / "m.npz", **ARRAYS)
    for path in (EXAMPLE, *(tmp_path / f"m.{ending}" for ending in ("csv", "parquet", "npz"))):
        reported: list[float] = []
        list(read_matches(str(path), reported.append))
        assert reported == sorted(reported)
        assert len(reported) > 1
        assert 0.0 <= reported[0] <= reported[-1] <= 1.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "it is not JSON"),
        ("[]", "match must be an object"),
        ('{"teams": [["a"], ["b"]], "ranks": [1, 2]}', "ended is missing"),
        (
            '{"ended": "soon", "teams": [["a"], ["b"]], "ranks": [1, 2]}',
            "ended must be seconds since 1970 or a date",
        ),
        (
            '{"ended": 1767643200000, "teams": [["a"], ["b"]], "ranks": [1, 2]}',
            "ended must be below 253402300800, the year 10000, got '1767643200000'; divide",
        ),
        ('{"ended": 1, "teams": [["a"]], "ranks": [1]}', "teams must be two or more"),
        ('{"ended": 1, "teams": [["a"], ["a"]], "ranks": [1, 2]}', "teams: the player 'a' appears twice"),
        (
            '{"ended": 1, "teams": [["a"], ["b"]], "ranks": [1]}',
            "ranks must be one for each of 2 teams, got 1",
        ),
        (
            '{"ended": 1, "teams": [["a"], ["b"]], "ranks": [1, NaN]}',
            "ranks must be a finite number, got 'NaN'",
        ),
        (
            '{"ended": 1, "teams": [["a"], ["b"]], "scores": [3, 1, 2]}',
            "scores must be one for each of 2 teams, or none, got 3",
        ),
        (
            '{"ended": 1, "teams": [["a"], ["b"]], "scores": [3, 1], "ranks": [1, 2, 3]}',
            "ranks must be one for each of 2 teams, got 3",
        ),
        (
            '{"ended": 1, "contests": [{"teams": [["a"], ["b"]], "scores": [3]}]}',
            "scores must be one for each of 2 teams, or none, got 1",
        ),
        (
            '{"ended": 1, "teams": [["a"], ["b"]], "ranks": [1, 2], "weight": 0}',
            "weight must be above 0 and at most ",
        ),
        ('{"ended": 1, "team": []}', "'team' is not a field"),
        (
            '{"ended": 1, "teams": [["a"], [{"id": "b", "share": 2}]], "ranks": [1, 2]}',
            "share of player 'b' must be from",
        ),
    ],
)
def test_a_wrong_line_says_line_and_field_and_the_rest_is_read(
    tmp_path: Path, line: str, message: str
) -> None:
    """The record is skipped with file, line and field; those around it are there."""
    good = '{"ended": 1, "teams": [["a"], ["b"]], "ranks": [1, 2]}'
    first, skipped, last = read(tmp_path, "m.jsonl", f"{good}\n\n{line}\n{good}\n")
    assert isinstance(first, Match)
    assert first == last
    assert isinstance(skipped, Skipped)
    assert skipped.where.endswith("m.jsonl, line 3")
    assert skipped.reason.startswith(message)


@pytest.mark.parametrize(
    ("old", "new", "where", "message"),
    [
        ("red,3,Bob,0.5", "red,4,Bob,0.5", "line 3", "team_score must be the same throughout team 'red'"),
        (
            "m1,2026-01-10,ctf,instagib;lowgrav,blue",
            "m1,2026-01-12,ctf,,blue",
            "line 5",
            "ended must be the same",
        ),
        ("blue,1,Cid", "blue,,Cid", "line 2", "team_score must be there for all teams"),
        ("red,3,Bob", ",3,Bob", "line 3", "team is missing"),
        ("Cid", "Ann", "line 2", "teams: the player 'Ann' appears twice"),
        ("4,9", "4,9,5", "line 5", "it has 11 cells, but the header has 10 columns"),
        ("4,9", "4,9,,5", "line 5", "it has 12 cells, but the header has 10 columns"),
        ("red,3,Bob", "red,3,5,Bob", "line 3", "it has 11 cells, but the header has 10 columns"),
        ("Cid", "\udcff", "line 5", "it is not UTF-8 text; save the file as UTF-8"),
        ("m1,2026-01-10,ctf,instagib;lowgrav,red,3,Bob", "m1,\udcff", "line 3", "it is not UTF-8 text"),
    ],
)
def test_a_wrong_row_skips_its_match(tmp_path: Path, old: str, new: str, where: str, message: str) -> None:
    """The line is named, and the other match is read."""
    assert old in TABLE
    read_ = read(tmp_path, "m.csv", TABLE.replace(old, new).encode("utf-8", "surrogateescape"))
    (skipped,) = [one for one in read_ if isinstance(one, Skipped)]
    assert skipped.where.endswith(where)
    assert skipped.reason.startswith(message)
    assert len(read_) == 2


@pytest.mark.parametrize("form", ["date", "datetime", "text"])
def test_dates_of_parquet_are_midnights(tmp_path: Path, form: str) -> None:
    """Whatever holds a date, it is its midnight UTC; also where a file is read at once."""
    pl = pytest.importorskip("polars")
    dates: Any = pl.Series(["2026-01-10", "2026-01-11"]).str.to_date()
    column = {"date": dates, "datetime": dates.cast(pl.Datetime), "text": dates.cast(pl.String)}[form]
    frame = pl.DataFrame({
        "match": ["m", "n"] * 2, "ended": pl.concat([column] * 2), "began": pl.concat([column] * 2),
        "team": [*"xxyy"], "rank": [1, 1, 2, 2], "player": [*"aabb"],
    })  # fmt: skip
    path = str(tmp_path / "m.parquet")
    frame.sort("match").write_parquet(path)
    ends = [match.ended for match in read_matches(path) if isinstance(match, Match)]
    assert ends == [1768003200.0, 1768089600.0]
    found = read_columns([path])
    assert found is not None
    assert list(found.columns.numbers["ended"]) == ends


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("m.csv", "match,ended,team\n", "line 1: the column player is missing"),
        ("m.csv", TABLE.replace("kills", "frags"), "there is no column 'frags'"),
        ("m.csv", b"\xff\xfe", "line 1: it is not UTF-8"),
        ("m.csv", TABLE.encode().replace(b"kills", b"\xff"), "line 1: it is not UTF-8"),
        ("m.npz", "no", "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(
    tmp_path: Path, name: str, content: str | bytes, message: str
) -> None:
    """The message begins with the file."""
    with pytest.raises(InputError, match=message):
        read(tmp_path, name, content)
    with pytest.raises(InputError, match="cannot be read"):
        list(read_matches(str(tmp_path / "nowhere.jsonl")))


@pytest.mark.slow
@settings(max_examples=200)
@given(
    st.binary(max_size=200)
    | st.text(max_size=100).map(lambda text: json.dumps({"ended": 1, text: text}).encode())
)
def test_hostile_bytes_are_skipped(content: bytes) -> None:
    """Whatever a line is, it gives a match or says what is wrong."""
    reader = GAME.reader("here")
    for one in (*reader.read(content), *reader.finish()):
        assert isinstance(one, Match | Skipped)


def test_a_column_that_appears_twice_is_refused(tmp_path: Path) -> None:
    """Whichever of the two counted, the other one would be lost without a word."""
    path = tmp_path / "twice.csv"
    path.write_text("match,ended,team,player,team_score,team_score\n1,1,A,a,3,1\n1,1,B,b,2,2\n")
    with pytest.raises(InputError, match="line 1: the column team_score appears twice; delete all but one"):
        list(read_matches(str(path)))
