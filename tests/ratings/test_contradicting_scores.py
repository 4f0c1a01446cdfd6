"""No game is dropped for its score: ranks say who won, and what contradicts them was a close game."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.running import run

from equipoise import Contest, Match, Mixture, Ruleset, replay
from equipoise.core.match import settled_scores

TEAMS = st.lists(st.tuples(st.integers(1, 3), st.integers(0, 5)), min_size=2, max_size=5)


@given(TEAMS)
def test_settled_scores_never_contradict_the_ranks(teams: list[tuple[int, int]]) -> None:
    """Nobody has more than anyone ahead of them; nobody gets more than they had; what was right stays."""
    ranks, scores = [rank for rank, _ in teams], [score for _, score in teams]
    settled = settled_scores(ranks, scores)
    pairs = [(one, other) for one in range(len(teams)) for other in range(len(teams))]
    assert all(settled[one] >= settled[other] for one, other in pairs if ranks[one] < ranks[other])
    assert all(mine <= before for mine, before in zip(settled, scores, strict=True))
    if all(scores[one] >= scores[other] for one, other in pairs if ranks[one] < ranks[other]):
        assert list(settled) == scores
    # The most that can be kept: each has the least of those ahead, or its own.
    for team, rank in enumerate(ranks):
        assert settled[team] == min(
            [scores[team], *(scores[n] for n in range(len(teams)) if ranks[n] < rank)]
        )


@pytest.mark.parametrize("won", [(50.0, 51.0), (0.0, 9.0)])
def test_a_game_whose_scores_contradict_its_ranks_was_a_close_one(won: tuple[float, float]) -> None:
    """It moves ratings as a win at equal scores does, in favour of the one that won."""

    def learnt(scores: tuple[float, float]) -> tuple[float, float]:
        games = [
            Match((Contest(Ruleset("tennis"), (["ann"], ["bob"]), (1, 2), scores=scores, at=float(n)),))
            for n in range(5)
        ]
        model = Mixture()
        state = replay(model, games)
        ann, bob = (model.rating(state, who, Ruleset("tennis")).mu for who in ("ann", "bob"))
        return ann, bob

    ann, bob = learnt(won)
    assert (ann, bob) == learnt((won[0], won[0]))
    assert ann > bob


def test_every_such_game_is_rated_and_counted_in_one_line(tmp_path: Path) -> None:
    """Nothing is skipped, and one note says how many there are and where the first stand."""
    path = tmp_path / "tennis.jsonl"
    lines = [
        {"ended": n, "teams": [["ann"], ["bob"]], "ranks": [1, 2], "scores": [9, 10 + n]} for n in range(8)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = run("evaluate", str(path), "--json")
    assert json.loads(done.stdout)["models"]["default"]["n"] == 8 - 3
    (note,) = done.stderr.splitlines()
    assert note.startswith("note: 8 contests have a winner at equal or fewer points")
