"""``window``: window enumeration, exact for three and more teams.

Teams are filled one by one.  No team of a split within a cost can total anything outside its windows
(:meth:`~equipoise.teams.objectives.objective.Criterion.windows`).  So the first team is chosen among those
within, the next among those that are within what the first leaves, and so on; the last two are one choice.
A *sweep* does that for a cost aimed at: when it ends, every split up to that cost has been seen.

A start is improved first by aiming at half its cost again and again (*diving*).  The proof then aims low and
ever higher, so that what is spent on costs nothing can reach is small against what is spent on the last.

References
----------
R. Korf, "Optimally scheduling small numbers of identical parallel machines", ICAPS 2011 (bounds on
subset sums from an incumbent, in multi-way number partitioning).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import numpy as np

from equipoise.core.arrays import Floats, Ints, Labels
from equipoise.core.compiled import pays, run
from equipoise.core.stopping import seconds_left
from equipoise.errors import UnsupportedError
from equipoise.teams.objectives.objective import EVERYWHERE, Closeness, Crowd, Interval, Windows
from equipoise.teams.objectives.partial_kernels import Partial, partial_cost
from equipoise.teams.problem.problem import COUNT, MU, Problem
from equipoise.teams.solvers import window_kernels as kernels
from equipoise.teams.solvers.pairwise import draft_teams, improve, range_bound, whole_numbers
from equipoise.teams.solvers.task import Best, Fit, Found, Ranked, Solver, Task
from equipoise.teams.solvers.window_kernels import Bounds, Close

#: Size vectors beyond which they are not gone through.
MOST_SIZES = 1000  # effort


@dataclass(frozen=True)
class Arrangement:
    """Teams of given sizes: their classes, and what is in each from the start.

    Parameters
    ----------
    crowd : Crowd
        Sizes and totals, bots included.
    teams : tuple of tuples of int
        The teams of each class that are still to be filled.
    full : tuple of int
        The teams that nobody is missing in.
    base : ndarray, shape (n_teams, 5)
        What is in each team from the start: the fixed blocks and the bots.
    missing : ndarray of int, shape (n_teams,)
        How many players each team lacks.
    close : Closeness
        How close the totals must be for the task's limits.
    """

    crowd: Crowd
    teams: tuple[tuple[int, ...], ...]
    full: tuple[int, ...]
    base: Floats
    missing: Ints
    close: Closeness


@dataclass(frozen=True)
class Memory:
    """A layout's classes as the kernel takes them, and the room of its search."""

    classes: kernels.Classes
    levels: kernels.Levels
    picks: kernels.Picks


@lru_cache(maxsize=4)
def size_vectors(problem: Problem) -> list[tuple[int, ...]] | None:
    """Return the legal team sizes, most even first, each once where teams are under the same rules.

    None where there are more than :data:`MOST_SIZES`.
    """
    found = list(islice(_extended((), problem), MOST_SIZES + 1))
    if len(found) > MOST_SIZES:
        return None
    legal = problem.legal_counts(np.array(found, dtype=np.int64).reshape(-1, problem.n_teams))
    found = [counts for counts, keeps in zip(found, legal, strict=True) if keeps]
    return sorted(found, key=lambda counts: (max(counts) - min(counts), counts))


def _extended(counts: tuple[int, ...], problem: Problem) -> Iterator[tuple[int, ...]]:
    team = len(counts)
    if team == problem.n_teams:
        yield counts
        return
    rest = problem.n_players - sum(counts)
    low = max(problem.min_size[team], rest - sum(problem.max_size[team + 1 :]))
    high = min(problem.max_size[team], rest - sum(problem.min_size[team + 1 :]))
    if counts:
        low = max(low, max(counts) - problem.max_difference)
        high = min(high, min(counts) + problem.max_difference)
    rules = problem.team_rules
    equal = [count for count, rule in zip(counts, rules, strict=False) if rule == rules[team]]
    for count in range(low, min([high, *equal]) + 1):
        yield from _extended((*counts, count), problem)


def sizes_for_fixed(problem: Problem) -> list[tuple[int, ...]]:
    """Return the legal team sizes that hold those who are fixed."""
    held = problem.counts(np.array([problem.fixed], dtype=np.int8))[0]
    return [counts for counts in size_vectors(problem) or () if (held <= counts).all()]


