"""Floats that are near what objectives say of a split, and how near: so that few splits are judged exactly.

Totals and variances come from fractions and are rounded once, so a handful of roundings is all there is; the
room that is left for them is hundreds of times as large.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, cast

from equipoise.verifying.exact import SLOPE
from equipoise.verifying.question import Question, Stage
from equipoise.verifying.values import Team, everyone, moved, paid, teams_of

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
    >>> from equipoise.verifying.asking import question
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
    """Return about what :func:`equipoise.verifying.values.paid` does; only prices are added up."""
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
    scale = STEEP / math.sqrt(2.0 / len(teams) * noise)
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
