"""``equipoise rate``, ``evaluate``, ``predict`` and ``tune`` as people and programs meet them."""

from __future__ import annotations

import gc
import json
import os
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.cli.running import run

from equipoise.cli.histories import read_history
from equipoise.errors import InputError
from equipoise.registry import MODELS

EXAMPLE = str(Path(__file__).resolve().parent.parent.parent / "examples" / "matches.jsonl")


@pytest.fixture
def history(tmp_path: Path) -> str:
    """Return a match file of forty duels that Ann mostly wins."""
    lines = [
        json.dumps({"id": n, "ended": n, "teams": [["Ann"], ["Bob"]], "scores": [1 + n % 4, 1.5]})
        for n in range(40)
    ]
    path = tmp_path / "history.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


def test_rate_prints_a_table_and_json() -> None:
    """Players, strongest first; JSON has each ruleset with scale and mean bot."""
    done = run("rate", EXAMPLE)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0].split() == ["player", "0-100", "mu", "sigma", "contests"]
    assert done.stdout.splitlines()[1].startswith("Amber")
    plain = json.loads(run("rate", EXAMPLE, "--json").stdout)
    assert plain["matches"] == 5
    assert [kind["game_type"] for kind in plain["ratings"]] == ["", "ctf", "dm", "tdm"]
    assert plain["ratings"][0]["mean_bot"]["bots"] == 1
    assert set(plain["ratings"][0]["players"][0]) == {"id", "mu", "sigma", "scale", "contests"}


def test_rate_depends_on_the_set_of_matches_alone(history: str) -> None:
    """The same file twice changes nothing; a window and a date do."""
    once = run("rate", history).stdout
    assert run("rate", history, history).stdout == once
    assert run("rate", history, "--window", "5").stdout != once
    assert run("rate", history, "--since", "1970-01-01T00:00:20Z").stdout != once


@pytest.mark.parametrize("model", MODELS)
def test_every_model_rates(model: str, history: str) -> None:
    """Ann is ahead by every one."""
    done = run("rate", history, "--model", model, "--json")
    assert [player["id"] for player in json.loads(done.stdout)["ratings"][0]["players"]] == ["Ann", "Bob"]


def test_a_wrong_record_is_named_and_counted_and_the_rest_is_done(history: str) -> None:
    """Exit code 1 and a count at the end; with ``--strict`` the first one ends it."""
    path = Path(history)
    path.write_text(
        '{"ended": 1}\n'
        + path.read_text()
        + '\n{"id": 1, "ended": 9, "teams": [["x"], ["y"]], "ranks": [1, 2]}\n'
    )
    done = run("rate", history)
    assert done.returncode == 1
    assert done.stdout.splitlines()[1].startswith("Ann")
    assert f"{history}, line 1: teams must be two or more lists" in done.stderr
    assert "id: another match has the id '1' too" in done.stderr
    assert done.stderr.splitlines()[-1] == "error: 2 records skipped, 40 matches read"
    strict = run("rate", history, "--strict")
    assert (strict.returncode, strict.stdout) == (1, "")
    assert strict.stderr.startswith(f"error: {history}, line 1: teams must be ")


def test_rate_reads_standard_input_and_writes_a_file(tmp_path: Path) -> None:
    """``-`` is JSONL; what cannot be written is said."""
    done = run("rate", "-", "--output", str(tmp_path / "out.txt"), stdin=Path(EXAMPLE).read_text())
    assert (done.returncode, done.stdout) == (0, "")
    assert "Amber" in (tmp_path / "out.txt").read_text()
    assert "cannot be written" in run("rate", EXAMPLE, "--output", str(tmp_path / "no" / "x")).stderr


def test_evaluate_prints_json_with_the_default_model(history: str) -> None:
    """Each model has n, log-loss, Brier, accuracy, slope and ECE; the default one is always there."""
    plain = json.loads(
        run("evaluate", history, "--json", "--models", "elo,trueskill", "--skip", "0.5").stdout
    )
    assert list(plain["models"]) == ["default", "elo", "trueskill"]
    assert set(plain["models"]["default"]) == {
        "n", "log_loss", "brier", "accuracy", "calibration_slope", "ece", "three_way", "draws",
    }  # fmt: skip
    assert plain["models"]["default"]["n"] == 20
    assert list(plain["groups"]["default"]) == ["ruleset (none)", "teams 1 v 1"]


