"""``equipoise doctor`` and ``warm-up``: what is wrong with an installation, and what helps beforehand."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from equipoise.cli.output_options import json_option, table, table_forms
from equipoise.cli.serve import flags, naming
from equipoise.core import notices
from equipoise.errors import InputError, UnsupportedError
from equipoise.service.settings import place_of, read_settings

if TYPE_CHECKING:
    from equipoise.service.doctor import Diagnosis


@click.command(name="doctor")
@click.option("--config", metavar="FILE", help="The TOML file of the server; with --live that of live.")
@click.option("--live", is_flag=True, help="Try the console of a game server, command by command.")
@click.option("--rcon", metavar="HOST:PORT", help="With --live: its remote console.")
@click.option("--rcon-password-file", metavar="FILE", help="With --live: a file with the password.")
@click.option("--move", metavar="COMMAND", help="With --live: the command that moves people, as for live.")
@json_option("Print JSON.")
@table_forms
@flags
def command(
    config: str | None,
    live: bool,
    rcon: str | None,
    rcon_password_file: str | None,
    move: str | None,
    as_json: bool,
    form: str | None = None,
    **typed: Any,
) -> None:
    """Say what is wrong with a weight server, and how to fix it.

    Takes the settings of serve, from the same file, environment and flags; run it as the same user.
    With --live it tries the console of a game server instead, whose --game is one of those of live: each
    command that live sends, by its name alone, so that nothing happens in the game.
    Exit code 1 means that something is wrong.
    """  # fmt: skip
    from equipoise.service.doctor import examine

    asked = {"rcon": rcon, "rcon_password_file": rcon_password_file, "move": move}
    given = {name: value for name, value in asked.items() if value is not None}
    if live:
        game = typed.get("game")
        found = _consoles(config, given if game is None else {**given, "game": game})
    elif given:
        msg = f"--{next(iter(given)).replace('_', '-')} belongs to --live"
        raise click.UsageError(msg)
    else:
        place = partial(place_of, path=config, environment=os.environ, flags=typed)
        with naming(place):
            settings = read_settings(config, os.environ, typed)
        found = examine(settings, place)
    findings = []
    for finding in found:
        findings.append(finding)
        if form is None and not as_json:
            click.echo(f"{'wrong' if finding.fix else 'ok'}: {finding.what}")
            if finding.fix:
                click.echo(f"  fix: {finding.fix}")
    wrong = any(finding.fix for finding in findings)
    if as_json:
        plain = [{"ok": not finding.fix, **asdict(finding)} for finding in findings]
        click.echo(json.dumps({"ok": not wrong, "findings": plain}, indent=2))
    if form is not None:
        rows = [("wrong" if finding.fix else "ok", finding.what, finding.fix) for finding in findings]
        click.echo(table(("status", "finding", "fix"), rows, form))
    sys.exit(1 if wrong else 0)


def _consoles(config: str | None, given: dict[str, str]) -> Iterator[Diagnosis]:
    """Try the consoles of a file, or of the one server that is given."""
    from equipoise.service.console_check import try_console
    from equipoise.service.live_settings import read_servers, server_of

    if config is not None:
        if given:
            msg = "--config cannot be combined with the settings of one server"
            raise click.UsageError(msg)
        servers = [each for each in read_servers(config)[1] if each.rcon]
        if not servers:
            msg = f"{config}: no server has rcon, so there is no console to try"
            raise InputError(msg)
    else:
        if "rcon" not in given:
            msg = "--rcon is missing; give a console, or --config"
            raise click.UsageError(msg)
        try:
            servers = [server_of({**given, "log": given["rcon"]})]
        except InputError as error:
            raise (
                error.named(f"--{error.argument.replace('_', '-')}") if error.argument else error
            ) from error
    for each in servers:
        yield from try_console(each)


@click.command(name="warm-up")
def warm_up() -> None:
    """Compile what searches need, so that nobody waits later.

    Once per installation; it takes about half a minute.  What is compiled is kept beside the package, or in a
    cache folder of the user, or in NUMBA_CACHE_DIR.
    """
    from equipoise.core.compiled import available
    from equipoise.service.kernel_warmup import warm_up

    if not available():
        click.echo("Nothing to compile: numba is not installed here, and searches run without it.")
        return
    notices.compiling.clear()  # every step is named as it begins
    if not warm_up(lambda step: click.echo(f"Compiling: {step} ...", err=True)):
        msg = "nothing that is compiled can be kept here; set NUMBA_CACHE_DIR to a folder that can be written"
        raise UnsupportedError(msg)
    click.echo("Everything is compiled.")
