"""``equipoise late``: the team for someone who joins a running game, and the advantage that evens it out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from equipoise.cli.balance import naming
from equipoise.cli.output_options import Whole, table, table_forms, with_json
from equipoise.cli.request_options import (
    AskingCommand,
    asks_of,
    keep_heard,
    point_scale,
    say_heard,
    typed_fields,
)
from equipoise.cli.roster_options import placing, rated, read_option, read_players, with_stored_ratings
from equipoise.core.player import Rating
from equipoise.errors import InputError
from equipoise.teams.request_fields import LATE

if TYPE_CHECKING:
    from equipoise.core.player import Player
    from equipoise.pages.text.teams import PointDisplay
    from equipoise.teams.late_join import LateOption, Placement, RunningGame


@click.command(cls=AskingCommand, name="late")
@click.argument("roster", metavar="ROSTER", required=False)
@read_option
@with_stored_ratings
@click.option(
    "--request",
    metavar="FILE",
    help="A file of players and settings, as for balance; ROSTER and other flags replace what it says.",
)
@click.option(
    "--join",
    metavar="'WEIGHT NAME'",
    help="Who joins, unless somebody in ROSTER has no team; with --store, just a name.",
)
@asks_of(
    LATE,
    {
        "teams": "[default: as many as there are, or 2]",
        "bots": "[default: if any bots play]",
        "objective": "[default: win]",
        "beta": "[default: the standard deviation of those who play]",
    },
)
@click.option("--pool", type=Whole(), metavar="N", help="How many bots there are, in the game or not.")
@with_json
@table_forms
def command(roster: str | None, **options: Any) -> None:
    """Choose the team for someone who joins the running game of ROSTER.

    ROSTER has a column 'team' (from 1) and, where bots play, a column 'bot'.  The one player without a
    team joins; if all have one, only the advantage is shown.  Bots without a team wait.
    """  # fmt: skip
    with naming(options):
        game = _game(roster, options)
        if options["as_json"]:
            read = {} if options["heard_data"] is None else {"read": options["heard_data"]}
            click.echo(json.dumps({**game.as_dict(), **read}, indent=2))
            return
        say_heard(options)
        if game.newcomer is None:
            _show_advantage(game, options)
        else:
            _show_placement(game, game.newcomer, options)


def _game(roster: str | None, options: dict[str, Any]) -> RunningGame:
    """Return the game that a request file, a roster and flags tell, the later replacing the earlier."""
    from equipoise.teams.late_join import running_game

    where = roster or options["request"]
    players: list[Player] = []
    keywords: dict[str, Any] = {}
    if options["request"] is not None:
        from equipoise.files.read_request import read_request

        players, keywords = read_request(options["request"])
    if roster is not None:
        players = read_players(roster, options["read"])
    elif options["request"] is None:
        msg = "ROSTER is missing; give a file, or --request"
        raise InputError(msg)
    newcomer = _joining(options) if options["join"] is not None else None
    if newcomer is not None and any(player.id == newcomer.id for player in players):
        msg = f"--join: {newcomer.label!r} is in {where} already; leave --join out, or name somebody else"
        raise InputError(msg)
    if newcomer is not None:
        players.append(newcomer)
    keep_heard(options, players)
    stored = rated(players, options, keywords)
    options["points"] = point_scale(players, options)
    keywords |= typed_fields(options, stored)
    try:
        with placing(players, options["request"]):
            game = running_game(stored, pool=options["pool"], **keywords)
    except InputError as error:
        raise (
            error.named("standard input" if where == "-" else str(where))
            if error.argument == "players"
            else error
        ) from None
    return game


def _show_advantage(game: RunningGame, options: dict[str, Any]) -> None:
    """Print what the weaker team is owed while nobody joins."""
    from equipoise.pages.text.teams import convention
    from equipoise.pages.text.wording import team_name
    from equipoise.teams.advantage import advantage, units_in

    sums = game.sums
    factors = advantage(sums, **game.scale)
    names = game.request.names
    points = options["points"]
    if options.get("form") is not None:
        shown = _totals(game, sums[:, 1].tolist(), points if options["form"] == "markdown" else None)
        rows = [
            (team_name(names, n), total, f"{factor:.4g}")
            for n, (total, factor) in enumerate(zip(shown, factors, strict=True))
        ]
        click.echo(table(("team", "total", "advantage"), rows, options.get("form")))
        return
    scale = {name: number for name, number in game.scale.items() if name != "side_chance"}
    units = units_in(sums.sum(axis=0), squares=True, **scale)
    uneven = len(set(sums[:, 0].tolist())) > 1
    rests_on = units.beta, units.beta_source, units.zero, units.zero_source
    notes = convention(*rests_on, uneven=uneven, points=points)
    click.echo("\n".join([_advantage(factors, names), *notes]))


def _show_placement(game: RunningGame, newcomer: Player, options: dict[str, Any]) -> None:
    """Print where the newcomer goes, and what each team would be."""
    placement = game.place()
    if options.get("form") is not None:
        points = options["points"] if options["form"] == "markdown" else None
        click.echo(_options_table(game, placement, options["form"], points))
        return
    click.echo("\n".join(_lines(game, newcomer, placement, options["points"])))


def _totals(
    game: RunningGame, totals: Sequence[float], points: PointDisplay | None, option: LateOption | None = None
) -> list[str]:
    """Return what teams add up to, of an option that of after it: of points as they are shown."""
    from equipoise.core.plain_data import number

    if points is None:
        return [number(round(float(total), 2)) for total in totals]
    shown = []
    for n, total in enumerate(totals):
        there = [player for player in game.playing if player.team == n]
        if option is not None and option.team == n and game.newcomer is not None:
            there.append(game.newcomer)
        ratings = [player.rating.mu for player in there if isinstance(player.rating, Rating)]
        bots = 0 if option is None else option.bots[n] - int(game.bots[n, 0])
        more = bots * points((total - sum(ratings)) / bots) if bots else 0
        shown.append(str(sum(map(points, ratings)) + more))
    return shown


def _joining(options: dict[str, Any]) -> Player:
    """Return who joins: with a weight, or a name that an archive knows."""
    from equipoise.core.player import Player
    from equipoise.files.read_roster import parse_roster

    if options["store"] is not None:
        return Player(options["join"].strip())
    joining = parse_roster(options["join"].encode("utf-8", "surrogateescape"), "--join", ".txt")
    if len(joining) != 1:
        msg = f"--join must name one player, got {len(joining)}"
        raise InputError(msg)
    if joining[0].rating is None:
        msg = f"--join: {joining[0].label!r} has no weight; write it before or after the name, as in '5 Ann'"
        raise InputError(msg)
    return joining[0]


def _options_table(game: RunningGame, placement: Placement, form: str, points: PointDisplay | None) -> str:
    """Return a row for each team that the newcomer could join, and what each team would be then."""
    from equipoise.core.plain_data import number
    from equipoise.pages.text.wording import team_name

    names = game.request.names
    teams = [team_name(names, n) for n in range(len(placement.options))]
    columns = ["team", "joins", placement.objective, "allowed"]
    columns += [f"{what} of {team}" for what in ("total", "win chance", "advantage") for team in teams]
    rows = [
        [
            teams[option.team],
            "yes" if option.team == placement.team else "no",
            number(option.value),
            "no" if option.excess or not option.allowed else "yes",
            *_totals(game, option.totals, points, option),
            *(f"{100 * chance:.1f} %" for chance in option.win_probability),
            *(f"{factor:.4g}" for factor in option.advantage),
        ]
        for option in placement.options
    ]
    return table(columns, rows, form)


def _lines(game: RunningGame, who: Player, placement: Placement, points: PointDisplay | None) -> list[str]:
    """Return the placement as people read it: the team, what each would be, and what then is owed."""
    from equipoise.core.plain_data import printable
    from equipoise.pages.text.teams import convention, whole_chances
    from equipoise.pages.text.wording import team_name

    names = game.request.names
    bots = game.bots[:, 0].astype(int).tolist()
    people = (game.sums[:, 0].astype(int) - bots).tolist()
    lines = [f"{printable(who.label)} joins {team_name(names, placement.team)}."]
    for option in placement.options:
        chances = " : ".join(map(str, whole_chances(option.win_probability)))
        totals = " : ".join(_totals(game, option.totals, points, option))
        words = f"  In {team_name(names, option.team)}: totals {totals}, win chances {chances}"
        for team, (before, after) in enumerate(zip(bots, option.bots, strict=True)):
            if before != after:
                n = abs(after - before)
                verb = (
                    ("comes to" if n == 1 else "come to")
                    if after > before
                    else "leaves"
                    if n == 1
                    else "leave"
                )
                words += f", {n} bot{'s' * (n != 1)} {verb} {team_name(names, team)}"
        if not option.allowed:
            words += ", which the rules do not allow"
        if option.excess:
            words += f", which makes it larger than allowed by {option.excess}"
        lines.append(f"{words}.")
    taken = placement.best
    sizes = [n + bot for n, bot in zip(people, taken.bots, strict=True)]
    sizes[taken.team] += 1
    notes = convention(
        placement.beta,
        placement.beta_source,
        placement.zero,
        placement.zero_source,
        uneven=len(set(sizes)) > 1,
        points=points,
    )
    return [*lines, _advantage(taken.advantage, names), *notes]


def _advantage(factors: tuple[float, ...], names: Sequence[str]) -> str:
    """Say by what each team's strength must be multiplied for an even game."""
    from equipoise.pages.text.wording import team_name

    owed = [f"{team_name(names, n)} {factor:.4g}" for n, factor in enumerate(factors) if factor > 1.0]
    if not owed:
        return "The teams are even: no advantage is owed."
    strongest = " and ".join(team_name(names, n) for n, factor in enumerate(factors) if factor == 1.0)
    return f"For an even game, advantage over {strongest}: {', '.join(owed)}."
