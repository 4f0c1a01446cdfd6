"""Roles: every team needs so many of each, and players list those they play, with a rating for each if known.

A team plays the line-up in which most of its roles are filled and, among those, its total is largest: each
player has one role, counts with the rating of that role, and with the general rating where none is left to
fill.  So the players of a team determine its totals, and a split is judged by them as any other.

References
----------
The line-up is a maximum-weight assignment; R. Bellman's dynamic program over how many of each role are filled
is exact, and short as teams need few roles.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.core.arrays import Floats, Ints, Labels
from equipoise.core.compiled import pays, run
from equipoise.core.player import Player, Rating
from equipoise.errors import InputError
from equipoise.teams.problem import role_kernels
from equipoise.teams.problem.exactness import AS_WRITTEN, CommonUnit

#: Blocks up to which the line-ups of all possible teams are kept in a table: 2^20 rows, some 40 MB.
TABLE_BLOCKS = 20

#: Combinations of filled roles beyond which a team's line-up is no longer worked out.
MOST_STATES = 1 << 16

#: What the worths of all players may sum to: less than where the kernel's numbers end.
MOST_WORTH = 1 << 61

#: Steps of the plain loop from which loading numba for a single roster pays: about half a second.
COMPILE_FROM = 1 << 21


#: Single splits whose line-ups are kept.
KNOWN = 16


class _Table(NamedTuple):
    """By the bits of a team's blocks: its sums, and where its players' roles begin in ``chosen``."""

    sums: Floats
    starts: Ints
    chosen: Ints


@dataclass(frozen=True, eq=False)
class Roles:
    """What each team needs and each player can do.

    Parameters
    ----------
    names : tuple of str
        The roles.
    needed : ndarray of int64, shape (n_roles,)
        How many of each a team needs.
    plays : ndarray of uint8, shape (n_players, n_roles)
        Whether each player plays each role.
    mu, square, variance : ndarray, shape (n_players, n_roles + 1)
        Of each player in each role: the mean, the square of its distance from the centre, sigma²; the last
        column is the general rating.
    members : tuple of tuples of int
        The places in the roster of each block's players.
    sizes : pair of int
        The fewest and the most players of the roster a team may have.
    few : bool
        Whether only a few splits are looked at, for which no table of all teams is worth making.
    """

    names: tuple[str, ...]
    needed: Ints
    plays: NDArray[np.uint8]
    mu: Floats
    square: Floats
    variance: Floats
    members: tuple[tuple[int, ...], ...]
    sizes: tuple[int, int]
    few: bool = False

    def sums(self, labels: Labels, n_teams: int) -> Floats:
        """Return how many roles each team lacks, and its totals of mu, square and variance.

        Parameters
        ----------
        labels : ndarray of int8, shape (m, n_blocks)
            The team of each block.

        Returns
        -------
        ndarray, shape (m, n_teams, 4)
        """
        if self._tabled:
            sums = np.empty((len(labels), n_teams, 4))
            for team in range(n_teams):
                sums[:, team] = self._table.sums[self._masks(labels == team)]
            return sums
        if len(labels) == 1:
            # A split that is found is looked at from many sides: whether it is legal, its totals, its cost.
            key = bytes([n_teams]) + labels.tobytes()
            if key not in self._known:
                if len(self._known) >= KNOWN:
                    self._known.clear()
                self._known[key] = self._sums(labels, n_teams)
            return self._known[key].copy()
        return self._sums(labels, n_teams)

    def _sums(self, labels: Labels, n_teams: int) -> Floats:
        of_players = labels[:, self._block_of]
        order = np.argsort(of_players, axis=1, kind="stable").ravel()
        counts = np.stack([(of_players == team).sum(axis=1) for team in range(n_teams)], axis=1)
        starts = np.concatenate([[0], np.cumsum(counts.ravel())])
        return self._line_ups(order, starts)[0].reshape(len(labels), n_teams, 4)

    def sums_of(self, labels: Labels, teams: Ints) -> Floats:
        """Return what :meth:`sums` does of one team of each split, shape (m, 4); teams (m,)."""
        has = labels == teams[:, None]
        if self._tabled:
            return np.asarray(self._table.sums[self._masks(has)])
        of_players = has[:, self._block_of]
        starts = np.concatenate([[0], np.cumsum(of_players.sum(axis=1))])
        return self._line_ups(np.nonzero(of_players)[1], starts)[0]

    @property
    def work(self) -> float:
        """How many steps the line-ups of all players of a split take."""
        return float(len(self.mu) * (len(self.needed) + 1) * np.prod(self.needed + 1.0))

    def line_up(self, places: Sequence[int]) -> list[str]:
        """Return what each player of a team plays, in their order; empty for no role."""
        # In the order of the roster, so that among equal line-ups it is the one the totals come from.
        team = np.sort(np.array(places, dtype=np.int64))
        if self._tabled:
            has = np.zeros(len(self.members), dtype=np.bool_)
            has[self._block_of[team]] = True
            begin = self._table.starts[self._masks(has)]
            chosen = self._table.chosen[begin : begin + len(team)]
        else:
            chosen = self._line_ups(team, np.array([0, len(team)]))[1]
        role_of = dict(zip(team.tolist(), chosen.tolist(), strict=True))
        return [(*self.names, "")[role_of[place]] for place in places]

    def rating(self, place: int, role: str) -> float:
        """Return the mean of a player's rating in a role; in none, of the general one."""
        return float(self.mu[place, self.names.index(role) if role else -1])

    @cached_property
    def kinds(self) -> list[tuple[float, ...]]:
        """What players must have in common to be equal, one for each block of a single player."""
        rows = np.concatenate([self.plays, self.mu, self.variance], axis=1)
        return [tuple(rows[places[0]].tolist()) if len(places) == 1 else () for places in self.members]

    @cached_property
    def _known(self) -> dict[bytes, Floats]:
        """The sums of single splits that were asked for last."""
        return {}

    @cached_property
    def _worth(self) -> Ints:
        """The means as whole numbers, in which line-ups are compared."""
        return whole_numbers(self.mu)

    @property
    def _tabled(self) -> bool:
        return len(self.members) <= TABLE_BLOCKS and not self.few

    @cached_property
    def _block_of(self) -> Ints:
        block_of = np.empty(len(self.mu), dtype=np.int64)
        for block, places in enumerate(self.members):
            block_of[list(places)] = block
        return block_of

    def _masks(self, has: NDArray[np.bool_]) -> Ints:
        """Return the bits of teams' blocks, shape (...), for whether each has a block, (..., n_blocks)."""
        # Floats, as NumPy multiplies them many times faster; they hold as many bits exactly.
        return np.asarray(has.astype(np.float64) @ self._bits).astype(np.int64)

    @cached_property
    def _bits(self) -> Floats:
        return np.ldexp(1.0, np.arange(len(self.members)))

    @cached_property
    def _table(self) -> _Table:
        """The line-ups of every team there can be."""
        masks, players, starts = _teams(self.members, *self.sizes)
        size = 1 << len(self.members)
        sums, begins = np.zeros((size, 4)), np.zeros(size, dtype=np.int64)
        sums[:, 0] = np.inf
        sums[masks], chosen = self._line_ups(players, starts)
        begins[masks] = starts[:-1]
        return _Table(sums, begins, chosen)

    def _line_ups(self, players: Ints, starts: Ints) -> tuple[Floats, Ints]:
        """Return the sums of teams, shape (n, 4), and each player's role."""
        states = int(np.prod(self.needed + 1))
        work = len(players) * states * (len(self.needed) + 1)
        fast = pays(work, COMPILE_FROM)
        sums, chosen = np.empty((len(starts) - 1, 4)), np.empty(len(players), dtype=np.int64)
        longest = int(np.diff(starts).max(initial=0))
        scratch = role_kernels.Scratch(
            total=np.empty((longest + 1, states), dtype=np.int64),
            taken=np.empty((max(longest, 1), states), dtype=np.int64),
            before=np.empty((states, len(self.needed)), dtype=np.int64),
            filled=np.empty(states, dtype=np.int64),
            radix=np.empty(len(self.needed), dtype=np.int64),
        )
        ratings = role_kernels.RoleRatings(self._worth, self.mu, self.square, self.variance)
        run(
            role_kernels.line_ups,
            *(players, starts, self.needed, self.plays, ratings, scratch, sums, chosen),
            fast=fast,
        )
        return sums, chosen


