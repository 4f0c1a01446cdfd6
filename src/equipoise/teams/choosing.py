"""Choosing one of the best splits at random, so that a regular crowd does not meet in the same teams."""

from __future__ import annotations

import numpy as np

from equipoise.errors import InputError
from equipoise.teams.solution import Solution, Split

#: The power unless another is asked for: a split at the mean distance is a quarter as likely as an even one.
DEFAULT_POWER = 2.0


def chances(solution: Solution, power: float = DEFAULT_POWER) -> list[float]:
    """Return how likely each split of a solution is to be chosen.

    With ``d`` for the largest distance of a team's win probability from even, a split's weight is
    ``(1 + d / mean(d)) ** -power``: power 0 chooses among all alike, and the higher the power, the more
    the most even ones are preferred.

    Parameters
    ----------
    solution : Solution
        With at least one split.
    power : float
        0 or above.

    Returns
    -------
    list of float
        Probabilities in the order of the splits; they sum to 1.

    Raises
    ------
    InputError
        If the power is negative or not finite, or there is no split.
    """
    if not 0.0 <= power < np.inf:
        msg = f"power: {power!r} is not allowed; 0 and above is"
        raise InputError(msg)
    if not solution.splits:
        msg = "solution: it has no splits to choose from"
        raise InputError(msg)
    distances = np.array([split.distance for split in solution.splits])
    mean = float(distances.mean())
    further = np.log1p((distances - distances.min()) / (mean + distances.min())) if mean > 0.0 else distances
    weights = np.exp(-power * further)
    return [float(chance) for chance in weights / weights.sum()]


def choose(solution: Solution, *, rng: np.random.Generator, power: float = DEFAULT_POWER) -> Split:
    """Return one of a solution's splits, the more even the likelier; see :func:`chances`.

    Parameters
    ----------
    solution : Solution
        With at least one split.
    rng : numpy.random.Generator
        The only randomness.
    power : float
        0 or above.

    Raises
    ------
    InputError
        As :func:`chances`.

    Examples
    --------
    >>> from equipoise.teams.balancing import balance
    >>> solution = balance({"Ann": 9, "Bob": 7, "Cid": 5, "Dan": 4}, objective="gap", keep=3)
    >>> [split.value for split in solution.splits], [round(c, 2) for c in chances(solution)]
    ([1.0, 3.0, 7.0], [0.57, 0.27, 0.16])
    """
    return solution.splits[int(rng.choice(len(solution.splits), p=chances(solution, power)))]
