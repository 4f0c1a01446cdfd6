"""``equipoise balance`` as people and programs meet it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from tests.cli.running import run, run_process

from equipoise import BalanceRequest, Solution, balance

ROSTER = (
    "31 Amber\n12 Birch\n47 Cedar\n25 Dahlia\n38 Elm\n19 Fern\n54 Ginkgo\n22 Hazel\n41 Iris\n16 Juniper\n"
)


def balanced(*args: str, stdin: str = ROSTER) -> dict[str, Any]:
    """Return the JSON of a run that must succeed."""
    done = run("balance", "-", "--json", *args, stdin=stdin)
    assert done.returncode == 0, done.stderr
    plain: dict[str, Any] = json.loads(done.stdout)
    return plain


def test_text_can_be_pasted_and_says_what_is_proven() -> None:
    """Each team with its total, chance and players; what is proven; what the chances assume."""
    done = run("balance", "-", "--objective", "difference", "--names", "Red,Blue", stdin=ROSTER)
    assert done.returncode == 0
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[:5] == ["10 players.", "", "Even: 51 : 49. Proven best.", "", "Red: 153"]
    assert "Blue: 152" in lines
    done = run("balance", "-", "--objective", "difference", "--names", "Red,Blue", "--details", stdin=ROSTER)
    lines = done.stdout.splitlines()
    assert "Red: total 153, win chance 51.0 %" in lines
    assert "Blue: total 152, win chance 49.0 %" in lines
    assert "Proven optimal: difference 1." in lines
    assert lines[-1].startswith("Win chances are a convention: they assume a performance noise of 13.34")


def test_json_has_the_documented_fields() -> None:
    """One object, the splits best first, each with teams, bots, totals, chances and value."""
    plain = balanced("--objective", "difference", "--keep", "3")
    assert (plain["status"], plain["objective"], plain["value"], plain["bound"], plain["gap"]) == (
        "optimal", "difference", 1.0, 1.0, 0.0,
    )  # fmt: skip
    assert [split["value"] for split in plain["splits"]] == [1.0, 1.0, 3.0]
    for split in plain["splits"]:
        assert set(split) == {"teams", "bots", "totals", "win_probability", "value"}
        assert sorted(split["teams"][0] + split["teams"][1]) == sorted(
            line.split()[1] for line in ROSTER.splitlines()
        )
        assert split["bots"] == [0, 0]
        assert sum(split["win_probability"]) == pytest.approx(1.0)


def test_the_old_bot_balancers_options_have_equivalents() -> None:
    """``-min -max -target -bot`` are the numbers of ``--bots``."""
    plain = balanced("--bots", "min=6,max=16,target=14,weight=20", "--objective", "ratio")
    split = plain["splits"][0]
    assert [len(team) + bots for team, bots in zip(split["teams"], split["bots"], strict=True)] == [7, 7]
    assert sum(split["totals"]) == 305 + 4 * 20
    assert plain["bot_weight"] == 20.0
    assert plain["value"] == pytest.approx(min(split["totals"]) / max(split["totals"]))


def test_bots_is_a_flag() -> None:
    """Alone it levels the teams with bots of the mean weight."""
    nine = "".join(ROSTER.splitlines(keepends=True)[:9])
    split = balanced("--bots", stdin=nine)["splits"][0]
    assert sorted(split["bots"]) == [0, 1]


def test_preferences_are_kept() -> None:
    """Parties, players apart and fixed ones, by name, with commas quoted as in CSV."""
    roster = "name,weight\n" + "".join(
        f"{n},{w}\n" for w, n in (line.split() for line in ROSTER.splitlines())
    )
    roster += '"Kudzu, Jr.",10\nLarch,11\n'
    args = ("--party", 'Amber,"Kudzu, Jr."', "--apart", "Cedar,Ginkgo", "--fix", "Ginkgo=2", "--size", "7,5")
    teams = balanced(*args, stdin=roster)["splits"][0]["teams"]
    assert [len(team) for team in teams] == [7, 5]
    assert "Ginkgo" in teams[1]
    assert "Cedar" in teams[0]
    assert any({"Amber", "Kudzu, Jr."} <= set(team) for team in teams)


def test_contradictions_are_infeasible_with_exit_code_1() -> None:
    """JSON and message both say so, and name the pair."""
    done = run("balance", "-", "--json", "--party", "Elm,Fern", "--apart", "Fern,Elm", stdin=ROSTER)
    assert done.returncode == 1
    plain = json.loads(done.stdout)
    assert (plain["status"], plain["splits"], plain["value"]) == ("infeasible", [], None)
    assert "'Fern' and 'Elm' contradict" in done.stderr


def test_choosing_is_seeded_and_among_the_best() -> None:
    """The chosen split alone is given, with its place; a seed repeats the choice, another may not."""
    twenty = [split["teams"] for split in balanced("--objective", "difference", "--keep", "20")["splits"]]
    chosen = [
        balanced("--objective", "difference", "--choose", "0", "--seed", str(seed)) for seed in range(6)
    ]
    assert all(len(plain["splits"]) == 1 for plain in chosen)
    assert all(plain["splits"][0]["teams"] == twenty[plain["chosen"] - 1] for plain in chosen)
    assert len({plain["chosen"] for plain in chosen}) > 1
    assert balanced("--objective", "difference", "--choose", "0", "--seed", "3") == chosen[3]


def test_choose_may_stand_before_the_roster_without_a_power(tmp_path: Path) -> None:
    """A bare ``--choose`` does not swallow the file's name."""
    (tmp_path / "roster.txt").write_text(ROSTER)
    done = run("balance", "--choose", str(tmp_path / "roster.txt"), "--seed", "1")
    assert done.returncode == 0
    assert "drawn at random." in done.stdout


