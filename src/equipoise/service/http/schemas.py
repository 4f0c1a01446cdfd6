"""The bodies of questions that need no archive, as types: they decode what comes, and are in the document.

A request of :func:`equipoise.balance` has a schema of its own, ``request.schema.json``; these are the others.

The parameters in addresses, as types: they decode what comes, and the document shows them.

Answers that are put together here of the library's own types.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import msgspec
from msgspec import Meta

from equipoise.archive.player_games import GameData
from equipoise.archive.stored_matches import MatchData
from equipoise.core.fields import FieldInfo
from equipoise.core.player import LARGEST_WEIGHT
from equipoise.lobbies.fill_fields import FILL_FIELDS
from equipoise.service.leaderboard import PlayerRow, RulesetRow
from equipoise.teams.solution import SolutionData

Number = Annotated[float, Meta(ge=-LARGEST_WEIGHT, le=LARGEST_WEIGHT)]
Name = Annotated[str, Meta(min_length=1, max_length=200)]
Count = Annotated[int, Meta(ge=0, le=1_000_000)]

#: How much may be asked of one split: each takes a search of its own.
MOST_ASKED = 100

Pair = Annotated[list[Name], Meta(min_length=2, max_length=2)]

#: A line of a match file; its schema is that of match files.
MatchRecord = Annotated[dict[str, Any], Meta(extra_json_schema={"$ref": "#/components/schemas/Match"})]


class LobbyPlayer(msgspec.Struct, forbid_unknown_fields=True):
    """Who goes into lobbies; a skill that is left out is unknown."""

    id: Name
    skill: Number | None = None
    sigma: Annotated[float, Meta(ge=0, le=LARGEST_WEIGHT)] = 0.0
    party: Name | None = None
    barred: list[Name] = []


class LobbyAsked(msgspec.Struct, forbid_unknown_fields=True):
    """A lobby to be filled; all have a target or none has."""

    name: Name
    target: Number | None = None
    min_teams: Count = 0
    max_teams: Count | None = None


#: What values of a table's fields are as types.
_TYPES: Mapping[str, Any] = {"integer": int, "number": float, "boolean": bool, "string": str}


def _typed_as(info: FieldInfo) -> Any:
    """Return the type of a field of a table, with its range."""
    schema = info.json_schema
    if "$ref" in schema:
        return list[list[Name]]
    if "enum" in schema:
        return Literal[tuple(schema["enum"])]
    kind, *none = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    limits = Meta(ge=schema.get("minimum"), le=schema.get("maximum"))
    typed = Annotated[_TYPES[kind], limits] if "minimum" in schema else _TYPES[kind]
    return typed | None if none else typed


LobbiesBody = msgspec.defstruct(
    "LobbiesBody",
    [
        ("players", Annotated[list[LobbyPlayer], Meta(min_length=1)]),
        ("lobbies", Annotated[list[LobbyAsked], Meta(min_length=1, max_length=1000)]),
        *(
            (name, _typed_as(info), [] if info.default == () else info.default)
            for name, info in FILL_FIELDS.items()
        ),
    ],
    namespace={
        "__doc__": "Players and parties for teams, and the teams for lobbies; as ``equipoise lobbies``."
    },
    forbid_unknown_fields=True,
)


class RateBody(msgspec.Struct, forbid_unknown_fields=True):
    """Matches to learn ratings from; as ``equipoise rate``."""

    matches: Annotated[list[MatchRecord], Meta(min_length=1)]
    model: str = "default"
    profile: str | None = None
    settings: dict[str, Any] | None = None
    since: str | float | None = None
    window: Annotated[int, Meta(ge=1)] | None = None


class TeamPlayer(msgspec.Struct, forbid_unknown_fields=True):
    """A player of a team who is there for a share of the time."""

    id: Name
    share: Annotated[float, Meta(ge=1e-6, le=1)] = 1.0


class PredictBody(RateBody, forbid_unknown_fields=True, kw_only=True):
    """Teams whose chances are asked for, and the matches to learn from; as ``equipoise predict``."""

    teams: Annotated[list[Annotated[list[Name | TeamPlayer], Meta(min_length=1)]], Meta(min_length=2)]
    game: str = ""
    game_type: str = ""
    mutators: list[str] = []


class UndoBody(msgspec.Struct, forbid_unknown_fields=True):
    """Whether a match is to count again."""

    back: bool = False


class WhoBody(msgspec.Struct, forbid_unknown_fields=True):
    """Names as people type them."""

    names: Annotated[list[Name], Meta(min_length=1, max_length=200)]
    ruleset: Annotated[str, Meta(description="Whose weights, as openarena/ctf.")] = ""


class SwapStep(msgspec.Struct, forbid_unknown_fields=True):
    """Two players exchange their teams."""

    swap: Pair


class MoveStep(msgspec.Struct, forbid_unknown_fields=True):
    """A player goes to a team, from 1."""

    move: Name
    team: Annotated[int, Meta(ge=1, le=100)]


class Questions(msgspec.Struct, forbid_unknown_fields=True):
    """What is asked of the best split: why somebody is where, and what changes by hand would cost."""

    why: Annotated[list[Name | Pair], Meta(max_length=MOST_ASKED)] = []
    edit: Annotated[list[dict[str, Any]], Meta(max_length=MOST_ASKED)] = []


#: Rows of a page unless stated otherwise.
ROWS = 100

Rows = Annotated[int, Meta(ge=1, le=1000, description="How many rows.")]
Place = Annotated[
    str, Meta(max_length=2000, description="Where to go on, as `next` of the page before says.")
]
WITHIN = "Seconds; more than the server allows counts as what it allows."

Text = Annotated[str, Meta(max_length=200)]


class TimeLimit(msgspec.Struct, forbid_unknown_fields=True):
    """How long to look for something better."""

    time_limit: Annotated[float, Meta(gt=0, le=3600, description=WITHIN)] | msgspec.UnsetType = msgspec.UNSET


class Cursor(msgspec.Struct, forbid_unknown_fields=True):
    """Which part of a list."""

    cursor: Place = ""
    limit: Rows = ROWS


class PeopleQuery(Cursor, forbid_unknown_fields=True):
    """Which players."""

    ruleset: Annotated[Text, Meta(description="Whose ratings: game/type+mutators, or general.")] = "general"
    q: Annotated[Text, Meta(description="A part of the name or the id.")] = ""


class HistoryQuery(msgspec.Struct, forbid_unknown_fields=True):
    """How much of a history."""

    why: Annotated[bool, Meta(description="Whether to say what moved the rating.")] = False


class ReportQuery(msgspec.Struct, forbid_unknown_fields=True):
    """What to say of a result."""

    changes: Annotated[
        bool, Meta(description="Whether to wait for the ratings, and say what the result changed.")
    ] = False


class BoardQuery(msgspec.Struct, forbid_unknown_fields=True):
    """Which part of a leaderboard."""

    limit: Rows = ROWS
    min_games: Annotated[int, Meta(ge=0, le=1_000_000, description="Only who has played so many.")] = 0


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


class Candidate(TypedDict):
    """Somebody who may be meant, and how strong from 0 to 100."""

    id: str
    name: str
    weight: float


class Meant(TypedDict):
    """Who is meant by a name: an id; or none, and the candidates where several are meant."""

    name: str
    id: str | None
    candidates: list[Candidate]


class Who(TypedDict):
    """Who is meant by names, in their order."""

    people: list[Meant]


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
    """A match was reported: who was meant by what, where that is another id, and who is new.

    ``read`` says that it counts as read now, where its end is ahead of the server's clock.
    """

    id: str
    new: bool
    people: dict[str, str]
    new_players: list[str]
    read: NotRequired[str]
    changes: NotRequired[list[ChangeRow] | None]


class ChangeRow(TypedDict):
    """What a result changed for a player: points won or lost, and the place in the table."""

    id: str
    points: int
    change: int
    place: int
    up: int


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
