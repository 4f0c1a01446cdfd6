"""What the commands on archives share: the option ``--store``, messages about logs, and progress."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from equipoise.cli.output_options import OptionType, refuse, with_json
from equipoise.errors import InputError

if TYPE_CHECKING:
    from equipoise.archive.archive import Archive
    from equipoise.archive.ingest.ingest import Tally
    from equipoise.archive.standing import Standing, Updated
    from equipoise.core.dates import Zone
    from equipoise.core.match import Match


class ZoneName(OptionType):
    """The name of a zone."""

    name = "zone"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Zone:
        """Return the zone."""
        from equipoise.core.dates import Zone, zone_named

        if isinstance(value, Zone):
            return value
        try:
            return zone_named(str(value))
        except InputError as error:
            refuse(str(error).removeprefix("zone "), param, ctx)


store = click.option(
    "--store", required=True, metavar="URL", envvar="EQUIPOISE_STORE", show_envvar=True,
    help="The archive: night.db, sqlite:///path or postgresql://user@host/database.",
)  # fmt: skip

#: Where a server sends its log.
_ADDRESS = click.option(
    "--receive", metavar="udp://HOST:PORT",
    help="Receive the log, which is appended to the file: udp://HOST:PORT, or http://HOST:PORT.",
)  # fmt: skip
_SECRET = click.option(
    "--receive-secret-file", metavar="FILE",
    help="A file with what the server must know: sv_logsecret, or the path of the HTTP address.",
)  # fmt: skip


def receive(command: Any) -> Any:
    """Add the options by which a log is received."""
    return _ADDRESS(_SECRET(command))


zone = click.option(
    "--zone", type=ZoneName(), metavar="NAME",
    help="The zone of local times, such as Europe/Berlin or +05:45; it is kept with the source.  "
    "[default: the kept one, or else this machine's]",
)  # fmt: skip

mutators = click.option(
    "--mutators", metavar="FILE.toml",
    help="Settings that change play, or do not: one table per game, with lists 'gameplay' and 'cosmetic'.",
)  # fmt: skip


#: Newcomers who are named in one message.
MOST_NEW = 20


def warn(text: str) -> None:
    """Print a message for people on standard error."""
    from equipoise.core.plain_data import printable

    click.echo(printable(text), err=True)


def opened(url: str, *, create: bool = False) -> Archive:
    """Return the archive of an address; one that is to be written is finished, see :func:`finished`."""
    from equipoise.archive.archive import open_archive

    archive = open_archive(url, create=create, waiting=warn)
    return finished(archive) if create else archive


@contextmanager
def filled(url: str) -> Iterator[Archive]:
    """Give an archive to be filled, made where there is none; what was there is finished before."""
    from equipoise.archive.archive import filled

    with filled(url, warn) as archive:
        yield finished(archive)


def finished(archive: Archive) -> Archive:
    """Return an archive after finishing what a correction that was cut off has left of exported pages."""
    if archive.unfinished():
        from equipoise.service.exported_site import finish

        finish(archive, warn, missing=False)
    return archive


def up_to_date(archive: Archive) -> Standing:
    """Return what is known, after learning what is not learnt yet; say so where it is all rebuilt."""
    standing = archive.standing()
    if not standing.current and archive.writable:
        say_rebuilt(archive.update_ratings())
        standing = archive.standing()
    return standing


def say_rebuilt(updated: Updated) -> None:
    """Say that ratings were rebuilt, and why."""
    if updated.rebuilt:
        warn(f"ratings rebuilt from {updated.matches} matches: {updated.rebuilt}")


def player_named(standing: Standing, player: str, merged: dict[str, str] | None = None) -> str:
    """Return the id of a player who is called by id, the beginning of it, or the name last seen.

    Raises
    ------
    InputError
        If there is none, or several have the name.
    """
    from equipoise.archive.rated_players import people_of

    known = people_of(standing, merged or {}, time.time()).known(player)
    if known is not None:
        return known
    msg = f"player: there is none with the id or last name {player!r}; 'equipoise players' lists them"
    raise InputError(msg)


def finding(archive: Archive, coming: Iterable[Match] = ()) -> Callable[[str], str]:
    """Return what gives the id of who is meant by a name, of somebody new the name.

    ``coming`` are matches that are about to be kept; whoever is in them is known too.
    """
    from dataclasses import replace

    from equipoise.archive.rated_players import people_of

    standing, people = archive.standing(), archive.identities()
    later = sorted((people.applied(match) for match in coming), key=lambda match: match.ended or 0.0)
    standing = replace(standing, known=standing.known.after(later))
    known = people_of(standing, archive.merged(), time.time())
    return lambda name: known.id_of(name) or name


def newcomers(archive: Archive, names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return who of those without games is new, and who is forgotten."""
    gone = archive.tombstones().names(names)
    return [each for each in names if each not in gone], list(gone)


def tell_new(new: Sequence[str], gone: Sequence[str]) -> None:
    """Say on standard error who is new, and who is not because they are forgotten."""
    for what, some in (("new", new), ("forgotten, so rated under a stand-in", gone)):
        more = f" and {len(some) - MOST_NEW} more" if len(some) > MOST_NEW else ""
        if some:
            warn(f"{what}: {', '.join(some[:MOST_NEW])}{more}")


def say_strangers(new: Sequence[str], gone: Sequence[str]) -> None:
    """Say on standard error who is rated as new, as they are in no match so far, or as they are forgotten."""
    for why, some in (("in no match so far", new), ("forgotten", gone)):
        if some:
            warn(f"note: {why}, so rated as new: {', '.join(some)}")


