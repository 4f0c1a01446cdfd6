"""``equipoise import``: an archive from a Parquet file."""

from __future__ import annotations

import click

from equipoise.cli import archive_options
from equipoise.cli.output_options import with_json
from equipoise.errors import InputError


@click.command(name="import")
@click.argument("file", metavar="FILE")
@archive_options.store
@with_json
def command(file: str, store: str, as_json: bool) -> None:
    """Fill a new archive with everything a Parquet FILE of 'equipoise export' holds."""
    from equipoise.archive.parquet_file import read
    from equipoise.files.file_kinds import check
    from equipoise.files.read_roster import content_of

    if file == "-":
        msg = "FILE must be a Parquet file, got -; standard input is not read here"
        raise InputError(msg)
    where, content = content_of(file)
    check(content, where, "export")
    from equipoise.archive.archive import filled

    with filled(store, archive_options.warn) as archive:
        rows = read(archive, file)
        archive.update_ratings()
        digest = archive.digest()
    archive_options.tell_moved(file, rows, digest, as_json=as_json, verb="read from")
