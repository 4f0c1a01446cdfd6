"""How many teams each lobby gets, of which make-up: whether lobbies can be filled, without saying by whom.

Blocks of one size and kind are alike here, so the program is as small for a million players as for a dozen:
how many blocks of each size and kind go to each lobby, and how many teams there are of each *make-up* (a
number of players split into block sizes).  Lobbies that are open to the same kinds are one there, so it does
not grow with their number; what it gives them in all is spread evenly over them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from equipoise.core.arrays import Floats, Ints
from equipoise.core.linear_programs import Program
from equipoise.errors import InputError
from equipoise.lobbies.problem import LobbyProblem

#: More make-ups than teams of 30 players have, in all.
MOST_MAKEUPS = 40_000  # effort


@dataclass(frozen=True)
class Layout:
    """The teams of each lobby, by make-up, and the blocks that go to it, by size and kind.

    Parameters
    ----------
    makeups : ndarray of int, shape (n_makeups, team_size + 1)
        How many blocks of each size a make-up has.
    teams : ndarray of int, shape (n_lobbies, n_makeups)
        How many teams of each make-up a lobby gets.
    kinds : ndarray of int, shape (n_groups, 2)
        The size and kind of each group of alike blocks.
    blocks : ndarray of int, shape (n_lobbies, n_groups)
        How many blocks of each group a lobby gets.
    """

    makeups: Ints
    teams: Ints
    kinds: Ints
    blocks: Ints

    @property
    def n_teams(self) -> int:
        """How many teams there are."""
        return int(self.teams.sum())

    @property
    def seated(self) -> int:
        """How many players have a team."""
        return int((self.blocks @ self.kinds[:, 0]).sum())

    def with_counts(self, counts: Ints) -> Layout:
        """Return the layout with other numbers of teams a lobby, make-ups going round; only without bars."""
        teams = _spread(self.teams.sum(axis=0), counts)
        return replace(self, teams=teams)


def lay_out(problem: LobbyProblem) -> Layout | None:
    """Return a layout in which as few players wait as possible, then with as few teams as possible.

    Returns
    -------
    layout : Layout or None
        None where no layout keeps the lobbies' limits.

    Raises
    ------
    InputError
        If team size, or what must be proven without HiGHS, is too much.
    """
    if _is_simple(problem):
        return _simple(problem)
    if problem.barred:
        without = None if _lacks(problem) else lay_out(_without_bars(problem))
        # What is best without bars, and can be kept with them, is best with them.
        quick = None if without is None else _with_bars(problem, without)
        if without is None or quick is not None:
            return quick
    return _by_program(problem)


def feasible(problem: LobbyProblem) -> bool:
    """Tell whether any layout keeps the lobbies' limits."""
    # More teams than must be are none that could not be left out.
    problem = replace(problem, most=problem.least)
    if _is_simple(problem):
        return _simple(problem) is not None
    if problem.barred:
        without = None if _lacks(problem) else lay_out(_without_bars(problem))
        if without is None or _with_bars(problem, without) is not None:
            return without is not None
    return _Model(_merged(problem)[0]).solve(None) is not None


