"""The problem every solver gets: blocks with additive features, and which splits are legal.

A block is what cannot be divided: a player, or a party that stays together.
A split is a row of labels, the team of each block.
Objectives see only the features' sums over each team (the totals), so nothing here knows an objective.
A subproblem divides some blocks again, while the others are held where they are.

A player changes team who is in another one than ``Player.team_now``; those without one, and bots that fill
up, do not count.  Changes have a price each, paid with those of preferences, or there may be at most so many,
counted in totals of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from equipoise.core.arrays import Bools, Floats, Ints, Labels
from equipoise.core.player import NO_SIDE, Player
from equipoise.errors import InputError
from equipoise.teams.problem.exactness import LARGEST, ROSTER, Rounding, Unit
from equipoise.teams.problem.linear_rules import Rows
from equipoise.teams.problem.preferences import Prices
from equipoise.teams.problem.roles import Roles


@dataclass(frozen=True, eq=False)
class Moving:
    """How many players change team, and how many may.

    Parameters
    ----------
    each : ndarray, shape (n_blocks, n_teams)
        How many of a block's players change team where it is in a team.
    most : int or None
        How many players may; None for any number.
    price : float
        What each pays, in win probability; it is among the prices of the problem.
    """

    each: Floats
    most: int | None = None
    price: float = 0.0

    def counted(self, labels: Labels) -> Floats:
        """Return how many players of each team come from another, shape (m, n_teams)."""
        n_teams = self.each.shape[1]
        return np.stack([(labels == team) @ self.each[:, team] for team in range(n_teams)], axis=1)

    def excess(self, labels: Labels) -> Floats:
        """Return how many more players change team than may, shape (m,)."""
        if self.most is None:
            return np.zeros(len(labels))
        return np.asarray(np.maximum(self.counted(labels).sum(axis=1) - self.most, 0.0))


def check_team(player: Player, field: str, n_teams: int) -> None:
    """Refuse a player's ``team`` or ``team_now`` where there is no such team."""
    team: int | None = getattr(player, field)
    if team is not None and not 0 <= team < n_teams:
        msg = f"of {player.label!r} must be from 1 to {n_teams}, got {team + 1}"
        raise InputError(msg, field, player.id)


def moves_of(players: Sequence[Player], n_teams: int) -> Floats:
    """Return 1 for each player in each team that is not theirs now, else 0; shape (n_players, n_teams).

    Raises
    ------
    InputError
        If somebody is in a team that there is not.

    Examples
    --------
    >>> moves_of([Player("Ann", team_now=1), Player("Bob")], 2)
    array([[1., 0.],
           [0., 0.]])
    """
    moves = np.zeros((len(players), n_teams))
    for index, player in enumerate(players):
        if player.team_now is None:
            continue
        check_team(player, "team_now", n_teams)
        moves[index] = 1.0
        moves[index, player.team_now] = 0.0
    return moves


#: The features of a block, in the order of the last axis of totals: how many players, and the sums of
#: their mu, (mu - centre)², sigma² and side preference.
COUNT, MU, SQUARE, VARIANCE, SIDE = range(5)
N_FEATURES = 5

#: The last column of totals where preferences have prices: what each team's players pay for broken ones.
PRICE = 5

#: The column after it where it counts who changes team: how many of each team's players come from another.
MOVES = 6

#: Bits that a number has, and an exponent below those of all numbers.
BITS, NOTHING = 53, -1100


class SizeRules(NamedTuple):
    """The rules of :class:`Problem` on sizes, as documented there."""

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


