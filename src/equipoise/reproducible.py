"""What NumPy does in another way on each processor, done in one way.

A matrix product adds up in an order that suits the processor, so the last digit differs between them; and so
does which of equal numbers come first where a few of the least are wanted.  On either may hang which of
several equally good splits is found.
"""

from __future__ import annotations

import numpy as np

from equipoise.arrays import Bools, Floats

#: Bits that a number has, and an exponent below those of all numbers.
BITS, NOTHING = 53, -1100


class Addends:
    """Rows of numbers, of which some are to be added up.

    Each number is split into some that are multiples of a power of two so large that no sum of such is
    rounded, in whatever order: two, unless the numbers are very far apart.  Rounded is only when the sums of
    the parts become one.

    Parameters
    ----------
    rows : ndarray, shape (n, width)
        The numbers.

    References
    ----------
    S. Rump, T. Ogita, S. Oishi, SIAM J. Sci. Comput. 31 (2008) 189, section 3 (parts without rounding).

    Examples
    --------
    >>> Addends(np.array([[0.1], [0.2], [0.3]])).over(np.array([[True, True, True], [True, False, True]]))
    array([[0.6],
           [0.4]])
    """

    def __init__(self, rows: Floats) -> None:
        parts: list[Floats] = []
        self._width, many, rest = rows.shape[1], len(rows).bit_length(), rows
        exponents = np.frexp(np.abs(rows).max(axis=0, initial=0.0))[1] + many
        while not parts or (rest.any() and exponents.max() > NOTHING):
            # To add a number of so many bits and take it away again leaves a multiple of its last bit.
            large = np.ldexp(1.5, exponents)
            parts.append((rest + large) - large)
            rest = rest - parts[-1]
            exponents = exponents - (BITS - 1 - many)
        self._parts = np.concatenate(parts[::-1], axis=1)

    def over(self, chosen: Bools) -> Floats:
        """Return the sums, shape (m, width), of the rows that were chosen, shape (m, n)."""
        width = self._width
        sums: Floats = chosen.astype(np.float64) @ self._parts
        total = sums[:, :width]
        for start in range(width, sums.shape[1], width):
            total = total + sums[:, start : start + width]
        return total


def weighted(rows: Floats, weights: Floats) -> Floats:
    """Return the sums of the last axis, each number times a weight."""
    return np.asarray((rows * weights).sum(axis=-1))


def least(costs: Floats, many: int) -> Bools:
    """Tell which are so many of the least of the last axis, of equal ones the first.

    Examples
    --------
    >>> least(np.array([3.0, 1.0, 2.0, 2.0, 2.0]), 3)
    array([False,  True,  True,  True, False])
    """
    most = np.partition(costs, many - 1, axis=-1)[..., many - 1, None]
    chosen = costs <= most
    if (chosen.sum(axis=-1) > many).any():
        ties = costs == most
        room = many - (chosen & ~ties).sum(axis=-1, keepdims=True)
        chosen &= ~ties | (ties.cumsum(axis=-1) <= room)
    return np.asarray(chosen)
