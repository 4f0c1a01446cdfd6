"""``explain``, ``edit``, ``why_there``: prices against the slow oracle, and every kind of rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.play.nights import Night

from equipoise import (
    Bots,
    InputError,
    Move,
    Player,
    Rating,
    Status,
    Swap,
    balance,
    choose,
    edit,
    explain,
    why_there,
    why_together,
)
from equipoise.core.registry import OBJECTIVES
from equipoise.teams.explain.asked_rules import Apart, Constraint, Fixed, Party

NAMES = "abcdefgh"


def instance(seed: int) -> tuple[Night, dict[str, float], dict[str, Any]]:
    """Return a roster of seven or eight with a party of three, a pair apart and a fixed player."""
    rng = np.random.default_rng(seed)
    n = 7 + seed % 2
    weights = tuple(float(w) for w in rng.integers(0, 40, n))
    order = [int(place) for place in rng.permutation(n)]
    party, pair, held = tuple(order[:3]), (order[3], order[4]), order[5]
    case = Night(
        weights, parties=(party,), apart=(pair,), fixed=((held, 1),),
        max_difference=1, bot_weight=20.0 if seed % 3 == 0 else None,
    )  # fmt: skip
    preferences: dict[str, Any] = {
        "parties": [[NAMES[place] for place in party]],
        "apart": [[NAMES[place] for place in pair]],
        "fixed": {NAMES[held]: 1},
        "bots": Bots(20.0) if case.bot_weight is not None else False,
    }
    return case, dict(zip(NAMES, weights, strict=False)), preferences


def without(case: Night, rule: Constraint) -> Night:
    """Return the oracle's case without a rule."""
    if rule.kind == "party":
        return replace(case, parties=())
    if rule.kind == "member":
        gone = NAMES.index(rule.players[0])
        return replace(case, parties=(tuple(place for place in case.parties[0] if place != gone),))
    if rule.kind == "sizes":
        return replace(case, max_difference=rule.allowed)
    return replace(case, **{rule.kind: ()})


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_prices_are_those_of_the_oracle(seed: int) -> None:
    """What a rule costs is how much better the best of all splits is that need not keep it."""
    case, roster, preferences = instance(seed)
    explanation = explain(roster, objective="difference", **preferences)
    kinds = [price.constraint.kind for price in explanation.prices]
    assert sorted(kinds) == ["apart", "fixed", "party", "sizes"]
    now = case.best(objective="difference")
    for price in explanation.prices:
        for part in (price, *price.members):
            cheaper = without(case, part.constraint).best(objective="difference")
            assert now is not None
            assert cheaper is not None
            assert part.cost.value == pytest.approx(now - cheaper)
            assert part.proven
    party = next(price for price in explanation.prices if price.constraint.kind == "party")
    assert len(party.members) == 3
    assert all(member.cost.value <= party.cost.value + 1e-9 for member in party.members)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_prices_in_win_probability_are_those_of_the_oracle(seed: int) -> None:
    """Under ``win`` both costs are the same number, the one the oracle has."""
    case, roster, preferences = instance(seed)
    explanation = explain(roster, objective="win", beta=10.0, zero=4.0, **preferences)
    now = case.best(objective="win", beta=10.0, zero=4.0)
    for price in explanation.prices:
        relaxed = without(case, price.constraint)
        cheaper = relaxed.best(objective="win", beta=10.0, zero=4.0)
        assert now is not None
        assert cheaper is not None
        assert price.cost.win_probability == pytest.approx(now - cheaper)
        assert price.cost.value == price.cost.win_probability


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_the_cheapest_relaxation_gains_as_much_as_any(seed: int) -> None:
    """No single rule and no single member would gain more, and the relaxed teams are named."""
    _, roster, preferences = instance(seed)
    explanation = explain(roster, objective="difference", **preferences)
    gains = [part.cost.value for price in explanation.prices for part in (price, *price.members)]
    if not any(gains):
        assert explanation.relaxation == ()
        return
    assert explanation.relaxed is not None
    assert -explanation.relaxed.cost.value == pytest.approx(max(gains))
    assert sorted(name for team in explanation.relaxed.teams for name in team) == sorted(roster)


