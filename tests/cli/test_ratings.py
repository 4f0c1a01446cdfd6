"""``equipoise rate``, ``evaluate``, ``predict`` and ``tune`` as people and programs meet them."""

from __future__ import annotations

import gc
import json
import os
import re
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.cli.running import run

from equipoise import Contest, Ladder, Match, Mixture, Ruleset, replay
from equipoise.archive.archive import open_archive
from equipoise.cli.read_history import read_history
from equipoise.core.registry import MODELS
from equipoise.errors import InputError

EXAMPLE = str(Path(__file__).resolve().parent.parent.parent / "examples" / "matches.jsonl")


GAME = Ruleset("g", "t")


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
    """Players, strongest first, in points with a likely range; data has mu and sigma, in each ruleset."""
    done = run("rate", EXAMPLE)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0].split() == [
        "player", "points", "most", "likely", "contests", "last", "seen",
    ]  # fmt: skip
    words = done.stdout.splitlines()[1].split()
    assert int(words[2]) < int(words[1]) < int(words[4])
    data = run("rate", EXAMPLE, "--csv").stdout.splitlines()
    assert data[0] == "player,0-100,mu,sigma,careful,contests,last seen"
    assert round(10.0 * float(data[1].split(",")[1]), -1) == round(int(words[1]), -1)
    assert done.stdout.splitlines()[1].startswith("Amber")
    plain = json.loads(run("rate", EXAMPLE, "--json").stdout)
    assert plain["matches"] == 5
    assert [kind["game_type"] for kind in plain["ratings"]] == ["", "ctf", "dm", "tdm"]
    assert plain["ratings"][0]["mean_bot"]["bots"] == 1
    first = plain["ratings"][0]["players"][0]
    assert set(first) == {"id", "mu", "sigma", "careful", "scale", "contests", "last_seen"}
    assert first["careful"] == first["mu"] - 2.0 * first["sigma"]
    assert first["last_seen"] > 1.7e9


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


def test_tune_scores_what_it_left_out_as_evaluate_does(tmp_path: Path) -> None:
    """Rulesets with mutators apart, draws as a third outcome; the shipped model's figures are its own."""
    games = [
        {
            "ended": n, "id": str(n), "game_type": "ctf", "mutators": ["insta"] if n % 3 == 0 else [],
            "teams": [["a", "b"], ["c", "d"]] if n % 2 else [["a", "c"], ["b", "d"]], "scores": [n % 4, 1],
        }
        for n in range(60)
    ]  # fmt: skip
    path = tmp_path / "games.jsonl"
    path.write_text("\n".join(map(json.dumps, games)), encoding="utf-8")
    plain = json.loads(run("tune", str(path), "--steps", "1", "--leave-out", "--json").stdout)
    groups = json.loads(run("evaluate", str(path), "--json").stdout)["groups"]["default"]
    assert [each["left_out"] for each in plain] == ["/ctf+insta", "/ctf"]
    for each, name in zip(plain, ("ruleset ctf insta", "ruleset ctf"), strict=True):
        assert each["shipped"] == groups[name]
        assert each["shipped"]["draws"] > 0


def test_a_file_that_sets_everything_is_named_as_what_it_makes(history: str, tmp_path: Path) -> None:
    """It makes one Gaussian filter, under its name wherever a model is named, and without a second of it."""
    tuned, part = tmp_path / "tuned.json", tmp_path / "part.json"
    tuned.write_text(run("tune", history, "--steps", "2", "--model", "gaussian-filter", "--json").stdout)
    part.write_text('{"sigma": 0.7}')
    teams = ("--team", "Ann", "--team", "Bob")
    for path, name in ((tuned, "gaussian-filter"), (part, "default")):
        settings = ("--settings", str(path), "--json")
        assert json.loads(run("rate", history, *settings).stdout)["model"] == name
        assert json.loads(run("predict", history, *teams, *settings).stdout)["model"] == name
        assert list(json.loads(run("evaluate", history, *settings).stdout)["models"]) == [name]
        both = json.loads(run("evaluate", history, "--models", "gaussian-filter", *settings).stdout)["models"]
        other = "gaussian-filter (--settings)" if path == tuned else name
        assert list(both) == [other, "gaussian-filter"]
    refused = run("rate", history, "--settings", str(tuned), "--starting", "x.txt")
    assert refused.returncode == 2
    assert f"--settings {tuned}: it sets every constant" in refused.stderr


