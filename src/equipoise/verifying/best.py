"""What is best, by going through everything: the optimum of every stage, and Pareto fronts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from equipoise.stopping import Stop, never
from equipoise.verifying.exact import Real
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


def optimum(asked: Question, legal: Iterable[Labels] | None = None, stop: Stop = never) -> Optimum:
    """Return the optimum by going through every legal split, or those that are given.

    Raises
    ------
    TooMuchError
        If the time is over before the end.
    """
    left = list(splits(asked, lambda: look(stop)) if legal is None else legal)
    n = len(left)
    costs: list[Real] = []
    for stage in asked.stages if left else ():
        judged = []
        for labels in left:
            look(stop)
            judged.append((value(asked, stage, labels), labels))
        least = judged[0][0]
        for cost, _ in judged:
            if cost < least:
                least = cost
        limit = least + Real(stage.tolerance)
        left = [labels for cost, labels in judged if cost <= limit]
        costs.append(least)
    return Optimum(tuple(costs), tuple(left), n)


def ranked(asked: Question, keep: int) -> list[Real]:
    """Return the costs of the best splits by the last stage, within the limits of those before."""
    within = optimum(replace(asked, stages=asked.stages[:-1])).left
    costs = [value(asked, asked.stages[-1], labels) for labels in within]
    costs.sort()
    return costs[:keep]


def front(asked: Question, first: str, second: str) -> list[tuple[Real, Real]]:
    """Return the values of every point of the Pareto front of two objectives, the best by the first first."""
    stages = [Stage(((name, Fraction(1)),)) for name in (first, second)]
    points = [tuple(value(asked, stage, labels) for stage in stages) for labels in splits(asked)]
    points.sort()
    kept: list[tuple[Real, Real]] = []
    for one, other in points:
        if not kept or other < kept[-1][1]:
            kept.append((one, other))
    return kept
