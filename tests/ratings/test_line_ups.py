"""Line-ups are asked of a ladder, alone and many at once: the chances are the model's, to the last bit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from equipoise import BradleyTerry, Contest, GaussianFilter, InputError, Ladder, Mixture, Ruleset
from equipoise.ratings.laws import random_contest
from equipoise.ratings.models.gaussian_filter.model import Filters

#: One filter, the default, members in several blocks, and members who begin at guesses.
MODELS = (
    GaussianFilter(),
    Mixture(),
    Mixture(members=("keen", "steady", "keen")),
    Mixture(starting={"p1": 1.0, "p2": 2.0, "p3": 4.0}),  # type: ignore[arg-type]
)
CTF, TDM = Ruleset("g", "ctf"), Ruleset("g", "tdm", ("low",))
ASKED = (None, Ruleset(), CTF, TDM, Ruleset("g", "new"), Ruleset("", "", ("low",)))


def played(model: Any, *, seed: int = 0, fast: bool = False) -> Ladder:
    """Return a ladder after random contests of several rulesets, of humans and bots."""
    rng, ladder = np.random.default_rng(seed), Ladder(model)
    for n in range(60):
        contest = replace(random_contest(rng), at=40_000.0 * n, ruleset=(CTF, TDM)[n % 2])
        ladder.record(contest)
    if fast:
        ladder._resident._learnt.compile()  # type: ignore[union-attr]  # as after some thousand contests
    return ladder


def asked(seed: int) -> list[Any]:
    """Return line-ups of every shape, of some newcomers and bots too."""
    rng = np.random.default_rng(seed)
    return [random_contest(rng).teams for _ in range(25)] + [
        (["p1"], ["nobody yet"]),
        (["bot:new:1", "p2"], ["bot:new:2"]),
        ([("p1", 0.25), "p2"], ["p3"]),
    ]


@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize("model", MODELS, ids=lambda model: str(len(model.filters())))
def test_a_ladder_predicts_what_its_model_does(model: Filters, *, fast: bool) -> None:
    """Of known players and new ones, of a ruleset or of what several have in common, now and later."""
    ladder = played(model, fast=fast)
    state = ladder.state
    for ruleset in ASKED:
        for at in (None, 1e6, 9e6):
            for teams in asked(1):
                expected = model.win_probability(state, teams, ruleset, at)
                assert ladder.predict(teams, ruleset, at) == expected
    assert ladder.state == state


@pytest.mark.parametrize("fast", [False, True])
def test_many_line_ups_are_each_what_one_is(*, fast: bool) -> None:
    """From ids and from indices, of teams of other sizes, at one time and at times of their own."""
    ladder = played(Mixture(), fast=fast)
    two = [teams for teams in asked(2) if len(teams) == 2]
    plain = [[[who if isinstance(who, str) else who[0] for who in team] for team in teams] for teams in two]
    for line_ups in (two, plain):
        for at in (None, 5e6):
            found = ladder.predict_many(line_ups, CTF, at)
            assert found.tolist() == [ladder.predict(teams, CTF, at) for teams in line_ups]
    known = list(ladder.model.players(ladder.state))
    places = np.array([np.random.default_rng(n).permutation(len(known))[:6] for n in range(40)])
    places = places.reshape(40, 3, 2)
    times = np.linspace(1e6, 9e6, 40)
    expected = [
        ladder.predict([[known[n] for n in team] for team in teams], TDM, at)
        for teams, at in zip(places.tolist(), times.tolist(), strict=True)
    ]
    assert ladder.predict_many(places, TDM, times).tolist() == expected
    assert ladder.predict_many(places.astype(np.uint8), TDM, times, ids=known).tolist() == expected
    assert ladder.predict_many(places[:0]).shape == (0, 3)
    with_bots = [*known[:5], "bot:new:1"]
    assert ladder.predict_many(np.array([[[0, 1], [2, 5]]]), ids=with_bots).tolist() == [
        ladder.predict([[known[0], known[1]], [known[2], "bot:new:1"]])
    ]


@pytest.mark.parametrize("other", [TDM, Ruleset()])
def test_a_prediction_follows_each_game(other: Ruleset) -> None:
    """What is kept for the next question is of now: of who is new, and of what the last game taught."""
    ladder = Ladder()
    for n in range(30):
        ladder.record(
            Contest((CTF, other)[n % 3 == 2], ([f"p{n % 7}"], [f"p{n % 5 + 7}"]), (1, 2), at=float(n))
        )
        state, teams = ladder.state, ([f"p{n % 7}"], ["p8", "p9"])
        for ruleset in (None, CTF):
            assert ladder.predict(teams, ruleset) == ladder.model.win_probability(state, teams, ruleset)


@pytest.mark.parametrize("fast", [False, True])
def test_a_leaderboard_as_columns_follows_each_game(*, fast: bool) -> None:
    """Of equals the first id is first, of all and of the first few; who is new is among them."""
    ladder = played(Mixture(), fast=fast)
    for n in range(40):
        new = [f"q{n}{k}" for k in range(1 + 20 * (n == 7))]
        ladder.record(Contest(CTF, (new, ["p1"]), (1, 1), at=3e6 + n))
        rows = ladder.leaderboard((None, CTF, TDM)[n % 3])
        ids, mu, sigma = ladder.leaderboard_columns((None, CTF, TDM)[n % 3])
        assert ids == [player for player, _ in rows]
        assert mu.tolist() == [each.mu for _, each in rows]
        assert sigma == pytest.approx([each.sigma for _, each in rows], rel=1e-12)
        assert [who for who, _ in ladder.leaderboard((None, CTF, TDM)[n % 3], first=9)] == ids[:9]


def test_models_without_columns_answer_for_many_line_ups_too() -> None:
    """One after the other, from ids and from indices."""
    ladder = Ladder(BradleyTerry())
    ladder.record(Contest(Ruleset(), (["ann"], ["bob"]), (1, 2)))
    expected = [ladder.predict((["ann"], ["bob"])), ladder.predict((["bob"], ["cid"]))]
    assert ladder.predict_many([(["ann"], ["bob"]), (["bob"], ["cid"])]).tolist() == expected
    given = np.array([[[0], [1]], [[1], [2]]])
    assert ladder.predict_many(given, ids=["ann", "bob", "cid"]).tolist() == expected
    assert ladder.predict_many(given[:1]).tolist() == expected[:1]


@pytest.mark.parametrize("model", [Mixture(), BradleyTerry()], ids=["default", "closed form"])
@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"line_ups": [(["ann"], ["ann"])]},
            "the player 'ann' appears twice|line_ups: somebody appears twice",
        ),
        ({"line_ups": [(["ann"],)]}, "teams: must be two or more|must be two or more"),
        ({"line_ups": [(["ann"], ["bob"]), (["ann"], ["bob"], ["cid"])]}, "line_ups must all have the same"),
        ({"line_ups": [("ann", "bob")]}, "teams must be lists of ids"),
        ({"line_ups": [(["ann"], ["bob"])], "ids": ["ann"]}, "ids is for line_ups that are an array"),
        ({"line_ups": [(["ann"], ["bob"])], "at": [1.0, 2.0]}, "at must be seconds since 1970"),
        ({"line_ups": [(["ann"], ["bob"])], "at": float("nan")}, "at must be seconds since 1970"),
        ({"line_ups": [(["ann"], ["bob"])], "ruleset": "ctf"}, "ruleset must be a Ruleset"),
        ({"line_ups": np.array([[0, 1]])}, r"line_ups must be whole numbers \(m, n_teams, size\)"),
        ({"line_ups": np.array([[[0], [0]]])}, "line_ups: somebody appears twice in contest 0"),
        ({"line_ups": np.array([[[0], [2]]])}, "line_ups must be places from 0 to 1, got 0 to 2"),
        ({"line_ups": np.array([[[0], [-1]]])}, "line_ups must be places from 0 to 1, got -1 to 0"),
        ({"line_ups": np.array([[[0], [1]]]), "ids": ["ann", "ann"]}, "ids must be different texts"),
        ({"line_ups": np.array([[[0], [1]]]), "ids": ["ann", ["bob"]]}, "ids must be different texts"),
    ],
)
def test_line_ups_that_are_at_fault_are_refused(model: Any, given: dict[str, Any], message: str) -> None:
    """The message says what is wrong, whatever the model."""
    ladder = Ladder(model)
    ladder.record(Contest(Ruleset(), (["ann"], ["bob"]), (1, 2)))
    with pytest.raises(InputError, match=message):
        ladder.predict_many(**given)


def test_teams_may_be_anything_that_is_gone_through_once() -> None:
    """As ever: generators of teams and of members."""
    ladder = played(Mixture())
    once = (iter(team) for team in (["p1", "p2"], ["p3"]))
    assert ladder.predict(once) == ladder.predict((["p1", "p2"], ["p3"]))  # type: ignore[arg-type]
