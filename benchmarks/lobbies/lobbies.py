"""Measure how lobbies are filled: ``python -m benchmarks lobbies`` writes ``lobbies.json``.

``python -m benchmarks lobbies --report`` turns it into ``LOBBIES.md``; ``--check`` tells if it is stale.
Every plan is made in a process of its own, one after another.  ``--part`` measures one table anew; what was
before is measured with ``--part before --source FOLDER``, a copy of an earlier source.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.reporting import PAGES, RAW, add_modes, keep

Row = dict[str, Any]

SIZES = (3_000, 30_000, 300_000, 1_000_000)
TEAM_SIZES = (2, 3, 4, 5)

#: Seconds of processor time that a plan of the table of before and after may take.
CASE_LIMIT = 180.0

#: The tables that are measured.
PARTS = ("published", "large", "before", "after", "limits", "near")

#: Lobbies and seconds of the table of time limits.
LIMITED = [(lobbies, limit) for lobbies in (10, 50, 200) for limit in (1.0, 4.0)]

#: Of the table of plans near their bounds: family of skill, teams, players a team, lobbies, seconds, and the
#: excess that is wanted at most.
FAMILIES = ("normal", "whole numbers", "bimodal", "lognormal")
NEAR = [
    *((family, 300, 2, 10, 10.0, 0.001) for family in FAMILIES),
    *zip(FAMILIES, (3_000,) * 4, (2,) * 4, (10,) * 4, (10.0,) * 4, (0.002, 0.004, 0.006, 0.03), strict=True),
    ("whole numbers", 30_000, 2, 10, 20.0, 0.008),
    ("lognormal", 30_000, 2, 10, 20.0, 0.04),
    ("whole numbers", 300, 3, 3, 10.0, 0.0015),
    ("lognormal", 300, 3, 3, 10.0, 0.03),
]

HEAD = """\
# Lobby plans: value, bound, time

`python -m benchmarks lobbies` measured this on {machine} with Python {python}, \
`python -m benchmarks lobbies --report` wrote it; do not edit.

