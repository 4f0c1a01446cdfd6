"""``equipoise lobbies`` as people and programs meet it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.cli.running import run

from equipoise.cli.lobbies import _percent

PLAYERS = "id,skill\n" + "".join(f"p{n},{n}\n" for n in range(1, 13))
LOBBIES = "name,target,min_teams,max_teams\ncalm,9,2,4\nwild,17,2,4\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Return a folder with players, lobbies and premades."""
    (tmp_path / "players.csv").write_text(PLAYERS)
    (tmp_path / "lobbies.csv").write_text(LOBBIES)
    (tmp_path / "premades.csv").write_text("team,player1,player2\n1,p1,p2\n2,p11,p12\n")
    return tmp_path


def arguments(files: Path) -> list[str]:
    """Return the arguments of a good run."""
    return [
        "lobbies",
        str(files / "players.csv"),
        str(files / "lobbies.csv"),
        "--premades",
        str(files / "premades.csv"),
    ]


def test_json_has_the_documented_fields(files: Path) -> None:
    """One object: status, value, bound, gap, and lobbies with name, target, teams and totals."""
    done = run(*arguments(files), "--json")
    assert done.returncode == 0, done.stderr
    plain = json.loads(done.stdout)
    assert plain["status"] == "optimal"
    assert plain["gap"] == 0.0
    assert plain["value"] == plain["bound"]
    for lobby in plain["lobbies"]:
        assert {"name", "target", "teams", "totals"} <= set(lobby)
        assert [sum(int(who[1:]) for who in team) for team in lobby["teams"]] == lobby["totals"]
    teams = [set(team) for lobby in plain["lobbies"] for team in lobby["teams"]]
    assert {"p1", "p2"} in teams
    assert {"p11", "p12"} in teams


def test_text_names_everyone_and_says_what_is_proven(files: Path) -> None:
    """Each lobby with its teams, and the verdict."""
    done = run(*arguments(files), "--deviation", "absolute")
    assert done.returncode == 0
    assert done.stdout.startswith("calm: target 9, ")
    assert done.stdout.splitlines()[-1].startswith("Proven optimal: sum of absolute deviations ")


def test_csv_out_and_plot(files: Path) -> None:
    """A line a player, on the screen and in a file, and well-formed box plots."""
    done = run(*arguments(files), "--csv", "--out", str(files / "o.csv"), "--plot", str(files / "o.svg"))
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert len(rows) == 12
    assert list(rows[0]) == [
        "lobby", "target", "team", "total", "player", "skill", "sigma", "party", "barred",
    ]  # fmt: skip
    assert (files / "o.csv").read_text() == done.stdout
    assert ET.parse(files / "o.svg").getroot().tag.endswith("svg")


def test_a_named_column_means_and_waiting(files: Path) -> None:
    """``--skill`` names the column, ``--per-player`` takes means, and who waits is said."""
    (files / "players.csv").write_text("player,kd,x\na,9,1\nb,9,2\nc,9,3\n")
    (files / "lobbies.csv").write_text("name\nonly\n")
    done = run(
        "lobbies", str(files / "players.csv"), str(files / "lobbies.csv"), "--skill", "x", "--per-player"
    )
    assert done.returncode == 0, done.stderr
    assert "Waiting: " in done.stdout


def test_contradictions_are_infeasible_with_exit_code_1(files: Path) -> None:
    """JSON and message both say so."""
    (files / "lobbies.csv").write_text("name,target,min_teams\ncalm,9,4\nwild,17,4\n")
    done = run(*arguments(files), "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["status"] == "infeasible"
    assert done.stderr.startswith("error: infeasible: these rules contradict each other: ")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("players.csv", b"", "players.csv: it is empty"),
        ("players.csv", b"id,skill\n", "players.csv: it has no players"),
        ("players.csv", b"id,nothing\na,1\n", "players.csv, line 1: the header has no column 'skill'"),
        ("players.csv", b"id,skill\na,x\n", "players.csv, line 2: skill 'x' is not a number"),
        (
            "players.csv",
            b"id,skill\na,nan\n",
            "players.csv, line 2: skill must be from -1e15 to 1e15, got nan",
        ),
        ("players.csv", b"id,skill\na,1\na,2\n", "players.csv, line 3: 'a' appears twice, first in line 2"),
        ("players.csv", b"id,skill\n,1\n", "players.csv, line 2: the id is empty"),
        ("players.csv", b"id,skill\na,1,2\n", "players.csv, line 2: it has 3 cells"),
        ("players.csv", b"id,skill\n\xff,1\n", "players.csv, line 2: it is not UTF-8"),
        ("players.csv", b'id,skill\n"a,1\n', "players.csv, line 2: it is not CSV"),
        ("players.csv", b"id,skill\na\x00,1\n", "players.csv, line 2: it has the control character"),
        ("lobbies.csv", b"target\n3\n", "lobbies.csv, line 1: the header has no column 'name'"),
        (
            "lobbies.csv",
            b"name,min_teams\na,1.5\n",
            "lobbies.csv, line 2: min_teams must be a whole number of at least 0, got '1.5'",
        ),
        ("lobbies.csv", b"name,min_teams,max_teams\na,3,2\n", "lobbies.csv, line 2: max_teams of lobby"),
        ("premades.csv", b"p1,p2\n", "premades.csv, line 1: the header is not"),
        ("premades.csv", b"team,player1,player2\n1,p1\n", "premades.csv, line 2: the party '1' has fewer"),
        (
            "premades.csv",
            b"team,player1,player2\n1,p1,p2\n2,p2,p3\n",
            "premades.csv, line 3: 'p2' is in a party",
        ),
        ("premades.csv", b"team,player1,player2\n1,p1,x\n", "parties: there is no player 'x'"),
    ],
)
def test_files_at_fault_are_exit_code_1_with_the_line(
    files: Path, name: str, content: bytes, message: str
) -> None:
    """One message on standard error with file and line, nothing on standard output."""
    (files / name).write_bytes(content)
    done = run(*arguments(files))
    assert done.returncode == 1
    assert done.stdout == ""
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ("--team-size 0", 1),
        ("--min-size 3", 1),
        ("--deviation cubed", 1),
        ("--time-limit -1", 1),
        ("--out /nosuch/place.csv", 1),
        ("--plot /nosuch/place.svg", 1),
        ("--solver nosuch", 2),
        ("--json --csv", 2),
        ("--team-size x", 2),
    ],
)
def test_arguments_at_fault(files: Path, more: str, code: int) -> None:
    """1 for values that cannot be met, 2 for usage."""
    done = run(*arguments(files), *more.split())
    assert done.returncode == code
    assert done.stderr


