"""Find the members of the default model: ``python -m benchmarks profile`` writes ``PROFILE.md``.

What is looked at: the first 40 % of each history at hand (``--histories DIR``; they may not be copied
into the project), as it is and with results alone, and histories simulated by the generators below.  Two
filters are searched at once, from neutral settings, for the least mean log-loss of their mixture.
``--steps 0`` searches nothing and only reports on the shipped members.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.reporting import PAGES, ROOT, describe

from equipoise import Contest, GaussianFilter, Match, Mixture, read_matches
from equipoise.ratings.lab.evaluation import CLIP, measure, winner
from equipoise.ratings.lab.simulation import simulate
from equipoise.ratings.lab.tuning import BOUNDS, NARROW, WIDE, changed, drawn_factors
from equipoise.ratings.models.gaussian_filter.contest_columns import pack
from equipoise.ratings.models.gaussian_filter.model import Filters
from equipoise.ratings.replay import in_order

REPORT = PAGES / "PROFILE.md"
HISTORIES = ROOT.parent / "shared" / "data" / "ratings"

#: Kinds of servers, in the words of ``equipoise.ratings.lab.simulation.simulate``: strong and weak
#: differences, with and without drift, statistics that say much and little.
GENERATORS: dict[str, dict[str, float]] = {
    "5 v 5, telling statistics": {"players": 100, "games": 40, "sigma": 0.8, "drift": 0.01},
    "5 v 5, weak statistics": {"players": 100, "games": 40, "sigma": 0.6, "informative": 0.08},
    "5 v 5, roles": {"players": 60, "games": 60, "sigma": 0.8, "informative": 0.05, "roles": 0.7},
    "4 v 4, scores": {
        "players": 64, "games": 60, "team_size": 4, "sigma": 0.4, "drift": 0.02, "statistics": 0,
    },
    "2 v 2": {"players": 80, "games": 60, "team_size": 2, "sigma": 1.0, "drift": 0.01, "statistics": 0},
    "duels": {"players": 60, "games": 40, "team_size": 1, "sigma": 0.8, "drift": 0.03, "statistics": 0},
    "8 alone": {"players": 80, "games": 40, "team_size": 1, "teams": 8, "sigma": 0.6, "statistics": 0},
}  # fmt: skip

#: Where the search begins.
NEUTRAL = (
    GaussianFilter(sigma=1.0, outcome=0.4, experience_sigma=0.3, baseline_sigma=0.1),
    GaussianFilter(sigma=1.0, outcome=0.8, experience_sigma=0.3, baseline_sigma=0.1),
)

#: Part of a history that is looked at, and of that the part that is played but not scored.
PART, WARM_UP = 0.4, 0.2
#: What a history as it is, with results alone, and all simulations together count.
AS_IT_IS, RESULTS_ONLY, SIMULATED = 0.6, 0.4, 2.5

STEPS, SEED = 450, 0

#: What is searched: no history at hand has mutators, or is long enough to tell how fast to forget.
SEARCHED = tuple(name for name in BOUNDS if name not in ("share_mutators", "half_life"))


@dataclass(frozen=True, slots=True)
class Members(Filters):
    """A mixture of any filters."""

    given: tuple[GaussianFilter, ...]

    def filters(self) -> tuple[GaussianFilter, ...]:
        """Return them."""
        return self.given


class Seen:
    """A history as arrays, so that a setting is tried in milliseconds."""

    def __init__(self, name: str, contests: Sequence[Contest], weight: float) -> None:
        self.name, self.weight = name, weight
        self.packed = pack(contests)
        self.first = np.asarray(self.packed.first_team)[:-1].astype(int)
        self.winners = np.array([winner(contest) for contest in contests])
        self.scored = (self.winners >= 0) & (np.arange(len(contests)) >= math.floor(WARM_UP * len(contests)))

    def chances(self, model: Filters) -> Any:
        """Return the predictions of all contests, team by team."""
        learnt = model.learnt(model.initial(), self.packed.keys, self.packed.rulesets)
        learnt.compile()
        return learnt.play(self.packed)[0]

    def losses(self, model: Filters) -> Any:
        """Return the log-loss of each contest that is scored."""
        reported = self.chances(model)[self.first[self.scored] + self.winners[self.scored]]
        return -np.log(np.maximum(reported, CLIP))

    def slope(self, model: Filters) -> float:
        """Return the calibration slope."""
        chances, ends = self.chances(model), [*self.first[1:], len(self.packed.rank)]
        scored = np.flatnonzero(self.scored).tolist()
        rows = [chances[self.first[n] : ends[n]].tolist() for n in scored]
        return measure(rows, self.winners[scored].tolist()).calibration_slope


def histories(folder: Path) -> list[Seen]:
    """Return what is looked at of the histories of a folder."""
    seen = []
    for path in sorted(folder.glob("*.npz")):
        matches = in_order(match for match in read_matches(str(path)) if isinstance(match, Match))
        contests = [contest for match in matches for contest in match.contests]
        name = path.stem.removesuffix("_first40")
        if name == path.stem:
            contests = contests[: math.ceil(PART * len(contests))]
        plain = [replace(contest, scores=(), statistics=()) for contest in contests]
        seen += [Seen(name, contests, AS_IT_IS), Seen(f"{name}, results only", plain, RESULTS_ONLY)]
    return seen


def simulations(seed: int) -> list[Seen]:
    """Return a history of each generator."""
    seen = []
    for n, (name, given) in enumerate(GENERATORS.items()):
        made = simulate(np.random.default_rng([seed, n]), **given)  # type: ignore[arg-type]  # of mixed types
        contests = [contest for match in made.matches for contest in match.contests]
        seen.append(Seen(f"simulated: {name}", contests, SIMULATED / len(GENERATORS)))
    return seen


def total(model: Filters, seen: Sequence[Seen]) -> float:
    """Return the weighted mean log-loss."""
    reported = sum(each.weight * float(each.losses(model).mean()) for each in seen)
    return reported / sum(each.weight for each in seen)


def search(seen: Sequence[Seen], steps: int) -> Members:
    """Return the two filters whose mixture does best."""
    rng = np.random.default_rng(SEED)
    best = Members(NEUTRAL)
    least = total(best, seen)
    for step in range(steps):
        width = WIDE * (NARROW / WIDE) ** (step / max(steps - 1, 1))
        given = list(best.given)
        n = int(rng.integers(len(given)))
        given[n] = changed(given[n], drawn_factors(rng, width, SEARCHED))
        tried = Members(tuple(given))
        found = total(tried, seen)
        if found < least:
            best, least = tried, found
    return best


def report(seen: Sequence[Seen], found: Members | None, steps: int) -> str:
    """Return the page."""
    shipped, made = Mixture(), describe()
    models: dict[str, Filters] = {"mixture": shipped}
    models.update({name: Mixture(members=(name,)) for name in shipped.members})
    models["one filter, defaults"] = GaussianFilter()
    if found is not None:
        models["found anew"] = found
    lines = [
        "# The members of the default model, found anew", "",
        "`python -m benchmarks profile` measured and wrote this; do not edit.",
        "What it looks at and where it begins stands at the top of that file.",
        "The shipped members are what such a search found, rounded; it began where a search for one filter",
        "had ended.  Statistics and drift of `steady` were then set with `cwl` whole in view.",
        "",
        f"- Date: {made['date']}; commit {made['commit']}; {steps} steps.", "",
        "## Settings", "",
        f"| setting | {' | '.join(shipped.members)} |{' found | found |' if found else ''}",
        f"|---|{'---|' * (len(shipped.members) + (2 if found else 0))}",
    ]  # fmt: skip
    filters = [*shipped.filters(), *(found.filters() if found else ())]
    lines += [
        f"| `{name}` | {' | '.join(f'{getattr(one, name):.3g}' for one in filters)} |" for name in SEARCHED
    ]
    lines += [
        "", "## Log-loss on what was looked at", "",
        "With a 95 % interval of the mean and the calibration slope for the mixture.",
        "The first fifth is not scored.", "",
        f"| history | n | {' | '.join(models)} | slope |", f"|---|---|{'---|' * len(models)}---|",
    ]  # fmt: skip
    for each in seen:
        losses = {name: each.losses(model) for name, model in models.items()}
        error = 1.96 * float(losses["mixture"].std(ddof=1)) / math.sqrt(len(losses["mixture"]))
        cells = [
            f"{x.mean():.4f}" + (f" ± {error:.4f}" if name == "mixture" else "") for name, x in losses.items()
        ]
        lines.append(
            f"| {each.name} | {len(losses['mixture'])} | {' | '.join(cells)} | {each.slope(shipped):.2f} |"
        )
    means = " | ".join(f"{total(model, seen):.4f}" for model in models.values())
    return "\n".join([*lines, f"| weighted mean | | {means} | |", ""])


def main() -> int:
    """Search and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--histories", type=Path, default=HISTORIES, help="a folder of npz files")
    parser.add_argument("--steps", type=int, default=STEPS, help="settings that are tried")
    parser.add_argument("--output", type=Path, default=REPORT, help="where the page goes")
    given = parser.parse_args()
    seen = histories(given.histories) + simulations(SEED)
    found = search(seen, given.steps) if given.steps else None
    given.output.write_text(report(seen, found, given.steps), encoding="utf-8")
    return 0
