"""How far computed totals may be from those of the numbers that were written.

A weight such as 8.1 is no float, a sum of floats is rounded at every step, and the steps come in another
order for another split.  So splits that are equally good on paper differ in their last digits, and
whoever compares costs to decide (a tie, a limit, a proof) has to know how much.  All bounds here are of
Wilkinson's kind: a sum of n numbers that are right to a unit ``u = 2**-53`` of their size is off by at most
``(n + 2) u`` times the sum of their sizes, in whatever order they are added.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from equipoise.arrays import Floats

if TYPE_CHECKING:
    from equipoise.teams.problem.problem import Problem

#: What rounding a number to a float changes, relative to it.
UNIT = 2.0**-53

#: Operations on a number besides adding it up: reading it, taking the centre off, squaring, the bots' mean.
OPERATIONS = 8

#: The squares of no parties.
NONE = np.zeros(0)

#: Values beyond which not all ranges of them are looked at.
MANY = 256

#: How many times the operations on a number are counted where sums are searched for in a range.
PADDING = 2


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

    problem: Problem

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
        return max((problem.n_players - slack) // problem.n_teams, min(problem.min_size), 1)

    @cached_property
    def squares(self) -> float:
        """The sum of all squared distances from the centre, bots included."""
        filler = self.problem.filler
        return float(self.whole[2]) + (0.0 if filler is None else float(filler[2]) * self.count)

    @cached_property
    def unit(self) -> float:
        """What rounding does to a sum, relative to the sum of its terms' sizes."""
        return (self.count + OPERATIONS) * UNIT

    @cached_property
    def mu(self) -> float:
        """What rounding does to a team's total of mu."""
        # The sizes sum to no more than this, by the inequality of Cauchy and Schwarz.
        sizes = self.count * abs(self.problem.centre) + math.sqrt(self.count * self.squares)
        return self.unit * sizes

    @cached_property
    def square(self) -> float:
        """What rounding does to a team's sum of squares."""
        lost = abs(self.problem.centre) * math.sqrt(self.count * self.squares)
        return self.unit * (self.squares + lost)

    @cached_property
    def uncertainty(self) -> float:
        """What rounding does to a team's sum of sigma²."""
        return self.unit * float(self.whole[3])

    @cached_property
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
        return terms * UNIT * largest

    @cached_property
    def variance(self) -> float:
        """What rounding does to the variance within a team, sigma² included."""
        n = self.fewest
        lost = 2.0 * math.sqrt(self.squares / n) * self.mu / n + (self.mu / n) ** 2
        return (self.square + self.uncertainty) / n + lost + OPERATIONS * UNIT * self.squares / n

    @cached_property
    def uneven(self) -> int:
        """By how many players, bots included, teams may differ at most."""
        problem = self.problem
        if problem.filler is not None:
            return max(problem.seats) - min(problem.seats)
        return 0 if problem.level else min(problem.max_difference, problem.n_players)

    def strength(self, zero: float) -> float:
        """Return what rounding does to a team's strength above a zero, see :func:`equipoise.link.strengths`.

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
        largest = np.array([0.0, self.mu, self.square, self.uncertainty, self.side])
        # Besides, what is known of all players together comes in, and the range that is compared with.
        share = (terms + PADDING * OPERATIONS) * UNIT / self.unit
        first = share * self.mu + PADDING * (self.strength(zero) - self.mu)
        return first, share * float(largest @ np.abs(np.array(second)))

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
        far = np.abs(values - self.problem.centre) + inside
        ranges, most = self._ranges(values, sizes, far)
        least = np.concatenate([ranges / math.sqrt(2.0), inside[inside > 0.0]]) / math.sqrt(self.count)
        most = np.concatenate([most, far[inside > 0.0]])
        centre = abs(self.problem.centre)
        lost = self.unit * most * (8.0 * most + 7.0 * centre) + (self.unit * (centre + most)) ** 2
        return float(np.minimum(np.sqrt(lost), lost / least).max(initial=0.0))

    def _ranges(self, values: Floats, sizes: Floats, far: Floats) -> tuple[Floats, Floats]:
        """Return the ranges of values, in order, in which there are enough for a team, and how far one is."""
        same = 4.0 * self.mu / self.count
        held = np.cumsum(sizes)
        if len(values) > MANY:
            # Only the narrowest from each value on, as if the farthest of all were in each.
            last = np.searchsorted(held, held - sizes + self.fewest)
            last = np.maximum(last, np.searchsorted(values, values + same, side="right"))
            ranges = values[last[last < len(values)]] - values[last < len(values)]
            return ranges, np.full(len(ranges), far.max())
        enough = held[None, :] - (held - sizes)[:, None] >= self.fewest
        apart = values[None, :] - values[:, None]
        farthest = np.maximum.accumulate(np.triu(np.broadcast_to(far, apart.shape)), axis=1)
        kept = enough & (apart > same)
        return apart[kept], farthest[kept]

    @property
    def _values(self) -> tuple[Floats, Floats, Floats]:
        """Of each block its mean weight, how many it is, and the root of its sum of squares."""
        problem = self.problem
        if problem.roles is not None:
            values = problem.roles.mu.ravel()
            sizes, inside = np.ones(len(values)), np.zeros(len(values))
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
