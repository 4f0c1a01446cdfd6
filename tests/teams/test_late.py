"""``place_late`` and ``advantage``: laws, worked examples, and an oracle that goes through the teams."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise import Bots, InputError, Player, Rating, advantage, place_late
from equipoise.core.win_probability import win_probability
from equipoise.teams.advantage import team_sums
from equipoise.teams.problem.problem import COUNT, MU, SQUARE

TOTALS = st.lists(st.floats(0, 500), min_size=2, max_size=6)


@pytest.mark.slow
@given(TOTALS, st.floats(1, 100), st.integers(1, 9))
def test_an_advantage_makes_every_team_as_likely(totals: list[float], beta: float, size: int) -> None:
    """Multiplied with the factors, the odds of all teams are the same."""
    counts = np.full((1, len(totals)), float(size))
    mu = np.array([totals])
    chances = win_probability(mu, np.zeros_like(mu), counts, beta)[0]
    evened = chances * advantage(totals, counts[0], beta=beta)
    assert evened / evened.sum() == pytest.approx(np.full(len(totals), 1 / len(totals)))


@pytest.mark.slow
@given(TOTALS, st.randoms(use_true_random=False))
def test_an_advantage_does_not_know_the_order_of_the_teams(totals: list[float], random: object) -> None:
    """Teams in another order have their factors in that order; one is 1, none is below."""
    order = list(range(len(totals)))
    random.shuffle(order)  # type: ignore[attr-defined]
    factors = advantage(totals, beta=20)
    assert advantage([totals[n] for n in order], beta=20) == pytest.approx([factors[n] for n in order])
    assert min(factors) == 1.0


@pytest.mark.slow
@given(st.floats(0, 400), st.floats(0, 100), st.floats(0.1, 100))
def test_a_weaker_team_is_owed_more(total: float, less: float, even_less: float) -> None:
    """The factor grows with what is missing, and even teams need none."""
    assert advantage([total, total], beta=20) == (1.0, 1.0)
    far = advantage([total, total - less - even_less], beta=20)[1]
    assert far >= advantage([total, total - less], beta=20)[1] >= 1.0


def test_an_advantage_is_the_odds_of_the_favourite() -> None:
    """Two duellists one noise apart: 0.7691 wins against 0.2309, 3.33 to 1."""
    assert advantage([1, 0], [1, 1], beta=1)[1] == pytest.approx(math.exp(1.702 / math.sqrt(2)))
    assert advantage([1, 0], [1, 1], beta=1)[1] == pytest.approx(0.76913 / 0.23087, rel=1e-4)


def test_an_advantage_is_finite_whatever_the_teams() -> None:
    """A team nobody could even out gets the largest factor there is, and empty teams need none."""
    assert all(map(math.isfinite, advantage([1e15, 0], beta=1e-9)))
    assert advantage([0, 0], [0, 0], zero=0) == (1.0, 1.0)
    assert advantage(np.zeros((3, 5))) == (1.0, 1.0, 1.0)


def test_uncertain_teams_need_less() -> None:
    """Variance makes the favourite less sure, and so the factor smaller."""
    assert advantage([60, 40], beta=9, variances=[50, 50])[1] < advantage([60, 40], beta=9)[1]


def played(
    totals: list[float], people: list[int], bots: list[list[float]], team: int, who: float
) -> list[float]:
    """Return the totals with a newcomer and level teams: the mean of a team's bots leaves with each."""
    sizes = [n + (k == team) for k, n in enumerate(people)]
    after = []
    for k, total in enumerate(totals):
        keep = max(sizes) - sizes[k]
        mean = sum(bots[k]) / len(bots[k]) if bots[k] else 0.0
        everyone = [one for each in bots for one in each]
        change = keep - len(bots[k])
        comes = sum(everyone) / len(everyone) if everyone else 0.0
        after.append(total + (who if k == team else 0.0) + change * (mean if change < 0 else comes))
    return after


