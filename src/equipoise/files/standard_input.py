"""Standard input, read in one place, so that a person at a terminal learns that the program waits."""

from __future__ import annotations

import sys
from typing import IO, cast

from equipoise import notices
from equipoise.errors import InputError


def standard_input() -> IO[bytes]:
    """Return the bytes of standard input.

    Raises
    ------
    InputError
        If it was closed before the start.
    """
    stdin = cast("object", sys.stdin)  # None where it was closed before the start
    if stdin is None:
        msg = "standard input: it is closed"
        raise InputError(msg)
    for listener in notices.waiting:
        listener()
    return sys.stdin.buffer
