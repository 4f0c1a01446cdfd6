"""``equipoise pages`` and ``board``: what an archive holds as pages, a folder of them or one; the board."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from equipoise.cli import archive_options
from equipoise.cli.output_options import Date, NewFile, write
from equipoise.errors import InputError

if TYPE_CHECKING:
    from datetime import datetime

    from equipoise.pages.html.site import Site


def site_of(store: str, split: datetime | None) -> Site:
    """Return the pages of an archive."""
    from datetime import UTC

    from equipoise.pages.html.site import Site
    from equipoise.ratings.timeline import chronicle_of

    with archive_options.opened(store) as archive:
        names = archive_options.up_to_date(archive).names
        chronicle = chronicle_of(archive.model, archive.matches(), names)
    return Site(chronicle, split=None if split is None else split.replace(tzinfo=UTC).timestamp())


#: The date that fairness is compared before and after.
split_option = click.option(
    "--split",
    type=Date(),
    metavar="DATE",
    help="Compare fairness before and after this date.",
)


@click.command(name="pages")
@archive_options.store
@click.option("--out", metavar="DIR", help="The folder to write; it is made if necessary.")
@click.option(
    "--one-file", type=NewFile(".html", ".htm"), metavar="FILE.html",
    help="Instead: the strongest players and how fair the games were, as one page that needs no other.",
)  # fmt: skip
@split_option
def command(store: str, out: str | None, one_file: str | None, split: datetime | None) -> None:
    """Write leaderboards, players, matches and fairness as pages that any web host serves, and the board.

    'equipoise board' writes the board alone.
    """
    if (out is None) == (one_file is None):
        msg = "one of --out and --one-file says where to write"
        raise click.UsageError(msg)
    if out is not None:
        _write_site(store, out, split)
    elif one_file is not None:
        from equipoise.pages.html.one_page_report import report_html

        write("--one-file", one_file, report_html(site_of(store, split)))
        click.echo(f"Written to {one_file}.")


def _write_site(store: str, out: str, split: datetime | None) -> None:
    """Write a page for everything, and the board."""
    from equipoise.pages.html.board import board_html

    site, folder, count = site_of(store, split), Path(out), 0
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "board.html").write_text(board_html(), encoding="utf-8")
        for path in site.paths():
            page = site.page(path)
            if page is None:
                continue
            target = folder / path
            target.parent.mkdir(exist_ok=True)
            target.write_text(page, encoding="utf-8", newline="")
            count += 1
    except (OSError, ValueError) as error:
        msg = f"--out: {out} cannot be written: {getattr(error, 'strerror', None) or error}"
        raise InputError(msg) from error
    click.echo(f"{count + 1} pages written to {out}; begin with {folder / 'index.html'}.")


@click.command(name="board")
@click.option(
    "--out", type=NewFile(".html", ".htm"), metavar="FILE.html", required=True,
    help="Where to write the page.",
)  # fmt: skip
def board(out: str) -> None:
    """Write a page that divides players into teams in any browser, without a server."""
    from equipoise.pages.html.board import board_html

    write("--out", out, board_html())
    click.echo(f"Written to {out}; open it in a browser, or put it on any web host.")
