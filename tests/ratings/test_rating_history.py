"""Curves over time are what every model knew by then."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from equipoise import InputError, Match, Ruleset, curves, replay
from equipoise.core.registry import MODELS, resolve
from equipoise.ratings.laws import random_contest


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_the_last_point_is_what_was_known_just_after(name: str) -> None:
    """For every player and ruleset, bit for bit, with a point for each contest of the player."""
    model, rng = resolve("model", MODELS, name)(), np.random.default_rng(0)
    contests = [replace(random_contest(rng), at=40_000.0 * n) for n in range(20)]
    matches = [Match((contest,)) for contest in contests]
    found = curves(model, matches)
    assert {player for player, _ in found} == set(model.players(replay(model, matches)))
    for (player, ruleset), curve in found.items():
        played = [
            n for n, c in enumerate(contests) if player in {each for team in c.teams for each, _ in team}
        ]
        rating = model.rating(replay(model, matches[: played[-1] + 1]), player, ruleset)
        assert (curve.mu[-1], curve.sigma[-1]) == (rating.mu, rating.sigma)
        times = [contests[n].at for n in played]
        assert list(curve.at) == times[-len(curve.at) :]
        assert ruleset != Ruleset() or len(curve.at) == len(times)


def test_a_player_who_is_in_no_match_is_named() -> None:
    """The message begins with the argument."""
    with pytest.raises(InputError, match="players: 'zoe' is in no match"):
        curves(resolve("model", MODELS, "elo")(), [], ["zoe"])
