"""Kernels are written once, in Python: this is where the same source becomes machine code.

A kernel is a plain function over numbers and indexable sequences, in the part of Python that numba
compiles.  Plain and compiled it gives the same numbers bit for bit (no fast-math), so which of them ran
is a matter of speed alone.  numba costs about half a second to load and is absent on some platforms, so it is
imported only where it pays: see :func:`pays`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, TypeVar, cast

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


@cache
def available() -> bool:
    """Import numba, and tell whether that went well: it is absent from some platforms, and broken on some."""
    try:
        import_module("numba")
    except Exception:  # noqa: BLE001  # whatever is wrong with it, the plain kernels do
        return False
    return True


def pays(work: float, worth: float) -> bool:
    """Tell whether compiled kernels are worth using for a piece of work.

    Parameters
    ----------
    work : float
        The size of the work, in any unit.
    worth : float
        The size, in the same unit, from which loading numba for this one piece pays.  Once numba is
        loaded, smaller work is compiled too.
    """
    return (work >= worth or "numba" in sys.modules) and available()


@cache
def compiled(kernel: Kernel) -> Kernel:
    """Return the compiled twin of a kernel, or the kernel itself where numba is absent."""
    if not available():
        return kernel
    import numba

    try:
        return cast("Kernel", numba.njit(kernel, cache=True))
    except RuntimeError:  # nowhere to keep the cache: compile for this process only
        return cast("Kernel", numba.njit(kernel))
