"""What is asked, in fractions: players, rules, prices, units and objectives."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from equipoise.verifying.exact import Real


def number(value: Any) -> Fraction:
    """Return the decimals a number is written with.

    Examples
    --------
    >>> number(0.1) + number(0.2) == number(0.3)
    True
    """
    return Fraction(value) if isinstance(value, int | Fraction) else Fraction(repr(float(value)))


@dataclass(frozen=True)
class ExactPlayer:
    """A player in fractions.

    Parameters
    ----------
    weight, variance : Fraction
        The mean and the square of the deviation.
    side : Fraction
        The preference for a team, from 0 (the first) to 1 (the last).
    roles : mapping of str to (Fraction, Fraction)
        What is played, with mean and variance; empty for everything at the general rating.
    """

    weight: Fraction
    variance: Fraction = Fraction(0)
    side: Fraction = Fraction(1, 2)
    roles: Mapping[str, tuple[Fraction, Fraction]] = field(default_factory=dict)


@dataclass(frozen=True)
class PreferringGroup:
    """Players (indices) who prefer to be together, or no two of them, and the price."""

    together: bool
    members: tuple[int, ...]
    price: Fraction


@dataclass(frozen=True)
class Row:
    """A sum over (index, team) that must stay within limits; None where there is no limit."""

    factors: Mapping[tuple[int, int], Fraction]
    low: Fraction | None
    high: Fraction | None


@dataclass(frozen=True)
class Stage:
    """One objective of an order: what it sums, and how far from its optimum the next may go.

    ``terms`` has names of objectives, ``"preferences"`` among them, with their weights.
    """

    terms: tuple[tuple[str, Fraction], ...]
    tolerance: Fraction = Fraction(0)

    @property
    def name(self) -> str:
        """The objective's name where there is only one, at weight 1; else nothing."""
        return self.terms[0][0] if len(self.terms) == 1 and self.terms[0][1] == 1 else ""


class QuestionFloats(NamedTuple):
    """The floats nearest to numbers of a question; ``sides`` has what each player pays in each team."""

    noise: float
    prior: float
    side_weight: float
    sides: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Question:
    """All that decides which splits are legal and which is best; players are known by index."""

    ids: tuple[str, ...]
    names: tuple[str, ...]
    members: tuple[ExactPlayer, ...]
    n_teams: int
    parties: tuple[tuple[int, ...], ...]
    apart: tuple[tuple[int, int], ...]
    fixed: Mapping[int, int]
    minimum: tuple[int, ...]
    maximum: tuple[int, ...]
    difference: int
    seats: tuple[int, ...]
    bot_weight: Fraction | None
    groups: tuple[PreferringGroup, ...]
    side_price: Fraction
    now: Mapping[int, int]
    stay: Fraction
    moves: int | None
    needed: tuple[tuple[str, int], ...]
    rows: tuple[Row, ...]
    noise: Fraction
    zero: Real
    prior: Fraction
    side_weight: Fraction
    signed: bool
    by_team: bool
    stages: tuple[Stage, ...]
    default: Fraction | None = None
    unrated: int = 0
    #: Teams that were summed up already, by who is in them; see :func:`equipoise.verifying.values.team_of`.
    known: dict[tuple[tuple[int, ...], int], Any] = field(default_factory=dict, repr=False, compare=False)
    #: Everybody as one team, by how many they are with bots.
    whole: dict[int, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def n(self) -> int:
        """How many players there are."""
        return len(self.members)

    @cached_property
    def unit(self) -> int:
        """The number of equal parts of a roster unit in which all weights are whole numbers."""
        weights = [weight for member in self.members for weight, _ in member.roles.values()]
        weights += [member.weight for member in self.members] + [self.bot_weight or Fraction(0)]
        return math.lcm(*(weight.denominator for weight in weights))

    @cached_property
    def floats(self) -> QuestionFloats:
        """What is computed with where floats can tell."""
        sides = []
        for member in self.members if self.side_price else ():
            wanted = 2 * member.side - 1
            places = (Fraction(2 * team, self.n_teams - 1) - 1 for team in range(self.n_teams))
            sides.append(
                tuple(float(self.side_price * (abs(wanted) - wanted * place) / 2) for place in places)
            )
        return QuestionFloats(float(self.noise), float(self.prior), float(self.side_weight), tuple(sides))

    def cut(self, n: int) -> Question:
        """Return the question with its first objectives alone."""
        return replace(self, stages=self.stages[:n])

    @property
    def interchangeable(self) -> bool:
        """Whether exchanging whole teams changes nothing."""
        sides = any(member.side != Fraction(1, 2) for member in self.members)
        same = all(len(set(rule)) == 1 for rule in (self.minimum, self.maximum, self.seats))
        counted = self.moves is not None or any(name == "moves" for s in self.stages for name, _ in s.terms)
        moving = bool(self.now) and (counted or bool(self.stay))
        return same and not (self.fixed or self.by_team or moving or (sides and self.side_price))
