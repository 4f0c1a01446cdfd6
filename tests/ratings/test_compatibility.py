"""The comparison models give their public packages' numbers, where those packages are installed."""

from __future__ import annotations

import itertools
import math
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from equipoise.core.match import Contest, Ruleset
from equipoise.core.player import Rating
from equipoise.core.registry import MODELS, resolve
from equipoise.errors import InputError
from equipoise.ratings.distributions import below, between, beyond, density, quantile
from equipoise.ratings.model import answers
from equipoise.ratings.models.elo import Elo
from equipoise.ratings.models.glicko2 import Glicko2
from equipoise.ratings.models.trueskill import TrueSkill
from equipoise.ratings.models.weng_lin import BradleyTerry, PlackettLuce
from equipoise.ratings.rate_one_match import rate
from equipoise.ratings.replay import replay

SHAPES = [(1, 1), (5, 5), (3, 4), (1, 1, 1), (2, 3, 1, 4), (1,) * 8]


def contests(seed: int, count: int, ties: bool) -> list[Contest]:
    """Return random contests of few players, who meet often."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        sizes = SHAPES[rng.integers(len(SHAPES))]
        players = [f"p{n}" for n in rng.permutation(16)[: sum(sizes)]]
        teams, start = [], 0
        for size in sizes:
            teams.append(players[start : start + size])
            start += size
        ranks = rng.integers(0, len(sizes), len(sizes)) if ties else rng.permutation(len(sizes))
        teams.sort(
            key=min
        )  # the order in which our TrueSkill chains tied teams, and the package those listed
        made.append(Contest(Ruleset(), tuple(teams), tuple(ranks.tolist())))
    return made


@pytest.mark.slow
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize(
    ("model", "package", "name"),
    [
        (BradleyTerry(), "bradley_terry_full", "BradleyTerryFull"),
        (PlackettLuce(), "plackett_luce", "PlackettLuce"),
    ],
)
def test_weng_lin_is_openskill(model: Any, package: str, name: str, ties: bool) -> None:
    """Ratings and predictions agree to 1e-12 of their size over 200 contests, ties included."""
    module = pytest.importorskip(f"openskill.models.weng_lin.{package}")
    peer = getattr(module, name)()
    theirs: dict[str, Any] = {}
    state = model.initial()
    for contest in contests(1, 200, ties):
        ids = [[player for player, _ in team] for team in contest.teams]
        teams = [[theirs.setdefault(player, peer.rating()) for player in team] for team in ids]
        assert model.win_probability(state, ids) == pytest.approx(peer.predict_win(teams), rel=1e-12)
        assert model.quality(state, ids) == pytest.approx(peer.predict_draw(teams), rel=1e-11)
        rated = peer.rate(teams, ranks=list(contest.ranks))
        for team, ratings in zip(ids, rated, strict=True):
            theirs.update(zip(team, ratings, strict=True))
        state = model.update(state, contest)
    for player, rating in theirs.items():
        assert state[player] == pytest.approx((rating.mu, rating.sigma), rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("ties", [False, True])
def test_trueskill_is_trueskill_for_two_teams(ties: bool) -> None:
    """The closed form agrees to 1e-12 of the size, once the package computes with ``mpmath``.

    Its own complementary error function is a polynomial good to 1.2e-7 of its size, and that is all of the
    difference there is otherwise: the second half of the test.
    """
    pytest.importorskip("mpmath")
    package = pytest.importorskip("trueskill")
    duels = [contest for contest in contests(2, 300, ties) if len(contest.teams) == 2]
    assert _follow_trueskill(package.TrueSkill(backend="mpmath"), duels) < 1e-12
    assert 1e-9 < _follow_trueskill(package.TrueSkill(backend=None), duels) < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize(("backend", "most"), [("mpmath", 1e-11), (None, 2e-5)])
def test_trueskill_is_trueskill_for_ratings_far_apart(backend: str | None, most: float) -> None:
    """In points, whatever mu and sigma are: what docs/how-to/coming-from.md says."""
    pytest.importorskip("mpmath")
    environment = pytest.importorskip("trueskill").TrueSkill(backend=backend)
    rng = np.random.default_rng(3)
    for _ in range(200):
        before = {player: (rng.uniform(5.0, 45.0), rng.uniform(0.5, 8.3)) for player in "abcd"}
        teams, ranks = (("a", "b"), ("c", "d")), [(1, 2), (2, 1), (1, 1)][rng.integers(3)]
        groups = [{player: environment.create_rating(*before[player]) for player in team} for team in teams]
        after = TrueSkill().update(before, Contest(Ruleset(), teams, ranks))
        for player, theirs in (
            pair for team in environment.rate(groups, ranks=ranks) for pair in team.items()
        ):
            assert after[player] == pytest.approx((float(theirs.mu), float(theirs.sigma)), abs=most)


@pytest.mark.slow
@pytest.mark.parametrize("ties", [False, True])
def test_match_quality_is_trueskills(ties: bool) -> None:
    """For any number of teams, with partial presence, to 1e-12."""
    package = pytest.importorskip("trueskill")
    rng = np.random.default_rng(6)
    environment, model, state = package.TrueSkill(), TrueSkill(), TrueSkill().initial()
    for contest in contests(7, 40, ties):
        shares = [[float(rng.choice([1.0, 0.5, 0.25])) for _ in team] for team in contest.teams]
        groups = [
            tuple(environment.create_rating(*state.get(player, model.newcomer())) for player, _ in team)
            for team in contest.teams
        ]
        theirs = environment.quality(groups, weights=[tuple(row) for row in shares])
        asked = [
            [(player, share) for (player, _), share in zip(team, row, strict=True)]
            for team, row in zip(contest.teams, shares, strict=True)
        ]
        assert model.quality(state, asked) == pytest.approx(theirs, rel=1e-12)
        state = model.update(state, contest)


@pytest.mark.slow
@pytest.mark.parametrize("ties", [False, True])
def test_trueskill_is_trueskill_for_many_teams(ties: bool) -> None:
    """The package stops at changes of 1e-4: both agree to about that, or to 1e-8 where it goes on."""
    package = pytest.importorskip("trueskill")
    environment = package.TrueSkill(backend=(below, density, quantile))
    played = [contest for contest in contests(3, 60, ties) if len(contest.teams) > 2]
    assert _follow_trueskill(environment, played) < 1e-4
    assert _follow_trueskill(environment, played, 1e-12) < 1e-8


def _follow_trueskill(environment: Any, played: list[Contest], least: float = 1e-4) -> float:
    """Return the largest relative difference; each contest from the same ratings, so that none add up."""
    model = TrueSkill()
    state = model.initial()
    worst = 0.0
    for contest in played:
        groups = [
            {player: environment.create_rating(*state.get(player, model.newcomer())) for player, _ in team}
            for team in contest.teams
        ]
        rated = environment.rate(groups, ranks=list(contest.ranks), min_delta=least)
        state = model.update(state, contest)
        for player, theirs in (pair for team in rated for pair in team.items()):
            for mine, other in zip(state[player], (float(theirs.mu), float(theirs.sigma)), strict=True):
                worst = max(worst, abs(mine - other) / abs(other))
    return worst


def test_trueskill_knows_partial_play() -> None:
    """The share of presence is the package's weight."""
    package = pytest.importorskip("trueskill")
    contest = Contest(Ruleset(), ([("a", 1.0), ("b", 0.25)], [("c", 1.0)]), (1, 2))
    state = TrueSkill().update({}, contest)
    groups = package.TrueSkill().rate(
        [{"a": package.Rating(), "b": package.Rating()}, {"c": package.Rating()}],
        weights={(0, "b"): 0.25},
    )
    theirs = {player: rating for team in groups for player, rating in team.items()}
    for player, rating in theirs.items():
        assert state[player] == pytest.approx((rating.mu, rating.sigma), abs=1e-6)


