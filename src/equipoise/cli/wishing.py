"""The options of ``equipoise balance`` on wishes with a price, roles, rules and several objectives."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from equipoise.errors import InputError

if TYPE_CHECKING:
    from equipoise.players import Player
    from equipoise.teams.problem.wishes import Wish
    from equipoise.teams.solution import Split

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option(
        "--prefer", multiple=True, metavar="A,B[=PRICE]",
        help="Players together unless that costs more win probability than PRICE (2% or 0.02) for each who "
        "is elsewhere.  Repeatable.  [default price: 1%]",
    ),
    click.option(
        "--avoid", multiple=True, metavar="A,B[=PRICE]",
        help="Players apart unless that costs more.  Repeatable.  [default price: 1%]",
    ),
    click.option(
        "--recent", metavar="MATCHES",
        help="A match file; who was in one team in its last matches is kept apart at a price.",
    ),
    click.option(
        "--recent-price", metavar="PRICE", default="0.5%", show_default=True,
        help="What a pair of the last match is worth; half as much a match before, and so on.",
    ),
    click.option("--side-price", metavar="PRICE", help="What a side wish is worth.  [default: 0]"),
    click.option("--roles", metavar="ROLE:N,...", help="What every team needs: tank:1,damage:2,support:2."),
    click.option("--rules", metavar="FILE.json", help="Sums over each team's players that must be kept."),
    click.option("--then", multiple=True, metavar="NAME", help="The next objective in order.  Repeatable."),
    click.option(
        "--within", metavar="T,T",
        help="How far from its optimum each objective but the last may be.  [default: 0.001 for win, else 0]",
    ),
    click.option("--weights", metavar="NAME=W,...", help="A weighted sum of objectives as the first one."),
    click.option("--pareto", metavar="NAME,NAME", help="Show the Pareto front of two objectives."),
)  # fmt: skip


def wish_options(command: Command) -> Command:
    """Give a command the options."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def names_of(value: str) -> list[str]:
    """Return the names in ``A,B``, quoted as in CSV where a name has a comma."""
    cells = " ".join(value.split())  # a name has no line breaks, but a shell may pass some
    return [name.strip() for name in next(csv.reader([cells], skipinitialspace=True), [])]


def groups(option: str, values: tuple[str, ...]) -> list[list[str]]:
    """Return the names of each ``A,B``."""
    found = []
    for value in values:
        names = names_of(value)
        if len(names) < 2 or not all(names):
            msg = f"{option}: {value!r} does not name two players or more; write {option} 'Ann,Bob'"
            raise InputError(msg)
        found.append(names)
    return found


def wish_arguments(options: Mapping[str, Any], players: Sequence[Player]) -> dict[str, Any]:
    """Return the arguments of ``balance`` for wishes, roles and rules."""
    from equipoise.fields import price_of

    given: dict[str, Any] = {
        "wishes": [
            *_wishes("together", options, players),
            *_wishes("apart", options, players),
            *_recent(options, players),
        ]
    }
    if options["side_price"] is not None:
        given["side_price"] = price_of(options["side_price"], "price", "--side-price")
    if options["roles"] is not None:
        given["roles"] = _counted(options["roles"])
    if options["rules"] is not None:
        from equipoise.files.rules import read_rules

        given["rules"] = read_rules(options["rules"])
    return given


def _wishes(kind: str, options: Mapping[str, Any], players: Sequence[Player]) -> list[Wish]:
    from equipoise.fields import price_of
    from equipoise.teams.problem.roster import Roster, named_once
    from equipoise.teams.problem.wishes import WISH_PRICE, Wish

    option = {"together": "prefer", "apart": "avoid"}[kind]
    roster, wishes = Roster(tuple(players), None, 0), []
    for value in options[option]:
        named, equals, price = value.rpartition("=")
        worth = WISH_PRICE
        if equals and (price.strip()[:1].isdigit() or price.strip()[:1] in ".+-"):
            worth = price_of(price, "price", f"--{option}")
        else:
            named = value
        for names in groups(f"--{option}", (named,)):
            named_once(f"--{option}", roster, names)
            wishes.append(Wish(kind, tuple(names), worth))
    return wishes