def most_teams(problem: LobbyProblem, lobby: int) -> int | None:
    """Return the most teams one lobby can have, the others' limits kept; None where they cannot be."""
    if problem.barred:
        # As many as there could be without bars, if there are so many players who may be there.
        most = most_teams(_without_bars(problem), lobby)
        most = 0 if most is None else min(most, int(_supply(problem)[lobby]) // problem.min_size)
        if most >= problem.least[lobby] and feasible(
            replace(problem, least=_with(problem.least, lobby, most))
        ):
            return most
    merged, of_lobby = _merged(problem, apart=lobby)
    model, own = _Model(merged), of_lobby[lobby]
    goal = np.zeros((merged.n_lobbies, model.width))
    goal[own, : len(model.makeups)] = -1.0
    found = model.solve(goal)
    return None if found is None else int(found.teams[own].sum())


def _with(counts: Ints, place: int, count: int) -> Ints:
    """Return numbers one of which is another."""
    counts = counts.copy()
    counts[place] = count
    return counts


def makeups_of(least: int, most: int, sizes: Ints) -> Ints:
    """Return the ways to put teams of ``least`` to ``most`` players together from blocks of some sizes.

    Returns
    -------
    makeups : ndarray of int, shape (n_makeups, most + 1)
        How many blocks of each size there are in each.

    Raises
    ------
    InputError
        If there are too many.

    Examples
    --------
    >>> makeups_of(3, 3, np.array([1, 2]))[:, 1:].tolist()
    [[1, 1, 0], [3, 0, 0]]
    """
    found = []
    for total in range(least, most + 1):
        for makeup in _partitions(total, sorted(set(sizes.tolist()), reverse=True)):
            found.append(np.bincount(makeup, minlength=most + 1))
            if len(found) > MOST_MAKEUPS:
                msg = f"team_size: {most} with parties of so many sizes allows too many kinds of teams"
                raise InputError(msg)
    return np.array(found, dtype=np.int64).reshape(-1, most + 1)


def _partitions(total: int, sizes: list[int]) -> Iterator[list[int]]:
    if total == 0:
        yield []
    for place, size in enumerate(sizes):
        if size <= total:
            for rest in _partitions(total - size, sizes[place:]):
                yield [size, *rest]


def _groups(problem: LobbyProblem) -> tuple[Ints, Ints]:
    """Return size and kind of each group of alike blocks, and how many blocks it has."""
    n_kinds = len(problem.may)
    groups, counts = np.unique(problem.size * n_kinds + problem.kind, return_counts=True)
    return np.stack(np.divmod(groups, n_kinds), axis=1), counts


def _is_simple(problem: LobbyProblem) -> bool:
    """Tell whether players without a party and bar are all there are, in teams of one size."""
    return problem.equal_sizes and not problem.barred and bool((problem.size == 1).all())


def _simple(problem: LobbyProblem) -> Layout | None:
    """Return the layout of players without parties and bars."""
    n_teams = min(problem.n_players // problem.team_size, int(problem.most.sum()))
    if n_teams < problem.least.sum():
        return None
    counts = _filled(problem.least, problem.most, n_teams)
    makeup = np.zeros((1, problem.team_size + 1), dtype=np.int64)
    makeup[0, 1] = problem.team_size
    kinds, _ = _groups(problem)
    return Layout(makeup, counts[:, None], kinds, (counts * problem.team_size)[:, None])


def _without_bars(problem: LobbyProblem) -> LobbyProblem:
    """Return the problem with every block allowed in every lobby."""
    return replace(
        problem, may=np.ones((1, problem.n_lobbies), dtype=np.bool_), kind=np.zeros_like(problem.kind)
    )


def _supply(problem: LobbyProblem) -> Ints:
    """Return how many players may be in each lobby."""
    players = np.bincount(problem.kind, weights=problem.size, minlength=len(problem.may))
    return np.rint(players @ problem.may).astype(np.int64)


def _lacks(problem: LobbyProblem) -> bool:
    """Tell whether a lobby needs more players than may be there."""
    return bool((problem.least * problem.min_size > _supply(problem)).any())


def _with_bars(problem: LobbyProblem, layout: Layout) -> Layout | None:
    """Return a layout without bars with blocks that may be where they are; None where none is found.

    Lobbies get equally many teams.  Kinds that may be in few lobbies come first, and each goes where there is
    room, in proportion to it: that nearly always succeeds, and takes no program, which would have a variable
    for each kind and lobby.
    """
    most = np.minimum(problem.most, _supply(problem) // problem.min_size)
    if (most < problem.least).any() or most.sum() < layout.n_teams:
        return None
    layout = layout.with_counts(evenly(problem.least, most, layout.n_teams))
    kinds, counts = _groups(problem)
    left = layout.teams @ layout.makeups  # seats for each size in each lobby
    blocks = np.zeros((problem.n_lobbies, len(kinds)), dtype=np.int64)
    open_to = problem.may[kinds[:, 1]]
    for group in np.argsort(open_to.sum(axis=1), kind="stable"):
        size = kinds[group, 0]
        if size > problem.team_size:
            continue
        room = np.cumsum(np.where(open_to[group], left[:, size], 0))
        ends = room * min(counts[group], room[-1]) // max(room[-1], 1)
        blocks[:, group] = np.diff(ends, prepend=0)
        left[:, size] -= blocks[:, group]
    return None if left[:, 1:].any() else replace(layout, kinds=kinds, blocks=blocks)


def evenly(least: Ints, most: Ints, n_teams: int) -> Ints:
    """Return numbers of teams as equal as limits allow, which must hold so many; the first get more.

    Examples
    --------
    >>> evenly(np.array([0, 0, 5]), np.array([1, 9, 9]), 10).tolist()
    [1, 4, 5]
    """
    low, high = 0, n_teams + 1
    while high - low > 1:
        half = (low + high) // 2
        low, high = (half, high) if np.clip(half, least, most).sum() <= n_teams else (low, half)
    counts: Ints = np.clip(low, least, most)
    counts[np.flatnonzero((counts == low) & (counts < most))[: n_teams - counts.sum()]] += 1
    return counts


def _by_program(problem: LobbyProblem) -> Layout | None:
    merged, of_lobby = _merged(problem)
    model = _Model(merged)
    goal = np.zeros((merged.n_lobbies, model.width))
    goal[:, len(model.makeups) :] = -model.kinds[:, 0]
    found = model.solve(goal)
    if found is not None and not problem.equal_sizes:
        goal[:] = 0.0
        goal[:, : len(model.makeups)] = 1.0
        found = model.solve(goal, seated=found.seated)
    return None if found is None else _apart(problem, found, of_lobby)


def _merged(problem: LobbyProblem, apart: int | None = None) -> tuple[LobbyProblem, Ints]:
    """Return the problem with one lobby for all that are open to the same kinds, and each lobby's new one.

    Parameters
    ----------
    apart : int, optional
        A lobby that stays by itself.
    """
    keys = np.concatenate(
        [problem.may, np.arange(problem.n_lobbies)[None] == (-1 if apart is None else apart)]
    )
    kept, of_lobby = np.unique(keys, axis=1, return_inverse=True)
    of_lobby = np.asarray(of_lobby).reshape(-1)
    least, most = (np.zeros(kept.shape[1], dtype=np.int64) for _ in range(2))
    np.add.at(least, of_lobby, problem.least)
    np.add.at(most, of_lobby, problem.most)
    merged = replace(problem, may=kept[:-1], target=np.zeros(len(least)), least=least, most=most)
    return merged, of_lobby


def _apart(problem: LobbyProblem, layout: Layout, of_lobby: Ints) -> Layout:
    """Return the layout of all lobbies from that of the merged ones."""
    sizes = layout.kinds[:, 0]
    teams = np.zeros((problem.n_lobbies, len(layout.makeups)), dtype=np.int64)
    blocks = np.zeros((problem.n_lobbies, len(sizes)), dtype=np.int64)
    for number, (made, gone) in enumerate(zip(layout.teams, layout.blocks, strict=True)):
        mine = np.flatnonzero(of_lobby == number)
        teams[mine] = _spread(made, _filled(problem.least[mine], problem.most[mine], int(made.sum())))
        for size in np.unique(sizes):
            groups = np.flatnonzero(sizes == size)
            if gone[groups].any():
                needed = teams[mine] @ layout.makeups[:, size]
                blocks[np.ix_(mine, groups)] = _spread(gone[groups], needed)
    return replace(layout, teams=teams, blocks=blocks)


def _filled(least: Ints, most: Ints, n_teams: int) -> Ints:
    """Return numbers of teams within limits, the first lobbies getting the most."""
    counts = least.copy()
    for lobby in range(len(counts)):
        counts[lobby] += min(most[lobby] - counts[lobby], n_teams - counts.sum())
    return counts


def _spread(amounts: Ints, counts: Ints) -> Ints:
    """Return how many things of each sort each lobby gets, as evenly as possible, shape (n_lobbies, n_sorts).

    Parameters
    ----------
    amounts : ndarray of int, shape (n_sorts,)
        How many things of each sort there are.
    counts : ndarray of int, shape (n_lobbies,)
        How many things each lobby gets: as many in all.
    """
    whose = np.repeat(np.arange(len(amounts)), amounts)
    # Deal the things, sorted by sort, in proportion.
    ranks = np.concatenate([(np.arange(count) + 0.5) / count for count in counts if count] or [[]])
    lobby = np.repeat(np.arange(len(counts)), counts)[np.argsort(ranks, kind="stable")]
    things = np.zeros((len(counts), len(amounts)), dtype=np.int64)
    np.add.at(things, (lobby, whose), 1)
    return things


class _Model:
    """The integer program of a problem's layouts."""

    def __init__(self, problem: LobbyProblem) -> None:
        self.problem = problem
        fitting = problem.size[problem.size <= problem.team_size]
        self.kinds, self.counts = _groups(problem)
        self.makeups = makeups_of(problem.min_size, problem.team_size, np.unique(fitting))
        self.width = len(self.makeups) + len(self.kinds)
        lobbies, self.team_size = problem.n_lobbies, problem.team_size
        # Rows: blocks of each group; teams of each lobby; blocks of each size in each lobby; players seated.
        groups = len(self.kinds)
        balance = lobbies * self.team_size
        low = np.concatenate([np.zeros(groups), problem.least, np.zeros(balance + 1)])
        high = np.concatenate([self.counts, problem.most, np.zeros(balance), [problem.n_players]])
        self.program = Program(low.astype(float), high.astype(float))
        self.seated_row = len(low) - 1
        for lobby in range(lobbies):
            self._add_lobby(lobby)

    def _add_lobby(self, lobby: int) -> None:
        """Add the columns of a lobby: teams by make-up, then blocks by group."""
        groups, teams = len(self.kinds), len(self.makeups)
        first = groups + self.problem.n_lobbies + lobby * self.team_size - 1
        rows = np.full((self.width, self.team_size + 1), -1, dtype=np.int64)
        values = np.zeros(rows.shape)
        rows[:teams, 0], values[:teams, 0] = groups + lobby, 1.0
        rows[:teams, 1:] = first + np.arange(1, self.team_size + 1)
        values[:teams, 1:] = self.makeups[:, 1:]
        sizes, kinds = self.kinds[:, 0], self.kinds[:, 1]
        fits = sizes <= self.team_size
        block = np.stack([np.arange(groups), np.where(fits, first + sizes, -1)], axis=1)
        block = np.concatenate([block, np.full((groups, 1), self.seated_row)], axis=1)
        rows = np.concatenate([rows, np.full((self.width, 2), -1, dtype=np.int64)], axis=1)
        values = np.concatenate([values, np.zeros((self.width, 2))], axis=1)
        rows[teams:, :3] = block
        values[teams:, :3] = np.stack([np.ones(groups), -np.ones(groups), sizes], axis=1)
        allowed = fits & self.problem.may[kinds, lobby]
        most = np.concatenate([np.full(teams, float(self.problem.most[lobby])), allowed * self.counts])
        self.program.add(np.zeros(self.width), rows, values, most, whole=True)

    def solve(self, goal: Floats | None, seated: int = 0) -> Layout | None:
        """Return the layout with the least goal, shape (n_lobbies, width); None where there is none."""
        if goal is not None:
            self.program.change_costs(goal.reshape(-1))
        self.program.change_row(self.seated_row, float(seated), float(self.problem.n_players))
        columns = self.program.solve(gap=0.5).columns
        if columns is None:
            return None
        whole: NDArray[np.int64] = np.rint(columns).astype(np.int64).reshape(self.problem.n_lobbies, -1)
        teams = len(self.makeups)
        return Layout(self.makeups, whole[:, :teams], self.kinds, whole[:, teams:])
