"""What is best, by going through everything: the optimum of every stage, and Pareto fronts."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from equipoise.stopping import Stop, never
from equipoise.verifying.exact import Real
from equipoise.verifying.near import Near, near
from equipoise.verifying.question import Question, Stage
from equipoise.verifying.splits import Labels, splits
from equipoise.verifying.values import value


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
