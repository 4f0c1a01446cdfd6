"""Which totals are exact, and how far others may be from those of the numbers that were written.

A weight such as 8.1 is no float, a sum of floats is rounded at every step, and the steps come in another
order for another split.
But whoever writes weights with a few decimals means multiples of one unit, in which every sum is exact, ties
are ties, and proofs need no room for rounding.
So a problem counts in the greatest unit of which all weights are multiples, wherever the sums of the whole
roster fit a float's 53 bits; numbers that are shown are counted back (:func:`counted`).

Weights as computers write them, with sixteen digits, have no such unit: they stay as they are.
Splits of them that are equally good on paper differ in their last digits, and code that compares costs to
decide (a tie, a limit, a proof) has to know how much (:class:`Rounding`).
All bounds here are of Wilkinson's kind: a sum of n numbers that are right to a unit ``u = 2**-53`` of their
size is off by at most ``(n + 2) u`` times the sum of their sizes, in whatever order they are added.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from operator import sub
from typing import Any, NamedTuple, Protocol

import numpy as np

from equipoise.core.arrays import Floats
from equipoise.core.compiled import compiled, pays

#: What rounding a number to a float changes, relative to it.
UNIT = 2.0**-53

#: Operations on a number besides adding it up: reading it, taking the centre off, squaring, the bots' mean.
OPERATIONS = 8

#: The squares of no parties.
NONE = np.zeros(0)

#: A range of numbers is at most this many times the root of their sum of squares around the mean.
ROOT_OF_TWO = math.sqrt(2.0)

#: Values up to which they are gone through as quickly without a compiled kernel.
FEW = 10

#: Values beyond which not all ranges of them are looked at.
MANY = 256

#: How many times the operations on a number are counted where sums are searched for in a range.
PADDING = 2


#: How much farther than its middle half weights must reach for their centre to be in that half.
FAR = 1024.0


def centre_of(weights: Floats) -> float:
    """Return what is taken off weights before they are squared: their mean, or where most of them are.

    Squares lose the digits that players far from the centre do not need.  Where a few weigh a thousand times
    as much as the others, the mean is far from everybody, and the light ones would be as good as equal.

    Examples
    --------
    >>> centre_of(np.array([1.0, 2.0, 4.0, 5.0])), centre_of(np.array([1.0, 2.0, 4.0, 1e6, 1e9]))
    (3.0, 2.0)
    """
    if not len(weights):
        return 0.0
    ordered = sorted(weights.tolist())  # of a dozen quicker than with NumPy
    half = (len(weights) + 1) // 2
    widths = list(map(sub, ordered[half - 1 :], ordered))
    narrowest = min(widths)
    middle = ordered[widths.index(narrowest) + half // 2]
    near = max(narrowest, min((abs(each - middle) for each in ordered if each != middle), default=math.inf))
    farthest = max(middle - ordered[0], ordered[-1] - middle)
    return middle if near < math.inf and farthest > FAR * near else float(weights.mean())


#: Below, every whole number is a float, and so is every sum.
LARGEST = 2.0**53

#: Below, whole numbers are those of decimals: any that has 15 digits is told from its neighbours as a float.
DIGITS = 1e15

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
        from fractions import Fraction  # only who gives a number of the scale waits for it

        return float(Fraction(repr(number)) * self.denominator / self.numerator)

    def each_shown(self, numbers: Floats) -> Floats:
        """Return numbers as :meth:`shown` does."""
        return numbers if self == ROSTER else numbers * float(self.numerator) / float(self.denominator)

    def each_counted(self, numbers: Floats) -> Floats:
        """Return numbers as :meth:`counted` does; those of sixteen digits right to the last but one."""
        if self == ROSTER or not numbers.size:
            return numbers
        whole = multiples(numbers)
        if whole is None:
            return numbers * float(self.denominator) / float(self.numerator)
        numbers, parts = whole
        numerator, denominator = reduced(self.denominator, parts * self.numerator)
        return numbers * float(numerator) / float(denominator)


#: The units of the roster itself.
ROSTER = Unit()


class CommonUnit(NamedTuple):
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
        return np.rint(numbers * float(self.unit.denominator) / float(self.unit.numerator))

    def centre(self, centre: float) -> float:
        """Return where squares are counted from: whole among whole numbers, so that they are exact."""
        return float(round(centre)) if self.whole else centre


#: Weights that are taken as they were written.
AS_WRITTEN = CommonUnit()


def multiples(numbers: Floats, more: float = 0.0) -> tuple[Floats, int] | None:
    """Return numbers as whole multiples of one over a number, and that one; None where they are too fine.

    Parameters
    ----------
    numbers : ndarray, shape (n,)
        Which are taken to be what is written shortest for them.
    more : float
        What is added up besides at most: their sizes and it must fit together.

    Examples
    --------
    >>> multiples(np.array([8.1, 5.25]))
    (array([162., 105.]), 20)
    >>> multiples(np.array([0.1 + 0.2, 1e-9])) is None
    True
    """
    sizes = np.abs(numbers)
    # No more digits than a float tells apart, nor than a sum holds.
    most = max(float(sizes.max(initial=0.0)) * (LARGEST / DIGITS), float(sizes.sum()) + more)
    if not most < LARGEST:
        return None
    places = MOST_PLACES
    if most > 0.0:
        places = min(places, math.floor(math.log10(LARGEST / most)))
    power = 10**places
    whole = np.rint(numbers * float(power))
    # A quotient of two exact numbers is rounded once, as is a decimal that is read: both or neither are it.
    if not (whole / float(power) == numbers).all():
        return None
    # Of nothing but zeros that is 10 to the 22nd, which no integer of NumPy holds.
    common = math.gcd(int(np.gcd.reduce(whole.astype(np.int64), axis=None)), power)
    return (whole, power) if common == 1 else (whole / float(common), power // common)


def mean(numbers: Floats) -> float:
    """Return the mean of numbers, shape (n,); of decimals right to the last digit.

    Examples
    --------
    >>> mean(np.array([10.0, 251.3, 492.6]))
    251.3
    """
    found = multiples(numbers)
    return float(numbers.mean()) if found is None else float(found[0].sum()) / (len(numbers) * found[1])


def less(numbers: Floats, others: Floats, share: float) -> Floats:
    """Return numbers less a share of others, shape (n,); of decimals the decimals that are right.

    Examples
    --------
    >>> less(np.array([8.3, 5.0]), np.array([0.1, 0.7]), 3.0).tolist()
    [8.0, 2.9]
    """
    from fractions import Fraction  # only who takes sigmas off waits for it

    factor = Fraction(repr(share))
    parts = multiples(np.concatenate([numbers, others])) if factor.denominator < DIGITS else None
    if parts is not None:
        whole, other = np.split(parts[0], 2)
        left = whole * float(factor.denominator) - other * float(factor.numerator)
        largest = np.abs(whole).max(initial=0.0) * factor.denominator + np.abs(other).max() * factor.numerator
        if largest < LARGEST and parts[1] * factor.denominator < LARGEST:
            return np.asarray(left / float(parts[1] * factor.denominator))
    return numbers - share * others


def counted(weights: Floats, more: float = 0.0, averaged: int = 0) -> CommonUnit:
    """Return the greatest unit of which weights, and the mean of the first of them, are whole multiples.

    Parameters
    ----------
    weights : ndarray, shape (n,)
        All that are there, roster units.
    more : float
        What is added up besides at most, bots and those of mean weight, roster units.
    averaged : int
        How many of the weights, from the first on, somebody has the mean of; 0 where nobody has.

    Examples
    --------
    >>> counted(np.array([8.25, 5.5, 4.75])).unit
    Unit(numerator=1, denominator=4)
    >>> counted(np.array([1400.0, 2100.0])).unit
    Unit(numerator=700, denominator=1)
    >>> counted(np.array([1.0, 2.0, 4.0]), averaged=3).unit
    Unit(numerator=1, denominator=3)
    """
    known, shares = float(np.abs(weights).sum()), max(averaged, 1)
    found = multiples(weights, (known + more) * shares - known)
    if found is None:
        return AS_WRITTEN
    whole, parts = found[0].astype(np.int64), found[1]
    common = int(np.gcd.reduce(whole)) * shares
    if averaged:
        common = math.gcd(common, int(whole[:averaged].sum()))
    return CommonUnit(Unit(*reduced(common or parts * shares, parts * shares)), whole=True)


def reduced(numerator: int, denominator: int) -> tuple[int, int]:
    """Return a fraction in its lowest terms."""
    common = math.gcd(numerator, denominator)
    return numerator // common, denominator // common


class _Problem(Protocol):
    """What of a problem its rounding depends on."""

    @property
    def features(self) -> Floats: ...

    @property
    def min_size(self) -> tuple[int, ...]: ...

    @property
    def max_difference(self) -> int: ...

    @property
    def seats(self) -> tuple[int, ...]: ...

    @property
    def filler(self) -> Floats | None: ...

    @property
    def centre(self) -> float: ...

    @property
    def exact(self) -> bool: ...

    @property
    def prices(self) -> Any: ...

    @property
    def roles(self) -> Any: ...

    @property
    def n_teams(self) -> int: ...

    @property
    def n_players(self) -> int: ...

    @property
    def single(self) -> bool: ...

    @property
    def whole(self) -> Floats: ...

    @property
    def level(self) -> bool: ...


@dataclass(frozen=True, eq=False)
class Rounding:
    """Bounds on the rounding in a problem's totals, whatever the split.

    Parameters
    ----------
    problem : Problem
        Whose totals they are.

    References
    ----------
    N. Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, 2002, section 4.2.
    """

    problem: _Problem

    @cached_property
    def whole(self) -> Floats:
        """The features summed over all players, bots not counted; those in roles as their largest."""
        roles = self.problem.roles
        if roles is None:
            return self.problem.whole
        whole = self.problem.whole.copy()
        whole[2:4] = roles.square.max(axis=1).sum(), roles.variance.max(axis=1).sum()
        return whole

    @cached_property
    def count(self) -> int:
        """The most players there can be, bots included."""
        problem = self.problem
        if problem.filler is None:
            return problem.n_players
        return problem.n_teams * (max(problem.seats) + problem.n_players)

    @cached_property
    def fewest(self) -> int:
        """The fewest players a team can have that has any."""
        problem = self.problem
        slack = (problem.n_teams - 1) * problem.max_difference
        even = -((slack - problem.n_players) // problem.n_teams)  # rounded up
        return max(even, min(problem.min_size), 1)

    @cached_property
    def least_total(self) -> float:
        """The least that all totals of mu come to, bots included; they must not weigh less than 0."""
        problem, roles = self.problem, self.problem.roles
        people = float(self.whole[1] if roles is None else roles.mu.min(axis=1).sum())
        if problem.filler is None:
            return people
        seats = sum(problem.seats)
        if min(problem.seats) == max(problem.seats):
            seats = max(seats, -(-problem.n_players // problem.n_teams) * problem.n_teams)
        return people + max(seats - problem.n_players, 0) * float(problem.filler[1])

    @cached_property
    def least_uncertainty(self) -> float:
        """The least mean of sigma² that a team can have; 0 where bots may fill it up."""
        problem, roles = self.problem, self.problem.roles
        if problem.filler is not None or not problem.n_players:
            return 0.0
        if roles is not None:
            each = roles.variance.min(axis=1)
        else:
            sizes = np.maximum(problem.features[:, 0], 1.0)
            each = np.repeat(problem.features[:, 3] / sizes, sizes.astype(np.intp))
        return float(np.sort(each)[: self.fewest].mean())

    @cached_property
    def squares(self) -> float:
        """The sum of all squared distances from the centre, bots included."""
        filler = self.problem.filler
        return float(self.whole[2]) + (0.0 if filler is None else float(filler[2]) * self.count)

    @property
    def unit(self) -> float:
        """What rounding does to a sum, relative to the sum of its terms' sizes."""
        return (self.count + OPERATIONS) * UNIT

    @cached_property
    def lost(self) -> float:
        """What rounding does to a sum as large as a team's total of mu, of numbers that are not whole."""
        problem = self.problem
        # The sizes sum to no more than this, by the inequality of Cauchy and Schwarz.
        sizes = self.count * abs(problem.centre) + math.sqrt(self.count * self.squares)
        if problem.single and problem.roles is None:
            of_bot = 0.0 if problem.filler is None else abs(float(problem.filler[1]))
            of_bots = (self.count - problem.n_players) * of_bot
            sizes = min(sizes, float(np.abs(problem.features[:, 1]).sum()) + of_bots)
        return self.unit * sizes

    @property
    def mu(self) -> float:
        """What rounding does to a team's total of mu."""
        return 0.0 if self.problem.exact else self.lost

    @property
    def square(self) -> float:
        """What rounding does to a team's sum of squares."""
        return 0.0 if self.problem.exact and self.squares < LARGEST else self.lost_square

    @property
    def lost_square(self) -> float:
        """What rounding does to a sum of squares of numbers that are not whole."""
        lost = abs(self.problem.centre) * math.sqrt(self.count * self.squares)
        return self.unit * (self.squares + lost)

    @property
    def uncertainty(self) -> float:
        """What rounding does to a team's sum of sigma²."""
        return self.unit * float(self.whole[3])

    @property
    def side(self) -> float:
        """What rounding does to a team's sum of side preferences."""
        return self.unit * self.count

    @cached_property
    def price(self) -> float:
        """What rounding does to the prices that are paid."""
        prices = self.problem.prices
        if prices is None:
            return 0.0
        largest = sum(group.price * len(group.blocks) for group in prices.groups)
        largest += float(prices.sides.max(axis=1).sum())
        terms = self.count + len(prices.groups) + self.problem.n_teams + OPERATIONS
        return float(terms * UNIT * largest)

    @cached_property
    def variance(self) -> float:
        """What rounding does to the variance within a team, sigma² included."""
        n = self.fewest
        lost = 2.0 * math.sqrt(self.squares / n) * self.mu / n + (self.mu / n) ** 2
        return (self.square + self.uncertainty) / n + lost + OPERATIONS * UNIT * self.squares / n

    @property
    def uneven(self) -> int:
        """By how many players, bots included, teams may differ at most."""
        problem = self.problem
        if problem.filler is not None:
            return max(problem.seats) - min(problem.seats)
        return 0 if problem.level else min(problem.max_difference, problem.n_players)

    def strength(self, zero: float) -> float:
        """Return what rounding does to a team's strength above a zero.

        See :func:`equipoise.core.win_probability.strengths`.

        The zero itself is made of the mean and the spread of the weights, each as right as a total is.
        """
        return self.mu + self.uneven * self.unit * (abs(zero) + 2.0 * abs(self.problem.centre))

    def pads(self, terms: int, second: tuple[float, ...], zero: float = 0.0) -> tuple[float, float]:
        """Return what searches leave room for on their axes, mu and one of these features' weights.

        Parameters
        ----------
        terms : int
            How many numbers a search adds up at most, one after the other.
        second : tuple of float
            The weights.
        zero : float
            That of the strengths that are looked at, roster units.
        """
        # Besides, what is known of all players together comes in, and the range that is compared with.
        share = (terms + PADDING * OPERATIONS) * UNIT / self.unit
        first = share * self.lost + PADDING * (self.strength(zero) - self.mu)
        if not any(second):
            return first, 0.0
        largest = 0.0, self.lost, self.lost_square, self.uncertainty, self.side
        return first, share * sum(abs(weight) * size for weight, size in zip(second, largest, strict=True))

    @cached_property
    def deviation(self) -> float:
        """What rounding does to the standard deviation of mu within a team.

        A variance that is off by v puts the deviation x off by v / x, and by sqrt(v) at most.  How far a
        team's players are from the centre says what v is, how far they are from each other what x is; so
        all ranges of weights are looked at that hold enough players for a team.
        """
        values, sizes, inside = self._values
        order = np.argsort(values, kind="stable")
        values, sizes, inside = values[order], sizes[order], inside[order]
        centre = abs(self.problem.centre)
        far = np.abs(values - self.problem.centre) + inside
        numbers = self.fewest, 4.0 * self.mu / self.count, self.unit, centre, math.sqrt(self.count)
        if len(values) > MANY:
            return self._narrowest(values, sizes, inside, far)
        if len(values) > FEW and pays(len(values), math.inf):
            return float(compiled(largest_loss)(values, sizes, inside, far, *numbers))
        return largest_loss(values.tolist(), sizes.tolist(), inside.tolist(), far.tolist(), *numbers)

    def _narrowest(self, values: Floats, sizes: Floats, inside: Floats, far: Floats) -> float:
        """Return the deviation's bound from the narrowest ranges alone, as if the farthest were in each."""
        held, same = np.cumsum(sizes), 4.0 * self.mu / self.count
        last = np.searchsorted(held, held - sizes + self.fewest)
        last = np.maximum(last, np.searchsorted(values, values + same, side="right"))
        ranges = values[last[last < len(values)]] - values[last < len(values)]
        least = np.concatenate([ranges / ROOT_OF_TWO, inside[inside > 0.0]]) / math.sqrt(self.count)
        most = np.concatenate([np.full(len(ranges), far.max()), far[inside > 0.0]])
        centre = abs(self.problem.centre)
        lost = self.unit * most * (8.0 * most + 7.0 * centre) + (self.unit * (centre + most)) ** 2
        return float(np.minimum(np.sqrt(lost), lost / least).max(initial=0.0))

    @property
    def _values(self) -> tuple[Floats, Floats, Floats]:
        """Of each block its mean weight, how many it is, and the root of its sum of squares."""
        problem = self.problem
        if problem.roles is not None:
            values = problem.roles.mu.ravel()
            sizes, inside = np.ones(len(values)), np.zeros(len(values))
        elif problem.single:
            values, sizes = problem.features[:, 1], problem.features[:, 0]
            inside = np.zeros(len(values))
        else:
            sizes = np.maximum(problem.features[:, 0], 1.0)
            values = problem.features[:, 1] / sizes
            offsets = values - problem.centre
            squares = problem.features[:, 2] - offsets * offsets * sizes
            noise = self.unit * problem.features[:, 2] + 2.0 * np.abs(offsets) * sizes * self.unit * np.abs(
                values
            )
            inside = np.sqrt(np.where((sizes > 1.0) & (squares > 4.0 * noise), squares, 0.0))
        if problem.filler is not None:
            values = np.append(values, problem.filler[1])
            sizes, inside = np.append(sizes, float(self.count)), np.append(inside, 0.0)
        return values, sizes, inside

    @cached_property
    def least_variance(self) -> float:
        """A number no team's variance of mu is between and 0; 0 where none is known.

        A team whose variance is not 0 has a party whose members differ, or two blocks that do.
        """
        problem = self.problem
        if problem.roles is not None:
            each, inside = problem.roles.mu.ravel(), NONE
        elif problem.single:
            each, inside = problem.features[:, 1], NONE
        else:
            sizes = np.maximum(problem.features[:, 0], 1.0)
            each = problem.features[:, 1] / sizes
            offsets = each - problem.centre
            squares = (problem.features[:, 2] / sizes - offsets * offsets) * sizes
            several = sizes > 1.0
            inside = squares[several & (squares > 4.0 * sizes * self.variance)]
        if problem.filler is not None:
            each = np.append(each, problem.filler[1])
        each = np.sort(each)
        steps = each[1:] - each[:-1]
        steps = steps[steps > 4.0 * self.mu / self.count]
        least = math.inf if not len(steps) else float(steps.min()) ** 2 / 2.0
        return min(least, float(inside.min(initial=math.inf))) / self.count


