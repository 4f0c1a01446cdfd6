"""Judging is arithmetic: its numbers are those of a search with everybody fixed, and it searches nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from equipoise import (
    BalanceRequest,
    Bots,
    Player,
    Preference,
    Rating,
    Rule,
    Solution,
    balance,
    edit,
    why_there,
)
from equipoise.core.registry import OBJECTIVES
from equipoise.teams import balance as balance_module
from equipoise.teams.explain.asked_rules import folded
from equipoise.teams.explain.edits import Swap
from equipoise.teams.explain.valuation import Yardstick

SIX = {"a": 9.1, "b": 8.3, "c": 4.7, "d": 3.9, "e": 2.2, "f": 1.1}
ROLED = [Player(f"p{n}", 10.3 + n * 1.7, roles={"tank": None, "dps": 5.5 + n}) for n in range(6)]  # type: ignore[arg-type]
CASES: dict[str, tuple[Any, dict[str, Any]]] = {
    "two teams": (SIX, {}),
    "three teams": (SIX, {"teams": 3}),
    "uneven": (SIX, {"sizes": (4, 2)}),
    "bots": (SIX, {"bots": Bots(3.3, minimum=8)}),
    "sure or not": ([Player(name, Rating(mu, mu / 3)) for name, mu in SIX.items()], {}),
    "preferences": (
        SIX,
        {"preferences": [Preference("together", ["a", "b"], 0.05), Preference("apart", ["c", "d", "e"])]},
    ),
    "roles": (ROLED, {"roles": {"tank": 1, "dps": 1}}),
    "forty": ({f"p{n}": float(w) for n, w in enumerate(np.random.default_rng(3).normal(1200, 400, 40))}, {}),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "objective", [*OBJECTIVES, ["win", "difference"], {"win": 1.0, "difference": 0.01}], ids=str
)
@pytest.mark.parametrize("name", CASES)
def test_values_are_those_of_a_search_with_everybody_fixed(name: str, objective: Any) -> None:
    """The best split and one swapped have the same bits in every number."""
    roster, asked = CASES[name]
    request = BalanceRequest.of(roster, objective=objective, **asked)
    yardstick = Yardstick(folded(request))
    teams = yardstick.teams_of(balance(request).best)
    other = next(n for n, team in enumerate(teams) if team != teams[0])
    swapped = list(teams)
    swapped[0], swapped[other] = swapped[other], swapped[0]
    for split in (teams, swapped):
        fixed = {player.id: team for player, team in zip(request.players, split, strict=True)}
        solved = balance(request, fixed=fixed)
        if not solved.splits:
            assert name == "roles"  # the swap leaves a role open, which is judged all the same
            continue
        judged, found = yardstick.split(split), solved.best
        assert judged.value == found.value
        assert judged.win_probability == found.win_probability
        assert judged.totals == found.totals
        assert (judged.values, judged.preferences, judged.bots) == (
            found.values,
            found.preferences,
            found.bots,
        )


@pytest.mark.slow
def test_nothing_is_searched_for_why_somebody_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 40 players and the solution at hand, neither a solver nor ``balance`` is called."""
    request = BalanceRequest.of(CASES["forty"][0], parties=[("p0", "p1")], fixed={"p2": 0})
    solution = balance(request)

    def fail(*args: object, **keywords: object) -> Solution:
        raise AssertionError

    monkeypatch.setattr(balance_module, "run", fail)
    for who in ("p0", "p2", "p7"):
        place = why_there(request, who, solution=solution)
        assert place.elsewhere[0].best is not None
    assert edit(request, [Swap("p5", "p6")], solution=solution).split


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["difference", "win", "spread", "indistinguishable"])
def test_the_best_swap_is_the_best_by_what_is_asked(objective: str) -> None:
    """No swap with another player is fairer by the objective; under ``spread`` none within its tolerance."""
    request = BalanceRequest.of(SIX, objective=objective)
    solution = balance(request)
    place = why_there(request, "c", solution=solution)
    assert place.exchange is not None
    mates = {player.id for player in solution.best.teams[place.team]}
    others = [edit(request, [Swap("c", who)], solution=solution) for who in SIX if who not in mates]
    if objective == "spread":
        nearest = min(change.split.imbalance for change in others)
        others = [change for change in others if change.split.imbalance <= nearest + request.most_tolerance]
    assert place.exchange.split.value == min(change.split.value for change in others)


def test_a_party_is_exchanged_as_a_whole_and_who_is_fixed_is_said() -> None:
    """A party mate is never moved or left silently."""
    place = why_there(SIX, "b", parties=[("a", "b")], fixed={"a": 1})
    assert (place.fixed, place.held, place.party) == (True, ("a",), ("a",))
    assert [rule.players for rule in place.elsewhere[0].given_up] == [("a",)]
    assert place.elsewhere[0].best is not None
    assert {moved.player for moved in place.elsewhere[0].best.moved} >= {"a", "b"}
    assert place.exchange is None
    free = why_there(SIX, "b", parties=[("a", "b")])
    assert free.exchange is not None
    assert {"a", "b"} <= {moved.player for moved in free.exchange.moved}
    assert free.exchange.broken == ()


def test_rules_that_a_swap_would_break_are_kept() -> None:
    """A custom rule and sizes count as much as parties do."""
    rule = Rule("strong", {"a": 1, "b": 1}, high=1)
    place = why_there(SIX, "c", rules=[rule])
    assert place.exchange is not None
    assert place.exchange.broken == ()
