"""The kernels give the same bits plain and compiled, and do what they say."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from tests.kernels import needs_numba

from equipoise.core import compiled
from equipoise.core.registry import OBJECTIVES, resolve
from equipoise.teams.laws import random_problem, random_units
from equipoise.teams.solvers import meet_in_the_middle
from equipoise.teams.solvers import mitm_kernels as kernels
from equipoise.teams.solvers.task import Task


def bits(task: Task) -> list[tuple[bytes, bytes]]:
    """Return what a meeting found, to the bit."""
    return [(np.float64(r.cost).tobytes(), r.labels.tobytes()) for r in meet_in_the_middle.meet(task).ranked]


@pytest.mark.slow
@needs_numba
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_compiled_and_plain_give_the_same_bits(objective: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same splits with the same costs in the same order, whichever way the kernels ran."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        problem = random_problem(rng, most_blocks=15)
        goal = resolve("objective", OBJECTIVES, objective)(random_units(rng, problem))
        task = Task(problem, goal.criterion, keep=7)
        monkeypatch.setattr(meet_in_the_middle, "pays", lambda *_: False)
        plain = bits(task)
        monkeypatch.setattr(meet_in_the_middle, "pays", lambda *_: True)
        assert bits(task) == plain


def test_a_half_lists_every_part_division_in_order() -> None:
    """Of two components and a pair of equals there are 2 x 2 x 3 part-splits, ascending for each size."""
    shelves = tuple(kernels.Shelf([9.0] * 12, [9.0] * 12, [9] * 12, [9] * 8) for _ in range(3))
    kinds = kernels.Kinds([1, 2, 1], [1, 1, -2], [5.0, 3.0, 1.0], [25.0, 9.0, 1.0])
    which, low, sizes = kernels.list_half(kinds, shelves)
    first, second, mask, starts = shelves[which]
    assert (low, sizes, starts[sizes]) == (-2, 6, 12)
    rows = []
    for c in range(sizes):
        assert first[starts[c] : starts[c + 1]] == sorted(first[starts[c] : starts[c + 1]])
        rows += [(low + c, first[row], second[row], mask[row]) for row in range(starts[c], starts[c + 1])]
    expected = [
        (a + b - 2 * c, 5.0 * a + 3.0 * b + c, 25.0 * a + 9.0 * b + c, a + 2 * b + 6 * c)
        for a in (0, 1)
        for b in (0, 1, 2)
        for c in (0, 1)
    ]
    assert sorted(rows) == sorted(expected)


@pytest.mark.slow
@pytest.mark.parametrize("looks", [1, 3, 100_000])
@pytest.mark.parametrize("room", [1, 2, 5, 1000])
def test_pairs_are_all_found_once_whatever_the_room(room: int, looks: int) -> None:
    """Going on where the last call ended finds the same pairs; a block that is outside is passed over."""
    rng = np.random.default_rng(room)
    left, right = (np.sort(rng.normal(0, 1, n)) for n in (30, 300))
    left_second, right_second = rng.normal(0, 1, 30), rng.normal(0, 1, 300)
    right_second[64:128] += 9.0
    blocks = kernels.outline(right_second)
    assert blocks.least.tolist() == [right_second[at : at + 64].min() for at in range(0, 300, 64)]
    shelves = [kernels.Shelf(*axes, None, None) for axes in ((left, left_second), (right, right_second))]
    ranges = kernels.Ranges([3, 15], [15, 28], [2, 0], [290, 200])
    within = kernels.Within(-0.3, 0.4, -1.0, 0.8)
    found, total, reached = [], 0, kernels.Reached(0, 0, 0)
    out_left, out_right = [0] * room, [0] * room
    while reached.at < 2:
        n, looked, reached = kernels.pairs_within(
            *shelves, blocks, ranges, within, reached, looks, out_left, out_right
        )
        assert looked <= looks
        total += looked
        found += list(zip(out_left[:n], out_right[:n], strict=True))
    near = [
        (i, j)
        for start, end, first, last in zip(*ranges, strict=True)
        for i in range(start, end)
        for j in range(first, last)
        if -0.3 <= left[i] + right[j] <= 0.4
    ]
    assert total < len(near)
    assert found == [(i, j) for i, j in near if -1.0 <= left_second[i] + right_second[j] <= 0.8]


@pytest.mark.parametrize("wrong", [ImportError, OSError, RuntimeError])
def test_without_a_working_numba_nothing_is_compiled(
    wrong: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where numba is absent or broken the kernels themselves are what runs."""

    def broken(name: str) -> None:
        raise wrong(name)

    monkeypatch.setattr(compiled, "import_module", broken)
    compiled.available.cache_clear()
    compiled.compiled.cache_clear()
    try:
        assert not compiled.pays(1e9, 1.0)
        assert compiled.compiled(kernels.list_half) is kernels.list_half
    finally:
        monkeypatch.undo()
        compiled.available.cache_clear()
        compiled.compiled.cache_clear()


def test_compiling_pays_for_large_work_or_once_it_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A single small roster never loads numba."""
    monkeypatch.setattr(compiled, "available", lambda: True)
    monkeypatch.delitem(sys.modules, "numba", raising=False)
    assert not compiled.pays(10, 100)
    assert compiled.pays(100, 100)
    monkeypatch.setitem(sys.modules, "numba", object())
    assert compiled.pays(10, 100)
