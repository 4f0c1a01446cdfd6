"""The flags of ``equipoise balance`` and its request files, decoded into one :class:`BalanceRequest`.

The options of ``balance``, ``explain`` and ``late``, in sections of the help.  Those of a
request's fields come from its table (:mod:`equipoise.teams.request_fields`).  By hand is what takes more than
the text that is typed: flags that make several fields, and those that read files or know who is here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from equipoise.cli import HELP_ALL, roster_options
from equipoise.cli.output_options import (
    NewFile,
    Number,
    OptionType,
    PriceOption,
    Share,
    Whole,
    refuse,
    shown_as,
    with_json,
    write,
)
from equipoise.cli.roster_options import RATINGS, clan_tags, read_option, read_players
from equipoise.core.fields import FieldInfo, typed_groups
from equipoise.core.registry import OBJECTIVES, TERMS
from equipoise.errors import InputError, UnknownNameError
from equipoise.teams.request_fields import BOT_NUMBERS, all_fields, field_of

if TYPE_CHECKING:
    from equipoise.core.player import Player
    from equipoise.pages.text.teams import PointDisplay
    from equipoise.teams.problem.preferences import Preference
    from equipoise.teams.request import BalanceRequest


Command = TypeVar("Command", bound=Callable[..., Any])

#: What a pair of the last match is worth to be apart, unless stated otherwise.
RECENT_PRICE = "0.5%"

#: Splits among which ``--choose`` chooses unless ``--keep`` says otherwise, as the bot balancer of 2010 did.
CHOSEN_AMONG = 20


def was_typed(value: Any) -> bool:
    """Tell whether an option was typed, from its value."""
    return value is not None and value != () and value is not False


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
        if not is_number(str(value)):
            refuse(f"must be a number of at least 0, got {value!r}", param, ctx)
        if float(value) < 0:
            msg = f"must be a number of at least 0, got {value!r}"
            raise InputError(msg, shown_as(param))
        return float(value)


#: How the command line takes each kind of value.
TYPES: Mapping[str, Any] = {"whole": Whole(), "number": Number(), "share": Share(), "price": PriceOption()}

#: Options whose value may be left out: what begins a value, and what stands for none.
BARE: Mapping[str, tuple[Callable[[str], Any], str]] = {
    "--choose": (is_number, "default"),
    "--bots": (re.compile(r"[a-z]+=").match, ""),
}


class SectionedOption(NamedTuple):
    """An option, the section of the help that it stands in, and whether ``--help`` has it."""

    section: str
    add: Callable[[Any], Any]
    shown: bool = True


def option_of(info: FieldInfo, note: str | None = None) -> SectionedOption:
    """Return the option of a field, with another note where it means something else to a command."""
    text = f"{info.help}  {info.note if note is None else note}".strip()
    option = info.kind.option
    more: dict[str, Any] = {"is_flag": True} if option == "flag" else {"metavar": info.metavar}
    add = click.option(info.flag, type=TYPES.get(option), multiple=option == "texts", help=text, **more)
    return SectionedOption(info.section, add, info.shown)


#: The fields that have an option of their own: of those that share a flag the first.
_FIELDS = list({info.flag: info for info in reversed(all_fields().values()) if info.flag}.values())[::-1]

_HERE, _PREFERENCES, _SEARCH, _ANSWER = "Who is here", "Preferences", "Search", "Answer"

#: The order of the sections.
SECTIONS = (_HERE, "Sizes and bots", "Rules", _PREFERENCES, "What is fair", _SEARCH, _ANSWER)

_ASKED: tuple[SectionedOption, ...] = (
    *(SectionedOption(_HERE, option) for option in (read_option, *RATINGS)),
    SectionedOption(
        _HERE,
        click.option(
            "--request",
            metavar="FILE",
            help="A file of players and settings, JSON or TOML; ROSTER and other flags replace what it says.",
        ),
    ),
    SectionedOption(
        _HERE,
        click.option(
            "--save-request",
            type=NewFile(".json"),
            metavar="FILE.json",
            help="Save the request to a file for --request.",
        ),
        shown=False,
    ),
    SectionedOption("Rules", clan_tags),
    *map(option_of, _FIELDS),
    SectionedOption(
        _PREFERENCES,
        click.option(
            "--avoid",
            multiple=True,
            metavar="A,B[=PRICE]",
            help="Players apart unless that costs more.  Repeatable.  [default price: 1%]",
        ),
    ),
    SectionedOption(
        _PREFERENCES,
        click.option(
            "--recent",
            metavar="MATCHES",
            help="A match file; who was in one team in its last matches is kept apart at a price.",
        ),
        shown=False,
    ),
    SectionedOption(
        _PREFERENCES,
        click.option(
            "--recent-price",
            metavar="PRICE",
            help="What it is worth to part a pair of the last match; half as much for each match further "
            f"back.  [default: {RECENT_PRICE}]",
        ),
        shown=False,
    ),
    SectionedOption(
        _SEARCH,
        click.option(
            "--time-limit", type=Number(), metavar="SECONDS", help="Answer in this time, loading included."
        ),
    ),
    SectionedOption(
        _SEARCH,
        click.option(
            "--choose",
            type=Power(),
            metavar="[POWER]",
            help="Choose one of the best splits at random; more even ones are more likely.",
        ),
        shown=False,
    ),
    SectionedOption(_ANSWER, with_json),
    SectionedOption(
        _ANSWER,
        click.option("--plot", type=NewFile(".svg"), metavar="FILE.svg", help="Draw the answer into a file."),
    ),
)

#: Where the options of other files stand, by name, and which of them ``--help`` has not.
_OTHERS: Mapping[str, tuple[str, bool]] = {
    "join": (_HERE, True), "pool": ("Sizes and bots", True),
    "as_chat": (_ANSWER, False), "as_markdown": (_ANSWER, False), "front": (_ANSWER, False),
}  # fmt: skip

#: Where options stand, by name; filled as they are added to commands.
_PLACES: dict[str, tuple[str, bool]] = {**_OTHERS}


def _added(command: Command, options: Sequence[SectionedOption]) -> Command:
    for section, add, shown in reversed(options):
        command = add(command)
        made: list[click.Option] = command.__click_params__  # type: ignore[attr-defined]  # click sets it
        _PLACES[made[-1].name or ""] = section, shown
    return command


def asks(command: Command) -> Command:
    """Add the options that say what is asked of one split, and those that every answer has."""
    return _added(command, _ASKED)


def asks_of(keeper: str, notes: Mapping[str, str]) -> Callable[[Command], Command]:
    """Return what adds the options of the fields that something else keeps to.

    Parameters
    ----------
    keeper : str
        What keeps to them: one of :attr:`FieldInfo.kept_by`.
    notes : mapping from str to str
        What the help adds, by field, where that is not what the table says.
    """
    kept = [option_of(info, notes.get(info.name)) for info in _FIELDS if keeper in info.kept_by]
    return lambda command: _added(command, kept)


def asks_for(fields: Mapping[str, FieldInfo]) -> Callable[[Command], Command]:
    """Return what adds the options of a table's fields to a command without sections."""

    def add(command: Command) -> Command:
        for info in reversed([*fields.values()]):
            command = option_of(info).add(command) if info.flag else command
        return command

    return add


