"""What may be said of the scale of weights: how far a player varies, and where the scale begins."""

from __future__ import annotations

from equipoise.errors import InputError
from equipoise.players import LARGEST_WEIGHT

#: Below, squares of a performance noise would be lost in rounding.
SMALLEST_BETA = 1e-100

#: The most standard deviations that a body may be worth: far fewer decide every game.
LARGEST_BODY = 1e6


def check_scale(
    beta: float | None = None, zero: float | None = None, body: float | None = None, centre: float = 0.0
) -> None:
    """Raise what is wrong with the numbers of a scale.

    Raises
    ------
    InputError
        If a number is out of range, or both a zero and a body are given.
    """
    if beta is not None and not SMALLEST_BETA <= beta <= LARGEST_WEIGHT:
        msg = f"must be from {SMALLEST_BETA} to 1e15, got {beta!r}"
        raise InputError(msg, "beta")
    for name, weight in (("zero", zero), ("centre", centre)):
        if weight is not None and not -LARGEST_WEIGHT <= weight <= LARGEST_WEIGHT:
            msg = f"must be from -1e15 to 1e15, got {weight!r}"
            raise InputError(msg, name)
    if body is not None and not 0.0 <= body <= LARGEST_BODY:
        msg = f"must be from 0 to {LARGEST_BODY:g}, got {body!r}"
        raise InputError(msg, "body")
    if zero is not None and body is not None:
        msg = ": with a zero there is nothing left for it to say"
        raise InputError(msg, "body")
