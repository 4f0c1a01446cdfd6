"""Who comes to a night: names as they are typed, and the people they are."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import fields
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from equipoise.cli import archive_options
from equipoise.cli.roster_options import read_players
from equipoise.core.clock import deadline
from equipoise.core.plain_data import printable
from equipoise.core.stopping import Stop
from equipoise.errors import AmbiguousError, InputError
from equipoise.identity.merges import check_new_name
from equipoise.identity.names import folded
from equipoise.identity.roster_lookup import MOST_LISTED, AmbiguousNameError, RosterLookup
from equipoise.service import night
from equipoise.service.night import Night

if TYPE_CHECKING:
    from equipoise.files.pasted_names import Entry, PastedEntries


def unquoted(name: str) -> str:
    """Return a typed name without the quotes that a name needs which is also a step.

    Raises
    ------
    click.UsageError
        If nothing is left.
    """
    inner = name.strip()
    if len(inner) > 1 and inner[0] == inner[-1] == '"':
        inner = inner[1:-1].strip()
    if not inner:
        msg = "a name is empty"
        raise click.UsageError(msg)
    return inner


def lines_of(names: Sequence[str]) -> list[str]:
    """Return arguments as lines; a shell makes three of ``Amber + Birch``."""
    lines: list[str] = []
    for name in names:
        if lines and (name.strip() == "+" or lines[-1].endswith("+")):
            lines[-1] = f"{lines[-1]} {name}"
        else:
            lines.append(name)
    return lines


def parties_of(entries: Sequence[Entry], ids: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Return those who came together."""
    parties: dict[str, tuple[str, ...]] = {}
    for entry in entries:
        if entry.party is not None:
            parties[entry.party] = (*parties.get(entry.party, ()), ids[entry.name])
    return parties


def _asked(name: str, near: str, player: str) -> str | None:
    """Return who is meant by a name that is nearly that of somebody; None for somebody new."""
    if not (sys.stdin is not None and sys.stdin.isatty()):
        msg = f"there is no {name!r}; did you mean {near!r}? If this is somebody new, add --new {name!r}"
        raise click.UsageError(msg)
    meant = click.confirm(f"There is no {name!r}. Do you mean {near!r}?", default=True, err=True)
    return player if meant else None


class TypedNames(NamedTuple):
    """Entries of names that are typed or pasted, with what else was read.

    Parameters
    ----------
    entries : tuple of Entry
        Who is named.
    report : tuple of str
        What was read, in a sentence, then each line that is no player; empty where that says nothing new.
    data : mapping, optional
        The same as data.
    """

    entries: tuple[Entry, ...]
    report: tuple[str, ...] = ()
    data: Mapping[str, Any] | None = None

    def say(self, forms: Mapping[str, Any]) -> None:
        """Print what was read: above an answer for people, beside one that programs read."""
        if self.report:
            click.echo("\n".join(map(printable, self.report)), err=any(forms.values()))


def entries_of(
    names: Sequence[str], read: str | None, known: RosterLookup, steps: Collection[str]
) -> TypedNames:
    """Return the entries of names that are typed, or of a roster on standard input."""
    pasted = list(names) == ["-"]
    typed = _roster_entries(read) if pasted else _typed_entries(names, read, known, steps)
    if not typed.entries:
        unread = "; ".join(typed.report)
        msg = "nobody is named; write names, or - and a paste on standard input"
        raise click.UsageError(f"{msg} ({unread})" if unread else msg)
    for entry in typed.entries:
        name = unquoted(entry.name)  # refuses what has nothing between its quotes
        if known.id_of(name) is None:
            check_new_name(name)
    return typed


def _roster_entries(read: str | None) -> TypedNames:
    """Return what a night takes of a roster on standard input; say what it leaves out."""
    from equipoise.core.player import Player, Rating
    from equipoise.files.pasted_names import Entry

    players, left_out = read_players("-", read), set[str]()
    entries = []
    for number, player in enumerate(players, start=1):
        weight = player.rating.mu if isinstance(player.rating, Rating) else None
        entries.append(Entry(player.label, weight, player.party, number))
        taken = Player(player.label, weight, player.name, party=player.party)
        left_out |= {
            each.name for each in fields(player) if getattr(player, each.name) != getattr(taken, each.name)
        }
    if left_out:
        what = ", ".join(sorted("sigma" if name == "rating" else name for name in left_out))
        archive_options.warn(f"note: a night takes names, weights and parties, and leaves out: {what}")
    data = None if players.heard is None else players.heard.as_dict(players)
    return TypedNames(tuple(entries), tuple(players.report), data)