def test_tune_says_what_it_is_compared_with(history: str) -> None:
    """The shipped default, and the one filter from which the search began, on what was not looked at."""
    found = json.loads(run("tune", history, "--steps", "2", "--json").stdout)[0]
    evaluated = json.loads(run("evaluate", history, "--models", "gaussian-filter", "--json").stdout)["models"]
    assert (found["shipped"], found["untuned"]) == (evaluated["default"], evaluated["gaussian-filter"])
    text = run("tune", history, "--steps", "2").stdout
    for each in ("shipped default; ", "one filter, untuned; ", " tuned."):
        assert each in text


def test_all_models_are_among_others(history: str) -> None:
    """Each once, wherever 'all' stands."""
    every = json.loads(run("evaluate", history, "--models", "all,elo", "--json").stdout)["models"]
    assert sorted(every) == sorted(MODELS)


def test_tune_prints_settings(history: str) -> None:
    """What was found, and how it does on the rest; once for each ruleset where one is left out."""
    done = run("tune", history, "--steps", "3", "--part", "0.9")
    assert done.returncode == 0, done.stderr
    assert "Log-loss on the rest: " in done.stdout
    only = ("--only", "sigma,outcome", "--json")
    plain = json.loads(run("tune", history, "--steps", "2", "--model", "gaussian-filter", *only).stdout)
    assert plain[0]["settings"]["beta"] == 1.0
    mixed = json.loads(run("tune", history, "--steps", "9", *only).stdout)[0]["settings"]
    assert {name.rpartition(".")[2] for name in mixed} <= {"sigma", "outcome"}
    assert {name.partition(".")[0] for name in mixed} <= {"steady", "keen"}


def test_tune_keeps_starting_weights(history: str, tmp_path: Path) -> None:
    """They are what the search begins with, and what is found may be used with them again."""
    guesses, tuned = tmp_path / "guesses.txt", tmp_path / "tuned.json"
    guesses.write_text("Ann 1\nBob 9\nCid 5\n")
    starting = ("--starting", str(guesses))
    found = run("tune", history, "--steps", "6", *starting, "--json")
    assert found.returncode == 0, found.stderr
    plain = json.loads(found.stdout)[0]
    assert plain["before"] != json.loads(run("tune", history, "--steps", "1", "--json").stdout)[0]["before"]
    tuned.write_text(found.stdout)
    done = run("evaluate", history, "--settings", str(tuned), *starting, "--json")
    assert json.loads(done.stdout)["models"]["default"] == plain["tuned"]


def test_predict_says_who_wins_by_how_much_and_how_open_it_is(history: str) -> None:
    """Teams by names, with presence; strangers are named; models without a margin say none."""
    done = run("predict", EXAMPLE, "--team", "Amber,Elm", "--team", "Birch, Cedar@0.5", "--game-type", "ctf")
    assert done.returncode == 0, done.stderr
    verdict, head, *teams, draw = done.stdout.splitlines()
    assert re.fullmatch(r"Amber \+ Elm (?:far )?ahead: [0-9]+ : [0-9]+\.", verdict)
    assert head.split() == ["team", "wins", "margin"]
    shares = [re.findall("[+-]?[0-9]+(?= %)", line) for line in teams]
    assert sum(int(wins) for wins, _ in shares) == 100
    assert [margin for _, margin in shares] == [shares[0][1], shares[0][1].replace("+", "-")]
    assert re.fullmatch(r"Draw [0-9]+ %\.", draw)
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
        asked = ("--team", "Ann", "--team", "Bob", "--csv") if command == "predict" else ()
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


