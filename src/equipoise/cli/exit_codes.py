"""What a command's exit code says, and the one form in which an error is written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import click

DONE, FAULT, USAGE, INTERRUPTED = 0, 1, 2, 130

#: Each code, and what it says; ``docs/errors.md`` has this table.
EXIT_CODES: Mapping[int, str] = {
    DONE: "done",
    FAULT: "what was read or asked is at fault, cannot be kept, or was found to be false",
    USAGE: "the command was called wrongly, or a question has to be answered first",
    INTERRUPTED: "interrupted by Ctrl-C",
}


def say_error(message: str, usage: str = "") -> None:
    """Write an error: a line that begins with ``error:``, and how to call the command if that was wrong."""
    click.echo(f"error: {message}", err=True)
    if usage:
        click.echo(usage, err=True)


#: Options that name files, archives or addresses: what is found there is at fault, not the call.
_NAMING = frozenset(
    {"--store", "--settings", "--starting", "--output", "--plot", "--receipt", "--curves", "--roster",
     "--out", "--one-file", "--tls-ca", "--recent", "--rules", "--request", "--mutators", "--config", "--log",
     "--rcon", "--http", "--irc", "--receive"}
)  # fmt: skip
_BLAMED = re.compile(r"(--[a-z][a-z-]*)\b|[A-Z]{2,} is missing|--[a-z-]+ is missing")


def is_wrong_call(message: str) -> bool:
    """Tell whether a message blames how a command was called: one of its options, or what is missing.

    Examples
    --------
    >>> is_wrong_call("--stay must be at least 0, got -1"), is_wrong_call("--store: there is no night.db")
    (True, False)
    >>> is_wrong_call("ROSTER is missing; give a file"), is_wrong_call("roster.txt, line 2: no name")
    (True, False)
    """
    blamed = _BLAMED.match(message)
    return blamed is not None and (blamed[1] not in _NAMING or " is missing" in message)


def usage_of(command: click.Command, typed: Sequence[str]) -> str:
    """Return how to call the command that was typed, by the words that name it."""
    context = click.Context(command, info_name="equipoise")
    for word in typed:
        if isinstance(context.command, click.Group) and (step := context.command.get_command(context, word)):
            context = click.Context(step, info_name=word, parent=context)
    return f"{context.get_usage()}\n'{context.command_path} --help' says more."


def say_wrong_usage(error: click.ClickException) -> None:
    """Write what click found wrong with a call."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    message = error.format_message()
    if isinstance(error, click.MissingParameter) and error.param is not None:
        name = error.param.human_readable_name.upper()
        message = f"{name if isinstance(error.param, click.Argument) else error.param.opts[0]} is missing"
    usage = f"{context.get_usage()}\n'{context.command_path} --help' says more." if context else ""
    say_error(message, usage)
