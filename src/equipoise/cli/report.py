"""``equipoise report``: what an archive holds, as one page to pass on."""

from __future__ import annotations

import click

from equipoise.cli import archive_options
from equipoise.cli.output_options import NewFile, write
from equipoise.cli.pages import site_of


@click.command(name="report")
@archive_options.store
@click.option(
    "--out", type=NewFile(".html", ".htm"), metavar="FILE.html", required=True,
    help="Where to write the page.",
)  # fmt: skip
def command(store: str, out: str) -> None:
    """Write the strongest players and how fair the games were as one file that needs no other."""
    from equipoise.pages.html.one_page_report import report_html

    write("--out", out, report_html(site_of(store, None)))
    click.echo(f"Written to {out}.")
