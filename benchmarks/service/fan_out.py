"""A cluster of Ray beside the local pool: ``python -m benchmarks fan_out`` writes ``FAN_OUT.md``.

A search for settings (``tune``), ``what-if`` and simulations of a queue are computed in one process, by the
local pool and by a cluster of Ray that begins here, both with four workers; the two take turns, so that what
else the machine does falls on both.  Then each computes all of it once more, while workers are killed at
random.  All results are compared with those of the one process.
"""

from __future__ import annotations

import contextlib
import os
import random
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.reporting import PAGES, RAW, describe, run_many
from benchmarks.service.processes import LOOPBACK

from equipoise.core.tasks import IN_TURN, Tasks
from equipoise.play.what_if import what_if
from equipoise.queueing.policy import QueuePolicy
from equipoise.queueing.simulation import FACTORS, SimulatedQueue, scaled, simulated
from equipoise.ratings.lab.simulation import simulate
from equipoise.ratings.lab.tuning import tune
from equipoise.service.fan_out import LocalCores, RayCluster

#: Workers of both, and how often each computes all by default.
WORKERS, ROUNDS = 4, 3

#: Seconds between two kills, and how many there are at least, in as many runs as that takes, up to a number.
BETWEEN, KILLS, RUNS = (1.0, 4.0), 5, 20


def computations() -> dict[str, Callable[[Tasks], Any]]:
    """Return what is computed."""
    history = simulate(np.random.default_rng(1), players=1000, games=60)
    contests = [match.contests[0] for match in history.matches]
    small = simulate(np.random.default_rng(2), players=40, games=400, team_size=4)
    policy = QueuePolicy(team_size=5)
    queue = SimulatedQueue(rates=(4.0,), seconds=300.0)
    policies = [scaled(policy, factor * more) for factor in FACTORS for more in (1.0, 1.4)]
    return {
        "tune": lambda tasks: tune(contests, part=1.0, steps=300, tasks=tasks),
        "what-if": lambda tasks: what_if(small.matches, tasks=tasks),
        "queue simulate": lambda tasks: list(tasks(simulated, queue, policies)),
    }


@contextlib.contextmanager
def cluster() -> Iterator[tuple[RayCluster, int]]:
    """Begin a cluster in a session of its own; give it, and the process that began it."""
    with socket.create_server((LOOPBACK, 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [str(Path(sys.executable).parent / "ray"), "start", "--head", "--block", f"--port={port}",
         f"--node-ip-address={LOOPBACK}", f"--num-cpus={WORKERS}", "--include-dashboard=false",
         "--disable-usage-stats"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        until = time.monotonic() + 120.0
        while True:
            with contextlib.suppress(Exception):  # of Ray, until it is there
                found = RayCluster(f"{LOOPBACK}:{port}")
                break
            if time.monotonic() > until:
                msg = "the cluster did not begin within two minutes"
                raise RuntimeError(msg)
            time.sleep(1.0)
        with found:
            yield found, process.pid
    finally:
        for each in [*descendants(process.pid), process.pid]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)
        process.wait()


def descendants(process: int) -> list[int]:
    """Return the processes that one has begun, and those that they have begun."""
    found = []
    for path in Path(f"/proc/{process}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in map(int, path.read_text(encoding="ascii").split()):
                found += [child, *descendants(child)]
    return found


def workers_of(ray: int) -> list[int]:
    """Return the processes of a cluster that compute."""
    found = []
    for process in descendants(ray):
        with contextlib.suppress(OSError):
            if Path(f"/proc/{process}/cmdline").read_bytes().startswith(b"ray::done_in_ray"):
                found.append(process)
    return found


@contextlib.contextmanager
def killed(workers: Callable[[], list[int]], seed: int) -> Iterator[list[int]]:
    """Kill workers at random until the end; give those that were killed."""
    over, gone, rng = threading.Event(), list[int](), random.Random(seed)

    def kill() -> None:
        while not over.wait(rng.uniform(*BETWEEN)):
            if there := workers():
                gone.append(rng.choice(there))
                with contextlib.suppress(ProcessLookupError):
                    os.kill(gone[-1], signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield gone
    finally:
        over.set()
        thread.join()


def measure(rounds: int) -> dict[str, Any]:
    """Return what was measured."""
    os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    ray: Any = import_module("ray")  # which reads the token now

    rows = []
    with LocalCores(WORKERS) as local, cluster() as (remote, process):
        both: dict[str, tuple[Tasks, Callable[[], list[int]]]] = {
            "local": (
                local,
                lambda: [each.pid for each in local._workers if each.pid],  # noqa: SLF001
            ),
            "ray": (remote, lambda: workers_of(process)),
        }
        for name, compute in computations().items():
            wanted = repr(compute(IN_TURN))
            row: dict[str, Any] = {"name": name}
            for tasks, _ in both.values():  # whatever is loaded once
                compute(tasks)
            for arm in both:
                row[arm] = {"seconds": 0.0, "same": 0, "rounds": rounds}
            for n in range(rounds):
                for arm in list(both)[:: 1 if n % 2 else -1]:
                    began = time.perf_counter()
                    found = compute(both[arm][0])
                    row[arm]["seconds"] += time.perf_counter() - began
                    row[arm]["same"] += repr(found) == wanted
            for arm, (tasks, workers) in both.items():
                with killed(workers, len(rows)) as gone:
                    same = repr(compute(tasks)) == wanted
                    for _ in range(RUNS):
                        if len(gone) >= KILLS:
                            break
                        same = repr(compute(tasks)) == wanted and same
                row[arm] |= {"kills": len(gone), "same_killed": same}
            rows.append(row)
            print(row, flush=True)
    return {**describe(), "ray": ray.__version__, "rows": rows}


def report(results: dict[str, Any]) -> str:
    """Return the page."""
    lines = []
    for row in results["rows"]:
        local, ray = row["local"], row["ray"]
        same = [f"{arm['same']} of {arm['rounds']}" for arm in (local, ray)]
        after = [f"{'the same' if arm['same_killed'] else 'OTHERS'}, {arm['kills']}" for arm in (local, ray)]
        lines.append(
            f"| `{row['name']}` | {local['seconds']:.0f} | {ray['seconds']:.0f} "
            f"| {local['seconds'] / ray['seconds']:.2f} | {same[0]} | {same[1]} | {after[0]} | {after[1]} |"
        )
    return """\
# A cluster of Ray beside the local pool

`python -m benchmarks fan_out` measured and wrote this; do not edit.

Ray {ray}, {workers} workers each, at commit {commit}, {processor}, on cores that others use too: the two \
take turns.
Seconds are of the clock, over all rounds, without the start of the processes; speed is that of Ray where \
the local pool's is 1, wanted is .95.
Results are compared, bit for bit, with those of one process, also where workers are killed at random.

| computation | local, s | Ray, s | speed of Ray | local the same | Ray the same \
| with local workers killed, kills | with workers of Ray killed, kills |
|---|---:|---:|---:|---:|---:|---:|---:|
{lines}
""".format(
        ray=results["ray"], workers=WORKERS, commit=results["commit"], processor=results["processor"],
        lines="\n".join(lines),
    )  # fmt: skip


def main() -> int:
    """Read the arguments and do what they say."""
    return run_many(__doc__, RAW / "fan_out.json", PAGES / "FAN_OUT.md", measure, report, rounds=ROUNDS)
