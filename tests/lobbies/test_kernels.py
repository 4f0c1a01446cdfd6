"""Kernels and transforms against what they are short for, plain and compiled."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kernels import needs_numba

from equipoise.core.compiled import compiled
from equipoise.lobbies.kernels import exchange, lowest_lines
from equipoise.lobbies.problem import LobbyProblem
from equipoise.lobbies.teams_of_two import transformed


def problem(*, absolute: bool, per_player: bool = False) -> LobbyProblem:
    """Return a problem of which only lobbies and deviation matter."""
    one = np.ones(1, dtype=np.int64)
    return LobbyProblem(
        np.ones(1), one, one * 0, np.ones((1, 2), dtype=np.bool_), np.array([1.0, 3.0]),
        np.zeros(2, dtype=np.int64),
        np.full(2, 9), 2, 2, absolute, per_player,
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(5))
def test_the_envelope_is_the_least_of_all_lines(seed: int) -> None:
    """Against all pairs, plain and compiled alike."""
    rng = np.random.default_rng(seed)
    slope = np.unique(np.round(rng.normal(0.0, 2.0, 40), 1))
    level = rng.normal(0.0, 3.0, len(slope))
    lines = (2.0 * slope[:, None] * slope[None, :] + level[None, :]).min(axis=1)
    before = rng.normal(0.0, 3.0, len(slope))
    expected = np.minimum(before, ((slope - 1.5) ** 2 + lines) / 4.0 - 0.5)
    for run in (lowest_lines, compiled(lowest_lines)):
        out = before.copy()
        run(slope, level, 1.5, 4.0, 0.5, np.empty(len(slope), dtype=np.int32), out)
        np.testing.assert_allclose(out, expected, atol=1e-12)


@pytest.mark.parametrize("absolute", [False, True])
@pytest.mark.parametrize("per_player", [False, True])
def test_the_transform_is_the_least_over_all_partners_and_lobbies(absolute: bool, per_player: bool) -> None:
    """Against the definition of the c-transform."""
    rng = np.random.default_rng(1)
    skill = np.unique(rng.normal(0.0, 2.0, 30))
    price, lobby = rng.normal(0.0, 1.0, 30), np.array([0.3, -0.2])
    where = problem(absolute=absolute, per_player=per_player)
    totals = skill[:, None] + skill[None, :]
    costs = np.stack([where.deviations(totals, np.array(2), target) for target in where.target], axis=2)
    expected = (costs - price[None, :, None] - lobby).min(axis=(1, 2))
    np.testing.assert_allclose(transformed(where, skill, price, lobby), expected, atol=1e-12)


@pytest.mark.slow
@needs_numba
@pytest.mark.parametrize("absolute", [False, True])
def test_exchanges_are_the_same_bits_plain_and_compiled(absolute: bool) -> None:
    """And the sum of deviations falls."""
    rng = np.random.default_rng(2)
    skill = np.sort(rng.normal(5.0, 1.0, 60))
    results = []
    for run in (exchange, compiled(exchange)):
        team = np.random.default_rng(3).permutation(np.repeat(np.arange(20), 3))
        away = np.append(np.bincount(team, weights=skill) - 15.0, 0.0)
        before = np.abs(away).sum() if absolute else (away**2).sum()
        scale = np.append(np.ones(20), 0.0)
        columns = np.append(np.zeros(20, dtype=np.int64), 1)
        moved = run(
            skill, np.zeros(60, dtype=np.int64), team, away, scale, columns,
            np.ones(2, dtype=np.bool_), 2, absolute,
            float(away[:-1].mean()), 0.0, 0, 60,
        )  # fmt: skip
        after = np.abs(away).sum() if absolute else (away**2).sum()
        assert moved > 0
        assert after < before
        results.append((team.tobytes(), away.tobytes()))
    assert results[0] == results[1]
