"""The default model: worked examples, both paths bit for bit, and what each channel is for."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.kernels import needs_numba

from equipoise import Contest, GaussianFilter, InputError, Match, Mixture, Rating, Ruleset, Statistics, replay
from equipoise.core.win_probability import LOGISTIC_SLOPE
from equipoise.ratings.lab.simulation import name, rank_correlation, simulate
from equipoise.ratings.ladder import Resident
from equipoise.ratings.laws import random_contest
from equipoise.ratings.models.gaussian_filter.contest_columns import insert, pack
from equipoise.ratings.models.gaussian_filter.kernels import VARIANCE
from equipoise.ratings.models.gaussian_filter.model import Filters
from equipoise.ratings.profiles import PROFILES, with_settings

MODEL = GaussianFilter()
PLAIN = GaussianFilter(
    baseline=0.0, baseline_sigma=0.0, sigma=1.0, outcome=1.0, drift_game=0.0, drift_day=0.0
)


def duel(**more: object) -> Contest:
    """Return a contest that ann wins against bob."""
    return Contest(Ruleset(), (["ann"], ["bob"]), (1, 2), **more)


def test_one_duel_worked_out() -> None:
    """New players with variance 1 and beta 1: c² = 1 + 1 + 1 + 1 = 4, so p = 1/2 and c = 2.

    Weng and Lin (2011), algorithm 1 with the slope 1.702: mu moves by 1 · 1.702 / 2 · 1/2 = 0.4255.  Davidson
    (1970) with the first guess of a draw factor, 0.1: draws have t = 0.1 / 2 of a win and a loss, and the
    variance of the points is 1/4 / (1 + t), so the variance becomes 1 / (1 + (1.702 / 2)² / 4.2) = 0.85293.
    """
    state = PLAIN.update(PLAIN.initial(), duel())
    rating = PLAIN.rating(state, "ann")
    assert rating.mu == pytest.approx(0.4255, abs=1e-12)
    assert rating.sigma**2 == pytest.approx(1.0 / (1.0 + 0.851**2 / 4.2), abs=1e-12)
    assert PLAIN.rating(state, "bob").mu == pytest.approx(-0.4255, abs=1e-12)


def test_one_statistic_worked_out() -> None:
    """Kalman's gain (1960) for one figure: the log of (7 + 1) / (3 + 1), centred, over its unit.

    Figures ± log 2 over sqrt(0.42); slope 0.57, noise 1.3: S = 0.57² (1 + 1) + 1.3² = 2.3398 and ann's mean
    moves by 0.57 / 2.3398 · 1.06956 = 0.26056 from the figure alone.
    """
    model = replace(PLAIN, outcome=0.0)
    reported = (Statistics("ann", 7, 3), Statistics("bob", 3, 7))
    state = model.update(model.initial(), duel(statistics=reported))
    figure = math.log(2.0) / math.sqrt(0.42)
    assert model.rating(state, "ann").mu == pytest.approx(0.57 / (0.57**2 * 2 + 1.3**2) * figure, rel=1e-9)


def test_one_margin_worked_out() -> None:
    """Scores 6 : 3 are a margin of 3 / 10 over its unit of 0.3, so 1; slope 0.28, noise 0.95.

    S = 0.28² · 2 + 0.95² = 1.0593, and ann's mean moves by 0.28 / S = 0.26433.
    """
    model = replace(PLAIN, outcome=0.0)
    state = model.update(model.initial(), duel(scores=(6, 3)))
    assert model.rating(state, "ann").mu == pytest.approx(0.28 / (0.28**2 * 2 + 0.95**2), rel=1e-9)


def test_three_players_worked_out() -> None:
    """Plackett-Luce by hand: stage gradients 1 - 1/3, then 1/2 - 1/3, then -1/3 - 1/2.

    c² = (1 + 1) · 3 · 2/3 = 4, so the winner moves by 1.702 / 2 · 2/3.  Equal players tie for no gain.
    """
    order = Contest(Ruleset(), (["a"], ["b"], ["c"]), (1, 2, 3))
    state = PLAIN.update(PLAIN.initial(), order)
    moved = [PLAIN.rating(state, player).mu / 0.851 for player in "abc"]
    assert moved == pytest.approx([2 / 3, 1 / 6, -5 / 6], abs=1e-12)
    tied = PLAIN.update(PLAIN.initial(), replace(order, ranks=(1, 1, 1)))
    assert [PLAIN.rating(tied, player).mu for player in "abc"] == pytest.approx([0.0] * 3, abs=1e-15)


#: One filter, and mixtures whose members are worked on in one block, in several, and one after the other.
OF_MANY = (
    MODEL,
    Mixture(),
    Mixture(members=("keen", "steady", "keen")),
    Mixture(starting={"p1": 1.0, "p2": 2.0, "p3": 4.0}),
    Mixture(members=("keen", "steady") * 4),
)


@pytest.mark.slow
@needs_numba
@pytest.mark.parametrize("model", OF_MANY, ids=lambda model: str(len(model.filters())))
def test_plain_and_compiled_give_the_same_bits(model: Filters) -> None:
    """States and predictions of random contests of every kind agree exactly, in a ladder too."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        contests = [replace(random_contest(rng), at=40_000.0 * n) for n in range(300)]
        packed = pack(contests)
        plain = model.play(model.initial(), packed, fast=False)
        assert plain == model.play(model.initial(), packed, fast=True)
        rooms = Resident(model, model.initial())
        chances = [rooms.record([contest], fast=n >= 100)[0] for n, contest in enumerate(contests)]
        assert rooms.state() == plain[0]
        assert [chance for each in chances for chance in each] == plain[1]


