"""Custom rules: linear rows over who is in which team, which every split must keep."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from equipoise.core.arrays import Floats, Labels
from equipoise.core.player import LARGEST_WEIGHT, as_floats, plain_number
from equipoise.errors import InputError
from equipoise.teams.problem.exactness import OPERATIONS, UNIT, multiples

#: A player, or a player and a team counted from 0.
Who = str | tuple[str, int]


@dataclass(frozen=True, slots=True)
class Rule:
    """A sum over the players of a team that must stay within limits.

    With ``x[player, team]`` for 1 where the player is in the team and 0 elsewhere, a term named by a player
    alone stands for ``x[player, team]`` in one row for every team; a term named by player and team is in
    every row the rule has, and where there are only such, the rule is one row.  Bots are not counted.

    Parameters
    ----------
    name : str
        What messages call it.
    terms : mapping from str, or from (str, int), to float
        The coefficient of each player (id or name), or of each player in a team counted from 0.
    low, high : float
        What the sum must be at least, and at most.

    Raises
    ------
    InputError
        If there is no term, no limit, or a number is out of range.

    Examples
    --------
    At most two medics a team:

    >>> Rule("medics", {"Ann": 1, "Bob": 1, "Cid": 1}, high=2).low
    -inf
    """

    name: str
    terms: Mapping[Who, float]
    low: float = -math.inf
    high: float = math.inf

    def __post_init__(self) -> None:
        if not self.terms:
            msg = f"rule {self.name!r} must name at least one player, got none"
            raise InputError(msg)
        as_floats(self, "low", "high")
        numbers = {who: plain_number(factor) for who, factor in self.terms.items()}
        for who, factor in numbers.items():
            if factor is None or not -LARGEST_WEIGHT <= factor <= LARGEST_WEIGHT:
                what = f"the factor of {who!r} must be a number from -1e15 to 1e15"
                msg = f"rule {self.name!r}: {what}, got {self.terms[who]!r}"
                raise InputError(msg)
        object.__setattr__(self, "terms", numbers)
        if self.low == -math.inf and self.high == math.inf:
            msg = f"rule {self.name!r} has no limit; give 'low', 'high' or both"
            raise InputError(msg)
        if not self.low <= self.high:
            msg = f"rule {self.name!r} has the least sum {self.low!r} above the greatest, {self.high!r}"
            raise InputError(msg)


@dataclass(frozen=True, eq=False)
class Rows:
    """The rules as one matrix, each counted in the greatest unit of which its numbers are multiples.

    Parameters
    ----------
    factors : ndarray, shape (n_rows, n_blocks, n_teams)
        The coefficient of each block in each team.
    low, high : ndarray, shape (n_rows,)
        The limits.
    names : tuple of str
        The rules' names.
    alike : bool
        Whether every team has the same rules.
    rounding : ndarray, shape (n_rows,)
        What rounding does to a row's sums: nothing, unless its numbers are too fine for such a unit.
    """

    factors: Floats
    low: Floats
    high: Floats
    names: tuple[str, ...]
    alike: bool
    rounding: Floats

    @property
    def blocks(self) -> set[int]:
        """The blocks that any rule is about."""
        return set(np.flatnonzero(self.factors.any(axis=(0, 2))).tolist())

    def excess(self, labels: Labels) -> Floats:
        """Return by how much splits break the rules, shape (m,); 0 where all are kept."""
        sums = np.zeros((len(labels), len(self.low)))
        for team in range(self.factors.shape[2]):
            sums += ((labels == team)[:, None] * self.factors[:, :, team]).sum(axis=2)
        size = np.abs(self.factors).max(axis=2).sum(axis=1) + 1.0
        beyond = np.maximum(sums - self.high, self.low - sums)
        return cast("Floats", np.where(beyond > self.rounding, beyond / size, 0.0).sum(axis=1))


def rows_of(
    rules: Sequence[Rule],
    n_teams: int,
    block_of: Sequence[int],
    n_blocks: int,
    find: Callable[[str, str], int],
) -> Rows | None:
    """Return the matrix of rules; None where there are none.

    Parameters
    ----------
    rules : sequence of Rule
        What is asked for.
    n_teams, n_blocks : int
        How many there are.
    block_of : sequence of int
        The block of each player.
    find : callable
        Gives a player's place in the roster from an argument's name, for messages, and an id or name.

    Raises
    ------
    InputError
        If a rule names a player or a team that is not there.
    """
    if not rules:
        return None
    factors, low, high, names, rounding = [], [], [], [], []
    alike = True
    for rule in rules:
        every = np.zeros((n_blocks, n_teams))
        single = np.zeros((n_blocks, n_teams))
        general = False
        counted, limits, lost = _counted(rule)
        for who, factor in zip(rule.terms, counted, strict=True):
            player, team = (who, None) if isinstance(who, str) else who
            block = block_of[find(f"rule {rule.name!r}", player)]
            if team is None:
                general = True
                every[block] += factor
                continue
            if not 0 <= team < n_teams:
                msg = f"rule {rule.name!r}: it names team {team + 1}; there are teams 1 to {n_teams}"
                raise InputError(msg)
            alike = False
            single[block, team] += factor
        for team in range(n_teams if general else 1):
            row = single.copy()
            if general:
                row[:, team] += every[:, team]
            factors.append(row)
            low.append(limits[0])
            high.append(limits[1])
            names.append(rule.name)
            rounding.append(lost)
    return Rows(np.array(factors), np.array(low), np.array(high), tuple(names), alike, np.array(rounding))


def _counted(rule: Rule) -> tuple[list[float], tuple[float, float], float]:
    """Return a rule's coefficients and limits as multiples of one unit, and what rounding does to its sums.

    Examples
    --------
    >>> _counted(Rule("r", {"Ann": 0.1, "Bob": 0.2}, high=0.3))
    ([1.0, 2.0], (-inf, 3.0), 0.0)
    """
    numbers = np.array([*rule.terms.values(), *filter(math.isfinite, (rule.low, rule.high))])
    whole = multiples(numbers)
    lost = (len(numbers) + OPERATIONS) * UNIT * float(np.abs(numbers).sum()) if whole is None else 0.0
    counted = (numbers if whole is None else whole[0]).tolist()
    rest = iter(counted[len(rule.terms) :])
    low, high = (next(rest) if math.isfinite(limit) else limit for limit in (rule.low, rule.high))
    return counted[: len(rule.terms)], (low, high), lost
