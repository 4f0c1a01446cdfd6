"""What ``fill`` promises: proofs at the published size, waiting, bands, conflicts, and refusals."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from tests.lobbies.oracle import Case, best, cases, check

from equipoise import InputError, Lobby, Player, Rating, Status, UnknownNameError, deadline, fill
from equipoise.lobbies import first_placing, large
from equipoise.lobbies.infeasibility import irreducible
from equipoise.lobbies.sample_instances import DISTRIBUTIONS, MEAN_TEAM, PREMADES, published, scaled

LADDER = {f"p{n}": float(n) for n in range(1, 13)}


@pytest.mark.slow
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_published_aggregates_are_kept_and_solved_to_a_proof(distribution: str) -> None:
    """300 players, the published sums, and a plan with gap 0 that the bound of the large solver allows."""
    instance = published(1, distribution)
    skills = list(instance.players.values())
    assert len(skills) == 300
    assert sum(skills[4:]) / 148 == pytest.approx(MEAN_TEAM)
    assert tuple(sum(instance.players[p] for p in party) for party in instance.parties) == pytest.approx(
        PREMADES
    )
    plan = fill(instance.players, instance.lobbies, team_size=2, parties=instance.parties)
    assert (plan.status, plan.gap, plan.solver) == (Status.OPTIMAL, 0.0, "exact")
    assert all(48 <= len(lobby.teams) <= 52 for lobby in plan.lobbies)
    teams = {frozenset(p.id for p in team) for lobby in plan.lobbies for team in lobby.teams}
    assert {frozenset(party) for party in instance.parties} <= teams
    large = fill(instance.players, instance.lobbies, team_size=2, parties=instance.parties, solver="large")
    assert large.bound <= plan.value <= large.value * (1 + 1e-9)
    assert large.relative_gap < 0.01


@pytest.mark.slow
@pytest.mark.parametrize("team_size", [2, 3, 5])
def test_large_plans_are_near_their_bound(team_size: int) -> None:
    """Thousands of players: legal, and close to a certified bound."""
    instance = scaled(3, 3000, team_size)
    plan = fill(instance.players, instance.lobbies, team_size=team_size)
    assert not plan.waiting
    assert plan.excess < 0.005
    for lobby, filled in zip(instance.lobbies, plan.lobbies, strict=True):
        assert lobby.min_teams <= len(filled.teams) <= lobby.max_teams


@pytest.mark.slow
@pytest.mark.parametrize("deviation", ["squared", "absolute"])
def test_the_published_program_has_the_same_optimum(deviation: str) -> None:
    """A dozen players by the document's program and by ours."""
    lobbies = [Lobby("low", 9.0, 2, 4), Lobby("high", 17.0, 2, 4)]
    given = {"team_size": 2, "parties": [("p1", "p2"), ("p11", "p12")], "deviation": deviation}
    paper = fill(LADDER, lobbies, solver="paper", **given)
    exact = fill(LADDER, lobbies, solver="exact", **given)
    assert paper.status is exact.status is Status.OPTIMAL
    assert paper.value == pytest.approx(exact.value)


def test_the_published_program_refuses_what_it_does_not_know() -> None:
    """Other team sizes, bars, and players who would have to wait."""
    for more in ({"team_size": 3}, {"team_size": 5}, {"team_size": 2, "barred": {"p1": ["a"]}}):
        with pytest.raises(InputError, match="solver: 'paper'"):
            fill(LADDER, {"a": 5.0, "b": 6.0}, solver="paper", **more)