@pytest.mark.parametrize("ruleset", [Ruleset("g", "ctf", ("low",)), Ruleset("", "", ("low",))])
def test_an_offset_drifts_up_to_the_share_of_its_kind(ruleset: Ruleset) -> None:
    """That of mutators is theirs where no game type is known, too."""
    model = replace(MODEL, share_type=0.5, share_mutators=0.01, drift_day=10.0)
    state = model.initial()
    for day in (0.0, 9000.0):
        state = model.update(state, replace(duel(), ruleset=ruleset, at=86400.0 * day))
    known = state.table["ann", ruleset][VARIANCE]
    assert 0.5 * 0.01 * MODEL.sigma**2 < known <= 0.01 * MODEL.sigma**2


@pytest.mark.parametrize("sigma", [0.0, 0.3])
def test_experience_is_looked_at_only_where_it_is_learnt(sigma: float) -> None:
    """Without an uncertainty it adds nothing, neither to what is predicted nor to ratings."""
    contests = [duel(at=float(n)) for n in range(6)]
    seen = []
    for experience in (0.0, 0.7):
        model = replace(MODEL, experience=experience, experience_sigma=sigma)
        state, chances = model.run(model.initial(), contests)
        seen.append((chances, model.rating(state, "ann")))
    assert (seen[0] == seen[1]) == (sigma == 0.0)


@pytest.mark.parametrize("model", [MODEL, Mixture()], ids=["filter", "mixture"])
@pytest.mark.parametrize("scores", [(), (6, 3)])
def test_a_weight_of_ten_is_ten_games(model: GaussianFilter | Mixture, scores: tuple[int, ...]) -> None:
    """Bit for bit but for the evidence about the members, and a thousand games' worth ruins nothing."""
    once, heavy, ten = duel(scores=scores), duel(scores=scores, weight=10.0), model.initial()
    for _ in range(10):
        ten = model.update(ten, once)
    assert model.rating(model.update(model.initial(), heavy), "ann").mu == pytest.approx(
        model.rating(ten, "ann").mu, rel=1e-6
    )
    ruined = model.update(model.initial(), replace(heavy, weight=1000.0))
    assert abs(model.rating(ruined, "ann").mu) < 10.0


