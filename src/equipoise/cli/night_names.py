"""Who comes to a night: names as they are typed, and the people they are."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

import click

from equipoise.cli import archive_options
from equipoise.cli.roster_options import read_players
from equipoise.errors import ALIKE, AmbiguousError, InputError, again, nearest

if TYPE_CHECKING:
    from equipoise.archive.archive import Archive
    from equipoise.archive.standing import Standing
    from equipoise.files.pasted_names import Entry
    from equipoise.identity.roster_lookup import Names
    from equipoise.play.night import Night


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


class PeopleFinder:
    """Finds people by name among those who have come and those of the archive."""

    def __init__(self, archive: Archive, night: Night) -> None:
        from equipoise.identity.roster_lookup import Names

        self._night = night
        self._standing: Standing = archive.standing()
        self._find: Names = Names(self._standing, archive.merged())

    def id_of(self, name: str) -> str | None:
        """Return an id, None for somebody unknown."""
        from equipoise.play.night import folded

        known = self._night.id_of(name)
        if known is not None:
            return known
        known = self._find.id_of(name)
        if known in self._find.ids:
            return known
        stored = self._standing.names
        same = [player for player in self._find.ids if folded(stored.get(player, player)) == folded(name)]
        return same[0] if len(same) == 1 else None

    def names(self) -> dict[str, str]:
        """Return the id of every name, as it is compared."""
        from equipoise.play.night import folded

        stored = {folded(self._standing.names.get(player, player)): player for player in self._find.ids}
        return {**stored, **{folded(name): player for player, name in self._night.spelled.items()}}

    def shown(self, player: str) -> str:
        """Return the spelling of somebody."""
        return self._night.spelled.get(player) or self._standing.names.get(player, player)


def resolved(known: PeopleFinder, names: Sequence[str], new: Sequence[str]) -> dict[str, str]:
    """Return the id of each name: that of a known person, or the name of a new one.

    A name that is nearly that of somebody who is not here is asked about, and never added without an answer.

    Raises
    ------
    click.UsageError
        If there is nobody to ask.
    InputError
        If two names are one person.
    """
    from equipoise.play.night import folded

    declared = {folded(name) for name in new}
    ids = {name: known.id_of(name) for name in names}
    here = {each for each in ids.values() if each is not None}
    everyone = {name: player for name, player in known.names().items() if player not in here}
    if len(ids) < len(names):
        msg = f"players: {names[again(names)]!r} is there twice; write everyone once"
        raise InputError(msg)
    found: dict[str, str] = {}
    for name, player in ids.items():
        each = player
        if each is None and folded(name) not in declared:
            near = nearest(folded(name), everyone, ALIKE)
            each = None if near is None else _asked(name, known.shown(everyone[near]), everyone[near])
        each = name if each is None else each
        other = next((one for one in found if found[one] == each or folded(one) == folded(name)), None)
        if other is not None:
            msg = f"players: {name!r} and {other!r} are one player; write everyone once"
            raise InputError(msg)
        found[name] = each
    return found


def _asked(name: str, near: str, player: str) -> str | None:
    """Return who is meant by a name that is nearly that of somebody; None for somebody new."""
    if not (sys.stdin is not None and sys.stdin.isatty()):
        msg = f"there is no {name!r}; did you mean {near!r}? If this is somebody new, add --new {name!r}"
        raise click.UsageError(msg)
    meant = click.confirm(f"There is no {name!r}. Do you mean {near!r}?", default=True, err=True)
    return player if meant else None


def entries_of(
    names: Sequence[str], read: str | None, known: PeopleFinder, steps: Collection[str]
) -> tuple[Entry, ...]:
    """Return the entries of names that are typed, or of a roster on standard input."""
    entries = _roster_entries(read) if list(names) == ["-"] else _typed_entries(names, read, known, steps)
    if not entries:
        msg = "nobody is named; write names, or - and a paste on standard input"
        raise click.UsageError(msg)
    for entry in entries:
        unquoted(entry.name)  # refuses what has nothing between its quotes
    return entries


def _roster_entries(read: str | None) -> tuple[Entry, ...]:
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
    return tuple(entries)


def _typed_entries(
    names: Sequence[str], read: str | None, known: PeopleFinder, steps: Collection[str]
) -> tuple[Entry, ...]:
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
        return parse_paste(text, where, read) if text.strip() else ()
    except AmbiguousError as error:
        name, _ = error.ways.get("names", ("", None))
        if "name-first" not in error.ways or known.id_of(name) is not None:
            raise
        entries = parse_paste(text, where, "name-first")
        weighed = [f"{entry.name} ({entry.weight:g})" for entry in entries if entry.weight is not None]
        archive_options.warn(
            f"Starting weights: {', '.join(weighed)}; --read names if they belong to the names."
        )
        return entries
