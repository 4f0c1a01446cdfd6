"""Ratings are a pure function of the set of matches."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise import (
    Contest,
    GaussianFilter,
    Glicko2,
    InputError,
    Match,
    Mixture,
    Ruleset,
    Skipped,
    curves,
    evaluate,
    replay,
)
from equipoise.core.registry import MODELS, resolve
from equipoise.ratings.laws import random_contest
from equipoise.ratings.model import RatingModel
from equipoise.ratings.models.elo import Elo
from equipoise.ratings.replay import attention, in_order

MODEL = GaussianFilter()

#: Every registered model, and the default one with what is off by default.
EVERY = {
    **{name: resolve("model", MODELS, name)() for name in MODELS},
    "experience": GaussianFilter(experience_sigma=0.5),
}


@st.composite
def histories(draw: st.DrawFn) -> list[Match]:
    """Return up to a dozen different matches of all kinds, some ending at the same time."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    count = draw(st.integers(1, 12))
    pairs = [sorted((random_contest(rng), random_contest(rng)), key=lambda c: c.at) for _ in range(count)]
    return [Match(pair) for pair in pairs]


@pytest.mark.slow
@settings(max_examples=20)
@given(histories(), st.data())
@pytest.mark.parametrize("name", EVERY)
def test_a_replay_depends_on_the_set_alone(name: str, matches: list[Match], data: st.DataObject) -> None:
    """Shuffled, doubled and interleaved input changes no bit, and a removed match was never there."""
    model = EVERY[name]
    whole = replay(model, matches)
    order = data.draw(st.permutations(matches))
    assert replay(model, order) == whole
    assert replay(model, [match for pair in zip(order, matches, strict=True) for match in pair]) == whole
    gone = order[0]
    assert replay(model, [match for match in matches if match.id != gone.id]) == replay(
        model, [match for match in order if match is not gone and match.id != gone.id]
    )


@pytest.mark.slow
@settings(max_examples=10)
@given(histories())
@pytest.mark.parametrize("name", EVERY)
def test_the_newest_match_is_the_last_step_of_the_rebuild(name: str, matches: list[Match]) -> None:
    """Appending to the kept state gives every bit of the whole replay, from every place on."""
    model, ordered = EVERY[name], in_order(matches)
    whole = replay(model, ordered)
    for cut in range(len(ordered)):
        assert replay(model, ordered[cut:], replay(model, ordered[:cut])) == whole


def test_an_id_stands_for_one_match() -> None:
    """Two different matches with one id are refused."""
    duel = Contest(Ruleset(), (["ann"], ["bob"]), (1, 2))
    with pytest.raises(InputError, match="matches: two different ones have the id 'x'"):
        in_order([Match((duel,), id="x"), Match((replace(duel, at=1.0),), id="x")])


@pytest.mark.parametrize("name", EVERY)
def test_matches_before_the_start_are_refused(name: str) -> None:
    """Continuing from a state with an earlier match would give another answer than a replay of all."""
    model, duel = EVERY[name], Contest(Ruleset(), (["ann"], ["bob"]), (1, 2), at=100.0)
    state = replay(model, [Match((duel,))])
    assert replay(model, [], state) == state
    with pytest.raises(InputError, match="start: the match 'x' ended at 50\\.0, before"):
        replay(model, [Match((replace(duel, at=50.0),), id="x")], state)


@pytest.mark.parametrize("name", EVERY)
def test_a_match_of_the_same_second_may_follow(name: str) -> None:
    """Also where a model keeps days: the last digit that is lost then makes no match an earlier one."""
    model = EVERY[name]
    for ended in (1956038046.0, 899932749.3949094, *(1.7e9 + 977.0 * n for n in range(40))):
        one, other = (Match((Contest(Ruleset(), (["a"], [who]), (1, 2), at=ended),)) for who in "bc")
        after = replay(model, [other], replay(model, [one]))
        assert {*model.players(after)} == {"a", "b", "c"}


def test_a_record_that_could_not_be_read_is_named() -> None:
    """What read_matches gives may be passed on as it is: then a bad record is an error with its place."""
    with pytest.raises(InputError, match="matches: file, line 2: ended is missing; leave out"):
        replay(Elo(), [Skipped("file, line 2", "ended is missing")])


def test_the_window_forgets() -> None:
    """With a window of one contest only the last of each player and ruleset is learnt from."""
    duel = Contest(Ruleset(), (["ann"], ["bob"]), (1, 2))
    matches = [Match((replace(duel, at=float(n)),)) for n in range(5)]
    assert replay(Elo(), matches, window=1) == replay(Elo(), matches[-1:])
    with pytest.raises(InputError, match="window must be at least 1 contest, got 0"):
        replay(Elo(), matches, window=0)
    with pytest.raises(InputError, match="window cannot be used with start"):
        replay(Elo(), matches, replay(Elo(), []), window=3)