ROSTERS: dict[str, tuple[Any, dict[str, Any]]] = {
    "two teams": ({"a": 9, "b": 8, "c": 4, "d": 3, "e": 2, "f": 1}, {}),
    "three teams": ({"a": 9, "b": 8, "c": 4, "d": 3, "e": 2, "f": 1}, {"teams": 3, "parties": [("a", "f")]}),
    "unequal sizes": ({"a": 9, "b": 8, "c": 4, "d": 3, "e": 2, "f": 1}, {"sizes": (4, 2)}),
    "bots": ({"a": 9, "b": 8, "c": 4, "d": 3, "e": 2}, {"bots": Bots(3.0, minimum=8), "apart": [("a", "b")]}),
    "seats": ({"a": 9, "b": 8, "c": 4}, {"bots": True, "sizes": (3, 2)}),
    "range": ({"a": 9, "b": 8, "c": 4, "d": 3, "e": 2, "f": 1}, {"min_size": 2, "max_size": 4}),
    "all equal": (dict.fromkeys("abcdef", 5.0), {"parties": [("a", "b")]}),
    "one party": ({"a": 9, "b": 8, "c": 4, "d": 1}, {"parties": [("a", "b")], "fixed": {"a": 1}}),
    "negative": ({"a": -9, "b": 8, "c": -4, "d": 3}, {}),
    "players": (
        [Player(f"p{n}", Rating(n, 1), party="x" if n < 2 else None, side=n / 9) for n in range(6)],
        {"fixed": {"p3": 0}},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "objective"),
    [(name, each) for name in ROSTERS for each in OBJECTIVES if (name, each) != ("negative", "ratio")],
)
def test_everything_can_be_explained_under_every_objective(name: str, objective: str) -> None:
    """Numbers add up, costs are those of the values, and a swap there and back changes nothing."""
    roster, settings = ROSTERS[name]
    solution = balance(roster, objective=objective, **settings)
    explanation = explain(roster, solution=solution, objective=objective, **settings)
    split = explanation.split
    assert split is not None
    assert sum(team.win_probability for team in split.teams) == pytest.approx(1)
    assert [team.total for team in split.teams] == pytest.approx(solution.best.totals)
    assert dict(split.values)[objective] == pytest.approx(solution.best.value, abs=1e-12)
    assert set(dict(split.values)) >= set(OBJECTIVES) - {"ratio"} | {"quantile", "strongest"}
    for other in explanation.alternatives:
        assert other.moved
        sign = -1 if objective == "ratio" else 1
        assert other.cost.value == pytest.approx(sign * (other.value - solution.best.value), abs=1e-12)
    assert all(max(price.cost.value, price.cost.win_probability) >= 0 for price in explanation.prices)
    first, last = solution.best.teams[0], solution.best.teams[-1]
    if first and last:
        there = Swap(first[0].id, last[0].id)
        again = edit(roster, [there, there], objective=objective, **settings)
        assert again.moved == ()
        assert again.cost.value == again.cost.win_probability == 0.0
        assert again.broken == ()
    who = next(player.id for team in solution.best.teams for player in team)
    place = why_there(roster, who, objective=objective, **settings)
    assert who in {player.id for player in solution.best.teams[place.team]}
    for instead in place.elsewhere:
        assert (instead.best is None) == bool(instead.reason)
    assert explanation.as_dict()["status"] == str(solution.status)
    assert place.as_dict()["player"] == who


def test_a_swap_is_judged_as_the_division_it_makes() -> None:
    """Its value is that of the split with everyone fixed where the swap leaves them."""
    roster = {"a": 9, "b": 8, "c": 4, "d": 3, "e": 2, "f": 1}
    change = edit(roster, [Swap("a", "b")], objective="difference")
    fixed = {name: n for n, team in enumerate(change.after.teams) for name in team.players}
    assert balance(roster, objective="difference", fixed=fixed).value == change.split.value
    assert change.cost == change.behind


