"""Where a scale begins and how fine it is: what is said must not depend on it; writes SCALES.md.

Three things are measured, all from seeds but for the last:

* the law: every weight w becomes a w + b, for random a and b, over sizes, team counts, bots, parties, side
  preferences and uncertainties; chances, the split and what is said of a running game stay;
* teams of different sizes on 60 rosters each: who is the stronger team man for man, and by how much teams of
  one size differ;
* what one more player was worth in public histories, which may not be copied into the project.

``python -m benchmarks scales`` measures and writes, ``--report`` writes the page from the last results,
``--check`` says whether the page is stale.
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.reporting import PAGES, RAW, ROOT, add_modes, keep

from equipoise import Bots, Player, Rating, Solution, advantage, balance, place_late
from equipoise.core.match import Match
from equipoise.core.win_probability import LOGISTIC_SLOPE
from equipoise.files.read_matches import read_matches
from equipoise.ratings.models.gaussian_filter.model import GaussianFilter
from equipoise.ratings.replay import in_order
from equipoise.teams.advantage import team_sums

DATA = ROOT.parent / "shared" / "data" / "ratings"

SEED = 20261122

#: Rosters the law is held to, and those of each shape of unequal teams.
LAWS, ROSTERS = 2000, 60

#: Players and teams of the shapes.
SHAPES = ((5, 2), (7, 2), (9, 2), (7, 3), (8, 3), (10, 3))

#: What chances may change by: sums of weights 1e6 times their spread are right to some 1e-9 of it.
SAME = 1e-7

#: More than there are splits of any of the shapes.
MOST_SPLITS = 5000

#: What a quarter and half a spread may be exceeded by: rounding.
ROUNDING = 1e-9

#: The public histories in which teams were of different sizes.
HISTORIES = ("halo_8v8_first40", "kq_first40")

#: Worths of a body that are tried, in spreads.
WORTHS = np.linspace(-2.0, 6.0, 1601)


@dataclass(frozen=True, slots=True)
class Night:
    """A roster in one unit, to be given in others."""

    weights: tuple[float, ...]
    sigmas: tuple[float, ...]
    given: dict[str, Any]
    bot: float | None
    beta: float | None

    def balanced(self, a: float, b: float) -> Solution:
        """Return the teams with every weight w as a w + b."""
        players = [
            Player(f"p{n}", Rating(a * weight + b, a * sigma))
            for n, (weight, sigma) in enumerate(zip(self.weights, self.sigmas, strict=True))
        ]
        given = dict(self.given)
        if "bots" in given:
            given["bots"] = Bots(weight=None if self.bot is None else a * self.bot + b, target=given["bots"])
        return balance(players, beta=None if self.beta is None else a * self.beta, **given)


def random_night(rng: np.random.Generator) -> Night:
    """Return a roster of 2 to 12 players in 2 to 4 teams with anything that can be asked besides."""
    n, teams = int(rng.integers(2, 13)), int(rng.integers(2, 5))
    n = max(n, teams)
    weights = [
        rng.normal(0.0, 1.0, n),
        np.round(rng.normal(0.0, 3.0, n), 1),
        rng.integers(0, 4, n).astype(np.float64),
        np.full(n, 0.1),
        rng.lognormal(0.0, 1.0, n),
    ][int(rng.integers(5))]
    given: dict[str, Any] = {"teams": teams, "objective": ["spread", "win"][int(rng.integers(2))]}
    if rng.random() < 0.3 and n >= 4:
        given["parties"] = [["p0", "p1"]]
    if rng.random() < 0.3:
        given["max_difference"] = int(rng.integers(1, 4))
    if rng.random() < 0.3:
        given["bots"] = int(rng.integers(0, n + 4))
    if rng.random() < 0.2:
        given["body"] = float(rng.choice([0.0, 1.0, 2.5]))
    return Night(
        tuple(weights.tolist()),
        tuple((rng.random(n) * (rng.random() < 0.3)).tolist()),
        given,
        bot=float(rng.normal(0.0, 2.0)) if rng.random() < 0.5 else None,
        beta=float(rng.uniform(0.5, 2.0)) if rng.random() < 0.2 else None,
    )


def random_unit(rng: np.random.Generator) -> tuple[float, float]:
    """Return another unit: how fine, from 1e-6 to 1e6, and where it begins, up to a million spreads away."""
    a = float(10.0 ** rng.uniform(-6.0, 6.0))
    return a, a * float(rng.choice([0.0, 1.0, -1.0]) * 10.0 ** rng.uniform(-2.0, 6.0))


def law(seed: int, n: int) -> dict[str, Any]:
    """Return how often and how far what is said changed with the unit, over some rosters."""
    changed = other = late = 0
    most = farthest = 0.0
    for number in range(n):
        rng = np.random.default_rng([seed, number])
        night = random_night(rng)
        a, b = random_unit(rng)
        one, two = night.balanced(1.0, 0.0), night.balanced(a, b)
        changed += differ(one, two, a)
        if one.splits and two.splits:
            if teams_of(one) == teams_of(two):
                chances = np.subtract(sorted(one.best.win_probability), sorted(two.best.win_probability))
                most = max(most, float(np.abs(chances).max()))
            else:
                other += 1
        here = running(night, a, b)
        farthest = max(farthest, here)
        late += here > SAME
    return {
        "rosters": n, "changed": changed, "other split as good": other, "chances differ by": most,
        "running games changed": late, "advantages differ by": farthest,
    }  # fmt: skip


def differ(one: Solution, two: Solution, a: float) -> bool:
    """Tell whether two answers, the second in units ``a`` times as fine, differ in more than rounding."""
    if one.status != two.status or bool(one.splits) != bool(two.splits):
        return True
    if not one.splits or one.value is None or two.value is None:
        return False
    unit = 1.0 if one.objective.startswith("win") else a
    return abs(one.value - two.value / unit) > SAME * (1.0 + abs(one.value))


def teams_of(solution: Solution) -> set[frozenset[str]]:
    """Return who plays together."""
    return {frozenset(player.id for player in team) for team in solution.best.teams}


def running(night: Night, a: float, b: float) -> float:
    """Return by how much the chances and advantages of a running game change, the latter relative to them."""
    n_teams, said = night.given["teams"], []
    for slope, shift in ((1.0, 0.0), (a, b)):
        ratings = [
            Rating(slope * w + shift, slope * s) for w, s in zip(night.weights, night.sigmas, strict=True)
        ]
        players = [
            Player(f"p{n}", rating, team=n % n_teams if n < 2 * n_teams else 0)
            for n, rating in enumerate(ratings[:-1])
        ]
        centre = float(np.mean([rating.mu for rating in ratings]))
        sums, _ = team_sums(players, n_teams, centre)
        beta = None if night.beta is None else slope * night.beta
        asked = {"beta": beta, "body": night.given.get("body"), "centre": centre}
        placement = place_late(ratings[-1], sums, **asked)
        owed = advantage(sums, **asked)
        said.append(
            [chance for option in placement.options for chance in option.win_probability]
            + [math.log(factor) for factor in owed]
        )
    return float(np.abs(np.subtract(*said)).max())


def uneven(n: int, n_teams: int, rosters: int, seed: int) -> dict[str, Any]:
    """Return how teams of different sizes compare on rosters from N(1500, 200), by the default objective.

    A roster where the larger team is stronger man for man by more than a quarter of a spread, or where teams
    of one size differ by more than half a spread, counts as avoidable if any split is within both; what that
    costs is by how much its chances are farther from even than those of the fairest split.
    """
    stronger, apart, costs, leads, differences, farthest = 0, 0, [], [], [], []
    for number in range(rosters):
        weights = np.random.default_rng([seed, n, n_teams, number]).normal(1500.0, 200.0, n)
        solution = balance({f"p{i}": weight for i, weight in enumerate(weights.tolist())}, teams=n_teams)
        spread = float(weights.std())
        lead, difference = compared(solution.best.weights, spread)
        leads.append(lead)
        differences.append(difference)
        farthest.append(max(solution.best.win_probability) - min(solution.best.win_probability))
        stronger += lead > 0.25 + ROUNDING
        apart += difference > 0.5 + ROUNDING
        if lead > 0.25 + ROUNDING or difference > 0.5 + ROUNDING:
            costs += [least for least in (cost_within_both(weights.tolist(), n_teams),) if least is not None]
    return {
        "players": n, "teams": n_teams, "rosters": rosters, "larger stronger": stronger,
        "one size apart": apart, "avoidable": len(costs), "costs": costs, "mean lead": float(np.mean(leads)),
        "largest lead": max(leads), "largest difference": max(differences),
        "mean range of chances": float(np.mean(farthest)),
    }  # fmt: skip


def cost_within_both(weights: Sequence[float], n_teams: int) -> float | None:
    """Return how much farther from even the fairest split within both limits is than the fairest of all."""
    players = {f"p{n}": weight for n, weight in enumerate(weights)}
    ranked = balance(players, teams=n_teams, objective="win", keep=MOST_SPLITS).splits
    spread = float(np.std(weights))
    for split in ranked:
        lead, difference = compared(split.weights, spread)
        if lead <= 0.25 and difference <= 0.5:
            return split.value - ranked[0].value
    return None


def compared(teams: Sequence[Sequence[float]], spread: float) -> tuple[float, float]:
    """Return by how much a larger team's mean is above a smaller one's, and how far means of one size are.

    Both in spreads, at most; the first is negative where every larger team is weaker man for man.
    """
    means = [(len(team), sum(team) / len(team)) for team in teams]
    lead, difference = -math.inf, 0.0
    for (size, mean), (other_size, other) in itertools.combinations(means, 2):
        if size == other_size:
            difference = max(difference, abs(mean - other) / spread)
        else:
            lead = max(lead, (mean - other) * (1 if size > other_size else -1) / spread)
    return lead, difference


def histories(data: Path) -> dict[str, Any]:
    """Return what a body was worth in each history."""
    found: dict[str, Any] = {}
    for name in HISTORIES:
        rows = list(unequal(data / f"{name}.npz"))
        decided = [row for row in rows if row["won"] != 0.5]
        found[name] = [
            {"matches": len(part), "won": won_by_the_larger(part), "plain": worth(part, weighed=False),
             "rated": worth(part, weighed=True)}
            for part in (rows, decided)
        ]  # fmt: skip
    return found


def unequal(path: Path) -> Iterator[dict[str, float]]:
    """Return what was known before each match of unequal teams, the first team's side of it."""
    model = GaussianFilter()
    state = model.initial()
    for match in in_order([match for match in read_matches(str(path)) if isinstance(match, Match)]):
        for contest in match.contests:
            teams = [[player for player, _ in team] for team in contest.teams]
            if len(teams[0]) != len(teams[1]):
                skills = [
                    [model.rating(state, player, contest.ruleset).mu for player in team] for team in teams
                ]
                everyone = np.array(skills[0] + skills[1])
                ahead = contest.ranks[1] - contest.ranks[0]
                yield {
                    "players": float(len(everyone)),
                    "more": float(len(teams[0]) - len(teams[1])),
                    "stronger": sum(skills[0]) - sum(skills[1]),
                    "mean": float(everyone.mean()),
                    "spread": float(everyone.std()),
                    "won": 0.5 + 0.5 * float(np.sign(ahead)),
                }
            state = model.update(state, contest)


