"""Starting weights: in any unit, trusted as far as results bear them out, and under all laws of a model."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
from benchmarks.ratings.starting import IDS, league, verdicts

from equipoise import Contest, InputError, Match, Mixture, Player, Rating, Ruleset
from equipoise.core.data_frames import Table
from equipoise.ratings.lab.evaluation import evaluate
from equipoise.ratings.laws import check_model
from equipoise.ratings.starting_weights import absurd, given_from, placed

GUESSES = {f"p{n}": 100.0 * n for n in range(12)}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_mixture_with_guesses_keeps_the_laws(seed: int) -> None:
    """See :func:`equipoise.ratings.laws.check_model`."""
    check_model(Mixture(starting=GUESSES), np.random.default_rng(seed))


def test_the_unit_of_guesses_does_not_matter() -> None:
    """Another unit and another zero give the same ratings."""
    other = {player: Rating(0.01 * guess - 7.0) for player, guess in GUESSES.items()}
    one, two = (Mixture(starting=given) for given in (GUESSES, other))
    for player in GUESSES:
        ratings = [model.rating(model.initial(), player) for model in (one, two)]
        assert ratings[0].mu == pytest.approx(ratings[1].mu)
        assert ratings[0].sigma == pytest.approx(ratings[1].sigma)


def test_the_order_of_guesses_is_that_of_ratings_before_any_match() -> None:
    """Nobody's rating contradicts the organiser at first; who has no guess is a new player."""
    model = Mixture(starting=GUESSES)
    mu = [model.rating(model.initial(), f"p{n}").mu for n in range(12)]
    assert mu == sorted(mu)
    assert model.rating(model.initial(), "new").mu == pytest.approx(np.mean(mu))


def test_a_guess_that_is_unsure_counts_for_less() -> None:
    """The same guess with a sigma is nearer to a new player and less certain."""
    unsure = Mixture(starting={**GUESSES, "p11": Rating(1100.0, 400.0)})
    sure = Mixture(starting=GUESSES)
    state = sure.initial()
    assert unsure.rating(state, "p11").mu < sure.rating(state, "p11").mu


def test_few_or_equal_guesses_say_nothing() -> None:
    """Two guesses have no scale, nor have equal ones: the model is then the one without."""
    for few in ({"a": 1.0, "b": 2.0}, dict.fromkeys("abc", 5.0)):
        assert Mixture(starting=few).initial() == Mixture().initial()


@pytest.mark.parametrize("guess", [-1e6, 0.0, 1400.0, 1e9])
def test_a_guess_of_a_bot_says_nothing_of_people(guess: float) -> None:
    """Bots begin as bots do: the people's guesses have the scale that they have without them."""
    people = {f"h{n}": 1400.0 + 20.0 * n for n in range(5)}
    with_bots = Mixture(starting={**people, "bot:X:1": guess, "bot:Y:1": guess})
    assert with_bots == Mixture(starting=people)
    assert Mixture(starting={"a": 1.0, "b": 2.0, "bot:X:1": 3.0}).initial() == Mixture().initial()


@pytest.mark.parametrize("guesses", [{}, {"ann": 900}, {"ann": 900, "bob": 1500}, dict.fromkeys("abc", 5.0)])
def test_too_few_guesses_or_equal_ones_change_nothing(guesses: dict[str, float]) -> None:
    """They say of nobody that he is better than another."""
    model, plain = Mixture(starting=guesses), Mixture()
    contest = Contest(Ruleset(), (["ann", "a"], ["bob", "b"]), (1, 2))
    state = model.update(model.initial(), contest)
    assert state == plain.update(plain.initial(), contest)
    assert model.rating(state, "new") == plain.rating(state, "new")


def test_wrong_guesses_are_refused() -> None:
    """The message names the player; players without a weight are left out."""
    with pytest.raises(
        InputError, match="starting: the weight of 'ann' must be a number from -1e15 to 1e15, got 'x'"
    ):
        Mixture(starting={"ann": "x"})  # type: ignore[dict-item]
    with pytest.raises(InputError, match="starting names the player 'ann' twice"):
        given_from([Player("ann", 1.0), Player("ann", 2.0)])
    assert given_from([Player("ann"), Player("bob", 2.0)]) == (("bob", 2.0, 0.0),)


@pytest.mark.parametrize(
    "wrong",
    [
        *(5, "a.csv", [1, 2, 3], ["ann"], {"ann": math.nan}, [("ann", 1.0, -1.0)]),
        *({math.nan: 1.0}, [(None, 1.0)], [(np.float64("nan"), 1.0, 1.0)], [("", 1.0)]),
    ],
)
def test_what_is_no_guess_is_refused(wrong: Any) -> None:
    """Whatever it is, the message begins with the argument."""
    with pytest.raises(InputError, match="starting"):
        Mixture(starting=wrong)


