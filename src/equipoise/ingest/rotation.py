"""What lies beside a log: which files are older pieces of it, in which order, and when each ended.

Names tell it where they can: ``games.log.1`` is newer than ``games.log.2.gz``, and ``games.log-20260131`` or
``games-2026-01-31.log`` have a date.  Otherwise the time of the file does.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

#: Endings of compressed files.
COMPRESSED = (".gz", ".xz", ".bz2", ".zst")

#: A date in a name, with or without a time, or seconds since 1970.
DATE = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d\d)(?P<part>[-._]?)(?P<month>\d\d)(?P=part)(?P<day>\d\d)"
    r"(?:[-_T.]?(?P<hour>\d\d)[-:.h_]?(?P<minute>\d\d)(?:[-:.m_]?(?P<second>\d\d))?)?(?!\d)"
)
EPOCH = re.compile(r"(?<!\d)1\d{9}(?!\d)")

#: The number of a rotation, last or before a short ending, as ``games.log.1`` and ``games.1.log``.
NUMBER = re.compile(r"\.(?P<number>\d{1,4})(?P<ending>\.[A-Za-z]{1,4})?")

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
    """

    log: str
    number: int = 0
    date: float | None = None


def piece_of(name: str) -> Piece:
    """Return what the name of a file says.

    Examples
    --------
    >>> piece_of("games.log.2.gz"), piece_of("games-1970-01-02.log")
    (Piece(log='games.log', number=2, date=None), Piece(log='games.log', number=0, date=86400.0))
    >>> piece_of("nexuiz00000001.log")
    Piece(log='nexuiz00000001.log', number=0, date=None)
    """
    for ending in COMPRESSED:
        name = name.removesuffix(ending)
    for pattern in (DATE, EPOCH):
        for found in pattern.finditer(name):
            date = _date(found)
            if date is not None:
                before, after = name[: found.start()].rstrip(_SEPARATORS), name[found.end() :]
                return Piece(before + after, 0, date)
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


def date_of(path: Path, assumed: float | None = None) -> tuple[float, str]:
    """Return when the games of a file without dates are taken to have been, and by what that is known.

    Parameters
    ----------
    path : Path
        The file.
    assumed : float, optional
        What stands in the place of times of files.
    """
    piece = piece_of(path.name)
    if piece.date is not None:
        return piece.date, "its name"
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
