"""How long a ready request takes: processor time, numba imported and kernels warm.

``python -m benchmarks ready`` measures and writes ``READY.md``; ``--check`` only looks whether it is stale.
Every request is made beforehand.  The first answer looks into its roster (rounding, who is like whom), which
the request keeps; later answers begin with that.  The least time counts most: other processes only add to it.
``--beside PYTHON`` measures the package of another environment too, such as of an older commit, in turns.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import time
from typing import Any

import numpy as np
from benchmarks.reporting import PAGES, RAW, ROOT, add_modes, keep

from equipoise import BalanceRequest, balance

SEED = 2011

#: Requests of each kind that are answered in a turn, those before that warm the kernels, and the turns: they
#: are spread over some time, so that no kind gets a busy moment of the machine and nothing else.
COUNT, WARM, TURNS = 100, 10, 12

#: Further answers of each request, the best of which counts.
AGAIN = 5

#: Players, objective, and the milliseconds that are aimed at.
KINDS = ((10, "spread", 0.3), (24, "spread", 1.2), (24, "difference", 0.6))


def requests(n: int, objective: str, rounded: bool, count: int, turn: int = 0) -> list[BalanceRequest]:
    """Return requests of n players with weights N(1200, 400), whole numbers or not."""
    rng = np.random.default_rng([SEED, n, rounded, turn])
    made = []
    for _ in range(count):
        weights = rng.normal(1200.0, 400.0, n)
        weights = np.round(weights) if rounded else weights
        roster = {f"p{place}": float(weight) for place, weight in enumerate(weights)}
        made.append(BalanceRequest.of(roster, objective=objective))
    return made


def measure(turns: range = range(TURNS), count: int = COUNT) -> list[dict[str, Any]]:
    """Return the processor times of each kind, in milliseconds."""
    kinds = [(n, objective, rounded, aim) for n, objective, aim in KINDS for rounded in (True, False)]
    first: list[list[float]] = [[] for _ in kinds]
    again: list[list[float]] = [[] for _ in kinds]
    solvers = [""] * len(kinds)
    for turn in turns:
        for kind, (n, objective, rounded, _) in enumerate(kinds):
            for place, request in enumerate(requests(n, objective, rounded, count + WARM, turn)):
                taken = []
                for _ in range(1 + AGAIN):
                    begin = time.process_time_ns()
                    solvers[kind] = balance(request).solver
                    taken.append((time.process_time_ns() - begin) / 1e6)
                if place >= WARM:
                    first[kind].append(taken[0])
                    again[kind].append(min(taken[1:]))
    return [
        {"players": n, "objective": objective, "rounded": rounded, "solver": solver, "aim": aim,
         "first": once, "again": more}
        for (n, objective, rounded, aim), solver, once, more in zip(kinds, solvers, first, again, strict=True)
    ]  # fmt: skip


#: What a process does that measures the package of an environment for some turns.
MEASURE = (
    "import json, sys; from benchmarks.teams.ready import measure; "
    "print(json.dumps(measure(range(*map(int, sys.argv[1:])))))"
)


def measure_beside(pythons: dict[str, str], turns: int = TURNS, part: int = 3) -> dict[str, Any]:
    """Return the least and the middle processor time of each kind, of several environments in turns.

    Parameters
    ----------
    pythons : dict of str to str
        The interpreter of each environment by its name, the first that of this one.
    turns, part : int
        How many turns, and so many by one process.
    """
    import numba

    every: dict[str, list[list[dict[str, Any]]]] = {name: [] for name in pythons}
    for start in range(0, turns, part):
        for name, python in pythons.items():
            command = [python, "-c", MEASURE, str(start), str(min(start + part, turns))]
            done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
            every[name].append(json.loads(done.stdout))

    def times(name: str, kind: int, which: str) -> list[float]:
        found = [one for rows in every[name] for one in rows[kind][which]]
        return [min(found), float(np.median(found))]

    mine = next(iter(pythons))
    rows = [
        {**row, **{which: times(mine, kind, which) for which in ("first", "again")},
         "beside": {name: {which: times(name, kind, which) for which in ("first", "again")}
                    for name in pythons if name != mine}}
        for kind, row in enumerate(every[mine][0])
    ]  # fmt: skip
    machine = f"Python {platform.python_version()}, NumPy {np.__version__}, numba {numba.__version__}"
    return {"machine": machine, "count": COUNT * turns, "rows": rows}


def report(results: dict[str, Any]) -> str:
    """Return the page."""
    lines = [
        "# Ready requests",
        "",
        (
            "Processor time of `balance` from a ready `BalanceRequest`, numba imported and kernels warm, "
            f"{results['count']} rosters N(1200, 400) each; measured by `python -m benchmarks ready`."
        ),
        "",
        results["machine"] + ".",
        "",
        (
            "A request keeps what its first answer finds out about the roster (rounding, who is like whom); "
            f"*again* is the best of {AGAIN} further answers.  All times are in milliseconds."
        ),
        "",
        "| players | objective | weights | solver | aim | first, least | middle | again, least | middle |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in results["rows"]:
        times = (f"{milliseconds:.2f}" for key in ("first", "again") for milliseconds in row[key])
        lines.append(f"| {' | '.join(map(str, (*_kind(row), row['aim'], *times)))} |")
    for name in results["rows"][0]["beside"]:
        lines += [
            "",
            f"Beside it, in turns of the same run, the package {name}: this one's times over that one's.",
            "",
            "| players | objective | weights | solver | first, least | middle | again, least | middle |",
            "|---|---|---|---|---|---|---|---|",
        ]
        for row in results["rows"]:
            shares = (
                f"{mine / other:.2f}"
                for key in ("first", "again")
                for mine, other in zip(row[key], row["beside"][name][key], strict=True)
            )
            lines.append(f"| {' | '.join(map(str, (*_kind(row), *shares)))} |")
    return "\n".join(lines) + "\n"


def _kind(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["players"], row["objective"], "whole" if row["rounded"] else "any", row["solver"]


def main() -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--beside", metavar="PYTHON", help="the interpreter of another environment")
    parser.add_argument("--called", default="of before", help="what its package is called on the page")
    add_modes(parser)
    given = parser.parse_args()
    pythons = {"this": sys.executable} | ({given.called: given.beside} if given.beside else {})
    return keep(given, RAW / "ready.json", PAGES / "READY.md", lambda: measure_beside(pythons), report)