def test_evaluate_prints_a_table_and_draws(history: str, tmp_path: Path) -> None:
    """All models in rows, and the reliability diagram as SVG."""
    done = run("evaluate", history, "--models", "all", "--plot", str(tmp_path / "out.svg"))
    assert done.returncode == 0, done.stderr
    assert {line.split()[0] for line in done.stdout.splitlines()[1:]} >= set(MODELS)
    assert ET.parse(tmp_path / "out.svg").getroot().tag.endswith("svg")


def test_tune_prints_settings(history: str) -> None:
    """What was found, and how it does on the rest; once for each ruleset where one is left out."""
    done = run("tune", history, "--steps", "3", "--part", "0.9")
    assert done.returncode == 0, done.stderr
    assert "Log-loss on the rest: " in done.stdout
    plain = json.loads(run("tune", history, "--steps", "2", "--only", "sigma,outcome", "--json").stdout)
    assert plain[0]["settings"]["beta"] == 1.0


def test_predict_says_who_wins_by_how_much_and_how_open_it_is(history: str) -> None:
    """Teams by names, with presence; strangers are named; models without a margin say none."""
    done = run("predict", EXAMPLE, "--team", "Amber,Elm", "--team", "Birch, Cedar@0.5", "--game-type", "ctf")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0].split() == ["team", "wins", "margin"]
    assert done.stdout.splitlines()[-2].startswith("quality 0.")
    assert done.stdout.splitlines()[-1].startswith("draw ")
    asked = ("--team", "Ann", "--team", "Bob@0.5", "--team", "Cid", "--json")
    plain = json.loads(run("predict", history, *asked).stdout)
    assert [team["players"][0] for team in plain["teams"][:2]] == [
        {"id": "Ann", "share": 1.0}, {"id": "Bob", "share": 0.5},
    ]  # fmt: skip
    assert sum(team["win_probability"] for team in plain["teams"]) == pytest.approx(1.0)
    assert plain["new_players"] == ["Cid"]
    assert 0.0 < plain["quality"] < 1.0
    elo = json.loads(run("predict", history, *asked, "--model", "elo").stdout)
    assert (elo["quality"], elo["teams"][0]["expected_margin"]) == (None, None)
    typo = run("predict", history, *asked[:-1], "--game-type", "cft").stderr
    assert "rated as new: Cid" in typo
    assert "no match has this game, game type and mutators" in typo


def test_profiles_and_settings_of_ones_own(history: str, tmp_path: Path) -> None:
    """A profile changes the ratings; what tune prints can be used; wrong settings are named with the file."""
    path = tmp_path / "settings.json"
    path.write_text(run("tune", history, "--steps", "3", "--part", "0.9", "--json").stdout)
    reported = {run("rate", history, *more).stdout for more in ((), ("--profile", "results-only"))}
    assert len(reported) == 2
    tuned = run("rate", history, "--settings", str(path))
    assert tuned.returncode == 0, tuned.stderr
    assert tuned.stdout not in reported
    for command in ("evaluate", "predict"):
        asked = ("--team", "Ann", "--team", "Bob") if command == "predict" else ()
        plain, other = (
            run(command, history, *asked, *more).stdout for more in ((), ("--settings", str(path)))
        )
        assert plain != other
    path.write_text('{"sigma": -1}')
    assert run("rate", history, "--settings", str(path)).stderr.startswith(
        f"error: --settings: {path}: sigma"
    )
    path.write_text("no")
    assert "is not JSON" in run("rate", history, "--settings", str(path)).stderr


