"""Every team there could be, one by one: the columns of the exact program."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from equipoise.arrays import Floats, Ints
from equipoise.errors import InputError
from equipoise.lobbies.problem import LobbyProblem

#: Teams times lobbies up to which they are listed: half a gigabyte.
MOST_CANDIDATES = 4_000_000


@dataclass(frozen=True)
class Candidates:
    """Teams there could be.

    Parameters
    ----------
    blocks : ndarray of int, shape (n, team_size)
        Their blocks, ascending, -1 for none.
    sizes : ndarray of int, shape (n,)
        Their numbers of players.
    costs : ndarray of float, shape (n, n_lobbies)
        Their deviations in each lobby; infinite where they may not be.
    """

    blocks: Ints
    sizes: Ints
    costs: Floats


def count_candidates(problem: LobbyProblem) -> int:
    """Return how many teams there could be, times lobbies; bars left out of account."""
    # The generating function of block sizes: ways[s] sets of blocks have s players.
    ways = [1] + [0] * problem.team_size
    for size in range(1, problem.team_size + 1):
        blocks = int((problem.size == size).sum())
        before = ways
        ways = [
            sum(before[total - k * size] * math.comb(blocks, k) for k in range(total // size + 1))
            for total in range(problem.team_size + 1)
        ]
    return sum(ways[problem.min_size :]) * problem.n_lobbies


def list_candidates(problem: LobbyProblem) -> Candidates:
    """Return all teams there could be.

    Raises
    ------
    InputError
        If there are too many.
    """
    number = count_candidates(problem)
    if number > MOST_CANDIDATES:
        msg = (
            f"solver: 'exact' would have to list {number:.3g} teams and lobbies; up to {MOST_CANDIDATES} are "
            "allowed, and 'large' does without"
        )
        raise InputError(msg)
    fitting = np.flatnonzero(problem.size <= problem.team_size)
    blocks = np.full((1, 0), -1, dtype=np.int64)
    last, sizes = np.full(1, -1), np.zeros(1, dtype=np.int64)
    parts = []
    for depth in range(problem.team_size):
        row, more = np.nonzero(
            (np.arange(len(fitting))[None, :] > last[:, None])
            & (sizes[:, None] + problem.size[fitting][None, :] <= problem.team_size)
        )
        blocks = np.concatenate([blocks[row], fitting[more][:, None]], axis=1)
        last, sizes = more, sizes[row] + problem.size[fitting[more]]
        done = sizes >= problem.min_size
        padding = np.full((int(done.sum()), problem.team_size - depth - 1), -1, dtype=np.int64)
        parts.append((np.concatenate([blocks[done], padding], axis=1), sizes[done]))
        open_teams = sizes < problem.team_size
        blocks, last, sizes = blocks[open_teams], last[open_teams], sizes[open_teams]
    members, players = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    there = members >= 0
    totals = np.where(there, problem.skill[members], 0.0).sum(axis=1)
    costs = problem.deviations(totals[:, None], players[:, None], problem.target)
    allowed = np.where(there[:, :, None], problem.may[problem.kind[members]], True).all(axis=1)
    return Candidates(members, players, np.where(allowed, costs, np.inf))
