"""What is made from a seed: histories with a known truth, and instances of lobby filling.

In a history the teams are shuffled, and results, scores and kills follow from skill.  The instances have the
published aggregates of three lobbies of premade and free players, or those at any size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equipoise.core.arrays import Floats
from equipoise.core.match import Contest, Match, Ruleset, Statistics

#: Mean kills of an average player in a contest, and the seconds from one contest to the next.
KILLS, BREAK = 15.0, 600.0


@dataclass(frozen=True, slots=True)
class SimulatedHistory:
    """Matches in order, and the true skill of every player at the end, in units of the performance noise."""

    matches: tuple[Match, ...]
    truth: dict[str, float]


def simulate(
    rng: np.random.Generator,
    *,
    players: int = 400,
    games: int = 5,
    team_size: int = 5,
    teams: int = 2,
    sigma: float = 1.0,
    informative: float = 0.35,
    statistics: bool = True,
    scores: bool = True,
    drift: float = 0.0,
    roles: float = 0.0,
) -> SimulatedHistory:
    """Return a history in which everyone plays about equally often, in teams drawn at random.

    Parameters
    ----------
    rng : numpy.random.Generator
        The only randomness.
    players : int
        How many, all new; a multiple of the players of a contest is played by all the same number of times.
    games : int
        Contests of each player.
    team_size, teams : int
        Of each contest.
    sigma : float
        Standard deviation of true skill.
    informative : float
        By how much the logarithm of a player's rate of kills grows with each unit of skill.
    statistics, scores : bool
        Whether kills and deaths, and the teams' points as scores, are recorded.
    drift : float
        Standard deviation by which a true skill changes before each contest of its player.
    roles : float
        Standard deviation of what a player's role adds to the logarithm of their rate of kills: a part of the
        statistics that stays the same and tells nothing of skill.
    """  # fmt: skip
    truth = rng.normal(0.0, sigma, players)
    role = rng.normal(0.0, roles, players) if roles else np.zeros(players)
    seats = team_size * teams
    matches: list[Match] = []
    for game in range(games):
        if drift and game:
            truth = truth + rng.normal(0.0, drift, players)
        order = rng.permutation(players)
        for first in range(0, players - seats + 1, seats):
            matches.append(
                _match(rng, order[first : first + seats].reshape(teams, team_size), truth, role, len(matches),
                       informative, statistics, scores)
            )  # fmt: skip
    return SimulatedHistory(tuple(matches), {name(n): float(skill) for n, skill in enumerate(truth)})


def name(player: int) -> str:
    """Return the id of a player of a simulation."""
    return f"player{player:04d}"


def _match(
    rng: np.random.Generator, line_up: NDArray[np.int64], truth: Floats, role: Floats, number: int,
    informative: float, statistics: bool, scores: bool,
) -> Match:  # fmt: skip
    skills = truth[line_up]
    performance = (skills + rng.normal(0.0, 1.0, skills.shape)).sum(axis=1)
    ranks = (-performance).argsort(kind="stable").argsort(kind="stable")
    against = (skills.sum() - skills.sum(axis=1)) / max(skills.size - skills.shape[1], 1)
    edge = skills - against[:, None]
    kills = rng.poisson(KILLS * np.exp(informative * edge + role[line_up]))
    deaths = rng.poisson(KILLS * np.exp(-informative * edge))
    spread = math.sqrt(2.0 * skills.shape[1])
    points = np.round(50.0 * np.exp(0.3 * (performance - performance.mean()) / spread))
    reports = tuple(
        Statistics(name(int(player)), float(killed), float(died))
        for player, killed, died in zip(line_up.ravel(), kills.ravel(), deaths.ravel(), strict=True)
    )
    at = number * BREAK
    contest = Contest(
        Ruleset(), tuple(tuple((name(int(p)), 1.0) for p in team) for team in line_up), tuple(ranks.tolist()),
        at=at, scores=tuple(points.tolist()) if scores else (), statistics=reports if statistics else (),
    )  # fmt: skip
    return Match((contest,), began=at - BREAK / 2, ended=at, id=f"simulated-{number:06d}")


def rank_correlation(one: Floats, other: Floats) -> float:
    """Return Spearman's rank correlation of two columns; equal values share their mean rank.

    Examples
    --------
    >>> round(rank_correlation(np.array([1.0, 2.0, 3.0]), np.array([10.0, 30.0, 20.0])), 12)
    0.5
    """
    ranks = []
    for column in (one, other):
        _, place, counts = np.unique(column, return_inverse=True, return_counts=True)
        ranks.append((counts.cumsum() - (counts - 1) / 2.0)[place])
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])
