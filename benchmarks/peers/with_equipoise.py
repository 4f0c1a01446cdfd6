"""Equipoise itself, through its public function, with numba loaded or forbidden.

Options: ``numba`` ("loaded" or "forbidden"), ``objective`` and ``solver``; with ``roles``, what every team
needs, a roster has for each player the general rating and that in each role, 0 where it is not played.
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

    def roster(ratings: list[float], names: list[str]) -> list[equipoise.Player]:
        width = 1 + len(names)
        rows = [ratings[at : at + width] for at in range(0, len(ratings), width)]
        return [
            equipoise.Player(
                str(n),
                row[0],
                roles={role: known for role, known in zip(names, row[1:], strict=True) if known},
            )
            for n, row in enumerate(rows)
        ]

    def solve(ratings: list[float], limit: float) -> Callable[[], Answer]:
        del limit
        needed = options.get("roles")
        players = roster(ratings, list(needed or ()))
        solution = equipoise.balance(
            players, objective=options["objective"], solver=options["solver"], roles=needed
        )

        def read() -> Answer:
            first = {player.id for player in solution.best.teams[0]}
            labels = [0 if player.id in first else 1 for player in players]
            return Answer(labels, str(solution.status), solution.solver)

        return read

    return solve


if __name__ == "__main__":
    serve(load)
