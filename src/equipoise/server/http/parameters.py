"""The parameters in addresses, as types: they decode what comes, and the document shows them."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

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


class BoardQuery(msgspec.Struct, forbid_unknown_fields=True):
    """Which part of a leaderboard."""

    limit: Rows = ROWS
    min_games: Annotated[int, Meta(ge=0, le=1_000_000, description="Only who has played so many.")] = 0
