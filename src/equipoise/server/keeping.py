"""The worker that keeps results: when it has answered, they survive a crash."""

from __future__ import annotations

import logging
import time
from collections.abc import Generator

from equipoise.archive.archive import Archive, open_archive
from equipoise.clock import ahead
from equipoise.errors import InputError
from equipoise.matches import Match

log = logging.getLogger(__name__)


class Keeping:
    """Keeps games in an archive that exists; learning from them is not its business.

    Parameters
    ----------
    url : str
        The archive.
    seconds : float
        How long to wait for another process that writes it.
    """

    def __init__(self, url: str, seconds: float) -> None:
        self._url = url
        self._seconds = seconds
        self._opened: Archive | None = None

    def __call__(self, match: Match | None) -> Generator[None, None, bool]:
        """Keep a game; return whether it was new.  Of None only that this process is ready."""
        yield from ()
        if match is None:
            return False
        if wrong := ahead(match.ended or 0.0, time.time()):
            msg = f": {wrong}"
            raise InputError(msg, "ended")
        archive = self._opened or open_archive(
            self._url, create=False, timeout=self._seconds, waiting=log.warning
        )
        try:
            new = archive.record([match]).new > 0
        except BaseException:
            archive.close()
            self._opened = None
            raise
        archive.close()  # nobody holds a file open that may be replaced
        self._opened = archive
        return new
