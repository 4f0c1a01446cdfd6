"""``equipoise history``: the games of one player, and the rating after each."""

from __future__ import annotations

import json
from typing import Any

import click

from equipoise.cli import archive_options
from equipoise.cli.output_options import table, table_forms, with_json


@click.command(name="history")
@click.argument("player", metavar="PLAYER")
@archive_options.optional_store
@click.option("--why", is_flag=True, help="Show what was expected of each game and what moved mu.")
@with_json
@table_forms
def command(player: str, store: str | None, why: bool, as_json: bool, form: str | None = None) -> None:
    """Show every game of a PLAYER (an id, or the name last seen) with the rating after it."""
    with archive_options.opened(archive_options.address(store)) as archive:
        standing = archive_options.up_to_date(archive)
        known = archive_options.player_named(standing, player, archive.merged())
        games: list[dict[str, Any]] = [{**each.as_dict()} for each in archive.history(known, why=why)]
        names: list[dict[str, Any]] = sorted(
            ({"name": name, "first": numbers[0], "last": numbers[1], "games": int(numbers[2])}
             for (who, name), numbers in standing.known.names.items() if who == known),
            key=lambda each: each["last"], reverse=True,
        )  # fmt: skip
    if as_json:
        click.echo(json.dumps({"id": known, "names": names, "games": games}, indent=2))
    else:
        click.echo(_text(known, names, games, form, why=why))


def _date(game: dict[str, Any]) -> str:
    """Return when a game ended, marked where that is assumed."""
    from datetime import UTC, datetime

    date = datetime.fromtimestamp(game["ended"], UTC).strftime("%Y-%m-%d %H:%M")
    return date if game["dated"] else f"~ {date}"


def _text(
    player: str, names: list[dict[str, Any]], games: list[dict[str, Any]], form: str | None, *, why: bool
) -> str:
    from equipoise.core.plain_data import printable

    known = ", ".join(printable(each["name"]) for each in names)
    rows: list[tuple[str, ...]] = [
        (_date(game), game["match"][:12],
         printable(game["ruleset"]), printable(game["map"]), f"{game['won']:g}/{game['contests']}",
         f"{game['weight']:.1f}", f"{game['mu']:.3f}", f"{game['sigma']:.3f}")
        for game in games
    ]  # fmt: skip
    columns: tuple[str, ...] = ("ended (UTC)", "match", "ruleset", "map", "won", "0-100", "mu", "sigma")
    if why:
        channels = list(dict.fromkeys(name for game in games for name in game["moved"]))
        columns = (*columns, "expected", *channels)
        rows = [
            (*row, "-" if game["expected"] is None else f"{game['expected']:.2f}",
             *(f"{game['moved'].get(name, 0.0):+.3f}" for name in channels))
            for row, game in zip(rows, games, strict=True)
        ]  # fmt: skip
    shown = table(columns, rows, form)
    return shown if form is not None else f"{printable(player)}{f' ({known})' if known else ''}\n{shown}"
