"""``equipoise export``: a whole archive as a Parquet file."""

from __future__ import annotations

import click

from equipoise.cli import archive_options
from equipoise.cli.output_options import NewFile, with_json


@click.command(name="export")
@click.argument("file", metavar="FILE", type=NewFile(".parquet", ".pq"))
@archive_options.store
@with_json
def command(file: str, store: str, as_json: bool) -> None:
    """Write everything an archive holds into a Parquet FILE, which 'equipoise import' reads."""
    from equipoise.archive.parquet_file import write

    with archive_options.opened(store) as archive:
        rows = write(archive, file)
        digest = archive.digest()
    archive_options.tell_moved(file, rows, digest, as_json=as_json, verb="written to")
