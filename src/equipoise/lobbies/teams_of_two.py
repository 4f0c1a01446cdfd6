"""Teams of two at any size: prices for every player, a certified bound from them, and a first placing.

Players are gathered into bins of near skill: half the bins are of equal width and half of equally many
players, fine in the bulk and in the tails.  A linear program over all pairs of bins and lobbies, by column
generation, gives the bins' prices.  Carried over to every single player, they are made feasible by a
c-transform: what a pair costs less the other's price is an upper limit of the one's price; the mean of a
price and its limit is feasible for all pairs at once.

References
----------
C. Villani, "Optimal transport, old and new", 2009, chapter 5: c-transforms and duality.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from equipoise.core.arrays import Floats, Ints, Places, least
from equipoise.core.compiled import chosen
from equipoise.core.linear_programs import Program
from equipoise.core.stopping import Stop, never, seconds_left
from equipoise.lobbies.first_placing import COMPILED_FROM
from equipoise.lobbies.kernels import lowest_lines
from equipoise.lobbies.problem import WAITING, LobbyProblem, Placing
from equipoise.lobbies.quick_bounds import EPSILON, lobby_prices, total_prices, whole_costs

#: Columns that come in for each bin and lobby: at first, at first with prices known of other bins, and later.
FIRST, FIRST_PRICED, ROUND = 6, 3, 2

#: Bins of which the median cost is taken, and bins whose pairs are priced at a time.
SAMPLED, ROWS = 200, 100  # effort


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


#: Times prices are averaged with their c-transform; each takes the bound up, less and less.
MOST_TRANSFORMS = 40  # effort

#: Relative rise of the bound below which transforms end.
ENOUGH = 2e-5


def transformed(
    problem: LobbyProblem, skill: Floats, price: Floats, lobby: Floats, stop: Stop = never
) -> Floats:
    """Return the highest price each player could have, given the others' prices: the c-transform.

    Parameters
    ----------
    skill : ndarray of float, shape (n,)
        Strictly ascending.
    price : ndarray of float, shape (n,)
        The others' prices.
    lobby : ndarray of float, shape (n_lobbies,)
        The lobbies' prices.
    """
    unit = 2 if problem.per_player else 1
    run = chosen(lowest_lines, len(skill), COMPILED_FROM, seconds_left(stop))
    lowest = np.full(len(skill), np.inf)
    for target, rent in zip(problem.target * unit, lobby, strict=True):
        if problem.absolute:
            np.minimum(lowest, _nearest(skill, price * unit, target) / unit - rent, out=lowest)
            continue
        # (x + y - t)² = (x - t)² + 2xy + y² - 2ty: for fixed x, a number and lines in y.
        level = skill - 2.0 * target
        level *= skill
        level -= price * (unit * unit)
        numbers = float(target), float(unit * unit), float(rent)
        if run is lowest_lines:  # lists are far quicker where nothing is compiled
            listed = lowest.tolist()
            run(skill.tolist(), level.tolist(), *numbers, [0] * len(skill), listed)
            lowest = np.array(listed)
        else:
            run(skill, level, *numbers, np.empty(len(skill), dtype=np.int32), lowest)
    return lowest


def _nearest(skill: Floats, price: Floats, target: float) -> Floats:
    """Return the least over y of ``|x + y - target| - price(y)`` for each x."""
    at = np.searchsorted(skill, target - skill, side="right")
    below = np.concatenate([[np.inf], np.minimum.accumulate(-skill - price)])
    above = np.concatenate([np.minimum.accumulate((skill - price)[::-1])[::-1], [np.inf]])
    return np.asarray(np.minimum(below[at] + (target - skill), above[at] - (target - skill)))


def smoothed(binned: Binned) -> Binned:
    """Return the solution with each price half its own, half what its neighbours' line says.

    A linear program of many solutions gives ragged prices; smoother ones are often the better ones.
    """
    x, price = binned.middle, binned.price.copy()
    share = (x[1:-1] - x[:-2]) / (x[2:] - x[:-2])
    price[1:-1] = (price[1:-1] + (1.0 - share) * price[:-2] + share * price[2:]) / 2.0
    return replace(binned, price=price)


def certified(
    problem: LobbyProblem, singles: Places, binned: Binned, n_teams: int, waiting: int, stop: Stop = never
) -> float:
    """Return a bound for all plans from the prices of bins.

    Parameters
    ----------
    singles : ndarray of int
        The players without a party, by ascending skill.
    """
    skill = problem.skill[singles]
    centre = float(skill.mean())
    skill -= centre
    first = np.append(True, skill[1:] > skill[:-1])  # of equal players, who have one price
    several = not bool(first.all())
    back = np.cumsum(first) - 1 if several else slice(None)
    skill = skill[first] if several else skill
    unit = 1 if problem.per_player else 2
    moved = replace(problem, target=problem.target - unit * centre)
    lobby = binned.lobby
    whole = np.flatnonzero(problem.size == 2)
    whole_price = (whole_costs(problem, whole) - lobby).min(axis=1)
    rents = lobby_prices(lobby, problem, n_teams)
    reach = float(np.abs(skill).max() + np.abs(moved.target).max()) ** (1 if problem.absolute else 2)
    own = np.interp(skill, binned.middle - centre, binned.price)
    best = -np.inf
    for _ in range(MOST_TRANSFORMS):
        own += transformed(moved, skill, own, lobby, stop)
        own /= 2.0
        price = np.empty(problem.n_blocks)
        price[whole] = whole_price
        price[singles] = (own - 16.0 * EPSILON * (reach + np.abs(own)))[back]
        bound = total_prices(price, problem, waiting) + rents
        bound -= EPSILON * float(np.abs(price).sum() + np.abs(rents))
        del price  # a million players': the next transform needs the memory
        rise, best = bound - best, max(best, bound)
        if not rise > ENOUGH * abs(best) or stop():
            break
    return best


def placing_of(problem: LobbyProblem, singles: Places, ends: Ints, binned: Binned, n_teams: int) -> Placing:
    """Return the placing that pairs bins as the linear program does, rounded down, and the rest crosswise.

    Parameters
    ----------
    singles : ndarray of int
        The players without a party, by ascending skill.
    ends : ndarray of int, shape (n_bins,)
        Where each bin of them ends.
    """
    flow = np.floor(binned.flow + 1e-6).astype(np.int64)
    share = np.zeros((len(ends), problem.n_lobbies + 1), dtype=np.int64)
    for bins in (binned.one, binned.other):
        np.add.at(share, (bins, binned.where), flow)
    whose = _interleaved(share, np.diff(ends, prepend=0))
    whole = np.flatnonzero(problem.size == 2)[:n_teams]
    team = np.full(problem.n_blocks, WAITING, dtype=np.int32)
    team[whole] = np.arange(len(whole))
    made = len(whole)
    for lobby in range(problem.n_lobbies):
        mine = singles[whose == lobby]
        numbers = np.arange(made, min(made + len(mine) // 2, n_teams))
        _pair_crosswise(team, mine, numbers)
        made += len(numbers)
    _pair_crosswise(team, singles[team[singles] == WAITING], np.arange(made, n_teams))
    counts = _counts(problem, binned, n_teams)
    placing = Placing(team, np.zeros(n_teams, dtype=np.int32))
    rank = np.argsort(placing.totals(problem), kind="stable")
    by_target = np.argsort(problem.target, kind="stable")
    placing.lobby[rank] = np.repeat(by_target, counts[by_target])
    _pair_anew(placing, singles)
    return placing


def _interleaved(share: Ints, mass: Ints) -> Ints:
    """Return for each player, bin by bin, the lobby, evenly mixed within the bin; the last for nobody's.

    Parameters
    ----------
    share : ndarray of int, shape (n_bins, n_lobbies + 1)
        How many of a bin each lobby gets; the last column is filled with the rest.
    mass : ndarray of int, shape (n_bins,)
        How many players a bin has.
    """
    share[:, -1] = np.maximum(mass - share.sum(axis=1), 0)
    many = share.ravel()
    bins, lobbies = np.divmod(np.arange(len(many)), share.shape[1])
    # Where in its bin each player is: the middles of as many equal parts as its lobby gets.
    where = np.arange(many.sum(), dtype=np.float64)
    where += 0.5
    where -= np.repeat((np.cumsum(many) - many).astype(np.float64), many)
    where /= np.repeat(many.astype(np.float64), many)
    where += np.repeat(bins.astype(np.float64), many)
    order = np.argsort(where, kind="stable")[: mass.sum()]
    del where
    return np.asarray(np.repeat(lobbies.astype(np.int32), many)[order])


def _pair_crosswise(team: Places, players: Ints, numbers: Ints) -> None:
    """Put the first with the last, and so on, into teams of some numbers; changes the teams.

    Of players by ascending skill these are the pairs that cost least in one lobby, whatever convex deviation
    counts: their totals are nearest to one another.  Where there are more players than seats, those in the
    middle keep their teams.
    """
    team[players[: len(numbers)]] = numbers
    team[players[len(players) - len(numbers) :]] = numbers[::-1]


def _pair_anew(placing: Placing, singles: Places) -> None:
    """Pair the players of each lobby who came alone crosswise; changes the placing."""
    team = placing.team
    alone = singles[team[singles] != WAITING]
    for lobby in range(int(placing.lobby.max(initial=-1)) + 1):
        mine = alone[placing.lobby[team[alone]] == lobby]
        _pair_crosswise(team, mine, np.unique(team[mine]))


def _counts(problem: LobbyProblem, binned: Binned, n_teams: int) -> Ints:
    """Return how many teams each lobby gets: as in the linear program, rounded within the limits."""
    wanted = np.bincount(binned.where, weights=binned.flow, minlength=problem.n_lobbies)
    wanted = wanted.astype(np.float64)
    wanted *= n_teams / max(wanted.sum(), 1.0)
    counts = np.clip(np.floor(wanted + 1e-6).astype(np.int64), problem.least, problem.most)
    while counts.sum() != n_teams:
        up = counts.sum() < n_teams
        room = (counts < problem.most) if up else (counts > problem.least)
        lack = np.where(room, wanted - counts if up else counts - wanted, -np.inf)
        counts[int(lack.argmax())] += 1 if up else -1
    return np.asarray(counts)
