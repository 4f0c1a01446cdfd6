"""Whether what is known is what a model can go on from."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from equipoise.ratings.folding import LATEST, Folding
from equipoise.ratings.model import RatingModel, State
from equipoise.ratings.models.gaussian_filter import kernels
from equipoise.ratings.models.gaussian_filter.model import Filters
from equipoise.ratings.models.gaussian_filter.state import FilterState


def check_state(model: RatingModel, state: State) -> None:
    """Raise where a state is that of another model, as far as can be seen.

    Raises
    ------
    ValueError
        If it is of another kind, has more or fewer numbers of each player, or some that no game leads to.
    """
    rows: list[tuple[Iterable[Any], int]] = []
    if isinstance(model, Filters):
        if not isinstance(state, FilterState):
            msg = f"it is {state!r:.40}"
            raise ValueError(msg)
        many = len(model.filters())
        rows = [
            (state.table.values(), kernels.ROW * many), (state.rulesets.values(), kernels.RULESET * many),
            ([state.world], kernels.WORLD * many), (state.games.values(), 1),
            ([*state.evidence.values(), state.pooled], many + 1),
        ]  # fmt: skip
    elif isinstance(model, Folding):
        known = [numbers for player, numbers in state.items() if player != LATEST]
        rows = [(known, len(model.newcomer())), (filter(None, [state.get(LATEST)]), 1)]
    for some, width in rows:
        for numbers in some:
            if len(numbers) != width or set(map(type, numbers)) - {int, float}:
                msg = f"there are {len(numbers)} numbers, not {width}"
                raise ValueError(msg)
    if isinstance(model, Filters):
        _check_table(state)


def _check_table(state: FilterState) -> None:
    """Raise where a skill or a variance is none; a day may be unknown."""
    for row in state.table.values():
        for start in range(0, len(row), kernels.ROW):
            mean, statistic, variance = row[start : start + 3]
            if not (math.isfinite(mean + statistic) and 0.0 <= variance < math.inf):
                msg = f"there is a variance of {variance!r}, and means of {mean!r} and {statistic!r}"
                raise ValueError(msg)
