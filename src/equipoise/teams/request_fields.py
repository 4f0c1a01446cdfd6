"""The keywords of ``balance``: what callers may give for each, and as plain data, such as JSON and TOML hold.

The shape is that of :meth:`equipoise.teams.request.BalanceRequest.to_dict`, and ``docs/request.schema.json``
says it in a way programs read.  In data, teams are counted from 1, as in rosters and rules.
Reading the files is not done here.

The arguments of ``balance`` as the fields of a request hold them, each of the kind it must be of.

Whether a number is in range is no business of this module: a request checks that.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from itertools import chain
from numbers import Integral, Real
from typing import Any, TypedDict

from equipoise.core.arrays import Floats
from equipoise.core.data_frames import rows_of
from equipoise.core.plain_data import (
    OF_ALL,
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
from equipoise.core.player import NO_SIDE, Bots, Player, Rating
from equipoise.core.stopping import Stop
from equipoise.errors import InputError, UnsupportedError
from equipoise.teams.problem.linear_rules import Rule, Who
from equipoise.teams.problem.preferences import PREFERENCE_PRICE, Preference

#: The largest number of players that a field may hold.
MOST_COUNT = 1_000_000

#: Who is here, as callers give it.
Players = Iterable[Player] | Mapping[str, float | Rating | None]

#: A function on whole splits, from each team's weights to a number, lower being better.
Judge = Callable[[Sequence[Floats]], float]


class Keywords(TypedDict, total=False):
    """The keywords of ``balance``, as callers may give them; the fields of a request say what they mean."""

    teams: int
    sizes: int | Sequence[int] | None
    min_size: int | None
    max_size: int | None
    max_difference: int | None
    bots: Bots | bool | None
    parties: Iterable[Sequence[str]]
    apart: Iterable[Sequence[str]]
    fixed: Mapping[str, int] | Iterable[tuple[str, int]] | None
    preferences: Iterable[Preference]
    side_price: float
    stay: float
    moves: int | None
    roles: Mapping[str, int] | Iterable[tuple[str, int]] | None
    rules: Iterable[Rule]
    objective: Any
    tolerances: Sequence[float] | None
    solver: str | Callable[..., Any]
    rerank: str | Judge | None
    keep: int
    spacing: int
    default: float | None
    beta: float | None
    zero: float | None
    body: float | None
    draws: float | None
    tolerance: float | None
    side_weight: float
    seed: int
    effort: float
    stop: Stop


#: The keys of a rule, of a term of one, and of a preference.
RULE_KEYS = ("name", "players", "in_team", "terms", "at_least", "at_most")
TERM_KEYS = ("player", "in_team", "factor")
PREFERENCE_KEYS = ("kind", "players", "price")


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
    for name in data:
        if name not in DECODERS and name != "players":
            fail(
                where, f"there is no field {short(str(name))}; the fields are players, {', '.join(DECODERS)}"
            )
    if "players" not in data:
        fail(where, "the field 'players' is missing; it is a list of players")
    keywords = {
        name: DECODERS[name](value, f"{where}: {name}") for name, value in data.items() if name != "players"
    }
    if not own_parts:
        for name in ("objective", "solver", "rerank"):
            _refuse_own_parts(keywords.get(name), f"{where}: {name}")
    return players_of(data["players"], f"{where}: players", strict=True), keywords


def _count(value: Any, at: str) -> int:
    count = whole_of(value, at)
    if not 0 <= count <= MOST_COUNT:
        fail(at, f"the number must be from 0 to {MOST_COUNT}, got {count}")
    return count


def _refuse_own_parts(raw: Any, at: str) -> None:
    names = [raw] if isinstance(raw, str) else [*(raw or ())]
    for name in names:
        if isinstance(name, Mapping):
            _refuse_own_parts(name, at)
        elif ":" in name:
            fail(at, f"{short(name)} is a part of your own; a request names parts that come with equipoise")


def _optional(decode: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
    return lambda value, at: None if value is None else decode(value, at)


def _groups(value: Any, at: str) -> tuple[tuple[str, ...], ...]:
    groups = list_of(value, at, "groups of names")
    if _are_names(groups, at):
        return tuple(map(tuple, groups))
    return tuple(names_of(group, at) for group in groups)


def _are_names(groups: Sequence[Any], at: str) -> bool:
    """Tell whether groups are lists of texts that are names as they stand, looking at each text once.

    Of a million pairs the names are those of a few thousand players.
    """
    if not {*map(type, groups)} <= {list} or not {*map(type, chain.from_iterable(groups))} <= {str}:
        return False
    try:
        return all(text_of(name, "name", at) == name for name in {*chain.from_iterable(groups)})
    except InputError:
        return False


def _sizes(value: Any, at: str) -> int | tuple[int, ...]:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return tuple(whole_of(size, at) for size in value)
    return whole_of(value, at)


def _team(value: Any, at: str, what: str = "team") -> int:
    team = whole_of(value, at)
    if team < 1:
        fail(at, f"{what} must be at least 1, got {team}")
    return team - 1


def _bots(value: Any, at: str) -> Bots | bool:
    if isinstance(value, bool):
        return value
    numbers = {
        "weight": _optional(real_of),
        "minimum": whole_of,
        "maximum": _optional(whole_of),
        "target": whole_of,
    }
    raw = object_of(value, at, tuple(numbers))
    return Bots(**{name: numbers[name](number, f"{at}.{name}") for name, number in raw.items()})


def _preferences(value: Any, at: str) -> tuple[Preference, ...]:
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


def rules_of(data: Any, where: str) -> list[Rule]:
    """Return the rules of a list of objects; see :func:`equipoise.files.read_request.read_rules`."""
    if not isinstance(data, list) or not data:
        fail(where, 'it has no rules; write a list of {"players": ..., "at_most": ...}')
    return [_rule(entry, f"{where}, rule {number}", number) for number, entry in enumerate(data, start=1)]


def _rule(entry: Any, at: str, number: int) -> Rule:
    raw = object_of(entry, at, RULE_KEYS)
    if "terms" in raw:
        terms = _terms(raw["terms"], at)
    else:
        team = _team(raw["in_team"], at, "in_team") if "in_team" in raw else None
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
        who = (player, _team(raw["in_team"], at, "in_team")) if "in_team" in raw else player
        terms[who] = number_of(raw.get("factor", 1.0), "factor", at)
    return terms


def _objective(value: Any, at: str) -> Any:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return {name_of(name, at): real_of(weight, f"{at}.{name}") for name, weight in value.items()}
    return tuple(_objective(entry, at) for entry in list_of(value, at, "objectives"))


#: How each field is read; the order is that of the keywords.
DECODERS: Mapping[str, Callable[[Any, str], Any]] = {
    "teams": whole_of,
    "sizes": _optional(_sizes),
    "min_size": _optional(whole_of),
    "max_size": _optional(whole_of),
    "max_difference": _optional(whole_of),
    "bots": _bots,
    "parties": _groups,
    "apart": _groups,
    "fixed": lambda value, at: {
        text_of(who, "a name", at): _team(team, f"{at}.{who}") for who, team in object_of(value, at).items()
    },
    "preferences": _preferences,
    "side_price": lambda value, at: price_of(value, "the price", at),
    "stay": lambda value, at: price_of(value, "the price", at),
    "moves": _optional(_count),
    "roles": lambda value, at: {
        role: whole_of(number, f"{at}.{role}") for role, number in object_of(value, at).items()
    },
    "rules": lambda value, at: rules_of(value, at) if value != [] else (),
    "objective": _objective,
    "tolerances": _optional(
        lambda value, at: tuple(real_of(entry, at) for entry in list_of(value, at, "numbers"))
    ),
    "solver": name_of,
    "rerank": _optional(name_of),
    "keep": whole_of,
    "spacing": whole_of,
    **dict.fromkeys(("default", "beta", "zero", "body", "draws", "tolerance"), _optional(real_of)),
    "side_weight": real_of,
    "seed": whole_of,
    "effort": real_of,
}


def data_of(players: Iterable[Player], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request as plain data, from its players and the fields that are not as they are by default.

    Raises
    ------
    UnsupportedError
        If a part was passed as a Python object, which data cannot hold.
    """
    data: dict[str, Any] = {"players": [_player_data(player) for player in players]}
    for name, value in values.items():
        if name in DECODERS:
            data[name] = ENCODERS.get(name, _plain)(value, name)
    return data


