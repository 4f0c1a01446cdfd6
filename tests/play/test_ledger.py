"""Fairness over time: accounts, who met whom, and who sits out."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.errors import InputError
from equipoise.play.ledger import (
    LedgerGame,
    PlayerAccount,
    accounts,
    burden,
    met,
    owed,
    sitting_out,
    ways_to_sit_out,
)


def test_accounts_count_each_game_once_for_everyone_who_was_there() -> None:
    """Won, drawn, lost, the weaker side, sitting out and moves."""
    games = [
        LedgerGame((("a", "b"), ("c", "d")), (0.6, 0.4), (1, 2), ("e",)),
        LedgerGame((("a", "e"), ("c", "d")), (0.5, 0.5), (1, 1), ("b",), ("e",)),
    ]
    known = accounts(games)
    assert known["a"] == PlayerAccount(played=2, won=1, drawn=1)
    assert known["c"] == PlayerAccount(played=2, drawn=1, lost=1, weak=1)
    assert known["e"] == PlayerAccount(played=1, out=1, drawn=1, moved=1)
    together, against = met(games)
    assert together[frozenset("cd")] == 2
    assert against[frozenset("ac")] == 2


def test_whoever_has_sat_out_the_least_sits_out() -> None:
    """Of two who have sat out alike, the one who has played more; a newcomer plays."""
    known = {"a": PlayerAccount(played=1, out=1), "b": PlayerAccount(played=2), "c": PlayerAccount(played=5)}
    assert sitting_out([["a"], ["b"], ["c"], ["new"]], 3, known) == ("c",)
    assert sitting_out([["a"], ["b"], ["c"], ["new"]], 2, known) == ("b", "c")


def test_a_duo_sits_out_together_where_the_seats_allow_it() -> None:
    """With one seat left, it is divided."""
    assert sitting_out([["a", "b"], ["c"], ["d"]], 2, {"a": PlayerAccount(4), "b": PlayerAccount(4)}) == (
        "a",
        "b",
    )
    assert len(sitting_out([["a", "b"]], 1, {})) == 1


def test_what_makes_no_sense_is_refused() -> None:
    """Fewer seats than none, and somebody who is there twice."""
    with pytest.raises(InputError, match="seats must be at least 0, got -1"):
        sitting_out([["a"]], -1, {})
    with pytest.raises(InputError, match="a player appears twice"):
        sitting_out([["a"], ["a"]], 1, {})


@pytest.mark.slow
@settings(max_examples=30)
@given(st.integers(3, 13), st.integers(2, 13), st.integers(1, 40))
def test_over_time_sitting_out_is_equal(players: int, seats: int, games: int) -> None:
    """Nobody sits out more than one game more than anybody else, whoever comes first."""
    names = [[f"p{n}"] for n in range(players)]
    past: list[LedgerGame] = []
    for _ in range(games):
        out = sitting_out(names, min(seats, players), accounts(past))
        assert len(out) == max(players - seats, 0)
        playing = [name for (name,) in names if name not in out]
        past.append(LedgerGame((tuple(playing[::2]), tuple(playing[1::2])), (0.5, 0.5), (1, 2), out))
    counts = [accounts(past)[name].out for (name,) in names]
    assert max(counts) - min(counts) <= 1


def test_every_way_to_sit_out_comes_once_and_duos_are_parted_last() -> None:
    """The first is that of the ledger alone."""
    groups = [["a", "b"], ["c"], ["d"]]
    ways = list(ways_to_sit_out(groups, 2, {"c": PlayerAccount(3, 1)}))
    assert ways[0] == sitting_out(groups, 2, {"c": PlayerAccount(3, 1)})
    assert len({frozenset(way) for way in ways}) == len(ways) == 6
    assert [set(way) for way in ways[:2]] in ([{"a", "b"}, {"c", "d"}], [{"c", "d"}, {"a", "b"}])


def test_a_preference_is_owed_until_it_is_met() -> None:
    """Games in which one of the two sits out neither count nor clear it."""
    unmet = LedgerGame((("a",), ("b",)), (0.5, 0.5), (1, 2), unmet=(("a", "b"),))
    without = LedgerGame((("a",), ("c",)), (0.5, 0.5), (1, 2), ("b",))
    assert owed([unmet, without, unmet])[frozenset("ab")] == 2
    assert not owed([unmet, LedgerGame((("a", "b"), ("c",)), (0.5, 0.5), (1, 2))])
    assert accounts([unmet])["b"].unmet == 1


def test_equal_teams_ask_least_of_those_of_whom_much_was_asked() -> None:
    """Moves first, then the weaker side, then the same team mates again."""
    known = {"a": PlayerAccount(moved=2, weak=1), "b": PlayerAccount(weak=3)}
    together = {frozenset("ab"): 4}
    assert burden([["a", "b"], ["c"]], [0.4, 0.6], ["a", "z"], known, together) == (2, 4, 4)
    assert burden([["a", "c"], ["b"]], [0.5, 0.5], [], known, together) == (0, 0, 0)