def test_a_plot_is_written(tmp_path: Path) -> None:
    """``--plot`` draws the teams; a place that cannot be written is said."""
    done = run("balance", "-", "--plot", str(tmp_path / "out.svg"), stdin=ROSTER)
    assert done.returncode == 0
    assert ET.parse(tmp_path / "out.svg").getroot().tag.endswith("svg")
    failed = run("balance", "-", "--plot", str(tmp_path / "no" / "out.svg"), stdin=ROSTER)
    assert failed.returncode == 1
    assert "cannot be written" in failed.stderr


def test_alternatives_say_what_changes() -> None:
    """``--keep`` lists the other splits by who would change teams."""
    done = run("balance", "-", "--objective", "difference", "--keep", "2", stdin=ROSTER)
    assert "2.  1           153 : 152  51.0 %" in done.stdout
    assert "Elm to Team 1" in done.stdout


def test_a_missing_weight_is_stated() -> None:
    """The default that was used is printed, and given in JSON."""
    done = run("balance", "-", stdin="name,weight\nAnn,10\nBob,20\nCid,\nDan,30\n")
    assert "1 without points: counted as 20." in done.stdout
    assert (
        balanced("--default-weight", "7", stdin='[{"name": "Ann"}, {"name": "Bob", "weight": 3}]')[
            "default_weight"
        ]
        == 7.0
    )


def test_one_player_is_divided_and_it_is_said_who_has_nobody() -> None:
    """Servers meet it every day; a team may be empty, and the text says which and what that means."""
    done = run("balance", "-", stdin="5 Ann\n")
    assert done.returncode == 0, done.stderr
    assert "Nobody is in team 2: win chances mean nothing there." in done.stdout
    assert [len(team) for team in balanced(stdin="5 Ann\n")["splits"][0]["teams"]] == [1, 0]


@pytest.mark.parametrize("roster", ["", "[]"])
def test_nobody_is_not_divided(roster: str) -> None:
    """An empty roster is a mistake."""
    done = run("balance", "-", stdin=roster)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "error: players must not be empty: there is nobody to divide\n"