def test_glicko2_is_glicko2_where_that_is_right() -> None:
    """A rating period of random opponents agrees to 1e-9 of its size; the volatility is iterated to 1e-6.

    The package puts the rating where the paper's step 5 has the deviation (its ``_f``), so only players are
    compared whose two numbers are equal on the internal scale; the paper's example tells them apart.
    """
    package = pytest.importorskip("glicko2")
    rng = np.random.default_rng(4)
    for _ in range(50):
        deviation = float(rng.uniform(40, 350))
        entry = (1500.0 + deviation * float(rng.choice([-1, 1])), deviation, float(rng.uniform(0.03, 0.09)))
        results = [
            (float(rng.normal(1500, 300)), float(rng.uniform(40, 350)), float(rng.integers(0, 2)))
            for _ in range(int(rng.integers(1, 5)))
        ]
        peer = package.Player(*entry)
        peer.update_player([r for r, _, _ in results], [d for _, d, _ in results], [s for _, _, s in results])
        assert Glicko2().period(entry, results) == pytest.approx((peer.rating, peer.rd, peer.vol), rel=1e-9)


def test_elo_plays_a_tournament() -> None:
    """A. Elo's example as commonly given: 1613 scores 2.5 where 2.88 is expected, and comes to 1601."""
    model = Elo()
    rounds = [(1609.0, 0.0), (1477.0, 0.5), (1388.0, 1.0), (1586.0, 1.0), (1720.0, 0.0)]
    expected = [round(model.expected(1613.0, other), 2) for other, _ in rounds]
    assert expected == [0.51, 0.69, 0.79, 0.54, 0.35]
    assert round(1613.0 + model.k * (sum(score for _, score in rounds) - sum(expected))) == 1601


