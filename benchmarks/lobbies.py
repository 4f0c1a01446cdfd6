"""Measure how lobbies are filled: ``python benchmarks/lobbies.py`` writes ``lobbies.json``.

``python benchmarks/lobbies.py --report`` turns it into ``LOBBIES.md``; ``--check`` tells if it is stale.
Every plan is made in a process of its own, one after another.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from reporting import add_modes, keep

HERE = Path(__file__).parent
Row = dict[str, Any]

SIZES = (3_000, 30_000, 300_000, 1_000_000)
TEAM_SIZES = (2, 3, 4, 5)

#: Seconds the published program may take.
LIMIT = 150.0

HEAD = """\
# Lobby plans: value, bound, time

`python benchmarks/lobbies.py` measured this on {machine} with Python {python}, \
`python benchmarks/lobbies.py --report` wrote it; do not edit.

- Instances are those of `equipoise.lab.simulate`, seeded: published aggregates at 300 players, the same \
mean, targets and shares of teams above.
- A time is that of one call of `fill` in a process of its own, with loading numba and HiGHS, by the wall \
clock; processor time is in brackets, and where it is much less, others wanted the core.
- Memory is the most the process ever held, players and plan included.
- The excess is the root of gap by teams: by how much a team is off the bound in the root mean square.
"""


def plan(job: Row) -> Row:
    """Make one plan and return what is to be said of it."""
    from equipoise import deadline, fill
    from equipoise.lab.simulate import published, scaled

    seed, distribution = job["seed"], job["distribution"]
    instance = (
        published(seed, distribution)
        if job["players"] == 300
        else scaled(seed, job["players"], job["team_size"], distribution)
    )
    clock, processor = time.perf_counter(), time.process_time()
    found = fill(
        instance.players, instance.lobbies, team_size=instance.team_size, parties=instance.parties,
        deviation=job["deviation"], solver=job["solver"], stop=deadline(LIMIT),
    )  # fmt: skip
    return {
        **job,
        "seconds": time.perf_counter() - clock,
        "processor": time.process_time() - processor,
        "value": found.value,
        "bound": found.bound,
        "gap": found.relative_gap,
        "excess": found.excess,
        "status": str(found.status),
        "used": found.solver,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def jobs() -> list[Row]:
    """Return what is measured."""
    names = ["normal .6", "normal .9", "gamma .4", "lognormal .3", "uniform"]
    same: Row = {"players": 300, "team_size": 2, "deviation": "squared", "seed": 0}
    small = [
        {**same, "distribution": name, "solver": solver} for name in names for solver in ("exact", "large")
    ]
    small += [{**small[0], "solver": "paper"}, {**small[0], "deviation": "absolute"}]
    large = [
        {**small[0], "players": n, "team_size": m, "distribution": name, "solver": "auto"}
        for n in SIZES
        for m in TEAM_SIZES
        for name in (names if m == 2 else names[:1])
    ]
    return small + large


def measure() -> Row:
    """Return all measurements."""
    rows = []
    for job in jobs():
        done = subprocess.run(
            [sys.executable, str(HERE / "lobbies.py"), "--one", json.dumps(job)],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        rows.append(json.loads(done.stdout))
        print(rows[-1], file=sys.stderr, flush=True)
    return {"machine": platform.machine(), "python": platform.python_version(), "rows": rows}


def report(results: Row) -> str:
    """Return the report as Markdown."""
    rows = results["rows"]
    small = [row for row in rows if row["players"] == 300]
    large = [row for row in rows if row["players"] > 300]
    exact = next(row for row in small if row["solver"] == "exact")
    paper = next(row for row in small if row["solver"] == "paper")
    ratio = paper["processor"] / exact["processor"]
    proven = "proves the same value" if paper["status"] == "optimal" else "was stopped without a proof"
    lines = [
        HEAD.format(**results),
        "## 300 players with the published aggregates, teams of two",
        "",
        _table(small),
        "",
        f"In processor time, on the same instance, `paper` takes {ratio:.0f} times as much; it {proven}.",
        "",
        "## Large instances",
        "",
        _table(large),
    ]
    return "\n".join(lines) + "\n"


def _table(rows: list[Row]) -> str:
    head = [
        "players",
        "team",
        "skills",
        "solver",
        "deviation",
        "value",
        "bound",
        "gap",
        "excess",
        "time",
        "memory",
    ]
    cells = [
        [
            f"{row['players']:,}", str(row["team_size"]), row["distribution"], f"`{row['used']}`",
            row["deviation"],
            f"{row['value']:.6g}", f"{row['bound']:.6g}", _gap(row), f"{row['excess']:.2g}",
            f"{row['seconds']:.2g} s ({row['processor']:.2g})", f"{row['megabytes']} MB",
        ]
        for row in rows
    ]  # fmt: skip
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *cells])


def _gap(row: Row) -> str:
    return "0, proven" if row["status"] == "optimal" else f"{row['gap']:.3%}"


def main() -> None:
    """Read the arguments and do what they say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--one", help="make one plan and print it")
    add_modes(parser)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(plan(json.loads(arguments.one))))
        return
    sys.exit(keep(arguments, HERE / "lobbies.json", HERE / "LOBBIES.md", measure, report))


if __name__ == "__main__":
    main()
