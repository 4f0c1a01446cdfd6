"""Players who are in a team already: a price for each who moves, at most so many, and the front of both."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

from equipoise import BalanceRequest, Bots, InputError, Player, Status, balance, pareto, receipt, verify
from equipoise.teams.explain.edits import Move, Swap, edit, why_there
from equipoise.teams.explain.explanation import explain
from equipoise.teams.solvers import nearby
from equipoise.verification.optimum import front, optimum, splits
from equipoise.verification.question import read

#: Scales of weights, each with decimals that tie on paper and not in floating point.
SCALES = (1e-9, 0.1, 1.0, 1e12)


def night(seed: int, n: int, n_teams: int, scale: float = 1.0) -> list[Player]:
    """Return players with weights in tenths, of whom most are in a team already."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 12, n) / 10.0 * scale
    now = [int(team) if team < n_teams else None for team in rng.integers(0, n_teams + 1, n)]
    return [
        Player(f"p{i}", float(weight), team_now=team)
        for i, (weight, team) in enumerate(zip(weights, now, strict=True))
    ]


def teams_of(players: list[Player], split: Any) -> list[int]:
    """Return the team of each player."""
    team_of = {player.id: n for n, team in enumerate(split.teams) for player in team}
    return [team_of[player.id] for player in players]


def moved(players: list[Player], teams: list[int]) -> int:
    """Return how many are in another team than now."""
    return sum(player.team_now not in (None, team) for player, team in zip(players, teams, strict=True))


