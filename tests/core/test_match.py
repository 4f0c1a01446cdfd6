"""Contests: teams as people write them, and what is no team."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
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


def test_a_ruleset_takes_no_hash_to_another_process() -> None:
    """Texts have other hashes there: what was pickled is found by a ruleset made anew."""
    ruleset = Ruleset("ut2004", "ctf", ("instagib",))
    known = {ruleset: 1}
    script = "import pickle, sys; known = pickle.load(sys.stdin.buffer); from equipoise import Ruleset; "
    script += "print(known[Ruleset('ut2004', 'ctf', ('instagib',))])"
    found = subprocess.run(
        [sys.executable, "-c", script], input=pickle.dumps(known), capture_output=True, check=True,
        env={**os.environ, "PYTHONHASHSEED": "7"},
    )  # fmt: skip
    assert found.stdout.strip() == b"1"
