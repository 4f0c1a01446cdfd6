"""What a late match costs: ``python benchmarks/late_matches.py`` fills an archive of 100,000 and adds some.

Each late match ended an hour to a week before the last one; what is learnt must be bit for bit a rebuild, and
the time is given as a part of a rebuild's, both measured in this run.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from equipoise.archive.archive import Archive, open_archive
from equipoise.matches import Contest, Match, Ruleset

#: Matches, people, and seconds from one match to the next; how many come late, and by how much at most.
MATCHES, PEOPLE, APART, LATE, WEEK = 100_000, 2_000, 600.0, 5, 7 * 86_400.0

#: What is wanted: the part of a rebuild that a late match may cost.
WANTED = 0.1


#: What the page says.
PAGE = """# Late matches

{}.

`python benchmarks/late_matches.py` measures both in one run.
How long either takes depends on the machine and on what else it does; the part does not.
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
    began = time.perf_counter()
    archive.rebuild()
    whole = time.perf_counter() - began
    times, learnt = [], 0
    for n in range(LATE):
        ended = APART * matches - float(rng.uniform(3600.0, min(WEEK, APART * matches / 2)))
        archive.record([match(rng, matches + n, ended, people)])
        began = time.perf_counter()
        learnt = max(learnt, archive.update_ratings().matches)
        times.append(time.perf_counter() - began)
    state = archive.standing().state
    archive.rebuild()
    if repr(state) != repr(archive.standing().state):
        msg = "late matches do not lead to the ratings of a rebuild"
        raise AssertionError(msg)
    return whole, times, learnt


def main() -> None:
    """Measure, and print; exit with 1 where it is too much."""
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else MATCHES
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "games.db"
        with open_archive(f"sqlite:///{path}") as archive:
            whole, times, learnt = measure(archive, matches)
        size = path.stat().st_size
    part = float(np.median(times)) / whole
    told = (
        f"{matches} matches of {PEOPLE} people, {size / 1e6:.0f} MB: rebuild {whole:.2f} s, a late match "
        f"{1000 * float(np.median(times)):.0f} ms (learnt from at most {learnt}), {100 * part:.1f} % of it"
    )
    print(told)
    if matches == MATCHES:
        Path(__file__).with_name("LATE.md").write_text(PAGE.format(told))
    if part > WANTED:
        sys.exit(1)


if __name__ == "__main__":
    main()
