"""``equipoise rate``: ratings from match files."""

from __future__ import annotations

import json
from typing import Any

import click

from equipoise.cli.histories import model_named, read_history, table
from equipoise.errors import InputError
from equipoise.registry import MODELS


@click.command(name="rate")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--model",
    default="default",
    show_default=True,
    metavar="NAME",
    help=f"What learns: {', '.join(MODELS)}.",
)
@click.option(
    "--window", type=int, metavar="N", help="Count only the last N contests of each player and ruleset."
)
@click.option("--since", metavar="DATE", help="Leave out matches that ended before, as 2026-01-31.")
@click.option("--output", metavar="FILE", help="Write to a file instead of standard output.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--strict", is_flag=True, help="Stop at the first record that is wrong.")
def command(files: tuple[str, ...], **options: Any) -> None:
    """Rate everyone in match FILES: JSONL, CSV, Parquet or npz, or - for JSONL from standard input.

    The result depends on the set of matches alone: files may overlap and stand in any order.
    """  # fmt: skip
    from equipoise.games.records import time_from
    from equipoise.ratings.replaying import replay

    model = model_named(options["model"])
    history = read_history(files, strict=options["strict"])
    matches = history.matches
    if options["since"] is not None:
        since = time_from(options["since"], "--since")
        matches = [match for match in matches if (match.ended or 0.0) >= since]
    state = replay(model, matches, window=options["window"])
    result = _result(model, state, matches, options["model"])
    text = json.dumps(result, indent=2, allow_nan=False) if options["as_json"] else _text(result)
    if options["output"]:
        _write(options["output"], text + "\n")
    else:
        click.echo(text)
    history.finish()


def _result(model: Any, state: Any, matches: Any, name: str) -> dict[str, Any]:
    """Return the ratings as plain data, the strongest first."""
    from equipoise.ratings.scale import mean_bot, scale_of
    from equipoise.types import Ruleset

    games: dict[str, int] = {}
    rulesets: dict[Ruleset, int] = {}
    for match in matches:
        for contest in match.contests:
            rulesets[contest.ruleset] = rulesets.get(contest.ruleset, 0) + 1
            for player in (player for team in contest.teams for player, _ in team):
                games[player] = games.get(player, 0) + 1
    ratings = []
    for ruleset in [Ruleset(), *sorted(set(rulesets) - {Ruleset()}, key=repr)]:
        scale = scale_of(model, state, ruleset)
        bot, bots = mean_bot(model, state, ruleset)
        known = {player: model.rating(state, player, ruleset) for player in model.players(state)}
        players = [
            {"id": player, "mu": rating.mu, "sigma": rating.sigma, "scale": scale.shown(rating.mu),
             "contests": games.get(player, 0)}
            for player, rating in sorted(known.items(), key=lambda item: (-item[1].mu, item[0]))
        ]  # fmt: skip
        ratings.append(
            {"game": ruleset.game, "game_type": ruleset.game_type, "mutators": list(ruleset.mutators),
             "contests": rulesets.get(ruleset, 0), "players": players,
             "mean_bot": {"mu": bot, "scale": scale.shown(bot), "bots": bots}}
        )  # fmt: skip
    return {"model": name, "matches": len(matches), "ratings": ratings}


def _text(result: dict[str, Any]) -> str:
    """Return the general ratings as a table."""
    from equipoise.pages.text import printable

    rows = [
        (printable(player["id"]), f"{player['scale']:.1f}", f"{player['mu']:.3f}", f"{player['sigma']:.3f}",
         str(player["contests"]))
        for player in result["ratings"][0]["players"]
    ]  # fmt: skip
    return table(("player", "0-100", "mu", "sigma", "contests"), rows)


def _write(path: str, text: str) -> None:
    from pathlib import Path

    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        msg = f"--output: {path} cannot be written: {error.strerror or error}"
        raise InputError(msg) from error
