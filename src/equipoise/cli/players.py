"""``equipoise players``: everyone an archive knows, with ratings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from equipoise.cli import archives

if TYPE_CHECKING:
    from equipoise.archive.known import Standing


@click.command(name="players")
@archives.store
@click.option("--ruleset", metavar="TEXT", help="Only this ruleset, as openarena/tdm+g_instantgib.")
@archives.as_json
def command(store: str, ruleset: str | None, as_json: bool) -> None:
    """List everyone in an archive with the ratings in each ruleset they have played, the strongest first."""
    from equipoise.logs.rules import ruleset_from, ruleset_text

    wanted = None if ruleset is None else ruleset_text(ruleset_from(ruleset))
    with archives.opened(store) as archive:
        players = _players(archives.up_to_date(archive))
    if wanted is not None:
        players = [player for player in players if player["ruleset"] == wanted]
    click.echo(json.dumps({"players": players}, indent=2) if as_json else _text(players))


def _players(standing: Standing) -> list[dict[str, Any]]:
    """Return a row for each player and ruleset as plain data."""
    from equipoise.archive.known import bot_name
    from equipoise.logs.rules import ruleset_text
    from equipoise.ratings.model import is_bot
    from equipoise.ratings.scale import scale_of

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


def _text(players: list[dict[str, Any]]) -> str:
    from equipoise.cli.histories import table
    from equipoise.pages.text.words import printable

    columns = ("id", "name", "ruleset", "0-100", "mu", "sigma", "games")
    rows = [
        (printable(row["id"]), printable(row["name"]), printable(row["ruleset"]), f"{row['weight']:.1f}",
         f"{row['mu']:.3f}", f"{row['sigma']:.3f}", str(row["games"]))
        for row in players
    ]  # fmt: skip
    return table(columns, rows)
