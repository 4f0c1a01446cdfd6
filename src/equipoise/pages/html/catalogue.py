"""The texts of all pages, by language: one file each, so that others can translate."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from equipoise.errors import UnknownNameError


@cache
def texts(language: str = "en") -> Mapping[str, Any]:
    """Return the catalogue of a language.

    Raises
    ------
    UnknownNameError
        If there is none.

    Examples
    --------
    >>> texts("en")["board"]["team"].format(number=2)
    'Team 2'
    """
    folder = files(__package__).joinpath("texts")
    known = sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir())
    if language not in known:
        kind = "language"
        raise UnknownNameError(kind, language, known)
    return tomllib.loads(folder.joinpath(f"{language}.toml").read_text(encoding="utf-8"))
