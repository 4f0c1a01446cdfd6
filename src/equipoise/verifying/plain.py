"""A question from a request in plain data, as JSON and receipts hold it; teams are counted from 1 there."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from equipoise.errors import InputError, UnsupportedError
from equipoise.players import MOST_PLAYERS, Bots, Player, Rating
from equipoise.verifying.asking import PRICE, question
from equipoise.verifying.question import Question

#: The fields that decide what is legal and what is best.
DECIDING = (
    "teams", "sizes", "min_size", "max_size", "max_difference", "bots", "parties", "apart", "fixed",
    "preferences", "side_price", "stay", "moves",
    "roles", "rules", "objective", "tolerances", "default", "beta", "zero", "body",
    "tolerance", "side_weight",
)  # fmt: skip

#: Those that say how it is searched for, and how many are wanted.
SEARCHING = ("solver", "rerank", "keep", "spacing", "seed", "effort")

#: Those that are only shown.
SHOWN = ("draws",)

#: The least and the most of whole numbers; None where there is no most.
WHOLE = {
    "teams": (2, 100), "keep": (1, None), "spacing": (1, None), "seed": (0, None),
    "max_difference": (0, None), "min_size": (0, MOST_PLAYERS), "max_size": (0, MOST_PLAYERS),
    "moves": (0, None),
}  # fmt: skip

#: And of numbers.
NUMBERS = {
    "beta": (1e-100, 1e15), "zero": (-1e15, 1e15), "body": (0.0, 1e6), "default": (-1e15, 1e15),
    "tolerance": (0.0, sys.float_info.max), "side_weight": (0.0, sys.float_info.max),
    "effort": (0.01, 1000.0), "side_price": (0.0, sys.float_info.max), "stay": (0.0, sys.float_info.max),
    "draws": (0.0, sys.float_info.max),
}  # fmt: skip

#: What may search and what may re-rank, besides parts of the user's own: names with a colon.
SOLVERS = (
    "auto", "fold", "enumerate", "nearby", "bitset", "window", "mitm", "resplit", "anneal", "climb",
    "exchange", "milp", "alternate", "snake", "greedy", "greedy-cap",
)  # fmt: skip
RERANKERS = ("quantile", "strongest")

#: The fields of a preference and of a rule.
PREFERENCE = ("kind", "players", "price")
RULE = ("name", "players", "terms", "at_least", "at_most", "in_team")

#: The most objectives in an order, and combinations of roles that are filled.
MOST_STAGES, MOST_STATES = 16, 1 << 16


class _Preference(NamedTuple):
    kind: str
    players: tuple[str, ...]
    price: float


class _PlainRule(NamedTuple):
    terms: Mapping[Any, float]
    low: float
    high: float


def read(data: Mapping[str, Any]) -> Question:
    """Return the question that a request in plain data asks.

    Raises
    ------
    InputError
        If a field is unknown or does not hold what it should.
    """
    for name in data:
        if name not in ("players", *DECIDING, *SEARCHING, *SHOWN):
            msg = f"request: the field {name!r} is not known here"
            raise InputError(msg)
    try:
        _check(data)
        asked = {name: data[name] for name in DECIDING if data.get(name) is not None}
        if "fixed" in asked:
            asked["fixed"] = {who: team - 1 for who, team in asked["fixed"].items()}
        if isinstance(asked.get("bots"), Mapping):
            asked["bots"] = Bots(**asked["bots"])
        asked["preferences"] = [
            _Preference(
                preference["kind"], tuple(preference["players"]), preference.get("price", float(PRICE))
            )
            for preference in asked.get("preferences", ())
        ]
        asked["rules"] = [_rule(rule) for rule in asked.get("rules", ())]
        players = _players(data["players"])
        placed = [team for player in players for team in (player.team, player.team_now) if team is not None]
        _require("players", placed, all(team < data.get("teams", 2) for team in placed))
        ids = [player.id for player in players]
        _require("players", ids, len(set(ids)) == len(ids))
        return question(players, **asked)
    except UnsupportedError:
        raise
    except (KeyError, TypeError, AttributeError, IndexError, ValueError, ArithmeticError) as error:
        msg = f"request: it cannot be read: {error}"
        raise InputError(msg) from error


def _check(data: Mapping[str, Any]) -> None:
    """Refuse numbers out of range, as nobody could have asked for them.

    Raises
    ------
    InputError
        If a number is.
    """
    for name, (least, most) in WHOLE.items():
        if data.get(name) is not None:
            _require(name, data[name], _is_whole(data[name], least, most))
    for name, (low, high) in NUMBERS.items():
        number = data.get(name)
        if number is not None:
            is_number = isinstance(number, int | float) and not isinstance(number, bool)
            _require(name, number, is_number and low <= number <= high)
    sizes, n_teams = data.get("sizes"), data.get("teams", 2)
    each = sizes if isinstance(sizes, list) else [0 if sizes is None else sizes] * n_teams
    _require("sizes", sizes, len(each) == n_teams and all(_is_whole(size, 0, MOST_PLAYERS) for size in each))
    roles = data.get("roles") or {}
    right = isinstance(roles, Mapping) and all(_is_whole(n, 1, MOST_PLAYERS) for n in roles.values())
    _require("roles", roles, right and math.prod(n + 1 for n in roles.values()) <= MOST_STATES)
    objective = data.get("objective", "spread")
    entries = objective if isinstance(objective, list) else [objective]
    right = all(isinstance(entry, str | Mapping) and entry for entry in entries)
    _require("objective", objective, right and 1 <= len(entries) <= MOST_STAGES)
    tolerances = data.get("tolerances")
    if tolerances is not None:
        right = isinstance(tolerances, list) and all(0.0 <= tolerance < math.inf for tolerance in tolerances)
        _require("tolerances", tolerances, right and len(tolerances) == len(entries) - 1)
    for name in ("parties", "apart"):
        groups = data.get(name) or []
        _require(name, groups, isinstance(groups, list) and all(isinstance(group, list) for group in groups))
    for name, known in (("solver", SOLVERS), ("rerank", RERANKERS)):
        part = data.get(name)
        _require(name, part, part is None or (isinstance(part, str) and (part in known or ":" in part)))
    for preference in data.get("preferences") or ():
        right = set(preference) <= set(PREFERENCE) and preference["kind"] in ("together", "apart")
        _require("preferences", preference, right)
    for rule in data.get("rules") or ():
        _require("rules", rule, set(rule) <= set(RULE))


def _is_whole(number: Any, least: int, most: int | None) -> bool:
    whole = isinstance(number, int) and not isinstance(number, bool)
    return whole and least <= number and (most is None or number <= most)


def _require(name: str, raw: Any, holds: object) -> None:
    if not holds:
        msg = f"request: {name}: {str(raw)[:40]!r} is out of range"
        raise InputError(msg)


def _players(data: Any) -> list[Player]:
    if isinstance(data, Mapping):
        return [Player(name, weight) for name, weight in data.items()]
    return [_player(entry) for entry in data]


def _player(entry: Mapping[str, Any]) -> Player:
    known = dict(entry)
    name = str(known.pop("name", ""))
    rating = known.pop("weight", known.pop("mu", None))
    sigma = known.pop("sigma", None)
    team, now = known.pop("team", None), known.pop("team_now", None)
    for field, number in (("team", team), ("team_now", now)):
        _require(field, number, number is None or _is_whole(number, 1, None))
    return Player(
        str(known.pop("id", "") or name),
        rating if rating is None or not sigma else Rating(rating, sigma),
        name,
        team=None if team is None else team - 1,
        team_now=None if now is None else now - 1,
        roles=tuple(_pairs(known.pop("roles", ()), _rating)),
        prefer=tuple(_pairs(known.pop("prefer", ()))),
        avoid=tuple(_pairs(known.pop("avoid", ()))),
        **known,
    )


def _rating(raw: Any) -> Any:
    if not isinstance(raw, Mapping):
        return raw if raw is None else Rating(float(raw))
    _require("roles", raw, set(raw) <= {"mu", "sigma"})
    return Rating(raw["mu"], raw.get("sigma", 0.0))


def _pairs(raw: Any, made: Any = None) -> list[tuple[str, Any]]:
    items = raw.items() if isinstance(raw, Mapping) else [(name, None) for name in raw]
    return [(name, made(value) if made else value) for name, value in items]


def _rule(data: Mapping[str, Any]) -> _PlainRule:
    terms: dict[Any, float] = {}
    if "terms" in data:
        for term in data["terms"]:
            who = (term["player"], term["in_team"] - 1) if "in_team" in term else term["player"]
            terms[who] = term.get("factor", 1.0)
    else:
        players = data["players"]
        factors = dict.fromkeys(players, 1.0) if isinstance(players, Sequence) else players
        team = data.get("in_team")
        terms = {who if team is None else (who, team - 1): factor for who, factor in factors.items()}
    return _PlainRule(terms, data.get("at_least", -math.inf), data.get("at_most", math.inf))
