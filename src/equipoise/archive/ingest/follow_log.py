"""A live log that is followed: over restarts of the follower, and over rotation of any kind.

The log and the older pieces of it that lie beside it are one stream.  Where in it a follower is it knows by
content: at the place that was reached, the bytes before it are those that were read.  So it does not matter
how a log is rotated: the file that was being read is found wherever it is now, and what came after it is read
in order.  Where that is not certain more is read again than is needed, since a match counts once.
A file has changed where its inode, size or time did.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NamedTuple

from equipoise.archive.ingest.log_files import (
    PIECE,
    Source,
    UnreadableLogError,
    compressed,
    counted_up,
    date_of,
    follows,
    piece_of,
    pieces,
    pieces_beside,
)
from equipoise.core.dates import UTC_ZONE, Zone

#: Bytes before the place that was reached by which a log is known again.
TAIL = 4096

#: Bytes by which a file or a copy of it is known, at least.
LEAST = 64

#: What tells whether files have changed: inode, size and time of each.
Signature = tuple[tuple[int, int, int], ...]


def signature(paths: list[Path]) -> Signature:
    """Return what tells whether files have changed."""
    return tuple(stamp for path in paths if (stamp := stamp_of(path)) is not None)


def stamp_of(path: Path) -> tuple[int, int, int] | None:
    """Return the inode, size and time of a file; None where it cannot be read."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def hash_of(content: bytes) -> str:
    """Return the hash by which bytes are known."""
    return hashlib.sha256(content).hexdigest()


def holds(path: Path, read: int, tail: str) -> bool:
    """Tell whether the bytes before a place in a file, compressed or not, have a hash."""
    try:
        if compressed(path):
            return hash_of(_tail_within(path, read)) == tail
        with path.open("rb") as file:
            file.seek(max(0, read - TAIL))
            last = file.read(min(read, TAIL))
            return len(last) == min(read, TAIL) and hash_of(last) == tail
    except (OSError, UnreadableLogError):
        return False


def is_copy(copy: Path, live: Path) -> bool:
    """Tell whether a file is a copy of the live one, which is not truncated yet: its beginning.

    Of a few bytes this tells nothing; those are a copy if they were written later.
    """
    try:
        its, whole = copy.stat(), live.stat()
        if not 0 < its.st_size <= whole.st_size or compressed(copy):
            return False
        if its.st_size < LEAST and its.st_mtime_ns < whole.st_mtime_ns:
            return False
        with copy.open("rb") as one, live.open("rb") as other:
            while piece := one.read(PIECE):
                if other.read(len(piece)) != piece:
                    return False
    except OSError:
        return False
    return True


def _tail_within(path: Path, place: int) -> bytes:
    """Return the last bytes before a place in a compressed file; nothing where it ends earlier."""
    tail, read = b"", 0
    for piece in pieces(Source(str(path), named=False)):
        needed = piece[: place - read]
        read += len(needed)
        tail = (tail + needed)[-TAIL:]
        if read == place:
            return tail
    return b""


def unread(path: Path, position: LogPosition) -> int | None:
    """Return how many bytes of a log and its older pieces come after a place; None where that is in none.

    What comes after the place in a compressed piece is not counted.
    """
    older = pieces_beside(path)
    steps = _steps(older[::-1] if counted_up(older, path) else older, path)
    beside = [step.path for step in steps]
    there = [n for n, each in enumerate(beside) if not position.read or holds(each, *position[:2])]
    if not there:
        return None
    sizes = [stamp[1] for each in beside[there[0] :] if (stamp := stamp_of(each)) is not None]
    return max(0, sum(sizes) - (0 if compressed(beside[there[0]]) else position.read))


#: How often a plan is made again where files are renamed while it is carried out.
ATTEMPTS = 10  # effort

#: Given where what follows does not go on from what was given before.
BREAK = b""


class LogPosition(NamedTuple):
    """Where to go on in a log.

    Parameters
    ----------
    read : int
        Bytes that were read of the file.
    tail : str
        A hash of the last of them, by which the file is known again.
    settled, lines : int
        Bytes and lines from its beginning that are not needed again.
    """

    read: int = 0
    tail: str = ""
    settled: int = 0
    lines: int = 0


@dataclass(slots=True)
class Segment:
    """What was given of one file: from where to where, after how many bytes and lines of the stream."""

    start: int
    read: int
    lines: int
    bytes_before: int
    lines_before: int
    tail: bytes = b""
    newlines: int = 0

    def grow(self, piece: bytes) -> None:
        """Note what was given."""
        self.read += len(piece)
        self.newlines += piece.count(b"\n")
        self.tail = (self.tail + piece)[-TAIL:]