@dataclass(frozen=True, eq=False)
class Problem:
    """Blocks to be divided into teams.

    Parameters
    ----------
    features : ndarray, shape (n_blocks, 5)
        The sums over each block's players: count, mu, (mu - centre)², sigma², side preference.
    min_size, max_size : tuple of int, length n_teams
        How many players of the roster each team may have.
    max_difference : int
        By how many such players the largest team may exceed the smallest.
    seats : tuple of int, length n_teams
        The size every team is filled to with bots; where a team is larger than its seats, all are
        filled by as many more.  Without effect where ``filler`` is None.
    filler : ndarray, shape (5,), or None
        The features of one bot.
    apart : tuple of pairs of int
        Blocks that must not be in one team.
    fixed : tuple of int, length n_blocks
        The team a block is bound to, -1 where it is free.
    centre : float
        What is subtracted from mu before squaring: with it the sums of squares keep their digits.
    members : tuple of tuples of int
        The places in the roster of each block's players.
    unit : Unit
        What one of the problem's units is in those of the roster.
    exact : bool
        Whether weights are whole numbers in it, those of bots too, and all sums of them exact.
    prices : Prices, optional
        What splits pay for the preferences they break.
    roles : Roles, optional
        What each team needs and who plays it: a team's totals are then those of its line-up.
    rows : Rows, optional
        Linear rules besides.
    moving : Moving, optional
        Who is in which team already, and how many may change it.
    uneven : bool
        Whether the objective tells the first of two teams from the second, for their sides.
    """

    features: Floats
    min_size: tuple[int, ...]
    max_size: tuple[int, ...]
    max_difference: int
    seats: tuple[int, ...]
    filler: Floats | None
    apart: tuple[tuple[int, int], ...]
    fixed: tuple[int, ...]
    centre: float
    members: tuple[tuple[int, ...], ...]
    unit: Unit = ROSTER
    exact: bool = False
    prices: Prices | None = None
    roles: Roles | None = None
    rows: Rows | None = None
    moving: Moving | None = None
    uneven: bool = False

    @property
    def n_teams(self) -> int:
        """How many teams there are."""
        return len(self.min_size)

    @property
    def n_blocks(self) -> int:
        """How many blocks there are."""
        return len(self.features)

    @cached_property
    def sizes(self) -> Ints:
        """The number of players of each block, shape (n_blocks,)."""
        return self.features[:, COUNT].astype(np.int64)

    @cached_property
    def n_players(self) -> int:
        """How many players there are, bots that fill up not counted."""
        return int(self.sizes.sum())

    @cached_property
    def single(self) -> bool:
        """Whether every block is one player."""
        return self.n_blocks == self.n_players and bool((self.sizes == 1).all())

    @cached_property
    def integral(self) -> bool:
        """Whether all weights are whole numbers, bots not looked at."""
        return all(map(float.is_integer, self.features[:, MU].tolist()))

    @cached_property
    def grid(self) -> tuple[float, float]:
        """A weight and a step, of which all players' weights are so many more; (0, 0) where none are whole.

        In parties it is the weights of blocks that are multiples of the step, and the weight is 0.
        """
        if not self.integral or np.abs(self.features[:, MU]).max(initial=0.0) >= LARGEST:
            return 0.0, 0.0
        mu = self.features[:, MU].astype(np.int64)
        base = int(mu.min()) if self.single and len(mu) else 0
        return float(base), float(int(np.gcd.reduce(mu - base)) or 1)

    @cached_property
    def _parts(self) -> Floats:
        return parts_of(self.features)

    @cached_property
    def whole(self) -> Floats:
        """The features summed over all players, bots not counted, shape (5,)."""
        return np.asarray(self.features.sum(axis=0))

    @cached_property
    def interchangeable(self) -> bool:
        """Whether exchanging whole teams gives the same split."""
        same_rules = all(len(set(rule)) == 1 for rule in (self.min_size, self.max_size, self.seats))
        return same_rules and not self.named

    @property
    def named(self) -> bool:
        """Whether somebody is bound to a certain team, prefers it, or a rule is about one."""
        return self.sided or max(self.fixed, default=-1) >= 0

    @property
    def sided(self) -> bool:
        """Whether a team differs from the others in more than its size and who is bound to it.

        Preferences for a side count as such: objectives weigh them by team where teams are told apart.
        """
        return self._sided or self.moving is not None

    @cached_property
    def _sided(self) -> bool:
        """Whether a team differs so in more than who is in it now."""
        if self.uneven:
            return True
        stay = 0.0 if self.moving is None else self.moving.price * self.moving.each
        priced = self.prices is not None and bool((self.prices.sides != stay).any())
        ruled = self.rows is not None and not self.rows.alike
        # Teams are told apart where somebody is bound to one, and where their sizes are given and differ.
        sizes = {*zip(self.min_size, self.max_size, strict=True)}
        told_apart = max(self.fixed, default=-1) >= 0 or len(sizes) > 1
        if priced or ruled or not told_apart:
            return priced or ruled
        return bool((self.features[:, SIDE] != self.features[:, COUNT] * NO_SIDE).any())

    @cached_property
    def rounding(self) -> Rounding:
        """How far computed totals may be from those of the numbers that were written."""
        return Rounding(self)

    @property
    def level(self) -> bool:
        """Whether all teams have as many of the roster's players as any other, however they are divided."""
        return self.n_players % self.n_teams == 0 and self.max_difference <= 1

    @property
    def plain(self) -> bool:
        """Whether the features, sizes, who is apart and who is fixed say all there is."""
        extended = self.prices is not None or self.roles is not None or self.rows is not None
        return not (extended or self.moving is not None)

    @cached_property
    def kinds(self) -> Ints:
        """Equal numbers for blocks that a solver may exchange freely, shape (n_blocks,).

        These are single players with equal features, neither fixed nor kept apart from anyone, nor in a
        preference or a rule of another kind.
        """
        bound = {block for pair in self.apart for block in pair}
        if self.rows is not None:
            bound |= self.rows.blocks
        bound.update(block for block, team in enumerate(self.fixed) if team >= 0)
        return self._numbered(bound) if bound else self.looks

    @cached_property
    def looks(self) -> Ints:
        """Equal numbers for single players with equal features, shape (n_blocks,).

        Splits in which only such players are exchanged look the same, whatever rules they have; players
        in preferences with a price do not, as the price differs.
        """
        return self._numbered(set())

    def _numbered(self, bound: set[int]) -> Ints:
        if len(set(self.features[:, MU].tolist())) == self.n_blocks:
            return np.arange(self.n_blocks, dtype=np.int64)
        seen: dict[tuple[float, ...], int] = {}
        numbers = []
        if self.prices is not None:
            bound = bound | self.prices.blocks
        for block, (row, places) in enumerate(zip(self.features.tolist(), self.members, strict=True)):
            alone = len(places) == 1 and block not in bound
            if alone and self.roles is not None:
                row.extend(self.roles.kinds[block])
            if alone and self.moving is not None:
                row.extend(self.moving.each[block].tolist())
            numbers.append(seen.setdefault(tuple(row) if alone else (block,), len(seen)))
        return np.array(numbers, dtype=np.int64)

    def counts(self, labels: Labels) -> Ints:
        """Return how many players of the roster each team has, shape (m, n_teams); labels (m, n_blocks)."""
        counts = np.empty((len(labels), self.n_teams), dtype=np.int64)
        for team in range(self.n_teams):
            counts[:, team] = (labels == team) @ self.sizes
        return counts

    def bots(self, counts: Ints) -> Ints:
        """Return how many bots fill up each team, shape (m, n_teams), for counts of that shape."""
        if self.filler is None:
            return np.zeros_like(counts)
        seats = np.array(self.seats)
        excess = np.maximum((counts - seats).max(axis=1, keepdims=True), 0)
        return cast("Ints", seats + excess - counts)

    def totals(self, labels: Labels) -> Floats:
        """Return the sums of the features over each team, bots included.

        Parameters
        ----------
        labels : ndarray of int8, shape (m, n_blocks)
            The team of each block, from 0.

        Returns
        -------
        ndarray, shape (m, n_teams, 5)
            Where preferences have prices, (m, n_teams, 6): the last column is what is paid.  Where it counts
            who changes team, (m, n_teams, 7): the last one is how many do, after what is paid.
        """
        totals = np.empty((len(labels), self.n_teams, self.features.shape[1]))
        for team in range(self.n_teams):
            totals[:, team] = sums_of(labels == team, self._parts, totals.shape[2])
        if self.roles is not None:
            totals[:, :, [MU, SQUARE, VARIANCE]] = self.roles.sums(labels, self.n_teams)[:, :, 1:]
        totals = self.filled(totals)
        if self.prices is None and self.moving is None:
            return totals
        paid = np.zeros(totals.shape[:2]) if self.prices is None else self.prices.paid(labels)
        more = [paid] if self.moving is None else [paid, self.moving.counted(labels)]
        return np.concatenate([totals, *(column[:, :, None] for column in more)], axis=2)

    def filled(self, totals: Floats) -> Floats:
        """Return the totals with bots, from those without; both have shape (m, n_teams, 5)."""
        if self.filler is None:
            return totals
        return totals + self.bots(totals[:, :, COUNT].astype(np.int64))[:, :, None] * self.filler

    def legal(self, labels: Labels) -> NDArray[np.bool_]:
        """Tell which splits keep every rule, shape (m,), for labels of shape (m, n_blocks)."""
        legal = self.keeps(labels)
        if not self.plain and legal.any():
            legal[legal] = self.excess(labels[legal]) == 0.0
        return legal

    def keeps(self, labels: Labels) -> NDArray[np.bool_]:
        """Tell which splits keep the rules on sizes, who is apart and who is fixed; as :meth:`legal`."""
        if len(labels) == 1:  # NumPy takes longer than a single split does
            return np.array([self._is_kept(labels[0].tolist())])
        kept = self.legal_counts(self.counts(labels))
        for one, other in self.apart:
            kept &= labels[:, one] != labels[:, other]
        for block, team in enumerate(self.fixed):
            if team >= 0:
                kept &= labels[:, block] == team
        return kept

    def _is_kept(self, labels: list[int]) -> bool:
        """Tell what :meth:`keeps` does of one split."""
        counts = [0] * self.n_teams
        for team, size in zip(labels, self.sizes.tolist(), strict=True):
            if 0 <= team < len(counts):
                counts[team] += size
        sizes = SizeRules(self.min_size, self.max_size, self.max_difference, self.seats)
        fixed = all(team in (-1, label) for team, label in zip(self.fixed, labels, strict=True))
        apart = all(labels[one] != labels[other] for one, other in self.apart)
        return fixed and apart and sizes.holds(counts)

    def size_violation(self, counts: Ints) -> Floats:
        """Return how many players are too many or too few, shape (m,), for counts of shape (m, n_teams)."""
        broken = (
            np.maximum(counts - self.max_size, 0).sum(axis=1)
            + np.maximum(self.min_size - counts, 0).sum(axis=1)
            + np.maximum(np.ptp(counts, axis=1) - self.max_difference, 0)
        )
        return np.asarray(broken, dtype=np.float64)

    def excess(self, labels: Labels) -> Floats:
        """Return by how much splits break rules on roles, custom rules and the limit of moves, shape (m,).

        Bots that fill up take the roles that are left.
        """
        excess = np.zeros(len(labels))
        if self.roles is not None:
            excess += self.lack(self.roles.sums(labels, self.n_teams)[:, :, 0], self.counts(labels))
        if self.rows is not None:
            excess += self.rows.excess(labels)
        if self.moving is not None:
            excess += self.moving.excess(labels)
        return excess

    def lack(self, lack: Floats, counts: Ints) -> Floats:
        """Return how many roles nobody plays once bots have taken some, shape (m,); lack (m, n_teams)."""
        if self.filler is not None:
            lack = np.maximum(lack - self.bots(counts), 0.0)
        return np.asarray(lack.sum(axis=1))

    def legal_counts(self, counts: Ints) -> NDArray[np.bool_]:
        """Tell which team sizes are legal, shape (m,), for counts of shape (m, n_teams)."""
        within = np.ones(len(counts), dtype=np.bool_)
        for team in range(self.n_teams):
            within &= counts[:, team] >= self.min_size[team]
            within &= counts[:, team] <= self.max_size[team]
        if self.n_teams == 2:
            within &= np.abs(counts[:, 0] - counts[:, 1]) <= self.max_difference
        else:
            within &= counts.max(axis=1) - counts.min(axis=1) <= self.max_difference
        return within

    def canonical(self, labels: Labels) -> Labels:
        """Return labels (n_blocks,) with interchangeable teams numbered by their first block."""
        if not self.interchangeable:
            return labels
        if self.n_teams == 2:
            return labels if not len(labels) or labels[0] == 0 else (1 - labels).astype(np.int8)
        names: dict[int, int] = {}
        return np.array([names.setdefault(team, len(names)) for team in labels.tolist()], dtype=np.int8)

    @cached_property
    def team_rules(self) -> tuple[tuple[int, ...], ...]:
        """What holds for each team; teams for which the same holds are interchangeable."""
        return self._team_rules(sided=self.sided)

    @cached_property
    def team_rules_but_now(self) -> tuple[tuple[int, ...], ...]:
        """The same but for who is in which team now: other numbers for such teams change nothing else."""
        return self._team_rules(sided=self._sided)

    def _team_rules(self, *, sided: bool) -> tuple[tuple[int, ...], ...]:
        told_apart = [team if sided or team in self.fixed else -1 for team in range(self.n_teams)]
        return tuple(zip(told_apart, self.min_size, self.max_size, self.seats, strict=True))


