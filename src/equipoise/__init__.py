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
    from equipoise.lobbies.filling import fill
    from equipoise.lobbies.plan import Demand, FilledLobby, Lobby, LobbyPlan
    from equipoise.ratings.models.gaussian_filter import GaussianFilter
    from equipoise.ratings.rating import rate
    from equipoise.ratings.replaying import replay
    from equipoise.teams.balancing import balance
    from equipoise.teams.choosing import choose
    from equipoise.teams.pareto import Front, pareto
    from equipoise.teams.rules import Rule
    from equipoise.teams.solution import Solution, Split, Status
    from equipoise.teams.wishes import Wish
    from equipoise.types import Bots, Contest, Match, Player, Rating, Ruleset, Skipped, Statistics

__all__ = [
    "Bots",
    "Contest",
    "Demand",
    "EquipoiseError",
    "FilledLobby",
    "Front",
    "GaussianFilter",
    "InputError",
    "Lobby",
    "LobbyPlan",
    "Match",
    "Player",
    "Rating",
    "Rule",
    "Ruleset",
    "Skipped",
    "Solution",
    "Split",
    "Statistics",
    "Status",
    "UnknownNameError",
    "Wish",
    "balance",
    "choose",
    "deadline",
    "fill",
    "pareto",
    "rate",
    "read_matches",
    "replay",
]

_HOME = {
    "Bots": "types",
    "Contest": "types",
    "Demand": "lobbies.plan",
    "EquipoiseError": "errors",
    "FilledLobby": "lobbies.plan",
    "Front": "teams.pareto",
    "GaussianFilter": "ratings.models.gaussian_filter",
    "InputError": "errors",
    "Lobby": "lobbies.plan",
    "LobbyPlan": "lobbies.plan",
    "Match": "types",
    "Player": "types",
    "Rating": "types",
    "Rule": "teams.rules",
    "Ruleset": "types",
    "Skipped": "types",
    "Solution": "teams.solution",
    "Split": "teams.solution",
    "Statistics": "types",
    "Status": "teams.solution",
    "UnknownNameError": "errors",
    "Wish": "teams.wishes",
    "balance": "teams.balancing",
    "choose": "teams.choosing",
    "deadline": "adapters.clock",
    "fill": "lobbies.filling",
    "pareto": "teams.pareto",
    "rate": "ratings.rating",
    "read_matches": "adapters.matches",
    "replay": "ratings.replaying",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        msg = f"module 'equipoise' has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(f"equipoise.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
