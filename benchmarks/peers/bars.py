"""What many teams, full servers, batches and spreads take: a program that measures ``equipoise`` alone.

It reads ``{"rosters": n, "quality_rosters": n, "repeats": n, "lines": n}`` on standard input and writes one
JSON line for each row.  Times are of the processor, the least of the repeats for each roster; kernels are
compiled before.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numba  # noqa: F401  # once it is loaded, the library uses its compiled kernels
import numpy as np
from answering import voice

from equipoise import Player, Solution, balance, balance_many
from equipoise.core.registry import OBJECTIVES

#: Ratings are drawn from normal(25, 8), as in the other parts, and made positive, as ``ratio`` needs them.
MEAN, DEVIATION = 25.0, 8.0

#: Sizes of the parties on a full server of 64.  The more come alone, the harder a proof.
FULL_SERVERS = {
    "27 of them in parties of up to 4": [4] * 3 + [3] * 3 + [2] * 3 + [1] * 37,
    "48 of them in parties of up to 4": [4] * 6 + [3] * 4 + [2] * 6 + [1] * 16,
    "all alone": [1] * 64,
}

#: A roster of parties that all can be kept.
PARTIES = [4, 3, 2, 2, 1, 1, 1, 1, 1]

#: Players in the rosters whose spreads are compared.
SPREAD_SIZES = (16, 20, 24, 32)


#: Matches in a batch.
BATCH = 20_000

#: Ways to divide ten into two fives.
SPLITS = 126

#: Rows of teams of equal size: (how many teams, of how many, which objectives).
MANY_TEAMS: tuple[tuple[int, int, Sequence[str]], ...] = (
    (8, 4, ("difference",)),
    (4, 5, tuple(OBJECTIVES)),
    (20, 5, ("difference",)),
    (2, 16, ("indistinguishable",)),
)


def main() -> None:
    """Read the plan, measure, write."""
    plan = json.load(sys.stdin)
    say = voice()
    for n_teams, size, objectives in MANY_TEAMS:
        rosters = [_roster([1] * n_teams * size, index) for index in range(plan["rosters"])]
        for objective in objectives:
            what = f"{n_teams} teams of {size}"
            say(_row(what, rosters, plan["repeats"], teams=n_teams, objective=objective))
    for name, sizes in FULL_SERVERS.items():
        rosters = [_roster(sizes, index) for index in range(plan["rosters"])]
        for objective in OBJECTIVES:
            say(_row(f"64 players, {name}", rosters, plan["repeats"], objective=objective))
    for n in SPREAD_SIZES:
        rosters = [_roster([1] * n, index) for index in range(plan["quality_rosters"])]
        say(_row(f"{n} players", rosters, 1, objective="spread"))
    rosters = [_roster(PARTIES, index) for index in range(plan["quality_rosters"])]
    say(_row("16 players, parties of 4, 3, 2 and 2", rosters, 1, objective="spread"))
    say(_batch(plan["repeats"]))
    say(_lines(plan["lines"]))


def _roster(sizes: Sequence[int], index: int) -> list[Player]:
    """Return players in parties of these sizes."""
    n = sum(sizes)
    weights = np.abs(np.random.default_rng([len(sizes), n, index]).normal(MEAN, DEVIATION, n)).tolist()
    party = [group for group, size in enumerate(sizes) for _ in range(size)]
    alone = {group for group, size in enumerate(sizes) if size == 1}
    return [
        Player(f"p{place}", weight, party=None if group in alone else f"g{group}")
        for place, (weight, group) in enumerate(zip(weights, party, strict=True))
    ]


def _row(what: str, rosters: Sequence[list[Player]], repeats: int, **asked: Any) -> dict[str, Any]:
    """Return how long rosters take, how many are proven, and how far the teams are from one another."""
    balance(rosters[0], **asked)
    seconds, solutions = [], []
    for roster in rosters:
        solution, least = _timed(lambda roster=roster: balance(roster, **asked), repeats)
        seconds.append(least)
        solutions.append(solution)
    return {
        "what": what, "objective": asked["objective"], "rosters": len(rosters),
        "median": statistics.median(seconds), "slowest": max(seconds),
        "proven": sum(solution.status == "optimal" for solution in solutions),
        "kept": sum(map(_keeps_parties, solutions)),
        "by": sorted({solution.solver for solution in solutions}),
        "worst_value": max(solution.value for solution in solutions),
        "worst_gap": max(solution.gap for solution in solutions), **_differences(solutions),
    }  # fmt: skip


def _timed(job: Callable[[], Any], repeats: int) -> tuple[Any, float]:
    """Return what a job gives, and the least processor time of its repeats."""
    spent = []
    for _ in range(repeats):
        began = time.process_time()
        given = job()
        spent.append(time.process_time() - began)
    return given, min(spent)


def _keeps_parties(solution: Solution) -> bool:
    homes: dict[str, set[int]] = {}
    for team, members in enumerate(solution.best.teams):
        for player in members:
            if player.party is not None:
                homes.setdefault(player.party, set()).add(team)
    return all(len(teams) == 1 for teams in homes.values())


def _differences(solutions: Sequence[Solution]) -> dict[str, float]:
    """Return the mean ranges of the teams' sums and standard deviations, in deviations of a player."""
    weights = [[np.array(team) for team in solution.best.weights] for solution in solutions]
    sums = [np.ptp([team.sum() for team in teams]) for teams in weights]
    deviations = [np.ptp([team.std() for team in teams]) for teams in weights]
    return {
        "sums": float(np.mean(sums)) / DEVIATION,
        "deviations": float(np.mean(deviations)) / DEVIATION,
    }


def _batch(repeats: int) -> dict[str, Any]:
    """Return how many matches of ten a second are divided exactly at once."""
    ratings = np.random.default_rng(BATCH).normal(MEAN, DEVIATION, (BATCH, 10))
    balance_many(ratings)
    _, least = _timed(lambda: balance_many(ratings), repeats)
    return {
        "what": "5 against 5 in a batch", "objective": "difference", "matches": BATCH, "median": least,
        "matches_a_second": BATCH / least, "splits_a_second": SPLITS * BATCH / least,
    }  # fmt: skip


def _lines(lines: int) -> dict[str, Any]:
    """Return what the command takes for a roster of very many lines, reading it included."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "roster.txt"
        weights = np.random.default_rng(lines).normal(1500.0, 300.0, lines).tolist()
        path.write_text("".join(f"{weight} p{n}\n" for n, weight in enumerate(weights)), encoding="utf-8")
        command = [sys.executable, "-m", "equipoise", "balance", str(path), "--objective", "difference"]
        began = time.perf_counter()
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        waited = time.perf_counter() - began
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    verdict = next(line for line in done.stdout.splitlines() if "proven" in line.lower())
    return {
        "what": f"{lines:,} lines", "objective": "difference", "median": usage.ru_utime + usage.ru_stime,
        "wall": waited, "memory": usage.ru_maxrss * 1024, "verdict": verdict,
    }  # fmt: skip


if __name__ == "__main__":
    main()
