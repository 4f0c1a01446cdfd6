"""What every solver takes and gives, and the list of the best splits it keeps on the way.

Of the best splits those may be kept that are far from one another.  The distance of two splits is the least
number of players that must change team to make one look like the other.  Teams under the same rules in which
nobody is fixed may exchange their names for nothing, and so may players of equal looks
(:attr:`equipoise.teams.problem.problem.Problem.looks`).  The best split is taken, then again and again the
best of those at least so far from all taken.
"""

from __future__ import annotations

import enum
import math
from bisect import insort
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from equipoise.core.arrays import Floats, Ints, Labels, least
from equipoise.core.registry import SOLVERS, resolve
from equipoise.core.stopping import Stop, never
from equipoise.errors import UnsupportedError
from equipoise.teams.objectives.objective import Criterion, Limit
from equipoise.teams.problem.current_teams import FORBIDDEN, matched
from equipoise.teams.problem.problem import COUNT, Problem


class Ranked(NamedTuple):
    """A split and its cost; among equal costs the more even sizes come first."""

    cost: float
    unevenness: int
    labels: Labels


@dataclass(frozen=True)
class Found:
    """What a solver found.

    Parameters
    ----------
    ranked : tuple of Ranked
        Different legal splits within the limits, best first.
    bound : float
        A finite cost that no legal split within the limits is below.
    proven : bool
        Whether these are the best there are, all of them.
    rounding : float
        By how much rounding may have changed the costs.
    """

    ranked: tuple[Ranked, ...]
    bound: float
    proven: bool
    rounding: float = 0.0


@dataclass(frozen=True)
class Task:
    """What a solver is asked for.

    Parameters
    ----------
    problem : Problem
        What is divided.
    criterion : Criterion
        What is minimised.
    limits : tuple of Limit
        Criteria whose costs must not exceed a number each.
    keep : int
        How many different splits are wanted, at least 1.
    start : tuple of ndarray of int8, shape (n_blocks,)
        Splits that are known to be legal and within the limits.
    stop : callable
        See :data:`Stop`.
    seed : int
        The seed of the only randomness.
    effort : float
        How much work to do before giving up, as a multiple of the usual.
    """

    problem: Problem
    criterion: Criterion
    limits: tuple[Limit, ...] = ()
    keep: int = 1
    start: tuple[Labels, ...] = ()
    stop: Stop = never
    seed: int = 0
    effort: float = 1.0

    @cached_property
    def error(self) -> float:
        """By how much rounding may change a cost; see :meth:`.Criterion.error`."""
        return self.criterion.error(self.problem.rounding)

    @cached_property
    def rng(self) -> np.random.Generator:
        """The only randomness; it is made when it is first asked for, which exact solvers never do."""
        return np.random.default_rng(self.seed)


class Fit(enum.IntEnum):
    """How well a solver suits a task."""

    #: ``auto`` never takes it.
    NO = 0
    #: It does where none does better; the first one in the registry.
    ABLE = 1
    #: None does better.
    BEST = 2


#: What a task may have that a solver has to support; else it is refused where they are asked for.
PRICES, ROLES, RULES, MOVES = "prices", "roles", "rules", "moves"


def never_picked(task: Task) -> Fit:
    """Tell that a solver is there for those who name it."""
    del task
    return Fit.NO