def asked(scale: float) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Yield the number of players, of teams, and what is asked."""
    for objective in ("win", "spread", "difference", ["win", "moves"], {"win": 1.0, "moves": 0.25}):
        for staying in ({"stay": 0.03}, {"moves": 2}, {"stay": 0.001, "moves": 3}, {"stay": 0.2}, {}):
            yield 8, 2, {"objective": objective, **staying}
    yield 7, 3, {"stay": 0.02, "max_difference": 2}
    yield 7, 3, {"moves": 2, "parties": [("p0", "p1")]}
    yield 7, 2, {"moves": 2, "bots": Bots(0.5 * scale, target=8)}
    yield 8, 2, {"stay": 0.05, "parties": [("p0", "p1", "p2")], "apart": [("p3", "p4")]}
    yield 8, 2, {"moves": 1, "fixed": {"p0": 1}, "side_price": 0.01}


@pytest.mark.slow
@pytest.mark.parametrize("scale", SCALES)
def test_answers_are_those_of_going_through_every_split(scale: float) -> None:
    """A receipt says so, which works everything out in fractions: values, moves, and that none is better."""
    for seed, (n, n_teams, keywords) in enumerate(asked(scale)):
        request = BalanceRequest.of(night(seed, n, n_teams, scale), teams=n_teams, **keywords)
        solution = balance(request)
        findings = verify(receipt(request, solution)).findings
        assert all(finding.verdict == "confirmed" for finding in findings), (keywords, findings)
        if solution.splits and request.moves is not None:
            assert len(solution.best.moved) <= request.moves


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["nearby", "mitm", "auto"])
def test_solvers_agree_on_larger_rosters(solver: str) -> None:
    """Of 14 players in two teams, with a price and with a limit."""
    for seed, asking in enumerate(({"stay": 0.01}, {"moves": 4}, {"stay": 0.002, "moves": 6})):
        players = night(seed, 14, 2)
        for objective in ("win", "spread"):
            request = BalanceRequest.of(players, objective=objective, **asking)
            expected = balance(request, solver="enumerate")
            found = balance(request, solver=solver)
            assert found.status is Status.OPTIMAL
            assert found.value == pytest.approx(expected.value, abs=1e-9)


def test_a_full_server_is_proven_where_few_moves_are_worth_it() -> None:
    """Of 64 players some would be too many to prove without their current teams."""
    weights = np.random.default_rng(5).normal(50.0, 15.0, 64).round(1)
    players = [Player(f"p{i}", float(weight), team_now=i % 2) for i, weight in enumerate(weights)]
    solution = balance(players, moves=2)
    assert (solution.status, solution.solver) == (Status.OPTIMAL, "nearby")
    assert len(solution.best.moved) <= 2


@pytest.mark.parametrize("n_teams", [2, 3])
def test_without_a_price_the_numbers_of_the_teams_are_those_at_which_fewest_move(n_teams: int) -> None:
    """The fairest split is the same as for players without a team; no other numbers would move fewer."""
    for seed in range(8):
        players = night(seed, 7, n_teams)
        solution = balance(players, teams=n_teams, max_difference=2, keep=4)
        strangers = [Player(player.id, player.rating) for player in players]
        free = balance(strangers, teams=n_teams, max_difference=2, keep=4)
        assert [split.value for split in solution.splits] == [split.value for split in free.splits]
        for split in solution.splits:
            teams = teams_of(players, split)
            renamed = ([order[team] for team in teams] for order in permutations(range(n_teams)))
            assert moved(players, teams) == len(split.moved) == min(moved(players, each) for each in renamed)


def test_several_splits_are_different_and_legal_where_moves_are_limited() -> None:
    """Teams under other numbers are another split, and none comes twice."""
    players = night(3, 8, 2)
    solution = balance(players, objective="win", moves=4, keep=12)
    found = [tuple(teams_of(players, split)) for split in solution.splits]
    assert len(set(found)) == len(found) == 12
    assert all(moved(players, list(teams)) <= 4 for teams in found)


@pytest.mark.slow
@pytest.mark.parametrize("second", ["win", "spread", "difference"])
def test_the_front_of_moves_against_fairness_is_the_whole_one(second: str) -> None:
    """All points are found and proven, in either order, as by going through every split."""
    for seed in range(4):
        players = night(seed, 8, 2)
        exact = front(read(BalanceRequest.of(players, moves=8).to_dict()), "moves", second)
        expected = [(float(one.rounded()), float(other.rounded())) for one, other in exact]
        found = pareto(players, "moves", second)
        assert found.complete
        assert np.allclose(found.points, expected, rtol=1e-9, atol=1e-9)
        back = pareto(players, second, "moves")
        assert back.complete
        assert np.allclose(back.points, [(other, one) for one, other in reversed(expected)], atol=1e-9)


def test_a_limit_that_cannot_be_kept_is_named_and_relaxed() -> None:
    """Two who must change team are more than the one who may."""
    players = [
        Player("Ann", 9, team_now=0),
        Player("Bob", 8, team_now=0),
        Player("Cid", 4, team_now=1),
        Player("Dan", 3, team_now=1),
    ]
    rules: dict[str, Any] = {"moves": 1, "fixed": {"Ann": 1}}
    solution = balance(players, **rules)
    assert solution.status is Status.INFEASIBLE
    assert "at most 1 move" in solution.reason
    reported = explain(players, **rules).relaxation
    assert [rule.kind for rule in reported] in (["moves"], ["fixed"], ["sizes"])
    assert balance(players, moves=0).best.moved == ()


def test_what_staying_costs_is_explained_and_edited() -> None:
    """The price list names the limit and the price; a change by hand says what it breaks."""
    players = [
        Player("Ann", 9, team_now=0),
        Player("Bob", 8, team_now=0),
        Player("Cid", 4, team_now=1),
        Player("Dan", 3, team_now=1),
    ]
    explanation = explain(players, objective="win", stay=0.01, moves=2)
    reported = {price.constraint.kind: price for price in explanation.prices}
    assert reported["stay"].paid == pytest.approx(0.02)
    assert reported["stay"].kept is not None
    assert reported["stay"].kept.best is not None
    assert reported["stay"].kept.best.cost.win_probability > 0.3
    assert reported["moves"].cost.win_probability == 0.0
    change = edit(players, [Swap("Ann", "Bob"), Move("Cid", 0)], objective="win", moves=2)
    assert [rule.kind for rule in change.broken] == ["moves", "sizes"] or "moves" in [
        r.kind for r in change.broken
    ]
    place = why_there(players, "Ann", objective="win", stay=0.01)
    assert ("stay", ("Ann",)) in [(each.kind, each.players) for each in place.preferences]


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"stay": -0.1}, "stay must be at least 0, got -0.1"),
        ({"stay": float("nan")}, "stay must be at least 0, got nan"),
        ({"moves": -1}, "moves must be at least 0, got -1"),
        ({"moves": 1.5}, "moves must be a whole number, got 1.5"),
        ({"moves": True}, "moves must be a whole number, got True"),
    ],
)
def test_prices_and_limits_out_of_range_are_refused(keywords: dict[str, Any], message: str) -> None:
    """By the name of the argument."""
    with pytest.raises(InputError, match=message):
        balance({"Ann": 1, "Bob": 2}, **keywords)


def test_a_team_that_there_is_not_is_refused() -> None:
    """Whoever is in it is named."""
    with pytest.raises(InputError, match="team_now of 'Ann' must be from 1 to 2, got 3"):
        balance([Player("Ann", 1.0, team_now=2), Player("Bob", 2.0)])
    with pytest.raises(InputError, match="must be at least 0, got -1"):
        Player("Ann", team_now=-1)


def test_the_oracle_counts_moves_as_a_person_would() -> None:
    """Of every split of five players, by hand."""
    players = night(1, 5, 2)
    question = read(BalanceRequest.of(players, moves=2).to_dict())
    by_hand = [
        teams
        for teams in product(range(2), repeat=5)
        if abs(2 * sum(teams) - 5) == 1 and moved(players, list(teams)) <= 2
    ]
    assert sorted(splits(question)) == by_hand
    assert optimum(question).splits == len(by_hand)


def test_more_splits_than_a_number_holds_are_too_many() -> None:
    """Of 1,200 players more splits have at most 1,200 moves than a double counts to; that is no warning."""
    each = np.tile([0.0, 1.0], (1200, 1))
    assert nearby._number(each, 1200.0) == np.inf
    assert nearby._number(each[:10], 2.0) == 1 + 10 + 45
