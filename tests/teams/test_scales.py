"""What is said of chances does not depend on where a scale of weights begins, nor on how fine it is."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.teams.scales import ROUNDING, SAME, SEED, SHAPES, law, uneven

from equipoise import Bots, InputError, Player, Rating, advantage, balance, place_late
from equipoise.teams.advantage import team_sums
from equipoise.teams.objectives.units import BODY, units_of

FIVE = {"a": 1600, "b": 1550, "c": 1500, "d": 1450, "e": 1400}


@pytest.mark.slow
def test_the_law_holds_for_rosters_and_running_games() -> None:
    """A twentieth of the benchmark: sizes, team counts, bots, parties, uncertain weights, bodies."""
    found = law(SEED, 100)
    assert found["changed"] == found["running games changed"] == 0
    assert found["chances differ by"] < SAME


@pytest.mark.slow
@pytest.mark.parametrize(("n", "teams"), SHAPES)
def test_the_larger_team_is_not_stronger_man_for_man(n: int, teams: int) -> None:
    """Five of the benchmark's sixty rosters of each shape."""
    found = uneven(n, teams, 5, SEED)
    assert found["largest lead"] <= 0.25 + ROUNDING
    assert found["largest difference"] <= 0.5 + ROUNDING


def test_five_players_on_elo_are_as_five_on_a_scale_from_0() -> None:
    """4450 against 3050: not 4600 against 2900, which the deviations alone would choose."""
    best = balance(FIVE).best
    assert sorted(best.totals) == [3050, 4450]
    moved = balance({name: (weight - 1400) / 2 for name, weight in FIVE.items()}).best
    assert [[p.id for p in team] for team in moved.teams] == [[p.id for p in team] for team in best.teams]
    assert moved.win_probability == pytest.approx(best.win_probability)


def test_a_body_is_one_spread_unless_another_worth_is_given() -> None:
    """The zero is that far below the mean, and with a body of 0 it is the mean."""
    mu = np.array(list(FIVE.values()), dtype=np.float64)
    spread = float(mu.std())
    assert units_of(mu, np.zeros(5)).zero == pytest.approx(1500 - BODY * spread)
    assert balance(FIVE, body=0.0).zero == 1500
    assert balance(FIVE, body=0.25).zero == pytest.approx(1500 - 0.25 * spread)


def test_a_scale_with_a_zero_is_taken_at_its_word() -> None:
    """Counted from the zero, and from 0 with a ratio; teams of one size do not care."""
    assert balance(FIVE, zero=0.0).zero == balance(FIVE, objective="ratio").zero == 0.0
    assert balance(FIVE, objective="ratio", zero=1000.0).zero == 1000.0
    assert max(balance(FIVE, zero=0.0).best.win_probability) > 0.999
    four = {name: FIVE[name] for name in "abcd"}
    assert balance(four, zero=0.0).best.win_probability == balance(four, zero=1e6).best.win_probability


def test_twelve_who_all_weigh_the_same_are_as_likely_to_win() -> None:
    """Rounding of their mean is no spread: bots of the same weight make nothing of it."""
    alike = dict.fromkeys("abcdefghijkl", 0.1)
    for bots in (True, Bots(weight=0.1, target=16), False):
        solution = balance(alike, bots=bots)
        assert solution.best.win_probability == pytest.approx((0.5, 0.5))
    uneven_teams = balance(alike, sizes=(7, 5)).best.win_probability
    others = balance(dict.fromkeys(alike, 1500.0), sizes=(7, 5)).best.win_probability
    assert uneven_teams == pytest.approx(others)
    assert 0.5 < uneven_teams[0] < 0.75


@pytest.mark.parametrize(("weight", "zero"), [(0.0, 1.5), (7.3, -3.0), (1500.0, 1000.0)])
def test_equals_above_a_zero_are_the_same_on_every_scale(weight: float, zero: float) -> None:
    """Moving or multiplying weights and zero together changes no chance; above the zero one is one spread."""
    expected = None
    for a, b in ((1.0, 0.0), (10.0, 0.0), (2.0, 512.0), (0.5, -64.0)):
        best = balance(dict.fromkeys("abcdefg", a * weight + b), zero=a * zero + b, objective="win").best
        expected = best.win_probability if expected is None else expected
        assert best.win_probability == pytest.approx(expected)
    assert max(expected or ()) == pytest.approx(1.0 / (1.0 + np.exp(-1.702 / np.sqrt(7.0))))


def test_a_running_game_of_three_is_owed_no_absurd_advantage() -> None:
    """Two against one on Elo: some games for each lost, not thousands."""
    players = [Player(f"p{n}", Rating(1500.0 + n), team=n % 2) for n in range(3)]
    sums, _ = team_sums(players, 2, 1500.0)
    assert 1.0 < max(advantage(sums, centre=1500.0)) < 25.0
    placement = place_late(Rating(1900.0), sums, centre=1500.0)
    assert placement.team == 1
    assert max(placement.best.advantage) < 25.0


def test_a_zero_and_a_body_exclude_each_other() -> None:
    """With a zero nothing is left for a body to say; both have limits."""
    for arguments in ({"zero": 0.0, "body": 1.0}, {"body": -1.0}, {"zero": float("nan")}):
        with pytest.raises(InputError, match=r"^(body|zero)"):
            balance(FIVE, **arguments)  # type: ignore[arg-type]
