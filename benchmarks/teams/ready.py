"""How long a ready request takes: processor time, numba imported and kernels warm.

``python -m benchmarks ready`` measures and writes ``READY.md``; ``--check`` only looks whether it is stale.
Every request is made beforehand.  The first answer looks into its roster (rounding, who is like whom), which
the request keeps; later answers begin with that.  The least time counts most: other processes only add to it.
"""

from __future__ import annotations

import platform
import time
from typing import Any

import numpy as np
from benchmarks.reporting import PAGES, RAW, run

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


def measure(count: int = COUNT, turns: int = TURNS) -> dict[str, Any]:
    """Return the least and the middle processor time of each kind, in milliseconds."""
    import numba

    kinds = [(n, objective, rounded, aim) for n, objective, aim in KINDS for rounded in (True, False)]
    first: list[list[float]] = [[] for _ in kinds]
    again: list[list[float]] = [[] for _ in kinds]
    solvers = [""] * len(kinds)
    for turn in range(turns):
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
    rows = [
        {
            "players": n,
            "objective": objective,
            "rounded": rounded,
            "solver": solver,
            "aim": aim,
            "first": [min(once), float(np.median(once))],
            "again": [min(more), float(np.median(more))],
        }
        for (n, objective, rounded, aim), solver, once, more in zip(kinds, solvers, first, again, strict=True)
    ]
    machine = f"Python {platform.python_version()}, NumPy {np.__version__}, numba {numba.__version__}"
    return {"machine": machine, "count": count * turns, "rows": rows}


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
        weights = "whole" if row["rounded"] else "any"
        cells = (row["players"], row["objective"], weights, row["solver"], row["aim"])
        times = (f"{milliseconds:.2f}" for key in ("first", "again") for milliseconds in row[key])
        lines.append(f"| {' | '.join(map(str, (*cells, *times)))} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Do what the command line says."""
    return run(__doc__, RAW / "ready.json", PAGES / "READY.md", measure, report)
