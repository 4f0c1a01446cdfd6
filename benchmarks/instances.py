"""The rosters that are measured: drawn from a seed, the same on every machine."""

from __future__ import annotations

import numpy as np

#: Kinds of ratings, in the order they are reported.
KINDS = ("doubles", "elo")

#: What the kinds are, in words.
DESCRIPTIONS = {
    "doubles": "doubles drawn from normal(25, 8)",
    "elo": "whole numbers, drawn from normal(1500, 300) and rounded",
}

#: The standard deviation of ``doubles``: the unit of the quality tables.
DEVIATION = 8.0


def roster(kind: str, n: int, index: int) -> list[float]:
    """Return the ratings of a roster.

    Parameters
    ----------
    kind : str
        One of :data:`KINDS`.
    n : int
        How many players.
    index : int
        Which of the rosters of that kind and size, from 0.

    Returns
    -------
    list of float
        Whole numbers are ints.
    """
    rng = np.random.default_rng([KINDS.index(kind), n, index])
    if kind == "doubles":
        return [float(rating) for rating in rng.normal(25.0, DEVIATION, n)]
    return [int(rating) for rating in np.rint(rng.normal(1500.0, 300.0, n))]
