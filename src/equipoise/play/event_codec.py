"""Events and their parts as plain data, as an archive keeps them, and back: one codec for all of ``play``.

The values are frozen dataclasses; msgspec reads their annotations, so what a field may hold stands in its
class alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

import msgspec

from equipoise.errors import InputError

Value = TypeVar("Value")


def as_plain(value: Any) -> Any:
    """Return a dataclass as a dict of lists, numbers and texts.

    Examples
    --------
    >>> from equipoise.play.ledger import LedgerGame
    >>> game = LedgerGame((("ann",), ("bob",)), (0.6, 0.4), (2.0, 1.0), moved=("bob",))
    >>> as_plain(game)["moved"], from_plain(LedgerGame, as_plain(game)) == game
    (['bob'], True)
    """
    return _listed(msgspec.to_builtins(value))


def _listed(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _listed(each) for name, each in value.items()}
    return list(map(_listed, value)) if isinstance(value, list | tuple) else value


def from_plain(kind: type[Value], data: Any, what: str = "event") -> Value:
    """Return the value of plain data.

    Parameters
    ----------
    kind : type
        A dataclass.
    data : mapping
        Its fields; those with a default may be missing.
    what : str
        What the data are called in messages.

    Raises
    ------
    InputError
        If a field is missing, unknown, or not what it must be.
    """
    if isinstance(data, Mapping):
        unknown = data.keys() - {field.name for field in fields(kind)}  # type: ignore[arg-type]  # a dataclass
        if unknown:
            known = ", ".join(field.name for field in fields(kind))  # type: ignore[arg-type]
            msg = f"has {known}, got {', '.join(sorted(map(str, unknown)))}"
            raise InputError(msg, what)
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        raise InputError(str(error), what) from error
