"""Requests and rules from files: all that is asked of one split, in JSON or TOML.

The shape is in :mod:`equipoise.teams.request_fields`; every mistake becomes an
:class:`~equipoise.errors.InputError` that begins with the file and the field or entry.
"""

from __future__ import annotations

import json
import tomllib
from typing import Any

from equipoise.core.plain_data import fail
from equipoise.core.player import Player
from equipoise.errors import InputError
from equipoise.files.file_kinds import check
from equipoise.files.read_roster import content_of, decoded
from equipoise.teams.problem.linear_rules import Rule
from equipoise.teams.request_fields import keywords_of, rules_of


def read_request(source: str) -> tuple[list[Player], dict[str, Any]]:
    """Read the players and the keywords of a request from a file, or from standard input for ``-``.

    Parameters
    ----------
    source : str
        A path or ``-``.  With the ending ``.toml`` it is TOML, else JSON.

    Raises
    ------
    InputError
        If the file cannot be read or something in it is wrong.
    """
    where, content = content_of(source)
    try:
        return _parsed(content, where, toml=source.lower().endswith(".toml"))
    except InputError:
        check(content, where, "request")
        raise


def _parsed(content: bytes, where: str, *, toml: bool) -> tuple[list[Player], dict[str, Any]]:
    return keywords_of(data_of(content, where, toml=toml), where, own_parts=True)


def data_of(content: bytes, where: str, *, toml: bool) -> Any:
    """Return what JSON or TOML holds."""
    text = decoded(content, where)
    try:
        return tomllib.loads(text) if toml else json.loads(text)
    except tomllib.TOMLDecodeError as error:
        fail(where, f"it is not TOML: {error}")
    except json.JSONDecodeError as error:
        fail(f"{where}, line {error.lineno}", f"it is not JSON: {error.msg}")
    except (RecursionError, ValueError):
        fail(where, "it is nested too deeply or has a number of too many digits")


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
