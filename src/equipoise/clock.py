"""The clock, for time budgets."""

from __future__ import annotations

import time
from collections.abc import Callable

from equipoise.errors import InputError


def deadline(seconds: float) -> Callable[[], bool]:
    """Return a stopping criterion that holds once some time from now has passed.

    Parameters
    ----------
    seconds : float
        The time from now; 0 stops at the first question.

    Raises
    ------
    InputError
        If the time is negative or not a number.

    Examples
    --------
    >>> deadline(0.0)()
    True
    """
    if not seconds >= 0.0:
        msg = f"must be at least 0, got {seconds!r}"
        raise InputError(msg, "seconds")
    end = time.monotonic() + seconds
    return lambda: time.monotonic() >= end


def shares(seconds: float) -> Callable[[int], Callable[[], bool]]:
    """Return a way to divide some time from now among questions: each may have its share of what is left.

    Parameters
    ----------
    seconds : float
        The time for all.

    Examples
    --------
    >>> share = shares(0.0)
    >>> share(3)()
    True
    """
    end = time.monotonic() + seconds
    return lambda left: deadline(max(end - time.monotonic(), 0.0) / max(left, 1))
