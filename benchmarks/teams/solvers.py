"""Teams, beside other solvers: ``python -m benchmarks solvers`` writes ``solvers.json`` and ``RESULTS.md``.

Needs the extra ``benchmarks`` and a Unix; a peer that is not installed is skipped and reported as such.
``--only`` takes a part (compare, objectives, roles, many, cold_start, quality) or the name of a contestant.
A part of a run must not stand beside parts of another, so with ``--only`` or ``--quick`` the results go to
standard output unless ``--out`` says where.
``--report`` only writes the page anew, ``--check`` tells whether it is stale.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.reporting import PAGES, RAW, add_modes, describe, keep, pin, source_hash
from benchmarks.teams.solver_report import report
from benchmarks.teams.solver_runs import (
    CONTESTANTS,
    ENOUGH,
    GRACE,
    LIMIT,
    LONG,
    PARTS,
    QUICK,
    SCALE,
    SHORT_LIMIT,
    Plan,
    compile_kernels,
)

RESULTS, PAGE = RAW / "solvers.json", PAGES / "RESULTS.md"


def main() -> int:
    """Read the arguments, run, write."""
    names = [*PARTS, *(contestant.name for contestant in CONTESTANTS)]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--only", default="", choices=names, metavar="NAME", help=f"one of: {', '.join(names)}"
    )
    parser.add_argument("--quick", action="store_true", help="few rosters, few repeats: a look, not a result")
    parser.add_argument("--out", type=Path, help=f"default: benchmarks/results/{RESULTS.name} for a full run")
    add_modes(parser)
    arguments = parser.parse_args()
    plan = replace(QUICK if arguments.quick else Plan(), only=arguments.only)
    if not (arguments.only or arguments.quick or arguments.out):
        return keep(arguments, RESULTS, PAGE, lambda: run(plan), report)
    text = json.dumps(run(plan), indent=1) + "\n"
    if arguments.out is None:
        sys.stdout.write(text)
    else:
        arguments.out.write_text(text, encoding="utf-8")
    return 0


def run(plan: Plan) -> dict[str, Any]:
    """Measure what the plan says, and say how."""
    began = time.perf_counter()
    pinned = pin()
    place = describe()
    compile_kernels()
    busy = [os.getloadavg()[0]] if hasattr(os, "getloadavg") else []
    parts = {}
    for name, measure in PARTS.items():
        if plan.only in ("", name) or (name == "compare" and plan.only not in PARTS):
            parts[name] = measure(plan)
            print(f"{name}: done after {time.perf_counter() - began:.0f} s", file=sys.stderr)
    busy += [os.getloadavg()[0]] if busy else []
    return {
        "command": shlex.join(["python", "-m", "benchmarks", "solvers", *sys.argv[1:]]),
        "environment": {**place, "source_changed": source_hash() != place["source"]},
        "method": {
            "pinned": pinned,
            "load": [round(load, 2) for load in busy],
            "seconds": round(time.perf_counter() - began),
            "repeats": plan.repeats,
            "solver_limit": LIMIT,
            "partitioner_limit": SHORT_LIMIT,
            "grace": GRACE,
            "long": LONG,
            "enough": ENOUGH,
            "scale": SCALE,
        },
        **parts,
    }