def test_constants_of_several_models_are_in_one_file_by_name(history: str, tmp_path: Path) -> None:
    """``evaluate`` compares what they make; whoever is not asked for, or takes no such thing, is named."""
    path = tmp_path / "constants.json"
    path.write_text('{"elo": {"k": 200}, "default": {"sigma": 2.0}}')
    both = ("--models", "elo,glicko2", "--settings", str(path))
    plain, other = (
        json.loads(run("evaluate", history, *more, "--json").stdout)["models"] for more in (both[:2], both)
    )
    assert {name for name in plain if plain[name] != other[name]} == {"elo", "default"}
    alone = tmp_path / "elo.json"
    alone.write_text('{"k": 200}')
    by_name, by_itself = (
        run("rate", history, "--model", "elo", "--settings", str(each)).stdout for each in (path, alone)
    )
    assert by_name == by_itself
    for asked, message in (
        (("evaluate", history, "--settings", str(path)), "'elo' is not among --models"),
        (
            ("rate", history, "--model", "glicko2", "--settings", str(path)),
            "has nothing for glicko2, only for",
        ),
        (("rate", history, "--model", "json:loads", "--settings", str(alone)), "json:loads has no constants"),
        (
            ("rate", history, "--model", "elo", "--profile", "frozen"),
            "--profile cannot be used with --model elo",
        ),
        (
            ("rate", history, "--model", "elo", "--starting", "x.csv"),
            "--starting cannot be used with --model elo",
        ),
    ):
        done = run(*asked)
        assert done.returncode, asked
        assert message in done.stderr, asked


def test_a_roster_of_ratings_is_read_by_balance(history: str, tmp_path: Path) -> None:
    """The numbers are those of --json; several rulesets without --ruleset are refused by name."""
    roster = tmp_path / "roster.csv"
    done = run("rate", history, "--roster", str(roster), "--ruleset", "general", "--json")
    assert done.returncode == 0, done.stderr
    players = json.loads(done.stdout)["ratings"][0]["players"]
    rows = {line.split(",")[0]: line.split(",")[2] for line in roster.read_text().splitlines()[1:]}
    assert {player["id"]: repr(player["mu"]) for player in players} == rows
    assert run("balance", str(roster)).returncode == 0
    refused = run("rate", EXAMPLE, "--roster", str(roster))
    assert refused.stderr.startswith("error: --roster: several rulesets were played, name one with --ruleset")
    unknown = run("rate", history, "--roster", str(roster), "--ruleset", "/")
    assert unknown.stderr == "error: --ruleset: nobody played '/'; there is general\n"
    assert run("rate", EXAMPLE, "--ruleset", "general").stderr.startswith(
        "error: --ruleset requires --roster"
    )
    assert "at least 3 players must have a weight" in run("rate", history, "--starting", str(roster)).stderr
    roster.write_text("Ann 3\nBob 2\nCid 1\n")
    plain, started = (run("rate", history, *more).stdout for more in ((), ("--starting", str(roster))))
    assert plain != started


