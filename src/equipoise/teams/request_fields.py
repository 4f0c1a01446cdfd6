"""The table of a request's fields: what can be asked of one split, a line for each field.

Decoding and encoding, freezing, checks, the options of the command line and the flag that a message names,
what a late joiner's team keeps to, what makes a file a request, the body over HTTP and the schemas follow
from the line (:mod:`equipoise.core.fields`).  In data, teams are counted from 1, as in rosters and rules.
What only several fields together can get wrong, a request checks.

A rule of an installed package (:data:`equipoise.core.registry.RULES`) is a field like these.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Protocol

from equipoise.core.data_frames import rows_of
from equipoise.core.fields import (
    COUNT,
    COUNTS,
    GROUPS,
    NAMES,
    NUMBER,
    NUMBERS,
    PRICE,
    SHARE,
    TEAMS,
    WHOLE,
    FieldInfo,
    Kind,
    Range,
    ask,
    check_whole,
    leaves,
    listed,
    listed_as,
    optional,
    part_of,
    table_of,
    team_of,
)
from equipoise.core.plain_data import (
    OF_ALL,
    any_number_of,
    fail,
    list_of,
    name_of,
    names_of,
    number_of,
    object_of,
    of_all,
    players_of,
    price_of,
    real_of,
    short,
    text_of,
    whole_of,
)
from equipoise.core.player import (
    LARGEST_WEIGHT,
    MOST_PLAYERS,
    MOST_TEAMS,
    NO_SIDE,
    Bots,
    Player,
    Rating,
    plain_number,
)
from equipoise.core.registry import OBJECTIVES, RERANKERS, RULES, SOLVERS, TERMS, resolve
from equipoise.core.sides import EVEN_SIDES, LEAST_SIDE, MOST_SIDE
from equipoise.core.stopping import Stop, never
from equipoise.errors import InputError

if TYPE_CHECKING:
    from equipoise.core.arrays import Floats
    from equipoise.teams.problem.linear_rules import Rule, Who
    from equipoise.teams.problem.preferences import Preference

#: Who is here, as callers give it.
Players = (
    Iterable[Player | str | tuple[str, float | Rating | None] | Mapping[str, Any]]
    | Mapping[str, float | Rating | None]
)

#: A function on whole splits, from each team's weights to a number, lower being better.
Judge = Callable[[Sequence["Floats"]], float]

#: The objective unless another is named.  Why: docs/decisions/0002-default-objective.md.
DEFAULT_OBJECTIVE = "spread"

#: Weight of side preferences in ``indistinguishable``, where a player has one.
SIDE_WEIGHT = 0.01

#: How little and how much work a search may be asked for, as a multiple of the usual.
LEAST_EFFORT, MOST_EFFORT = 0.01, 1000.0

#: Who else keeps to a field: the team of a late joiner (:mod:`equipoise.teams.late_join`), and the page that
#: divides players in the browser.  MOOT says nothing of somebody who joins, as nobody is moved and nothing is
#: searched.  What says neither LATE nor MOOT is refused for a late joiner.
LATE, MOOT, BOARD = "late", "moot", "board"

# Kinds of values that only a request has


#: The keys of a rule, of a term of one, and of a preference.
RULE_KEYS = ("name", "players", "in_team", "terms", "at_least", "at_most")
TERM_KEYS = ("player", "in_team", "factor")
PREFERENCE_KEYS = ("kind", "players", "price")

#: What the numbers of bots are called where they are typed.
BOT_NUMBERS = {"min": "minimum", "max": "maximum", "target": "target", "weight": "weight"}


def _sizes(value: Any, at: str) -> int | tuple[int, ...]:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return tuple(whole_of(size, at) for size in value)
    return whole_of(value, at)


def _frozen_sizes(given: int | Sequence[int], name: str) -> Any:
    several = isinstance(given, Iterable) and not isinstance(given, str)
    sizes = listed(given, name) if several else (given,)
    for size in sizes:
        check_whole(size, name)
    return sizes if several else given


def _bots(value: Any, at: str) -> Bots | bool:
    if isinstance(value, bool):
        return value
    numbers = {
        "weight": optional(NUMBER).read,
        "minimum": whole_of,
        "maximum": optional(WHOLE).read,
        "target": whole_of,
    }
    raw = object_of(value, at, tuple(numbers))
    return Bots(**{name: numbers[name](number, f"{at}.{name}") for name, number in raw.items()})


def _frozen_bots(given: Bots | bool | None, name: str) -> Bots | None:
    passed: Any = given
    if not isinstance(passed, Bots | bool | None):
        msg = f"must be Bots, True or None, got {given!r}"
        raise InputError(msg, name)
    return Bots() if given is True else given or None


def _written_bots(bots: Bots, name: str) -> Any:
    del name
    raw = {each.name: getattr(bots, each.name) for each in fields(bots)}
    default = {each.name: each.default for each in fields(bots)}
    return {key: value for key, value in raw.items() if value != default[key]} or True


def _typed_bots(text: str, flag: str) -> Bots:
    numbers: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        key, equals, number = (piece.strip() for piece in part.partition("="))
        if not equals or key not in BOT_NUMBERS or BOT_NUMBERS[key] in numbers:
            known = ", ".join(BOT_NUMBERS)
            fail(flag, f"{part.strip()!r} is not one of {known} with a number; write {flag} min=6,max=10")
        at = f"{flag} {key}"
        typed = any_number_of(number, "the number", at)
        if key != "weight" and not (math.isfinite(typed) and typed == int(typed)):
            fail(at, f"must be a whole number, got {number!r}")
        numbers[BOT_NUMBERS[key]] = typed if key == "weight" else int(number)
    return Bots(**numbers)


def _preferences(value: Any, at: str) -> tuple[Preference, ...]:
    from equipoise.teams.problem.preferences import PREFERENCE_PRICE, Preference

    preferences = []
    for number, entry in enumerate(list_of(value, at, "preferences"), start=1):
        place = f"{at}, entry {number}"
        raw = object_of(entry, place, PREFERENCE_KEYS)
        price = price_of(raw["price"], "price", place) if "price" in raw else PREFERENCE_PRICE
        kind = name_of(raw.get("kind", ""), place)
        try:
            preferences.append(Preference(kind, names_of(raw.get("players", ()), place), price))
        except InputError as error:
            fail(place, str(error))
    return tuple(preferences)


def _frozen_preferences(given: Iterable[Preference], name: str) -> tuple[Any, ...]:
    from equipoise.teams.problem.preferences import Preference

    return listed_as(Preference, given, name)


def rules_of(data: Any, where: str) -> list[Rule]:
    """Return the rules of a list of objects; see :func:`equipoise.files.read_request.read_rules`."""
    if not isinstance(data, list) or not data:
        fail(where, 'it has no rules; write a list of {"players": ..., "at_most": ...}')
    return [_rule(entry, f"{where}, rule {number}", number) for number, entry in enumerate(data, start=1)]


def _rule(entry: Any, at: str, number: int) -> Rule:
    from equipoise.teams.problem.linear_rules import Rule

    raw = object_of(entry, at, RULE_KEYS)
    if "terms" in raw:
        terms = _terms(raw["terms"], at)
    else:
        team = team_of(raw["in_team"], at, "in_team") if "in_team" in raw else None
        terms = {
            name if team is None else (name, team): number_of(factor, f"the number of {name}", at)
            for name, factor in _factors(raw.get("players"), at).items()
        }
    low = number_of(raw["at_least"], "at_least", at) if "at_least" in raw else -math.inf
    high = number_of(raw["at_most"], "at_most", at) if "at_most" in raw else math.inf
    try:
        return Rule(text_of(raw.get("name", str(number)), "name", at), terms, low, high)
    except InputError as error:
        fail(at, str(error))


def _factors(players: Any, at: str) -> Mapping[str, Any]:
    """Return what each player of a rule counts: 1 where they are only listed."""
    if isinstance(players, list):
        names = [text_of(name, "players", at) for name in players]
        if len(set(names)) < len(names):
            fail(at, "players names somebody twice; an object from names to numbers says what each counts")
        return dict.fromkeys(names, 1.0)
    if not isinstance(players, Mapping):
        fail(at, "players is neither a list of names nor an object from names to numbers")
    return players


def _terms(data: Any, at: str) -> dict[Who, float]:
    """Return the terms of a rule about players in teams of their own each."""
    terms: dict[Who, float] = {}
    for entry in list_of(data, at, "terms"):
        raw = object_of(entry, at, TERM_KEYS)
        player = text_of(raw.get("player"), "player", at)
        who = (player, team_of(raw["in_team"], at, "in_team")) if "in_team" in raw else player
        terms[who] = number_of(raw.get("factor", 1.0), "factor", at)
    return terms


def _frozen_rules(given: Iterable[Rule], name: str) -> tuple[Any, ...]:
    from equipoise.teams.problem.linear_rules import Rule

    return listed_as(Rule, given, name)


def _written_rule(rule: Rule) -> dict[str, Any]:
    teams = {None if isinstance(who, str) else who[1] for who in rule.terms}
    entry: dict[str, Any] = {"name": rule.name}
    if len(teams) == 1:
        (team,) = teams
        entry["players"] = {
            who if isinstance(who, str) else who[0]: factor for who, factor in rule.terms.items()
        }
        entry |= {} if team is None else {"in_team": team + 1}
    else:
        entry["terms"] = [
            {"player": who, "factor": factor}
            if isinstance(who, str)
            else {"player": who[0], "in_team": who[1] + 1, "factor": factor}
            for who, factor in rule.terms.items()
        ]
    for key, limit in (("at_least", rule.low), ("at_most", rule.high)):
        if math.isfinite(limit):
            entry[key] = limit
    return entry


def _objective(value: Any, at: str) -> Any:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return {name_of(name, at): real_of(weight, f"{at}.{name}") for name, weight in value.items()}
    return tuple(_objective(entry, at) for entry in list_of(value, at, "objectives"))


def _frozen_objective(given: Any, name: str) -> Any:
    if isinstance(given, Mapping):
        numbers = {each: plain_number(weight) for each, weight in given.items()}
        wrong = next((each for each, number in numbers.items() if number is None), None)
        if wrong is not None:
            msg = f": the weight of {wrong!r} must be a number, got {given[wrong]!r}"
            raise InputError(msg, name)
        return numbers
    if isinstance(given, Sequence) and not isinstance(given, str):
        return tuple(_frozen_objective(entry, name) for entry in given)
    return given


def _typed_objective(texts: Sequence[str], flag: str) -> Any:
    """Return objectives in order: each text is one, several in order, or the weights of a sum."""
    order: list[Any] = []
    for text in texts:
        parts = [part.strip() for part in text.split(",")]
        weights = [part.rpartition("=") for part in parts if "=" in part]
        if not weights:
            order += parts
            continue
        if len(weights) < len(parts) or not all(name for name, *_ in weights):
            fail(flag, f"{text!r} is neither names in order (win,spread) nor weights (win=1,preferences=2)")
        total = {name.strip(): any_number_of(weight, "the number", flag) for name, _, weight in weights}
        if len(total) < len(parts):
            fail(flag, f"{text!r} names an objective twice")
        order.append(total)
    return order[0] if len(order) == 1 else order


_PART_NAME = {"type": "string"}
_WEIGHTS = {"$ref": "#/$defs/weights"}
_COUNT = {"$ref": "#/$defs/count"}

SIZES = Kind(_sizes, {"oneOf": [_COUNT, {"type": "array", "items": _COUNT}]}, freeze=_frozen_sizes)
BOTS = Kind(
    _bots, {"oneOf": [{"type": "boolean"}, {"$ref": "#/$defs/bots"}]},
    freeze=_frozen_bots, write=_written_bots, typed=_typed_bots, option="bare",
)  # fmt: skip
PREFERENCES = Kind(
    _preferences,
    {"type": "array", "items": {"$ref": "#/$defs/preference"}},
    freeze=_frozen_preferences,
    write=lambda value, _: [
        {"kind": one.kind, "players": list(one.players), "price": one.price} for one in value
    ],
    option="texts",
)
CUSTOM_RULES = Kind(
    lambda value, at: rules_of(value, at) if value != [] else (),
    {"type": "array", "items": {"$ref": "#/$defs/rule"}},
    freeze=_frozen_rules,
    write=lambda value, _: [_written_rule(rule) for rule in value],
)
OBJECTIVE = part_of(OBJECTIVES, TERMS)._replace(
    read=_objective,
    schema={
        "oneOf": [
            _PART_NAME, _WEIGHTS,
            {"type": "array", "minItems": 1, "items": {"oneOf": [_PART_NAME, _WEIGHTS]}},
        ]
    },
    freeze=_frozen_objective,
    typed=_typed_objective,
    option="texts",
)  # fmt: skip

_NOT_NEGATIVE, _OF_PLAYERS = Range(0.0), Range(0, MOST_PLAYERS)
_SIZES, _RULES, _PREFERENCES = "Sizes and bots", "Rules", "Preferences"
_FAIR, _SEARCH, _HERE, _ANSWER = "What is fair", "Search", "Who is here", "Answer"


@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False, eq=False)
class RequestFields:
    """What can be asked; :class:`equipoise.teams.request.BalanceRequest` says what each field means."""

    players: tuple[Player, ...]
    teams: int = ask(
        2, WHOLE, "How many teams.", limits=Range(2, MOST_TEAMS), note="[default: 2]", section=_SIZES,
        shown=True, kept_by=(LATE, BOARD),
    )  # fmt: skip
    sizes: int | tuple[int, ...] | None = ask(
        None, optional(SIZES), "The size of every team, of each team, or a range.",
        schema={"description": "The size of every team, or of each; with bots, the seats that are filled."},
        flag="--size", metavar="N|N,N|N-N", section=_SIZES, shown=True,
    )  # fmt: skip
    min_size: int | None = ask(
        None, optional(WHOLE), "Fewest players of the roster in a team.", limits=_OF_PLAYERS, flag="--size",
    )  # fmt: skip
    max_size: int | None = ask(
        None, optional(WHOLE), "Most players of the roster in a team.", limits=_OF_PLAYERS, flag="--size",
    )  # fmt: skip
    max_difference: int | None = ask(
        None, optional(WHOLE), "By how many players the teams may differ, bots not counted.",
        limits=_OF_PLAYERS, note="[default: 1, or any with --size]", section=_SIZES, kept_by=(LATE,),
    )  # fmt: skip
    bots: Bots | None = ask(
        None, BOTS, "Fill shorter teams up with bots.", metavar="[min=N,max=N,target=N,weight=W]",
        section=_SIZES, shown=True,
        note="For how many players the map is made, how many are wanted, what a bot weighs.",
        kept_by=(LATE, BOARD),
    )  # fmt: skip
    parties: tuple[tuple[str, ...], ...] = ask(
        (), GROUPS, "Players who stay together.", flag="--party", note="Repeatable.", section=_RULES,
        shown=True, kept_by=(LATE, BOARD),
    )  # fmt: skip
    apart: tuple[tuple[str, ...], ...] = ask(
        (), GROUPS, "Players kept in different teams.", note="Repeatable.", section=_RULES, shown=True,
        kept_by=(LATE, BOARD),
    )  # fmt: skip
    names: tuple[str, ...] = ask(
        (), NAMES, "What to call the teams.", section=_ANSWER, shown=True, kept_by=(LATE,),
    )  # fmt: skip
    fixed: tuple[tuple[str, int], ...] = ask(
        (), TEAMS, "A player fixed to a team, from 1 or by its name.", flag="--fix", note="Repeatable.",
        section=_RULES, shown=True, kept_by=(LATE, BOARD),
    )  # fmt: skip
    preferences: tuple[Preference, ...] = ask(
        (), PREFERENCES,
        "Players together unless that costs more win probability than PRICE (2% or 0.02) for each who is "
        "elsewhere.",
        schema={"description": "Who is to be together or apart unless that costs more than a price."},
        flag="--prefer", metavar="A,B[=PRICE]", note="Repeatable.  [default price: 1%]", section=_PREFERENCES,
        shown=True, kept_by=(MOOT,),
    )  # fmt: skip
    side_price: float = ask(
        0.0, PRICE, "What a whole side preference is worth.", limits=_NOT_NEGATIVE, note="[default: 0]",
        section=_PREFERENCES, kept_by=(MOOT,),
    )  # fmt: skip
    stay: float = ask(
        0.0, PRICE, "Players stay in the team of column team_now unless that costs more than PRICE.",
        limits=_NOT_NEGATIVE, section=_PREFERENCES, shown=True, kept_by=(MOOT,),
    )  # fmt: skip
    moves: int | None = ask(
        None, optional(COUNT), "At most N players leave the team of column team_now.", limits=Range(0),
        section=_RULES, kept_by=(MOOT,),
    )  # fmt: skip
    roles: tuple[tuple[str, int], ...] = ask(
        (), COUNTS, "How many of each role every team needs.", metavar="ROLE:N,...",
        note="As tank:1,damage:2,support:2.", section=_RULES, shown=True, kept_by=(BOARD,),
    )  # fmt: skip
    rules: tuple[Rule, ...] = ask(
        (), CUSTOM_RULES, "Sums over each team's players that must stay within limits.", metavar="FILE.json",
        section=_RULES,
    )  # fmt: skip
    objective: Any = ask(
        DEFAULT_OBJECTIVE, OBJECTIVE,
        "What is fair: a name, several in order, or a weight for each of several.", metavar="A,B|A=W,B=W",
        section=_FAIR, shown=True, kept_by=(LATE, BOARD),
        note=f"Names: {', '.join((*OBJECTIVES, *TERMS))}.  [default: {DEFAULT_OBJECTIVE}]",
    )  # fmt: skip
    tolerances: tuple[float, ...] | None = ask(
        None, optional(NUMBERS), "How far from its optimum each objective but the last may be.",
        schema={"items": {"type": "number", "minimum": 0}}, flag="--within", metavar="T,T",
        note="[default: 0.001 for win, else 0]", section=_FAIR,
    )  # fmt: skip
    solver: str | Callable[..., Any] = ask(
        "auto", part_of(SOLVERS, also=("auto",)), "How to search.",
        note=f"Names: {', '.join(('auto', *SOLVERS))}.  [default: auto]", section=_SEARCH, kept_by=(MOOT,),
    )  # fmt: skip
    rerank: str | Judge | None = ask(
        None, optional(part_of(RERANKERS)), "By what the best splits are re-ranked.",
        note=f"Names: {', '.join(RERANKERS)}.", section=_FAIR,
    )  # fmt: skip
    keep: int = ask(
        1, WHOLE, "How many different splits are wanted, the best first.", limits=Range(1), metavar="K",
        note="[default: 1, or 20 with --choose]", section=_SEARCH, shown=True,
    )  # fmt: skip
    spacing: int = ask(
        1, WHOLE, "By how many players any two of those splits differ at least.", limits=Range(1),
        metavar="D", note="[default: 1]", section=_SEARCH,
    )  # fmt: skip
    default: float | None = ask(
        None, optional(NUMBER), "The weight of players without one.",
        limits=Range(-LARGEST_WEIGHT, LARGEST_WEIGHT), flag="--default-weight", metavar="WEIGHT",
        note="[default: the mean of the others]", section=_HERE, kept_by=(LATE,),
    )  # fmt: skip
    beta: float | None = ask(
        None, optional(NUMBER), "Performance noise of one player, for win chances.",
        schema={"exclusiveMinimum": 0}, metavar="WEIGHT", note="[default: the roster's standard deviation]",
        section=_FAIR, kept_by=(LATE,),
    )  # fmt: skip
    zero: float | None = ask(
        None, optional(NUMBER), "The weight that adds nothing to a team, if there is one.", metavar="WEIGHT",
        note="Only matters for unequal teams.", section=_FAIR, kept_by=(LATE,),
    )  # fmt: skip
    body: float | None = ask(
        None, optional(NUMBER), "What one more player of mean weight is worth, in standard deviations.",
        schema={"minimum": 0}, metavar="SPREADS", note="[default: 1]", section=_FAIR, kept_by=(LATE,),
    )  # fmt: skip
    side_chance: float = ask(
        EVEN_SIDES, SHARE, "The chance of team 1 against an equal team 2, for its side.",
        limits=Range(LEAST_SIDE, MOST_SIDE), note="[default: 50%]", section=_FAIR,
        kept_by=(LATE,),
    )  # fmt: skip
    draws: float | None = ask(
        None, optional(NUMBER), "How often even teams draw for each time one of them wins; only shown.",
        flag="", limits=_NOT_NEGATIVE, kept_by=(MOOT,),
    )  # fmt: skip
    tolerance: float | None = ask(
        None, optional(SHARE), "How much win probability 'spread' may give up for more similar teams.",
        limits=Range(0.0, 1.0), section=_FAIR,
        note="[default: 0.0025 with up to 17 players, 0.001 with more]",
    )  # fmt: skip
    side_weight: float = ask(
        SIDE_WEIGHT, NUMBER, "How much side preferences count in 'indistinguishable'.", limits=_NOT_NEGATIVE,
        metavar="W", note="[default: 0.01]", section=_FAIR,
    )  # fmt: skip
    seed: int = ask(
        0, WHOLE, "The seed of searches that draw at random.", limits=Range(0), section=_SEARCH,
        kept_by=(MOOT,), note="Also that of the choice.  [default: 0, but with --choose another each time]",
    )  # fmt: skip
    effort: float = ask(
        1.0, NUMBER, "How much work a search may do before it settles for the best so far.",
        limits=Range(LEAST_EFFORT, MOST_EFFORT), metavar="N", note="[default: 1, some seconds]",
        section=_SEARCH, kept_by=(MOOT,),
    )  # fmt: skip
    further: tuple[tuple[str, Any], ...] = ()
    stop: Stop = field(default=never, repr=False, compare=False)


#: The fields by name.
FIELDS: Mapping[str, FieldInfo] = table_of(RequestFields)


class FurtherRule(Protocol):
    """What an installed package registers as a rule: a class of its values, one for each request.

    :class:`equipoise.teams.explain.asked_rules.AddedRule` has what all have in common.
    """

    #: Its field, as those of the table are declared.
    field: FieldInfo

    @staticmethod
    def rows(value: Any, players: Sequence[Player], n_teams: int) -> Iterable[Rule]:
        """Return what it comes to: sums over each team's players, from its frozen value."""


