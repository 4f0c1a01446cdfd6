"""Contests: teams as people write them, and what is no team."""

from __future__ import annotations

from typing import Any

import pytest

from equipoise import Contest, InputError, Ruleset


def test_teams_may_be_lists_of_ids_or_pairs_and_any_iterables() -> None:
    """What is kept is always tuples of id and share."""
    expected = ((("ann", 1.0),), (("bob", 0.5),))
    given: list[Any] = [(["ann"], [("bob", 0.5)]), [("ann",), [["bob", "0.5"]]]]
    for teams in (*given, (iter(team) for team in given[0])):
        assert Contest(Ruleset(), teams, (1, 2)).teams == expected


@pytest.mark.parametrize(
    ("teams", "message"),
    [
        (("ab", "cd"), "teams must be lists of ids, got text for a team"),
        ((["a"], "b"), "teams must be lists of ids, got text for a team"),
        ((["a"], [("b",)]), r"teams: a member must be an id or \(id, share\), got \('b',\)"),
        ((["a"], [3]), r"teams: a member must be an id or \(id, share\), got 3"),
        ((["a"], [("b", "x")]), r"teams: a member must be an id or \(id, share\), got \('b', 'x'\)"),
        ((["a"],), "teams must be two or more"),
        ((["a"], []), "teams must be two or more"),
    ],
)
def test_what_is_no_team_is_refused(teams: Any, message: str) -> None:
    """The message begins with the argument."""
    with pytest.raises(InputError, match=message):
        Contest(Ruleset(), teams, (1, 2))
