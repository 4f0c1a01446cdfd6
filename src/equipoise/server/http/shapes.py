"""Answers that are put together here of the library's own types."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from equipoise.archive.appearances import GameData
from equipoise.archive.listing import MatchData
from equipoise.serving.people import PlayerRow, RulesetRow
from equipoise.teams.solution import SolutionData


class Explained(SolutionData):
    """A solution with what there is to say of it, as ``equipoise explain --json`` prints it."""

    explanation: dict[str, Any]
    why: NotRequired[list[dict[str, Any]]]
    edit: NotRequired[dict[str, Any]]


class PlayerPage(TypedDict):
    """Some players, and where to go on; None after the last ones."""

    players: list[PlayerRow]
    next: str | None


class PlayerHistory(TypedDict):
    """A player's games, the earliest first."""

    id: str
    games: list[GameData]


class Rulesets(TypedDict):
    """The rulesets that were played."""

    rulesets: list[RulesetRow]


class Leaderboard(TypedDict):
    """The strongest in a ruleset, best first."""

    ruleset: str
    players: list[PlayerRow]


class MatchPage(TypedDict):
    """Some matches, the newest first, and where to go on; None after the first ones."""

    matches: list[MatchData]
    next: str | None


class TeamNow(TypedDict):
    """A team of a game that runs; the chance is None before teams are chosen."""

    players: int
    bots: int
    chance: float | None
    advantage: float


class SessionNow(TypedDict):
    """A server that is balanced while it runs, and when it was last heard of."""

    server: str
    phase: str
    map: str
    ruleset: str
    teams: list[TeamNow]
    at: float


class Sessions(TypedDict):
    """The servers that are balanced now."""

    sessions: list[SessionNow]


class Reported(TypedDict):
    """A match was reported."""

    id: str
    new: bool


class Undone(TypedDict):
    """A match counts no longer, or again."""

    match: str
    undone: bool


class Alive(TypedDict):
    """The process answers."""

    status: str


class Readiness(TypedDict):
    """There are ratings to answer from."""

    status: str
    revision: int
