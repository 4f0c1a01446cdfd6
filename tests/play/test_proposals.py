"""What games tell of teams' difference: the matrix by one game after the other, and what is chosen by it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.core.player import Player, Rating
from equipoise.core.win_probability import LOGISTIC_SLOPE
from equipoise.pages.text.night import arranged_lines
from equipoise.play.evening_events import Setup
from equipoise.play.ledger import LedgerGame
from equipoise.play.proposals import NEAR, NEWCOMER, SURER, Rated, arrange, correlations, variances

PEOPLE = tuple(f"p{n}" for n in range(10))

teams = st.permutations(PEOPLE).flatmap(
    lambda order: st.integers(1, 5).map(lambda size: (tuple(order[:size]), tuple(order[size : 2 * size])))
)
games = st.lists(teams.map(lambda both: LedgerGame(both, (0.5, 0.5), (1.0, 2.0))), max_size=30)


@settings(max_examples=30)
@given(games)
def test_correlations_are_those_of_learning_one_game_after_the_other(played: list[LedgerGame]) -> None:
    """The oracle is the covariance after each game: C - w Cx xC / (1 + w xCx)."""
    covariance = NEWCOMER * np.eye(len(PEOPLE))
    for game in played:
        x = np.array([(who in game.teams[0]) - float(who in game.teams[1]) for who in PEOPLE])
        information = LOGISTIC_SLOPE**2 / 4 / (2 * len(game.teams[0]) * (1 + NEWCOMER))
        seen = covariance @ x
        covariance = covariance - np.outer(seen, seen) * information / (1.0 + information * x @ seen)
    deviation = np.sqrt(np.diag(covariance))
    found = correlations(played, PEOPLE)
    assert found == pytest.approx(covariance / np.outer(deviation, deviation), abs=1e-9)
    some = PEOPLE[3:7]
    assert correlations(played, some) == pytest.approx(found[3:7, 3:7], abs=1e-9)


@settings(max_examples=30)
@given(games, st.floats(1e-6, 1e6), st.permutations(PEOPLE))
def test_a_variance_is_of_the_difference_whichever_team_is_first(
    played: list[LedgerGame], scale: float, order: Sequence[str]
) -> None:
    """In the square of the ratings' units, and 0 of players who are known exactly."""
    people = [Player(who, Rating(25.0 * scale, scale * (1 + n % 3))) for n, who in enumerate(order)]
    split = (people[:5], people[5:])
    one, turned = variances(played, [split, split[::-1]])
    assert 0.0 < one == pytest.approx(turned)
    unit = [Player(who, Rating(25.0, float(1 + n % 3))) for n, who in enumerate(order)]
    assert one == pytest.approx(scale**2 * variances(played, [(unit[:5], unit[5:])])[0])
    exact = [Player(who, Rating(25.0, 0.0)) for who in order]
    assert variances(played, [(exact[:5], exact[5:])])[0] == 0.0


SKILL = dict(zip(PEOPLE, np.random.default_rng(0).normal(1.25, 0.5, len(PEOPLE)).tolist(), strict=True))


def ratings(sigma: float, scale: float = 1.0) -> Rated:
    """Return what is known of ten of different strength."""
    return lambda ids: (
        [Player(who, Rating(scale * SKILL[who], scale * sigma)) for who in ids],
        {"beta": scale},
    )  # fmt: skip


def history(seed: int) -> list[LedgerGame]:
    """Return twenty games in drawn teams."""
    rng = np.random.default_rng(seed)
    orders = [[PEOPLE[n] for n in rng.permutation(10)] for _ in range(20)]
    return [LedgerGame((tuple(each[:5]), tuple(each[5:])), (0.5, 0.5), (1.0, 2.0)) for each in orders]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("scale", [1e-6, 1.0, 300.0])
def test_of_nearly_even_teams_those_known_best_are_taken(seed: int, scale: float) -> None:
    """Not further from even than allowed, clearly better known, and the same in every unit."""
    past, setup = history(seed), Setup(PEOPLE)
    plain = arrange([], setup, ratings(0.5, scale), "m", vary=0.0)
    found = arrange(past, setup, ratings(0.5, scale), "m", vary=0.0)
    assert plain.rival is None
    assert plain.split is plain.solution.best
    near = [each for each in found.solution.splits if each.imbalance <= plain.split.imbalance + NEAR]
    unsure = dict(zip(map(id, near), variances(past, [each.teams for each in near]), strict=True))
    assert unsure[id(found.split)] == min(unsure.values())
    if found.rival is not None:
        assert found.behind <= NEAR
        assert unsure[id(found.split)] < unsure[id(found.rival)] * (1.0 - SURER)
    assert found.proposal.teams == arrange(past, setup, ratings(0.5), "m", vary=0.0).proposal.teams


def test_players_who_are_known_exactly_get_the_fairest_teams() -> None:
    """What was played is no reason then, and what is proven stays proven."""
    known = arrange(history(0), Setup(PEOPLE), ratings(0.0), "m", vary=0.0)
    assert known.split is known.solution.best
    assert known.as_dict(Setup(PEOPLE))["status"] == "optimal"
    assert any("Proven" in line for line in arranged_lines(Setup(PEOPLE), known, {}))


def test_teams_that_are_not_the_fairest_by_the_ratings_are_not_called_proven() -> None:
    """Neither in words nor in data."""
    setup = Setup(PEOPLE)
    tries = (arrange(history(seed), setup, ratings(0.5), "m", vary=0.0) for seed in range(5))
    found = next(each for each in tries if each.rival is not None)
    plain = found.as_dict(setup)
    assert (plain["status"], plain["bound"], plain["gap"]) == ("feasible", None, None)
    assert plain["value"] == plain["splits"][0]["value"] == found.split.value
    lines = arranged_lines(setup, found, {})
    assert not any("Proven" in line for line in lines)
    assert any("more is known of these" in line for line in lines)
