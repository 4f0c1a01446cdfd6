"""Histories larger than memory: ``python -m benchmarks large_histories`` writes ``LARGE_HISTORIES.md``.

Contests of two against two among 20,000 people are written to Parquet, in order of time and in none.
``equipoise rate`` reads and learns from each file, and ``equipoise evaluate`` predicts it, in a process of
its own; measured are its processor time and the most memory that it had.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.reporting import PAGES, RAW, ROOT, describe, run_many

#: Contests of the files, people among whom they are, and how many contests are written at a time.
CONTESTS, PEOPLE, WRITTEN = (1_000_000, 3_000_000, 10_000_000), 20_000, 250_000

#: What is measured.
COMMANDS = ("rate", "evaluate")

#: Seconds from one contest to the next.
APART = 7

#: Runs the command line, and writes what it cost to a file.
RUNNING = """
import resource, sys, json
from equipoise.cli import main
sys.argv[0] = "equipoise"
try:
    main()
finally:
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]), file=sys.stderr)
"""

WRITING = "from benchmarks.archive.large_histories import write; import sys; write(*sys.argv[1:])"


def write(path: str, contests: str, order: str) -> None:
    """Write a file of so many contests, ``in`` order of time or in ``no`` order."""
    import polars as pl

    rng, many = np.random.default_rng(1), int(contests)
    numbers = np.arange(many) if order == "in" else rng.permutation(many)
    skill = rng.normal(0.0, 1.0, PEOPLE)
    parts = []
    for start in range(0, many, WRITTEN):
        match = numbers[start : start + WRITTEN]
        who = rng.integers(0, PEOPLE - 3, (len(match), 1)) + np.arange(4)
        ahead = skill[who[:, :2]].sum(axis=1) - skill[who[:, 2:]].sum(axis=1)
        won = ahead + rng.logistic(0.0, 1.0, len(match)) > 0.0
        frame = pl.DataFrame(
            {
                "match": pl.Series(np.repeat(match, 4)).cast(pl.String), "ended": np.repeat(match * APART, 4),
                "team": ["a", "a", "b", "b"] * len(match), "player": pl.Series(who.ravel()).cast(pl.String),
                "rank": np.repeat(np.stack([~won, won], axis=1) + 1, 2),
            }
        )  # fmt: skip
        parts.append(f"{path}.{start}")
        frame.write_parquet(parts[-1])
    pl.scan_parquet(parts).sink_parquet(path)


def measure(contests: int) -> dict[str, Any]:
    """Measure with all sizes up to so many contests; what was measured is printed as it comes."""
    rows = []
    for many in (each for each in CONTESTS if each <= contests):
        for order in ("in", "no"):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "games.parquet"
                subprocess.run(
                    [sys.executable, "-c", WRITING, str(path), str(many), order], check=True, cwd=ROOT
                )
                size = path.stat().st_size / 1e6
                for command in COMMANDS:
                    done = subprocess.run(
                        [sys.executable, "-c", RUNNING, command, str(path), "--json"],
                        check=True, capture_output=True, text=True,
                    )  # fmt: skip
                    seconds, memory = json.loads(done.stderr.splitlines()[-1])
                    answer = json.loads(done.stdout)
                    counted = answer["matches"] if command == "rate" else answer["models"]["default"]["n"]
                    rows.append(
                        {"command": command, "contests": many, "order": order, "size": size,
                         "seconds": seconds, "memory": memory, "counted": counted}
                    )  # fmt: skip
                    print(rows[-1], flush=True)
    return {**describe(), "rows": rows}


def report(results: dict[str, Any]) -> str:
    """Return the page."""
    rows = sorted(results["rows"], key=lambda row: (COMMANDS.index(row["command"]), row["order"]))
    lines = [
        f"| `{row['command']}` | {row['order']} order | {row['contests']:,} | {row['size']:,.0f} "
        f"| {row['seconds']:,.0f} | {1e6 * row['seconds'] / row['contests']:.1f} | {row['memory']:,.0f} "
        f"| {row['counted']:,} |"
        for row in rows
    ]
    return """\
# Histories larger than memory

`python -m benchmarks large_histories` measured and wrote this; do not edit.

Contests of two against two among {people:,} people, four rows each, in Parquet: rated by \
`equipoise rate FILE --json` and predicted by `equipoise evaluate FILE --json`, both with the default model, \
at commit {commit}, {processor}.
Times are of the processor, memory is the most that the process had.
Counted are the matches that were rated, and the predictions that were scored.

| command | rows stand in | contests | file, MB | seconds | microseconds a contest | memory, MB | counted |
|---|---|---:|---:|---:|---:|---:|---:|
{lines}

Files of more than {rows:,} rows are gone through in parts; of a file in no order, all rows are first sorted \
on disk, in the folder for temporary files.
In memory are a part and what is known of everybody; `evaluate` keeps its predictions on disk until it knows \
how many of them count.
""".format(
        people=PEOPLE, commit=results["commit"], processor=results["processor"], lines="\n".join(lines),
        rows=_rows(),
    )  # fmt: skip


def _rows() -> int:
    from equipoise.files.parquet_parts import ROWS

    return ROWS


def main() -> int:
    """Read the arguments and do what they say."""
    raw, page = RAW / "large_histories.json", PAGES / "LARGE_HISTORIES.md"
    return run_many(__doc__, raw, page, measure, report, contests=max(CONTESTS))
