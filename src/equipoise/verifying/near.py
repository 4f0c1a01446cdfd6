"""Floats that are near what objectives say of a split, and how near: so that few splits are judged exactly.

Totals and variances come from fractions and are rounded once, so a handful of roundings is all there is; the
room that is left for them is hundreds of times as large.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from equipoise.verifying.exact import SLOPE
from equipoise.verifying.question import Question, Stage
from equipoise.verifying.values import Team, everyone, moved, noise_of, paid, teams_of

#: Room for rounding, relative to the largest number that goes into a sum; and in numbers near 0.
ROOM, LEAST = 1e-13, 1e-280

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
            number = float(paid(asked, labels) if name == "preferences" else len(moved(asked, labels)))
            own, room = number, abs(number)
        else:
            own, room = FORMULAS[name](asked, teams)
        value += float(weight) * own
        off += float(weight) * (room + abs(own)) * ROOM + LEAST
    return Near(value - off, value + off) if math.isfinite(value + off) else Near(-math.inf, math.inf)


def _difference(asked: Question, teams: Sequence[Team]) -> tuple[float, float]:
    del asked
    sums = [float(team.total) for team in teams]
    return max(sums) - min(sums), max(map(abs, sums))


def _ratio(asked: Question, teams: Sequence[Team]) -> tuple[float, float]:
    del asked
    sums = [float(team.total) for team in teams]
    if max(sums) < LEAST:
        return 0.0, math.inf if max(team.total for team in teams) > 0 else 0.0
    return 1.0 - min(sums) / max(sums), 1.0


def _win(asked: Question, teams: Sequence[Team]) -> tuple[float, float]:
    fewest = min(team.count for team in teams)
    zero = float(asked.zero)
    sums = [float(team.total) - zero * (team.count - fewest) for team in teams]
    largest = max(abs(float(team.total)) + abs(zero) * (team.count - fewest) for team in teams)
    scale = float(SLOPE) / math.sqrt(float(noise_of(asked, teams)))
    most, least = max(sums), min(sums)
    above, below = (
        1.0 / sum(math.exp(min(scale * (other - own), MOST_POWER)) for other in sums) for own in (most, least)
    )
    even = 1.0 / len(teams)
    return max(above - even, even - below), 1.0 + scale * largest


def _spread(asked: Question, teams: Sequence[Team]) -> tuple[float, float]:
    del asked
    roots = [math.sqrt(float(team.variance)) for team in teams]
    return max(roots) - min(roots), max(roots)


def _indistinguishable(asked: Question, teams: Sequence[Team]) -> tuple[float, float]:
    whole = everyone(teams)
    if not whole.count:
        return 0.0, 0.0
    everybodys = _uncertain(asked, whole)
    weight, wish = float(asked.side_weight), float(whole.side / whole.count)
    value, largest = 0.0, 1.0 + weight
    for number, team in enumerate(teams):
        if not team.count:
            continue
        share = team.count / whole.count
        nats = math.log(everybodys / _uncertain(asked, team)) / 2.0
        value += share * nats
        largest += abs(nats)
        own = float(team.side / team.count)
        if weight and own != wish:
            divergence = sum(
                yes * math.log(yes / of_all) for yes, of_all in ((own, wish), (1.0 - own, 1.0 - wish)) if yes
            )
            right = (own - wish) * (2 * number - (len(teams) - 1)) if asked.signed else 1.0
            value -= share * weight * divergence * ((right > 0) - (right < 0))
            largest += weight * abs(divergence)
    return value, largest


def _uncertain(asked: Question, team: Team) -> float:
    return float(team.variance) + float(team.unsure) / team.count + float(asked.prior)


FORMULAS = {
    "difference": _difference,
    "ratio": _ratio,
    "win": _win,
    "spread": _spread,
    "indistinguishable": _indistinguishable,
}
