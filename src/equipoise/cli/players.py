"""``equipoise players``: everyone an archive knows, with ratings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from equipoise.cli import archive_options
from equipoise.cli.output_options import OneOf, Whole, table, table_forms, with_json
from equipoise.core.plain_data import printable

#: What players may be sorted by, and the widest cell of the table; --json has everything in full.
SORTS, WIDEST = ("mu", "games", "sigma", "name", "id"), 48

if TYPE_CHECKING:
    from equipoise.archive.standing import Standing


@click.command(name="players")
@archive_options.optional_store
@click.option("--ruleset", metavar="TEXT", help="Only this ruleset, as openarena/tdm+g_instantgib.")
@click.option("--top", type=Whole(1), metavar="N", help="Only the first N of each ruleset.")
@click.option(
    "--min-games",
    type=Whole(1),
    default=1,
    metavar="N",
    help="Only players with at least N games.",
)
@click.option(
    "--sort", type=OneOf(SORTS), default="mu", show_default=True, help="The order within a ruleset."
)
@with_json
@table_forms
def command(
    store: str | None,
    ruleset: str | None,
    top: int | None,
    min_games: int,
    sort: str,
    as_json: bool,
    form: str | None = None,
) -> None:
    """List everyone in an archive with the ratings in each ruleset they have played, the strongest first."""
    from equipoise.core.rulesets import ruleset_from, ruleset_text

    wanted = None if ruleset is None else ruleset_text(ruleset_from(ruleset))
    with archive_options.opened(archive_options.address(store)) as archive:
        players = _players(archive_options.up_to_date(archive))
    if wanted is not None:
        there = sorted({player["ruleset"] for player in players})
        if wanted not in there:
            archive_options.warn(
                f"--ruleset: nobody has played {wanted}; there are: {', '.join(there) or 'none'}"
            )
        players = [player for player in players if player["ruleset"] == wanted]
    players = _chosen(players, top, min_games, sort)
    click.echo(json.dumps({"players": players}, indent=2) if as_json else _text(players, form))


def _chosen(players: list[dict[str, Any]], top: int | None, games: int, sort: str) -> list[dict[str, Any]]:
    """Return the rows that are asked for, in order."""
    rising = sort in ("id", "name", "sigma")
    kept = [player for player in players if player["games"] >= games]
    kept.sort(key=lambda row: row[sort], reverse=not rising)
    kept.sort(key=lambda row: row["ruleset"])
    if top is None:
        return kept
    found: dict[str, list[dict[str, Any]]] = {}
    for row in kept:
        found.setdefault(row["ruleset"], []).append(row)
    return [row for rows in found.values() for row in rows[:top]]


def _players(standing: Standing) -> list[dict[str, Any]]:
    """Return a row for each player and ruleset as plain data."""
    from equipoise.archive.standing import bot_name
    from equipoise.core.player import is_bot
    from equipoise.core.rulesets import ruleset_text
    from equipoise.ratings.display_scale import scale_of

    scales = {ruleset: scale_of(standing.model, standing.state, ruleset) for ruleset in standing.rulesets}
    rows = []
    for (player, ruleset), games in standing.games.items():
        rating = standing.model.rating(standing.state, player, ruleset)
        rows.append(
            {"id": player, "name": standing.names.get(player) or bot_name(player), "bot": is_bot(player),
             "ruleset": ruleset_text(ruleset), "mu": rating.mu, "sigma": rating.sigma,
             "weight": scales[ruleset].shown(rating.mu), "games": games}
        )  # fmt: skip
    return sorted(rows, key=lambda row: (row["ruleset"], -row["mu"], row["id"]))


def _short(text: str) -> str:
    """Return a text as a cell: no longer than a line of a terminal bears."""
    shown = printable(text)
    return shown if len(shown) <= WIDEST else shown[: WIDEST - 3] + "..."


def _text(players: list[dict[str, Any]], form: str | None) -> str:
    short = _short if form is None else printable
    columns = ("id", "name", "ruleset", "0-100", "mu", "sigma", "games")
    rows = [
        (short(row["id"]), short(row["name"]), short(row["ruleset"]), f"{row['weight']:.1f}",
         f"{row['mu']:.3f}", f"{row['sigma']:.3f}", str(row["games"]))
        for row in players
    ]  # fmt: skip
    return table(columns, rows, form)
