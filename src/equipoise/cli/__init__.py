"""The command line: one file a command, and the entry point that turns errors into messages.

Exit codes: 0 done, 1 the input is at fault, 2 usage.  No traceback reaches a user.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

from equipoise.errors import EquipoiseError

#: The commands by name, each imported only when it runs or is listed.
COMMANDS = {
    name: f"equipoise.cli.{name}:command"
    for name in (
        *("balance", "digest", "evaluate", "export", "forget", "history", "ingest", "late", "lobbies"),
        *("merge", "players", "predict", "rate", "rebuild", "serve", "tune", "undo", "watch"),
    )
} | {"import": "equipoise.cli.import_:command"}  # a word of the language cannot be a module's name


class LazyGroup(click.Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        del ctx
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, None where there is no such one."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module, attribute = COMMANDS[cmd_name].split(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command


def _print_version(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    del param
    if wanted:
        from importlib.metadata import version

        click.echo(f"equipoise {version('equipoise')}")
        ctx.exit()


@click.group(
    cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_print_version,
    help="Print the version.",
)  # fmt: skip
def group() -> None:
    """Fair team games: teams that nobody can tell apart, with a proof."""


def main() -> None:
    """Run the command line and exit."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        group()
        sys.stdout.flush()
    except EquipoiseError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(1)
    except OSError as error:
        click.echo(f"error: the output cannot be written: {error.strerror or error}", err=True)
        os._exit(1)  # at a normal exit Python would try to write it again
