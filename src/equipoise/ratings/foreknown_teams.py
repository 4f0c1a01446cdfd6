"""Whether teams were even before any result could have shown how to make them so.

Whoever makes teams from results needs some games first, so the first line-ups of everyone are no more even by
skill than chance makes them.  Who knows skills beforehand makes all of them even by the same numbers.  Those
numbers need not be known: line-ups of later games show them, as what they are even by more than by anything
else, and the first line-ups are then compared with ones at random of the same players.
Teams that stay together are made by nobody, and are even by whatever adds up to nothing in each.
"""

from __future__ import annotations

import numpy as np

from equipoise.core.arrays import Floats, Ints

#: A line-up is a first one where its players had so many before on average.
FIRST = 4

#: Players who were together so often and never against each other are moved together.
TOGETHER = 8

#: Teams stay together where two people who meet again are as before, with or against each other, with this
#: correlation.  Leagues of fixed teams have .8 to 1, new teams each time below .2.
LASTING = 0.5

#: Line-ups at random of each later and each first game, and steps to what later ones are even by.
LATER_DRAWS, FIRST_DRAWS, STEPS = 12, 1000, 100  # effort

#: By how many line-ups a player it is believed that later ones are even by nothing.
DOUBT = 0.1


def chance_of_first_line_ups(rows: Floats, rng: np.random.Generator) -> float:
    """Return how often line-ups at random are as even, by what later ones are even by, as the first were.

    Parameters
    ----------
    rows : array of float
        ``(contests, players)``, in the order they were played: shares of the first team's players above 0, of
        the other's below, of those who were not there 0.
    rng : numpy.random.Generator
        The only randomness.

    Returns
    -------
    float
        Above 0, and 1 where there is nothing to compare or teams stay together.
    """
    same = np.abs((rows[1:] * rows[:-1]).sum(axis=1)) >= (1.0 - 1e-9) * np.maximum(
        (rows[1:] ** 2).sum(axis=1), (rows[:-1] ** 2).sum(axis=1)
    )
    rows = rows[np.concatenate([[True], ~same])[: len(rows)]]
    first, before = np.zeros(len(rows), bool), np.zeros(rows.shape[1])
    for n, row in enumerate(rows):
        first[n] = before[row != 0.0].mean() <= FIRST
        before += row != 0.0
    if not first.any() or first.all():
        return 1.0
    signs = np.sign(rows)
    both, agree = np.abs(signs).T @ np.abs(signs), signs.T @ signs
    np.fill_diagonal(both, 0.0)
    np.fill_diagonal(agree, 0.0)
    if (agree**2 - both).sum() >= LASTING * (both**2 - both).sum():
        return 1.0
    units = np.arange(rows.shape[1])
    for one, other in zip(*np.nonzero(np.triu((both >= TOGETHER) & (agree == both))), strict=True):
        units[units == units[other]] = units[one]
    even_by = _even_by(rows[~first], units, rng)
    chosen, drawn = 0.0, np.zeros(FIRST_DRAWS)
    for row in rows[first]:
        there, ways = _at_random(row, units, FIRST_DRAWS, rng)
        chosen += float(row @ even_by) ** 2
        drawn += (ways @ even_by[there]) ** 2
    return float((1 + (drawn <= chosen * (1.0 + 1e-9)).sum()) / (1 + FIRST_DRAWS))


def _at_random(row: Floats, units: Ints, count: int, rng: np.random.Generator) -> tuple[Ints, Floats]:
    """Return who was there, and line-ups of them ``(count, players)``: units of one size change places."""
    there = np.flatnonzero(row)
    _, firsts, unit, sizes = np.unique(
        units[there], return_index=True, return_inverse=True, return_counts=True
    )
    shares = np.tile(row[there[firsts]], (count, 1))
    for size in np.unique(sizes):
        some = np.flatnonzero(sizes == size)
        shares[:, some] = rng.permuted(shares[:, some], axis=1)
    return there, shares[:, unit]


def _even_by(rows: Floats, units: Ints, rng: np.random.Generator) -> Floats:
    """Return numbers of players by which line-ups are most even beside line-ups at random.

    They are the vector of the smallest generalised eigenvalue of both, by inverse iteration.
    """
    players = rows.shape[1]
    usual = np.zeros((players, players))
    for row in rows:
        there, ways = _at_random(row, units, LATER_DRAWS, rng)
        usual[np.ix_(there, there)] += ways.T @ ways / LATER_DRAWS
    step = np.linalg.solve(rows.T @ rows + DOUBT * np.eye(players), usual)
    found: Floats = rng.normal(size=(players,))
    for _ in range(STEPS):
        found = step @ found
        found = found / max(float(np.linalg.norm(found)), 1e-300)
    return found
