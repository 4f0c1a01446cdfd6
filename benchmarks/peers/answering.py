"""What every peer does alike: read a request, time the solves, write one line for each answer.

A peer is a program that reads one JSON object on standard input::

    {"options": {...}, "limit": seconds, "rosters": [[rating, ...], ...],
     "repeats": n, "long": seconds, "enough": seconds}

and writes JSON lines: ``{"skipped": reason}``, or ``{"cold": seconds}`` (unless one repeat is all that is
wanted) and then for each roster
``{"labels": [0, 1, ...], "seconds": [...], "cpu": [...], "status": "optimal" | "feasible" | "heuristic",
"by": name}``.
Labels may be null where nothing was found; ``cpu`` is the processor time within ``seconds``, which is by the
clock on the wall.
Nothing here knows any solver.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple


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


class Spent(NamedTuple):
    """Seconds of one solve: by the clock on the wall, and of the processor."""

    wall: float
    cpu: float


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
    if request["repeats"] > 1:
        say({"cold": timed(solve, request["rosters"][0], request["limit"])[1].wall})
    for ratings in request["rosters"]:
        answer, spent = measured(solve, ratings, request)
        seconds = {"seconds": [each.wall for each in spent], "cpu": [each.cpu for each in spent]}
        say({"labels": answer.labels, "status": answer.status, "by": answer.by, **seconds})


def measured(solve: Solve, ratings: list[float], request: dict[str, Any]) -> tuple[Answer, list[Spent]]:
    """Solve a roster up to ``repeats`` times, until ``enough`` seconds are spent.

    The first call counts only where it takes longer than ``long`` or is the only one wanted.
    """
    answer, first = timed(solve, ratings, request["limit"])
    if first.wall > request["long"] or request["repeats"] == 1:
        return answer, [first]
    spent: list[Spent] = []
    while len(spent) < request["repeats"] and sum(each.wall for each in spent) < request["enough"]:
        spent.append(timed(solve, ratings, request["limit"])[1])
    return answer, spent


def timed(solve: Solve, ratings: list[float], limit: float) -> tuple[Answer, Spent]:
    """Solve a roster once, and say how long that took."""
    worked, began = time.process_time(), time.perf_counter()
    read = solve(ratings, limit)
    spent = Spent(time.perf_counter() - began, time.process_time() - worked)
    return read(), spent


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
