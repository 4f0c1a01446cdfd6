"""The command line: one file a command, and the entry point that turns errors into messages.

Exit codes: 0 done, 1 the input is at fault, 2 usage or text that can be read in several ways,
130 interrupted.  No traceback reaches a user.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from collections import Counter
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from typing import Any

import click

from equipoise.cli.exit_codes import FAULT, INTERRUPTED, USAGE, say_error, say_wrong_usage
from equipoise.core import notices
from equipoise.core.packages import missing
from equipoise.core.registry import part_at_fault
from equipoise.errors import AmbiguousError, EquipoiseError, InputError, UnknownNameError, nearest

#: The commands in the groups of ``--help``: imported only when they run, and what each does.
SECTIONS: Mapping[str, Mapping[str, str]] = {
    "Teams": {
        "balance": "Divide players into the fairest teams.",
        "explain": "Say why these teams, and what a change would cost.",
        "late": "Choose the team of someone who joins a running game.",
        "night": "Run a night of games: teams, results, and better teams.",
        "lobbies": "Put players into teams, and the teams into lobbies.",
        "verify": "Check the receipt of an answer.",
    },
    "Ratings from match files": {
        "rate": "Rate everyone in a history of matches.",
        "predict": "Predict who wins a match.",
        "evaluate": "See how well ratings predict, or what other teams would have been worth.",
        "tune": "Fit the default model to a history of matches.",
    },
    "Archives of matches": {
        "ingest": "Read game logs into an archive, once or as they grow.",
        "import-results": "Read past results from a table into an archive.",
        "players": "List everyone with their ratings, or the games of one.",
        "undo": "Exclude a match from the ratings, or include it again.",
        "merge": "Treat two ids as one person.",
        "forget": "Remove a person for good.",
        "archive": "Rebuild, hash, export or fill an archive as a whole.",
        "pages": "Write an archive as pages for a web host, or as one page.",
    },
    "Service": {
        "queue": "Say what a queue's policy means, and simulate it.",
        "serve": "Answer the questions of game servers.",
        "live": "Balance a game server while it runs.",
        "pickup": "Run lobbies in a chat channel: waiting, teams, results.",
        "doctor": "Say what is wrong with a weight server, and how to fix it.",
    },
}

#: Those that only ``--help-all`` lists.
FURTHER: Mapping[str, str] = {
    "games": "List the games whose logs are read, and try a description of one.",
    "board": "Write a page that divides players into teams in any browser.",
    "tokens": "Make, list and revoke tokens of a server.",
    "warm-up": "Compile what searches need, so that nobody waits later.",
}

#: Commands that stand in the file of another one.
HOMES: Mapping[str, str] = {
    "undo": "corrections", "merge": "corrections", "forget": "corrections",
    "board": "pages", "tokens": "serve", "warm-up": "doctor",
}  # fmt: skip

#: What earlier commands are called now.
RENAMED: Mapping[str, str] = {
    "front": "balance --front A,B",
    "watch": "ingest --follow",
    "history": "players NAME",
    "what-if": "evaluate --what-if --store URL",
    "rebuild": "archive rebuild",
    "digest": "archive digest",
    "export": "archive export",
    "import": "archive import",
    "report": "pages --one-file FILE",
}

#: Every command with its one line of help.
COMMANDS: Mapping[str, str] = {
    name: line for section in (*SECTIONS.values(), FURTHER) for name, line in section.items()
}

#: When the process began, by :func:`time.monotonic`: what a command has done by now is part of its time.
#: Nothing where the process is not the command's alone.
began: list[float] = []

#: New objects between two rounds of the garbage collector, in commands that end by themselves: what they
#: load and read has few cycles, and going through it again and again takes a tenth of an ingest.
BETWEEN_ROUNDS = 50_000


def refuse_repeated(command: click.Command) -> None:
    """Let a command, and those in it, refuse an option that is typed twice but takes one value."""
    for each in command.commands.values() if isinstance(command, click.Group) else ():
        refuse_repeated(each)
    vars(command).setdefault("make_parser", partial(_strict_parser, command))


def _strict_parser(command: click.Command, ctx: click.Context) -> Any:
    """Return the parser of a command, which refuses options that are repeated."""
    parser = type(command).make_parser(command, ctx)
    parse = parser.parse_args

    def parse_once(args: list[str]) -> Any:
        values, rest, order = parse(args)
        for param, times in Counter(order).items():
            several = isinstance(param, click.Option) and not (
                param.multiple or param.count or param.is_eager
            )
            if several and times > 1 and not ctx.resilient_parsing:
                option = max(param.opts, key=len)
                msg = f"{option} is given {times} times, but takes one value; write it once"
                raise click.UsageError(msg, ctx)
        return values, rest, order

    vars(parser)["parse_args"] = parse_once
    return parser


class LazyGroup(click.Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands in the order of the help."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, None where there is no such one."""
        if cmd_name not in COMMANDS:
            return None
        if cmd_name not in SECTIONS["Service"]:
            gc.set_threshold(BETWEEN_ROUNDS)
        name = cmd_name.replace("-", "_")  # no module's name has a hyphen
        module = import_module(f"equipoise.cli.{HOMES.get(cmd_name, name)}")
        command: click.Command = getattr(module, name if cmd_name in HOMES else "command")
        refuse_repeated(command)
        if ctx.resilient_parsing:  # a shell asks what could come next
            from equipoise.cli.completion import complete_values

            complete_values(cmd_name, command)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; an error about an argument names the option that was typed."""
        try:
            return super().invoke(ctx)
        except InputError as error:
            option = self._option(ctx, error.argument)
            raise error.named(option) if option else error from None
        except UnknownNameError as error:
            option = self._option(ctx, error.kind)
            raise UnknownNameError(option, error.name, error.known) if option else error from None

    def _option(self, ctx: click.Context, argument: str) -> str | None:
        """Return the option that was typed for an argument of the library, None where none was."""
        command = self.get_command(ctx, ctx.invoked_subcommand or "")
        params = [] if command is None else list(command.params)
        if isinstance(command, click.Group):
            params += [
                param
                for name in sys.argv
                if name in command.commands
                for param in command.commands[name].params
            ]
        from equipoise.teams.request_fields import field_of  # only mistakes are named

        field = field_of(argument)
        flag = "--time-limit" if argument == "seconds" else "" if field is None else field.flag
        for param in params:
            option = param.opts[-1]
            typed = any(arg.partition("=")[0] == option for arg in sys.argv)
            known = argument in (param.name, f"{param.name}s") or option == flag
            if typed and isinstance(param, click.Option) and known:
                return option
        return None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is asked for; a misspelt name is answered with the nearest one."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            near = nearest(args[0], COMMANDS)
            if args[0] in RENAMED:
                ctx.fail(f"there is no command {args[0]!r}; it is now: equipoise {RENAMED[args[0]]}")
            hint = f"did you mean {near!r}?" if near is not None else "'equipoise --help' lists the commands."
            ctx.fail(f"there is no command {args[0]!r}; {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in their sections."""
        sections = {**SECTIONS, **({"Further": FURTHER} if ctx.meta.get(HELP_ALL) else {})}
        width = max(map(len, COMMANDS))
        for section, commands in sections.items():
            with formatter.section(section):
                formatter.write_dl([(name.ljust(width), line) for name, line in commands.items()])