@pytest.mark.parametrize("weight", [0.5, 1.0, 2.5, 10.0])
def test_a_weight_is_as_many_steps_also_in_the_evidence(weight: float) -> None:
    """As docs/algorithms/mixture.md has it: whole contests and what is left, each predicted."""
    model = Mixture()
    state = stepped = model.update(model.initial(), duel())
    for step in range(math.ceil(weight)):
        stepped = model.update(stepped, duel(weight=min(weight - step, 1.0)))
    assert model.update(state, duel(weight=weight)) == stepped


def test_the_better_member_counts_more_and_rulesets_apart() -> None:
    """Where one member predicts better its weight rises there first, and elsewhere by what is pooled."""
    model = Mixture(members=("steady", "keen"))
    state = model.initial()
    ctf, dm = Ruleset("g", "ctf"), Ruleset("g", "dm")
    many = replace(
        state, evidence={ctf: (-10.0, -20.0, 500.0), dm: (-10.0, -9.0, 30.0)}, pooled=(-20.0, -29.0, 530.0)
    )
    assert model.weights(state) == [0.5, 0.5]
    assert model.weights(many, ctf)[0] > 0.99
    assert model.weights(many, dm)[0] > 0.9  # thirty contests of its own say little against 200 of others
    assert (
        model.weights(
            replace(many, evidence={**many.evidence, dm: (-10.0, 9.0, 30.0)}, pooled=(-20.0, -11.0, 530.0)),
            dm,
        )[1]
        > 0.9
    )


@pytest.mark.parametrize("model", [Mixture(), GaussianFilter()])
def test_a_draw_is_predicted_from_what_came_before_it(model: Mixture | GaussianFilter) -> None:
    """What is predicted while learning is what would have been said before: no contest tells of itself."""
    rng = np.random.default_rng(3)
    ruleset = Ruleset("", "ctf")
    contests = [replace(random_contest(rng), ruleset=ruleset, at=float(n)) for n in range(40)]
    draws = model.play(model.initial(), pack(contests), fast=False)[2]
    state = model.initial()
    for contest, draw in zip(contests, draws, strict=True):
        if len(contest.teams) == 2:
            assert model.draw_chance(state, contest.teams, ruleset, contest.at) == draw
        state = model.update(state, contest)


@pytest.mark.slow
@pytest.mark.parametrize("factor", [0.3, 1.0, 2.5, 6.0, 30.0])
def test_few_draws_and_many_are_predicted_as_often_as_they_come(factor: float) -> None:
    """Of three against three by Davidson's model, from the thousandth game on."""
    rng = np.random.default_rng(0)
    skill = rng.normal(0.0, 0.8, 40)
    true: list[float] = []
    contests: list[Contest] = []
    for n in range(3000):
        drawn = rng.permutation(40)[:6].tolist()
        ahead = LOGISTIC_SLOPE * (skill[drawn[:3]].sum() - skill[drawn[3:]].sum()) / math.sqrt(6.0)
        chance = 1.0 / (1.0 + math.exp(-ahead))
        tie = factor * math.sqrt(chance * (1.0 - chance))
        true.append(tie / (1.0 + tie))
        ranks = (1, 1) if rng.random() < true[-1] else (1, 2) if rng.random() < chance else (2, 1)
        teams = tuple([f"p{k}" for k in side] for side in (drawn[:3], drawn[3:]))
        contests.append(Contest(Ruleset(), teams, ranks, at=3600.0 * n))
    model = Mixture()
    _, _, draws = model.play(model.initial(), pack(contests), fast=model.fast(3000))
    assert np.mean(draws[1000:]) == pytest.approx(np.mean(true[1000:]), abs=0.025)


