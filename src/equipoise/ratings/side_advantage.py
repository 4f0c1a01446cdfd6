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
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from equipoise.core.match import Ruleset
from equipoise.core.win_probability import LOGISTIC_SLOPE

#: Standard deviations of what a side is worth in a ruleset, and on a map of it, before anything was seen.
OF_RULESET, OF_MAP = 0.3, 0.2

#: A chance is kept this far from 0 and 1.
CLIP = 1e-6

#: So many contests of which so large a part is won by the first stand in the order of the result.
ENOUGH, NEARLY_ALL = 10, 0.95

#: How many standard deviations from none an advantage is that is reported.
REPORTED = 2.0


class PlayedContest(Protocol):
    """What is looked at of a contest."""

    @property
    def ruleset(self) -> Ruleset:
        """What was played."""

    @property
    def teams(self) -> Sequence[Any]:
        """Its teams."""

    @property
    def ranks(self) -> Sequence[float]:
        """One for each team, lower is better."""

    @property
    def weight(self) -> float:
        """How much it counts."""


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


@dataclass(slots=True)
class _Worth:
    """A part of what a side is worth, and what it rests on."""

    mean: float
    variance: float
    contests: int = 0
    won: float = 0.0


@dataclass(slots=True)
class SideAdvantages:
    """What sides are worth in each ruleset and on each map, learnt contest by contest.

    Examples
    --------
    >>> from equipoise.core.match import Contest
    >>> red = Contest(Ruleset(), (["ann"], ["bob"]), (1, 2))
    >>> sides = SideAdvantages()
    >>> for _ in range(60):
    ...     sides.learn(red, 0.8, "dm6")
    ...     sides.learn(Contest(Ruleset(), (["ann"], ["bob"]), (2, 1)), 0.8, "dm6")
    >>> sides.of(Ruleset(), "dm6").mean < -0.5, sides.of(Ruleset("ut2004")).mean
    (True, 0.0)
    """

    _rulesets: dict[Ruleset, _Worth] = field(default_factory=dict)
    _maps: dict[tuple[Ruleset, str], _Worth] = field(default_factory=dict)

    def learn(self, contest: PlayedContest, chance: float, at_map: str = "") -> None:
        """Learn from a contest of two teams and the chance that the first had by the players alone."""
        parts = [self._rulesets.setdefault(contest.ruleset, _Worth(0.0, OF_RULESET**2))]
        if at_map:
            parts.append(self._maps.setdefault((contest.ruleset, at_map), _Worth(0.0, OF_MAP**2)))
        one, other = contest.ranks
        won = 0.5 * (1.0 + (one < other) - (one > other))
        variance = sum(part.variance for part in parts)
        scale = 1.0 / math.sqrt(1.0 + variance / LOGISTIC_SLOPE**2)
        expected = 1.0 / (1.0 + math.exp(-scale * (_logit(chance) + sum(part.mean for part in parts))))
        information = contest.weight * scale * scale * expected * (1.0 - expected)
        for part in parts:
            part.mean += contest.weight * part.variance * scale * (won - expected)
            part.variance /= 1.0 + part.variance * information
            part.contests += 1
            part.won += won

    def of(self, ruleset: Ruleset, at_map: str = "") -> SideAdvantage:
        """Return what the first side is worth in a ruleset, on a map where that is named."""
        general = self._rulesets.get(ruleset)
        if general is None:
            return SideAdvantage()
        own = self._maps.get((ruleset, at_map)) if at_map else None
        if own is None:
            return SideAdvantage(general.mean, math.sqrt(general.variance), general.contests, general.won)
        sigma = math.sqrt(general.variance + own.variance)
        return SideAdvantage(general.mean + own.mean, sigma, own.contests, own.won)

    def known(self) -> list[tuple[Ruleset, str, SideAdvantage]]:
        """Return all rulesets, and all maps of each, in the order in which they came."""
        rows = [(ruleset, "", self.of(ruleset)) for ruleset in self._rulesets]
        return rows + [(ruleset, place, self.of(ruleset, place)) for ruleset, place in self._maps]


def learnt_sides(
    contests: Sequence[PlayedContest], chances: Sequence[Sequence[float]], maps: Sequence[str]
) -> SideAdvantages:
    """Return what sides are worth, from contests in order and what was predicted of each before it.

    Parameters
    ----------
    contests : sequence of Contest
        Those of more than two teams are left out.
    chances : sequence of sequences of float
        Of each team of each contest, by its players alone.
    maps : sequence of str
        Where each was played; empty where not known.
    """
    sides = SideAdvantages()
    for contest, predicted, place in zip(contests, chances, maps, strict=True):
        if len(contest.teams) == 2:
            sides.learn(contest, predicted[0], place)
    return sides


def _logit(chance: float) -> float:
    kept = min(max(chance, CLIP), 1.0 - CLIP)
    return math.log(kept / (1.0 - kept))
