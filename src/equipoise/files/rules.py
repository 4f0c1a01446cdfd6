"""Rules from JSON files: sums over each team's players that must be kept.

Every mistake in a file becomes an :class:`~equipoise.errors.InputError` that begins with the file and the
entry and says what is allowed.
"""

from __future__ import annotations

import json

from equipoise.fields import fail
from equipoise.files.rosters import content_of, decoded
from equipoise.teams.keywords import rules_of
from equipoise.teams.problem.rules import Rule


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
    return rules_of(data, where)
