"""What keeping matches costs beside reading them: 10,000 games of OpenArena into a new SQLite archive.

``python -m benchmarks archive`` prints seconds of processor time, each the least of three runs.
The log is that of 80 games in the tests, 125 times, with other names of the map: 133 MB.
"""

from __future__ import annotations

import argparse
import gzip
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.reporting import ROOT

from equipoise.archive.archive import open_archive
from equipoise.archive.ingest.ingest import BATCH
from equipoise.archive.ingest.log_files import Source, pieces
from equipoise.core.match import Match
from equipoise.games.quake3.reader import GAME

LOG = ROOT / "tests" / "games" / "data" / "tdm_oa_dm5_4v4_16bots_ts25.log.gz"
COPIES, RUNS = 125, 3


def write_log(path: Path, copies: int) -> None:
    """Write a log of 80 games a copy, all of them different."""
    content = gzip.decompress(LOG.read_bytes())
    with path.open("wb") as out:
        for n in range(copies):
            out.write(content.replace(b"\\mapname\\oa_dm5", b"\\mapname\\map%d" % n))


def split_lines(path: Path) -> None:
    """Do the least one can do with a log: split each line."""
    with path.open("rb") as lines:
        for line in lines:
            line.split()


def read(path: Path) -> list[Match]:
    """Read all matches of a log."""
    reader = GAME.reader("log")
    return [
        one
        for piece in pieces(Source(str(path), named=True))
        for one in reader.read(piece)
        if isinstance(one, Match)
    ]


def seconds(function: Callable[[], object]) -> float:
    """Return the least processor time of some runs."""
    times = []
    for _ in range(RUNS):
        began = time.process_time()
        function()
        times.append(time.process_time() - began)
    return min(times)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("copies", type=int, nargs="?", default=COPIES, help="of one log of 80 games")
    copies = parser.parse_args().copies
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "games.log"
        write_log(path, copies)
        matches = read(path)
        number = iter(range(10**6))

        def keep() -> str:
            url = f"sqlite:///{name}/{next(number)}.db"
            with open_archive(url) as archive:
                for start in range(0, len(matches), BATCH):
                    archive.record(matches[start : start + BATCH])
            return url

        def learn_next() -> None:
            with open_archive(next(urls)) as archive:
                archive.update_ratings()

        keep()  # so that everything is loaded
        urls = iter([keep() for _ in range(RUNS)])
        rows = {
            "split each line": seconds(lambda: split_lines(path)),
            "read the matches": seconds(lambda: read(path)),
            "keep them": seconds(keep),
            "learn from them": seconds(learn_next),
        }
        size = path.stat().st_size / 1e6
    print(f"{len(matches)} games, {size:.0f} MB\n")
    print("| what | seconds | of reading |\n|---|---|---|")
    for what, took in rows.items():
        print(f"| {what} | {took:.2f} | {took / rows['read the matches']:.2f} |")
    return 0