- Instances are those of `equipoise.ratings.lab.simulation`, seeded: published aggregates at 300 players, \
the same mean, targets and shares of teams above.
- A time is that of one call of `fill` in a process of its own, with loading numba and HiGHS, by the wall \
clock; processor time is in brackets, and where it is much less, others wanted the core.
- Each table is of one run, one plan after another, on two cores that others used too.
- Memory is the most the process ever held, players and plan included.
- The excess is the root of gap by teams: by how much a team is off the bound in the root mean square.
"""


RATIO = """\
In processor time, on the same instances, `paper` takes {times} times as much as `exact`, \
by family of skill; it proves its value in {proven} of {families}."""

BEFORE = """\
What was poor once, with `auto` and no limit of time, by an earlier source and by this one, in processor \
time; the earlier source had {limit:.0f} s for each."""


def plan(job: Row) -> Row:
    """Make one plan and return what is to be said of it."""
    from equipoise import fill
    from equipoise.lobbies.sample_instances import published, scaled

    if "case" in job:
        return {**job, **of_case(job)}
    if job["part"] == "near":
        return {**job, **near_bound(job)}
    seed, distribution = job["seed"], job["distribution"]
    instance = (
        published(seed, distribution)
        if job["players"] == 300
        else scaled(seed, job["players"], job["team_size"], distribution)
    )
    clock, processor = time.perf_counter(), time.process_time()
    found = fill(
        instance.players, instance.lobbies, team_size=instance.team_size, parties=instance.parties,
        deviation=job["deviation"], solver=job["solver"],
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


def near_bound(job: Row) -> Row:
    """Make a plan in lobbies whose targets are up to 15 % apart from the mean."""
    import numpy as np
    from benchmarks.lobbies.tournaments import within

    from equipoise import fill

    teams, size, lobbies = job["teams"], job["team_size"], job["lobbies"]
    n = teams * size
    rng = np.random.default_rng([n, size, 29])
    skill = {
        "normal": lambda: rng.normal(25.0, 8.0, n),
        "whole numbers": lambda: np.rint(rng.normal(25.0, 8.0, n)),
        "bimodal": lambda: np.where(rng.random(n) < 0.5, rng.normal(15.0, 3.0, n), rng.normal(35.0, 3.0, n)),
        "lognormal": lambda: 25.0 * np.exp(rng.normal(0.0, 0.6, n)),
    }[job["distribution"]]()
    targets = np.linspace(0.85, 1.15, lobbies) * float(skill.mean()) * size
    targets = np.rint(targets) if job["distribution"] == "whole numbers" else targets
    begin = time.process_time()
    found = fill(
        {f"p{k}": float(x) for k, x in enumerate(skill)},
        {f"L{k}": float(target) for k, target in enumerate(targets)},
        team_size=size,
        parties=[(f"p{k}", f"p{k + 1}") for k in range(0, n // 10, 2)] if job["premades"] else (),
        stop=within(job["limit"]),
    )
    assert found.value is not None
    assert found.excess is not None
    deviation = float(skill.std())
    return {
        "processor": time.process_time() - begin,
        "value": (found.value / teams) ** 0.5 / deviation,
        "excess": found.excess / deviation,
        "status": str(found.status),
    }


def of_case(job: Row) -> Row:
    """Make the plan of a case and return what is to be said of it."""
    from benchmarks.lobbies.tournaments import case, within

    from equipoise import fill

    given = case(job["case"])
    if job.get("parties"):
        names = list(given["players"])
        given["parties"] = [names[k : k + 2] for k in range(0, len(names) // 5, 2)]
    clock, processor = time.perf_counter(), time.process_time()
    limit = job["limit"]
    found = fill(**given, **({} if limit is None else {"stop": within(limit)}))
    return {
        "seconds": time.perf_counter() - clock,
        "processor": time.process_time() - processor,
        "value": found.value,
        "bound": float(found.bound),
        "used": found.solver,
        "status": str(found.status),
        "teams": sum(len(lobby.teams) for lobby in found.lobbies),
    }


def case_jobs(part: str) -> list[Row]:
    """Return the cases of a part."""
    from benchmarks.lobbies.tournaments import CASES

    if part == "limits":
        return [
            {
                "part": part,
                "case": f"3,000 in {words}, {lobbies} lobbies",
                "limit": limit,
                "parties": words != "pairs",
            }
            for lobbies, limit in LIMITED
            for words in ("pairs", "threes")
        ]
    return [{"part": part, "case": name, "limit": None} for name in CASES]


def jobs() -> list[Row]:
    """Return what is measured."""
    names = ["normal .6", "normal .9", "gamma .4", "lognormal .3", "uniform"]
    same: Row = {"players": 300, "team_size": 2, "deviation": "squared", "seed": 0}
    small = [
        {**same, "distribution": name, "solver": solver} for name in names for solver in ("exact", "large")
    ]
    small += [{**same, "distribution": name, "solver": "paper"} for name in names]
    small += [{**small[0], "deviation": "absolute"}]
    large = [
        {**small[0], "players": n, "team_size": m, "distribution": name, "solver": "auto"}
        for n in SIZES
        for m in TEAM_SIZES
        for name in (names if m == 2 else names[:1])
    ]
    return small + large


def measure(known: Row, parts: list[str], source: str | None) -> Row:
    """Return all measurements, or those known with some parts anew."""
    rows = [row for row in known.get("rows", []) if parts and row["part"] not in parts]
    todo = [{"part": "published" if job["players"] == 300 else "large", **job} for job in jobs()]
    names = ("distribution", "teams", "team_size", "lobbies", "limit", "wanted")
    todo += [
        {"part": "near", **dict(zip(names, values, strict=True)), "premades": premades}
        for values in NEAR
        for premades in (False, True)
    ]
    for name in ("before", "after", "limits"):
        todo += case_jobs(name) if source is not None or name != "before" else []
    if not parts and source is None:
        rows += [row for row in known.get("rows", []) if row["part"] == "before"]
    for job in todo:
        if parts and job["part"] not in parts:
            continue
        folder = source if job["part"] == "before" else None
        rows.append(in_process(job, folder))
        print(rows[-1], file=sys.stderr, flush=True)
    return {"machine": platform.machine(), "python": platform.python_version(), "rows": rows}


def in_process(job: Row, source: str | None) -> Row:
    """Make one plan in a process of its own, by an earlier source if one is given."""
    environment = dict(os.environ)
    if source is not None:
        environment["PYTHONPATH"] = str(Path(source) / "src")
    command = [sys.executable, "-m", "benchmarks", "lobbies", "--one", json.dumps(job)]
    try:
        done = subprocess.run(
            command, check=True, capture_output=True, text=True, env=environment,
        )  # fmt: skip
    except subprocess.CalledProcessError as error:
        if error.returncode != -signal.SIGXCPU:
            raise
        return {**job, "processor": CASE_LIMIT, "value": None, "bound": None}
    row: Row = json.loads(done.stdout)
    return row


def report(results: Row) -> str:
    """Return the report as Markdown."""
    by_part: dict[str, list[Row]] = {part: [] for part in PARTS}
    for row in results["rows"]:
        by_part[row["part"]].append(row)
    small = by_part["published"]
    paper = {row["distribution"]: row for row in small if row["solver"] == "paper"}
    ratios = [
        paper[row["distribution"]]["processor"] / row["processor"]
        for row in small
        if row["solver"] == "exact" and row["deviation"] == "squared" and row["distribution"] in paper
    ]
    proven = sum(row["status"] == "optimal" for row in paper.values())
    lines = [
        HEAD.format(**results),
        "## 300 players with the published aggregates, teams of two",
        "",
        _table(small),
        "",
        RATIO.format(times=_range(ratios), proven=proven, families=len(paper)),
        "",
        "## Before and after",
        "",
        BEFORE.format(limit=CASE_LIMIT),
        "",
        _cases(by_part["before"], by_part["after"]),
        "",
        *_limits(by_part["limits"]),
        *_near(by_part["near"]),
        "## Large instances",
        "",
        _table(by_part["large"]),
    ]
    return "\n".join(lines) + "\n"


def _range(numbers: list[float]) -> str:
    """Return the least and the most of some numbers, once where they are one."""
    return " to ".join(dict.fromkeys((f"{min(numbers):.0f}", f"{max(numbers):.0f}")))


def _cases(before: list[Row], after: list[Row]) -> str:
    """Return the table of before and after."""
    head = ["instance", "value before", "bound", "time", "value after", "bound", "gap", "time"]
    earlier = {row["case"]: row for row in before}
    lines = [head, ["---"] * len(head)]
    for row in after:
        old = earlier.get(row["case"], {})
        then = ["-", "-", f"over {CASE_LIMIT:.0f} s" if old else "not measured"]
        if old.get("value") is not None:
            then = [f"{old['value']:.6g}", f"{old['bound']:.6g}", f"{old['processor']:.2g} s"]
        gap = "0, proven" if row["status"] == "optimal" else f"{1 - row['bound'] / row['value']:.1%}"
        lines.append(
            [
                row["case"],
                *then,
                f"{row['value']:.6g}",
                f"{row['bound']:.6g}",
                gap,
                f"{row['processor']:.2g} s",
            ]
        )
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _limits(rows: list[Row]) -> list[str]:
    """Return the table of time limits, if it was measured."""
    if not rows:
        return []
    head = ["instance", "limit", "time", "value", "bound"]
    lines = [head, ["---"] * len(head)]
    for row in rows:
        cells = [row["case"], f"{row['limit']:g} s", f"{row['processor']:.2f} s"]
        lines.append([*cells, f"{row['value']:.6g}", f"{row['bound']:.6g}"])
    table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    what = (
        "3,000 players and `auto` in a process of its own, limit and time in processor time; a fifth of "
        "those in threes came in parties of two."
    )
    return ["## Time limits", "", what, "", table, ""]


def _near(rows: list[Row]) -> list[str]:
    """Return the table of plans near their bounds, if it was measured."""
    if not rows:
        return []
    head = ["skills", "teams", "of", "lobbies", "premades", "limit", "time", "value", "excess", "wanted"]
    lines = [head, ["---"] * len(head)]
    for row in rows:
        numbers = [f"{row['limit']:g} s", f"{row['processor']:.1f} s", f"{row['value']:.4f}"]
        own = "0, proven" if row["status"] == "optimal" else f"{row['excess']:.4f}"
        sizes = [f"{row['teams']:,}", str(row["team_size"]), str(row["lobbies"])]
        premades = "a tenth" if row["premades"] else "none"
        lines.append([row["distribution"], *sizes, premades, *numbers, own, f"{row['wanted']:g}"])
    what = (
        "Targets from 15 % below the mean to 15 % above; the roots of value and excess by teams, in the "
        "players' standard deviations.  Premades are parties of two, a tenth of the players; limit and time "
        "are of the processor."
    )
    table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    return ["## Plans and their bounds", "", what, "", table, ""]


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


def main() -> int:
    """Read the arguments and do what they say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--one", help="make one plan and print it")
    parser.add_argument(
        "--part", choices=PARTS, action="append", default=[], dest="parts",
        help="measure one table anew, and keep the others; may be given again",
    )  # fmt: skip
    parser.add_argument("--source", metavar="FOLDER", help="an earlier source, for the part 'before'")
    add_modes(parser)
    arguments = parser.parse_args()
    if arguments.one:
        job = json.loads(arguments.one)
        if job["part"] == "before":
            resource.setrlimit(resource.RLIMIT_CPU, (int(CASE_LIMIT), int(CASE_LIMIT) + 5))
        print(json.dumps(plan(job)))
        return 0
    results = RAW / "lobbies.json"
    known = json.loads(results.read_text(encoding="utf-8")) if results.exists() else {}
    return keep(
        arguments, results, PAGES / "LOBBIES.md",
        lambda: measure(known, arguments.parts, arguments.source), report
    )  # fmt: skip
