"""Tuples of arrays on disk, to go through them several times with one of them in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from equipoise.errors import InputError


class BlocksOnDisk:
    """Named tuples of arrays in one file, in the order in which they were appended.

    Parameters
    ----------
    path : Path
        A file that is not there yet.

    Raises
    ------
    InputError
        If there is no room for them.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kinds: list[Any] = []

    def append(self, block: Any, /) -> None:
        """Write a named tuple of arrays behind the others."""
        try:
            with self._path.open("ab") as file:
                for column in block:
                    np.save(file, column, allow_pickle=False)
        except OSError as error:
            msg = f"{self._path}: cannot be written to keep what is too large for memory: {error}"
            raise InputError(msg) from error
        self._kinds.append(type(block))

    def __iter__(self) -> Iterator[Any]:
        """Read all tuples, one at a time."""
        if not self._kinds:
            return
        with self._path.open("rb") as file:
            for kind in self._kinds:
                yield kind(*(np.load(file, allow_pickle=False) for _ in kind._fields))
