"""Real numbers that compare exactly: sums of fractions, square roots, logarithms and win probabilities.

Every value an objective has for a split of decimal weights is such a sum.  Two of them are compared by
intervals that are certain, with ever more digits until they part; where they do not part, they are the same
number, and that is proven by algebra:

* square roots of fractions whose product is no square are linearly independent over the rationals, and of the
  others one is a rational multiple of the other;
* a sum of logarithms of fractions is 0 only where the product of powers is 1, which the exponents of a
  coprime base show;
* exponentials of different algebraic numbers are linearly independent over the algebraic numbers (the theorem
  of Lindemann and Weierstrass), so win probabilities are equal only where their exponents are, and differ
  from one another by no fraction but 0.

The intervals come from :mod:`decimal`, whose square root, logarithm and exponential are correctly rounded.

References
----------
A. Baker, Transcendental Number Theory, 1975, theorem 1.4 (Lindemann and Weierstrass).
A. Besicovitch, "On the linear independence of fractional powers of integers", J. London Math. Soc. 15 (1940).
"""

from __future__ import annotations

import decimal
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple, TypeVar


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


#: Digits that are tried first, and those beyond which a comparison is given up.
FIRST_DIGITS, MOST_DIGITS = 30, 1000

#: The slope of the logistic link; see :mod:`equipoise.core.win_probability`.
SLOPE = Fraction("1.702")


Key = TypeVar("Key")


class UndecidedError(ArithmeticError):
    """Two numbers are not known to be equal, and not told apart by thousands of digits."""


class Lead(NamedTuple):
    """``d |d| / c²`` for the lead d of a team: ``plain + rooted sqrt(radicand)``, which is unique.

    The radicand is no square, and 0 where the rooted part is.
    """

    plain: Fraction
    rooted: Fraction = Fraction(0)
    radicand: Fraction = Fraction(0)

    def __hash__(self) -> int:
        # A fraction's own hash takes a modular inverse, which is slow.
        return hash(
            (self.plain.numerator, self.plain.denominator, self.rooted.numerator, self.radicand.numerator)
        )

    def root(self, digits: int) -> Enclosure:
        """Return two decimals that the root of its size is between."""
        if not self.rooted:
            return root(abs(self.plain), digits)
        working = digits
        while True:
            rooted = times(self.rooted, root(self.radicand, working), working)
            low, high = plus(quotient(self.plain, working), rooted, working)
            if low > 0 or high < 0:
                break
            working *= 2  # the parts nearly cancel, but not entirely
        down, up = contexts(digits)
        low, high = sorted((low.copy_abs(), high.copy_abs()))
        return Enclosure(down.next_minus(down.sqrt(low)), up.next_plus(up.sqrt(high)))


def lead(plain: Fraction, rooted: Fraction, radicand: Fraction, noise: Fraction) -> Lead:
    """Return the lead of ``plain + rooted sqrt(radicand)`` over noise, given as its square."""
    exact = square_root(radicand) if rooted else Fraction(0)
    if exact is not None:
        whole = plain + rooted * exact
        return Lead(whole * abs(whole) / noise)
    sign = Real(plain, roots={radicand: rooted}).sign()
    return Lead(
        sign * (plain * plain + rooted * rooted * radicand) / noise,
        sign * 2 * plain * rooted / noise,
        radicand,
    )


@lru_cache(maxsize=1 << 14)
def _odds(lead: Lead, digits: int) -> Enclosure:
    """Return the exponential that a lead stands for in a chance."""
    if not lead.plain and not lead.rooted:
        return Enclosure(Decimal(1), Decimal(1))
    ahead = Real(lead.plain, roots={lead.radicand: lead.rooted} if lead.rooted else {}).sign() > 0
    return exponential(times(SLOPE if ahead else -SLOPE, lead.root(digits), digits), digits)


class Chance(NamedTuple):
    """A team's win probability, ``1 / sum(exp(1.702 d / c))`` over the leads d of all teams over it.

    Parameters
    ----------
    leads : tuple of Lead
        That of each team, the team itself (with 0) among them, in order.
    """

    leads: tuple[Lead, ...]

    def interval(self, digits: int) -> Enclosure:
        """Return two decimals that the probability is between."""
        down, up = contexts(digits)
        low, high = self.sum(digits)
        return Enclosure(down.divide(Decimal(1), high), up.divide(Decimal(1), low))

    def sum(self, digits: int, *, but: tuple[Lead, ...] = ()) -> Enclosure:
        """Return two decimals that the sum of the exponentials is between, some of them left out."""
        whole = Enclosure(Decimal(0), Decimal(0))
        leads = (Counter(self.leads) - Counter(but)).elements() if but else self.leads
        for lead in leads:
            whole = plus(whole, _odds(lead, digits), digits)
        return whole


