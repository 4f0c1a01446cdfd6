"""Log files: which there are, and their bytes piece by piece, compressed or not."""

from __future__ import annotations

import glob
import gzip
import sys
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from equipoise.errors import InputError

#: Bytes that are read at once.
PIECE = 1 << 20

#: How a file begins that gzip has compressed (RFC 1952, section 2.3.1).
GZIP = b"\x1f\x8b"

#: What standard input is called by users and in messages.
STDIN, STANDARD_INPUT = "-", "standard input"

#: Told how many bytes of a file, as it stands on the disk, were read.
Progress = Callable[[int], None]


class UnreadableLogError(InputError):
    """A log that cannot be read to its end; what came before was given."""


@dataclass(frozen=True, slots=True)
class Source:
    """One log to be read.

    Parameters
    ----------
    path : str
        A file, or ``-``.
    named : bool
        Whether the user named it; otherwise it was found in a directory.
    size : int
        Bytes on the disk.
    """

    path: str
    named: bool
    size: int = 0

    @property
    def label(self) -> str:
        """What messages call it."""
        return STANDARD_INPUT if self.path == STDIN else self.path


def find_logs(paths: tuple[str, ...]) -> list[Source]:
    """Return the logs that paths stand for, in order: files, patterns as ``*.log``, directories, or ``-``.

    Raises
    ------
    InputError
        If there is nothing at a path.
    """
    return [source for path in paths for source in _find(path)]


def _find(path: str) -> Iterator[Source]:
    if path == STDIN:
        yield Source(STDIN, named=True)
        return
    place = Path(path)
    if place.is_dir():
        for each in sorted(place.rglob("*")):
            if each.is_file() and not any(part.startswith(".") for part in each.relative_to(place).parts):
                yield Source(str(each), named=False, size=each.stat().st_size)
        return
    if place.exists():
        yield Source(path, named=True, size=place.stat().st_size)
        return
    found = sorted(glob.glob(path, recursive=True))
    if not found:
        msg = f"{path}: there is no such file; a file, a directory, a pattern as '*.log', or - is allowed"
        raise InputError(msg)
    for name in found:
        yield from _find(name)


def pieces(source: Source, progress: Progress | None = None) -> Iterator[bytes]:
    """Read a log piece by piece, and what gzip has compressed as if it had not.

    Raises
    ------
    UnreadableLogError
        If it cannot be read, or the compressed data end too early or are damaged; what came before was given.
    """
    try:
        if source.path == STDIN:
            yield from _pieces(_standard_input(), lambda: None)
            return
        with Path(source.path).open("rb") as raw:
            yield from _pieces(raw, lambda: progress(raw.tell()) if progress else None)
    except (OSError, EOFError, zlib.error) as error:
        msg = f"{source.label}: cannot be read{_as_gzip(error)}: {getattr(error, 'strerror', None) or error}"
        raise UnreadableLogError(msg) from error


def _as_gzip(error: Exception) -> str:
    return " to its end" if isinstance(error, EOFError | zlib.error | gzip.BadGzipFile) else ""


def _standard_input() -> IO[bytes]:
    stdin = cast("object", sys.stdin)  # None where it was closed before the start
    if stdin is None:
        msg = f"{STANDARD_INPUT}: it is closed"
        raise UnreadableLogError(msg)
    return sys.stdin.buffer


def _pieces(raw: IO[bytes], tell: Callable[[], None]) -> Iterator[bytes]:
    first = raw.read(len(GZIP))
    while 0 < len(first) < len(GZIP) and (more := raw.read(len(GZIP) - len(first))):
        first += more
    if first == GZIP:
        unpacked = gzip.GzipFile(fileobj=cast("IO[bytes]", _Joined(first, raw)))
        while piece := unpacked.read(PIECE):
            yield piece
            tell()
        return
    while first:
        yield first
        tell()
        first = raw.read(PIECE)


class _Joined:
    """A stream whose first bytes were read already."""

    def __init__(self, first: bytes, rest: IO[bytes]) -> None:
        self._first = first
        self._rest = rest

    def read(self, size: int = -1) -> bytes:
        """Read up to so many bytes."""
        if not self._first:
            return self._rest.read(size)
        piece, self._first = self._first[:size], self._first[size:] if size >= 0 else b""
        return piece