def won_by_the_larger(rows: list[dict[str, float]]) -> float:
    """Return how often the larger team won, a draw as half."""
    return float(np.mean([row["won"] if row["more"] > 0 else 1.0 - row["won"] for row in rows]))


def worth(rows: list[dict[str, float]], *, weighed: bool) -> tuple[float, float]:
    """Return the likeliest worth of a body in spreads and its standard error, with ratings or without."""
    players, more, won = (np.array([row[key] for row in rows]) for key in ("players", "more", "won"))
    lead = np.zeros(len(rows))
    if weighed:
        lead = np.array(
            [(row["stronger"] - row["mean"] * row["more"]) / (row["spread"] or math.inf) for row in rows]
        )

    def loss(body: float) -> float:
        exponent = LOGISTIC_SLOPE * (lead + body * more) / np.sqrt(players)
        return float((won * np.logaddexp(0.0, -exponent) + (1.0 - won) * np.logaddexp(0.0, exponent)).sum())

    best = float(WORTHS[np.argmin([loss(body) for body in WORTHS])])
    step = 0.05
    bend = (loss(best + step) + loss(best - step) - 2.0 * loss(best)) / step**2
    return best, 1.0 / math.sqrt(bend)


PAGE = """# Where a scale begins

Made by `python -m benchmarks scales`; the formula is in [win](../docs/algorithms/win.md), the default in
[decision 0012](../docs/decisions/0012-one-more-player.md).

## The law

{rosters} random rosters of 2 to 12 players in 2 to 4 teams, with bots, parties, uncertain weights, limits on
sizes and other worths of a body; each is asked again with every weight w as a w + b, a from 1e-6 to 1e6 and b
up to a million times a.

| | |
|---|---|
| answers that changed | {changed} |
| another split that is as good was shown | {other split as good} |
| chances of the same split differ by at most | {chances differ by:.1e} |
| running games (`late`, `advantage`) that changed | {running games changed} |
| their chances, and advantages relative to themselves, differ by at most | {advantages differ by:.1e} |

## Teams of different sizes

Rosters from N(1500, 200), the default objective.
A lead is how far the mean of a larger team is above that of a smaller one, a difference how far the means of
two teams of one size are apart, both in spreads of the roster.
Avoidable are rosters beyond a limit for which some split of these sizes is within both limits.
{avoiding}

| players in teams | rosters | lead above 0.25 | difference above 0.5 | avoidable | mean lead | largest lead \
| largest difference | mean range of chances |
|---|---|---|---|---|---|---|---|---|
{shapes}

## What a body was worth

Public histories with teams of different sizes: the worth of one more player in spreads, by maximum likelihood
with the formula of the chances, ± standard error.

| history | matches | larger team won | from sizes alone | with ratings before the match |
|---|---|---|---|---|
{histories}
"""

