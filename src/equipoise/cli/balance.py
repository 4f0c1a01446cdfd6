"""``equipoise balance``: fair teams from a roster, as text to paste, JSON or a picture."""

from __future__ import annotations

import math
import re
import sys
from typing import TYPE_CHECKING, Any

import click

from equipoise.cli.fronts import print_json, show_front, write_plot
from equipoise.cli.shared.names import read_option, read_players
from equipoise.cli.shared.stored import rated, roster, with_ratings
from equipoise.cli.wishing import (
    groups,
    objective_arguments,
    outcome_lines,
    wish_arguments,
    wish_options,
)
from equipoise.errors import InputError, UnknownNameError
from equipoise.registry import CRITERIA, OBJECTIVES, SOLVERS

if TYPE_CHECKING:
    from equipoise.cli.explaining import Answers
    from equipoise.players import Player
    from equipoise.teams.solution import Solution, Split

#: What the arguments of ``balance`` are called here.
FLAGS = {
    "sizes": "--size",
    "min_size": "--size",
    "max_size": "--size",
    "bots.weight": "--bot-weight",
    "bots.minimum": "--min",
    "bots.maximum": "--max",
    "bots.target": "--target",
    "parties": "--party",
    "fixed": "--fix",
    "tolerances": "--within",
    "default": "--default-weight",
    "seconds": "--time-limit",
} | {
    name: f"--{name.replace('_', '-')}"
    for name in (
        *("teams", "max_difference", "apart", "side_price", "roles", "rules", "objective", "solver"),
        *("rerank", "keep", "distance", "beta", "zero", "body", "tolerance", "side_weight", "seed"),
    )
}

#: Splits among which ``--choose`` chooses unless ``--keep`` says otherwise, as the bot balancer of 2010 did.
CHOSEN_AMONG = 20


class BalanceCommand(click.Command):
    """A command whose ``--choose`` may stand without its power."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Give a bare ``--choose`` the default power, so that it does not swallow the roster's name."""
        spelled = list(args)
        for n, arg in enumerate(args):
            if arg == "--choose" and not (n + 1 < len(args) and _is_number(args[n + 1])):
                spelled[n] = "--choose=default"
        return super().parse_args(ctx, spelled)


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


