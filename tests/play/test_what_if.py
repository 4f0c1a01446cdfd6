"""What would have been: ways to divide are compared on the same matches, with nothing from the future."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from equipoise.core.match import Contest, Match, Ruleset
from equipoise.pages.pictures.what_if_chart import arms_svg
from equipoise.play.what_if import ARMS, WhatIf, ways_apart, what_if
from equipoise.ratings.skill_posterior import SkillSamples, normal_below, sample_skills

SKILLS = {f"p{n}": 0.4 * n for n in range(12)}

FEW = {name: ARMS[name] for name in ("played", "random", "equipoise")}


def history(matches: int, scores: bool = True, even: bool = False) -> list[Match]:
    """Return matches of four against four, at random or as even as can be, with a party in each."""
    rng = np.random.default_rng(5)
    found = []
    for n in range(matches):
        names = [str(name) for name in rng.permutation(sorted(SKILLS))[:8]]
        if even:
            ways = [[str(name) for name in rng.permutation(names)] for _ in range(40)]
            names = min(ways, key=lambda some: abs(gap_of(some)))
        teams = (names[:4], names[4:])
        lead = gap_of(names) + rng.normal(0.0, math.sqrt(8.0))
        ranks = (1, 2) if lead > 0.0 else (2, 1)
        points = (50.0 + 5.0 * lead, 50.0 - 5.0 * lead) if scores else ()
        contest = Contest(Ruleset(), teams, ranks, at=float(n), scores=points, parties=(tuple(names[:2]),))
        found.append(Match((contest,)))
    return found


def gap_of(names: Sequence[str]) -> float:
    """Return by how much the first four are better."""
    some = [SKILLS[each] for each in names]
    return sum(some[:4]) - sum(some[4:])


def test_equipoise_comes_closer_than_chance_which_is_as_close_as_what_was_played_at_random() -> None:
    """Eighty matches with scores: one order is told, the other cannot be; parties are kept but at random."""
    found = what_if(history(80), arms=FEW)
    arms = {arm.arm: arm for arm in found.arms}
    verdicts = {(each.arm, each.than): each.verdict for each in found.differences}
    assert verdicts == {
        ("random", "played"): "cannot tell",
        ("equipoise", "played"): "closer",
        ("equipoise", "random"): "closer",
    }
    assert arms["played"].moves == 0.0
    assert arms["played"].broken_parties == arms["equipoise"].broken_parties == 0
    assert 30 < arms["random"].broken_parties < 60, "four of seven others are in the other team"
    assert found.identified


def test_intervals_hold_the_truth() -> None:
    """How far from even the teams really were, by the skills that made the results."""
    matches = history(80)
    truly = [
        abs(float(normal_below(np.array(gap_of([who for team in match.contests[0].teams for who, _ in team])
                                        / math.sqrt(8.0)))) - 0.5)
        for match in matches
    ]  # fmt: skip
    played = next(arm for arm in what_if(matches, arms={"played": {}}).arms)
    assert played.interval is not None
    assert played.interval[0] < sum(truly) / len(truly) < played.interval[1]
    assert played.interval[1] - played.interval[0] < 0.2


def test_games_too_even_to_be_chance_tell_no_order() -> None:
    """Whoever makes even teams by what no result shows cannot be judged by results."""
    found = what_if(history(200, even=True), arms={"played": {}, "random": {}})
    assert not found.identified
    assert found.reason == "teams were even before any result could show how, so whoever made them knew more"
    assert {each.verdict for each in found.differences} == {"cannot tell"}
    claimed = [(each.closeness, each.interval) for each in found.arms]
    claimed += [(each.difference, each.interval) for each in found.differences]
    assert claimed == [(None, None)] * 3


def test_games_that_are_all_a_toss_up_tell_no_order_either() -> None:
    """Teams at random, and results by a coin: skills of the usual spread would have made other results."""
    rng = np.random.default_rng(2)
    matches = [
        Match((replace(each.contests[0], ranks=(1, 2) if rng.random() < 0.5 else (2, 1)),))
        for each in history(300, scores=False)
    ]
    found = what_if(matches, arms={"played": {}, "random": {}})
    assert found.reason.startswith("games were too even")
    assert found.arms[0].interval is None


def test_the_same_history_and_seed_give_the_same_figures() -> None:
    """Nothing is drawn from anywhere else."""
    assert what_if(history(12), seed=3, arms=FEW) == what_if(history(12), seed=3, arms=FEW)


def test_a_history_without_teams_has_nothing_to_divide() -> None:
    """Duels stay as they are."""
    duel = Match((Contest(Ruleset(), (["a"], ["b"]), (1, 2)),))
    reason = "no match has two teams of which one has two players or more"
    assert what_if([duel]) == WhatIf(0, reason, (), ())


def test_the_picture_names_every_way() -> None:
    """With its interval, or that it cannot be told."""
    svg = arms_svg([("played", None, None), ("equipoise", 0.05, (0.04, 0.07))], 60)
    assert svg.count("cannot tell") == 1
    assert svg.count("<circle") == 1
    assert "played" in svg
    assert "equipoise" in svg
    assert "60 matches" in svg


def test_teams_of_those_whose_skill_is_known_are_as_far_from_even_as_the_normal_distribution_says() -> None:
    """One player of skill 1 more in a team of one: the noise of two players is the square root of 2."""
    known = SkillSamples({"a": 0, "b": 1}, np.array([[1.0], [0.0], [9.0]]), 0.0)
    expected = 0.5 * math.erfc(-1.0 / math.sqrt(2.0) / math.sqrt(2.0)) - 0.5
    assert ways_apart(known, [(("a",), ("b",))])[0, 0] == pytest.approx(expected, abs=1e-7)


def test_skills_from_scores_are_those_of_the_regression() -> None:
    """With one spread and much to learn from, means come near the truth, and nearer with more games."""

    def error(matches: int) -> float:
        contests = [match.contests[0] for match in history(matches)]
        known = sample_skills(contests, np.random.default_rng(0), 400, spreads=(1.5,))
        mean = np.array([known.skills[known.players[who]].mean() for who in SKILLS])
        truth = np.array(list(SKILLS.values()))
        return float(np.abs(mean - mean.mean() - (truth - truth.mean())).mean())

    assert error(600) < 0.25 < error(20)


def test_the_normal_distribution_is_that_of_the_library() -> None:
    """To eight digits or so, far out in both tails."""
    points = np.linspace(-7.0, 7.0, 57)
    exact = np.array([0.5 * math.erfc(-point / math.sqrt(2.0)) for point in points])
    assert np.allclose(normal_below(points), exact, rtol=3e-7, atol=0.0)
