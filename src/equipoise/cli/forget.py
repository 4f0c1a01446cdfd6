"""``equipoise forget``: a person out of an archive."""

from __future__ import annotations

import json

import click

from equipoise.cli import archive_options
from equipoise.cli.output_options import with_json


@click.command(name="forget")
@click.argument("player", metavar="PLAYER")
@archive_options.store
@with_json
def command(player: str, store: str, as_json: bool) -> None:
    """Remove the person with the id PLAYER from an archive for good.

    Ids and names are rewritten in every game, and reading a log again does not bring them back.
    The other players' ratings stay what they were.
    """
    with archive_options.opened(store) as archive:
        stand_in = archive.forget(player)
    if as_json:
        click.echo(json.dumps({"stand_in": stand_in}, indent=2))
    else:
        click.echo(f"forgotten; the games are those of {stand_in} now")
