"""The link between skill and outcome."""

from __future__ import annotations

import math

import numpy as np
import pytest

from equipoise.core.win_probability import difference_for, pair_noise, win_probability

rng = np.random.default_rng(0)


@pytest.mark.parametrize("teams", [2, 3, 5])
def test_probabilities_sum_to_one_and_follow_the_teams(teams: int) -> None:
    """A permutation of the teams permutes their chances, and the strongest has the best."""
    mu, variance = rng.normal(0, 3, (50, teams)), rng.random((50, teams))
    count = np.full((50, teams), 5.0)
    chances = win_probability(mu, variance, count, 1.0)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    order = rng.permutation(teams)
    np.testing.assert_allclose(
        win_probability(mu[:, order], variance[:, order], count[:, order], 1.0), chances[:, order]
    )
    assert (chances.argmax(axis=1) == mu.argmax(axis=1)).all()


def test_two_teams_are_within_a_hundredth_of_the_normal_model() -> None:
    """The logistic of slope 1.702 stands for the normal distribution function of TrueSkill's link.

    Worked example: skills 30 and 25 with sigma 2 and beta 25/6: c² = 8 + 2 (25/6)², Phi(5 / c) = 0.7779.
    """
    chance = win_probability(np.array([[30.0, 25.0]]), np.array([[4.0, 4.0]]), np.ones((1, 2)), 25 / 6)[0, 0]
    normal = 0.5 * (1.0 + math.erf(5.0 / math.sqrt(8.0 + 2.0 * (25 / 6) ** 2) / math.sqrt(2.0)))
    assert normal == pytest.approx(0.7779, abs=1e-4)
    assert chance == pytest.approx(normal, abs=0.01)


def test_more_noise_is_less_certainty() -> None:
    """Uncertain ratings, and more players, bring every chance nearer to even."""
    one = win_probability(np.array([[1.0, 0.0]]), np.zeros((1, 2)), np.ones((1, 2)), 1.0)[0, 0]
    unsure = win_probability(np.array([[1.0, 0.0]]), np.ones((1, 2)), np.ones((1, 2)), 1.0)[0, 0]
    crowd = win_probability(np.array([[1.0, 0.0]]), np.zeros((1, 2)), np.full((1, 2), 5.0), 1.0)[0, 0]
    assert 0.5 < unsure < one
    assert 0.5 < crowd < one


@pytest.mark.parametrize("distance", [0.0, 1e-6, 0.1, 0.4999])
def test_the_difference_for_a_chance_is_its_inverse(distance: float) -> None:
    """Teams that differ by it win with that chance."""
    count, variance = np.full((1, 2), 3.0), np.full((1, 2), 2.0)
    noise = float(pair_noise(variance, count, 1.5)[0])
    mu = np.array([[difference_for(distance, noise), 0.0]])
    assert win_probability(mu, variance, count, 1.5)[0, 0] == pytest.approx(0.5 + distance, abs=1e-12)


def test_no_difference_is_a_sure_win() -> None:
    """Certainty would take an infinite one."""
    assert difference_for(0.5, 1.0) == math.inf


def test_huge_differences_do_not_overflow() -> None:
    """The favourite's chance ends at one."""
    assert win_probability(np.array([[1e15, 0.0]]), np.zeros((1, 2)), np.ones((1, 2)), 1e-3)[0].tolist() == [
        1.0,
        0.0,
    ]