def further_rule(name: str) -> type[FurtherRule] | None:
    """Return the rule that a package registered under a name, None where none did."""
    if name not in RULES or name in FIELDS:
        return None
    found: type[FurtherRule] = resolve("rule", RULES, name)
    return found


def field_of(name: str) -> FieldInfo | None:
    """Return a field by name, also one of an installed package; None where there is none."""
    if name in FIELDS:
        return FIELDS[name]
    rule = further_rule(name)
    return None if rule is None else rule.field.named(name)


def all_fields() -> dict[str, FieldInfo]:
    """Return all fields by name, those of installed packages last."""
    further = (field_of(name) for name in RULES)
    return {**FIELDS, **{info.name: info for info in further if info is not None}}


def keywords_of(data: Any, where: str, *, own_parts: bool = False) -> tuple[list[Player], dict[str, Any]]:
    """Return the players and the keywords of a request in plain data.

    Parameters
    ----------
    data : object
        What JSON or TOML holds.
    where : str
        What messages call it.
    own_parts : bool
        Whether ``"module:attribute"`` may name an objective, a solver or a criterion: it imports code, so
        only those who may run code here may ask for it.

    Raises
    ------
    InputError
        If a field is unknown or does not hold what it should.
    """
    if not isinstance(data, Mapping):
        fail(where, "it is not an object; a request has 'players' and the keywords of balance")
    known = {name: field_of(name) for name in data if name != "players"}
    for name, info in known.items():
        if info is None:
            names = ", ".join(("players", *all_fields()))
            fail(where, f"there is no field {short(str(name))}; the fields are {names}")
    if "players" not in data:
        fail(where, "the field 'players' is missing; it is a list of players")
    keywords = {}
    for name, info in known.items():
        if info is not None:
            keywords[name] = info.kind.read(data[name], f"{where}: {name}")
            if info.kind.parts and not own_parts:
                _refuse_own_parts(keywords[name], f"{where}: {name}")
    return players_of(data["players"], f"{where}: players", strict=True), keywords


