"""``equipoise report``: what an archive holds, as one page to pass on."""

from __future__ import annotations

from pathlib import Path

import click

from equipoise.cli import archives
from equipoise.cli.pages import site_of
from equipoise.errors import InputError


@click.command(name="report")
@archives.store
@click.option("--out", metavar="FILE.html", required=True, help="Where to write the page.")
def command(store: str, out: str) -> None:
    """Write the strongest players and how fair the games were as one file that needs no other."""
    from equipoise.pages.html.report import report_html

    page = report_html(site_of(store, None))
    try:
        Path(out).write_text(page, encoding="utf-8")
    except (OSError, ValueError) as error:
        msg = f"--out: {out} cannot be written: {getattr(error, 'strerror', None) or error}"
        raise InputError(msg) from error
    click.echo(f"Written to {out}.")
