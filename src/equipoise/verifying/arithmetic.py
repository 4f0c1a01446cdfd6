"""What exact comparison rests on: intervals that are certain, and the factors and roots of whole numbers.

The intervals come from :mod:`decimal`, whose square root, logarithm and exponential are correctly rounded.
"""

from __future__ import annotations

import decimal
import math
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple


class Enclosure(NamedTuple):
    """Two decimals that a number is certainly between."""

    low: Decimal
    high: Decimal


class Contexts(NamedTuple):
    """Arithmetic with so many digits that rounds down, and up."""

    down: decimal.Context
    up: decimal.Context


@lru_cache(maxsize=32)
def contexts(digits: int) -> Contexts:
    """Return what rounds to so many digits, down and up."""

    def context(rounding: str) -> decimal.Context:
        return decimal.Context(
            prec=digits, rounding=rounding, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX, traps=[]
        )

    return Contexts(context(decimal.ROUND_FLOOR), context(decimal.ROUND_CEILING))


def quotient(number: Fraction, digits: int) -> Enclosure:
    """Return two decimals that a fraction is between."""
    down, up = contexts(digits)
    top, bottom = Decimal(number.numerator), Decimal(number.denominator)
    return Enclosure(down.divide(top, bottom), up.divide(top, bottom))


def times(coefficient: Fraction, interval: Enclosure, digits: int) -> Enclosure:
    """Return two decimals that the multiple of what is in an interval is between."""
    down, up = contexts(digits)
    factor = quotient(coefficient, digits)
    lows = [down.multiply(one, other) for one in factor for other in interval]
    highs = [up.multiply(one, other) for one in factor for other in interval]
    return Enclosure(min(lows), max(highs))


def plus(one: Enclosure, other: Enclosure, digits: int) -> Enclosure:
    """Return two decimals that the sum of what is in two intervals is between."""
    down, up = contexts(digits)
    return Enclosure(down.add(one.low, other.low), up.add(one.high, other.high))


@lru_cache(maxsize=1 << 14)
def root(number: Fraction, digits: int) -> Enclosure:
    """Return the square root; decimal rounds it to the nearest, so one step further out is certain."""
    down, up = contexts(digits)
    inside = quotient(number, digits)
    return Enclosure(
        max(down.next_minus(down.sqrt(inside.low)), Decimal(0)), up.next_plus(up.sqrt(inside.high))
    )


@lru_cache(maxsize=1 << 14)
def logarithm(number: Fraction, digits: int) -> Enclosure:
    """Return two decimals that the natural logarithm is between."""
    down, up = contexts(digits)
    inside = quotient(number, digits)
    return Enclosure(down.next_minus(down.ln(inside.low)), up.next_plus(up.ln(inside.high)))


def exponential(power: Enclosure, digits: int) -> Enclosure:
    """Return two decimals that the exponential of what is in an interval is between."""
    down, up = contexts(digits)
    low, high = down.exp(power.low), up.exp(power.high)
    return Enclosure(max(down.next_minus(low), Decimal(0)), up.next_plus(high))


def square_root(number: Fraction) -> Fraction | None:
    """Return the square root where it is a fraction."""
    top, bottom = math.isqrt(number.numerator), math.isqrt(number.denominator)
    if top * top == number.numerator and bottom * bottom == number.denominator:
        return Fraction(top, bottom)
    return None


def multiplicity(number: int, factor: int) -> int:
    """Return how often a factor divides a number."""
    count = 0
    while number % factor == 0:
        number //= factor
        count += 1
    return count


def coprime_base(numbers: Iterable[int]) -> list[int]:
    """Return whole numbers above 1, no two with a common factor, whose powers make up all the numbers.

    Examples
    --------
    >>> sorted(coprime_base([12, 18, 35]))
    [2, 3, 35]
    """
    base: list[int] = []
    waiting = [number for number in numbers if number > 1]
    while waiting:
        number = waiting.pop()
        if number == 1:
            continue
        for place, known in enumerate(base):
            common = math.gcd(number, known)
            if common == 1:
                continue
            if common == known:
                waiting.append(number // known)
            else:
                del base[place]
                waiting += [common, known // common, number // common, common]
            break
        else:
            base.append(number)
    return base
