"""prtpy's algorithms for two bins.  Option ``algorithm``: kk, complete_greedy, ckk or cbldm.

Only ``cbldm`` can be asked that the bins must hold equally many.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from answering import Answer, Solve, labels_of, serve

#: Algorithms that can be given a time limit.
LIMITED = ("complete_greedy", "cbldm")


def load(options: dict[str, Any]) -> Solve:
    """Return one of the algorithms."""
    import prtpy

    name = options["algorithm"]
    algorithm = getattr(prtpy.partitioning, name)
    more = {"partition_difference": 1} if name == "cbldm" else {}

    def solve(ratings: list[float], limit: float) -> Callable[[], Answer]:
        began = time.perf_counter()
        limited = {"time_limit": limit} if name in LIMITED else {}
        bins = prtpy.partition(
            algorithm=algorithm, numbins=2, items=dict(enumerate(ratings)), **more, **limited
        )
        in_time = time.perf_counter() - began < limit

        def read() -> Answer:
            found = sorted([*bins[0], *bins[1]]) == list(range(len(ratings)))
            labels = labels_of(bins[0], len(ratings)) if found else None
            if name == "kk":
                return Answer(labels, "heuristic")
            return Answer(labels, "optimal" if in_time else "feasible")

        return read

    return solve


if __name__ == "__main__":
    serve(load)
