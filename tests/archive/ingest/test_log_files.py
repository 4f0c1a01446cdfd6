"""Logs are read as they are, compressed by whatever there is."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from equipoise.archive.ingest.log_files import Source, UnreadableLogError, find_logs, in_chains, pieces

CONTENT = b"a line\n" * 400_000


def zstd(content: bytes) -> bytes:
    """Compress with zstd, where there is one."""
    zstandard = pytest.importorskip("zstandard")
    compressed: bytes = zstandard.ZstdCompressor().compress(content)
    return compressed


def test_the_files_of_a_zip_file_are_read_by_their_names(tmp_path: Path) -> None:
    """As one log, whatever order they stand in; one that is damaged is reported."""
    path = tmp_path / "log.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("logs/b.log", "second\n")
        packed.writestr("logs/a.log", "first")
    assert b"".join(pieces(Source(str(path), named=True))) == b"first\nsecond\n"
    path.write_bytes(path.read_bytes()[:60])
    with pytest.raises(UnreadableLogError, match=r"log\.zip: cannot be read"):
        list(pieces(Source(str(path), named=True)))


@pytest.mark.slow
@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress, bz2.compress, zstd])
def test_what_was_compressed_is_read_as_if_it_had_not_been(
    tmp_path: Path, compress: Callable[[bytes], bytes]
) -> None:
    """In one part or several; a part that is damaged is reported, and what came before it is given."""
    source = Source(str(tmp_path / "log"), named=True)
    Path(source.path).write_bytes(compress(CONTENT) + compress(b"more\n"))
    assert b"".join(pieces(source)) == CONTENT + b"more\n"
    Path(source.path).write_bytes(compress(CONTENT) + compress(CONTENT)[:40])
    given = pieces(source)
    assert next(given).startswith(CONTENT[:2])
    with pytest.raises(UnreadableLogError, match="cannot be read to its end"):
        list(given)


def test_pieces_of_a_log_are_a_chain_as_far_as_none_is_missing(tmp_path: Path) -> None:
    """In the order of their age, whatever the order of the arguments; other logs stand by themselves."""
    names = ("games.log.5", "games.log.3", "games.log.2.gz", "games.log.1", "games.log", "other.log")
    for name in names:
        (tmp_path / name).write_bytes(b"")
    sources = find_logs(tuple(str(tmp_path / name) for name in reversed(names)))
    chains = [[Path(source.path).name for source in chain] for chain in in_chains(sources)]
    assert sorted(chains) == [
        ["games.log.3", "games.log.2.gz", "games.log.1", "games.log"],
        ["games.log.5"],
        ["other.log"],
    ]
