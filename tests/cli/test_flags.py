"""Every flag that takes a value: what it cannot mean is said of the flag as it was typed."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from tests.cli.running import run, runner
from tests.cli.test_balance import ROSTER

from equipoise import EquipoiseError
from equipoise.cli import balance, explain, group, late

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

RUNNING = "name,weight,team,bot\nAmber,31,1,\nCedar,47,2,\nElm,38,2,\nRoan,20,1,yes\n"

COMMANDS = {
    "balance": (balance.command, ROSTER),
    "explain": (explain.command, ROSTER),
    "late": (late.command, RUNNING),
}

#: What no flag means, or few: text that names nothing, numbers below every range, no number, somebody's part.
VALUES = (
    "nosuch",
    "-7",
    "nan",
    "1e300",
    "",
    "Amber,Zed",
    "no.such:part",
    "win=-1",
    "tank:0",
    "Amber=9",
)

#: What says besides which values of flags cannot be met together.
BESIDES = {"within": ("--objective", "win,spread")}


def _flags() -> list[tuple[str, str]]:
    """Return each command with its flags that take a value; those of ``balance`` that others share, once."""
    found: list[tuple[str, str]] = []
    for name, (command, _) in COMMANDS.items():
        options = [option for option in command.params if isinstance(option, click.Option)]
        flags = [flag for option in options if not option.is_flag for flag in option.opts if flag[:2] == "--"]
        found += [(name, flag) for flag in flags if name == "late" or ("balance", flag) not in found]
    return found


@pytest.mark.parametrize(("name", "flag"), _flags())
def test_what_a_flag_cannot_mean_is_said_of_the_flag(
    name: str, flag: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is typed: an answer, or a message that begins with the flag, or with the file it names."""
    command, roster = COMMANDS[name]
    monkeypatch.chdir(tmp_path)
    for value in VALUES:
        besides = BESIDES.get(flag.removeprefix("--"), ())
        done = runner().invoke(command, ["-", *besides, f"{flag}={value}"], input=roster)
        if done.exception is None or isinstance(done.exception, EquipoiseError):
            said = str(done.exception or "")
        else:
            assert isinstance(done.exception, SystemExit), (value, done.exc_info)
            said = done.stderr.partition("Error: ")[2] or done.stderr.removeprefix("error: ")
        fine = not said or said.startswith("infeasible")
        assert fine or said.startswith((flag, value or repr(value))), (value, said)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("balance - --keep x", "--keep must be a whole number, got 'x'"),
        ("balance - --teams 1.5", "--teams must be a whole number, got '1.5'"),
        ("balance - --time-limit soon", "--time-limit must be a number such as 2 or 0.5, got 'soon'"),
        (
            "balance - --size a",
            "--size must be a size (8), one for each team (9,8) or a range (6-10), got 'a'",
        ),
        (
            "balance - --read name-frist",
            "got 'name-frist' (did you mean 'name-first'?)",
        ),
        ("balance - --choose=x", "--choose must be a number of at least 0, got 'x'"),
        *(
            (typed, f"{typed.split()[-2]} must be a win probability such as 2% or 0.02, got '5x'")
            for typed in (
                "balance - --stay 5x",
                "balance - --side-price 5x",
                "night - --vary 5x",
                "night again --vary 5x",
                "night plan --rounds 2 --vary 5x",
                "pickup --vary 5x",
            )
        ),
        ("balance - --stay=", "--stay must be a win probability such as 2% or 0.02, got ''"),
        ("balance - --json --csv", "--json cannot be used with --csv; choose one of them"),
        ("night plan --rounds six", "--rounds must be a whole number, got 'six'"),
        ("night score 3 one", "scores must be a number such as 2 or 0.5, got 'one'"),
        ("players --store sqlite:// --sort gmes", "got 'gmes' (did you mean 'games'?)"),
        ("serve --max-line many", "--max-line must be a whole number, got 'many'"),
        ("evaluate - --skip x", "--skip must be a number such as 2 or 0.5, got 'x'"),
        ("tune - --part x", "--part must be a number such as 2 or 0.5, got 'x'"),
        (
            "pages --store sqlite:// --out x --split 31.1.2026",
            "--split must be a date such as 2026-01-31, got '31.1.2026'",
        ),
    ],
)
def test_what_is_no_value_of_a_flag_is_answered_with_what_is(typed: str, said: str) -> None:
    """In the words of every other message, with exit code 2."""
    done = runner().invoke(group, typed.split())
    assert done.exit_code == 2
    assert said in done.stderr


