"""``equipoise archive``: an archive as a whole: rebuilt, hashed, written into a file and read from one."""

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
    with_known,
)
from equipoise.cli.output_options import NewFile, with_json
from equipoise.core.registry import MODELS
from equipoise.errors import InputError


@click.group(name="archive")
def command() -> None:
    """Rebuild, hash, export or fill an archive as a whole."""


@command.command(name="rebuild", short_help="Learn all ratings again.")
@archive_options.store
@click.option(
    "--model",
    metavar="NAME",
    help=f"Which model learns from now on: {', '.join(MODELS)}; by default as before.",
)
@with_kept_settings
@with_json
def rebuild(store: str, as_json: bool, **options: Any) -> None:
    """Learn the ratings of an archive again from all its matches, optionally with another model or settings.

    The archive keeps the choice: from then on ingest learns with it.
    What is not named stays as it is: the model, its settings, the starting weights.
    """
    with archive_options.finished(archive_options.opened(store)) as archive:
        reason = archive.rebuild_reason
        parts = [options[each] for each in ("model", "profile", "settings", "starting")]
        changed = changed_model(archive.chosen_model, *parts) if any(parts) else None
        if options["starting"]:
            changed = with_known(changed, archive_options.finding(archive))
        updated = archive.rebuild(changed)
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


@command.command(name="digest", short_help="Print a hash of what an archive holds.")
@archive_options.store
@with_json
def digest(store: str, as_json: bool) -> None:
    """Print a hash of what an archive holds: two archives of the same games have the same one.

    Neither the order in which logs were read nor the kind of database makes a difference.
    """
    with archive_options.opened(store) as archive:
        digest = archive.digest()
        facts = {"digest": digest, "matches": archive.count(), "needs_rebuild": archive.needs_rebuild,
                "store": archive.facts()}  # fmt: skip
    click.echo(json.dumps(facts, indent=2) if as_json else digest)


@command.command(name="export", short_help="Write an archive into a Parquet file.")
@click.argument("file", metavar="FILE", type=NewFile(".parquet", ".pq"))
@archive_options.store
@with_json
def export(file: str, store: str, as_json: bool) -> None:
    """Write everything an archive holds into a Parquet FILE, which 'equipoise archive import' reads."""
    from equipoise.archive.parquet_file import write

    with archive_options.opened(store) as archive:
        rows = write(archive, file)
        digest = archive.digest()
    archive_options.tell_moved(file, rows, digest, as_json=as_json, verb="written to")


@command.command(name="import", short_help="Fill a new archive from a Parquet file.")
@click.argument("file", metavar="FILE")
@archive_options.store
@with_json
def import_(file: str, store: str, as_json: bool) -> None:
    """Fill a new archive with everything a Parquet FILE of 'equipoise archive export' holds."""
    from equipoise.archive.parquet_file import read
    from equipoise.files.file_kinds import HEAD, check
    from equipoise.files.read_roster import content_of

    if file == "-":
        msg = "FILE must be a Parquet file, got -; standard input is not read here"
        raise InputError(msg)
    where, content = content_of(file, HEAD)
    check(content, where, "export")

    with archive_options.filled(store) as archive:
        rows = read(archive, file)
        archive.update_ratings()
        digest = archive.digest()
    archive_options.tell_moved(file, rows, digest, as_json=as_json, verb="read from")
