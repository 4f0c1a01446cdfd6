"""Matches as JSON texts and back: the form in which an archive keeps them.

The same match has the same text, in ASCII, and comes back equal to what it was.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from equipoise.archive.databases import DAMAGED
from equipoise.errors import InputError
from equipoise.matches import Contest, Match, Ruleset, Statistics

_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False, sort_keys=True).encode


def record_of(match: Match) -> str:
    """Return a match as a text.

    Examples
    --------
    >>> duel = Match((Contest(Ruleset("x", "duel"), (["ann"], ["bob"]), (1, 2), at=60),), id="one")
    >>> match_of(record_of(duel)) == duel
    True
    """
    return _encode(
        {
            "id": match.id,
            "began": None if match.began is None else float(match.began),
            "ended": float(match.ended or 0.0),
            "map": match.map,
            "roster": match.roster,
            "names": match.names,
            "contests": [_contest(contest) for contest in match.contests],
        }
    )


def _contest(contest: Contest) -> dict[str, Any]:
    """Return a contest as plain data, without what is not told."""
    ruleset = contest.ruleset
    plain: dict[str, Any] = {
        "ruleset": (ruleset.game, ruleset.game_type, ruleset.mutators),
        "teams": contest.teams,
        "ranks": contest.ranks,
        "at": float(contest.at),
        "weight": float(contest.weight),
    }
    if contest.scores:
        plain["scores"] = contest.scores
    if contest.statistics:
        plain["statistics"] = [
            (each.player, *map(_number, (each.kills, each.deaths, each.score))) for each in contest.statistics
        ]
    for field in ("parties", "left"):
        if told := getattr(contest, field):
            plain[field] = told
    return plain


def _number(value: float | None) -> float | None:
    return None if value is None else float(value)


def match_of(record: str) -> Match:
    """Return the match of a text made by :func:`record_of`.

    Raises
    ------
    InputError
        If it is another text.
    """
    try:
        return _match_of(json.loads(record))
    except (ValueError, TypeError, LookupError) as error:
        msg = f"store: the record of a match cannot be read: {DAMAGED}"
        raise InputError(msg) from error


def _match_of(plain: dict[str, Any]) -> Match:
    return Match(
        tuple(_contest_of(contest) for contest in plain["contests"]),
        plain["began"],
        plain["ended"],
        plain["id"],
        tuple(plain["roster"]),
        tuple((player, name) for player, name in plain["names"]),
        plain["map"],
    )


@lru_cache(maxsize=1000)  # one object for each ruleset, so that comparing keys costs nothing
def _ruleset(game: str, game_type: str, *mutators: str) -> Ruleset:
    return Ruleset(game, game_type, mutators)


def _contest_of(plain: dict[str, Any]) -> Contest:
    game, game_type, mutators = plain["ruleset"]
    return Contest(
        _ruleset(game, game_type, *mutators),
        tuple(tuple((player, share) for player, share in team) for team in plain["teams"]),
        tuple(plain["ranks"]),
        plain["weight"],
        plain["at"],
        tuple(plain.get("scores", ())),
        tuple(Statistics(*figures) for figures in plain.get("statistics", ())),
        tuple(tuple(party) for party in plain.get("parties", ())),
        tuple(plain.get("left", ())),
    )
