"""When a search ends: a stopping criterion is a callable, asked now and then."""

from __future__ import annotations

import math
from collections.abc import Callable

#: Asked now and then by a solver; it ends with what it has once this returns True.
Stop = Callable[[], bool]


def never() -> bool:
    """Do not stop: the answer is wanted whatever it takes."""
    return False


class AskedOften:
    """Holds once it was asked a number of times: unlike a clock, the same wherever and whenever it is used.

    Parameters
    ----------
    times : int
        How often.

    Examples
    --------
    >>> stop = AskedOften(1)
    >>> stop(), stop()
    (False, True)
    """

    def __init__(self, times: int) -> None:
        self._left = times

    def __call__(self) -> bool:
        """Tell whether it was asked so often already."""
        self._left -= 1
        return self._left < 0


def seconds_left(stop: Stop) -> float:
    """Return how many seconds there are until a criterion holds; infinity where it does not know.

    Examples
    --------
    >>> seconds_left(never)
    inf
    """
    left: Callable[[], float] | None = getattr(stop, "left", None)
    return math.inf if left is None else left()


def share_of(stop: Stop, share: float) -> Stop:
    """Return a criterion that holds after a share of the time that is left; itself where it does not know.

    Examples
    --------
    >>> share_of(never, 0.5) is never
    True
    """
    part: Callable[[float], Stop] | None = getattr(stop, "part", None)
    return stop if part is None else part(share)
