"""``exchange``: local search that moves and exchanges blocks, for any number of teams and any preference.

It sees splits whole, so it supports roles, prices of preferences and custom rules, by every objective.
From a draft it takes the best move until none is better, then goes on from a place a few random exchanges
away.  Splits that break rules are passed through, the less broken first, so that it finds its way to a
legal one.  Not exact: it says how far from the objective's floor it ended.

A move takes a block to another team, or exchanges two blocks.  It changes the sums of two teams at the most,
by what the blocks add to them, so judging it takes a few additions, however many players there are.  Line-ups
are computed for those two teams, preferences between players and custom rules for the whole split.

References
----------
H. Lourenço, O. Martin, T. Stützle, "Iterated local search", in Handbook of Metaheuristics, 2003,
doi:10.1007/0-306-48056-5_11.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from equipoise.core.arrays import Floats, Ints, Labels
from equipoise.core.ties import EQUAL
from equipoise.teams.problem.preferences import broken_for
from equipoise.teams.problem.problem import COUNT, MU, N_FEATURES, SQUARE, VARIANCE, Problem
from equipoise.teams.solvers.pairwise import draft_teams
from equipoise.teams.solvers.task import MOVES, PRICES, ROLES, RULES, Best, Fit, Found, Solver, Task

#: Numbers that a block adds to its team: features, what it pays to be there, whether it moved.
N_COLUMNS = N_FEATURES + 2


class BlockMoves(NamedTuple):
    """Moves, shape (m,) each: a block and its new team, or a partner, -1 where there is none.

    Exchanged blocks have -1 for the team.
    """

    blocks: Ints
    teams: Ints
    partners: Ints

    @classmethod
    def drawn(cls, problem: Problem, rng: np.random.Generator, most: int) -> BlockMoves:
        """Return all moves there are; where there are more than so many, as many at random."""
        n, k = problem.n_blocks, problem.n_teams
        n_all = n * k + n * (n - 1) // 2
        chosen = rng.choice(n_all, most, replace=False) if n_all > most else np.arange(n_all)
        alone = chosen < n * k
        block, team = np.divmod(chosen, k)
        # The pairs of each block with the blocks after it follow those of the block before.
        begins = np.arange(n) * (2 * n - 1 - np.arange(n)) // 2
        pair = np.maximum(chosen - n * k, 0)
        one = np.searchsorted(begins[: max(n - 1, 1)], pair, side="right") - 1
        other = pair - begins[one] + one + 1
        return cls(np.where(alone, block, one), np.where(alone, team, -1), np.where(alone, -1, other))

    def one(self, row: int) -> BlockMoves:
        """Return one of the moves."""
        return BlockMoves(*(column[row : row + 1] for column in self))

    def after(self, labels: Labels) -> Labels:
        """Return the splits after each move, shape (m, n_blocks)."""
        near = labels[None, :].repeat(len(self.blocks), axis=0)
        rows, paired = np.arange(len(near)), self.partners >= 0
        near[rows, self.blocks] = np.where(paired, labels[self.partners], self.teams)
        near[rows[paired], self.partners[paired]] = labels[self.blocks[paired]]
        return near


class JudgedSplits(NamedTuple):
    """Splits, how far each breaks rules, shape (m,), and totals as those of :meth:`.Problem.totals`."""

    labels: Labels
    broken: Floats
    totals: Floats


@dataclass(frozen=True, eq=False)
class MoveJudge:
    """What judges the splits near another one.

    Parameters
    ----------
    problem : Problem
        What is divided.
    """

    problem: Problem

    def violation(self, labels: Labels) -> Floats:
        """Return how far splits break the rules, shape (m,): 0 where every rule is kept.

        Each player too many or too few, each pair that is not apart and each block in a wrong team counts 1.
        """
        problem, fixed = self.problem, self._fixed
        wrong = ((labels != fixed) & (fixed >= 0)).sum(axis=1)
        together = [np.count_nonzero(row[self._apart[0]] == row[self._apart[1]]) for row in labels]
        sizes = problem.size_violation(problem.counts(labels))
        return np.asarray(sizes + wrong + together + problem.excess(labels))

    def judged(self, labels: Labels, moves: BlockMoves) -> JudgedSplits:
        """Return the splits after each of some moves from one, judged.

        The totals are those of the split and what is added to them, so that their last digits may differ
        from those of :meth:`.Problem.totals`.
        """
        problem, near = self.problem, moves.after(labels)
        team_of = labels.astype(np.int64)
        rows, paired = np.arange(len(near)), (moves.partners >= 0)[:, None]
        origins, targets = team_of[moves.blocks], near[rows, moves.blocks].astype(np.int64)
        base = np.zeros((problem.n_teams, N_COLUMNS))
        np.add.at(base, team_of, self._added(np.arange(problem.n_blocks), team_of))
        sums = base[None].repeat(len(near), axis=0)
        for sign, teams in ((-1.0, origins), (1.0, targets)):
            blocks = self._added(moves.blocks, teams) - paired * self._added(moves.partners, teams)
            sums[rows, teams] += sign * blocks
        counts = np.rint(sums[:, :, COUNT]).astype(np.int64)
        broken = problem.size_violation(counts)
        broken += self._misplaced(team_of, moves, origins, targets)
        if problem.roles is not None:
            line_ups = problem.roles.sums(labels[None, :], problem.n_teams).repeat(len(near), axis=0)
            for teams in (origins, targets):
                line_ups[rows, teams] = problem.roles.sums_of(near, teams)
            sums[:, :, [MU, SQUARE, VARIANCE]] = line_ups[:, :, 1:]
            broken += problem.lack(line_ups[:, :, 0], counts)
        return self._whole(near, sums, broken)

    def _whole(self, near: Labels, sums: Floats, broken: Floats) -> JudgedSplits:
        """Return splits judged, from sums over teams, with what is no such sum."""
        problem = self.problem
        totals = sums[:, :, :N_FEATURES]
        if problem.rows is not None:
            broken += problem.rows.excess(near)
        totals = problem.filled(totals)
        if problem.prices is None and problem.moving is None:
            return JudgedSplits(near, broken, totals)
        paid = sums[:, :, N_FEATURES]
        for group in () if problem.prices is None else problem.prices.groups:
            paid += group.price * broken_for(group, near, problem.n_teams)
        more = [paid]
        if problem.moving is not None:
            more.append(sums[:, :, N_FEATURES + 1])
            if problem.moving.most is not None:
                broken += np.maximum(more[-1].sum(axis=1) - problem.moving.most, 0.0)
        return JudgedSplits(
            near, broken, np.concatenate([totals, *(column[:, :, None] for column in more)], axis=2)
        )

    def _added(self, blocks: Ints, teams: Ints) -> Floats:
        """Return what blocks add to the sums of teams, shape (m, columns)."""
        problem = self.problem
        added = np.zeros((len(blocks), N_COLUMNS))
        added[:, :N_FEATURES] = problem.features[blocks]
        if problem.prices is not None:
            added[:, N_FEATURES] = problem.prices.sides[blocks, teams]
        if problem.moving is not None:
            added[:, N_FEATURES + 1] = problem.moving.each[blocks, teams]
        return added

    def _misplaced(self, team_of: Ints, moves: BlockMoves, origins: Ints, targets: Ints) -> Ints:
        """Return how many blocks are in a wrong team, and pairs in one that are to be apart, shape (m,)."""
        pairs, fixed = self._apart, self._fixed
        wrong = np.zeros((self.problem.n_blocks, self.problem.n_teams), dtype=np.int64)
        for one, other in (pairs, pairs[::-1]):
            np.add.at(wrong, (one, team_of[other]), 1)
        n_wrong = np.count_nonzero(team_of[pairs[0]] == team_of[pairs[1]])
        wrong[fixed >= 0] += fixed[fixed >= 0, None] != np.arange(self.problem.n_teams)
        n_wrong += np.count_nonzero((fixed >= 0) & (fixed != team_of))
        change = wrong[moves.blocks, targets] - wrong[moves.blocks, origins]
        exchanged = (moves.partners >= 0) & (origins != targets)
        back = wrong[moves.partners, origins] - wrong[moves.partners, targets]
        # Each of two that are exchanged was counted in the team it leaves.
        back -= 2 * self._pairs_of(moves.blocks, moves.partners)
        return np.asarray(n_wrong + change + exchanged * back)

    def _pairs_of(self, ones: Ints, others: Ints) -> Ints:
        """Return how many pairs to be kept apart two blocks are, shape (m,)."""
        keys = np.minimum(ones, others) * self.problem.n_blocks + np.maximum(ones, others)
        return np.searchsorted(self._keys, keys, "right") - np.searchsorted(self._keys, keys, "left")

    @cached_property
    def _fixed(self) -> Ints:
        return np.array(self.problem.fixed, dtype=np.int64)

    @cached_property
    def _apart(self) -> Ints:
        """Pairs to be kept apart, shape (2, n_pairs)."""
        return np.array(self.problem.apart, dtype=np.int64).reshape(-1, 2).T

    @cached_property
    def _keys(self) -> Ints:
        """A number for each such pair, in order."""
        return np.sort(self._apart.min(axis=0) * self.problem.n_blocks + self._apart.max(axis=0))


#: Splits judged in all: some seconds where a team's line-up has to be worked out for each.
MOST_JUDGED = 1 << 16  # effort

#: The same where what a split is worth is made of sums over players and preferences.
MOST_SUMMED = 1 << 17  # effort

#: Starts in a row that lead nowhere better after which it ends.
MOST_STALE = 50  # effort

#: Neighbours judged at a step; where there are more, as many are drawn at random.
MOST_MOVES = 1 << 11  # effort

#: Steps of working out line-ups at a step of the search, from which fewer moves are drawn, and the fewest.
MOST_LINE_UPS, FEWEST_MOVES = 1 << 26, 64  # effort

#: Random moves between one local optimum and the next start.
KICKS = 3  # effort


def solve(task: Task) -> Found:
    """Search until the effort is spent; see :class:`equipoise.teams.solvers.task.Solver`."""
    problem = task.problem
    best = Best(task)
    floor = task.criterion.floor
    start = task.start[0] if task.start else draft_teams(problem, task.rng)
    if start is None:
        start = task.rng.integers(problem.n_teams, size=problem.n_blocks).astype(np.int8)
    search = _Descent(task, best)
    summed = problem.roles is None and problem.rows is None
    most = task.effort * (MOST_SUMMED if summed else MOST_JUDGED)
    here = search.descended(search.at(start), most)
    stale = 0
    while (
        search.judged < most
        and stale < task.effort * MOST_STALE
        and not task.stop()
        and not best.reaches(floor)
    ):
        moves = BlockMoves.drawn(problem, task.rng, MOST_MOVES)
        kicked = here.labels
        for _ in range(KICKS):
            kicked = moves.one(int(task.rng.integers(len(moves.blocks)))).after(kicked)[0]
        reached = search.descended(search.at(kicked), most)
        stale = 0 if reached.rank < here.rank else stale + 1
        if reached.rank <= here.rank:
            here = reached
    return best.found(bound=floor, proven=best.reaches(floor))


class _Standing(NamedTuple):
    """A split and what is compared: how far rules and limits are broken, and the cost."""

    rank: tuple[float, float]
    labels: Labels


class _Descent:
    """What goes from a split to better ones, and how many splits it has judged."""

    def __init__(self, task: Task, best: Best) -> None:
        self.task = task
        self.best = best
        self.near = MoveJudge(task.problem)
        self.judged = 0
        roles = task.problem.roles
        work = 0.0 if roles is None else 2.0 * roles.work / task.problem.n_teams
        self.most_moves = MOST_MOVES
        if work * MOST_MOVES > MOST_LINE_UPS:  # a step must not take many times a time limit
            self.most_moves = max(FEWEST_MOVES, int(MOST_LINE_UPS / work))

    def at(self, labels: Labels) -> _Standing:
        """Return a split as a place; it is offered where it is legal."""
        problem, row = self.task.problem, labels[None, :]
        broken = self.near.violation(row)
        if not broken[0]:
            self.best.offer(row)
        totals = problem.totals(row)
        self.judged += 1
        rank = self._beyond(broken, totals)[0], self.task.criterion.cost(totals)[0]
        return _Standing((float(rank[0]), float(rank[1])), labels)

    def descended(self, here: _Standing, most: float) -> _Standing:
        """Return the local optimum below a place, or where it is once so many splits were judged."""
        task = self.task
        while self.judged < most and not task.stop():
            moves = BlockMoves.drawn(task.problem, task.rng, self.most_moves)
            near = self.near.judged(here.labels, moves)
            self.judged += len(near.labels)
            costs = task.criterion.cost(near.totals)
            broken = self._beyond(near.broken, near.totals)
            self._offer(near.labels, near.broken, broken, costs)
            best = int(np.lexsort((costs, broken))[0])
            # The last digits of what a move changes depend on the way there: only those of whole splits
            # are compared, so that no way leads round in a circle.
            there = self.at(near.labels[best])
            if there.rank >= here.rank:
                break
            here = there
        return here

    def _beyond(self, broken: Floats, totals: Floats) -> Floats:
        """Return how far rules and limits are broken, shape (m,), from how far rules are."""
        for criterion, limit in self.task.limits:
            broken = broken + np.maximum(criterion.cost(totals) - limit, 0.0)
        return broken

    def _offer(self, labels: Labels, broken: Floats, beyond: Floats, costs: Floats) -> None:
        """Offer the legal splits that can get in: the best will add up what only these have to be."""
        task = self.task
        within = (broken == 0.0) & (beyond <= self._slack)
        if not within.any():
            return
        least = float(costs[within].min()) if task.keep == 1 else math.inf
        within &= costs <= min(self.best.worst, least) + EQUAL * task.error
        self.best.offer(labels[within])

    @cached_property
    def _slack(self) -> float:
        """By how much rounding may make legal splits look as if they were beyond the limits."""
        return sum(EQUAL * criterion.error(self.task.problem.rounding) for criterion, _ in self.task.limits)


def _suits(task: Task) -> Fit:
    return Fit.NO if task.problem.plain else Fit.ABLE


SOLVER = Solver(
    "exchange", solve, seeded=True, supports=frozenset({PRICES, ROLES, RULES, MOVES}), suits=_suits
)