def _print_version(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    del param
    if wanted:
        from importlib.metadata import version

        click.echo(f"equipoise {version('equipoise')}")
        ctx.exit()


#: Whether the help lists every command.
HELP_ALL = "equipoise.help_all"


def _print_all(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    del param
    if wanted:
        ctx.meta[HELP_ALL] = True
        click.echo(ctx.get_help())
        ctx.exit()


#: The description of all commands, within one screen of 80 by 50.
HELP = """Fair team games: names or logs in, teams out, with a proof.
Begin with 'equipoise balance names.txt'; -h after a command says more.
"""


@click.group(
    cls=LazyGroup,
    help=HELP,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_print_version,
    help="Print the version.",
)  # fmt: skip
@click.option(
    "--help-all", is_flag=True, expose_value=False, is_eager=True, callback=_print_all,
    help="Show this message with all commands.",
)  # fmt: skip
def group() -> None:
    """Fair team games: names or logs in, teams out, with a proof."""


def _say_compiling(kept: bool) -> None:
    """Tell the user who waits, once."""
    notices.compiling.clear()
    again = (
        "'equipoise warm-up' does it beforehand"
        if kept
        else "in every run, until NUMBA_CACHE_DIR names a folder"
    )
    click.echo(f"Compiling for the first use, which takes some seconds ({again}) ...", err=True)


def _say_waiting() -> None:
    """Tell the user at standard input that it is read."""
    if sys.stdin.isatty():
        keys = "Ctrl-Z and Enter" if sys.platform == "win32" else "Ctrl-D"
        click.echo(f"Type or paste what is to be read; end with {keys} on a line of its own.", err=True)


def _cause(error: Exception) -> str | None:
    """Return what to say of a custom part that fails or a package that is absent; None of any other fault."""
    part = part_at_fault(error)
    if part is not None:
        return f"{part!r} fails with {type(error).__name__}: {error}"
    absent = None
    if isinstance(error, ModuleNotFoundError):
        absent = missing(" ".join(["equipoise", *sys.argv[1:2]]), error)
    return None if absent is None else str(absent)


def main() -> None:
    """Run the command line and exit."""
    began[:] = [time.monotonic() - time.process_time()]
    notices.waiting[:] = [_say_waiting]
    notices.compiling[:] = [_say_compiling]
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        code = group.main(prog_name="equipoise", standalone_mode=False)
        if sys.stdout is not None:  # closed by the parent process
            sys.stdout.flush()
        sys.exit(code if isinstance(code, int) else 0)
    except click.ClickException as error:
        say_wrong_usage(error)
        sys.exit(USAGE)
    except click.Abort:  # what Ctrl-C becomes; 130 is what shells report for it
        click.echo("interrupted", err=True)
        sys.exit(INTERRUPTED)
    except AmbiguousError as error:
        say_error(str(error))
        sys.exit(USAGE)
    except EquipoiseError as error:
        if isinstance(error, InputError) and error.argument == "store":
            error = error.named("--store")
        say_error(str(error))
        sys.exit(FAULT)
    except OSError as error:
        say_error(f"the output cannot be written: {error.strerror or error}")
        os._exit(FAULT)  # at a normal exit Python would try to write it again
    except Exception as error:
        cause = _cause(error)
        if cause is None:
            raise
        say_error(cause)
        sys.exit(FAULT)
