"""When a search ends: a stopping criterion is a callable, asked now and then."""

from __future__ import annotations

from collections.abc import Callable

#: Asked now and then by a solver; it ends with what it has once this returns True.
Stop = Callable[[], bool]


def never() -> bool:
    """Do not stop: the answer is wanted whatever it takes."""
    return False
