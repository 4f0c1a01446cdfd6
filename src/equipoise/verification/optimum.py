"""What is best, by going through every legal split: the optimum of every stage, and Pareto fronts.

Few splits are judged exactly: those whose cost in floats is near the best.  Totals and variances come from
fractions and are rounded once, so a handful of roundings is all there is; the room that is left for them is
hundreds of times as large.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, cast

from equipoise.core.stopping import Stop, never
from equipoise.verification.exact_numbers import SLOPE, Real
from equipoise.verification.objective_values import (
    Team,
    bots,
    everyone,
    line_up,
    moved,
    paid,
    teams_of,
    value,
)
from equipoise.verification.question import Question, Row, Stage

#: Room for rounding, relative to the largest number that goes into a sum; and in numbers near 0.
ROOM, LEAST = 1e-13, 1e-280

#: The slope of the link.
STEEP = float(SLOPE)

#: Beyond, an exponential is as good as infinite.
MOST_POWER = 600.0


class Near(NamedTuple):
    """Two floats that a number is certainly between."""

    low: float
    high: float


def near(asked: Question, stage: Stage, labels: Sequence[int]) -> Near:
    """Return what the cost of a split by one objective of an order is between.

    Examples
    --------
    >>> from equipoise.verification.question import question
    >>> asked = question({"Ann": 5.0, "Bob": 2.5}, objective="difference")
    >>> low, high = near(asked, asked.stages[0], (0, 1))
    >>> low < 2.5 < high
    True
    """
    teams = teams_of(asked, labels)
    value = off = 0.0
    for name, weight in stage.terms:
        if name in ("preferences", "moves"):
            own = _paid(asked, labels) if name == "preferences" else float(len(moved(asked, labels)))
            room = abs(own)
        else:
            own, room = FORMULAS[name](asked, teams)
        value += float(weight) * own
        off += float(weight) * (room + abs(own)) * ROOM + LEAST
    return Near(value - off, value + off) if math.isfinite(value + off) else Near(-math.inf, math.inf)


def _paid(asked: Question, labels: Sequence[int]) -> float:
    """Return about what :func:`~equipoise.verification.objective_values.paid` does; prices are added."""
    if asked.stay:
        return float(paid(asked, labels))
    total = 0.0
    for group in asked.groups:
        teams = [labels[i] for i in group.members]
        parts = [teams.count(team) for team in set(teams)]
        total += float(group.price) * (len(teams) - (max(parts) if group.together else len(parts)))
    for prices, team in zip(asked.floats.sides, labels, strict=False):
        total += prices[team]
    return total


def _difference(asked: Question, teams: Sequence[Team]) -> tuple[float, float]:
    del asked
    sums = [team.floats.total for team in teams]
    return max(sums) - min(sums), max(map(abs, sums))


def _ratio(asked: Question, teams: Sequence[Team]) -> tuple[float, float]:
    del asked
    sums = [team.floats.total for team in teams]
    if max(sums) < LEAST:
        return 0.0, math.inf if max(team.total for team in teams) > 0 else 0.0
    return 1.0 - min(sums) / max(sums), 1.0


def _win(asked: Question, teams: Sequence[Team]) -> tuple[float, float]:
    fewest = min(team.count for team in teams)
    zero = float(asked.zero)
    sums = [team.floats.total - zero * (team.count - fewest) for team in teams]
    largest = max(abs(team.floats.total) + abs(zero) * (team.count - fewest) for team in teams)
    everybody = max(sum(team.count for team in teams), 1)
    noise = sum(team.floats.unsure for team in teams) + everybody * asked.floats.noise
    noise = math.sqrt(2.0 / len(teams) * noise)
    scale = STEEP / noise
    if asked.side:
        sums[0] += float(asked.side) * noise
        largest += abs(float(asked.side)) * noise
    most, least = max(sums), min(sums)
    above, below = (
        1.0 / sum(math.exp(min(scale * (other - own), MOST_POWER)) for other in sums) for own in (most, least)
    )
    even = 1.0 / len(teams)
    return max(above - even, even - below), 1.0 + scale * largest


def _spread(asked: Question, teams: Sequence[Team]) -> tuple[float, float]:
    del asked
    roots = [math.sqrt(team.floats.variance) for team in teams]
    return max(roots) - min(roots), max(roots)


def _indistinguishable(asked: Question, teams: Sequence[Team]) -> tuple[float, float]:
    whole = _everyone(asked, teams)
    if not whole.count:
        return 0.0, 0.0
    everybodys = _uncertain(asked, whole)
    weight, wish = asked.floats.side_weight, whole.floats.side / whole.count
    value, largest = 0.0, 1.0 + weight
    for number, team in enumerate(teams):
        if not team.count:
            continue
        share = team.count / whole.count
        nats = math.log(everybodys / _uncertain(asked, team)) / 2.0
        value += share * nats
        largest += abs(nats)
        own = team.floats.side / team.count
        if weight and own != wish:
            divergence = sum(
                yes * math.log(yes / of_all) for yes, of_all in ((own, wish), (1.0 - own, 1.0 - wish)) if yes
            )
            right = (own - wish) * (2 * number - (len(teams) - 1)) if asked.signed else 1.0
            value -= share * weight * divergence * ((right > 0) - (right < 0))
            largest += weight * abs(divergence)
    return value, largest


def _uncertain(asked: Question, team: Team) -> float:
    return team.floats.variance + team.floats.unsure / team.count + asked.floats.prior


def _everyone(asked: Question, teams: Sequence[Team]) -> Team:
    """Return all teams as one, which is always the same but for bots and roles."""
    if asked.needed:
        return everyone(teams)
    count = sum(team.count for team in teams)
    if count not in asked.whole:
        asked.whole[count] = everyone(teams)
    return cast("Team", asked.whole[count])


FORMULAS = {
    "difference": _difference,
    "ratio": _ratio,
    "win": _win,
    "spread": _spread,
    "indistinguishable": _indistinguishable,
}


#: The team, from 0, of each player.
Labels = tuple[int, ...]


def splits(asked: Question, look: Callable[[], None] = lambda: None) -> Iterator[Labels]:
    """Go through every legal split; where teams are interchangeable, each once under one naming.

    ``look`` is called on the way, and may raise what ends it.
    """
    once = asked.interchangeable
    most = [min(limit, asked.n) for limit in asked.maximum]
    party_of = {i: n for n, party in enumerate(asked.parties) for i in party}
    first_of = {n: party[0] for n, party in enumerate(asked.parties)}
    enemies: dict[int, list[int]] = {}
    for one, other in asked.apart:
        enemies.setdefault(max(one, other), []).append(min(one, other))
    counts = [0] * asked.n_teams
    labels: list[int] = []
    most_moves = asked.n if asked.moves is None else asked.moves
    everywhere = list(range(asked.n_teams))
    mates = {i: first_of[n] for i, n in party_of.items() if first_of[n] < i}
    plain = [
        i not in mates and i not in enemies and i not in asked.fixed and i not in asked.now
        for i in range(asked.n)
    ]

    def allowed(i: int) -> list[int]:
        if plain[i]:
            held = everywhere
        else:
            teams = {asked.fixed[i]} if i in asked.fixed else set(everywhere)
            if i in mates:
                teams &= {labels[mates[i]]}
            teams -= {labels[other] for other in enemies.get(i, ())}
            gone = (labels[one] != team for one, team in asked.now.items() if one < i)
            if i in asked.now and sum(gone) >= most_moves:
                teams &= {asked.now[i]}
            held = sorted(teams)
        highest = max(labels, default=-1) + 1 if once else asked.n_teams
        return [team for team in held if counts[team] < most[team] and team <= highest]

    def extended(i: int) -> Iterator[Labels]:
        look()
        for team in allowed(i):
            labels.append(team)
            counts[team] += 1
            if i + 1 < asked.n:
                yield from extended(i + 1)
            elif not _breaks_as_a_whole(asked, labels, counts):
                yield tuple(labels)
            counts[team] -= 1
            labels.pop()

    if asked.n:
        return extended(0)
    return iter(() if broken(asked, ()) else ((),))


def broken(asked: Question, labels: Sequence[int]) -> list[str]:
    """Return the rules that a split breaks, in words; none where it is legal."""
    rules = [
        f"party: {', '.join(asked.ids[i] for i in party)} are not in one team"
        for party in asked.parties
        if len({labels[i] for i in party}) > 1
    ]
    rules += [
        f"apart: {asked.ids[one]} and {asked.ids[other]} are in one team"
        for one, other in asked.apart
        if labels[one] == labels[other]
    ]
    rules += [
        f"fixed: {asked.ids[i]} is in team {labels[i] + 1} instead of {team + 1}"
        for i, team in asked.fixed.items()
        if labels[i] != team
    ]
    counts = [list(labels).count(team) for team in range(asked.n_teams)]
    return rules + _breaks_as_a_whole(asked, labels, counts)


def _breaks_as_a_whole(asked: Question, labels: Sequence[int], counts: Sequence[int]) -> list[str]:
    """Return the broken rules that are not about pairs of players, and single ones."""
    rules = []
    for team, (low, count, high) in enumerate(zip(asked.minimum, counts, asked.maximum, strict=True)):
        if not low <= count <= high:
            rules.append(f"sizes: team {team + 1} has {count} players; {low} to {high} are allowed")
    if max(counts) - min(counts) > asked.difference:
        rules.append(
            f"sizes: the teams differ by {max(counts) - min(counts)} players; {asked.difference} are allowed"
        )
    rules += [
        f"rule {n + 1}: a sum is beyond its limit"
        for n, row in enumerate(asked.rows)
        if not _within(row, labels)
    ]
    gone = len(moved(asked, labels)) if asked.moves is not None else 0
    if asked.moves is not None and gone > asked.moves:
        rules.append(f"moves: {gone} players change team; {asked.moves} may")
    if asked.needed:
        for team, free in enumerate(bots(asked, labels)):
            lack = line_up(asked, tuple(i for i in range(asked.n) if labels[i] == team)).lack
            if lack > free:
                rules.append(f"roles: team {team + 1} cannot fill {lack - free} of its roles")
    return rules


def _within(row: Row, labels: Sequence[int]) -> bool:
    total = sum((f for (i, team), f in row.factors.items() if labels[i] == team), Fraction(0))
    above = row.low is None or row.low - row.rounding <= total
    return above and (row.high is None or total <= row.high + row.rounding)


@dataclass(frozen=True)
class Optimum:
    """The optimum of each stage among the splits that the stages before it leave, and what is left.

    Parameters
    ----------
    costs : tuple of Real
        The least cost of each stage; empty where nothing is legal.
    left : tuple of Labels
        Every split that is best by all stages.
    splits : int
        How many splits are legal.
    """

    costs: tuple[Real, ...]
    left: tuple[Labels, ...]
    splits: int


class TooMuchError(Exception):
    """There is too much to go through, or no time left."""


def look(stop: Stop) -> None:
    """Raise the error if the time is over."""
    if stop():
        msg = "the time is over"
        raise TooMuchError(msg)


def optimum(
    asked: Question,
    legal: Iterable[Labels] | None = None,
    stop: Stop = never,
    *,
    last: bool = True,
    let: Sequence[Real] = (),
) -> Optimum:
    """Return the optimum by going through every legal split, or those that are given.

    Parameters
    ----------
    asked : Question
        What is asked.
    legal : iterable of Labels, optional
        The splits, if not all legal ones.
    stop : callable
        Whether the time is over.
    last : bool
        Whether to go on to the last stage; otherwise ``left`` is all that it chooses from.
    let : sequence of Real
        Costs of each stage that are let through to the next even where they are beyond its limit.

    Raises
    ------
    TooMuchError
        If the time is over before the end.
    """
    left = list(splits(asked, lambda: look(stop)) if legal is None else legal)
    n = len(left)
    costs: list[Real] = []
    for number, stage in enumerate(asked.stages[: None if last else -1] if left else ()):
        judged = []
        for labels in left:
            look(stop)
            judged.append((near(asked, stage, labels), labels))
        highest = min(between.high for between, _ in judged)
        exact = {labels: value(asked, stage, labels) for between, labels in judged if between.low <= highest}
        least = min(exact.values())
        limit = least + Real(stage.tolerance)
        within = _Limit(asked, stage, max(limit, let[number]) if let else limit, exact)
        left = [labels for between, labels in judged if within(labels, between)]
        costs.append(least)
    return Optimum(tuple(costs), tuple(left), n)


class _Limit:
    """Tells whether splits are within a limit of a stage: exactly, unless it is clear from floats."""

    def __init__(self, asked: Question, stage: Stage, limit: Real, exact: Mapping[Labels, Real]) -> None:
        self.asked, self.stage, self.limit, self.exact = asked, stage, limit, exact
        self.clear = Near(
            math.nextafter(float(limit.below()), -math.inf), math.nextafter(float(limit.above()), math.inf)
        )

    def __call__(self, labels: Labels, between: Near) -> bool:
        if labels in self.exact:
            return self.exact[labels] <= self.limit
        if between.high < self.clear.low or between.low > self.clear.high:
            return between.high < self.clear.low
        return value(self.asked, self.stage, labels) <= self.limit


def ranked(asked: Question, keep: int) -> list[Real]:
    """Return the costs of the best splits by the last stage, within the limits of those before."""
    within = optimum(asked, last=False).left
    costs = [value(asked, asked.stages[-1], labels) for labels in within]
    costs.sort()
    return costs[:keep]


def front(asked: Question, first: str, second: str) -> list[tuple[Real, Real]]:
    """Return the values of every point of the Pareto front of two objectives, the best by the first first."""
    stages = [Stage(((name, Fraction(1)),)) for name in (first, second)]
    judged = [(tuple(near(asked, stage, labels) for stage in stages), labels) for labels in splits(asked)]
    judged.sort(key=lambda entry: entry[0][0].high)
    highs = [one.high for (one, _), _ in judged]
    lowest = list(itertools.accumulate((other.high for (_, other), _ in judged), min))
    points: list[tuple[Real, Real]] = []
    for (one, other), labels in judged:
        # Those that are certainly better by the first are before it; the best of them by the second decides.
        better = bisect_left(highs, one.low)
        if not better or lowest[better - 1] >= other.low:
            points.append((value(asked, stages[0], labels), value(asked, stages[1], labels)))
    points.sort()
    kept: list[tuple[Real, Real]] = []
    for first_cost, second_cost in points:
        if not kept or second_cost < kept[-1][1]:
            kept.append((first_cost, second_cost))
    return kept
