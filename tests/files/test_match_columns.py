"""Files that are read straight into columns mean what they mean record by record."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from equipoise.core.match import Match, Skipped
from equipoise.core.match_records import CONTEST_FIELDS, MATCH_FIELDS, PLAYER_FIELDS
from equipoise.files import match_table_columns
from equipoise.files.match_columns import read_columns
from equipoise.files.match_json_columns import TypedContest, TypedLine, TypedPlayer
from equipoise.files.read_matches import read_matches, say_left_out
from equipoise.games.plain.reader import GAME
from equipoise.ratings.history_columns import replay_columns
from equipoise.ratings.models.gaussian_filter.mixture import Mixture
from equipoise.ratings.replay import replay

ONE = {"teams": [["ann"], ["bob"]], "scores": [3, 1]}
DUEL = {"ended": 10, **ONE}
TEAMS = {"teams": [["ann", "cid"], ["bob"]]}
NAMED = {"teams": [[{"id": "ann", "name": "Ann", "kills": 3}], [{"id": "bob", "kills": 5}]]}
EVE = {"teams": [[{"id": "eve", "name": "Eve"}], ["bob"]]}
PARTY = {"teams": [[{"id": "ann", "party": "x"}, {"id": "dot", "party": "x"}], ["bob"]]}

#: Lines that are right, each in its own way.
RIGHT: list[Any] = [
    DUEL,
    {**DUEL, "ended": "2026-01-10T20:05:00Z", "id": "named", "game": "ut2004", "game_type": "ctf"},
    {**DUEL, "ended": 11, "mutators": ["lowgrav", "instagib"], "weight": 2.5, "map": "Face"},
    {**DUEL, "ended": 12, "teams": [["ann", {"id": 5}], [" b ", {"id": "cid", "share": 0.5, "name": "C"}]]},
    {"ended": 13, "teams": [["ann"], ["bob"], ["cid"]], "ranks": [2, 1, 2]},
    {"ended": 14, "teams": [["ann"], ["bob"], ["cid"]], "scores": [2, 1, 2], "ranks": [1, 2, 1]},
    {**DUEL, "ended": 15, "teams": [[{"id": "ann", "kills": 9, "deaths": 2}], [{"id": "bob", "kills": 1}]]},
    {**DUEL, "ended": 16, "teams": [[{"id": "ann", "score": -3}], [{"id": "bob", "score": 5, "share": 0.5}]]},
    {**DUEL, "ended": 17, "teams": [[{"id": "ann", "party": "x"}, {"id": "dot", "party": "x"}], ["bob"]]},
    {"ended": 9, "contests": [{**DUEL, "at": 8}, {"teams": [["a"], ["bot:X:5"]], "ranks": [2, 1], "at": 9}]},
    {**DUEL, "ended": "21", "scores": ["3", 4], "began": 20},
    {**DUEL, "ended": 22, "scores": None, "ranks": [1, 1]},
    {**DUEL, "ended": 23, "ranks": [2, 1]},
    DUEL,
    {**DUEL, "ended": 10, "scores": [3, 0]},
    {**DUEL, "ended": 10, "id": "also at ten"},
]  # fmt: skip

#: Matches of several contests, of which each leaves out something else.
SEVERAL: list[Any] = [
    {"ended": 30, "contests": [{**TEAMS, "ranks": [1, 2], "scores": [3, 1], "weight": 2, "at": "29"}]},
    {"ended": 31, **TEAMS, "contests": [{"scores": [3, 1]}, {"scores": [1, 3], "at": 30.5}], "weight": 0.2},
    {"ended": 32, **TEAMS, "ranks": [1, 2], "contests": [{}, {"ranks": None, "scores": [1, 3]}]},
    {"ended": 33, **TEAMS, "scores": [3, 1], "contests": [{"scores": None, "ranks": [2, 1]}, {"game": "q"}]},
    {"ended": 34, "game_type": "ctf", "contests": [{**ONE, "mutators": ["m"]}, ONE]},
    {"ended": 35, **EVE, "scores": [1, 2], "contests": [{}, {"teams": [["ann"], ["bob"]]}]},
    {"ended": 36, "contests": [
        {**NAMED, "scores": [1, 2]}, {"teams": [["a"], ["c"], ["b"]], "ranks": [1, 2, 3]}
    ]},
    {**DUEL, "ended": 37, "at": 36},
    {**DUEL, "ended": 38, "at": "2026-01-10"},
    {"ended": 39, "teams": 5, "contests": [ONE]},
]  # fmt: skip

#: Lines with what a rating does not see.
UNSEEN: list[Any] = [
    {**DUEL, "ended": 50, "server": "Our server \u540d"}, {**DUEL, "ended": 51, "server": 5, "map": 6},
    {**DUEL, "ended": 52, "picks": []}, {**DUEL, "ended": 53, "picks": [["ann", "bob"], ["bob", "ann"]]},
    {**DUEL, "ended": 54, "picks": [[" ann ", "bob"]]}, {**DUEL, "ended": 55, **PARTY},
    {**PARTY, "ended": 56, "scores": [1, 2], "picks": [["ann", "dot"]], "server": "S", "id": "all of it"},
    {**ONE, "ended": 57, "teams": [[{"id": "a", "left": True}], [{"id": "b", "party": None, "left": False}]]},
    {**DUEL, "ended": 58, "teams": [[{"id": "ann", "party": 5}, {"id": "cid", "party": ""}], ["bob"]]},
    {"ended": 59, "picks": [["cid", "bob"]], "contests": [ONE, {**ONE, "teams": [["cid"], ["bob"]]}]},
]  # fmt: skip

#: Lines that are wrong.
WRONG: list[Any] = [
    b"{", b"[]", b"{}", b'{"ended": 1}', b"\xff{}", {**DUEL, "ended": "soon"}, {**DUEL, "ended": 1e300},
    {**DUEL, "ended": float("nan")}, {**DUEL, "teams": [["a", 5], ["b"]]}, {**DUEL, "teams": [["a"], ["a"]]},
    {**DUEL, "teams": [["a"], []]}, {**DUEL, "teams": [["a"]], "scores": [1]}, {**DUEL, "scores": None},
    {**DUEL, "ranks": [1, 2, 3]}, {**DUEL, "teams": [["a"], [""]]},
    {**DUEL, "teams": [["a"], [{"id": "b", "share": 2}]]}, {**DUEL, "scores": [1, 1e300]},
    {**DUEL, "weight": 0},
    {**DUEL, "colour": "red"}, {**DUEL, "map": "\ud800"}, {**DUEL, "ranks": []}, {**DUEL, "ranks": False},
    {**DUEL, "ranks": 0}, {**DUEL, "scores": [3, 1, 2]}, {**DUEL, "scores": [3]},
    {**DUEL, "server": None}, {**DUEL, "server": True}, {**DUEL, "server": "\ud800"}, {**DUEL, "server": []},
    {**DUEL, "picks": None}, {**DUEL, "picks": [["ann"]]}, {**DUEL, "picks": [["ann", "cid"]]},
    {**DUEL, "picks": ["ab"]}, {**DUEL, "picks": [["ann", True]]}, {**DUEL, "at": "soon"},
    {**DUEL, "at": None}, {**DUEL, "at": 1e300},
    {**DUEL, "ended": 1767643200000}, {**DUEL, "ended": "1767643200000"}, {**DUEL, "at": 1767643200000.0},
    {**DUEL, "began": 1767643200000.0}, {**DUEL, "ended": 253402300800},
    *({**DUEL, "teams": [[{"id": "a", "party": party}], ["b"]]} for party in (True, [1], "\ud800")),
    *({**DUEL, "teams": [[{"id": "a", "left": left}], ["b"]]} for left in (None, 1, "yes")),
    {"ended": 9, "contests": []}, {"ended": 9, "contests": None}, {"ended": 9, "contests": [5]},
    {"ended": 9, "contests": [ONE, {}]}, {"ended": 9, "contests": [ONE, {**ONE, "weight": 0}]},
    {"ended": 9, "contests": [ONE, {**ONE, "at": 1e300}]}, {"ended": 1e300, "contests": [ONE]},
    {"ended": 9, "contests": [ONE, {**ONE, "at": "soon"}]}, {**DUEL, "contests": [{"scores": [1]}]},
    {"ended": 9, "contests": [{**ONE, "teams": [["ann"], ["ann"]]}, ONE]},
    {"ended": 9, "contests": [ONE, {**ONE, "teams": [["ann"], []]}]}, {**DUEL, "contests": [{"game": None}]},
    {"ended": 9, "contests": [ONE, {**ONE, "colour": 5}]}, {"ended": None, "contests": [ONE]},
]  # fmt: skip


def written(folder: Path, name: str, lines: list[Any]) -> str:
    """Write a line each of what is given; return where."""
    content = b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
    (folder / name).write_bytes(content)
    return str(folder / name)


def reported(sources: list[str]) -> tuple[Any, list[Skipped]]:
    """Return what comes out record by record: the state, and what was wrong."""
    found = [one for source in sources for one in read_matches(source)]
    matches = [one for one in found if isinstance(one, Match)]
    return replay(Mixture(), matches), [one for one in found if isinstance(one, Skipped)]


def test_the_state_is_that_of_a_replay_bit_for_bit_whatever_the_order(tmp_path: Path) -> None:
    """The state is that of a replay bit for bit, whatever the order of the lines, each match once."""
    for name, lines in (("one", RIGHT), ("two", RIGHT[::-1]), ("more", RIGHT[5:] + RIGHT)):
        source = written(tmp_path, name, lines)
        read = read_columns([source])
        assert read is not None
        state, expected = replay_columns(Mixture(), read.columns), reported([source])[0]
        assert state == expected
        assert list(state.games) == list(expected.games)
        assert not read.skipped
        assert len(read.columns) == len(RIGHT) - 1


def test_lines_with_what_a_rating_does_not_see_mean_the_same(tmp_path: Path) -> None:
    """Servers, picks, parties, who left, and several contests in a match change nothing in a rating."""
    for name, lines in (("one", UNSEEN + SEVERAL), ("two", [*SEVERAL, b"{", *RIGHT, *UNSEEN])):
        source = written(tmp_path, name, lines)
        read = read_columns([source])
        assert read is not None
        expected, skipped = reported([source])
        assert replay_columns(Mixture(), read.columns) == expected
        assert read.skipped == skipped
        matches = [one for one in read_matches(source) if isinstance(one, Match)]
        assert read.columns.names == {who: name for match in matches for who, name in match.names}
        assert read.columns.names["eve"] == "Eve"  # in the teams that all contests of a match have


def test_a_line_with_any_field_there_is_needs_no_second_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every field that is documented is read at once; only what is wrong is read again."""
    assert set(TypedLine.__struct_fields__) == {*MATCH_FIELDS, *CONTEST_FIELDS}
    assert set(TypedContest.__struct_fields__) == set(CONTEST_FIELDS)
    assert set(TypedPlayer.__struct_fields__) == set(PLAYER_FIELDS)
    plain = [line for line in SEVERAL + UNSEEN if line["ended"] not in (39, 54)]
    monkeypatch.delattr("equipoise.files.match_columns.from_line")
    read = read_columns([written(tmp_path, "file", plain)])
    assert read is not None
    assert len(read.columns) == len(plain)