class Real:
    """A fraction plus multiples of square roots, logarithms and chances.

    Parameters
    ----------
    rational : Fraction
        The fraction.
    roots, logarithms : mapping of Fraction to Fraction
        The coefficient of the square root, or of the logarithm, of each fraction.
    chances : mapping of Chance to Fraction
        The coefficient of each chance.

    Examples
    --------
    >>> Real(roots={Fraction(8): Fraction(1)}) == Real(roots={Fraction(2): Fraction(2)})
    True
    >>> Real(logarithms={Fraction(2): Fraction(1)}) < Real(Fraction("0.693147180559945309417232121459"))
    True
    """

    __slots__ = ("_float", "_known", "chances", "logarithms", "rational", "roots")

    def __init__(
        self,
        rational: Fraction = Fraction(0),
        roots: Mapping[Fraction, Fraction] | None = None,
        logarithms: Mapping[Fraction, Fraction] | None = None,
        chances: Mapping[Chance, Fraction] | None = None,
    ) -> None:
        self.rational = rational
        self.roots = roots or {}
        self.logarithms = logarithms or {}
        self.chances = chances or {}
        self._known: dict[int, Enclosure] = {}
        self._float: float | None = None

    @property
    def fraction(self) -> bool:
        """Whether this is written as a fraction and nothing else."""
        return not (self.roots or self.logarithms or self.chances)

    def __add__(self, other: Real) -> Real:
        if self.fraction and other.fraction:
            return Real(self.rational + other.rational)
        return Real(
            self.rational + other.rational,
            _merged(self.roots, other.roots),
            _merged(self.logarithms, other.logarithms),
            _merged(self.chances, other.chances),
        )

    def times(self, factor: Fraction) -> Real:
        """Return a multiple."""
        if factor == 1:
            return self
        return Real(
            self.rational * factor,
            {key: value * factor for key, value in self.roots.items()},
            {key: value * factor for key, value in self.logarithms.items()},
            {key: value * factor for key, value in self.chances.items()},
        )

    def __neg__(self) -> Real:
        return self.times(Fraction(-1))

    def __sub__(self, other: Real) -> Real:
        if self.fraction and other.fraction:
            return Real(self.rational - other.rational)
        return self + -other

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Real) and compare(self, other) == 0

    __hash__ = None  # type: ignore[assignment]  # equal numbers may be written in many ways

    def __lt__(self, other: Real) -> bool:
        return compare(self, other) < 0

    def __le__(self, other: Real) -> bool:
        return compare(self, other) <= 0

    def __float__(self) -> float:
        """Return the nearest float, or a neighbour of it."""
        if self._float is None:
            self._float = float(self.rounded())
        return self._float

    def __repr__(self) -> str:
        return f"Real({float(self)!r})"

    def rounded(self, digits: int = 25) -> Fraction:
        """Return a fraction with so many digits right, or 0 for what is as good as 0."""
        if self.fraction:
            return self.rational
        if self.is_zero():
            return Fraction(0)
        working = digits + 10
        while True:
            low, high = self.interval(working)
            if max(low.adjusted(), high.adjusted()) < -MOST_DIGITS:
                return Fraction(0)
            apart = contexts(working).up.subtract(high, low)
            if (low > 0 or high < 0) and apart <= min(low.copy_abs(), high.copy_abs()).scaleb(-digits):
                return (Fraction(low) + Fraction(high)) / 2
            working *= 2
            if working > MOST_DIGITS:
                return (Fraction(low) + Fraction(high)) / 2

    def above(self) -> Fraction:
        """Return a fraction that is not below the number, and close to it."""
        return self.rational if self.fraction else Fraction(self.interval(2 * FIRST_DIGITS).high)

    def below(self) -> Fraction:
        """Return a fraction that is not above the number, and close to it."""
        return -(-self).above()

    def interval(self, digits: int) -> Enclosure:
        """Return two decimals that the number is between, worked out with so many digits."""
        known = self._known.get(digits)
        if known is None:
            known = quotient(self.rational, digits)
            for radicand, factor in self.roots.items():
                known = plus(known, times(factor, root(radicand, digits), digits), digits)
            for argument, factor in self.logarithms.items():
                known = plus(known, times(factor, logarithm(argument, digits), digits), digits)
            for chance, factor in self.chances.items():
                known = plus(known, times(factor, chance.interval(digits), digits), digits)
            self._known[digits] = known
        return known

    def sign(self) -> int:
        """Return -1, 0 or 1.

        Raises
        ------
        UndecidedError
            If thousands of digits do not tell.
        """
        if self.fraction:
            return (self.rational > 0) - (self.rational < 0)
        duel = self._two_chances()
        digits = FIRST_DIGITS
        while digits <= MOST_DIGITS:
            low, high = duel.difference(digits) if duel else self.interval(digits)
            if low > 0:
                return 1
            if high < 0:
                return -1
            if digits == FIRST_DIGITS and self.is_zero():
                return 0
            digits *= 2
        msg = f"a number is not told from 0 by {MOST_DIGITS} digits"
        raise UndecidedError(msg)

    def is_zero(self) -> bool:
        """Tell whether this is 0 by algebra, with no digits at all."""
        if any(self.chances.values()):
            return False
        rational = self.rational
        classes: list[tuple[Fraction, Fraction]] = []
        for radicand, factor in self.roots.items():
            exact = square_root(radicand)
            if exact is not None:
                rational += factor * exact
                continue
            for place, (first, known) in enumerate(classes):
                product = square_root(radicand * first)
                if product is not None:  # sqrt(radicand) = product / first * sqrt(first)
                    classes[place] = (first, known + factor * product / first)
                    break
            else:
                classes.append((radicand, factor))
        return rational == 0 and not any(factor for _, factor in classes) and self._powers_cancel()

    def _powers_cancel(self) -> bool:
        """Tell whether the logarithms sum to 0: the exponents over a coprime base do."""
        terms = [(argument, factor) for argument, factor in self.logarithms.items() if factor]
        base = coprime_base(n for argument, _ in terms for n in (argument.numerator, argument.denominator))
        for prime in base:
            exponents = (
                factor * (multiplicity(a.numerator, prime) - multiplicity(a.denominator, prime))
                for a, factor in terms
            )
            if sum(exponents) != 0:
                return False
        return True

    def _two_chances(self) -> _Two | None:
        """Return the two chances whose difference this is, the first being the greater if it is above 0."""
        both = sorted((factor, chance) for chance, factor in self.chances.items() if factor)
        alone = not self.rational and not any(self.roots.values()) and not any(self.logarithms.values())
        if not alone or len(both) != 2 or both[0][0] != -both[1][0]:
            return None
        return _Two(both[1][1], both[0][1])


