"""The bodies of questions that need no archive, as types: they decode what comes, and are in the document.

A request of :func:`equipoise.balance` has a schema of its own, ``request.schema.json``; these are the others.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from equipoise.players import LARGEST_WEIGHT

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


class LobbiesBody(msgspec.Struct, forbid_unknown_fields=True):
    """Players and parties to put into teams, and the teams into lobbies; as ``equipoise lobbies``."""

    players: Annotated[list[LobbyPlayer], Meta(min_length=1)]
    lobbies: Annotated[list[LobbyAsked], Meta(min_length=1, max_length=1000)]
    team_size: Annotated[int, Meta(ge=1, le=1000)] = 2
    min_size: Annotated[int, Meta(ge=1, le=1000)] | None = None
    deviation: Literal["squared", "absolute"] = "squared"
    per_player: bool = False
    zero: Number | None = None
    body: Annotated[float, Meta(ge=0, le=LARGEST_WEIGHT)] | None = None
    parties: list[list[Name]] = []
    caution: Annotated[float, Meta(ge=0, le=1000)] = 0.0
    default: Number | None = None
    solver: str = "auto"


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
