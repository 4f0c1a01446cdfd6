"""A million duels: ``python benchmarks/million.py`` writes ``MILLION.md``: time, disk and memory.

An archive is filled, learns everything, and then gets a late match of the last week and one game more, each
from a fresh archive object, as a new process has it.  Times are of the processor, memory is the most that
the process has had at any time until then.  ``python benchmarks/million.py 20000`` does it with fewer, and
writes nothing.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from equipoise.archive.archive import open_archive
from late_matches import APART, WEEK, match

#: Matches, people who play them, and players in a team.
MATCHES, PEOPLE, SIZE = 1_000_000, 20_000, 1

#: Matches that are kept with one commit.
BATCH = 10_000

PAGE = """# A million matches

{} duels of {} people in a file of SQLite, with the default model.
Times are of the processor; memory is the most that the process has had until then.

| step | seconds | memory, MB | file, MB |
|---|---:|---:|---:|
{}

The late match ended {:.0f} hours before the last one and was learnt from {} matches.
`python benchmarks/million.py` measures it.
"""


def steps(path: Path, matches: int, people: int, seed: int = 0) -> Iterator[tuple[str, int]]:
    """Carry out one step after the other; give what was done and from how many matches it was learnt."""
    url, rng = f"sqlite:///{path}", np.random.default_rng(seed)
    yield "begin", 0
    with open_archive(url) as archive:
        for start in range(0, matches, BATCH):
            numbers = range(start, min(start + BATCH, matches))
            archive.record(match(rng, n, APART * n, people, SIZE) for n in numbers)
    yield "keep all matches", 0
    with open_archive(url) as archive:
        learnt = archive.update_ratings().matches
    yield "learn from all", learnt
    ended = APART * matches - min(WEEK, APART * matches) / 2
    for told, n, at in (("late match", 0, ended), ("game more", 1, APART * matches)):
        with open_archive(url) as archive:
            archive.record([match(rng, matches + n, at, people, SIZE)])
            learnt = archive.update_ratings().matches
        yield f"one {told}", learnt
    with open_archive(url) as archive:
        archive.standing()
    yield "read what is known of everyone", 0


def rows(path: Path, matches: int, people: int) -> Iterator[tuple[str, float, float, float, int]]:
    """Carry the steps out; give of each its name, seconds, megabytes of memory and of the file, matches."""
    before = time.process_time()
    for told, learnt in steps(path, matches, people):
        took = time.process_time() - before
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        size = sum(each.stat().st_size for each in path.parent.iterdir()) / 1e6
        yield told, took, memory, size, learnt
        before = time.process_time()


def main() -> None:
    """Measure and print; write the page where it is a million."""
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else MATCHES
    lines, late = [], 0
    with tempfile.TemporaryDirectory() as name:
        for told, took, memory, size, learnt in rows(Path(name) / "games.db", matches, PEOPLE):
            lines.append(f"| {told} | {took:,.1f} | {memory:,.0f} | {size:,.0f} |")
            late = learnt if told == "one late match" else late
            print(lines[-1], flush=True)
    if matches == MATCHES:
        page = PAGE.format(f"{matches:,}", f"{PEOPLE:,}", "\n".join(lines), WEEK / 7200, late)
        Path(__file__).with_name("MILLION.md").write_text(page)


if __name__ == "__main__":
    main()