def _plain(value: Any, name: str) -> Any:
    if isinstance(value, tuple):
        return [_plain(entry, name) for entry in value]
    if isinstance(value, Mapping):
        return {key: _plain(entry, name) for key, entry in value.items()}
    if value is not None and not isinstance(value, str | int | float):
        msg = f"is {value!r:.60}, which cannot be written down; a name of the registry can"
        raise UnsupportedError(msg, name)
    return value


def _bots_data(bots: Bots, name: str) -> Any:
    del name
    raw = {field.name: getattr(bots, field.name) for field in fields(bots)}
    default = {field.name: field.default for field in fields(bots)}
    return {key: value for key, value in raw.items() if value != default[key]} or True


def _rule_data(rule: Rule) -> dict[str, Any]:
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


#: How the fields are written that are not plain already.
ENCODERS: Mapping[str, Callable[[Any, str], Any]] = {
    "bots": _bots_data,
    "fixed": lambda value, _: {who: team + 1 for who, team in value},
    "roles": lambda value, _: dict(value),
    "preferences": lambda value, _: [
        {"kind": preference.kind, "players": list(preference.players), "price": preference.price}
        for preference in value
    ],
    "rules": lambda value, _: [_rule_data(rule) for rule in value],
}


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
    for field in ("prefer", "avoid"):
        if getattr(player, field):
            entry[field] = dict(getattr(player, field))
    return entry


