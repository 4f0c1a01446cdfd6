"""``equipoise undo``: exclude a match from the ratings."""

from __future__ import annotations

import json

import click

from equipoise.cli import archive_options
from equipoise.cli.output_options import with_json


@click.command(name="undo")
@click.argument("match", metavar="MATCH")
@archive_options.store
@click.option("--back", is_flag=True, help="Include a match that was undone again.")
@with_json
def command(match: str, store: str, back: bool, as_json: bool) -> None:
    """Exclude a MATCH (its id, or the beginning of it) from the ratings.

    It stays in the archive, so that reading its log again does not bring it back.
    """
    with archive_options.opened(store) as archive:
        known = archive.undo(match, back=back)
        updated = archive.update_ratings()
    if as_json:
        click.echo(
            json.dumps({"match": known, "undone": not back, "rebuilt_from": updated.matches}, indent=2)
        )
    else:
        counts = "counts again" if back else "no longer counts"
        click.echo(f"{known} {counts}; ratings rebuilt from {updated.matches} matches")
