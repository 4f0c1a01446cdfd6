"""Slow and exact: two and three teams judged in fractions of the decimals that were written.

Roots and logarithms have fifty digits, far more than floats can confuse.
Nothing here uses the package's problems, totals, objectives or solvers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

Labels = tuple[int, ...]


def splits(n: int, n_teams: int) -> Iterator[Labels]:
    """Go through all splits into unnamed teams whose sizes differ by at most one."""
    least, most = n // n_teams, -(-n // n_teams)

    def extended(labels: Labels) -> Iterator[Labels]:
        if len(labels) == n:
            if min(labels.count(team) for team in range(n_teams)) >= least:
                yield labels
            return
        for team in range(min(n_teams, max(labels, default=-1) + 2)):
            if labels.count(team) < most:
                yield from extended((*labels, team))

    return extended(())


def _decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / Decimal(number.denominator)


def _variance(numbers: Sequence[Fraction]) -> Fraction:
    mean = sum(numbers, Fraction(0)) / len(numbers)
    return sum(((number - mean) ** 2 for number in numbers), Fraction(0)) / len(numbers)


def cost(name: str, weights: Sequence[float], labels: Labels) -> Decimal:
    """Return what an objective says of a split, in fifty digits; lower is better."""
    exact = [Fraction(repr(weight)) for weight in weights]
    teams = [
        [number for number, team in zip(exact, labels, strict=True) if team == own]
        for own in range(max(labels) + 1)
    ]
    totals = [sum(team, Fraction(0)) for team in teams]
    with localcontext() as context:
        context.prec = 50
        if name == "difference":
            return _decimal(max(totals) - min(totals))
        if name == "ratio":
            return _decimal(1 - min(totals) / max(totals))
        if name == "spread":
            deviations = [_decimal(_variance(team)).sqrt() for team in teams]
            return max(deviations) - min(deviations)
        prior = _variance(exact) / 64 or Fraction(1)
        whole = _decimal(_variance(exact) + prior)
        return sum(
            (
                len(team) * (whole / _decimal(_variance(team) + prior)).ln() / (2 * len(exact))
                for team in teams
            ),
            Decimal(0),
        )


def best_in_order(order: Sequence[str], weights: Sequence[float], n_teams: int) -> Decimal:
    """Return the last objective's best cost among the splits that are best by all before it."""
    left = list(splits(len(weights), n_teams))
    scale = Decimal(max(abs(weight) for weight in weights) or 1)
    best = Decimal(0)
    for name in order:
        costs = [cost(name, weights, labels) for labels in left]
        best = min(costs)
        same = Decimal("1e-40") * max(scale, 1)
        left = [labels for labels, each in zip(left, costs, strict=True) if each <= best + same]
    return best


def front(first: str, second: str, weights: Sequence[float], n_teams: int) -> list[tuple[Decimal, Decimal]]:
    """Return the points between which there is a choice, the best by the first objective first."""
    same = Decimal("1e-40") * max(Decimal(max(abs(weight) for weight in weights)), 1)
    points = sorted(
        (cost(first, weights, labels), cost(second, weights, labels))
        for labels in splits(len(weights), n_teams)
    )
    kept: list[tuple[Decimal, Decimal]] = []
    for one, other in points:
        if not kept or other < kept[-1][1] - same:
            kept = [point for point in kept if point[0] < one - same]
            kept.append((one, other))
    return kept
