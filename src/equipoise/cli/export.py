"""``equipoise export``: a whole archive as a Parquet file."""

from __future__ import annotations

import click

from equipoise.cli import archives
from equipoise.cli.shared.printing import NewFile, with_json


@click.command(name="export")
@click.argument("file", metavar="FILE", type=NewFile(".parquet", ".pq"))
@archives.store
@with_json
def command(file: str, store: str, as_json: bool) -> None:
    """Write everything an archive holds into a Parquet FILE, which 'equipoise import' reads."""
    from equipoise.archive.parquet import write

    with archives.opened(store) as archive:
        rows = write(archive, file)
        digest = archive.digest()
    archives.tell_moved(file, rows, digest, as_json=as_json, verb="written to")
