"""Every flag that takes a value: what it cannot mean is said of the flag as it was typed."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from tests.cli.test_balance import ROSTER

from equipoise import EquipoiseError
from equipoise.cli import balance, explain, front, group, late

pytestmark = pytest.mark.slow

RUNNING = "name,weight,team,bot\nAmber,31,1,\nCedar,47,2,\nElm,38,2,\nRoan,20,1,yes\n"

COMMANDS = {
    "balance": (balance.command, ROSTER),
    "explain": (explain.command, ROSTER),
    "front": (front.command, ROSTER),
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
BESIDES = {"then": ("--objective", "win"), "within": ("--objective", "win", "--then", "spread")}


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
        done = CliRunner().invoke(command, ["-", *besides, f"{flag}={value}"], input=roster)
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
            "must be one of weight-first, name-first, names, got 'name-frist' (did you mean 'name-first'?)",
        ),
        ("balance - --choose=-1", "--choose must be a number of at least 0, got '-1'"),
        ("balance - --json --csv", "--json cannot be used with --csv; choose one of them"),
        ("night plan --rounds 0", "--rounds must be from 1 to 99, got 0"),
        ("night plan --rounds six", "--rounds must be a whole number, got 'six'"),
        ("night score 3 one", "scores must be a number such as 2 or 0.5, got 'one'"),
        ("players --store sqlite:// --top 0", "--top must be at least 1, got 0"),
        ("players --store sqlite:// --sort gmes", "got 'gmes' (did you mean 'games'?)"),
        ("serve --max-line many", "--max-line must be a whole number, got 'many'"),
    ],
)
def test_what_is_no_value_of_a_flag_is_answered_with_what_is(typed: str, said: str) -> None:
    """In the words of every other message, with exit code 2."""
    done = CliRunner().invoke(group, typed.split())
    assert done.exit_code == 2
    assert said in done.stderr
