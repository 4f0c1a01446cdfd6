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
        msg = f"seconds: {seconds!r} is not allowed; 0 and above is"
        raise InputError(msg)
    end = time.monotonic() + seconds
    return lambda: time.monotonic() >= end