class FollowStep(NamedTuple):
    """A file to be read next: from where on, and whether it goes on from what was given before."""

    path: Path
    start: int
    goes_on: bool


class Following:
    """Reads what is new in a log, whatever becomes of its file.

    Parameters
    ----------
    path : str
        Where the live log is.
    place : LogPosition
        Where to go on; by default with the oldest piece that lies beside the log.
    zone : Zone
        That of dates in names of files.

    Raises
    ------
    UnreadableLogError
        When it is asked what is new, if the file cannot be read; one that does not exist is waited for.
    """

    def __init__(
        self,
        path: str,
        place: LogPosition = LogPosition(),  # noqa: B008  # immutable
        zone: Zone = UTC_ZONE,
    ) -> None:
        self._path = Path(path)
        self._zone = zone
        self._file: IO[bytes] | None = None
        #: How the last file of which anything was read is known again, and where to go on in it.
        self._anchor = place
        self._next = place.settled
        self._segments: list[Segment] = []
        #: Pieces beside the log as last seen, those that were read to their end, and where the anchor
        #: was found.
        self._seen: Signature | None = None
        self._done: set[tuple[int, int, int]] = set()
        self._found: tuple[object, list[int]] = (None, [])
        #: Lines before what is given next, where it does not go on from what was given before.
        self.lines = place.lines
        #: When the file was, of which something was given last.
        self.date = 0.0
        #: What is worth saying, for the follower's owner to take.
        self.news: list[str] = []

    def poll(self) -> Iterator[bytes]:
        """Give what is new, piece by piece; :data:`BREAK` says that what comes next stands by itself."""
        if self._file is None:
            yield from self._catch_up()
            return
        renamed, intact = self._renamed(), self._intact()
        if renamed and intact and self._read >= LEAST:
            yield from self._drain()  # of fewer bytes it is not certain that nothing came before them
        certain = self._read >= TAIL or (self._read >= LEAST and self._signature() == self._seen)
        if renamed or not intact or not certain:
            self.close()
            yield from self._catch_up()
        else:
            yield from self._drain()

    def place(self, settled: int, lines: int) -> LogPosition | None:
        """Return where to go on when a reader has settled so many of the bytes since the last break.

        Parameters
        ----------
        settled, lines : int
            How many bytes and lines that is.

        Returns
        -------
        Place or None
            None where nothing was given since.
        """
        there = [each for each in self._segments if each.read > each.start and each.bytes_before <= settled]
        if not there:
            return None
        last = there[-1]
        self._segments = self._segments[self._segments.index(last) :]
        return LogPosition(
            last.read,
            hash_of(last.tail),
            last.start + settled - last.bytes_before,
            last.lines + lines - last.lines_before,
        )

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    # Catching up

    def _catch_up(self) -> Iterator[bytes]:
        """Read what came after what was read last, up to the live log."""
        for _ in range(ATTEMPTS):
            beside = self._beside()
            self._seen = signature(beside)
            if (yield from self._carry_out(self._plan(beside))):
                return

    def _carry_out(self, plan: list[FollowStep]) -> Generator[bytes, None, bool]:
        """Read files one by one; return whether nothing was renamed meanwhile."""
        damaged = False
        for step in plan:
            if (damaged or not step.goes_on) and self._segments:
                self._segments = []
                yield BREAK
            if step.path == self._path:
                return (yield from self._begin_live(step.start))
            try:
                yield from self._give_whole(step)
            except UnreadableLogError as error:
                if isinstance(error.__cause__, FileNotFoundError):
                    return False
                self.news.append(str(error))
                damaged = True
        return True

    def _plan(self, beside: list[Path]) -> list[FollowStep]:
        """Return which files to read, in order."""
        steps = _steps(beside, self._path)
        if not self._anchor.read:
            return steps
        key = (self._seen, self._anchor[:2], self._stamp())
        if self._found[0] != key:
            self._found = (key, [n for n, step in enumerate(steps) if holds(step.path, *self._anchor[:2])])
        there = self._found[1]
        if not there:
            self.news.append(f"{self._path}: it was replaced, and what it held is not beside it")
            self._anchor, self._next = LogPosition(), 0
            return _unread(steps, self._done)
        if len(there) == 1:
            return [steps[there[0]]._replace(start=self._next), *steps[there[0] + 1 :]]
        # Several files may be the one: go on from an earlier one that is certain, or from the oldest of them.
        for segment in self._segments:
            earlier = LogPosition(segment.read, hash_of(segment.tail))
            certain = [n for n, step in enumerate(steps) if holds(step.path, *earlier[:2])]
            if segment.read > segment.start and len(certain) == 1:
                self.lines = segment.lines
                first = steps[certain[0]]._replace(start=segment.start, goes_on=False)
                return [first, *steps[certain[0] + 1 :]]
        return [steps[there[0]]._replace(goes_on=False), *steps[there[0] + 1 :]]

    def _begin_live(self, start: int) -> Generator[bytes, None, bool]:
        """Open the live log and read it; return False where a rotation came between."""
        if not self._open():
            return True
        assert self._file is not None  # noqa: S101  # for the type checker
        if start:
            self._file.seek(max(0, start - TAIL))
            tail = self._file.read(min(start, TAIL))
        else:
            tail = b""
        first = self._file.read(PIECE)
        if self._signature() != self._seen or self._renamed():
            self.close()
            return False
        self._begin(start, tail)
        if first:
            yield self._note(first)
        yield from self._drain()
        return True

    def _give_whole(self, step: FollowStep) -> Iterator[bytes]:
        """Give a piece beside the log from a place on."""
        stamp = stamp_of(step.path)
        self.date = date_of(step.path, zone=self._zone)[0]
        skip, tail = step.start, b""
        begun = False
        for piece in pieces(Source(str(step.path), named=False)):
            tail = (tail + piece[:skip])[-TAIL:]
            if skip < len(piece):
                if not begun:
                    self._begin(step.start, tail)
                    begun = True
                yield self._note(piece[skip:])
            skip = max(0, skip - len(piece))
        if stamp is not None:
            self._done.add(stamp)

    def _begin(self, start: int, tail: bytes) -> None:
        """Begin with a file, or go on in it."""
        bytes_before = lines = 0
        before = self.lines if start else 0
        if self._segments:
            last = self._segments[-1]
            bytes_before = last.bytes_before + last.read - last.start
            lines = last.lines_before + last.newlines
            before = last.lines + last.newlines if start else 0
        else:
            self.lines = before
        self._segments.append(Segment(start, start, before, bytes_before, lines, tail))

    def _note(self, piece: bytes) -> bytes:
        """Note a piece that is given."""
        segment = self._segments[-1]
        segment.grow(piece)
        self._anchor = LogPosition(segment.read, hash_of(segment.tail))
        self._next = segment.read
        return piece

    # The live log

    @property
    def _read(self) -> int:
        """How much of the live log was read."""
        return self._segments[-1].read if self._segments else 0

    def _signature(self) -> Signature:
        return signature(self._beside())

    def _beside(self) -> list[Path]:
        """Return the older pieces of the log, the oldest first; times on this disk can be trusted."""
        beside = pieces_beside(self._path)
        return beside[::-1] if counted_up(beside, self._path) else beside

    def _stamp(self) -> tuple[int, int, int] | None:
        return stamp_of(self._path)

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
        tail = self._segments[-1].tail
        self._file.seek(self._read - len(tail))
        return self._file.read(len(tail)) == tail

    def _open(self) -> bool:
        try:
            self._file = self._path.open("rb")
        except FileNotFoundError:
            return False
        except OSError as error:
            msg = f"{self._path}: cannot be read: {error.strerror or error}"
            raise UnreadableLogError(msg) from error
        self.date = date_of(self._path, zone=self._zone)[0]
        return True

    def _drain(self) -> Iterator[bytes]:
        """Give what is new in the present file."""
        assert self._file is not None  # noqa: S101  # for the type checker
        self._file.seek(self._read)
        self.date = max(self.date, os.fstat(self._file.fileno()).st_mtime)
        while piece := self._file.read(PIECE):
            yield self._note(piece)


def _steps(beside: list[Path], live: Path) -> list[FollowStep]:
    """Return the steps through all files from the beginning of each; a gap in their numbers is a break.

    A copy of the live log, as there is one before that is truncated, is left out.
    """
    steps: list[FollowStep] = []
    older, goes_on = None, True
    up = len(beside) > 1 and piece_of(beside[0].name).number < piece_of(beside[-1].name).number
    for path in [*beside, *([live] if live.exists() else [])]:
        goes_on = goes_on and (up or older is None or follows(older, path))
        older = path
        if path == live or not is_copy(path, live):
            steps.append(FollowStep(path, 0, goes_on))
            goes_on = True
    return steps


def _unread(steps: list[FollowStep], done: set[tuple[int, int, int]]) -> list[FollowStep]:
    """Return the steps through files that were not read to their end; none goes on from what is left out."""
    found: list[FollowStep] = []
    goes_on = False
    for n, step in enumerate(steps):
        if n + 1 < len(steps) and stamp_of(step.path) in done:
            goes_on = False
        else:
            found.append(step._replace(goes_on=step.goes_on and goes_on))
            goes_on = True
    return found
