"""One person with several ids: shares, parties and names of a match under other ids."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise import Contest, Match, Ruleset
from equipoise.identity.merges import renamed

shares = st.sampled_from([0.1, 0.25, 0.5, 0.75, 1.0])


@given(st.tuples(shares, shares, shares))
def test_nobody_plays_more_than_the_whole_game(each: tuple[float, float, float]) -> None:
    """The share of one who was there under three ids is their sum, and never above 1, in any order."""
    ids = {"b": "a", "c": "a"}
    for order in ("abc", "cab", "bca"):
        team = [(name, dict(zip("abc", each, strict=True))[name]) for name in order]
        match = Match((Contest(Ruleset(), (team, ["other"]), (1, 2)),))
        (merged,), (rest,) = renamed(match, ids).contests[0].teams
        assert merged == ("a", pytest.approx(min(sum(each), 1.0)))
        assert rest == ("other", 1.0)
