"""What a window enumeration goes through: legal team sizes, and the columns of each for the kernel.

The search itself is in :mod:`equipoise.teams.solvers.windows`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

import numpy as np

from equipoise.arrays import Floats, Ints
from equipoise.teams.objectives.objective import EVERYWHERE, Closeness, Crowd
from equipoise.teams.problem.problem import COUNT, MU, Problem
from equipoise.teams.solvers import window_kernels as kernels
from equipoise.teams.solvers.task import Task

#: Size vectors beyond which they are not gone through.
MOST_SIZES = 1000


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
