"""Weights with decimals beside the same weights as whole numbers: what is proven, and how long it takes.

``python -m benchmarks decimals`` measures and writes ``DECIMALS.md``; ``--check`` only looks if it is stale.
Every roster is asked twice, with its decimals and multiplied so that they are whole; both in one process, in
turns, by processor time.
The sum of every roster is odd in the last digit, so that no split is even.
"""

from __future__ import annotations

import platform
import time
from decimal import Decimal
from typing import Any

import numpy as np
from benchmarks.reporting import PAGES, RAW, run

from equipoise import balance

SEED = 2029

#: Players, the step of the weights, and how they are spread.
PLAYERS, STEPS, SPREADS = (36, 38, 40), ("0.1", "0.01", "0.25"), ("uniform", "normal", "bimodal")

OBJECTIVES = ("difference", "ratio", "win", "spread")

#: Rosters in all.
COUNT = 200


def steps_of(number: int) -> tuple[int, str, str, list[int]]:
    """Return the players, step, spread and weights of a roster, in steps; their sum is odd."""
    rng = np.random.default_rng([SEED, number])
    n, step, spread = (str(rng.choice(choice)) for choice in (PLAYERS, STEPS, SPREADS))
    count = int(n)
    weights = {
        "uniform": lambda: rng.uniform(10.0, 90.0, count),
        "normal": lambda: np.clip(rng.normal(50.0, 15.0, count), 1.0, 99.0),
        "bimodal": lambda: np.where(
            rng.random(count) < 0.5, rng.normal(25.0, 5.0, count), rng.normal(75.0, 5.0, count)
        ),
    }[spread]()
    steps = [max(round(weight / float(step)), 1) for weight in weights.tolist()]
    steps[0] += 1 - sum(steps) % 2
    return count, step, spread, steps


def taken(weights: list[float], objective: str) -> tuple[bool, float]:
    """Return whether an answer is proven, and its processor time, seconds."""
    begin = time.process_time()
    solution = balance({f"p{place}": weight for place, weight in enumerate(weights)}, objective=objective)
    return solution.status == "optimal", time.process_time() - begin


def measure(count: int = COUNT) -> dict[str, Any]:
    """Return what was proven of each objective, and the ratio of processor times."""
    for objective in OBJECTIVES:  # kernels are compiled and loaded before anything is measured
        taken([float(place**2 + 1) for place in range(24)], objective)
    rows = {
        objective: {"proven": 0, "whole": 0, "decimal": 0.0, "as_whole": 0.0, "ratios": []}
        for objective in OBJECTIVES
    }
    for number in range(count):
        _, step, _, steps = steps_of(number)
        decimal, whole = [float(each * Decimal(step)) for each in steps], [float(each) for each in steps]
        for objective, row in rows.items():
            pairs = [(taken(decimal, objective), taken(whole, objective)) for _ in range(2)]
            (proven, _), (as_whole, _) = pairs[0]
            times = [min(pair[place][1] for pair in pairs) for place in (0, 1)]
            row["proven"] += proven
            row["whole"] += as_whole
            row["decimal"] += times[0]
            row["as_whole"] += times[1]
            row["ratios"].append(times[0] / times[1])
    found = [
        {
            "objective": objective, "proven": row["proven"], "whole": row["whole"],
            "seconds": [row["decimal"] / count, row["as_whole"] / count],
            "ratio": [float(np.median(row["ratios"])), float(np.max(row["ratios"]))],
        }
        for objective, row in rows.items()
    ]  # fmt: skip
    return {
        "machine": f"Python {platform.python_version()}, NumPy {np.__version__}",
        "count": count,
        "rows": found,
    }


def report(results: dict[str, Any]) -> str:
    """Return the page."""
    lines = [
        "# Decimals",
        "",
        (
            f"{results['count']} rosters of {', '.join(map(str, PLAYERS))} players in two teams, in steps of "
            f"{', '.join(STEPS)}, uniform, normal and bimodal, sums odd in the last digit; "
            "measured by `python -m benchmarks decimals`."
        ),
        "",
        results["machine"] + ".",
        "",
        (
            "*Ratio* is the processor time with decimals over that of the same weights as whole numbers, "
            "the lesser of two times each."
        ),
        "",
        "| objective | proven | as whole numbers | s, mean | as whole numbers | ratio, middle | most |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in results["rows"]:
        cells = (row["objective"], row["proven"], row["whole"])
        numbers = (f"{number:.3f}" for number in row["seconds"])
        ratios = (f"{number:.2f}" for number in row["ratio"])
        lines.append(f"| {' | '.join(map(str, (*cells, *numbers, *ratios)))} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Do what the command line says."""
    return run(__doc__, RAW / "decimals.json", PAGES / "DECIMALS.md", measure, report)