def _recent(options: Mapping[str, Any], players: Sequence[Player]) -> list[Wish]:
    if options["recent"] is None:
        return []
    from equipoise.fields import price_of
    from equipoise.files.matches import read_matches
    from equipoise.matches import Match, Skipped
    from equipoise.teams.problem.wishes import recent_wishes

    here = {player.id for player in players}
    matches = []
    for match in read_matches(options["recent"]):
        if isinstance(match, Match):
            matches.append(match)
        elif isinstance(match, Skipped):
            click.echo(f"{match.where}: {match.reason}", err=True)
    price = price_of(options["recent_price"], "price", "--recent-price")
    return recent_wishes(matches, here, price)


def _counted(value: str) -> dict[str, int]:
    """Return how many of each role a team needs."""
    roles: dict[str, int] = {}
    for part in value.split(","):
        role, colon, number = part.strip().rpartition(":")
        if not colon or not role or not number.strip().isdecimal() or role.strip() in roles:
            msg = f"--roles: {part.strip()!r} is not ROLE:NUMBER once each; write --roles tank:1,damage:2"
            raise InputError(msg)
        roles[role.strip()] = int(number)
    return roles


def objective_arguments(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of ``balance`` for one objective or several."""
    first: Any = options["objective"]
    if options["weights"] is not None:
        if first is not None:
            msg = "--weights: they stand for the first objective; --objective is not allowed besides"
            raise InputError(msg)
        pairs = [_assigned(part) for part in options["weights"].split(",")]
        first = {name: _number("--weights", text) for name, text in pairs}
        if len(first) < len(pairs):
            msg = f"--weights: {options['weights']!r} names an objective twice; each has one weight"
            raise InputError(msg)
    if not options["then"]:
        if options["within"] is not None:
            msg = "--within: there is only one objective; with --then there are several"
            raise InputError(msg)
        return {} if first is None else {"objective": first}
    if first is None:
        msg = "--then: the first objective is missing; write --objective win --then spread"
        raise InputError(msg)
    given: dict[str, Any] = {"objective": [first, *options["then"]]}
    if options["within"] is not None:
        given["tolerances"] = [_number("--within", text) for text in options["within"].split(",")]
    return given


def _assigned(part: str) -> tuple[str, str]:
    name, equals, number = part.strip().rpartition("=")
    if not equals or not name:
        msg = f"--weights: {part.strip()!r} is not NAME=WEIGHT; write --weights win=1,wishes=2"
        raise InputError(msg)
    return name.strip(), number


def _number(option: str, text: str) -> float:
    from equipoise.fields import number_of

    return number_of(text, "the number", option)


def outcome_lines(split: Split) -> list[str]:
    """Return the wishes that are broken, and how many are met."""
    from equipoise.pages.text.words import number, printable

    if not split.wishes:
        return []
    broken = [outcome for outcome in split.wishes if not outcome.met]
    paid = sum(outcome.paid for outcome in broken)
    lines = [
        f"Wishes: {len(split.wishes) - len(broken)} of {len(split.wishes)} met"
        + (f", {number(100.0 * paid)} % of win probability paid for the others:" if broken else ".")
    ]
    for outcome in broken:
        who = ", ".join(map(printable, outcome.players))
        lines.append(f"  {number(100.0 * outcome.paid)} %  {outcome.kind}: {who}")
    return lines


def two_objectives(value: str) -> tuple[str, str]:
    """Return the two names of ``--pareto``."""
    names = [name.strip() for name in value.split(",")]
    if len(names) != 2 or not all(names):
        msg = f"--pareto: {value!r} does not name two objectives; write --pareto win,spread"
        raise InputError(msg)
    return names[0], names[1]