@pytest.mark.parametrize(
    ("roster", "message"),
    [
        ("5 Ann\n7\n", "standard input, line 2: "),
        ("5 Ann\nnan Bob\n", "standard input, line 2: "),
        ("5 Ann\n-5 Bob\n", "standard input, line 2: "),
        ("5 Ann\n6 Ann\n", "standard input, line 2: "),
        (b"\x80\x81 Ann\n", "standard input, line 1: "),
    ],
)
def test_input_at_fault_is_exit_code_1_with_the_line(roster: str | bytes, message: str) -> None:
    """A message on standard error that begins with the place; nothing on standard output."""
    done = run("balance", "-", stdin=roster)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith(f"error: {message}")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--party Amber", "--party: 'Amber' does not name two players"),
        ("--party Amber,Nobody", "--party: there is no player 'Nobody'"),
        ("--apart ,", "--apart: "),
        ("--fix Amber", "--fix: "),
        ("--fix Amber=0", "--fix: "),
        ("--keep 0", "--keep must be at least 1, got 0"),
        ("--keep 3 --spacing 0", "--spacing must be at least 1, got 0"),
        ("--spacing 4", "--spacing: "),
        ("--teams 1", "--teams must be from 2 to 100, got 1"),
        ("--size 6,5", "--size must add up to 10, the number of players, got 6+5 = 11"),
        ("--bots min=9,max=4", "--bots min must be at most the maximum, 4, got 9"),
        ("--bots mim=9", "--bots: 'mim=9' is not one of min, max, target, weight with a number"),
        ("--bots min=9,min=9", "--bots: 'min=9' is not one of"),
        ("--bots min=,max=9", "--bots min: the number '' is not a number"),
        ("--bots min=1.5", "--bots min: must be a whole number, got '1.5'"),
        ("--bots max=inf", "--bots max: must be a whole number, got 'inf'"),
        ("--bots weight=-1", "--bots weight must be at least 0, got -1"),
        ("--bots weight=nan", "--bots weight must be from -1e15 to 1e15, got nan"),
        ("--beta 0", "--beta must be from"),
        ("--tolerance -1", "--tolerance must be from 0 to 1, got -1.0"),
        ("--time-limit -1", "--time-limit must be at least 0, got -1.0"),
        ("--seed -1", "--seed must be at least 0, got -1"),
        ("--objective win=-1", "--objective: the weight of 'win' must be above 0"),
        ("--recent-price 1%", "--recent-price requires --recent"),
        ("--store foo", "--store must be sqlite:///"),
    ],
)
def test_arguments_at_fault_are_exit_code_1(line: str, message: str) -> None:
    """They are read well, but their values cannot be met: the message names the flag that was typed."""
    done = run("balance", "-", *line.split(), stdin=ROSTER)
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: {message}")


@pytest.mark.parametrize(
    "args",
    [
        ("--nosuch",),
        ("--objective", "nosuch"),
        ("--solver", "nosuch"),
        ("--rerank", "nosuch"),
        ("--objective", "no.such:part"),
        ("--size", "x"),
        ("--size", "7-3"),
        ("--keep", "x"),
    ],
)
def test_usage_is_exit_code_2(args: tuple[str, ...]) -> None:
    """What cannot be read as a command says how it is used."""
    done = run("balance", "-", *args, stdin=ROSTER)
    assert done.returncode == 2
    first, usage, *_ = done.stderr.splitlines()
    assert first.startswith("error: ")
    assert args[0] in first
    assert usage.startswith("Usage: ")


@pytest.mark.slow
def test_names_do_not_break_terminals_that_do_not_know_their_script() -> None:
    """Any script goes through any terminal, escaped where it must be."""
    done = run("balance", "-", stdin="5 Ünal\n6 محمد\n", PYTHONIOENCODING="ascii", LC_ALL="C")
    assert done.returncode == 0
    plain = json.loads(
        run_process("balance", "-", "--json", stdin="5 Ünal\n6 محمد\n", PYTHONIOENCODING="ascii").stdout
    )
    assert sorted(plain["splits"][0]["teams"]) == [["Ünal"], ["محمد"]]


