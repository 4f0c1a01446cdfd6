"""The command line as a whole: what is listed, what is said of a wrong name, how it ends."""

from __future__ import annotations

import pkgutil
from importlib import import_module

import pytest
from click.testing import CliRunner

from equipoise import cli
from equipoise.cli import COMMANDS, group
from equipoise.errors import UnknownNameError


def test_every_command_is_listed() -> None:
    """Each file with a command has a line in the help, and each line a file."""
    files = {
        module.name.removesuffix("_").replace("_", "-")
        for module in pkgutil.iter_modules(cli.__path__)
        if hasattr(import_module(f"equipoise.cli.{module.name}"), "command")
    }
    assert files == set(COMMANDS)


def test_help_fits_one_screen() -> None:
    """``equipoise --help`` has at most 50 lines of at most 80 columns, and cuts nothing off."""
    lines = CliRunner().invoke(group, ["--help"], terminal_width=80).output.splitlines()
    assert len(lines) <= 50
    assert max(map(len, lines)) <= 80
    assert all(line in " ".join(lines) for line in COMMANDS.values())


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("blance", "there is no command 'blance'; did you mean 'balance'?"),
        ("xyzzy", "there is no command 'xyzzy'; 'equipoise --help' lists the commands."),
    ],
)
def test_a_misspelt_command_is_answered_with_the_nearest(typed: str, said: str) -> None:
    """Exit code 2, and the name that was probably meant."""
    result = CliRunner().invoke(group, [typed])
    assert result.exit_code == 2
    assert said in result.output


def test_a_misspelt_name_is_answered_with_the_nearest() -> None:
    """Parts by name say what was probably meant as well as what is allowed."""
    assert "there is no 'mitn' (did you mean 'mitm'?)" in str(
        UnknownNameError("solver", "mitn", ["mitm", "auto"])
    )