class Power(click.ParamType[float]):
    """The power of ``--choose``: a number, or ``default``."""

    name = "power"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the power."""
        from equipoise.teams.choosing import DEFAULT_POWER

        if value == "default":
            return DEFAULT_POWER
        if not _is_number(str(value)) or float(value) < 0:
            self.fail(f"{value!r} is not a number of 0 or above", param, ctx)
        return float(value)


def fixed_teams(values: tuple[str, ...]) -> dict[str, int]:
    """Return the team, from 0, of each ``NAME=TEAM``."""
    fixed: dict[str, int] = {}
    for value in values:
        who, _, team = value.rpartition("=")
        if not who or not re.fullmatch(r"0*[1-9][0-9]{0,3}", team.strip()):
            msg = f"--fix: {value!r} is not NAME=TEAM with teams counted from 1; write --fix 'Ann=1'"
            raise InputError(msg)
        if fixed.setdefault(who.strip(), int(team) - 1) != int(team) - 1:
            msg = f"--fix: {who.strip()!r} is fixed to more than one team"
            raise InputError(msg)
    return fixed


def _sizes(value: str | None) -> dict[str, Any]:
    """Return the arguments of ``balance`` for ``8``, ``9,8`` or ``6-10``."""
    if value is None:
        return {}
    try:
        if "-" in value.strip().lstrip("-"):
            low, high = value.split("-")
            return {"min_size": int(low), "max_size": int(high)}
        sizes = [int(part) for part in value.split(",")]
    except ValueError:
        message = f"{value!r} is not allowed; a size (8), one for each team (9,8) or a range (6-10) is"
        raise click.BadParameter(message, param_hint="--size") from None
    return {"sizes": sizes[0] if len(sizes) == 1 else sizes}


def _one_of(names: Any, extra: str = "") -> str:
    return ", ".join([*names, *([extra] if extra else [])])


@click.command(cls=BalanceCommand, name="balance")
@click.argument("roster", metavar="ROSTER", required=False)
@read_option
@with_ratings
@click.option("--teams", default=2, show_default=True, help="How many teams.")
@click.option("--size", metavar="N|N,N|N-N", help="The size of every team, of each team, or a range.")
@click.option(
    "--max-difference",
    type=int,
    metavar="N",
    help="By how many players the teams may differ, bots not counted.  [default: 1, or any with --size]",
)
@click.option("--bots", is_flag=True, help="Fill shorter teams up with bots.")
@click.option(
    "--bot-weight",
    type=float,
    metavar="WEIGHT",
    help="What a bot weighs.  Implies --bots.  [default: the mean weight]",
)
@click.option(
    "--min", "minimum", type=int, metavar="N", help="Fewest players the map is made for.  Implies --bots."
)
@click.option(
    "--max", "maximum", type=int, metavar="N", help="Most players the map is made for.  Implies --bots."
)
@click.option("--target", type=int, metavar="N", help="How many players are wanted.  Implies --bots.")
@click.option("--party", multiple=True, metavar="A,B", help="Players who stay together.  Repeatable.")
@click.option("--apart", multiple=True, metavar="A,B", help="Players kept in different teams.  Repeatable.")
@click.option("--fix", multiple=True, metavar="A=TEAM", help="A player fixed to a team, from 1.  Repeatable.")
@wish_options
@click.option("--objective", metavar="NAME", help=f"What is fair: {_one_of(OBJECTIVES)}.  [default: spread]")
@click.option(
    "--tolerance",
    type=float,
    metavar="P",
    help="How much win probability 'spread' may give for likeness.  "
    "[default: 0.0025 with up to 17 players, 0.001 with more]",
)
@click.option(
    "--side-weight",
    type=float,
    metavar="W",
    help="How much side wishes count in 'indistinguishable'.  [default: 0.01]",
)
@click.option("--rerank", metavar="NAME", help=f"Order the best splits anew by: {_one_of(CRITERIA)}.")
@click.option(
    "--solver",
    default="auto",
    show_default=True,
    metavar="NAME",
    help=f"How to search: {_one_of(('auto', *SOLVERS))}.",
)
@click.option("--time-limit", type=float, metavar="SECONDS", help="Stop searching after this time.")
@click.option(
    "--keep", type=int, metavar="K", help="Show the K best splits.  [default: 1, or 20 with --choose]"
)
@click.option(
    "--distance",
    type=int,
    metavar="D",
    help="Any two of those splits differ by D players at least; the best first.  [default: 1]",
)
@click.option(
    "--choose",
    type=Power(),
    metavar="[POWER]",
    help="Choose one of the best splits at random, the more even the likelier.",
)
@click.option(
    "--seed",
    type=int,
    metavar="N",
    help="The seed of the choice and of searches.  [default: 0, but with --choose another each time]",
)
@click.option(
    "--default-weight",
    type=float,
    metavar="WEIGHT",
    help="The weight of players without one.  [default: the mean of the others]",
)
@click.option(
    "--beta",
    type=float,
    metavar="WEIGHT",
    help="Performance noise of one player, for win chances.  [default: the roster's standard deviation]",
)
@click.option(
    "--zero",
    type=float,
    metavar="WEIGHT",
    help="The weight that adds nothing to a team, where the scale has one.  Matters to unequal teams.",
)
@click.option(
    "--body",
    type=float,
    metavar="SPREADS",
    help="What one more player of mean weight is worth, in standard deviations.  [default: 1]",
)
@click.option("--names", metavar="A,B", help="What to call the teams.")
@click.option("--explain", is_flag=True, help="Say why: numbers, alternatives, and what each rule costs.")
@click.option(
    "--why",
    multiple=True,
    metavar="A|A,B",
    help="Why is A in this team?  Why not swap A and B, or why are they together?  Repeatable.",
)
@click.option(
    "--edit",
    multiple=True,
    metavar="CHANGE",
    help="Change the teams by hand, 'swap A B' or 'move A TEAM', and see what it costs.  Repeatable.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--plot", metavar="FILE.svg", help="Draw the teams into a file.")
def command(roster: str | None, **options: Any) -> None:
    """Divide the players of ROSTER into the fairest teams.

    ROSTER is a file of 'weight name' lines, CSV or JSON with 'name' and 'weight', or - for standard input.
    """  # fmt: skip
    try:
        _balance(roster, options)
    except InputError as error:
        raise error.named(FLAGS.get(error.argument, error.argument)) from error


def _balance(source: str | None, options: dict[str, Any]) -> None:
    from equipoise.clock import deadline
    from equipoise.stopping import never
    from equipoise.teams.balancing import balance

    players = roster(source, options, lambda path: read_players(path, options["read"]))
    players = rated(players, options)
    power = options["choose"]
    keep = options["keep"] or (1 if power is None else CHOSEN_AMONG)
    _check_combinations(options, keep)
    limit = options["time_limit"]
    given = {
        name: options[name]
        for name in ("tolerance", "side_weight", "max_difference", "beta", "zero", "body")
        if options[name] is not None
    }
    shared = {
        "teams": options["teams"],
        "bots": _bots(options, players),
        "parties": groups("--party", options["party"]),
        "apart": groups("--apart", options["apart"]),
        "fixed": fixed_teams(options["fix"]),
        "solver": options["solver"],
        "default": options["default_weight"],
        "seed": options["seed"] or 0,
        "stop": never if limit is None else deadline(limit),
        **_sizes(options["size"]),
        **wish_arguments(options, players),
        **given,
    }
    try:
        if options["pareto"] is not None:
            show_front(players, shared, options)
            return
        arguments = {
            **shared,
            "rerank": options["rerank"],
            "keep": options["keep"] if options["keep"] is not None else keep,
            "distance": 1 if options["distance"] is None else options["distance"],
            **objective_arguments(options),
        }
        solution = balance(players, **arguments)
    except UnknownNameError as error:
        raise click.UsageError(str(error)) from error
    chosen = None
    if power is not None and solution.splits:
        chosen = _choose(solution, power, options["seed"])
    names = tuple(options["names"].split(",")) if options["names"] else ()
    split = solution.splits[chosen or 0] if solution.splits else None
    answers = None
    if options["explain"] or options["why"] or options["edit"]:
        from equipoise.cli.explaining import Answers

        answers = Answers(options, players, arguments, solution, split, names)
        split = answers.split
    if options["as_json"]:
        _print_json(solution, chosen, answers)
    elif split is not None:
        click.echo(_text(solution, chosen, names, split))
    if not solution.splits:
        click.echo(f"error: {solution.status}: {solution.reason}", err=True)
    if answers is not None and not options["as_json"]:
        click.echo("\n".join(answers.lines if solution.splits else answers.lines[1:]))
    if not solution.splits:
        sys.exit(1)
    if options["plot"]:
        _plot(options["plot"], solution, split or solution.best, names)


def _check_combinations(options: dict[str, Any], keep: int) -> None:
    """Refuse options that say nothing together."""
    if options["distance"] is not None and keep == 1:
        msg = "--distance: one split has no other to differ from; say how many with --keep"
        raise InputError(msg)
    if options["pareto"] is not None and (options["explain"] or options["why"] or options["edit"]):
        msg = "--pareto: it shows several divisions; --explain, --why and --edit are about one"
        raise InputError(msg)


def _bots(options: dict[str, Any], players: list[Player]) -> Any:
    from equipoise.players import Bots
    from equipoise.teams.solution import weight

    asked = {"weight": "bot_weight", "minimum": "minimum", "maximum": "maximum", "target": "target"}
    given = {field: options[name] for field, name in asked.items() if options[name] is not None}
    if given.get("weight", 0.0) < 0 and all(weight(player) >= 0 for player in players):
        msg = f"--bot-weight must be at least 0, got {given['weight']:g}"
        raise InputError(msg)
    return Bots(**given) if given or options["bots"] else False


def _choose(solution: Solution, power: float, seed: int | None) -> int:
    import numpy as np

    from equipoise.teams.choosing import choose

    chosen = choose(solution, rng=np.random.default_rng(seed), power=power)
    return next(n for n, split in enumerate(solution.splits) if split is chosen)


def _print_json(solution: Solution, chosen: int | None, answers: Answers | None) -> None:
    plain = solution.as_dict() | ({} if answers is None else answers.plain)
    if chosen is not None:
        plain["chosen"] = chosen + 1
        plain["splits"] = [plain["splits"][chosen]]
    print_json(plain)


def _plot(path: str, solution: Solution, split: Split, names: tuple[str, ...]) -> None:
    from equipoise.pages.pictures.teams import teams_svg

    write_plot(path, teams_svg(solution, split, names))


def _text(solution: Solution, chosen: int | None, names: tuple[str, ...], split: Split) -> str:
    """Return what a person reads, and can paste into a chat."""
    from equipoise.pages.text.words import convention, number

    edited = split is not solution.splits[chosen or 0]
    lines: list[str] = []
    for n in range(len(split.teams)):
        lines += [*_team_lines(solution, split, n, _name(names, n)), ""]
    verdict = _verdict(solution)
    if edited:
        lines.append(f"Changed by hand; the best is {verdict}")
    elif chosen is None:
        lines.append(verdict[0].upper() + verdict[1:])
    else:
        value = f"{solution.objective} {number(split.value)}"
        facts = f"number {chosen + 1} of the {len(solution.splits)} best, {value}"
        lines.append(f"Chosen at random: {facts}; the best is {verdict}")
    sizes = {len(team) + bots for team, bots in zip(split.teams, split.bots, strict=True)}
    lines += convention(
        solution.beta, solution.beta_source, solution.zero, solution.zero_source, uneven=len(sizes) > 1
    )
    if solution.unrated:
        lines.append(
            f"{solution.unrated} without a weight: counted as {number(solution.default_weight or 0.0)}."
        )
    lines += outcome_lines(split)
    if solution.reason:
        lines.append(f"Only {solution.reason}.")
    if chosen is None and not edited and len(solution.splits) > 1:
        lines += ["", *_alternatives(solution, names)]
    return "\n".join(lines)


def _name(names: tuple[str, ...], n: int) -> str:
    return names[n].strip() if n < len(names) else f"Team {n + 1}"


def _team_lines(solution: Solution, split: Split, n: int, name: str) -> list[str]:
    from equipoise.pages.text.words import number, printable

    roles = split.roles[n] if split.roles else ("",) * len(split.teams[n])
    shown = [
        (number(value), printable(player.label) + (f" ({printable(role)})" if role else ""))
        for player, value, role in zip(split.teams[n], split.weights[n], roles, strict=True)
    ]
    if split.bots[n]:
        bots = split.bots[n]
        each = number(solution.bot_weight or 0.0)
        shown.append((each, "(bot)" if bots == 1 else f"(bot) x {bots}"))
    width = max((len(number) for number, _ in shown), default=0)
    head = f"{name}: total {number(split.totals[n])}, win chance {100 * split.win_probability[n]:.1f} %"
    return [head, *(f"  {figure:>{width}}  {label}" for figure, label in shown)]


def _verdict(solution: Solution) -> str:
    from equipoise.pages.text.words import number

    value = f"{solution.objective} {number(solution.value or 0.0)}"
    if solution.status == "optimal":
        return f"proven optimal: {value}."
    bound, gap = number(solution.bound or 0.0), number(solution.gap or 0.0)
    return f"not proven optimal: {value}, at most {gap} from the best possible (bound {bound})."


def _alternatives(solution: Solution, names: tuple[str, ...]) -> list[str]:
    """Return the table of the other splits: what changes against the best."""
    from io import StringIO

    from rich.console import Console
    from rich.table import Table

    from equipoise.pages.text.words import number, printable

    table = Table(box=None, pad_edge=False, title=None)
    for column in ("", solution.objective, "totals", "win chance", "changes teams against the best"):
        table.add_column(column, no_wrap=column != "changes teams against the best")
    home = {player.id: n for n, team in enumerate(solution.best.teams) for player in team}
    for rank, split in enumerate(solution.splits[1:], start=2):
        moved = [
            f"{printable(player.label)} to {_name(names, n)}"
            for n, team in enumerate(split.teams)
            for player in team
            if home[player.id] != n
        ]
        table.add_row(
            f"{rank}.", number(split.value), " : ".join(map(number, split.totals)),
            f"{100 * split.win_probability[0]:.1f} %", ", ".join(moved),
        )  # fmt: skip
    out = StringIO()
    console = Console(file=out, width=110, color_system=None, markup=False, emoji=False, highlight=False)
    console.print(table)
    return [line.rstrip() for line in out.getvalue().rstrip().split("\n")]
