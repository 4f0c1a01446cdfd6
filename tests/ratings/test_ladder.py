"""A ladder is a replay, kept in place."""

from __future__ import annotations

import copy
import io
import json
import math
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
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
    Rating,
    Ruleset,
    Skipped,
    TrueSkill,
    replay,
)
from equipoise.core.registry import MODELS, resolve
from equipoise.ratings.laws import random_contest
from equipoise.ratings.model import RatingModel


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


@needs_numba
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda ladder: pickle.loads(pickle.dumps(ladder))])  # noqa: S301  # our own
def test_a_copy_goes_on_by_itself(copied: Callable[[Ladder], Ladder]) -> None:
    """What a copy learns is what the ladder would have learnt, and the ladder does not hear of it."""
    rng = np.random.default_rng(0)
    contests = [replace(random_contest(rng), at=3600.0 * n) for n in range(40)]
    ladder, whole = Ladder(), replay(Mixture(), [Match((contest,)) for contest in contests])
    ladder._resident._learnt.compile()  # type: ignore[union-attr]  # as after some thousand contests
    for contest in contests[:20]:
        ladder.record(contest)
    other, before = copied(ladder), ladder.state
    for contest in contests[20:]:
        other.record(contest)
    assert other.state == whole
    assert ladder.state == before


@needs_numba
def test_contests_of_one_kind_leave_nothing_to_each_other() -> None:
    """Columns that are used again hold nothing of an earlier contest: statistics, scores, shares, weights."""
    rng = np.random.default_rng(3)
    many = [replace(random_contest(rng), at=3600.0 * n) for n in range(60)]
    plain = [replace(contest, scores=(), statistics=(), weight=1.0) for contest in many]
    mixed = [contest for pair in zip(many, plain, strict=True) for contest in pair]
    ladder, model = Ladder(), Mixture()
    ladder._resident._learnt.compile()  # type: ignore[union-attr]  # as after some thousand contests
    chances = [ladder.record(contest)[0] for contest in mixed]
    state, expected = model.run(model.initial(), mixed)
    assert (ladder.state, chances) == (state, expected)


@pytest.mark.slow
@needs_numba
def test_a_ladder_compiled_half_way_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """The columns become arrays and grow by doubling: no bit changes."""
    monkeypatch.setattr(type(Ladder().model), "fast", lambda _, recorded: recorded > 10)
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
    head, key, state = file.getvalue().partition('"state"')
    broken = head + key + state.replace(" 0.0", ' "0.0"').replace("[0.0", '["0.0"')
    with pytest.raises(InputError, match=f"no ladder of the model {type(one).__name__}, or a damaged one"):
        Ladder.load(io.StringIO(broken), one)


@dataclass(frozen=True)
class Own(Elo):
    """A model of somebody's own, with settings that JSON has no form of."""

    rule: Any = min
    unit: Any = 1
    table: Any = field(default_factory=lambda: {("ann", 1): 2.0})


GUESSES = {"ann": 1.0, "bob": 2.0, "cid": 3.0}


@pytest.mark.parametrize(
    ("saved", "given", "why"),
    [
        (Mixture(starting=GUESSES), Mixture(), "Mixture with other values of starting"),
        (
            Mixture(starting=GUESSES),
            Mixture(starting={**GUESSES, "cid": 30.0}),
            "Mixture with other values of",
        ),
        (Mixture(settings={"sigma": 3.0}), Mixture(), "Mixture with other values of settings"),
        (Mixture(), GaussianFilter(), "Mixture"),
        (Elo(k=20.0), Elo(k=30.0), "Elo with other values of k"),
        (Own(), Elo(), "Own"),
        (Own(unit=1), Own(unit=np.int64(2)), "Own with other values of unit"),
    ],
)
def test_a_ladder_goes_on_with_the_model_it_was_saved_with(saved: Any, given: Any, why: str) -> None:
    """Another one, and the default one where one is needed, is refused by what differs and what to pass."""
    file = io.StringIO()
    Ladder(saved).save(file)
    again = Ladder.load(io.StringIO(file.getvalue()), replace(saved))
    assert again.model == saved
    name = type(given).__name__
    message = (
        f"file: it holds no ladder of the model {name}, but of {why}.*; pass the model it was saved with"
    )
    with pytest.raises(InputError, match=message):
        Ladder.load(io.StringIO(file.getvalue()), given)


