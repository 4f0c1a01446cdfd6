"""Contests as columns of numbers for the kernels, and the state of the filter as a table.

Only the shape of the data is decided here; what is done with it is in
:mod:`equipoise.ratings.models.gaussian_filter.kernels`.  Columns are arrays of the standard library: the
plain kernels index them as they are, and NumPy takes them over without copying.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import sub
from typing import Any

import numpy as np

from equipoise.core.match import Contest, Ruleset, Statistics, settled_scores
from equipoise.core.player import is_bot
from equipoise.errors import InputError
from equipoise.ratings.model import Attention
from equipoise.ratings.models.gaussian_filter.kernels import (
    LEVELS,
    PLACE,
    REPORT,
    Contests,
    Members,
    Teams,
)

#: Attention and figure of who has neither more than others.
PLAIN = array("d", [1.0, math.nan])

#: Contests up to which NumPy takes longer than plain Python.
FEW = 50  # effort

#: Seconds in a day.
DAY = 86400.0

#: A part of a player's skill: whose, and the ruleset it is for; ``Ruleset()`` is the general part.
Key = tuple[str, Ruleset]

GENERAL = Ruleset()


def _whole() -> array[int]:
    return array("I")


def _real() -> array[float]:
    return array("d")


@dataclass(slots=True)
class Packed:
    """Contests as columns; ``places`` and ``which`` refer to ``keys`` and ``rulesets``.

    Parameters
    ----------
    keys, rulesets : dict
        The place of each part of a skill and of each ruleset in the tables of the state.
    rows : dict
        The places of the parts of each player's skill, by ruleset.
    first_team, which, depth, untyped, reported, at, weight : array
        Of each contest: where its teams begin (with one entry more), its ruleset, how many parts of a skill
        count, whether there are mutators without a game type, how many players' figures can be compared, the
        day, and how much it counts.
    first_member, order, rank, score : array
        Of each team: where its members begin (with one entry more), the contest's teams by rank, the rank,
        and the score or nan.
    places, reports : array
        Of each member: where the parts of the skill stand and whether it is a bot; share, attention, and
        figure less the contest's mean.
    """

    keys: dict[Key, int] = field(default_factory=dict)
    rulesets: dict[Ruleset, int] = field(default_factory=dict)
    rows: dict[Ruleset, dict[str, array[int]]] = field(default_factory=dict)
    first_team: array[int] = field(default_factory=lambda: array("I", [0]))
    which: array[int] = field(default_factory=_whole)
    depth: array[int] = field(default_factory=_whole)
    untyped: array[int] = field(default_factory=_whole)
    reported: array[int] = field(default_factory=_whole)
    at: array[float] = field(default_factory=_real)
    weight: array[float] = field(default_factory=_real)
    first_member: array[int] = field(default_factory=lambda: array("I", [0]))
    order: array[int] = field(default_factory=_whole)
    rank: array[float] = field(default_factory=_real)
    score: array[float] = field(default_factory=_real)
    places: array[int] = field(default_factory=_whole)
    reports: array[float] = field(default_factory=_real)

    def columns(self) -> tuple[Contests, Teams, Members]:
        """Return the columns as the plain kernels take them."""
        return (
            Contests(
                self.first_team, self.which, self.depth, self.untyped, self.reported, self.at, self.weight
            ),
            Teams(self.first_member, self.order, self.rank, self.score),
            Members(self.places, self.reports),
        )

    def arrays(self) -> tuple[Contests, Teams, Members]:
        """Return the columns as the compiled kernels take them."""
        array_of = np.asarray
        return (
            Contests(
                array_of(self.first_team), array_of(self.which), array_of(self.depth),
                array_of(self.untyped), array_of(self.reported), array_of(self.at), array_of(self.weight),
            ),
            Teams(
                array_of(self.first_member), array_of(self.order), array_of(self.rank), array_of(self.score)
            ),
            Members(array_of(self.places), array_of(self.reports)),
        )  # fmt: skip

    def widest(self) -> tuple[int, int]:
        """Return the largest number of teams in a contest, and of players."""
        teams = self.first_team
        if len(teams) <= FEW:
            return _widest(teams), _widest([self.first_member[start] for start in teams])
        starts = np.asarray(self.first_member)[np.asarray(teams)]
        return int(np.diff(teams).max()), int(np.diff(starts).max())


def _widest(starts: Sequence[int]) -> int:
    return max(map(sub, starts[1:], starts), default=0)


@lru_cache(1024)
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


def untyped(ruleset: Ruleset) -> bool:
    """Tell whether mutators are known of a ruleset and no game type, so that theirs is the second part."""
    return bool(ruleset.mutators) and not (ruleset.game or ruleset.game_type)


def pack(
    contests: Sequence[Contest], attention: Attention | None = None, before: Packed | None = None
) -> Packed:
    """Return contests as columns.

    Parameters
    ----------
    contests : sequence of Contest
        In the order they are to be learnt from.
    attention : sequence of mappings, optional
        For each contest, the factor with which each player learns from it, 1 where not mentioned.
    before : Packed, optional
        Contests whose places are gone on with; its ``keys``, ``rulesets`` and ``rows`` are added to.
    """
    packed = Packed() if before is None else Packed(before.keys, before.rulesets, before.rows)
    rows = packed.rows
    for n, contest in enumerate(contests):
        known = rows.get(contest.ruleset)
        if known is None:
            known = rows[contest.ruleset] = {}
            packed.rulesets.setdefault(contest.ruleset, len(packed.rulesets))
        _add(packed, contest, known, attention[n] if attention is not None else {})
    return packed


def insert(packed: Packed, at: int, contests: Sequence[Contest]) -> None:
    """Put contests among others that are packed, before the one with a number.

    The columns are those of packing them all in order.

    Parameters
    ----------
    packed : Packed
        What is changed.
    at : int
        Before which contest, from 0; their number for the end.
    contests : sequence of Contest
        In order.
    """
    more = pack(contests, before=packed)
    team, n_contests = packed.first_team[at], len(packed.at)
    member = packed.first_member[team]
    for column in ("which", "depth", "untyped", "reported", "at", "weight"):
        getattr(packed, column)[at:at] = getattr(more, column)
    for column in ("order", "rank", "score"):
        getattr(packed, column)[team:team] = getattr(more, column)
    packed.places[PLACE * member : PLACE * member] = more.places
    packed.reports[REPORT * member : REPORT * member] = more.reports
    packed.first_team = _spliced(packed.first_team, at, more.first_team)
    packed.first_member = _spliced(packed.first_member, team, more.first_member)
    if at < n_contests:
        _in_order(packed)


def _spliced(starts: array[int], at: int, more: array[int]) -> array[int]:
    """Return where everything begins once more stand before one of them."""
    before, many = starts[at], more[-1]
    return array(
        "I", [*starts[:at], *(before + each for each in more), *(each + many for each in starts[at + 1 :])]
    )


def _in_order(packed: Packed) -> None:
    """Let keys and rulesets stand in the order in which they come first."""
    members = np.diff(np.asarray(packed.first_member)[np.asarray(packed.first_team)])
    places = np.asarray(packed.places).reshape(-1, PLACE).copy()
    counts = np.arange(PLACE) < np.repeat(np.asarray(packed.depth), members)[:, None]
    for values, table, name in (
        (places[counts], packed.keys, "keys"), (np.asarray(packed.which), packed.rulesets, "rulesets"),
    ):  # fmt: skip
        seen, first = np.unique(values, return_index=True)
        order = seen[np.argsort(first, kind="stable")]
        moved = np.zeros(len(table), dtype=np.uint32)
        moved[order] = np.arange(len(order), dtype=np.uint32)
        there = list(table)
        setattr(packed, name, {there[each]: n for n, each in enumerate(order.tolist())})
        if name == "keys":
            places[counts] = moved[places[counts]]
        else:
            packed.which = array("I", moved[values].tolist())
    packed.places, packed.rows = array("I", places.ravel().tolist()), {}


def _add(
    packed: Packed, contest: Contest, rows: dict[str, array[int]], attention: Mapping[str, float]
) -> None:
    """Append a contest to the columns; ``rows`` has the places of those already seen in its ruleset."""
    teams, ranks = contest.teams, contest.ranks
    figures = figures_of(contest) if contest.statistics else {}
    places, reports, alike = packed.places, packed.reports, not attention and not figures
    for team in teams:
        for player, share in team:
            places.extend(rows.get(player) or _seat(packed, contest.ruleset, player, rows))
            reports.append(share)
            reports.extend(PLAIN if alike else (attention.get(player, 1.0), figures.get(player, math.nan)))
        packed.first_member.append(len(reports) // REPORT)
    packed.rank.extend(ranks)
    packed.score.extend(settled_scores(ranks, contest.scores) if contest.scores else (math.nan,) * len(teams))
    packed.order.extend(sorted(range(len(teams)), key=ranks.__getitem__))
    packed.first_team.append(len(packed.rank))
    packed.which.append(packed.rulesets[contest.ruleset])
    packed.depth.append(len(levels(contest.ruleset)))
    packed.untyped.append(untyped(contest.ruleset))
    packed.reported.append(len(figures))
    packed.at.append(contest.at / DAY)
    packed.weight.append(contest.weight)


def _seat(packed: Packed, ruleset: Ruleset, player: str, rows: dict[str, array[int]]) -> array[int]:
    """Return where the parts of a player's skill stand, the places of those that do not count being 0."""
    keys = packed.keys
    places = [keys.setdefault((player, part), len(keys)) for part in levels(ruleset)]
    row = array("I", [*places, *[0] * (LEVELS - len(places)), is_bot(player)])
    rows[player] = row
    return row