@dataclass(frozen=True, slots=True)
class Solver:
    """A solver and what it can do; calling it refuses what it cannot.

    Parameters
    ----------
    name : str
        As it is registered.
    solve : callable
        From a task to what was found.
    teams : int or None
        The only number of teams it divides; None for any.
    exact : bool
        Whether it proves its answers where it ends by itself.
    supports : frozenset of str
        Which of :data:`PRICES`, :data:`ROLES`, :data:`RULES` and :data:`MOVES` it supports.
    seeded : bool
        Whether it draws at random, so that another seed may give another answer.
    least : int
        How many players and parties there must be for ``auto`` to ask it.
    suits : callable
        From a task to how well it suits, for ``auto``.  It is asked only about tasks that are not refused.
    """

    name: str
    solve: Callable[[Task], Found]
    teams: int | None = None
    exact: bool = False
    supports: frozenset[str] = frozenset()
    seeded: bool = False
    least: int = 0
    suits: Callable[[Task], Fit] = never_picked

    def __call__(self, task: Task) -> Found:
        """Return the best splits that were found, and what was proven of them.

        Raises
        ------
        UnsupportedError
            If it cannot do what is asked.
        """
        reason = self.refusal(task)
        if reason:
            msg = f": {self.name!r} {reason}"
            raise UnsupportedError(msg, "solver")
        return self.solve(task)

    def refusal(self, task: Task) -> str:
        """Return why it cannot do a task; empty where it can, as far as that is known beforehand."""
        if not task.problem.plain and (lacking := sorted(asked_for(task.problem) - self.supports)):
            return f"does not support {' and '.join(lacking)}; {supporters(asked_for(task.problem))} do"
        if self.teams not in (None, task.problem.n_teams):
            return f"divides {self.teams} teams, not {task.problem.n_teams}; 'enumerate' does more"
        return ""


def asked_for(problem: Problem) -> frozenset[str]:
    """Return what of prices, roles, rules and moves a problem has."""
    parts = {PRICES: problem.prices, ROLES: problem.roles, RULES: problem.rows, MOVES: problem.moving}
    return frozenset(name for name, part in parts.items() if part is not None)


def supporters(asked: frozenset[str]) -> str:
    """Return the registered solvers that support what is asked for, in words."""
    records = [resolve("solver", SOLVERS, name) for name in SOLVERS]
    return ", ".join(repr(solver.name) for solver in records if asked <= solver.supports)


def _cost(totals: Floats, criterion: Criterion) -> Floats:
    return criterion.cost(totals)


def signature(problem: Problem, labels: Labels) -> bytes:
    """Return a key that is equal for splits that differ only by an exchange of equals.

    Equal are players of the same features, and teams under the same rules in which nobody is fixed.
    """
    n_looks = int(problem.looks.max()) + 1
    if n_looks == problem.n_blocks and problem.interchangeable:
        return problem.canonical(labels).tobytes()
    teams = [np.bincount(problem.looks[labels == t], minlength=n_looks) for t in range(problem.n_teams)]
    keys = [team.astype(np.int32).tobytes() for team in teams]
    return b"".join(key for _, key in sorted(zip(problem.team_rules, keys, strict=True)))


