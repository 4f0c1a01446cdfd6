"""``equipoise serve``, which answers game servers from an archive, and its ``tokens``."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from functools import partial
from importlib.metadata import version
from typing import Any

import click

from equipoise.cli.output_options import Number, OneOf, Whole, table, table_forms, with_json
from equipoise.errors import InputError
from equipoise.service.settings import Settings, place_of, read_settings

#: How flags take the kinds of settings that a value may be wrong for.
KINDS = {int: Whole(), float: Number()}


def flags(command: Callable[..., None]) -> Callable[..., None]:
    """Add a flag for each setting that may be seen in a list of processes."""
    for each in reversed([each for each in fields(Settings) if each.metadata]):
        kind = type(each.default)
        name = each.name.replace("_", "-")
        shown = f" [default: {each.default}]" if kind in (int, float) else ""
        add = click.option(
            f"--{name}/--no-{name}" if kind is bool else f"--{name}",
            each.name,
            default=None,
            type=KINDS.get(kind, kind),
            metavar=None if kind is bool else each.metadata["metavar"],
            help=f"{each.metadata['help']}{shown}",
        )
        command = add(command)
    return command


@contextmanager
def naming(place: Callable[[str], str]) -> Iterator[None]:
    """Let an error about a setting name where it was set: the flag, the variable, or the line of the file."""
    try:
        yield
    except InputError as error:
        known = error.argument in {each.name for each in fields(Settings)}
        raise error.named(place(error.argument)) if known else error from None


@click.command(name="serve")
@click.option("--config", metavar="FILE", help="A TOML file with these settings in a table [serve].")
@flags
def command(config: str | None, **typed: Any) -> None:
    """Answer what game servers ask about their players: weights, teams, chances.

    Every setting may also come from the environment, as EQUIPOISE_STORE, and in the file; flags come first.
    """  # fmt: skip

    def read() -> Settings:
        return read_settings(config, os.environ, typed)

    place = partial(place_of, path=config, environment=os.environ, flags=typed)
    with naming(place):
        settings = read()

    from equipoise.archive.database import shown
    from equipoise.service.monitoring import log_events
    from equipoise.service.process import Begun, run

    def say(begun: Begun) -> None:
        where = f"[{begun.host}]" if ":" in begun.host else begun.host
        known = ", ".join(
            f"{number} {noun}{'' if number == 1 else 's'}"
            for number, noun in ((begun.players, "player"), (begun.rulesets, "ruleset"))
        )
        click.echo(
            f"equipoise {version('equipoise')} serves {shown(settings.store)} ({known}), "
            f"weights: listening on {where}:{begun.port}"
            + (f", http: listening on {begun.http[0]}:{begun.http[1]}" if begun.http else "")
        )

    log_events(settings.log_level, as_json=settings.json_logs)
    with naming(place):
        run(settings, say, read)


#: What a token may be for, as :data:`equipoise.service.tokens.SCOPES`.
SCOPES = ("read", "report", "admin")

_file = click.option(
    "--file", "path", required=True, metavar="FILE", envvar="EQUIPOISE_TOKENS", show_envvar=True,
    help="Where the hashes of tokens are kept; the setting 'tokens' of serve.",
)  # fmt: skip


@click.group(name="tokens")
def tokens() -> None:
    """Make, list and revoke tokens of 'equipoise serve'.

    A running server notices within a second.
    """


@tokens.command(name="make")
@_file
@click.option("--name", required=True, metavar="TEXT", help="Who has it, as people call them.")
@click.option(
    "--scope", required=True, type=OneOf(SCOPES),
    help="What it allows: reading, reporting results too, or correcting them too.",
)  # fmt: skip
def _make(path: str, name: str, scope: str) -> None:
    """Make a token and print it; it cannot be shown again."""
    from equipoise.service.tokens import make

    token, text = make(path, name, scope)
    click.echo(f"token {token.id} for {name} ({scope}); keep it, it cannot be shown again:", err=True)
    click.echo(text)


@tokens.command(name="list")
@_file
@with_json
@table_forms
def _list(path: str, as_json: bool, form: str | None = None) -> None:
    """List tokens: who has which, for what, since when."""
    from equipoise.service.tokens import read

    if not os.path.exists(path):
        click.echo(f"note: {path}: there is no such file; 'equipoise tokens make' makes one", err=True)
    tokens = read(path)
    if as_json:
        plain = [
            {"id": each.id, "name": each.name, "scope": each.scope, "made": each.made} for each in tokens
        ]
        click.echo(json.dumps({"tokens": plain}, indent=2))
        return
    from equipoise.core.plain_data import printable

    rows = [(each.id, each.scope, each.made, printable(each.name)) for each in tokens]
    click.echo(table(("id", "scope", "made", "name"), rows, form))


@tokens.command(name="revoke")
@_file
@click.argument("token_id", metavar="ID")
def _revoke(path: str, token_id: str) -> None:
    """Revoke the token with an ID."""
    from equipoise.core.plain_data import printable
    from equipoise.service.tokens import revoke

    token = revoke(path, token_id)
    click.echo(f"token {token.id} of {printable(token.name)} is revoked")
