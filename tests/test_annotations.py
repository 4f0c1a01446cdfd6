"""What the documents say a user may write, a strict type checker accepts."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

USE = """
from equipoise.ratings.model import Further, RatingModel
from equipoise.core.match import Contest, Match, Ruleset, Statistics

duel = Contest(Ruleset("ut2004", "ctf"), (["ann"], [("bob", 0.5), "cid"]), (1, 2))
more = Contest(Ruleset(), [["ann"], ["bob"]], [2, 1], scores=[1, 3], statistics=[Statistics("ann", 3, 1)])
match = Match([duel, more], roster=["ann", "bob", "cid"])
shares: list[float] = [share for team in duel.teams for player, share in team]

def ask(model: RatingModel, further: Further) -> tuple[list[float], float, list[float]]:
    state = model.update(model.initial(), duel)
    chances = model.win_probability(state, (["ann", ("bob", 0.5)], ["cid"]))
    teams = [["ann"], ["bob"]]
    return chances, further.quality(state, teams), further.expected_margin(state, teams)
"""


def test_users_need_no_ignoring_of_types(tmp_path: Path) -> None:
    """Plain ids, pairs, lists and tuples in contests, matches and questions, checked strictly."""
    api = pytest.importorskip("mypy.api")
    path = tmp_path / "use.py"
    path.write_text(USE, encoding="utf-8")
    reported, wrong, code = api.run(
        ["--strict", "--follow-imports=silent", "--cache-dir", str(tmp_path), str(path)]
    )
    assert code == 0, reported + wrong
    exec(compile(USE, "use.py", "exec"), {})  # noqa: S102  # and it runs
