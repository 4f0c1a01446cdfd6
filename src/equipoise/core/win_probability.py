"""The one link between skill and outcome: team strength, performance noise, and win probability.

Ratings learn through this link and teams are judged by it, so it stands here once.
Nothing here knows players, contests or splits.
"""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np

from equipoise.core.arrays import Floats
from equipoise.core.sides import EVEN_SIDES, LEAST_SIDE, MOST_SIDE, SIDES
from equipoise.errors import InputError

#: The logistic curve with this slope is within 0.01 of the normal distribution's everywhere
#: (D. Haley, 1952; see J. Camilli, J. Educ. Stat. 19 (1994) 293, doi:10.3102/10769986019003293).
LOGISTIC_SLOPE = 1.702


def strengths(mu: Floats, count: Floats, zero: float) -> Floats:
    """Return how strong each team is: the sum of its players' skills above the zero of the scale.

    The same number is left off every team, as only differences matter: teams of one size keep their sums of
    skill to the last digit, whatever the zero is.

    Parameters
    ----------
    mu, count : ndarray, shape (..., n_teams)
        Sum of the skills of each team, and number of its players, bots included.
    zero : float
        The skill of a player whose presence makes no difference, roster units.

    Examples
    --------
    Three against two around a skill of 1500: with the zero there, nobody gains by being more.

    >>> strengths(np.array([4530.0, 3020.0]), np.array([3.0, 2.0]), 1500.0)
    array([3030., 3020.])
    """
    more = count - count.min(axis=-1, keepdims=True)
    return cast("Floats", mu - zero * more)


def side_shift(chance: float, n_teams: int = SIDES) -> float:
    """Return by how much the first of two teams is better off, in ``c`` of :func:`pair_noise`.

    Parameters
    ----------
    chance : float
        The chance of the first of two teams that are equal but for their sides, from 0.01 to 0.99.
    n_teams : int
        How many teams there are.

    Raises
    ------
    InputError
        If the chance is out of range, or is other than even and there are more teams than two.

    Examples
    --------
    >>> side_shift(0.5), round(side_shift(0.6), 4)
    (0.0, 0.2382)
    """
    if not LEAST_SIDE <= chance <= MOST_SIDE:
        msg = f"must be from {LEAST_SIDE:g} to {MOST_SIDE:g}, got {chance!r}"
        raise InputError(msg, "side_chance")
    if chance == EVEN_SIDES:
        return 0.0
    if n_teams != SIDES:
        msg = f"is the chance of the first of 2 teams, and there are {n_teams}"
        raise InputError(msg, "side_chance")
    return math.log(chance / (1.0 - chance)) / LOGISTIC_SLOPE


def win_probability(
    mu: Floats, variance: Floats, count: Floats, beta: float, zero: float = 0.0, side: float = 0.0
) -> Floats:
    """Predict how likely each team is to win, from sums over its players.

    Every player performs with noise ``beta`` around a skill that is itself only known up to its
    variance.  With the strengths ``S = mu - zero count``, for two teams this is
    ``logistic(1.702 (S_1 - S_2) / c)`` with ``c² = sum(sigma²) + n beta²`` over both; for more it is the
    Plackett-Luce probability of the first place with the ``c`` of an average pair.

    Parameters
    ----------
    mu : ndarray, shape (m, n_teams)
        Sum of the skills of each team, roster units.
    variance : ndarray, shape (m, n_teams)
        Sum of sigma² of each team, roster units squared.
    count : ndarray, shape (m, n_teams)
        Number of players of each team, bots included.
    beta : float
        Performance noise of one player in one game, roster units, above 0.
    zero : float
        The skill of a player whose presence makes no difference, roster units; it matters to teams of
        different sizes only.
    side : float
        By how much the first of two teams is better off for its side, in ``c``: see :func:`side_shift`.

    Returns
    -------
    ndarray, shape (m, n_teams)
        Probabilities; each row sums to 1.

    References
    ----------
    R. Herbrich, T. Minka, T. Graepel, NIPS 2006 (noise of n beta² in a game of n players);
    R. Weng, C.-J. Lin, JMLR 12 (2011) 267 (the same with a logistic link).

    Examples
    --------
    Two duellists one performance noise apart, both known exactly: c = sqrt(2), logistic(1.2035).

    >>> win_probability(np.array([[1.0, 0.0]]), np.zeros((1, 2)), np.ones((1, 2)), 1.0).round(4)
    array([[0.7691, 0.2309]])
    """
    scale = LOGISTIC_SLOPE / pair_noise(variance, count, beta)
    if mu.shape[1] == 2:
        return _of_two(mu, count, zero, scale, side)
    exponent = strengths(mu, count, zero) * scale[:, None]
    exponent = np.exp(exponent - exponent.max(axis=1, keepdims=True))
    return cast("Floats", exponent / exponent.sum(axis=1, keepdims=True))


def _of_two(mu: Floats, count: Floats, zero: float, scale: Floats, side: float) -> Floats:
    """Return the chances of two teams: the same sums a row a team, as NumPy is slow along an axis of two."""
    players = count.T
    exponent = (mu.T - zero * (players - np.minimum(players[0], players[1]))) * scale
    if side:
        exponent[0] += LOGISTIC_SLOPE * side
    exponent = np.exp(exponent - np.maximum(exponent[0], exponent[1]))
    return cast("Floats", (exponent / (exponent[0] + exponent[1])).T)


def pair_noise(variance: Floats, count: Floats, beta: float) -> Floats:
    """Return ``c``, the standard deviation of the performance difference of an average pair of teams.

    Shapes and units as in :func:`win_probability`; the result has shape (m,).  A game of nobody is as noisy
    as one of a single player, so that its chances are numbers.
    """
    if count.shape[1] == 2:
        uncertain, players = variance[:, 0] + variance[:, 1], count[:, 0] + count[:, 1]
    else:
        uncertain, players = variance.sum(axis=1), count.sum(axis=1)
    return cast("Floats", noise_of(uncertain, players, count.shape[1], beta))


def noise_of(variance: Any, players: Any, n_teams: int, beta: float) -> Any:
    """Return what :func:`pair_noise` does, from the sums over all teams."""
    total = variance + beta * beta * np.maximum(players, 1.0)
    return np.sqrt(total * (2.0 / n_teams))


def difference_for(distance: float, noise: float) -> float:
    """Return the difference of two teams' skill at which the favourite wins with ``0.5 + distance``.

    Parameters
    ----------
    distance : float
        Win probability above one half, from 0 to 0.5.
    noise : float
        The ``c`` of :func:`pair_noise`, roster units.

    Examples
    --------
    >>> round(difference_for(0.2691, 2 ** 0.5), 3)
    1.0
    """
    if distance >= 0.5:
        return math.inf
    return noise / LOGISTIC_SLOPE * math.log((0.5 + distance) / (0.5 - distance))
