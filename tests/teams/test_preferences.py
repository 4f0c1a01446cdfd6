"""Preferences with a price, roles, rules and several criteria, against the slow obvious oracle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.play.nights import Night

from equipoise import InputError, Player, Preference, Rule, Solution, Status, balance
from equipoise.core.match import Contest, Match, Ruleset
from equipoise.teams.problem.preferences import recent_preferences
from equipoise.teams.solvers import exchange

#: Numbers of players and teams that the oracle goes through, and the exact solvers for each.
SHAPES = [
    *((n, 2, solver) for n in (5, 8) for solver in ("auto", "enumerate", "mitm")),
    *((n, k, "enumerate") for n, k in ((7, 3), (8, 4))),
]


DUEL = {"a": 1.0, "b": 2.0}


def evening(seed: int, n: int, k: int, **more: Any) -> Night:
    """Return a roster with zero weights, ties and equal players in plenty."""
    rng = np.random.default_rng([seed, n, k])
    makers = [
        np.round(np.abs(rng.normal(25, 8, n)), 2),
        rng.integers(0, 4, n).astype(float),
        rng.choice([0.0, 5.0, 7.5], n),
    ]
    return Night(tuple(makers[seed % len(makers)].tolist()), k, **more)


def picky(seed: int, n: int, k: int) -> Night:
    """Return a roster with preferences of every kind."""
    rng = np.random.default_rng([seed, n, k, 1])
    groups = [tuple(rng.permutation(n)[:size].tolist()) for size in (2, 3, 2, 3)]
    prices = rng.choice([0.0, 0.004, 0.02, 0.1], 4).tolist()
    return evening(
        seed, n, k,
        prefer=((groups[0], prices[0]), (groups[1], prices[1])),
        avoid=((groups[2], prices[2]), (groups[3], prices[3])),
        sides=tuple(rng.choice([0.0, 0.25, 0.5, 1.0], n).tolist()) if seed % 2 else (),
        side_price=0.01 if seed % 2 else 0.0,
        parties=((0, 1),) if seed % 3 == 2 else (),
        apart=((2, 3),) if seed % 3 == 1 else (),
    )  # fmt: skip


@pytest.mark.slow
def test_ten_players_in_four_teams() -> None:
    """The same at the largest size the oracle goes through: preferences, a rule, and somebody on a side."""
    n, k = 10, 4
    case = Night(
        tuple(np.round(np.random.default_rng(4).normal(25, 8, n), 1).tolist()), k,
        prefer=(((0, 1), 0.02), ((2, 3, 4), 0.001)), avoid=(((5, 6), 0.05),),
        parties=((7, 8),), at_most=((tuple(float(i in (0, 5, 7, 9)) for i in range(n)), 1.0),),
    )  # fmt: skip
    fair = solved(case, objective="win")
    sums = solved(case, objective="difference", preferences=())
    assert fair.status is Status.OPTIMAL
    case.check(fair, proof=True, objective="win")
    assert sums.value == pytest.approx(case.best(objective="difference", preferences=()), abs=1e-6)


def solved(case: Night, **more: Any) -> Solution:
    """Balance an evening."""
    return balance(**{**case.arguments(), **more})  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("n", "k", "solver"), SHAPES)
def test_preferences_are_broken_where_keeping_them_costs_more(n: int, k: int, solver: str, seed: int) -> None:
    """The sum of win distance and prices paid is the least there is."""
    case = picky(seed, n, k)
    solution = solved(case, objective="win", solver=solver)
    assert solution.status in (Status.OPTIMAL, Status.INFEASIBLE)
    case.check(solution, proof=True, objective="win")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("n", "k", "solver"), SHAPES)
def test_a_weighted_sum_is_the_least_there_is(n: int, k: int, solver: str, seed: int) -> None:
    """Weights exchange one unit for another."""
    case = picky(seed, n, k)
    solution = solved(case, objective={"difference": 1.0, "preferences": 100.0}, solver=solver)
    best = case.best(objective={"difference": 1.0, "preferences": 100.0})
    assert solution.value == (best if best is None else pytest.approx(best, abs=1e-6))
    assert solution.status is (Status.INFEASIBLE if best is None else Status.OPTIMAL)
    case.check(solution, objective={"difference": 1.0, "preferences": 100.0})


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("n", "k", "solver"), SHAPES)
def test_an_order_is_lexicographic_with_tolerances(n: int, k: int, solver: str, seed: int) -> None:
    """Among the splits within the tolerance of the fewest prices, the least gap."""
    case = picky(seed, n, k)
    asked = {"objective": ["preferences", "difference"], "tolerances": [0.005]}
    solution = solved(case, **asked, solver=solver)
    assert solution.status in (Status.OPTIMAL, Status.INFEASIBLE)
    case.check(solution, proof=True, **asked)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("n", "k", "solver"), SHAPES)
def test_rules_of_ones_own_are_kept_at_the_best_gap(n: int, k: int, solver: str, seed: int) -> None:
    """Sums over each team's players stay within their limits, and nothing that keeps them is better."""
    rng = np.random.default_rng([seed, n, k, 2])
    special = rng.permutation(n)[: k + 1].tolist()
    medics = tuple(float(i in special) for i in range(n))
    ping = tuple(rng.integers(10, 100, n).astype(float).tolist())
    case = evening(seed, n, k, at_most=((medics, 2.0), (ping, 1.25 * sum(ping) / k)), parties=((0, 1),))
    solution = solved(case, objective="difference", solver=solver)
    best = case.best(objective="difference")
    assert solution.value == (best if best is None else pytest.approx(best, abs=1e-6))
    assert solution.status is (Status.INFEASIBLE if best is None else Status.OPTIMAL)
    if best is None:
        assert "rules" in solution.reason or "party" in solution.reason
    case.check(solution, objective="difference")


