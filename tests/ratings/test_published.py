"""Numbers that others have published for the models they share with us: facts of their suites and papers."""

from __future__ import annotations

import pytest

from equipoise import Contest, Glicko2, PlackettLuce, Rating, Ruleset, TrueSkill, rate

#: Of the tests of the package trueskill (sublee): sizes of teams, ranks, and mu and sigma of each in a team.
TRUESKILL = [
    ((1, 1), (0, 1), ((29.396, 7.171), (20.604, 7.171))),
    ((1, 1), (0, 0), ((25.000, 6.458), (25.000, 6.458))),
    ((1, 2), (0, 1), ((33.730, 7.317), (16.270, 7.317))),
    ((1, 3), (0, 1), ((36.337, 7.527), (13.663, 7.527))),
    ((1, 7), (0, 1), ((40.582, 7.917), (9.418, 7.917))),
    ((2, 2), (0, 1), ((28.108, 7.774), (21.892, 7.774))),
    ((2, 2), (0, 0), ((25.000, 7.455), (25.000, 7.455))),
    ((1, 1, 1), (0, 1, 2), ((31.675, 6.656), (25.000, 6.208), (18.325, 6.656))),
    ((1,) * 4, range(4), ((33.207, 6.348), (27.401, 5.787), (22.599, 5.787), (16.793, 6.348))),
    (
        (1,) * 5,
        range(5),
        ((34.363, 6.136), (29.058, 5.536), (25.000, 5.420), (20.942, 5.536), (15.637, 6.136)),
    ),
    (
        (1,) * 8,
        range(8),
        ((36.771, 5.749), (32.242, 5.133), (29.074, 4.943), (26.322, 4.874), (23.678, 4.874),
         (20.926, 4.943), (17.758, 5.133), (13.229, 5.749)),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("sizes", "ranks", "expected"), TRUESKILL)
def test_trueskill_has_the_numbers_of_its_package(
    sizes: tuple[int, ...], ranks: tuple[int, ...], expected: tuple[tuple[float, float], ...]
) -> None:
    """Of new players, to the last digit that is printed."""
    model = TrueSkill()
    teams = [[f"{team} {member}" for member in range(size)] for team, size in enumerate(sizes)]
    state = model.update(model.initial(), Contest(Ruleset(), teams, tuple(ranks)))
    for team, reported in zip(teams, expected, strict=True):
        for player in team:
            assert state[player] == pytest.approx(reported, abs=1.5e-3)


def test_plackett_luce_has_the_numbers_of_openskill() -> None:
    """Two new players, and four who are known, each a team, with skills that do not change."""
    model = PlackettLuce(tau=0.0)
    (won,), (lost,) = rate([[Rating(25, 25 / 3)], [Rating(25, 25 / 3)]], model=model)
    assert (won.mu, won.sigma) == pytest.approx((27.63523138347365, 8.065506316323548), rel=1e-12)
    assert (lost.mu, lost.sigma) == pytest.approx((22.36476861652635, 8.065506316323548), rel=1e-12)
    known = [Rating(29.182, 4.782), Rating(27.174, 4.922), Rating(16.672, 6.217), Rating(25, 25 / 3)]
    found = [team[0] for team in rate([[player] for player in known], model=model)]
    assert [player.mu for player in found] == pytest.approx(
        [30.209971908310553, 27.64460833689499, 17.403586731283518, 19.214790707434826], rel=1e-12
    )
    assert [player.sigma for player in found] == pytest.approx(
        [4.764898977359521, 4.882789305097372, 6.100723440599442, 7.8542613981643985], rel=1e-12
    )


def test_glicko_2_has_the_numbers_of_its_paper() -> None:
    """Glickman (2013): a player against three others in one period."""
    rating, deviation, volatility = Glicko2(tau=0.5).period(
        (1500.0, 200.0, 0.06), [(1400, 30, 1), (1550, 100, 0), (1700, 300, 0)]
    )
    assert (rating, deviation) == pytest.approx((1464.06, 151.52), abs=0.011)
    assert volatility == pytest.approx(0.05999, abs=1e-5)
