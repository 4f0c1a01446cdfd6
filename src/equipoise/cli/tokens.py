"""``equipoise tokens``: who may read, report and correct over the network."""

from __future__ import annotations

import json
import os

import click

from equipoise.cli.output_options import OneOf, table, table_forms, with_json

#: What a token may be for, as :data:`equipoise.service.tokens.SCOPES`.
SCOPES = ("read", "report", "admin")

_file = click.option(
    "--file", "path", required=True, metavar="FILE", envvar="EQUIPOISE_TOKENS", show_envvar=True,
    help="Where the hashes of tokens are kept; the setting 'tokens' of serve.",
)  # fmt: skip


@click.group(name="tokens")
def command() -> None:
    """Make, list and revoke tokens of 'equipoise serve'.

    A running server notices within a second.
    """


@command.command(name="make")
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


@command.command(name="list")
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


@command.command(name="revoke")
@_file
@click.argument("token_id", metavar="ID")
def _revoke(path: str, token_id: str) -> None:
    """Revoke the token with an ID."""
    from equipoise.core.plain_data import printable
    from equipoise.service.tokens import revoke

    token = revoke(path, token_id)
    click.echo(f"token {token.id} of {printable(token.name)} is revoked")
