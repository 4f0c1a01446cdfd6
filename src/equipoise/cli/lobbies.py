"""``equipoise lobbies``: teams and lobbies from players and targets, as text, CSV, JSON or a picture."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING, Any

import click

from equipoise.cli.balance import end_interrupted, interruptible
from equipoise.cli.output_options import (
    PLAYER_FORMS,
    NewFile,
    Number,
    form_options,
    print_json,
    table,
    with_json,
    write,
)
from equipoise.cli.request_options import asks_for, typed_in
from equipoise.cli.roster_options import clan_tags, rated, roster, with_ratings
from equipoise.errors import InputError, UnknownNameError
from equipoise.lobbies.fill_fields import FILL_FIELDS

if TYPE_CHECKING:
    from equipoise.core.player import Player
    from equipoise.lobbies.plan import FilledLobby, LobbyPlan

#: Teams of a lobby that are listed as text.
LISTED = 60


@click.command(name="lobbies")
@click.argument("players", metavar="PLAYERS")
@click.argument("lobbies", metavar="LOBBIES", required=False)
@with_ratings
@clan_tags
@click.option("--premades", metavar="FILE.csv", help="Parties, one per line: 'team,player1,player2,...'.")
@click.option("--skill", metavar="COLUMN", help="The column of PLAYERS with the skill.  [default: skill]")
@asks_for(FILL_FIELDS)
@click.option("--time-limit", type=Number(), metavar="SECONDS", help="Answer in this time, loading included.")
@with_json
@form_options(*PLAYER_FORMS)
@click.option(
    "--no-escape",
    is_flag=True,
    help="Write names that begin with = + - @ into CSV unchanged, without a quote against formulas.",
)
@click.option(
    "--out",
    type=NewFile(".csv", ".parquet", ".pq"),
    metavar="FILE",
    help="Write the plan into a file: .csv, or .parquet with polars.",
)
@click.option(
    "--plot", type=NewFile(".svg"), metavar="FILE.svg", help="Draw box plots of the lobbies into a file."
)
def command(players: str, lobbies: str | None, **options: Any) -> None:
    """Put the players of PLAYERS into teams, and the teams into LOBBIES, near each lobby's target.

    PLAYERS is CSV with columns 'id' and 'skill', and optionally 'sigma', 'party' and 'barred' (names of
    lobbies, separated by semicolons); - is standard input.  LOBBIES is CSV with columns 'name', 'target',
    'min_teams' and 'max_teams'; without targets lobbies are bands of skill.
    """
    from equipoise.files.lobby_tables import read_lobbies, read_players, write_plan
    from equipoise.identity.clan_tags import with_clans
    from equipoise.lobbies.fill import fill

    stored = options["store"] is not None
    source, lobbies = (
        (None, players) if options["here"] is not None and lobbies is None else (players, lobbies)
    )
    if lobbies is None:
        msg = "LOBBIES is missing; give a file of lobbies"
        raise InputError(msg)
    barred: dict[str, list[str]] = {}

    def read(path: str) -> list[Player]:
        gc.disable()  # everything is kept
        found, bars = read_players(path, options["skill"], unrated=stored)
        gc.freeze()
        gc.enable()
        barred.update(bars)
        return found

    named = roster(source, options, read)
    # What an empty seat counts as has a convention of its own here, whatever brings the ratings.
    people = rated(named, options, besides={"zero"})
    # An archive may know players by other ids than the file; else a million need no table of their own.
    ids = (
        {before.id: after.id for before, after in zip(named, people, strict=True)}
        if people is not named
        else {}
    )
    del named
    if options["clan_tags"]:
        people = with_clans(people)
    asked = {"team_size": FILL_FIELDS["team_size"].default, **typed_in(FILL_FIELDS.values(), options)}
    barred = {ids.get(player, player): names for player, names in barred.items()}
    try:
        with interruptible(options["time_limit"]) as stop:
            plan = fill(
                people,
                read_lobbies(lobbies),
                parties=[[ids.get(name, name) for name in party] for party in _premades(options)],
                barred=barred,
                **asked,
                stop=stop,
            )
    except UnknownNameError as error:
        raise click.UsageError(str(UnknownNameError("--solver", error.name, error.known))) from error
    feasible = not plan.conflict
    if options["as_json"]:
        print_json(plan.as_dict())
    elif feasible:
        _show(plan, options)
    if not feasible:
        click.echo(f"error: {plan.status}: {plan.reason}", err=True)
        if stop.interruption.happened:
            end_interrupted()
        sys.exit(1)
    if options["out"]:
        write_plan(plan, options["out"], escape=not options["no_escape"])
    if options["plot"]:
        _plot(options["plot"], plan)
    if stop.interruption.happened:
        end_interrupted()


def _show(plan: LobbyPlan, options: dict[str, Any]) -> None:
    """Print the plan in the form that was asked for."""
    from equipoise.files.lobby_tables import PLAN_COLUMNS, plan_rows, write_csv

    if options.get("form") == "csv":
        write_csv(plan, sys.stdout, escape=not options["no_escape"])
        sys.stdout.flush()
    elif options.get("form") == "markdown":
        rows = [["" if cell is None else str(cell) for cell in row] for row in plan_rows(plan)]
        click.echo(table(PLAN_COLUMNS, rows, "markdown"))
    else:
        click.echo(_text(plan, options["per_player"]))


def _premades(options: dict[str, Any]) -> list[list[str]]:
    from equipoise.files.lobby_tables import read_premades

    return read_premades(options["premades"]) if options["premades"] is not None else []


def _plot(path: str, plan: LobbyPlan) -> None:
    from equipoise.pages.pictures.lobby_chart import lobbies_svg

    write("--plot", path, lobbies_svg(plan))


def _text(plan: LobbyPlan, per_player: bool) -> str:
    """Return what a person reads."""
    from equipoise.core.plain_data import number, printable

    lines: list[str] = []
    for lobby in plan.lobbies:
        lines += [*_lobby_lines(lobby, "mean" if per_player else "total"), ""]
    if plan.waiting:
        names = ", ".join(printable(player.label) for player in plan.waiting[:LISTED])
        more = f" and {len(plan.waiting) - LISTED} more" if len(plan.waiting) > LISTED else ""
        lines += [f"Waiting: {names}{more}"]
        if plan.shut_out:
            listed = {player.id: player.label for player in plan.waiting}
            out = [printable(listed[who]) for who in plan.shut_out]
            more = f" and {len(out) - LISTED} more" if len(out) > LISTED else ""
            lines += [f"In no lobby that is open, alone or with a party: {', '.join(out[:LISTED])}{more}"]
        lines += [""]
    lines.append(_verdict(plan))
    if plan.unrated:
        lines.append(f"{plan.unrated} without a skill: counted as {number(plan.default_weight or 0.0)}.")
    return "\n".join(lines)


def _lobby_lines(lobby: FilledLobby, what: str) -> list[str]:
    from equipoise.core.plain_data import number, printable

    teams = len(lobby.teams)
    mean = sum(lobby.totals) / teams if teams else 0.0
    head = f"{printable(lobby.name)}: target {number(lobby.target)}, {teams} team{'s' * (teams != 1)}"
    lines = [f"{head}, mean {what} {number(mean)}" if teams else head]
    width = max((len(number(total)) for total in lobby.totals[:LISTED]), default=0)
    for team, total in zip(lobby.teams[:LISTED], lobby.totals[:LISTED], strict=True):
        lines.append(f"  {number(total):>{width}}  {', '.join(printable(player.label) for player in team)}")
    return lines if teams <= LISTED else [*lines, f"  and {teams - LISTED} more teams"]


def _verdict(plan: LobbyPlan) -> str:
    from equipoise.core.plain_data import number

    value = f"sum of {plan.deviation} deviations {number(plan.value or 0.0)}"
    if plan.status == "optimal":
        return f"Proven optimal: {value}."
    bound = number(plan.bound or 0.0)
    return f"Not proven optimal: {value}, bound {bound}, gap {_percent(plan.relative_gap or 0.0)}."


def _percent(share: float) -> str:
    """Return a share in per cent, as people write it."""
    percent = 100.0 * share
    if 0.0 < percent < 0.01:
        return "below 0.01 %"
    return f"{percent:.0f} %" if percent >= 9.5 else f"{percent:.2g} %"
