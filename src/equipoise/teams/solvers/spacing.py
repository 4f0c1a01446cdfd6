"""The best splits that are far from one another: how far two are, and which of a ranking are taken.

The distance of two splits is the least number of players that must change team to make one look like the
other.  Teams under the same rules in which nobody is fixed may exchange their names for nothing, and so may
players of equal looks (:attr:`equipoise.teams.problem.problem.Problem.looks`).  The best split is
taken, then again and again the best of those at least so far from all taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from equipoise.arrays import Ints, Labels
from equipoise.teams.problem.matching import FORBIDDEN, matched
from equipoise.teams.problem.problem import Problem
from equipoise.teams.solvers.task import Found

#: How many times as many splits are ranked as are wanted, at first and whenever too few are far apart.
GROWTH = 8

#: Splits that are ranked at the least, as to rank a few more costs nothing.
RANKED_AT_LEAST = 64

#: Splits beyond which no more are ranked: about two seconds for two teams.
RANKED_AT_MOST = 1 << 15


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
