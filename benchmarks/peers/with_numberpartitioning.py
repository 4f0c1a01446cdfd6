"""numberpartitioning's two ways of Karmarkar and Karp.  Option ``algorithm``: kk or ckk.

Neither can be asked that the parts must hold equally many.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from answering import Answer, Solve, labels_of, serve


def load(options: dict[str, Any]) -> Solve:
    """Return the heuristic or the complete search, which yields better and better partitions."""
    import numberpartitioning

    def once(ratings: list[float], limit: float) -> Callable[[], Answer]:
        del limit
        parts = numberpartitioning.karmarkar_karp(ratings, 2, return_indices=True).partition
        return lambda: Answer(labels_of(parts[0], len(ratings)), "heuristic")

    def complete(ratings: list[float], limit: float) -> Callable[[], Answer]:
        began = time.perf_counter()
        parts = None
        status = "optimal"
        for better in numberpartitioning.complete_karmarkar_karp(ratings, 2, return_indices=True):
            parts = better.partition
            if time.perf_counter() - began > limit:
                status = "feasible"
                break
        return lambda: Answer(parts and labels_of(parts[0], len(ratings)), status)

    return once if options["algorithm"] == "kk" else complete


if __name__ == "__main__":
    serve(load)
