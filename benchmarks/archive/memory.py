"""What many matches cost in memory, time and disk: ``python -m benchmarks memory`` writes ``MEMORY.md``.

An archive is filled, learns everything, and then gets a late match of the last week and one game more, each
from a fresh archive object, as a new process has it.  Each size has a process of its own.  Times are of the
processor, memory is the most that the process has had until then.  ``python -m benchmarks memory 1000000``
does it with as many, and writes nothing.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from benchmarks.archive.late_matches import APART, WEEK, match
from benchmarks.reporting import PAGES

from equipoise.archive.archive import open_archive

#: Numbers of matches, and the people who play them.
SIZES, PEOPLE = (10_000, 20_000, 80_000), 5_000

#: Matches that are kept with one commit.
BATCH = 10_000

#: A row of the table: the step, seconds, megabytes of memory and of the files, matches learnt from.
Row = tuple[str, float, float, float, int]

PAGE = """# Memory

Matches of four against four among {people:,} people, in a file of SQLite, learnt by the default model.
Times are of the processor; memory is the most that the process has had until then.

| matches | step | seconds | memory, MB | files, MB | learnt from |
|---:|---|---:|---:|---:|---:|
{rows}

Matches are read and learnt from in parts of 10,000, so memory grows with the people.
From {few:,} matches to {many:,} it grows by {growth:.0f} MB.

`python -m benchmarks memory` measures it; a number behind it is another number of matches.
"""


def steps(path: Path, matches: int, people: int, seed: int = 0) -> Iterator[tuple[str, int]]:
    """Carry out one step after the other; give what was done and from how many matches it was learnt."""
    url, rng = f"sqlite:///{path}", np.random.default_rng(seed)
    with open_archive(url) as archive:
        for start in range(0, matches, BATCH):
            numbers = range(start, min(start + BATCH, matches))
            archive.record(match(rng, n, APART * n, people) for n in numbers)
    yield "keep all", 0
    with open_archive(url) as archive:
        learnt = archive.update_ratings().matches
    yield "learn from all", learnt
    ended = APART * matches - min(WEEK, APART * matches) / 2
    for reported, n, at in (("late match", 0, ended), ("game more", 1, APART * matches)):
        with open_archive(url) as archive:
            archive.record([match(rng, matches + n, at, people)])
            learnt = archive.update_ratings().matches
        yield f"one {reported}", learnt
    with open_archive(url) as archive:
        archive.standing()
    yield "read what is known of everyone", 0


def rows(matches: int, people: int = PEOPLE) -> list[Row]:
    """Carry the steps out and return what they cost."""
    found, before = list[Row](), time.process_time()
    with tempfile.TemporaryDirectory() as name:
        for reported, learnt in steps(Path(name) / "games.db", matches, people):
            took = time.process_time() - before
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            size = sum(each.stat().st_size for each in Path(name).iterdir()) / 1e6
            found.append((reported, took, memory, size, learnt))
            before = time.process_time()
    return found


def table(matches: int, found: list[Row]) -> str:
    """Return rows as Markdown."""
    return "\n".join(
        f"| {matches:,} | {reported} | {took:,.1f} | {memory:,.0f} | {size:,.0f} | {learnt or ''} |"
        for reported, took, memory, size, learnt in found
    )


def main() -> int:
    """Measure and print; write the page where no number is given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("matches", type=int, nargs="*", help="other numbers of matches, only printed")
    sizes = tuple(parser.parse_args().matches) or SIZES
    found = {}
    for matches in sizes:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            found[matches] = pool.apply(rows, (matches,))
        print(table(matches, found[matches]), flush=True)
    if sizes == SIZES:
        few, many = SIZES[-2:]
        growth = max(row[2] for row in found[many]) - max(row[2] for row in found[few])
        text = "\n".join(table(matches, rows) for matches, rows in found.items())
        page = PAGE.format(people=PEOPLE, rows=text, few=few, many=many, growth=growth)
        (PAGES / "MEMORY.md").write_text(page)
    return 0
