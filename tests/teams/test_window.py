"""Window enumeration, batches and very large rosters, against enumeration and independent checks."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise import InputError, Player, Status, balance, balance_many
from equipoise.core.registry import OBJECTIVES, SOLVERS, resolve
from equipoise.teams.laws import random_problem, random_units
from equipoise.teams.objectives.objective import Limit
from equipoise.teams.solvers.task import Task
from equipoise.teams.solvers.window import suits

ENUMERATE, WINDOW = (resolve("solver", SOLVERS, name) for name in ("enumerate", "window"))


@pytest.mark.slow
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("n_teams", [2, 3, 4])
def test_windows_find_what_enumeration_finds(objective: str, n_teams: int) -> None:
    """Whatever the preferences, sizes and bots, the best and the k best are the same, and proven."""
    for seed in range(12 if n_teams < 4 else 5):
        rng = np.random.default_rng([seed, n_teams])
        problem = random_problem(rng, 9 if n_teams < 4 else 8, n_teams)
        goal = resolve("objective", OBJECTIVES, objective)(random_units(rng, problem))
        limits: tuple[Limit, ...] = ()
        for criterion, tolerance in goal.first:
            least = ENUMERATE(Task(problem, criterion)).ranked[0].cost
            limits = (*limits, Limit(criterion, least + tolerance))
        task = Task(problem, goal.criterion, limits, keep=int(rng.choice([1, 3, 100])))
        expected, found = ENUMERATE(task), WINDOW(task)
        assert suits(task)
        assert found.proven
        np.testing.assert_allclose(
            [ranked.cost for ranked in found.ranked],
            [ranked.cost for ranked in expected.ranked],
            rtol=1e-9,
            atol=1e-9,
        )
        assert all(problem.legal(ranked.labels[None, :])[0] for ranked in found.ranked)


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(2, 1, 1, 2), (2, 2, 3), (1, 3, 3)])
def test_teams_of_given_sizes_are_told_apart_by_sides(sizes: tuple[int, ...]) -> None:
    """Who prefers the last team is better there than in the first one of the same size."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        sides = rng.choice([0.0, 0.25, 0.5, 1.0], sum(sizes))
        players = [Player(f"p{n}", float(2**n), side=float(side)) for n, side in enumerate(sides)]
        asked = {
            "teams": len(sizes),
            "sizes": sizes,
            "objective": "indistinguishable",
            "side_weight": 0.5,
            "keep": 5,
        }
        expected, found = (
            balance(players, solver=solver, **asked)  # type: ignore[arg-type]
            for solver in ("enumerate", "window")
        )
        assert found.status is expected.status is Status.OPTIMAL
        np.testing.assert_allclose(
            [split.value for split in found.splits], [split.value for split in expected.splits], atol=1e-12
        )


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["difference", "ratio", "win"])
def test_planted_teams_of_equal_sums_are_found(objective: str) -> None:
    """Six teams of three with equal sums are found again among 190 billion splits."""
    rng = np.random.default_rng(5)
    first = rng.integers(1, 400, (6, 2))
    weights = np.append(first, 1000 - first.sum(axis=1, keepdims=True), axis=1).ravel()
    roster = {f"p{n}": float(weight) for n, weight in enumerate(rng.permutation(weights))}
    solution = balance(roster, teams=6, objective=objective)
    assert solution.status is Status.OPTIMAL
    assert solution.value == pytest.approx(1.0 if objective == "ratio" else 0.0, abs=1e-12)


@pytest.mark.parametrize("n", [2, 4, 6, 10])
def test_a_batch_has_the_values_of_single_matches(n: int) -> None:
    """Every row is divided as ``balance`` does, into equal teams."""
    table = np.random.default_rng(n).normal(25.0, 8.0, (8, n))
    labels, values = balance_many(table)
    for ratings, row, value in zip(table, labels, values, strict=True):
        single = balance({f"p{i}": float(rating) for i, rating in enumerate(ratings)}, objective="difference")
        assert value == pytest.approx(single.value, abs=1e-9)
        assert 2 * int(row.sum()) == n
        assert value == pytest.approx(abs(ratings[row == 0].sum() - ratings[row == 1].sum()), abs=1e-9)


@pytest.mark.parametrize(
    "ratings", [[[1, 2, 3]], [1, 2], [[1, float("nan")]], [["a", "b"]], np.zeros((1, 18))]
)
def test_a_batch_that_is_no_table_is_refused(ratings: object) -> None:
    """The message begins with the argument."""
    with pytest.raises(InputError, match=r"^ratings must "):
        balance_many(ratings)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("teams", [2, 3])
def test_thousands_are_folded_legally(teams: int) -> None:
    """Parties stay together, enemies apart, sizes are kept, and the totals hardly differ."""
    rng = np.random.default_rng(2)
    players = [
        Player(f"p{n}", float(weight), party=f"g{n // 3}" if n < 900 else None)
        for n, weight in enumerate(rng.normal(25.0, 8.0, 8001))
    ]
    solution = balance(
        players, teams=teams, objective="difference", apart=[("p1000", "p2000")], fixed={"p5": 1}
    )
    assert solution.solver == "fold"
    team_of = {player.id: n for n, team in enumerate(solution.best.teams) for player in team}
    sizes = [len(team) for team in solution.best.teams]
    assert max(sizes) - min(sizes) <= 1
    assert all(len({team_of[f"p{3 * g + i}"] for i in range(3)}) == 1 for g in range(300))
    assert team_of["p1000"] != team_of["p2000"]
    assert team_of["p5"] == 1
    assert solution.value is not None
    assert solution.value < 1.0


def test_whoever_is_fixed_to_a_team_must_fit_into_it() -> None:
    """Sizes that do not hold the fixed players are no split, also where nobody else is left."""
    roster = {f"p{n}": n**0.5 for n in range(14)}
    fixed = dict.fromkeys(list(roster)[:6], 0)
    assert str(balance(roster, teams=3, fixed=fixed).status) == "infeasible"
    assert (
        str(balance(roster, teams=3, fixed=dict.fromkeys(roster, 0), solver="window").status) == "infeasible"
    )


def test_two_who_must_be_apart_and_are_fixed_to_one_team_are_named() -> None:
    """With any number of teams that is a contradiction of the two."""
    roster = {f"p{n}": n**0.5 for n in range(14)}
    for teams in (2, 3):
        solution = balance(roster, teams=teams, apart=[("p1", "p2")], fixed={"p1": 1, "p2": 1})
        assert str(solution.status) == "infeasible"
        assert solution.reason.startswith("'p1' and 'p2' contradict: they must be apart, but")


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["resplit", "window", "exchange", "fold"])
def test_all_players_may_be_one_party_where_teams_may_be_empty(solver: str) -> None:
    """Pairs of teams that nobody is in have nothing to re-divide."""
    roster = {"a": 1.0, "b": 2.0, "c": 4.0, "d": 8.0}
    solution = balance(
        roster,
        teams=4,
        parties=[tuple(roster)],
        min_size=0,
        objective="indistinguishable",
        solver=solver,
        keep=3,
    )
    assert len(solution.splits) == 1