PRICE = "price must be a win probability such as 2% or 0.02, got"
LOBBIES = f"lobbies {EXAMPLES / 'players.csv'} {EXAMPLES / 'lobbies.csv'}"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        *(
            (f"balance - --{flag}={value}", f"--{flag}: {PRICE} {value}")
            for flag in ("stay", "side-price")
            for value in ("nan", "inf", "-inf", "1e400", "101%", "nan%")
        ),
        ("balance - --choose=-1", "--choose must be a number of at least 0, got '-1'"),
        (
            "balance - --tolerance 2",
            "--tolerance must be from 0 to 1, or 0% to 100%, got '2'; for 2 of a hundred write 2%",
        ),
        ("night plan --rounds 0", "--rounds must be from 1 to 99, got 0"),
        ("night - --teams 1", "--teams must be from 2 to 99, got 1"),
        ("night again --vary 500%", f"--vary: {PRICE} 500%"),
        ("pickup --vary -1", f"--vary: {PRICE} -1"),
        ("players --store sqlite:// --top 0", "--top must be at least 1, got 0"),
        ("balance - --roles=", "--roles: '' is not ROLE:NUMBER once each; write --roles tank:1,damage:2"),
        ("balance - --objective win,spread --within nan", "--within must be at least 0, got nan"),
        ("balance - --objective win,spread --within inf", "--within must be finite, got inf"),
        ("balance - --objective win=nan", "--objective: the weight of 'win' must be above 0, got nan"),
        ("balance - --objective win=inf", "--objective: the weight of 'win' must be finite, got inf"),
        ("balance - --tolerance inf", "--tolerance must be from 0 to 1, got inf"),
        ("balance - --side-weight nan", "--side-weight must be at least 0, got nan"),
        (f"{LOBBIES} --team-size {10**23}", f"--team-size must be from 1 to 1000000, got {10**23}"),
        (f"{LOBBIES} --min-size 3", "--min-size must be from 1 to the team size of 2, got 3"),
        (f"{LOBBIES} --caution nan", "--caution must be from 0 to 1e15, got nan"),
        (f"{LOBBIES} --default-weight inf", "--default-weight must be from -1e15 to 1e15, got inf"),
        (f"{LOBBIES} --time-limit nan", "--time-limit must be at least 0, got nan"),
        (f"rate {EXAMPLES / 'matches.jsonl'} --window 0", "--window must be at least 1 contest, got 0"),
    ],
)
def test_a_number_out_of_range_is_said_of_its_option(typed: str, said: str) -> None:
    """With the option's own range, whatever the library calls it, and nothing typed is passed over."""
    done = run(*typed.split(), stdin=ROSTER)
    assert (done.returncode, done.stderr) == (1, f"error: {said}\n")


def test_what_a_newcomer_gets_wrong_is_said_and_not_passed_over(tmp_path: Path) -> None:
    """An empty variable is none, a history without matches is an error, as is a player named twice."""
    matches, wrong = EXAMPLES / "matches.jsonl", tmp_path / "wrong.jsonl"
    wrong.write_text("not a match\n", encoding="utf-8")
    cases = [
        (("balance", "--here", "Ann,Bob"), "--here requires --store, which has the ratings"),
        (
            ("balance", "-", "--recent", str(wrong)),
            f"--recent: {wrong}: no match found; docs/match-files.md describes the format",
        ),
        (
            ("predict", str(matches), "--team", "cedar,elm", "--team", "birch,cedar"),
            "--team: 'cedar' is named twice; every player is in one team",
        ),
    ]
    for typed, said in cases:
        done = run(*typed, stdin=ROSTER, EQUIPOISE_STORE="")
        assert done.returncode == 1, typed
        assert done.stderr.splitlines()[-1] == f"error: {said}"
    listed = run("tokens", "list", "--file", str(tmp_path / "none"))
    assert listed.returncode == 0
    assert "there is no such file; 'equipoise tokens make' makes one" in listed.stderr
