"""``equipoise rebuild``: ratings rebuilt from everything an archive keeps."""

from __future__ import annotations

import json
from typing import Any

import click

from equipoise.cli import archive_options
from equipoise.cli.model_options import (
    changed_model,
    say_unplayed,
    what_learns,
    with_kept_settings,
)
from equipoise.cli.output_options import with_json
from equipoise.core.registry import MODELS


@click.command(name="rebuild")
@archive_options.store
@click.option(
    "--model",
    metavar="NAME",
    help=f"Which model learns from now on: {', '.join(MODELS)}; by default as before.",
)
@with_kept_settings
@with_json
def command(store: str, as_json: bool, **options: Any) -> None:
    """Learn the ratings of an archive again from all its matches, optionally with another model or settings.

    The archive keeps the choice: from then on ingest and watch learn with it.
    What is not named stays as it is: the model, its settings, the starting weights.
    """
    with archive_options.opened(store) as archive:
        reason = archive.rebuild_reason
        parts = [options[each] for each in ("model", "profile", "settings", "starting")]
        updated = archive.rebuild(changed_model(archive.chosen_model, *parts) if any(parts) else None)
        model = archive.model
        if options["starting"]:
            say_unplayed(model, model.players(archive.standing().state))
        learns = what_learns(archive.chosen_model)
        if as_json:
            facts = {"matches": updated.matches, "needed": reason, "revision": archive.revision(), **learns}
            click.echo(json.dumps(facts, indent=2))
        else:
            click.echo(f"ratings rebuilt from {updated.matches} matches")
            click.echo(
                "learning now: {model}, settings {settings}, {starting} starting weights".format(**learns)
            )
