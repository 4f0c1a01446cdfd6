"""``equipoise watch``: a live log into an archive."""

from __future__ import annotations

import json
import signal
import threading
from pathlib import Path

import click

from equipoise.cli import archive_options
from equipoise.cli.output_options import Number, json_option
from equipoise.core.registry import GAMES
from equipoise.errors import InputError


@click.command(name="watch")
@click.argument("path", metavar="PATH")
@archive_options.store
@click.option(
    "--game", default="auto", show_default=True, metavar="NAME",
    help=f"Whose log it is: auto, {', '.join(GAMES)}.",
)  # fmt: skip
@click.option(
    "--interval", default=1.0, show_default=True, type=Number(0.01, 3600.0), metavar="SECONDS",
    help="How often to look for what is new.",
)  # fmt: skip
@archive_options.mutators
@click.option("--once", is_flag=True, help="Read what there is, and end.")
@json_option("Print JSON, one line each time there is something new.")
def command(
    path: str, store: str, game: str, interval: float, once: bool, mutators: str | None, as_json: bool
) -> None:
    """Follow a live game log into an archive, over rotation and restarts, until SIGINT or SIGTERM.

    Ratings are up to date within the interval after each game.
    """
    from equipoise.archive.ingest.custom_mutators import read_mutators
    from equipoise.archive.ingest.ingest import Watch
    from equipoise.files.file_kinds import HEAD, READERS, kind_of

    if path == "-":
        msg = "PATH must be a log file, got -; 'equipoise ingest -' reads standard input"
        raise InputError(msg)
    counted = None if mutators is None else read_mutators(mutators)
    if Path(path).is_file() and game == "auto":
        with Path(path).open("rb") as file:
            kind = kind_of(file.read(HEAD), path)
        if kind is not None and kind.name not in READERS["logs"]:
            msg = f"{path} is {kind.shown}; {kind.remedy}"
            raise InputError(msg)
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    from equipoise.archive.archive import filled

    with filled(store, archive_options.warn) as archive, Watch(archive, path, game, counted) as watch:
        archive_options.say_rebuilt(archive.update_ratings())
        while True:
            tally, updated = watch.step()
            for text in watch.news():
                archive_options.warn(text)
            if updated or once:
                archive_options.say_read(tally)
                click.echo(json.dumps(watch.plain()) if as_json else archive_options.counts(tally))
            if updated:
                archive_options.say_rebuilt(updated)
            if once or stop.wait(interval):
                return
