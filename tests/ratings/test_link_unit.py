"""Ratings in another unit: the link gives there the chances that the model gives."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from equipoise.core.match import Contest, Ruleset
from equipoise.core.win_probability import win_probability
from equipoise.ratings.link_unit import link_unit
from equipoise.ratings.model import RatingModel
from equipoise.ratings.models.elo import Elo
from equipoise.ratings.models.gaussian_filter.mixture import Mixture
from equipoise.ratings.models.gaussian_filter.model import GaussianFilter
from equipoise.ratings.models.glicko2 import Glicko2
from equipoise.ratings.models.trueskill import TrueSkill
from equipoise.ratings.models.weng_lin import BradleyTerry


@pytest.mark.parametrize(
    ("model", "near"),
    [
        (Elo(), 1e-9),
        (Elo(scale=150.0), 1e-9),
        (GaussianFilter(), 1e-4),
        (Mixture(), 0.01),
        (Glicko2(), 0.02),
        (TrueSkill(), 0.02),
        (BradleyTerry(), 0.02),
    ],
)
def test_the_link_gives_the_chances_of_the_model(model: RatingModel, near: float) -> None:
    """Of duels between people of a crowd, whatever the model writes skills in."""
    rng, rule = np.random.default_rng(7), Ruleset("oa", "duel")
    skill = rng.normal(0.0, 1.2, 16)
    contests = []
    for _ in range(400):
        one, other = rng.choice(16, 2, replace=False).tolist()
        won = rng.random() < 1.0 / (1.0 + np.exp(1.2 * (skill[other] - skill[one])))
        contests.append(Contest(rule, ((f"p{one}",), (f"p{other}",)), (1, 2) if won else (2, 1)))
    state, _ = model.run(model.initial(), contests)
    people = list(model.players(state))
    unit = link_unit(model, state, people, rule)
    rated = {each: unit.rating(model.rating(state, each, rule), 1500.0, 200.0) for each in people}
    for one, other in combinations(people, 2):
        first, second = rated[one], rated[other]
        mu, variance = np.array([[first.mu, second.mu]]), np.array([[first.sigma, second.sigma]]) ** 2
        given = win_probability(mu, variance, np.ones((1, 2)), 200.0)[0, 0]
        assert given == pytest.approx(model.win_probability(state, ((one,), (other,)), rule)[0], abs=near)
    new = unit.rating(model.rating(state, "nobody", rule), 1500.0, 200.0)
    assert new.mu == pytest.approx(1500.0)
