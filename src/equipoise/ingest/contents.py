"""Which file is which: known by the bytes before a place, and changed where its inode, size or time did."""

from __future__ import annotations

import hashlib
from pathlib import Path

from equipoise.ingest.logs import PIECE, Source, UnreadableLogError, compressed, pieces

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
