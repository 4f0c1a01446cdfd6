"""Divisions in numbers, and what one is worse than another: the values that explanations are made of."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from itertools import zip_longest
from typing import Any

from equipoise.teams.problem.wishes import Outcome

#: What a chance must change by to count: below it is rounding.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class TeamFacts:
    """One team in numbers: players by name, and bots, sum, mean and standard deviation with bots, chance."""

    players: tuple[str, ...]
    bots: int
    total: float
    mean: float
    deviation: float
    win_probability: float


@dataclass(frozen=True, slots=True)
class Valuation:
    """A division in numbers.

    Parameters
    ----------
    teams : tuple of TeamFacts
        One for each team.
    distance : float
        The largest distance of a team's win probability from even.
    values : tuple of (str, float)
        Every registered objective and criterion that can judge the division, without the prices of wishes,
        and what is asked for.
    wishes : tuple of Outcome
        What became of the wishes that have a price.
    """

    teams: tuple[TeamFacts, ...]
    distance: float
    values: tuple[tuple[str, float], ...]
    wishes: tuple[Outcome, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers."""
        wishes = [wish.as_dict() for wish in self.wishes]
        return {**asdict(replace(self, wishes=())), "values": dict(self.values), "wishes": wishes}


@dataclass(frozen=True, slots=True)
class Moved:
    """A player by name, and the teams, from 0, that are left and joined."""

    player: str
    origin: int
    team: int


@dataclass(frozen=True, slots=True)
class Cost:
    """What one division is worse than another.

    Parameters
    ----------
    win_probability : float
        By how much a team's chance is further from even, 0 to 1; below 0 where it is nearer.
    value : float
        By how much the objective is worse, in the number it is known by; below 0 where it is better.
    wishes : float
        By how much more is paid for wishes that are broken, in win probability.
    values : tuple of float
        Of an order of objectives, by how much each is worse; empty where there is only one.
    """

    win_probability: float
    value: float
    wishes: float = 0.0
    values: tuple[float, ...] = ()

    @property
    def numbers(self) -> tuple[float, ...]:
        """All of them."""
        return (self.win_probability, self.wishes, *self.values, self.value)

    def minus(self, other: Cost) -> Cost:
        """Return what this costs more than another."""
        return Cost(
            rounded(self.win_probability - other.win_probability),
            rounded(self.value - other.value),
            rounded(self.wishes - other.wishes),
            tuple(rounded(mine - its) for mine, its in zip_longest(self.values, other.values, fillvalue=0.0)),
        )


def rounded(difference: float) -> float:
    """Return a difference, 0 where it is rounding."""
    return 0.0 if abs(difference) < ROUNDING else difference
