"""``equipoise balance --request`` and ``--save-request``: the same question from flags and from files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import Result
from tests.cli.running import runner

from equipoise.cli.balance import command

ROSTER = "name,weight,party,team\nAnn,31,x,\nBob,28,x,\nCid,25,,1\nDan,22,,\nEve,19,,\nFay,15,,\n"
SCHEMA = Path(__file__).parents[2] / "docs" / "request.schema.json"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the directory that commands run in, with a roster."""
    (tmp_path / "roster.csv").write_text(ROSTER)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*args: str) -> Result:
    """Run the command in this process; errors of ours are for the caller to look at."""
    return runner().invoke(command, [*args], catch_exceptions=True)


def reported(*args: str) -> dict[str, Any]:
    """Return the JSON of a run that must succeed."""
    done = run(*args, "--json")
    assert done.exit_code == 0, (done.output, done.exception)
    plain: dict[str, Any] = json.loads(done.stdout)
    return plain


FLAGS = [
    ("--keep", "2", "--objective", "difference"),
    ("--size", "3", "--apart", "Dan,Eve", "--fix", "Fay=1"),
    ("--bots", "weight=20,target=8", "--max-difference", "2"),
    (
        "--prefer",
        "Dan,Eve=2%",
        "--side-price",
        "1%",
        "--objective",
        "win,difference",
        "--within",
        "0.01",
    ),
    (
        "--objective",
        "win=1,difference=0.01",
        "--default-weight",
        "20",
        "--beta",
        "10",
        "--solver",
        "climb",
        "--seed",
        "3",
    ),
]


@pytest.mark.parametrize("flags", FLAGS)
def test_a_saved_request_asks_the_same(flags: tuple[str, ...], here: Path) -> None:
    """What flags and a roster ask is written by the schema, and gives the same answer when read."""
    answer = reported("roster.csv", *flags, "--save-request", "asked.json")
    jsonschema.validate(json.loads((here / "asked.json").read_text()), json.loads(SCHEMA.read_text()))
    assert reported("--request", "asked.json") == answer


def test_flags_and_a_roster_replace_what_the_file_says(here: Path) -> None:
    """A flag replaces the field, ROSTER the players, everything else stays."""
    (here / "asked.toml").write_text(
        'objective = "difference"\nkeep = 3\nplayers = {Ann = 3, Bob = 2.5, Cid = 2, Dan = 1}\n'
    )
    assert len(reported("--request", "asked.toml")["splits"]) == 3
    assert len(reported("--request", "asked.toml", "--keep", "1")["splits"]) == 1
    replaced = reported("roster.csv", "--request", "asked.toml")
    assert (replaced["objective"], sum(map(len, replaced["splits"][0]["teams"]))) == ("difference", 6)


@pytest.mark.parametrize(
    ("text", "args", "message"),
    [
        ('{"players": {"Ann": 1}, "keep": 0}', (), "asked.json: keep must be at least 1, got 0"),
        ('{"players": {"Ann": 1}, "keep": 2}', ("--keep", "0"), "--keep must be at least 1, got 0"),
        ('{"players": {"Ann": -1, "Bob": 1}, "objective": "ratio"}', (), "asked.json: players, entry 1: "),
        ('{"players": [{"name": "A", "mu": -1}, {"name": "B", "mu": 2}], "objective": "ratio"}', (),
         "asked.json: objective: 'ratio' needs weights of 0 and above"),
        ('{"players": {"Ann": 1}, "aparts": []}', (), "asked.json: there is no field 'aparts'"),
        ('{"players": {"Ann": 1}', (), "asked.json, line 1: it is not JSON"),
    ],
)  # fmt: skip
def test_mistakes_name_the_flag_or_the_file_and_the_field(
    text: str, args: tuple[str, ...], message: str, here: Path
) -> None:
    """Whoever reads it knows where to look."""
    (here / "asked.json").write_text(text)
    done = run("--request", "asked.json", *args)
    assert done.exit_code == 1
    assert str(done.exception).startswith(message)


def test_something_must_be_asked_about() -> None:
    """Neither a roster nor a request is a mistake."""
    done = run("--keep", "2")
    assert done.exit_code == 1
    assert str(done.exception).startswith("ROSTER is missing")


def test_one_is_divided_and_nobody_is_refused(here: Path) -> None:
    """A team may be empty, and it is said that chances then mean nothing."""
    (here / "asked.json").write_text('{"players": [{"name": "Ann", "weight": 3}]}')
    done = run("--request", "asked.json")
    assert done.exit_code == 0
    assert "Nobody is in team 2: win chances mean nothing there." in done.output
    (here / "asked.json").write_text('{"players": []}')
    assert "nobody to divide" in str(run("--request", "asked.json").exception)


def test_a_saved_request_of_players_alone_is_a_request(tmp_path: Path) -> None:
    """What nothing but a roster was asked of is saved and read like any other."""
    (tmp_path / "roster.txt").write_text("31 Ann\n25 Bob\n20 Cid\n11 Dan\n")
    path = str(tmp_path / "asked.json")
    saved = run(str(tmp_path / "roster.txt"), "--save-request", path, "--json")
    again = run("--request", path, "--json")
    answer = json.loads(saved.stdout)
    assert answer.pop("read")["players"] == 4
    assert (again.exit_code, json.loads(again.stdout)) == (0, answer)


def test_a_saved_request_keeps_what_a_roster_says_of_its_scale(tmp_path: Path) -> None:
    """Beta, zero and how often even teams draw: the answer is the same, its line of draws too."""
    roster, path = tmp_path / "roster.csv", str(tmp_path / "asked.json")
    rows = "".join(f"{name},{weight},2,0.5,0.25\n" for name, weight in zip("abcd", (9, 7, 5, 4), strict=True))
    roster.write_text(f"name,weight,beta,zero,draws\n{rows}")
    for form in ((), ("--json",)):
        saved = run(str(roster), "--save-request", path, *form)
        again = run("--request", path, *form)
        assert (saved.exit_code, again.exit_code) == (0, 0), saved.output + again.output
        assert again.stdout == saved.stdout
        assert '"draw"' in saved.stdout or "Draw " in saved.stdout
    assert json.loads(Path(path).read_text())["draws"] == 0.25
