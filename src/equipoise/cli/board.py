"""``equipoise board``: the board as one HTML file."""

from __future__ import annotations

import click

from equipoise.cli.output_options import NewFile, write


@click.command(name="board")
@click.option(
    "--out", type=NewFile(".html", ".htm"), metavar="FILE.html", required=True,
    help="Where to write the page.",
)  # fmt: skip
def command(out: str) -> None:
    """Write a page that divides players into teams in any browser, without a server."""
    from equipoise.pages.html.board import board_html

    write("--out", out, board_html())
    click.echo(f"Written to {out}; open it in a browser, or put it on any web host.")
