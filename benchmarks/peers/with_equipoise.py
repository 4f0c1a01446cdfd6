"""Equipoise itself, through its public function, with numba loaded or forbidden.

Options: ``numba`` ("loaded" or "forbidden"), ``objective`` and ``solver``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from answering import Answer, Solve, serve


def load(options: dict[str, Any]) -> Solve:
    """Return ``equipoise.balance`` with an objective and a solver."""
    if options["numba"] == "loaded":
        import numba  # noqa: F401  # once it is loaded, the library uses its compiled kernels
    else:
        sys.modules["numba"] = None  # type: ignore[assignment]  # the import system's "there is none"
    import equipoise

    def solve(ratings: list[float], limit: float) -> Callable[[], Answer]:
        del limit
        players = {str(n): rating for n, rating in enumerate(ratings)}
        solution = equipoise.balance(players, objective=options["objective"], solver=options["solver"])

        def read() -> Answer:
            first = {player.id for player in solution.best.teams[0]}
            labels = [0 if player in first else 1 for player in players]
            return Answer(labels, str(solution.status), solution.solver)

        return read

    return solve


if __name__ == "__main__":
    serve(load)
