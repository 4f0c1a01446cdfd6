"""Which results are the game of a log: by its people, its score, and when it was."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise import Contest, Match, Ruleset
from equipoise.archive.stored_matches import NEAR, SAME, WEEK, _may_be, _pairs

PEOPLE = list("abcdefgh")


def played(
    name: str,
    people: list[str],
    ended: float,
    *,
    scores: tuple[float, ...] = (),
    dated: bool = True,
    game: str = "g",
) -> Match:
    """Return a match of some people."""
    half = len(people) // 2
    contest = Contest(Ruleset(game), [people[:half], people[half:]], (1, 2), at=ended, scores=scores)
    return Match((contest,), ended=ended, id=name, dated=dated)


def oracle(log: Match, result: Match) -> bool:
    """Tell what the documents say, one rule after the other."""
    one, other = (
        {player for team in match.contests[-1].teams for player, _ in team if not player.startswith("bot:")}
        for match in (log, result)
    )
    if log.ruleset.game != result.ruleset.game or len(one & other) / len(one | other) < SAME:
        return False
    mine, theirs = sorted(log.contests[-1].scores), sorted(result.contests[-1].scores)
    known = bool(mine) and len(mine) == len(theirs)
    if known and mine != theirs:
        return False
    assert log.ended is not None
    assert result.ended is not None
    later = log.ended - result.ended
    return abs(later) <= NEAR or (known and not log.dated and 0.0 <= later <= WEEK)


@pytest.mark.parametrize("seed", range(150))
def test_a_result_is_the_game_of_a_log_where_every_rule_says_so(seed: int) -> None:
    """Bots are nobody; few may have come or gone; a log without dates may be read up to a week later."""
    rng = np.random.default_rng(seed)
    people = rng.permutation(PEOPLE).tolist()
    others = people[: int(rng.integers(4, 9))] + (["bot:Xan:3", "bot:Yol:3"] if rng.random() < 0.3 else [])
    scores = [(), (3.0, 1.0), (1.0, 3.0), (2.0, 1.0)]
    away = float(rng.choice([0.0, NEAR, -NEAR, NEAR + 1.0, -NEAR - 1.0, WEEK, WEEK + 1.0]))
    log = played(
        "0" * 64,
        people[: int(rng.integers(6, 9))],
        1e9 + away,
        scores=scores[rng.integers(4)],
        dated=bool(rng.random() < 0.4),
    )
    result = played("r", others, 1e9, scores=scores[rng.integers(4)], game="g" if rng.random() < 0.9 else "h")
    assert _may_be(log, result) is oracle(log, result)


def test_the_nearest_of_several_results_is_the_one() -> None:
    """Of two as near the one with the lower id; a log without any is left out."""
    people = PEOPLE[:4]
    log = played("0" * 64, people, 1e9)
    results = [
        played(name, people, 1e9 + by) for name, by in (("c", 30.0), ("b", -20.0), ("a", 20.0), ("d", 1e6))
    ]
    other = played("1" * 64, PEOPLE[4:], 1e9)
    assert [(one.id[:1], two.id) for one, two in _pairs([other, log], results)] == [("0", "a")]
    assert _pairs([log], []) == _pairs([], results) == []