class AskingCommand(click.Command):
    """A command with its options in sections; ``--help-all`` has those that ``--help`` leaves out."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        everything = click.Option(
            ["--help-all"], is_flag=True, expose_value=False, is_eager=True, hidden=True, callback=_print_all
        )
        self.params.append(everything)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Give an option whose value was left out what stands for none, so that it does not swallow more."""
        spelled = list(args)
        for n, arg in enumerate(args):
            if arg in BARE:
                begins, nothing = BARE[arg]
                if not (n + 1 < len(args) and begins(args[n + 1])):
                    spelled[n] = f"{arg}={nothing}"
        return super().parse_args(ctx, spelled)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options in their sections."""
        rows: dict[str, list[tuple[str, str]]] = {section: [] for section in SECTIONS}
        left_out = 0
        for param in self.params:
            record = param.get_help_record(ctx)
            if isinstance(param, click.Option) and record is not None:
                section, shown = _PLACES.get(param.name or "", (_ANSWER, True))
                left_out += not shown
                if shown or ctx.meta.get(HELP_ALL):
                    rows[section].append(record)
        for section, records in rows.items():
            if records:
                with formatter.section(section):
                    formatter.write_dl(records)
        if left_out and not ctx.meta.get(HELP_ALL):
            formatter.write_paragraph()
            formatter.write_text(f"'{ctx.command_path} --help-all' lists {left_out} more options.")


def _print_all(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    del param
    if wanted:
        ctx.meta[HELP_ALL] = True
        click.echo(ctx.get_help())
        ctx.exit()


def keep_heard(options: dict[str, Any], players: Sequence[Player]) -> None:
    """Put what was read of a paste beside its names among the options, as lines and as data."""
    heard = getattr(players, "heard", None)
    options["heard"] = None if heard is None else heard.lines(players)
    options["heard_data"] = None if heard is None else heard.as_dict(players)


def say_heard(options: Mapping[str, Any]) -> None:
    """Print what was read of a paste: above an answer for people, beside one in a form of its own."""
    if options["heard"]:
        click.echo("\n".join([*options["heard"], ""]), err=options.get("form") is not None)


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
    options["points"] = point_scale(read, options)
    keep_heard(options, read)
    if options["clan_tags"]:
        from equipoise.identity.clan_tags import with_clans

        players = with_clans(players)
    typed = typed_fields(options, players)
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


def point_scale(read: Iterable[Player], options: Mapping[str, Any]) -> PointDisplay | None:
    """Return what shows ratings as points, where all are those of an archive; typed weights stay as typed."""
    scale = options.get("scale")
    if scale is None or any(player.rating is not None for player in read):
        return None
    from equipoise.pages.text.point_scale import PointScale

    return PointScale(scale)


def save_request(request: BalanceRequest, path: str) -> None:
    """Write a request to the file of ``--save-request``."""
    import json

    text = json.dumps(request.to_dict(), ensure_ascii=False, allow_nan=False, indent=2)
    write("--save-request", path, text + "\n")


def named(error: InputError, options: Mapping[str, Any]) -> InputError:
    """Return an error that names what was typed: the flag, or the request file and the field."""
    typed = _typed_as(error.argument, options)
    return error if typed == error.argument else error.named(typed)


def unknown(error: UnknownNameError, options: Mapping[str, Any]) -> click.UsageError:
    """Return what ends a command that was given a name that nothing has, named as :func:`named` does."""
    return click.UsageError(str(UnknownNameError(_typed_as(error.kind, options), error.name, error.known)))


def _typed_as(argument: str, options: Mapping[str, Any]) -> str:
    """Return how an argument was typed: as a flag, or as a field of the request file."""
    name, _, part = argument.partition(".")
    info = field_of(name)
    if info is None:
        option = {"seconds": "time_limit"}.get(argument, argument)
        return f"--{option.replace('_', '-')}" if option in options else argument
    option = option_name(info)
    if options["request"] is not None and not was_typed(options.get(option)):
        return f"{options['request']}: {argument}"
    keys = [key for key, number in BOT_NUMBERS.items() if number == part]
    return " ".join([info.flag, *keys]) if option in options else argument


def option_name(info: FieldInfo) -> str:
    """Return the name of a field's option."""
    return info.flag[2:].replace("-", "_")


