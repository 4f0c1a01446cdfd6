"""Curves over time: the exact smoother of one chain, and the filter at the end."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from equipoise import Contest, GaussianFilter, InputError, Match, Ruleset, Statistics, replay
from equipoise.ratings.models.elo import Elo
from equipoise.ratings.models.gaussian_filter.packing import DAY
from equipoise.ratings.smoothing import curves
from equipoise.testing.ratings import random_contest

MODEL = GaussianFilter()


def test_one_player_is_smoothed_exactly() -> None:
    """Ann meets a newcomer each time, and only what she did is looked at: mean and sigma to 1e-10.

    The oracle is the normal distribution of her skill after all contests given all figures, by dense linear
    algebra: a random walk with known steps, seen with the noise of a figure and of her unknown opponent.
    """
    model = replace(MODEL, outcome=0.0, drift_game=0.05, drift_day=0.03)
    rng = np.random.default_rng(0)
    days = np.cumsum(rng.uniform(0.1, 9.0, 25)).tolist()
    matches, figures = [], []
    squares, count = 4.2, 10.0
    for n, day in enumerate(days):
        kills, deaths = rng.integers(0, 30, (2, 2)).astype(float).tolist()
        told = tuple(Statistics(p, k, d) for p, k, d in zip(("ann", f"x{n}"), kills, deaths, strict=True))
        duel = Contest(Ruleset(), (["ann"], [f"x{n}"]), (1, 2), at=day * DAY, statistics=told)
        matches.append(Match((duel,)))
        mine, other = (math.log((k + 1) / (d + 1)) for k, d in zip(kills, deaths, strict=True))
        figures.append((mine - other) / 2.0 / math.sqrt(squares / count))
        squares, count = squares + (mine - other) ** 2 / 2.0, count + 2.0
    steps = [model.sigma**2]
    steps += [model.drift_game**2 + model.drift_day**2 * gone for gone in np.diff(days).tolist()]
    before = np.cumsum(steps)
    prior = np.minimum.outer(before, before)
    slope = model.statistic_slope
    seen = prior * slope**2 + np.eye(25) * (model.statistic_noise**2 + slope**2 * model.sigma**2)
    gain = slope * prior @ np.linalg.inv(seen)
    curve = curves(model, matches)["ann", Ruleset()]
    assert np.array(curve.mu) - model.baseline == pytest.approx(gain @ np.array(figures), abs=1e-10)
    assert np.array(curve.sigma) ** 2 == pytest.approx(np.diag(prior - slope * gain @ prior), abs=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_the_last_point_is_the_filters(seed: int) -> None:
    """For every player and ruleset, bit for bit; and nobody is less certain than a newcomer."""
    rng = np.random.default_rng(seed)
    matches = [Match((replace(random_contest(rng), at=40_000.0 * n),)) for n in range(60)]
    state = replay(MODEL, matches)
    found = curves(MODEL, matches)
    assert {player for player, _ in found} == set(MODEL.players(state))
    for (player, ruleset), curve in found.items():
        rating = MODEL.rating(state, player, ruleset)
        assert (curve.mu[-1], curve.sigma[-1]) == (rating.mu, rating.sigma)
        assert max(curve.sigma) < math.sqrt(1.06) * MODEL.sigma
        assert len(curve.at) == sum(player in match.roster for match in matches)


def test_the_past_learns_of_the_future() -> None:
    """Who loses and then wins for long was never as weak as the first contest made believe."""
    duel = Contest(Ruleset(), (["ann"], ["bob"]), (2, 1))
    contests = [duel, *(replace(duel, ranks=(1.0, 2.0), at=DAY * n) for n in range(1, 20))]
    matches = [Match((contest,)) for contest in contests]
    then = replay(MODEL, matches[:1])
    assert curves(MODEL, matches, ["ann"])["ann", Ruleset()].mu[0] > MODEL.rating(then, "ann").mu + 0.3


def test_what_has_no_curves_is_refused() -> None:
    """Other models, joint covariances, and strangers."""
    duel = Match((Contest(Ruleset(), (["ann"], ["bob"]), (1, 2)),))
    for model in (Elo(), GaussianFilter(joint=True)):
        with pytest.raises(InputError, match="model: it has no curves over time"):
            curves(model, [duel])  # type: ignore[arg-type]
    with pytest.raises(InputError, match="players: 'cid' is in no match"):
        curves(MODEL, [duel], ["cid"])
