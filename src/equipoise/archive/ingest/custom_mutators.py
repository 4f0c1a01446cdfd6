"""What an admin says counts as a mutator, beside the tables of the games: a TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from equipoise.core.match import Match
from equipoise.errors import InputError

#: What a table of the file may have.
FIELDS = ("gameplay", "cosmetic")


@dataclass(frozen=True, slots=True)
class Mutators:
    """For games, by the name they have in rulesets, which mutators change play and which do not."""

    gameplay: Mapping[str, frozenset[str]]
    cosmetic: Mapping[str, frozenset[str]]


def read_mutators(path: str) -> Mutators:
    """Read a file: a table a game, each with lists ``gameplay`` and ``cosmetic``.

    Raises
    ------
    InputError
        If the file cannot be read, or is of another form.
    """
    try:
        tables = tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
    except OSError as error:
        msg = f"--mutators: {path} cannot be read: {error.strerror or error}"
        raise InputError(msg) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        msg = f"--mutators: {path}: {error}"
        raise InputError(msg) from error
    found: dict[str, dict[str, frozenset[str]]] = {field: {} for field in FIELDS}
    for game, table in tables.items():
        if not isinstance(table, dict) or not table.keys() <= set(FIELDS):
            msg = f"--mutators: {path}: [{game}] must be a table with the lists {' and '.join(FIELDS)}"
            raise InputError(msg)
        for field, names in table.items():
            if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
                msg = f"--mutators: {path}: {game}.{field} must be a list of names"
                raise InputError(msg)
            found[field][game.lower()] = frozenset(name.lower() for name in names)
        both = set(table.get("gameplay", ())) & set(table.get("cosmetic", ()))
        if both:
            msg = f"--mutators: {path}: {game}: {min(both)!r} is in both lists; it changes play or does not"
            raise InputError(msg)
    return Mutators(found["gameplay"], found["cosmetic"])


def without_mutators(match: Match, cosmetic: Mapping[str, frozenset[str]]) -> Match:
    """Return a match whose rulesets have none of those mutators that an admin says do not change play.

    Examples
    --------
    >>> from equipoise.core.match import Contest, Ruleset
    >>> duel = Match((Contest(Ruleset("g", "duel", ("fog",)), (["ann"], ["bob"]), (1, 2)),), id="one")
    >>> without_mutators(duel, {"g": frozenset({"fog"})}).ruleset
    Ruleset(game='g', game_type='duel', mutators=())
    """
    left_out = cosmetic.get(match.ruleset.game, frozenset())
    if left_out.isdisjoint(match.ruleset.mutators):
        return match
    contests = tuple(
        replace(
            contest,
            ruleset=replace(
                contest.ruleset,
                mutators=tuple(name for name in contest.ruleset.mutators if name not in left_out),
            ),
        )
        for contest in match.contests
    )
    return replace(match, contests=contests)
