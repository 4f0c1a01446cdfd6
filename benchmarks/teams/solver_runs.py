"""What is measured: one function for each part of the report, from a :class:`Plan` to plain data.

Gaps and sizes are computed here from the labels alone; what a solver says of its own result is kept apart.
"""

from __future__ import annotations

import json
import math
import resource
import shutil
import statistics
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO, Any

import numpy as np
from benchmarks.reporting import PEERS, ROOT

#: Kinds of ratings, in the order they are reported.
KINDS = ("doubles", "elo")

#: What the kinds are, in words.
DESCRIPTIONS = {
    "doubles": "doubles drawn from normal(25, 8)",
    "elo": "whole numbers, drawn from normal(1500, 300) and rounded",
}

#: The standard deviation of ``doubles``: the unit of the quality tables.
DEVIATION = 8.0


#: What every team of the rosters with roles needs.
NEEDED = {"tank": 1, "damage": 2, "support": 2}


def roster_with_roles(n: int, index: int) -> list[float]:
    """Return a roster's general ratings and those in each role, 0 where it is not played, player by player.

    Everyone plays two of the three roles, each role in turn left out; a rating in a role is the general one
    with a noise of half a standard deviation.
    """
    rng = np.random.default_rng([len(KINDS), n, index])
    numbers = []
    for player, rating in enumerate(roster("doubles", n, index)):
        noise = rng.normal(0.0, DEVIATION / 2, len(NEEDED))
        played = [role != player % len(NEEDED) for role in range(len(NEEDED))]
        numbers += [
            rating,
            *(float(rating + e) if plays else 0.0 for e, plays in zip(noise, played, strict=True)),
        ]
    return numbers


def roster(kind: str, n: int, index: int) -> list[float]:
    """Return the ratings of a roster.

    Parameters
    ----------
    kind : str
        One of :data:`KINDS`.
    n : int
        How many players.
    index : int
        Which of the rosters of that kind and size, from 0.

    Returns
    -------
    list of float
        Whole numbers are ints.
    """
    rng = np.random.default_rng([KINDS.index(kind), n, index])
    if kind == "doubles":
        return [float(rating) for rating in rng.normal(25.0, DEVIATION, n)]
    return [int(rating) for rating in np.rint(rng.normal(1500.0, 300.0, n))]


#: Seconds that a peer may take to start and for its first solve, which may compile.
STARTING = 60.0

#: Seconds from which a solve is measured once.
LONG = 0.5

#: Seconds of measured solving after which a roster is not repeated again.
ENOUGH = 0.3

#: Seconds beyond its time limit after which a peer counts as hanging.
GRACE = 1.0


@dataclass(frozen=True, slots=True)
class Contestant:
    """One row of the tables: a program in ``peers/`` and what it is asked.

    Parameters
    ----------
    name : str
        What the report calls it.
    script : str
        The file in ``peers/``.
    package : str
        The distribution whose version is reported.
    options : dict
        What the script gets.
    limit : float
        Seconds for one solve.
    equal_sizes : bool
        Whether it can be asked that teams must be equally large.
    """

    name: str
    script: str
    package: str
    options: dict[str, Any]
    limit: float
    equal_sizes: bool = True


@dataclass(frozen=True, slots=True)
class Heard:
    """What a peer said.

    Parameters
    ----------
    answers : list of dict
        One for each roster, in order; fewer if the peer was ended or broke down.
    cold : float or None
        Seconds of the first solve of the process.
    end : str
        Why the answers are fewer, or empty.
    waited : float or None
        Seconds after which it was ended because no answer came.
    """

    answers: list[dict[str, Any]]
    cold: float | None
    end: str = ""
    waited: float | None = None