def say_read(tally: Tally) -> None:
    """Print on standard error what the logs were and what of them could not be read."""
    for each in tally.files:
        what = f"{each['game']} ({each['by']})" if each["game"] else f"left out: {each['by']}"
        warn(f"{each['file']}: {what}")
    for skipped in tally.first_skipped:
        warn(f"{skipped.where}: skipped: {skipped.reason}")
    if (more := tally.skipped_lines - len(tally.first_skipped)) > 0:
        warn(f"... and {more} more skipped lines")
    for unfinished in tally.first_unfinished:
        warn(f"{unfinished.where}: does not count: {unfinished.reason}")
    if (more := tally.unfinished - len(tally.first_unfinished)) > 0:
        warn(f"... and {more} more unfinished games")
    for game, names in sorted(tally.unknown_mutators.items()):
        warn(f"{game}: unknown mutators, treated as changing play: {', '.join(sorted(names))}")
    for game in sorted(tally.unknown_games):
        warn(f"{game}: a game that no table knows; its game types are treated as those of its family")
    for shared, (server, people) in tally.shared.items():
        warn(
            f"{server}: {shared} is the id of {people} people who play at once; they are told apart by name: "
            "'equipoise players --doubtful'"
        )
    _say_dates(tally)
    for match, result in tally.first_twice:
        warn(
            f"{match[:12]}: probably the game of the result {result!r}; both count: 'equipoise undo' one, and"
        )
        warn("  either ingest the log or report results")
    if (more := tally.twice - len(tally.first_twice)) > 0:
        warn(f"... and {more} more games that were probably reported too")
    for failure in tally.failed:
        warn(f"error: {failure}")


def say_if_nothing(tally: Tally) -> None:
    """Print on standard error that there is no game in logs that are whole, where there is none."""
    anything = tally.matches or tally.duplicates or tally.unfinished or tally.skipped_lines or tally.failed
    if not anything and any(each["game"] for each in tally.files):
        warn("no game begins in what was read: nothing of it counts")


def _say_dates(tally: Tally) -> None:
    """Say which games have other dates than their log says, and why."""
    for source, (first, many) in tally.ahead.items():
        games = "1 game is" if many == 1 else f"{many} games are"
        zone = f"; local times were read as {tally.zones[source]}" if source in tally.zones else ""
        warn(
            f"{source}: {games} {first} (the first of them) and count as read now{zone}; are zone and clock "
            "right? 'ingest --zone' dates them again"
        )
    for source, many in tally.set_back.items():
        what = (
            "1 game is dated before the game above it and counts as after it"
            if many == 1
            else f"{many} games are dated before games above them and count as after them"
        )
        warn(f"{source}: {what}; was its clock set back, or is it of an hour that its zone leaves out?")
    if tally.moved:
        warn(f"{tally.moved} known games have other dates now")
    if tally.others:
        many = len(tally.others)
        rows = "1 known row keeps whom it was" if many == 1 else f"{many} known rows keep whom they were"
        listed = ", ".join(tally.others[:MOST_NEW])
        more = f" and {left} more" if (left := many - MOST_NEW) > 0 else ""
        warn(
            f"{rows} read for first: {listed}{more}; to correct one, 'equipoise undo' it, write the id in "
            "place of the name in its row, and import it again"
        )
    for source, by in tally.dated_by.items():
        warn(f"{source}: its games have no dates and were dated by {by}; --dated sets another date")


def counts(tally: Tally) -> str:
    """Return the counts of a tally as one line."""
    return (
        f"{tally.matches} new matches, {tally.duplicates} duplicates, {tally.unfinished} unfinished games, "
        f"{tally.skipped_lines} skipped lines"
    )


def tell(text: str) -> None:
    """Print a line with ids or names in it."""
    from equipoise.core.plain_data import printable

    click.echo(printable(text))


def tell_moved(file: str, matches: int, digest: str, *, as_json: bool, verb: str) -> None:
    """Print what was written to a file or read from it."""
    if as_json:
        click.echo(json.dumps({"file": file, "matches": matches, "digest": digest}, indent=2))
    else:
        tell(f"{matches} matches {verb} {file}; digest {digest}")


optional_store = click.option(
    "--store", metavar="URL", envvar="EQUIPOISE_STORE", show_envvar=True,
    help="The archive.  [default: equipoise/night.db in the user's data folder]",
)  # fmt: skip


def data_folder() -> Path:
    """Return the folder of the user's data."""
    weights = os.environ.get("XDG_DATA_HOME", "")
    base = Path(weights) if Path(weights).is_absolute() else Path.home() / ".local" / "share"
    return base / "equipoise"


def address(url: str | None) -> str:
    """Return the address of the archive, in a folder that exists where it is the usual one."""
    if url:
        return url
    folder = data_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        msg = (
            f"--store: {folder} cannot be made: {error.strerror or error}; name another archive with --store"
        )
        raise InputError(msg) from error
    return f"sqlite:///{folder / 'night.db'}"


def step(name: str, **more: Any) -> Callable[[Callable[..., None]], click.Command]:
    """Make a step of ``equipoise night``, with the options that all of them have."""

    def decorated(function: Callable[..., None]) -> click.Command:
        command: Any = click.command(name=name, **more)
        made: click.Command = command(optional_store(with_json(function)))
        return made

    return decorated


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[float], None] | None]:
    """Give a function that draws how far something is, where a person watches."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=1.0)
        yield lambda part: progress.update(task, completed=part)
