"""The newest snapshot of an archive, whatever process writes it, and whatever file takes its place."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from pathlib import Path

from equipoise.archive.archive import Archive, open_archive
from equipoise.registry import GAMES, resolve
from equipoise.server.settings import Settings
from equipoise.serving.ratings import Ratings, Snapshot, Table

#: Seconds within which two writes of a file may bear the same time.
TICK = 0.05

log = logging.getLogger(__name__)


class Follower:
    """The newest snapshot of an archive, whatever process writes it, and whatever file takes its place.

    For one thread at a time.
    """

    def __init__(self, settings: Settings) -> None:
        self._url = settings.store
        self._game = settings.game.lower() or None
        self._tables: dict[str, Table] = {
            table.game: table for name in GAMES for table in resolve("game", GAMES, name).rules()
        }
        self._archive: Archive | None = None
        self._files: Files | None = None
        self._revision: int | None = None

    def newer(self) -> Snapshot | None:
        """Return what is known now; None where nothing has changed since the last one.

        A file is closed again after each look: an archive that nobody holds open may be copied and replaced.

        Raises
        ------
        InputError
            If the archive cannot be read.
        """
        files = Files.of(self._url, time.time())
        if files is not None and files == self._files:
            return None
        archive = self._archive or open_archive(self._url, create=self._revision is None, waiting=log.warning)
        try:
            revision = archive.revision()
            replaced = files is not None and (self._files is None or files.main != self._files.main)
            self._files = files
            if revision == self._revision and not replaced:
                return None
            standing = archive.standing()
        finally:
            if files is None and self._revision is not None:
                self._archive = archive
            else:
                archive.close()
        self._revision = standing.revision
        ratings = Ratings(standing.model, standing.state, standing.last_bots)
        return Snapshot(ratings, standing.rulesets, self._tables, self._game, standing.revision)

    def close(self) -> None:
        """Let go of the archive."""
        if self._archive is not None:
            self._archive.close()


@dataclass(frozen=True, slots=True)
class Files:
    """What tells that the files of an archive were written: device, number, size and time of each."""

    main: tuple[int, ...]
    journal: tuple[int, ...]
    unsettled: float

    @classmethod
    def of(cls, url: str, now: float) -> Files | None:
        """Return what there is at an address; None where it is no file, or not there.

        A file that was written just now may be written again without its time showing it, so what is found
        then is equal to nothing that is found later.
        """
        scheme, _, path = url.partition(":///")
        if scheme != "sqlite":
            return None
        main, journal = (_stamp(Path(path + ending)) for ending in ("", "-wal"))
        if not main:
            return None
        written = max(times[-1] for times in (main, journal) if times) / 1e9
        return cls(main, journal, now if now - written < TICK else 0.0)


def _stamp(path: Path) -> tuple[int, ...]:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return ()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
