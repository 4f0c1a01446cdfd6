"""The laws of objectives, solvers and rules as functions, and instances to try them on.

``check_objective``, ``check_solver`` and ``check_rule`` raise AssertionError with the law that is broken, as
do :mod:`equipoise.ratings.laws` and :mod:`equipoise.games.laws` for rating models and games.
The project's own tests run them over everything that is registered.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from equipoise.core.arrays import Floats, Labels
from equipoise.core.player import Player
from equipoise.teams.explain.asked_rules import AddedRule, Constraint
from equipoise.teams.objectives.objective import Criterion, Limit, Objective, Pair, Units
from equipoise.teams.problem.build import rated
from equipoise.teams.problem.problem import COUNT, MU, SIDE, Problem
from equipoise.teams.problem.two_team_components import Contradiction, components
from equipoise.teams.solvers.task import Found, Task, signature

#: Relative and absolute difference of costs that rounding explains.
RELATIVE, ABSOLUTE = 1e-9, 1e-11


def random_problem(rng: np.random.Generator, most_blocks: int = 9, n_teams: int = 2) -> Problem:
    """Return a small problem that has legal splits, of any kind there is.

    Zero weights, ties, equal players, parties, players apart or fixed, unequal and limited sizes, bots and
    uncertain ratings all come up.
    """
    while True:
        problem = _random_problem(rng, most_blocks, n_teams)
        try:
            if n_teams == 2:
                components(problem)
        except Contradiction:
            continue
        if next(legal_splits(problem), None) is not None:
            return problem


def _random_problem(rng: np.random.Generator, most_blocks: int, n_teams: int) -> Problem:
    blocks = int(rng.integers(2, most_blocks + 1))
    parties = (
        rng.choice([1, 1, 1, 1, 2, 3], size=blocks) if rng.random() < 0.4 else np.ones(blocks, dtype=int)
    )
    n = int(parties.sum())
    makers: list[Callable[[], Floats]] = [
        lambda: rng.normal(25.0, 8.0, n),
        lambda: rng.integers(0, 4, n).astype(np.float64),
        lambda: np.round(rng.normal(1500.0, 300.0, n)),
        lambda: rng.choice([0.0, 0.0, 5.0, 7.5], n),
        lambda: np.full(n, 3.25),
    ]
    mu = np.abs(makers[rng.integers(len(makers))]())
    variance = rng.random(n) * 4.0 * rng.integers(0, 2)
    side = rng.choice([0.0, 0.5, 1.0], n) if rng.random() < 0.4 else np.full(n, 0.5)
    centre = float(mu.mean())
    each = np.stack([np.ones(n), mu, (mu - centre) ** 2, variance, side], axis=1)
    ends = np.cumsum(parties)
    members = tuple(
        tuple(range(end - size, end)) for size, end in zip(parties.tolist(), ends.tolist(), strict=True)
    )
    features = np.stack([each[list(places)].sum(axis=0) for places in members])
    apart = [tuple(rng.permutation(blocks)[:2].tolist()) for _ in range(int(rng.integers(0, 3)))]
    fixed = [-1] * blocks
    if rng.random() < 0.3:
        fixed[rng.integers(blocks)] = int(rng.integers(n_teams))
    filler, seats = None, (0,) * n_teams
    if rng.random() < 0.5:
        weight = float(rng.choice([centre, 3.0]))
        filler = np.array([1.0, weight, (weight - centre) ** 2, 0.0, 0.5])
        seats = [(0,) * n_teams, (6,) * n_teams, (n,) * n_teams, (n,) * (n_teams - 1) + (n + 2,)][
            rng.integers(4)
        ]
    most = (n,) * n_teams
    sizes = [
        ((0,) * n_teams, most),
        ((1,) * n_teams, (n - 1,) * n_teams),
        ((n // (n_teams + 1),) + (0,) * (n_teams - 1), most),
    ][rng.integers(3)]
    return Problem(
        features=features,
        min_size=sizes[0],
        max_size=sizes[1],
        max_difference=int(rng.choice([1, 1, 2, 4, n])),
        seats=seats,
        filler=filler,
        apart=tuple(pair for pair in apart if len(pair) == 2),
        fixed=tuple(fixed),
        centre=centre,
        members=members,
    )


def random_units(rng: np.random.Generator, problem: Problem) -> Units:
    """Return units that suit a problem."""
    mu = problem.features[:, MU]
    spread = float(mu.std()) or 1.0
    return Units(
        beta=spread,
        zero=float(rng.choice([0.0, problem.centre, problem.centre - 0.5 * spread])),
        centre=problem.centre,
        prior=spread * spread / 64.0,
        side_weight=float(rng.choice([0.0, 0.01, 0.5])),
        tolerance=float(rng.choice([0.001, 0.05])),
    )


def legal_splits(problem: Problem) -> Iterator[Labels]:
    """Go through every legal split of a small problem, shape (n_blocks,), by brute force."""
    for labels in itertools.product(range(problem.n_teams), repeat=problem.n_blocks):
        split = np.array(labels, dtype=np.int8)
        if problem.legal(split[None, :])[0]:
            yield split


def best_costs(task: Task) -> list[float]:
    """Return the costs of the best different splits of a small task, by brute force."""
    costs: dict[bytes, float] = {}
    for labels in legal_splits(task.problem):
        totals = task.problem.totals(labels[None, :])
        if all(criterion.cost(totals)[0] <= limit for criterion, limit in task.limits):
            costs.setdefault(signature(task.problem, labels), float(task.criterion.cost(totals)[0]))
    return sorted(costs.values())[: task.keep]


def check_objective(factory: Callable[[Units], Objective], rng: np.random.Generator) -> None:
    """Hold an objective to the laws of its kind, on one random instance.

    It is deterministic, changes none of its arguments, returns one finite number a split, is blind to
    the order of teams, is never below its floor, is at its floor for teams that are alike, and (where it
    has a reach) loses no split by it.
    """
    problem = random_problem(rng)
    objective = factory(random_units(rng, problem))
    assert objective.name, "an objective has a name"
    for criterion in (objective.criterion, *(criterion for criterion, _ in objective.first)):
        _check_criterion(criterion, problem)


def _check_criterion(criterion: Criterion, problem: Problem) -> None:
    splits = np.array(list(legal_splits(problem)), dtype=np.int8)
    totals = problem.totals(splits)
    before = totals.copy()
    costs = criterion.cost(totals)
    assert np.array_equal(totals, before), "an objective does not change its argument"
    assert costs.shape == (len(splits),), "one cost for each split"
    assert np.isfinite(costs).all(), "costs are finite"
    assert np.array_equal(costs, criterion.cost(totals)), "the same totals have the same cost"
    np.testing.assert_allclose(criterion.cost(totals[:, ::-1]), costs, rtol=RELATIVE, atol=ABSOLUTE)
    assert (costs >= criterion.floor - ABSOLUTE).all(), "no cost is below the floor"
    alike = np.repeat(totals[:1, :1], 2, axis=1)
    alike[:, :, SIDE] = alike[:, :, COUNT] / 2
    if alike[0, 0, COUNT] > 0 and criterion.floor == 0.0:
        assert criterion.cost(alike)[0] <= ABSOLUTE * max(1.0, float(np.abs(alike).max())), "alike is even"
    if criterion.has_reach:
        _check_reach(criterion, problem, totals, costs)


def _check_reach(criterion: Criterion, problem: Problem, totals: Floats, costs: Floats) -> None:
    second = np.array(criterion.second)
    for split, cost in zip(totals, costs, strict=True):
        counts = split[:, COUNT].round().astype(int)
        pair = Pair((int(counts[0]), int(counts[1])), split.sum(axis=0))
        within = criterion.reach(float(cost), pair)
        size = np.abs(problem.features).sum(axis=0) + np.abs(split).sum(axis=0)
        for total, interval, room in (
            (split[0, MU], within[0], size[MU]),
            (split[0] @ second, within[1], size @ second),
        ):
            slack = RELATIVE * room + ABSOLUTE
            assert interval.low - slack <= total <= interval.high + slack, "reach loses no split"


def check_solver(
    solver: Callable[[Task], Found], objective: Objective, problem: Problem, *, exact: bool, keep: int = 3
) -> None:
    """Hold a solver to the laws of its kind, on one problem and objective.

    What it returns is legal, within the limits, different, sorted and not more than was asked for; its bound
    is true; the same task has the same answer; an exact solver finds the best and says it is proven; one that
    is asked to stop at once returns without a false proof.
    """
    limits, start = _limits(objective, problem)
    task = Task(problem, objective.criterion, limits, keep=keep, start=start)
    best = best_costs(task)
    found = solver(task)
    costs = [ranked.cost for ranked in found.ranked]
    assert costs == sorted(costs), "best first"
    assert len(costs) <= keep, "not more than asked for"
    for ranked in found.ranked:
        assert problem.legal(ranked.labels[None, :])[0], "legal"
        totals = problem.totals(ranked.labels[None, :])
        assert all(criterion.cost(totals)[0] <= limit for criterion, limit in limits), "within the limits"
        assert math.isclose(ranked.cost, float(objective.criterion.cost(totals)[0]), abs_tol=ABSOLUTE), (
            "true cost"
        )
    assert len({signature(problem, ranked.labels) for ranked in found.ranked}) == len(costs), "different"
    slack = ABSOLUTE + RELATIVE * abs(best[0])
    assert found.bound <= best[0] + slack, "the bound is true"
    if exact:
        assert found.proven, "an exact solver proves what it found"
    if found.proven:
        assert len(costs) == len(best), "all that there are"
        np.testing.assert_allclose(costs, best, rtol=RELATIVE, atol=ABSOLUTE)
    again = solver(replace(task))
    assert [(ranked.cost, ranked.labels.tobytes()) for ranked in again.ranked] == [
        (ranked.cost, ranked.labels.tobytes()) for ranked in found.ranked
    ], "the same task has the same answer"
    stopped = solver(replace(task, stop=lambda: True))
    if stopped.proven:
        np.testing.assert_allclose([r.cost for r in stopped.ranked], best, rtol=RELATIVE, atol=ABSOLUTE)


def check_rule(rule: type[AddedRule], given: Any, players: Sequence[Player], n_teams: int = 2) -> None:
    """Hold a rule that a package adds to the laws of its kind, with one value for some players.

    It has a flag, a help and words; its value is the same after it was written as JSON and read again; it
    comes to sums over players who are there, the same ones each time.
    """
    info = rule.field.named("rule")
    assert info.flag.startswith("--"), "it has a flag"
    assert info.help, "it says what it asks for"
    value = info.kind.freeze(given, "rule")
    info.check(value)
    written = json.loads(json.dumps(info.kind.write(value, "rule"), allow_nan=False))
    again = info.kind.freeze(info.kind.read(written, "rule"), "rule")
    assert again == value, "written and read it is the same"
    roster = rated(players, None)
    rows = list(rule.rows(value, roster.players, n_teams))
    assert rows == list(rule.rows(again, roster.players, n_teams)), "the same value has the same sums"
    for row in rows:
        for who in row.terms:
            roster.find("rule", who if isinstance(who, str) else who[0])
    assert rule.words(Constraint("rule", name="rule"), "rule", ""), "it has words"


def _limits(objective: Objective, problem: Problem) -> tuple[tuple[Limit, ...], tuple[Labels, ...]]:
    """Return the limits an objective's earlier criteria set, and a split within them, by brute force."""
    limits: tuple[Limit, ...] = ()
    start: tuple[Labels, ...] = ()
    for criterion, tolerance in objective.first:
        costs = []
        for labels in legal_splits(problem):
            totals = problem.totals(labels[None, :])
            if all(earlier.cost(totals)[0] <= limit for earlier, limit in limits):
                costs.append((float(criterion.cost(totals)[0]), labels))
        best = min(costs, key=lambda pair: pair[0])
        limits = (*limits, Limit(criterion, best[0] + tolerance))
        start = (best[1],)
    return limits, start
