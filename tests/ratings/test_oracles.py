"""Formulas of ratings against what defines them: the paper's own form, an integral, chance itself."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from equipoise import Contest, Glicko2, Ruleset
from equipoise.ratings.lab.evaluation import measure, reliability, winner
from equipoise.ratings.starting_weights import placed


def expected(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Return the expected outcome as Glickman prints it: with both deviations, on the scale of points.

    M. Glickman, The Glicko system, eq. 16: E = 1 / (1 + 10^(-g(sqrt(RD_i^2 + RD_j^2)) (r_i - r_j) / 400)).
    """
    q = math.log(10.0) / 400.0
    g = 1.0 / math.sqrt(1.0 + 3.0 * q * q * (one[1] ** 2 + other[1] ** 2) / math.pi**2)
    return float(1.0 / (1.0 + 10.0 ** (-g * (one[0] - other[0]) / 400.0)))


@pytest.mark.parametrize("seed", range(5))
def test_glicko_2_expects_what_the_paper_does(seed: int) -> None:
    """Of two players of any ratings and deviations."""
    rng = np.random.default_rng(seed)
    one, other = ((float(rng.normal(1500, 300)), float(rng.uniform(20, 400))) for _ in range(2))
    contest = Contest(Ruleset(), [["a"], ["b"]], (1, 2))
    chances = Glicko2().predict([[(*one, 0.06)], [(*other, 0.06)]], contest)
    assert chances[0] == pytest.approx(expected(one, other), rel=1e-6)
    assert sum(chances) == pytest.approx(1.0)


def test_glicko_2_gives_two_of_many_the_odds_that_they_have_alone() -> None:
    """Of four as uncertain as one another: a choice between two does not depend on the others."""
    means = (1400.0, 1500.0, 1530.0, 1700.0)
    contest = Contest(Ruleset(), [[name] for name in "abcd"], (1, 2, 3, 4))
    chances = Glicko2().predict([[(mean, 120.0, 0.06)] for mean in means], contest)
    for i, j in itertools.permutations(range(4), 2):
        alone = expected((means[i], 120.0), (means[j], 120.0))
        assert chances[i] / chances[j] == pytest.approx(alone / (1.0 - alone), rel=1e-6)


@pytest.mark.parametrize("unsure", [0.0, 10.0, 50.0, 81.6, 300.0])
def test_a_guess_counts_as_much_as_in_the_mean_of_what_is_known_after_it(unsure: float) -> None:
    """Players are normal, a guess errs by its sigma: the part is that of an integral, by a fine sum."""
    guesses = [("a", 900.0, 0.0), ("b", 1000.0, unsure), ("c", 1100.0, 0.0)]
    deviation = float(np.std([mu for _, mu, _ in guesses]))
    part = placed(tuple(guesses))["b"].part
    places = [each.place for each in placed(tuple(guesses)).values()]
    assert places == sorted(places)
    assert (np.mean(places), np.std(places)) == (pytest.approx(0.0), pytest.approx(1.0))
    if unsure == 0.0:
        assert part == 1.0
        return
    skill = np.linspace(-12.0 * deviation, 12.0 * deviation, 200_001)
    seen = deviation  # a guess of one deviation above the mean
    weight = np.exp(-0.5 * (skill / deviation) ** 2 - 0.5 * ((seen - skill) / unsure) ** 2)
    assert part == pytest.approx(float((skill * weight).sum() / weight.sum()) / seen, rel=1e-6)


def ties(row: tuple[float, ...]) -> list[int]:
    """Return the favourites, one of whom is drawn by lot."""
    return [n for n, chance in enumerate(row) if chance >= max(row)]


@pytest.mark.parametrize("seed", range(4))
def test_a_favourite_of_several_is_as_right_as_one_drawn_by_lot(seed: int) -> None:
    """The accuracy is the mean over all ways to draw favourites; contests without a winner are left out."""
    rng = np.random.default_rng(seed)
    rows = [
        (0.5, 0.5),
        (0.4, 0.4, 0.2),
        (0.25,) * 4,
        (0.7, 0.3),
        (0.1, 0.45, 0.45),
        (0.95, 0.05),
        (0.85, 0.15),
        (1.0, 0.0),
    ]
    winners = [int(rng.integers(-1, len(row))) for row in rows]
    winners[0] = winners[5] = winners[7] = 0
    winners[6] = 1
    scored = [(row, winner) for row, winner in zip(rows, winners, strict=True) if winner >= 0]
    draws = list(itertools.product(*(ties(row) for row, _ in scored)))
    right = [np.mean([each == won for each, (_, won) in zip(draw, scored, strict=True)]) for draw in draws]
    found = measure(rows, winners)
    assert found.n == len(scored)
    assert found.accuracy == pytest.approx(float(np.mean(right)))
    bins = reliability(rows, winners)
    assert sum(each.count for each in bins) == len(scored)
    # Over all bins the favourites won as often as the accuracy says.
    assert sum(each.count * each.won for each in bins) == pytest.approx(found.accuracy * len(scored))
    # In each bin too: of one bin the part of its favourites is what a lot drawn among equals would have won.
    for each in bins:
        inside = [(row, won) for row, won in scored if min(int(max(row) * 10), 9) == int(each.chance * 10)]
        drawn = [float(np.mean([won == one for one in ties(row)])) for row, won in inside]
        assert (each.count, each.won) == (len(inside), pytest.approx(np.mean(drawn)))


def test_only_one_who_came_first_alone_won() -> None:
    """Of all rankings of up to four teams."""
    for n in (2, 3, 4):
        for ranks in itertools.product(range(1, n + 1), repeat=n):
            contest = Contest(Ruleset(), [[str(team)] for team in range(n)], ranks)
            beats_all = [i for i in range(n) if all(ranks[i] < ranks[j] for j in range(n) if j != i)]
            assert winner(contest) == (beats_all[0] if beats_all else -1)
