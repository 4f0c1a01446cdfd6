"""The optimum of two teams too many to go through: halves that meet, over whole numbers.

The first objective of an order must be a difference of totals, or grow with one, as the default's does.
Then the splits within its limit are those whose totals are close, and they are found without going through
the others: each half of the roster gives all its sums, sorted by how many players are in the first team, and
for every sum of one half those of the other that bring the totals close stand together.
What is found is judged by :mod:`equipoise.verification.optimum`, in fractions.

References
----------
E. Horowitz, S. Sahni, "Computing partitions with applications to the knapsack problem", J. ACM 21 (1974) 277.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from equipoise.core.stopping import Stop
from equipoise.verification.exact_numbers import Real, most_lead
from equipoise.verification.objective_values import Team, bots, noise_of, team_of, value
from equipoise.verification.optimum import Labels, Optimum, TooMuchError, look, optimum
from equipoise.verification.question import Question

#: Choices of a half that are listed at most: 20 players, or parties.
MOST_CHOICES = 1 << 20

#: Splits that are judged in fractions, and those that are looked at in whole numbers, at most.
MOST_JUDGED, MOST_SEEN = 50_000, 5_000_000

#: What rounding changes at most in a difference of two roots of exact quotients, relative to their sum.
ROUNDING = 1e-14

#: Steps between two looks at the clock.
STEPS = 4096

#: The objectives that grow with the difference of totals, where the sizes of teams are given.
BY_DIFFERENCE = ("difference", "ratio", "win")


@dataclass(frozen=True)
class _Choice:
    """Where the players of a part go: how many are in the first team, their sum and that of their squares."""

    size: int
    total: int
    square: int
    teams: tuple[tuple[int, int], ...]


class _HalfSums(NamedTuple):
    """The sums of a half with a count, in order: totals, sums of squares, and the choices as one number."""

    totals: list[int]
    squares: list[int]
    codes: list[int]


class _Close(NamedTuple):
    """A split with close totals: the choices of both halves, and the first team in whole numbers."""

    one: int
    other: int
    size: int
    total: int
    square: int


def suits(asked: Question) -> bool:
    """Tell whether the optimum may be found here."""
    plain = asked.n_teams == 2 and not asked.needed and not asked.rows and asked.moves is None
    return plain and asked.stages[0].name in BY_DIFFERENCE


def meeting(asked: Question, stop: Stop, let: Sequence[Real] = ()) -> Optimum:
    """Return the optimum of every stage, with costs that are let through as :func:`.optimum` does.

    Raises
    ------
    TooMuchError
        If there is too much to go through, or the time is over.
    """
    search = _Search(asked, stop)
    nearest = list(search.nearest())
    if not nearest:
        return Optimum((), (), 0)
    best = optimum(asked.cut(1), nearest)
    if len(asked.stages) == 1:
        return best
    limit = best.costs[0] + Real(asked.stages[0].tolerance)
    limit = max(limit, let[0]) if let else limit
    if [stage.name for stage in asked.stages[1:]] == ["spread"]:
        return optimum(asked, search.alike(limit), stop, let=let)
    close = map(search.labels, search.within(limit, MOST_JUDGED))
    return optimum(asked, close, stop, let=let)


class _Search:
    """Both halves of a roster, their sums sorted by count, and what is close of them."""

    def __init__(self, asked: Question, stop: Stop) -> None:
        self.asked, self.stop = asked, stop
        self.unit = math.lcm(*(member.weight.denominator for member in asked.members))
        parts = [_choices(asked, part, self.unit) for part in _parts(asked)]
        if asked.interchangeable:
            parts[0] = [choice for choice in parts[0] if dict(choice.teams)[0] == 0]
        halves: tuple[list[list[_Choice]], list[list[_Choice]]] = ([], [])
        sizes = [1, 1]
        for part in sorted(parts, key=len, reverse=True):
            smaller = sizes.index(min(sizes))
            halves[smaller].append(part)
            sizes[smaller] *= len(part)
        if max(sizes) > MOST_CHOICES:
            msg = "the roster is too large"
            raise TooMuchError(msg)
        self.halves = halves
        self.sorted = [self._sums(half) for half in halves]
        self.whole = sum(int(member.weight * self.unit) for member in asked.members)

    def _sums(self, half: Sequence[Sequence[_Choice]]) -> dict[int, _HalfSums]:
        """Return all sums of a half by count, in order."""
        sums = [(0, 0, 0, 0)]
        for part in half:
            look(self.stop)
            sums = [
                (count + choice.size, total + choice.total, square + choice.square, code * len(part) + digit)
                for count, total, square, code in sums
                for digit, choice in enumerate(part)
            ]
        by_count: dict[int, list[tuple[int, int, int]]] = {}
        for count, *entry in sums:
            by_count.setdefault(count, []).append((entry[0], entry[1], entry[2]))
        return {
            count: _HalfSums(*map(list, zip(*sorted(entries), strict=True)))
            for count, entries in by_count.items()
        }

    def _pairs(self) -> Iterator[tuple[int, int, tuple[Fraction, Fraction]]]:
        """Go through the counts of both halves that make legal sizes, with the first total that is even."""
        asked = self.asked
        for one, other in itertools.product(*self.sorted):
            counts = one + other, asked.n - one - other
            within = all(
                low <= n <= high for low, n, high in zip(asked.minimum, counts, asked.maximum, strict=True)
            )
            if within and abs(counts[0] - counts[1]) <= asked.difference:
                yield one, other, self._even(counts)

    def _even(self, counts: tuple[int, int]) -> tuple[Fraction, Fraction]:
        """Return what the first team's total, bots not counted, is between where both are even, in units.

        A difference of totals is even at 0, a chance where the strengths are equal.
        """
        asked = self.asked
        filled = bots(asked, [0] * counts[0] + [1] * counts[1])
        even = Real(self.whole + (filled[1] - filled[0]) * (asked.bot_weight or Fraction(0)) * self.unit)
        if asked.stages[0].name == "win":
            more = counts[0] + filled[0] - counts[1] - filled[1]
            even = even + asked.zero.times(Fraction(more * self.unit))
            if asked.side:
                teams = self._teams(counts, filled)
                even = even - Real(roots={noise_of(asked, teams): asked.side * self.unit})
        return even.below() / 2, even.above() / 2

    def nearest(self) -> Iterator[Labels]:
        """Go through the splits that are nearest to even, on both sides, for all pairs of counts."""
        for one, other, even in self._pairs():
            totals, _, codes = self.sorted[0][one]
            others, _, other_codes = self.sorted[1][other]
            target = math.floor(even[0])
            least: list[tuple[int, int, int] | None] = [None, None]
            at = len(others)
            for step, (total, code) in enumerate(zip(totals, codes, strict=True)):
                if not step % STEPS:
                    look(self.stop)
                while at and total + others[at - 1] > target:
                    at -= 1
                for side, place in ((0, at - 1), (1, at)):
                    if 0 <= place < len(others):
                        off = abs(total + others[place] - target)
                        known = least[side]
                        if known is None or off < known[0]:
                            least[side] = off, code, other_codes[place]
            for found in least:
                if found is not None:
                    yield self._labels(found[1], found[2])

    def within(self, limit: Real, most: int) -> Iterator[_Close]:
        """Go through the splits whose first cost may be within a limit."""
        seen = 0
        for one, other, even in self._pairs():
            reach = self._reach(limit, (one + other, self.asked.n - one - other)) * self.unit / 2
            low, high = math.ceil(even[0] - reach), math.floor(even[1] + reach)
            others, squares, codes = self.sorted[1][other]
            for step, (total, square, code) in enumerate(zip(*self.sorted[0][one], strict=True)):
                if not step % STEPS:
                    look(self.stop)
                first, last = bisect_left(others, low - total), bisect_right(others, high - total)
                seen += last - first
                if seen > most:
                    msg = "too many splits are close"
                    raise TooMuchError(msg)
                for at in range(first, last):
                    yield _Close(code, codes[at], one + other, total + others[at], square + squares[at])

    def alike(self, limit: Real) -> Iterator[Labels]:
        """Go through the splits within a limit whose deviations may be the most alike.

        Deviations are first compared as floats of exact quotients, whose rounding is known.
        """
        asked, first = self.asked, self.asked.cut(1).stages[0]
        squares = sum(int(member.weight * self.unit) ** 2 for member in asked.members)
        bot = (asked.bot_weight or Fraction(0)) * self.unit
        bot_sums: list[tuple[int | Fraction, int | Fraction]] = [(0, 0)]
        bot_sums += [(n * bot, n * bot * bot) for n in range(1, max(asked.seats) + asked.n + 1)]
        least = math.inf
        kept: list[tuple[float, _Close]] = []
        for seen, close in enumerate(self.within(limit, MOST_SEEN)):
            if not seen % STEPS:
                look(self.stop)
                kept = [entry for entry in kept if entry[0] <= least]
            counts = close.size, asked.n - close.size
            filled = (
                bots(asked, [0] * counts[0] + [1] * counts[1]) if asked.bot_weight is not None else (0, 0)
            )
            sums = (close.total, close.square), (self.whole - close.total, squares - close.square)
            roots = [
                _deviation(n + more, total + bot_sums[more][0], square + bot_sums[more][1])
                for n, more, (total, square) in zip(counts, filled, sums, strict=True)
            ]
            unlike, rounding = abs(roots[0] - roots[1]), ROUNDING * (roots[0] + roots[1])
            if unlike - rounding > least:
                continue
            if value(asked, first, self.labels(close)) <= limit:
                least = min(least, unlike + rounding)
                kept.append((unlike - rounding, close))
        return (self.labels(close) for low, close in kept if low <= least)

    def labels(self, close: _Close) -> Labels:
        """Return a split that was found."""
        return self._labels(close.one, close.other)

    def _reach(self, limit: Real, counts: tuple[int, int]) -> Fraction:
        """Return what the totals may differ by at most for the first cost to be within a limit."""
        asked, name = self.asked, self.asked.stages[0].name
        most = limit.above()
        if name == "difference":
            return most
        teams = self._teams(counts, bots(asked, [0] * counts[0] + [1] * counts[1]))
        if name == "ratio":
            whole = sum((team.total for team in teams), Fraction(0))
            return whole * most / (2 - most)
        if most >= Fraction(1, 2):
            msg = "every split is within the limit"
            raise TooMuchError(msg)
        return most_lead(most, noise_of(asked, teams))

    def _teams(self, counts: tuple[int, int], filled: Sequence[int]) -> list[Team]:
        """Return some two teams of these sizes, for what all such have alike."""
        people = [tuple(range(counts[0])), tuple(range(counts[0], self.asked.n))]
        return [team_of(self.asked, players, n) for players, n in zip(people, filled, strict=True)]

    def _labels(self, one: int, other: int) -> Labels:
        teams: dict[int, int] = {}
        for half, code in zip(self.halves, (one, other), strict=True):
            rest = code
            for part in reversed(half):
                rest, digit = divmod(rest, len(part))
                teams.update(part[digit].teams)
        return tuple(teams[i] for i in range(self.asked.n))


def _deviation(size: int, total: int | Fraction, square: int | Fraction) -> float:
    """Return the standard deviation of so many numbers with this sum and sum of squares."""
    return math.sqrt((square * size - total * total) / (size * size)) if size else 0.0


def _parts(asked: Question) -> list[list[int]]:
    """Return the players in parts that nothing ties together."""
    part_of = list(range(asked.n))
    ties = [pair for party in asked.parties for pair in itertools.pairwise(party)]
    for one, other in (*ties, *asked.apart):
        old, new = part_of[other], part_of[one]
        part_of = [new if part == old else part for part in part_of]
    return [[i for i in range(asked.n) if part_of[i] == part] for part in dict.fromkeys(part_of)]


def _choices(asked: Question, part: Sequence[int], unit: int) -> list[_Choice]:
    """Return the ways to put a part's players into teams that keep its parties, and who is apart or fixed."""
    mates = [
        (one, other) for party in asked.parties for one, other in itertools.pairwise(party) if one in part
    ]
    rivals = [pair for pair in asked.apart if pair[0] in part]
    held = sum(i in asked.fixed for i in part)
    leaders = len(part) - len(mates) - held
    if leaders > MOST_CHOICES.bit_length():
        msg = "too many are tied together"
        raise TooMuchError(msg)
    ways: list[dict[int, int]] = [{}]
    for i in part:
        ways = [
            {**way, i: team}
            for way in ways
            for team in ((asked.fixed[i],) if i in asked.fixed else (0, 1))
            if all(way.get(a, team) == team for a, b in mates if b == i)
            and all(way.get(b, team) == team for a, b in mates if a == i)
            and all(way.get(a, 1 - team) != team for a, b in rivals if b == i)
            and all(way.get(b, 1 - team) != team for a, b in rivals if a == i)
        ]
    return [
        _Choice(
            sum(team == 0 for team in way.values()),
            sum(int(asked.members[i].weight * unit) for i, team in way.items() if team == 0),
            sum(int(asked.members[i].weight * unit) ** 2 for i, team in way.items() if team == 0),
            tuple(way.items()),
        )
        for way in ways
    ]
