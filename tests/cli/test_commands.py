"""The command line as a whole: what is listed, what is said of a wrong name, how it ends."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module

import click
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


def _commands(group: click.Group, *path: str) -> Iterator[tuple[str, ...]]:
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        yield (*path, name)
        if isinstance(command, click.Group):
            yield from _commands(command, *path, name)


@pytest.mark.parametrize("typed", list(_commands(group)), ids=" ".join)
def test_every_help_is_whole(typed: tuple[str, ...]) -> None:
    """At 80 columns no line is longer and none is cut, and every option is there."""
    output = CliRunner().invoke(group, [*typed, "--help"], terminal_width=80).output
    command: click.Command = group
    for name in typed:
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), name) or group
    assert max(map(len, output.splitlines())) <= 80
    assert not re.search(r"^  \w+ .*\.\.\.$", output, re.MULTILINE)
    for param in command.params:
        if isinstance(param, click.Option):
            assert all(option in output for option in param.opts)


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
