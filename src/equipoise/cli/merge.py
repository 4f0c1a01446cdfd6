"""``equipoise merge``: two ids, one person."""

from __future__ import annotations

import json

import click

from equipoise.cli import archive_options
from equipoise.cli.output_options import with_json


@click.command(name="merge")
@click.argument("player", metavar="A")
@click.argument("other", metavar="B")
@archive_options.store
@click.option("--back", is_flag=True, help="Undo a merge: they are two people again.")
@with_json
def command(player: str, other: str, store: str, back: bool, as_json: bool) -> None:
    """Treat the ids A and B as one person, called A; the games stay as they were."""
    with archive_options.opened(store) as archive:
        archive.merge(player, other, back=back)
        updated = archive.update_ratings()
    if as_json:
        facts = {"player": player, "other": other, "merged": not back, "rebuilt_from": updated.matches}
        click.echo(json.dumps(facts, indent=2))
    else:
        what = "are two people again" if back else "are one person"
        archive_options.tell(f"{player} and {other} {what}; ratings rebuilt from {updated.matches} matches")
