"""What every peer does alike: read a request, time the solves, write one line for each answer.

A peer is a program that reads one JSON object on standard input::

    {"options": {...}, "limit": seconds, "repeats": n, "rosters": [[rating, ...], ...]}

and writes JSON lines: ``{"skipped": reason}``, or ``{"cold": seconds}`` and then for each roster
``{"labels": [0, 1, ...], "seconds": [...], "status": "optimal" | "feasible" | "heuristic", "by": name}``.
Labels may be null where nothing was found.
Nothing here knows any solver.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

#: A solve that takes longer than this is measured once, in seconds.
LONG = 0.5

#: Seconds of measured solving after which a roster is not repeated again.
ENOUGH = 0.3


@dataclass(frozen=True, slots=True)
class Answer:
    """What a solver found.

    Parameters
    ----------
    labels : list of int or None
        The team, 0 or 1, of each player.
    status : str
        ``optimal`` where the solver claims so, ``feasible`` where it ran out of time, ``heuristic``
        where it claims nothing.
    by : str
        The name of the solver that did it, where there is a choice.
    """

    labels: list[int] | None
    status: str
    by: str = ""


#: From ratings and a time limit in seconds to a function that makes an answer of what the timed part found.
Solve = Callable[[list[float], float], Callable[[], Answer]]


def serve(load: Callable[[dict[str, Any]], Solve]) -> None:
    """Answer the request on standard input.

    Parameters
    ----------
    load : callable
        Imports the package and returns the solver that the options ask for.
    """
    request = json.load(sys.stdin)
    say = voice()
    try:
        solve = load(request["options"])
    except ImportError as error:
        say({"skipped": f"not installed: {error}"})
        return
    limit = request["limit"]
    say({"cold": timed(solve, request["rosters"][0], limit)[1]} if request["repeats"] > 1 else {"cold": None})
    for ratings in request["rosters"]:
        answer, seconds = measured(solve, ratings, limit, request["repeats"])
        say({"labels": answer.labels, "seconds": seconds, "status": answer.status, "by": answer.by})


def measured(solve: Solve, ratings: list[float], limit: float, repeats: int) -> tuple[Answer, list[float]]:
    """Solve a roster up to ``repeats`` times; the first call does not count unless it is long or alone."""
    answer, first = timed(solve, ratings, limit)
    if first > LONG or repeats == 1:
        return answer, [first]
    seconds: list[float] = []
    while len(seconds) < repeats and sum(seconds) < ENOUGH:
        seconds.append(timed(solve, ratings, limit)[1])
    return answer, seconds


def timed(solve: Solve, ratings: list[float], limit: float) -> tuple[Answer, float]:
    """Solve a roster once, and say how long that took."""
    began = time.perf_counter()
    read = solve(ratings, limit)
    seconds = time.perf_counter() - began
    return read(), seconds


def labels_of(first: list[int], n: int) -> list[int]:
    """Return the labels for which a team has these players, counted from 0."""
    chosen = set(first)
    return [0 if player in chosen else 1 for player in range(n)]


def voice() -> Callable[[dict[str, Any]], None]:
    """Return the function that writes one line; all else that goes to standard output becomes noise.

    Solvers in C print there.  A line goes out at once: whoever listens may end this process any time.
    """
    lines = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def say(line: dict[str, Any]) -> None:
        print(json.dumps(line), file=lines, flush=True)

    return say
