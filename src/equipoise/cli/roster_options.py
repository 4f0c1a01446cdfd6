"""Who is here, from files (``--read``) and archives (``--store``, ``--here``), with what is known of them."""

from __future__ import annotations

import gc
import os
import re
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from equipoise.cli.output_options import refuse
from equipoise.errors import READS, AmbiguousError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from click.shell_completion import CompletionItem

    from equipoise.archive.rated_players import Here
    from equipoise.core.match import Match
    from equipoise.core.player import Player
    from equipoise.files.read_roster import ReadRoster

    Command = TypeVar("Command", bound=Callable[..., Any])


class ReadChoices(click.ParamType):  # type: ignore[type-arg]  # older click has no argument
    """Choices that answer questions about a paste, separated by commas."""

    name = "choices"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the choices; refuse what answers no question."""
        from equipoise.files.line_kinds import choices_of

        try:
            choices_of(value)
        except InputError as error:
            refuse(str(error).removeprefix("read "), param, ctx)
        return value

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the choices that go on from what was typed after the last comma."""
        from click.shell_completion import CompletionItem as Item

        from equipoise.core.paste_grammar import choices

        del ctx, param
        before, comma, last = incomplete.rpartition(",")
        known = dict.fromkeys((*READS, *choices()))
        return [Item(before + comma + name) for name in known if name.startswith(last)]


#: The option that says how lines with numbers are read.
read_option = click.option(
    "--read", type=ReadChoices(), metavar="CHOICE,...", default=None,
    help="How to read ambiguous lines: weight-first, name-first, names, or what a question offers.",
)  # fmt: skip

#: What hardly anything but names and weights looks like, but for tables that are no rosters, which their
#: header tells; and how far a header goes.
_PLAIN = re.compile(rb"[\w .,;=+#'\t\r\n-]*")

HEADER = 1 << 12

#: What is in the header of a table that is no roster.
_TELLING = (b"match", b"target", b"_teams")

#: The variable that has the address of an archive.
ENVIRONMENT = "EQUIPOISE_STORE"

#: What an archive's address is called.
ADDRESS = "night.db, sqlite:///path or postgresql://user@host/database"

store = click.option("--store", metavar="URL", help=f"Read matches from an archive: {ADDRESS}.")

#: The options that say where ratings are.
RATINGS = (
    click.option("--store", metavar="URL", help=f"An archive with the ratings that ROSTER lacks: {ADDRESS}."),
    click.option(
        "--here",
        metavar="A,B|FILE",
        help="Who is here, with --store (or EQUIPOISE_STORE): ids or last names.",
    ),
    click.option("--ruleset", metavar="TEXT", help="What is played, with --store, as openarena/tdm."),
)


def with_ratings(command: Command) -> Command:
    """Add the options that say where ratings are."""
    for option in reversed(RATINGS):
        command = option(command)
    return command


def with_stored_ratings(command: Command) -> Command:
    """Add those options that say where ratings are, for a roster that says who is in which team."""
    for option in (RATINGS[2], RATINGS[0]):
        command = option(command)
    return command


clan_tags = click.option(
    "--clan-tags", is_flag=True, help="Players with the same clan tag in their names form a party."
)


def names_in(here: str) -> list[str]:
    """Return the names that an option tells: separated by commas, or a line each in a file.

    Raises
    ------
    InputError
        If there is none.
    """
    if os.path.isfile(here):
        from equipoise.files.file_kinds import check
        from equipoise.files.read_roster import content_of, decoded

        where, content = content_of(here)
        check(content, where, "players")
        here = decoded(content, where).replace("\n", ",")
    names = [name.strip() for name in here.split(",") if name.strip()]
    if not names:
        msg = "--here names nobody; write names separated by commas, or a file of names"
        raise InputError(msg)
    return names


def roster(source: str | None, options: dict[str, Any], read: Callable[[str], list[Player]]) -> list[Player]:
    """Return the players of a roster, or those that ``--here`` names.

    Raises
    ------
    InputError
        If there is neither, or both, or ``--here`` without an archive.
    """
    from equipoise.core.player import Player

    here = options.get("here")
    if here is None:
        if source is None:
            msg = "ROSTER is missing; give a file, or --store with --here"
            raise InputError(msg)
        return read(source)
    if source is not None:
        msg = "--here cannot be combined with ROSTER; give one of them"
        raise InputError(msg)
    if not _has_store(options):
        msg = "--here requires --store, which has the ratings"
        raise InputError(msg)
    return [Player(name) for name in names_in(here)]


def _has_store(options: dict[str, Any]) -> bool:
    """Tell whether there is an archive: where one is needed, that of the environment will do."""
    options["store"] = options.get("store") or os.environ.get(ENVIRONMENT) or None
    return options["store"] is not None


