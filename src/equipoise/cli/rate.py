"""``equipoise rate``: ratings from match files."""

from __future__ import annotations

import json
from typing import Any

import click

from equipoise.cli.histories import (
    model_named,
    progress_bar,
    read_history,
    since,
    table,
    with_model_options,
    write,
)
from equipoise.cli.shared.stored import store
from equipoise.errors import InputError

#: Curves in a picture: as many as there are colours that can be told apart.
DRAWN = 8


@click.command(name="rate")
@click.argument("files", nargs=-1, metavar="FILE...")
@store
@with_model_options
@click.option(
    "--window", type=int, metavar="N", help="Count only the last N contests of each player and ruleset."
)
@click.option("--since", metavar="DATE", help="Leave out matches that ended before, as 2026-01-31.")
@click.option("--output", metavar="FILE", help="Write to a file instead of standard output.")
@click.option(
    "--curves",
    metavar="FILE",
    help="Write skill over time: a picture into FILE.svg, all of it into FILE.json.",
)
@click.option(
    "--roster",
    metavar="FILE.csv",
    help="Write a roster that balance and others read: id, name, mu, sigma, beta.",
)
@click.option(
    "--ruleset",
    metavar="NAME",
    help="The ruleset of the roster, as game/type+mutators; 'general' for skill in general.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--strict", is_flag=True, help="Stop at the first record that is wrong.")
def command(files: tuple[str, ...], **options: Any) -> None:
    """Rate everyone in match FILES: JSONL, CSV, Parquet or npz, or - for JSONL from standard input.

    The result depends on the set of matches alone: files may overlap and stand in any order.
    """  # fmt: skip
    from equipoise.ratings.replaying import replay

    model = model_named(options["model"], options["profile"], options["settings"], options["starting"])
    history = read_history(files, strict=options["strict"], store=options["store"])
    matches = since(history.matches, options["since"])
    with progress_bar("rating") as tell:
        state = replay(model, matches, window=options["window"], progress=tell)
    if options["curves"]:
        _curves(options["curves"], model, matches, options["window"])
    if options["roster"]:
        _roster(options["roster"], options["ruleset"], model, state, matches)
    elif options["ruleset"] is not None:
        msg = "--ruleset: it is for --roster, which is missing"
        raise InputError(msg)
    result = _result(model, state, matches, options["model"])
    text = json.dumps(result, indent=2, allow_nan=False) if options["as_json"] else _text(result)
    if options["output"]:
        write("--output", options["output"], text + "\n")
    else:
        click.echo(text)
    history.finish()


def _result(model: Any, state: Any, matches: Any, name: str) -> dict[str, Any]:
    """Return the ratings as plain data, the strongest first."""
    from equipoise.matches import Ruleset
    from equipoise.ratings.scale import mean_bot, scale_of

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


def _roster(path: str, wanted: str | None, model: Any, state: Any, matches: Any) -> None:
    """Write the ratings of one ruleset as a roster."""
    import csv
    import io

    from equipoise.logs.rules import ruleset_text
    from equipoise.matches import Ruleset

    played = {ruleset_text(c.ruleset): c.ruleset for match in matches for c in match.contests}
    if wanted is None and len(played) > 1:
        msg = (
            "--roster: several rulesets were played, name one with --ruleset: "
            f"general, {', '.join(sorted(played))}"
        )
        raise InputError(msg)
    if wanted not in (None, "general", *played):
        msg = f"--ruleset: nobody played {wanted!r}; there are general, {', '.join(sorted(played))}"
        raise InputError(msg)
    ruleset = Ruleset() if wanted == "general" else played[wanted or next(iter(played))]
    names = dict(pair for match in matches for pair in match.names)
    text = io.StringIO()
    write_row = csv.writer(text, lineterminator="\n").writerow
    write_row(("id", "name", "mu", "sigma", "beta"))
    for player in model.players(state):
        rating = model.rating(state, player, ruleset)
        beta = getattr(model, "beta", "")
        write_row((player, names.get(player, player), repr(rating.mu), repr(rating.sigma), beta))
    write("--roster", path, text.getvalue())


def _text(result: dict[str, Any]) -> str:
    """Return the general ratings as a table."""
    from equipoise.pages.text.words import printable

    rows = [
        (printable(player["id"]), f"{player['scale']:.1f}", f"{player['mu']:.3f}", f"{player['sigma']:.3f}",
         str(player["contests"]))
        for player in result["ratings"][0]["players"]
    ]  # fmt: skip
    return table(("player", "0-100", "mu", "sigma", "contests"), rows)


def _curves(path: str, model: Any, matches: Any, window: int | None) -> None:
    """Write curves over time, as the ending of the file says."""
    from equipoise.matches import Ruleset
    from equipoise.ratings.curves import curves

    if window is not None:
        msg = "--curves: there are none with a window; leave out --window"
        raise InputError(msg)
    found = curves(model, matches)
    if path.lower().endswith(".svg"):
        from equipoise.pages.pictures.curves import curves_svg

        general = {player: curve for (player, part), curve in found.items() if part == Ruleset()}
        longest = sorted(general, key=lambda player: (-len(general[player].at), player))[:DRAWN]
        drawn = {
            player: list(zip(general[player].at, general[player].mu, general[player].sigma, strict=True))
            for player in longest
        }
        text = curves_svg(drawn, "Skill over time, of those who played most; the band is one sigma")
    elif path.lower().endswith(".json"):
        plain = [
            {"id": player, "game": part.game, "game_type": part.game_type, "mutators": list(part.mutators),
             "at": curve.at, "mu": curve.mu, "sigma": curve.sigma}
            for (player, part), curve in found.items()
        ]  # fmt: skip
        text = json.dumps({"curves": plain}, allow_nan=False) + "\n"
    else:
        msg = f"--curves: {path} is neither .svg nor .json; one of them is allowed"
        raise InputError(msg)
    write("--curves", path, text)
