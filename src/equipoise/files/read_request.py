"""Requests and rules from files: all that is asked of one split, in JSON or TOML.

The shape is in :mod:`equipoise.teams.request_fields`; every mistake becomes an
:class:`~equipoise.errors.InputError` that begins with the file and the field or entry.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

from equipoise.core.plain_data import fail
from equipoise.core.player import Player
from equipoise.errors import InputError
from equipoise.files.file_kinds import check
from equipoise.files.read_roster import content_of, decoded, object_once
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
    """Return what JSON or TOML holds; a key that comes twice is refused."""
    text = decoded(content, where)
    try:
        if toml:
            return tomllib.loads(text)
        return json.loads(text, object_pairs_hook=lambda pairs: object_once(pairs, where))
    except InputError:
        raise
    except tomllib.TOMLDecodeError as error:
        if re.match("Cannot (overwrite a value|declare .* twice)", str(error)):
            at = re.search(r"at line (\d+)", str(error))
            line = int(at[1]) if at else text.rstrip().count("\n") + 1
            key = text.split("\n")[line - 1].partition("=")[0].strip(" \t[]")
            fail(f"{where}, line {line}", f"the key {key!r} comes twice; names must differ")
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
    data = data_of(content, where, toml=False)
    if isinstance(data, dict) and isinstance(data.get("rules"), list):
        data = data["rules"]
    return rules_of(data, where)
