"""From the solution over bins to a first placing of teams of two."""

from __future__ import annotations

import numpy as np

from equipoise.arrays import Ints
from equipoise.lobbies.pairs import Binned
from equipoise.lobbies.problem import WAITING, LobbyProblem, Placing


def placing_of(problem: LobbyProblem, singles: Ints, ends: Ints, binned: Binned, n_teams: int) -> Placing:
    """Return the placing that pairs bins as the linear program does, rounded down, and the rest crosswise.

    Parameters
    ----------
    singles : ndarray of int
        The players without a party, by ascending skill.
    ends : ndarray of int, shape (n_bins,)
        Where each bin of them ends.
    """
    flow = np.floor(binned.flow + 1e-6).astype(np.int64)
    starts = np.concatenate([[0], ends[:-1]])
    # Each pair of bins takes its players from both bins in turn; nobody is taken twice.
    bins = np.concatenate([binned.one, binned.other])
    takes = np.concatenate([flow, flow])
    order = np.argsort(bins, kind="stable")
    before = np.cumsum(takes[order]) - takes[order]
    first_of_bin = np.searchsorted(bins[order], bins[order])
    offset = np.empty_like(takes)
    offset[order] = starts[bins[order]] + before - before[first_of_bin]
    limit = np.concatenate([ends[binned.one], ends[binned.other]])
    takes = np.clip(np.minimum(takes, limit - offset), 0, None)
    half = len(flow)
    count = np.minimum(takes[:half], takes[half:])
    step = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    one = np.repeat(offset[:half], count) + step
    other = np.repeat(offset[half:] + count - 1, count) - step
    team = np.full(problem.n_blocks, WAITING, dtype=np.int64)
    whole = np.flatnonzero(problem.size == 2)[:n_teams]
    team[whole] = np.arange(len(whole))
    room = n_teams - len(whole)
    one, other = one[:room], other[:room]
    for side in (one, other):
        team[singles[side]] = len(whole) + np.arange(len(side))
    left = singles[team[singles] == WAITING]
    missing = room - len(one)
    low, high = left[:missing], left[len(left) - missing :][::-1]
    for part in (low, high):
        team[part] = len(whole) + len(one) + np.arange(missing)
    counts = _counts(problem, binned, n_teams)
    placing = Placing(team, np.zeros(n_teams, dtype=np.int64))
    rank = np.argsort(placing.totals(problem), kind="stable")
    by_target = np.argsort(problem.target, kind="stable")
    placing.lobby[rank] = np.repeat(by_target, counts[by_target])
    return placing


def _counts(problem: LobbyProblem, binned: Binned, n_teams: int) -> Ints:
    """Return how many teams each lobby gets: as in the linear program, rounded within the limits."""
    wish = np.bincount(binned.where, weights=binned.flow, minlength=problem.n_lobbies)
    wish = wish.astype(np.float64)
    wish *= n_teams / max(wish.sum(), 1.0)
    counts = np.clip(np.floor(wish + 1e-6).astype(np.int64), problem.least, problem.most)
    while counts.sum() != n_teams:
        up = counts.sum() < n_teams
        room = (counts < problem.most) if up else (counts > problem.least)
        lack = np.where(room, wish - counts if up else counts - wish, -np.inf)
        counts[int(lack.argmax())] += 1 if up else -1
    return np.asarray(counts)
