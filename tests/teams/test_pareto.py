"""The Pareto front against all splits."""

from __future__ import annotations

import itertools
from itertools import pairwise

import numpy as np
import pytest

from equipoise import InputError, Preference, Status, pareto
from equipoise.pages.pictures.pareto_front import front_svg


def roster(n: int) -> dict[str, float]:
    """Return players of normal ratings."""
    return {f"p{i}": float(w) for i, w in enumerate(np.random.default_rng(n).normal(25, 8, n))}


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["auto", "enumerate", "mitm"])
@pytest.mark.parametrize("n", [8, 12])
def test_the_front_has_every_division_that_none_is_better_than(n: int, solver: str) -> None:
    """Gap and likeness, as all pairs of numbers that no split beats."""
    weights = np.array(list(roster(n).values()))
    points = []
    for others in itertools.combinations(range(1, n), n // 2 - 1):
        team = np.isin(np.arange(n), (0, *others))
        one, other = weights[team], weights[~team]
        points.append((abs(one.sum() - other.sum()), abs(one.std() - other.std())))
    front: list[tuple[float, float]] = []
    for gap, spread in sorted(points):
        if not front or spread < front[-1][1] - 1e-9:
            front.append((gap, spread))
    found = pareto(roster(n), "difference", "spread", solver=solver)
    assert found.complete
    assert np.allclose(found.points, front, atol=1e-7)


def test_fairness_against_preferences() -> None:
    """The prices of preferences are a criterion of their own."""
    preferences = [
        Preference("together", ("p0", "p1")),
        Preference("together", ("p0", "p2")),
        Preference("apart", ("p3", "p4")),
    ]
    front = pareto(roster(8), "win", "preferences", preferences=preferences)
    distances, paid = zip(*front.points, strict=True)
    assert front.complete
    assert list(distances) == sorted(distances)
    assert list(paid) == sorted(paid, reverse=True)
    assert paid[-1] == 0.0


def test_a_front_that_is_cut_off_says_so() -> None:
    """With fewer points than there are it is not complete; without splits it says why."""
    assert not pareto(roster(8), "difference", "spread", most=1).complete
    nothing = pareto(roster(8), "difference", "spread", parties=[("p0", "p1")], apart=[("p0", "p1")])
    assert nothing.points == ()
    assert nothing.nothing is not None
    assert nothing.nothing.status is Status.INFEASIBLE
    with pytest.raises(InputError, match="keep"):
        pareto(roster(8), "difference", "spread", keep=2)


def test_the_picture_has_a_dot_for_each_division() -> None:
    """Also of a front with a single point."""
    front = pareto(roster(8), "ratio", "spread")
    assert front_svg(front).count("<circle") == len(front.points)
    single = pareto({"a": 1.0, "b": 2.0}, "difference", "win")
    assert front_svg(single).count("<circle") == 1


@pytest.mark.parametrize("teams", [2, 3, 4])
def test_no_point_comes_twice_where_a_unit_does_not_divide_what_is_shown(teams: int) -> None:
    """Means of bots bring units, such as thirtieths, in which a value that is shown is rounded."""
    for seed in range(20):
        rng = np.random.default_rng([teams, seed])
        weights = {f"p{n}": float(weight) / 10.0 for n, weight in enumerate(rng.integers(-90, 90, 6))}
        front = pareto(weights, "spread", "difference", teams=teams, bots=True, most=200)
        seconds = [second for _, second in front.points]
        assert front.complete, (weights, seconds[-3:])
        assert all(later < earlier for earlier, later in pairwise(seconds)), (weights, seconds)