def _refuse_own_parts(value: Any, at: str) -> None:
    for name in leaves(value):
        if name is not None and ":" in name:
            fail(at, f"{short(name)} is a part of your own; a request names parts that come with equipoise")


def frozen(keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Return keywords as the fields of a request hold them: tuples instead of lists and mappings.

    Rules of installed packages come together in ``further``.

    Raises
    ------
    InputError
        If a value is of the wrong type.
    """
    values: dict[str, Any] = {}
    further = _frozen_pairs(keywords.get("further", ()), "further")
    for name, given in keywords.items():
        if name in FIELDS:
            values[name] = FIELDS[name].kind.freeze(given, name)
        elif name != "further" and name in RULES:
            further[name] = given
        elif name != "further":
            values[name] = given
    if further:
        values["further"] = tuple(sorted(_frozen_further(further)))
    return values


def _frozen_pairs(given: Any, name: str) -> dict[str, Any]:
    pairs = given.items() if isinstance(given, Mapping) else given
    if not isinstance(pairs, Iterable) or not all(
        isinstance(pair, tuple) and len(pair) == 2 for pair in pairs
    ):
        msg = f"must be a mapping from names of rules to what they ask, got {given!r}"
        raise InputError(msg, name)
    return dict(pairs)


def _frozen_further(asked: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    for name, given in asked.items():
        info = field_of(name)
        if info is None or name in FIELDS:
            msg = f": there is no rule {name!r}; those of installed packages are {', '.join(RULES) or 'none'}"
            raise InputError(msg, "further")
        if given is not None:
            value = info.kind.freeze(given, name)
            info.check(value)
            yield name, value


def asked_fields(asked: RequestFields) -> dict[str, tuple[FieldInfo, Any]]:
    """Return the fields that are not as by default, each with its value, those of packages last."""
    values = {name: (info, getattr(asked, name)) for name, info in FIELDS.items()}
    changed = {name: (info, value) for name, (info, value) in values.items() if value != info.default}
    further = {name: (info, value) for name, value in asked.further if (info := field_of(name)) is not None}
    return {**changed, **further}


def data_of(asked: RequestFields) -> dict[str, Any]:
    """Return a request as plain data: its players, and the fields that are not as by default.

    Raises
    ------
    UnsupportedError
        If a part was passed as a Python object, which data cannot hold.
    """
    written = {name: info.kind.write(value, name) for name, (info, value) in asked_fields(asked).items()}
    return {"players": [_player_data(player) for player in asked.players], **written}


def _player_data(player: Player) -> dict[str, Any]:
    """Return a player as an entry of a JSON roster."""
    entry: dict[str, Any] = {"name": player.name} if player.name else {"id": player.id}
    if player.name and player.id != player.name:
        entry["id"] = player.id
    if isinstance(player.rating, Rating):
        entry |= _rating_data(player.rating)
    if player.party is not None:
        entry["party"] = player.party
    if player.side != NO_SIDE:
        entry["side"] = player.side
    if player.team is not None:
        entry["team"] = player.team + 1
    if player.team_now is not None:
        entry["team_now"] = player.team_now + 1
    if player.bot:
        entry["bot"] = True
    if player.roles:
        entry["roles"] = {
            role: None if rating is None else {"mu": rating.mu, "sigma": rating.sigma}
            for role, rating in player.roles
        }
    for column in ("prefer", "avoid"):
        if getattr(player, column):
            entry[column] = dict(getattr(player, column))
    return entry


def _rating_data(rating: Rating) -> dict[str, float]:
    if rating.sigma or rating.mu < 0.0:
        return {"mu": rating.mu, "sigma": rating.sigma}
    return {"weight": rating.mu}


def players_in(entries: Iterable[Any]) -> tuple[list[Player], dict[str, float]]:
    """Return the players of names, pairs of name and weight, and rows, and what rows say of their scale.

    A row is an entry of a JSON roster: its teams are counted from 1.

    Raises
    ------
    InputError
        If an entry is none of these; the message begins with its place.

    Examples
    --------
    >>> [player.id for player in players_in(["Ann", ("Bob", 7), {"name": "Cid", "weight": 5}])[0]]
    ['Ann', 'Bob', 'Cid']
    """
    found: list[Player] = []
    rows: list[tuple[str, Mapping[str, Any]]] = []
    entries = list(entries)
    if entries and all(isinstance(entry, Mapping) for entry in entries):
        plain = [{str(name).strip().lower(): cell for name, cell in entry.items()} for entry in entries]
        scale = of_all((f"players, entry {n}", row) for n, row in enumerate(plain, start=1))
        return players_of(plain, "players"), scale
    for number, entry in enumerate(entries, start=1):
        at = f"players, entry {number}"
        if isinstance(entry, Player):
            found.append(entry)
        elif isinstance(entry, str):
            found.append(Player(entry))
        elif isinstance(entry, Mapping):
            rows.append((at, {str(name).strip().lower(): cell for name, cell in entry.items()}))
            found += players_of([rows[-1][1]], at, places=(at,))
        elif isinstance(entry, tuple | list) and 1 <= len(entry) <= len(("name", "weight")):
            found.append(Player(*entry))
        else:
            msg = (
                f"must be players, names, pairs such as ('Ann', 3), or mappings such as "
                f"{{'name': 'Ann', 'weight': 3}}, got {entry!r:.40} as entry {number}"
            )
            raise InputError(msg, "players")
    return found, of_all(rows)


def with_scale(players: Any, values: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return players as callers have them, and the keywords with what a roster says of its scale.

    That is ``beta``, ``zero`` and ``draws``; keywords come first, and ``body`` stands instead of ``zero``.
    """
    scale: Mapping[str, Any] = {name: getattr(players, name, None) for name in OF_ALL}
    if not isinstance(players, Sequence) and (rows := rows_of(players, "players")) is not None:
        cells = [{name.strip().lower(): cell for name, cell in row.items()} for row in rows]
        scale = of_all((f"players, entry {n}", row) for n, row in enumerate(cells, start=1))
        players = players_of(rows, "players")
    elif isinstance(players, Iterable) and not isinstance(players, str | bytes):
        listed = players if isinstance(players, Sequence) else list(players)
        if not all(isinstance(player, Player) for player in listed):
            players, scale = players_in(listed)
        elif listed is not players:
            players = listed
    known = {name for name, value in values.items() if value is not None}
    settled = known | ({"zero"} if "body" in known else set())
    found = {name: scale[name] for name in OF_ALL if name not in settled and scale.get(name) is not None}
    return players, {**values, **found}
