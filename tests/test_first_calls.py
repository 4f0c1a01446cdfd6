"""The first call of a process with a short limit of time loads and compiles nothing that takes longer."""

from __future__ import annotations

import subprocess
import sys

import pytest

from equipoise import balance

#: What is asked, by what would be loaded for it with more time.
ASKED = {
    "numba": "balance({f'p{k}': 25.0 + (k * k * 0.7310585786) % 9 for k in range(40)}, stop=deadline(0.4))",
    "highspy": "fill({f'p{k}': 2.5 + (k * k * 0.7310585786) % 2 for k in range(300)}, "
    "{'A': 6.0, 'B': 7.0}, team_size=2, stop=deadline(0.4))",
}


@pytest.mark.parametrize("absent", ASKED)
def test_what_a_short_limit_cannot_afford_is_not_loaded(absent: str) -> None:
    """There is an answer all the same."""
    code = (
        "import sys; from equipoise import balance, deadline, fill; "
        f"found = {ASKED[absent]}; "
        "print(found.status.value, [name for name in ('numba', 'highspy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split(maxsplit=1)[1].strip() == "[]"
    assert done.stdout.startswith(("feasible", "optimal"))


def test_a_climb_without_time_is_better_than_a_random_split() -> None:
    """Forty players are all but even at once."""
    weights = {f"p{k}": 25.0 + (k * k * 0.7310585786) % 9 for k in range(40)}
    solution = balance(weights, objective="difference", solver="resplit", stop=lambda: True)
    assert solution.value is not None
    assert solution.value < 0.1
