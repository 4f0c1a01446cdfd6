"""``equipoise board``: the board as one HTML file."""

from __future__ import annotations

from pathlib import Path

import click

from equipoise.errors import InputError


@click.command(name="board")
@click.option("--out", metavar="FILE", required=True, help="Where to write the page.")
def command(out: str) -> None:
    """Write a page that divides players into teams in any browser, without a server."""
    from equipoise.pages.html.board import board_html

    try:
        Path(out).write_text(board_html(), encoding="utf-8")
    except (OSError, ValueError) as error:
        msg = f"--out: {out} cannot be written: {getattr(error, 'strerror', None) or error}"
        raise InputError(msg) from error
    click.echo(f"Written to {out}; open it in a browser, or put it on any web host.")
