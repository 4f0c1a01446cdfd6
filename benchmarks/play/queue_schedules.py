"""Random lives of a queue against an oracle: ``python -m benchmarks queue_schedules`` goes through 100,000.

It is the state machine of ``tests/queueing/test_life.py``, which the tests go through a few times: tickets,
answers, ends, free seats, policies, pauses and snapshots at random, each step compared with an oracle that
knows the promises alone.  It writes ``queue_schedules.json`` and ``QUEUE_SCHEDULES.md``; ``--times N`` goes
through N, ``--report`` writes the page again, ``--check`` tells if it is stale.  Where it was ended it goes
on, unless the life of queues has changed since.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from types import ModuleType
from typing import Any

from benchmarks.reporting import PAGES, RAW, ROOT, run_many

Row = dict[str, Any]

#: Schedules, those of a seed, and the events of each at most.
TIMES, SEEDED, STEPS = 100_000, 500, 25

RESULTS = RAW / "queue_schedules.json"


def state_machine() -> type[Any]:
    """Return the state machine of the tests."""
    package = ModuleType("tests")
    package.__path__ = [str(ROOT / "tests")]  # there are installed packages of this name
    sys.modules["tests"] = package
    found: type[Any] = import_module("tests.queueing.test_life").Schedules
    return found


def schedules(number: int) -> Row:
    """Go through the schedules of one seed; raise what the state machine raises where one goes wrong."""
    from hypothesis import HealthCheck, seed, settings
    from hypothesis.stateful import run_state_machine_as_test

    counted = {"schedules": 0, "events": 0, "matches": 0}

    class Counted(state_machine()):  # type: ignore[misc]
        """The same, and how much it went through."""

        def teardown(self) -> None:
            super().teardown()
            counted["schedules"] += 1
            counted["events"] += len(self.record)
            counted["matches"] += sum(type(each).__name__ == "Propose" for said in self.said for each in said)

    began = time.process_time()
    run_state_machine_as_test(
        seed(number)(Counted),
        settings=settings(
            max_examples=SEEDED, stateful_step_count=STEPS, deadline=None, database=None,
            derandomize=False, suppress_health_check=list(HealthCheck),
        ),
    )  # fmt: skip
    return {**counted, "seconds": time.process_time() - began}


def queue_source() -> str:
    """Return the first digits of the hash of what is gone through, and of what goes through it."""
    parts = ("life", "record", "backfill", "tickets")
    paths = [
        *(ROOT / f"src/equipoise/queueing/{part}.py" for part in parts),
        ROOT / "tests/queueing/test_life.py",
    ]
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()[:16]


def measure(times: int = TIMES) -> Row:
    """Go through them, a seed at a time, and write down each that is done."""
    found: Row = {
        "machine": platform.machine(), "python": platform.python_version(), "source": queue_source(),
        "steps": STEPS, "parts": [],
    }  # fmt: skip
    if RESULTS.exists():
        before = json.loads(RESULTS.read_text(encoding="utf-8"))
        found = before if before["source"] == found["source"] else found
    done = sum(part["schedules"] for part in found["parts"])
    seeds = range(len(found["parts"]), len(found["parts"]) + -(-(times - done) // SEEDED))
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for part in pool.map(schedules, seeds):
            found["parts"].append(part)
            RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return found


def report(results: Row) -> str:
    """Return the page."""
    parts = results["parts"]
    total = {name: sum(part[name] for part in parts) for name in parts[0]}
    return """\
# Random lives of a queue

`python -m benchmarks queue_schedules` did this on {machine} with Python {python}, \
`python -m benchmarks queue_schedules --report` wrote it; do not edit.

{schedules:,} random schedules of at most {steps} steps ({seeds} seeds): {events:,} events and {matches:,} \
matches in {seconds:,.0f} s of processor time, none of them other than a slow oracle says.

Tickets alone and in parties, acceptances, declines, no-shows, cancellations, ends, games that were not \
played, seats of running matches, teams of other sizes and numbers under other policies, pauses, closing and \
starts from a snapshot come in any order, twice and late.
After each step every ticket is in the one place where the oracle has it, waiting since when it says, in the \
order it says, and every player is kept out as long as it says; at the end a replay of the record says and \
knows the same.
""".format(**results, **total, seeds=len(parts))


def main() -> int:
    """Read the arguments and do what they say."""
    return run_many(__doc__, RESULTS, PAGES / "QUEUE_SCHEDULES.md", measure, report, times=TIMES)
