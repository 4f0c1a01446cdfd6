"""``equipoise undo``, ``merge`` and ``forget``: corrections of an archive."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from equipoise.cli import archive_options
from equipoise.cli.output_options import with_json
from equipoise.identity.roster_lookup import AmbiguousNameError
from equipoise.identity.shared_ids import OF
from equipoise.identity.short_ids import meant_by
from equipoise.service import exported_site

if TYPE_CHECKING:
    from equipoise.archive.archive import Archive


@contextmanager
def _corrected(store: str) -> Iterator[Archive]:
    """Give an archive to be corrected; finish what that makes due, or an earlier correction has left."""
    with (
        archive_options.opened(store) as archive,
        exported_site.corrected(archive, archive_options.warn),
    ):
        yield archive


@click.command(name="undo")
@click.argument("match", metavar="MATCH")
@archive_options.store
@click.option("--back", is_flag=True, help="Include a match that was undone again.")
@with_json
def undo(match: str, store: str, back: bool, as_json: bool) -> None:
    """Exclude a MATCH (its id, or any part that no other has) from the ratings.

    It stays in the archive, so that reading its log again does not bring it back.
    """
    with _corrected(store) as archive:
        known = archive.undo(match, back=back)
        updated = archive.update_ratings()
    if as_json:
        click.echo(
            json.dumps({"match": known, "undone": not back, "rebuilt_from": updated.matches}, indent=2)
        )
    else:
        counts = "counts again" if back else "no longer counts"
        click.echo(f"{known} {counts}; ratings rebuilt from {updated.matches} matches")


@click.command(name="merge")
@click.argument("player", metavar="A")
@click.argument("other", metavar="B")
@archive_options.store
@click.option("--back", is_flag=True, help="Undo a merge: they are two people again.")
@with_json
def merge(player: str, other: str, store: str, back: bool, as_json: bool) -> None:
    """Treat A and B as one person, called A; the games stay as they were.

    Both are ids, the beginnings of ids, or names.
    """
    with _corrected(store) as archive:
        if back:
            pairs = archive.merged()
            player, other = meant_by(player, pairs.values()), meant_by(other, pairs)
            archive.merge(player, other, back=True)
        else:
            from equipoise.service import merging

            asked = player, other
            player, other = _person(archive, player), _person(archive, other)
            if player == other:
                from equipoise.archive.corrections import one_already

                raise one_already(*asked)
            for lobby in merging.merge(archive, player, other):
                archive_options.warn(f"the teams of {lobby} were made again: they broke a rule for {player}")
        updated = archive.update_ratings()
    if as_json:
        facts = {"player": player, "other": other, "merged": not back, "rebuilt_from": updated.matches}
        click.echo(json.dumps(facts, indent=2))
    else:
        what = "are two people again" if back else "are one person"
        archive_options.tell(f"{player} and {other} {what}; ratings rebuilt from {updated.matches} matches")


def _person(archive: Archive, player: str) -> str:
    """Return the id of somebody who is named by id or name; what nobody is called stays as it is."""
    from equipoise.archive.chosen_model import starting_of
    from equipoise.archive.rated_players import people_of
    from equipoise.play.evening_records import namings

    merged = archive.merged()
    known = archive_options.up_to_date(archive)
    called = dict(pair for record in archive.night_events() for pair in namings(record))
    guesses = [who for who, *_ in starting_of(archive.chosen_model)]
    lookup = people_of(known, merged, time.time(), called, unseen=[*merged, *merged.values(), *guesses])
    try:
        return lookup.known(player, names=False) or player
    except AmbiguousNameError as error:
        if any(one.startswith(player + OF) for one, _ in error.candidates):
            return player  # an id that several have: all of them
        raise


@click.command(name="forget")
@click.argument("player", metavar="PLAYER")
@archive_options.store
@with_json
def forget(player: str, store: str, as_json: bool) -> None:
    """Remove PLAYER (a name, an id, or the beginning of one) from an archive for good.

    Ids and names are rewritten in every game, and reading a log again does not bring them back.
    The other players' ratings stay what they were.
    """
    with _corrected(store) as archive:
        from equipoise.service import forgetting

        stand_in = forgetting.forget(archive, _person(archive, player))
    if as_json:
        click.echo(json.dumps({"stand_in": stand_in}, indent=2))
    else:
        click.echo(f"forgotten; the games are those of {stand_in} now")
