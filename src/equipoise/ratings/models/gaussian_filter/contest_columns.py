"""Contests as columns of numbers for the kernels, and the state of the filter as a table.

Only the shape of the data is decided here; what is done with it is in
:mod:`equipoise.ratings.models.gaussian_filter.kernels`.  Columns are arrays of the standard library: the
plain kernels index them as they are, and NumPy takes them over without copying.
"""

from __future__ import annotations

import itertools
import math
import struct
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import log
from operator import attrgetter, sub
from typing import Any

import numpy as np

from equipoise.core.match import Contest, Ruleset, settled_scores
from equipoise.core.player import is_bot
from equipoise.errors import InputError
from equipoise.ratings.model import Attention
from equipoise.ratings.models.gaussian_filter.kernels import (
    FIGURE,
    LEARN,
    LEVELS,
    PLACE,
    REPORT,
    SHARE,
    Contests,
    Members,
    Teams,
)

#: Share, attention and figure of who has none of them other than everyone has.
PLAIN = array("d", [1.0, 1.0, math.nan])

#: The score of a team where none is known, and two teams by rank.
UNKNOWN, IN_ORDER, REVERSED = (math.nan,), (0, 1), (1, 0)

#: Contests up to which NumPy takes longer than plain Python.
FEW = 50  # effort

#: Contests that are packed together: what is looked at several times stays near the processor.
TOGETHER = 256  # effort

#: Seconds in a day.
DAY = 86400.0

#: A part of a player's skill: whose, and the ruleset it is for; ``Ruleset()`` is the general part.
Key = tuple[str, Ruleset]

GENERAL = Ruleset()

_ruleset_of = attrgetter("ruleset")

#: The places of a player in a column of whole numbers.
PLACES = struct.Struct(f"{PLACE}I").pack


def _whole() -> array[int]:
    return array("I")


def _real() -> array[float]:
    return array("d")


class SkillPlaces(dict[str, bytes]):
    """Where the parts of each player's skill in a ruleset stand: those of others are added when asked for.

    Of a player these are the places, those of parts that do not count being 0, and whether it is a bot, as
    the bytes of a column.
    """

    __slots__ = ("_keys", "_others", "_parts")

    def __init__(self, keys: dict[Key, int], ruleset: Ruleset) -> None:
        self._keys, self._parts = keys, levels(ruleset)
        self._others = (0,) * (LEVELS - len(self._parts))

    def __missing__(self, player: str) -> bytes:
        keys = self._keys
        if len(self._parts) == 1:  # as in most histories of results alone
            row = PLACES(keys.setdefault((player, GENERAL), len(keys)), *self._others, is_bot(player))
        else:
            places = list[int]()
            for part in self._parts:  # a comprehension would take half as long again
                places.append(keys.setdefault((player, part), len(keys)))
            row = PLACES(*places, *self._others, is_bot(player))
        self[player] = row
        return row


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
    rows: dict[Ruleset, SkillPlaces] = field(default_factory=dict)
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
    for first in range(0, len(contests), TOGETHER):
        part = slice(first, first + TOGETHER)
        _append(packed, contests[part], None if attention is None else attention[part])
    return packed


