"""What a late match costs: ``python -m benchmarks late_matches`` fills an archive of 100,000 and adds some.

Each late match ended an hour to a week before the last one; what is learnt must be bit for bit a rebuild, and
the time is given as a part of a rebuild's, both measured in this run.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np
from benchmarks import reporting
from benchmarks.reporting import PAGES, RAW

from equipoise.archive.archive import Archive, open_archive
from equipoise.core.match import Contest, Match, Ruleset

#: Matches, people, and seconds from one match to the next; how many come late, and by how much at most.
MATCHES, PEOPLE, APART, LATE, WEEK = 100_000, 2_000, 600.0, 5, 7 * 86_400.0

#: What is wanted: the part of a rebuild that a late match may cost.
WANTED = 0.1


#: What the page says.
PAGE = """# Late matches

`python -m benchmarks late_matches` measured and wrote this; do not edit.

{matches:,} matches of {people:,} people, a file of {size:.0f} MB: a rebuild takes {whole:.2f} s, a match \
that comes up to a week late {late:.0f} ms, learnt from at most {learnt:,} matches: {part:.1f} % of a \
rebuild, where at most {wanted:.0f} % is wanted.
Ratings are those of a rebuild afterwards, bit for bit.

Both are seconds of the processor in one run; {late:.0f} ms is the median of {times}.
"""


def match(rng: np.random.Generator, n: int, ended: float, people: int, size: int = 4) -> Match:
    """Return a match of two teams."""
    ids = [f"p{number}" for number in rng.choice(people, 2 * size, replace=False).tolist()]
    contest = Contest(Ruleset("g", "tdm"), (ids[:size], ids[size:]), rng.permutation(2).tolist(), at=ended)
    return Match((contest,), began=ended - 300.0, ended=ended, id=f"m{n}")


def measure(
    archive: Archive, matches: int, people: int = PEOPLE, seed: int = 0
) -> tuple[float, list[float], int]:
    """Return the seconds of a rebuild and of each late match, and from how many matches these were learnt.

    Raises AssertionError where what is learnt is not that of a rebuild.
    """
    rng = np.random.default_rng(seed)
    for start in range(0, matches, 10_000):
        archive.record(match(rng, n, APART * n, people) for n in range(start, min(start + 10_000, matches)))
    archive.rebuild()  # compiles what is not compiled yet
    began = time.process_time()
    archive.rebuild()
    whole = time.process_time() - began
    times, learnt = [], 0
    for n in range(LATE):
        ended = APART * matches - float(rng.uniform(3600.0, min(WEEK, APART * matches / 2)))
        archive.record([match(rng, matches + n, ended, people)])
        began = time.process_time()
        learnt = max(learnt, archive.update_ratings().matches)
        times.append(time.process_time() - began)
    state = archive.standing().state
    archive.rebuild()
    if repr(state) != repr(archive.standing().state):
        msg = "late matches do not lead to the ratings of a rebuild"
        raise AssertionError(msg)
    return whole, times, learnt


def results(matches: int) -> dict[str, float]:
    """Measure in a fresh archive."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "games.db"
        with open_archive(f"sqlite:///{path}") as archive:
            whole, times, learnt = measure(archive, matches)
        size = path.stat().st_size
    late = float(np.median(times))
    found = {
        "matches": matches, "people": PEOPLE, "size": size / 1e6, "whole": whole, "late": 1000 * late,
        "learnt": learnt, "part": 100 * late / whole, "wanted": 100 * WANTED, "times": len(times),
    }  # fmt: skip
    if late > WANTED * whole:
        msg = f"a late match costs too much: {found}"
        raise AssertionError(msg)
    return found


def main() -> int:
    """Read the arguments and do what they say."""
    return reporting.run_many(
        __doc__, RAW / "late_matches.json", PAGES / "LATE.md", results, PAGE.format_map, matches=MATCHES
    )
