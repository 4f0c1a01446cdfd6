"""What a side is worth: how much more often the team that is named first wins than the players explain.

A side is red or blue, attack or defence, or who begins: in logs the order of the teams.  Its worth is in
log-odds, learnt beside the model from what that predicted of each contest, with its uncertainty::

    logit P(the first of two teams wins) = logit(chance by the players) + a(ruleset) + a(ruleset, map)
    a(ruleset) ~ N(0, .3²)      a(ruleset, map) ~ N(0, .2²)

Both are shrunk to none: where sides were drawn by a coin they stay near 0.  Where nearly everybody who is
named first wins, the order is that of the result, as in tables of winners and losers, and tells of no side.

References
----------
R. Weng, C.-J. Lin, JMLR 12 (2011) 267 (moments of a logistic update).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from equipoise.core.arrays import Floats
from equipoise.core.compiled import pays, run
from equipoise.core.match import Ruleset
from equipoise.core.sides import EVEN_SIDES
from equipoise.core.win_probability import LOGISTIC_SLOPE

#: Standard deviations of what a side is worth in a ruleset, and on a map of it, before anything was seen.
OF_RULESET, OF_MAP = 0.3, 0.2

#: A chance is kept this far from 0 and 1.
CLIP = 1e-6

#: So many contests of which so large a part is won by the first stand in the order of the result.
ENOUGH, NEARLY_ALL = 10, 0.95

#: Contests in columns from which the compiled kernel pays where numba is not loaded.
WORTH = 500_000  # effort

#: How many standard deviations from none an advantage is that is reported.
REPORTED = 2.0


@dataclass(frozen=True, slots=True)
class SideAdvantage:
    """What it is worth to be named first.

    Parameters
    ----------
    mean, sigma : float
        In log-odds of winning; above 0 the first team is better off.
    contests : int
        What it was learnt from.
    won : float
        How many of these the first team won, draws as half.
    """

    mean: float = 0.0
    sigma: float = OF_RULESET
    contests: int = 0
    won: float = 0.0

    @property
    def by_result(self) -> bool:
        """Whether the first team is simply the winner: then the order says nothing of sides."""
        share = self.won / max(self.contests, 1)
        return self.contests >= ENOUGH and not 1.0 - NEARLY_ALL < share < NEARLY_ALL

    @property
    def reported(self) -> bool:
        """Whether it is far enough from none to be reported."""
        return abs(self.mean) > REPORTED * self.sigma and not self.by_result

    def chance(self, chance: float) -> float:
        """Return the first team's chance with its side, from that by the players alone.

        Examples
        --------
        >>> round(SideAdvantage(mean=0.2, sigma=0.05, contests=200, won=110.0).chance(0.5), 3)
        0.55
        """
        if self.by_result:
            return chance
        # An unsure advantage moves a chance less: the logistic of a normal distribution.
        shrunk = math.sqrt(1.0 + (self.sigma / LOGISTIC_SLOPE) ** 2)
        return 1.0 / (1.0 + math.exp(-(_logit(chance) + self.mean) / shrunk))


#: What a side is worth in a ruleset, and on a map of it: the key has no map, or one.
Key = tuple[Ruleset, str]

#: Of each: mean and variance in log-odds, the contests that it rests on, and how many of them the first won.
Row = tuple[float, float, float, float]

#: How many numbers that are.
ROW = 4


@dataclass(slots=True)
class SideAdvantages:
    """What sides are worth in each ruleset and on each map, learnt contest by contest.

    Parameters
    ----------
    rows : dict
        What is known, by ruleset and map.

    Examples
    --------
    >>> sides = SideAdvantages()
    >>> for _ in range(60):
    ...     sides.learn(Ruleset(), (1, 2), 0.8, "dm6")
    ...     sides.learn(Ruleset(), (2, 1), 0.8, "dm6")
    >>> sides.of(Ruleset(), "dm6").mean < -0.5, sides.of(Ruleset("ut2004")).mean
    (True, 0.0)
    """

    rows: dict[Key, Row] = field(default_factory=dict)

    def learn(
        self, ruleset: Ruleset, ranks: Sequence[float], chance: float, at_map: str = "", weight: float = 1.0
    ) -> None:
        """Learn from a contest of two teams.

        Parameters
        ----------
        ruleset : Ruleset
            What was played.
        ranks : sequence of float
            One for each team, lower is better.
        chance : float
            That of the first by the players alone.
        at_map : str
            Where it was; empty where not known.
        weight : float
            How much it counts.
        """
        rows = self.rows
        general = rows.get((ruleset, "")) or (0.0, OF_RULESET**2, 0.0, 0.0)
        own = (rows.get((ruleset, at_map)) or (0.0, OF_MAP**2, 0.0, 0.0)) if at_map else None
        mean, variance = general[:2] if own is None else (general[0] + own[0], general[1] + own[1])
        won = _won(ranks[0], ranks[1])
        pull, information = _evidence(mean, variance, chance, won, weight)
        rows[ruleset, ""] = _moved(general, pull, information, won)
        if own is not None:
            rows[ruleset, at_map] = _moved(own, pull, information, won)

    def learn_columns(self, columns: SideColumns, chances: Sequence[float] | Floats) -> None:
        """Learn from contests in columns, with the chance of each team of each: as :meth:`learn` does.

        Parameters
        ----------
        columns : SideColumns
            The contests of two teams.
        chances : sequence of float
            One for each team of all contests that the columns are of.
        """
        many = len(columns.contests.team)
        if not many:
            return
        rows = self.rows
        known = [
            rows.get(key) or (0.0, OF_MAP**2 if key[1] else OF_RULESET**2, 0.0, 0.0) for key in columns.keys
        ]
        table = np.array(known, dtype=float).ravel()
        fast = pays(many, WORTH, kernels=(learn_contests,))
        run(learn_contests, columns.contests, np.asarray(chances), table, fast=fast)
        for key, row in zip(columns.keys, table.reshape(-1, ROW).tolist(), strict=True):
            rows[key] = tuple(row)

    def of(self, ruleset: Ruleset, at_map: str = "") -> SideAdvantage:
        """Return what the first side is worth in a ruleset, on a map where that is named and known."""
        general = self.rows.get((ruleset, ""))
        if general is None:
            return SideAdvantage()
        own = self.rows.get((ruleset, at_map)) if at_map else None
        if own is None:
            return SideAdvantage(general[0], math.sqrt(general[1]), int(general[2]), general[3])
        sigma = math.sqrt(general[1] + own[1])
        return SideAdvantage(general[0] + own[0], sigma, int(own[2]), own[3])

    def chance(self, ruleset: Ruleset, at_map: str = "") -> float:
        """Return the chance of the first of two equal teams, 0.5 where no side is known to be better.

        Where the order is that of the result in the whole ruleset, it is so on each map.
        """
        side = self.of(ruleset, at_map)
        return side.chance(0.5) if side.reported and not self.of(ruleset).by_result else EVEN_SIDES

    def known(self) -> list[tuple[Ruleset, str, SideAdvantage]]:
        """Return all rulesets, and all maps of each, in the order in which they came."""
        rows = [(ruleset, at_map, self.of(ruleset, at_map)) for ruleset, at_map in self.rows]
        return sorted(rows, key=lambda each: bool(each[1]))


class SideContests(NamedTuple):
    """Contests of two teams, in order.

    Parameters
    ----------
    team : array of int, (m,)
        The number of the first team of each, among the teams of all contests.
    general, own : array of int, (m,)
        Which rows are those of the ruleset, and of the map in it; of no map -1.
    first, second, weight : array of float, (m,)
        The ranks of the teams, and how much each contest counts.
    """

    team: Any
    general: Any
    own: Any
    first: Any
    second: Any
    weight: Any


class SideColumns(NamedTuple):
    """Contests, and the key of each row that they refer to, in order of appearance."""

    keys: tuple[Key, ...]
    contests: SideContests


def columns_of(contests: Iterable[tuple[int, Ruleset, Sequence[float], str, float]]) -> SideColumns:
    """Return contests as columns: of each the number of its first team, ruleset, ranks, map and weight.

    Those of more than two teams are left out.
    """
    keys: dict[Key, int] = {}
    columns: tuple[list[Any], ...] = ([], [], [], [], [], [])
    for team, ruleset, ranks, place, weight in contests:
        if len(ranks) != 2:
            continue
        general = keys.setdefault((ruleset, ""), len(keys))
        own = keys.setdefault((ruleset, place), len(keys)) if place else -1
        for column, value in zip(columns, (team, general, own, *ranks, weight), strict=True):
            column.append(value)
    whole, real = (np.array(each, dtype=np.int64) for each in columns[:3]), columns[3:]
    return SideColumns(tuple(keys), SideContests(*whole, *(np.array(each, dtype=float) for each in real)))


def learn_contests(contests: SideContests, chances: Sequence[float], table: Any) -> None:
    """Learn from contests in order: the kernel.  ``table`` has a row after the other, and is changed."""
    for n in range(len(contests.team)):
        general, own = ROW * contests.general[n], ROW * contests.own[n]
        mean, variance = table[general], table[general + 1]
        if own >= 0:
            mean, variance = mean + table[own], variance + table[own + 1]
        won = _won(contests.first[n], contests.second[n])
        pull, information = _evidence(mean, variance, chances[contests.team[n]], won, contests.weight[n])
        _move(table, general, pull, information, won)
        if own >= 0:
            _move(table, own, pull, information, won)


def _move(table: Any, at: int, pull: float, information: float, won: float) -> None:
    mean, variance = table[at], table[at + 1]
    table[at] = mean + variance * pull
    table[at + 1] = variance / (1.0 + variance * information)
    table[at + 2] += 1.0
    table[at + 3] += won


def _won(first: float, second: float) -> float:
    """Return 1 where the first team won, 0 where the second did, and half of it for a draw."""
    if first < second:
        return 1.0
    return 0.0 if first > second else 0.5


def _evidence(mean: float, variance: float, chance: float, won: float, weight: float) -> tuple[float, float]:
    """Return by how much a contest moves what a side is worth, for each unit of variance, and how surely."""
    scale = 1.0 / math.sqrt(1.0 + variance / LOGISTIC_SLOPE**2)
    expected = 1.0 / (1.0 + math.exp(-scale * (_logit(chance) + mean)))
    return weight * scale * (won - expected), weight * scale * scale * expected * (1.0 - expected)


def _moved(row: Row, pull: float, information: float, won: float) -> Row:
    table = list(row)
    _move(table, 0, pull, information, won)
    return tuple(table)  # type: ignore[return-value]  # as many as there were


def learnt_sides(
    contests: Iterable[Any],
    chances: Iterable[Sequence[float]],
    maps: Iterable[str],
    known: Mapping[Key, Row] | None = None,
) -> SideAdvantages:
    """Return what sides are worth, from contests in order and what was predicted of each before it.

    Parameters
    ----------
    contests : iterable of Contest
        Those of more than two teams are left out.
    chances : iterable of sequences of float
        Of each team of each contest, by its players alone.
    maps : iterable of str
        Where each was played; empty where not known.
    known : mapping, optional
        What is known before.
    """
    sides = SideAdvantages(dict(known or {}))
    for contest, predicted, place in zip(contests, chances, maps, strict=True):
        if len(contest.ranks) == 2:
            sides.learn(contest.ruleset, contest.ranks, predicted[0], place, contest.weight)
    return sides


def _logit(chance: float) -> float:
    kept = min(max(chance, CLIP), 1.0 - CLIP)
    return math.log(kept / (1.0 - kept))