def test_elo_is_elopy_without_home_and_margin() -> None:
    """Duels agree to 1e-12 with a package for leagues, with nobody at home.

    Its factor for the margin of victory is 1 here, as it says another sport may have it.
    """
    package = pytest.importorskip("elopy.elo")

    class Plain(package.Elo):  # type: ignore[misc]
        @staticmethod
        def _mov_multiplier(*_: float) -> float:
            return 1.0

    rng = np.random.default_rng(8)
    model = Elo()
    state = model.initial()
    theirs = {f"p{n}": Plain(start_elo=1500, k=32, hca=0) for n in range(8)}
    for _ in range(300):
        one, other = (f"p{n}" for n in rng.permutation(8)[:2])
        won = bool(rng.integers(2))
        reported = model.win_probability(state, ([one], [other]))[0]
        assert reported == pytest.approx(theirs[one].win_probs(theirs[other]), rel=1e-12)
        state = model.update(state, Contest(Ruleset(), ([one], [other]), (int(not won), int(won))))
        theirs[one].play_game(theirs[other], 1 if won else -1)
    for player, peer in theirs.items():
        assert state[player][0] == pytest.approx(peer.elo, rel=1e-12)


@pytest.mark.parametrize("name", MODELS)
def test_every_model_predicts_any_teams_with_partial_presence(name: str) -> None:
    """Two to five teams of unequal sizes: who is hardly there hardly matters to the chances."""
    model = resolve("model", MODELS, name)()
    state = model.initial()
    for n in range(8):
        state = model.update(state, Contest(Ruleset(), (["strong"], [f"x{n}"]), (1, 2), at=float(n)))
    for count in range(2, 6):
        others = [[f"y{t}{j}" for j in range(1 + t % 3)] for t in range(1, count)]
        chances = [
            model.win_probability(state, [[("weak", 1.0), ("strong", share)], *others])[0]
            for share in (1e-6, 0.5, 1.0)
        ]
        alone = model.win_probability(state, [["weak"], *others])[0]
        assert chances[0] == pytest.approx(alone, abs=1e-4)
        assert chances[0] < chances[1] < chances[2]


@pytest.mark.parametrize("name", MODELS)
def test_a_model_answers_what_it_says_it_answers(name: str) -> None:
    """Quality from 0 to 1 and best for even teams, margins that sum to 0; everything else is refused."""
    model = resolve("model", MODELS, name)()
    state = model.update(model.initial(), Contest(Ruleset(), (["a"], ["b"]), (1, 2), scores=(5, 2)))
    for question in ("quality", "expected_margin"):
        if question not in answers(model):
            with pytest.raises(InputError, match=r"model: .* has no "):
                getattr(model, question)(state, (["a"], ["b"]))
    if "quality" in answers(model):
        even, uneven = (model.quality(state, ([one], [two])) for one, two in (("c", "d"), ("a", "b")))
        assert 0.0 < uneven < even <= 1.0
        with pytest.raises(InputError, match=r"^teams must"):
            model.quality(state, (["a"],))
    if "expected_margin" in answers(model):
        margins = model.expected_margin(state, (["a"], ["b", "d"], ["c"]))
        assert sum(margins) == pytest.approx(0.0, abs=1e-12)
        assert margins[0] > margins[2]


