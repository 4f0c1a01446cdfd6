"""What is made from a seed: histories with a known truth, and instances of lobby filling.

In a history the teams are shuffled, and results, scores and kills follow from skill.  The instances have the
published aggregates of three lobbies of premade and free players, or those at any size.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from equipoise.core.arrays import Floats
from equipoise.core.match import Contest, Match, Ruleset, Statistics
from equipoise.errors import InputError, UnknownNameError
from equipoise.lobbies.plan import Lobby

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


#: What the document publishes: 300 players, mean kills per death of the 148 teams that are not premade, what
#: the two premade teams have, the lobbies' targets, and how many of the 150 teams each may have.
PLAYERS = 300
MEAN_TEAM = 4.96483
PREMADES = (5.9053, 4.05683)
TARGETS = (4.25, 5.0, 5.75)
LEAST_TEAMS, MOST_TEAMS, TEAMS = 48, 52, 150

_MEAN = MEAN_TEAM / 2

#: Distributions of skill, of which the document publishes nothing but the mean; each is moved to have it.
DISTRIBUTIONS: Mapping[str, Callable[[np.random.Generator, int], Floats]] = MappingProxyType(
    {
        "normal .6": lambda rng, n: rng.normal(_MEAN, 0.6, n),
        "normal .9": lambda rng, n: rng.normal(_MEAN, 0.9, n),
        "gamma .4": lambda rng, n: rng.gamma(_MEAN**2 / 0.4**2, 0.4**2 / _MEAN, n),
        "lognormal .3": lambda rng, n: _MEAN * np.exp(rng.normal(0.0, 0.3, n)),
        "uniform": lambda rng, n: rng.uniform(_MEAN - 1.5, _MEAN + 1.5, n),
    }
)


@dataclass(frozen=True)
class Instance:
    """What ``fill`` is asked to do.

    Parameters
    ----------
    players : dict of str to float
        Skill by id.
    lobbies : tuple of Lobby
        With targets for teams of ``team_size``.
    parties : tuple of tuples of str
        The premade teams.
    team_size : int
        Players per team.
    """

    players: dict[str, float]
    lobbies: tuple[Lobby, ...]
    parties: tuple[tuple[str, ...], ...]
    team_size: int


def published(seed: int, distribution: str = "normal .6") -> Instance:
    """Return an instance with the published aggregates: 300 players, two premade teams of two, three lobbies.

    Parameters
    ----------
    seed : int
        Of the only randomness.
    distribution : str
        One of :data:`DISTRIBUTIONS`.

    References
    ----------
    A. S. Bohlin, N. Chaturvedy, "Optimization of team assignment based on a kill-death ratio match making
    system as applied to online battle royale-style video games using SAS".

    Examples
    --------
    >>> instance = published(0)
    >>> skills = list(instance.players.values())
    >>> len(skills), round(sum(skills[4:]) / 148, 5), [round(skills[n] + skills[n + 1], 5) for n in (0, 2)]
    (300, 4.96483, [5.9053, 4.05683])
    """
    rng, draw = _drawing(seed, distribution)
    free = _with_mean(draw(rng, PLAYERS - 4), _MEAN)
    # Nothing is known of how the premade players share their sums.
    shares = rng.uniform(0.35, 0.65, 2)
    premade = [
        part for total, s in zip(PREMADES, shares, strict=True) for part in (total * s, total * (1 - s))
    ]
    return Instance(
        _named(np.concatenate([premade, free])), _lobbies(TEAMS, 2), (("p1", "p2"), ("p3", "p4")), 2
    )


def scaled(seed: int, players: int, team_size: int = 2, distribution: str = "normal .6") -> Instance:
    """Return an instance of any size with the published mean, targets and shares of teams, without premades.

    Parameters
    ----------
    seed : int
        Of the only randomness.
    players : int
        How many, at least one team.
    team_size : int
        Players a team; targets grow with it.
    distribution : str
        One of :data:`DISTRIBUTIONS`.

    Raises
    ------
    InputError
        If there are fewer players than a team has.
    UnknownNameError
        If the distribution does not exist.
    """
    if not 1 <= team_size <= players:
        msg = f"players must be at least the team size, {team_size}, got {players}"
        raise InputError(msg)
    rng, draw = _drawing(seed, distribution)
    skill = _with_mean(draw(rng, players), _MEAN)
    return Instance(_named(skill), _lobbies(players // team_size, team_size), (), team_size)


def _drawing(
    seed: int, distribution: str
) -> tuple[np.random.Generator, Callable[[np.random.Generator, int], Floats]]:
    if distribution not in DISTRIBUTIONS:
        kind = "distribution"
        raise UnknownNameError(kind, distribution, DISTRIBUTIONS)
    return np.random.default_rng([seed, list(DISTRIBUTIONS).index(distribution)]), DISTRIBUTIONS[distribution]


def _with_mean(skill: Floats, mean: float) -> Floats:
    return np.asarray(skill - skill.mean() + mean)


def _named(skill: Floats) -> dict[str, float]:
    return {f"p{n}": value for n, value in enumerate(skill.tolist(), start=1)}


def _lobbies(teams: int, team_size: int) -> tuple[Lobby, ...]:
    least, most = teams * LEAST_TEAMS // TEAMS, -(-teams * MOST_TEAMS // TEAMS)
    return tuple(
        Lobby(name, target * team_size / 2, least, most) for name, target in zip("ABC", TARGETS, strict=True)
    )
