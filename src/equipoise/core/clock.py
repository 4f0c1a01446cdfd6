"""The clock: time budgets."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from equipoise.errors import InputError


@dataclass(frozen=True, slots=True)
class Deadline:
    """A stopping criterion that holds from a moment on, and knows how long that is.

    Parameters
    ----------
    end : float
        The moment, by :func:`time.monotonic`.
    """

    end: float

    def __call__(self) -> bool:
        """Tell whether the moment has come."""
        return time.monotonic() >= self.end

    def left(self) -> float:
        """Return the seconds until then, 0 from then on."""
        return max(self.end - time.monotonic(), 0.0)

    def part(self, share: float) -> Deadline:
        """Return the criterion that holds after a share of the time that is left."""
        return Deadline(time.monotonic() + share * self.left())


def deadline(seconds: float) -> Deadline:
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
    return Deadline(time.monotonic() + seconds)


def shares(seconds: float) -> Callable[[int], Deadline]:
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