def test_equal_models_are_one_however_their_numbers_are_written() -> None:
    """A whole number, one of NumPy, a dict or a list of the same settings."""
    for saved, given in (
        (Elo(k=32), Elo(k=np.float64(32.0))),
        (Own(unit=np.int64(2)), Own(unit=2.0)),
        (Mixture(settings={"sigma": 1}), Mixture(settings=(("sigma", np.float32(1.0)),))),  # type: ignore[arg-type]
    ):
        file = io.StringIO()
        Ladder(saved).save(file)
        file.seek(0)
        assert Ladder.load(file, given).model is given


def test_a_match_that_is_recorded_twice_counts_twice() -> None:
    """A ladder remembers no matches, as its documents say; a replay counts each once."""
    match, ladder = Match((Contest(Ruleset(), (["ann"], ["bob"]), (1, 2)),)), Ladder(Elo())
    ladder.record(match)
    once = ladder.rating("ann")
    ladder.record(match)
    assert ladder.rating("ann").mu > once.mu == Elo().rating(replay(Elo(), [match, match]), "ann").mu


@pytest.mark.parametrize("model", [Mixture(), Elo(), Glicko2()])
@pytest.mark.parametrize("wrong", [3, "", "x", ("ut2004", "ctf"), b"x", []])
def test_what_is_no_player_or_ruleset_is_refused(model: Any, wrong: Any) -> None:
    """By its name and what it must be, whatever the model makes of it."""
    ladder = Ladder(model)
    ladder.record(Contest(Ruleset(), (["ann"], ["bob"]), (1, 2)))
    for ask in (ladder.leaderboard, ladder.table, lambda ruleset: ladder.rating("ann", ruleset)):
        with pytest.raises(InputError, match="ruleset must be a Ruleset"):
            ask(wrong)
    if not isinstance(wrong, str):
        with pytest.raises(InputError, match="player must be an id, got "):
            ladder.rating(wrong)


class Wins:
    """How many games each player has won, as docs/how-to/ratings.md has it."""

    def initial(self) -> dict[str, int]:
        """Return that nobody has won."""
        return {}

    def update(self, state: dict[str, int], contest: Contest) -> dict[str, int]:
        """Count a win for everyone in the first team."""
        return {**state, **{who: state.get(who, 0) + 1 for who, _ in contest.teams[0]}}

    def run(self, state: dict[str, int], contests: Any, *_: Any) -> Any:
        """Return the state after contests."""
        for contest in contests:
            state = self.update(state, contest)
        return state, [(0.5, 0.5)] * len(contests)

    def win_probability(self, state: Any, teams: Any, *_: Any) -> list[float]:
        """Return chances in proportion to wins."""
        sums = [1 + sum(state.get(who, 0) for who, _ in team) for team in teams]
        return [each / sum(sums) for each in sums]

    def rating(self, state: dict[str, int], player: str, *_: Any) -> Rating:
        """Return the wins."""
        return Rating(state.get(player, 0))

    def players(self, state: dict[str, int]) -> Any:
        """Return who has won."""
        return state.keys()


def test_a_ladder_of_a_custom_model_predicts_and_says_that_it_cannot_be_saved() -> None:
    """Its chances are asked of ids and shares; its state is numbers, of which a file has no form."""
    ladder = Ladder(Wins())
    ladder.record(Contest(Ruleset(), (["ann"], ["bob"]), (1, 2)))
    assert ladder.predict((["ann"], ["bob"])) == pytest.approx([2 / 3, 1 / 3])
    with pytest.raises(InputError, match="model: the state of Wins cannot be saved"):
        ladder.save(io.StringIO())


@pytest.mark.parametrize("wrong", [None, 5, [], Skipped("here", "bad")])
def test_what_is_no_match_is_not_recorded(wrong: Any) -> None:
    """It is named."""
    with pytest.raises(InputError, match="match must be a Match or a Contest, got "):
        Ladder().record(wrong)


@pytest.mark.parametrize("model", [Mixture(), Elo(), Glicko2()])
def test_a_ladder_that_was_damaged_is_refused(model: RatingModel) -> None:
    """Whatever takes the place of one thing in its file: it is refused at once, or is as good."""
    ladder, file = Ladder(model), io.StringIO()
    for n in range(3):
        ladder.record(Contest(Ruleset("", "ctf"), (["ann"], ["bob"]), (1, 2), at=float(n)))
    ladder.save(file)
    for place in _places(json.loads(file.getvalue())):
        for wrong in (None, 5, "x", [], {}, math.nan, math.inf, -1e999, 1e308):
            damaged = json.loads(file.getvalue())
            inside = damaged
            for step in place[:-1]:
                inside = inside[step]
            inside[place[-1]] = wrong
            try:
                again = Ladder.load(io.StringIO(json.dumps(damaged)), model)
            except InputError as error:
                assert str(error).startswith("file: it holds no ladder of the model")  # noqa: PT017  # or none
                continue
            assert all(math.isfinite(rating.mu) for _, rating in again.leaderboard())
            again.record(Contest(Ruleset("", "ctf"), (["ann"], ["bob"]), (1, 2), at=9.0))