def test_help_and_version() -> None:
    """Both answer at once, and the help names every objective and solver."""
    from equipoise.core.registry import OBJECTIVES, SOLVERS

    assert run_process("--version").stdout.startswith("equipoise ")
    text = " ".join(run("balance", "--help-all").stdout.split())
    assert all(name in text for name in (*OBJECTIVES, *SOLVERS))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("args", "stdin", "stdout", "message"),
    [
        (("--bots", "target=" + "9" * 26), ROSTER, None, "--bots target must be from 0 to 1000000"),
        (("--party", "Amber\nBirch,Cedar"), ROSTER, None, "--party: there is no player 'Amber Birch'"),
        (("--fix", "Amber=" + "9" * 5000), ROSTER, None, "--fix: "),
        (("--beta", "1e-200"), ROSTER, None, "--beta must be from 1e-100 to 1e15, got 1e-200"),
        ((), ROSTER, "/dev/full", "the output cannot be written"),
    ],
)
def test_odd_worlds_and_odd_words_end_in_a_message(
    args: tuple[str, ...], stdin: str, stdout: str | None, message: str
) -> None:
    """Full disks, huge numbers and line breaks in names: exit code 1 and one line, no traceback."""
    if stdout is not None and not Path(stdout).exists():
        pytest.skip(f"there is no {stdout}")
    with Path(stdout or os.devnull).open("wb") as out:
        done = subprocess.run(
            [sys.executable, "-m", "equipoise", "balance", "-", *args],
            input=stdin.encode(), stdout=out, stderr=subprocess.PIPE, check=False, timeout=60,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.decode().startswith(f"error: {message}")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
def test_closed_streams_end_without_a_traceback() -> None:
    """A service without standard streams gets an exit code."""
    for redirection in ("<&-", ">&-"):
        line = f'printf "5 a\\n6 b\\n" | {sys.executable} -m equipoise balance - --json {redirection}'
        done = subprocess.run(
            ["sh", "-c", line],
            capture_output=True, check=False, timeout=60,
        )  # fmt: skip
        assert b"Traceback" not in done.stderr


def test_ctrl_c_during_a_search_prints_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search is asked to stop, what it has is shown, and the exit code is that of an interruption."""

    def interrupted(request: BalanceRequest) -> Solution:
        assert not request.stop()
        signal.raise_signal(signal.SIGINT)
        assert request.stop()
        return balance(request)

    monkeypatch.setattr("equipoise.teams.balance.balance", interrupted)
    done = run("balance", "-", stdin="Ann 3\nBob 2\nCid 2\nDan 1\n")
    assert done.returncode == 130
    assert "Ann" in done.stdout
    assert "interrupted; this is the best so far" in done.stderr


@pytest.mark.parametrize(
    ("args", "lines"),
    [
        (("--chat",),
         ["Even: 50 : 50. Proven best.", "Team 1 (50 %): @\u200beveryone, *d*", "Team 2 (50 %): =1+1, c|"]),
        (("--csv", "--names", "Red,Blue"),
         ["team,player,weight", "Red,'@everyone,4", "Red,*d*,1", "Blue,'=1+1,3", "Blue,c|,2"]),
        (("--markdown",),
         ["Even: 50 : 50. Proven best.", "",
          "| team | player | weight |", "| --- | --- | --- |", "| Team 1 | @\u200beveryone | 4 |",
          "| Team 1 | \\*d\\* | 1 |", "| Team 2 | =1+1 | 3 |", "| Team 2 | c\\| | 2 |"]),
    ],
)  # fmt: skip
def test_teams_are_written_for_chats_spreadsheets_and_markdown(
    args: tuple[str, ...], lines: list[str]
) -> None:
    """Nobody is mentioned, nothing is a formula, and nothing is markup."""
    names = {"@everyone": 4, "=1+1": 3, "c|": 2, "*d*": 1}
    roster = json.dumps([{"name": name, "weight": weight} for name, weight in names.items()])
    done = run("balance", "-", *args, stdin=roster)
    assert done.stdout.splitlines() == lines


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--names", "Red"), "--names must be one name for each of the 2 teams"),
        (("--names", "Red,red"), "--names must differ"),
        (("--names", "Red,Blue,Green"), "--names must be one name for each of the 2 teams"),
        (("--seed", "1"), "--seed has no use"),
        (("--plot", "teams.png"), "--plot must be a file that ends in .svg, got teams.png"),
        (("--plot", "-"), "--plot must be the name of a file, got '-'"),
        (("--save-request", "x.toml"), "--save-request must be a file that ends in .json, got x.toml"),
    ],
)
def test_options_without_a_meaning_are_refused(
    args: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is printed as if they had one, and no file is written."""
    monkeypatch.chdir(tmp_path)
    done = run("balance", "-", *args, stdin="Ann 3\nBob 2\nCid 2\nDan 1\n")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"error: {message}")
    assert not list(tmp_path.iterdir())


OWN_FIELDS = {
    "night.csv": (
        "name,weight,team\nAmber,9,1\nBirch,8,3\n",
        "line 3: team of 'Birch' must be from 1 to 2, got 3",
    ),
    "now.csv": (
        "name,weight,team_now\n\nAmber,9,1\nBirch,8,5\n",
        "line 4: team_now of 'Birch' must be from 1 to 2, got 5",
    ),
    "night.json": (
        '[{"name": "Amber", "weight": 9}, {"name": "Birch", "weight": 8, "team": 7}]',
        "entry 2: team of 'Birch' must be from 1 to 2, got 7",
    ),
    "likes.csv": (
        "name,weight,prefer\nAmber,9,\nBirch,8,Ambr\n",
        "line 3: prefer of 'Birch': there is no player 'Ambr'; did you mean 'Amber'?",
    ),
    "hates.csv": (
        "name,weight,avoid\nAmber,9,Amber\nBirch,8,\n",
        "line 2: avoid of 'Amber' must name others, got 'Amber'",
    ),
    "roles.csv": (
        "name,weight,roles\nAmber,9,tank=x\nBirch,8,\n",
        "line 2: roles: the rating as 'tank' must be a number, got 'x'",
    ),
}


