"""Lines of JSON as msgspec types them: what most lines are, and nothing else.

No text here has an unpaired surrogate: msgspec refuses it.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec


class TypedPlayer(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """A player in a team, with the fields that say something to a rating."""

    id: str | int
    name: str | int | msgspec.UnsetType = msgspec.UNSET
    share: float = 1.0
    kills: float | None = None
    deaths: float | None = None
    score: float | None = None
    party: str | int | None = None
    left: bool = False


class TypedContest(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """A contest among others; what it leaves out is that of its match."""

    teams: list[list[str | TypedPlayer]] | msgspec.UnsetType = msgspec.UNSET
    game: str | int | msgspec.UnsetType = msgspec.UNSET
    game_type: str | int | msgspec.UnsetType = msgspec.UNSET
    mutators: tuple[str | int, ...] | msgspec.UnsetType = msgspec.UNSET
    ranks: list[float] | msgspec.UnsetType | None = msgspec.UNSET
    scores: list[float] | msgspec.UnsetType | None = msgspec.UNSET
    weight: float | msgspec.UnsetType = msgspec.UNSET
    at: float | str | msgspec.UnsetType = msgspec.UNSET


class TypedLine(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """A match: of the one contest that it is itself, or of several."""

    ended: float | str
    teams: list[list[str | TypedPlayer]] = []
    id: str | int = ""
    began: float | str | msgspec.UnsetType = msgspec.UNSET
    map: str | int = ""
    server: str | int = ""
    picks: tuple[tuple[str | int, str | int], ...] = ()
    game: str | int = ""
    game_type: str | int = ""
    mutators: tuple[str | int, ...] = ()
    ranks: list[float] | None = None
    scores: list[float] | None = None
    weight: float = 1.0
    at: float | str | msgspec.UnsetType = msgspec.UNSET
    contests: list[TypedContest] | msgspec.UnsetType = msgspec.UNSET


#: Contests of several matches; a match that is one contest stands for it.
Contests = Sequence[TypedContest | TypedLine]

_decode = msgspec.json.Decoder(TypedLine).decode


def typed(lines: Sequence[bytes]) -> list[TypedLine | None]:
    """Return lines typed, None for those that are not of this type."""
    try:
        return list(map(_decode, lines))
    except (ValueError, RecursionError):
        return [_typed(line) for line in lines]


def _typed(line: bytes) -> TypedLine | None:
    try:
        return _decode(line)
    except (ValueError, RecursionError):
        return None


def contests_of(rows: Sequence[TypedLine]) -> tuple[list[TypedContest | TypedLine], list[int]]:
    """Return the contests of rows, and how many each row has; what one leaves out is that of its row."""
    if all(row.contests is msgspec.UNSET for row in rows):
        return list(rows), [1] * len(rows)
    found: list[TypedContest | TypedLine] = []
    counts = []
    for row in rows:
        if row.contests is msgspec.UNSET:
            found.append(row)
            counts.append(1)
            continue
        for part in row.contests:
            _complete(part, row)
        found += row.contests
        counts.append(len(row.contests))
    return found, counts


def _complete(part: TypedContest, row: TypedLine) -> None:
    """Give a contest what it leaves out; field by field, as a loop over them takes three times as long."""
    if part.teams is msgspec.UNSET:
        part.teams = row.teams
    if part.game is msgspec.UNSET:
        part.game = row.game
    if part.game_type is msgspec.UNSET:
        part.game_type = row.game_type
    if part.mutators is msgspec.UNSET:
        part.mutators = row.mutators
    if part.ranks is msgspec.UNSET:
        part.ranks = row.ranks
    if part.scores is msgspec.UNSET:
        part.scores = row.scores
    if part.weight is msgspec.UNSET:
        part.weight = row.weight
    if part.at is msgspec.UNSET:
        part.at = row.at
