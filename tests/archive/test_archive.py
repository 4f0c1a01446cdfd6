"""The laws of archives, on SQLite and on PostgreSQL."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.archive.conftest import new_schema

from equipoise.archive.archive import open_archive
from equipoise.archive.chosen_model import is_rated_by, rated_by
from equipoise.archive.laws import check_archive, random_match
from equipoise.core.match import Contest, Match, Ruleset
from equipoise.errors import InputError
from equipoise.ratings.models.elo import Elo
from equipoise.ratings.models.gaussian_filter.mixture import Mixture
from equipoise.ratings.models.gaussian_filter.model import GaussianFilter
from equipoise.ratings.replay import replay

pytestmark = pytest.mark.slow

SLOW_FIXTURE = [HealthCheck.function_scoped_fixture]


def test_the_same_matches_have_the_same_digest_in_every_database(server: str, tmp_path: Path) -> None:
    """An archive that moves from one database to another stays what it was, with the same ratings."""
    rng = np.random.default_rng(5)
    matches = [random_match(rng, n) for n in range(30)]
    with open_archive(f"sqlite:///{tmp_path / 'a.db'}") as one, open_archive(new_schema(server)) as other:
        one.record(matches)
        other.record(matches[::-1])
        assert one.digest() == other.digest()
        for archive in (one, other):
            archive.update_ratings()
        assert repr(one.standing().state) == repr(other.standing().state)


def test_a_changed_model_is_noticed(new_url: Callable[[], str]) -> None:
    """Ratings carry the model and its parameters; other ones ask for a rebuild, and say why."""
    matches = [random_match(np.random.default_rng(1), n) for n in range(4)]
    url = new_url()
    with open_archive(url) as archive:
        archive.record(matches)
        archive.update_ratings()
        assert not archive.needs_rebuild
    with open_archive(url, model=GaussianFilter(sigma=0.5)) as archive:
        assert archive.needs_rebuild
        assert not archive.standing().current
        assert archive.update_ratings().rebuilt == "the model or its parameters have changed"
    with open_archive(url) as archive:
        assert archive.model == GaussianFilter(sigma=0.5)
        assert not archive.needs_rebuild


@pytest.mark.parametrize("model", [Mixture(), Elo(scale=321.0)])
def test_a_model_is_known_by_its_name_and_by_where_it_was(model: Mixture | Elo) -> None:
    """Its module may move; ratings that bear the module, as earlier versions wrote it, stay."""
    name = "default" if isinstance(model, Mixture) else "elo"
    text = rated_by(model)
    assert json.loads(text)[:2] == [name, type(model).__qualname__]
    assert is_rated_by(text, model)
    assert is_rated_by(text.replace(f'"{name}"', f'"{type(model).__module__}"', 1), model)
    assert not is_rated_by(text, GaussianFilter())
    assert not is_rated_by(text.replace(name, "another", 1), model)


def test_a_model_that_another_process_has_chosen_is_followed(new_url: Callable[[], str]) -> None:
    """Whoever has had the archive open for long does not change it back."""
    url = new_url()
    with open_archive(url) as long_open, open_archive(url) as other:
        long_open.record([random_match(np.random.default_rng(1), 1)])
        long_open.update_ratings()
        other.rebuild("elo")
        long_open.record([random_match(np.random.default_rng(2), 2)])
        long_open.update_ratings()
        assert isinstance(other.standing().model, Elo)
        assert repr(long_open.standing().state) == repr(replay(Elo(), other.matches()))


def test_a_bot_is_known_by_the_level_it_was_last_seen_with(new_url: Callable[[], str]) -> None:
    """Whoever only tells the name of a bot is answered for that level."""
    contests = [
        Contest(Ruleset(), (["ann"], [f"bot:Xan:{level}"]), (1, 2), at=at) for level, at in ((5, 20), (3, 10))
    ]
    with open_archive(new_url()) as archive:
        archive.record(Match((contest,)) for contest in contests)
        archive.update_ratings()
        assert archive.standing().last_bots == {"Xan": "bot:Xan:5"}


@settings(max_examples=5, suppress_health_check=SLOW_FIXTURE)
@given(seed=st.integers(0, 2**32 - 1))
def test_every_database_keeps_the_laws(new_url: Callable[[], str], seed: int) -> None:
    """Matches once and as they were, ratings bit for bit those of a rebuild, corrections, copies."""
    check_archive(lambda: open_archive(new_url()), np.random.default_rng(seed))


def test_guesses_are_kept_and_forgotten_with_the_person(new_url: Callable[[], str]) -> None:
    """An archive begins at guesses; who is forgotten has another id in them, also when given again."""
    guesses = {"ann": 1500, "bob": 900, "cid": 1200}
    duel = Match((Contest(Ruleset(), (["name:ann"], ["bob"]), (1, 2)),))
    with open_archive(new_url()) as archive:
        archive.rebuild(Mixture(starting=guesses))
        archive.record([duel])
        archive.update_ratings()
        model = cast("Mixture", archive.model)
        state = archive.standing().state
        assert state == replay(Mixture(starting=guesses), [duel])
        before = model.rating(state, "bob")
        assert model.rating(state, "name:ann").mu > model.rating(state, "name:new").mu > before.mu
        stand_in = archive.forget("name:ann")
        archive.rebuild(Mixture(starting=guesses))
        model = cast("Mixture", archive.model)
        assert {who for who, *_ in model.starting} == {stand_in, "bob", "cid"}
        assert model.rating(archive.standing().state, "bob") == before


@pytest.mark.parametrize("kept", ["ann", "name:Ann"])
@pytest.mark.parametrize("guessed", [("ann",), ("Ann",), ("ann", "Ann")])
def test_the_guess_of_a_merged_person_holds(
    new_url: Callable[[], str], kept: str, guessed: tuple[str, ...]
) -> None:
    """Of two ids that are one person the guess holds that there is, and that of the kept one of two."""
    other = {"ann": "name:Ann", "name:Ann": "ann"}[kept]
    guesses = {"bob": 1500.0, "cid": 1200.0, "dan": 800.0} | {
        name: {"ann": 900.0, "Ann": 1900.0}[name] for name in guessed
    }
    own = guesses.get(kept.removeprefix("name:"), guesses.get(other.removeprefix("name:")))
    duels = [Match((Contest(Ruleset(), ([each], ["bob"]), (1, 2), at=at),)) for at, each in
             enumerate(("ann", "name:Ann"), start=1)]  # fmt: skip
    with open_archive(new_url()) as archive:
        archive.record(duels)
        archive.rebuild(Mixture(starting=guesses))
        before = archive.standing()
        archive.merge(kept, other)
        archive.update_ratings()
        others = {name: weight for name, weight in guesses.items() if name not in ("ann", "Ann")}
        wanted = replay(Mixture(starting={**others, kept: own}), archive.matches())
        assert archive.standing().state == wanted
        assert cast("Mixture", archive.chosen_model).starting == Mixture(starting=guesses).starting
        archive.merge(kept, other, back=True)
        archive.update_ratings()
        assert archive.standing().state == before.state


def test_who_was_only_guessed_is_merged_and_forgotten(new_url: Callable[[], str]) -> None:
    """A name in a roster of guesses is that of a person before the first match; so is one of a night."""
    with open_archive(new_url()) as archive:
        archive.record([Match((Contest(Ruleset(), (["guid7"], ["bob"]), (1, 2)),))])
        archive.rebuild(Mixture(starting={"Ann": 1900.0, "bob": 1000.0, "cid": 1200.0}))
        before = archive.standing().state
        archive.merge("guid7", "Ann")
        archive.update_ratings()
        model = archive.standing().model
        assert model.rating(archive.standing().state, "guid7").mu > model.rating(before, "guid7").mu
        archive.merge("guid7", "Ann", back=True)
        archive.add_night_events(
            [{"kind": "weights", "step": "1", "weights": {}, "spelled": {"Eve": "Eve"}}], 0
        )
        for who in ("Ann", "Eve"):
            stand_in = archive.forget(who)
            assert who not in repr([*archive.contents(), archive.night_events(), archive.chosen_model])
            assert stand_in in repr([*archive.contents(), archive.night_events(), archive.chosen_model])
        with pytest.raises(InputError, match="there is no player 'Zoe'"):
            archive.forget("Zoe")
