"""A question from a request in plain data, as JSON and receipts hold it; teams are counted from 1 there."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from equipoise.errors import InputError
from equipoise.players import Bots, Player, Rating
from equipoise.verifying.question import PRICE, Question, question

#: The fields that decide what is legal and what is best.
DECIDING = (
    "teams", "sizes", "min_size", "max_size", "max_difference", "bots", "parties", "apart", "fixed",
    "preferences", "side_price", "stay", "moves",
    "roles", "rules", "objective", "tolerances", "default", "beta", "zero", "body",
    "tolerance", "side_weight",
)  # fmt: skip

#: Those that say how it is searched for, and how many are wanted.
SEARCHING = ("solver", "rerank", "keep", "spacing", "seed")


class _Preference(NamedTuple):
    kind: str
    players: tuple[str, ...]
    price: float


class _Rule(NamedTuple):
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
        if name not in ("players", *DECIDING, *SEARCHING):
            msg = f"request: the field {name!r} is not known here"
            raise InputError(msg)
    try:
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
        return question(_players(data["players"]), **asked)
    except (KeyError, TypeError, AttributeError, ValueError, ZeroDivisionError) as error:
        msg = f"request: it cannot be read: {error}"
        raise InputError(msg) from error


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


def _rating(given: Any) -> Any:
    if not isinstance(given, Mapping):
        return given if given is None else Rating(float(given))
    return Rating(given.get("weight", given.get("mu")), given.get("sigma", 0.0))


def _pairs(given: Any, made: Any = None) -> list[tuple[str, Any]]:
    items = given.items() if isinstance(given, Mapping) else [(name, None) for name in given]
    return [(name, made(value) if made else value) for name, value in items]


def _rule(data: Mapping[str, Any]) -> _Rule:
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
    return _Rule(terms, data.get("at_least", -math.inf), data.get("at_most", math.inf))
