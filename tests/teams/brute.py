"""Slow and obvious: any number of teams once more, and a check of the rules for rosters of any size.

Nothing here uses the package's problems, totals, objectives or solvers; the formulas of a single team are
those of ``tests/oracles.py``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tests.oracles import mean, variance

from equipoise import Bots, Player, Rating, Solution, Split

Labels = tuple[int, ...]


@dataclass(frozen=True)
class Night:
    """A roster and rules, as plain numbers; players are known by their place."""

    weights: tuple[float, ...]
    n_teams: int
    sigmas: tuple[float, ...] = ()
    parties: tuple[tuple[int, ...], ...] = ()
    apart: tuple[tuple[int, ...], ...] = ()
    fixed: tuple[tuple[int, int], ...] = ()
    sizes: tuple[int, ...] | None = None
    bot_weight: float | None = None
    seats: int = 0

    @property
    def n(self) -> int:
        """How many players there are."""
        return len(self.weights)

    def arguments(self) -> dict[str, Any]:
        """Return what ``balance`` is given."""
        sigmas = self.sigmas or (0.0,) * self.n
        ratings = [Rating(mu, sigma) for mu, sigma in zip(self.weights, sigmas, strict=True)]
        return {
            "players": [Player(f"p{n}", rating) for n, rating in enumerate(ratings)],
            "teams": self.n_teams,
            "sizes": self.sizes,
            "bots": False
            if self.bot_weight is None
            else Bots(self.bot_weight, target=self.n_teams * self.seats),
            "parties": [[f"p{n}" for n in party] for party in self.parties],
            "apart": [[f"p{n}" for n in group] for group in self.apart],
            "fixed": {f"p{n}": team for n, team in self.fixed},
        }


def broken(night: Night, labels: Sequence[int]) -> list[str]:
    """Return the rules that a split breaks."""
    counts = [list(labels).count(team) for team in range(night.n_teams)]
    rules = [f"party {party}" for party in night.parties if len({labels[n] for n in party}) > 1]
    rules += [f"apart {group}" for group in night.apart if len({labels[n] for n in group}) < len(group)]
    rules += [f"fixed {n}" for n, team in night.fixed if labels[n] != team]
    if night.sizes is not None:
        rules += ["sizes"] if tuple(counts) != night.sizes else []
    elif max(counts) - min(counts) > 1 or (night.bot_weight is None and min(counts) < 1):
        rules.append("sizes")
    return rules


def splits(night: Night) -> Iterator[Labels]:
    """Go through every legal split, each once for each naming of the teams."""
    most = max(night.sizes or (math.ceil(night.n / night.n_teams),))

    def extended(labels: Labels) -> Iterator[Labels]:
        if len(labels) == night.n:
            if not broken(night, labels):
                yield labels
            return
        for team in range(night.n_teams):
            if labels.count(team) < most:
                yield from extended((*labels, team))

    return extended(())


def bots(night: Night, labels: Sequence[int]) -> list[int]:
    """Return how many bots fill up each team."""
    if night.bot_weight is None:
        return [0] * night.n_teams
    counts = [list(labels).count(team) for team in range(night.n_teams)]
    return [max(night.seats, *counts) - count for count in counts]


def members(night: Night, labels: Sequence[int]) -> list[list[tuple[float, float]]]:
    """Return (weight, sigma) of everyone in each team, bots included."""
    sigmas = night.sigmas or (0.0,) * night.n
    return [
        [(night.weights[n], sigmas[n]) for n in range(night.n) if labels[n] == team]
        + [(night.bot_weight or 0.0, 0.0)] * filled
        for team, filled in enumerate(bots(night, labels))
    ]


def value(name: str, night: Night, labels: Sequence[int], beta: float, zero: float, prior: float) -> float:
    """Return an objective's value as it is known: for ``ratio`` more is better, for others less."""
    teams = members(night, labels)
    totals = [sum(w for w, _ in team) for team in teams]
    everyone = [player for team in teams for player in team]
    if name == "difference":
        return max(totals) - min(totals)
    if name == "ratio":
        return min(totals) / max(totals) if max(totals) > 0 else 1.0
    if name == "win":
        noise = math.sqrt(2.0 / night.n_teams * sum(sigma**2 + beta**2 for _, sigma in everyone))
        strengths = [total - zero * len(team) for total, team in zip(totals, teams, strict=True)]
        powers = [math.exp(1.702 * (strength - max(strengths)) / noise) for strength in strengths]
        return max(abs(power / sum(powers) - 1.0 / night.n_teams) for power in powers)
    if name == "spread":
        deviations = [math.sqrt(variance([w for w, _ in team])) for team in teams]
        return max(deviations) - min(deviations)
    information = 0.0
    centre, whole = mean([w for w, _ in everyone]), _uncertain(everyone, prior)
    for team in filter(None, teams):
        middle, own = mean([w for w, _ in team]), _uncertain(team, prior)
        divergence = 0.5 * ((middle - centre) ** 2 / whole + own / whole - math.log(own / whole) - 1.0)
        information += len(team) / len(everyone) * divergence
    return information


def _uncertain(team: Sequence[tuple[float, float]], prior: float) -> float:
    return variance([w for w, _ in team]) + mean([sigma**2 for _, sigma in team]) + prior


def best(name: str, night: Night, solution: Solution, tolerance: float) -> float | None:
    """Return the best value of an objective by going through all; None where nothing is legal."""
    beta, zero, prior = solution.beta, solution.zero, solution.beta**2 / 64.0
    legal = list(splits(night))
    if not legal:
        return None
    if name == "spread":
        distances = [value("win", night, labels, beta, zero, prior) for labels in legal]
        limit = min(distances) + tolerance
        legal = [x for x, distance in zip(legal, distances, strict=True) if distance <= limit + 1e-12]
    values = [value(name, night, labels, beta, zero, prior) for labels in legal]
    return max(values) if name == "ratio" else min(values)


def labels_of(night: Night, split: Split) -> Labels:
    """Return a split as labels; each player must be in one team."""
    team_of = {player.id: team for team, players in enumerate(split.teams) for player in players}
    assert sum(map(len, split.teams)) == night.n
    return tuple(team_of[f"p{n}"] for n in range(night.n))


def check(night: Night, solution: Solution) -> None:
    """Assert that every split keeps every rule, and that what is said of it is true."""
    assert solution.splits
    for split in solution.splits:
        labels = labels_of(night, split)
        assert broken(night, labels) == []
        assert list(split.bots) == bots(night, labels)
        totals = [math.fsum(w for w, _ in team) for team in members(night, labels)]
        for said, true in zip(split.totals, totals, strict=True):
            assert math.isclose(said, true, rel_tol=1e-9, abs_tol=1e-6)
