"""A whole evening at once: the optimum by enumeration, true bounds, equal sitting out, rules kept."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.core.player import Player
from equipoise.errors import InputError
from equipoise.play.evening_events import Setup
from equipoise.play.ledger import LedgerGame
from equipoise.play.proposals import Rated
from equipoise.play.round_plan import MEETING, Rounds, plan, planned

NAMES = tuple(f"p{n:02d}" for n in range(20))


def rated(seed: int, spread: float = 5.0) -> Rated:
    """Return players of some strength."""
    rng = np.random.default_rng(seed)
    skill = {name: float(rng.normal(25.0, spread)) for name in NAMES}

    def known(ids: Sequence[str]) -> tuple[list[Player], dict[str, float]]:
        return [Player(each, skill[each]) for each in ids], {"beta": 5.0}

    return known


def worth(rounds: Rounds, chosen: Sequence[int]) -> float:
    """Return the value of a plan of rounds in which all play, pair by pair."""
    games = [rounds.teams(index) for index in chosen]
    value = sum(float(abs(rounds.chances[index][0] - 0.5)) for index in chosen)
    for pair in combinations(rounds.here, 2):
        together = sum(any(set(pair) <= set(team) for team in game) for game in games)
        for times in (together, len(games) - together):
            value += MEETING * times * (times - 1) / 2
    return value


@pytest.mark.slow
def test_the_optimum_is_that_of_all_plans_of_8_players_and_3_rounds() -> None:
    """Against every combination of three of the 35 splits, judged pair by pair."""
    rounds = Rounds([], Setup(NAMES[:8]), rated(0), 3)
    assert len(rounds.labels) == 35
    best = min(worth(rounds, chosen) for chosen in combinations_with_replacement(range(35), 3))
    found = planned(rounds)
    assert found.optimal
    assert found.value == pytest.approx(best, abs=1e-12)
    assert found.gap == 0.0


@pytest.mark.slow
def test_what_is_not_gone_through_has_a_true_bound() -> None:
    """Below the value that is proven where all plans are gone through."""
    for n, size, number in ((6, None, 3), (7, 3, 4), (5, 2, 5), (6, 2, 2)):
        rounds = Rounds([], Setup(NAMES[:n], size=size), rated(n), number)
        found = planned(rounds)
        assert found.optimal
        assert rounds.bound() <= found.value + 1e-12
        rounds.complete = False
        assert rounds.bound() <= found.value + 1e-12


@pytest.mark.slow
@settings(max_examples=12)
@given(st.integers(4, 9), st.integers(1, 4), st.integers(1, 5), st.integers(0, 99), st.booleans())
def test_rules_hold_and_sitting_out_is_equal(
    n: int, size: int, number: int, seed: int, with_rules: bool
) -> None:
    """Everyone is in one place each round; nobody sits out two games more than anybody else."""
    with_rules = with_rules and n > 5  # of four, no teams keep them
    setup = Setup(
        NAMES[:n],
        ((NAMES[0], NAMES[1]),) if with_rules and size > 1 else (),
        ((NAMES[2], NAMES[3]),) if with_rules else (),
        size=size,
    )
    found = plan([], setup, rated(seed), number)
    assert found.bound <= found.value + 1e-12
    out = dict.fromkeys(setup.here, 0)
    for each in found.rounds:
        team_of = {player: t for t, team in enumerate(each.teams) for player in team}
        assert sorted((*team_of, *each.out)) == sorted(setup.here)
        assert max(map(len, each.teams)) <= size
        assert max(map(len, each.teams)) - min(map(len, each.teams)) <= 1
        for one, other in setup.apart:
            assert team_of.get(one, -1) != team_of.get(other, -2)
        for one, other in setup.duos:
            assert team_of.get(one, 0) == team_of.get(other, 0) or not {one, other} <= team_of.keys()
        for player in each.out:
            out[player] += 1
    if not with_rules:
        assert max(out.values()) - min(out.values()) <= 1


def test_whoever_sat_out_before_does_not_again() -> None:
    """Where not all can be equal, the past decides."""
    past = [LedgerGame((NAMES[:2], NAMES[2:4]), (0.5, 0.5), (1, 2), NAMES[4:5])]
    found = plan(past, Setup(NAMES[:5], size=2), rated(1), 4)
    assert sorted(player for each in found.rounds for player in each.out) == sorted(NAMES[:4])


def test_five_players_two_against_two_meet_evenly() -> None:
    """Five rounds: everyone sits out once, and each two are together once and against each other twice."""
    found = plan([], Setup(NAMES[:5], size=2), rated(0, 0.0), 5)
    assert found.optimal
    assert found.value == pytest.approx(10 * MEETING)


@pytest.mark.slow
def test_many_players_are_planned_too_and_three_teams() -> None:
    """Where not all splits can be looked at, the bound is still below the value."""
    for n, size, teams in ((18, 7, 2), (12, None, 3)):
        found = plan([], Setup(NAMES[:n], size=size, teams=teams), rated(n), 3)
        assert 0.0 <= found.bound <= found.value
    with pytest.raises(InputError, match="rounds must be at least 1, got 0"):
        plan([], Setup(NAMES[:4]), rated(0), 0)
    with pytest.raises(InputError, match="2 teams need at least 2"):
        plan([], Setup(NAMES[:1]), rated(0), 1)
    with pytest.raises(InputError, match="no teams keep all the rules"):
        plan([], Setup(NAMES[:2], ((NAMES[0], NAMES[1]),), ((NAMES[0], NAMES[1]),)), rated(0), 1)


@pytest.mark.slow
def test_a_plan_is_better_than_round_by_round_with_the_ledger() -> None:
    """Two of the fifty evenings of ``benchmarks/play/evenings.py``."""
    from benchmarks.play.evenings import evening

    for seed in range(2):
        reported = evening(seed)
        assert reported["plan"] < reported["rounds"]
        assert reported["plan_out"] <= reported["rounds_out"]
