"""Equipoise: team games where nobody can tell who will win.  The public names, nothing else.

They are loaded when first used, so that ``import equipoise`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from equipoise.adapters.clock import deadline
    from equipoise.errors import EquipoiseError, InputError, UnknownNameError
    from equipoise.lobbies.filling import fill
    from equipoise.lobbies.plan import Demand, FilledLobby, Lobby, LobbyPlan
    from equipoise.teams.balancing import balance
    from equipoise.teams.choosing import choose
    from equipoise.teams.solution import Solution, Split, Status
    from equipoise.types import Bots, Player, Rating

__all__ = [
    "Bots",
    "Demand",
    "EquipoiseError",
    "FilledLobby",
    "InputError",
    "Lobby",
    "LobbyPlan",
    "Player",
    "Rating",
    "Solution",
    "Split",
    "Status",
    "UnknownNameError",
    "balance",
    "choose",
    "deadline",
    "fill",
]

_HOME = {
    "Bots": "types",
    "Demand": "lobbies.plan",
    "EquipoiseError": "errors",
    "FilledLobby": "lobbies.plan",
    "InputError": "errors",
    "Lobby": "lobbies.plan",
    "LobbyPlan": "lobbies.plan",
    "Player": "types",
    "Rating": "types",
    "Solution": "teams.solution",
    "Split": "teams.solution",
    "Status": "teams.solution",
    "UnknownNameError": "errors",
    "balance": "teams.balancing",
    "choose": "teams.choosing",
    "deadline": "adapters.clock",
    "fill": "lobbies.filling",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        msg = f"module 'equipoise' has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(f"equipoise.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
