"""``equipoise digest``: one line for what an archive holds."""

from __future__ import annotations

import json

import click

from equipoise.cli import archive_options
from equipoise.cli.output_options import with_json


@click.command(name="digest")
@archive_options.store
@with_json
def command(store: str, as_json: bool) -> None:
    """Print a hash of what an archive holds: two archives of the same games have the same one.

    Neither the order in which logs were read nor the kind of database makes a difference.
    """
    with archive_options.opened(store) as archive:
        digest = archive.digest()
        facts = {"digest": digest, "matches": archive.count(), "needs_rebuild": archive.needs_rebuild,
                "store": archive.facts()}  # fmt: skip
    click.echo(json.dumps(facts, indent=2) if as_json else digest)
