"""Why a rating moved adds up to the move, for every model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from equipoise import Contest, InputError, Mixture, Ruleset, Statistics
from equipoise.core.registry import MODELS, resolve
from equipoise.ratings.laws import random_contest
from equipoise.ratings.rating_history import moved


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_parts_add_up_and_the_state_is_that_of_an_update(name: str) -> None:
    """Over random contests of all kinds."""
    model, rng = resolve("model", MODELS, name)(), np.random.default_rng(0)
    state = model.initial()
    for n in range(12):
        contest = replace(random_contest(rng), at=3600.0 * n)
        player = contest.teams[-1][0][0]
        after, why = moved(model, state, contest, player)
        assert after == model.update(state, contest)
        assert sum(why.parts.values()) == pytest.approx(why.after - why.before, abs=1e-9)
        assert 0.0 <= why.expected <= 1.0
        assert 0.0 <= why.happened <= 1.0
        state = after


def test_each_channel_has_its_part() -> None:
    """Who wins narrowly but does most is moved up by statistics too; without them their part is nothing."""
    reported = (Statistics("ann", 20, 2), Statistics("bob", 2, 20))
    duel = Contest(Ruleset(), (["ann"], ["bob"]), (1, 2), scores=(5, 1), statistics=reported)
    _, why = moved(Mixture(), Mixture().initial(), duel, "ann")
    assert min(why.parts["statistics"], why.parts["score"], why.parts["result"]) > 0.0
    _, plain = moved(Mixture(), Mixture().initial(), replace(duel, scores=(), statistics=()), "ann")
    assert plain.parts["statistics"] == plain.parts["score"] == 0.0
    with pytest.raises(InputError, match="player: 'zoe' was not in the contest"):
        moved(Mixture(), Mixture().initial(), duel, "zoe")