def test_a_misspelt_solver_is_named_by_its_option(files: Path) -> None:
    """The message says what was typed, what was probably meant, and what there is."""
    result = run(*arguments(files), "--solver", "aut")
    assert result.returncode == 2
    assert (
        "--solver: there is no 'aut' (did you mean 'auto'?); allowed: auto, exact, large, paper"
        in result.stderr
    )


def test_decimal_commas_are_read_where_something_else_separates(tmp_path: Path) -> None:
    """Semicolons and tabs, in players and lobbies alike; between commas a comma in a number is refused."""
    for separator in ";\t":
        rows = [
            ["id", "skill", "sigma"],
            ["a", "1,5", "0,25"],
            ["b", "2,5", ""],
            ["c", "1", ""],
            ["d", "3,0", ""],
        ]
        (tmp_path / "players.csv").write_text("\n".join(separator.join(row) for row in rows))
        (tmp_path / "lobbies.csv").write_text(f"name{separator}target\nx{separator}4,0\n")
        done = run("lobbies", str(tmp_path / "players.csv"), str(tmp_path / "lobbies.csv"), "--json")
        assert done.returncode == 0, done.stderr
        plain = json.loads(done.stdout)
        assert plain["value"] == 0.0
        assert plain["lobbies"][0]["totals"] == [4.0, 4.0]
    (tmp_path / "players.csv").write_text('id,skill\na,"1,5"\n')
    done = run("lobbies", str(tmp_path / "players.csv"), str(tmp_path / "lobbies.csv"))
    assert "skill '1,5' is not a number" in done.stderr


def test_a_plan_reads_back_with_parties_and_bars(tmp_path: Path) -> None:
    """What --csv prints is a file of players: the same plan comes of it, and the same CSV."""
    (tmp_path / "players.csv").write_text(
        "id,skill,sigma,party,barred\n=a,1,0.5,x,\n+b,2,,x,\n'-c,3,,,wild\n-d,4,,,calm;wild\n@e,5,,,\nf,6,,,\ng,,,,\n"
    )
    (tmp_path / "lobbies.csv").write_text("name,target\ncalm,4\nwild,9\nother,7\n")
    (tmp_path / "premades.csv").write_text("team,player1,player2\n1,f,'@e\n")
    lobbies = str(tmp_path / "lobbies.csv")
    first = run(
        "lobbies", str(tmp_path / "players.csv"), lobbies, "--premades", str(tmp_path / "premades.csv"),
        "--csv", "--default-weight", "2",
    )  # fmt: skip
    assert first.returncode == 0, first.stderr
    cells = [row["player"] for row in csv.DictReader(io.StringIO(first.stdout))]
    assert {"'=a", "'+b", "'-c", "'-d", "'@e", "f", "g"} == set(cells)
    (tmp_path / "again.csv").write_text(first.stdout)
    again = run("lobbies", str(tmp_path / "again.csv"), lobbies, "--csv", "--default-weight", "2")
    assert again.stdout == first.stdout
    plain = run(
        "lobbies", str(tmp_path / "again.csv"), lobbies, "--csv", "--no-escape", "--default-weight", "2"
    )
    assert "=a" in [row["player"] for row in csv.DictReader(io.StringIO(plain.stdout))]


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (1.0, "100 %"),
        (0.996, "100 %"),
        (0.5, "50 %"),
        (0.0123, "1.2 %"),
        (1e-7, "below 0.01 %"),
        (0.0, "0 %"),
    ],
)
def test_gaps_are_written_as_people_do(share: float, words: str) -> None:
    """Never in powers of ten."""
    assert _percent(share) == words