def test_files_may_overlap(tmp_path: Path) -> None:
    """The same lines in two files are the same matches."""
    sources = [written(tmp_path, "one", RIGHT[:9]), written(tmp_path, "two", RIGHT[4:])]
    read = read_columns(sources)
    assert read is not None
    assert replay_columns(Mixture(), read.columns) == reported(sources)[0]


#: Matches of two teams with scores and nothing else, which are looked at a block at a time.
ALIKE: list[Any] = [
    {"ended": float(n), "teams": [["a"], ["b"]], "scores": [float(n), 1.0], "id": f"d{n}"} for n in range(4)
]


@pytest.mark.slow
@pytest.mark.parametrize("others", [RIGHT[:4], ALIKE], ids=["mixed", "alike"])
@pytest.mark.parametrize("line", WRONG)
def test_a_wrong_line_is_reported_as_record_by_record(tmp_path: Path, line: Any, others: list[Any]) -> None:
    """A wrong line is reported with the same words, and the others count."""
    if isinstance(line, dict) and others is ALIKE:
        line = {"id": "wrong", **line, "ended": 9.0 if line["ended"] == DUEL["ended"] else line["ended"]}
    source = written(tmp_path, "file", [others[0], b"", line, *others[1:]])
    read = read_columns([source])
    assert read is not None
    state, skipped = reported([source])
    assert read.skipped == skipped
    assert len(skipped) == 1
    assert replay_columns(Mixture(), read.columns) == state