@pytest.mark.slow
@settings(max_examples=40)
@given(case=cases(most=7))
def test_a_conflict_is_irreducible(case: Case) -> None:
    """Without any one of the rules that are named, the others can be met."""
    plan = fill(**case.arguments())
    if plan.status is not Status.INFEASIBLE or "may be in" in plan.reason:
        return
    mins = [
        n
        for n, lobby in enumerate(case.lobbies)
        if any(repr(lobby.name) + " gets" in d.what for d in plan.conflict)
    ]
    parties = [
        p for p in case.parties if any(repr(f"p{p[0]}") in d.what and "stay" in d.what for d in plan.conflict)
    ]
    bars = [
        b for b in case.bars if any(d.what == f"'p{b[0]}' may not be in 'L{b[1]}'" for d in plan.conflict)
    ]
    assert len(mins) + len(parties) + len(bars) == len([d for d in plan.conflict if "at most" not in d.what])
    if not mins:  # a party or player that has no lobby at all
        return

    def possible(mins: list[int], parties: list[tuple[int, ...]], bars: list[tuple[int, int]]) -> bool:
        lobbies = tuple(
            lobby if n in mins else dataclasses.replace(lobby, min_teams=0)
            for n, lobby in enumerate(case.lobbies)
        )
        only = dataclasses.replace(case, lobbies=lobbies, parties=tuple(parties), bars=tuple(bars))
        return best(only) is not None

    assert not possible(mins, parties, bars)
    assert all(possible([m for m in mins if m != out], parties, bars) for out in mins)
    assert all(possible(mins, [p for p in parties if p != out], bars) for out in parties)
    assert all(possible(mins, parties, [b for b in bars if b != out]) for out in bars)


def test_a_conflict_says_what_to_relax() -> None:
    """Too few players, a party too large, and bars everywhere, each with the way out."""
    short = fill(LADDER, [Lobby("a", 9.0, 4), Lobby("b", 9.0, 4)], team_size=2)
    assert short.status is Status.INFEASIBLE
    assert short.value is short.bound is short.gap is None
    assert "find 4 more players" in short.reason
    assert "lower the minimum of 'a' to 2" in short.reason
    big = fill(LADDER, {"a": 9.0}, team_size=2, parties=[("p1", "p2", "p3")])
    assert [rule.what for rule in big.conflict] == [
        "'p1', 'p2', 'p3' (3 players) stay together", "a team has at most 2 players",
    ]  # fmt: skip
    out = fill(
        LADDER, {"a": 9.0, "b": 9.0}, team_size=2, barred={"p1": ["a"], "p2": "b"}, parties=[("p1", "p2")],
        all_play=True,
    )  # fmt: skip
    assert len(out.conflict) == 3
    assert "let 'p1' into 'a'" in [rule.relax for rule in out.conflict]
    assert out.reason.endswith("To relax: let 'p2' into 'b'")


@pytest.mark.slow
@settings(max_examples=60)
@given(case=cases(most=7))
def test_the_advice_leaves_no_second_conflict(case: Case) -> None:
    """Whoever follows all of it has a plan."""
    plan = fill(**case.arguments())
    if plan.status is not Status.INFEASIBLE:
        assert plan.advice == ""
        return
    assert plan.reason.endswith(f"To relax: {plan.advice}")
    least = {lobby.name: lobby.min_teams for lobby in case.lobbies}
    parties, bars = list(case.parties), set(case.bars)
    for step in plan.advice.split(", or find")[0].split(", and "):
        words = step.split("'")
        if step.startswith("lower"):
            least[words[1]] = int(step.rsplit(" ", 1)[1])
        elif "play apart" in step:
            parties.remove(tuple(int(name[1:]) for name in words[1::2]))
        else:
            bars.remove((int(words[1][1:]), int(words[3][1:])))
    relaxed = dataclasses.replace(
        case, parties=tuple(parties), bars=tuple(bars),
        lobbies=tuple(dataclasses.replace(lobby, min_teams=least[lobby.name]) for lobby in case.lobbies),
    )  # fmt: skip
    assert fill(**relaxed.arguments()).status is not Status.INFEASIBLE


