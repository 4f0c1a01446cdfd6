"""``equipoise players``: everyone an archive knows with ratings, or one of them with every game."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from equipoise.cli import archive_options
from equipoise.cli.output_options import (
    OneOf,
    Whole,
    shown_ratings,
    shown_weight,
    table,
    table_forms,
    with_json,
)
from equipoise.core.plain_data import printable

#: What players may be sorted by, and the widest cell of the table; --json has everything in full.
SORTS, WIDEST = ("mu", "games", "sigma", "name", "id"), 48

if TYPE_CHECKING:
    from equipoise.archive.archive import Archive
    from equipoise.archive.standing import Standing
    from equipoise.core.match import Ruleset
    from equipoise.ratings.display_scale import Scale


@click.command(name="players")
@click.argument("name", metavar="[NAME]", required=False)
@archive_options.optional_store
@click.option("--ruleset", metavar="TEXT", help="Only this ruleset, as openarena/tdm+g_instantgib.")
@click.option("--top", type=Whole(1), metavar="N", help="Only the first N of each ruleset.")
@click.option("--min-games", type=Whole(1), metavar="N", help="Only players with at least N games.")
@click.option("--sort", type=OneOf(SORTS), help="The order within a ruleset.  [default: mu]")
@click.option("--doubtful", is_flag=True, help="The ids that several people have, and who they are.")
@click.option("--doubles", is_flag=True, help="Pairs of ids that may be one person, how likely, and why.")
@click.option("--why", is_flag=True, help="With NAME: what was expected of each game and what moved mu.")
@with_json
@table_forms
def command(
    name: str | None,
    store: str | None,
    why: bool,
    doubtful: bool,
    doubles: bool,
    as_json: bool,
    form: str | None = None,
    **options: Any,
) -> None:
    """List everyone in an archive with the ratings in each ruleset they have played, the strongest first.

    With NAME (a name, an id, or the beginning of one): every game of that player with the rating after it.
    """
    if name is None and why:
        msg = "--why: whose games? Write a NAME"
        raise click.UsageError(msg)
    typed = [flag for flag, value in options.items() if value is not None]
    lists = [flag for flag, wanted in (("--doubtful", doubtful), ("--doubles", doubles)) if wanted]
    if lists and (name is not None or why or typed or len(lists) > 1):
        rest = ["--why"] * why + lists[1:] + [f"--{flag.replace('_', '-')}" for flag in typed]
        msg = f"{lists[0]} lists ids; leave out it, or {'NAME' if name is not None else rest[0]}"
        raise click.UsageError(msg)
    if name is not None and typed:
        msg = f"--{typed[0].replace('_', '-')} chooses among everyone; leave out it, or NAME"
        raise click.UsageError(msg)
    with archive_options.opened(archive_options.address(store)) as archive:
        if doubtful:
            archive_options.up_to_date(archive)
            _tell_doubtful(archive, form, as_json=as_json)
        elif doubles:
            archive_options.up_to_date(archive)
            _tell_doubles(archive, form, as_json=as_json)
        elif name is None:
            _tell_everyone(archive_options.up_to_date(archive), options, form, as_json=as_json)
        else:
            _tell_games(archive, name, form, why=why, as_json=as_json)


def _tell_everyone(standing: Standing, options: dict[str, Any], form: str | None, *, as_json: bool) -> None:
    """Print a row for each player and ruleset."""
    from equipoise.core.rulesets import ruleset_from, ruleset_text
    from equipoise.ratings.display_scale import scale_of

    scales = {ruleset: scale_of(standing.model, standing.state, ruleset) for ruleset in standing.rulesets}
    players, ruleset = _players(standing, scales), options["ruleset"]
    if ruleset is not None:
        wanted = ruleset_text(ruleset_from(ruleset))
        there = sorted({player["ruleset"] for player in players})
        if wanted not in there:
            archive_options.warn(
                f"--ruleset: nobody has played {wanted}; there are: {', '.join(there) or 'none'}"
            )
        players = [player for player in players if player["ruleset"] == wanted]
    players = _chosen(players, options["top"], options["min_games"] or 1, options["sort"] or "mu")
    if as_json:
        click.echo(json.dumps({"players": players}, indent=2))
    else:
        click.echo(_text(players, {ruleset_text(one): scale.shown for one, scale in scales.items()}, form))


def _tell_games(archive: Archive, name: str, form: str | None, *, why: bool, as_json: bool) -> None:
    """Print every game of a player."""
    standing = archive_options.up_to_date(archive)
    known = archive_options.player_named(standing, name, archive.merged())
    games: list[dict[str, Any]] = [{**each.as_dict()} for each in archive.history(known, why=why)]
    names: list[dict[str, Any]] = sorted(
        ({"name": name, "first": numbers[0], "last": numbers[1], "games": int(numbers[2])}
         for (who, name), numbers in standing.known.names.items() if who == known),
        key=lambda each: each["last"], reverse=True,
    )  # fmt: skip
    if as_json:
        click.echo(json.dumps({"id": known, "names": names, "games": games}, indent=2))
    else:
        click.echo(_games_text(known, names, games, form, why=why))


def _tell_doubtful(archive: Archive, form: str | None, *, as_json: bool) -> None:
    """Print the ids that several people have."""
    from equipoise.core.plain_data import printable

    ids = archive.doubtful()
    if as_json:
        click.echo(json.dumps({"doubtful": [one._asdict() for one in ids]}, indent=2))
        return
    short = _short if form is None else printable
    rows = [
        (
            short(one.id),
            short(", ".join(one.servers)),
            f"{one.proofs}/{one.matches}",
            short(person),
            short(", ".join(names)),
        )
        for one in ids
        for person, names in one.people.items()
    ]
    if not rows and form is None:
        click.echo("no id is that of several people")
        return
    click.echo(table(("shared id", "server", "at once", "id here", "names"), rows, form))


def _tell_doubles(archive: Archive, form: str | None, *, as_json: bool) -> None:
    """Print the pairs of ids that may be one person's, and how to merge them."""
    from equipoise.identity.double_ids import MOST
    from equipoise.pages.text.double_ids import evidence, merge_command

    pairs, left_out = archive.doubles()
    if left_out:
        archive_options.warn(
            f"{left_out} more ids have as many games and are not compared: of more than {MOST:,}, only those "
            "seen last are"
        )
    if as_json:
        plain = [
            {**each.as_dict(), "evidence": evidence(each), "merge": merge_command(each)} for each in pairs
        ]
        click.echo(json.dumps({"doubles": plain, "left_out": left_out}, indent=2))
        return
    rows = [
        (
            f"{each.probability:.0%}" if form is None else f"{each.probability:.4f}",
            printable(each.first),
            printable(each.second),
            *map(_short if form is None else printable, each.names),
            "; ".join(evidence(each)),
        )
        for each in pairs
    ]
    if not rows and form is None:
        click.echo("no two ids look like one person")
        return
    columns = ("one person", "id", "other id", "name", "other name", "evidence")
    click.echo(table(columns, rows, form))
    if form is None:
        click.echo("If two are one person, say so (merge --back takes it back):")
        click.echo("\n".join(f"  {merge_command(each)}" for each in pairs))


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