def ask(contestant: Contestant, rosters: Sequence[Sequence[float]], repeats: int) -> Heard:
    """Let a contestant solve rosters, each up to ``repeats`` times."""
    request = {
        "options": contestant.options,
        "limit": contestant.limit,
        "repeats": repeats,
        "long": LONG,
        "enough": ENOUGH,
        "rosters": rosters,
    }
    with subprocess.Popen(
        [sys.executable, str(PEERS / contestant.script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        complaints: list[str] = []
        listener = Thread(target=_drain, args=(process.stderr, complaints), daemon=True)
        listener.start()
        with suppress(BrokenPipeError):  # it broke down before reading: the complaints say why
            process.stdin.write(json.dumps(request))  # type: ignore[union-attr]  # it is a pipe
            process.stdin.close()  # type: ignore[union-attr]  # it is a pipe
        heard = _listen(process, contestant.limit, len(rosters))
        if process.poll() is None:
            process.kill()
        process.wait()
        listener.join()
    if heard.end or len(heard.answers) == len(rosters):
        return heard
    last = complaints[-1].strip() if complaints else "it said nothing"
    return Heard(heard.answers, heard.cold, f"broke down: {last}")


def _listen(process: subprocess.Popen[str], limit: float, wanted: int) -> Heard:
    answers: list[dict[str, Any]] = []
    cold = None
    try:
        for line in _lines(process.stdout, limit):
            message = json.loads(line)
            if "skipped" in message:
                return Heard([], None, f"skipped: {message['skipped']}")
            if "cold" in message:
                cold = message["cold"]
            else:
                answers.append(message)
            if len(answers) == wanted:
                break
    except TimeoutError:
        waited = limit + (GRACE if answers or cold is not None else STARTING)
        return Heard(answers, cold, f"no answer within {waited:g} s", waited)
    return Heard(answers, cold)


def _lines(pipe: IO[str] | None, limit: float) -> Iterator[str]:
    """Go through the lines of a pipe; TimeoutError where one does not come in time."""
    queue: SimpleQueue[str | None] = SimpleQueue()

    def read() -> None:
        for line in pipe or ():
            queue.put(line)
        queue.put(None)

    Thread(target=read, daemon=True).start()
    patience = limit + STARTING
    while True:
        try:
            line = queue.get(timeout=patience)
        except Empty:
            raise TimeoutError from None
        if line is None:
            return
        yield line
        patience = limit + GRACE


def _drain(pipe: IO[str], lines: list[str]) -> None:
    lines.extend(line for line in pipe if line.strip())


#: The row that all others are compared with.
OURS = "equipoise"

OBJECTIVES = ("difference", "ratio", "win", "indistinguishable", "spread")

#: What quality is measured of: (objective, solver).
QUALITY = (
    ("difference", "auto"),
    ("indistinguishable", "auto"),
    ("spread", "auto"),
    ("difference", "snake"),
    ("difference", "greedy-cap"),
)

QUALITY_SIZES = (8, 10, 12, 16, 20, 24, 32)

#: Seconds for one solve: packages that take a limit, those that may have to be ended, and our own.
LIMIT = 5.0
SHORT_LIMIT = 2.0
OWN_LIMIT = 30.0

#: How often a roster of the part ``many`` is solved at most: the least time counts, and some take seconds.
MANY_REPEATS = 2

#: What CP-SAT gets doubles multiplied by: sums of 40 players are then off by at most 2e-8.
SCALE = 10**9


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured.

    Parameters
    ----------
    sizes : tuple of int
        Numbers of players in the comparison.
    rosters : tuple of int
        How many rosters of each of these sizes.
    own_rosters, quality_rosters : int
        How many rosters of each size in our own tables.
    repeats, starts : int
        How often a roster is solved at most, and a command started.
    lines : int
        How many lines the largest roster has.
    only : str
        A part, or a contestant; empty for everything.
    """

    sizes: tuple[int, ...] = (10, 16, 24, 32, 40)
    rosters: tuple[int, ...] = (5, 5, 3, 3, 3)
    own_rosters: int = 10
    quality_rosters: int = 60
    repeats: int = 25
    starts: int = 10
    lines: int = 1_000_000
    only: str = ""


#: A look at everything in about a minute; its numbers are for nobody.
QUICK = Plan(
    sizes=(10, 16, 24), rosters=(2, 2, 1), own_rosters=2, quality_rosters=5,
    repeats=3, starts=2, lines=100_000,
)  # fmt: skip


def _own(name: str, solver: str, numba: str = "loaded", objective: str = "difference") -> Contestant:
    options = {"numba": numba, "objective": objective, "solver": solver}
    return Contestant(name, "with_equipoise.py", "equipoise", options, OWN_LIMIT)


def _prtpy(algorithm: str, *, equal_sizes: bool = False) -> Contestant:
    name = f"prtpy {algorithm.replace('_', ' ')}"
    return Contestant(name, "with_prtpy.py", "prtpy", {"algorithm": algorithm}, SHORT_LIMIT, equal_sizes)


def _numberpartitioning(algorithm: str) -> Contestant:
    name, options = f"numberpartitioning {algorithm}", {"algorithm": algorithm}
    script = "with_numberpartitioning.py"
    return Contestant(name, script, "numberpartitioning", options, SHORT_LIMIT, equal_sizes=False)


CONTESTANTS = (
    _own(OURS, "auto"),
    _own(f"{OURS} without numba", "auto", numba="forbidden"),
    Contestant("OR-Tools CP-SAT", "with_ortools.py", "ortools", {"scale": SCALE}, LIMIT),
    Contestant("scipy milp (HiGHS)", "with_scipy.py", "scipy", {}, LIMIT),
    _prtpy("cbldm", equal_sizes=True),
    _prtpy("complete_greedy"),
    _prtpy("ckk"),
    _prtpy("kk"),
    _numberpartitioning("ckk"),
    _numberpartitioning("kk"),
    *(_own(name, name) for name in ("alternate", "snake", "greedy", "greedy-cap", "climb", "anneal")),
)


def compile_kernels() -> None:
    """Fill numba's cache on disk, so that no measured process has to compile."""
    ask(_own(OURS, "auto"), [roster("doubles", 24, 0)], repeats=1)


def compare(plan: Plan) -> list[dict[str, Any]]:
    """Measure all contestants on the same rosters: one row for each contestant, kind and size."""
    wanted = [c for c in CONTESTANTS if plan.only in ("", "compare", c.name) or c.name == OURS]
    rows: list[dict[str, Any]] = []
    for kind in KINDS:
        cases = [
            (n, roster(kind, n, index))
            for n, count in zip(plan.sizes, plan.rosters, strict=True)
            for index in range(count)
        ]
        for contestant in wanted:
            began = time.perf_counter()
            heard = ask(contestant, [ratings for _, ratings in cases], plan.repeats)
            rows += _rows(contestant, kind, cases, heard)
            took = time.perf_counter() - began
            print(f"{kind}: {contestant.name}: {took:.1f} s {heard.end}", file=sys.stderr)
    return rows


def _rows(
    contestant: Contestant, kind: str, cases: Sequence[tuple[int, list[float]]], heard: Heard
) -> list[dict[str, Any]]:
    """Return a row for each size, with the results of its rosters in order."""
    judged = [judge(ratings, answer) for (_, ratings), answer in zip(cases, heard.answers, strict=False)]
    rows = []
    for n, group in groupby(enumerate(cases), key=lambda case: case[1][0]):
        places = [place for place, _ in group]
        # Sizes ascend, so where one roster was not solved in time the larger ones were left out.
        ended_here = places[0] <= len(judged) <= places[-1]
        rows.append({
            "name": contestant.name, "kind": kind, "n": n, "rosters": len(places),
            "can_equal_sizes": contestant.equal_sizes, "limit": contestant.limit,
            "end": heard.end if ended_here or heard.end.startswith("skipped") else "",
            "waited": heard.waited if ended_here else None,
            "results": judged[places[0] : places[-1] + 1],
        })  # fmt: skip
    return rows


def judge(ratings: Sequence[float], answer: dict[str, Any]) -> dict[str, Any]:
    """Return what a roster's answer is worth: the gap and the sizes as recomputed here, and the times."""
    labels, seconds = answer["labels"], answer["seconds"]
    gap = equal = None
    if labels is not None and len(labels) == len(ratings) and set(labels) <= {0, 1}:
        signed = (-rating if label else rating for rating, label in zip(ratings, labels, strict=True))
        gap = abs(math.fsum(signed))
        equal = 2 * sum(labels) == len(labels)
    return {
        "gap": gap, "equal_sizes": equal, "status": answer["status"], "by": answer["by"],
        "median": statistics.median(seconds), "best": min(seconds), "repeats": len(seconds),
        "share": sum(answer["cpu"]) / sum(seconds),
    }  # fmt: skip


def objectives(plan: Plan) -> list[dict[str, Any]]:
    """Measure our own solver for each objective: 10 players without numba, the rest compiled."""
    rows = []
    for numba, sizes in (("forbidden", (10,)), ("loaded", (10, 24, 32, 40))):
        for objective in OBJECTIVES:
            for n in sizes:
                rosters = [roster("doubles", n, index) for index in range(plan.own_rosters)]
                heard = ask(_own(OURS, "auto", numba, objective), rosters, plan.repeats)
                results = [judge(r, answer) for r, answer in zip(rosters, heard.answers, strict=False)]
                asked = {"objective": objective, "numba": numba, "n": n, "rosters": len(rosters)}
                rows.append({**asked, "cold": heard.cold, "end": heard.end, **_summary(results)})
    return rows


def roles(plan: Plan) -> list[dict[str, Any]]:
    """Measure five against five with ratings by role, compiled."""
    rows = []
    rosters = [roster_with_roles(10, index) for index in range(plan.own_rosters)]
    for objective in OBJECTIVES:
        options = {"numba": "loaded", "objective": objective, "solver": "auto", "roles": NEEDED}
        heard = ask(Contestant(OURS, "with_equipoise.py", OURS, options, OWN_LIMIT), rosters, plan.repeats)
        results = [judge([], answer) for answer in heard.answers]
        asked = {"objective": objective, "n": 10, "rosters": len(rosters)}
        rows.append({**asked, "cold": heard.cold, "end": heard.end, **_summary(results)})
    return rows


def _summary(results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the times over rosters, and how many of them were proven."""
    if not results:
        return {}
    return {
        "proven": sum(result["status"] == "optimal" for result in results),
        "by": sorted({result["by"] for result in results}),
        "median": statistics.median(result["median"] for result in results),
        "slowest": max(result["median"] for result in results),
        "best": min(result["best"] for result in results),
        "share": statistics.median(result["share"] for result in results),
    }


def many(plan: Plan) -> list[dict[str, Any]]:
    """Measure many teams, full servers, spreads, a batch and a million lines, in a process of its own."""
    asked = {
        "rosters": plan.own_rosters,
        "quality_rosters": plan.quality_rosters,
        "repeats": min(plan.repeats, MANY_REPEATS),
        "lines": plan.lines,
    }
    heard = subprocess.run(
        [sys.executable, str(PEERS / "bars.py")],
        input=json.dumps(asked), capture_output=True, text=True, check=False,
    )  # fmt: skip
    if heard.returncode:
        msg = f"peers/bars.py broke down: {heard.stderr.strip().splitlines()[-1:]}"
        raise RuntimeError(msg)
    return [json.loads(line) for line in heard.stdout.splitlines()]


def cold_start(plan: Plan) -> list[dict[str, Any]]:
    """Start commands as whole processes, in turn, so that a busy moment hits them all."""
    command = shutil.which("equipoise", path=sysconfig.get_path("scripts"))
    commands: dict[str, list[str]] = {
        'python -c "pass"': [sys.executable, "-c", "pass"],
        'python -c "import numpy"': [sys.executable, "-c", "import numpy"],
    }
    if command is not None:
        commands["equipoise --help"] = [command, "--help"]
        commands["equipoise balance examples/roster.txt"] = [command, "balance", "examples/roster.txt"]
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    cpu: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(plan.starts + 1):
        for name, arguments in commands.items():
            worked, began = _children_seconds(), time.perf_counter()
            subprocess.run(arguments, cwd=ROOT, check=True, capture_output=True)
            if turn:  # the first turn fills the caches of files and bytecode
                seconds[name].append(time.perf_counter() - began)
                cpu[name].append(_children_seconds() - worked)
    return [
        {
            "command": name, "starts": plan.starts,
            "best": min(times), "median": statistics.median(times), "cpu": min(cpu[name]),
        }
        for name, times in seconds.items()
    ]  # fmt: skip


def _children_seconds() -> float:
    """Return the processor time of all processes that were started and have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def quality(plan: Plan) -> list[dict[str, Any]]:
    """Measure how alike the teams are, in standard deviations of a player."""
    rows = []
    cases = [(n, roster("doubles", n, index)) for n in QUALITY_SIZES for index in range(plan.quality_rosters)]
    for objective, solver in QUALITY:
        heard = ask(_own(OURS, solver, objective=objective), [ratings for _, ratings in cases], repeats=1)
        for n in QUALITY_SIZES:
            divided = [
                _teams(ratings, answer["labels"])
                for (size, ratings), answer in zip(cases, heard.answers, strict=False)
                if size == n
            ]
            asked = {"objective": objective, "solver": solver, "n": n, "rosters": plan.quality_rosters}
            means = {
                name: float(np.mean([measure(*teams) for teams in divided])) / DEVIATION
                for name, measure in MEASURES.items()
                if divided
            }
            rows.append({**asked, "end": heard.end, **means})
    return rows


Team = np.ndarray[Any, np.dtype[np.float64]]


def _teams(ratings: Sequence[float], labels: Sequence[int]) -> tuple[Team, Team]:
    numbers, team = np.array(ratings), np.array(labels)
    return numbers[team == 0], numbers[team == 1]


#: Measures of two teams of equal size, in units of the ratings.
MEASURES: dict[str, Callable[[Team, Team], float]] = {
    "sums": lambda one, other: abs(float(one.sum() - other.sum())),
    "deviations": lambda one, other: abs(float(one.std() - other.std())),
    "w1": lambda one, other: float(np.abs(np.sort(one) - np.sort(other)).mean()),
}

#: The parts, in the order they run.
PARTS: dict[str, Callable[[Plan], list[dict[str, Any]]]] = {
    "objectives": objectives,
    "roles": roles,
    "many": many,
    "cold_start": cold_start,
    "quality": quality,
    "compare": compare,
}