def test_very_many_bars_are_one_rule_for_each_lobby() -> None:
    """Nobody reads a hundred rules; the advice names each lobby once."""
    names = [f"p{n}" for n in range(100)]
    lobbies = [Lobby("a", 9.0, 5), Lobby("b", 9.0, 5), Lobby("c", 9.0)]
    barred = {name: ["a", "b"] if name != "p0" else ["b"] for name in names if name not in ("p1", "p2")}
    asked = {"team_size": 2, "parties": [names[50:52]], "barred": barred}
    plan = fill(dict.fromkeys(names, 4.0), lobbies, **asked)
    whats = [rule.what for rule in plan.conflict]
    assert len(whats) == 2
    assert "and 92 more may not be in" in whats[-1]
    assert plan.advice == "lower the minimum of 'a' to 0, and lower the minimum of 'b' to 1"
    relaxed = [Lobby("a", 9.0, 0), Lobby("b", 9.0, 1), lobbies[2]]
    assert fill(dict.fromkeys(names, 4.0), relaxed, **asked).status is not Status.INFEASIBLE


def test_irreducible_takes_the_later_ones() -> None:
    """The deletion filter, on sums."""
    assert irreducible(list(range(100)), lambda some: 7 in some and 93 in some) == [7, 93]


def test_who_has_no_open_lobby_waits_with_the_party() -> None:
    """One ban stops no tournament; a lobby that gets no team is not open; and it is said who it is."""
    asked: Any = {"team_size": 2, "barred": {"p1": ["a"], "p2": "b", "p5": ["a", "b"]}}
    lobbies = [Lobby("a", 9.0), Lobby("b", 9.0), Lobby("c", 9.0, max_teams=0)]
    plan = fill(LADDER, lobbies, **asked, parties=[("p1", "p2")])
    assert plan.shut_out == ("p1", "p2", "p5")
    assert set(plan.shut_out) <= {player.id for player in plan.waiting}
    assert plan.as_dict()["shut_out"] == ["p1", "p2", "p5"]
    others = {who: skill for who, skill in LADDER.items() if who not in plan.shut_out}
    assert plan.value == fill(others, lobbies, team_size=2).value
    assert fill({"p5": 1.0}, lobbies, **{**asked, "barred": {"p5": ["a", "b"]}}).status is Status.OPTIMAL


def test_nobody_waits_where_all_play() -> None:
    """Rather no plan: with the rules that contradict."""
    three = {"a": 1.0, "b": 2.0, "c": 3.0}
    assert fill(three, {"x": 3.0}, team_size=2).status is Status.OPTIMAL
    plan = fill(three, {"x": 3.0}, team_size=2, all_play=True)
    assert plan.status is Status.INFEASIBLE
    assert [rule.what for rule in plan.conflict] == [
        "all 3 players play",
        "at most 2 have a place in teams of 2",
    ]
    barred = {"a": ["x"]}
    assert not fill(three, {"x": 3.0}, team_size=2, barred=barred).conflict
    assert fill(three, {"x": 3.0}, team_size=2, barred=barred, all_play=True).conflict


def test_who_waits_is_chosen_for_the_best_value() -> None:
    """Of five, the one without whom the teams fit waits."""
    plan = fill({"a": 1.0, "b": 4.0, "c": 2.0, "d": 3.0, "e": 50.0}, {"x": 5.0}, team_size=2)
    assert (plan.value, [player.id for player in plan.waiting]) == (0.0, ["e"])


def test_unequal_teams_let_nobody_wait() -> None:
    """Where smaller teams are allowed everybody plays, in as few teams as possible."""
    plan = fill(LADDER, {"x": 6.5}, team_size=5, min_size=3, per_player=True, solver="exact")
    assert not plan.waiting
    assert sorted(len(team) for team in plan.lobbies[0].teams) in ([3, 4, 5], [4, 4, 4])
    assert plan.status is Status.OPTIMAL


def test_lobbies_without_targets_are_bands_of_equal_size() -> None:
    """The first is the weakest; the targets are what the bands have."""
    plan = fill(LADDER, {"low": None, "middle": None, "high": None}, team_size=2)
    assert [lobby.target for lobby in plan.lobbies] == [5.0, 13.0, 21.0]
    assert [len(lobby.teams) for lobby in plan.lobbies] == [2, 2, 2]
    assert plan.value == 0.0


