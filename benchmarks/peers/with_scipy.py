"""``scipy.optimize.milp`` (HiGHS): one binary a player, a count, and the difference as the objective."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from answering import Answer, Solve, serve

#: What the status of scipy's result means: the optimum was found.
OPTIMAL = 0


def load(options: dict[str, Any]) -> Solve:
    """Return HiGHS as scipy calls it, with no relative gap allowed."""
    del options
    import numpy as np
    from scipy.optimize import Bounds, LinearConstraint, milp

    def solve(ratings: list[float], limit: float) -> Callable[[], Answer]:
        n = len(ratings)
        whole = all(isinstance(rating, int) for rating in ratings)
        numbers = np.array(ratings, dtype=float)
        total = float(numbers.sum())
        rows = np.array([[*np.ones(n), 0.0], [*(2 * numbers), -1.0], [*(2 * numbers), 1.0]])
        low = np.array([n // 2, -np.inf, total])
        high = np.array([n // 2, total, np.inf])
        first_fixed = np.zeros(n + 1)
        first_fixed[0] = 1.0
        result = milp(
            c=np.array([0.0] * n + [1.0]),
            integrality=np.array([1] * n + [int(whole)]),
            bounds=Bounds(first_fixed, np.array([1.0] * n + [np.inf])),
            constraints=LinearConstraint(rows, low, high),
            options={"time_limit": limit, "mip_rel_gap": 0.0},
        )

        def read() -> Answer:
            if result.x is None:
                return Answer(None, "feasible")
            labels = [1 - round(value) for value in result.x[:n]]
            return Answer(labels, "optimal" if result.status == OPTIMAL else "feasible")

        return read

    return solve


if __name__ == "__main__":
    serve(load)
