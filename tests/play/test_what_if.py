"""What would have been: ways to divide are compared on the same matches, with nothing from the future."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.core.match import Contest, Match, Ruleset
from equipoise.pages.pictures.what_if_chart import arms_svg
from equipoise.play.what_if import what_if

SKILLS = {f"p{n}": 2.0 * n for n in range(10)}


def history(matches: int) -> list[Match]:
    """Return matches of random teams of four, with a party in each."""
    rng = np.random.default_rng(5)
    found = []
    for n in range(matches):
        names = [str(name) for name in rng.permutation(sorted(SKILLS))[:8]]
        teams = (names[:4], names[4:])
        gap = sum(SKILLS[each] for each in teams[0]) - sum(SKILLS[each] for each in teams[1])
        ranks = (1, 2) if gap + rng.normal(0.0, 4.0) > 0.0 else (2, 1)
        found.append(Match((Contest(Ruleset(), teams, ranks, at=float(n), parties=(tuple(names[:2]),)),)))
    return found


@pytest.mark.slow
def test_equipoise_comes_closer_than_chance_and_than_what_was_played() -> None:
    """Sixty matches: the intervals do not overlap; parties are kept but by random teams."""
    arms = {arm.arm: arm for arm in what_if(history(60))}
    assert arms["equipoise"].interval[1] < arms["random"].interval[0]
    assert arms["equipoise"].closeness < arms["played"].closeness
    assert arms["played"].moves == 0.0
    assert arms["played"].broken_parties == arms["equipoise"].broken_parties == 0
    assert arms["random"].broken_parties > 0
    assert {arm.matches for arm in arms.values()} == {60}


@pytest.mark.slow
def test_the_same_history_and_seed_give_the_same_figures() -> None:
    """Nothing is drawn from anywhere else."""
    assert what_if(history(12), seed=3) == what_if(history(12), seed=3)


def test_a_history_without_teams_has_nothing_to_divide() -> None:
    """Duels stay as they are."""
    duel = Match((Contest(Ruleset(), (["a"], ["b"]), (1, 2)),))
    assert what_if([duel]) == []


def test_the_picture_names_every_way() -> None:
    """With its interval."""
    svg = arms_svg([("played", 0.2, 0.15, 0.25), ("equipoise", 0.05, 0.04, 0.07)], 60)
    assert "played" in svg
    assert "equipoise" in svg
    assert "60 matches" in svg


def test_a_few_matches_have_no_interval_of_a_point() -> None:
    """Six matches are not one block, which every draw would repeat."""
    played = what_if(history(6))[0]
    assert played.interval[0] < played.closeness < played.interval[1]
