"""``equipoise rate``: ratings from match files."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from equipoise.cli.archive_options import progress_bar
from equipoise.cli.model_options import model_named, name_of, say_unplayed, with_known, with_model_options
from equipoise.cli.output_options import NewFile, Whole, shown_ratings, table, table_forms, with_json, write
from equipoise.cli.read_history import (
    dates,
    everything_kept,
    read_columns_of,
    read_history,
    read_parts_of,
    say_ruleset,
    since,
)
from equipoise.cli.roster_options import store
from equipoise.core.match import Ruleset
from equipoise.errors import InputError
from equipoise.identity.merges import NAMED
from equipoise.identity.roster_lookup import RosterLookup

if TYPE_CHECKING:
    from equipoise.ratings.history_columns import Columns
    from equipoise.ratings.reports import RatedRuleset, RatingTally

#: Curves in a picture: as many as there are colours that can be told apart.
DRAWN = 8


@click.command(name="rate")
@click.argument("files", nargs=-1, metavar="FILE...")
@store
@with_model_options
@click.option(
    "--window", type=Whole(), metavar="N", help="Count only the last N contests of each player and ruleset."
)
@dates
@click.option("--since", metavar="DATE", help="Leave out matches that ended before, as 2026-01-31.")
@click.option("--output", type=NewFile(), metavar="FILE", help="Write to a file instead of standard output.")
@click.option(
    "--curves",
    type=NewFile(".svg", ".json"),
    metavar="FILE",
    help="Write skill over time: a picture into FILE.svg, all of it into FILE.json.",
)
@click.option(
    "--roster",
    type=NewFile(".csv"),
    metavar="FILE.csv",
    help="Write a roster that balance and others read: id, name, mu, sigma, beta, zero, draws.",
)
@click.option(
    "--ruleset",
    metavar="NAME",
    help="The ruleset of the roster, as game/type+mutators; 'general' for skill in general.",
)
@with_json
@table_forms
@click.option("--strict", is_flag=True, help="Stop at the first record that is wrong.")
def command(files: tuple[str, ...], **options: Any) -> None:
    """Rate everyone in match FILES: JSONL, CSV, Parquet, npz, tables of results or spreadsheets.

    - is standard input.  The result depends on the set of matches alone: files may overlap and come in any
    order.
    """  # fmt: skip
    from equipoise.ratings.display_scale import scale_of
    from equipoise.ratings.reports import rated, report

    model = model_named(options["model"], options["profile"], options["settings"], options["starting"])
    model, state, tally, finish = _by_columns(model, files, options) or _by_matches(model, files, options)
    if options["roster"]:
        _roster(options["roster"], options["ruleset"], model, state, tally)
    elif options["ruleset"] is not None:
        msg = "--ruleset requires --roster"
        raise InputError(msg)
    if options["as_json"]:
        text = json.dumps(
            report(model, state, tally, name_of(model, options["model"])), indent=2, allow_nan=False
        )
    else:
        scale = scale_of(model, state, None)
        text = _text(rated(model, state, None, tally), scale.shown, options.get("form"))
        if hasattr(model, "meant"):  # others know no rulesets
            say_ruleset(model.meant(state, None), len(tally.rulesets))
    if options["output"]:
        write("--output", options["output"], text + "\n")
    else:
        click.echo(text)
    if options["starting"]:
        say_unplayed(model, model.players(state))
    finish()


def _by_columns(model: Any, files: tuple[str, ...], options: Mapping[str, Any]) -> Any:
    """Rate what is read into columns; None where that does not do."""
    if not getattr(model, "by_columns", False) or options["window"] is not None or options["curves"]:
        return None
    from equipoise.ratings.history_columns import replay_columns
    from equipoise.ratings.reports import RatingTally

    asked = {"since": options["since"], "strict": options["strict"]}
    large = options["store"] is None and not options["starting"]  # guesses need all names before
    history = read_parts_of(files, "rating", **asked) if large else None
    history = history or read_columns_of(files, **asked, store=options["store"])
    if history is None:
        return None
    state, tally = None, RatingTally(0, {}, {}, {})
    for columns in history.parts:
        if options["starting"]:
            model = _guessing(model, columns)
        if history.in_parts:
            state = replay_columns(model, columns, start=state)
        else:
            with progress_bar("rating") as tell, everything_kept():
                state = replay_columns(model, columns, tell)
        tally = tally.plus(
            RatingTally(len(columns), columns.games(), columns.played(), columns.names, columns.seen())
        )
    return model, state, tally, history.finish


def _guessing(model: Any, columns: Columns) -> Any:
    """Return the model with its guesses of names as guesses of the ids that have them."""
    lookup = RosterLookup(
        (player, columns.names.get(player, player.removeprefix(NAMED)), 0.0) for player in columns.players
    )
    return with_known(model, lambda name: lookup.id_of(name) or name)


def _by_matches(model: Any, files: tuple[str, ...], options: Mapping[str, Any]) -> Any:
    """Rate matches, of any model and as every option wants it."""
    from equipoise.ratings.replay import replay
    from equipoise.ratings.reports import RatingTally

    history = read_history(files, strict=options["strict"], store=options["store"], dates=options["dates"])
    model = with_known(model, history.find)
    matches = since(history.matches, options["since"])
    with progress_bar("rating") as tell:
        state = replay(model, matches, window=options["window"], progress=tell)
    if options["curves"]:
        _curves(options["curves"], model, matches, options["window"])
    return model, state, RatingTally.of(matches), history.finish


def _roster(path: str, wanted: str | None, model: Any, state: Any, tally: RatingTally) -> None:
    """Write the ratings of one ruleset as a roster."""
    import csv
    import io

    from equipoise.core.rulesets import GENERAL, ruleset_text
    from equipoise.ratings.model import answers, general_state

    played = {ruleset_text(ruleset): ruleset for ruleset in tally.rulesets if ruleset != Ruleset()}
    names = ", ".join([GENERAL, *sorted(played)])
    if wanted is None and len(tally.rulesets) > 1:
        msg = f"--roster: several rulesets were played, name one with --ruleset: {names}"
        raise InputError(msg)
    if wanted not in (None, GENERAL, *played):
        msg = f"--ruleset: nobody played {wanted!r}; there is {names}"
        raise InputError(msg)
    ruleset = played.get(wanted or next(iter(played), ""), Ruleset())
    state = general_state(model, state, tally.rulesets.keys()) if ruleset == Ruleset() else state
    text = io.StringIO()
    write_row = csv.writer(text, lineterminator="\n").writerow
    write_row(("id", "name", "mu", "sigma", "beta", "zero", "draws"))
    beta, zero = (getattr(model, name, "") for name in ("beta", "zero"))
    draws = repr(model.draw_factor(state, ruleset)) if "draw_chance" in answers(model) else ""
    for player in model.players(state):
        rating = model.rating(state, player, ruleset)
        name = tally.names.get(player, player)
        write_row((player, name, repr(rating.mu), repr(rating.sigma), beta, zero, draws))
    write("--roster", path, text.getvalue())


def _text(result: RatedRuleset, shown: Callable[[float], float], form: str | None) -> str:
    """Return the ratings of a ruleset as a table: in points for people, with mu and sigma as data."""
    from equipoise.core.plain_data import printable

    players = result["players"]
    columns, ratings = shown_ratings(form, ((one["mu"], one["sigma"], shown) for one in players))
    cautious = [(f"{one['careful']:.3f}",) if form == "csv" else () for one in players]
    rows = [
        (printable(one["id"]), *rating, *figure, str(one["contests"]), _day(one["last_seen"]))
        for one, rating, figure in zip(players, ratings, cautious, strict=True)
    ]
    columns += ("careful",) if form == "csv" else ()
    return table(("player", *columns, "contests", "last seen"), rows, form)


def _day(seconds: float | None) -> str:
    return "" if seconds is None else datetime.fromtimestamp(seconds, UTC).date().isoformat()


def _curves(path: str, model: Any, matches: Any, window: int | None) -> None:
    """Write curves over time, as the ending of the file says."""
    from equipoise.ratings.rating_history import curves

    if window is not None:
        msg = "--curves cannot be used with --window"
        raise InputError(msg)
    found = curves(model, matches)
    if path.lower().endswith(".svg"):
        from equipoise.pages.pictures.rating_curves import curves_svg

        general = {player: curve for (player, part), curve in found.items() if part == Ruleset()}
        longest = sorted(general, key=lambda player: (-len(general[player].at), player))[:DRAWN]
        drawn = {
            player: list(zip(general[player].at, general[player].mu, general[player].sigma, strict=True))
            for player in longest
        }
        text = curves_svg(drawn, "Skill over time, of those who played most; the band is one sigma")
    else:
        plain = [
            {"id": player, "game": part.game, "game_type": part.game_type, "mutators": list(part.mutators),
             "at": curve.at, "mu": curve.mu, "sigma": curve.sigma}
            for (player, part), curve in found.items()
        ]  # fmt: skip
        text = json.dumps({"curves": plain}, allow_nan=False) + "\n"
    write("--curves", path, text)
