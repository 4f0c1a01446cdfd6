"""Rules from JSON files: sums over each team's players that must be kept.

Every mistake in a file becomes an :class:`~equipoise.errors.InputError` that begins with the file and the
entry and says what is allowed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from equipoise.errors import InputError
from equipoise.files.fields import content_of, decoded, fail, number_of, short, text_of
from equipoise.teams.problem.rules import Rule, Who

#: The keys of a rule.
KEYS = ("name", "players", "in_team", "at_least", "at_most")


def read_rules(source: str) -> list[Rule]:
    """Read rules from a JSON file, or from standard input for ``-``.

    The file is a list of objects, or an object with such a list under ``rules``.  Each has ``players``, a
    list of names or an object from names to numbers, and ``at_least``, ``at_most`` or both; besides, it may
    have a ``name``, and ``in_team`` for a rule on one team, counted from 1.

    Raises
    ------
    InputError
        If the file cannot be read or something in it is wrong.
    """
    where, content = content_of(source)
    try:
        data = json.loads(decoded(content, where))
    except json.JSONDecodeError as error:
        fail(f"{where}, line {error.lineno}", f"it is not JSON: {error.msg}")
    except (RecursionError, ValueError):
        fail(where, "it is nested too deeply or has a number of too many digits")
    if isinstance(data, dict) and isinstance(data.get("rules"), list):
        data = data["rules"]
    if not isinstance(data, list) or not data:
        fail(where, 'it has no rules; a list of {"players": ..., "at_most": ...} is needed')
    return [_rule(entry, f"{where}, rule {number}", number) for number, entry in enumerate(data, start=1)]


def _rule(entry: Any, at: str, number: int) -> Rule:
    if not isinstance(entry, Mapping):
        fail(at, f"{short(json.dumps(entry))} is not an object; a rule has 'players' and 'at_most'")
    unknown = [key for key in entry if key not in KEYS]
    if unknown:
        fail(at, f"there is no key {short(unknown[0])}; allowed are {', '.join(KEYS)}")
    players = entry.get("players")
    if isinstance(players, list):
        names = [text_of(name, "players", at) for name in players]
        players = dict.fromkeys(names, 1.0)
        if len(players) < len(names):
            fail(at, "players names somebody twice; an object from names to numbers says what each counts")
    if not isinstance(players, Mapping):
        fail(at, "players is neither a list of names nor an object from names to numbers")
    team = None
    if "in_team" in entry:
        team = number_of(entry["in_team"], "in_team", at)
        if team < 1 or team != int(team):
            fail(at, f"in_team {team:g} is not allowed; teams are counted from 1")
    terms: dict[Who, float] = {
        name if team is None else (name, int(team) - 1): number_of(factor, f"the number of {name}", at)
        for name, factor in players.items()
    }
    low = number_of(entry["at_least"], "at_least", at) if "at_least" in entry else -math.inf
    high = number_of(entry["at_most"], "at_most", at) if "at_most" in entry else math.inf
    try:
        return Rule(text_of(entry.get("name", str(number)), "name", at), terms, low, high)
    except InputError as error:
        fail(at, str(error))
