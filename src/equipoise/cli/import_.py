"""``equipoise import``: an archive from a Parquet file."""

from __future__ import annotations

import click

from equipoise.cli import archives


@click.command(name="import")
@click.argument("file", metavar="FILE")
@archives.store
@archives.as_json
def command(file: str, store: str, as_json: bool) -> None:
    """Fill a new archive with everything a Parquet FILE of 'equipoise export' holds."""
    from equipoise.archive.parquet import read

    with archives.opened(store, create=True) as archive:
        rows = read(archive, file)
        archive.update_ratings()
        digest = archive.digest()
    archives.tell_moved(file, rows, digest, as_json=as_json, verb="read from")
