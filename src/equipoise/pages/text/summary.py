"""An explanation in short: what matters first, and what does not matter in one line.

:mod:`equipoise.pages.text.explanation` says everything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from equipoise.fields import number
from equipoise.pages.text.explanation import (
    explanation_lines,
    price_words,
    relaxation_lines,
    standing,
    table_lines,
)
from equipoise.pages.text.wording import POINTS, cost_words, move_words
from equipoise.teams.explaining.explaining import Explanation
from equipoise.teams.explaining.judging import Cost

#: What matters of a win probability or of what is paid for preferences, and of the spread of the players'
#: weights for an objective that is measured in points: a part in a thousand.
TOLERANCE = 0.001

#: How many prices are worth a line each.
MOST_LINES = 5


def summary_lines(explanation: Explanation, names: Sequence[str] = ()) -> list[str]:
    """Return an explanation as a few lines: the teams, the reason, and what is worth giving up.

    Parameters
    ----------
    explanation : Explanation
        What to write.
    names : sequence of str
        What to call the teams; by default Team 1, Team 2, ...
    """
    split = explanation.split
    if split is None:
        return explanation_lines(explanation, names)
    points = TOLERANCE * max((team.deviation for team in split.teams), default=0.0)
    dear = [price for price in explanation.prices if _matters(price.cost, explanation.objective, points)]
    shown = dear[:MOST_LINES]
    lines = ["Why these teams:", *table_lines(split, names), "", standing(explanation)]
    if explanation.alternatives:
        nearest = explanation.alternatives[0]
        words = cost_words(nearest.cost, explanation.objective)
        lines.append(f"The next best, {move_words(nearest.moved, names)}, {words}.")
    lines += [price_words(price, explanation.objective, names) for price in shown]
    lines += _rest(explanation, len(dear) - len(shown), bool(shown), points)
    worth = (
        _matters(explanation.relaxed.cost, explanation.objective, points) if explanation.relaxed else False
    )
    return [*lines, *(relaxation_lines(explanation, names) if worth else [])]


def _matters(cost: Cost, objective: str, points: float) -> bool:
    """Tell whether somebody would notice."""
    if max(abs(cost.win_probability), abs(cost.preferences)) >= TOLERANCE:
        return True
    names = objective.split(", ")
    values = cost.values if len(cost.values) == len(names) else (cost.value,)
    least = [points if name in POINTS else TOLERANCE for name in names]
    return any(abs(value) >= limit > 0.0 for value, limit in zip(values, least, strict=False))


def _rest(explanation: Explanation, more: int, shown: bool, points: float) -> Iterator[str]:
    """Say in a line what is not worth one each, and once what is not proven or was not looked at."""
    if explanation.prices:
        unit = f" or {number(points)} points" if any(name in explanation.objective for name in POINTS) else ""
        others = "Nothing else that was asked" if shown else "Nothing that was asked"
        yield (
            f"{more} more rules and preferences cost something; --all lists them."
            if more
            else f"{others} costs more than {100 * TOLERANCE:g} % of win probability{unit}."
        )
    if not all(price.proven for price in explanation.prices):
        yield "These costs are the best found in the time there was, not proven."
    if explanation.unpriced:
        yield f"There was no time to price {len(explanation.unpriced)} more; --time-limit gives more."
