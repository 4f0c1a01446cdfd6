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


def site_of(store: str, split: datetime | None, language: str = "en") -> Site:
    """Return the pages of an archive."""
    from equipoise.service.exported_site import site_of

    with archive_options.finished(archive_options.opened(store)) as archive:
        return site_of(archive, _seconds(split), language=language)[0]


def _seconds(split: datetime | None) -> float | None:
    from datetime import UTC

    return None if split is None else split.replace(tzinfo=UTC).timestamp()


def _language(context: click.Context, parameter: click.Parameter, value: str) -> str:
    """Return the name of a language, if there is a catalogue of it."""
    from equipoise.pages.html.site import languages

    if value not in languages():
        msg = f"there is no {value!r}; there are {', '.join(languages())}"
        raise click.BadParameter(msg, context, parameter)
    return value


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
@click.option(
    "--language",
    default="en",
    callback=_language,
    metavar="NAME",
    help="The language of the texts.  [default: en]",
)
def command(store: str, out: str | None, one_file: str | None, split: datetime | None, language: str) -> None:
    """Write leaderboards, players, matches and fairness as pages that any web host serves, and the board.

    A list of them with hashes is written beside them.  The next time, and when somebody is forgotten or
    merged or a match undone, pages that are no longer right are written again or removed.
    Nothing else is touched.

    'equipoise board' writes the board alone.
    """
    if (out is None) == (one_file is None):
        msg = "one of --out and --one-file says where to write"
        raise click.UsageError(msg)
    if out is not None:
        _write_site(store, out, split, language)
    elif one_file is not None:
        from equipoise.pages.html.one_page_report import report_html

        write("--one-file", one_file, report_html(site_of(store, split, language)))
        click.echo(f"Written to {one_file}.")


def _write_site(store: str, out: str, split: datetime | None, language: str) -> None:
    """Write a page for everything, and the board."""
    from equipoise.service.exported_site import export, finish, say_left

    folder = Path(out)
    with archive_options.opened(store) as archive:
        try:
            written = export(archive, folder, _seconds(split), language)
        except (OSError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            msg = f"--out: {out} cannot be written: {getattr(error, 'strerror', None) or error}"
            raise InputError(msg) from error
        finish(archive, archive_options.warn)
    say_left(folder, written.left, archive_options.warn)
    gone = f", {written.removed} of before removed" if written.removed else ""
    kept = f"{written.written} of {written.pages}" if written.written < written.pages else f"{written.pages}"
    click.echo(f"{kept} pages written to {out}{gone}; begin with {folder / 'index.html'}.")


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
