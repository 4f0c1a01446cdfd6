"""Instances of lobbies to try a solver on: the published one, and larger ones like it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from equipoise.core.arrays import Floats
from equipoise.errors import InputError, UnknownNameError
from equipoise.lobbies.plan import Lobby


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
