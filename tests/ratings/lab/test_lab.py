"""Progressive validation, its metrics, and the search for hyperparameters."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from equipoise import Contest, GaussianFilter, InputError, Ladder, Match, Ruleset, read_matches
from equipoise.core.tasks import InTurn
from equipoise.ratings.lab.evaluation import evaluate, measure, reliability, winner
from equipoise.ratings.lab.simulation import rank_correlation, simulate
from equipoise.ratings.lab.tuning import BOUNDS, loss, search, tune, views
from equipoise.ratings.models.elo import Elo
from equipoise.ratings.models.gaussian_filter.mixture import Mixture
from equipoise.ratings.rating_history import moved
from equipoise.ratings.replay import in_order
from equipoise.ratings.reports import predicted

CWL = Path(__file__).resolve().parents[4] / "shared" / "data" / "ratings" / "cwl.npz"


def test_metrics_of_three_predictions_worked_out() -> None:
    """Log-loss, Brier score and accuracy by hand; a tie is not scored."""
    metrics = measure([(0.8, 0.2), (0.4, 0.6), (0.5, 0.5), (0.9, 0.1)], [0, 0, 1, -1])
    assert metrics.n == 3
    assert metrics.log_loss == pytest.approx(-(math.log(0.8) + math.log(0.4) + math.log(0.5)) / 3)
    assert metrics.brier == pytest.approx((0.04 + 0.36 + 0.25) / 3)
    assert metrics.accuracy == pytest.approx((1.0 + 0.0 + 0.5) / 3)


@pytest.mark.slow
def test_calibrated_predictions_have_slope_one_and_no_error() -> None:
    """Outcomes drawn from the predictions; twice the log-odds is half the slope; sides change nothing."""
    rng = np.random.default_rng(0)
    odds = rng.normal(0.0, 1.5, 40_000)
    p = 1.0 / (1.0 + np.exp(-odds))
    winners = (rng.random(len(p)) > p).astype(int).tolist()
    honest = measure(np.stack([p, 1.0 - p], axis=1).tolist(), winners)
    assert honest.calibration_slope == pytest.approx(1.0, abs=0.03)
    assert honest.ece < 0.01
    bold = 1.0 / (1.0 + np.exp(-2.0 * odds))
    doubled = measure(np.stack([bold, 1.0 - bold], axis=1).tolist(), winners)
    assert doubled.calibration_slope == pytest.approx(honest.calibration_slope / 2.0, rel=1e-6)
    turned = measure(np.stack([1.0 - p, p], axis=1).tolist(), [1 - won for won in winners])
    assert turned.log_loss == pytest.approx(honest.log_loss)
    assert turned.ece == pytest.approx(honest.ece)


@pytest.mark.parametrize("others", [1, 2])
def test_a_slope_that_does_not_exist_is_none(others: int) -> None:
    """Where favourites always lose, or always win, no factor is the best; nothing overflows."""
    rows = [[p, *[(1.0 - p) / others] * others] for p in (0.51, 0.7, 0.9995, 1.0 - 1e-9)]
    for won in (0, 1):
        assert math.isnan(measure(rows, [won] * len(rows)).calibration_slope)


def test_bins_are_of_equal_width_on_the_favourites_probability() -> None:
    """Ten from 0 to 1: two predictions of 0.62 and 0.68 share one, whoever the favourite is."""
    bins = reliability([(0.62, 0.38), (0.32, 0.68), (0.91, 0.09)], [0, 0, 0])
    assert [(each.count, round(each.chance, 2), each.won) for each in bins] == [
        (2, 0.65, 0.5),
        (1, 0.91, 1.0),
    ]


def test_nothing_scored_is_no_number() -> None:
    """Ties alone leave nan, and None in plain data."""
    metrics = measure([(0.5, 0.5)], [-1])
    assert metrics.n == 0
    assert metrics.as_dict()["log_loss"] is None


def test_each_contest_is_predicted_from_those_before_it() -> None:
    """The first prediction knows nothing; the rest follow the order of time, not that of listing."""
    duel = Contest(Ruleset(), (["a"], ["b"]), (1, 2))
    matches = [Match((replace(duel, at=float(n)),)) for n in range(10)]
    done = evaluate(Elo(), matches[::-1], skip=0.0)
    assert done.chances[0] == (0.5, 0.5)
    assert [row[0] for row in done.chances] == sorted(row[0] for row in done.chances)
    assert evaluate(Elo(), matches, skip=0.4).metrics.n == 6
    assert set(done.groups) == {"ruleset (none)", "teams 1 v 1"}
    with pytest.raises(InputError, match="skip must be at least 0 and below 1, got 1"):
        evaluate(Elo(), matches, skip=1.0)


def test_a_shared_first_place_has_no_winner() -> None:
    """Only a team alone in front has won."""
    three = Contest(Ruleset(), (["a"], ["b"], ["c"]), (1, 1, 2))
    assert winner(three) == -1
    assert winner(replace(three, ranks=(2.0, 1.0, 3.0))) == 1


@pytest.mark.slow
class SevenAtOnce(InTurn):
    """Tries seven settings before it looks which was better, as seven processes do."""

    ahead = 7


def test_a_search_on_many_processes_is_that_of_one() -> None:
    """What was tried from a setting that is the best no longer is tried again from the new one."""
    history = simulate(np.random.default_rng(0), players=20, games=10)
    contests = [match.contests[0] for match in history.matches]
    one, seven = (
        search([views(contests)], steps=25, seed=3, tasks=tasks) for tasks in (InTurn(), SevenAtOnce())
    )
    assert one == seven
    assert one.after < one.before


def test_the_search_repeats_and_never_ends_worse() -> None:
    """The same seed finds the same settings, at least as good as those it began with."""
    history = simulate(np.random.default_rng(0), players=40, games=20)
    contests = [contest for match in history.matches for contest in match.contests]
    found = [tune(contests, part=1.0, steps=8, seed=3) for _ in range(2)]
    assert found[0] == found[1]
    assert found[0].after <= found[0].before
    only = tune(contests, part=1.0, steps=8, only=("sigma",)).model
    assert replace(only, sigma=GaussianFilter().sigma) == GaussianFilter()
    fixed = {"beta", "experience"}  # the unit of skills, and what begins at nothing
    assert {each.name for each in fields(GaussianFilter)} - fixed == set(BOUNDS)
    for name, (low, high) in BOUNDS.items():
        assert low <= getattr(only, name) <= high or name in ("experience_sigma", "late_spread")
    with pytest.raises(InputError, match=r"^only must be among .*, got 'nosuch'"):
        tune(contests, only=("nosuch",))
    with pytest.raises(InputError, match="contests: none is left to score"):
        tune([])


@pytest.mark.slow
def test_a_simulation_repeats_and_better_players_win_more() -> None:
    """The same seed gives the same history, in which wins follow the truth."""
    one, two = (simulate(np.random.default_rng(5), players=40, games=40) for _ in range(2))
    assert one == two
    wins: dict[str, float] = dict.fromkeys(one.truth, 0.0)
    for match in one.matches:
        contest = match.contests[0]
        for player, _ in contest.teams[winner(contest)]:
            wins[player] += 1.0
    assert (
        rank_correlation(
            np.array(list(wins.values())) + np.arange(40) * 1e-9, np.array(list(one.truth.values()))
        )
        > 0.5
    )


@pytest.fixture(scope="module")
def league() -> Any:
    """Return the matches of a professional league, where they are at hand."""
    if not CWL.exists():
        pytest.skip("the history of the Call of Duty World League is not at hand and may not be copied")
    return [match for match in read_matches(str(CWL)) if isinstance(match, Match)]


@pytest.mark.slow
def test_the_shipped_profile_predicts_and_is_calibrated(league: Any) -> None:
    """On 3,053 held-out maps: log-loss at most 0.6555, slope in [0.85, 1.15], ECE below 0.03."""
    metrics = evaluate(GaussianFilter(), league).metrics
    assert metrics.n == 3053
    assert metrics.log_loss <= 0.6555
    assert 0.85 <= metrics.calibration_slope <= 1.15
    assert metrics.ece < 0.03


@pytest.mark.slow
def test_results_alone_are_not_worse_than_tuned_elo(league: Any) -> None:
    """Without scores and statistics, against Elo with K and scale searched on the first 40 %."""
    plain = [
        replace(match, contests=tuple(replace(c, scores=(), statistics=()) for c in match.contests))
        for match in league
    ]
    elo = evaluate(Elo(k=8.0, scale=200.0), plain).metrics.log_loss
    assert evaluate(GaussianFilter(), plain).metrics.log_loss <= elo


@pytest.mark.slow
def test_expected_margins_of_a_league_are_those_that_come(league: Any) -> None:
    """The slope of the observed on the expected margin over 3,052 held-out maps is within 0.1 of 1."""
    model = GaussianFilter()
    state, expected, observed = model.initial(), [], []
    for n, match in enumerate(in_order(league)):
        contest = match.contests[0]
        if contest.scores and n >= 0.4 * len(league):
            expected.append(model.expected_margin(state, contest.teams, contest.ruleset)[0])
            one, other = contest.scores
            observed.append((one - other) / (1.0 + abs(one) + abs(other)))
        state = model.update(state, contest)
    x, y = np.array(expected), np.array(observed)
    assert float(x @ y / (x @ x)) == pytest.approx(1.0, abs=0.1)


@pytest.mark.slow
def test_several_histories_can_be_searched_at_once() -> None:
    """Each counts as its weight says; without weights, all the same."""
    seen = []
    for seed in range(2):
        history = simulate(np.random.default_rng(seed), players=20, games=20, drift=0.05, roles=0.5)
        seen.append(views([match.contests[0] for match in history.matches]))
    model = GaussianFilter()
    each = [loss(model, [one]) for one in seen]
    assert loss(model, seen) == pytest.approx(sum(each) / 2.0)
    assert loss(model, seen, [3.0, 1.0]) == pytest.approx(0.75 * each[0] + 0.25 * each[1])
    assert search(seen, weights=[1.0, 0.0], steps=2).before == pytest.approx(each[0])
    with pytest.raises(InputError, match="contests: none is left to score"):
        search([])


def test_draws_are_a_third_outcome() -> None:
    """The loss of who wins or a draw is that of the three chances, also where nobody won."""
    reported = measure([(0.5, 0.5), (0.8, 0.2)], [-1, 0], [0.25, 0.5])
    assert reported.three_way == pytest.approx(-(math.log(0.25) + math.log(0.5 * 0.8)) / 2.0)
    assert (reported.draws, reported.n) == (1, 1)


def test_draws_are_predicted_where_a_ruleset_has_them() -> None:
    """On a history with draws the learnt chance of them beats one that is always the same."""
    rng = np.random.default_rng(3)
    matches = []
    for n in range(600):
        drawn = rng.random() < 0.4
        matches.append(Match((Contest(Ruleset(), (["a"], ["b"]), (1, 1 if drawn else 2), at=n),), id=f"{n}"))
    reported = evaluate(Mixture(), matches).metrics
    assert reported.draws / 360 == pytest.approx(0.4, abs=0.05)
    assert reported.three_way < -(0.4 * math.log(0.1) + 0.6 * math.log(0.9))
    assert evaluate(Elo(), matches).metrics.three_way != reported.three_way


class Boasting(Elo):
    """A model of somebody's own that gives these chances."""

    given: Any = (2.0, 2.0)

    def run(self, state: Any, contests: Any, attention: Any = None) -> Any:
        """Learn nothing."""
        del attention
        return state, [self.given for _ in contests]

    def win_probability(self, *_: Any) -> Any:
        """Return what is always given."""
        return self.given


@pytest.mark.parametrize("given", [(2.0, 2.0), (math.nan,) * 2, (0.5,) * 3, (-0.5, 1.5), None, "ab", 0.5, ()])
def test_what_are_no_chances_wins_no_comparison(given: Any) -> None:
    """A custom model whose chances are none is refused by name wherever it is asked."""
    model = Boasting()
    object.__setattr__(model, "given", given)
    duel = Contest(Ruleset(), (["ann"], ["bob"]), (1, 2))
    ladder = Ladder(model)
    for ask in (
        lambda: evaluate(model, [Match((duel,))], skip=0.0),
        lambda: ladder.predict(duel.teams),
        lambda: moved(model, model.initial(), duel, "ann"),
        lambda: predicted(model, model.initial(), duel.teams, Ruleset(), [], "own"),
    ):
        with pytest.raises(InputError, match="model: Boasting gives 2 teams the chances"):
            ask()
