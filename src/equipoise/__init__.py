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
    from equipoise.files.any_history import curves, evaluate, replay, tune
    from equipoise.files.read_matches import read_matches
    from equipoise.files.read_roster import read_paste
    from equipoise.files.result_tables import read_results
    from equipoise.lobbies.fill import fill
    from equipoise.lobbies.plan import FilledLobby, Lobby, LobbyPlan, LobbyRule
    from equipoise.ratings.history_columns import Columns
    from equipoise.ratings.ladder import Ladder
    from equipoise.ratings.models.elo import Elo
    from equipoise.ratings.models.gaussian_filter.mixture import Mixture
    from equipoise.ratings.models.gaussian_filter.model import GaussianFilter
    from equipoise.ratings.models.glicko2 import Glicko2
    from equipoise.ratings.models.trueskill import TrueSkill
    from equipoise.ratings.models.weng_lin import BradleyTerry, PlackettLuce
    from equipoise.ratings.rate_one_match import rate
    from equipoise.ratings.rating_history import Curve
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
    "Columns",
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
    "read_paste",
    "read_results",
    "receipt",
    "replay",
    "tune",
    "verify",
    "why_there",
    "why_together",
]

_HOME = {
    "BalanceRequest": "teams.request",
    "Bots": "core.player",
    "BradleyTerry": "ratings.models.weng_lin",
    "Change": "teams.explain.edits",
    "Client": "client",
    "Columns": "ratings.history_columns",
    "Contest": "core.match",
    "Curve": "ratings.rating_history",
    "Elo": "ratings.models.elo",
    "EquipoiseError": "errors",
    "Explanation": "teams.explain.explanation",
    "FilledLobby": "lobbies.plan",
    "Front": "teams.pareto",
    "GaussianFilter": "ratings.models.gaussian_filter.model",
    "Glicko2": "ratings.models.glicko2",
    "InputError": "errors",
    "Ladder": "ratings.ladder",
    "LateOption": "teams.late_join",
    "Lobby": "lobbies.plan",
    "LobbyPlan": "lobbies.plan",
    "LobbyRule": "lobbies.plan",
    "Match": "core.match",
    "Mixture": "ratings.models.gaussian_filter.mixture",
    "Move": "teams.explain.edits",
    "Place": "teams.explain.edits",
    "Placement": "teams.late_join",
    "PlackettLuce": "ratings.models.weng_lin",
    "Player": "core.player",
    "Preference": "teams.problem.preferences",
    "Rating": "core.player",
    "Rule": "teams.problem.linear_rules",
    "Ruleset": "core.match",
    "Skipped": "core.match",
    "Solution": "teams.solution",
    "Split": "teams.solution",
    "Statistics": "core.match",
    "Status": "teams.solution",
    "Swap": "teams.explain.edits",
    "Table": "core.data_frames",
    "TrueSkill": "ratings.models.trueskill",
    "UnknownNameError": "errors",
    "UnsupportedError": "errors",
    "Verification": "verification.receipt_check",
    "advantage": "teams.advantage",
    "balance": "teams.balance",
    "balance_many": "teams.balance_many",
    "choose": "teams.solution",
    "curves": "files.any_history",
    "deadline": "core.clock",
    "edit": "teams.explain.edits",
    "evaluate": "files.any_history",
    "explain": "teams.explain.explanation",
    "fill": "lobbies.fill",
    "late": "teams.late_join",
    "open_archive": "archive.archive",
    "pareto": "teams.pareto",
    "place_late": "teams.late_join",
    "rate": "ratings.rate_one_match",
    "read_matches": "files.read_matches",
    "read_paste": "files.read_roster",
    "read_results": "files.result_tables",
    "receipt": "verification.receipts",
    "replay": "files.any_history",
    "tune": "files.any_history",
    "verify": "verification.receipt_check",
    "why_there": "teams.explain.edits",
    "why_together": "teams.explain.edits",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        msg = f"module 'equipoise' has no attribute {name!r}"
        raise AttributeError(msg)
    try:
        home = import_module(f"equipoise.{_HOME[name]}")
    except ModuleNotFoundError as error:
        from equipoise.core.packages import missing

        raise missing(name, error) or error from error
    return getattr(home, name)


def __dir__() -> list[str]:
    return __all__