def test_starting_weights_without_a_match_are_named(history: str, tmp_path: Path) -> None:
    """Names are easily mistyped, and a guess that nobody has changes nothing: every command says so."""
    roster, store = tmp_path / "roster.txt", f"sqlite:///{tmp_path / 'games.db'}"
    roster.write_text("Ann 3\nBob 2\nCyd 1\n" + "".join(f"x{n} {n}\n" for n in range(10, 20)))
    said = "note: --starting: no match so far has these ids: Cyd, x10"
    many = f"{said}, x11, x12, x13, x14, x15, x16, x17, x18 and 1 more\n"
    for command in (*starting_commands(history, store), ("rate", history, "--window", "2", "--starting")):
        done = run(*command, str(roster))
        assert done.returncode == 0, done.stderr
        assert done.stderr.endswith(many), command
    roster.write_text("Ann 3\nBob 2\nCyd 1\nx10 2\n")
    assert run("rate", history, "--starting", str(roster)).stderr == f"{said}\n"
    duels = tmp_path / "all.jsonl"
    duels.write_text('{"id": 1, "ended": 1, "teams": [["Ann", "Bob"], ["Cyd", "x10"]], "scores": [1, 0]}\n')
    assert run("rate", str(duels), "--starting", str(roster)).stderr == ""


def starting_commands(history: str, store: str) -> Iterator[tuple[str, ...]]:
    """Go through the commands that take starting weights; what they are given comes next."""
    for command in (
        ("rate", history),
        ("evaluate", history),
        ("predict", history, "--team", "Ann", "--team", "Bob"),
        ("ingest", history, "--store", store),
        ("archive", "rebuild", "--store", store),
    ):
        yield (*command, "--starting")


def test_names_without_a_starting_weight_are_named(history: str, tmp_path: Path) -> None:
    """A mistyped number is no number: nobody should believe that it counts."""
    roster, store = tmp_path / "roster.txt", f"sqlite:///{tmp_path / 'games.db'}"
    roster.write_text("Ann 1900\nBob 1400\nC 11OO\nD 1200\nEve\n")
    for command in starting_commands(history, store):
        done = run(*command, str(roster))
        assert done.returncode == 0, done.stderr
        assert "note: --starting: no weight, so no guess: C 11OO, Eve\n" in done.stderr, command
    roster.write_text("name,weight\nAnn,3\nBob,2\n" + "".join(f"x{n},\n" for n in range(10, 22)))
    few = run("rate", history, "--starting", str(roster))
    assert few.returncode == 1
    assert few.stderr.startswith("note: --starting: no weight, so no guess: x10, x11, ")
    assert "x19 and 2 more\nerror: --starting: " in few.stderr