def rated(players: list[Player], options: dict[str, Any], besides: Collection[str] = ()) -> list[Player]:
    """Return players with their ratings from the archive of ``--store``, if there is one.

    Those with a rating keep it.  ``options["beta"]`` and ``options["zero"]`` become those of the archive's
    model, or of the roster, unless the options say them, or they are settled ``besides``, as by a
    request; ``options["draws"]`` how often even teams draw, where that is known, ``options["scale"]`` how the
    archive's ratings are shown, and ``options["side_chance"]`` what a side is worth, for two teams.
    """
    scale: Any = players
    if options.get("ruleset") is not None and not _has_store(options):
        msg = "--ruleset requires --store, which has the ratings"
        raise InputError(msg)
    if options.get("store") is not None:
        with placing(players, options.get("request")):
            scale = here = look_up(options["store"], players, options.get("ruleset"))
        players = list(here.players)
    asked = {name for name, value in options.items() if value is not None} | {*besides}
    for name, others in (("beta", {"beta"}), ("zero", {"zero", "body"})):
        if name in options and not asked & others:
            options[name] = getattr(scale, name, None)
    options["draws"] = getattr(scale, "draws", None)
    options["scale"] = getattr(scale, "scale", None)
    side = getattr(scale, "units", {}).get("side_chance")
    if side is not None and "side_chance" in options and not asked & {"side_chance", "teams"}:
        options["side_chance"] = side
    return players


def look_up(url: str, players: list[Player], ruleset: str | None = None) -> Here:
    """Return players with what an archive knows of them; say who is new there."""
    from equipoise.archive.rated_players import rated
    from equipoise.cli import archive_options
    from equipoise.core.rulesets import ruleset_from

    with archive_options.opened(url) as archive:
        standing = archive_options.up_to_date(archive)
        played = None if ruleset is None else ruleset_from(ruleset)
        here = rated(standing, players, played, archive.merged())
        if here.strangers:
            archive_options.say_strangers(*archive_options.newcomers(archive, here.strangers))
    if played is not None and played not in standing.rulesets:
        archive_options.warn(f"note: no match has the ruleset {ruleset}; ratings come from similar ones")
    return here


def stored_matches(url: str) -> tuple[list[Match], Callable[[str], str]]:
    """Return the matches of an archive that count, and what finds the ids of players by name.

    Raises
    ------
    InputError
        If there is none.
    """
    from equipoise.archive.rated_players import people_of
    from equipoise.cli import archive_options

    with archive_options.opened(url) as archive:
        known = people_of(archive_options.up_to_date(archive), archive.merged(), time.time())
        gc.disable()  # everything is kept
        matches = list(archive.matches())
        gc.enable()
    if not matches:
        msg = "--store: the archive has no matches; 'equipoise ingest' reads logs into it"
        raise InputError(msg)
    return matches, lambda name: known.id_of(name) or name


@contextmanager
def placing(read: Sequence[Player], request: str | None) -> Iterator[None]:
    """Let errors about a player's own field name the line or entry of the roster, or of the request file."""
    try:
        yield
    except InputError as error:
        place = next((n for n, player in enumerate(read) if player.id == error.player), None)
        places = getattr(read, "places", ())
        if place is None or not (place < len(places) or (request and not places)):
            raise
        where = places[place] if places else f"{request}: players, entry {place + 1}"
        field = f"{where}: {error.argument}"
        raise error.named(field) from None


def read_players(source: str, read: str | None) -> ReadRoster:
    """Return the players of a file, or of standard input where the source is ``-``.

    A person at a terminal is asked how to read what can be read in several ways.
    """
    from equipoise.files.read_roster import content_of, ending_of, parse_roster

    at_terminal = sys.stdin is not None and sys.stdin.isatty()
    where, content = content_of(source)
    header = content[:HEADER].split(b"\n")[0].lower()
    if not _PLAIN.fullmatch(content) or any(word in header for word in _TELLING):
        _check_kind(content, where)
    while True:
        try:
            return parse_roster(content, where, ending_of(source), read)
        except AmbiguousError as error:
            if not (error.ways and at_terminal and source != "-"):
                raise
            click.echo(f"{error.where}: {error.text!r} can be read in several ways:", err=True)
            for reading in error.readings:
                click.echo(f"  {reading}", err=True)
            chosen = click.prompt("Read it as", type=click.Choice(list(error.ways)), err=True)
            read = f"{read},{chosen}" if read else chosen
        except InputError:
            _check_kind(content, where)
            raise


def _check_kind(content: bytes, where: str) -> None:
    """Say what a file is that holds no players."""
    from equipoise.files.file_kinds import check

    check(content, where, "players")
