"""A live log that is followed: over restarts of the follower, and over rotation by renaming or by truncation.

The log that was being read is told from others by its content: at the place that was reached, the bytes
before it are those that were read.  So it does not matter how a log is rotated: where the file under the path
is another one, the old one is looked for beside it and read to its end.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

from equipoise.ingest.logs import PIECE, Source, UnreadableLogError, pieces

#: Bytes before the place that was reached by which a log is known again.
TAIL = 4096

#: What logrotate and its like append to the name of a log: ``.1``, ``-20260131``, ``.2.gz``.
ROTATED = re.compile(r"[.\-_][0-9][0-9A-Za-z.:_\-]*")


class Place(NamedTuple):
    """Where to go on in a log.

    Parameters
    ----------
    read : int
        Bytes that were read.
    tail : str
        A hash of the last of them, by which the log is known again.
    settled, lines : int
        Bytes and lines from its beginning that are not needed again.
    """

    read: int = 0
    tail: str = ""
    settled: int = 0
    lines: int = 0


class Following:
    """Reads what is new in a log, whatever becomes of its file; to a reader it is one log.

    Parameters
    ----------
    path : str
        Where the live log is.
    place : Place
        Where to go on.

    Raises
    ------
    UnreadableLogError
        When it is asked what is new, if the file cannot be read; one that does not exist is waited for.
    """

    def __init__(self, path: str, place: Place = Place()) -> None:  # noqa: B008  # immutable
        self._path = Path(path)
        self._file: IO[bytes] | None = None
        self._resuming = place
        #: Bytes that were given, and how many of them before the present file began; less than none where
        #: its beginning was given to an earlier reader.
        self._given = 0
        self._began = 0
        self._read = 0
        self._tail = b""
        self._settled, self._lines = place.settled, place.lines
        #: What is worth saying, for whoever follows to take.
        self.news: list[str] = []

    def poll(self) -> Iterator[bytes]:
        """Give what is new, piece by piece."""
        if self._resuming.read:
            place, self._resuming = self._resuming, Place()
            yield from self._resume(place)
        elif self._file is not None:
            renamed, intact = self._renamed(), self._intact()
            if renamed and intact:
                yield from self._drain()
            if renamed or not intact:
                yield from self._leave(self._place(), self._read, lost=not intact)
        if self._file is not None or self._open():
            yield from self._drain()

    def place(self, settled: int) -> Place | None:
        """Return where to go on when a reader has settled so many of the bytes that were given.

        None where that is in a file that is under the path no more; the last place goes on to hold then.
        """
        local = settled - self._began
        if local < self._settled or self._file is None:
            return None
        self._file.seek(self._settled)
        self._lines += self._file.read(local - self._settled).count(b"\n")
        self._settled = local
        return self._place()

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _place(self) -> Place:
        return Place(self._read, _hash(self._tail), self._settled, self._lines)

    def _resume(self, place: Place) -> Iterator[bytes]:
        """Go on where an earlier run has stopped."""
        if _has(self._path, place) and self._open():
            self._began = -place.settled
            self._read = place.settled
        else:
            yield from self._leave(place, place.settled, lost=True)

    def _leave(self, place: Place, start: int, *, lost: bool) -> Iterator[bytes]:
        """Read what there is of a log that is under the path no more, and of those that came after it."""
        self.close()
        beside = [
            each
            for each in self._path.parent.glob(f"{self._path.name}?*")
            if ROTATED.fullmatch(each.name[len(self._path.name) :]) and each.is_file()
        ]
        beside.sort(key=lambda each: each.stat().st_mtime)
        old = next((each for each in reversed(beside) if place.read and _has(each, place)), None)
        if old is not None:
            for each in beside[beside.index(old) :]:
                yield from self._give(_after(each, start if each == old else 0))
        elif lost:
            self.news.append(f"{self._path}: it was replaced, and what it held is not beside it")
        self._began = self._given
        self._settled = self._lines = 0

    def _renamed(self) -> bool:
        """Tell whether another file, or none, is under the path."""
        assert self._file is not None  # noqa: S101  # for the type checker
        try:
            return not os.path.samestat(self._path.stat(), os.fstat(self._file.fileno()))
        except FileNotFoundError:
            return True

    def _intact(self) -> bool:
        """Tell whether what was read is still in the file, so that it was not truncated."""
        assert self._file is not None  # noqa: S101  # for the type checker
        self._file.seek(self._read - len(self._tail))
        return self._file.read(len(self._tail)) == self._tail

    def _open(self) -> bool:
        try:
            self._file = self._path.open("rb")
        except FileNotFoundError:
            return False
        except OSError as error:
            msg = f"{self._path}: cannot be read: {error.strerror or error}"
            raise UnreadableLogError(msg) from error
        self._read, self._tail = 0, b""
        return True

    def _drain(self) -> Iterator[bytes]:
        """Give what is new in the present file."""
        assert self._file is not None  # noqa: S101  # for the type checker
        if not self._tail and self._read:
            self._file.seek(max(0, self._read - TAIL))
            self._tail = self._file.read(min(self._read, TAIL))
        self._file.seek(self._read)
        while piece := self._file.read(PIECE):
            self._read += len(piece)
            self._tail = (self._tail + piece)[-TAIL:]
            yield from self._give(iter((piece,)))

    def _give(self, content: Iterator[bytes]) -> Iterator[bytes]:
        for piece in content:
            self._given += len(piece)
            yield piece


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _has(path: Path, place: Place) -> bool:
    """Tell whether a file, compressed or not, is the log of a place."""
    tail, read = b"", 0
    try:
        for piece in pieces(Source(str(path), named=False)):
            needed = piece[: place.read - read]
            read += len(needed)
            tail = (tail + needed)[-TAIL:]
            if read == place.read:
                return _hash(tail) == place.tail
    except UnreadableLogError:
        pass
    return False


def _after(path: Path, start: int) -> Iterator[bytes]:
    """Read a file, compressed or not, from a place on."""
    skip = start
    for piece in pieces(Source(str(path), named=False)):
        if skip < len(piece):
            yield piece[skip:]
        skip = max(0, skip - len(piece))
