"""Where several rulesets are known, an answer without one is of what they have in common."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise import Contest, GaussianFilter, Ladder, Match, Mixture, Ruleset, Statistics, replay
from equipoise.ratings.model import general_state, meant_ruleset
from equipoise.ratings.models.gaussian_filter import kernels
from equipoise.ratings.reports import RatingTally, report

CTF, TDM = Ruleset("g", "ctf"), Ruleset("g", "tdm")


def history(rulesets: tuple[Ruleset, ...], games: int = 240) -> tuple[list[Match], dict[str, float]]:
    """Return games whose statistics say the opposite of who wins, and the truth."""
    rng = np.random.default_rng(3)
    skill = rng.normal(0.0, 1.0, 24)
    matches = []
    for n in range(games):
        who = rng.permutation(24)[:6]
        lead = skill[who[:3]].sum() - skill[who[3:]].sum()
        ranks = (1, 2) if rng.random() < 1.0 / (1.0 + np.exp(-1.2 * lead)) else (2, 1)
        names = [f"p{k}" for k in who]
        kills = [Statistics(f"p{k}", kills=float(rng.poisson(12 * np.exp(-0.4 * skill[k])))) for k in who]
        ruleset = rulesets[n % len(rulesets)]
        contest = Contest(ruleset, (names[:3], names[3:]), ranks, at=60.0 * n, statistics=kills)
        matches.append(Match((contest,), ended=60.0 * n, id=str(n)))
    return matches, {f"p{k}": float(each) for k, each in enumerate(skill)}


def correlation(model: Mixture, state: object, truth: dict[str, float], ruleset: Ruleset | None) -> float:
    """Return how well ratings follow the truth."""
    mu = [model.rating(state, player, ruleset).mu for player in truth]
    return float(np.corrcoef(mu, list(truth.values()))[0, 1])


def test_what_is_learnt_of_statistics_counts_without_a_ruleset_too() -> None:
    """Ratings in general follow the truth as those of one ruleset do, and say that they are in general."""
    model = Mixture()
    matches, truth = history((CTF, TDM))
    state = replay(model, matches)
    assert meant_ruleset(model, state) == Ruleset()
    general = correlation(model, state, truth, None)
    assert general > 0.85
    assert general > correlation(model, state, truth, CTF) - 0.05
    # What was never learnt trusts statistics that mislead.
    assert general > correlation(model, state, truth, Ruleset()) + 0.1


def test_one_ruleset_cut_in_two_teaches_in_common_what_it_teaches_whole() -> None:
    """Trust in statistics, and how often teams draw, as if all had been of one."""
    model = GaussianFilter()
    whole = replay(model, history((CTF,))[0])
    halves = model.in_common(replay(model, history((CTF, TDM))[0])).rulesets[Ruleset()]
    for number in (kernels.TRUST, kernels.DRAWS, kernels.MARGINS, kernels.STATISTICS):
        assert halves[number] == pytest.approx(whole.rulesets[CTF][number], rel=0.1, abs=0.05)
    alone = replay(model, history((CTF, TDM))[0]).rulesets[CTF]
    assert halves[kernels.TRUST_VARIANCE] < alone[kernels.TRUST_VARIANCE]


def test_of_nothing_known_and_of_one_nothing_is_made_up() -> None:
    """Without rulesets what is common is what is assumed of a new one; of one ruleset it is what that has."""
    model = Mixture()
    assert model.in_common(model.initial()).rulesets[Ruleset()] == pytest.approx(model.new_ruleset())
    state = replay(model, history((CTF,), 60)[0])
    assert model.in_common(state).rulesets[Ruleset()] == pytest.approx(state.rulesets[CTF])


def test_all_answers_without_a_ruleset_are_of_the_same() -> None:
    """A ladder's rating, leaderboard and predictions, plain and compiled, and the report."""
    model = Mixture()
    matches, truth = history((CTF, TDM), 120)
    state = replay(model, matches)
    ladder = Ladder(model)
    for match in matches:
        ladder.record(match)
    assert ladder.answers_of() == Ruleset()
    assert ladder.answers_of(CTF) == CTF
    board = dict(ladder.leaderboard())
    first = report(model, state, RatingTally.of(matches), "default")["ratings"][0]
    for player in truth:
        rating = model.rating(state, player)
        assert ladder.rating(player) == board[player] == rating
        assert next(each["mu"] for each in first["players"] if each["id"] == player) == rating.mu
    teams = (["p0", "p1"], ["p2", "p3"])
    assert ladder.predict(teams) == model.win_probability(state, teams)
    ladder._resident._learnt.compile()  # type: ignore[union-attr]
    ids, mu, _ = ladder.leaderboard_columns()
    assert mu == pytest.approx([board[player].mu for player in ids])
    assert general_state(model, state, {Ruleset(): 1}) is state
