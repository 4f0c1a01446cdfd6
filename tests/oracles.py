"""Slow and obvious: every formula and rule of two-team balancing once more, in plain Python.

Nothing here uses the package's problems, totals, objectives or solvers.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """A roster and preferences, as plain numbers; players are known by their place."""

    weights: tuple[float, ...]
    sigmas: tuple[float, ...]
    sides: tuple[float, ...]
    parties: tuple[tuple[int, ...], ...] = ()
    apart: tuple[tuple[int, int], ...] = ()
    fixed: tuple[tuple[int, int], ...] = ()
    sizes: tuple[int, int] | None = None
    max_difference: int | None = None
    bot_weight: float | None = None
    seats: int = 0


@dataclass(frozen=True)
class Division:
    """A legal split: the places in each team, and how many bots fill it up."""

    teams: tuple[tuple[int, ...], tuple[int, ...]]
    bots: tuple[int, int]


def splits(case: Case) -> Iterator[Division]:
    """Go through every legal split, each once for each naming of the teams."""
    n = len(case.weights)
    for sides in itertools.product((0, 1), repeat=n):
        if any(len({sides[p] for p in party}) > 1 for party in case.parties):
            continue
        if any(sides[a] == sides[b] for a, b in case.apart):
            continue
        if any(sides[p] != team for p, team in case.fixed):
            continue
        counts = (sides.count(0), sides.count(1))
        if case.bot_weight is None:
            if case.sizes is not None and counts != case.sizes:
                continue
            cap = case.max_difference if case.max_difference is not None else (n if case.sizes else 1)
            if abs(counts[0] - counts[1]) > cap or (case.sizes is None and min(counts) < 1):
                continue
            bots = (0, 0)
        else:
            cap = 1 if case.max_difference is None else case.max_difference
            if abs(counts[0] - counts[1]) > cap:
                continue
            size = max(case.seats, *counts)
            bots = (size - counts[0], size - counts[1])
        places = tuple(tuple(p for p in range(n) if sides[p] == team) for team in (0, 1))
        yield Division((places[0], places[1]), bots)


def members(case: Case, split: Division) -> list[list[tuple[float, float, float]]]:
    """Return (weight, sigma, side) of everyone in each team, bots included."""
    bot = (case.bot_weight or 0.0, 0.0, 0.5)
    return [
        [(case.weights[p], case.sigmas[p], case.sides[p]) for p in places] + [bot] * bots
        for places, bots in zip(split.teams, split.bots, strict=True)
    ]


def mean(values: Sequence[float]) -> float:
    """Return the mean; 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def variance(values: Sequence[float]) -> float:
    """Return the population variance; 0 of nothing."""
    middle = mean(values)
    return mean([(value - middle) ** 2 for value in values])


def chance(case: Case, split: Division, beta: float, zero: float) -> float:
    """Return the first team's win probability."""
    teams = members(case, split)
    everyone = teams[0] + teams[1]
    noise = math.sqrt(sum(sigma**2 for _, sigma, _ in everyone) + len(everyone) * beta**2)
    difference = sum(w - zero for w, _, _ in teams[0]) - sum(w - zero for w, _, _ in teams[1])
    return 1.0 / (1.0 + math.exp(-1.702 * difference / noise))


def value(name: str, case: Case, split: Division, scale: Mapping[str, float]) -> float:
    """Return an objective's value as it is known: for ``ratio`` more is better, for others less."""
    teams = members(case, split)
    totals = [sum(w for w, _, _ in team) for team in teams]
    if name == "difference":
        return abs(totals[0] - totals[1])
    if name == "ratio":
        return min(totals) / max(totals) if max(totals) > 0 else 1.0
    if name == "win":
        return abs(chance(case, split, scale["beta"], scale["zero"]) - 0.5)
    if name == "spread":
        deviations = [math.sqrt(variance([w for w, _, _ in team])) for team in teams]
        return abs(deviations[0] - deviations[1])
    if name == "indistinguishable":
        told_apart = bool(case.fixed) or (case.sizes is not None and case.sizes[0] != case.sizes[1])
        return information(teams, scale["prior"], scale["side_weight"], signed=told_apart)
    raise KeyError(name)


def information(
    teams: list[list[tuple[float, float, float]]], prior: float, side_weight: float, *, signed: bool = False
) -> float:
    """Return the mutual-information bound as a weighted sum of divergences, term by term.

    Signed, the preferences' term of a team counts against it where its mean preference is for the other team.
    """
    everyone = teams[0] + teams[1]

    def moments(team: list[tuple[float, float, float]]) -> tuple[float, float, float]:
        weights = [w for w, _, _ in team]
        return (
            mean(weights),
            variance(weights) + mean([s**2 for _, s, _ in team]) + prior,
            mean([t for *_, t in team]),
        )

    centre, whole, preference = moments(everyone)
    result = 0.0
    for number, team in enumerate(teams):
        if not team:
            continue
        share = len(team) / len(everyone)
        middle, spread, team_preference = moments(team)
        divergence = 0.5 * ((middle - centre) ** 2 / whole + spread / whole - math.log(spread / whole) - 1.0)
        for yes, all_yes in ((team_preference, preference), (1.0 - team_preference, 1.0 - preference)):
            if yes > 0.0:
                told = side_weight * yes * math.log(yes / all_yes)
                divergence -= told if not signed or (team_preference > preference) == (number == 1) else -told
        result += share * divergence
    return result


def best(name: str, case: Case, scale: Mapping[str, float]) -> float | None:
    """Return the best value of an objective; None where no split is legal."""
    legal = list(splits(case))
    if not legal:
        return None
    if name == "spread":
        chances = [abs(chance(case, split, scale["beta"], scale["zero"]) - 0.5) for split in legal]
        limit = min(chances) + scale["tolerance"]
        legal = [split for split, distance in zip(legal, chances, strict=True) if distance <= limit + 1e-12]
    values = [value(name, case, split, scale) for split in legal]
    return max(values) if name == "ratio" else min(values)