def test_guesses_come_in_frames_and_as_numbers_of_numpy() -> None:
    """A table has the columns of a roster."""
    table = Table(("name", "mu", "sigma"), (("ann", 1.0, 0.5), ("bob", 2.0, None), ("cid", 3.0, 0.0)))
    assert given_from(table) == (("ann", 1.0, 0.5), ("bob", 2.0, 0.0), ("cid", 3.0, 0.0))
    assert given_from({"ann": np.int64(3), "bob": np.float64(2.0)}) == (("ann", 3.0, 0.0), ("bob", 2.0, 0.0))


@pytest.mark.slow
def test_some_leagues_of_the_benchmark_are_played() -> None:
    """On the first night teams are those by guesses; over the season they are about as even or more."""
    played = [league(0, n, 0.75) for n in range(5)]
    found = {kind: np.array([each[kind] for each in played]) for kind in played[0]}
    rows = verdicts({"useful": found, "useless": found})
    assert rows[0][3], rows
    assert rows[1][3], rows


@pytest.mark.slow
def test_guesses_lower_the_log_loss_where_they_know_something() -> None:
    """Random teams of a league are predicted better with the organiser's guesses than without."""
    rng = np.random.default_rng(0)
    losses = np.zeros(2)
    for _ in range(4):
        truth = rng.normal(size=12)
        guesses = dict(zip(IDS, (0.75 * truth + 0.66 * rng.normal(size=12)).tolist(), strict=True))
        matches = []
        for n in range(60):
            order = rng.permutation(12).tolist()
            lead = truth[order[:6]].sum() - truth[order[6:]].sum() + rng.normal(0.0, np.sqrt(12.0))
            teams = ([IDS[k] for k in order[:6]], [IDS[k] for k in order[6:]])
            matches.append(Match((Contest(Ruleset(), teams, (1, 2) if lead > 0 else (2, 1), at=3600.0 * n),)))
        for k, model in enumerate((Mixture(), Mixture(starting=guesses))):
            losses[k] += evaluate(model, matches, 0.0).metrics.log_loss
    assert losses[1] < losses[0]


def test_guesses_are_a_value_that_is_cheap_to_look_up() -> None:
    """Many guesses are compared and sent as tuples are; the same object is kept, whose hash is found once."""
    guesses = given_from(GUESSES)
    assert given_from(guesses) is guesses
    assert guesses == tuple(guesses)
    assert hash(guesses) == hash(tuple(guesses))
    sent = pickle.loads(pickle.dumps(guesses))  # noqa: S301  # our own
    assert (sent, type(sent)) == (guesses, type(guesses))
    assert not vars(sent)
    assert Mixture(starting=guesses) == Mixture(starting=GUESSES)


@pytest.mark.parametrize("typo", [21_600.0, 15_000.0, -3000.0, -1e15, 1e15])
def test_one_absurd_guess_changes_nothing_for_the_others(typo: float) -> None:
    """The ratings of all others are as without it, whose it is begins as new, and it is named."""
    guesses = {f"p{n:02d}": guess for n, guess in enumerate(np.linspace(1200.0, 1800.0, 12).tolist())}
    without = Mixture(starting=guesses)
    wild = Mixture(starting={**guesses, "wild": typo})
    assert absurd(given_from({**guesses, "wild": typo})) == ["wild"]
    for player in (*guesses, "wild"):
        assert wild.rating(wild.initial(), player) == without.rating(without.initial(), player)


@pytest.mark.parametrize("seed", range(5))
def test_one_guess_wherever_it_is_leaves_the_others_most_of_their_places(seed: int) -> None:
    """Between far and absurd too: others keep at least two thirds of their distances."""
    rng = np.random.default_rng(seed)
    guesses = {f"p{n:02d}": guess for n, guess in enumerate(rng.normal(1500.0, 300.0, 16).tolist())}
    before = placed(given_from(guesses))
    ends = sorted(guesses, key=lambda player: guesses[player])[:: len(guesses) - 1]
    for odd in np.linspace(-3000.0, 6000.0, 40).tolist():
        after = placed(given_from({**guesses, "odd": odd}))
        apart = [kept[ends[1]].place - kept[ends[0]].place for kept in (before, after)]
        assert apart[1] >= apart[0] * 2.0 / 3.0


def test_two_groups_and_guesses_that_are_mostly_alike_are_not_absurd() -> None:
    """Who is far from the median in a group is no typo; of many alike one number may still be."""
    groups = {f"p{n}": 1000.0 + n for n in range(7)} | {f"q{n}": 2000.0 + n for n in range(5)}
    assert absurd(given_from(groups)) == []
    alike = {f"p{n}": 1500.0 for n in range(8)} | {"a": 1400.0, "b": 1600.0}
    assert absurd(given_from(alike)) == []
    assert absurd(given_from({**alike, "wild": 21_600.0})) == ["wild"]
    assert absurd(given_from({**dict.fromkeys("abcdefg", 5.0), "h": 9.0})) == []
