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


#: What every team of the rosters with roles needs.
NEEDED = {"tank": 1, "damage": 2, "support": 2}


def roster_with_roles(n: int, index: int) -> list[float]:
    """Return a roster's general ratings and those in each role, 0 where it is not played, player by player.

    Everyone plays two of the three roles, each role in turn left out; a rating in a role is the general one
    with a noise of half a standard deviation.
    """
    rng = np.random.default_rng([len(KINDS), n, index])
    numbers = []
    for player, rating in enumerate(roster("doubles", n, index)):
        noise = rng.normal(0.0, DEVIATION / 2, len(NEEDED))
        played = [role != player % len(NEEDED) for role in range(len(NEEDED))]
        numbers += [
            rating,
            *(float(rating + e) if plays else 0.0 for e, plays in zip(noise, played, strict=True)),
        ]
    return numbers


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