class OneContest:
    """The columns of one contest at a time, of one ruleset and teams of the same sizes: arrays are made once.

    Parameters
    ----------
    packed : Packed
        The first one.
    """

    __slots__ = ("_arrays", "_packed", "_widest", "at", "first_team", "rank")

    def __init__(self, packed: Packed) -> None:
        self._packed, self._widest = packed, packed.widest()
        self._arrays = packed.arrays()  # of the same memory
        self.first_team, self.at, self.rank = packed.first_team, packed.at, packed.rank

    def __reduce__(self) -> tuple[type[OneContest], tuple[Packed]]:
        """Let a copy have arrays of its own memory."""
        return OneContest, (self._packed,)

    def fill(self, contest: Contest) -> None:
        """Let the columns be those of another contest."""
        packed, ranks = self._packed, contest.ranks
        players = [player for team in contest.teams for player, _ in team]
        shares = [share for team in contest.teams for _, share in team]
        places = b"".join(map(packed.rows[contest.ruleset].__getitem__, players))
        packed.places[:] = array("I", places)
        packed.at[0], packed.weight[0] = contest.at / DAY, contest.weight
        packed.rank[:], packed.order[:] = array("d", ranks), array("I", _order(ranks))
        packed.score[:] = array("d", _scores(contest))
        packed.reports[:], packed.reported[:] = _reports([contest], players, shares, None)

    def columns(self) -> tuple[Contests, Teams, Members]:
        """Return the columns as the plain kernels take them."""
        return self._packed.columns()

    def arrays(self) -> tuple[Contests, Teams, Members]:
        """Return the columns as the compiled kernels take them."""
        return self._arrays

    def widest(self) -> tuple[int, int]:
        """Return how many teams and players there are."""
        return self._widest


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


def _append(packed: Packed, contests: Sequence[Contest], attention: Attention | None) -> None:
    """Append contests to the columns."""
    teams = [team for contest in contests for team in contest.teams]
    players = [player for team in teams for player, _ in team]
    shares = [share for team in teams for _, share in team]
    for column, starts in (
        (packed.first_team, map(len, [contest.teams for contest in contests])),
        (packed.first_member, map(len, teams)),
    ):  # fmt: skip
        column.fromlist(list(itertools.accumulate(starts, initial=column.pop())))
    _append_places(packed, contests, players)
    # From lists: an array takes what it is to be extended by one after the other.
    packed.at.fromlist([contest.at / DAY for contest in contests])
    packed.weight.fromlist([contest.weight for contest in contests])
    packed.rank.fromlist([rank for contest in contests for rank in contest.ranks])
    packed.order.fromlist([team for contest in contests for team in _order(contest.ranks)])
    packed.score.fromlist([score for contest in contests for score in _scores(contest)])
    reports, reported = _reports(contests, players, shares, attention)
    packed.reports.extend(reports)
    packed.reported.extend(reported)


def _reports(
    contests: Sequence[Contest],
    players: Sequence[str],
    shares: Sequence[float],
    attention: Attention | None,
) -> tuple[array[float], array[int]]:
    """Return share, attention and figure of each player, and how many figures each contest has."""
    reports = PLAIN * len(players)
    if shares.count(1.0) < len(shares):
        reports[SHARE::REPORT] = array("d", shares)
    if attention is not None:
        reports[LEARN::REPORT] = array("d", _factors(contests, attention))
    if not any(contest.statistics for contest in contests):
        return reports, array("I", [0]) * len(contests)
    figures, reported = figures_of(contests, players, shares)
    reports[FIGURE::REPORT] = array("d", figures)
    return reports, array("I", reported)


def _append_places(packed: Packed, contests: Sequence[Contest], players: Sequence[str]) -> None:
    """Append where the parts of the players' skills stand, and what is of the rulesets."""
    rows, contest = list[bytes](), len(packed.which)
    start = end = packed.first_member[packed.first_team[contest]]
    for ruleset, alike in itertools.groupby(contests, _ruleset_of):
        many = len(list(alike))
        contest += many
        first, end = end, packed.first_member[packed.first_team[contest]]
        if ruleset not in packed.rows:
            packed.rows[ruleset] = SkillPlaces(packed.keys, ruleset)
            packed.rulesets.setdefault(ruleset, len(packed.rulesets))
        rows += map(packed.rows[ruleset].__getitem__, players[first - start : end - start])
        packed.which.fromlist([packed.rulesets[ruleset]] * many)
        packed.depth.fromlist([len(levels(ruleset))] * many)
        packed.untyped.fromlist([untyped(ruleset)] * many)
    packed.places.frombytes(b"".join(rows))


