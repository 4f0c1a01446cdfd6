"""``equipoise ingest``: from logs to an archive."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from equipoise.cli import archive_options
from equipoise.cli.model_options import kept_starting
from equipoise.cli.output_options import with_json
from equipoise.core.registry import GAMES


@click.command(name="ingest")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@archive_options.store
@click.option(
    "--game", default="auto", show_default=True, metavar="NAME",
    help=f"Whose logs they are: auto, {', '.join(GAMES)}.",
)  # fmt: skip
@click.option(
    "--dated",
    metavar="FROM",
    help="The date of games whose log and file name have none, as 2026-01-31T20:15.",
)
@kept_starting
@archive_options.mutators
@with_json
def command(
    paths: tuple[str, ...],
    store: str,
    game: str,
    dated: str | None,
    starting: str | None,
    mutators: str | None,
    as_json: bool,
) -> None:
    """Read game logs into an archive: files (compressed too), patterns, directories, or - for standard input.

    Every finished game counts once, however often and under whatever name its log is read.
    Ratings are up to date at the end.
    """
    from equipoise.archive.ingest.custom_mutators import read_mutators
    from equipoise.archive.ingest.ingest import AUTO, Ingest, plain
    from equipoise.archive.ingest.log_files import find_logs, in_chains
    from equipoise.cli.model_options import say_unplayed, started
    from equipoise.cli.read_history import progress_bar
    from equipoise.core.match_records import time_from
    from equipoise.core.registry import resolve

    if game != AUTO:
        resolve("game", GAMES, game)
    assumed = None if dated is None else time_from(dated, "--dated")
    counted = None if mutators is None else read_mutators(mutators)
    sources = find_logs(paths)
    from equipoise.archive.archive import filled

    with filled(store, archive_options.warn) as archive:
        if starting is not None:
            archive.rebuild(started(archive.chosen_model, starting))
        ingest = Ingest(archive, assumed, counted)
        size, done = sum(source.size for source in sources) or 1, 0
        with progress_bar("reading") as tell:
            for chain in in_chains(sources):
                ingest.read(chain, game, _progress(tell, done, size))
                done += sum(source.size for source in chain)
            ingest.keep()
        updated = archive.update_ratings()
        tally = ingest.tally
        archive_options.say_read(tally)
        archive_options.say_rebuilt(updated)
        if starting is not None:
            standing = archive.standing()
            say_unplayed(standing.model, standing.model.players(standing.state))
        if as_json:
            facts = {**plain(tally), "rebuilt": updated.rebuilt, "revision": archive.revision(),
                    "store": archive.facts()}  # fmt: skip
            click.echo(json.dumps(facts, indent=2))
        else:
            click.echo(archive_options.counts(tally))
        if tally.failed:
            sys.exit(1)


def _progress(tell: Any, done: int, size: int) -> Any:
    """Return what draws how much of all logs was read, None where nobody watches."""
    return None if tell is None else lambda read: tell((done + read) / size)