@pytest.mark.slow
@given(st.data())
def test_a_newcomer_goes_where_the_game_is_most_even(data: st.DataObject) -> None:
    """The team is the one a slow oracle finds, bots that leave and come included."""
    k = data.draw(st.integers(2, 4))
    people = [data.draw(st.integers(1, 5)) for _ in range(k)]
    largest = max(people)
    bots = [[data.draw(st.floats(1, 99)) for _ in range(largest - n)] for n in people]
    if not any(bots):
        return
    skills = [sum(data.draw(st.floats(1, 99)) for _ in range(n)) for n in people]
    totals = [skill + sum(each) for skill, each in zip(skills, bots, strict=True)]
    who = data.draw(st.floats(1, 99))
    everyone = [one for each in bots for one in each]
    placement = place_late(
        who, totals, people, bots=Bots(weight=sum(everyone) / len(everyone)), objective="difference",
        bot_counts=[len(each) for each in bots], bot_totals=[sum(each) for each in bots], zero=0,
    )  # fmt: skip
    afterwards = [played(totals, people, bots, team, who) for team in range(k)]
    for option, after in zip(placement.options, afterwards, strict=True):
        assert option.totals == pytest.approx(after)
    gaps = [max(after) - min(after) for after in afterwards]
    assert gaps[placement.team] == pytest.approx(min(gaps))


@pytest.mark.slow
@given(st.lists(st.tuples(st.floats(1, 99), st.integers(1, 9)), min_size=2, max_size=5), st.floats(1, 99))
def test_a_newcomer_without_bots_joins_one_of_the_smallest_teams(
    teams: list[tuple[float, int]], who: float
) -> None:
    """Sizes that differ by more than one are evened out first, as there are no bots to do it."""
    people = [n for _, n in teams]
    placement = place_late(who, [mean * n for mean, n in teams], people, beta=20)
    if max(people) > min(people):
        assert people[placement.team] == min(people)


def test_a_bot_that_comes_is_one_of_those_that_are_not_there_yet() -> None:
    """Four bots of 20 on average, two of which total 30: the others weigh 25 each."""
    placement = place_late(
        50,
        [115, 115],
        [2, 2],
        bots=Bots(weight=20, minimum=8),
        bot_counts=[1, 1],
        bot_totals=[15, 15],
        pool=4,
        zero=0,
    )
    assert placement.options[0].totals == (115 + 50, 115 + 25)
    assert placement.options[0].bots == (1, 2)


def test_a_pool_that_runs_dry_makes_a_team_too_large() -> None:
    """With one bot left, a fourth player against two would leave a difference of one too many."""
    placement = place_late(10, [90, 95], [3, 2], bots=Bots(weight=5), pool=0, zero=0)
    assert [option.excess for option in placement.options] == [1, 0]
    assert placement.team == 1
    assert "only one" in placement.reason
    assert place_late(10, [90, 95], [3, 2], bots=Bots(weight=5), pool=1, zero=0).options[0].excess == 0


def test_the_map_says_how_many_bots_there_are() -> None:
    """A target of ten gives each team five, whoever joins."""
    placement = place_late(30, [60, 60], [2, 2], bots=Bots(weight=20, target=10), zero=0)
    assert [option.bots for option in placement.options] == [(2, 3), (3, 2)]


def test_a_tolerance_is_counted_from_the_best_team_that_may_be_taken() -> None:
    """A team that is too large already is no measure for the others, however even it would be."""
    teams = [[10.0, 10.0, 10.0], [20.0, 42.0], [30.0, 30.0]]
    totals = np.array([[len(t), sum(t), sum(x * x for x in t), 0.0, len(t) / 2] for t in teams])
    placement = place_late(30, totals, objective="spread", beta=10)
    assert [option.excess for option in placement.options] == [1, 0, 0]
    assert placement.options[1].value < placement.options[2].value
    farthest = [max(abs(chance - 1 / 3) for chance in option.win_probability) for option in placement.options]
    assert farthest[0] < farthest[2] < farthest[1] - 0.001
    assert placement.team == 2


