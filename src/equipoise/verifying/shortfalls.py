"""By how much a split is worse than the optimum of each stage, and whether rounding explains it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

from equipoise.verifying.best import Optimum
from equipoise.verifying.exact import Real
from equipoise.verifying.question import Question, Stage
from equipoise.verifying.rounding import RoundingBound
from equipoise.verifying.splits import Labels
from equipoise.verifying.values import value


class Shortfall(NamedTuple):
    """What a split costs by a stage, what is least there, and by how much it is worse than allowed."""

    stage: Stage
    cost: Real
    least: Real
    beyond: Fraction
    error: Fraction

    @property
    def explained(self) -> bool:
        """Whether rounding explains it."""
        return self.beyond <= self.error


def shortfalls(
    asked: Question,
    labels: Labels,
    best: Optimum,
    rounding: RoundingBound,
    again: Callable[[Sequence[Real]], Optimum],
) -> list[Shortfall]:
    """Return what a split falls short by, stage by stage.

    A split may be beyond the limit of a stage by what rounding explains, such as a chance of 1e-30 instead
    of 1e-40.  The stages after it then choose from other splits than those within the limit on paper, and are
    measured by the best of all that are no further beyond it.

    Parameters
    ----------
    asked : Question
        What is asked.
    labels : Labels
        The split.
    best : Optimum
        The optimum on paper.
    rounding : RoundingBound
        What rounding explains.
    again : callable
        Finds the optimum once more, with costs of each stage that are let through.
    """
    found = _measured(asked, labels, best, rounding)
    failed = next((n for n, shortfall in enumerate(found) if not shortfall.explained), 0)
    if failed:
        found = _measured(asked, labels, again([shortfall.cost for shortfall in found]), rounding)
    return found


def _measured(asked: Question, labels: Labels, best: Optimum, rounding: RoundingBound) -> list[Shortfall]:
    found = []
    for stage, least in zip(asked.stages, best.costs, strict=False):
        cost = value(asked, stage, labels)
        beyond = (cost - least - Real(stage.tolerance)).rounded()
        found.append(Shortfall(stage, cost, least, beyond, rounding.error(stage)))
    return found
