"""The joint filter: exact where the world is linear and normal, and better for those who go together."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from equipoise import Contest, GaussianFilter, InputError, Ruleset, replay
from equipoise.lab.simulate import simulate
from equipoise.testing.ratings import check_model, random_contest

JOINT = GaussianFilter(joint=True)


@pytest.mark.parametrize("seed", range(6))
def test_the_joint_filter_keeps_the_laws(seed: int) -> None:
    """See :func:`equipoise.testing.ratings.check_model`."""
    check_model(JOINT, np.random.default_rng(seed))


def posterior(model: GaussianFilter, contests: list[Contest], players: list[str]) -> tuple[np.ndarray, ...]:
    """Return mean and covariance of body and players by least squares over all margins: the oracle."""
    size = 1 + len(players)
    prior = np.diag([model.baseline_sigma**2, *(model.sigma**2,) * len(players)])
    precision = np.linalg.inv(prior)
    pull = precision @ np.array([model.baseline, *(0.0,) * len(players)])
    squares: dict[Ruleset, list[float]] = {}
    for contest in contests:
        if not contest.scores:
            continue
        count = len(contest.teams)
        weights = np.zeros((count, size))
        for t, team in enumerate(contest.teams):
            for player, share in team:
                weights[t, 1 + players.index(player)] = share
                weights[t, 0] += share
        scores = np.array(contest.scores)
        margin = 2.0 * (scores - scores.mean()) / (1.0 + np.abs(scores).sum())
        seen = squares.setdefault(contest.ruleset, [0.09, 0.09])
        # Any orthonormal basis of what sums to zero: the singular vectors of a projection.
        basis = np.linalg.svd(np.eye(count) - 1.0 / count)[0][:, : count - 1]
        design = 2.0 * model.margin_slope * basis.T @ weights
        told = basis.T @ margin / math.sqrt(np.mean(seen))
        noise = model.margin_noise**2 * count / (count - 1) / contest.weight
        precision += design.T @ design / noise
        pull += design.T @ told / noise
        seen.append(float((margin * margin).sum()) / count)
    covariance = np.linalg.inv(precision)
    return covariance @ pull, covariance


@pytest.mark.parametrize("seed", range(4))
def test_margins_alone_give_the_exact_posterior(seed: int) -> None:
    """Without drift and results all is linear and normal: mean and every covariance to 1e-10."""
    model = replace(JOINT, outcome=0.0, drift_game=0.0, drift_day=0.0)
    rng = np.random.default_rng(seed)
    contests = [replace(random_contest(rng), at=float(n)) for n in range(60)]
    renamed = [  # bots begin where other bots are, which is not a normal prior
        replace(
            c, teams=tuple(tuple((p.replace("bot:", "b"), w) for p, w in t) for t in c.teams), statistics=()
        )
        for c in contests
    ]
    state, _ = model.run(model.initial(), renamed)
    mean, covariance = posterior(model, renamed, list(state.players))
    assert state.mean == pytest.approx(mean, abs=1e-10)
    assert state.covariance == pytest.approx(covariance, abs=1e-10)


def test_two_newcomers_worked_out() -> None:
    """As one duel of the diagonal filter: nothing is correlated yet, and the bodies cancel."""
    duel = Contest(Ruleset(), (["ann"], ["bob"]), (1, 2), scores=(6, 3))
    one, other = (replace(GaussianFilter(), joint=joint, outcome=0.8) for joint in (True, False))
    joint, diagonal = (model.update(model.initial(), duel) for model in (one, other))
    assert one.rating(joint, "ann").mu == pytest.approx(other.rating(diagonal, "ann").mu, rel=1e-12)
    assert one.win_probability(joint, (["ann"], ["bob"]))[0] > 0.5
    assert joint.covariance[1, 2] > 0.0  # whoever lost to someone good is better than they seemed


def test_who_always_plays_together_is_told_apart_once_one_plays_alone() -> None:
    """The partner of someone who turns out to be good was not: the joint filter sees it, the other cannot."""
    errors: dict[bool, list[float]] = {True: [], False: []}
    for seed in range(30):
        rng = np.random.default_rng(seed)
        truth = rng.normal(0.0, 1.0, 10)
        contests = []
        for n in range(60):
            order = rng.permutation(8).tolist()
            together = n < 40
            red = [8, 9] if together else [8, order[2]]
            teams = (red, order[:2])
            strength = [sum(truth[p] for p in team) + rng.normal(0.0, math.sqrt(2.0)) for team in teams]
            ids = [[f"p{p}" for p in team] for team in teams]
            contests.append(Contest(Ruleset(), ids, [-s for s in strength], at=float(n)))
        for joint, found in errors.items():
            model = GaussianFilter(joint=joint, sigma=1.0, drift_game=0.0, drift_day=0.0, outcome=1.0)
            state, _ = model.run(model.initial(), contests)
            rated = np.array([model.rating(state, f"p{n}").mu - model.baseline for n in range(10)])
            found.append(float((rated[9] - truth[9]) ** 2))
    assert np.mean(errors[True]) < 0.9 * np.mean(errors[False])


def test_more_than_a_thousand_players_and_windows_are_refused() -> None:
    """The message begins with what is wrong."""
    crowd = [[f"a{n}" for n in range(501)], [f"b{n}" for n in range(500)]]
    with pytest.raises(InputError, match="players: 1001 are not allowed with joint; at most 1000 are"):
        JOINT.update(JOINT.initial(), Contest(Ruleset(), crowd, (1, 2)))
    history = simulate(np.random.default_rng(0), players=10, games=1)
    with pytest.raises(InputError, match="window: the joint filter has none"):
        replay(JOINT, history.matches, window=3)
    with pytest.raises(InputError, match="joint: 1 is not allowed; true or false is"):
        GaussianFilter(joint=1)  # type: ignore[arg-type]
