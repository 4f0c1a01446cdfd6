"""For how many players a map is best, as its games have shown.

A game is as one-sided as the loser's score falls short of the winner's.  Of every number of players that a
map has been played with often enough, the mean of that is compared with the least one: a number is left out
where its games were more one-sided by more than twice the standard error of the difference.  What remains
around the best number is the range.

A side of it is open where no number beyond it was left out.  So a map that was always played with one number
has no range, and what an admin asks for is not held back by what was asked for before.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from equipoise.matches import Contest, Match

#: Games with a number of players from which on they say something, and how many standard errors are enough.
LEAST, ERRORS = 10, 2.0


def map_ranges(matches: Iterable[Match], *, least: int = LEAST) -> dict[str, tuple[int, int | None]]:
    """Return for how many players maps are best: the least, 0 for any, and the most, None for any.

    Parameters
    ----------
    matches : iterable of Match
        What was played; games without scores of teams say nothing.
    least : int
        How many games with a number of players are needed before it is judged.

    Examples
    --------
    >>> from equipoise.matches import Ruleset
    >>> def game(n, loser):
    ...     teams = [list("abcd"[:n]), list("efgh"[:n])]
    ...     return Match([Contest(Ruleset("g"), teams, (0, 1), scores=(20, loser))], map="dm1")
    >>> map_ranges([game(2, 18), game(3, 18), game(4, 2)] * 10)
    {'dm1': (0, 6)}
    """
    games: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for match in matches:
        result = match.contests[-1] if match.map and match.contests else None
        if result is not None and len(result.teams) > 1 and (gap := _one_sided(result)) is not None:
            size = round(sum(share for team in result.teams for _, share in team))
            games[match.map][size].append(gap)
    found = {name: _range(sizes, least) for name, sizes in games.items()}
    return {name: span for name, span in found.items() if span != (0, None)}


def _one_sided(result: Contest) -> float | None:
    """Return how far the last one's score falls short of the winner's, from 0 to 1."""
    if not result.scores or min(result.scores) < 0.0 or not math.isfinite(max(result.scores)):
        return None
    most = max(result.scores)
    return 1.0 - min(result.scores) / most if most > 0.0 else None


def _range(sizes: dict[int, list[float]], least: int) -> tuple[int, int | None]:
    """Return the range of one map, from how one-sided its games were with each number of players."""
    judged = {size: gaps for size, gaps in sorted(sizes.items()) if len(gaps) >= least}
    if len(judged) < 2:
        return 0, None
    order = list(judged)
    best = min(order, key=lambda size: (np.mean(judged[size]), size))
    good = [not _worse(judged[size], judged[best]) for size in order]
    low = high = order.index(best)
    while low > 0 and good[low - 1]:
        low -= 1
    while high + 1 < len(order) and good[high + 1]:
        high += 1
    return order[low] if low > 0 else 0, order[high] if high + 1 < len(order) else None


def _worse(gaps: Sequence[float], best: Sequence[float]) -> bool:
    """Tell whether games were more one-sided than others, beyond what chance does."""
    error = math.sqrt(sum(float(np.var(each, ddof=1)) / len(each) for each in (gaps, best)))
    return float(np.mean(gaps) - np.mean(best)) > ERRORS * error + 1e-9