def test_presence_scales_what_weng_lin_learns() -> None:
    """Who was there for half counts half in the sum, moves half as far, and learns a quarter as much."""
    contest = Contest(Ruleset(), ([("a", 1.0), ("b", 0.5)], ["c"]), (1, 2))
    model = PlackettLuce(tau=0.0)
    state = model.update({}, contest)
    moved = [state[player][0] - model.mu for player in "ab"]
    assert moved[1] == pytest.approx(moved[0] / 2.0)
    learnt = [1.0 - (state[player][1] / model.sigma) ** 2 for player in "ab"]
    assert learnt[1] == pytest.approx(learnt[0] / 4.0)


@pytest.mark.parametrize("x", [-5.9, -6.1, -12.0, -40.0, -300.0])
def test_what_is_left_beyond_a_far_threshold(x: float) -> None:
    """Mean and variance of the normal tail to 1e-12, where the ratio of density and mass is 0 / 0."""
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(60):
        v = mpmath.npdf(x) / mpmath.ncdf(x)
        expected = (float(v), float(v * (v + x)))
    assert beyond(x) == pytest.approx(expected, rel=1e-12)


def test_glicko2_goes_on_however_far_apart_players_are() -> None:
    """A strict ladder of sixteen, where nobody ever loses to a lower one, stays numbers."""
    model = Glicko2()
    state = model.initial()
    far = {"strong": (9000.0, 30.0, 0.06), "weak": (1500.0, 30.0, 0.06)}
    for ranks in ((1, 2), (2, 1)):
        after = model.update(far, Contest(Ruleset(), (["strong"], ["weak"]), ranks))
        assert all(math.isfinite(number) for player in model.players(after) for number in after[player])
    for n in range(300):
        one = n % 15
        state = model.update(state, Contest(Ruleset(), ([f"p{one}"], [f"p{one + 1}"]), (1, 2), at=float(n)))
    assert all(math.isfinite(number) for player in model.players(state) for number in state[player])


def test_a_period_without_games_only_widens_the_deviation() -> None:
    """Glickman (2013), step 6 alone: phi* = sqrt(phi² + sigma²)."""
    rating, deviation, volatility = Glicko2().period((1500.0, 200.0, 0.06), [])
    assert (rating, volatility) == (1500.0, 0.06)
    assert deviation == pytest.approx(math.hypot(200.0, 0.06 * 173.7178))


def test_far_draws_keep_their_digits() -> None:
    """Against 60 digits, beyond 37 deviations too."""
    mpmath = pytest.importorskip("mpmath")
    mpmath.mp.dps = 60
    for x, margin in ((7.0, 0.5), (20.0, 1.0), (38.0, 0.7), (60.0, 0.1)):
        low, high = -margin - x, margin - x
        mass = mpmath.ncdf(high) - mpmath.ncdf(low)
        v = (mpmath.npdf(low) - mpmath.npdf(high)) / mass
        w = v * v + (high * mpmath.npdf(high) - low * mpmath.npdf(low)) / mass
        got = between(x, margin)
        assert got[0] == pytest.approx(float(v), rel=1e-9)
        assert got[1] == pytest.approx(float(w), rel=1e-6)
        assert between(-x, margin) == (-got[0], got[1])


NEW, DUEL = Rating(25.0, 25.0 / 3.0), Contest(Ruleset(), (["ann"], ["bob"]), (1, 2))