class _Two(NamedTuple):
    """Two chances that are compared by their sums, which tell them apart however close to 0 or 1 they are."""

    one: Chance
    other: Chance

    def difference(self, digits: int) -> Enclosure:
        """Return two decimals that something of the sign of their difference is between."""
        both = tuple((Counter(self.one.leads) & Counter(self.other.leads)).elements())
        low, high = self.one.sum(digits, but=both)
        return plus(
            self.other.sum(digits, but=both), Enclosure(high.copy_negate(), low.copy_negate()), digits
        )


def compare(one: Real, other: Real) -> int:
    """Return -1, 0 or 1 as a number is below, equal to or above another."""
    if one.fraction and other.fraction:
        return (one.rational > other.rational) - (one.rational < other.rational)
    low, high = one.interval(FIRST_DIGITS), other.interval(FIRST_DIGITS)
    if low.high < high.low:
        return -1
    if low.low > high.high:
        return 1
    return (one - other).sign()


def most_lead(distance: Fraction, noise: Fraction) -> Fraction:
    """Return a difference that is not below the one at which a duel is so far from even.

    Parameters
    ----------
    distance : Fraction
        The win probability above one half, below one half itself.
    noise : Fraction
        The square of the deviation of the difference.
    """
    if not distance:
        return Fraction(0)
    digits = 2 * FIRST_DIGITS
    odds = logarithm((Fraction(1, 2) + distance) / (Fraction(1, 2) - distance), digits)
    return Fraction(odds.high) * Fraction(root(noise, digits).high) / SLOPE


def _merged(one: Mapping[Key, Fraction], other: Mapping[Key, Fraction]) -> dict[Key, Fraction]:
    merged = dict(one)
    for key, value in other.items():
        merged[key] = merged.get(key, Fraction(0)) + value
    return {key: value for key, value in merged.items() if value}