@pytest.mark.parametrize(
    ("steps", "broken"),
    [
        ([Swap("b", "c")], [("party", ("a", "b"))]),
        ([Move("e", 0)], [("apart", ("a", "e")), ("sizes", ())]),
        ([Move("d", 0)], [("fixed", ("d",)), ("sizes", ())]),
    ],
)
def test_a_change_names_the_rules_it_breaks_and_has_its_price(
    steps: list[Swap | Move], broken: list[tuple[str, tuple[str, ...]]]
) -> None:
    """Every rule that forbids it is there, and it is judged all the same."""
    roster = {"a": 9, "b": 2, "c": 4, "d": 3, "e": 8, "f": 5}
    settings: dict[str, Any] = {"parties": [("a", "b")], "apart": [("a", "e")], "fixed": {"d": 1}}
    change = edit(roster, steps, objective="difference", **settings)
    assert [(rule.kind, rule.players) for rule in change.broken] == broken
    totals = [sum(roster[name] for name in team.players) for team in change.after.teams]
    assert change.split.value == abs(totals[0] - totals[1])


def test_bots_fill_up_what_a_move_leaves() -> None:
    """Moved to the other team, a player is made up for by a bot, as in a split found."""
    roster = {"a": 9, "b": 8, "c": 4, "d": 3}
    change = edit(roster, [Move("a", 1)], bots=Bots(5.0), max_difference=2, fixed={"a": 0, "b": 1})
    assert [team.bots for team in change.after.teams] == [2, 0]
    assert [rule.kind for rule in change.broken] == ["fixed"]


def test_why_somebody_is_there_says_what_binds() -> None:
    """A fixed player's party is fixed too; elsewhere it is asked without that preference."""
    roster = {"a": 9, "b": 8, "c": 4, "d": 3}
    place = why_there(roster, "b", parties=[("a", "b")], fixed={"a": 1})
    assert (place.team, place.fixed, place.party, place.relative_to) == (1, True, ("a",), "")
    assert [instead.preference.team for instead in place.elsewhere] == [0]
    assert place.elsewhere[0].best is not None
    assert place.exchange is None


def test_in_alike_teams_it_counts_with_whom_one_is() -> None:
    """The strongest other player stays; to be elsewhere is to be with or without that one."""
    roster = {"a": 9, "b": 8, "c": 4, "d": 3}
    place = why_there(roster, "d", objective="difference")
    assert place.relative_to == "a"
    assert [instead.preference for instead in place.elsewhere] == [Constraint("fixed", ("d",), team=1)]
    assert place.elsewhere[0].best is not None
    assert place.elsewhere[0].best.cost.value == 2.0  # 9 + 4 against 8 + 3, instead of 12 against 12
    assert place.partner == "c"


def test_two_who_are_together_are_reported_what_being_apart_costs() -> None:
    """Nothing by which a party may be kept apart: then the reason is there."""
    roster = {"a": 9, "b": 8, "c": 4, "d": 3}
    instead = why_together(roster, "a", "d", objective="difference")
    assert instead.best is not None
    assert instead.best.cost.value == 2.0
    bound = why_together(roster, "a", "d", parties=[("a", "d")])
    assert bound.best is None
    assert "must be apart, but are in one party" in bound.reason
    with pytest.raises(InputError, match="the same player"):
        why_together(roster, "a", "a")


def test_a_chosen_split_is_explained_against_the_best() -> None:
    """What it is behind is the difference of the two, and the best is among the alternatives."""
    roster = {"a": 9, "b": 8, "c": 4, "d": 3, "e": 2, "f": 1}
    solution = balance(roster, objective="difference", keep=5)
    split = choose(solution, rng=np.random.default_rng(1), power=0.0)
    assert split is not solution.best
    explanation = explain(roster, solution=solution, split=split, objective="difference", keep=5)
    assert explanation.behind is not None
    assert explanation.behind.value == split.value - solution.best.value
    assert explanation.alternatives[0].value == solution.best.value
    assert explanation.alternatives[0].cost.value == -explanation.behind.value


