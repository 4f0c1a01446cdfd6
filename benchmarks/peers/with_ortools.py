"""OR-Tools CP-SAT: one Boolean for each player, a count, and the absolute difference as the objective.

It knows whole numbers only.  Option ``scale``: what doubles are multiplied by before they are rounded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from answering import Answer, Solve, serve


def load(options: dict[str, Any]) -> Solve:
    """Return CP-SAT with one worker, as all else here runs on one core."""
    from ortools.sat.python import cp_model

    def solve(ratings: list[float], limit: float) -> Callable[[], Answer]:
        whole = all(isinstance(rating, int) for rating in ratings)
        numbers = [int(rating) if whole else round(rating * options["scale"]) for rating in ratings]
        model = cp_model.CpModel()
        chosen = [model.new_bool_var(f"p{n}") for n in range(len(numbers))]
        gap = model.new_int_var(0, sum(abs(number) for number in numbers), "gap")
        difference = 2 * cp_model.LinearExpr.weighted_sum(chosen, numbers) - sum(numbers)
        model.add(sum(chosen) == len(numbers) // 2)
        model.add(chosen[0] == 1)
        model.add(difference <= gap)
        model.add(-difference <= gap)
        model.minimize(gap)
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.max_time_in_seconds = limit
        status = solver.solve(model)

        def read() -> Answer:
            if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
                return Answer(None, "feasible")
            labels = [1 - solver.value(variable) for variable in chosen]
            return Answer(labels, "optimal" if status == cp_model.OPTIMAL else "feasible")

        return read

    return solve


if __name__ == "__main__":
    serve(load)