@pytest.mark.parametrize(
    "line",
    [
        {**DUEL, "scores": "", "ranks": [1, 2]},
        {**DUEL, "scores": [3, None], "ranks": [1, 2]},
        {**DUEL, "scores": [3, 1, 2], "ranks": [1, 2]},
        {**DUEL, "teams": [["a"], [{"id": "b", "kills": -1, "deaths": 1}]]},
        {"ended": 9, "contests": [ONE, {**ONE, "scores": [1], "ranks": [1, 2]}]},
    ],
)
def test_what_is_left_out_of_a_line_is_left_out_record_by_record(tmp_path: Path, line: Any) -> None:
    """The match counts without it, at the same time as another one too, and nothing is skipped."""
    source = written(tmp_path, "file", [RIGHT[1], line, {**TEAMS, "ranks": [2, 1], "ended": line["ended"]}])
    read = read_columns([source])
    assert read is not None
    state, skipped = reported([source])
    notes: list[str] = []
    list(read_matches(source, note=notes.append))
    assert not read.skipped + skipped
    assert [say_left_out(read.faults)] == notes
    assert len(read.columns) == 3
    assert replay_columns(Mixture(), read.columns) == state


def test_two_matches_of_one_id_are_left_to_the_comparison_of_matches(tmp_path: Path) -> None:
    """Two lines of one id that differ are compared where there are matches."""
    lines = [{**DUEL, "id": "one"}, {**DUEL, "id": "one", "scores": [3, 2]}]
    assert read_columns([written(tmp_path, "file", lines)]) is None
    again = [DUEL, {**DUEL, "scores": [3.0, 1]}]
    assert read_columns([written(tmp_path, "other", again)]) is None


