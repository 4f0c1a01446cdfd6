"""``equipoise predict``: who would win, by how much, and how open it would be."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import click

from equipoise.cli import archive_options
from equipoise.cli.model_options import model_named, name_of, say_unplayed, with_known, with_model_options
from equipoise.cli.output_options import table, table_forms, with_json
from equipoise.cli.read_history import dates, read_history, say_ruleset, since
from equipoise.cli.roster_options import store
from equipoise.errors import InputError, again

if TYPE_CHECKING:
    from equipoise.core.match import Match, Ruleset
    from equipoise.ratings.reports import Predicted

#: A member of a team: the id, and after an @ the share of the time.
_SHARE = re.compile(r"(.+)@([0-9.]+)")


@click.command(name="predict")
@click.argument("files", nargs=-1, metavar="FILE...")
@store
@click.option(
    "--team",
    "teams",
    multiple=True,
    required=True,
    metavar="A,B",
    help="The players of a team, twice or more; A@0.5 is there for half of the time.",
)
@click.option(
    "--game",
    default="",
    metavar="NAME",
    help="The game, as in the match files.  [default: the only one in them, or else skill in general]",
)
@click.option("--game-type", default="", metavar="NAME", help="The game type, as in the match files.")
@click.option("--mutators", default="", metavar="A,B", help="Mutators that change play.")
@with_model_options
@dates
@click.option("--since", metavar="DATE", help="Leave out matches that ended before, as 2026-01-31.")
@with_json
@table_forms
@click.option("--strict", is_flag=True, help="Stop at the first record that is wrong.")
def command(files: tuple[str, ...], teams: tuple[str, ...], **options: Any) -> None:
    """Predict who wins, from the match FILES so far: as many teams as you name, of any size.

    FILES are JSONL, CSV, Parquet, npz, tables of results or spreadsheets, or - for standard input.
    """
    from equipoise.core.match import Ruleset, members_of
    from equipoise.ratings.model import meant_ruleset
    from equipoise.ratings.replay import replay
    from equipoise.ratings.reports import predicted

    model = model_named(options["model"], options["profile"], options["settings"], options["starting"])
    history = read_history(files, strict=options["strict"], store=options["store"], dates=options["dates"])
    model = with_known(model, history.find)
    matches = since(history.matches, options["since"])
    with archive_options.progress_bar("rating") as tell:
        state = replay(model, matches, progress=tell)
    known = set(model.players(state))
    if options["starting"]:
        say_unplayed(model, known)
    lineups = [_members(team, known, history.find) for team in teams]
    twice = again([who if isinstance(who, str) else who[0] for lineup in lineups for who in lineup])
    if twice >= 0:
        named = [name for team in teams for name in _names(team)]
        msg = f"--team: {named[twice]!r} is named twice; every player is in one team"
        raise InputError(msg)
    asked = members_of(lineups)
    played = Ruleset(options["game"], options["game_type"], tuple(_names(options["mutators"])))
    ruleset = None if played == Ruleset() else played
    prediction = predicted(model, state, asked, ruleset, matches, name_of(model, options["model"]))
    if options["as_json"]:
        click.echo(json.dumps(prediction, indent=2, allow_nan=False))
    else:
        click.echo(_text(teams, prediction, options.get("form")))
        if ruleset is None:
            say_ruleset(meant_ruleset(model, state), len(_played(matches)))
        _warn(prediction["new_players"], prediction["ruleset_played"] or ruleset is None, options["store"])
    history.finish()


def _played(matches: Iterable[Match]) -> set[Ruleset]:
    return {contest.ruleset for match in matches for contest in match.contests}


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _members(team: str, known: set[str], find: Callable[[str], str]) -> list[str | tuple[str, float]]:
    """Return the players of a team; who is known by a name with an @ is not there for a share."""
    members: list[str | tuple[str, float]] = []
    for name in _names(team):
        part = None if find(name) in known else _SHARE.fullmatch(name)
        members.append((find(part[1]), part[2]) if part else find(name))  # type: ignore[arg-type]  # becomes a number
    return members


def _text(teams: tuple[str, ...], prediction: Predicted, form: str | None) -> str:
    """Return the prediction as a table, below the verdict; chances are whole for people."""
    from equipoise.core.plain_data import printable
    from equipoise.pages.text.teams import draw_text, verdict_of, whole_chances

    chances = [one["win_probability"] for one in prediction["teams"]]
    margins = [one["expected_margin"] for one in prediction["teams"]]
    digits = 1 if form == "csv" else 0
    wins = [f"{100 * chance:.1f}" for chance in chances] if digits else map(str, whole_chances(chances))
    rows: list[tuple[str, ...]] = [
        (printable(", ".join(_names(team))), f"{one} %") for team, one in zip(teams, wins, strict=True)
    ]
    columns: tuple[str, ...] = ("team", "wins")
    if None not in margins:
        columns = (*columns, "margin")
        rows = [
            (*row, f"{round(100 * (margin or 0.0), digits) + 0.0:+.{digits}f} %")
            for row, margin in zip(rows, margins, strict=True)
        ]
    text = table(columns, rows, form)
    if form is not None:
        return text
    draw = prediction["draw"]
    names = [printable(" + ".join(_names(team))) for team in teams]
    return "\n".join(
        [f"{verdict_of(chances, names)}.", text, *([] if draw is None else [f"Draw {draw_text(draw)}."])]
    )


def _warn(strangers: list[str], played: bool, url: str | None) -> None:
    """Say who counts as a new player, and which ruleset nobody played: names are easily mistyped."""
    gone: list[str] = []
    if strangers and url is not None:
        with archive_options.opened(url) as archive:
            strangers, gone = archive_options.newcomers(archive, strangers)
    archive_options.say_strangers(strangers, gone)
    if not played:
        click.echo(
            "note: no match has this game, game type and mutators; ratings come from similar ones", err=True
        )
