"""All that a custom part may import besides ``equipoise`` itself: what it is made of, and the laws it keeps.

A package adds parts by entry points of the groups ``equipoise.objectives``, ``equipoise.solvers``,
``equipoise.rules``, ``equipoise.models``, ``equipoise.games``, ``equipoise.rerankers``,
``equipoise.lobby_solvers`` and ``equipoise.servers``; then they have names like ours.
docs/how-to/extending.md has an example of each.
Names are loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from equipoise.archive.database import Database
    from equipoise.archive.laws import check_archive
    from equipoise.archive.sqlite import Sqlite
    from equipoise.core.arrays import Floats, Ints
    from equipoise.core.fields import COUNTS, GROUPS, NAMES, NUMBER, TEAMS, WHOLE, FieldInfo, Kind, Range
    from equipoise.core.player import Member
    from equipoise.core.registry import resolve
    from equipoise.core.rulesets import GameRules
    from equipoise.games.laws import check_game
    from equipoise.games.log_reader import Block, Game, GameReader, LineReader, Reader
    from equipoise.games.match_in_progress import Play
    from equipoise.games.server_adapter import ServerFamily
    from equipoise.ratings.laws import check_model
    from equipoise.ratings.model import RatingModel
    from equipoise.ratings.per_player_model import Entries, Entry, Folding, softmax
    from equipoise.service.questions import Answers
    from equipoise.service.weights.messages import Setting
    from equipoise.teams.explain.asked_rules import AddedRule, Constraint
    from equipoise.teams.laws import check_objective, check_rule, check_solver, random_problem, random_units
    from equipoise.teams.objectives.objective import Criterion, DifferenceCriterion, Objective, Units
    from equipoise.teams.problem.problem import COUNT, MU, SIDE, SQUARE, VARIANCE, Problem
    from equipoise.teams.request_fields import LATE, MOOT
    from equipoise.teams.solvers.task import MOVES, PRICES, ROLES, RULES, Best, Fit, Found, Solver, Task

__all__ = [
    "COUNT",
    "COUNTS",
    "GROUPS",
    "LATE",
    "MOOT",
    "MOVES",
    "MU",
    "NAMES",
    "NUMBER",
    "PRICES",
    "ROLES",
    "RULES",
    "SIDE",
    "SQUARE",
    "TEAMS",
    "VARIANCE",
    "WHOLE",
    "AddedRule",
    "Answers",
    "Best",
    "Block",
    "Constraint",
    "Criterion",
    "Database",
    "DifferenceCriterion",
    "Entries",
    "Entry",
    "FieldInfo",
    "Fit",
    "Floats",
    "Folding",
    "Found",
    "Game",
    "GameReader",
    "GameRules",
    "Ints",
    "Kind",
    "LineReader",
    "Member",
    "Objective",
    "Play",
    "Problem",
    "Range",
    "RatingModel",
    "Reader",
    "ServerFamily",
    "Setting",
    "Solver",
    "Sqlite",
    "Task",
    "Units",
    "check_archive",
    "check_game",
    "check_model",
    "check_objective",
    "check_rule",
    "check_solver",
    "random_problem",
    "random_units",
    "resolve",
    "softmax",
]

_HOME = {
    "AddedRule": "teams.explain.asked_rules",
    "Answers": "service.questions",
    "Best": "teams.solvers.task",
    "Block": "games.log_reader",
    "COUNT": "teams.problem.problem",
    "COUNTS": "core.fields",
    "Constraint": "teams.explain.asked_rules",
    "Criterion": "teams.objectives.objective",
    "Database": "archive.database",
    "DifferenceCriterion": "teams.objectives.objective",
    "Entries": "ratings.per_player_model",
    "Entry": "ratings.per_player_model",
    "FieldInfo": "core.fields",
    "Fit": "teams.solvers.task",
    "Floats": "core.arrays",
    "Folding": "ratings.per_player_model",
    "Found": "teams.solvers.task",
    "GROUPS": "core.fields",
    "Game": "games.log_reader",
    "GameReader": "games.log_reader",
    "GameRules": "core.rulesets",
    "Ints": "core.arrays",
    "Kind": "core.fields",
    "LATE": "teams.request_fields",
    "LineReader": "games.log_reader",
    "MOOT": "teams.request_fields",
    "MOVES": "teams.solvers.task",
    "MU": "teams.problem.problem",
    "Member": "core.player",
    "NAMES": "core.fields",
    "NUMBER": "core.fields",
    "Objective": "teams.objectives.objective",
    "PRICES": "teams.solvers.task",
    "Play": "games.match_in_progress",
    "Problem": "teams.problem.problem",
    "ROLES": "teams.solvers.task",
    "RULES": "teams.solvers.task",
    "Range": "core.fields",
    "RatingModel": "ratings.model",
    "Reader": "games.log_reader",
    "SIDE": "teams.problem.problem",
    "SQUARE": "teams.problem.problem",
    "ServerFamily": "games.server_adapter",
    "Setting": "service.weights.messages",
    "Solver": "teams.solvers.task",
    "Sqlite": "archive.sqlite",
    "TEAMS": "core.fields",
    "Task": "teams.solvers.task",
    "Units": "teams.objectives.objective",
    "VARIANCE": "teams.problem.problem",
    "WHOLE": "core.fields",
    "check_archive": "archive.laws",
    "check_game": "games.laws",
    "check_model": "ratings.laws",
    "check_objective": "teams.laws",
    "check_rule": "teams.laws",
    "check_solver": "teams.laws",
    "random_problem": "teams.laws",
    "random_units": "teams.laws",
    "resolve": "core.registry",
    "softmax": "ratings.per_player_model",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        msg = f"module 'equipoise.extending' has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(f"equipoise.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
