"""The flags of ``equipoise balance`` and its request files, decoded into one :class:`BalanceRequest`.

What is asked of ``balance``, ``explain`` and ``front``: their options, in sections of the help.

Rules and preferences as they are typed: names, groups of names, teams, prices, roles.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from equipoise.cli import roster_options
from equipoise.cli.output_options import NewFile, Number, OptionType, Share, Whole, refuse, with_json, write
from equipoise.cli.roster_options import RATINGS, clan_tags, read_option, read_players
from equipoise.core.registry import OBJECTIVES, RERANKERS, SOLVERS
from equipoise.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from equipoise.core.player import Bots, Player
    from equipoise.teams.problem.preferences import Preference
    from equipoise.teams.request import BalanceRequest


Command = TypeVar("Command", bound=Callable[..., Any])

#: What a pair of the last match is worth to be apart, unless stated otherwise.
RECENT_PRICE = "0.5%"


def is_number(text: str) -> bool:
    """Tell whether a text is a finite number."""
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


class Power(OptionType):
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


def preference_arguments(options: Mapping[str, Any], players: Sequence[Player]) -> dict[str, Any]:
    """Return the arguments of ``balance`` for preferences, roles and rules."""
    from equipoise.core.plain_data import price_of

    preferences = [
        *_preferences("together", options, players),
        *_preferences("apart", options, players),
        *_recent(options, players),
    ]
    keywords: dict[str, Any] = {"preferences": preferences} if preferences else {}
    if options["side_price"] is not None:
        keywords["side_price"] = price_of(options["side_price"], "price", "--side-price")
    if options["stay"] is not None:
        keywords["stay"] = price_of(options["stay"], "price", "--stay")
    if options["roles"] is not None:
        keywords["roles"] = _counted(options["roles"])
    if options["rules"] is not None:
        from equipoise.files.read_request import read_rules

        keywords["rules"] = read_rules(options["rules"])
    return keywords


def _preferences(kind: str, options: Mapping[str, Any], players: Sequence[Player]) -> list[Preference]:
    from equipoise.core.plain_data import price_of
    from equipoise.teams.problem.build import Roster
    from equipoise.teams.problem.preferences import PREFERENCE_PRICE, Preference

    option = {"together": "prefer", "apart": "avoid"}[kind]
    roster, preferences = Roster(tuple(players), None, 0), []
    for value in options[option]:
        named, equals, price = value.rpartition("=")
        worth = PREFERENCE_PRICE
        if equals and (price.strip()[:1].isdigit() or price.strip()[:1] in ".+-"):
            worth = price_of(price, "price", f"--{option}")
        else:
            named = value
        for names in groups(f"--{option}", (named,)):
            roster.find_each(f"--{option}", names)
            preferences.append(Preference(kind, tuple(names), worth))
    return preferences


def _recent(options: Mapping[str, Any], players: Sequence[Player]) -> list[Preference]:
    if options["recent"] is None:
        if options["recent_price"] is not None:
            msg = "--recent-price requires --recent, a file of matches"
            raise InputError(msg)
        return []
    from equipoise.core.match import Match, Skipped
    from equipoise.core.plain_data import price_of
    from equipoise.files.read_matches import read_matches
    from equipoise.teams.problem.preferences import recent_preferences

    here = {player.id for player in players}
    matches, skipped = [], False
    for match in read_matches(options["recent"]):
        if isinstance(match, Match):
            matches.append(match)
        elif isinstance(match, Skipped):
            skipped = True
            click.echo(f"{match.where}: {match.reason}", err=True)
    if skipped and not matches:
        msg = f"--recent: {options['recent']}: no match found; docs/match-files.md describes the format"
        raise InputError(msg)
    typed = RECENT_PRICE if options["recent_price"] is None else options["recent_price"]
    price = price_of(typed, "price", "--recent-price")
    return recent_preferences(matches, here, price)


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


#: The flag of each keyword of ``balance``.
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
    "pool": "--pool",
    "join": "--join",
    "why": "--why",
    "edit": "--edit",
    "store": "--store",
} | {
    name: f"--{name.replace('_', '-')}"
    for name in (
        *("teams", "max_difference", "apart", "side_price", "stay", "moves", "roles", "rules", "objective"),
        *("solver", "rerank", "keep", "spacing", "beta", "zero", "body", "tolerance", "side_weight"),
        *("seed", "effort"),
    )
}

#: Splits among which ``--choose`` chooses unless ``--keep`` says otherwise, as the bot balancer of 2010 did.
CHOSEN_AMONG = 20


#: Keywords that are flags under names of their own, and hold what is typed.
_AS_TYPED = {"default": "default_weight"} | {
    name: name
    for name in (
        *("teams", "max_difference", "moves", "solver", "effort", "keep", "spacing", "seed"),
        *("tolerance", "side_weight", "beta", "zero", "body", "rerank"),
    )
}

#: Flags on preferences, roles and rules.
_PREFERENCES = ("prefer", "avoid", "recent", "recent_price", "side_price", "stay", "roles", "rules")


#: The options of each section of the help; others are in the last one.
SECTIONS: Mapping[str, Collection[str]] = {
    "Who is here": ("read", "store", "here", "ruleset", "request", "default_weight", "clan_tags"),
    "Sizes and bots": (
        *("teams", "size", "max_difference", "bots", "bot_weight", "minimum", "maximum", "target"),
    ),
    "Rules": ("party", "apart", "fix", "moves", "roles", "rules"),
    "Preferences": ("prefer", "avoid", "recent", "recent_price", "side_price", "stay"),
    "What is fair": (
        *("objective", "then", "within", "combine", "tolerance", "side_weight", "rerank"),
        *("beta", "zero", "body", "objectives"),
    ),
    "Search": ("solver", "time_limit", "keep", "spacing", "choose", "seed"),
    "Answer": (),
}


class AskingCommand(click.Command):
    """A command whose options are in sections, and whose ``--choose`` may stand without its power."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Give a bare ``--choose`` the default power, so that it does not swallow the roster's name."""
        spelled = list(args)
        for n, arg in enumerate(args):
            if arg == "--choose" and not (n + 1 < len(args) and is_number(args[n + 1])):
                spelled[n] = "--choose=default"
        return super().parse_args(ctx, spelled)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options in their sections."""
        records: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if isinstance(param, click.Option) and record is not None:
                records.setdefault(param.name or "", []).append(record)
        for section, names in SECTIONS.items():
            there = [name for name in (names or list(records)) if name in records]
            rows = [record for name in there for record in records.pop(name)]
            if rows:
                with formatter.section(section):
                    formatter.write_dl(rows)


def request_of(roster: str | None, options: dict[str, Any]) -> BalanceRequest:
    """Return what is asked: by a request file, a roster and flags, of which the later replace the earlier.

    Raises
    ------
    InputError
        If anything is at fault; :func:`named` says where.
    """
    from equipoise.teams.request import BalanceRequest

    source = options["request"]
    read: list[Player] = []
    keywords: dict[str, Any] = {}
    if source is not None:
        from equipoise.files.read_request import read_request

        read, keywords = read_request(source)
    players = read
    if any(options[flag] is not None for flag in ("here", "store", "ruleset")) or roster is source is None:
        read = roster_options.roster(roster, options, lambda path: read_players(path, options["read"]))
        players = roster_options.rated(read, options, keywords)
    elif roster is not None:
        read = read_players(roster, options["read"])
        players = roster_options.rated(read, options, keywords)
    if options["clan_tags"]:
        from equipoise.identity.clan_tags import with_clans

        players = with_clans(players)
    typed = _typed(options, players)
    _check_teams_now(typed, players)
    for names in (("sizes", "min_size", "max_size"), ("objective", "tolerances")):
        if typed.keys() & set(names):  # they say one thing together
            keywords = {name: value for name, value in keywords.items() if name not in names}
    if options.get("draws") is not None:
        keywords["draws"] = options["draws"]
    keywords |= typed
    if options["choose"] is not None:
        keywords.setdefault("keep", CHOSEN_AMONG)
    with roster_options.placing(read, source):
        return BalanceRequest.of(players, **keywords)


def save_request(request: BalanceRequest, path: str) -> None:
    """Write a request to the file of ``--save-request``."""
    import json

    text = json.dumps(request.to_dict(), ensure_ascii=False, allow_nan=False, indent=2)
    write("--save-request", path, text + "\n")


def named(error: InputError, options: Mapping[str, Any]) -> InputError:
    """Return an error that names what was typed: the flag, or the request file and the field."""
    return error if error.argument not in FLAGS else error.named(_typed_as(error.argument, options))


def unknown(error: UnknownNameError, options: Mapping[str, Any]) -> click.UsageError:
    """Return what ends a command that was given a name that nothing has, named as :func:`named` does."""
    kind = error.kind if error.kind not in FLAGS else _typed_as(error.kind, options)
    if error.kind == "objective" and any(error.name == name for name in options.get("then") or ()):
        kind = "--then"
    return click.UsageError(str(UnknownNameError(kind, error.name, error.known)))


def _typed_as(argument: str, options: Mapping[str, Any]) -> str:
    """Return how an argument was typed: as a flag, or as a field of the request file."""
    flag = FLAGS[argument]
    if argument == "objective":
        others = (f"--{other}" for other in ("combine", "objectives") if options.get(other) is not None)
        flag = next(others, flag)
    option = {"--min": "minimum", "--max": "maximum"}.get(flag, flag[2:].replace("-", "_"))
    typed = options.get(option) not in (None, ())
    return f"{options['request']}: {argument}" if options["request"] is not None and not typed else flag


def _typed(options: Mapping[str, Any], players: Sequence[Player]) -> dict[str, Any]:
    """Return the keywords that flags were typed for."""
    keywords = {name: options[flag] for name, flag in _AS_TYPED.items() if options[flag] is not None}
    keywords |= _sizes(options["size"])
    if bots := bots_of(options, players):
        keywords["bots"] = bots
    for name, flag in (("parties", "party"), ("apart", "apart")):
        if options[flag]:
            keywords[name] = groups(f"--{flag}", options[flag])
    if options["fix"]:
        keywords["fixed"] = fixed_teams(options["fix"])
    if any(options[flag] not in (None, ()) for flag in _PREFERENCES):
        keywords |= preference_arguments(options, players)
    return keywords | objective_arguments(options)


def _check_teams_now(typed: Mapping[str, Any], players: Sequence[Player]) -> None:
    """Refuse a price or a limit of moves where nobody is known to be in a team."""
    for name in ("stay", "moves"):
        if name in typed and all(player.team_now is None for player in players):
            msg = f"--{name}: nobody is in a team yet; the column team_now of a roster says who is in which"
            raise InputError(msg)


def _sizes(value: str | None) -> dict[str, Any]:
    """Return the arguments of ``balance`` for ``8``, ``9,8`` or ``6-10``."""
    if value is None:
        return {}
    try:
        if "-" in value.strip().lstrip("-"):
            low, high = map(int, value.split("-"))
            if low > high:
                raise ValueError
            return {"min_size": low, "max_size": high}
        sizes = [int(part) for part in value.split(",")]
    except ValueError:
        message = f"--size must be a size (8), one for each team (9,8) or a range (6-10), got {value!r}"
        raise click.UsageError(message) from None
    return {"sizes": sizes[0] if len(sizes) == 1 else sizes}


def bots_of(options: Mapping[str, Any], players: Sequence[Player]) -> Bots | None:
    """Return how bots fill up the teams, where a flag says so."""
    from equipoise.core.player import Bots
    from equipoise.teams.solution import weight

    asked = {"weight": "bot_weight", "minimum": "minimum", "maximum": "maximum", "target": "target"}
    numbers = {field: options[name] for field, name in asked.items() if options[name] is not None}
    if numbers.get("weight", 0.0) < 0 and all(weight(player) >= 0 for player in players):
        msg = f"--bot-weight must be at least 0, got {numbers['weight']:g}"
        raise InputError(msg)
    return Bots(**numbers) if numbers or options["bots"] else None


def objective_arguments(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of ``balance`` for one objective or several."""
    first: Any = options["objective"]
    if options["combine"] is not None:
        if first is not None:
            msg = "--combine cannot be used with --objective; it is the first objective"
            raise InputError(msg)
        pairs = [_assigned(part) for part in options["combine"].split(",")]
        first = {_objective("--combine", name): _number("--combine", text) for name, text in pairs}
        if len(first) < len(pairs):
            msg = f"--combine {options['combine']!r} names an objective twice"
            raise InputError(msg)
    if not options["then"]:
        if options["within"] is not None:
            msg = "--within requires a second objective; add one with --then"
            raise InputError(msg)
        if first is None:
            return {}
        return {"objective": first if isinstance(first, dict) else _objective("--objective", first)}
    if first is None:
        msg = "--then requires a first objective; write --objective win --then spread"
        raise InputError(msg)
    then = [_objective("--then", name) for name in options["then"]]
    keywords: dict[str, Any] = {"objective": [first, *then]}
    if options["within"] is not None:
        keywords["tolerances"] = [_number("--within", text) for text in options["within"].split(",")]
    return keywords