def _typed_entries(
    names: Sequence[str], read: str | None, known: RosterLookup, steps: Collection[str]
) -> TypedNames:
    """Return the entries of names that are typed."""
    from equipoise.files.pasted_names import parse_paste

    where, text = "NAMES", "\n".join(lines_of(names))
    for name in re.split(r"[\n,+]", text):
        if name.strip().casefold() in steps:
            msg = (
                f"{name.strip()!r} is a step of 'equipoise night'; if somebody is called so, write "
                f"the name in two pairs of quotes: '\"{name.strip()}\"'"
            )
            raise click.UsageError(msg)
    try:
        return _heard(parse_paste(text, where, read)) if text.strip() else TypedNames(())
    except AmbiguousError as error:
        name, _ = error.ways.get("names", ("", None))
        if "name-first" not in error.ways or known.id_of(name) is not None:
            raise
        entries = parse_paste(text, where, "name-first")
        weighed = [f"{entry.name} ({entry.weight:g})" for entry in entries if entry.weight is not None]
        archive_options.warn(
            f"Starting weights: {', '.join(weighed)}; --read names if they belong to the names."
        )
        return _heard(entries)


def _heard(entries: PastedEntries) -> TypedNames:
    """Return entries with what else was read."""
    players = night.players_of(entries)
    return TypedNames(tuple(entries), tuple(night.heard_of(entries)), entries.heard.as_dict(players))


who_option = click.option(
    "--who", multiple=True, metavar="NAME=ID", help="Who is meant by a name that several have.  Repeatable."
)


class WhichOne:
    """Answers who is meant by a name that several have: as ``--who`` says, or whoever is at the terminal.

    Parameters
    ----------
    typed : sequence of str
        Answers as they are typed, ``NAME=ID``.
    """

    def __init__(self, typed: Sequence[str] = ()) -> None:
        self._answers: dict[str, str] = {}
        for answer in typed:
            name, equals, player = answer.partition("=")
            if not (name.strip() and equals and player.strip()):
                msg = f"--who must be a name, = and an id, got {answer!r}"
                raise click.UsageError(msg)
            self._answers[folded(name)] = player.strip()

    def __call__(self, question: AmbiguousNameError) -> str:
        """Return the id of who is meant."""
        ids = [player for player, _ in question.candidates]
        answer = self._answers.get(folded(question.name))
        if answer is None and sys.stdin is not None and sys.stdin.isatty():
            answer = self._at_terminal(question)
        if answer is None:
            msg = f"{question}, as --who {shlex.quote(f'{question.name}={ids[0]}')}"
            raise InputError(msg)
        if answer not in ids:
            msg = f"--who: {question.name!r} must be one of {', '.join(ids[:MOST_LISTED])}, got {answer!r}"
            raise InputError(msg)
        self._answers[folded(question.name)] = answer
        return answer

    @staticmethod
    def _at_terminal(question: AmbiguousNameError) -> str:
        """Ask whoever is at the terminal."""
        some = question.candidates[:MOST_LISTED]
        click.echo(f"Several are called {printable(question.name)}:", err=True)
        for n, (player, shown) in enumerate(some, start=1):
            click.echo(f"  {n}  {printable(shown)} ({printable(player)})", err=True)
        number = click.prompt("Which one", type=click.IntRange(1, len(some)), err=True)
        return some[number - 1][0]


def opened_night(
    store: str | None, limited: Callable[[float], Stop] = deadline, who: Sequence[str] = ()
) -> AbstractContextManager[Night]:
    """Open the archive of a night, or make it; ask and warn at the terminal."""
    return night.opened(archive_options.address(store), limited, archive_options.warn, _asked, WhichOne(who))
