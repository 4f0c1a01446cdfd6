"""Requests from files: all that is asked of one split, in JSON or TOML.

The shape is in :mod:`equipoise.teams.keywords`; every mistake becomes an
:class:`~equipoise.errors.InputError` that begins with the file and the field.
"""

from __future__ import annotations

import json
import tomllib
from typing import Any

from equipoise.errors import InputError
from equipoise.fields import fail
from equipoise.files.kinds import check
from equipoise.files.rosters import content_of, decoded
from equipoise.players import Player
from equipoise.teams.keywords import keywords_of


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
    text = decoded(content, where)
    data: Any = None
    try:
        data = tomllib.loads(text) if toml else json.loads(text)
    except tomllib.TOMLDecodeError as error:
        fail(where, f"it is not TOML: {error}")
    except json.JSONDecodeError as error:
        fail(f"{where}, line {error.lineno}", f"it is not JSON: {error.msg}")
    except (RecursionError, ValueError):
        fail(where, "it is nested too deeply or has a number of too many digits")
    return keywords_of(data, where, own_parts=True)