def test_draws_are_learnt() -> None:
    """Where half of the games of even teams are drawn a draw is expected as often, and where none, hardly."""
    state = Mixture().initial()
    for n in range(200):
        for ruleset, drawn in ((Ruleset("", "ctf"), n % 2), (Ruleset("", "dm"), 0)):
            ranks = (1, 1) if drawn else ((1, 2), (2, 1))[n % 4 // 2]
            state = Mixture().update(state, replace(duel(at=float(n)), ruleset=ruleset, ranks=ranks))
    asked = [Mixture().draw_chance(state, (["ann"], ["bob"]), Ruleset("", kind)) for kind in ("ctf", "dm")]
    assert asked[0] == pytest.approx(0.5, abs=0.05)
    assert asked[1] < 0.01
    with pytest.raises(InputError, match="teams: a draw is predicted for two teams, got 3"):
        Mixture().draw_chance(state, (["a"], ["b"], ["c"]))


def test_bots_do_not_drift_and_an_unseen_bot_is_the_mean_bot() -> None:
    """A year passes: people become uncertain, bots do not; another bot is expected to be like those known."""
    fight = Contest(Ruleset(), (["ann"], ["bot:Xan:6"]), (2, 1))
    state = MODEL.update(MODEL.initial(), fight)
    later = MODEL.update(state, replace(fight, at=3e7, weight=1e-9))
    assert MODEL.rating(later, "ann").sigma > MODEL.rating(state, "ann").sigma
    assert MODEL.rating(later, "bot:Xan:6").sigma == pytest.approx(MODEL.rating(state, "bot:Xan:6").sigma)
    unseen = MODEL.rating(state, "bot:Malcolm:6").mu
    assert unseen == pytest.approx(MODEL.rating(state, "bot:Xan:6").mu)
    assert unseen > MODEL.rating(state, "nobody").mu
    chance = MODEL.win_probability(state, (["bot:Malcolm:6"], ["ann"]))[0]
    assert chance > 0.5


def test_an_extra_body_has_a_price_and_its_price_is_learnt() -> None:
    """Two newcomers beat one; where that turns out to be wrong it is believed less."""
    uneven = Contest(Ruleset("", "boss"), (["a", "b"], ["c"]), (2, 1))
    before = MODEL.win_probability(MODEL.initial(), (["a", "b"], ["c"]), uneven.ruleset)[0]
    state = MODEL.initial()
    for n in range(30):
        teams = ([f"x{n}", f"y{n}"], [f"z{n}"])
        state = MODEL.update(state, replace(uneven, teams=teams, at=float(n)))  # type: ignore[arg-type]
    after = MODEL.win_probability(state, (["a", "b"], ["c"]), uneven.ruleset)[0]
    assert before > 0.6
    assert after < before - 0.1


def test_a_ruleset_has_its_own_ratings_and_backs_off() -> None:
    """Who only won in one game type is best there; an unseen mutator set starts from its game type."""
    ctf, dm = Ruleset("ut", "ctf"), Ruleset("ut", "dm")
    state = MODEL.initial()
    for n in range(10):
        for ruleset, ranks in ((ctf, (1, 2)), (dm, (2, 1))):
            state = MODEL.update(state, replace(duel(at=float(n)), ruleset=ruleset, ranks=ranks))
    ann = {kind: MODEL.rating(state, "ann", kind).mu for kind in (ctf, dm)}
    assert ann[ctf] > ann[dm]
    assert MODEL.rating(state, "ann", Ruleset("ut", "ctf", ("lowgrav",))).mu == ann[ctf]


def test_who_was_there_for_less_is_moved_less() -> None:
    """The share of presence scales what is expected of a player and what is learnt about them."""
    contest = Contest(Ruleset(), ([("ann", 1.0), ("cid", 0.25)], [("bob", 1.0)]), (1, 2))
    state = PLAIN.update(PLAIN.initial(), contest)
    ann, cid = PLAIN.rating(state, "ann"), PLAIN.rating(state, "cid")
    assert cid.mu == pytest.approx(ann.mu / 4.0)
    assert cid.sigma > ann.sigma


def informative(statistics: bool) -> float:
    """Return the rank correlation with the truth after five games of 400 new players."""
    found = []
    for seed in range(2):
        history = simulate(np.random.default_rng(seed), statistics=statistics)
        state = replay(MODEL, history.matches)
        mu = np.array([MODEL.rating(state, player).mu for player in history.truth])
        found.append(rank_correlation(mu, np.array(list(history.truth.values()))))
    return float(np.mean(found))


@pytest.mark.slow
def test_five_games_with_statistics_rank_newcomers() -> None:
    """The rank correlation with the truth is at least 0.75, and less without statistics."""
    with_them, without = informative(True), informative(False)
    assert with_them >= 0.75
    assert without < with_them


@pytest.mark.slow
def test_statistics_that_do_not_help_are_trusted_less() -> None:
    """Kills that tell of a role and not of skill lose their weight, prequentially; useful ones keep it."""
    rng = np.random.default_rng(2)
    history = simulate(rng, players=40, games=60)
    role = {player: float(rng.normal(0.0, 0.8)) for player in history.truth}
    useless = [
        Match(
            tuple(
                replace(
                    contest,
                    statistics=tuple(
                        Statistics(
                            figures.player, *rng.poisson(15 * np.exp([role[figures.player], 0.0])).tolist()
                        )
                        for figures in contest.statistics
                    ),
                )
                for contest in match.contests
            ),
            id=match.id,
        )
        for match in history.matches
    ]
    trust = [replay(MODEL, matches).rulesets[Ruleset()][0] for matches in (history.matches, useless)]
    assert trust[1] < 0.5 < trust[0]


def test_the_temperature_cools_what_is_over_confident() -> None:
    """Where ratings mean nothing, published chances come nearer to even."""
    rng = np.random.default_rng(3)
    wild = replace(MODEL, sigma=3.0, drift_game=1.0)
    state = wild.initial()
    for n in range(400):
        a, b = rng.permutation(6)[:2].tolist()
        state = wild.update(state, Contest(Ruleset(), ([name(a)], [name(b)]), (1, 2), at=float(n)))
    assert state.world[0] < 0.8


@pytest.mark.slow
def test_expected_margins_are_those_that_come() -> None:
    """Simulated matches: the slope of the observed on the expected margin is near 1, later contests only."""
    history = simulate(np.random.default_rng(1), players=60, games=80, statistics=False)
    state, expected, observed = MODEL.initial(), [], []
    for n, match in enumerate(history.matches):
        contest = match.contests[0]
        if n >= 160:
            expected.append(MODEL.expected_margin(state, contest.teams)[0])
            one, other = contest.scores
            observed.append((one - other) / (1.0 + one + other))
        state = MODEL.update(state, contest)
    x, y = np.array(expected), np.array(observed)
    slope = float(x @ y / (x @ x))
    error = float(np.std(y - slope * x) / math.sqrt(x @ x))
    assert abs(slope - 1.0) < 3.0 * error + 0.1


@pytest.mark.parametrize("profile", PROFILES)
def test_profiles_are_settings_of_the_model(profile: str) -> None:
    """Each makes a model that rates."""
    model = GaussianFilter(**PROFILES[profile])
    assert isinstance(model.rating(model.update(model.initial(), duel()), "ann"), Rating)


def test_settings_out_of_range_are_refused() -> None:
    """The message begins with the hyperparameter."""
    for settings, message in (
        ({"sigma": 0.0}, "sigma must be from 1e-06 to 1e\\+06, got 0"),
        ({"drift_day": math.nan}, "drift_day must be"),
    ):
        with pytest.raises(InputError, match=message):
            GaussianFilter(**settings)
    given: list[tuple[object, str]] = [
        ({"nosuch": 1.0}, "settings: there is no 'nosuch'; there are sigma, "),
        ({"sigma": "1"}, "sigma must be a number, got '1'"),
        ([{"settings": {}}, {"settings": {}}], "settings must be an object"),
        (3, "settings must be an object"),
    ]
    for wrong, message in given:
        with pytest.raises(InputError, match=message):
            with_settings(wrong)


@pytest.mark.parametrize("model", [GaussianFilter(), Mixture()])
def test_contests_of_next_to_no_weight_change_next_to_nothing(model: GaussianFilter | Mixture) -> None:
    """Neither ratings nor the temperature, what experience adds, and what a margin is measured in."""
    won = Contest(Ruleset(), (["a", "b"], ["c", "d"]), (1, 2), scores=(10, 5))
    state = model.run(model.initial(), [won] * 20)[0]
    lost = replace(won, ranks=(2.0, 1.0), scores=(0.0, 50.0), weight=1e-9)
    after = model.run(state, [lost] * 200)[0]
    before, now = (model.win_probability(each, won.teams)[0] for each in (state, after))
    assert now == pytest.approx(before, abs=0.01)  # skills drift, as games were played
    assert after.world[0] == pytest.approx(state.world[0], abs=1e-6)


def test_what_bots_played_last_is_known() -> None:
    """A match between matches of bots alone is earlier than the last one, and refused."""
    bots = (["bot:a:1"], ["bot:b:1"])
    times = (100.0, 200.0, 150.0)
    early, late, between = (Match((Contest(Ruleset(), bots, (1, 2), at=at),)) for at in times)
    with pytest.raises(InputError, match="before the last contest it knows"):
        replay(MODEL, [between], replay(MODEL, [early, late]))


def test_a_guess_of_a_bot_says_nothing() -> None:
    """Bots begin as the mean of the bots, in ratings as in chances."""
    guesses = {"ann": 1500.0, "bob": 1200.0, "cid": 1800.0}
    plain, guessed = Mixture(starting=guesses), Mixture(starting={**guesses, "bot:x:1": 1500.0})
    assert guessed.rating(guessed.initial(), "bot:x:1") == plain.rating(plain.initial(), "bot:x:1")


def test_a_newcomer_among_veterans_moves_fast_where_results_alone_are_known() -> None:
    """As new among the new everyone begins alike; statistics tell by themselves who is strong."""

    def played(scores: bool) -> list[Contest]:
        made = []
        for n in range(60):
            ranks, points = (((1, 2), (30.0, 20.0)), ((2, 1), (20.0, 30.0)))[n % 2]
            given = points if scores else ()
            made.append(Contest(Ruleset(), (["a", "b"], ["c", "d"]), ranks, at=n * 3600.0, scores=given))
        return made

    def moved(model: GaussianFilter, before: list[Contest]) -> float:
        state = model.run(model.initial(), before)[0]
        came = Contest(Ruleset(), (["new", "b"], ["c", "d"]), (1, 2), at=60 * 3600.0)
        return model.rating(model.update(state, came), "new").mu - model.rating(state, "new").mu

    plain, late = GaussianFilter(), GaussianFilter(late_spread=4.0)
    assert moved(late, played(scores=False)) > 2.5 * moved(plain, played(scores=False))
    assert moved(late, played(scores=True)) == moved(plain, played(scores=True))
    assert moved(late, []) == moved(plain, [])


def test_contests_put_among_packed_ones_are_packed_as_all_in_order() -> None:
    """At the beginning, within and at the end, of people and rulesets old and new."""
    rng = np.random.default_rng(4)
    rulesets = [Ruleset(), Ruleset("g", "ctf"), Ruleset("g", "tdm", ("low",)), Ruleset("", "", ("m",))]
    contests = []
    for n in range(12):
        ids = [f"p{each}" for each in rng.choice(8 + n, 4, replace=False)]
        teams = (ids[:1], ids[1:]) if n % 3 else (ids[:1], ids[1:2], ids[2:])
        ranks = tuple(range(1, len(teams) + 1))
        contests.append(Contest(rulesets[int(rng.integers(4))], teams, ranks, at=86400.0 * n))
    whole = pack(contests)
    again = pack(contests[:1], before=whole)
    for first in range(12):
        for last in range(first + 1, 13):
            made = pack([*contests[:first], *contests[last:]])
            insert(made, first, contests[first:last])
            assert list(made.keys.items()) == list(whole.keys.items())
            assert list(made.rulesets.items()) == list(whole.rulesets.items())
            for one, other in zip(made.columns(), whole.columns(), strict=True):
                assert [list(map(repr, column)) for column in one] == [
                    list(map(repr, each)) for each in other
                ]
            insert(made, 12, contests[:1])  # what is known of places still holds
            assert made.places[-len(again.places) :] == again.places
