"""Log files: which there are, which of them go on from another, and their bytes, compressed or not."""

from __future__ import annotations

import bz2
import glob
import gzip
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import IO, Any, cast

from equipoise.errors import InputError
from equipoise.files.standard_input import standard_input
from equipoise.ingest.rotation import in_order, piece_of, pieces_beside

#: Bytes that are read at once.
PIECE = 1 << 20

#: How files begin that were compressed, and by what: RFC 1952 section 2.3.1, the .xz file format 2.1.1.1, the
#: header of bzip2, and RFC 8878 section 3.1.1.
MAGIC = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "xz", b"BZh": "bzip2", b"\x28\xb5\x2f\xfd": "zstd"}

#: The longest of these.
LONGEST = max(map(len, MAGIC))

#: What standard input is called by users and in messages.
STDIN, STANDARD_INPUT = "-", "standard input"

#: Called with how many bytes of a file, as it stands on the disk, were read.
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
    def is_file(self) -> bool:
        """Whether it is a file, which has a name and a time."""
        return self.path != STDIN

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


def _is_hidden(file: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in file.relative_to(folder).parts)


def _find(path: str) -> Iterator[Source]:
    if path == STDIN:
        yield Source(STDIN, named=True)
        return
    place = Path(path)
    if place.is_dir():
        files = [each for each in sorted(place.rglob("*")) if each.is_file() and not _is_hidden(each, place)]
        if not files:
            msg = f"{path}: there is no file in this directory"
            raise InputError(msg)
        for each in files:
            yield Source(str(each), named=False, size=each.stat().st_size)
        return
    if place.exists():
        yield Source(path, named=True, size=place.stat().st_size)
        return
    found = sorted(glob.glob(path, recursive=True))
    if not found:
        msg = f"{path}: there is no such file; give a file, a directory, a pattern such as '*.log', or -"
        raise InputError(msg)
    for name in found:
        yield from _find(name)


def in_chains(sources: list[Source]) -> list[list[Source]]:
    """Return logs as chains of files, each of which goes on where the one before it ended.

    Older pieces of one log are a chain as long as none that lies on the disk is missing between them.

    Parameters
    ----------
    sources : list of Source
        In any order; a file that is there twice is read once.
    """
    by_path = {Path(source.path): source for source in sources if source.is_file}
    chains = [[source] for source in sources if not source.is_file]
    logs = dict.fromkeys(path.with_name(piece_of(path.name).log) for path in by_path)
    for log in logs:
        beside = pieces_beside(log)
        there = [*beside, *([log] if log in by_path else [])]
        last = None
        for path in [
            *there,
            *in_order([each for each in by_path if _log_of(each) == log and each not in there]),
        ]:
            source = by_path.get(path)
            if source is None:
                last = None
            elif last is not None and follows(last, path):
                chains[-1].append(source)
                last = path
            else:
                chains.append([source])
                last = path
    return chains


def _log_of(path: Path) -> Path:
    return path.with_name(piece_of(path.name).log)


def follows(older: Path, newer: Path) -> bool:
    """Tell whether nothing is missing between two pieces of a log, as far as their names tell."""
    one, other = piece_of(older.name), piece_of(newer.name)
    return one.date is not None or one.number == other.number + 1


def compressed(path: Path) -> bool:
    """Tell whether a file is compressed, by its beginning."""
    with path.open("rb") as file:
        first = file.read(LONGEST)
    return any(first.startswith(magic) for magic in MAGIC)


def pieces(source: Source, progress: Progress | None = None) -> Iterator[bytes]:
    """Read a log piece by piece, and what was compressed (gzip, xz, bzip2, zstd) as if it had not.

    Raises
    ------
    UnreadableLogError
        If it cannot be read, or the compressed data end too early or are damaged; what came before was given.
    """
    try:
        if source.path == STDIN:
            yield from _pieces(standard_input(), lambda: None)
            return
        with Path(source.path).open("rb") as raw:
            yield from _pieces(raw, lambda: progress(raw.tell()) if progress else None)
    except (OSError, EOFError, zlib.error, lzma.LZMAError, *_zstd_errors()) as error:
        msg = (
            f"{source.label}: cannot be read{_to_its_end(error)}: {getattr(error, 'strerror', None) or error}"
        )
        raise UnreadableLogError(msg) from error


def _to_its_end(error: Exception) -> str:
    return "" if isinstance(error, OSError) and error.errno is not None else " to its end"


def _zstd_errors() -> tuple[Any, ...]:
    """Return what is raised of damaged data; nothing where nothing can be read."""
    zstandard = cast("Any", sys.modules.get("zstandard"))
    return (zstandard.ZstdError,) if zstandard else ()


def _pieces(raw: IO[bytes], tell: Callable[[], None]) -> Iterator[bytes]:
    first = raw.read(LONGEST)
    while 0 < len(first) < LONGEST and (more := raw.read(LONGEST - len(first))):
        first += more
    how = next((how for magic, how in MAGIC.items() if first.startswith(magic)), None)
    if how is not None:
        unpacked = _unpacked(how, cast("IO[bytes]", _Joined(first, raw)))
        while piece := unpacked.read(PIECE):
            yield piece
            tell()
        return
    while first:
        yield first
        tell()
        first = raw.read(PIECE)


def _unpacked(how: str, raw: IO[bytes]) -> Any:
    """Return a stream of what was compressed."""
    if how == "gzip":
        return gzip.GzipFile(fileobj=raw)
    if how == "xz":
        return lzma.LZMAFile(raw)
    if how == "bzip2":
        return bz2.BZ2File(raw)
    try:
        zstandard = import_module("zstandard")
    except ImportError as error:
        msg = "a file of zstd needs zstandard; install it with: pip install 'equipoise[zstd]'"
        raise UnreadableLogError(msg) from error
    return _Zstd(zstandard.ZstdDecompressor, raw)


class _Zstd:
    """A stream of zstd, frame by frame: the package's own does not say where one is cut off."""

    def __init__(self, decompressor: Any, raw: IO[bytes]) -> None:
        self._new, self._raw = decompressor, raw
        self._frame: Any = None
        self._rest = b""

    def read(self, size: int) -> bytes:
        """Read some of it; nothing at its end."""
        while data := self._rest or self._raw.read(size):
            self._rest = b""
            if self._frame is None:
                self._frame = self._new().decompressobj()
            piece: bytes = self._frame.decompress(data)
            if self._frame.eof:
                self._rest, self._frame = self._frame.unused_data, None
            if piece:
                return piece
        if self._frame is not None:
            msg = "the compressed data end before their end mark"
            raise EOFError(msg)
        return b""


class _Joined:
    """A stream whose first bytes were read already."""

    def __init__(self, first: bytes, rest: IO[bytes]) -> None:
        self._first = first
        self._rest = rest

    closed = False

    def readable(self) -> bool:
        """Tell that it can be read."""
        return True

    def seekable(self) -> bool:
        """Tell that it cannot go back."""
        return False

    def read(self, size: int = -1) -> bytes:
        """Read up to so many bytes."""
        if not self._first:
            return self._rest.read(size)
        piece, self._first = self._first[:size], self._first[size:] if size >= 0 else b""
        return piece