class Best:
    """The best different splits so far, from those that are known at the start."""

    def __init__(self, task: Task, start: tuple[Labels, ...] | None = None) -> None:
        self.task = task
        self._ranked: list[tuple[float, int, int, Labels]] = []
        self._keys: set[bytes] = set()
        self._arrivals = 0
        for labels in task.start if start is None else start:
            self.offer(labels[None, :])

    @property
    def full(self) -> bool:
        """Whether as many are known as are wanted."""
        return len(self._ranked) >= self.task.keep

    @property
    def worst(self) -> float:
        """The cost a split must be below to get in; infinite until full."""
        return self._ranked[-1][0] if self.full else math.inf

    def reaches(self, bound: float) -> bool:
        """Whether as many as are wanted are as good as a bound, as far as rounding lets anybody tell."""
        if not self.full or self.worst > bound + self.task.error:
            return False
        if self.worst <= bound:
            return True
        totals = self.task.problem.totals(self._ranked[-1][-1][None, :])
        return self.worst <= bound + float(self.task.criterion.errors(totals, self.task.problem.rounding)[0])

    def offer(
        self,
        labels: Labels,
        totals: Floats | None = None,
        costs_by: Callable[[Criterion], Floats] | None = None,
    ) -> float:
        """Take in whatever is legal, within the limits, new and good enough.

        Parameters
        ----------
        labels : ndarray of int8, shape (m, n_blocks)
            Splits that keep the problem's rules.
        totals : ndarray, optional
            Their totals, where they are known; all custom rules are then known to be kept too.

        Returns
        -------
        float
            The least cost among them; infinite where none is within the limits.
        """
        problem = self.task.problem
        if totals is None and (problem.rows is not None or problem.moving is not None):
            labels = labels[self.task.problem.excess(labels) == 0.0]
        if not len(labels):
            return math.inf
        if totals is None:
            totals = self.task.problem.totals(labels)
        if costs_by is None:
            costs_by = partial(_cost, totals)
        costs = costs_by(self.task.criterion)
        for criterion, limit in self.task.limits:
            costs = np.where(costs_by(criterion) <= limit, costs, math.inf)
        if self.task.keep == 1:
            row = int(costs.argmin())
            lowest = float(costs[row])
            if lowest < math.inf and np.count_nonzero(costs == lowest) == 1:
                sizes = totals[row, :, COUNT].tolist()
                self._put(lowest, int(max(sizes) - min(sizes)), labels[row])
                return lowest
            costs = np.where(costs == lowest, costs, math.inf)
        self._insert(labels, costs, np.ptp(totals[:, :, COUNT], axis=1))
        return float(costs.min())

    def _insert(self, labels: Labels, costs: Floats, unevenness: Floats) -> None:
        candidates = np.flatnonzero(costs < math.inf)
        if self.full:
            candidates = candidates[costs[candidates] <= self.worst]
        elif len(candidates) > 64 * self.task.keep:
            # Sorting them all would cost more than finding them: the least ones suffice, with room for
            # repetitions; the rest is looked at only if those do not fill the list.
            few = least(costs[candidates], 32 * self.task.keep)
            self._take(candidates[few], labels, costs, unevenness)
            candidates = candidates[~few]
            candidates = candidates[costs[candidates] <= self.worst]
        self._take(candidates, labels, costs, unevenness)

    def _take(self, candidates: NDArray[np.intp], labels: Labels, costs: Floats, unevenness: Floats) -> None:
        order = np.lexsort((unevenness[candidates], costs[candidates]))
        for row in candidates[order]:
            if not self._put(float(costs[row]), int(unevenness[row]), labels[row]):
                break

    def _put(self, cost: float, uneven: int, labels: Labels) -> bool:
        """Take in a split if it is good enough and new; False if it is not good enough."""
        if self.full and (cost, uneven) >= self._ranked[-1][:2]:
            return False
        # A single one is replaced by a better one only, which is another.
        key = b"" if self.task.keep == 1 else signature(self.task.problem, labels)
        if self.task.keep > 1 and key in self._keys:
            return True
        if self.full:
            dropped = self._ranked.pop()
            self._keys.discard(b"" if self.task.keep == 1 else signature(self.task.problem, dropped[3]))
        self._keys.add(key)
        self._arrivals += 1
        insort(self._ranked, (cost, uneven, self._arrivals, labels.copy()), key=lambda entry: entry[:3])
        return True

    def found(self, *, bound: float, proven: bool) -> Found:
        """Return what a solver returns; a proof makes the best cost the bound."""
        ranked = tuple(Ranked(cost, uneven, labels) for cost, uneven, _, labels in self._ranked)
        if not ranked:
            return Found((), self.task.criterion.floor, proven)
        return Found(ranked, ranked[0].cost if proven else min(bound, ranked[0].cost), proven)


#: How many times as many splits are ranked as are wanted, at first and whenever too few are far apart.
GROWTH = 8  # effort

#: Splits that are ranked at the least, as to rank a few more costs nothing.
RANKED_AT_LEAST = 64  # effort

#: Splits beyond which no more are ranked: about two seconds for two teams.
RANKED_AT_MOST = 1 << 15  # effort


class Search(Protocol):
    """A function from how many splits are wanted to what was found, and by which solver."""

    def __call__(self, *, keep: int) -> tuple[Found, str]:
        """Return the best splits, and the name of what found them."""


