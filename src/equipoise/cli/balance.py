"""``equipoise balance``: fair teams from a roster, as text to paste, JSON or a picture."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from equipoise.cli.fronts import print_json, show_front, write_plot
from equipoise.cli.requests import RECENT_PRICE, named, request_of, save_request, team_names, unknown
from equipoise.cli.shared.rosters import clan_tags, read_option, with_ratings
from equipoise.errors import InputError, UnknownNameError
from equipoise.registry import OBJECTIVES, RERANKERS, SOLVERS

if TYPE_CHECKING:
    from equipoise.cli.explaining import Answers
    from equipoise.teams.request import BalanceRequest
    from equipoise.teams.solution import Solution, Split


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
        from equipoise.teams.solution import DEFAULT_POWER

        if value == "default":
            return DEFAULT_POWER
        if not _is_number(str(value)) or float(value) < 0:
            self.fail(f"{value!r} is not a number of 0 or above", param, ctx)
        return float(value)


def _one_of(names: Any, extra: str = "") -> str:
    return ", ".join([*names, *([extra] if extra else [])])


@click.command(cls=BalanceCommand, name="balance")
@click.argument("roster", metavar="ROSTER", required=False)
@read_option
@with_ratings
@click.option(
    "--request",
    metavar="FILE",
    help="A file of players and settings, JSON or TOML; ROSTER and other flags replace what it says.",
)
@click.option("--save-request", metavar="FILE.json", help="Write what is asked into a file for --request.")
@click.option("--teams", type=int, metavar="N", help="How many teams.  [default: 2]")
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
@clan_tags
@click.option("--apart", multiple=True, metavar="A,B", help="Players kept in different teams.  Repeatable.")
@click.option("--fix", multiple=True, metavar="A=TEAM", help="A player fixed to a team, from 1.  Repeatable.")
@click.option(
    "--prefer",
    multiple=True,
    metavar="A,B[=PRICE]",
    help="Players together unless that costs more win probability than PRICE (2% or 0.02) for each who "
    "is elsewhere.  Repeatable.  [default price: 1%]",
)
@click.option(
    "--avoid",
    multiple=True,
    metavar="A,B[=PRICE]",
    help="Players apart unless that costs more.  Repeatable.  [default price: 1%]",
)
@click.option(
    "--recent",
    metavar="MATCHES",
    help="A match file; who was in one team in its last matches is kept apart at a price.",
)
@click.option(
    "--recent-price",
    metavar="PRICE",
    help=f"What a pair of the last match is worth; half as much a match before, and so on.  "
    f"[default: {RECENT_PRICE}]",
)
@click.option("--side-price", metavar="PRICE", help="What a side preference is worth.  [default: 0]")
@click.option(
    "--stay",
    metavar="PRICE",
    help="Players stay in the team of column team_now unless that costs more than PRICE.",
)
@click.option("--moves", type=int, metavar="N", help="At most N players leave the team of column team_now.")
@click.option("--roles", metavar="ROLE:N,...", help="What every team needs: tank:1,damage:2,support:2.")
@click.option("--rules", metavar="FILE.json", help="Sums over each team's players that must be kept.")
@click.option("--then", multiple=True, metavar="NAME", help="The next objective in order.  Repeatable.")
@click.option(
    "--within",
    metavar="T,T",
    help="How far from its optimum each objective but the last may be.  [default: 0.001 for win, else 0]",
)
@click.option("--combine", metavar="NAME=W,...", help="A weighted sum of objectives as the first one.")
@click.option("--pareto", metavar="NAME,NAME", help="Show the Pareto front of two objectives.")
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
    help="How much side preferences count in 'indistinguishable'.  [default: 0.01]",
)
@click.option("--rerank", metavar="NAME", help=f"Order the best splits anew by: {_one_of(RERANKERS)}.")
@click.option(
    "--solver",
    metavar="NAME",
    help=f"How to search: {_one_of(('auto', *SOLVERS))}.  [default: auto]",
)
@click.option("--time-limit", type=float, metavar="SECONDS", help="Stop searching after this time.")
@click.option(
    "--keep", type=int, metavar="K", help="Show the K best splits.  [default: 1, or 20 with --choose]"
)
@click.option(
    "--spacing",
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
@click.option(
    "--explain", is_flag=True, help="Say why: the reason, the next best, and what is worth giving up."
)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Explain everything: all alternatives, and what each rule costs, however little.",
)
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
@click.option("--receipt", metavar="FILE", help="Write what was asked and answered, for 'equipoise verify'.")
def command(roster: str | None, **options: Any) -> None:
    """Divide the players of ROSTER into the fairest teams.

    ROSTER is a file of 'weight name' lines, CSV or JSON with 'name' and 'weight', or - for standard input.
    """  # fmt: skip
    try:
        _balance(request_of(roster, options), options)
    except UnknownNameError as error:
        raise unknown(error, options) from error
    except InputError as error:
        raise named(error, options) from error


def _balance(request: BalanceRequest, options: dict[str, Any]) -> None:
    """Answer a request, and show the answer as the options say."""
    from equipoise.teams.balancing import balance

    _check_combinations(options, request.keep)
    names = team_names(options["names"], request.teams)
    if options["save_request"] is not None:
        save_request(request, options["save_request"])
    if options["time_limit"] is not None:
        from equipoise.clock import deadline

        request = replace(request, stop=deadline(options["time_limit"]))
    if options["pareto"] is not None:
        show_front(request, options)
        return
    solution = balance(request)
    if options["receipt"] is not None:
        from equipoise.cli.verify import save_receipt

        save_receipt(request, solution, options["receipt"])
    chosen = None
    if options["choose"] is not None and solution.splits:
        chosen = _choose(solution, options["choose"], options["seed"])
    split = solution.splits[chosen or 0] if solution.splits else None
    answers = None
    if options["explain"] or options["everything"] or options["why"] or options["edit"]:
        from equipoise.cli.explaining import Answers

        answers = Answers(options, request, solution, split, names)
        split = answers.split
    _show(options, solution, chosen, split, names, answers)


def _show(
    options: dict[str, Any],
    solution: Solution,
    chosen: int | None,
    split: Split | None,
    names: tuple[str, ...],
    answers: Answers | None,
) -> None:
    """Print a solution, and draw it where a picture is asked for."""
    if options["as_json"]:
        _print_json(solution, chosen, answers, options.get("draws"))
    elif split is not None:
        from equipoise.pages.text.teams import solution_lines

        click.echo("\n".join(solution_lines(solution, split, chosen, names, options.get("draws"))))
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
    if options["spacing"] is not None and keep == 1:
        msg = "--spacing: one split has no other to differ from; say how many with --keep"
        raise InputError(msg)
    if options["pareto"] is not None and options["receipt"] is not None:
        msg = "--receipt: a front is several answers; a receipt is of one"
        raise InputError(msg)
    explaining = any(options[name] for name in ("explain", "everything", "why", "edit"))
    if options["pareto"] is not None and explaining:
        msg = "--pareto: it shows several splits; --explain, --all, --why and --edit are about one"
        raise InputError(msg)


def _choose(solution: Solution, power: float, seed: int | None) -> int:
    import numpy as np

    from equipoise.teams.solution import choose

    chosen = choose(solution, rng=np.random.default_rng(seed), power=power)
    return next(n for n, split in enumerate(solution.splits) if split is chosen)


def _print_json(
    solution: Solution, chosen: int | None, answers: Answers | None, draws: float | None = None
) -> None:
    from equipoise.teams.solution import draw_chance

    plain: dict[str, Any] = {**solution.as_dict(), **({} if answers is None else answers.plain)}
    if draws is not None:
        for shown, split in zip(plain["splits"], solution.splits, strict=True):
            shown["draw"] = draw_chance(split, draws)
    if chosen is not None:
        plain["chosen"] = chosen + 1
        plain["splits"] = [plain["splits"][chosen]]
    print_json(plain)


def _plot(path: str, solution: Solution, split: Split, names: tuple[str, ...]) -> None:
    from equipoise.pages.pictures.teams import teams_svg

    write_plot(path, teams_svg(solution, split, names))