def test_names_are_those_read_last_and_games_are_counted(tmp_path: Path) -> None:
    """Names are those that were read last; contests of players and rulesets are counted."""
    player = {"id": "ann", "name": "Ann"}
    lines = [{**DUEL, "ended": n, "teams": [[{**player, "name": f"Ann {n}"}], ["bob"]]} for n in (3, 1, 2)]
    read = read_columns([written(tmp_path, "file", lines)])
    assert read is not None
    assert read.columns.names == {"ann": "Ann 2"}
    assert read.columns.games() == {"ann": 3, "bob": 3}
    assert sum(read.columns.played().values()) == 3


def test_the_cut_into_pieces_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of a few bytes and strides of two contests give the same state."""
    source = written(tmp_path, "file", RIGHT)
    monkeypatch.setattr("equipoise.files.match_columns.BLOCK", 7)
    monkeypatch.setattr("equipoise.ratings.history_columns.STRIDE", 2)
    read = read_columns([source])
    assert read is not None
    assert replay_columns(Mixture(), read.columns) == reported([source])[0]


TABLE = """match,ended,team,player,rank,team_score,kills,deaths,game_type
m1,2026-01-31,red,ann,1,3,5,2,ctf
m1,2026-01-31,blue, bob ,2,1,,,ctf
m2,2026-02-01,red,ann,2,,1,,
m2,2026-02-01,blue,bob,1,,,,
m2,2026-02-01,blue,cid,1,,,,
"""


#: The same, by player in each match.
SORTED = "".join(
    sorted(TABLE.splitlines(keepends=True), key=lambda row: (row[:2] != "ma", row[:2], row[14:]))
)


def test_a_table_means_the_same(tmp_path: Path) -> None:
    """Rows of a player each, with other signs between cells, and with the same file twice."""
    for name, text in (
        ("a.csv", TABLE),
        ("b.csv", TABLE.replace(",", ";")),
        ("c.tsv", TABLE.replace(",", "\t")),
        ("d.csv", SORTED),
    ):
        path = tmp_path / name
        path.write_text("\ufeff" + text, encoding="utf-8")
        read = read_columns([str(path), str(path)])
        assert read is not None
        assert len(read.columns) == 2
        assert replay_columns(Mixture(), read.columns) == reported([str(path)])[0]


@pytest.mark.parametrize("block", [1, 90, 100, 150])
def test_matches_of_a_table_are_whole_wherever_it_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    """Blocks of a few bytes give the same state, with long cells, other alphabets and blank lines too."""
    long = TABLE.replace("cid", "c" * 70).replace("ann", "\u540d\u524d of many words")
    monkeypatch.setattr("equipoise.files.match_table_columns.BLOCK", block)
    for text in (TABLE, long, TABLE.replace("\nm2", "\n\nm2", 1), TABLE.replace("\n", "\r\n")):
        path = tmp_path / "matches.csv"
        path.write_text(text, encoding="utf-8", newline="")
        read = read_columns([str(path)])
        assert read is not None
        assert replay_columns(Mixture(), read.columns) == reported([str(path)])[0]


def test_cells_that_have_the_same_hash_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where hashes of cells collide, the cells themselves decide."""
    monkeypatch.setattr(
        "equipoise.files.match_table_columns.mixed",
        lambda *columns: np.zeros(len(columns[0]), dtype=np.uint64),
    )
    path = tmp_path / "matches.csv"
    path.write_text(TABLE, encoding="utf-8")
    read = read_columns([str(path)])
    assert read is not None
    assert replay_columns(Mixture(), read.columns) == reported([str(path)])[0]


