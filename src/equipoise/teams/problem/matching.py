"""The assignment problem: which of some belongs to which of as many others, so that most is in common."""

from __future__ import annotations

from equipoise.arrays import Ints

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
