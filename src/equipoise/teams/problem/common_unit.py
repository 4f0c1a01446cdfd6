"""The greatest common unit of a roster's weights: decimals as whole numbers, once for all.

8.1 is no float, and sums of such numbers are rounded.
But whoever writes weights with a few decimals means multiples of one unit, in which every sum is exact,
ties are ties, and proofs need no room for rounding.
So a problem counts in the greatest unit of which all weights are multiples, wherever the sums of the whole
roster fit a float's 53 bits; numbers that are shown are counted back.
Weights as computers write them, with sixteen digits, have no such unit: they stay as they are.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from equipoise.core.arrays import Floats

#: Below, every whole number is a float, and so is every sum.
LARGEST = 2.0**53

#: Decimal places whose power of ten is exact as a float.
MOST_PLACES = 22


class Unit(NamedTuple):
    """What one unit of a problem is in the units of its roster, as a fraction."""

    numerator: int = 1
    denominator: int = 1

    def shown(self, number: float) -> float:
        """Return a number of the problem in the units of the roster, a whole one right to the last digit.

        Examples
        --------
        >>> Unit(1, 10).shown(2119.0)
        211.9
        """
        return number if self == ROSTER else number * self.numerator / self.denominator

    def counted(self, number: float) -> float:
        """Return a number that was written in the units of the roster in those of the problem.

        Examples
        --------
        >>> Unit(1, 10).counted(8.1)
        81.0
        """
        if self == ROSTER or not math.isfinite(number):
            return number
        return float(Fraction(repr(number)) * self.denominator / self.numerator)

    def each_shown(self, numbers: Floats) -> Floats:
        """Return numbers as :meth:`shown` does."""
        return numbers if self == ROSTER else numbers * self.numerator / self.denominator

    def each_counted(self, numbers: Floats) -> Floats:
        """Return numbers as :meth:`counted` does; those of sixteen digits right to the last but one."""
        if self == ROSTER or not numbers.size:
            return numbers
        whole = multiples(numbers, numbers.size)
        if whole is None:
            return numbers * self.denominator / self.numerator
        numbers, power = whole
        ratio = Fraction(self.denominator, power * self.numerator)
        return numbers * ratio.numerator / ratio.denominator


#: The units of the roster itself.
ROSTER = Unit()


class Counted(NamedTuple):
    """The unit that a problem counts in.

    Parameters
    ----------
    unit : Unit
        The unit; that of the roster where there is none in which all weights are whole.
    whole : bool
        Whether all weights are whole numbers in it, and every sum of them exact.
    """

    unit: Unit = ROSTER
    whole: bool = False

    def weights(self, numbers: Floats) -> Floats:
        """Return weights of the roster as they are counted, means of all of them among them."""
        if self.unit == ROSTER:
            return numbers
        return np.rint(numbers * self.unit.denominator / self.unit.numerator)

    def centre(self, centre: float) -> float:
        """Return where squares are counted from: whole among whole numbers, so that they are exact."""
        return float(round(centre)) if self.whole else centre


#: Weights that are taken as they were written.
AS_WRITTEN = Counted()


def multiples(numbers: Floats, count: int) -> tuple[Floats, int] | None:
    """Return numbers as whole multiples of one over a power of ten, and the power; None where they are none.

    Parameters
    ----------
    numbers : ndarray, shape (n,)
        Which are taken to be what is written shortest for them.
    count : int
        How many numbers as large as the largest must fit when they are added up.

    Examples
    --------
    >>> whole, power = multiples(np.array([8.1, 5.25]), 2)
    >>> (whole * 100 / power).tolist()
    [810.0, 525.0]
    >>> multiples(np.array([0.1 + 0.2, 1e-9]), 2) is None
    True
    """
    largest = float(np.abs(numbers).max(initial=0.0))
    if not largest < LARGEST / count:
        return None
    places = MOST_PLACES
    if largest > 0.0:
        places = min(places, math.floor(math.log10(LARGEST / count / largest)))
    power = 10**places
    whole = np.rint(numbers * float(power))
    # A quotient of two exact numbers is rounded once, as is a decimal that is read: both or neither are it.
    if not (whole / float(power) == numbers).all():
        return None
    return whole, power


def counted(weights: Floats, count: int, shares: int = 1) -> Counted:
    """Return the greatest unit of which weights, and their mean in so many shares, are whole multiples.

    Parameters
    ----------
    weights : ndarray, shape (n,)
        All that are there, roster units.
    count : int
        How many of them are added up at most.
    shares : int
        Number by which sums of all are divided: the mean of that many players is a weight too.

    Examples
    --------
    >>> counted(np.array([8.25, 5.5, 4.75]), 3).unit
    Unit(numerator=1, denominator=4)
    >>> counted(np.array([1400.0, 2100.0]), 2).unit
    Unit(numerator=700, denominator=1)
    """
    found = multiples(weights, max(count, 1) * shares)
    if found is None:
        return AS_WRITTEN
    whole, power = found
    common = int(np.gcd.reduce(whole.astype(np.int64))) or power
    unit = Fraction(common, power * shares)
    return Counted(Unit(unit.numerator, unit.denominator), whole=True)
