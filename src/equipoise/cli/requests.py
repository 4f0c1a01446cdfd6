"""The flags of ``equipoise balance`` and its request files, decoded into one :class:`BalanceRequest`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from equipoise.cli.shared import rosters
from equipoise.cli.shared.asking import is_number
from equipoise.cli.shared.printing import write
from equipoise.cli.shared.rosters import read_players
from equipoise.cli.shared.rules import fixed_teams, groups, preference_arguments
from equipoise.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from equipoise.players import Bots, Player
    from equipoise.teams.request import BalanceRequest

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
        from equipoise.files.requests import read_request

        read, keywords = read_request(source)
    players = read
    if any(options[flag] is not None for flag in ("here", "store", "ruleset")) or roster is source is None:
        read = rosters.roster(roster, options, lambda path: read_players(path, options["read"]))
        players = rosters.rated(read, options, keywords)
    elif roster is not None:
        read = read_players(roster, options["read"])
        players = rosters.rated(read, options, keywords)
    if options["clan_tags"]:
        from equipoise.clans import with_clans

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
    with rosters.placing(read, source):
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
    from equipoise.players import Bots
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
    from equipoise.registry import OBJECTIVES, TERMS

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
    from equipoise.fields import any_number_of  # the library says which ones an objective takes

    return any_number_of(text, "the number", option)


def two_objectives(value: str) -> tuple[str, str]:
    """Return the two names of ``--objectives``."""
    names = [name.strip() for name in value.split(",")]
    if len(names) != 2 or not all(names):
        msg = f"--objectives: {value!r} does not name two objectives; write --objectives win,spread"
        raise InputError(msg)
    if names[0] == names[1]:
        msg = f"--objectives: {value!r} names one objective twice; write --objectives win,spread"
        raise InputError(msg)
    return _objective("--objectives", names[0]), _objective("--objectives", names[1])
