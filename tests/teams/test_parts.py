"""The smaller parts of two-team balancing: bounds, components, drafts, choosing, criteria."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise import InputError, balance, choose
from equipoise.teams.laws import best_costs, legal_splits, random_problem
from equipoise.teams.objectives.composed import quantile_distance
from equipoise.teams.objectives.moments import Difference
from equipoise.teams.problem.problem import COUNT, MU, Problem
from equipoise.teams.problem.two_team_components import Contradiction, components
from equipoise.teams.solution import chances
from equipoise.teams.solvers.draft import random_start
from equipoise.teams.solvers.task import Best, Task
from equipoise.teams.solvers.two_team_bounds import lower_bound


def problem_of(weights: list[float], **more: object) -> Problem:
    """Return the problem of dividing single players by default rules."""
    mu = np.array(weights, dtype=float)
    n = len(mu)
    features = np.stack([np.ones(n), mu, mu * mu, np.zeros(n), np.full(n, 0.5)], axis=1)
    rules: dict[str, object] = {
        "min_size": (0, 0), "max_size": (n, n), "max_difference": 1, "seats": (0, 0), "filler": None,
        "apart": (), "fixed": (-1,) * n, "centre": 0.0, "members": tuple((i,) for i in range(n)),
    }  # fmt: skip
    return Problem(features=features, **{**rules, **more})  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_bounds_are_true(seed: int) -> None:
    """No split of a random problem is better than the bound that needs no search."""
    problem = random_problem(np.random.default_rng(seed))
    task = Task(problem, Difference())
    assert lower_bound(task, components(problem)) <= best_costs(task)[0] + 1e-9


@pytest.mark.parametrize(
    ("weights", "bound"), [([5, 4, 3, 3], 1.0), ([9, 1, 1, 1], 8.0), ([2.5, 1, 1, 1], 1.5)]
)
def test_bounds_know_parity_and_the_strongest(weights: list[float], bound: float) -> None:
    """An odd total leaves one; a star with the weakest mate still leads by that much."""
    problem = problem_of(weights)
    assert lower_bound(Task(problem, Difference()), components(problem)) == pytest.approx(bound)


@pytest.mark.parametrize("seed", range(30))
def test_components_say_what_their_problem_says(seed: int) -> None:
    """Every choice of signs gives labels, totals and back the same signs."""
    rng = np.random.default_rng(seed)
    problem = random_problem(rng)
    parts = components(problem)
    signs = np.where(parts.free, rng.choice([-1, 1], size=len(parts.free)), 1).astype(np.int8)[None, :]
    labels = parts.labels(signs)
    np.testing.assert_array_equal(parts.signs(labels), signs)
    np.testing.assert_allclose(parts.totals(parts.first_totals(signs)), problem.totals(labels), atol=1e-6)
    assert all(labels[0, a] != labels[0, b] for a, b in problem.apart)
    assert all(team in (-1, labels[0, block]) for block, team in enumerate(problem.fixed))


def test_three_apart_in_two_teams_contradict() -> None:
    """The pair that closes the odd circle is named."""
    with pytest.raises(Contradiction) as caught:
        components(problem_of([1, 2, 3, 4], apart=((0, 1), (1, 2), (0, 2))))
    assert (caught.value.one, caught.value.other) == (0, 2)


@pytest.mark.parametrize("seed", range(40))
def test_a_legal_start_is_found_if_there_is_one(seed: int) -> None:
    """Drafting component by component never gets stuck where a legal split exists."""
    rng = np.random.default_rng(seed)
    problem = random_problem(rng)
    signs = random_start(components(problem), rng)
    assert signs is not None
    assert problem.legal(components(problem).labels(signs[None, :]))[0]


def test_the_drafts_place_as_their_names_say() -> None:
    """Six players, strongest first: A B A B A B, A B B A A B, and to the weaker team."""
    roster = {"a": 60.0, "b": 30.0, "c": 20.0, "d": 15.0, "e": 10.0, "f": 5.0}
    teams = {
        name: [
            "".join(player.id for player in team)
            for team in balance(roster, solver=name, objective="difference").best.teams
        ]
        for name in ("alternate", "snake", "greedy-cap")
    }
    assert teams == {"alternate": ["ace", "bdf"], "snake": ["ade", "bcf"], "greedy-cap": ["aef", "bcd"]}
    loose = balance(roster, solver="greedy", objective="difference", min_size=1).best
    assert [len(team) for team in loose.teams] == [1, 5] or sum(loose.totals) == 140.0
    assert loose.totals == (70.0, 70.0)


def test_the_best_list_takes_the_best_of_many_at_once() -> None:
    """However splits are offered, the same ones stay, without repetitions and in order."""
    problem = problem_of([31, 12, 47, 25, 38, 19, 54, 22])
    task = Task(problem, Difference(), keep=4)
    splits = np.array(list(legal_splits(problem)))
    at_once, singly = Best(task), Best(task)
    at_once.offer(np.repeat(splits, 9, axis=0))
    for split in splits[::-1]:
        singly.offer(split[None, :])
    costs = [
        [entry.cost for entry in best.found(bound=0.0, proven=False).ranked] for best in (at_once, singly)
    ]
    assert costs[0] == costs[1] == best_costs(task)
    assert at_once.full
    assert at_once.worst == costs[0][-1]


def test_choosing_prefers_the_more_even_by_the_power() -> None:
    """Power 0 is blind, a high power sure, and between them the order is that of the distances."""
    solution = balance({"a": 9, "b": 7, "c": 5, "d": 4, "e": 3, "f": 1}, objective="difference", keep=6)
    assert chances(solution, 0.0) == pytest.approx([1 / 6] * 6)
    usual = chances(solution)
    assert usual == sorted(usual, reverse=True)
    assert usual[0] > usual[-1]
    best = [split.value == solution.value for split in solution.splits]
    sure = chances(solution, 200.0)
    assert sum(chance for chance, even in zip(sure, best, strict=True) if even) > 0.99
    assert sum(usual) == pytest.approx(1.0)


def test_choosing_is_seeded() -> None:
    """The same seed chooses the same split, and many seeds choose as the chances say."""
    solution = balance({"a": 9, "b": 7, "c": 5, "d": 4, "e": 3, "f": 1}, objective="difference", keep=3)
    drawn = [choose(solution, rng=np.random.default_rng(seed)) for seed in range(600)]
    assert drawn[7] is choose(solution, rng=np.random.default_rng(7))
    shares = [sum(split is chosen for chosen in drawn) / len(drawn) for split in solution.splits]
    assert shares == pytest.approx(chances(solution), abs=0.07)


@pytest.mark.parametrize("power", [-1.0, float("nan"), float("inf")])
def test_choosing_refuses_powers_without_meaning(power: float) -> None:
    """A negative power would prefer the worst."""
    with pytest.raises(InputError, match=r"^power must be at least 0, got "):
        chances(balance({"a": 1, "b": 2}), power)


def test_quantile_distance_is_the_area_between_distribution_functions() -> None:
    """For equal sizes it is the mean difference of the sorted weights; for others it is an integral."""
    assert quantile_distance([np.array([1.0, 5.0, 9.0]), np.array([2.0, 3.0, 9.0])]) == pytest.approx(1.0)
    assert quantile_distance([np.array([0.0, 4.0]), np.array([1.0])]) == pytest.approx(2.0)
    assert quantile_distance([np.array([]), np.array([1.0])]) == 0.0


def test_totals_count_bots() -> None:
    """A team's totals have the bots that fill it, and a larger team raises the other's seats."""
    filler = np.array([1.0, 10.0, 100.0, 0.0, 0.5])
    problem = problem_of([1, 2, 3], filler=filler, seats=(0, 0), max_difference=3)
    totals = problem.totals(np.array([[0, 0, 0], [0, 1, 1]], dtype=np.int8))
    assert totals[0, :, COUNT].tolist() == [3.0, 3.0]
    assert totals[0, :, MU].tolist() == [6.0, 30.0]
    assert totals[1, :, MU].tolist() == [11.0, 5.0]