def layout_of(task: Task, counts: tuple[int, ...], zero: float) -> Arrangement:
    """Return what is known of teams with these numbers of the roster's players."""
    problem = task.problem
    base = np.zeros((problem.n_teams, problem.features.shape[1]))
    for block, team in enumerate(problem.fixed):
        if team >= 0:
            base[team] += problem.features[block]
    missing = np.array(counts) - base[:, COUNT].astype(np.int64)
    whole = problem.features.sum(axis=0)
    bots = problem.bots(np.array([counts]))[0]
    if problem.filler is not None:
        base += bots[:, None] * problem.filler
        whole = whole + bots.sum() * problem.filler
    classes: dict[tuple[object, ...], list[int]] = {}
    for team in range(problem.n_teams):
        if missing[team] > 0:
            classes.setdefault((problem.team_rules[team], counts[team]), []).append(team)
    sizes = tuple(int(size) for size in counts + bots)
    mu = (EVERYWHERE,) * problem.n_teams
    close = Closeness()
    for criterion, limit in task.limits:
        if criterion.has_windows:
            windows = criterion.windows(limit, Crowd(sizes, whole, mu))
            mu = windows.mu
            close = closer(windows.closeness, close, zero)
    full = tuple(int(team) for team in np.flatnonzero(missing == 0))
    return Arrangement(
        Crowd(sizes, whole, mu), tuple(map(tuple, classes.values())), full, base, missing, close
    )


def closer(closeness: Closeness, otherwise: Closeness, zero: float) -> Closeness:
    """Return a closeness that says something of the strengths above a zero, else the other one."""
    return closeness if closeness.span < math.inf and closeness.zero == zero else otherwise


def blocks_of(problem: Problem, free: Ints, second_axis: Floats) -> kernels.Blocks:
    """Return the free blocks as the kernel takes them."""
    features = problem.features[free]
    each = features[:, MU] / np.maximum(features[:, COUNT], 1.0) - problem.centre
    ranks = np.lexsort((-np.abs(each), -problem.sizes[free]))
    clash = np.zeros((len(free) if problem.apart else 0, len(free)), dtype=np.uint8)
    place = {int(block): n for n, block in enumerate(free)}
    for one, other in problem.apart:
        if one in place and other in place:
            clash[place[one], place[other]] = clash[place[other], place[one]] = 1
    return kernels.Blocks(
        sizes=problem.sizes[free],
        first=np.ascontiguousarray(features[:, MU]),
        second=(features * second_axis).sum(axis=1),
        kinds=problem.kinds[free],
        ranks=ranks.astype(np.int64),
        clash=clash,
    )


def memory_of(problem: Problem, layout: Arrangement, free: Ints, second_axis: Floats, zero: float) -> Memory:
    """Return a layout's classes and the room a search over it needs."""
    n, depth = len(free), sum(len(teams) for teams in layout.teams)
    extras = np.array(layout.crowd.extras(zero))
    return Memory(
        _classes(problem, layout, free, second_axis, extras), _levels(layout, depth, extras), _picks(n, depth)
    )


def _classes(
    problem: Problem, layout: Arrangement, free: Ints, second_axis: Floats, extras: Floats
) -> kernels.Classes:
    first = [teams[0] for teams in layout.teams]
    clash = np.zeros((len(first), len(free)), dtype=np.uint8)
    place = {int(block): row for row, block in enumerate(free)}
    for pair in problem.apart:
        for one, other in (pair, pair[::-1]):
            if problem.fixed[one] in first and other in place:
                clash[first.index(problem.fixed[one]), place[other]] = 1
    members = np.zeros((len(first), max([1, *map(len, layout.teams)])), dtype=np.int64)
    for row, teams in enumerate(layout.teams):
        members[row, : len(teams)] = teams
    base = layout.base[first]
    return kernels.Classes(
        need=layout.missing[first],
        first=np.ascontiguousarray(base[:, MU]),
        second=(base * second_axis).sum(axis=1),
        clash=clash,
        teams=np.array([len(teams) for teams in layout.teams], dtype=np.int64),
        members=members,
        sizes=np.array([layout.crowd.counts[team] for team in first], dtype=np.float64),
        extras=extras[first],
    )


