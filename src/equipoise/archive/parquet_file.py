"""A whole archive as one Parquet file, and back."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise.archive.digest import GAME, SAME, Content
from equipoise.archive.row_codec import match_of
from equipoise.archive.tables import roots_of, text_of
from equipoise.core.packages import needs
from equipoise.errors import InputError
from equipoise.identity.merges import renamed
from equipoise.ratings.replay import in_order

if TYPE_CHECKING:
    from equipoise.archive.archive import Archive
    from equipoise.core.match import Match


#: Rows that are in memory at a time.
ROWS = 50_000  # effort


def write(archive: Archive, path: str) -> int:
    """Write everything an archive holds into a file, whole or not at all; return how many matches there are.

    Rows are written in parts, which are then put together, so that memory need not hold them.

    Raises
    ------
    InputError
        If the file cannot be written, or polars is not installed.
    """
    polars = _polars()
    beside, matches, parts = Path(f"{path}.part"), 0, list[Path]()
    content = iter(archive.contents())
    try:
        with tempfile.TemporaryDirectory(prefix="equipoise-") as folder:
            while rows := list(itertools.islice(content, ROWS)):
                frame = polars.DataFrame(rows, schema=_schema(polars), orient="row")
                matches += int((frame["kind"] == GAME).sum())
                parts.append(Path(folder) / f"{len(parts)}.parquet")
                frame.write_parquet(parts[-1], compression="zstd")
            polars.scan_parquet(parts).sink_parquet(beside, compression="zstd")
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        msg = f"{path}: cannot be written: {error.strerror or error}"
        raise InputError(msg) from error
    return matches


def read(archive: Archive, path: str) -> int:
    """Fill a new archive from a file, some rows at a time; return how many matches there are.

    Raises
    ------
    InputError
        If the file cannot be read or is not an archive, or the archive is not new.
    """
    polars = _polars()
    scan = polars.scan_parquet(path, glob=False)
    if dict(_collected(polars, scan.head(0), path).schema) != _schema(polars):
        msg = f"{path}: it is not an archive that 'equipoise archive export' has written"
        raise InputError(msg)
    many = _collected(polars, scan.select(polars.len()), path).item()

    def content() -> Iterator[Content]:
        for first in range(0, many, ROWS):
            where = f"{path}, rows {first + 1} to {min(first + ROWS, many)}"
            yield from _content(_collected(polars, scan.slice(first, ROWS), where))

    return archive.fill(content())


def _collected(polars: Any, query: Any, where: str) -> Any:
    try:
        return query.collect()
    except (OSError, polars.exceptions.PolarsError) as error:
        msg = f"{where}: cannot be read: {getattr(error, 'strerror', None) or error}"
        raise InputError(msg) from error


def exported(path: str) -> list[Match]:
    """Return the matches that count in a file that :func:`write` has written; none of any other file."""
    polars = _polars()
    try:
        if dict(polars.read_parquet_schema(path)) != _schema(polars):
            return []
        frame = polars.read_parquet(path)
    except (OSError, polars.exceptions.PolarsError):
        return []  # the reader of other files says what is wrong
    content = list(_content(frame))
    merged = roots_of({text_of(one.id): one.text for one in content if one.kind == SAME})
    matches = [match_of(one.text, one.ended) for one in content if one.kind == GAME and not one.undone]
    return in_order(renamed(match, merged) for match in matches)


def _content(frame: Any) -> Iterator[Content]:
    for row in frame.iter_rows():
        yield Content(*row)


def _schema(polars: Any) -> dict[str, Any]:
    kinds = (polars.String, polars.Binary, polars.Float64, polars.Boolean, polars.String)
    return dict(zip(Content._fields, kinds, strict=True))


def _polars() -> Any:
    try:
        import polars as pl
    except ImportError as error:
        msg = f"parquet: it {needs('polars')}"
        raise InputError(msg) from error
    return pl
