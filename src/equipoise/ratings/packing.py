"""Contests as columns of numbers for the kernels, and the state of the filter as a table.

Only the shape of the data is decided here; what is done with it stands in
:mod:`equipoise.ratings.filter_kernels`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from equipoise.ratings.filter_kernels import LEVELS, TELL
from equipoise.ratings.model import Attention, is_bot
from equipoise.types import Contest, Ruleset, Statistics

#: Seconds in a day.
DAY = 86400.0

#: A part of a player's skill: whose, and the ruleset it is for; ``Ruleset()`` is the general part.
Key = tuple[str, Ruleset]

GENERAL = Ruleset()


@dataclass(slots=True)
class Packed:
    """Contests as columns; ``places`` and ``which`` refer to ``keys`` and ``rulesets``."""

    keys: dict[Key, int] = field(default_factory=dict)
    rulesets: dict[Ruleset, int] = field(default_factory=dict)
    first_team: list[int] = field(default_factory=lambda: [0])
    at: list[float] = field(default_factory=list)
    weight: list[float] = field(default_factory=list)
    which: list[int] = field(default_factory=list)
    first_member: list[int] = field(default_factory=lambda: [0])
    rank: list[float] = field(default_factory=list)
    score: list[float] = field(default_factory=list)
    order: list[int] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    told: list[float] = field(default_factory=list)

    def columns(self) -> tuple[tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]]:
        """Return the columns of contests, teams and members in the kernels' order."""
        return (
            (self.first_team, self.at, self.weight, self.which),
            (self.first_member, self.rank, self.score, self.order),
            (self.places, self.told),
        )


def levels(ruleset: Ruleset) -> tuple[Ruleset, ...]:
    """Return the parts of skill that count in a ruleset, the general first: the chain of back-off.

    Examples
    --------
    >>> [part.game_type for part in levels(Ruleset("", "ctf"))]
    ['', 'ctf']
    """
    parts = [GENERAL]
    if ruleset.game or ruleset.game_type:
        parts.append(Ruleset(ruleset.game, ruleset.game_type))
    if ruleset.mutators:
        parts.append(ruleset)
    return tuple(parts)


def pack(contests: Sequence[Contest], attention: Attention | None = None) -> Packed:
    """Return contests as columns.

    Parameters
    ----------
    contests : sequence of Contest
        In the order they are to be learnt from.
    attention : sequence of mappings, optional
        For each contest, the factor with which each player learns from it, 1 where not mentioned.
    """
    packed = Packed()
    for n, contest in enumerate(contests):
        _add(packed, contest, attention[n] if attention is not None else {})
    return packed


def _add(packed: Packed, contest: Contest, attention: Any) -> None:
    parts = levels(contest.ruleset)
    places = range(len(contest.teams))
    packed.at.append(contest.at / DAY)
    packed.weight.append(contest.weight)
    packed.which.append(packed.rulesets.setdefault(contest.ruleset, len(packed.rulesets)))
    packed.rank += contest.ranks
    packed.score += contest.scores or (math.nan,) * len(contest.teams)
    packed.order += sorted(places, key=lambda team: contest.ranks[team])
    told = {figures.player: figures for figures in contest.statistics}
    for team in contest.teams:
        for player, share in team:
            for level in range(LEVELS):
                packed.places.append(
                    packed.keys.setdefault((player, parts[level]), len(packed.keys))
                    if level < len(parts)
                    else -1
                )
            packed.places.append(int(is_bot(player)))
            known = figure(told[player], share) if player in told else math.nan
            packed.told += (share, attention.get(player, 1.0), known)
        packed.first_member.append(len(packed.told) // TELL)
    packed.first_team.append(len(packed.rank))


def figure(statistics: Statistics, share: float) -> float:
    """Return a player's statistics as one number, nan where they say nothing.

    Kills and deaths count as ``log((kills + 1) / (deaths + 1))``; kills alone, or else the score, as
    the logarithm of their number in a whole contest and one more.

    Examples
    --------
    >>> round(figure(Statistics("ann", kills=7, deaths=3), 1.0), 4)
    0.6931
    """
    if statistics.kills is not None and statistics.deaths is not None:
        return math.log((statistics.kills + 1.0) / (statistics.deaths + 1.0))
    counted = statistics.kills if statistics.kills is not None else statistics.score
    return math.nan if counted is None else math.log(max(counted, 0.0) / share + 1.0)


def most_teams(contests: Iterable[Contest]) -> int:
    """Return the largest number of teams in a contest."""
    return max((len(contest.teams) for contest in contests), default=0)
