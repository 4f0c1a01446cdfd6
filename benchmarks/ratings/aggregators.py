"""Whether a team is more than its sum: ``python -m benchmarks aggregators`` writes ``AGGREGATORS.md``.

Beside the default model's chance of each contest of two teams stands a correction of its log-odds, learnt
contest by contest from the order of skills within the teams, shrunk to none::

    logit P(A wins) = logit(chance by the sums) + w · (f(A) - f(B)) / beta      w ~ N(0, .3²)

``f`` is how far the best player of a team is above its mean, the worst below it, both at once, or how much
the players of a team differ.  The histories are those of ``python -m benchmarks ratings``: the first 40 %,
of which the first fifth is not scored.  They tell no roles, so that an aggregator by role cannot be judged.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from benchmarks.ratings.histories import QUANTILE, WARM_UP, known
from benchmarks.reporting import PAGES, RAW, describe, run

from equipoise.core.match import Match
from equipoise.ratings.ladder import Ladder

RESULTS, REPORT = RAW / "aggregators.json", PAGES / "AGGREGATORS.md"

#: Standard deviation of a weight before anything was seen, and how far chances are kept from 0 and 1.
PRIOR, CLIP = 0.3, 1e-6

#: On so many histories the interval of the gain must be above none for an aggregator to be shipped.
NEEDED = 2

#: Skills of a team to what is learnt of their order.
Shape = Callable[[Any], tuple[float, ...]]
SHAPES: dict[str, Shape] = {
    "best player": lambda skills: (skills.max() - skills.mean(),),
    "worst player": lambda skills: (skills.min() - skills.mean(),),
    "best and worst": lambda skills: (skills.max() - skills.mean(), skills.min() - skills.mean()),
    "spread": lambda skills: (skills.std(),),
}


class Corrected:
    """A logistic correction with a normal prior, by one step of Newton for each contest."""

    def __init__(self, n_features: int) -> None:
        self.mean = np.zeros(n_features)
        self.covariance = np.eye(n_features) * PRIOR**2

    def chance(self, chance: float, features: Any) -> float:
        """Return the first team's chance with what was learnt so far."""
        return _logistic(_logit(chance) + float(self.mean @ features))

    def learn(self, chance: float, features: Any, won: float) -> None:
        """Learn from a result."""
        expected = self.chance(chance, features)
        along = self.covariance @ features
        information = expected * (1.0 - expected)
        self.covariance -= np.outer(along, along) * (information / (1.0 + information * features @ along))
        self.mean += self.covariance @ features * (won - expected)


def measure() -> dict[str, Any]:
    """Measure every aggregator on every history of teams."""
    histories = {name: matches for name, matches in known().items() if not name.startswith("simulated")}
    return describe() | {"histories": {name: judged(matches) for name, matches in histories.items()}}


def judged(matches: Sequence[Match]) -> dict[str, Any]:
    """Return the loss by the sums, and what each aggregator takes off, with the interval of its mean."""
    ladder = Ladder()
    learners = {name: Corrected(len(shape(np.zeros(2)))) for name, shape in SHAPES.items()}
    losses: dict[str, list[float]] = {name: [] for name in ("sum", *SHAPES)}
    contests = [contest for match in matches for contest in match.contests]
    for number, contest in enumerate(contests):
        if len(contest.teams) == 2:
            chance = ladder.predict(contest.teams, contest.ruleset, contest.at)[0]
            skills = [
                np.array([ladder.rating(player, contest.ruleset).mu for player, _ in team])
                for team in contest.teams
            ]
            one, other = contest.ranks
            won = 0.5 * (1.0 + (one < other) - (one > other))
            scored = won != 0.5 and number >= WARM_UP * len(contests)
            if scored:
                losses["sum"].append(_loss(chance, won))
            for name, shape in SHAPES.items():
                features = np.subtract(*(np.array(shape(team)) for team in skills))
                if scored:
                    losses[name].append(_loss(learners[name].chance(chance, features), won))
                learners[name].learn(chance, features, won)
        ladder.record(contest)
    by_sum = np.array(losses.pop("sum"))
    return {
        "n": len(by_sum),
        "loss": float(by_sum.mean()),
        "gains": {name: _mean(by_sum - np.array(found)) for name, found in losses.items()},
        "weights": {name: learner.mean.tolist() for name, learner in learners.items()},
    }


def _mean(gains: Any) -> dict[str, float]:
    return {"mean": float(gains.mean()), "within": QUANTILE * float(gains.std()) / math.sqrt(len(gains))}


def _loss(chance: float, won: float) -> float:
    kept = min(max(chance, CLIP), 1.0 - CLIP)
    return -math.log(kept if won > 0.5 else 1.0 - kept)


def _logit(chance: float) -> float:
    kept = min(max(chance, CLIP), 1.0 - CLIP)
    return math.log(kept / (1.0 - kept))


def _logistic(odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-odds))


def shipped(histories: dict[str, Any], name: str) -> bool:
    """Tell whether an aggregator gains beyond its interval often enough, and harms nowhere."""
    gains = [row["gains"][name] for row in histories.values()]
    better = sum(gain["mean"] - gain["within"] > 0 for gain in gains)
    return better >= NEEDED and not any(gain["mean"] + gain["within"] < 0 for gain in gains)


def report(results: dict[str, Any]) -> str:
    """Return the page."""
    histories = results["histories"]
    rows = [
        (name, str(row["n"]), f"{row['loss']:.4f}",
         *(f"{gain['mean']:+.4f} ± {gain['within']:.4f}" for gain in row["gains"].values()))
        for name, row in histories.items()
    ]  # fmt: skip
    fit = [name for name in SHAPES if shipped(histories, name)]
    return "\n".join([
        "# Whether a team is more than its sum",
        "",
        "`python -m benchmarks aggregators` measured and wrote this; do not edit.",
        "What each column is stands at the top of that file.",
        "",
        f"- Date: {results['date']}; commit {results['commit']}; Python {results['python']}.",
        "",
        "Log-loss of the default model, and what a learnt aggregator takes off it (above 0 it is better),",
        "with the 95 % interval of the mean.",
        "",
        *(f"| {' | '.join(row)} |" for row in (
            ("history", "n", "sum", *SHAPES), ("---",) * (len(SHAPES) + 3), *rows
        )),
        "",
        f"Better beyond its interval on at least {NEEDED} histories and worse on none:",
        f"{', '.join(fit) or 'none'}.",
        "",
    ])  # fmt: skip


def main() -> int:
    """Measure, report or check."""
    return run(__doc__, RESULTS, REPORT, measure, report)
