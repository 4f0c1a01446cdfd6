"""Kill an ingest at random moments, again and again: the archive opens, and a second run completes it.

``python -m benchmarks kills`` does it 200 times, with files of SQLite.
"""

from __future__ import annotations

import itertools
import json
import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from benchmarks import reporting
from benchmarks.reporting import PAGES, RAW

from equipoise.archive.archive import open_archive
from equipoise.archive.ingest import ingest
from equipoise.cli import group

#: Matches in the log, and in a commit: so that a kill falls between commits of one ingest.
MATCHES, BATCH = 1200, 10

#: Kills by default.
TIMES = 200

#: What the page says.
PAGE = """# Kills of an ingest

`python -m benchmarks kills` did this and wrote it; do not edit.

{kills} ingests were killed (SIGKILL) at random moments, {within} of them when some of the {matches:,} \
matches were kept and some not.
Every archive opened, and a second run ended at the digest and the ratings of an ingest that nobody killed.
"""


def write_log(path: Path, matches: int = MATCHES, seed: int = 0) -> None:
    """Write a log of matches between 20 players."""
    rng = np.random.default_rng(seed)
    lines = []
    for n in range(matches):
        ids = [f"p{number}" for number in rng.permutation(20)[:8].tolist()]
        teams = [[{"id": each, "name": f"{each} of {n % 7}"} for each in team] for team in (ids[:4], ids[4:])]
        scores = rng.integers(0, 9, 2).tolist()
        lines.append(json.dumps({"ended": 600 * n, "game": "g", "teams": teams, "scores": scores}))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def ingest_in_child(log: Path, url: str) -> int:
    """Start the command in a child, which has imported all it needs, and return the child's id."""
    child = os.fork()
    if child:
        return child
    ingest.BATCH = BATCH
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    try:
        group.main(["ingest", str(log), "--store", url], standalone_mode=False)
    finally:
        os._exit(0)


def kills(times: int, new_url: Callable[[], str], log: Path, seed: int = 0) -> Iterator[int]:
    """Kill so many ingests, each of a new archive; give how many matches each had kept by then.

    Raises AssertionError if one does not end at the same digest with the same ratings.
    """
    url = new_url()
    os.waitpid(ingest_in_child(log, url), 0)
    with open_archive(new_url()):
        pass  # so that every part is loaded before the clock runs
    began = time.monotonic()
    os.waitpid(ingest_in_child(log, new_url()), 0)
    whole = time.monotonic() - began
    with open_archive(url) as archive:
        digest, state = archive.digest(), archive.standing().state
    rng = np.random.default_rng(seed)
    for _ in range(times):
        url = new_url()
        child = ingest_in_child(log, url)
        time.sleep(rng.random() * whole)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        with open_archive(url) as archive:
            kept = archive.count()
        os.waitpid(ingest_in_child(log, url), 0)
        with open_archive(url) as archive:
            ended = (archive.digest(), archive.standing().current, archive.standing().state)
        if ended != (digest, True, state):
            msg = f"after a kill with {kept} matches kept a second run does not end the same"
            raise AssertionError(msg)
        yield kept


def measure(times: int) -> dict[str, int]:
    """Do it with files of SQLite, and tell how far the ingests had come."""
    with tempfile.TemporaryDirectory() as name:
        folder, numbers = Path(name), itertools.count()
        write_log(folder / "log.jsonl")
        kept = list(kills(times, lambda: f"sqlite:///{folder}/{next(numbers)}.db", folder / "log.jsonl"))
    return {"kills": times, "within": sum(0 < each < MATCHES for each in kept), "matches": MATCHES}


def main() -> int:
    """Read the arguments and do what they say."""
    return reporting.run_many(
        __doc__, RAW / "kills.json", PAGES / "KILLS.md", measure, PAGE.format_map, times=TIMES
    )