def typed_fields(options: Mapping[str, Any], players: Sequence[Player]) -> dict[str, Any]:
    """Return the keywords that flags were typed for."""
    keywords = typed_in(_FIELDS, options)
    keywords |= _sizes(options.get("size"))
    if any(was_typed(options.get(name)) for name in ("prefer", "avoid", "recent", "recent_price")):
        keywords["preferences"] = _preferences(options, players)
    if options.get("rules") is not None:
        from equipoise.files.read_request import read_rules

        keywords["rules"] = read_rules(options["rules"])
    _check_typed(keywords, players)
    return keywords


def typed_in(fields: Iterable[FieldInfo], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keywords that a table's flags were typed for, where their text alone says what is meant."""
    return {
        info.name: info.kind.typed(options[option_name(info)], info.flag)
        for info in fields
        if info.flag and info.kind.typed is not None and was_typed(options.get(option_name(info)))
    }


def _check_typed(typed: Mapping[str, Any], players: Sequence[Player]) -> None:
    """Refuse what says nothing beside what else was typed and who is here."""
    for name in ("stay", "moves"):
        if name in typed and all(player.team_now is None for player in players):
            msg = f"--{name}: nobody is in a team yet; the column team_now of a roster says who is in which"
            raise InputError(msg)
    if "tolerances" in typed and not isinstance(typed.get("objective"), list):
        msg = "--within requires several objectives in order; write --objective win,spread"
        raise InputError(msg)
    bots = typed.get("bots")
    if bots is not None and bots.weight is not None and bots.weight < 0:
        from equipoise.teams.solution import weight

        if all(weight(player) >= 0 for player in players):
            msg = f"--bots weight must be at least 0, got {bots.weight:g}"
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


def _preferences(options: Mapping[str, Any], players: Sequence[Player]) -> list[Preference]:
    """Return who is to be together or apart at a price, typed or by their last matches."""
    from equipoise.core.plain_data import price_of
    from equipoise.teams.problem.build import Roster
    from equipoise.teams.problem.preferences import PREFERENCE_PRICE, Preference

    roster, preferences = Roster(tuple(players), None, 0), []
    for kind, option in (("together", "prefer"), ("apart", "avoid")):
        for value in options[option]:
            named, equals, price = value.rpartition("=")
            worth = PREFERENCE_PRICE
            if equals and (price.strip()[:1].isdigit() or price.strip()[:1] in ".+-"):
                worth = price_of(price, "price", f"--{option}")
            else:
                named = value
            for names in typed_groups((named,), f"--{option}"):
                roster.find_each(f"--{option}", names)
                preferences.append(Preference(kind, tuple(names), worth))
    return [*preferences, *_recent(options, players)]


def _recent(options: Mapping[str, Any], players: Sequence[Player]) -> list[Preference]:
    if options["recent"] is None:
        if options["recent_price"] is not None:
            msg = "--recent-price requires --recent, a file of matches"
            raise InputError(msg)
        return []
    from equipoise.cli.read_history import say_faults
    from equipoise.core.match import Match, Skipped
    from equipoise.core.plain_data import price_of
    from equipoise.files.read_matches import read_sparing
    from equipoise.teams.problem.preferences import recent_preferences

    here = {player.id for player in players}
    matches, skipped, faults = [], False, dict[str, list[str]]()
    for match in read_sparing(options["recent"], faults):
        if isinstance(match, Match):
            matches.append(match)
        elif isinstance(match, Skipped):
            skipped = True
            click.echo(f"{match.where}: {match.reason}", err=True)
    say_faults(faults)
    if skipped and not matches:
        msg = f"--recent: {options['recent']}: no match found; docs/match-files.md describes the format"
        raise InputError(msg)
    typed = RECENT_PRICE if options["recent_price"] is None else options["recent_price"]
    price = price_of(typed, "price", "--recent-price")
    return recent_preferences(matches, here, price)


def two_objectives(value: str) -> tuple[str, str]:
    """Return the two names of ``--front``."""
    names = [name.strip() for name in value.split(",")]
    if len(names) != 2 or not all(names):
        msg = f"--front: {value!r} does not name two objectives; write --front win,spread"
        raise InputError(msg)
    if names[0] == names[1]:
        msg = f"--front: {value!r} names one objective twice; write --front win,spread"
        raise InputError(msg)
    flag, known = "--front", {**OBJECTIVES, **TERMS}
    for name in names:
        if ":" not in name and name not in known:
            raise UnknownNameError(flag, name, known)
    return names[0], names[1]