def test_elo_stays_in_its_numbers_however_far_apart() -> None:
    """An upset beyond all powers of ten is worth the whole of K, and a win nothing."""
    far = {"ann": (1e15,), "bob": (-1e15,)}
    assert Elo().update(far, DUEL)["ann"] == (1e15,)
    assert Elo(k=1e9).update(far, replace(DUEL, ranks=(2, 1)))["ann"] == (1e15 - 1e9,)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: TrueSkill(draw_probability=1.0), "draw_probability must be at least 0 and below 1, got 1.0"),
        (
            lambda: TrueSkill(draw_probability=math.nextafter(1.0, 0.0)),
            "draw_probability must be at least 0 and below 1, got 0.9999999999999999",
        ),
        (lambda: TrueSkill(beta=0.0), "beta must be a number above 0, got 0.0"),
        (lambda: Glicko2(tau=0.0), "tau must be a number above 0, got 0.0"),
        (lambda: TrueSkill(tau=0), "tau must be a number above 0, got 0"),
        (lambda: Elo(scale=0.0), "scale must be a number above 0, got 0.0"),
        (lambda: BradleyTerry(kappa=-1.0), "kappa must be a number above 0, got -1.0"),
        (lambda: Elo(k=1e300), "k must be a number from -1e\\+15 to 1e\\+15, got 1e\\+300"),
        (lambda: rate([[Rating(25, 8)], [Rating(25, 8)]], model=Elo()), "model must be PlackettLuce, Brad"),
        (lambda: rate([["ann"], ["bob"]]), "teams must have ratings, such as Rating.25.0, 8.3., got 'ann'"),
        (lambda: rate([NEW, NEW]), "teams must be lists of ratings, such as "),
        (lambda: rate([[NEW], [NEW]], ["a", "b"]), "ranks must be numbers, one for each team, got "),
        (lambda: rate([[NEW], [NEW]], scores=[math.nan, 1]), "scores must be from -1e15 to 1e15, got nan"),
        (lambda: rate([[NEW], [NEW]], scores=[None, 1]), "scores must be numbers, one for each team, got "),
        (
            lambda: rate([[NEW], [NEW, NEW]], weights=[[1], [1, 0]]),
            r"weights\[1\]\[1\] must be from 1e-06 to 1, got 0",
        ),
        (
            lambda: rate([[NEW], [NEW]], weights=[["1"], [1]]),
            r"weights\[0\]\[0\] must be from 1e-06 to 1, got '1'",
        ),
        (lambda: rate([[NEW], [NEW]], weights=[1, 1]), "weights must be one for each player of each team"),
        (lambda: Contest("ctf", (["a"], ["b"]), (1, 2)), "ruleset must be a Ruleset, such as "),
        (lambda: replay(Elo(), [DUEL]), "matches must be matches, such as Match"),
    ],
)
def test_constants_out_of_range_are_refused(make: Any, message: str) -> None:
    """The message begins with the constant."""
    with pytest.raises(InputError, match=message):
        make()


@pytest.mark.parametrize("model", [BradleyTerry, Elo, Glicko2, PlackettLuce, TrueSkill])
def test_no_constant_may_be_something_else_than_a_number(model: Any) -> None:
    """What is not a finite number is refused by its name before anybody is rated by it."""
    for each in fields(model):
        for wrong in (math.nan, math.inf, -math.inf, "x", None, True):
            with pytest.raises(InputError, match=f"^{each.name} must be "):
                model(**{each.name: wrong})


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("name", ["PlackettLuce", "BradleyTerryFull"])
def test_margins_and_contributions_are_those_of_openskill(name: str, seed: int) -> None:
    """Scores that differ by more than a margin, and weights above 1, in any number of teams, with ties."""
    rng = np.random.default_rng(seed)
    teams = [
        [(float(rng.uniform(10, 40)), float(rng.uniform(2, 9))) for _ in range(rng.integers(1, 5))]
        for _ in range(rng.integers(2, 5))
    ]
    scores = [float(one) for one in rng.choice([0, 1, 5, 12, 30], len(teams))]
    weights = [[float(one) for one in rng.choice([0.5, 1, 2, 5], len(team))] for team in teams]
    weights[0][0] = 3.0
    margin = float(rng.choice([0.0, 1.0, 3.0]))
    theirs = getattr(pytest.importorskip("openskill.models"), name)(margin=margin)
    expected = theirs.rate(
        [[theirs.rating(mu=mu, sigma=sigma) for mu, sigma in team] for team in teams],
        scores=scores, weights=[list(team) for team in weights],
    )  # fmt: skip
    model = PlackettLuce() if name == "PlackettLuce" else BradleyTerry()
    ours = rate(
        [[Rating(*one) for one in team] for team in teams],
        scores=scores, weights=weights, margin=margin, model=model,
    )  # fmt: skip
    for mine, other in zip(itertools.chain(*ours), itertools.chain(*expected), strict=True):
        assert (mine.mu, mine.sigma) == pytest.approx((other.mu, other.sigma), rel=1e-12)
