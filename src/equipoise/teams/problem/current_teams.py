"""Splits and the current teams: the one in which everyone stays, and numbers at which fewest players move.

Which team keeps which number is the assignment problem: most in common between some and as many others.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from equipoise.core.arrays import Ints, Labels
from equipoise.core.player import Player
from equipoise.teams.problem.problem import Problem

#: What two that may not be matched have in common: less than anything.
FORBIDDEN = -(1 << 20)


def matched(common: Ints) -> list[int]:
    """Return the row for each column at which the entries' sum is largest: the Hungarian method.

    References
    ----------
    H. Kuhn, "The Hungarian method for the assignment problem", Naval Research Logistics 2 (1955) 83,
    doi:10.1002/nav.3800020109.
    """
    n = len(common)
    costs = (-common).tolist()
    row_price, column_price = [0] * n, [0] * n
    row_of = [-1] * n
    for row in range(n):
        slack, came_from = [float("inf")] * n, [-1] * n
        reached = [False] * n
        at, here = -1, row
        while here >= 0:
            if at >= 0:
                reached[at] = True
            for column in range(n):
                reduced = costs[here][column] - row_price[here] - column_price[column]
                if not reached[column] and reduced < slack[column]:
                    slack[column], came_from[column] = reduced, at
            following = min((c for c in range(n) if not reached[c]), key=slack.__getitem__)
            step = int(slack[following])
            row_price[row] += step
            for column in range(n):
                if reached[column]:
                    row_price[row_of[column]] += step
                    column_price[column] -= step
                else:
                    slack[column] -= step
            at, here = following, row_of[following]
        while at >= 0:
            before = came_from[at]
            row_of[at] = row if before < 0 else row_of[before]
            at = before
    return row_of


def unmoved(problem: Problem) -> tuple[Labels, ...]:
    """Return the split in which everyone stays, if it is legal: something to begin a search with."""
    if problem.moving is None or not problem.n_blocks:
        return ()
    fixed = np.array(problem.fixed)
    labels = np.where(fixed >= 0, fixed, problem.moving.each.argmin(axis=1)).astype(np.int8)
    return (labels,) if problem.legal(labels[None, :])[0] else ()


def renumbered(problem: Problem, players: Sequence[Player], labels: Labels) -> Labels:
    """Return a split with its teams under the numbers at which fewest players change team.

    Teams exchange their numbers where that changes nothing else.
    """
    rules = problem.team_rules_but_now
    common = np.array([[0 if one == other else FORBIDDEN for other in rules] for one in rules])
    for members, team in zip(problem.members, labels.tolist(), strict=True):
        for now in (players[index].team_now for index in members):
            if now is not None:
                common[team, now] += 1
    number = np.argsort(matched(common), kind="stable")
    moved = common.trace() < common[np.arange(len(rules)), number].sum()
    return number[labels].astype(np.int8) if moved else labels