def _players(standing: Standing, scales: Mapping[Ruleset, Scale]) -> list[dict[str, Any]]:
    """Return a row for each player and ruleset as plain data."""
    from equipoise.archive.standing import bot_name
    from equipoise.core.player import is_bot
    from equipoise.core.rulesets import ruleset_text

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


def _text(
    players: list[dict[str, Any]], shown: Mapping[str, Callable[[float], float]], form: str | None
) -> str:
    short = _short if form is None else printable
    ratings = ((row["mu"], row["sigma"], shown[row["ruleset"]]) for row in players)
    columns, cells = shown_ratings(form, ratings)
    rows = [
        (short(row["id"]), short(row["name"]), short(row["ruleset"]), *rating, str(row["games"]))
        for row, rating in zip(players, cells, strict=True)
    ]
    return table(("id", "name", "ruleset", *columns, "games"), rows, form)


def _date(game: dict[str, Any]) -> str:
    """Return when a game ended, marked where that is assumed."""
    from datetime import UTC, datetime

    date = datetime.fromtimestamp(game["ended"], UTC).strftime("%Y-%m-%d %H:%M")
    return date if game["dated"] else f"~ {date}"


def _games_text(
    player: str, names: list[dict[str, Any]], games: list[dict[str, Any]], form: str | None, *, why: bool
) -> str:
    from equipoise.core.plain_data import printable

    known = ", ".join(printable(each["name"]) for each in names)
    title, shown = shown_weight(form)
    plain = why or form == "csv"  # what channels move is the mu
    rows: list[tuple[str, ...]] = [
        (_date(game), game["match"],
         printable(game["ruleset"]), printable(game["map"]), f"{game['won']:g}/{game['contests']}",
         shown(game["weight"]), *((f"{game['mu']:.3f}", f"{game['sigma']:.3f}") if plain else ()))
        for game in games
    ]  # fmt: skip
    columns: tuple[str, ...] = ("ended (UTC)", "match", "ruleset", "map", "won", title)
    columns += ("mu", "sigma") if plain else ()
    if why:
        channels = list(dict.fromkeys(name for game in games for name in game["moved"]))
        columns = (*columns, "expected", *channels)
        rows = [
            (*row, "-" if game["expected"] is None else f"{game['expected']:.2f}",
             *(f"{game['moved'].get(name, 0.0):+.3f}" for name in channels))
            for row, game in zip(rows, games, strict=True)
        ]  # fmt: skip
    text = table(columns, rows, form)
    return text if form is not None else f"{printable(player)}{f' ({known})' if known else ''}\n{text}"
