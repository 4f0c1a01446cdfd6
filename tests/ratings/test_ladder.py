"""A ladder is a replay, kept in place."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.kernels import needs_numba

from equipoise import (
    Contest,
    Elo,
    GaussianFilter,
    Glicko2,
    InputError,
    Ladder,
    Match,
    Mixture,
    Ruleset,
    TrueSkill,
    replay,
)
from equipoise.ratings.model import RatingModel
from equipoise.registry import MODELS, resolve
from equipoise.testing.ratings import random_contest


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_a_ladder_is_a_replay_bit_for_bit(name: str) -> None:
    """The same ratings, predictions and state; saved half-way and loaded it goes on as if nothing was."""
    model, rng = resolve("model", MODELS, name)(), np.random.default_rng(0)
    contests = [replace(random_contest(rng), at=3600.0 * n) for n in range(20)]
    matches = [Match((contest,)) for contest in contests]
    whole, chances = model.run(model.initial(), contests)
    ladder, reported = Ladder(model), []
    for n, match in enumerate(matches):
        reported += ladder.record(match)
        if n == 10:
            file = io.StringIO()
            ladder.save(file)
            file.seek(0)
            ladder = Ladder.load(file, model)
    assert reported == chances
    assert ladder.state == whole == replay(model, matches)
    assert next(player for player, _ in ladder.leaderboard()) in model.players(whole)
    teams = (["p3"], ["p4"])
    assert ladder.predict(teams) == model.win_probability(whole, teams)


@pytest.mark.slow
@needs_numba
def test_a_ladder_compiled_half_way_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """The columns become arrays and grow by doubling: no bit changes."""
    monkeypatch.setattr("equipoise.ratings.ladder.pays", lambda recorded, _: recorded > 10)
    rng = np.random.default_rng(1)
    contests = [replace(random_contest(rng, 60), at=float(n)) for n in range(60)]
    ladder = Ladder()
    reported = [ladder.record(contest)[0] for contest in contests]
    assert (ladder.state, reported) == ladder.model.run(ladder.model.initial(), contests)


def test_what_is_earlier_or_no_ladder_is_refused() -> None:
    """The message says what to do instead."""
    ladder, rng = Ladder(), np.random.default_rng(1)
    ladder.record(replace(random_contest(rng), at=10.0))
    with pytest.raises(InputError, match=r"match: it ended at 5\.0, before one that is recorded"):
        ladder.record(replace(random_contest(rng), at=5.0))
    with pytest.raises(InputError, match="file: it holds no ladder of the model Mixture"):
        Ladder.load(io.StringIO("{}"))


@pytest.mark.parametrize("file", ["ladder.json", None, io.BytesIO()])
def test_what_is_no_open_text_file_is_refused(file: Any) -> None:
    """A path or a file of bytes is named, and nothing is written."""
    with pytest.raises(InputError, match="file must be a text file that is open for writing, got "):
        Ladder().save(file)
    with pytest.raises(InputError, match="file"):
        Ladder.load(file)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Mixture(), GaussianFilter()),
        (GaussianFilter(), Mixture()),
        (Mixture(), Mixture(starting={"a": 1.0, "b": 2.0, "c": 3.0})),
        (Glicko2(), Elo()),
        (Elo(), TrueSkill()),
        (Elo(), Mixture()),
    ],
)
def test_a_ladder_of_a_model_with_other_numbers_is_refused(one: RatingModel, other: RatingModel) -> None:
    """What one model has saved is no ladder of another that knows more or less of each player."""
    ladder, file = Ladder(one), io.StringIO()
    ladder.record(Contest(Ruleset("", "ctf"), (["ann"], ["bob"]), (1, 2)))
    ladder.save(file)
    assert Ladder.load(io.StringIO(file.getvalue()), one).leaderboard() == ladder.leaderboard()
    with pytest.raises(InputError, match=f"file: it holds no ladder of the model {type(other).__name__}"):
        Ladder.load(io.StringIO(file.getvalue()), other)
    broken = file.getvalue().replace(" 0.0", ' "0.0"').replace("[0.0", '["0.0"')
    with pytest.raises(InputError, match="file: it holds no ladder"):
        Ladder.load(io.StringIO(broken), one)
