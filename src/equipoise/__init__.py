"""Equipoise: team games where nobody can tell who will win.  The public names, nothing else.

They are loaded when first used, so that ``import equipoise`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from equipoise.archive.archive import open_archive
    from equipoise.client import Client
    from equipoise.core.clock import deadline
    from equipoise.core.data_frames import Table
    from equipoise.core.match import Contest, Match, Ruleset, Skipped, Statistics
    from equipoise.core.player import Bots, Player, Rating
    from equipoise.errors import EquipoiseError, InputError, UnknownNameError, UnsupportedError
    from equipoise.files.read_matches import read_matches
    from equipoise.files.result_tables import read_results
    from equipoise.lobbies.fill import fill
    from equipoise.lobbies.plan import FilledLobby, Lobby, LobbyPlan, LobbyRule
    from equipoise.ratings.lab.evaluation import evaluate
    from equipoise.ratings.ladder import Ladder
    from equipoise.ratings.models.elo import Elo
    from equipoise.ratings.models.gaussian_filter.mixture import Mixture
    from equipoise.ratings.models.gaussian_filter.model import GaussianFilter
    from equipoise.ratings.models.glicko2 import Glicko2
    from equipoise.ratings.models.trueskill import TrueSkill
    from equipoise.ratings.models.weng_lin import BradleyTerry, PlackettLuce
    from equipoise.ratings.rate_one_match import rate
    from equipoise.ratings.rating_history import Curve, curves
    from equipoise.ratings.replay import replay
    from equipoise.teams.advantage import advantage
    from equipoise.teams.balance import balance
    from equipoise.teams.balance_many import balance_many
    from equipoise.teams.explain.edits import Change, Move, Place, Swap, edit, why_there, why_together
    from equipoise.teams.explain.explanation import Explanation, explain
    from equipoise.teams.late_join import LateOption, Placement, late, place_late
    from equipoise.teams.pareto import Front, pareto
    from equipoise.teams.problem.linear_rules import Rule
    from equipoise.teams.problem.preferences import Preference
    from equipoise.teams.request import BalanceRequest
    from equipoise.teams.solution import Solution, Split, Status, choose
    from equipoise.verification.receipt_check import Verification, verify
    from equipoise.verification.receipts import receipt

__all__ = [
    "BalanceRequest",
    "Bots",
    "BradleyTerry",
    "Change",
    "Client",
    "Contest",
    "Curve",
    "Elo",
    "EquipoiseError",
    "Explanation",
    "FilledLobby",
    "Front",
    "GaussianFilter",
    "Glicko2",
    "InputError",
    "Ladder",
    "LateOption",
    "Lobby",
    "LobbyPlan",
    "LobbyRule",
    "Match",
    "Mixture",
    "Move",
    "Place",
    "Placement",
    "PlackettLuce",
    "Player",
    "Preference",
    "Rating",
    "Rule",
    "Ruleset",
    "Skipped",
    "Solution",
    "Split",
    "Statistics",
    "Status",
    "Swap",
    "Table",
    "TrueSkill",
    "UnknownNameError",
    "UnsupportedError",
    "Verification",
    "advantage",
    "balance",
    "balance_many",
    "choose",
    "curves",
    "deadline",
    "edit",
    "evaluate",
    "explain",
    "fill",
    "late",
    "open_archive",
    "pareto",
    "place_late",
    "rate",
    "read_matches",
    "read_results",
    "receipt",
    "replay",
    "verify",
    "why_there",
    "why_together",
]

_HOME = {
    "PlackettLuce": "ratings.models.weng_lin",
    "BradleyTerry": "ratings.models.weng_lin",
    "TrueSkill": "ratings.models.trueskill",
    "Glicko2": "ratings.models.glicko2",
    "Elo": "ratings.models.elo",
    "Table": "tables",
    "read_results": "files.results",
    "BalanceRequest": "teams.request",
    "Bots": "players",
    "Change": "teams.explaining.editing",
    "Client": "client",
    "Contest": "matches",
    "Curve": "ratings.curves",
    "LobbyRule": "lobbies.plan",
    "EquipoiseError": "errors",
    "Explanation": "teams.explaining.explaining",
    "FilledLobby": "lobbies.plan",
    "Front": "teams.pareto",
    "GaussianFilter": "ratings.models.gaussian_filter.model",
    "InputError": "errors",
    "LateOption": "teams.running.placing",
    "Ladder": "ratings.ladder",
    "Lobby": "lobbies.plan",
    "LobbyPlan": "lobbies.plan",
    "Match": "matches",
    "Mixture": "ratings.models.gaussian_filter.mixture",
    "Move": "teams.explaining.editing",
    "Place": "teams.explaining.editing",
    "Placement": "teams.running.placing",
    "Player": "players",
    "Rating": "players",
    "Rule": "teams.problem.rules",
    "Ruleset": "matches",
    "Skipped": "matches",
    "Solution": "teams.solution",
    "Split": "teams.solution",
    "Statistics": "matches",
    "Status": "teams.solution",
    "Swap": "teams.explaining.editing",
    "UnknownNameError": "errors",
    "UnsupportedError": "errors",
    "advantage": "teams.running.handicap",
    "Preference": "teams.problem.preferences",
    "balance": "teams.balancing",
    "balance_many": "teams.batches",
    "choose": "teams.solution",
    "curves": "ratings.curves",
    "deadline": "clock",
    "edit": "teams.explaining.editing",
    "evaluate": "lab.progressive",
    "explain": "teams.explaining.explaining",
    "fill": "lobbies.filling",
    "late": "teams.running.joining",
    "open_archive": "archive.archive",
    "place_late": "teams.running.placing",
    "pareto": "teams.pareto",
    "rate": "ratings.rating",
    "read_matches": "files.matches",
    "receipt": "verifying.receipts",
    "verify": "verifying.checking",
    "Verification": "verifying.findings",
    "replay": "ratings.replaying",
    "why_there": "teams.explaining.editing",
    "why_together": "teams.explaining.editing",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        msg = f"module 'equipoise' has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(f"equipoise.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
