"""Layouts with bars: the quick way says what the program says."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from equipoise.lobbies import layout
from equipoise.lobbies.problem import LobbyProblem


def barred(seed: int) -> LobbyProblem:
    """Return a problem of few blocks, some of which may not be everywhere."""
    rng = np.random.default_rng(seed)
    n, lobbies, team_size = int(rng.integers(5, 30)), int(rng.integers(2, 5)), int(rng.integers(2, 5))
    may = rng.random((int(rng.integers(2, 5)), lobbies)) < rng.choice([0.4, 0.8])
    least = rng.integers(0, 3, lobbies)
    return LobbyProblem(
        skill=rng.normal(0.0, 1.0, n), size=rng.choice([1, 1, 1, 2, 3], n), kind=rng.integers(0, len(may), n),
        may=may, target=np.zeros(lobbies), least=least, most=least + rng.integers(0, 5, lobbies),
        team_size=team_size, min_size=int(rng.integers(1, team_size + 1)),
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 60, 20))
def test_bars_keep_the_fewest_waiting_and_the_fewest_teams(first: int) -> None:
    """Against the program with a variable for each kind and lobby; blocks are only where they may be."""
    quick = 0
    for seed in range(first, first + 20):
        problem = barred(seed)
        found, expected = layout.lay_out(problem), layout._by_program(problem)
        assert (found is None) == (expected is None) == (not layout.feasible(problem))
        if found is None or expected is None:
            continue
        without = layout.lay_out(layout._without_bars(problem))
        quick += without is not None and layout._with_bars(problem, without) is not None
        assert found.seated == expected.seated
        assert problem.equal_sizes or found.n_teams == expected.n_teams
        sizes, kinds = found.kinds.T
        assert not found.blocks[~problem.may[kinds].T].any()
        counts = np.array([((problem.size == s) & (problem.kind == k)).sum() for s, k in found.kinds])
        assert (found.blocks.sum(axis=0) <= counts).all()
        for size in range(1, problem.team_size + 1):
            needed = found.teams @ found.makeups[:, size]
            assert (found.blocks[:, sizes == size].sum(axis=1) == needed).all()
        assert (found.teams.sum(axis=1) >= problem.least).all()
        assert (found.teams.sum(axis=1) <= problem.most).all()
    assert quick > 2


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 60, 20))
def test_one_lobby_has_the_most_teams_there_can_be(first: int) -> None:
    """Against trying all numbers with the program."""
    for seed in range(first, first + 20):
        problem = dataclasses.replace(barred(seed), most=np.full(barred(seed).n_lobbies, 99))
        least = problem.least.copy()
        least[0] = 0
        possible = []
        for count in range(problem.n_blocks + 1):
            least[0] = count
            tried = dataclasses.replace(problem, least=least.copy())
            if layout._by_program(tried) is None:
                break
            possible.append(count)
        least[0] = 0
        found = layout.most_teams(dataclasses.replace(problem, least=least.copy()), 0)
        assert found == (possible[-1] if possible else None)
