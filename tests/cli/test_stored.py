"""Commands that divide and predict read ratings and matches from an archive."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from tests.cli.running import runner

from equipoise.cli import group

PLAYERS = {
    "id-ann": "Ann",
    "id-bob": "Bob",
    "id-cid": "Cid",
    "id-dan": "Dan",
    "id-eve": "Twin",
    "id-fay": "Twin",
}


def run(*args: str) -> Result:
    """Run a command."""
    return runner().invoke(group, list(args), standalone_mode=True)


def plain(*args: str) -> Any:
    """Return what a command prints as JSON."""
    result = run(*args, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return an archive of matches, which the earlier of two players won."""
    folder = tmp_path_factory.mktemp("store")
    ids = list(PLAYERS)
    records = [
        {"ended": 600 * n, "game": "g", "game_type": "duel", "scores": [2, 1],
         "teams": [[{"id": one, "name": PLAYERS[one]}], [{"id": other, "name": PLAYERS[other]}]]}
        for n, (one, other) in enumerate((ids[a], ids[b]) for a in range(5) for b in range(a + 1, 6))
    ]  # fmt: skip
    (folder / "log.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    url = f"sqlite:///{folder / 'games.db'}"
    assert run("ingest", str(folder / "log.jsonl"), "--store", url).exit_code == 0
    return url


def test_teams_from_ids_and_last_names(store: str, tmp_path: Path) -> None:
    """On the command line or in a file; with the noise of the model; a newcomer is reported."""
    names = tmp_path / "here.txt"
    names.write_text("Ann\nBob\nid-cid\nDan\n")
    reported = plain("balance", "--store", store, "--here", "Ann,Bob,id-cid,Dan")
    assert reported["splits"] == plain("balance", "--store", store, "--here", str(names))["splits"]
    assert reported["splits"] == plain("balance", str(names), "--store", store)["splits"]
    strong = next(team for team in reported["splits"][0]["teams"] if "Ann" in str(team))
    assert "Dan" in str(strong)
    assert reported["beta"] == 1.0
    result = run("balance", "--store", store, "--here", "Ann,Bob,Nobody", "--ruleset", "g/duel")
    assert "rated as new: Nobody" in result.stderr


def test_who_is_forgotten_is_said_to_be_so_and_is_no_stranger(tmp_path: Path) -> None:
    """For teams and for chances."""
    url, table = f"sqlite:///{tmp_path / 'a.db'}", tmp_path / "r.csv"
    table.write_text("date,winner,loser\n2026-01-01,Ann,Bob\n2026-01-02,Ann,Cid\n", encoding="utf-8")
    assert run("import-results", str(table), "--store", url).exit_code == 0
    assert run("forget", "Bob", "--store", url).exit_code == 0
    for call in (
        ("balance", "--here", "Ann,Bob,Nobody"),
        ("predict", "--team", "Ann", "--team", "Bob,Nobody"),
    ):
        said = run(*call, "--store", url).stderr
        assert "note: in no match so far, so rated as new: Nobody\n" in said
        assert "note: forgotten, so rated as new: Bob\n" in said


def test_teams_of_an_archive_have_the_points_that_its_players_have(store: str, tmp_path: Path) -> None:
    """In text, Markdown and the picture, with totals that add up; CSV has the ratings themselves."""
    listed = plain("players", "--store", store, "--ruleset", "g/duel")["players"]
    wanted = {row["name"]: round(10 * row["weight"]) for row in listed if row["name"] != "Twin"}
    picture = tmp_path / "teams.svg"
    asked = ("balance", "--store", store, "--here", "Ann,Bob,Cid,Dan", "--ruleset", "g/duel")
    text = run(*asked, "--plot", str(picture)).stdout
    assert {name: int(shown) for shown, name in re.findall(r"^ +(\d+)  (\w+)$", text, re.MULTILINE)} == wanted
    totals = [int(total) for total in re.findall(r"^Team \d: (\d+)$", text, re.MULTILINE)]
    assert sum(totals) == sum(wanted.values())
    table = run(*asked, "--markdown").stdout
    assert {name: int(shown) for name, shown in re.findall(r"\| (\w+) \| (\d+) \|", table)} == wanted
    assert all(f"{name}: {shown}" in picture.read_text() for name, shown in wanted.items())
    rating = {row["name"]: row["mu"] for row in listed}
    for row in run(*asked, "--csv").stdout.splitlines()[1:]:
        _, name, number = row.split(",")
        assert float(number) == pytest.approx(rating[name], rel=1e-3)


@pytest.mark.parametrize("weight", ["1200", "-1200", "1.5", ""])
def test_a_weight_in_another_unit_than_the_archive_is_refused(
    weight: str, store: str, tmp_path: Path
) -> None:
    """It stands beside ratings of that archive: the line, the range of these, and the remedy are named."""
    roster = tmp_path / "roster.csv"
    roster.write_text(f"name,mu,team_now\nAnn,,1\nBob,,2\nFay B,{weight},1\nCid,,2\n")
    for command in ("balance", "late"):
        result = run(command, str(roster), "--store", store)
        if abs(float(weight or 0.0)) < 1000.0:
            assert result.exit_code == 0, result.output
            continue
        found = str(result.exception)
        assert found.startswith(
            f"{roster}, line 4: weight {weight} of 'Fay B' is far from the ratings of this"
        )
        assert "leave it empty" in found


def test_the_archive_of_the_environment_will_do(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where one is needed."""
    reported = plain("balance", "--store", store, "--here", "Ann,Bob,id-cid,Dan")
    monkeypatch.setenv("EQUIPOISE_STORE", store)
    assert plain("balance", "--here", "Ann,Bob,id-cid,Dan") == reported


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ("balance", "--store", "STORE", "--here", "Ann,Twin"),
            "is the name of several: id-eve, id-fay",
        ),
        (("balance", "--store", "STORE", "--here", "Ann,id-ann"), "'id-ann' and 'Ann' are one player"),
        (("balance", "--here", "Ann,Bob"), "--here requires --store"),
        (("balance", "--store", "STORE", "roster.txt", "--here", "Ann"), "cannot be combined with ROSTER"),
        (("balance", "--store", "STORE", "--here", " , "), "--here names nobody"),
        (("balance",), "ROSTER is missing"),
        (("evaluate",), "FILE is missing"),
        (("evaluate", "some.jsonl", "--store", "STORE"), "--store cannot be used with match files"),
        (("balance", "roster.txt", "--ruleset", "g/duel"), "No such file"),
    ],
)
def test_what_is_wrong_is_reported(store: str, args: tuple[str, ...], message: str) -> None:
    """With what the user typed."""
    result = run(*[store if arg == "STORE" else arg for arg in args])
    assert result.exit_code != 0
    assert message in f"{result.output}{result.exception}"


def test_a_running_game_and_lobbies(store: str, tmp_path: Path) -> None:
    """The roster says who is where, the archive how strong everyone is."""
    roster, lobbies = tmp_path / "now.csv", tmp_path / "lobbies.csv"
    roster.write_text("name,team\nAnn,1\nBob,2\nCid,1\nDan,2\n")
    lobbies.write_text("name\none\ntwo\n")
    reported = plain("late", str(roster), "--store", store, "--join", "id-fay")
    assert reported["player"] == "id-fay"
    filled = plain("lobbies", str(lobbies), "--store", store, "--here", "Ann,Bob,Cid,Dan", "--team-size", "1")
    assert len(filled["lobbies"]) == 2


def test_matches_for_ratings_predictions_and_judgement(store: str, tmp_path: Path) -> None:
    """An export is the same as the archive it is of."""
    pytest.importorskip("polars")
    export = str(tmp_path / "games.parquet")
    assert run("archive", "export", export, "--store", store).exit_code == 0
    assert plain("evaluate", export) == plain("evaluate", "--store", store)
    assert plain("rate", export) == plain("rate", "--store", store)
    reported = plain("predict", "--store", store, "--team", "Ann", "--team", "id-fay")
    assert reported["teams"][0]["win_probability"] > 0.6
    assert not reported["new_players"]
    assert plain("tune", "--store", store, "--steps", "2")
