"""Log files: which there are, which of them go on from another, and their bytes, compressed or not.

Files beside a log may be older pieces of it; in which order, and when each ended, their names tell where
they can: ``games.log.1`` is newer than ``games.log.2.gz``, and ``games.log-20260131`` or
``games-2026-01-31.log`` have a date.  Otherwise the time of the file does.
"""

from __future__ import annotations

import bz2
import glob
import gzip
import io
import itertools
import lzma
import re
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from equipoise.core.dates import UTC_ZONE, Zone
from equipoise.core.packages import needs
from equipoise.errors import InputError
from equipoise.files.read_roster import standard_input

#: Endings of compressed files.
COMPRESSED = (".gz", ".xz", ".bz2", ".zst", ".zip")

#: A date in a name, with or without a time, or seconds since 1970.
DATE = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d\d)(?P<part>[-._]?)(?P<month>\d\d)(?P=part)(?P<day>\d\d)"
    r"(?:[-_T.]?(?P<hour>\d\d)[-:.h_]?(?P<minute>\d\d)(?:[-:.m_]?(?P<second>\d\d))?)?(?!\d)"
)
EPOCH = re.compile(r"(?<!\d)1\d{9}(?!\d)")

#: The number of a rotation, last or before a short ending, as ``games.log.1`` and ``games.1.log``.
NUMBER = re.compile(r"\.(?P<number>\d{1,4})(?P<ending>\.[A-Za-z]{1,4})?")

#: The round of a match that has a file for each, as ``2026-01-31-201500-supply-round-1.txt``.
ROUND = re.compile(r"[-_]round[-_][1-9](?=\.|$)")

#: What else stands between the name of a log and a number or date.
_SEPARATORS = "-._"

#: Seconds by which an older piece is taken to be before a newer one whose time is not later.
APART = 1.0

#: Seconds within which the times of two pieces tell nothing.
NEAR = 0.01


class Piece(NamedTuple):
    """What the name of a file says of it.

    Parameters
    ----------
    log : str
        The name of the log that it is a piece of, empty parts left out.
    number : int
        Of its rotation, the higher the older; 0 without.
    date : float or None
        Seconds since 1970 that the name tells.
    local : bool
        Whether these are of a local time.
    """

    log: str
    number: int = 0
    date: float | None = None
    local: bool = False


def piece_of(name: str) -> Piece:
    """Return what the name of a file says.

    Examples
    --------
    >>> piece_of("games.log.2.gz")
    Piece(log='games.log', number=2, date=None, local=False)
    >>> piece_of("games-1970-01-02.log")
    Piece(log='games.log', number=0, date=86400.0, local=True)
    >>> piece_of("nexuiz00000001.log").log
    'nexuiz00000001.log'
    """
    for ending in COMPRESSED:
        name = name.removesuffix(ending)
    for pattern in (DATE, EPOCH):
        for found in pattern.finditer(name):
            date = _date(found)
            if date is not None:
                before, after = name[: found.start()].rstrip(_SEPARATORS), name[found.end() :]
                after = ROUND.sub("", after)
                return Piece(before + after, 0, date, pattern is DATE)
    number = next(
        (each for each in reversed(list(NUMBER.finditer(name))) if each.start() and each.end() == len(name)),
        None,
    )
    if number is None:
        return Piece(name)
    return Piece(name[: number.start()] + (number["ending"] or ""), int(number["number"]))


def _date(found: re.Match[str]) -> float | None:
    if found.re is EPOCH:
        return float(found[0])
    year, month, day, hour, minute, second = (
        int(found[part] or 0) for part in ("year", "month", "day", "hour", "minute", "second")
    )
    try:
        return datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp()
    except ValueError:
        return None


def pieces_beside(path: Path) -> list[Path]:
    """Return the files that hold older pieces of a log, the oldest first; without the log itself.

    Where a piece lies there twice, compressed and not, the compressed one is left out: it is being written.
    """
    log = path.name
    try:
        names = {each.name for each in path.parent.iterdir() if each.name != log and each.is_file()}
    except OSError:
        return []
    own = piece_of(log)
    there = [
        name
        for name in names
        if (piece := piece_of(name)).log in (log, own.log)
        and (piece.number or (piece.date is not None and (own.date is None or piece.date < own.date)))
        and (name.endswith(COMPRESSED) is False or name[: name.rindex(".")] not in names)
    ]
    return in_order([path.parent / name for name in there])