def roled(seed: int, n: int, k: int, needed: dict[str, int]) -> Night:
    """Return a roster with ratings by role, some not known, and players who play anything."""
    rng = np.random.default_rng([seed, n, k, 3])
    weights = np.round(rng.normal(25, 8, n), 1)
    roles = [
        {role: float(np.round(w + rng.normal(0, 5), 1)) for role in needed if rng.random() < 0.7}
        for w in weights
    ]
    return Night(tuple(weights.tolist()), k, needed=tuple(needed.items()), roles=tuple(roles))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("n", "k", "needed"),
    [
        (6, 2, {"tank": 1, "damage": 1, "support": 1}),
        (8, 2, {"tank": 1, "damage": 2}),
        (9, 3, {"tank": 1, "support": 2}),
        (8, 4, {"tank": 1, "support": 1}),
        (10, 2, {"tank": 1, "damage": 2, "support": 2}),
    ],
)
def test_roles_are_filled_and_the_line_ups_are_the_strongest(
    n: int, k: int, needed: dict[str, int], seed: int
) -> None:
    """A team's total is that of its strongest line-up, and the split the best by these totals."""
    case = roled(seed, n, k, needed)
    best = case.best(objective="difference")
    for solver in ("auto", "enumerate", "exchange"):
        solution = solved(case, objective="difference", solver=solver)
        if solver == "exchange":
            assert solution.bound is None or best is None or solution.bound <= best
        else:
            assert solution.value == (best if best is None else pytest.approx(best, abs=1e-9))
            assert solution.status is (Status.INFEASIBLE if best is None else Status.OPTIMAL)
        case.check(solution, objective="difference")


