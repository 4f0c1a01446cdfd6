"""``equipoise rebuild``: ratings rebuilt from everything an archive keeps."""

from __future__ import annotations

import json
from typing import Any

import click

from equipoise.cli import archives
from equipoise.cli.histories import model_named, say_unplayed, with_settings_options
from equipoise.cli.shared.printing import with_json
from equipoise.registry import MODELS


@click.command(name="rebuild")
@archives.store
@click.option(
    "--model",
    metavar="NAME",
    help=f"Which model learns from now on: {', '.join(MODELS)}; by default as before.",
)
@with_settings_options
@with_json
def command(store: str, model: str | None, as_json: bool, **options: Any) -> None:
    """Learn the ratings of an archive again from all its matches, optionally with another model or settings.

    The archive keeps the choice: from then on ingest and watch learn with it.
    """
    parts = (options["profile"], options["settings"], options["starting"])
    named = model_named(model or "default", *parts)
    chosen = named if any(parts) else model
    with archives.opened(store) as archive:
        reason = archive.rebuild_reason
        updated = archive.rebuild(chosen)
        if options["starting"]:
            say_unplayed(named, named.players(archive.standing().state))
        if as_json:
            facts = {"matches": updated.matches, "needed": reason, "revision": archive.revision()}
            click.echo(json.dumps(facts, indent=2))
        else:
            click.echo(f"ratings rebuilt from {updated.matches} matches")
