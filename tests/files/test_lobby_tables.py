"""Tables of players, lobbies, premades and plans: what is read, what is wrong, and back again."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from equipoise import InputError, Player, Rating, fill
from equipoise.files.line_kinds import rank_weight
from equipoise.files.lobby_tables import (
    PLAN_COLUMNS,
    plan_rows,
    read_lobbies,
    read_players,
    read_premades,
    write_csv,
    write_plan,
)
from equipoise.files.read_matches import tied_apart
from equipoise.lobbies.plan import Lobby


@pytest.fixture
def table(tmp_path: Path) -> Callable[[str], str]:
    """Return what writes a text to a file and returns its name."""

    def write(text: str) -> str:
        path = tmp_path / "table.csv"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


def test_every_column_of_players_is_read(table: Callable[[str], str]) -> None:
    """By any of its names, in any order; what is empty is unknown."""
    text = (
        "Group,ELO,Name,sigma,barred,colour\nus,10.5,ann,2,red; blue ;,x\n,,bob,,,\nus,7,cid,0,,\n,1,=d,,;\n"
    )
    players, barred = read_players(table(text))
    assert players == [
        Player("ann", Rating(10.5, 2.0), party="us"),
        Player("bob"),
        Player("cid", 7.0, party="us"),
        Player("=d", 1.0),
    ]
    assert barred == {"ann": ["red", "blue"], "=d": []}
    plain, _ = read_players(table("id,skill\nann,3\nbob,4\n"))
    assert plain == [Player("ann", 3.0), Player("bob", 4.0)]
    chosen, _ = read_players(table("id,skill,kd\nann,3,0.5\n"), " KD ")
    assert chosen == [Player("ann", 0.5)]
    nobody, _ = read_players(table("id\nann\n"), unrated=True)
    assert nobody == [Player("ann")]


def test_commas_of_numbers_are_points_where_something_else_parts_cells(table: Callable[[str], str]) -> None:
    """With semicolons and with tabs; in names they stay."""
    for mark in (";", "\t"):
        players, _ = read_players(
            table(f"id{mark}skill{mark}sigma\na,1{mark}1,5{mark},25\nb{mark}-2,5e1{mark}\n")
        )
        assert players == [Player("a,1", Rating(1.5, 0.25)), Player("b", -25.0)]
    assert read_lobbies(table("name;target\nred;1,5\n")) == [Lobby("red", 1.5)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,skill\nann,1\n\nann,2\n", "line 4: 'ann' appears twice, first in line 2; every id must differ"),
        ("id,skill\n,1\n", "line 2: "),
        ("id,skill\n", "it has no players; write a line for each player"),
        ("\n \n", "it is empty; write a header and a line for each entry"),
        ("id,skill\nann,1,2\n", "line 2: it has 3 cells, but the header has 2 columns"),
        ("id,kind\nann,1\n", "line 1: the header has no column 'skill' or 'weight'"),
        ("id,id,skill\nann,a,1\n", "line 1: the header has the column 'id' more than once"),
        ("id,skill\nann,x\n", "line 2: skill 'x' is not a number"),
        ("id,skill,sigma\nann,1,-1\n", "line 2: sigma must be "),
        ('id,skill\n"ann,1\n', "it is not CSV"),
    ],
)
def test_what_is_wrong_with_players_is_reported(text: str, message: str, table: Callable[[str], str]) -> None:
    """With the line, and what is allowed."""
    with pytest.raises(InputError) as caught:
        read_players(table(text))
    assert message in str(caught.value)


def test_lobbies_are_read_with_their_limits(table: Callable[[str], str]) -> None:
    """All but the name may be left out."""
    found = read_lobbies(table("lobby,target,min,max\nred,10,1,4\nblue,,,\ngreen,5,0,\n"))
    assert found == [Lobby("red", 10.0, 1, 4), Lobby("blue"), Lobby("green", 5.0, 0)]
    for text, message in (
        ("name\nred\nblue\nred\n", "line 4: 'red' appears twice, first in line 2; every name must differ"),
        ("name\n", "it has no lobbies; write a line for each lobby"),
        ("name,min\nred,1.5\n", "line 2: min_teams "),
        ("name,min,max\nred,5,2\n", "line 2: "),
        ("name,max\nred,-1\n", "line 2: max_teams "),
    ):
        with pytest.raises(InputError) as caught:
            read_lobbies(table(text))
        assert message in str(caught.value)


def test_premades_are_read_a_line_a_party(table: Callable[[str], str]) -> None:
    """Of two and more, nobody in two of them."""
    assert read_premades(table("Team,player1,player2\nus,ann,bob\n\nthem,cid,,dan,eve\n")) == [
        ["ann", "bob"], ["cid", "dan", "eve"],
    ]  # fmt: skip
    for text, message in (
        ("crew,player1\nus,ann\n", "line 1: the header is not 'team,player1,player2,...'"),
        ("team\nus\n", "line 1: the header is not"),
        ("team,p1,p2\nus,ann\n", "line 2: the party 'us' has fewer than two players"),
        (
            "team,p1,p2\nus,ann,bob\nx,cid,ann\n",
            "line 3: 'ann' is in a party already, in line 2; a player is in one",
        ),
    ):
        with pytest.raises(InputError) as caught:
            read_premades(table(text))
        assert message in str(caught.value)


def test_a_plan_is_a_row_a_player_and_is_read_again(tmp_path: Path) -> None:
    """Teams are counted over all lobbies; who waits has none; formulas are quoted, and read without it."""
    players = [
        Player(f"{mark}p{n}", Rating(10.0 + n, 1.0 if n == 2 else 0.0))
        for n, mark in enumerate(["", "=", "", "@", "'=", "", ""])
    ]
    plan = fill(
        players, {"+red": 22.0, "blue": 26.0}, team_size=2, parties=[["p0", "=p1"]], barred={"p2": ["blue"]}
    )
    rows = list(plan_rows(plan))
    teams = [
        (lobby, team, total)
        for lobby in plan.lobbies
        for team, total in zip(lobby.teams, lobby.totals, strict=True)
    ]
    wanted: list[tuple[Any, ...]] = []
    for number, (lobby, team, total) in enumerate(teams, start=1):
        for player in team:
            assert isinstance(player.rating, Rating)
            party = "1" if player.id in ("p0", "=p1") else None
            wanted.append(
                (
                    lobby.name,
                    lobby.target,
                    number,
                    total,
                    player.id,
                    player.rating.mu,
                    player.rating.sigma,
                    party,
                    "blue" if player.id == "p2" else None,
                )
            )
    wanted += [(None, None, None, None, player.id) for player in plan.waiting]
    assert [row[: len(want)] for row, want in zip(rows, wanted, strict=True)] == wanted
    for escape in (True, False):
        out = io.StringIO()
        write_csv(plan, out, escape=escape)
        lines = list(csv.reader(io.StringIO(out.getvalue())))
        assert tuple(lines[0]) == PLAN_COLUMNS
        assert any(cell.startswith("'=p1") for line in lines for cell in line) is escape
    path = tmp_path / "plan.csv"
    write_plan(plan, str(path))
    again, barred = read_players(str(path))
    assert sorted(player.id for player in again) == sorted(player.id for player in players)
    assert {player.id: player.rating for player in again} == {player.id: player.rating for player in players}
    assert barred == {"p2": ["blue"]}
    with pytest.raises(InputError, match=r"^--out: .* cannot be written"):
        write_plan(plan, str(tmp_path))


@pytest.mark.parametrize(
    ("ranks", "scores", "apart"),
    [
        ((0, 1), (3, 1), False),
        ((0, 1), (3, 3), True),
        ((0, 0), (3, 3), False),
        ((0, 0), (3, 1), True),
        ((0, 1), (1, 3), True),
        ((1, 0), (1, 3), False),
        ((0, 1, 2), (9, 5, 5), True),
        ((2, 0, 1), (1, 9, 5), False),
        ((0, 1, 1), (9, 5, 5), False),
        ((0, 1, 2), (9, 4, 5), True),
    ],
)
def test_scores_that_tie_or_order_otherwise_are_noticed(
    ranks: tuple[float, ...], scores: tuple[float, ...], apart: bool
) -> None:
    """In whatever order the teams stand."""
    assert tied_apart(ranks, scores) is apart
    assert tied_apart(ranks[::-1], scores[::-1]) is apart


def test_ranks_are_weights_a_hundred_apart() -> None:
    """Divisions are twenty apart, the best one the first or the last; without one the middle."""
    gold = rank_weight("Gold", 1)
    assert [rank_weight(f"gold {division}", 1) - gold for division in ("1", "2", "3", "4", "5")] == [
        40,
        20,
        0,
        -20,
        -40,
    ]
    assert [rank_weight(f"gold{division}", 5) - gold for division in ("1", "2", "3", "4", "5")] == [
        -40,
        -20,
        0,
        20,
        40,
    ]
    assert rank_weight("Platinum", 1) - gold == 100
    assert rank_weight(" Gold III ", 1) == gold
    assert gold % 100 == 40
