"""Teams by the score of teiserver (Beyond All Reason), from a seed; writes CAPTAINS.md.

``brute_force.ex`` of teiserver, at commit b045d40, adds three differences between the two teams: of the sums,
of the standard deviations and of the captains, who are the strongest players.  Here its least score, from all
splits, stands beside the scores of the teams that equipoise makes, with what its documents name for this.

``python -m benchmarks captains`` measures and writes, ``--report`` writes the page from the last results,
``--check`` says whether the page is stale.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from benchmarks.reporting import PAGES, RAW, run

from equipoise import balance
from equipoise.core.arrays import Floats

SEED = 20261122

#: Players of the rosters, and how many there are of each size.
SIZES, ROSTERS = (8, 12, 16), 40

#: Ratings as teiserver has them: most are from 5 to 35, none is below 0.
MEAN, SPREAD = 20.0, 8.0


def score(teams: Sequence[Sequence[float] | Floats]) -> float:
    """Return the score of two teams that teiserver's ``brute_force`` makes least, without parties."""
    one, other = map(np.asarray, teams)
    return float(abs(one.sum() - other.sum()) + abs(one.std() - other.std()) + abs(one.max() - other.max()))


#: What is asked, by what the page calls it.
ASKED: dict[str, dict[str, Any]] = {
    "`balance(players)`": {},
    '`rerank="strongest"`': {"rerank": "strongest"},
    '`rerank="strongest", tolerance=0.05`': {"rerank": "strongest", "tolerance": 0.05},
    "`rerank=score, tolerance=0.05`": {"rerank": score, "tolerance": 0.05},
}


def least(weights: Floats) -> float:
    """Return the least score of all splits into two teams of one size."""
    n = len(weights)
    ones = [[0, *others] for others in itertools.combinations(range(1, n), n // 2 - 1)]
    return min(score((weights[one], np.delete(weights, one))) for one in ones)


def measure(rosters: int = ROSTERS, sizes: Sequence[int] = SIZES) -> dict[str, Any]:
    """Return the mean scores of each size: the least there is, and by what is asked."""
    return {str(n): _measured(n, rosters) for n in sizes}


def _measured(n: int, rosters: int) -> dict[str, float]:
    scores: dict[str, list[float]] = {"least": [], **{name: [] for name in ASKED}}
    for number in range(rosters):
        weights = np.random.default_rng([SEED, n, number]).normal(MEAN, SPREAD, n).clip(0.0).round(2)
        scores["least"].append(least(weights))
        players = {str(at): weight for at, weight in enumerate(weights.tolist())}
        for name, asked in ASKED.items():
            scores[name].append(score(balance(players, **asked).best.weights))
    return {name: float(np.mean(each)) for name, each in scores.items()}


def report(results: dict[str, Any]) -> str:
    """Return the page."""
    lines = [
        "# Teams by teiserver's score",
        "",
        "Made by `python -m benchmarks captains`; what it means for those who come from teiserver is in",
        "[coming from something else](../docs/how-to/coming-from.md).",
        "",
        "The score of its `brute_force` adds what the two teams differ by in sums, standard deviations and",
        "captains (their strongest players); lower is better.",
        f"Mean of {ROSTERS} rosters of each size, ratings from N({MEAN:g}, {SPREAD:g}) and not below 0.",
        "The last row re-ranks by the score itself, a Python function of three lines.",
        "",
        f"| teams | {' | '.join(f'{n} players' for n in results)} |",
        f"|---{'|---' * len(results)}|",
    ]
    for name in ("least", *ASKED):
        shown = "least of all splits" if name == "least" else name
        lines.append(f"| {shown} | {' | '.join(f'{each[name]:.2f}' for each in results.values())} |")
    return "\n".join([*lines, ""])


def main() -> int:
    """Do what the command line says."""
    return run(__doc__, RAW / "captains.json", PAGES / "CAPTAINS.md", measure, report)
