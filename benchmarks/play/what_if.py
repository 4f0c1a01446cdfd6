"""Whether the intervals of ``evaluate --what-if`` are right: ``python -m benchmarks what_if``.

Archives are simulated with a known truth: games of eight out of twenty people with normal skill of standard
deviation .8 in units of a player's noise, and some with .5 and 1.5.  Teams are at *random*, even by the
*ratings* of earlier games (a regression on the results before), or even by *hidden* true skill.  Ways to
divide are as played, at random, and even by those ratings.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
from typing import Any

import numpy as np
from benchmarks.reporting import PAGES, RAW, add_modes, describe, keep

from equipoise.core.match import Contest, Ruleset
from equipoise.play.what_if import CANNOT_TELL, ENDS, verdict_of, ways_apart
from equipoise.ratings.skill_posterior import SkillSamples, sample_skills

RESULTS, REPORT = RAW / "what_if.json", PAGES / "WHAT_IF.md"

PEOPLE, SIZE, SAMPLES = 20, 4, 400

#: How teams were made, games, whether there are scores, and the spread of skill.
CELLS = [
    *itertools.product(("random", "ratings", "hidden"), (80, 400), (False, True), (0.8,)),
    *itertools.product(("random", "ratings"), (80,), (False, True), (0.5, 1.5)),
]
ARCHIVES = 300

#: Differences of the truth from which an order should be told.
LARGE = 0.05

HALVES = np.array(
    [
        [1.0 if n == 0 or n in rest else -1.0 for n in range(2 * SIZE)]
        for rest in itertools.combinations(range(1, 2 * SIZE), SIZE - 1)
    ]
)
LINE_UPS = [(np.flatnonzero(row > 0.0), np.flatnonzero(row < 0.0)) for row in HALVES]


def archive(
    rng: np.random.Generator, how: str, games: int, scores: bool, spread: float
) -> tuple[Any, list[Contest], Any, Any]:
    """Return true skills, contests, who played, and which of the divisions is even by ratings in each."""
    truth = rng.normal(0.0, spread, PEOPLE)
    information, pulled = np.eye(PEOPLE) / spread**2, np.zeros(PEOPLE)
    contests, line_ups, even = [], [], []
    for n in range(games):
        who = rng.permutation(PEOPLE)[: 2 * SIZE]
        ratings = np.linalg.solve(information, pulled)
        by_ratings = int(np.abs(HALVES @ ratings[who]).argmin())
        hidden = int(np.abs(HALVES @ truth[who]).argmin())
        half = {"random": int(rng.integers(len(HALVES))), "ratings": by_ratings, "hidden": hidden}[how]
        signs = HALVES[half]
        lead = float(signs @ (truth[who] + rng.normal(0.0, 1.0, 2 * SIZE))) / math.sqrt(2 * SIZE)
        row = np.zeros(PEOPLE)
        row[who] = signs / math.sqrt(2 * SIZE)
        information += np.outer(row, row) * (1.0 if scores else 2.0 / math.pi)
        pulled += row * (lead if scores else math.copysign(0.8, lead))
        points: tuple[float, ...] = ()
        if scores:
            most = [50.0 * math.exp(0.15 * lead), 50.0 * math.exp(-0.15 * lead)]
            points = (round(most[0], 3), round(most[1], 3))
        teams = [[f"p{who[k]}" for k in side] for side in LINE_UPS[half]]
        contests.append(
            Contest(Ruleset(), teams, (1, 2) if lead > 0.0 else (2, 1), at=600.0 * n, scores=points)
        )
        line_ups.append(who)
        even.append(by_ratings)
    return truth, contests, np.array(line_ups), np.array(even)


def means(known: SkillSamples, contests: list[Contest], who: Any, even: Any) -> dict[str, Any]:
    """Return how far from even each way is on average, in each sample."""
    total: dict[str, Any] = dict.fromkeys(("played", "random", "ratings"), 0.0)
    for n, contest in enumerate(contests):
        names = [f"p{player}" for player in who[n]]
        ways = [tuple(tuple(names[k] for k in side) for side in sides) for sides in LINE_UPS]
        apart = ways_apart(known, ways)
        first = {player for player, _ in contest.teams[0]}
        played = next(k for k, way in enumerate(ways) if set(way[0]) == first or set(way[1]) == first)
        total["played"] = total["played"] + apart[played]
        total["random"] = total["random"] + apart.mean(axis=0)
        total["ratings"] = total["ratings"] + apart[even[n]]
    return {name: each / len(contests) for name, each in total.items()}


def measure(many: int) -> dict[str, Any]:
    """Return what was measured of each cell, continuing what the same source measured of fewer archives."""
    facts = describe()
    before = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    if before.get("source") != facts["source"] or before["archives"] > many:
        before = {}
    cells = before.get("cells") or [
        {"how": how, "games": games, "scores": scores, "spread": spread, "said": 0, "told": 0,
         "right": 0, "large": 0, "told_large": 0, "ways": {}}
        for how, games, scores, spread in CELLS
    ]  # fmt: skip
    for cell in cells:
        for seed in range(before.get("archives", 0), many):
            _add(cell, _one(cell["how"], cell["games"], cell["scores"], cell["spread"], seed))
    return {**facts, "archives": many, "cells": cells}


def _one(
    how: str, games: int, scores: bool, spread: float, seed: int
) -> tuple[bool, dict[str, tuple[float, ...]]]:
    """Return of one archive whether it says that nothing can be told, and of each way truth and intervals."""
    rng = np.random.default_rng([games, scores, len(how), seed])
    truth, contests, who, even = archive(rng, how, games, scores, spread)
    known = sample_skills(contests, rng, SAMPLES)
    best = sample_skills(contests, rng, SAMPLES, spreads=(spread,))
    skills = np.zeros((PEOPLE + 1, 1))
    for player, place in known.players.items():
        skills[place] = truth[int(player[1:])]
    together = SkillSamples(
        known.players, np.concatenate([known.skills, best.skills, skills], axis=1), math.inf
    )
    return bool(known.doubt), {
        name: (
            float(each[-1]), *np.quantile(each[:SAMPLES], ENDS).tolist(),
            *np.quantile(each[SAMPLES:-1], ENDS).tolist(),
        )
        for name, each in _with_differences(means(together, contests, who, even)).items()
    }  # fmt: skip


def _add(cell: dict[str, Any], found: tuple[bool, dict[str, tuple[float, ...]]]) -> None:
    """Count one archive."""
    said, ways = found
    cell["said"] += said
    for name, (true, low, high, narrow_low, narrow_high) in ways.items():
        way = cell["ways"].setdefault(name, {"claimed": 0, "covered": 0, "log_ratio": 0.0})
        if not said:
            way["claimed"] += 1
            way["covered"] += low - 1e-9 <= true <= high + 1e-9
            if high - low > 1e-9:
                way["log_ratio"] += math.log((high - low) / (narrow_high - narrow_low))
        if "-" in name:
            verdict = CANNOT_TELL if said else verdict_of(low, high)
            cell["large"] += abs(true) >= LARGE
            if verdict != CANNOT_TELL:
                cell["told"] += 1
                cell["right"] += (verdict == "closer") == (true < 0.0)
                cell["told_large"] += abs(true) >= LARGE


def _with_differences(found: dict[str, Any]) -> dict[str, Any]:
    pairs = itertools.combinations(found, 2)
    return {**found, **{f"{one}-{other}": found[one] - found[other] for other, one in pairs}}


def report(results: dict[str, Any]) -> str:
    """Return the page."""
    names = list(results["cells"][0]["ways"])
    lines = [
        "# What-if: are its intervals right?", "",
        "`python -m benchmarks what_if` measured and wrote this; do not edit.",
        "What the archives are stands at the top of that file.", "",
        f"- Date: {results['date']}; commit {results['commit']}; {results['archives']} archives a cell.", "",
        "In some archives it says that nothing can be told, and why: right where teams are even by hidden",
        "skill.  In the others: how often the 95 % interval covers the truth (bar 90 %), behind it how wide",
        "it is beside that of the true model, which knows the spread of skill (geometric mean, bar 1.5).", "",
        f"| teams | games | known | spread | cannot tell | {' | '.join(names)} |",
        f"|---|---|---|---|---|{'---|' * len(names)}",
    ]  # fmt: skip
    for cell in results["cells"]:
        cells = " | ".join(
            f"{row['covered'] / row['claimed']:.0%}, {math.exp(row['log_ratio'] / row['claimed']):.2f}"
            if row["claimed"]
            else "-"
            for row in cell["ways"].values()
        )
        known = "scores" if cell["scores"] else "results"
        said = f"{cell['said'] / results['archives']:.0%}"
        lines.append(f"| {cell['how']} | {cell['games']} | {known} | {cell['spread']} | {said} | {cells} |")
    lines += [
        "", "Orders of two ways: how many were told, how many of these were right (bar 97 %), and in how",
        f"many of those whose truth differs by {LARGE} and more one was told.", "",
        "| teams | games | known | spread | told | right | truth differs | of these told |",
        "|---|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    for cell in results["cells"]:
        known = "scores" if cell["scores"] else "results"
        share = f"{cell['right'] / cell['told']:.1%}" if cell["told"] else "-"
        some = f"{cell['told_large'] / cell['large']:.0%}" if cell["large"] else "-"
        found = (cell["how"], cell["games"], known, cell["spread"], cell["told"], share, cell["large"], some)
        lines.append(f"| {' | '.join(map(str, found))} |")
    return "\n".join([*lines, ""])


def main() -> int:
    """Measure, report or check."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_modes(parser)
    parser.add_argument(
        "--archives", type=int, default=ARCHIVES, help="of each cell; fewer of the same source are continued"
    )
    given = parser.parse_args()
    return keep(given, RESULTS, REPORT, lambda: measure(given.archives), report)