@pytest.mark.parametrize("text", ["Ann 19\nAnn 19\nBob 18\n", "Ann 5\nBob\nCid\nDan\n", "9 Ann 1\n8 Bob 2\n"])
def test_starting_weights_that_can_be_read_in_several_ways(text: str, history: str, tmp_path: Path) -> None:
    """No option that the command does not have is advised, but a way to write what is one thing."""
    (tmp_path / "roster.txt").write_text(text)
    for command in starting_commands(history, f"sqlite:///{tmp_path / 'games.db'}"):
        done = run(*command, str(tmp_path / "roster.txt"))
        assert done.returncode != 0
        assert "--read" not in done.stderr
        if command[0] != "archive":  # its archive is missing
            assert done.stderr.endswith("; write a table with the header name,weight, each name once\n")


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
        (("rate", EXAMPLE, "--window", "0"), 1, "error: --window must be at least 1 contest, got 0"),
        (("rate", EXAMPLE, "--since", "soon"), 1, "error: --since must be seconds since 1970 or a date"),
        (("rate", EXAMPLE, "--model", "nosuch"), 2, "error: "),
        (("evaluate", EXAMPLE, "--models", "nosuch"), 2, "error: "),
        (("evaluate", EXAMPLE, "--skip", "2"), 1, "error: --skip must be at least 0 and below 1, got 2.0"),
        (("tune", EXAMPLE, "--only", "nosuch"), 1, "error: --only must be among"),
        (("rate",), 1, "error: FILE is missing"),
        (("rate", EXAMPLE, "--since", "2030-01-01"), 1, "error: --since: no match ended on 2030-01-01"),
        (("rate", EXAMPLE, "--profile", "nosuch"), 2, "error: "),
        (("rate", EXAMPLE, "--profile", "frozen", "--model", "elo"), 2, "error: "),
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
        (("tune", EXAMPLE, "--seed", "-1"), 1, "error: --seed must be at least 0, got -1"),
        (("tune", EXAMPLE, "--part", "nan"), 1, "error: --part must be above 0 and at most 1, got nan"),
        (("predict", EXAMPLE, "--team", "Amber"), 1, "error: --team must be two or more"),
        (
            ("predict", EXAMPLE, "--team", "Amber", "--team", "Amber"),
            1,
            "error: --team: 'Amber' is named twice",
        ),
        (
            ("predict", EXAMPLE, "--team", "Amber@0.5", "--team", "Elm@7"),
            1,
            "error: share of player 'Elm' must be from 1e-06 to 1, got 7.0",
        ),
        (("predict", EXAMPLE), 2, "error: "),
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
    """Beta and zero are those of the model, and the chance of a draw what was learnt; one beta is all."""
    roster = tmp_path / "roster.csv"
    run("rate", EXAMPLE, "--roster", str(roster), "--ruleset", "general")
    lines = roster.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "id,name,mu,sigma,beta,zero,draws"
    plain = json.loads(run("balance", str(roster), "--json").stdout)
    assert plain["beta"] == 1.0
    assert 0.1 < plain["splits"][0]["draw"] < 0.3
    assert f"Draw {100 * plain['splits'][0]['draw']:.0f} %" in run("balance", str(roster)).stdout
    assert json.loads(run("balance", str(roster), "--json", "--beta", "2").stdout)["beta"] == 2.0
    assert plain["zero"] == 0.0
    assert json.loads(run("balance", str(roster), "--json", "--zero", "1").stdout)["zero"] == 1.0
    assert json.loads(run("balance", str(roster), "--json", "--body", "1").stdout)["zero"] != 0.0
    roster.write_text("\n".join([*lines[:2], lines[2].replace(",1.0,", ",2.0,")]), encoding="utf-8")
    assert "line 3: beta is 2 here and 1 before" in run("balance", str(roster)).stderr
    running = [f"{line},{cell}" for line, cell in zip(lines, ("team", *"12121"), strict=False)]
    roster.write_text("\n".join(running), encoding="utf-8")
    assert "performance noise of 1 (as given)" in run("late", str(roster), "--join", "1 Zed").stdout


