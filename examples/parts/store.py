"""A custom store in one file: an archive for a trial, of which nothing stays.

with Archive(Passing(), None) as archive: ...
"""

from __future__ import annotations

from collections.abc import Callable
from tempfile import TemporaryDirectory

from equipoise.extending import Sqlite


def _unheard(words: str) -> None:
    """Nobody else can write to it, so that there is nothing to wait for."""
    del words


class Passing(Sqlite):
    """A SQLite file in a folder that goes when the store is closed."""

    def __init__(self, *, timeout: float = 5.0, waiting: Callable[[str], None] = _unheard) -> None:
        self._folder = TemporaryDirectory(prefix="equipoise-")
        super().__init__(f"{self._folder.name}/trial.sqlite", create=True, timeout=timeout, waiting=waiting)

    def close(self) -> None:
        """Close the database and remove the folder."""
        super().close()
        self._folder.cleanup()
