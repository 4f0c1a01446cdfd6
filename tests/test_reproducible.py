"""Answers do not depend on the processor: not on how it adds up, nor on how it finds the least numbers."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import equipoise
from equipoise.core.arrays import least
from equipoise.teams.problem.problem import parts_of, sums_of

#: What libraries are to think of the processor: kernels of OpenBLAS, each with the features that it needs by
#: either of the names that NumPy has had for them, and features that NumPy leaves alone.
BLAS = {"Prescott": ("SSE3", "X86_V2"), "Haswell": ("AVX2", "X86_V3"), "SkylakeX": ("AVX512_SKX", "X86_V4")}
NUMPY = "NPY_DISABLE_CPU_FEATURES"

#: Prints the splits of the recorded requests.
SPLITS = """
import json, sys
from equipoise import Player, balance
for case in json.load(open(sys.argv[1], encoding="utf-8"))["balance"]:
    players = [Player(f"p{n}", weight) for n, weight in enumerate(case["weights"])]
    solution = balance(players, teams=case["teams"], objective=case["objective"])
    print(sorted(sorted(player.id for player in team) for team in solution.best.teams))
"""

GOLDEN = Path(__file__).parent / "data" / "golden.json"


def processors() -> list[dict[str, str]]:
    """Return what the environment says on some kinds of processors."""
    umath = pytest.importorskip("numpy._core._multiarray_umath")
    features = [name for name in umath.__cpu_dispatch__ if umath.__cpu_features__.get(name)]
    without = [{NUMPY: " ".join(features[n:])} for n in range(len(features))]
    able = [name for name, needed in BLAS.items() if any(map(umath.__cpu_features__.get, needed))]
    return [{"OPENBLAS_CORETYPE": name} for name in able] + without


@pytest.mark.slow
def test_the_same_teams_on_every_processor() -> None:
    """Decimals that tie were divided in another way by each: the recorded splits are those of all."""
    recorded = [str(case["split"]) for case in json.loads(GOLDEN.read_text(encoding="utf-8"))["balance"]]
    for processor in processors():
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", SPLITS, str(GOLDEN)],
            env={**os.environ, **processor},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.splitlines() == recorded, processor


numbers = st.floats(-1e12, 1e12).filter(lambda x: x == 0.0 or abs(x) > 1e-12) | st.integers(-90, 90).map(
    lambda tenths: tenths / 10
)


@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=40), st.integers(0, 99))
def test_sums_do_not_depend_on_the_order(rows: list[tuple[float, float]], seed: int) -> None:
    """They are those of exact arithmetic but for one rounding, in any order."""
    order = np.random.default_rng(seed).permutation(len(rows))
    chosen = np.array([[n % 3 != 0 for n in range(len(rows))], [True] * len(rows)])
    sums = sums_of(chosen, parts_of(np.array(rows)), 2)
    again = sums_of(chosen[:, order], parts_of(np.array(rows)[order]), 2)
    assert sums.tobytes() == again.tobytes()
    for row, mask in zip(sums, chosen, strict=True):
        for column, total in enumerate(row.tolist()):
            true = math.fsum(rows[n][column] for n in np.flatnonzero(mask))
            assert abs(total - true) <= math.ulp(true)


def test_of_no_splits_there_are_no_sums() -> None:
    """Where no split is legal."""
    assert sums_of(np.zeros((0, 4), dtype=np.bool_), parts_of(np.full((4, 5), 0.1)), 5).shape == (0, 5)


@given(
    st.lists(st.lists(st.sampled_from([0.0, 0.1, 1.0, 2.0, math.inf]), min_size=5, max_size=5), min_size=1),
    st.integers(1, 5),
)
def test_of_equal_costs_the_first_are_least(rows: list[list[float]], many: int) -> None:
    """So many of each row, those that a stable sort puts first."""
    costs = np.array(rows)
    wanted = np.zeros(costs.shape, dtype=np.bool_)
    np.put_along_axis(wanted, costs.argsort(axis=1, kind="stable")[:, :many], True, axis=1)
    assert (least(costs, many) == wanted).all()
    assert (least(costs[0], many) == wanted[0]).all()


def test_nothing_is_ordered_as_the_processor_likes() -> None:
    """Partitions by index, and sorts that need not keep the order of equals, differ between processors."""
    source = Path(equipoise.__file__).parent
    for path in source.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert "argpartition" not in text, path
        for call in re.findall(r"argsort\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)", text):
            # Whoever says that no kind is needed orders anew where two are equal.
            assert 'kind="stable"' in call or "kind=None" in call, f"{path}: {call}"
