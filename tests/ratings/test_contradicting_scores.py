"""No game is dropped for its score: ranks say who won, what contradicts them was a close game.

Scores and statistics that are wrong are left out of the match, which counts without them.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.running import run

from equipoise import (
    Contest,
    InputError,
    Match,
    Mixture,
    Ruleset,
    Skipped,
    Statistics,
    evaluate,
    read_matches,
    replay,
)
from equipoise.core.match import settled_scores
from equipoise.core.match_records import match_from

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


#: What is wrong with the match of each number, and where a table says so: row and words.
WRONG = {2: "scores", 3: "kills", 5: "both", 6: "scores"}


def games_of(ending: str, folder: Path, *, ranked: bool = True) -> str:
    """Write seven games, of which some have wrong scores or statistics; return where."""
    lines, rows = [], []
    for n in range(7):
        scores = [5, "x"] if WRONG.get(n) in ("scores", "both") else [5, 3]
        kills = ["7", "-4" if WRONG.get(n) in ("kills", "both") else "2"]
        players = [
            {"id": who, "kills": float(one), "deaths": 3} for who, one in zip("ab", kills, strict=True)
        ]
        line = {"id": f"m{n}", "ended": 60 * n, "teams": [[one] for one in players], "scores": scores}
        lines.append(line | ({"ranks": [1, 2]} if ranked else {}))
        for team in range(2):
            rank = str(team + 1) if ranked else ""
            rows.append((f"m{n}", 60 * n, "12"[team], "ab"[team], rank, str(scores[team]), kills[team], "3"))
    path = folder / f"games.{ending}"
    names = ["match", "ended", "team", "player", "rank", "team_score", "kills", "deaths"]
    if ending == "jsonl":
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    elif ending == "csv":
        path.write_text("\n".join(",".join(map(str, row)) for row in [names, *rows]))
    else:
        polars = pytest.importorskip("polars")
        polars.DataFrame(rows, schema=names, orient="row").write_parquet(path)
    return str(path)


#: The first three places by the ending of the file.
FIRST = {
    "jsonl": ("line 3: scores must be a number", "line 4: kills of player 'b'", "line 6: scores must"),
    "csv": ("line 7: team_score must be a number", "line 8: kills of player 'b'", "line 13: team_score must"),
    "parquet": (
        "row 6: team_score must be a number",
        "row 7: kills of player 'b'",
        "row 12: team_score must",
    ),
}


@pytest.mark.parametrize("ending", FIRST)
def test_wrong_scores_and_statistics_are_left_out_of_a_match(tmp_path: Path, ending: str) -> None:
    """All matches are there, what is wrong is unknown and all else kept, and one note names three places."""
    path, notes = games_of(ending, tmp_path), list[str]()
    found = list(read_matches(path, note=notes.append))
    assert [type(one) for one in found] == [Match] * 7
    for n, one in enumerate(found):
        assert isinstance(one, Match)
        (contest,) = one.contests
        assert contest.ranks == (1.0, 2.0)
        assert contest.scores == (() if WRONG.get(n) in ("scores", "both") else (5.0, 3.0))
        assert len(contest.statistics) == (0 if WRONG.get(n) in ("kills", "both") else 2)
    (note,) = notes
    assert note.startswith("4 matches have scores or statistics that are wrong and left out; ")
    places = note.split("; among them: ")[1].split("; ")
    assert len(places) == 3
    for place, words in zip(places, FIRST[ending], strict=True):
        assert place.startswith(f"{path}, {words}")
    assert "kills of player 'b'" in places[2]
    with pytest.warns(UserWarning, match="4 matches have scores or statistics that are wrong"):
        assert evaluate("elo", path, skip=0.0).metrics.n == 7


@pytest.mark.parametrize("ending", FIRST)
def test_commands_say_once_what_is_left_out(tmp_path: Path, ending: str) -> None:
    """Two names of one file are the same matches; with ``--strict`` the first is the end."""
    path = games_of(ending, tmp_path)
    for arguments in (("rate", path, path), ("rate", "--since", "1970-01-01", path), ("evaluate", path)):
        done = run(*arguments)
        assert done.returncode == 0, done.stderr
        (note,) = [line for line in done.stderr.splitlines() if "left out" in line]
        assert note.startswith("note: 4 matches have scores or statistics that are wrong and left out; ")
        assert all(f"{path}, {words}" in note for words in FIRST[ending])
    strict = run("rate", "--strict", path)
    assert strict.returncode == 1
    assert strict.stderr.startswith(f"error: {path}, {FIRST[ending][0]}")


@pytest.mark.parametrize("ending", FIRST)
def test_a_match_whose_only_result_is_wrong_is_skipped(tmp_path: Path, ending: str) -> None:
    """Without ranks scores say who won; wrong statistics alone still cost nothing."""
    path, notes = games_of(ending, tmp_path, ranked=False), list[str]()
    found = list(read_matches(path, note=notes.append))
    assert [n for n, one in enumerate(found) if isinstance(one, Skipped)] == [2, 5, 6]
    assert len(notes) == 1
    assert notes[0].startswith("1 match has")
    assert run("rate", path).stderr.splitlines()[-1] == "error: 3 records skipped, 4 matches read"


def test_what_is_made_by_hand_has_to_be_right() -> None:
    """Contests, and records as they come over HTTP, are refused with the field."""
    with pytest.raises(InputError, match="scores must be one for each of 2 teams, or none, got 1"):
        Contest(Ruleset(), (["a"], ["b"]), (1, 2), scores=(1,))
    with pytest.raises(InputError, match="kills of player 'a' must be from 0"):
        Statistics("a", kills=-1.0)
    with pytest.raises(InputError, match="scores must be one for each of 2 teams, or none, got 1"):
        match_from({"ended": 0, "teams": [["a"], ["b"]], "ranks": [1, 2], "scores": [1]})