def largest_loss(
    values: Any, sizes: Any, inside: Any, far: Any,
    fewest: int, same: float, unit: float, centre: float, root: float,
) -> float:  # fmt: skip
    """Return the most that rounding does to a standard deviation, over all ranges that hold a team.

    A kernel, see :mod:`equipoise.core.compiled`: a thousandth of a second in plain Python for 40 players.

    Parameters
    ----------
    values, sizes, inside : sequence of float
        As :attr:`Rounding._values`, ascending in the values.
    far : sequence of float
        How far each block's players are from the centre.
    fewest : int
        The fewest players that a team has.
    same : float
        Values no farther apart may be equal on paper.
    unit, centre, root : float
        What rounding does to a sum, the centre's size, and the root of the number of players.
    """
    largest = 0.0
    for i in range(len(values)):
        held = 0.0
        most = 0.0
        before = -1.0  # a wider range of players who are no farther from the centre loses less
        for j in range(i, len(values)):
            held += sizes[j]
            if far[j] > most:
                most = far[j]
            if most > before and held >= fewest and values[j] - values[i] > same:
                before = most
                least = (values[j] - values[i]) / ROOT_OF_TWO / root
                largest = max(largest, loss(most, least, unit, centre))
        if inside[i] > 0.0:
            largest = max(largest, loss(far[i], inside[i] / root, unit, centre))
    return largest


def loss(most: float, least: float, unit: float, centre: float) -> float:
    """Return what rounding does to a deviation of at least so much, of players so far from the centre."""
    off = unit * (centre + most)
    lost = unit * most * (8.0 * most + 7.0 * centre) + off * off
    whole = math.sqrt(lost)
    if least <= 0.0:
        return whole
    return min(whole, lost / least)
