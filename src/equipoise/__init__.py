"""Equipoise: team games where nobody can tell who will win.  The public names, nothing else.

They are loaded when first used, so that ``import equipoise`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from equipoise.adapters.clock import deadline
    from equipoise.adapters.matches import read_matches
    from equipoise.errors import EquipoiseError, InputError, UnknownNameError
    from equipoise.ratings.models.gaussian_filter import GaussianFilter
    from equipoise.ratings.rating import rate
    from equipoise.ratings.replaying import replay
    from equipoise.teams.balancing import balance
    from equipoise.teams.choosing import choose
    from equipoise.teams.solution import Solution, Split, Status
    from equipoise.types import Bots, Contest, Match, Player, Rating, Ruleset, Skipped, Statistics

__all__ = [
    "Bots",
    "Contest",
    "EquipoiseError",
    "GaussianFilter",
    "InputError",
    "Match",
    "Player",
    "Rating",
    "Ruleset",
    "Skipped",
    "Solution",
    "Split",
    "Statistics",
    "Status",
    "UnknownNameError",
    "balance",
    "choose",
    "deadline",
    "rate",
    "read_matches",
    "replay",
]

_HOME = {
    "Bots": "types",
    "Contest": "types",
    "GaussianFilter": "ratings.models.gaussian_filter",
    "Match": "types",
    "Ruleset": "types",
    "Skipped": "types",
    "Statistics": "types",
    "rate": "ratings.rating",
    "read_matches": "adapters.matches",
    "replay": "ratings.replaying",
    "EquipoiseError": "errors",
    "InputError": "errors",
    "Player": "types",
    "Rating": "types",
    "Solution": "teams.solution",
    "Split": "teams.solution",
    "Status": "teams.solution",
    "UnknownNameError": "errors",
    "balance": "teams.balancing",
    "choose": "teams.choosing",
    "deadline": "adapters.clock",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        msg = f"module 'equipoise' has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(f"equipoise.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