def _levels(layout: Arrangement, depth: int, extras: Floats) -> kernels.Levels:
    def whole() -> Ints:
        return np.zeros(depth, dtype=np.int64)

    totals = layout.base[list(layout.full), MU]
    full = totals - extras[list(layout.full)]
    levels = kernels.Levels(
        of_class=whole(),
        leader=whole(),
        start=whole(),
        listed=whole(),
        singles=whole(),
        low=np.zeros(depth),
        high=np.zeros(depth),
        largest=np.zeros(depth),
        smallest=np.zeros(depth),
        rest=np.zeros(depth),
        left=np.zeros((depth, len(layout.teams)), dtype=np.int64),
        count_left=np.zeros(depth),
        second_left=np.zeros(depth),
        kept=np.zeros((depth, 2)),
    )
    levels.largest[:1], levels.smallest[:1] = full.max(initial=-math.inf), full.min(initial=math.inf)
    levels.rest[:1] = float(layout.crowd.whole[MU]) - float(totals.sum())
    levels.left[:1] = [len(teams) for teams in layout.teams]
    return levels


def _picks(n: int, depth: int) -> kernels.Picks:
    return kernels.Picks(
        free=np.zeros((depth, n), dtype=np.int64),
        prefix=np.zeros((depth, n + 1)),
        position=np.zeros(n + 1, dtype=np.int64),
        first=np.zeros(n + 1),
        second=np.zeros(n + 1),
        missing=np.zeros(n + 1, dtype=np.int64),
        taken=np.full(n, -1, dtype=np.int64),
    )


#: Blocks up to which the search is tried: its lists grow with their square, and beyond it proves nothing.
MOST_BLOCKS = 200  # effort

#: Steps done by the plain kernel before numba is loaded for the rest: some hundredths of a second.
PLAIN_STEPS = 1 << 14  # effort

#: Steps before the clock is asked again: some milliseconds compiled.
STEPS = 1 << 17  # effort

#: Steps spent on aiming lower without finding anything before that is given up.
DIVE_STEPS = 1 << 22  # effort

#: The part of their windows that all but the last few teams may use while diving.
GUIDE = 1.0 / 16.0  # effort

#: Steps spent on the proof before it is given up: about a second compiled.
PROOF_STEPS = 1 << 25  # effort

#: Steps spent on it before exact re-splits of pairs of teams bring the start further down.
FIRST_PROOF_STEPS = 1 << 21  # effort

#: How much more each sweep of a proof may be expected to take than the one before.
WORK_GROWTH = 8.0  # effort

#: How far below the best known cost a proof begins, as a share.
PROOF_BEGINS = 1.0 / 16.0  # effort

#: Costs aimed at while too few splits are known, after which every cost will do.
MOST_AIMS = 8  # effort

#: Splits that come from the kernel at once.
ROOM = 1 << 10  # effort


def enumerate_windows(task: Task) -> Found:
    """Find the best splits and prove them best, if that does not take too long.

    Parameters
    ----------
    task : Task
        With a criterion that has windows, and not more legal team sizes than :func:`size_vectors` gives.
    """
    return _Enumeration(task).run()


class _Aim(NamedTuple):
    """What a sweep that aims at a cost keeps to."""

    windows: Bounds
    close: Close
    partial: Partial