def counted_up(pieces: Sequence[Path], log: Path) -> bool:
    """Tell whether a higher number is a newer piece: all times say so, and that the log is the newest."""
    if len(pieces) < 2 or any(piece_of(path.name).date is not None for path in pieces):
        return False
    times = [modified(path) for path in pieces]
    return all(one > other for one, other in itertools.pairwise(times)) and modified(log) >= times[0]


def in_order(paths: Sequence[Path]) -> list[Path]:
    """Return the pieces of one log in order, the oldest first."""

    def age(path: Path) -> tuple[float, int, str]:
        piece = piece_of(path.name)
        return (piece.date if piece.date is not None else modified(path), -piece.number, path.name)

    numbered = sorted((path for path in paths if piece_of(path.name).date is None), key=_by_number)
    dated = sorted((path for path in paths if piece_of(path.name).date is not None), key=age)
    if not dated or not numbered:
        return dated or numbered
    return sorted(paths, key=age)


def _by_number(path: Path) -> tuple[int, float, str]:
    return (-piece_of(path.name).number, modified(path), path.name)


def modified(path: Path) -> float:
    """Return when a file was last written; the beginning of time where it is gone."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


#: By what a date is known that a name tells.
ITS_NAME = "its name"


def date_of(path: Path, assumed: float | None = None, zone: Zone = UTC_ZONE) -> tuple[float, str]:
    """Return when the games of a file without dates are taken to have been, and by what that is known.

    Parameters
    ----------
    path : Path
        The file.
    assumed : float, optional
        What stands in the place of times of files.
    zone : Zone
        That of dates in names.
    """
    piece = piece_of(path.name)
    if piece.date is not None:
        return (zone.moment(piece.date) if piece.local else piece.date), ITS_NAME
    times = "the time of the file" if assumed is None else "--dated"
    if not piece.number:
        return (modified(path) if assumed is None else assumed), times
    newer = [path.parent / piece.log, *(each for each in pieces_beside(path.parent / piece.log))]
    numbers: dict[int, float] = {}
    for each in newer:
        other = piece_of(each.name)
        if each.exists() and other.date is None and other.number <= piece.number:
            numbers[other.number] = modified(each) if assumed is None else assumed
    date = None
    for _, time in sorted(numbers.items()):
        date = time if date is None or time < date - NEAR else date - APART
    return (modified(path) if date is None else date), f"the number of its rotation and {times}"


#: Bytes that are read at once.
PIECE = 1 << 20

#: How files begin that were compressed, and by what: RFC 1952 section 2.3.1, the .xz file format 2.1.1.1, the
#: header of bzip2, RFC 8878 section 3.1.1, and APPNOTE 4.3.7 of zip.
MAGIC = {
    b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "xz", b"BZh": "bzip2", b"\x28\xb5\x2f\xfd": "zstd",
    b"PK\x03\x04": "zip",
}  # fmt: skip

#: What is in a zip file that is a spreadsheet or another document.
OF_DOCUMENTS = re.compile(r"xl/.*|word/.*|\[Content_Types\]\.xml|mimetype|.*\.npy")

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
    """Read a log piece by piece, and what was compressed (gzip, xz, bzip2, zstd, zip) as if it had not.

    Of a zip file that holds several, one is read after the other, by their names.

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
    except (OSError, EOFError, zlib.error, lzma.LZMAError, *ZIP_ERRORS, *_zstd_errors()) as error:
        msg = (
            f"{source.label}: cannot be read{_to_its_end(error)}: {getattr(error, 'strerror', None) or error}"
        )
        raise UnreadableLogError(msg) from error


#: What is raised of a damaged zip file, one with a password, and one that was packed in an unusual way.
ZIP_ERRORS = (zipfile.BadZipFile, RuntimeError, NotImplementedError)


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
    if how == "zip":
        yield from _of_zip(raw, first)
        tell()
        return
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


def _of_zip(raw: IO[bytes], first: bytes) -> Iterator[bytes]:
    """Give the files of a zip file, each with a line feed at its end."""
    file = raw if raw.seekable() else io.BytesIO(first + raw.read())
    with zipfile.ZipFile(file) as packed:
        if any(map(OF_DOCUMENTS.fullmatch, packed.namelist())):  # no log: it is named for what it is
            file.seek(0)
            while piece := file.read(PIECE):
                yield piece
            return
        for name in sorted(each.filename for each in packed.infolist() if not each.is_dir()):
            last = b""
            with packed.open(name) as unpacked:
                while piece := unpacked.read(PIECE):
                    yield piece
                    last = piece
            if last and not last.endswith(b"\n"):
                yield b"\n"


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
        msg = f"a file of zstd {needs('zstandard')}"
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
