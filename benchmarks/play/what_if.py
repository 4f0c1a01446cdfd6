"""Whether the intervals of ``evaluate --what-if`` are right: ``python -m benchmarks what_if``.

Archives are simulated with a known truth: games of eight out of twenty people with normal skill of standard
deviation .8 in units of a player's noise.  Teams are at *random*, even by the *ratings* of earlier games (a
regression on the results before), or even by *hidden* true skill.  Ways to divide are as played, at random,
and even by those ratings.
"""

from __future__ import annotations

import argparse
import itertools
import math
from typing import Any

import numpy as np
from benchmarks.reporting import PAGES, RAW, add_modes, describe, keep

from equipoise.core.match import Contest, Ruleset
from equipoise.play.what_if import verdict_of, ways_apart
from equipoise.ratings.skill_posterior import SkillSamples, sample_skills

RESULTS, REPORT = RAW / "what_if.json", PAGES / "WHAT_IF.md"

PEOPLE, SIZE, SPREAD, SAMPLES = 20, 4, 0.8, 400
CELLS = [
    (how, games, scores)
    for how in ("random", "ratings", "hidden")
    for games in (80, 400)
    for scores in (False, True)
]
ARCHIVES = 100

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
    rng: np.random.Generator, how: str, games: int, scores: bool
) -> tuple[Any, list[Contest], Any, Any]:
    """Return true skills, contests, who played, and which of the divisions is even by ratings in each."""
    truth = rng.normal(0.0, SPREAD, PEOPLE)
    information, pulled = np.eye(PEOPLE) / SPREAD**2, np.zeros(PEOPLE)
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
    """Return what was measured of each cell."""
    cells = []
    for how, games, scores in CELLS:
        rows, reported, right, large, reported_large = [], 0, 0, 0, 0
        for seed in range(many):
            rng = np.random.default_rng([games, scores, len(how), seed])
            truth, contests, who, even = archive(rng, how, games, scores)
            known = sample_skills(contests, rng, SAMPLES)
            best = sample_skills(contests, rng, SAMPLES, spreads=(SPREAD,))
            skills = np.zeros((PEOPLE + 1, 1))
            for player, place in known.players.items():
                skills[place] = truth[int(player[1:])]
            really = SkillSamples(known.players, skills, math.inf)
            found, ideal, true = (
                _with_differences(means(each, contests, who, even)) for each in (known, best, really)
            )
            for name in found:
                low, high = np.quantile(found[name], (0.025, 0.975))
                narrow = np.quantile(ideal[name], (0.025, 0.975))
                is_true = float(true[name][0])
                rows.append((name, low - 1e-9 <= is_true <= high + 1e-9, high - low, narrow[1] - narrow[0]))
                if "-" in name:
                    verdict = verdict_of(low, high, plain=known.is_plain)
                    large += abs(is_true) >= LARGE
                    if verdict != "cannot tell":
                        reported += 1
                        right += (verdict == "closer") == (is_true < 0.0)
                        reported_large += abs(is_true) >= LARGE
        cells.append({
            "how": how, "games": games, "scores": scores, "told": reported, "right": right, "large": large,
            "told_large": reported_large,
            "ways": {
                name: {
                    "covered": float(np.mean([row[1] for row in rows if row[0] == name])),
                    "width": float(np.mean([row[2] for row in rows if row[0] == name])),
                    "ratio": float(
                        np.median([row[2] / max(row[3], 1e-9) for row in rows if row[0] == name])
                    ),
                }
                for name in dict.fromkeys(row[0] for row in rows)
            },
        })  # fmt: skip
    return {**describe(), "archives": many, "cells": cells}


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
        "In how many archives the 95 % interval covers the truth, and behind it how wide it is beside that",
        "of the true model, which knows the spread of skill (median of the ratios).",
        "Bars: at least 90 %, and at most 1.5.", "",
        f"| teams | games | known | {' | '.join(names)} |", f"|---|---|---|{'---|' * len(names)}",
    ]  # fmt: skip
    for cell in results["cells"]:
        cells = " | ".join(f"{row['covered']:.0%}, {row['ratio']:.2f}" for row in cell["ways"].values())
        known = "scores" if cell["scores"] else "results"
        lines.append(f"| {cell['how']} | {cell['games']} | {known} | {cells} |")
    lines += [
        "", "Orders of two ways: how many were told, how many of these were right (bar 97 %), and in how",
        f"many of those whose truth differs by {LARGE} and more one was told.", "",
        "| teams | games | known | told | right | truth differs | of these told |",
        "|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    for cell in results["cells"]:
        known = "scores" if cell["scores"] else "results"
        share = f"{cell['right'] / cell['told']:.1%}" if cell["told"] else "-"
        some = f"{cell['told_large'] / cell['large']:.0%}" if cell["large"] else "-"
        lines.append(
            f"| {cell['how']} | {cell['games']} | {known} | {cell['told']} | {share} | {cell['large']} "
            f"| {some} |"
        )
    return "\n".join([*lines, ""])


def main() -> int:
    """Measure, report or check."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_modes(parser)
    parser.add_argument("--archives", type=int, default=ARCHIVES, help="of each cell")
    given = parser.parse_args()
    return keep(given, RESULTS, REPORT, lambda: measure(given.archives), report)
