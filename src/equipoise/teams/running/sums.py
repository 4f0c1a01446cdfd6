"""Sums over the teams of a running game, as arrays from anywhere: checked, and with their units."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from equipoise.arrays import Floats, Ints
from equipoise.errors import InputError
from equipoise.players import LARGEST_WEIGHT, MOST_PLAYERS, Player, Rating
from equipoise.teams.problem.problem import COUNT, MU, N_FEATURES, SQUARE, VARIANCE
from equipoise.teams.request import SMALLEST_BETA


def team_sums(players: Iterable[Player], n_teams: int, centre: float = 0.0) -> tuple[Floats, Floats]:
    """Return the features of each team, and of the bots in it, from players who all have a team.

    Parameters
    ----------
    players : iterable of Player
        Who is in the game, each with a rating and a team.
    n_teams : int
        How many teams there are.
    centre : float
        What is subtracted from mu before squaring, roster units.

    Returns
    -------
    pair of ndarray, shape (n_teams, 5)

    Raises
    ------
    InputError
        If a player has no rating, or no team that there is.

    Examples
    --------
    >>> sums, bots = team_sums([Player("Ann", 9, team=0), Player("Bob", 7, team=1, bot=True)], 2)
    >>> sums[:, :2].tolist(), bots[:, :2].tolist()
    ([[1.0, 9.0], [1.0, 7.0]], [[0.0, 0.0], [1.0, 7.0]])
    """
    sums = np.zeros((2, n_teams, N_FEATURES))
    for player in players:
        rating = player.rating
        if player.team is None or player.team >= n_teams or not isinstance(rating, Rating):
            msg = f"players: {player.label!r} needs a weight and a team from 1 to {n_teams}"
            raise InputError(msg)
        row = (1.0, rating.mu, (rating.mu - centre) ** 2, rating.sigma**2, player.side)
        sums[: 1 + player.bot, player.team] += row
    return sums[0], sums[1]


def features_of(argument: str, totals: ArrayLike, variances: ArrayLike | None) -> Floats:
    """Return features of shape (n_teams, 5) that may be changed, from sums of weights or from features."""
    given = numbers_of(argument, totals)
    if given.ndim not in (1, 2) or len(given) < 2 or (given.ndim == 2 and given.shape[1] != N_FEATURES):
        wish = "(n_teams,) and (n_teams, 5) are, for two teams and more"
        msg = f"{argument}: shape {given.shape} is not allowed; {wish}"
        raise InputError(msg)
    features = np.zeros((len(given), N_FEATURES))
    if given.ndim == 2:
        features[:] = given
        if (features[:, COUNT] < 0).any():
            msg = f"{argument}: a count below 0 is not allowed"
            raise InputError(msg)
    else:
        features[:, MU] = given
    if variances is not None:
        features[:, VARIANCE] = numbers_of("variances", variances, (len(given),))
    if (features[:, VARIANCE] < 0).any():
        msg = "variances: a number below 0 is not allowed"
        raise InputError(msg)
    return features


def numbers_of(argument: str, values: ArrayLike, shape: tuple[int, ...] | None = None) -> Floats:
    """Return finite numbers of a shape."""
    try:
        given = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        msg = f"{argument}: {values!r:.60} is not allowed; numbers are, one for each team"
        raise InputError(msg) from None
    if shape is not None and given.shape != shape:
        msg = f"{argument}: shape {given.shape} is not allowed; {shape} is, as there are {shape[0]} teams"
        raise InputError(msg)
    if not np.isfinite(given).all():
        msg = f"{argument}: all numbers must be finite"
        raise InputError(msg)
    return given


def counts_of(argument: str, values: ArrayLike | None, n_teams: int) -> Ints:
    """Return whole numbers of 0 and above, one for each team; 0 where nothing is given."""
    given = numbers_of(argument, np.zeros(n_teams) if values is None else values, (n_teams,))
    if (given < 0).any() or (given > MOST_PLAYERS).any() or (given != np.round(given)).any():
        msg = f"{argument}: {given.tolist()} is not allowed; whole numbers of 0 to {MOST_PLAYERS} are"
        raise InputError(msg)
    return given.astype(np.int64)


def check_units(beta: float | None, centre: float) -> None:
    """Raise what is wrong with the units that sums are read in."""
    if beta is not None and not SMALLEST_BETA <= beta <= LARGEST_WEIGHT:
        msg = f"beta: {beta!r} is not allowed; a number from {SMALLEST_BETA} to 1e15 is"
        raise InputError(msg)
    if not -LARGEST_WEIGHT <= centre <= LARGEST_WEIGHT:
        msg = f"centre: {centre!r} is not allowed; a number between -1e15 and 1e15 is"
        raise InputError(msg)


def noise_of(beta: float | None, now: Floats, centre: float) -> float:
    """Return the performance noise as given, else one standard deviation, else the mean weight, else 1.

    Why: docs/decisions/0003-default-beta.md; without squares the variance comes out at 0 or below.
    """
    if beta is not None:
        return beta
    everyone = now.sum(axis=0)
    n = max(float(everyone[COUNT]), 1.0)
    mean = float(everyone[MU]) / n
    variance = float(everyone[SQUARE]) / n - (mean - centre) ** 2
    noise = math.sqrt(max(variance, 0.0)) or abs(mean)
    return noise if noise >= SMALLEST_BETA else 1.0
