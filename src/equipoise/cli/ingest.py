"""``equipoise ingest``: from logs to an archive, once or as they grow."""

from __future__ import annotations

import json
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from equipoise.cli import archive_options
from equipoise.cli.model_options import kept_starting
from equipoise.cli.output_options import Number, json_option
from equipoise.core.registry import GAMES
from equipoise.errors import InputError

if TYPE_CHECKING:
    from equipoise.core.dates import Zone


@click.command(name="ingest")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@archive_options.store
@click.option(
    "--game", default="auto", show_default=True, metavar="NAME",
    help=f"Whose logs they are: auto, {', '.join(GAMES)}, or a file that describes a game.",
)  # fmt: skip
@click.option(
    "--dated",
    metavar="FROM",
    help="The date of games whose log and file name have none, as 2026-01-31T20:15; in --zone, or UTC.",
)
@click.option(
    "--follow", is_flag=True,
    help="Follow the log of a running server, over rotation and restarts, until SIGINT or SIGTERM.",
)  # fmt: skip
@click.option(
    "--interval", type=Number(0.01, 3600.0), metavar="SECONDS",
    help="With --follow: how often to look for what is new.  [default: 1.0]",
)  # fmt: skip
@click.option("--once", is_flag=True, help="With --follow: go on where it was left, and end.")
@archive_options.receive
@kept_starting
@archive_options.zone
@archive_options.mutators
@json_option("Print JSON; with --follow one line each time there is something new.")
def command(paths: tuple[str, ...], follow: bool, **options: Any) -> None:
    """Read game logs into an archive: files (compressed too), patterns, directories, or - for standard input.

    Every finished game counts once, however often and under whatever name its log is read.
    Ratings are up to date at the end; with --follow within the interval after each game.
    """
    wrong = ("dated", "starting") if follow else ("interval", "once", "receive", "receive_secret_file")
    for name in wrong:
        if options[name]:
            msg = f"--{name.replace('_', '-')} has no use {'with' if follow else 'without'} --follow"
            raise click.UsageError(msg)
    if follow and (len(paths) != 1 or paths[0] == "-"):
        msg = f"PATH must be one log file with --follow, got {' '.join(paths)}"
        raise InputError(msg)
    if follow:
        _follow(paths[0], options["store"], options["game"], options["interval"] or 1.0, options)
    else:
        _read(paths, **{name: options[name] for name in (
            "store", "game", "dated", "starting", "zone", "mutators", "as_json")})  # fmt: skip


def _read(
    paths: tuple[str, ...],
    store: str,
    game: str,
    dated: str | None,
    starting: str | None,
    zone: Zone | None,
    mutators: str | None,
    as_json: bool,
) -> None:
    """Read logs as they are now."""
    from equipoise.archive.ingest.custom_mutators import read_mutators
    from equipoise.archive.ingest.ingest import AUTO, Ingest, named_game, plain
    from equipoise.archive.ingest.log_files import find_logs, in_chains
    from equipoise.cli.model_options import say_unplayed, started, with_known
    from equipoise.core.match_records import time_from

    if game != AUTO:
        named_game(game)
    assumed = None if dated is None else time_from(dated, "--dated", zone)
    counted = None if mutators is None else read_mutators(mutators)
    sources = find_logs(paths)

    with archive_options.filled(store) as archive:
        model = None if starting is None else started(archive.chosen_model, starting)
        ingest = Ingest(archive, assumed, counted, zone, hold=model is not None)
        size, done = sum(source.size for source in sources) or 1, 0
        with archive_options.progress_bar("reading") as tell:
            for chain in in_chains(sources):
                ingest.read(chain, game, _progress(tell, done, size))
                done += sum(source.size for source in chain)
            ingest.keep()
        if model is not None:  # looked at before anything is kept
            archive.rebuild(with_known(model, archive_options.finding(archive, ingest.held())))
            ingest.let_go()
        updated = archive.update_ratings()
        tally = ingest.tally
        archive_options.say_read(tally)
        archive_options.say_if_nothing(tally)
        archive_options.say_rebuilt(updated)
        if starting is not None:
            meant = with_known(archive.chosen_model, archive_options.finding(archive))
            if meant != archive.chosen_model:
                archive.rebuild(meant)
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


def _follow(path: str, store: str, game: str, interval: float, options: dict[str, Any]) -> None:
    """Read what a log grows by, until somebody ends it."""
    from equipoise.archive.ingest.custom_mutators import read_mutators
    from equipoise.archive.ingest.ingest import Watch
    from equipoise.files.file_kinds import HEAD, READERS, kind_of

    mutators = options["mutators"]
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
    from equipoise.service.live_settings import receiving_of
    from equipoise.service.log_receiver import receiving

    zone = options["zone"]
    try:
        where = receiving_of(options["receive"], options["receive_secret_file"])
    except InputError as error:
        flag = f"--{error.argument.replace('_', '-')}"
        raise error.named(flag) from error
    with (
        receiving(where, path, archive_options.warn),
        archive_options.filled(store) as archive,
        Watch(archive, path, game, counted, zone=zone) as watch,
    ):
        archive_options.say_rebuilt(archive.update_ratings())
        while True:
            tally, updated = watch.step()
            for text in watch.news():
                archive_options.warn(text)
            if updated or options["once"]:
                archive_options.say_read(tally)
                click.echo(json.dumps(watch.plain()) if options["as_json"] else archive_options.counts(tally))
            if updated:
                archive_options.say_rebuilt(updated)
            if options["once"] or stop.wait(interval):
                return
