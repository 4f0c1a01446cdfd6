"""Teams of two by bins: a linear program over all pairs of bins and lobbies, by column generation.

Players are gathered into bins of near skill.  Half the bins are of equal width and half of equally many
players: fine in the bulk and in the tails.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from equipoise.arrays import Floats, Ints, Places, least
from equipoise.lobbies.problem import LobbyProblem
from equipoise.programs import Program
from equipoise.stopping import Stop

#: Columns that come in for each bin and lobby: at first, at first with prices known of other bins, and later.
FIRST, FIRST_PRICED, ROUND = 6, 3, 2

#: Bins of which the median cost is taken, and bins whose pairs are priced at a time.
SAMPLED, ROWS = 200, 100


@dataclass(frozen=True)
class Binned:
    """The solution of the linear program over bins.

    Parameters
    ----------
    middle : ndarray of float, shape (n_bins,)
        Each bin's mean skill.
    price : ndarray of float, shape (n_bins,)
        What a player of the bin is worth.
    lobby : ndarray of float, shape (n_lobbies,)
        What a team in the lobby is worth.
    one, other, where : ndarray of int, shape (n_flows,)
        The bins and lobby of each kind of pair there is.
    flow : ndarray of float, shape (n_flows,)
        How many pairs of the kind there are.
    """

    middle: Floats
    price: Floats
    lobby: Floats
    one: Ints
    other: Ints
    where: Ints
    flow: Floats


def ends_of_bins(skill: Floats, bins: int) -> Ints:
    """Return where bins end, half of them of equal width, half of equally many players.

    Parameters
    ----------
    skill : ndarray of float, shape (n,)
        Ascending.
    """
    n = len(skill)
    half = np.arange(1, max(bins // 2, 1) + 1) / max(bins // 2, 1)
    width = np.searchsorted(skill, skill[0] + half * (skill[-1] - skill[0]), side="right")
    ends = np.unique(np.concatenate([np.ceil(half * n), width, [n]]).astype(np.int64))
    # Players of equal skill are in one bin.
    return np.unique(np.searchsorted(skill, skill[ends[ends > 0] - 1], side="right"))


def _means(skill: Floats, ends: Ints) -> tuple[Floats, Floats]:
    """Return how many players each bin has, and their mean skill."""
    begin = np.concatenate([[0], ends[:-1]])
    counts = (ends - begin).astype(np.float64)
    return counts, np.add.reduceat(skill, begin) / counts


def solve_bins(
    problem: LobbyProblem,
    singles: Places,
    ends: Ints,
    n_teams: int,
    waiting: int,
    known: Binned | None,
    stop: Stop,
) -> Binned | None:
    """Solve the linear program over bins by column generation.

    Parameters
    ----------
    singles : ndarray of int
        The players without a party, by ascending skill.
    ends : ndarray of int, shape (n_bins,)
        Where each bin of them ends.
    known : Binned, optional
        The solution with other bins, to begin with its prices.

    Returns
    -------
    solution : Binned or None
        None where the time was up.
    """
    mass, middle = _means(problem.skill[singles], ends)
    master = _Master(problem, middle, mass, n_teams, waiting, stop)
    if known is None:
        return master.solve(np.zeros(len(middle)), np.zeros(problem.n_lobbies), FIRST)
    return master.solve(np.interp(middle, known.middle, known.price), known.lobby, FIRST_PRICED)


class _Kinds(NamedTuple):
    """Kinds of pairs: two bins, the first not above the second (-1 for a party), and a lobby."""

    one: Ints
    other: Ints
    where: Ints


class _Master:
    """The linear program: rows for bins, whole parties, lobbies and the number of teams."""

    def __init__(
        self, problem: LobbyProblem, middle: Floats, mass: Floats, n_teams: int, waiting: int, stop: Stop
    ) -> None:
        self.problem, self.middle, self.bins = problem, middle, len(middle)
        whole = np.flatnonzero(problem.size == 2)
        parties, counts = np.zeros(0), np.zeros(0)
        if len(whole):
            order = whole[np.argsort(problem.skill[whole], kind="stable")]
            ends = ends_of_bins(problem.skill[order], self.bins)
            counts, parties = _means(problem.skill[order], ends)
        supply = np.concatenate([mass, counts])
        low = np.concatenate([np.zeros(len(supply)) if waiting else supply, problem.least, [n_teams]])
        high = np.concatenate([supply, problem.most, [n_teams]])
        self.program = Program(low.astype(np.float64), high.astype(np.float64), stop)
        self.first_lobby = len(supply)
        self.stop = stop
        self.alone = mass < 2
        # Costs of about 1, whatever the roster's unit: HiGHS works with absolute tolerances.
        some = middle[:: max(self.bins // SAMPLED, 1)]
        costs = problem.deviations((some[:, None] + some)[..., None], np.array(2), problem.target)
        self.unit = float(np.median(costs.min(axis=-1))) or 1.0
        self.known = np.zeros((problem.n_lobbies, self.bins, self.bins), dtype=np.bool_)
        self.known[:, self.alone & np.eye(self.bins, dtype=np.bool_)] = True
        self.taken: list[_Kinds] = []
        self._add_parties(parties)

    def _add_parties(self, parties: Floats) -> None:
        n, lobbies = len(parties), self.problem.n_lobbies
        if not n:
            return
        who, where = np.repeat(np.arange(n), lobbies), np.tile(np.arange(lobbies), n)
        costs = self.problem.deviations(parties[who], np.array(2), self.problem.target[where])
        rows = np.stack(
            [self.bins + who, self.first_lobby + where, np.full(n * lobbies, self._total)], axis=1
        )
        self.program.add(costs / self.unit, rows, np.ones(rows.shape))
        nobody = np.full(n * lobbies, -1)
        self.taken.append(_Kinds(nobody, nobody, where))

    @property
    def _total(self) -> int:
        return self.first_lobby + self.problem.n_lobbies

    def _add(self, kinds: _Kinds) -> None:
        one, other, where = kinds
        costs = self.problem.deviations(
            self.middle[one] + self.middle[other], np.array(2), self.problem.target[where]
        )
        rows = np.stack([one, other, self.first_lobby + where, np.full(len(one), self._total)], axis=1)
        self.program.add(costs / self.unit, rows, np.ones(rows.shape))
        self.known[where, one, other] = self.known[where, other, one] = True
        self.taken.append(kinds)

    def _cheapest(self, price: Floats, lobby: Floats, each: int, below: float) -> _Kinds:
        """Return for each bin and lobby the new kinds of the least reduced costs, if below a limit."""
        each = min(each, self.bins)
        found: list[Ints] = []
        for where, (target, rent) in enumerate(zip(self.problem.target, lobby, strict=True)):
            # Some rows at a time: of all pairs of bins at once the memory would be that of a million players.
            for begin in range(0, self.bins, ROWS):
                rows = slice(begin, begin + ROWS)
                pairs = self.middle[rows, None] + self.middle
                reduced = self.problem.deviations(pairs, np.array(2), target)
                reduced -= price[rows, None] + price + rent
                reduced[self.known[where, rows]] = np.inf
                row, other = np.nonzero(least(reduced, each) & (reduced < below))
                found.append(self._keys(row + begin, other, where))
        return self._kinds(np.concatenate(found))

    def _keys(self, one: Ints, other: Ints, where: int) -> Ints:
        """Return a number for each kind of pair, the same whichever bin comes first."""
        return (np.minimum(one, other) * self.bins + np.maximum(one, other)) * self.problem.n_lobbies + where

    def _kinds(self, keys: Ints) -> _Kinds:
        pair, where = np.divmod(np.unique(keys), self.problem.n_lobbies)
        return _Kinds(*np.divmod(pair, self.bins), where)

    def _fallback(self) -> _Kinds:
        """Return kinds with which there is a solution: neighbours, and first with last."""
        bins = np.arange(self.bins)
        one = np.concatenate([bins[~self.alone], bins[:-1], bins])
        other = np.concatenate([bins[~self.alone], bins[1:], bins[::-1]])
        one, other = one[there := (one != other) | ~self.alone[one]], other[there]
        return self._kinds(
            np.concatenate([self._keys(one, other, where) for where in range(self.problem.n_lobbies)])
        )

    def solve(self, price: Floats, lobby: Floats, each: int) -> Binned | None:
        """Solve with columns as they are needed, those cheap at given prices first."""
        self._add(self._fallback())
        self._add(self._cheapest(price, lobby, each, np.inf))
        while True:
            answer = self.program.solve()
            if answer.columns is None or not answer.proven or self.stop():
                return None
            duals = answer.prices * self.unit
            price = duals[: self.bins]
            lobby = duals[self.first_lobby : self._total] + duals[self._total]
            lacking = self._cheapest(price, lobby, ROUND, -1e-7 * self.unit)
            if not len(lacking.one):
                return self._solution(answer.columns, price, lobby)
            self._add(lacking)

    def _solution(self, columns: Floats, price: Floats, lobby: Floats) -> Binned:
        one, other, where = map(np.concatenate, zip(*self.taken, strict=True))
        used = (columns > 1e-9) & (one >= 0)
        return Binned(self.middle, price, lobby, one[used], other[used], where[used], columns[used])