def test_the_window_is_for_each_player_and_ruleset() -> None:
    """Whoever played less is remembered for longer, and another ruleset does not push anything out."""
    duel = Contest(Ruleset(), (["ann"], ["bob"]), (1, 2))
    other = Contest(Ruleset(), (["ann"], ["cid"]), (1, 2))
    ctf = replace(duel, ruleset=Ruleset("", "ctf"))
    factors = attention([duel, ctf, other, other], 2)
    assert [f["ann"] for f in factors] == [0.0, 1.0, 0.5, 1.0]
    assert factors[0]["bob"] == 1.0


def test_progress_is_reported_and_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Strides of a few contests give every bit of the whole, with a window too, and end at 1."""
    monkeypatch.setattr("equipoise.ratings.replay.STRIDE", 4)
    rng = np.random.default_rng(0)
    matches = [Match((random_contest(rng), random_contest(rng))) for _ in range(5)]
    reported: list[float] = []
    for window in (None, 2):
        whole = replay(MODEL, matches, window=window)
        assert replay(MODEL, matches, window=window, progress=reported.append) == whole
    assert reported == [0.4, 0.8, 1.0] * 2


@pytest.mark.parametrize(
    ("model", "other"),
    [
        (Mixture(), Mixture(starting={"ann": 1.0, "bob": 2.0, "cid": 3.0})),
        (Mixture(), GaussianFilter()),
        (GaussianFilter(), Mixture()),
        (Mixture(), Elo()),
        (Elo(), Glicko2()),
        (Elo(), Mixture()),
    ],
)
def test_a_state_of_another_model_is_refused(model: RatingModel, other: RatingModel) -> None:
    """Its numbers mean something else."""
    duel = Match((Contest(Ruleset(), (["ann"], ["bob"]), (1, 2), at=1.0),))
    later = replace(duel, contests=(replace(duel.contests[0], at=9.0),))
    state = replay(other, [duel])
    assert replay(other, [later], start=state)
    with pytest.raises(InputError, match=f"start: it is no state of the model {type(model).__name__}"):
        replay(model, [later], start=state)


@pytest.mark.parametrize("number", [-1.0, math.inf, math.nan])
def test_a_state_with_numbers_that_no_game_leads_to_is_refused(number: float) -> None:
    """A variance below 0, and no numbers at all."""
    model = GaussianFilter()
    state = model.update(model.initial(), Contest(Ruleset(), (["ann"], ["bob"]), (1, 2)))
    key = ("ann", Ruleset())
    mean, statistic, _, seen = state.table[key]
    wrong = replace(state, table={**state.table, key: (mean, statistic, number, seen)})
    with pytest.raises(InputError, match=r"a variance of|what is no number"):
        replay(model, [], start=wrong)


DUEL = Contest(Ruleset(), (["ann"], ["bob"]), (1, 2))


@pytest.mark.parametrize(
    ("ask", "why"),
    [
        (lambda: replay(Elo(), Match((DUEL,))), "matches must be several, as a list of them, got Match"),  # type: ignore[arg-type]
        (lambda: replay(Elo(), None), "matches must be several"),  # type: ignore[arg-type]
        (lambda: replay(Elo(), [Match((DUEL,))], window=2.5), "window must be a whole number of contests"),  # type: ignore[arg-type]
        (lambda: replay(Elo(), [Match((DUEL,))], window=True), "window must be a whole number of contests"),
        (lambda: curves(Elo(), [Match((DUEL,))], "ann"), "players must be several ids"),
        (lambda: evaluate(Elo(), [Match((DUEL,))], skip="x"), "skip must be at least 0"),  # type: ignore[arg-type]
        (lambda: Mixture(settings=3), "members must be names, and settings a mapping"),  # type: ignore[arg-type]
        (lambda: Mixture(members=3), "members must be names"),  # type: ignore[arg-type]
        (lambda: MODEL.win_probability(MODEL.initial(), DUEL.teams, at="x"), "at must be seconds"),  # type: ignore[arg-type]
        (lambda: replace(DUEL, weight="x"), "weight must be above 0"),
        (lambda: Match((DUEL,), began="x"), "began must be seconds since 1970"),  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_what_is_of_another_kind_is_refused_by_its_name(ask: Any, why: str) -> None:
    """Without a traceback of what Python makes of it."""
    with pytest.raises(InputError, match=why):
        ask()