SHAPE = (
    "| {players} in {teams} | {rosters} | {larger stronger} | {one size apart} | {avoidable} "
    "| {mean lead:.2f} | {largest lead:.2f} | {largest difference:.2f} | {mean range of chances:.1%} |"
)


def report(found: dict[str, Any]) -> str:
    """Return the page."""
    rows = [
        f"| {name}: {kind} | {part['matches']} | {part['won']:.0%} "
        f"| {part['plain'][0]:.2f} ± {part['plain'][1]:.2f} "
        f"| {part['rated'][0]:.2f} ± {part['rated'][1]:.2f} |"
        for name, parts in found["histories"].items()
        for kind, part in zip(("all, a draw as half a win", "decided"), parts, strict=True)
    ]
    shapes = [SHAPE.format(**row) for row in found["rosters"]]
    costs = [cost for row in found["rosters"] for cost in row["costs"]]
    avoiding = "None is."
    if costs:
        avoiding = (
            f"In those {len(costs)} that costs {100 * min(costs):.1f} to {100 * max(costs):.1f} % of win "
            "probability, more than the tolerance:\n"
            "the default objective puts even chances first, and no split as even is within both limits."
        )
    return PAGE.format(**found["law"], avoiding=avoiding, shapes="\n".join(shapes), histories="\n".join(rows))


def main() -> int:
    """Measure and write, or as asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="where the histories are")
    add_modes(parser)
    given = parser.parse_args()

    def measure() -> dict[str, Any]:
        return {
            "law": law(SEED, LAWS),
            "rosters": [uneven(n, n_teams, ROSTERS, SEED) for n, n_teams in SHAPES],
            "histories": histories(given.data),
        }

    return keep(given, RAW / "scales.json", PAGES / "SCALES.md", measure, report)
