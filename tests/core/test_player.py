"""Players are the same however they are made."""

from __future__ import annotations

import math

import numpy as np
import pytest

from equipoise import InputError, Player, Rating
from equipoise.core.player import players_named


@pytest.mark.parametrize(
    "weights",
    [
        {},
        {"Ann": 4.0, "Bob": -0.0, "Cid": 1e15},
        {"Ann": 4, "Bob": None, "Cid": Rating(1.0, 0.5), "Dee": 2.5},
    ],
)
def test_names_with_weights_are_players(weights: dict[str, float | Rating | None]) -> None:
    """Each is the player that the constructor makes, ratings included."""
    assert players_named(weights) == [Player(name, weight) for name, weight in weights.items()]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"Ann": 4.0, "": 3.0}, "id must be text that is not empty, got ''"),
        ({"Ann": 4.0, 7: 3.0}, "id must be text that is not empty, got 7"),
        ({"Ann": math.nan}, "mu must be from -1e15 to 1e15, got nan"),
        ({"Ann": 4.0, "Bob": -math.inf}, "mu must be from -1e15 to 1e15, got -inf"),
        ({"Ann": "4"}, "rating of 'Ann' must be a Rating, a number or None, got '4'"),
    ],
)
def test_wrong_names_and_weights_are_named(weights: dict[str, float], message: str) -> None:
    """What the constructor refuses is refused in the same words."""
    with pytest.raises(InputError) as caught:
        players_named(weights)
    assert str(caught.value) == message


def test_a_rating_of_somebody_new_is_that_of_openskill_and_no_other_number_stands_for_it() -> None:
    """A mu that is not a number is refused, though its default is none either."""
    assert Rating() == Rating(25.0, 25.0 / 3.0)
    assert Rating(sigma=2.0) == Rating(25.0, 2.0)
    assert Rating(25.0).sigma == 0.0
    for nothing in (math.nan, float("nan"), np.float64("nan")):
        with pytest.raises(InputError, match=r"^mu must be from -1e15 to 1e15, got nan$"):
            Rating(float(nothing))