def _rating_data(rating: Rating) -> dict[str, float]:
    if rating.sigma or rating.mu < 0.0:
        return {"mu": rating.mu, "sigma": rating.sigma}
    return {"weight": rating.mu}


#: The largest number there is.
LARGEST_FLOAT = sys.float_info.max


def frozen(keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Return keywords as the fields of a request hold them: tuples instead of lists and mappings.

    Raises
    ------
    InputError
        If text stands where a group of players should.
    """
    return {
        name: _FROZEN[name](value, name) if name in _FROZEN else value for name, value in keywords.items()
    }


def with_scale(players: Any, values: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the players, also those of a data frame, and the keywords with what a roster says of its scale.

    That is ``beta``, ``zero`` and ``draws``; keywords come first, and ``body`` stands instead of ``zero``.
    """
    scale: Mapping[str, Any] = {name: getattr(players, name, None) for name in OF_ALL}
    if not isinstance(players, Sequence) and (rows := rows_of(players, "players")) is not None:
        cells = [{name.strip().lower(): cell for name, cell in row.items()} for row in rows]
        scale = of_all((f"players, entry {n}", row) for n, row in enumerate(cells, start=1))
        players = players_of(rows, "players")
    known = {name for name, value in values.items() if value is not None}
    settled = known | ({"zero"} if "body" in known else set())
    found = {name: scale[name] for name in OF_ALL if name not in settled and scale.get(name) is not None}
    return players, {**values, **found}


def _frozen_groups(groups: Iterable[Sequence[str]], name: str) -> tuple[tuple[str, ...], ...]:
    listed = _listed(groups, name)
    if {*map(type, listed)} <= {tuple, list} and {*map(type, chain.from_iterable(listed))} <= {str}:
        return tuple(map(tuple, listed))  # there may be millions
    groups_of = []
    for group in listed:
        names = None if isinstance(group, str) or not isinstance(group, Iterable) else tuple(group)
        if names is None or not all(isinstance(who, str) for who in names):
            msg = f"must be lists of names, got {group!r}"
            raise InputError(msg, name)
        groups_of.append(names)
    return tuple(groups_of)


def _pairs(
    given: Mapping[str, int] | Iterable[tuple[str, int]] | None, name: str
) -> tuple[tuple[str, int], ...]:
    pairs = _listed((given.items() if isinstance(given, Mapping) else given) or (), name)
    for pair in pairs:
        if not isinstance(pair, tuple | list) or len(pair) != 2 or not isinstance(pair[0], str):
            msg = f"must be a mapping from names to whole numbers, got {given!r}"
            raise InputError(msg, name)
    return tuple((who, _whole(number, name, optional=False)) for who, number in pairs)


def _frozen_objective(given: Any, name: str) -> Any:
    if isinstance(given, Mapping):
        return dict(given)
    if isinstance(given, Sequence) and not isinstance(given, str):
        return tuple(_frozen_objective(entry, name) for entry in given)
    return given


def _each(given: Any, name: str, kind: type) -> tuple[Any, ...]:
    """Return what an argument lists as a tuple.

    Raises
    ------
    InputError
        If it lists nothing, or things of another kind.
    """
    parts = () if given is None else _listed(given, name)
    for part in parts:
        if not isinstance(part, kind) or isinstance(part, bool):
            what = "number" if kind is Real else kind.__name__
            msg = f": each must be a {what}, got {part!r}"
            raise InputError(msg, name)
    return parts


def _listed(given: Any, name: str) -> tuple[Any, ...]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        msg = f"must be a list, got {given!r}"
        raise InputError(msg, name)
    return tuple(given)


def _whole(given: Any, name: str, *, optional: bool = True) -> Any:
    if not (optional and given is None) and (isinstance(given, bool) or not isinstance(given, Integral)):
        msg = f"must be a whole number, got {given!r}"
        raise InputError(msg, name)
    return given


def _number(given: Any, name: str) -> Any:
    """Return a number, or infinity for a whole one that is larger than any float."""
    if given is not None and (isinstance(given, bool) or not isinstance(given, Real)):
        msg = f"must be a number, got {given!r}"
        raise InputError(msg, name)
    number: Any = given
    whole = type(number) is int
    return (
        math.copysign(math.inf, 1 if number > 0 else -1) if whole and abs(number) > LARGEST_FLOAT else number
    )


def _frozen_sizes(given: Any, name: str) -> Any:
    several = isinstance(given, Iterable) and not isinstance(given, str)
    return tuple(_whole(size, name) for size in _listed(given, name)) if several else _whole(given, name)


def _frozen_bots(given: Any, name: str) -> Bots | None:
    if not isinstance(given, Bots | bool | None):
        msg = f"must be Bots, True or None, got {given!r}"
        raise InputError(msg, name)
    return Bots() if given is True else given or None


#: How keywords become fields where callers may give more than the field holds.
_FROZEN: Mapping[str, Callable[[Any, str], Any]] = {
    "sizes": _frozen_sizes,
    "bots": _frozen_bots,
    "parties": _frozen_groups,
    "apart": _frozen_groups,
    "fixed": _pairs,
    "preferences": lambda given, name: _each(given, name, Preference),
    "roles": _pairs,
    "rules": lambda given, name: _each(given, name, Rule),
    "objective": _frozen_objective,
    "tolerances": lambda given, name: None if given is None else _each(given, name, Real),
    **dict.fromkeys(("min_size", "max_size", "max_difference"), _whole),
    **dict.fromkeys(
        (
            "tolerance",
            "side_weight",
            "side_price",
            "stay",
            "beta",
            "zero",
            "body",
            "draws",
            "default",
            "effort",
        ),
        _number,
    ),
}
