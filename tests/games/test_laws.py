"""Every registered game keeps the laws of its kind."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.games.samples import SAMPLES

from equipoise.core.match import Match, Skipped, Unfinished
from equipoise.core.registry import GAMES, resolve
from equipoise.games.laws import check_game, parsed

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", GAMES)
def test_every_game_keeps_the_laws(name: str) -> None:
    """See :func:`equipoise.games.laws.check_game`."""
    for seed, sample in enumerate(SAMPLES[name]):
        check_game(resolve("game", GAMES, name), sample, np.random.default_rng(seed))


@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=60)
@given(data=st.data())
def test_hostile_bytes_are_no_exception(name: str, data: st.DataObject) -> None:
    """Whatever stands in a log, and however it is cut, it gives matches or says what is wrong."""
    game = resolve("game", GAMES, name)
    sample = SAMPLES[name][0][:3000]
    place = data.draw(st.integers(0, len(sample)))
    content = sample[:place] + data.draw(st.binary(max_size=60)) + sample[place:]
    cuts = data.draw(st.lists(st.integers(0, len(content)), max_size=5))
    found = parsed(game, content)
    assert parsed(game, content, cuts) == found
    assert all(isinstance(one, Match | Skipped | Unfinished) for one in found)
