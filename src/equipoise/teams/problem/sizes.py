"""Team sizes: from what an organiser asks for to the rules a problem has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from equipoise.errors import InputError
from equipoise.players import MOST_PLAYERS, Bots


@dataclass(frozen=True)
class Sizes:
    """How large teams are wanted to be.

    Parameters
    ----------
    exact : tuple of int or None
        The size of each team.
    minimum, maximum : int or None
        How many players of the roster each team may have.
    max_difference : int or None
        By how many such players the teams may differ; by default one, or any number where sizes or
        limits are given.

    Raises
    ------
    InputError
        If a number is below 0 or above a million, or the limits exclude each other.
    """

    exact: tuple[int, ...] | None = None
    minimum: int | None = None
    maximum: int | None = None
    max_difference: int | None = None

    def __post_init__(self) -> None:
        numbers = [("sizes", size) for size in self.exact or ()]
        numbers += [("min_size", self.minimum), ("max_size", self.maximum)]  # type: ignore[list-item]
        numbers += [("max_difference", self.max_difference)]  # type: ignore[list-item]
        for name, number in numbers:
            if number is not None and not 0 <= number <= MOST_PLAYERS:
                msg = f"must be from 0 to {MOST_PLAYERS}, got {number}"
                raise InputError(msg, name)
        if self.minimum is not None and self.maximum is not None and self.minimum > self.maximum:
            msg = f"must be at most max_size, which is {self.maximum}, got {self.minimum}"
            raise InputError(msg, "min_size")


class SizeRules(NamedTuple):
    """The rules of :class:`equipoise.teams.problem.problem.Problem` on sizes, as documented there."""

    minimum: tuple[int, ...]
    maximum: tuple[int, ...]
    difference: int
    seats: tuple[int, ...]

    @property
    def largest_difference(self) -> int:
        """By how many players the teams may differ."""
        return min(self.difference, max(self.maximum) - min(self.minimum))

    def holds(self, counts: Sequence[int]) -> bool:
        """Tell whether teams of these sizes keep the rules."""
        rules = zip(self.minimum, counts, self.maximum, strict=True)
        return all(low <= n <= high for low, n, high in rules) and (
            max(counts) - min(counts) <= self.difference
        )


def size_rules(n: int, n_teams: int, sizes: Sizes, bots: Bots | None) -> SizeRules:
    """Return the rules for a roster of n players.

    Raises
    ------
    InputError
        If no split has such sizes.
    """
    if sizes.exact is not None:
        return _exact(n, n_teams, sizes.exact, sizes.max_difference, bots)
    limited = sizes.minimum is not None or sizes.maximum is not None
    minimum = int(bots is None and n >= n_teams) if sizes.minimum is None else sizes.minimum
    maximum = n if sizes.maximum is None else sizes.maximum
    if minimum * n_teams > n or maximum * n_teams < n:
        msg = f": {n_teams} teams of {minimum} to {maximum} players do not hold {n} players exactly"
        raise InputError(msg, "sizes")
    difference = sizes.max_difference
    if difference is None:
        difference = n if limited else 1
    seats = bots.seats(n_teams) if bots is not None else 0
    return SizeRules((minimum,) * n_teams, (maximum,) * n_teams, difference, (seats,) * n_teams)


def _exact(
    n: int, n_teams: int, exact: tuple[int, ...], difference: int | None, bots: Bots | None
) -> SizeRules:
    """Return the rules for teams of given sizes, which with bots are seats to be filled up."""
    if len(exact) != n_teams:
        msg = f" must have one size for each of {n_teams} teams, got {len(exact)}"
        raise InputError(msg, "sizes")
    seats = sum(exact)
    if seats < n or (seats > n and bots is None):
        least = "" if bots is None else "at least "
        msg = f" must add up to {least}{n}, the number of players, got {'+'.join(map(str, exact))} = {seats}"
        raise InputError(msg, "sizes")
    if bots is None:
        return SizeRules(exact, exact, n if difference is None else difference, exact)
    if bots.minimum or bots.target or bots.maximum is not None:
        msg = " fix how large the teams are; leave out the minimum, maximum and target of the bots"
        raise InputError(msg, "sizes")
    if difference is None:
        difference = max(1, max(exact) - min(exact))
    return SizeRules((0,) * n_teams, exact, difference, exact)