@pytest.mark.parametrize("source", ["roster", "archive"])
def test_uneven_teams_have_the_chances_that_were_predicted(source: str, tmp_path: Path) -> None:
    """One more player is worth what the model learnt, whether ratings come from a roster or an archive."""
    games = [
        {"ended": n, "teams": [["a", "b", "c"], ["d", "e"]], "scores": [3, 2 + n % 3], "id": str(n)}
        for n in range(30)
    ]
    (tmp_path / "games.jsonl").write_text("\n".join(map(json.dumps, games)), encoding="utf-8")
    history, roster, store = (
        str(tmp_path / "games.jsonl"),
        str(tmp_path / "r.csv"),
        f"sqlite:///{tmp_path}/a.db",
    )
    run("rate", history, "--roster", roster)
    run("ingest", history, "--store", store)
    given = (roster,) if source == "roster" else ("--store", store, "--here", "a,b,c,d,e")
    fixed = [argument for each in ("a=1", "b=1", "c=1", "d=2", "e=2") for argument in ("--fix", each)]
    split = json.loads(run("balance", *given, *fixed, "--json").stdout)["splits"][0]
    teams = [argument for team in split["teams"] for argument in ("--team", ",".join(team))]
    predicted = json.loads(run("predict", history, *teams, "--json").stdout)
    assert split["win_probability"] == pytest.approx(
        [team["win_probability"] for team in predicted["teams"]], abs=0.03
    )


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_a_winner_at_equal_scores_is_reported_with_its_match(tmp_path: Path, ending: str) -> None:
    """Ranks count; whichever way the file is read, the first such matches are named."""
    path = tmp_path / f"a.{ending}"
    for odd in (1, 5):
        teams = [["ann"], ["bob"]]
        matches = [
            {"id": f"m{n}", "ended": n, "teams": teams, "ranks": [1, 2], "scores": [3, 3 if n <= odd else 1]}
            for n in (9, 2, 1, 3, 4, 5)
        ]
        lines = [json.dumps(match) for match in matches]
        if ending == "csv":
            rows = [
                f"m{match['ended']},{match['ended']},{team[0]},{team[0]},{rank},{score}"
                for match in matches
                for team, rank, score in zip(teams, (1, 2), match["scores"], strict=True)  # type: ignore[call-overload]
            ]
            lines = ["match,ended,team,player,rank,team_score", *rows]
        path.write_text("\n".join(lines))
        named = ["m1"] if odd == 1 else ["m2", "m1", "m3"]
        for command in ("rate", "evaluate"):
            notes = run(command, str(path)).stderr.splitlines()
            (note,) = [line for line in notes if "equal or fewer" in line]
            assert note.startswith("note: 1 contest has" if odd == 1 else "note: 5 contests have")
            assert re.findall(r"\('(\w+)'\)", note) == named
            assert note.count(str(path)) == len(named)
        if ending == "jsonl":
            assert f"{path}, line 3 ('m1')" in run("rate", str(path)).stderr


def test_settings_for_several_models_may_come_from_a_pipe(history: str) -> None:
    """They are read once, whatever number of models they are for."""
    read, write = os.pipe()
    with os.fdopen(read), os.fdopen(write, "w", encoding="utf-8") as pipe:
        pipe.write(json.dumps({"elo": {"k": 32}, "glicko2": {"tau": 0.4}}))
        pipe.close()
        done = run("evaluate", history, "--models", "elo,glicko2", "--settings", f"/dev/fd/{read}")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", ["rate", "evaluate", "predict"])
def test_a_table_of_results_is_read_as_it_is(tmp_path: Path, command: str) -> None:
    """Without dates, with a winner by name; the answer is that of the same matches as JSONL."""
    table = tmp_path / "results.csv"
    rows = ["Ann,Bob,ann", "Bob,Cid,Cid", "Ann,Cid,draw"]
    table.write_text("\n".join(["red,blue,winner", *rows]) + "\n", encoding="utf-8")
    lines = tmp_path / "results.jsonl"
    records = [
        {"ended": 946684800 + 60 * n, "teams": [[one], [other]], "ranks": ranks}
        for n, (one, other, ranks) in enumerate(
            [("Ann", "Bob", [1, 2]), ("Bob", "Cid", [2, 1]), ("Ann", "Cid", [1, 1])]
        )
    ]
    lines.write_text("\n".join(map(json.dumps, records)) + "\n", encoding="utf-8")
    more = ("--team", "Ann", "--team", "Bob") if command == "predict" else ()
    answers = [run(command, str(path), *more) for path in (table, lines)]
    assert answers[0].returncode == 0, answers[0].stderr
    assert answers[0].stdout == answers[1].stdout


