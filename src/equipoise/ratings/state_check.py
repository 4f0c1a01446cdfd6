"""Whether what is known is what a model can go on from."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from equipoise.core.match import Ruleset
from equipoise.ratings.model import RatingModel, State
from equipoise.ratings.models.gaussian_filter import kernels
from equipoise.ratings.models.gaussian_filter.model import Filters
from equipoise.ratings.models.gaussian_filter.state_columns import FilterState
from equipoise.ratings.per_player_model import LATEST, PerPlayer

#: No game leads to larger numbers, whose squares are numbers still.
LARGEST = 1e100


def check_state(model: RatingModel, state: State) -> None:
    """Raise where a state is that of another model, as far as can be seen.

    Raises
    ------
    ValueError
        If it is of another kind, has more or fewer numbers of each player, or some that no game leads to.
    """
    parts: list[tuple[Mapping[Any, Any], Callable[[Any], bool], int]] = []
    if isinstance(model, Filters):
        if not isinstance(state, FilterState):
            msg = f"it is {state!r:.40}"
            raise ValueError(msg)
        many = len(model.filters())
        parts = [
            (state.table, _is_key, kernels.ROW * many), (state.rulesets, _is_ruleset, kernels.RULESET * many),
            ({"": state.world}, _is_text, kernels.WORLD * many), (state.games, _is_text, 1),
            (state.evidence, _is_ruleset, many + 1), ({"": state.pooled}, _is_text, many + 1),
        ]  # fmt: skip
    elif isinstance(model, PerPlayer):
        known = {player: numbers for player, numbers in state.items() if player != LATEST}
        latest = {key: state[key] for key in state.keys() - known}
        parts = [(known, _is_text, len(model.newcomer())), (latest, _is_text, 1)]
    for part, is_key, width in parts:
        for key, numbers in part.items():
            if not is_key(key):
                msg = f"{key!r:.80} is no name of a part of it"
                raise ValueError(msg)
            if len(numbers) != width:
                msg = f"there are {len(numbers)} numbers of {key!r:.80}, not {width}"
                raise ValueError(msg)
            # In a table the day on which somebody was last seen may be unknown.
            open_ended = part is getattr(state, "table", None)
            if set(map(type, numbers)) - {int, float} or not all(
                -LARGEST <= number <= LARGEST or (open_ended and number != number) for number in numbers
            ):
                msg = f"of {key!r:.80} there is what is no number: {numbers!r:.80}"
                raise ValueError(msg)
    if isinstance(model, Filters):
        _check_table(state)


def _is_text(key: object) -> bool:
    return isinstance(key, str)


def _is_ruleset(key: object) -> bool:
    return isinstance(key, Ruleset)


def _is_key(key: object) -> bool:
    return isinstance(key, tuple) and len(key) == 2 and _is_text(key[0]) and _is_ruleset(key[1])


def _check_table(state: FilterState) -> None:
    """Raise where a skill or a variance is none; a day may be unknown."""
    for row in state.table.values():
        for start in range(0, len(row), kernels.ROW):
            mean, statistic, variance = row[start : start + kernels.SEEN]
            if not (math.isfinite(mean + statistic) and 0.0 <= variance < math.inf):
                msg = f"there is a variance of {variance!r}, and means of {mean!r} and {statistic!r}"
                raise ValueError(msg)