def test_curves_are_drawn_and_written(history: str, tmp_path: Path) -> None:
    """A picture, or all curves as JSON; of who played last the last point is the rating."""
    assert run("rate", history, "--curves", str(tmp_path / "c.svg")).returncode == 0
    assert ET.parse(tmp_path / "c.svg").getroot().tag.endswith("svg")
    rated = json.loads(run("rate", history, "--curves", str(tmp_path / "c.json"), "--json").stdout)
    curves = json.loads((tmp_path / "c.json").read_text())["curves"]
    last = {curve["id"]: curve["mu"][-1] for curve in curves}
    final = {player["id"]: player["mu"] for player in rated["ratings"][0]["players"]}
    assert last.keys() == final.keys()
    assert any(last[player] == final[player] for player in final)
    assert len(curves[0]["at"]) == len(curves[0]["sigma"]) == 40


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("rate", "nowhere.jsonl"), 1, "error: nowhere.jsonl: cannot be read"),
        (("rate", EXAMPLE, "--window", "0"), 1, "error: window must be at least 1 contest, got 0"),
        (("rate", EXAMPLE, "--since", "soon"), 1, "error: --since must be seconds since 1970 or a date"),
        (("rate", EXAMPLE, "--model", "nosuch"), 2, "Usage: "),
        (("evaluate", EXAMPLE, "--models", "nosuch"), 2, "Usage: "),
        (("evaluate", EXAMPLE, "--skip", "2"), 1, "error: --skip must be at least 0 and below 1, got 2.0"),
        (("tune", EXAMPLE, "--only", "nosuch"), 1, "error: only must be among"),
        (("rate",), 1, "error: FILE is missing"),
        (("rate", EXAMPLE, "--since", "2030-01-01"), 1, "error: --since: no match ended on 2030-01-01"),
        (("rate", EXAMPLE, "--profile", "nosuch"), 2, "Usage: "),
        (("rate", EXAMPLE, "--profile", "frozen", "--model", "elo"), 2, "Usage: "),
        (
            ("rate", EXAMPLE, "--settings", "nowhere.json"),
            1,
            "error: --settings: nowhere.json cannot be read",
        ),
        (
            ("rate", EXAMPLE, "--curves", "x.png"),
            1,
            "error: --curves must be a file that ends in .svg or .json",
        ),
        (
            ("rate", EXAMPLE, "--curves", "x.svg", "--window", "3"),
            1,
            "error: --curves cannot be used with --window",
        ),
        (("tune", EXAMPLE, "--seed", "-1"), 2, "Usage: "),
        (("tune", EXAMPLE, "--part", "nan"), 1, "error: --part must be above 0 and at most 1, got nan"),
        (("predict", EXAMPLE, "--team", "Amber"), 1, "error: --team must be two or more"),
        (("predict", EXAMPLE, "--team", "Amber", "--team", "Amber"), 1, "error: teams: the player 'Amber'"),
        (
            ("predict", EXAMPLE, "--team", "Amber@0.5", "--team", "Elm@7"),
            1,
            "error: share of player 'Elm' must be from 1e-06 to 1, got 7.0",
        ),
        (("predict", EXAMPLE), 2, "Usage: "),
    ],
)
def test_what_is_at_fault_is_said(args: tuple[str, ...], code: int, message: str) -> None:
    """Exit code 1 for values and files, 2 for usage."""
    done = run(*args)
    assert done.returncode == code
    assert done.stderr.startswith(message)


def test_garbage_is_looked_for_again_after_reading(tmp_path: Path) -> None:
    """Also where reading ended with a mistake."""
    path = tmp_path / "none.jsonl"
    path.write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="no match found"):
        read_history((str(path),))
    assert gc.isenabled()


def test_balance_uses_the_scale_of_a_roster_that_rate_wrote(tmp_path: Path) -> None:
    """Beta is that of the model, and the chance of a draw what was learnt; one beta holds for all."""
    roster = tmp_path / "roster.csv"
    run("rate", EXAMPLE, "--roster", str(roster), "--ruleset", "general")
    lines = roster.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "id,name,mu,sigma,beta,draws"
    plain = json.loads(run("balance", str(roster), "--json").stdout)
    assert plain["beta"] == 1.0
    assert 0.0 < plain["splits"][0]["draw"] < 0.1
    assert "Draw 4.7 %" in run("balance", str(roster)).stdout
    assert json.loads(run("balance", str(roster), "--json", "--beta", "2").stdout)["beta"] == 2.0
    roster.write_text("\n".join([*lines[:2], lines[2].replace(",1.0,", ",2.0,")]), encoding="utf-8")
    assert "line 3: beta is 2 here and 1 before" in run("balance", str(roster)).stderr


def test_a_winner_at_equal_scores_is_reported(tmp_path: Path) -> None:
    """Ranks count; scores that contradict them are refused."""
    line = {"ended": 1, "teams": [["ann"], ["bob"]], "ranks": [1, 2], "scores": [3, 3]}
    (tmp_path / "a.jsonl").write_text(
        json.dumps(line) + "\n" + json.dumps({**line, "ended": 2, "ranks": [1, 1]})
    )
    for command in ("rate", "evaluate"):
        assert "1 contest has a winner at equal scores" in run(command, str(tmp_path / "a.jsonl")).stderr


def test_settings_for_several_models_may_come_from_a_pipe(history: str) -> None:
    """They are read once, whatever number of models they are for."""
    read, write = os.pipe()
    with os.fdopen(read), os.fdopen(write, "w", encoding="utf-8") as pipe:
        pipe.write(json.dumps({"elo": {"k": 32}, "glicko2": {"tau": 0.4}}))
        pipe.close()
        done = run("evaluate", history, "--models", "elo,glicko2", "--settings", f"/dev/fd/{read}")
    assert done.returncode == 0, done.stderr