@pytest.mark.parametrize(
    ("old", "new"),
    [("m2,2026-02-01,red,ann,2", "m1,2026-02-01,red,ann,2"), ("bob,1", "bob,nan"), ("bob,1", "bob,2"),
     ("blue, bob ,2,1", "blue, bob ,2,"), ("team_score", "left"), ("5,2,ctf", "-5,2,ctf"), ("cid", "ann"),
     ("match,", "game,"), ("m1,2026-01-31,blue", "m1,soon,blue"),
     ("2026-01-31", "1767643200000"), ("ann,2,", ",2,"), ("cid,1", "cid,3")],
)  # fmt: skip
def test_an_unusual_table_is_left_to_the_reading_of_records(tmp_path: Path, old: str, new: str) -> None:
    """What is wrong with a row is said where records are read one by one."""
    path = tmp_path / "a.csv"
    path.write_text(TABLE.replace(old, new), encoding="utf-8")
    assert read_columns([str(path)]) is None


@pytest.mark.parametrize("first", ["sep=,", '"sep=,"', "\ufeffsep=,", "SEP=, "])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_line_that_names_the_separator_changes_nothing(tmp_path: Path, first: str, end: str) -> None:
    """Of a table that is rated or ingested, in columns or record by record."""
    plain, headed = tmp_path / "a.csv", tmp_path / "b.csv"
    plain.write_text(TABLE, encoding="utf-8")
    headed.write_bytes("".join(f"{line}{end}" for line in (first, *TABLE.splitlines())).encode())
    one, other = read_columns([str(plain)]), read_columns([str(headed)])
    assert one is not None
    assert other is not None
    assert replay_columns(Mixture(), one.columns) == replay_columns(Mixture(), other.columns)
    content = headed.read_bytes()
    assert GAME.recognise(content)
    reader = GAME.reader(str(plain))
    matches = list(read_matches(str(plain)))
    assert [*reader.read(content), *reader.finish()] == matches == list(read_matches(str(headed)))


