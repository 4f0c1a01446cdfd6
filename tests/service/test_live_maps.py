"""For how many players a map is best: what games have shown, and nothing that they have not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.core.match import Contest, Match, Ruleset
from equipoise.service.live_server import map_ranges


def played(size: int, scores: tuple[float, ...], name: str = "dm1", share: float = 1.0) -> Match:
    """Return a game of so many players on a map."""
    teams = [[(f"p{n}", share) for n in range(team, size, len(scores))] for team in range(len(scores))]
    ranks = [float(score != max(scores)) for score in scores]
    return Match([Contest(Ruleset("g"), teams, ranks, scores=scores)], map=name)


def games(size: int, margin: float, times: int = 12, seed: int = 0) -> list[Match]:
    """Return games to 20 with a mean margin, give or take."""
    rng = np.random.default_rng([seed, size])
    return [
        played(size, (20.0, float(np.clip(20.0 - margin + rng.normal(0.0, 2.0), 0.0, 20.0))))
        for _ in range(times)
    ]


def test_numbers_of_players_whose_games_were_more_one_sided_are_left_out() -> None:
    """On both sides of the best."""
    matches = [*games(4, 15.0), *games(6, 5.0), *games(8, 5.0), *games(10, 14.0), *games(12, 15.0)]
    assert map_ranges(matches) == {"dm1": (6, 8)}


def test_a_side_without_evidence_is_open() -> None:
    """Larger games were never played, so nothing is known against them."""
    assert map_ranges([*games(4, 15.0), *games(6, 5.0)]) == {"dm1": (6, None)}
    assert map_ranges([*games(4, 5.0), *games(6, 15.0)]) == {"dm1": (0, 4)}


def test_one_number_of_players_is_no_range() -> None:
    """What an admin asked for before does not hold back what is asked for now."""
    assert map_ranges(games(8, 5.0, times=100)) == {}
    assert map_ranges([*games(8, 5.0), *games(10, 5.0)]) == {}


def test_a_few_games_are_not_judged() -> None:
    """Nine one-sided ones may be chance; the number of games is the caller's to choose."""
    matches = [*games(4, 18.0, times=9), *games(6, 3.0)]
    assert map_ranges(matches) == {}
    assert map_ranges(matches, least=5) == {"dm1": (6, None)}


def test_who_was_there_for_half_of_the_game_counts_half() -> None:
    """Eight who were there for half of it are four players."""
    halves = [played(8, (20.0, 18.0 - n % 2), share=0.5) for n in range(12)]
    assert map_ranges([*halves, *games(8, 15.0)]) == {"dm1": (0, 4)}


def test_games_that_say_nothing_are_passed_over() -> None:
    """Without a map, without scores, without any score, below nothing, with one team."""
    nothing = [
        played(4, (20.0, 1.0), name=""),
        Match([Contest(Ruleset("g"), [["a"], ["b"]], [0.0, 1.0])], map="dm1"),
        played(4, (0.0, 0.0)), played(4, (-1.0, -5.0)),
    ]  # fmt: skip
    assert map_ranges(nothing * 20, least=1) == {}
    assert map_ranges([]) == {}


@given(
    st.lists(
        st.tuples(st.integers(2, 9), st.floats(0, 1e12), st.floats(0, 1e12), st.sampled_from(["a", "b"])),
        max_size=60,
    ),
    st.integers(2, 5),
)
def test_a_range_holds_a_number_that_was_played_whatever_was(
    rows: list[tuple[int, float, float, str]], least: int
) -> None:
    """In any order of the games, the same."""
    matches = [played(size, (one, other), name) for size, one, other, name in rows]
    found = map_ranges(matches, least=least)
    assert found == map_ranges(matches[::-1], least=least)
    for name, (low, high) in found.items():
        assert (low, high) != (0, None)
        assert any(low <= size <= (high or size) for size, *_, at in rows if at == name)


@pytest.mark.parametrize("scores", [(20.0, 20.0), (1e-9, 1e-9), (1e12, 1e12)])
def test_ties_are_no_difference_at_any_scale(scores: tuple[float, float]) -> None:
    """As close as can be, everywhere."""
    assert map_ranges([played(size, scores) for size in (4, 6, 8) for _ in range(12)]) == {}
