"""Players of an archive: which are listed and how; archives that can only be read; mutators of an admin."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from tests.cli.running import runner

from equipoise.archive import sqlite
from equipoise.cli import group


def run(*args: str) -> Result:
    """Run a command."""
    return runner().invoke(group, list(args))


def plain(*args: str) -> Any:
    """Return what a command prints as JSON."""
    result = run(*args, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return an archive of duels in two rulesets, one with a name of 10 kB."""
    folder = tmp_path_factory.mktemp("players")
    records = [
        {"ended": n, "game": "g", "game_type": kind, "scores": [2, 1],
         "teams": [[{"id": "ann", "name": "A" * 10_000}], [{"id": other}]]}
        for n, (kind, other) in enumerate([*[("duel", "bob")] * 2, ("duel", "cid"), ("other", "bob")])
    ]  # fmt: skip
    (folder / "log.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    assert run("ingest", str(folder / "log.jsonl"), "--store", f"sqlite:///{folder}/a.db").exit_code == 0
    return f"sqlite:///{folder}/a.db"


def test_the_first_and_those_who_have_played(store: str) -> None:
    """Of each ruleset, in an order that can be chosen."""
    rows = plain("players", "--store", store, "--top", "1")["players"]
    assert [(row["id"], row["ruleset"]) for row in rows] == [("ann", "g/duel"), ("ann", "g/other")]
    rows = plain("players", "--store", store, "--min-games", "2", "--sort", "name")["players"]
    assert [row["id"] for row in rows] == ["bob", "ann"]
    result = run("players", "--store", store, "--ruleset", "g/nothing")
    assert "there are: g/duel, g/other" in result.stderr


def test_a_long_name_does_not_pad_every_row(store: str) -> None:
    """It is cut in the table, and whole in JSON."""
    result = run("players", "--store", store)
    assert max(map(len, result.stdout.splitlines())) < 200
    assert len(plain("players", "--store", store)["players"][0]["name"]) == 10_000


def test_an_archive_that_cannot_be_written_is_read(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As from a mount or a copy for safety; what would write says so."""
    monkeypatch.setattr(sqlite, "_may_write", lambda _: False)
    assert plain("players", "--store", store)["players"]
    assert plain("archive", "digest", "--store", store)["matches"] == 4
    assert "read-only" in str(run("archive", "rebuild", "--store", store).exception)


INIT = r"  0:00 InitGame: \gamename\{}\g_gametype\1\mapname\m\g_fog\1\g_gravity\200"
GAME = """
  0:01 ClientUserinfoChanged: 0 n\\Ann\\t\\0\\id\\0123456789ABCDEF0123456789ABCDE1
  0:01 ClientUserinfoChanged: 1 n\\Bob\\t\\0\\id\\0123456789ABCDEF0123456789ABCDE2
  5:00 Exit: Timelimit hit.
  5:00 score: 1  ping: 48  client: 0 Ann
  5:00 score: 0  ping: 0  client: 1 Bob
"""


@pytest.mark.slow
def test_an_admin_says_what_counts_as_a_mutator(tmp_path: Path) -> None:
    """In a file for all games; a game that no table knows is reported."""
    (tmp_path / "games.log").write_text(INIT.format("baseoa") + GAME + INIT.format("cpma") + GAME)
    (tmp_path / "m.toml").write_text('[openarena]\ngameplay = ["g_warmup"]\ncosmetic = ["g_fog"]\n')
    args = ("ingest", str(tmp_path / "games.log"), "--store")
    result = run(*args, f"sqlite:///{tmp_path}/a.db")
    assert "cpma: a game that no table knows" in result.stderr
    store = f"sqlite:///{tmp_path}/b.db"
    reported = plain(*args, store, "--mutators", str(tmp_path / "m.toml"))
    assert reported["unknown_games"] == ["cpma"]
    rulesets = {row["ruleset"] for row in plain("players", "--store", store)["players"]}
    assert rulesets == {"openarena/duel+g_gravity", "cpma/duel+g_fog+g_gravity"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[x", "--mutators:"),
        ("x = 1", "must be a table"),
        ("[x]\ngameplay = 1", "x.gameplay must be a list of names"),
        ('[x]\ngameplay = ["a"]\ncosmetic = ["a"]', "'a' is in both lists"),
    ],
)
def test_a_wrong_file_of_mutators_is_reported(tmp_path: Path, text: str, message: str) -> None:
    """With its name."""
    (tmp_path / "m.toml").write_text(text)
    (tmp_path / "log").write_text("")
    args = ("ingest", str(tmp_path / "log"), "--store", f"sqlite:///{tmp_path}/a.db")
    assert message in str(run(*args, "--mutators", str(tmp_path / "m.toml")).exception)


def test_a_game_that_was_reported_too_is_reported(tmp_path: Path) -> None:
    """Its log is read and its result is there: it would count twice."""
    ids = ["0123456789ABCDEF0123456789ABCDE1", "0123456789ABCDEF0123456789ABCDE2"]
    result = {"id": "game 7", "ended": "2026-01-31T20:15:00Z", "game": "openarena", "game_type": "duel",
              "teams": [[ids[0]], [ids[1]]], "scores": [1, 0]}  # fmt: skip
    (tmp_path / "results.jsonl").write_text(json.dumps(result) + "\n")
    start = INIT.format("baseoa") + r"\g_timestamp\2026-01-31 20:10:00"
    (tmp_path / "games.log").write_text(start + GAME)
    store = ("--store", f"sqlite:///{tmp_path}/a.db")
    assert plain("ingest", str(tmp_path / "results.jsonl"), *store)["twice"] == 0
    reported = run("ingest", str(tmp_path / "games.log"), *store)
    assert "probably the game of the result 'game 7'" in reported.stderr


@pytest.mark.slow
def test_a_result_whose_log_was_read_is_reported(tmp_path: Path) -> None:
    """Either may come first, with or without an id or dates; other scores are another game."""
    ids = ["0123456789ABCDEF0123456789ABCDE1", "0123456789ABCDEF0123456789ABCDE2"]
    result = {"ended": "2026-01-31T20:15:00Z", "game": "openarena", "game_type": "duel",
              "teams": [[ids[0]], [ids[1]]], "scores": [1, 0]}  # fmt: skip
    (tmp_path / "results.jsonl").write_text(json.dumps(result) + "\n")
    (tmp_path / "others.jsonl").write_text(json.dumps({**result, "scores": [1, 5]}) + "\n")
    (tmp_path / "dated.log").write_text(INIT.format("baseoa") + r"\g_timestamp\2026-01-31 20:10:00" + GAME)
    (tmp_path / "games-20260203.log").write_text(INIT.format("baseoa") + GAME)
    for name in ("dated.log", "games-20260203.log"):
        log, results = str(tmp_path / name), str(tmp_path / "results.jsonl")
        for order in ((log, results), (results, log)):
            store = ("--store", f"sqlite:///{tmp_path}/{name}-{order[0] == log}.db")
            assert plain("ingest", order[0], *store)["twice"] == 0
            assert plain("ingest", order[1], *store)["twice"] == 1
        others = ("--store", f"sqlite:///{tmp_path}/{name}-others.db")
        plain("ingest", str(tmp_path / "others.jsonl"), *others)
        assert plain("ingest", log, *others)["twice"] == 0


def test_results_after_a_log_of_the_same_run_are_reported(tmp_path: Path) -> None:
    """Results that came before the log do not hide that there is a log now."""
    ids = ["0123456789ABCDEF0123456789ABCDE1", "0123456789ABCDEF0123456789ABCDE2"]
    result = {"ended": "2026-01-31T20:15:00Z", "game": "openarena", "game_type": "duel",
              "teams": [[ids[0]], [ids[1]]], "scores": [1, 0]}  # fmt: skip
    paths = [tmp_path / name for name in ("before.jsonl", "games.log", "after.jsonl")]
    paths[0].write_text(json.dumps({**result, "scores": [1, 5]}) + "\n")
    paths[1].write_text(INIT.format("baseoa") + r"\g_timestamp\2026-01-31 20:10:00" + GAME)
    paths[2].write_text(json.dumps(result) + "\n")
    store = ("--store", f"sqlite:///{tmp_path}/a.db")
    assert plain("ingest", *map(str, paths), *store)["twice"] == 1


def test_games_of_which_nobody_said_what_was_played_are_general(tmp_path: Path) -> None:
    """One word for them in tables, in JSON and where it is typed; no bare slash."""
    matches = [{"ended": n, "teams": [["ann"], ["bob"]], "ranks": [1, 2]} for n in range(3)]
    (tmp_path / "night.jsonl").write_text("".join(json.dumps(match) + "\n" for match in matches))
    address = f"sqlite:///{tmp_path}/night.db"
    assert run("ingest", str(tmp_path / "night.jsonl"), "--store", address).exit_code == 0
    for typed in (("players",), ("players", "--ruleset", "general"), ("players", "ann")):
        shown = run(*typed, "--store", address).stdout
        assert " general " in shown, typed
        assert " / " not in shown, typed
    assert {row["ruleset"] for row in plain("players", "--store", address)["players"]} == {"general"}
    assert {row["ruleset"] for row in plain("players", "ann", "--store", address)["games"]} == {"general"}