def random_rows(rng: np.random.Generator, matches: int) -> list[dict[str, Any]]:
    """Return rows of matches of two or three teams, in any order within a match, some cells empty."""
    rows: list[dict[str, Any]] = []
    for n in range(matches):
        people = rng.permutation(30)[: int(rng.integers(3, 9))].tolist()
        teams = int(rng.integers(2, 4))
        ranked, scored = [(1, 0), (0, 1), (1, 1)][int(rng.integers(3))]
        results = rng.integers(0, 3, teams).tolist()
        some = [
            {
                "match": f"m{n}", "ended": 1000 + 10 * (n // 2),
                "team": f"t{place % teams}", "player": f"p{who}",
                "rank": 5 - results[place % teams] if ranked else "",
                "team_score": 2 * results[place % teams] if scored else "",
                "kills": int(rng.integers(0, 9)) if rng.random() < 0.7 else "",
                "deaths": int(rng.integers(0, 9)) if rng.random() < 0.7 else "",
                "share": 0.5 if rng.random() < 0.1 else "", "weight": 2 if n % 5 == 0 else "",
                "game_type": "ctf" if n % 3 else "", "mutators": "x;y" if n % 7 == 0 else "",
            }
            for place, who in enumerate(people)
        ]  # fmt: skip
        rows += [some[place] for place in rng.permutation(len(some)).tolist()]
    return rows


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "quoted.csv", "crlf.csv", "parquet"])
def test_tables_mean_the_same_wherever_they_are_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    """Quotes, ends of lines and Parquet are nothing but forms; blocks end anywhere."""
    if ending == "parquet":
        pl = pytest.importorskip("polars", reason="Parquet needs polars")
    for name in ("ROWS_AT_ONCE", "BLOCK"):
        monkeypatch.setattr(match_table_columns, name, 100)
    monkeypatch.setattr(match_table_columns, "MATCHES_AT_ONCE", 50)
    for seed in range(5):
        rows = random_rows(np.random.default_rng(seed), 60)
        path = tmp_path / f"{seed}.{ending}"
        with path.open("w", encoding="utf-8", newline="") as file:
            quoting = csv.QUOTE_ALL if ending == "quoted.csv" else csv.QUOTE_MINIMAL
            end = "\r\n" if ending == "crlf.csv" else "\n"
            writer = csv.DictWriter(file, list(rows[0]), quoting=quoting, lineterminator=end)
            writer.writeheader()
            writer.writerows(rows)
        if ending == "parquet":
            pl.read_csv(path).write_parquet(path)
        read = read_columns([str(path)])
        assert read is not None
        assert replay_columns(Mixture(), read.columns) == reported([str(path)])[0]


def test_an_exported_archive_is_left_to_who_knows_it(tmp_path: Path) -> None:
    """It is Parquet with other columns."""
    pl = pytest.importorskip("polars", reason="Parquet needs polars")
    pl.DataFrame({"id": ["a"], "record": ["{}"]}).write_parquet(tmp_path / "a.parquet")
    assert read_columns([str(tmp_path / "a.parquet")]) is None


@pytest.mark.parametrize("column", ["share", "kills", "weight", "began", "left", "rank", "party"])
@pytest.mark.parametrize("empty", ["", " ", None])
def test_an_empty_cell_is_unknown_in_parquet_too(column: str, empty: str | None, tmp_path: Path) -> None:
    """Tables whose columns are all texts have blanks for what is not known: read at once or one by one."""
    pl = pytest.importorskip("polars")
    rows = {
        "match": ["1", "1"], "ended": ["1e9", "1e9"], "team": ["a", "b"], "player": ["Ann", "Bob"],
        "team_score": ["1", "0"], column: [empty, empty],
    }  # fmt: skip
    path = tmp_path / "t.parquet"
    pl.DataFrame(rows, schema_overrides={column: pl.String}).write_parquet(path)
    (match,) = read_matches(str(path))
    assert isinstance(match, Match)
    read = read_columns([str(path)])
    assert read is None or (len(read.columns), read.skipped) == (1, [])
