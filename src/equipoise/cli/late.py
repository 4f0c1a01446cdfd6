"""``equipoise late``: the team for someone who joins a running game, and the advantage that evens it out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from equipoise.cli.shared.rosters import rated, read_option, read_players, with_stored_ratings
from equipoise.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from equipoise.players import Bots, Player, Rating
    from equipoise.teams.running.placing import Placement


@click.command(name="late")
@click.argument("roster", metavar="ROSTER")
@read_option
@with_stored_ratings
@click.option(
    "--join",
    metavar="'WEIGHT NAME'",
    help="Who joins, unless one of ROSTER has no team; with --store a name.",
)
@click.option("--teams", type=int, metavar="N", help="How many teams.  [default: as many as there are, or 2]")
@click.option("--bots", is_flag=True, help="Bots fill up the teams.  [default: if there are some]")
@click.option(
    "--bot-weight", type=float, metavar="WEIGHT", help="The mean weight of all bots.  Implies --bots."
)
@click.option("--min", "minimum", type=int, metavar="N", help="Fewest players of the map.  Implies --bots.")
@click.option("--max", "maximum", type=int, metavar="N", help="Most players of the map.  Implies --bots.")
@click.option("--target", type=int, metavar="N", help="How many players are wanted.  Implies --bots.")
@click.option("--pool", type=int, metavar="N", help="How many bots there are, in the game or not.")
@click.option(
    "--objective", default="win", show_default=True, metavar="NAME", help="What is fair, as for balance."
)
@click.option(
    "--beta", type=float, metavar="WEIGHT",
    help="Performance noise of one player.  [default: the standard deviation of whoever plays]",
)  # fmt: skip
@click.option(
    "--zero", type=float, metavar="WEIGHT", help="The weight that adds nothing to a team, if there is one."
)
@click.option(
    "--body", type=float, metavar="SPREADS",
    help="What one more player of mean weight is worth, in standard deviations.  [default: 1]",
)  # fmt: skip
@click.option("--names", metavar="A,B", help="What to call the teams.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(roster: str, **options: Any) -> None:
    """Choose the team for someone who joins the running game of ROSTER.

    ROSTER has a column 'team' (from 1) and, where bots play, a column 'bot'.  The one player without a
    team joins; nobody joins where all have one, and only the advantage is shown.  Bots without a team wait.
    """  # fmt: skip
    from equipoise.pages.text.teams import convention
    from equipoise.teams.running.handicap import advantage
    from equipoise.teams.running.placing import place_late
    from equipoise.teams.running.sums import team_sums, units_in

    players: list[Player] = read_players(roster, options["read"])
    if options["join"] is not None:
        players += _joining(options)
    players = rated(players, options)
    playing = [player for player in players if player.team is not None]
    joining = [player for player in players if player.team is None and not player.bot]
    if not playing or len(joining) > 1:
        wrong = f"{len(joining)} players have no team" if playing else "nobody has a team"
        msg = f"{roster}: {wrong}; in a running game all have one, but for one who joins"
        raise InputError(msg)
    n_teams = options["teams"] or max(2, *(1 + (player.team or 0) for player in playing))
    mean = sum(_weight(player) for player in playing) / len(playing)
    sums, bots = team_sums(playing, n_teams, mean)
    names = options["names"].split(",") if options["names"] else []
    asked = {**{name: options[name] for name in ("beta", "zero", "body")}, "centre": mean}
    if not joining:
        factors = advantage(sums, **asked)
        if options["as_json"]:
            plain = {"totals": sums[:, 1].tolist(), "advantage": list(factors)}
            click.echo(json.dumps(plain, indent=2))
            return
        units = units_in(sums.sum(axis=0), squares=True, **asked)
        uneven = len(set(sums[:, 0].tolist())) > 1
        told = convention(units.beta, units.beta_source, units.zero, units.zero_source, uneven=uneven)
        click.echo("\n".join([_advantage(factors, names), *told]))
        return
    known = [player for player in players if player.bot]
    waits = any(player.team is None for player in known)
    try:
        placement = place_late(
            _rating(joining[0]),
            sums,
            bots=_bots(options, known),
            bot_counts=bots[:, 0],
            bot_totals=bots,
            pool=len(known) if waits and options["pool"] is None else options["pool"],
            objective=options["objective"],
            **asked,
        )
    except UnknownNameError as error:
        raise click.UsageError(str(error)) from error
    if options["as_json"]:
        click.echo(json.dumps({"player": joining[0].label, **placement.as_dict()}, indent=2))
    else:
        counts, of_bots = sums[:, 0].astype(int), bots[:, 0].astype(int)
        people = (counts - of_bots).tolist()
        click.echo("\n".join(_lines(joining[0], placement, people, of_bots.tolist(), names)))


def _joining(options: dict[str, Any]) -> list[Player]:
    """Return who joins: with a weight, or a name that an archive knows."""
    from equipoise.files.rosters import parse_roster
    from equipoise.players import Player

    if options["store"] is not None:
        return [Player(options["join"].strip())]
    joining = parse_roster(options["join"].encode("utf-8", "surrogateescape"), "--join", ".txt")
    if len(joining) != 1:
        msg = f"--join must name one player, got {len(joining)}"
        raise InputError(msg)
    if joining[0].rating is None:
        msg = f"--join: {joining[0].label!r} has no weight; write it before or after the name, as in '5 Ann'"
        raise InputError(msg)
    return joining


def _weight(player: Player) -> float:
    return _rating(player).mu


def _rating(player: Player) -> Rating:
    from equipoise.players import Rating

    if isinstance(player.rating, Rating):
        return player.rating
    msg = f"players: {player.label!r} has no weight; everyone in a running game needs one"
    raise InputError(msg)


def _bots(options: dict[str, Any], known: list[Player]) -> Bots | bool:
    """Return how bots fill up: those that are known say what one weighs, unless an option does."""
    from equipoise.players import Bots

    given = {name: options[name] for name in ("minimum", "maximum", "target") if options[name] is not None}
    weight = options["bot_weight"]
    if weight is None and known:
        weight = sum(map(_weight, known)) / len(known)
    if not (given or known or options["bots"] or weight is not None):
        return False
    return Bots(weight=weight, **given)


def _lines(
    who: Player, placement: Placement, people: list[int], bots: list[int], names: list[str]
) -> list[str]:
    """Return the placement as people read it: the team, what each would be, and what then is owed."""
    from equipoise.fields import number, printable
    from equipoise.pages.text.teams import convention
    from equipoise.pages.text.wording import team_name

    lines = [f"{printable(who.label)} joins {team_name(names, placement.team)}."]
    for option in placement.options:
        chances = " : ".join(f"{100 * chance:.1f} %" for chance in option.win_probability)
        totals = " : ".join(number(round(total, 2)) for total in option.totals)
        words = f"  In {team_name(names, option.team)}: totals {totals}, win chances {chances}"
        words += f", {placement.objective} {number(option.value)}"
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
        if option.excess:
            words += f", which makes it larger than allowed by {option.excess}"
        lines.append(f"{words}.")
    taken = placement.best
    sizes = [n + bot for n, bot in zip(people, taken.bots, strict=True)]
    sizes[taken.team] += 1
    told = convention(
        placement.beta,
        placement.beta_source,
        placement.zero,
        placement.zero_source,
        uneven=len(set(sizes)) > 1,
    )
    return [*lines, _advantage(taken.advantage, names), *told]


def _advantage(factors: tuple[float, ...], names: list[str]) -> str:
    """Say by what each team's strength must be multiplied for an even game."""
    from equipoise.pages.text.wording import team_name

    owed = [f"{team_name(names, n)} {factor:.4g}" for n, factor in enumerate(factors) if factor > 1.0]
    if not owed:
        return "The teams are even: no advantage is owed."
    strongest = " and ".join(team_name(names, n) for n, factor in enumerate(factors) if factor == 1.0)
    return f"For an even game, advantage over {strongest}: {', '.join(owed)}."
