"""The bound by prices of skill: never above the best plan, and near it where teams are many."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from tests.lobbies.oracle import Case, best, cases
from tests.lobbies.test_annealing import task_of
from tests.lobbies.test_exactness import slack

from equipoise import Status, fill
from equipoise.core.stopping import never
from equipoise.lobbies import column_generation
from equipoise.lobbies.column_generation import BlockGrid, add_one, dual_bound
from equipoise.lobbies.problem import LobbyTask, Placed
from equipoise.lobbies.quick_bounds import even_bound, rounded_up
from equipoise.lobbies.sample_instances import scaled


@pytest.mark.slow
@pytest.mark.parametrize("cells", [8, 30_000_000])
@settings(max_examples=60)
@given(case=cases())
def test_the_bound_is_true_however_coarse_the_grid(cells: int, case: Case) -> None:
    """With parties, bars, waiting players, teams of several sizes, and cells of any width."""

    def bounded(task: LobbyTask) -> Placed:
        return Placed(task.start, dual_bound(task, task.start, never), proven=False)

    expected = best(case)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(column_generation, "FEWEST_CELLS", 8)
        patch.setattr(column_generation, "WORK", cells)
        plan = fill(**case.arguments(), solver=bounded)
    if plan.bound is None or expected is None:
        return
    assert plan.bound <= expected[2] + slack(case)


@pytest.mark.slow
def test_prices_of_no_use_prove_a_true_bound_too() -> None:
    """Weak duality holds for any prices, at any scale of skill."""
    from equipoise.lobbies.column_generation import _Generation

    for scale in (1e-9, 1.0, 1e12):
        instance = scaled(0, 60, 3)
        players = {name: skill * scale for name, skill in instance.players.items()}
        lobbies = [
            dataclasses.replace(lobby, target=(lobby.target or 0.0) * scale) for lobby in instance.lobbies
        ]
        task = task_of(players=players, lobbies=lobbies, team_size=3)
        assert task is not None
        generation = _Generation(task, task.start, never)
        rng = np.random.default_rng(1)
        for _ in range(5):
            price = rng.normal(0.0, scale * scale, generation.grid.n_knots)
            bound, _ = generation._certified(price)
            assert bound <= task.start.value(task.problem)


@pytest.mark.slow
@pytest.mark.parametrize(("team_size", "per_player"), [(3, False), (4, True)])
def test_the_bound_is_near_the_plan_where_tails_are_heavy(team_size: int, per_player: bool) -> None:
    """Where moving skill freely would make nearly perfect teams, and real players do not."""
    rng = np.random.default_rng(0)
    skill = np.exp(rng.normal(0.0, 0.9, 900))
    unit = 1 if per_player else team_size
    targets = [float(skill.mean()) * unit * share for share in (0.8, 1.0, 1.2)]
    task = task_of(
        players={f"p{n}": float(x) for n, x in enumerate(skill)},
        lobbies=dict(zip("abc", targets, strict=True)), team_size=team_size, per_player=per_player,
    )  # fmt: skip
    assert task is not None
    bound, value = dual_bound(task, task.start, never), task.start.value(task.problem)
    assert even_bound(task.problem, task.n_teams, 0) < bound / 10.0
    assert 0.5 * value < bound <= value


def test_the_convolution_is_the_highest_price_of_all_pairs() -> None:
    """Against all pairs."""
    rng = np.random.default_rng(2)
    before, price = rng.normal(size=40), rng.normal(size=7)
    cell = np.sort(rng.choice(30, 7, replace=False))
    expected = np.full(70, -np.inf)
    for one, worth in zip(cell, price, strict=True):
        expected[one : one + 40] = np.maximum(expected[one : one + 40], before + worth)
    found = np.full(70, -np.inf)
    add_one(found, before, cell, price)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.slow
def test_whole_numbers_are_exact_on_the_grid() -> None:
    """A lattice of decimals is found, and no block is off its cell but by rounding."""
    players = {f"p{n}": 100.0 + 0.5 * (n * n % 37) for n in range(30)}
    task = task_of(players=players, lobbies={"a": 325.0}, team_size=3)
    assert task is not None
    found = BlockGrid(task.problem, 20)
    assert (task.problem.target.tolist(), found.step) == ([650.0], 1.0)  # counted in halves
    assert found.away < 1e-9


@pytest.mark.slow
def test_whole_deviations_are_proven_best() -> None:
    """Ten teams that must be 5 from their targets in all: five of them are 1 below, and no plan is better."""
    task = task_of(players={f"p{n}": float(n) for n in range(1, 31)}, lobbies={"a": 46.0}, team_size=3)
    assert task is not None
    assert even_bound(task.problem, 10, 0) == 5.0
    plan = fill({f"p{n}": float(n) for n in range(1, 31)}, {"a": 46.0}, team_size=3)
    assert (plan.value, plan.status) == (5.0, Status.OPTIMAL)


@pytest.mark.parametrize("deviation", ["squared", "absolute"])
def test_whole_deviations_have_whole_values_of_one_parity(deviation: str) -> None:
    """Three pairs of players of 0 to 5: 15 less three odd targets is even, and so is what any plan costs."""
    given: dict[str, object] = {"players": {f"p{n}": float(n) for n in range(6)}, "team_size": 2}
    for targets, above, expected in (((3, 7), 1e-9, 2.0), ((3, 7), 2.0, 2.0), ((3, 6), 0.5, 1.0)):
        lobbies = {f"L{target}": float(target) for target in targets}
        task = task_of(**given, lobbies=lobbies, deviation=deviation)
        assert task is not None
        assert rounded_up(task.problem, above, task.n_teams, task.waiting) == expected
        values = {
            sum(task.problem.deviations(totals, np.array(2), np.array(goals, dtype=np.float64)).tolist())
            for order in itertools.permutations(range(6))
            for goals in itertools.product(targets, repeat=3)
            for totals in [np.array(order, dtype=np.float64).reshape(3, 2).sum(axis=1)]
        }
        assert all(value % 1.0 == 0.0 for value in values)
        assert any(value % 2.0 == 1.0 for value in values) == (targets == (3, 6))
    odd = task_of(**{**given, "players": {f"p{n}": n + 1 / 3 for n in range(6)}}, lobbies={"a": 5.0})
    assert odd is not None
    assert rounded_up(odd.problem, 0.25, 3, 0) == 0.25


@pytest.mark.slow
def test_heavy_tails_have_bounds_near_their_plans() -> None:
    """Who is above every target costs much for sure: the bound says so to a few hundredths of a player."""
    rng = np.random.default_rng(7)
    for size, lobbies, n, most in ((2, 10, 400, 0.01), (3, 3, 600, 0.025)):
        skill = 25.0 * np.exp(rng.normal(0.0, 0.6, n))
        targets = np.linspace(0.85, 1.15, lobbies) * skill.mean() * size
        plan = fill(
            {f"p{k}": float(x) for k, x in enumerate(skill)},
            {f"L{k}": float(x) for k, x in enumerate(targets)},
            team_size=size,
            parties=[(f"p{k}", f"p{k + 1}") for k in range(0, n // 10, 2)],
            solver="large",
        )
        assert plan.excess is not None
        assert plan.excess < most * skill.std()