def test_uncertain_ratings_count_less_with_caution() -> None:
    """A skill is mu less so many sigmas."""
    players = [Player("a", Rating(10.0, 2.0)), Player("b", 5.0), Player("c", None)]
    plan = fill(players, {"x": 9.0}, team_size=2, caution=3.0, default=0.0)
    assert plan.lobbies[0].totals == (9.0,)
    assert (plan.unrated, plan.default_weight) == (1, 0.0)


@pytest.mark.slow
def test_the_same_arguments_give_the_same_plan_and_a_stopped_search_is_legal() -> None:
    """Nothing is drawn at random; no time at all still gives a plan, without a false proof."""
    instance = published(2)
    given = {"team_size": 2, "parties": instance.parties}
    one, other = (fill(instance.players, instance.lobbies, **given) for _ in range(2))
    assert one == other
    stopped = fill(instance.players, instance.lobbies, **given, stop=deadline(0.0))
    assert stopped.status is Status.FEASIBLE
    assert stopped.bound <= one.value <= stopped.value


@pytest.mark.parametrize("team_size", [2, 3])
def test_a_first_plan_that_is_only_dealt_is_improved_by_its_solver(
    team_size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with very many players: everybody is in one place, teams are in order, and plans are near."""
    for module in (first_placing, large):
        monkeypatch.setattr(module, "MOST_IMPROVED", 50)
    rng = np.random.default_rng(0)
    players = {f"p{n}": float(x) for n, x in enumerate(rng.normal(5.0, 1.0, 301))}
    lobbies = {"a": 4.6 * team_size, "b": 5.4 * team_size}
    plan = fill(players, lobbies, team_size=team_size, solver="large")
    there = [player.id for lobby in plan.lobbies for team in lobby.teams for player in team]
    assert sorted(there + [player.id for player in plan.waiting]) == sorted(players)
    assert len(plan.waiting) == 1
    for lobby in plan.lobbies:
        assert list(lobby.totals) == sorted(lobby.totals, reverse=True)
        for team, total in zip(lobby.teams, lobby.totals, strict=True):
            skills = [players[player.id] for player in team]
            assert skills == sorted(skills, reverse=True)
            assert sum(skills) == pytest.approx(total)
    assert plan.value is not None
    assert plan.excess is not None
    assert plan.excess < 0.05


@pytest.mark.slow
def test_a_short_limit_of_time_loads_no_compiler() -> None:
    """That alone would take longer; the plan is improved all the same."""
    code = """
import sys
from equipoise import Lobby, deadline, fill
players = {f"p{n}": float(n * n % 997) for n in range(900)}
lobbies = [Lobby(f"L{k}", 1300.0 + 20.0 * k) for k in range(10)]
first = fill(players, lobbies, team_size=3, stop=lambda: True)
plan = fill(players, lobbies, team_size=3, stop=deadline(0.5))
print(plan.value < first.value, "numba" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["True", "False"]


def test_few_players_may_all_wait() -> None:
    """Fewer than a team is no mistake where no lobby rules one."""
    plan = fill({"a": 1.0}, {"x": 5.0}, team_size=2)
    assert (plan.status, plan.value, len(plan.waiting)) == (Status.OPTIMAL, 0.0, 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"team_size": 0}, "team_size must be from 1 to 1000000, got 0"),
        ({"min_size": 3}, "min_size must be from 1 to the team size of 2, got 3"),
        ({"deviation": "cubed"}, "deviation must be "),
        ({"caution": -1.0}, "caution must be from 0 to 1e15, got -1.0"),
        ({"default": np.inf}, "default must be from -1e15 to 1e15, got inf"),
        ({"players": {}}, "players must be at least one"),
        ({"lobbies": {}}, "lobbies must be at least one"),
        ({"lobbies": [Lobby("a", 1.0), Lobby("a", 2.0)]}, "lobbies: 'a' appears twice"),
        ({"lobbies": {"a": 1.0, "b": None}}, "lobbies: 'b' has no target"),
        ({"parties": [("p1", "nobody")]}, "parties: there is no player 'nobody'"),
        ({"parties": [("p1", "p1")]}, "parties: a player comes twice"),
        ({"barred": {"p1": ["nowhere"]}}, "barred: there is no lobby 'nowhere'"),
    ],
)
def test_arguments_at_fault_are_named(arguments: dict[str, object], message: str) -> None:
    """The message begins with the argument."""
    given: dict[str, object] = {"players": LADDER, "lobbies": {"a": 5.0}, "team_size": 2, **arguments}
    with pytest.raises(InputError) as caught:
        fill(**given)
    assert str(caught.value).startswith(message)


