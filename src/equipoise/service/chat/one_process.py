"""One process for each account of a chat on a machine, as two would do everything twice."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from equipoise.errors import InputError


@contextmanager
def alone(secret: str) -> Iterator[None]:
    """Hold what no other process with the same secret can hold at the same time.

    It is held by the process, not by the file, which tells nothing of the secret: a killed process holds
    nothing.  Where a system has no such locks, nothing is held.

    Raises
    ------
    InputError
        If another process holds it.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    user = os.getuid() if hasattr(os, "getuid") else 0
    name = f"equipoise-{user}-{hashlib.sha256(secret.encode()).hexdigest()[:16]}.lock"
    file = os.open(Path(tempfile.gettempdir()) / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            msg = "another process on this machine speaks with this token: end it first"
            raise InputError(msg) from error
        yield
    finally:
        with contextlib.suppress(OSError):
            os.close(file)
