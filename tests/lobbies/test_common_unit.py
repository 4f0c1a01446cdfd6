"""Weights with decimals are whole numbers in their common unit: the plan is that of any power of ten."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise import Bots, InputError, Lobby, LobbyPlan, Player, Rating, balance, fill


def placed(plan: LobbyPlan) -> list[list[list[str]]]:
    """Return who is in which team of which lobby."""
    return [[[player.id for player in team] for team in lobby.teams] for lobby in plan.lobbies]


@pytest.mark.parametrize("deviation", ["squared", "absolute"])
@settings(max_examples=40)
@given(data=st.data())
def test_a_power_of_ten_changes_no_plan(deviation: str, data: st.DataObject) -> None:
    """Nor a status, a search or who waits; value, bound, totals and targets change by it, to the last digit.

    With parties, smaller teams, somebody who is barred everywhere, and players of unknown weight.
    """
    number = st.integers(100, 30_000)
    weights = data.draw(st.lists(st.none() | number, min_size=4, max_size=16).filter(any))
    targets = data.draw(st.lists(number, min_size=1, max_size=3, unique=True))
    size = data.draw(st.integers(1, 4))
    asked = {
        "team_size": size,
        "min_size": data.draw(st.integers(1, size)),
        "deviation": deviation,
        "per_player": data.draw(st.booleans()),
        "parties": [("p0", "p1")] if size > 1 and data.draw(st.booleans()) else [],
        "barred": {"p2": [f"L{n}" for n in range(len(targets))]} if data.draw(st.booleans()) else {},
    }
    chosen = data.draw(st.booleans())  # targets of its own are means of the players
    zero = data.draw(st.sampled_from([None, 17]))  # none: a deviation below the mean, whatever its digits

    def plan_in(unit: int) -> LobbyPlan:
        players = [
            Player(f"p{n}", None if weight is None else weight / unit) for n, weight in enumerate(weights)
        ]
        lobbies = [Lobby(f"L{n}", None if chosen else target / unit) for n, target in enumerate(targets)]
        return fill(players, lobbies, zero=None if zero is None else zero / unit, **asked)

    whole = plan_in(1)
    for unit in (10, 100):
        plan = plan_in(unit)
        assert (placed(plan), plan.status, plan.solver, plan.shut_out) == (
            placed(whole), whole.status, whole.solver, whole.shut_out,
        )  # fmt: skip
        worth = unit if deviation == "absolute" else unit * unit
        assert plan.value == pytest.approx(whole.value / worth, rel=1e-15)
        assert plan.bound == pytest.approx(whole.bound / worth, rel=1e-15)
        for mine, theirs in zip(plan.lobbies, whole.lobbies, strict=True):
            assert mine.target == pytest.approx(theirs.target / unit, rel=1e-15)
            assert mine.totals == pytest.approx([total / unit for total in theirs.totals], rel=1e-15)


def test_what_decimals_come_to_is_right_to_the_last_digit() -> None:
    """As .1 is no float, sums of such floats are not what is written."""
    weights = {"Ann": 8.1, "Bob": 0.7, "Cid": 5.3, "Dee": 2.9}
    plan = fill(weights, {"a": 8.2}, team_size=2)
    assert [(lobby.target, lobby.totals) for lobby in plan.lobbies] == [(8.2, (8.8, 8.2))]
    assert (plan.value, plan.bound) == (0.36, 0.36)


def test_uncertain_weights_count_what_is_left_of_them() -> None:
    """Sigmas taken off are decimals too; what has sixteen digits stays as it is."""
    players = [Player(f"p{n}", Rating(10.0 * n + 0.3, (n + 1) / 10)) for n in range(6)]
    plan = fill(players, {"a": 47.9}, team_size=2, caution=1.0)
    again = fill(
        [Player(f"p{n}", Rating(100.0 * n + 3.0, n + 1.0)) for n in range(6)],
        {"a": 479.0}, team_size=2, caution=1.0,
    )  # fmt: skip
    assert placed(plan) == placed(again)
    assert plan.value == pytest.approx(again.value / 100.0, rel=1e-12)


def test_numbers_of_any_kind_are_taken() -> None:
    """Decimals and fractions count as what is written for them, at every door of the library."""
    kinds = [float, Decimal, Fraction]
    plans = [
        fill(
            [Player("Ann", Rating(kind("9.5"), kind("0.25"))), Player("Bob", kind("4.75"), side=kind("0.5"))],
            [Lobby("A", kind("12.5"))], team_size=2, min_size=1, caution=kind("1.5"), zero=kind("1.25"),
            default=kind("3"),
        )
        for kind in kinds
    ]  # fmt: skip
    assert len({(plan.value, plan.lobbies[0].totals) for plan in plans}) == 1
    splits = [
        balance({"Ann": Rating(kind("9.5")), "Bob": 2}, bots=Bots(kind("1.5"), target=4), beta=kind("2.5"))
        for kind in kinds
    ]
    assert len({split.best.win_probability for split in splits}) == 1
    with pytest.raises(InputError, match="target must be a number, got 'much'"):
        Lobby("A", "much")


def test_where_no_lobby_is_open_everybody_is_shut_out() -> None:
    """Not only those who are barred."""
    lobbies = [Lobby("A", 9.0, max_teams=0), Lobby("B", 9.0, max_teams=0)]
    plan = fill({"Ann": 1.5, "Bob": 2.0}, lobbies, team_size=2, barred={"Ann": ["A"]})
    assert plan.shut_out == ("Ann", "Bob")
