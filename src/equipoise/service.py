"""The service: which archive, model and games, kept up to date and asked over the network.

The composition root: the only place besides the command line that chooses concrete parts by name.
"""

from __future__ import annotations

import asyncio
import gc
import hashlib
import hmac
import logging
import signal
import sys
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from equipoise.adapters.clock import deadline
from equipoise.adapters.servers.tcp import Server
from equipoise.adapters.settings import SHORTEST_TOKEN, Settings
from equipoise.adapters.stores.archive import Archive, open_archive
from equipoise.errors import EquipoiseError
from equipoise.registry import GAMES, resolve
from equipoise.wire.board import Board, Ratings, Table
from equipoise.wire.requests import Finished, Lookups, Refusal, Request, Work
from equipoise.wire.weights import Limits, WeightSession

#: Seconds between two looks whether the archive has changed.
POLL = 0.25

#: Seconds for which a thread keeps others waiting: a tenth of Python's usual, so that a refresh or a division
#: holds no answer up.
SWITCH = 0.0005

#: Seconds to wait for another process that writes the archive, before a result is refused.
PATIENCE = 10.0

log = logging.getLogger(__name__)


class Follower:
    """The newest board of an archive, whatever process writes it, and whichever file takes its place.

    For one thread at a time.
    """

    def __init__(self, url: str, game: str = "") -> None:
        self._url = url
        self._game = game.lower() or None
        self._tables: dict[str, Table] = {
            table.game: table for name in GAMES for table in resolve("game", GAMES, name).rules()
        }
        self._archive: Archive | None = None
        self._file: tuple[int, int] | None = None
        self._revision: int | None = None

    def newer(self) -> Board | None:
        """Return the board as of now; None where nothing has changed since the last one.

        Raises
        ------
        InputError
            If the archive cannot be read.
        """
        if self._archive is None or file_of(self._url) != self._file:
            self.close()
            # Its file first: should another one take its place meanwhile, the next look sees that.
            self._file = file_of(self._url)
            self._archive = open_archive(self._url, create=self._file is None, waiting=log.warning)
            self._file = self._file or file_of(self._url)
        if self._archive.revision() == self._revision:
            return None
        standing = self._archive.standing()
        self._revision = standing.revision
        ratings = Ratings(standing.model, standing.state, standing.last_bots)
        return Board(ratings, standing.rulesets, self._tables, self._game)

    def close(self) -> None:
        """Let go of the archive."""
        if self._archive is not None:
            self._archive.close()
        self._archive = self._revision = None


def file_of(url: str) -> tuple[int, int] | None:
    """Return which file an archive is in; None where it is none, or is not there."""
    scheme, _, path = url.partition(":///")
    if scheme != "sqlite":
        return None
    try:
        found = Path(path).stat()
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


class Recorder:
    """Takes finished games into the archive.  For one thread at a time."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._archive: Archive | None = None
        self._file: tuple[int, int] | None = None

    def record(self, board: Board, request: Finished) -> bool | Refusal:
        """Keep a game; when this returns it survives a crash.  Tell whether it was new."""
        match = board.match(request, time.time())
        if isinstance(match, Refusal):
            return match
        if self._archive is None or file_of(self._url) != self._file:
            self.close()
            self._archive = open_archive(self._url, timeout=PATIENCE, waiting=log.warning)
            self._file = file_of(self._url)
        return self._archive.record([match]).new > 0

    def learn(self) -> None:
        """Let the ratings follow from the games that were kept."""
        if self._archive is not None:
            self._archive.update_ratings()

    def close(self) -> None:
        """Let go of the archive."""
        if self._archive is not None:
            self._archive.close()
        self._archive = None