@pytest.mark.slow
@pytest.mark.parametrize("exponent", [-9, 0, 11])
@pytest.mark.parametrize("seed", range(8))
def test_line_ups_of_decimals_that_tie_are_the_same_on_every_scale(seed: int, exponent: int) -> None:
    """Of line-ups with equal totals on paper it is the same that counts, whatever the last digits of sums."""
    rng = np.random.default_rng([seed, 9])

    def decimal() -> float:
        return float(f"{rng.integers(1, 30) / 10}e{exponent}")

    names = ("tank", "heal")
    roles = tuple({role: decimal() for role in names if rng.random() < 0.8} for _ in range(7))
    night = Night(tuple(decimal() for _ in range(7)), needed=(("tank", 1), ("heal", 1)), roles=roles)
    for objective in ("indistinguishable", "spread"):
        solution = balance(**night.arguments(), objective=objective, keep=8)
        night.check(solution, proof=True, objective=objective, keep=8)


@pytest.mark.slow
def test_line_ups_are_the_same_beyond_the_table_and_compiled() -> None:
    """The table of small rosters, the direct way of large ones, and the compiled kernel agree."""
    from equipoise.teams.problem import roles as module

    case = roled(5, 8, 2, {"tank": 1, "damage": 2})
    reported = solved(case, keep=20)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "TABLE_BLOCKS", 0)
        assert solved(case, keep=20) == reported
        patch.setattr(module, "COMPILE_FROM", 0)
        assert solved(case, keep=20) == reported


@pytest.mark.slow
@pytest.mark.parametrize(("n", "k"), [(24, 2), (24, 4), (32, 2)])
def test_large_rosters_keep_what_must_be_kept(n: int, k: int) -> None:
    """The independent checker finds nothing wrong at sizes that no oracle reaches."""
    rng = np.random.default_rng(n + k)
    weights = tuple(np.round(rng.normal(25, 8, n), 2).tolist())
    medics = tuple(float(i < 2 * k) for i in range(n))
    case = Night(
        weights, k, prefer=(((4, 9, 11), 0.01),), avoid=(((1, 5), 0.02),), side_price=0.005,
        sides=tuple(rng.choice([0.0, 0.5, 1.0], n).tolist()),
        parties=((0, 8, 12), (3, 7)), apart=((2, 6),), at_most=((medics, 2.0),),
    )  # fmt: skip
    solution = solved(case, keep=2)
    assert len(solution.splits) == 2
    case.check(solution, keep=2)


@pytest.mark.slow
def test_roles_of_a_large_roster_are_filled_without_a_proof() -> None:
    """Beyond enumeration a bounded search says that it proved nothing."""
    rng = np.random.default_rng(1)
    players = [
        Player(f"p{n}", w, roles={r: w + rng.normal(0, 5) for r in ("tank", "heal") if rng.random() < 0.7})
        for n, w in enumerate(rng.normal(25, 8, 24))
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exchange, "MOST_JUDGED", 1 << 11)
        solution = balance(players, roles={"tank": 4, "heal": 8})
    assert solution.status is Status.FEASIBLE
    assert [sorted(roles) for roles in solution.best.roles] == [["heal"] * 8 + ["tank"] * 4] * 2


def test_the_side_that_is_wanted_is_the_one_that_is_given() -> None:
    """Where teams are told apart, preferences pull to their own side, under every objective."""
    weights = dict.fromkeys("abcdefgh", 10.0)
    players = [
        Player(n, w, side=1.0 if n in "abc" else 0.5, team=0 if n == "h" else None)
        for n, w in weights.items()
    ]
    for objective in ("indistinguishable", "win", "spread"):
        split = balance(players, objective=objective, side_price=0.01).best
        assert {"a", "b", "c"} <= {player.id for player in split.teams[1]}
    split = balance(players, objective="indistinguishable").best
    assert {"a", "b", "c"} <= {player.id for player in split.teams[1]}