def test_lobbies_check_themselves() -> None:
    """A noun is validated when it is made."""
    for make, message in (
        (lambda: Lobby(""), "name must not be empty"),
        (lambda: Lobby("a", float("nan")), "target of lobby 'a' must be"),
        (lambda: Lobby("a", 1.0, -1), "min_teams of lobby 'a' must be at least 0, got -1"),
        (lambda: Lobby("a", 1.0, 3, 2), "max_teams of lobby 'a' must be at least its min_teams, 3, got 2"),
    ):
        with pytest.raises(InputError) as caught:
            make()
        assert str(caught.value).startswith(message)
    with pytest.raises(UnknownNameError):
        fill(LADDER, {"a": 1.0}, team_size=2, solver="nosuch")
    with pytest.raises(UnknownNameError):
        published(0, "nosuch")
    with pytest.raises(InputError):
        scaled(0, 1, 2)


def test_parties_smaller_than_a_team_are_filled_up() -> None:
    """A party of three and one of two in teams of four, checked by the independent checker."""
    case = Case(
        tuple(map(float, range(8))), (Lobby("a", 14.0),), 4, 4, ((0, 1, 2), (3, 4)), (), "squared", False
    )
    plan = fill(**case.arguments())
    check(case, plan)
    assert plan.value == pytest.approx(best(case)[2])


def test_smaller_teams_do_not_depend_on_where_the_scale_begins() -> None:
    """An empty seat counts as one spread below the mean, so a number on every weight changes no plan."""
    skills = {f"p{n}": weight for n, weight in enumerate([9.0, 7.5, 6.0, 4.0, 3.0, 2.5, 1.0])}
    plans = []
    for a, b in ((1.0, 0.0), (2.0, 1000.0)):
        reported = {name: a * weight + b for name, weight in skills.items()}
        targets = {"calm": a * 8.0 + 3 * b, "wild": a * 15.0 + 3 * b}
        plans.append(fill(reported, targets, team_size=3, min_size=1, solver="exact"))
    one, two = (
        [sorted(sorted(player.id for player in team) for team in lobby.teams) for lobby in plan.lobbies]
        for plan in plans
    )
    assert one == two
    assert plans[1].value == pytest.approx(4.0 * (plans[0].value or 0.0))
    assert [lobby.target for lobby in plans[1].lobbies] == pytest.approx([3016.0, 3030.0])
    zeroed = fill(skills, {"calm": 8.0, "wild": 15.0}, team_size=3, min_size=1, zero=0.0, solver="exact")
    assert zeroed.value != pytest.approx(plans[0].value)


@pytest.mark.parametrize("most", [None, 1])
def test_there_may_be_any_number_of_lobbies(most: int | None) -> None:
    """Numbers of teams are combined however many lobbies there are: an array has 64 dimensions at most."""
    lobbies = [Lobby(f"L{n}", max_teams=most) for n in range(70)]
    plan = fill({f"p{n}": n % 31 for n in range(140)}, lobbies, team_size=2, stop=lambda: True)
    assert plan.status is not Status.INFEASIBLE
    assert sum(len(team) for lobby in plan.lobbies for team in lobby.teams) == 140