def _places(tree: Any) -> Iterator[tuple[Any, ...]]:
    """Give the way to everything that there is in lists and objects."""
    pairs = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in pairs:
        yield (key,)
        for rest in _places(value):
            yield (key, *rest)


@pytest.mark.parametrize("model", [None, Elo(), Glicko2(), TrueSkill()])
def test_nobody_has_the_empty_name(model: RatingModel | None) -> None:
    """States of some models keep the time of the last game there."""
    ladder = Ladder(model)
    ladder.record(Contest(Ruleset(), (["ann"], ["bob"]), (1, 2), at=1.7e9))
    with pytest.raises(InputError, match="player must be an id, got ''"):
        ladder.rating("")
    assert ladder.model.rating(ladder.state, "") == ladder.model.rating(ladder.state, "new")


class Failing(Elo):
    """A model that learns nothing."""

    def change(self, *_: Any) -> Any:
        """Fail."""
        raise ArithmeticError


def test_a_game_that_fails_moves_no_clock() -> None:
    """It was not recorded: an earlier one may come yet."""
    ladder = Ladder(Failing())
    for at in (2.0, 1.0):
        with pytest.raises(ArithmeticError):
            ladder.record(Contest(Ruleset(), (["ann"], ["bob"]), (1, 2), at=at))


def test_the_table_says_how_often_and_when_each_has_played() -> None:
    """It does in whatever ruleset, and after a ladder was saved; a model that does not know says nothing."""
    ladder, ctf = Ladder(), Ruleset("", "ctf")
    for n, ruleset in enumerate((ctf, Ruleset("", "dm"), ctf)):
        ladder.record(Contest(ruleset, (["ann"], ["bob"] if n else ["cid"]), (1, 2), at=86_400.0 * (n + 1)))
    saved = io.StringIO()
    ladder.save(saved)
    saved.seek(0)
    for each in (ladder, Ladder.load(saved)):
        rows = {row["player"]: row for row in each.table(ctf).records()}
        assert {who: (row["games"], row["last_seen"]) for who, row in rows.items()} == {
            "ann": (3.0, 259_200.0), "bob": (2.0, 259_200.0), "cid": (1.0, 86_400.0),
        }  # fmt: skip
        assert all(row["careful"] == row["mu"] - 2.0 * row["sigma"] for row in rows.values())
    elo = Ladder(resolve("model", MODELS, "elo")())
    elo.record(Contest(ctf, (["ann"], ["bob"]), (1, 2), at=5.0))
    assert elo.table().records()[0]["games"] is None


@pytest.mark.parametrize("compiled", [False, True])
def test_the_leaderboard_as_columns_is_the_leaderboard(compiled: bool) -> None:
    """Bit for bit, with parts of skills that some never had, for the first three too, and after newcomers."""
    rng = np.random.default_rng(4)
    ctf, tdm = Ruleset("ut2004", "ctf", ("instagib",)), Ruleset("ut2004", "tdm")
    ladder = Ladder()
    for n in range(60):
        who = [f"p{each:02d}" for each in rng.choice(12 + n // 4, 4, replace=False)]
        ladder.record(Contest((ctf, tdm)[n % 3 == 0], (who[:2], who[2:]), (1, 2), at=3600.0 * n))
        if compiled and ladder._resident is not None:
            ladder._resident._learnt.compile()
        if n in (30, 59):
            for ruleset in (ctf, tdm, Ruleset(), None):
                rows = ladder.leaderboard(ruleset)
                ids, mu, sigma = ladder.leaderboard_columns(ruleset)
                assert [player for player, _ in rows] == ids
                assert [each.mu for _, each in rows] == mu.tolist()
                assert [each.sigma for _, each in rows] == sigma.tolist()
                assert ladder.leaderboard(ruleset, first=3) == rows[:3]
    with pytest.raises(InputError, match="first must be at least 1, got 0"):
        ladder.leaderboard(first=0)
