"""``advantage``: the factor each team of a running game needs for the game to be even.

It takes sums over the teams of a running game, as arrays from anywhere, checked and with their units.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from equipoise.core.arrays import Floats, Ints
from equipoise.core.player import MOST_PLAYERS, Player, Rating
from equipoise.core.sides import EVEN_SIDES
from equipoise.core.win_probability import LOGISTIC_SLOPE, pair_noise, side_shift, strengths
from equipoise.errors import InputError
from equipoise.teams.objectives.objective import Units
from equipoise.teams.objectives.units import SAME, SMALLEST_BETA, check_scale, from_moments, spread_of_equals
from equipoise.teams.problem.problem import COUNT, MU, N_FEATURES, SQUARE, VARIANCE

#: A variance below this share of the mean square is rounding: all weigh the same.
SAME_VARIANCE = 1e-14


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
            msg = f": {player.label!r} needs a weight and a team from 1 to {n_teams}"
            raise InputError(msg, "players")
        row = (1.0, rating.mu, (rating.mu - centre) ** 2, rating.sigma**2, player.side)
        sums[: 1 + player.bot, player.team] += row
    return sums[0], sums[1]


def features_of(argument: str, totals: ArrayLike, variances: ArrayLike | None) -> Floats:
    """Return features of shape (n_teams, 5) that may be changed, from sums of weights or from features."""
    raw = numbers_of(argument, totals)
    if raw.ndim not in (1, 2) or len(raw) < 2 or (raw.ndim == 2 and raw.shape[1] != N_FEATURES):
        shapes = "(n_teams,) or (n_teams, 5) with at least two teams"
        msg = f"{argument} must have the shape {shapes}, got {raw.shape}"
        raise InputError(msg)
    features = np.zeros((len(raw), N_FEATURES))
    if raw.ndim == 2:
        features[:] = raw
        if (features[:, COUNT] < 0).any():
            msg = f"{argument} must have counts of at least 0"
            raise InputError(msg)
    else:
        features[:, MU] = raw
    if variances is not None:
        features[:, VARIANCE] = numbers_of("variances", variances, (len(raw),))
    if (features[:, VARIANCE] < 0).any():
        msg = "variances must be at least 0"
        raise InputError(msg)
    return features


def numbers_of(argument: str, values: ArrayLike, shape: tuple[int, ...] | None = None) -> Floats:
    """Return finite numbers of a shape."""
    try:
        raw = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        msg = f"{argument} must be numbers, one for each team, got {values!r:.60}"
        raise InputError(msg) from None
    if shape is not None and raw.shape != shape:
        msg = f"{argument} must have the shape {shape} for {shape[0]} teams, got {raw.shape}"
        raise InputError(msg)
    if not np.isfinite(raw).all():
        msg = f"{argument} must be finite numbers"
        raise InputError(msg)
    return raw


def counts_of(argument: str, values: ArrayLike | None, n_teams: int) -> Ints:
    """Return whole numbers of 0 and above, one for each team; 0 where nothing is given."""
    raw = numbers_of(argument, np.zeros(n_teams) if values is None else values, (n_teams,))
    if (raw < 0).any() or (raw > MOST_PLAYERS).any() or (raw != np.round(raw)).any():
        msg = f"{argument} must be whole numbers from 0 to {MOST_PLAYERS}, got {raw.tolist()}"
        raise InputError(msg)
    return raw.astype(np.int64)


def units_in(
    game: Floats,
    *,
    squares: bool,
    beta: float | None,
    zero: float | None,
    body: float | None,
    centre: float,
    bot_weight: float | None = None,
) -> Units:
    """Return the units of a running game: the spread is that of the players in it.

    Parameters
    ----------
    game : ndarray, shape (n_features,)
        The sums over everyone.
    squares : bool
        Whether the sums of squares are known: nothing else tells the spread.
    beta, zero, body, bot_weight : float, optional
        See :func:`equipoise.teams.objectives.units.units_of`.
    centre : float
        What was subtracted from mu before squaring, roster units.

    Raises
    ------
    InputError
        If a number is out of range, or sums of weights alone leave the units open.
    """
    check_scale(beta, zero, body, centre)
    n = max(float(game[COUNT]), 1.0)
    mean = float(game[MU]) / n
    if not squares:
        if zero is None and beta is None:
            msg = ": sums of weights alone do not show how much players vary; give beta, or zero"
            raise InputError(msg, "beta")
        spread = beta if beta is not None else abs(mean - (zero or 0.0))
        spread = spread if spread >= SMALLEST_BETA else 1.0
        source = "the weight of a player above the zero"
        return from_moments(mean, spread, beta=beta, zero=zero, body=body, centre=centre, source=source)
    square = float(game[SQUARE]) / n
    variance = square - (mean - centre) ** 2
    source = "one standard deviation of those in the game"
    if variance > max(SAME_VARIANCE * square, (SAME * mean) ** 2):
        spread = math.sqrt(variance)
    else:
        spread, source = spread_of_equals(mean, math.sqrt(float(game[VARIANCE]) / n), beta, bot_weight, zero)
    return from_moments(mean, spread, beta=beta, zero=zero, body=body, centre=centre, source=source)


#: The largest power of e that is a finite factor.
LARGEST_EXPONENT = math.log(sys.float_info.max)


def advantage(
    totals: ArrayLike,
    counts: ArrayLike | None = None,
    *,
    variances: ArrayLike | None = None,
    beta: float | None = None,
    zero: float | None = None,
    body: float | None = None,
    centre: float = 0.0,
    side_chance: float = EVEN_SIDES,
) -> tuple[float, ...]:
    """Return the factor by which each team's strength must be multiplied for the game to be even.

    In the model of :func:`equipoise.core.win_probability.win_probability` a team wins in proportion to its
    strength ``exp(1.702 S / c)``, so what a factor multiplies is a team's odds: with two teams, 1.1 for the
    second makes up for a first team that would win 1.1 games for each it loses.  The strongest team has
    the factor 1 and no factor is below; only their ratios matter.

    Parameters
    ----------
    totals : array_like, shape (n_teams,) or (n_teams, 5)
        Each team's sum of weights, bots included, roster units; or all its features, as in
        :func:`place_late`.
    counts : array_like of int, shape (n_teams,), optional
        How many are in each team, bots included; where neither they nor the features tell, each team
        counts as one player, and beta is that of a team.
    variances : array_like, shape (n_teams,), optional
        Each team's sum of sigma², roster units squared; 0 unless given.
    beta, zero, body, centre, side_chance : float
        As in :func:`place_late`.

    Returns
    -------
    tuple of float
        One factor for each team, 1 and above.

    Raises
    ------
    InputError
        If an argument is at fault.

    References
    ----------
    S. Simpson, "Balancing tools for Unreal Tournament", 2010: late changes ("a 1.1 advantage").
    R. Bradley, M. Terry, Biometrika 39 (1952) 324, doi:10.2307/2334029: strengths and odds.

    Examples
    --------
    Two duellists one performance noise apart: the stronger wins with 0.7691, 3.332 games for each lost.

    >>> [round(factor, 3) for factor in advantage([1.0, 0.0], [1, 1], beta=1.0)]
    [1.0, 3.332]
    """
    now = features_of("totals", totals, variances)
    squares = np.ndim(np.asarray(totals)) == 2
    if not squares:
        now[:, COUNT] = 1 if counts is None else counts_of("counts", counts, len(now))
    units = units_in(now.sum(axis=0), squares=squares, beta=beta, zero=zero, body=body, centre=centre)
    return factors(now, replace(units, side=side_shift(side_chance, len(now))))


def factors(features: Floats, units: Units) -> tuple[float, ...]:
    """Return :func:`advantage` from features of shape (n_teams, 5) that are known to be right."""
    if not features[:, COUNT].any():
        return (1.0,) * len(features)
    noise = float(pair_noise(features[None, :, VARIANCE], features[None, :, COUNT], units.beta)[0])
    strength = strengths(features[:, MU], features[:, COUNT], units.zero)
    if units.side:
        strength[0] += units.side * noise
    exponent = (strength.max() - strength) * (LOGISTIC_SLOPE / noise)
    return tuple(np.exp(np.minimum(exponent, LARGEST_EXPONENT)).tolist())
