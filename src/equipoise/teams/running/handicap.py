"""``advantage``: the factor each team of a running game needs for the game to be even."""

from __future__ import annotations

import math
import sys

import numpy as np
from numpy.typing import ArrayLike

from equipoise.arrays import Floats
from equipoise.link import LOGISTIC_SLOPE, pair_noise, strengths
from equipoise.teams.objectives.objective import Units
from equipoise.teams.problem.problem import COUNT, MU, VARIANCE
from equipoise.teams.running.sums import counts_of, features_of, units_in

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
) -> tuple[float, ...]:
    """Return the factor by which each team's strength must be multiplied for the game to be even.

    In the model of :func:`equipoise.link.win_probability` a team wins in proportion to its strength
    ``exp(1.702 S / c)``, so what a factor multiplies is a team's odds: with two teams, 1.1 for the
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
    beta, zero, body, centre : float
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
    return factors(now, units)


def factors(features: Floats, units: Units) -> tuple[float, ...]:
    """Return :func:`advantage` from features of shape (n_teams, 5) that are known to be right."""
    if not features[:, COUNT].any():
        return (1.0,) * len(features)
    noise = float(pair_noise(features[None, :, VARIANCE], features[None, :, COUNT], units.beta)[0])
    strength = strengths(features[:, MU], features[:, COUNT], units.zero)
    exponent = (strength.max() - strength) * (LOGISTIC_SLOPE / noise)
    return tuple(np.exp(np.minimum(exponent, LARGEST_EXPONENT)).tolist())
