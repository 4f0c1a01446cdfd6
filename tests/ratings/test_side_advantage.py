"""What a side is worth: learnt with its uncertainty, shrunk to none, never from the order of results."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.core.match import Contest, Match, Ruleset
from equipoise.ratings import side_advantage
from equipoise.ratings.lab.evaluation import evaluate
from equipoise.ratings.side_advantage import SideAdvantage, SideAdvantages, columns_of

CTF = Ruleset("ut2004", "ctf")


def played(contests: int, worth: float, seed: int, at_map: str = "") -> SideAdvantages:
    """Return what is learnt of contests of even teams, with sides that are worth so much."""
    rng = np.random.default_rng(seed)
    sides = SideAdvantages()
    for _ in range(contests):
        chance = float(rng.uniform(0.2, 0.8))
        odds = chance / (1.0 - chance) * np.exp(worth)
        first = rng.random() < odds / (1.0 + odds)
        sides.learn(CTF, (1, 2) if first else (2, 1), chance, at_map)
    return sides


@pytest.mark.parametrize("worth", [-0.5, 0.0, 0.4])
def test_the_truth_lies_within_two_and_a_half_deviations(worth: float) -> None:
    """Over twenty histories of 400 games in all but one, and the deviation is right on average."""
    found = [played(400, worth, seed).of(CTF) for seed in range(20)]
    off = [(side.mean - worth) / side.sigma for side in found]
    assert sum(abs(each) > 2.5 for each in off) <= 1
    assert 0.5 < float(np.std(off)) < 1.5


def test_sides_drawn_by_a_coin_are_worth_nothing_and_cost_nothing() -> None:
    """Told of in few histories, and chances move by less than their own uncertainty."""
    found = [played(300, 0.0, seed).of(CTF) for seed in range(30)]
    assert sum(side.reported for side in found) <= 4
    assert abs(float(np.mean([side.chance(0.5) for side in found])) - 0.5) < 0.01


def test_a_map_differs_from_the_others_of_its_ruleset() -> None:
    """What is learnt of one map serves another only as far as the ruleset has it in common."""
    sides = played(300, 0.8, 1, "dm6")
    here, elsewhere = sides.of(CTF, "dm6"), sides.of(CTF, "dm1")
    assert here.mean > elsewhere.mean > 0.0
    assert elsewhere == sides.of(CTF)
    assert sides.of(Ruleset()) == SideAdvantage()


def test_a_table_of_winners_and_losers_tells_of_no_side() -> None:
    """All named first won: the order is that of the result."""
    sides = SideAdvantages()
    for _ in range(12):
        sides.learn(CTF, (1, 2), 0.5)
    side = sides.of(CTF)
    assert side.by_result
    assert not side.reported
    assert side.chance(0.7) == 0.7
    assert sides.chance(CTF) == 0.5


def test_evaluate_learns_it_from_what_the_model_predicted() -> None:
    """Red wins three of four games of four who are alike."""
    rng = np.random.default_rng(3)
    matches = []
    for n in range(200):
        names = [str(name) for name in rng.permutation(["a", "b", "c", "d"])]
        ranks = (1, 2) if rng.random() < 0.75 else (2, 1)
        contest = Contest(CTF, (names[:2], names[2:]), ranks, at=float(n))
        matches.append(Match((contest,), id=f"{n:03d}", map="dm6"))
    sides = evaluate("elo", matches).sides
    assert sides is not None
    side = sides.of(CTF, "dm6")
    assert side.reported
    assert 0.65 < side.chance(0.5) < 0.8


@pytest.mark.parametrize("compiled", [False, True])
def test_contests_in_columns_are_learnt_from_as_one_by_one(
    monkeypatch: pytest.MonkeyPatch, *, compiled: bool
) -> None:
    """To the last bit and in the same order, whatever was known: draws, several rulesets, no map, teams."""
    monkeypatch.setattr(side_advantage, "pays", lambda *_, **__: compiled)
    rng = np.random.default_rng(3)
    rulesets = [CTF, Ruleset("q3", "tdm"), Ruleset()]
    one, both = SideAdvantages(), SideAdvantages()
    for _ in range(3):
        contests, chances = [], list[float]()
        for _ in range(400):
            ranks = [(1, 2), (2, 1), (1, 1), (1, 2, 3)][rng.integers(4)]
            ruleset = rulesets[rng.integers(3)]
            place, weight = ["", "dm6", "dm1"][rng.integers(3)], float(rng.uniform(0.1, 3.0))
            contests.append((len(chances), ruleset, ranks, place, weight))
            chances += [float(each) for each in rng.choice([0.0, 1.0, *rng.random(6)], len(ranks))]
        for team, ruleset, ranks, place, weight in contests:
            if len(ranks) == 2:
                one.learn(ruleset, ranks, chances[team], place, weight)
        both.learn_columns(columns_of(contests), chances)
        assert list(one.rows.items()) == list(both.rows.items())
    both.learn_columns(columns_of([]), [])
    assert one.rows == both.rows