def _factors(contests: Sequence[Contest], attention: Attention) -> list[float]:
    """Return with which factor each player learns from each contest."""
    return [
        factors.get(player, 1.0)
        for contest, factors in zip(contests, attention, strict=True)
        for team in contest.teams
        for player, _ in team
    ]


def _scores(contest: Contest) -> tuple[float, ...]:
    """Return the scores of a contest's teams, nan where they are not known."""
    ranks, scores = contest.ranks, contest.scores
    return settled_scores(ranks, scores) if scores else UNKNOWN * len(ranks)


def _order(ranks: Sequence[float]) -> Sequence[int]:
    """Return the teams of a contest by rank."""
    if len(ranks) == 2:  # as most contests are
        return IN_ORDER if ranks[0] <= ranks[1] else REVERSED
    return sorted(range(len(ranks)), key=ranks.__getitem__)


def figures_of(
    contests: Sequence[Contest], players: Sequence[str], shares: Sequence[float]
) -> tuple[list[float], list[int]]:
    """Return what statistics say of each player, less the contest's mean, and of how many in each contest.

    Parameters
    ----------
    contests : sequence of Contest
        Several.
    players, shares : sequence
        Who is in them, one contest after the other, with everyone's share.

    Returns
    -------
    figures : list of float
        Of each player; nan where nothing is known, or not of two in the contest.
    reported : list of int
        Of each contest.
    """
    reports = [one for contest in contests for one in contest.statistics]
    everyone = [one.player for one in reports] == players  # one after the other, as most readers give them
    seats = [] if everyone else _seats(contests, players)
    try:  # most often everyone's kills and deaths are known: as figure() has them, a call each less
        known = [log((one.kills + 1.0) / (one.deaths + 1.0)) for one in reports]  # type: ignore[operator]
    except TypeError:
        present = shares if everyone else [shares[seat] for seat in seats]
        known = [
            figure(one.kills, one.deaths, one.score, share)
            for one, share in zip(reports, present, strict=True)
        ]
    means, reported, end = list[float](), list[int](), 0
    many = [len(contest.statistics) for contest in contests]
    for each in many:
        first, end = end, end + each
        mean, count = mean_of(known[first:end])
        means.append(mean)
        reported.append(count)
    figures = list(map(sub, known, itertools.chain.from_iterable(map(itertools.repeat, means, many))))
    if not everyone:
        among = dict(zip(seats, figures, strict=True))
        figures = [among.get(seat, math.nan) for seat in range(len(players))]
    return figures, reported


def _seats(contests: Sequence[Contest], players: Sequence[str]) -> list[int]:
    """Return where among the players those stand whom statistics are of."""
    seats, end = list[int](), 0
    for contest in contests:
        first, end = end, end + sum(map(len, contest.teams))
        places = dict(zip(players[first:end], range(first, end), strict=True))
        seats += [places[one.player] for one in contest.statistics]
    return seats


def mean_of(figures: Sequence[float]) -> tuple[float, int]:
    """Return the mean of the figures of a contest that are known, and how many; nan of fewer than two."""
    total, count = sum(figures), len(figures)
    if total != total:
        known = [number for number in figures if number == number]
        total, count = sum(known), len(known)
    return (total / count, count) if count > 1 else (math.nan, 0)


def figure(kills: float | None, deaths: float | None, score: float | None, share: float) -> float:
    """Return a player's statistics as one number, nan where they say nothing.

    Kills and deaths count as ``log((kills + 1) / (deaths + 1))``; kills alone, or else the score, as
    the logarithm of their number in a whole contest and one more.

    Examples
    --------
    >>> round(figure(kills=7, deaths=3, score=None, share=1.0), 4)
    0.6931
    """
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
            twice |= np.bitwise_or.reduce(seats[:n] == seats[n], axis=0)
    else:
        ordered = np.sort(members, axis=1)
        twice = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    if bool(twice.any()):
        msg = f"{name}: somebody appears twice in contest {int(np.flatnonzero(twice)[0])}"
        raise InputError(msg)