def test_preferences_come_with_the_players_too() -> None:
    """``Player.prefer`` and ``Player.avoid`` are the same preferences."""
    players = [
        Player("a", 9, prefer=["b"]), Player("b", 7, avoid={"d": 0.5}), Player("c", 5), Player("d", 4),
    ]  # fmt: skip
    outcomes = balance(players, objective="difference").best.preferences
    assert [(o.kind, o.players, o.price) for o in outcomes] == [
        ("together", ("a", "b"), 0.01), ("apart", ("b", "d"), 0.5),
    ]  # fmt: skip


def test_recent_team_mates_count_less_the_longer_ago() -> None:
    """A pair of the last match is worth the price, of the one before half of it, and they add up."""
    games = [
        Match((Contest(Ruleset(), (["a", "b"], ["c", "d"]), (1, 2), at=1.0),)),
        Match((Contest(Ruleset(), (["a", "b", "x"], ["c"]), (1, 2), at=2.0),)),
    ]
    preferences = {
        preference.players: preference.price
        for preference in recent_preferences(games, {"a", "b", "c", "d"}, 0.02)
    }
    assert preferences == {("a", "b"): 0.03, ("c", "d"): 0.01}


@pytest.mark.parametrize("solver", ["climb", "anneal", "resplit", "bitset", "snake"])
def test_solvers_that_would_pass_over_preferences_refuse(solver: str) -> None:
    """Nothing that is asked for is passed over without a word."""
    roster = {name: float(n) for n, name in enumerate("abcdef")}
    with pytest.raises(InputError, match="does not support"):
        balance(roster, preferences=[Preference("together", "ab")], solver=solver)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Preference("near", "ab"), "preference must be "),
        (lambda: Preference("apart", "a"), "preference must name at least two"),
        (lambda: Preference("apart", "ab", 2.0), "price must be a win probability"),
        (lambda: Rule("x", {}, high=1), "rule 'x' must name at least one player"),
        (lambda: Rule("x", {"a": 1}), "rule 'x' has no limit"),
        (lambda: Rule("x", {"a": 1}, low=2, high=1), "rule 'x' has the least"),
        (lambda: balance(DUEL, rules=[Rule("x", {"c": 1}, high=1)]), "rule 'x': there is no"),
        (lambda: balance(DUEL, rules=[Rule("x", {("a", 2): 1}, high=1)]), "rule 'x': it names team 3"),
        (lambda: balance(DUEL, roles={"tank": 2}), "roles: 'tank' must be from 1 to 1"),
        (lambda: balance(DUEL, objective=[]), "objective must name at least one, got none"),
        (lambda: balance(DUEL, objective={"win": 0}), "objective: the weight of 'win' must"),
        (lambda: balance(DUEL, objective=["win", "difference"], tolerances=[]), "tolerances: there are 0"),
        (lambda: balance(DUEL, objective="win", tolerances=[1]), "tolerances: there is only"),
        (lambda: Player("a", prefer={"b": 3.0}), "prefer: the price of 'a' for 'b'"),
        (lambda: balance(DUEL, side_price=-1), "side_price must be at least 0, got -1"),
    ],
)  # fmt: skip
def test_mistakes_are_named(make: Any, message: str) -> None:
    """A message begins with the argument."""
    with pytest.raises(InputError) as caught:
        make()
    assert str(caught.value).startswith(message)


@pytest.mark.slow
def test_what_cannot_be_kept_is_named() -> None:
    """Too few players of a role, or rules that exclude each other, are an answer with a reason."""
    players = [Player(n, 1.0, roles=["tank"] if n == "a" else ["heal"]) for n in "abcdef"]
    solution = balance(players, roles={"tank": 1, "heal": 2})
    assert solution.status is Status.INFEASIBLE
    assert solution.reason == "2 of 'tank' are needed in 2 teams, but 1 can play it"
    rules = [Rule("few", dict.fromkeys("abcdef", 1.0), high=2)]
    solution = balance(dict.fromkeys("abcdef", 1.0), rules=rules)
    assert (solution.status, "the rules 'few' cannot be kept" in solution.reason) == (Status.INFEASIBLE, True)
