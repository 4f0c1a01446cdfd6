"""Find the default model's settings anew: ``python benchmarks/shipped_profile.py`` writes ``PROFILE.md``.

What is looked at: the first 40 % of each history named with ``--history FILE`` (by default the one at hand,
which may not be copied into the project), and histories simulated by the generators below; histories and
simulations count half each.  The search begins at neutral settings, not at the shipped ones.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from environment import describe
from equipoise import Contest, GaussianFilter, Match, Ruleset, read_matches
from equipoise.compiled import available
from equipoise.lab.metrics import CLIP
from equipoise.lab.progressive import Evaluation, judge
from equipoise.lab.simulate import simulate
from equipoise.lab.tuning import BOUNDS, View, losses, search, views
from equipoise.ratings.replaying import in_order

HERE = Path(__file__).parent
REPORT = HERE / "PROFILE.md"
HISTORY = HERE.parent.parent / "shared" / "data" / "ratings" / "cwl.npz"

#: What is simulated, in the words of ``equipoise.lab.simulate.simulate``: kinds of servers, strong and weak
#: differences, with and without drift, statistics that say much and little.
GENERATORS: dict[str, dict[str, float]] = {
    "5 v 5, telling statistics": {"players": 100, "games": 40, "sigma": 0.8, "drift": 0.01},
    "5 v 5, weak statistics": {"players": 100, "games": 40, "sigma": 0.6, "informative": 0.08},
    "5 v 5, roles": {"players": 60, "games": 60, "sigma": 0.8, "informative": 0.05, "roles": 0.7},
    "4 v 4, scores": {
        "players": 64,
        "games": 60,
        "team_size": 4,
        "sigma": 0.4,
        "drift": 0.02,
        "statistics": 0,
    },
    "2 v 2": {"players": 80, "games": 60, "team_size": 2, "sigma": 1.0, "drift": 0.01, "statistics": 0},
    "duels": {"players": 60, "games": 40, "team_size": 1, "sigma": 0.8, "drift": 0.03, "statistics": 0},
    "8 alone": {"players": 80, "games": 40, "team_size": 1, "teams": 8, "sigma": 0.6, "statistics": 0},
}
#: Seeds of what is looked at, and of what the result is judged by.
LOOKED_AT, HELD_OUT = 0, 1

#: Where the search begins: nothing in it comes from the shipped settings.
NEUTRAL = GaussianFilter(
    sigma=1.0, drift_game=0.01, drift_day=0.01, share_type=0.1, outcome=1.0, margin_slope=0.3,
    margin_noise=1.0, statistic_slope=0.5, statistic_noise=1.0, trust_sigma=0.3,
)  # fmt: skip

PART, STEPS, SEED = 0.4, 300, 0

#: A setting is tried at these multiples of the shipped one, the others left alone.
FACTORS = (0.25, 0.5, 0.7, 1.0, 1.4, 2.0, 4.0)
#: So many standard errors are more than chance.
ERRORS = 2.0


@dataclass(frozen=True, slots=True)
class Data:
    """Everything that is looked at: views of each history, and how much each counts."""

    histories: list[list[View]]
    weights: list[float]


def simulated(seed: int) -> dict[str, list[Contest]]:
    """Return the contests of every generator."""
    made = {}
    for n, (name, given) in enumerate(GENERATORS.items()):
        history = simulate(np.random.default_rng([seed, n]), **given)  # type: ignore[arg-type]
        made[name] = [contest for match in history.matches for contest in match.contests]
    return made


def league(path: Path) -> list[Contest]:
    """Return the contests of a match file in order."""
    matches = [match for match in read_matches(str(path)) if isinstance(match, Match)]
    return [contest for match in in_order(matches) for contest in match.contests]


def looked_at(leagues: dict[str, list[Contest]], left_out: Ruleset | None = None) -> Data:
    """Return what the search may see."""
    own = [
        views(contests[: math.ceil(len(contests) * PART)], left_out)
        for contests in leagues.values()
        if any(contest.ruleset != left_out for contest in contests)
    ]
    made = [views(contests) for contests in simulated(LOOKED_AT).values()]
    return Data(own + made, [0.5 / len(own)] * len(own) + [0.5 / len(made)] * len(made))


def difference(model: GaussianFilter, other: GaussianFilter, data: Data) -> tuple[float, float]:
    """Return by how much the log-loss of a model is above that of another, and the standard error of that."""
    mean = square = 0.0
    for seen, weight in zip(data.histories, data.weights, strict=True):
        each = np.mean(
            [losses(model, v, fast=available()) - losses(other, v, fast=available()) for v in seen], axis=0
        )
        mean += weight * float(each.mean())
        square += (weight * float(each.std(ddof=1))) ** 2 / len(each)
    return mean, math.sqrt(square)


def scored(model: GaussianFilter, contests: Sequence[Contest], skip: float) -> Evaluation:
    """Return how a model does on contests after the first part."""
    return judge(contests, model.run(model.initial(), contests)[1], skip)


def lead(one: Evaluation, other: Evaluation) -> str:
    """Return by how much the log-loss of one is above that of another, with the error of that."""
    each = np.array(
        [
            math.log(max(theirs[won], CLIP) / max(mine[won], CLIP))
            for mine, theirs, won in zip(one.chances, other.chances, one.winners, strict=True)
            if won >= 0
        ]
    )
    return f"{each.mean():+.4f} ± {each.std(ddof=1) / math.sqrt(len(each)):.4f}"


def plain(contests: Sequence[Contest]) -> list[Contest]:
    """Return contests of which only results are known."""
    return [replace(contest, scores=(), statistics=()) for contest in contests]


def table(*columns: str) -> list[str]:
    """Return the head of a table."""
    return [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]


def settings_table(found: GaussianFilter, data: Data) -> list[str]:
    """Return each setting: shipped, found, and the multiples at which nothing is lost beyond chance."""
    shipped = GaussianFilter()
    lines = [
        "| setting | shipped | found | no worse beyond chance from | to | shipped confirmed |",
        "|---|---|---|---|---|---|",
    ]
    for name in BOUNDS:
        value = getattr(shipped, name)
        others = {factor: replace(shipped, **{name: value * factor}) for factor in FACTORS}
        loss = {factor: difference(other, shipped, data) for factor, other in others.items()}
        best = min(loss, key=lambda factor: loss[factor][0])
        kept = []
        for factor, other in others.items():
            above, error = difference(other, others[best], data)
            if above <= ERRORS * error or factor == best:
                kept.append(factor)
        told = "yes" if 1.0 in kept else f"**no**: {best:g} times is better by {-loss[best][0]:.4f}"
        lines.append(
            f"| `{name}` | {value:g} | {getattr(found, name):.3g} | {value * min(kept):.3g} "
            f"| {value * max(kept):.3g} | {told} |"
        )
    return lines


def held_out_table(found: GaussianFilter, leagues: dict[str, list[Contest]]) -> list[str]:
    """Return how both do on what the search has not seen."""
    columns = ("log-loss shipped", "found", "difference", "slope shipped", "found", "ECE shipped", "found")
    lines = table("held out", "n", *columns)
    rows = [(f"simulated: {name}", contests, 0.2) for name, contests in simulated(HELD_OUT).items()]
    for name, contests in leagues.items():
        rows += [(name, contests, PART), (f"{name}, results only", plain(contests), PART)]
    for name, contests, skip in rows:
        both = [scored(model, contests, skip) for model in (GaussianFilter(), found)]
        one, other = (evaluation.metrics for evaluation in both)
        lines.append(
            f"| {name} | {one.n} | {one.log_loss:.4f} | {other.log_loss:.4f} | {lead(*both)} "
            f"| {one.calibration_slope:.2f} | {other.calibration_slope:.2f} "
            f"| {one.ece:.3f} | {other.ece:.3f} |"
        )
    return lines


def left_out_table(leagues: dict[str, list[Contest]], steps: int) -> list[str]:
    """Return, for each ruleset, how settings do on it that were found without its results."""
    lines = table("left out", "n", "log-loss shipped", "found without it")
    for name, contests in leagues.items():
        for ruleset in sorted({contest.ruleset for contest in contests}, key=repr):
            data = looked_at({name: contests}, ruleset)
            found = search(data.histories, weights=data.weights, model=NEUTRAL, steps=steps, seed=SEED).model
            group = f"ruleset {' '.join(part for part in (ruleset.game, ruleset.game_type) if part)}"
            told = []
            for model in (GaussianFilter(), found):
                groups = judge(contests, model.run(model.initial(), contests)[1], PART).groups
                told.append(groups.get(group))
            if told[0] is not None and told[1] is not None and told[0].n:
                lines.append(
                    f"| {name}: {group} | {told[0].n} | {told[0].log_loss:.4f} | {told[1].log_loss:.4f} |"
                )
    return lines


def report(leagues: dict[str, list[Contest]], steps: int) -> str:
    """Search, compare, and return the report."""
    data = looked_at(leagues)
    found = search(data.histories, weights=data.weights, model=NEUTRAL, steps=steps, seed=SEED).model
    above, error = difference(GaussianFilter(), found, data)
    made = describe()
    lines = [
        "# The shipped settings, found anew", "",
        "`python benchmarks/shipped_profile.py` measured and wrote this; do not edit.",
        "What it looks at, where it begins and what it holds out stands at the top of that file.", "",
        f"- Date: {made['date']}; commit {made['commit']}.",
        f"- Histories: {', '.join(leagues) or 'none but simulations'}; {steps} steps from neutral settings.",
        "",
        "## Settings", "",
        f"On what was looked at, the shipped settings lose {above:.4f} ± {error:.4f} against those found.",
        "The middle columns are the multiples of the shipped value (a quarter to four times), the others",
        f"left alone, that lose nothing beyond {ERRORS:g} standard errors against the best of them:",
        "that is the precision of this command.",
        "", *settings_table(found, data), "",
        "`baseline` and `baseline_sigma` are not searched: only uneven teams tell of them.",
        "",
        "## What was not looked at", "",
        "The difference is that of the log-loss, shipped less found, with its standard error.", "",
        *held_out_table(found, leagues), "",
    ]  # fmt: skip
    if leagues:
        lines += ["## Without a ruleset's results", "", *left_out_table(leagues, max(steps // 2, 1)), ""]
    return "\n".join(lines)


def main() -> int:
    """Write the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--history", type=Path, action="append", help="a match file to look at")
    parser.add_argument("--steps", type=int, default=STEPS, help="settings that are tried")
    parser.add_argument("--output", type=Path, default=REPORT, help="where the report goes")
    given = parser.parse_args()
    paths = given.history or ([HISTORY] if HISTORY.exists() else [])
    leagues = {path.name: league(path) for path in paths}
    given.output.write_text(report(leagues, given.steps), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
