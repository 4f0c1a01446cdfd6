"""What equipoise answers to requests: a process that reads them as JSON lines and writes answers as such.

``python benchmarks/peers/answer_requests.py < requests`` takes whichever equipoise Python finds, so that two
versions are asked the same.  Only what both have is used, under the words that each has for it.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import equipoise
from equipoise import Bots, InputError, Player, Rating, Rule, balance, pareto

#: The words of commit 80601d7, by those of today.
WORDS = {"difference": "gap", "preferences": "wishes"}
OLD = not hasattr(equipoise, "Preference")


def _in_its_words(data: Any) -> Any:
    """Return plain data in the words of the equipoise that is asked."""
    if isinstance(data, str) and OLD:
        return WORDS.get(data, data)
    if isinstance(data, dict):
        return {_in_its_words(name): _in_its_words(value) for name, value in data.items()}
    return [_in_its_words(value) for value in data] if isinstance(data, list) else data


def arguments(asked: dict[str, Any]) -> dict[str, Any]:
    """Return the keywords of ``balance`` that a request in plain data stands for."""
    given = {name: value for name, value in asked.items() if name not in ("players", "pareto")}
    if "fixed" in given:
        given["fixed"] = {who: team - 1 for who, team in given["fixed"].items()}
    if isinstance(given.get("bots"), dict):
        given["bots"] = Bots(**given["bots"])
    preferences, preference = (
        ("wishes", equipoise.Wish) if OLD else ("preferences", equipoise.Preference)  # type: ignore[attr-defined]  # of the old one
    )
    if preferences in given:
        given[preferences] = [
            preference(entry["kind"], entry["players"], entry["price"]) for entry in given[preferences]
        ]
    if "rules" in given:
        given["rules"] = [_rule(rule) for rule in given["rules"]]
    return {"players": [_player(entry) for entry in asked["players"]], **given}


def _player(entry: dict[str, Any]) -> Player:
    weight = entry.get("weight", entry.get("mu"))
    rating = None if weight is None else Rating(weight, entry.get("sigma", 0.0))
    return Player(entry["name"], rating, side=entry.get("side", 0.5), roles=entry.get("roles", {}))


def _rule(data: dict[str, Any]) -> Rule:
    team = data.get("in_team")
    terms = {who if team is None else (who, team - 1): factor for who, factor in data["players"].items()}
    return Rule(data["name"], terms, high=data["at_most"])


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    """Return what is answered: the status, the value, the bound, and the team of each player, from 0."""
    asked = _in_its_words(asked)
    given = arguments(asked)
    try:
        if "pareto" in asked:
            front = pareto(given.pop("players"), *asked["pareto"], **given)
            return {
                "complete": front.complete,
                "points": [[list(point), _teams(split, asked)] for point, split in _points(front)],
            }
        solution = balance(**given)
    except InputError as error:
        return {"refused": str(error)}
    return {
        "status": str(solution.status),
        "value": solution.value,
        "bound": solution.bound,
        "teams": _teams(solution.splits[0], asked) if solution.splits else None,
    }


def _points(front: Any) -> Any:
    return zip(front.points, front.splits, strict=True)


def _teams(split: Any, asked: dict[str, Any]) -> list[int]:
    team_of = {player.id: team for team, players in enumerate(split.teams) for player in players}
    return [team_of[entry["name"]] for entry in asked["players"]]


def main() -> None:
    """Answer line by line."""
    for line in sys.stdin:
        try:
            given = answer(json.loads(line))
        except Exception as error:  # noqa: BLE001  # a fault is an answer, and the next request has its own
            given = {"fault": f"{type(error).__name__}: {error}"}
        print(json.dumps(given), flush=True)


if __name__ == "__main__":
    main()
