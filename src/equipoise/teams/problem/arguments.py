"""The arguments of ``balance`` as the fields of a request hold them, each of the kind it must be of.

Whether a number is in range is no business of this module: a request checks that.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from numbers import Integral, Real
from typing import Any

from equipoise.errors import InputError
from equipoise.fields import OF_ALL, of_all, players_of
from equipoise.players import Bots
from equipoise.tables import rows_of
from equipoise.teams.problem.preferences import Preference
from equipoise.teams.problem.rules import Rule

#: The largest number there is.
MOST = sys.float_info.max


def frozen(keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Return keywords as the fields of a request hold them: tuples instead of lists and mappings.

    Raises
    ------
    InputError
        If text stands where a group of players should.
    """
    return {
        name: _FROZEN[name](value, name) if name in _FROZEN else value for name, value in keywords.items()
    }


def with_scale(players: Any, values: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the players, also those of a data frame, and the keywords with what a roster says of its scale.

    That is ``beta``, ``zero`` and ``draws``; keywords come first, and ``body`` stands instead of ``zero``.
    """
    scale: Mapping[str, Any] = {name: getattr(players, name, None) for name in OF_ALL}
    if not isinstance(players, Sequence) and (rows := rows_of(players, "players")) is not None:
        cells = [{name.strip().lower(): cell for name, cell in row.items()} for row in rows]
        scale = of_all((f"players, entry {n}", row) for n, row in enumerate(cells, start=1))
        players = players_of(rows, "players")
    known = {name for name, value in values.items() if value is not None}
    settled = known | ({"zero"} if "body" in known else set())
    found = {name: scale[name] for name in OF_ALL if name not in settled and scale.get(name) is not None}
    return players, {**values, **found}


def _frozen_groups(groups: Iterable[Sequence[str]], name: str) -> tuple[tuple[str, ...], ...]:
    listed = _listed(groups, name)
    if {*map(type, listed)} <= {tuple, list} and {*map(type, chain.from_iterable(listed))} <= {str}:
        return tuple(map(tuple, listed))  # there may be millions
    groups_of = []
    for group in listed:
        names = None if isinstance(group, str) or not isinstance(group, Iterable) else tuple(group)
        if names is None or not all(isinstance(who, str) for who in names):
            msg = f"must be lists of names, got {group!r}"
            raise InputError(msg, name)
        groups_of.append(names)
    return tuple(groups_of)


def _pairs(
    given: Mapping[str, int] | Iterable[tuple[str, int]] | None, name: str
) -> tuple[tuple[str, int], ...]:
    pairs = _listed((given.items() if isinstance(given, Mapping) else given) or (), name)
    for pair in pairs:
        if not isinstance(pair, tuple | list) or len(pair) != 2 or not isinstance(pair[0], str):
            msg = f"must be a mapping from names to whole numbers, got {given!r}"
            raise InputError(msg, name)
    return tuple((who, _whole(number, name, optional=False)) for who, number in pairs)


def _frozen_objective(given: Any, name: str) -> Any:
    if isinstance(given, Mapping):
        return dict(given)
    if isinstance(given, Sequence) and not isinstance(given, str):
        return tuple(_frozen_objective(entry, name) for entry in given)
    return given


def _each(given: Any, name: str, kind: type) -> tuple[Any, ...]:
    """Return what an argument lists as a tuple.

    Raises
    ------
    InputError
        If it lists nothing, or things of another kind.
    """
    parts = () if given is None else _listed(given, name)
    for part in parts:
        if not isinstance(part, kind) or isinstance(part, bool):
            what = "number" if kind is Real else kind.__name__
            msg = f": each must be a {what}, got {part!r}"
            raise InputError(msg, name)
    return parts


def _listed(given: Any, name: str) -> tuple[Any, ...]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        msg = f"must be a list, got {given!r}"
        raise InputError(msg, name)
    return tuple(given)


def _whole(given: Any, name: str, *, optional: bool = True) -> Any:
    if not (optional and given is None) and (isinstance(given, bool) or not isinstance(given, Integral)):
        msg = f"must be a whole number, got {given!r}"
        raise InputError(msg, name)
    return given


def _number(given: Any, name: str) -> Any:
    """Return a number, or infinity for a whole one that is larger than any float."""
    if given is not None and (isinstance(given, bool) or not isinstance(given, Real)):
        msg = f"must be a number, got {given!r}"
        raise InputError(msg, name)
    number: Any = given
    whole = type(number) is int
    return math.copysign(math.inf, 1 if number > 0 else -1) if whole and abs(number) > MOST else number


def _frozen_sizes(given: Any, name: str) -> Any:
    several = isinstance(given, Iterable) and not isinstance(given, str)
    return tuple(_whole(size, name) for size in _listed(given, name)) if several else _whole(given, name)


def _frozen_bots(given: Any, name: str) -> Bots | None:
    if not isinstance(given, Bots | bool | None):
        msg = f"must be Bots, True or None, got {given!r}"
        raise InputError(msg, name)
    return Bots() if given is True else given or None


#: How keywords become fields where callers may give more than the field holds.
_FROZEN: Mapping[str, Callable[[Any, str], Any]] = {
    "sizes": _frozen_sizes,
    "bots": _frozen_bots,
    "parties": _frozen_groups,
    "apart": _frozen_groups,
    "fixed": _pairs,
    "preferences": lambda given, name: _each(given, name, Preference),
    "roles": _pairs,
    "rules": lambda given, name: _each(given, name, Rule),
    "objective": _frozen_objective,
    "tolerances": lambda given, name: None if given is None else _each(given, name, Real),
    **dict.fromkeys(("min_size", "max_size", "max_difference"), _whole),
    **dict.fromkeys(
        (
            "tolerance",
            "side_weight",
            "side_price",
            "stay",
            "beta",
            "zero",
            "body",
            "draws",
            "default",
            "effort",
        ),
        _number,
    ),
}
