"""What is asked of ``balance``, ``explain`` and ``front``: their options, in sections of the help."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import click

from equipoise.cli.shared.printing import NewFile, Share, with_json
from equipoise.cli.shared.rosters import RATINGS, clan_tags, read_option
from equipoise.cli.shared.values import Number, Whole, refuse
from equipoise.registry import OBJECTIVES, RERANKERS, SOLVERS

Command = TypeVar("Command", bound=Callable[..., Any])

#: What a pair of the last match is worth to be apart, unless stated otherwise.
RECENT_PRICE = "0.5%"


def is_number(text: str) -> bool:
    """Tell whether a text is a finite number."""
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
        if not is_number(str(value)) or float(value) < 0:
            refuse(f"must be a number of at least 0, got {value!r}", param, ctx)
        return float(value)


_ASKED: tuple[Callable[[Any], Any], ...] = (
    read_option,
    *RATINGS,
    click.option(
        "--request",
        metavar="FILE",
        help="A file of players and settings, JSON or TOML; ROSTER and other flags replace what it says.",
    ),
    click.option(
        "--save-request",
        type=NewFile(".json"),
        metavar="FILE.json",
        help="Save the request to a file for --request.",
    ),
    click.option("--teams", type=Whole(), metavar="N", help="How many teams.  [default: 2]"),
    click.option("--size", metavar="N|N,N|N-N", help="The size of every team, of each team, or a range."),
    click.option(
        "--max-difference",
        type=Whole(),
        metavar="N",
        help="By how many players the teams may differ, bots not counted.  [default: 1, or any with --size]",
    ),
    click.option("--bots", is_flag=True, help="Fill shorter teams up with bots."),
    click.option(
        "--bot-weight",
        type=Number(),
        metavar="WEIGHT",
        help="What a bot weighs.  Implies --bots.  [default: the mean weight]",
    ),
    click.option(
        "--min",
        "minimum",
        type=Whole(),
        metavar="N",
        help="Fewest players the map is made for.  Implies --bots.",
    ),
    click.option(
        "--max",
        "maximum",
        type=Whole(),
        metavar="N",
        help="Most players the map is made for.  Implies --bots.",
    ),
    click.option("--target", type=Whole(), metavar="N", help="How many players are wanted.  Implies --bots."),
    click.option("--party", multiple=True, metavar="A,B", help="Players who stay together.  Repeatable."),
    clan_tags,
    click.option(
        "--apart", multiple=True, metavar="A,B", help="Players kept in different teams.  Repeatable."
    ),
    click.option(
        "--fix", multiple=True, metavar="A=TEAM", help="A player fixed to a team, from 1.  Repeatable."
    ),
    click.option(
        "--prefer",
        multiple=True,
        metavar="A,B[=PRICE]",
        help="Players together unless that costs more win probability than PRICE (2% or 0.02) for each who "
        "is elsewhere.  Repeatable.  [default price: 1%]",
    ),
    click.option(
        "--avoid",
        multiple=True,
        metavar="A,B[=PRICE]",
        help="Players apart unless that costs more.  Repeatable.  [default price: 1%]",
    ),
    click.option(
        "--recent",
        metavar="MATCHES",
        help="A match file; who was in one team in its last matches is kept apart at a price.",
    ),
    click.option(
        "--recent-price",
        metavar="PRICE",
        help=f"What it is worth to part a pair of the last match; half as much for each match further back.  "
        f"[default: {RECENT_PRICE}]",
    ),
    click.option("--side-price", metavar="PRICE", help="What a side preference is worth.  [default: 0]"),
    click.option(
        "--stay",
        metavar="PRICE",
        help="Players stay in the team of column team_now unless that costs more than PRICE.",
    ),
    click.option(
        "--moves", type=Whole(), metavar="N", help="At most N players leave the team of column team_now."
    ),
    click.option("--roles", metavar="ROLE:N,...", help="What every team needs: tank:1,damage:2,support:2."),
    click.option("--rules", metavar="FILE.json", help="Sums over each team's players that must be kept."),
    click.option("--then", multiple=True, metavar="NAME", help="The next objective in order.  Repeatable."),
    click.option(
        "--within",
        metavar="T,T",
        help="How far from its optimum each objective but the last may be.  [default: 0.001 for win, else 0]",
    ),
    click.option("--combine", metavar="NAME=W,...", help="A weighted sum of objectives as the first one."),
    click.option(
        "--objective", metavar="NAME", help=f"What is fair: {', '.join(OBJECTIVES)}.  [default: spread]"
    ),
    click.option(
        "--tolerance",
        type=Share(),
        metavar="P",
        help="How much win probability 'spread' may give up for more similar teams.  "
        "[default: 0.0025 with up to 17 players, 0.001 with more]",
    ),
    click.option(
        "--side-weight",
        type=Number(),
        metavar="W",
        help="How much side preferences count in 'indistinguishable'.  [default: 0.01]",
    ),
    click.option("--rerank", metavar="NAME", help=f"Re-rank the best splits by: {', '.join(RERANKERS)}."),
    click.option(
        "--solver",
        metavar="NAME",
        help=f"How to search: {', '.join(('auto', *SOLVERS))}.  [default: auto]",
    ),
    click.option(
        "--effort",
        type=Number(),
        metavar="N",
        help="How much work to do before settling for the best so far.  [default: 1, some seconds]",
    ),
    click.option("--time-limit", type=Number(), metavar="SECONDS", help="Stop searching after this time."),
    click.option(
        "--keep", type=Whole(), metavar="K", help="Show the K best splits.  [default: 1, or 20 with --choose]"
    ),
    click.option(
        "--spacing",
        type=Whole(),
        metavar="D",
        help="Any two of those splits differ by at least D players.  [default: 1]",
    ),
    click.option(
        "--choose",
        type=Power(),
        metavar="[POWER]",
        help="Choose one of the best splits at random; more even ones are more likely.",
    ),
    click.option(
        "--seed",
        type=Whole(),
        metavar="N",
        help="The seed of the choice and of searches.  [default: 0, but with --choose another each time]",
    ),
    click.option(
        "--default-weight",
        type=Number(),
        metavar="WEIGHT",
        help="The weight of players without one.  [default: the mean of the others]",
    ),
    click.option(
        "--beta",
        type=Number(),
        metavar="WEIGHT",
        help="Performance noise of one player, for win chances.  [default: the roster's standard deviation]",
    ),
    click.option(
        "--zero",
        type=Number(),
        metavar="WEIGHT",
        help="The weight that adds nothing to a team, if there is one.  Only matters for unequal teams.",
    ),
    click.option(
        "--body",
        type=Number(),
        metavar="SPREADS",
        help="What one more player of mean weight is worth, in standard deviations.  [default: 1]",
    ),
)

#: What is shown, by every command that asks.
_SHOWN = (
    click.option("--names", metavar="A,B", help="What to call the teams."),
    with_json,
    click.option("--plot", type=NewFile(".svg"), metavar="FILE.svg", help="Draw the answer into a file."),
)


def asks(*without: str) -> Callable[[Command], Command]:
    """Return what adds the options that say what is asked, and those that every answer has.

    Parameters
    ----------
    without : str
        The names of options that say nothing here.
    """

    def add(command: Command) -> Command:
        for option in reversed((*_ASKED, *_SHOWN)):
            command = option(command)
        parameters: list[click.Option] = command.__click_params__  # type: ignore[attr-defined]  # click sets it
        parameters[:] = [each for each in parameters if each.name not in without]
        return command

    return add