@pytest.mark.parametrize("objective", ["difference", "ratio", "win", "spread", "indistinguishable"])
def test_every_objective_can_place(objective: str) -> None:
    """With all features every objective has a value for each team, from players, with bots in one."""
    players = [Player(f"p{n}", Rating(10.0 * n, 2.0), team=n % 3, bot=n == 7) for n in range(1, 9)]
    sums, bots = team_sums(players, 3, centre=40.0)
    placement = place_late(
        Rating(35, 3), sums, bot_counts=bots[:, 0], bot_totals=bots, objective=objective, centre=40.0
    )
    assert placement.objective == objective
    assert len(placement.options) == 3
    assert placement.as_dict()["team"] == placement.team


def test_sums_of_players_are_those_of_their_ratings() -> None:
    """Bots count in their team and once more for themselves."""
    players = [Player("a", 9, team=0), Player("b", 7, team=1), Player("c", 4, team=1, bot=True)]
    sums, bots = team_sums(players, 2, centre=5.0)
    assert sums[:, COUNT].tolist() == [1, 2]
    assert sums[:, MU].tolist() == [9, 11]
    assert sums[:, SQUARE].tolist() == [16, 5]
    assert bots[:, MU].tolist() == [0, 4]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: place_late(5, [1, 2]), "players must be given"),
        (lambda: place_late("x", [1, 2], [1, 1]), "newcomer"),
        (lambda: place_late(math.nan, [1, 2], [1, 1]), "newcomer"),
        (lambda: place_late(5, [1], [1]), "totals must have the shape"),
        (lambda: place_late(5, [1, math.inf], [1, 1]), "totals must be finite numbers"),
        (lambda: place_late(5, [1, 2], [1, 1, 1]), "players must have the shape (2,) for 2 teams, got (3,)"),
        (lambda: place_late(5, [1, 2], [1, -1]), "players must be whole numbers from 0"),
        (
            lambda: place_late(5, [1, 2], [1, 1], bot_counts=[0.5, 0]),
            "bot_counts must be whole numbers from 0",
        ),
        (lambda: place_late(5, [1, 2], [1, 1], beta=0), "beta must be"),
        (lambda: place_late(5, [1, 2], [1, 1], pool=-1), "pool must be from 0"),
        (
            lambda: place_late(5, [1, 2], [1, 1], objective="spread", beta=1),
            "objective: 'spread' needs totals",
        ),
        (
            lambda: place_late(5, np.ones((2, 5)), [2, 1]),
            "players less bots must be whole numbers of at least 0",
        ),
        (
            lambda: place_late(5, np.ones((2, 5)), bot_counts=[2, 0]),
            "players less bots must be whole numbers of at least 0",
        ),
        (lambda: advantage([1, 2], [1]), "counts must have the shape (2,)"),
        (lambda: advantage([1, 2], variances=[-1, 0]), "variances must be at least 0"),
        (lambda: advantage([[1, 2], [3, 4]]), "totals must have the shape"),
        (lambda: advantage([1, 2], beta=math.nan), "beta must be"),
        (lambda: advantage([1, 2]), "beta: sums of weights alone"),
        (lambda: place_late(5, [1, 2], [1, 1]), "beta: sums of weights alone"),
        (lambda: advantage([1, 2], zero=0, body=1), "body: with a zero"),
        (lambda: advantage([1, 2], beta=1, body=-1), "body must be"),
        (lambda: advantage([1, 2], zero=math.inf), "zero must be"),
        (lambda: team_sums([Player("a", 1)], 2), "players: 'a' needs a weight and a team from 1 to 2"),
    ],
)
def test_what_cannot_be_is_refused(call: object, message: str) -> None:
    """The message begins with the argument."""
    assert callable(call)
    with pytest.raises(InputError) as caught:
        call()
    assert str(caught.value).startswith(message)