@pytest.mark.parametrize("command", ["rate", "evaluate", "predict"])
def test_dates_that_could_be_two_days_are_answered_at_once(tmp_path: Path, command: str) -> None:
    """Refused without --dates; with it, from a file and from standard input alike, as with dates in full."""
    more = ("--json", "--team", "Ann", "--team", "Bob") if command == "predict" else ("--json",)
    header, rows = "date,red,blue,winner", ["{},Ann,Bob,Ann", "{},Bob,Cid,Cid", "{},Ann,Cid,Ann"]

    def table(*dates: str) -> str:
        lines = [row.format(date) for row, date in zip(rows, dates, strict=True)]
        return "\n".join([header, *lines]) + "\n"

    doubtful = table("03/01/2026", "02/03/2026", "04/02/2026")
    path = tmp_path / "results.csv"
    path.write_text(doubtful, encoding="utf-8")
    refused = run(command, str(path), *more)
    assert refused.returncode == 2
    assert "choose --dates day-first or --dates month-first" in refused.stderr
    full = {
        "day-first": table("2026-01-03", "2026-03-02", "2026-02-04"),
        "month-first": table("2026-03-01", "2026-02-03", "2026-04-02"),
    }
    answers = set()
    for order, text in full.items():
        wanted = run(command, "-", *more, stdin=text)
        assert wanted.returncode == 0, wanted.stderr
        for source, given in ((str(path), ""), ("-", doubtful)):
            assert run(command, source, "--dates", order, *more, stdin=given).stdout == wanted.stdout
        answers.add(wanted.stdout)
    assert len(answers) == 2


def test_an_empty_cell_of_a_table_is_reported(tmp_path: Path) -> None:
    """The match is read as it stands, and the note says how."""
    table = tmp_path / "results.csv"
    table.write_text(
        "red1,red2,blue1,blue2,winner\nAnn,Bob,Cid,,red\nAnn,Bob,Cid,Dan,Bob\n", encoding="utf-8"
    )
    done = run("rate", str(table))
    assert f"note: {table}, line 2: blue2 is empty: read as 2 against 1" in done.stderr


@pytest.mark.parametrize("ids", list(permutations(["1", "2", "10"])), ids="-".join)
def test_matches_of_one_time_have_one_order_everywhere(ids: tuple[str, ...], tmp_path: Path) -> None:
    """Numbers in ids go by size, however they come: in a file, a replay, a ladder and an archive."""
    games = {
        "1": Contest(GAME, (["a"], ["b"]), (1, 2), at=1e9),
        "2": Contest(GAME, (["a"], ["b"]), (2, 1), at=1e9),
        "10": Contest(GAME, (["b"], ["c", "a"]), (1, 2), at=1e9),
    }
    matches = {each: Match((games[each],), id=each) for each in ids}
    ladder, lettered = Ladder(), Ladder()
    for each in ("1", "2", "10"):
        ladder.record(matches[each])
    for each in sorted(ids):
        lettered.record(matches[each])
    expected = {player: ladder.rating(player, GAME).mu for player in "abc"}
    assert expected != {player: lettered.rating(player, GAME).mu for player in "abc"}, "the order matters"

    state = replay(Mixture(), matches.values())
    assert {player: Mixture().rating(state, player, GAME).mu for player in "abc"} == expected

    def reported(contest: Contest) -> dict[str, object]:
        return {
            "ended": contest.at, "game": "g", "game_type": "t", "ranks": contest.ranks,
            "teams": [[player for player, _ in team] for team in contest.teams],
        }  # fmt: skip

    path = tmp_path / "games.jsonl"
    lines = [json.dumps({"id": each, **reported(games[each])}) for each in ids]
    path.write_text("\n".join(lines), encoding="utf-8")
    of_rate = json.loads(run("rate", str(path), "--json").stdout)["ratings"]
    [of_game] = [each["players"] for each in of_rate if each["game"] == "g"]
    assert {each["id"]: each["mu"] for each in of_game} == expected

    run("ingest", str(path), "--store", f"sqlite:///{tmp_path / 'ingested.db'}")
    with open_archive(f"sqlite:///{tmp_path / 'recorded.db'}") as archive:
        for each in ids:  # one at a time, so that some come late
            archive.record([matches[each]])
            archive.follow_newest()
        archive.update_ratings()
    for name in ("ingested", "recorded"):
        with open_archive(f"sqlite:///{tmp_path / name}.db") as archive:
            standing = archive.standing()
            assert {
                player: standing.model.rating(standing.state, player, GAME).mu for player in "abc"
            } == expected
