"""``equipoise import-results``: past results from a table into an archive."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from equipoise.cli import archive_options, night_names, read_history
from equipoise.cli.output_options import with_json
from equipoise.identity.roster_lookup import PastResults

if TYPE_CHECKING:
    from equipoise.core.dates import Zone
    from equipoise.core.match import Match

#: New names that are like another one and are listed one by one.
MOST_LISTED = 10


@click.command(name="import-results")
@click.argument("file", metavar="FILE")
@read_history.dates
@archive_options.zone
@night_names.who_option
@archive_options.optional_store
@with_json
def command(
    file: str, dates: str | None, zone: Zone | None, who: tuple[str, ...], store: str | None, as_json: bool
) -> None:
    """Read past results from FILE: CSV or a spreadsheet, a row for each match or for each player.

    Names match those of the archive, whatever their case; each match counts once, however often its
    file is read.  Ratings are up to date at the end, and 'equipoise night' goes on from them.
    """
    from equipoise.archive.ingest.ingest import Ingest, plain
    from equipoise.files.read_matches import tied_apart
    from equipoise.files.result_tables import results_from

    with night_names.opened_night(store, who=who) as night:
        known = night.people()
        past = PastResults(known)
        ingest = Ingest(night.archive, zone=zone)
        ingest.table(file)
        apart: list[str] = []

        def note(place: str, match: Match) -> None:
            (contest,) = match.contests
            if contest.scores and tied_apart(contest.ranks, contest.scores):
                apart.append(place)

        notes: list[str] = []
        ingest.take(results_from(file, dates, past.recognised, note, notes.append, ingest.moments))
        ingest.keep()
        updated = night.archive.update_ratings()
        archive_options.say_read(ingest.tally)
        read_history.say_apart(len(apart), apart, "the columns 'winner' and 'result'")
        read_history.say_notes(notes)
        archive_options.say_rebuilt(updated)
        new, gone = archive_options.newcomers(night.archive, past.new)
        alike = {name: like for name, like in past.alike.items() if name not in gone}
        if as_json:
            facts = plain(ingest.tally)
            facts = {
                key: facts[key]
                for key in ("matches", "duplicates", "skipped_lines", "first_skipped", "ahead")
            }
            click.echo(json.dumps({**facts, "new": new, "alike": alike}, indent=2))
        else:
            archive_options.tell_new(new, gone)
            _tell_alike(alike)
            tally = ingest.tally
            click.echo(
                f"{tally.matches} new matches, {tally.duplicates} known, {tally.skipped_lines} skipped; "
                f"{len(new)} new players."
            )
        if ingest.tally.skipped_lines:
            sys.exit(1)


def _tell_alike(alike: Mapping[str, str]) -> None:
    """Say which of those who are new are probably old ones."""
    for name, like in list(alike.items())[:MOST_LISTED]:
        archive_options.warn(
            f"{name!r} is new and much like {like!r}; if they are one: equipoise merge {like!r} {name!r}"
        )
    if len(alike) > MOST_LISTED:
        archive_options.warn(f"... and {len(alike) - MOST_LISTED} more")