def ranked_apart(search: Search, problem: Problem, keep: int, spacing: int) -> tuple[Found, str, str]:
    """Rank more and more splits until enough of them are far from one another, or all are seen.

    Parameters
    ----------
    search : callable
        What ranks splits.
    keep : int
        How many are wanted far from one another.
    spacing : int
        The least number of players by which any two of them differ.

    Returns
    -------
    found : Found
        Proven where the whole ranking was: the first one is then the best, and each later one the best of
        those far enough from all before it.
    solver : str
        What ranked them.
    shortage : str
        Why there are fewer than wanted, or empty.
    """
    pool = max(GROWTH * keep, RANKED_AT_LEAST)
    while True:
        found, solver = search(keep=pool)
        chosen = far_apart(problem, [ranked.labels for ranked in found.ranked], keep, spacing)
        if len(chosen) == keep or len(found.ranked) < pool or pool >= RANKED_AT_MOST:
            taken = Found(tuple(found.ranked[place] for place in chosen), found.bound, found.proven)
            seen_all = found.proven and len(found.ranked) < pool
            return taken, solver, shortage(len(chosen), keep, spacing, len(found.ranked), seen_all)
        pool = min(pool * GROWTH, RANKED_AT_MOST)


def shortage(taken: int, keep: int, spacing: int, ranked: int, seen_all: bool) -> str:
    """Return why fewer splits are shown than were asked for; nothing where they are enough."""
    if not 0 < taken < keep:
        return ""
    among = f"all {ranked} splits there are" if seen_all else f"the {ranked} best that were ranked"
    return f"{taken} of {keep} splits, as no other of {among} is {spacing} players from each of them"


def far_apart(problem: Problem, ranking: Sequence[Labels], keep: int, spacing: int) -> list[int]:
    """Return the places of up to so many splits of a ranking, each far from all that are before it."""
    if not ranking:
        return []
    members = _members(problem, np.array(ranking, dtype=np.int8))
    open_places = np.arange(len(ranking))
    chosen: list[int] = []
    while len(open_places) and len(chosen) < keep:
        first = int(open_places[0])
        chosen.append(first)
        far = _is_far(problem, members[first], members[open_places], spacing)
        open_places = open_places[far & (open_places != first)]
    return chosen


def _members(problem: Problem, labels: Labels) -> NDArray[np.int32]:
    """Return how many players of each looks each team has, shape (m, n_teams, n_looks)."""
    members = np.zeros((len(labels), problem.n_teams, int(problem.looks.max()) + 1), dtype=np.int32)
    rows = np.arange(len(labels))
    for block, (look, size) in enumerate(zip(problem.looks.tolist(), problem.sizes.tolist(), strict=True)):
        members[rows, labels[:, block], look] += size
    return members


def _common(problem: Problem, one: NDArray[np.int32], others: NDArray[np.int32]) -> Ints:
    """Return how many players each team of a split shares with each of others', shape (m, k, k)."""
    rules = problem.team_rules
    common = np.full((len(others), len(rules), len(rules)), FORBIDDEN, dtype=np.int64)
    for mine, my_rules in enumerate(rules):
        for theirs, their_rules in enumerate(rules):
            if my_rules == their_rules:
                common[:, mine, theirs] = np.minimum(one[mine], others[:, theirs]).sum(axis=1)
    return common


def _is_far(
    problem: Problem, one: NDArray[np.int32], others: NDArray[np.int32], spacing: int
) -> NDArray[np.bool_]:
    """Tell which splits are at least so far from one, shape (m,)."""
    common = _common(problem, one, others)
    near = problem.n_players - common.max(axis=2).sum(axis=1) < spacing
    # Without an exchange of names it takes no fewer changes: where those are too few nothing need be tried.
    open_rows = np.flatnonzero(near & (problem.n_players - common.trace(axis1=1, axis2=2) >= spacing))
    for row in open_rows:
        most = sum(common[row, mine, theirs] for theirs, mine in enumerate(matched(common[row])))
        near[row] = problem.n_players - most < spacing
    return np.asarray(~near)
