"""Vectors give in each lane the bits that numbers give."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest
from tests.kernels import needs_numba

from equipoise import Mixture
from equipoise.core import compiled as module
from equipoise.core.compiled import compiled, renamed
from equipoise.core.simd_lanes import above, add_up, in_lanes, largest, shared
from equipoise.ratings.laws import random_contest
from equipoise.ratings.models.gaussian_filter import state_columns
from equipoise.ratings.models.gaussian_filter.contest_columns import pack

pytestmark = [needs_numba, pytest.mark.slow]

#: Numbers at which lanes could go astray, and how many results there are of two of them.
NUMBERS = (0.0, -0.0, 1.0, -2.5, 0.1, 3e-320, 1e-300, 1e300, math.inf, -math.inf, math.nan)
RESULTS = 15


class Sides(NamedTuple):
    """What is calculated with, and where results go."""

    one: Any
    other: Any
    results: Any


def calculate(given: tuple[Sides, ...], scalar: float) -> None:
    """Do everything with two vectors, and with a vector and a number."""
    for sides in in_lanes(given):
        one, other, results = sides.one, sides.other, sides.results
        for n in range(len(one)):
            a, b, at = one[n], other[n], RESULTS * n
            results[at], results[at + 1], results[at + 2], results[at + 3] = a + b, a - b, a * b, a / b
            results[at + 4], results[at + 5], results[at + 6] = max(a, b), min(a, b), above(a, b)
            results[at + 7], results[at + 8] = scalar * a - 1, max(b, scalar) / 3
            results[at + 9] = math.sqrt(max(a, 0.0))
            results[at + 10] = math.exp(min(max(-b, -800.0), 700.0))
            results[at + 11] = math.log(max(a, 1e-300))
            total = 0.0
            for _ in range(3):
                total += b
                total *= a
            results[at + 12] = total
            results[at + 13] = scalar
            results[at + 14] += 1.0


def over_lanes(given: tuple[Sides, ...], numbers: Any) -> None:
    """Make numbers of vectors."""
    for sides in in_lanes(given):
        for n in range(len(sides.one)):
            numbers[3 * n] = max(numbers[3 * n], largest(sides.one[n]))
            numbers[3 * n + 1] = add_up(numbers[3 * n + 1], sides.one[n])
            numbers[3 * n + 2] = shared(sides.other[n])


def records(rows: Any) -> Any:
    """Return rows of lanes as an array of records."""
    return rows.copy().view([(f"f{n}", float) for n in range(rows.shape[1])]).ravel()


@pytest.mark.parametrize("lanes", [2, 4, 8])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_each_lane_has_the_bits_of_a_number(lanes: int) -> None:
    """Sums, quotients, roots, exponentials, of small, large and no numbers; the same with one lane."""
    rng = np.random.default_rng(lanes)
    rows = rng.choice([*NUMBERS, *rng.normal(size=30), *rng.lognormal(0.0, 50.0, size=30)], (2, 400, lanes))
    results = np.zeros((RESULTS * 400, lanes))
    vectors = Sides(*map(records, (*rows, results)))
    compiled(renamed(calculate, f"calculate_{lanes}"))((vectors,), 0.3)
    got = vectors.results.view(float).reshape(results.shape)
    for lane in range(lanes):
        expected = np.zeros(RESULTS * 400)
        columns = Sides(*(np.ascontiguousarray(part[:, lane]) for part in rows), expected)
        calculate((columns,), 0.3)
        assert got[:, lane].tobytes() == expected.tobytes()
        alone = columns._replace(results=np.zeros(RESULTS * 400))
        compiled(renamed(calculate, "calculate_1"))((alone,), 0.3)
        assert alone.results.tobytes() == expected.tobytes()


@pytest.mark.parametrize(("blocks", "lanes"), [(1, 1), (3, 1), (1, 2), (3, 2), (1, 8)])
def test_numbers_of_lanes_are_made_in_turn(blocks: int, lanes: int) -> None:
    """A sum depends on the order: it is that of the lanes, block by block."""
    rng = np.random.default_rng(lanes)
    rows = rng.normal(size=(blocks, 50, lanes)) * 10.0 ** rng.integers(-12, 12, (blocks, 50, lanes))
    others = np.repeat(rng.normal(size=(blocks, 50, 1)), lanes, axis=2)
    plain, fast = np.zeros(150), np.zeros(150)
    over_lanes(
        tuple(Sides(one[:, lane], other[:, lane], None) for one, other in zip(rows, others, strict=True)
              for lane in range(lanes)),
        plain,
    )  # fmt: skip
    made = records if lanes > 1 else np.ravel
    given = tuple(Sides(made(one), made(other), made(one)) for one, other in zip(rows, others, strict=True))
    compiled(renamed(over_lanes, f"over_lanes_{blocks}_{lanes}"))(given, fast)
    assert plain.tobytes() == fast.tobytes()


def test_numbers_do_where_numba_knows_no_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plain functions are compiled as they stand."""
    monkeypatch.setattr(module, "VECTOR_TYPES", "equipoise.not_there")
    monkeypatch.setattr(module, "has_vectors", module.has_vectors.__wrapped__)
    assert not module.has_vectors()
    rows = np.random.default_rng(0).lognormal(size=(2, 50))
    plain, fast = Sides(*rows, np.zeros(RESULTS * 50)), Sides(*rows, np.zeros(RESULTS * 50))
    calculate((plain,), 0.3)
    module.compiled.__wrapped__(renamed(calculate, "calculate_alone"))((fast,), 0.3)
    assert plain.results.tobytes() == fast.results.tobytes()


def test_members_are_worked_on_one_after_the_other_where_there_are_no_vectors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It takes longer, and gives the same."""
    model, rng = Mixture(), np.random.default_rng(5)
    packed = pack([replace(random_contest(rng), at=40_000.0 * n) for n in range(100)])
    side_by_side = model.play(model.initial(), packed, fast=True)
    monkeypatch.setattr(state_columns, "has_vectors", lambda: False)
    assert model.play(model.initial(), packed, fast=True) == side_by_side
