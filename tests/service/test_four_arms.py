"""The proof in public: its schedule follows from its seed, its page from its games, and it plays."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from benchmarks.games.openarena import CHARACTERS, Bot, in_turns, installed, openarena, play
from benchmarks.play import four_arms as proof

needs_server = pytest.mark.skipif(not installed(), reason="openarena-server is not installed")


def test_skills_are_hidden_in_the_names() -> None:
    """Every skill once, in an order that the seed draws."""
    assert min(proof.SKILLS.values()) == 1.0
    assert max(proof.SKILLS.values()) == 5.0
    assert len(set(proof.SKILLS.values())) == proof.BOTS
    assert list(proof.SKILLS.values()) != sorted(proof.SKILLS.values())


def test_over_four_blocks_every_arm_has_every_side_order_and_place_once() -> None:
    """What order, colour or place is worth is the same for all arms."""
    learnt = proof.Learning()
    seen: Counter[tuple[str, object]] = Counter()
    for number in (*range(8, 12), *range(12, 16)):
        games = proof.block(number, learnt)
        assert len({frozenset((*game.red, *game.blue)) for game in games}) == 1
        assert {(len(game.red), len(game.blue)) for game in games} == {(4, 4)}
        ways = set()
        for place, game in enumerate(games):
            way = (proof.strength(game.red) > proof.strength(game.blue), game.turns[0])
            ways.add(way)
            seen.update([(game.arm, way), (game.arm, place)])
        tied = any(proof.strength(game.red) == proof.strength(game.blue) for game in games)
        assert len(ways) == 4 or tied
    assert {seen[arm, place] for arm in proof.ARMS for place in range(4)} == {2}
    ways = {(stronger, first) for stronger in (True, False) for first in (0, 1)}
    assert {seen["random", way] for way in ways} == {2}


def test_teams_of_equal_skill_play_with_either_red_and_either_first() -> None:
    """Each roster has all four ways."""
    for number in (0, 4):
        games = [proof.even_game("equal", number + n, proof.CHOSEN) for n in range(4)]
        assert len({frozenset((frozenset(game.red), frozenset(game.blue))) for game in games}) == 1
        assert len({(game.red, game.turns[0]) for game in games}) == 4
        assert {game.turns for game in games} == {in_turns(0, 4, 4), in_turns(1, 4, 4)}


def test_the_best_teams_are_those_of_the_least_difference() -> None:
    """No exchange of two makes it less."""
    one, other = proof.best(sorted(proof.SKILLS)[:8])
    least = abs(proof.strength(one) - proof.strength(other))
    for n in range(4):
        for k in range(4):
            left = [*one[:n], other[k], *one[n + 1 :]]
            right = [*other[:k], one[n], *other[k + 1 :]]
            assert abs(proof.strength(left) - proof.strength(right)) >= least


def test_what_is_shown_follows_from_the_games() -> None:
    """A mean that never varies has no width; a share of the gain is one of means."""
    assert proof.interval([2.0] * 9) == (2.0, 2.0, 2.0)
    assert proof.gain([8.0, 10.0], [6.0, 7.0], [5.0, 5.0])[0] == 5.0 / 8.0
    line = {"scores": [9, 20], "order": "BRRB", "red": ["p00"], "blue": ["p01"]}
    assert (proof.one_sided(line), proof.margin(line), proof.red_won(line)) == (1.0, 11.0, 0.0)
    assert (proof.first_won(line), proof.first_ahead(line)) == (1.0, 11.0)
    assert proof.stronger_won(line) == float(proof.SKILLS["p01"] > proof.SKILLS["p00"])


def test_strengths_are_those_that_margins_show() -> None:
    """Order and side are taken out, and exact margins have no noise."""
    lines = []
    for number in range(60):
        game = proof.learning_game(number)
        ahead = proof.strength(game.red) - proof.strength(game.blue)
        first = 1.0 if game.turns[0] == 0 else -1.0
        lines.append({**game.line, "scores": [2.0 * ahead + 3.0 + 4.0 * first, 0.0]})
    worth, noise = proof.strengths(lines)
    middle = sum(proof.SKILLS.values()) / proof.BOTS
    for name, skill in proof.SKILLS.items():
        assert worth[name] == pytest.approx(2.0 * (skill - middle))
    assert noise == pytest.approx(0.0, abs=1e-12)


def test_games_that_were_played_are_not_played_again_and_others_are_refused(tmp_path: Path) -> None:
    """A file of games goes on where it ended, and only for the schedule it is of."""
    path = tmp_path / "games.jsonl"
    asked, other = proof.learning_game(0), proof.learning_game(1)
    line = {**asked.line, "scores": [20.0, 3.0], "counts": {}}
    failed = {**other.line, "failed": True}
    path.write_text(f"{json.dumps(failed)}\n{json.dumps(line)}\n", encoding="utf-8")
    kept = proof.Kept(path)
    assert kept.failed == 1
    found = kept.find(asked)
    assert found is not None
    assert found["scores"] == [20.0, 3.0]
    assert kept.find(other) is None
    path.write_text(json.dumps({**line, "order": "RRRRBBBB"}) + "\n", encoding="utf-8")
    with pytest.raises(RuntimeError, match="order was another one"):
        proof.Kept(path).find(asked)


@pytest.mark.slow
@needs_server
def test_bots_have_places_in_turn_on_the_server(tmp_path: Path) -> None:
    """Neither team has all of the first places, which win most games of equal skill."""
    with openarena(tmp_path, speed=proof.SPEED) as server:
        teams = [[Bot(f"p{n:02d}", CHARACTERS[n], 3.0) for n in range(k, k + 4)] for k in (0, 4)]
        assert play(server, teams) is not None
        said = re.findall(r"ClientUserinfoChanged: (\d+) n\\p0\d\\t\\(\d)", server.log.read_text("latin-1"))
    places = dict(said)
    assert [places[str(n)] for n in range(8)] == ["1", "2", "2", "1", "2", "1", "1", "2"]


@pytest.mark.slow
@needs_server
def test_two_dozen_games_are_played_and_reported(tmp_path: Path) -> None:
    """Every stage, from the first game to the page."""
    path = tmp_path / "games.jsonl"
    assert proof.play_all(path, 60.0, blocks=1, equal=1, order=0, learning=3, learnt=4)
    assert "(1 of 200 blocks)" in proof.page(path)
