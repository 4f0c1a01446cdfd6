"""Equipoise: team games where nobody can tell who will win.  The public names, nothing else.

They are loaded when first used, so that ``import equipoise`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from equipoise.adapters.clock import deadline
    from equipoise.adapters.matches import read_matches
    from equipoise.adapters.stores.archive import open_archive
    from equipoise.errors import EquipoiseError, InputError, UnknownNameError
    from equipoise.lobbies.filling import fill
    from equipoise.lobbies.plan import Demand, FilledLobby, Lobby, LobbyPlan
    from equipoise.ratings.models.gaussian_filter import GaussianFilter
    from equipoise.ratings.rating import rate
    from equipoise.ratings.replaying import replay
    from equipoise.ratings.smoothing import Curve, curves
    from equipoise.teams.balancing import balance
    from equipoise.teams.batches import balance_many
    from equipoise.teams.choosing import choose
    from equipoise.teams.editing import Change, Move, Place, Swap, edit, why_there, why_together
    from equipoise.teams.explaining import Explanation, explain
    from equipoise.teams.handicap import advantage
    from equipoise.teams.late import Joined, Placement, place_late
    from equipoise.teams.pareto import Front, pareto
    from equipoise.teams.rules import Rule
    from equipoise.teams.solution import Solution, Split, Status
    from equipoise.teams.wishes import Wish
    from equipoise.types import Bots, Contest, Match, Player, Rating, Ruleset, Skipped, Statistics

__all__ = [
    "Bots",
    "Change",
    "Contest",
    "Curve",
    "Demand",
    "EquipoiseError",
    "Explanation",
    "FilledLobby",
    "Front",
    "GaussianFilter",
    "InputError",
    "Joined",
    "Lobby",
    "LobbyPlan",
    "Match",
    "Move",
    "Place",
    "Placement",
    "Player",
    "Rating",
    "Rule",
    "Ruleset",
    "Skipped",
    "Solution",
    "Split",
    "Statistics",
    "Status",
    "Swap",
    "UnknownNameError",
    "Wish",
    "advantage",
    "balance",
    "balance_many",
    "choose",
    "curves",
    "deadline",
    "edit",
    "explain",
    "fill",
    "open_archive",
    "pareto",
    "place_late",
    "rate",
    "read_matches",
    "replay",
    "why_there",
    "why_together",
]

_HOME = {
    "Bots": "types",
    "Change": "teams.editing",
    "Contest": "types",
    "Curve": "ratings.smoothing",
    "Demand": "lobbies.plan",
    "EquipoiseError": "errors",
    "Explanation": "teams.explaining",
    "FilledLobby": "lobbies.plan",
    "Front": "teams.pareto",
    "GaussianFilter": "ratings.models.gaussian_filter",
    "InputError": "errors",
    "Joined": "teams.late",
    "Lobby": "lobbies.plan",
    "LobbyPlan": "lobbies.plan",
    "Match": "types",
    "Move": "teams.editing",
    "Place": "teams.editing",
    "Placement": "teams.late",
    "Player": "types",
    "Rating": "types",
    "Rule": "teams.rules",
    "Ruleset": "types",
    "Skipped": "types",
    "Solution": "teams.solution",
    "Split": "teams.solution",
    "Statistics": "types",
    "Status": "teams.solution",
    "Swap": "teams.editing",
    "UnknownNameError": "errors",
    "advantage": "teams.handicap",
    "Wish": "teams.wishes",
    "balance": "teams.balancing",
    "balance_many": "teams.batches",
    "choose": "teams.choosing",
    "curves": "ratings.smoothing",
    "deadline": "adapters.clock",
    "edit": "teams.editing",
    "explain": "teams.explaining",
    "fill": "lobbies.filling",
    "open_archive": "adapters.stores.archive",
    "place_late": "teams.late",
    "pareto": "teams.pareto",
    "rate": "ratings.rating",
    "read_matches": "adapters.matches",
    "replay": "ratings.replaying",
    "why_there": "teams.editing",
    "why_together": "teams.editing",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        msg = f"module 'equipoise' has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(f"equipoise.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
