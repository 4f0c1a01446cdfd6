"""Whether ``verify`` ever calls an untouched receipt false: 20,000 orders of two and three objectives.

``python -m benchmarks verdicts`` asks, checks and writes ``VERDICTS.md``; ``--count N`` does so with the
first N alone.  Orders have tolerances or none; weights are from 1e-9 to 1e12, with giants and many ties.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
from benchmarks.reporting import PAGES, RAW, run_many

from equipoise import BalanceRequest, balance, receipt, verify

COUNT, SEED = 20_000, 77

#: How many are asked side by side, and at a time.
PROCESSES, CHUNK = 2, 250

OBJECTIVES = ("difference", "ratio", "win", "spread", "indistinguishable")


def order(number: int) -> tuple[list[float], dict[str, Any]]:
    """Return the weights and what is asked of one request."""
    rng = np.random.default_rng([SEED, number])
    teams = int(rng.choice([2, 2, 3]))
    n = int(rng.integers(4, 9 if teams == 2 else 7))
    power = int(rng.integers(-9, 12))
    weights = [float(f"{x}e{power - 2}") for x in rng.integers(1, 999 if rng.random() < 0.7 else 6, n)]
    if rng.random() < 0.4:
        weights[0] = float(f"{rng.integers(1, 99)}e{rng.integers(-9, 13)}")
    objective = [str(name) for name in rng.choice(OBJECTIVES, int(rng.integers(2, 4)), replace=False)]
    asked: dict[str, Any] = {"teams": teams, "objective": objective}
    if rng.random() < 0.5:
        asked["tolerances"] = [10.0 ** int(rng.integers(-9, 0)) for _ in objective[1:]]
    return weights, asked


def checked(number: int) -> tuple[str, list[str]]:
    """Return the status of an answer, and what the checker says is false of its receipt."""
    weights, asked = order(number)
    request = BalanceRequest.of({f"p{place}": weight for place, weight in enumerate(weights)}, **asked)
    solution = balance(request)
    found = verify(json.loads(json.dumps(receipt(request, solution))))
    return str(solution.status), [f"{one.claim}: {one.detail}" for one in found.findings if not found.ok]


def measure(count: int = COUNT) -> dict[str, Any]:
    """Return what was called false, and how many answers have which status; kept as far as it went."""
    statuses, false = Counter[str](), list[dict[str, Any]]()
    results: dict[str, Any] = {}
    with ProcessPoolExecutor(PROCESSES) as pool:
        for number, (status, findings) in enumerate(pool.map(checked, range(count), chunksize=CHUNK)):
            statuses[status] += 1
            if findings:
                false.append({"number": number, "findings": findings})
                print(number, order(number), findings, file=sys.stderr, flush=True)
            if (number + 1) % CHUNK == 0 or number + 1 == count:
                results = {"count": number + 1, "statuses": dict(sorted(statuses.items())), "false": false}
                (RAW / "verdicts.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return results


def report(results: dict[str, Any]) -> str:
    """Return the report as Markdown."""
    statuses = ", ".join(f"{number:,} {status}" for status, number in results["statuses"].items())
    lines = [
        "# One verdict",
        "",
        "`python -m benchmarks verdicts` measured this, `--report` wrote it; do not edit.",
        "",
        (
            f"{results['count']:,} orders of two and three objectives (seed {SEED}, the first of {COUNT:,}), "
            "with tolerances from 1e-9 to .1 or none, weights from 1e-9 to 1e12, giants and ties."
        ),
        f"Answers: {statuses}.",
        "",
        f"**{len(results['false'])} untouched receipts were called false by `verify`.**",
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Do what the command line says."""
    return run_many(__doc__, RAW / "verdicts.json", PAGES / "VERDICTS.md", measure, report, count=COUNT)
