"""Rosters from files: what is read, and what is said of what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise import InputError, Player, Rating
from equipoise.core.plain_data import LONGEST_NAME
from equipoise.errors import AmbiguousError
from equipoise.files.read_roster import parse_roster, read_roster


def read(text: str, ending: str = "") -> list[tuple[str, float | None]]:
    """Return (name, weight) of each player."""
    players = parse_roster(text.encode(), "roster", ending)
    return [(p.label, p.rating.mu if isinstance(p.rating, Rating) else None) for p in players]


def test_lines_of_weight_and_name() -> None:
    """A name may have spaces, digits and any script; blank lines and white space around do not count."""
    text = "5 Boring John\n\n  7.5\tΧρήστος 2 \n.5 #1\n1e2 محمد\n+3 🦊"
    assert read(text) == [("Boring John", 5.0), ("Χρήστος 2", 7.5), ("#1", 0.5), ("محمد", 100.0), ("🦊", 3.0)]


@pytest.mark.slow
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("last", [True, False])
@pytest.mark.parametrize(
    ("lines", "ending"),
    [
        (["5 Ann", "7 Bob"], ".txt"),
        (["name,weight", "Ann,5", "Bob,7"], ".csv"),
        (['{"Ann": 5,', '"Bob": 7}'], ".json"),
    ],
)
def test_line_ends_marks_and_missing_last_newlines_change_nothing(
    lines: list[str], ending: str, last: bool, mark: str, end: str
) -> None:
    """What Windows, old Macs and editors do to a file does not matter."""
    text = mark + end.join(lines) + (end if last else "")
    assert read(text, ending) == read(text) == [("Ann", 5.0), ("Bob", 7.0)]


def test_tables_have_columns_in_any_order_under_usual_names() -> None:
    """CSV with commas, semicolons or tabs, quoted or not; unknown columns are left alone."""
    assert read('"Player","Elo","Note"\n"Smith, Ann",1500,x\nBob,1400,') == [
        ("Smith, Ann", 1500.0),
        ("Bob", 1400.0),
    ]
    assert read("weight;name\n5;Ann\n\n7;Bob") == [("Ann", 5.0), ("Bob", 7.0)]
    assert read("name\tweight\nAnn\t5", ".tsv") == [("Ann", 5.0)]
    assert read("\n  \nname;weight\nAnn;5\n", ".csv") == [("Ann", 5.0)]


def test_a_comma_in_a_name_makes_no_table() -> None:
    """What begins with a weight is no header, whatever words follow; a comma in a name is quoted."""
    assert read('10 "Bob, Team"\n12 Ann\n') == [("Bob, Team", 10.0), ("Ann", 12.0)]
    with pytest.raises(AmbiguousError, match=r"line 1: '10 Bob, Team' can be read in several ways"):
        read("10 Bob, Team\n12 Ann\n")


def test_empty_fields_are_missing_ones() -> None:
    """In JSON as in a table, nothing means not known or not wanted."""
    entry = {"name": "Ann", "weight": "", "party": "", "team": "", "side": ""}
    assert parse_roster(json.dumps([entry]).encode(), "roster") == [Player("Ann", None, "Ann")]


def test_every_column_is_read() -> None:
    """A table can carry all that a player has."""
    row = "id,name,mu,sigma,party,side,team,bot\nguid1,Ann,-3.5,1.25,x,0,2,yes\n"
    assert parse_roster(row.encode(), "roster") == [
        Player("guid1", Rating(-3.5, 1.25), "Ann", party="x", side=0.0, team=1, bot=True)
    ]


def test_json_lists_objects_and_the_ratings_own_output() -> None:
    """A list of players, an object from names to weights, or an object with a list of players."""
    entries = [{"name": "Ann", "weight": 5}, {"name": "Bob", "rating": 7.5, "bot": False}]
    assert read(json.dumps(entries)) == [("Ann", 5.0), ("Bob", 7.5)]
    assert read(json.dumps({"players": entries})) == [("Ann", 5.0), ("Bob", 7.5)]
    assert read('{"Ann": 5, "players": 7}') == [("Ann", 5.0), ("players", 7.0)]


@pytest.mark.parametrize("text", ["", " \n \n", "[]", '{"players": []}', "name,weight\n"])
def test_a_roster_of_nobody_is_one(text: str) -> None:
    """A server has nobody on it every day."""
    assert read(text) == []


def test_a_missing_weight_is_unknown_not_wrong() -> None:
    """In tables and JSON a player may come without a weight."""
    assert read("name,weight\nAnn,\nBob,7\nCid") == [("Ann", None), ("Bob", 7.0), ("Cid", None)]
    assert read('[{"name": "Ann"}, {"name": "Bob", "weight": null}]') == [("Ann", None), ("Bob", None)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "ending", "message"),
    [
        ("5 Ann\n0x10 Bob\n", "", "roster, line 2: weight '0x10' is not a number"),
        ("5 Ann\n1_000 Bob\n", "", "roster, line 2: weight '1_000' is not a number"),
        ("5 Ann\n\n7\n", "", "roster, line 3: there is no name beside the number 7"),
        ("5 Ann\nnan Bob\n", "", "roster, line 2: weight 'nan' is not a number"),
        ("-inf Ann\n", "", "roster, line 1: weight '-inf' is not a number"),
        ("1e999 Ann\n", "", "roster, line 1: weight must be from -1e15 to 1e15, got inf"),
        ("1e16 Ann\n", "", "roster, line 1: weight must be from -1e15 to 1e15, got 1e+16"),
        ("5 Ann\n-1 Bob\n", "", "roster, line 2: the weight must be at least 0, got -1"),
        ("5 Ann\n6 Bob\n7 Ann\n", "", "roster, line 3: 'Ann' appears twice, first in line 1"),
        ("5 " + "x" * 4_000, "", "roster, line 1: the name must have at most "),
        ("5 A\x00nn", "", "roster, line 1: it has the control character '\\x00'"),
        ("5 Ann\n6 \x1b[31mBob", "", "roster, line 2: it has the control character"),
        ("name,weight\nAnn,x\n", "", "roster, line 2: weight 'x' is not a number"),
        ("name,weight\nAnn,nan\n", "", "roster, line 2: weight must be from -1e15 to 1e15, got nan"),
        ("name,weight\nAnn,1,2\n", "", "roster, line 2: it has 3 cells, but the header has 2"),
        ("name,weight\n,5\n", "", "roster, line 2: it has neither a name nor an id"),
        ("name,weight\nAnn,5\nAnn,6\n", "", "roster, line 3: 'Ann' appears twice, first in line 2"),
        ('name,weight\n"Ann,5\n', "", "roster, line 2: it is not CSV"),
        ("weight\n5\n", ".csv", "roster, line 1: the header has no column 'name' or 'id'"),
        ("name,name\nAnn,5\n", "", "roster, line 1: the header has the column 'name' more than once"),
        (
            "name,side\nAnn,2\n",
            "",
            "roster, line 2: side must be from 0 (the first team) to 1 (the last), got 2",
        ),
        ("name,team\nAnn,0\n", "", "roster, line 2: team must be a whole number from 1, got 0"),
        ("name,bot\nAnn,maybe\n", "", "roster, line 2: bot must be one of "),
        ("name,mu,sigma\nAnn,5,-1\n", "", "roster, line 2: sigma must be at least 0, got -1"),
        ("[{]", "", "roster, line 1: it is not JSON"),
        ("[1]", "", "roster, entry 1: '1' is not an object"),
        ('{"Ann": "x"}', "", "roster, entry 1: weight 'x' is not a number"),
        ('{"Ann": true}', "", "roster, entry 1: weight 'true' is not a number"),
        ('{"Ann": [1]}', "", "roster, entry 1: weight '[1]' is not a number"),
        (
            '[{"name": "Ann", "weight": NaN}]',
            "",
            "roster, entry 1: weight must be from -1e15 to 1e15, got nan",
        ),
        ('[{"name": NaN, "weight": 5}]', "", "roster, entry 1: it has neither a name nor an id"),
        ('[{"name": "Ann", "prefer": [NaN]}]', "", "roster, entry 1: prefer 'NaN' is not a text"),
        ('[{"name": "Ann", "Name ": "Bob"}]', "", "roster, entry 1: the column 'name' appears twice"),
        ('[{"name": "Ann", "elo": 1, "mmr": 2}]', "", "roster, entry 1: the column 'weight' appears twice"),
        ('[{"weight": 5}]', "", "roster, entry 1: it has neither a name nor an id"),
        ('[{"name": ["Ann"]}]', "", "roster, entry 1: name '[\"Ann\"]' is not a text"),
        ('[{"name": "A\\u0000"}]', "", "roster, entry 1: the name 'A\\x00' has control characters"),
        ('[{"name": "Ann"}, {"name": "Ann"}]', "", "roster, entry 2: 'Ann' appears twice, first in entry 1"),
        ('{"Ann": 5, "Ann": 6}', "", "roster: the key 'Ann' comes twice in one object"),
        ("5", ".json", "roster: it is neither a list of players nor an object"),
        ("[" * 100_000, ".json", "roster: it is nested too deeply"),
        ('{"Ann": ' + "9" * 400 + "}", "", "roster, entry 1: weight must be from -1e15 to 1e15, got 9999"),
        ('{"Ann": ' + "9" * 5000 + "}", "", "roster: it has a number of more digits"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, ending: str, message: str) -> None:
    """The message begins with the file and the line or entry."""
    with pytest.raises(InputError) as caught:
        parse_roster(text.encode(), "roster", ending)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"5 Ann\n7 B\xf6b\n", "roster, line 2: it is not UTF-8"),
        (b"\xff\xfe5\x00 \x00A\x00", "roster: it is UTF-16"),
        (bytes(range(256)), "roster, line "),
    ],
)
def test_other_encodings_and_binary_are_refused(content: bytes, message: str) -> None:
    """Guessing an encoding would change names without a word."""
    with pytest.raises(InputError) as caught:
        parse_roster(content, "roster")
    assert str(caught.value).startswith(message)


def test_the_longest_name_is_taken_and_one_longer_is_not() -> None:
    """The limit is a limit."""
    assert len(read(f"5 {'x' * LONGEST_NAME}")[0][0]) == LONGEST_NAME
    with pytest.raises(InputError):
        read(f"5 {'x' * (LONGEST_NAME + 1)}")


def test_files_are_read_by_their_endings(tmp_path: Path) -> None:
    """The ending says the format, and a missing file is said to be missing."""
    (tmp_path / "a.json").write_text('{"Ann": 5}')
    assert [player.id for player in read_roster(str(tmp_path / "a.json"))] == ["Ann"]
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_roster(str(tmp_path / "b.txt"))
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        read_roster(str(tmp_path))


@pytest.mark.slow
@settings(max_examples=300, derandomize=True)
@given(
    content=st.one_of(st.binary(max_size=80), st.text(max_size=80).map(str.encode)),
    ending=st.sampled_from(["", ".txt", ".csv", ".json"]),
)
def test_any_bytes_give_players_or_an_input_error(content: bytes, ending: str) -> None:
    """Nothing else comes out, whatever goes in."""
    players, message = [], "roster"
    try:
        players = parse_roster(content, "roster", ending)
    except InputError as error:
        message = str(error)
    assert message.startswith("roster")
    assert len({player.id for player in players}) == len(players)