def figures_of(contest: Contest) -> dict[str, float]:
    """Return what the statistics say of each player, less the mean; empty where there is none to compare."""
    shares = {player: share for team in contest.teams for player, share in team}
    figures = {report.player: figure_of(report, shares[report.player]) for report in contest.statistics}
    mean = mean_of(list(figures.values()))
    return {player: number - mean for player, number in figures.items() if number - mean == number - mean}


def mean_of(figures: Sequence[float]) -> float:
    """Return the mean of the figures that are known; nan where there are not two to compare."""
    known = [number for number in figures if number == number]
    return sum(known) / len(known) if len(known) > 1 else math.nan


def figure_of(statistics: Statistics, share: float) -> float:
    """Return a player's statistics as one number, nan where they say nothing.

    Kills and deaths count as ``log((kills + 1) / (deaths + 1))``; kills alone, or else the score, as
    the logarithm of their number in a whole contest and one more.

    Examples
    --------
    >>> round(figure_of(Statistics("ann", kills=7, deaths=3), 1.0), 4)
    0.6931
    """
    return figure(statistics.kills, statistics.deaths, statistics.score, share)


def figure(kills: float | None, deaths: float | None, score: float | None, share: float) -> float:
    """Return what :func:`figure_of` does, of the numbers themselves."""
    if kills is not None and deaths is not None:
        return math.log((kills + 1.0) / (deaths + 1.0))
    counted = kills if kills is not None else score
    return math.nan if counted is None else math.log(max(counted, 0.0) + share) - math.log(share)


#: Players of a contest up to which pairs are compared.
FEW_MEMBERS = 16  # effort


def check_alone(members: Any, name: str) -> None:
    """Raise where a player is twice in one of many contests, ``(m, players)``.

    Raises
    ------
    InputError
        With the name of what is given, and the number of the first such contest, from 0.
    """
    if members.shape[1] <= FEW_MEMBERS:  # to compare all pairs is faster than to sort so few
        seats = np.ascontiguousarray(members.T, dtype=np.uint32)
        twice = np.zeros(len(members), dtype=np.bool_)
        for n in range(1, len(seats)):
            for other in seats[:n]:
                twice |= seats[n] == other
    else:
        ordered = np.sort(members, axis=1)
        twice = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    if bool(twice.any()):
        msg = f"{name}: somebody appears twice in contest {int(np.flatnonzero(twice)[0])}"
        raise InputError(msg)
