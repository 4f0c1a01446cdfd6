"""``equipoise rebuild``: ratings anew from everything an archive keeps."""

from __future__ import annotations

import json

import click

from equipoise.cli import archives
from equipoise.registry import MODELS


@click.command(name="rebuild")
@archives.store
@click.option(
    "--model", metavar="NAME", help=f"What learns from now on: {', '.join(MODELS)}; by default as before."
)
@archives.as_json
def command(store: str, model: str | None, as_json: bool) -> None:
    """Learn the ratings of an archive anew from all its matches, if wished with another model."""
    from equipoise.cli.histories import model_named

    chosen = None if model is None else model_named(model) and model
    with archives.opened(store) as archive:
        reason = archive.rebuild_reason
        updated = archive.rebuild(chosen)
        if as_json:
            told = {"matches": updated.matches, "needed": reason, "revision": archive.revision()}
            click.echo(json.dumps(told, indent=2))
        else:
            click.echo(f"ratings rebuilt from {updated.matches} matches")