def _objective(flag: str, name: str) -> str:
    """Return the name of an objective, or say by its flag that there is none."""
    from equipoise.core.registry import OBJECTIVES, TERMS

    if ":" not in name and name not in OBJECTIVES and name not in TERMS:
        raise UnknownNameError(flag, name, {**OBJECTIVES, **TERMS})
    return name


def _assigned(part: str) -> tuple[str, str]:
    name, equals, number = part.strip().rpartition("=")
    if not equals or not name:
        msg = f"--combine: {part.strip()!r} is not NAME=WEIGHT; write --combine win=1,preferences=2"
        raise InputError(msg)
    return name.strip(), number


def _number(option: str, text: str) -> float:
    from equipoise.core.plain_data import any_number_of  # the library says which ones an objective takes

    return any_number_of(text, "the number", option)


def two_objectives(value: str) -> tuple[str, str]:
    """Return the two names of ``--front``."""
    names = [name.strip() for name in value.split(",")]
    if len(names) != 2 or not all(names):
        msg = f"--front: {value!r} does not name two objectives; write --front win,spread"
        raise InputError(msg)
    if names[0] == names[1]:
        msg = f"--front: {value!r} names one objective twice; write --front win,spread"
        raise InputError(msg)
    return _objective("--front", names[0]), _objective("--front", names[1])