def whole_numbers(weights: Floats) -> Ints:
    """Return weights as multiples of the largest unit that all are multiples of, as they are written.

    Where sums of such numbers are too large, the unit is larger, and weights are rounded to it.

    Parameters
    ----------
    weights : ndarray, shape (n, m)
        Of which one in every row is added up.

    Examples
    --------
    >>> whole_numbers(np.array([[0.1, 0.25], [7.0, 7.0]])).tolist()
    [[2, 5], [140, 140]]
    """
    from fractions import Fraction  # only who asks for roles waits for it

    written = [Fraction(repr(weight)) for weight in weights.ravel().tolist()]
    unit = math.lcm(*(number.denominator for number in written))
    numbers = [int(number * unit) for number in written]
    common = math.gcd(*numbers) or 1
    rows = np.array(numbers, dtype=object).reshape(weights.shape)
    largest = sum(max(map(abs, row)) for row in rows)
    shared = max(common, -(-largest // MOST_WORTH))
    whole = [round(Fraction(number, shared)) for number in numbers]
    return np.array(whole, dtype=np.int64).reshape(weights.shape)


@lru_cache(maxsize=8)
def _teams(members: tuple[tuple[int, ...], ...], least: int, most: int) -> tuple[Ints, Ints, Ints]:
    """Return all teams within the sizes: the bits of their blocks, their players, and where each begins.

    They are in an order in which a team shares its first players with the one before.
    """
    n = len(members)
    masks = np.arange(1 << n, dtype=np.int64)
    sizes = np.zeros(1 << n, dtype=np.int64)
    for block, places in enumerate(members):
        sizes += (masks >> block & 1) * len(places)
    masks = masks[(sizes >= least) & (sizes <= most)]
    at = sorted((place, block) for block, places in enumerate(members) for place in places)
    has = np.stack([(masks >> block & 1).astype(np.bool_) for _, block in at], axis=1)
    order = np.lexsort(has.T[::-1])
    _, players = np.nonzero(has[order])
    counts = has[order].sum(axis=1)
    return masks[order], players.astype(np.int64), np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def roles_of(
    players: Sequence[Player],
    needed: Mapping[str, int],
    centre: float,
    members: tuple[tuple[int, ...], ...],
    sizes: tuple[int, int],
    counted: CommonUnit = AS_WRITTEN,
) -> Roles:
    """Return what a roster of rated players can do of what teams need, counted in a unit.

    A player who lists no roles plays all of them.

    Raises
    ------
    InputError
        If a number is out of range, or there are so many roles that line-ups are not worked out.
    """
    for role, number in needed.items():
        if not role or not 1 <= number <= sizes[1]:
            msg = f": {role!r} must be from 1 to {sizes[1]}, the size of a team, got {number}"
            raise InputError(msg, "roles")
    if int(np.prod([float(number + 1) for number in needed.values()])) > MOST_STATES:
        msg = f": {', '.join(needed)} are too many; their combinations must not exceed {MOST_STATES}"
        raise InputError(msg, "roles")
    played = [dict(player.roles) for player in players]
    ratings = [
        [*(roles.get(role) or player.rating for role in needed), player.rating]
        for roles, player in zip(played, players, strict=True)
    ]
    known = [[rating for rating in row if isinstance(rating, Rating)] for row in ratings]
    mu = counted.weights(np.array([[rating.mu for rating in row] for row in known]))
    sigma = counted.unit.each_counted(np.array([[rating.sigma for rating in row] for row in known]))
    plays = [[not roles or role in roles for role in needed] for roles in played]
    return Roles(
        names=tuple(needed),
        needed=np.array(list(needed.values()), dtype=np.int64),
        plays=np.array(plays, dtype=np.uint8),
        mu=mu,
        square=(mu - centre) ** 2,
        variance=sigma * sigma,
        members=members,
        sizes=sizes,
    )
