"""``equipoise what-if``: what an admin would have had with other teams."""

from __future__ import annotations

import json

import click

from equipoise.cli import archive_options
from equipoise.cli.output_options import NewFile, Whole, table, table_forms, with_json, write
from equipoise.errors import InputError

#: Seconds for the teams of one match.
SECONDS = 1.0


@click.command(name="what-if")
@archive_options.store
@click.option("--plot", type=NewFile(".svg"), metavar="FILE.svg", help="Draw the arms into a file.")
@click.option(
    "--seed",
    metavar="N",
    default=0,
    show_default=True,
    type=Whole(0),
    help="Seed of the random teams and the intervals.",
)
@with_json
@table_forms
def command(store: str, plot: str | None, seed: int, as_json: bool, form: str | None = None) -> None:
    """Divide every match of an archive in other ways, and report how close it would have been.

    Each way uses only what was known before the match; chances are those of the ratings after
    the last one.  'played' is what really happened.
    """
    from equipoise.core.clock import deadline
    from equipoise.pages.pictures.what_if_chart import arms_svg
    from equipoise.play.what_if import what_if

    with archive_options.opened(store) as archive:
        found = what_if(
            archive.matches(),
            archive.model,
            seed=seed,
            stopping=lambda: deadline(SECONDS),
        )
    if not found:
        msg = ": it has no match of two teams to divide"
        raise InputError(msg, "store")
    if plot is not None:
        rows = [(each.arm, each.closeness, *each.interval) for each in found]
        write("--plot", plot, arms_svg(rows, found[0].matches))
    if as_json:
        click.echo(json.dumps([each.as_dict() for each in found], indent=2))
        return
    if form is not None:
        columns = ("arm", "closeness", "low", "high", "broken parties", "moves a match")
        cells = [
            (each.arm, f"{each.closeness:.4f}", *(f"{end:.4f}" for end in each.interval),
             str(each.broken_parties), f"{each.moves:.1f}")
            for each in found
        ]  # fmt: skip
        click.echo(table(columns, cells, form))
        return
    click.echo(f"{found[0].matches} matches; closeness is the distance of the win chance from even")
    for each in found:
        low, high = each.interval
        click.echo(
            f"{each.arm:10} {each.closeness:.4f} ({low:.4f} to {high:.4f})  "
            f"{each.broken_parties} broken parties, {each.moves:.1f} moves a match"
        )