def parts_of(rows: Floats) -> Floats:
    """Return rows of numbers in parts side by side, the smallest first, whose sums are exact in any order.

    A matrix product adds up in an order of the processor's own, with which the last digit differs.  Multiples
    of so large a power of two are not rounded; two such make up a number, unless some are far larger
    (S. Rump, T. Ogita, S. Oishi, SIAM J. Sci. Comput. 31 (2008) 189, section 3).
    """
    parts, many, rest = list[Floats](), len(rows).bit_length(), rows
    exponents = np.frexp(np.abs(rows).max(axis=0, initial=0.0))[1] + many
    while not parts or (rest.any() and exponents.max() > NOTHING):
        # To add a number of so many bits and take it away again leaves a multiple of its last bit.
        large = np.ldexp(1.5, exponents)
        parts.append((rest + large) - large)
        rest = rest - parts[-1]
        exponents = exponents - (BITS - 1 - many)
    return np.concatenate(parts[::-1], axis=1)


def sums_of(chosen: Bools, parts: Floats, width: int) -> Floats:
    """Return the sums of rows of which there are parts, shape (m, width), for those chosen, (m, n)."""
    sums = chosen.astype(np.float64) @ parts
    return np.asarray(sums.reshape(len(chosen), parts.shape[1] // width, width).sum(axis=1))


def subproblem(problem: Problem, labels: Labels, blocks: NDArray[np.intp]) -> Problem:
    """Return the problem of dividing some blocks, while all others are held as one block for each team.

    Parameters
    ----------
    problem : Problem
        What was to be divided.
    labels : ndarray, shape (n_blocks,)
        The team of each block.
    blocks : ndarray of int
        Those that may move; in the new problem they come after the teams' held blocks, in this order.
        Of pairs that must be apart both are among them, or else nobody looks at the pair.
    """
    place = {block: n for n, block in enumerate(blocks.tolist(), start=problem.n_teams)}
    stays = np.ones(problem.n_blocks, dtype=np.bool_)
    stays[blocks] = False
    held = [problem.features[stays & (labels == team)].sum(axis=0) for team in range(problem.n_teams)]
    return replace(
        problem,
        features=np.concatenate([np.array(held), problem.features[blocks]]),
        apart=tuple((place[a], place[b]) for a, b in problem.apart if a in place and b in place),
        fixed=(*range(problem.n_teams), *(problem.fixed[block] for block in place)),
        members=((),) * problem.n_teams + tuple(problem.members[block] for block in place),
    )
