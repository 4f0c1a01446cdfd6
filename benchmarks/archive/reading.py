"""What reading costs: ``python -m benchmarks reading`` writes ``reading.json`` and ``READING.md``.

The whole of ``equipoise rate``, less its start, is set against ``json.loads`` over the same matches as lines
of JSON, in processor time of one run: for lines, tables and Parquet, with statistics and without.  Then
memory is measured at a million matches.  ``--report`` writes the page anew, ``--check`` only looks.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks import reporting
from benchmarks.reporting import PAGES, RAW

#: Matches by default, those of the test of memory, how often each is timed, and the people who play.
MATCHES, MANY, TIMES, PEOPLE = 100_000, 1_000_000, 3, 5_000

#: What is wanted: times the processor time of ``json.loads``, and gigabytes at a million.
RATIO, GIGABYTES = 4.0, 1.2

#: Formats that are read.
FORMATS = ("jsonl", "csv", "parquet")

#: The page.
PAGE = """# Benchmark results: reading

`python -m benchmarks reading` measured this, `python -m benchmarks reading --report` wrote it; do not edit.
All figures are seconds of the processor in one run.

- Date: {environment[date]}; commit {environment[commit]}; {environment[python]}; {environment[processor]}.

Matches of five against five among {people:,} people, each with scores, a date and a ruleset, with \
statistics (kills and deaths) or without.
The whole of `equipoise rate FILE --output OUT`, less its start (that of one match), is set against \
`json.loads` over the same matches as lines of JSON; of {times} runs the least counts, of both.

| matches | statistics | `json.loads`, s | format | `rate`, s | ratio | wanted |
|---:|---|---:|---|---:|---:|---:|
{rows}

At {many:,} matches without statistics `rate` takes {memory:.2f} GB at most ({seconds:.0f} s); at most \
{gigabytes} GB are wanted.
"""


def matches(count: int, *, statistics: bool, seed: int = 0) -> Iterator[dict[str, Any]]:
    """Give random matches in order of play."""
    rng = np.random.default_rng(seed)
    for n in range(count):
        ids = [f"player{number:05d}" for number in rng.integers(0, PEOPLE, 14).tolist()]
        ids = list(dict.fromkeys(ids))[:10]
        kills = rng.integers(0, 20, 2 * len(ids)).tolist()
        players: list[Any] = list(ids)
        if statistics:
            players = [
                {"id": name, "kills": kills[2 * place], "deaths": kills[2 * place + 1]}
                for place, name in enumerate(ids)
            ]
        half = len(ids) // 2
        yield {
            "id": f"m{n:07d}", "ended": 1_600_000_000 + 600 * n, "game": "g", "game_type": "tdm",
            "teams": [players[:half], players[half:]], "scores": rng.integers(0, 30, 2).tolist(),
        }  # fmt: skip


def write_lines(path: Path, count: int, *, statistics: bool) -> None:
    """Write matches as lines of JSON."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(match) + "\n" for match in matches(count, statistics=statistics))


def write_table(path: Path, count: int, *, statistics: bool) -> None:
    """Write the same matches as a table, a row a player."""
    more = ("kills", "deaths") if statistics else ()
    with path.open("w", encoding="utf-8", newline="") as file:
        write = csv.writer(file, lineterminator="\n").writerow
        write(("match", "ended", "game", "game_type", "team", "team_score", "player", *more))
        for match in matches(count, statistics=statistics):
            for team, (members, score) in enumerate(zip(match["teams"], match["scores"], strict=True), 1):
                for player in members:
                    who = player["id"] if statistics else player
                    write((
                        match["id"], match["ended"], match["game"], match["game_type"], team, score, who,
                        *(player[name] for name in more),
                    ))  # fmt: skip


def write_all(folder: Path, count: int, *, statistics: bool) -> dict[str, Path]:
    """Write matches in all formats."""
    import polars as pl

    paths = {form: folder / f"{count}-{statistics}.{form}" for form in FORMATS}
    write_lines(paths["jsonl"], count, statistics=statistics)
    write_table(paths["csv"], count, statistics=statistics)
    texts = {"match": pl.String, "player": pl.String, "game": pl.String, "game_type": pl.String}
    pl.read_csv(paths["csv"], schema_overrides=texts).write_parquet(paths["parquet"])
    return paths


def spent(path: Path) -> tuple[float, int]:
    """Return the processor time and the bytes of memory of the command on a file."""
    argv = [sys.executable, "-m", "equipoise", "rate", str(path), "--output", os.devnull]
    child = subprocess.Popen(argv)  # our own command
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, f"rate failed on {path}"
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def decoded(path: Path) -> float:
    """Return the processor time of json.loads over the lines of a file."""
    lines = path.read_bytes().splitlines()
    began = time.process_time()
    for line in lines:
        json.loads(line)
    return time.process_time() - began


def measure(count: int, many: int, times: int) -> dict[str, Any]:
    """Time all formats, and the memory that many matches take."""
    from benchmarks.reporting import describe  # beside this file, which is not a package

    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for statistics in (False, True):
            one = write_all(folder, 1, statistics=statistics)
            paths = write_all(folder, count, statistics=statistics)
            plain = min(decoded(paths["jsonl"]) for _ in range(times))
            for form, path in paths.items():
                spent(one[form])  # so that whatever is compiled once is
                start = min(spent(one[form])[0] for _ in range(times))
                whole = min(spent(path)[0] for _ in range(times))
                rows.append({
                    "matches": count, "statistics": statistics, "format": form, "loads": plain,
                    "seconds": whole - start, "ratio": (whole - start) / plain,
                })  # fmt: skip
                path.unlink()
        path = folder / "many.jsonl"
        write_lines(path, many, statistics=False)
        seconds, memory = spent(path)
    return {
        "environment": describe(),
        "rows": rows,
        "many": many,
        "seconds": seconds,
        "memory": memory / 1e9,
        "times": times,
    }


def report(results: dict[str, Any]) -> str:
    """Return the page."""
    rows = [
        f"| {row['matches']:,} | {'yes' if row['statistics'] else 'no'} | {row['loads']:.2f} "
        f"| {row['format']} | {row['seconds']:.2f} | {row['ratio']:.1f} | {RATIO:g} |"
        for row in results["rows"]
    ]
    return PAGE.format(**{**results, "rows": "\n".join(rows)}, people=PEOPLE, gigabytes=GIGABYTES)


def main() -> int:
    """Read the arguments and do what they say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=MATCHES)
    parser.add_argument("--many", type=int, default=MANY)
    parser.add_argument("--times", type=int, default=TIMES)
    reporting.add_modes(parser)
    given = parser.parse_args()
    results = RAW / "reading.json"
    return reporting.keep(
        given, results, PAGES / "READING.md", lambda: measure(given.matches, given.many, given.times), report
    )