@pytest.mark.parametrize(
    ("settings", "rules"),
    [
        ({"parties": [("a", "b")], "apart": [("a", "b")]}, [Constraint("apart", ("a", "b"))]),
        ({"parties": [("a", "b", "c", "d")]}, [Constraint("member", ("a",))]),
        ({"parties": [("a", "b", "c", "d")], "fixed": {"a": 0, "d": 1}}, None),
        (
            {"parties": [("a", "b"), ("c", "d")], "apart": [("a", "b"), ("c", "d")]},
            [Constraint("apart", ("a", "b")), Constraint("apart", ("c", "d"))],
        ),
        ({"teams": 3, "apart": [("a", "b", "c", "d")]}, None),
    ],
)
def test_an_infeasible_roster_is_reported_the_cheapest_relaxation(
    settings: dict[str, Any], rules: list[Constraint] | None
) -> None:
    """It is feasible without those rules, and would not be with one of several of them."""
    roster = {"a": 9, "b": 8, "c": 4, "d": 3, "e": 2, "f": 1}
    explanation = explain(roster, **settings)
    assert explanation.status is Status.INFEASIBLE
    assert explanation.reason
    assert explanation.split is None
    assert explanation.relaxed is not None
    assert explanation.relaxation
    if rules is not None:
        assert {rule.kind for rule in explanation.relaxation} <= {"sizes", *(rule.kind for rule in rules)}
        assert len(explanation.relaxation) == len(rules)


def test_rules_are_priced_as_long_as_there_is_time() -> None:
    """Those left are counted, and nothing is made up for them."""
    calls = iter([False] * 40)

    def stop() -> bool:
        return next(calls, True)

    roster = {NAMES[n]: float(n) for n in range(8)}
    pairs = [(NAMES[n], NAMES[m]) for n in range(8) for m in range(n)][:6]
    explanation = explain(roster, apart=[pairs[0]], parties=[], stop=lambda: True, solution=balance(roster))
    assert explanation.prices == ()
    assert len(explanation.unpriced) == 2
    assert len(explain(roster, stop=stop).unpriced) in (0, 1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: edit({"a": 1, "b": 2}, [Swap("a", "z")]), "edit: there is no player 'z'"),
        (lambda: edit({"a": 1, "b": 2}, [Move("a", 2)]), "edit: there is no team 3"),
        (lambda: edit({"a": 1, "b": 2}, [], parties=[("a", "b")]), "players: there is no split"),
        (lambda: why_there({"a": 1, "b": 2}, "z"), "why: there is no player 'z'"),
        (lambda: explain({"a": 1, "b": 2}, split=balance({"c": 1, "d": 2}).best), "split: its players"),
        (lambda: explain([Player("1", 1, "a"), Player("2", 2, "a")], apart=[("a", "1")]), "apart: 2 players"),
    ],
)
def test_a_wrong_question_is_refused(call: Callable[[], object], message: str) -> None:
    """The message begins with the argument."""
    with pytest.raises(InputError) as caught:
        call()
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    "rules", [{"apart": [tuple(NAMES)]}, {"fixed": dict.fromkeys(NAMES, 0)}, {"parties": [tuple(NAMES[:6])]}]
)
def test_nothing_is_relaxed_once_the_time_is_over(
    rules: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """To leave a rule out takes time too, and there may be very many."""
    for rule in (Apart, Fixed, Party):
        monkeypatch.setattr(rule, "relax", None)
    explanation = explain(dict.fromkeys(NAMES, 1), **rules, share=lambda _: lambda: True)
    assert (explanation.status, explanation.relaxation) == (Status.INFEASIBLE, ())


def test_very_many_apart_are_refused_by_number() -> None:
    """Each pair is looked at by itself; a group of some hundred players has more than there is room for."""
    roster = {f"p{n}": n for n in range(500)}
    with pytest.raises(InputError, match=r"^apart: 124750 pairs of players are apart; at most 100000"):
        explain(roster, apart=[tuple(roster)])
