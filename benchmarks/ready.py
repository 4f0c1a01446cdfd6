"""How long a ready request takes: processor time, numba imported and kernels warm.

``python benchmarks/ready.py`` measures and writes ``READY.md``; ``--check`` only looks whether it is stale.
Every request is made beforehand and answered once, so nothing is remembered from one to the next; what is
told is the least time, as other processes only add to it.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.reporting import add_modes, keep

from equipoise import BalanceRequest, balance

HERE = Path(__file__).parent
SEED = 2011

#: Requests of each kind that are answered in a turn, those before that warm the kernels, and the turns: they
#: are spread over some time, so that no kind gets a busy moment of the machine and nothing else.
COUNT, WARM, TURNS = 100, 10, 12

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
    times: list[list[float]] = [[] for _ in kinds]
    solvers = [""] * len(kinds)
    for turn in range(turns):
        for kind, (n, objective, rounded, _) in enumerate(kinds):
            for place, request in enumerate(requests(n, objective, rounded, count + WARM, turn)):
                begin = time.process_time_ns()
                solution = balance(request)
                if place >= WARM:
                    times[kind].append((time.process_time_ns() - begin) / 1e6)
            solvers[kind] = solution.solver
    rows = [
        {
            "players": n,
            "objective": objective,
            "rounded": rounded,
            "solver": solver,
            "aim": aim,
            "least": min(taken),
            "middle": float(np.median(taken)),
        }
        for (n, objective, rounded, aim), solver, taken in zip(kinds, solvers, times, strict=True)
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
            f"{results['count']} rosters N(1200, 400) each; measured by `python benchmarks/ready.py`."
        ),
        "",
        results["machine"] + ".",
        "",
        "| players | objective | weights | solver | aim, ms | least, ms | middle, ms |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in results["rows"]:
        weights = "whole" if row["rounded"] else "any"
        cells = (row["players"], row["objective"], weights, row["solver"], row["aim"])
        times = (f"{row[key]:.2f}" for key in ("least", "middle"))
        lines.append(f"| {' | '.join(map(str, (*cells, *times)))} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    add_modes(parser)
    sys.exit(keep(parser.parse_args(), HERE / "ready.json", HERE / "READY.md", measure, report))
