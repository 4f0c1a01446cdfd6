"""What may be asked over HTTP: one table, from which requests are answered and the document is made."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from equipoise.archive.listing import MatchData
from equipoise.lobbies.plan import PlanData
from equipoise.ratings.reports import Predicted, Rated
from equipoise.server.http import dropins, handlers
from equipoise.server.http.asked import HttpRequest, Reply
from equipoise.server.http.bodies import LobbiesBody, PredictBody, RateBody, UndoBody
from equipoise.server.http.parameters import BoardQuery, Cursor, HistoryQuery, PeopleQuery, TimeLimit
from equipoise.server.http.shapes import (
    Alive,
    Explained,
    Leaderboard,
    MatchPage,
    PlayerHistory,
    PlayerPage,
    Readiness,
    Reported,
    Rulesets,
    Sessions,
    Undone,
)
from equipoise.serving.people import PlayerCard
from equipoise.teams.solution import SolutionData

Handler = Callable[[Any, HttpRequest], Awaitable[Reply]]

#: Answers that every operation may give besides its own.
USUAL: Mapping[int, str] = {
    422: "A parameter is wrong.",
    429: "This address asks too fast, or too much waits.",
    503: "It cannot be answered just now.",
}

#: Answers where there is a body.
WITH_BODY: Mapping[int, str] = {
    400: "The body is not JSON.",
    408: "The body came too slowly.",
    413: "The body is too large.",
    422: "Something in the body or a parameter is wrong.",
}

#: Answers where a token may be needed.
WITH_TOKEN: Mapping[int, str] = {
    401: "There is no token, or a wrong one.",
    403: "The token is for something else.",
}

#: Answers where what is asked for has a revision, or may not be there.
UNCHANGED: Mapping[int, str] = {304: "Nothing has changed since that revision."}
MISSING: Mapping[int, str] = {404: "There is no such thing."}


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that may be asked.

    Parameters
    ----------
    name : str
        What it is called in the document and in metrics.
    method, path : str
        How it is asked for; a place such as ``{id:path}`` may hold slashes.
    summary : str
        What it does.
    handler : callable
        What answers it.
    answer : type
        Of which its answer is.
    body : type or str, optional
        Of which its body is, or the name of a schema.
    query : type, optional
        Its parameters.
    answers : mapping
        What it may answer besides its answer and what all may.
    scope : str
        What a token must be for, of :data:`equipoise.server.tokens.SCOPES`; empty where none is asked for.
    lenient : bool
        Whether credentials of another service count as none: its clients send them wherever they ask.
    done : mapping
        The statuses with which it gives its answer.
    """

    name: str
    method: str
    path: str
    summary: str
    handler: Handler
    answer: Any
    body: Any = None
    query: Any = None
    answers: Mapping[int, str] = field(default_factory=dict)
    scope: str = "read"
    lenient: bool = False
    done: Mapping[int, str] = field(default_factory=lambda: {200: "The answer."})


def _question(name: str, summary: str, answer: Any, body: Any) -> Operation:
    """Return the operation of a question that needs no archive."""
    handler = partial(handlers.question, name)
    return Operation(name, "POST", f"/v1/{name}", summary, handler, answer, body, TimeLimit, WITH_BODY)


OPERATIONS: tuple[Operation, ...] = (
    _question("balance", "Divide players into the fairest teams.", SolutionData, "BalanceBody"),
    _question("explain", "Divide players, and say why the split is as it is.", Explained, "ExplainBody"),
    _question("late", "Choose the team for someone who joins a running game.", Any, "LateBody"),
    _question("lobbies", "Put players into teams, and teams into lobbies.", PlanData, LobbiesBody),
    _question("rate", "Learn ratings from matches.", Rated, RateBody),
    _question("predict", "Say who would win, from matches.", Predicted, PredictBody),
    Operation(
        "players", "GET", "/v1/players", "List players with their ratings.", handlers.players, PlayerPage,
        query=PeopleQuery, answers={**UNCHANGED, **MISSING},
    ),
    Operation(
        "history", "GET", "/v1/players/{id:path}/history", "List a player's games and ratings.",
        handlers.history, PlayerHistory, query=HistoryQuery, answers={**UNCHANGED, **MISSING},
    ),
    Operation(
        "player", "GET", "/v1/players/{id:path}", "Show a player's ratings.", handlers.player, PlayerCard,
        answers={**UNCHANGED, **MISSING},
    ),
    Operation(
        "rulesets", "GET", "/v1/rulesets", "List the rulesets that were played.", handlers.rulesets, Rulesets,
        answers=UNCHANGED,
    ),
    Operation(
        "leaderboard", "GET", "/v1/leaderboards/{ruleset:path}", "List the strongest in a ruleset.",
        handlers.leaderboard, Leaderboard, query=BoardQuery, answers={**UNCHANGED, **MISSING},
    ),
    Operation(
        "matches", "GET", "/v1/matches", "List matches, the newest first.", handlers.matches, MatchPage,
        query=Cursor, answers=UNCHANGED,
    ),
    Operation(
        "match", "GET", "/v1/matches/{id:path}", "Show a match.", handlers.match, MatchData,
        answers={**UNCHANGED, **MISSING},
    ),
    Operation(
        "results", "POST", "/v1/results", "Report a match that has ended.", handlers.results, Reported,
        "ResultBody", answers={**WITH_BODY, 409: "Another match is kept under this id."}, scope="report",
        done={201: "It is kept, and survives a crash.", 200: "It was kept before; nothing changes."},
    ),
    Operation(
        "undo", "POST", "/v1/matches/{id:path}/undo", "Let a match not count, or count again.",
        handlers.undo, Undone, UndoBody, answers={**WITH_BODY, **MISSING}, scope="admin",
    ),
    Operation(
        "sessions", "GET", "/v1/sessions", "List the game servers that are balanced now.",
        handlers.sessions, Sessions,
    ),
    Operation(
        "events", "GET", "/v1/events", "Tell of matches, ratings and running games (Server-Sent Events).",
        handlers.events, bytes, answers={422: "Last-Event-ID is not the id of an event."},
    ),
    Operation(
        "elo", "GET", "/elo/{ids:path}", "Give ratings in the shape of qlstats.net, for minqlx.", dropins.elo,
        dropins.Elos, lenient=True,
    ),
    Operation(
        "get_rating", "GET", "/teiserver/api/spads/get_rating/{id}/{type}",
        "Give a rating in the shape of teiserver, for SPADS.", dropins.get_rating, dropins.SpadsRating,
        lenient=True,
    ),
    Operation(
        "balance_battle", "POST", "/teiserver/api/spads/balance_battle",
        "Divide players in the shape of teiserver, for SPADS.", dropins.balance_battle, dropins.SpadsBalance,
        "SpadsBody", answers=WITH_BODY, lenient=True,
    ),
    Operation(
        "livez", "GET", "/livez", "Tell whether the process answers.", handlers.livez, Alive, scope=""
    ),
    Operation(
        "readyz", "GET", "/readyz", "Tell whether it may be asked.", handlers.readyz, Readiness, scope=""
    ),
    Operation("metrics", "GET", "/metrics", "Counts and times, for Prometheus.", handlers.metrics, str),
    Operation("openapi", "GET", "/openapi.json", "This document.", handlers.document, Any, scope=""),
)  # fmt: skip