@pytest.mark.parametrize("file", OWN_FIELDS)
@pytest.mark.parametrize("command", ["balance", "explain", "balance --front win,spread"])
def test_what_is_wrong_with_a_player_is_said_of_the_line(command: str, file: str, tmp_path: Path) -> None:
    """File, line and field, though only the number of teams and the other players make it wrong."""
    content, said = OWN_FIELDS[file]
    path = tmp_path / file
    path.write_text(content, encoding="utf-8")
    name, *options = command.split()
    done = run(name, str(path), *options)
    assert (done.returncode, done.stderr) == (1, f"error: {path}, {said}\n")


def test_what_is_wrong_with_a_player_of_a_request_is_said_of_the_entry(tmp_path: Path) -> None:
    """As of a roster; what --fix says is still said of --fix."""
    path = tmp_path / "request.json"
    path.write_text('{"players": [{"name": "Amber"}, {"name": "Birch", "team": 4}]}', encoding="utf-8")
    done = run("balance", "--request", str(path))
    assert done.stderr == f"error: {path}: players, entry 2: team of 'Birch' must be from 1 to 2, got 4\n"
    typed = run("balance", "-", "--fix", "Amber=3", stdin="Amber 9\nBirch 8\n")
    assert typed.stderr == "error: --fix: 'Amber' is fixed to team 3; there are teams 1 to 2\n"


def test_all_splits_are_in_the_table_where_several_are_kept() -> None:
    """A column numbers them, best first; --choose leaves the one that is drawn."""
    stdin = "4 Ann\n3 Bob\n2 Cid\n1 Dan\n"
    splits = json.loads(run("balance", "-", "--keep", "3", "--json", stdin=stdin).stdout)["splits"]
    header, *rows = run("balance", "-", "--keep", "3", "--csv", stdin=stdin).stdout.splitlines()
    assert header == "split,team,player,weight"
    assert len(rows) == len(splits) * 4 == 12
    for row in rows:
        split, team, player, _ = row.split(",")
        members = splits[int(split) - 1]["teams"][int(team.removeprefix("Team ")) - 1]
        assert player in members
    markdown = run("balance", "-", "--keep", "3", "--markdown", stdin=stdin).stdout.splitlines()
    assert [line.count("|") for line in markdown] == [0, 0] + [5] * 14
    chat = run("balance", "-", "--keep", "3", "--chat", stdin=stdin).stdout.splitlines()
    assert [line.split(": ")[0] for line in chat[::3]] == ["Split 1", "Split 2", "Split 3"]
    assert "Proven best." in chat[0] and "best" not in chat[3]  # noqa: PT018
    chosen = run("balance", "-", "--keep", "3", "--choose", "--csv", stdin=stdin).stdout.splitlines()
    assert (chosen[0], len(chosen)) == ("team,player,weight", 5)


def test_a_player_is_fixed_to_a_team_by_its_name() -> None:
    """Also by its number, whatever the case; --names says which teams there are."""
    stdin = "4 Ann\n3 Bob\n2 Cid\n1 Dan\n"
    for team in ("Blue", "blue", "2"):
        arguments = ("balance", "-", "--names", "Red,Blue", "--fix", f"Ann={team}", "--csv")
        rows = run(*arguments, stdin=stdin).stdout.splitlines()
        assert any("Blue" in row and "Ann" in row for row in rows), rows
        assert not any("Red" in row and "Ann" in row for row in rows)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--fix", "Ann=Gold", "--names", "Red,Blue"), "--fix: there is no team 'Gold', for 'Ann'; the"),
        (("--fix", "Ann=Red"), "--fix: there is no team 'Red', for 'Ann'; --names (names=) says what they"),
        (("--fix", "Ann=2", "--names", "2,1"), "--names must not be numbers of other teams, got '2' for"),
        (("--tolerance", "5"), "from 0 to 1, or 0% to 100%, got '5'; for 5 of a hundred write 5%"),
        (("--within", "5", "--objective", "win,spread"), "--within must be from 0 to 1 for win"),
        (("--keep", "2", "--keep", "3"), "--keep is given 2 times, but takes one value; write it once"),
        (("--teams=2", "--json", "--teams", "3"), "--teams is given 2 times"),
    ],
)  # fmt: skip
def test_what_names_no_team_or_no_share_is_refused(args: tuple[str, ...], message: str) -> None:
    """With what is allowed, and nothing on standard output."""
    done = run("balance", "-", *args, stdin="4 Ann\n3 Bob\n")
    assert done.returncode in (1, 2)
    assert not done.stdout
    assert message in done.stderr
