"""What a command's exit code says, and the one form in which an error is written."""

from __future__ import annotations

from collections.abc import Mapping

import click

DONE, FAULT, USAGE, INTERRUPTED = 0, 1, 2, 130

#: Each code, and what it says; ``docs/errors.md`` has this table.
EXIT_CODES: Mapping[int, str] = {
    DONE: "done",
    FAULT: "what was read or asked is at fault (a line, a value out of its range, a name that nobody has), "
    "cannot be kept, or was found to be false",
    USAGE: "the command was called wrongly (an option that there is not, a value of another kind, one of two "
    "options missing), or a question has to be answered first",
    INTERRUPTED: "interrupted by Ctrl-C",
}


def say_error(message: str, usage: str = "") -> None:
    """Write an error: a line that begins with ``error:``, and how to call the command if that was wrong."""
    click.echo(f"error: {message}", err=True)
    if usage:
        click.echo(usage, err=True)


def say_wrong_usage(error: click.ClickException) -> None:
    """Write what click found wrong with a call."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    message = error.format_message()
    if isinstance(error, click.MissingParameter) and error.param is not None:
        name = error.param.human_readable_name.upper()
        message = f"{name if isinstance(error.param, click.Argument) else error.param.opts[0]} is missing"
    usage = f"{context.get_usage()}\n'{context.command_path} --help' says more." if context else ""
    say_error(message, usage)
