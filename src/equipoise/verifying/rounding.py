"""How far computed costs may be from exact ones: what a claim of a computer with floats is allowed."""

from __future__ import annotations

from fractions import Fraction

from equipoise.verifying.exact import Real
from equipoise.verifying.question import Question, Stage

#: What rounding a number to a float changes, relative to it.
UNIT = Fraction(1, 2**53)

#: Operations on a number besides adding it up, and how many times the bound of one cost two may differ by.
OPERATIONS, ROOM = 8, 4


class RoundingBound:
    """How far the costs of computed totals may be from exact ones, by J. Wilkinson's bound on sums.

    A sum of n numbers, each right to ``u = 2**-53`` of its size, is off by at most ``(n + 8) u`` times the
    sum of their sizes; what follows from that for each objective is first order in it.
    """

    def __init__(self, asked: Question) -> None:
        k = asked.n_teams
        bot = abs(asked.bot_weight or Fraction(0))
        filled = k * (max(asked.seats) + asked.n) if asked.bot_weight is not None else 0
        weights = [member.weight for member in asked.members] + [
            w for m in asked.members for w, _ in m.roles.values()
        ]
        unit = (asked.n + filled + OPERATIONS) * UNIT
        largest = max([bot, *map(abs, weights)])
        middle = sum((member.weight for member in asked.members), Fraction(0)) / max(asked.n, 1)
        apart = max([abs(bot - middle) if filled else 0, *(abs(weight - middle) for weight in weights)])
        self.total = unit * (sum(map(abs, weights)) + filled * bot)
        self.whole = sum(member.weight for member in asked.members)
        if filled:
            # Where all teams have as many seats, they are filled to one size, which holds everybody.
            even = (
                k * max(asked.seats[0], -(-asked.n // k)) if len(set(asked.seats)) == 1 else sum(asked.seats)
            )
            self.whole += max(even - asked.n, 0) * bot
        unsure = min((member.variance for member in asked.members), default=Fraction(0))
        known = [variance for member in asked.members for _, variance in member.roles.values()]
        self.noise = asked.noise * max(asked.n, 1) * 2 / k
        self.variance = unit * (apart * apart + 2 * apart * largest) + (unit * largest) ** 2
        self.variance += unit * max((member.variance for member in asked.members), default=Fraction(0))
        #: What no variance is below: bots have no uncertainty, players have some.
        self.least = asked.prior + (Fraction(0) if filled else min([unsure, *known]))
        self.unit, self.teams = unit, k
        self.known = asked.known
        # Teams whose sizes differ have the zero taken off for each player that one has more.
        self.strength = self.total + unit * (asked.n + filled) * abs(asked.zero.rounded())

    def error(self, stage: Stage) -> Fraction:
        """Return by how much a stage may be worse than the exact optimum, in its own unit."""
        return ROOM * sum((weight * getattr(self, name)() for name, weight in stage.terms), Fraction(0))

    def reported(self, stage: Stage) -> Fraction:
        """Return by how much a reported value may be off: a deviation of 0 by the root of a variance."""
        root = _root(self.variance)
        return self.error(stage) + sum(2 * root * weight for name, weight in stage.terms if name == "spread")

    def difference(self) -> Fraction:
        """Return the error of a difference of totals."""
        return 2 * self.total

    def ratio(self) -> Fraction:
        """Return that of a ratio: the largest total is at least its share of the whole."""
        return 3 * self.total * self.teams / self.whole if self.whole else Fraction(0)

    def win(self) -> Fraction:
        """Return that of a chance: a softmax changes by at most half of what its exponents do."""
        return self.strength / _root(self.noise) + self.unit

    def spread(self) -> Fraction:
        """Return that of a difference of deviations: of those that are not 0, the least loses most."""
        root = _root(
            min((team.variance for team in self.known.values() if team.variance), default=Fraction(0))
        )
        return self.variance / root if root else Fraction(0)

    def indistinguishable(self) -> Fraction:
        """Return that of logarithms of variances that the prior and the uncertainty keep from 0."""
        return self.variance / self.least + 32 * self.unit

    def moves(self) -> Fraction:
        """Return that of a number of players: none."""
        return Fraction(0)

    def preferences(self) -> Fraction:
        """Return that of a sum of prices."""
        return 100 * self.unit


def _root(number: Fraction) -> Fraction:
    return Real(roots={number: Fraction(1)}).rounded() if number else Fraction(0)
