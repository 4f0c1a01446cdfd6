"""The scale from 0 to 100, and the mean over bots."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise import Contest, GaussianFilter, InputError, Ruleset, balance, rate
from equipoise.core.player import Rating
from equipoise.ratings.display_scale import CERTAIN_REACH, Scale, mean_bot, scale_of
from equipoise.ratings.models.elo import Elo

numbers = st.floats(-1e6, 1e6)


@given(numbers, st.floats(1e-3, 1e6), numbers, numbers)
def test_the_scale_is_monotone_and_within_bounds(
    centre: float, reach: float, one: float, other: float
) -> None:
    """More skill is never shown as less, and everything from 0 to 100."""
    scale = Scale(centre, reach)
    low, high = sorted((one, other))
    assert 0.0 <= scale.shown(low) <= scale.shown(high) <= 100.0
    assert scale.shown(centre) == 50.0


@given(st.floats(0.1, 99.9))
def test_the_inverse_is_the_inverse(shown: float) -> None:
    """Within the bounds skill and number are one another's image."""
    scale = Scale(25.0, 25.0)
    assert scale.shown(scale.skill(shown)) == pytest.approx(shown, abs=1e-9)


def test_numbers_out_of_range_are_refused() -> None:
    """The message begins with the argument."""
    with pytest.raises(InputError, match="reach must be above 0, got 0"):
        Scale(0.0, 0.0)
    with pytest.raises(InputError, match="shown must be above 0 and below 100, got 101"):
        Scale(0.0, 1.0).skill(101.0)


def test_the_best_still_differ() -> None:
    """Two who are far above everyone are not both 100."""
    scale = scale_of(GaussianFilter(), GaussianFilter().initial())
    assert scale.shown(3.79) + 1.0 < scale.shown(4.10) < 100.0


def test_a_new_player_is_fifty_in_every_ruleset() -> None:
    """Whatever was learnt about the ruleset; a model without uncertainty has a reach of its own."""
    model = GaussianFilter()
    ctf = Ruleset("ut", "ctf")
    uneven = Contest(ctf, (["a", "b"], ["bot:x:1"]), (2, 1))
    state = model.update(model.initial(), uneven)
    assert scale_of(model, state, ctf).shown(model.rating(state, "new", ctf).mu) == 50.0
    assert scale_of(Elo(), {}).reach == CERTAIN_REACH
    assert mean_bot(model, state, ctf) == (model.rating(state, "bot:x:1", ctf).mu, 1)
    assert mean_bot(model, model.initial())[1] == 0


def test_the_scale_changes_nothing_about_teams() -> None:
    """Who is with whom follows from skill, and a shift or stretch of what is shown is not looked at."""
    skills = {"a": 1.1, "b": 0.4, "c": 2.0, "d": 1.6}
    teams = [[player.id for player in team] for team in balance(skills, objective="difference").best.teams]
    for scale in (Scale(1.0, 3.0), Scale(0.0, 10.0)):
        back = {name: scale.skill(scale.shown(skill)) for name, skill in skills.items()}
        assert [[p.id for p in team] for team in balance(back, objective="difference").best.teams] == teams


def test_rate_needs_uncertain_ratings() -> None:
    """A sigma of 0 would never learn."""
    with pytest.raises(InputError, match=r"teams: sigma must be above 0, got 0\.0"):
        rate([[Rating(25.0)], [Rating(25.0, 1.0)]])