class _Enumeration:
    """One search: the blocks in order, the layouts, and the sweeps over them."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.best = Best(task)
        problem = task.problem
        self.floor = max(range_bound(task), task.criterion.floor)
        # What is known of how close strengths are is used for one zero only.
        by_strength = (c for c in (task.criterion, *(c for c, _ in task.limits)) if c.by_difference)
        self.zero = next((criterion.zero for criterion in by_strength), 0.0)
        self.second_axis = np.array(task.criterion.second)
        self.layouts = [layout_of(task, counts, self.zero) for counts in sizes_for_fixed(problem)]
        self.open = np.array([block for block, team in enumerate(problem.fixed) if team < 0], dtype=np.int64)
        mu = problem.features[:, MU]
        if len(self.open):
            order = np.lexsort((mu[self.open], -problem.sizes[self.open]))
            self.open = self.open[order]
        self.blocks = blocks_of(problem, self.open, self.second_axis)
        self.memories = [
            memory_of(problem, layout, self.open, self.second_axis, self.zero) for layout in self.layouts
        ]
        self.pads = problem.rounding.pads(4 * problem.n_blocks, task.criterion.second, self.zero)
        self.out = np.zeros((ROOM, len(self.open)), dtype=np.int8)
        self.steps = 0
        self.fast = self._pays(math.inf)
        # Among costs that are whole numbers, only one that is lower by one is better; unless sizes may
        # differ, as the more even ones are better at the same cost.
        even = {max(layout.crowd.counts) - min(layout.crowd.counts) for layout in self.layouts}
        self.whole = task.criterion.whole and len(even) <= 1 and whole_numbers(problem)

    def _pays(self, worth: float) -> bool:
        """Tell whether the compiled kernel pays, from so many steps on, in the time there is."""
        return pays(self.steps, worth, seconds_left(self.task.stop), (kernels.fill_teams,))

    def run(self) -> Found:
        """Start, dive, prove."""
        if not self.layouts:
            return self.best.found(bound=math.inf, proven=True)
        if self.best.worst == math.inf and not self._ranked():
            start = draft_teams(self.task.problem, self.task.rng)
            if start is not None:
                self.best.offer(start[None, :])
        low = self.floor
        if not self._reached(low):
            self._sweep(self._half(), self._steps(DIVE_STEPS), dive=True)
        found = self._prove(low, self._steps(FIRST_PROOF_STEPS))
        if found.proven or self.task.stop():
            return found
        if not self.task.criterion.by_difference and found.ranked:
            improve(self.task, found.ranked[0].labels, self.best, found.bound)
        return self._prove(found.bound if found.bound < self.best.worst else low, self._steps(PROOF_STEPS))

    def _half(self) -> float:
        """Return what a dive aims at: half the cost to be bettered, or any cost while more are wanted."""
        worst = self.best.worst
        if worst < math.inf:
            return self.floor + (worst - self.floor) / 2.0
        ranked = self._ranked()
        return ranked[-1].cost if ranked else math.inf

    def _steps(self, usual: int) -> int:
        """Return how many steps the effort allows."""
        return math.ceil(self.task.effort * usual)

    def _prove(self, low: float, steps: int) -> Found:
        """Aim higher and higher until nothing can be better than what is known."""
        growth = WORK_GROWTH ** (1.0 / max(self.task.problem.n_teams - 1, 1))
        until = self.steps + steps
        aim, tried = low, 0
        while low < math.inf and not self._reached(low):
            needed = self._below(self.best.worst)
            above = max((aim - self.floor) * growth, (needed - self.floor) * PROOF_BEGINS)
            if needed == math.inf:
                ranked = self._ranked()
                above = max((aim - self.floor) * growth, ranked[-1].cost - self.floor if ranked else math.inf)
                tried += 1
            aim = min(self.floor + above, needed) if tried < MOST_AIMS else math.inf
            ended, _ = self._sweep(aim, until - self.steps)
            if not ended:
                return self.best.found(bound=low, proven=False)
            if aim >= self._below(self.best.worst):
                return self.best.found(bound=low, proven=True)
            low = max(low, aim)
        return self.best.found(bound=low, proven=True)

    def _ranked(self) -> tuple[Ranked, ...]:
        return self.best.found(bound=self.floor, proven=False).ranked

    def _below(self, cost: float) -> float:
        """Return the cost up to which all must be seen to see whatever is better than a cost."""
        return cost - 1.0 if self.whole and cost < math.inf else cost

    def _reached(self, low: float) -> bool:
        """Tell whether nothing can be better than what is known."""
        return self.best.reaches(max(low, self.floor))

    def _sweep(self, aim: float, steps: int, *, dive: bool = False) -> tuple[bool, float]:
        """Look at every split of at most a cost; return whether that was finished, and the cost.

        A dive lowers the cost to half of whatever is found.
        """
        until = self.steps + steps
        for layout, memory in zip(self.layouts, self.memories, strict=True):
            if not len(self.open):
                self.best.offer(self._labels(np.zeros((1, 0), dtype=np.int8)))
                continue
            state = np.zeros(4, dtype=np.int64)
            memory.picks.taken[:] = -1
            aimed = -math.inf
            within: _Aim | None = None
            room = 1
            while state[0] != kernels.DONE:
                if dive and self._half() < aim:
                    aim = self._half()
                    until = self.steps + steps
                now = min(aim, self._below(self.best.worst))
                if now != aimed:
                    aimed, within = now, self._windows(layout, memory, now, GUIDE if dive else 0.0)
                if within is None:
                    break
                found, looked = self._fill(memory, within, state, min(STEPS, until - self.steps), room)
                self.steps += looked
                room = min(2 * room, ROOM)
                self.best.offer(self._labels(self.out[:found]))
                if self.task.stop() or (self.steps >= until and state[0] != kernels.DONE):
                    return False, aim
        return True, aim

    def _windows(self, layout: Arrangement, memory: Memory, cost: float, guide: float) -> _Aim | None:
        """Return the windows of a layout's classes within a cost; None where its full teams are outside."""
        windows = Windows(layout.crowd.mu, (EVERYWHERE,) * len(layout.crowd.mu))
        if cost < math.inf:
            windows = self.task.criterion.windows(cost, layout.crowd)
        close = closer(windows.closeness, layout.close, self.zero)
        for team in layout.full:
            total, second = layout.base[team, MU], float((layout.base[team] * self.second_axis).sum())
            inside = _within(total, windows.mu[team], self.pads[0])
            if not (inside and _within(second, windows.second[team], self.pads[1])):
                return None
        first = [teams[0] for teams in layout.teams]
        bounds = Bounds(
            first_low=np.array([windows.mu[team].low for team in first]),
            first_high=np.array([windows.mu[team].high for team in first]),
            second_low=np.array([windows.second[team].low for team in first]),
            second_high=np.array([windows.second[team].high for team in first]),
        )
        partial = self._begin(layout, memory, windows.partial)
        return _Aim(
            bounds, Close(close.share, close.span, *self.pads, guide if cost < math.inf else 0.0), partial
        )

    def _begin(self, layout: Arrangement, memory: Memory, partial: Partial) -> Partial:
        """Write down what the full teams say, and return what is checked with room for rounding."""
        if partial.cost == math.inf:
            return Partial()
        base, full = layout.base, list(layout.full)
        counts, squares = base[:, COUNT], (base * self.second_axis).sum(axis=1)
        kept = np.array([partial.begin, partial.begin])
        for team in full:
            partial_cost(partial, kept, 0, counts[team], base[team, MU], squares[team], 0.0, 0.0, 0.0)
            kept[0] = kept[1]
        levels = memory.levels
        levels.kept[:1] = kept[0]
        levels.count_left[:1] = float(sum(layout.crowd.counts)) - counts[full].sum()
        levels.second_left[:1] = float((layout.crowd.whole * self.second_axis).sum()) - squares[full].sum()
        room = math.sqrt(self.pads[1]) if partial.rooted else self.task.error
        return partial._replace(cost=partial.cost + room)

    def _fill(self, memory: Memory, aim: _Aim, state: Ints, steps: int, room: int) -> tuple[int, int]:
        """Let the kernel go on, the plain one at first."""
        if not self.fast and self.steps >= PLAIN_STEPS:
            self.fast = self._pays(PLAIN_STEPS)
        if not self.fast:
            steps = min(steps, PLAIN_STEPS)
        found, looked = run(
            kernels.fill_teams,
            *(self.blocks, memory.classes, *aim, memory.levels, memory.picks),
            *(state, steps, self.out[:room]),
            fast=self.fast,
        )
        return found, looked

    def _labels(self, rows: Labels) -> Labels:
        """Return the splits that the kernel's rows stand for."""
        labels = np.array(self.task.problem.fixed, dtype=np.int8)[None, :].repeat(len(rows), axis=0)
        labels[:, self.open] = rows
        return labels


def _within(total: float, interval: Interval, pad: float) -> bool:
    return interval.low - pad <= total <= interval.high + pad


def solve(task: Task) -> Found:
    """Find the best splits and prove them best; see :class:`equipoise.teams.solvers.task.Solver`.

    Raises
    ------
    InputError
        If the criterion has no windows, or there are too many players or team sizes.
    """
    if not task.criterion.has_windows:
        msg = ": 'window' needs a criterion with windows; 'enumerate' does without"
        raise UnsupportedError(msg, "solver")
    if not suits(task):
        msg = (
            f": 'window' takes up to {MOST_BLOCKS} players and parties and {MOST_SIZES} ways to choose "
            "the teams' sizes; 'resplit' takes more"
        )
        raise UnsupportedError(msg, "solver")
    return enumerate_windows(task)


def suits(task: Task) -> bool:
    """Tell whether a task is of the kind, and not too large."""
    if not task.criterion.has_windows or task.problem.n_blocks > MOST_BLOCKS:
        return False
    return size_vectors(task.problem) is not None


def _suits(task: Task) -> Fit:
    return Fit.BEST if task.problem.n_teams != 2 and suits(task) else Fit.NO


SOLVER = Solver("window", solve, exact=True, suits=_suits)
