"""Random lives of a queue against an oracle: ``python -m benchmarks queue_schedules`` goes through 100,000.

It is the state machine of ``tests/queueing/test_life.py``, which the tests go through a few times: tickets,
answers, ends, free seats, policies, pauses and snapshots at random, each step compared with an oracle that
knows the promises alone.  It writes ``queue_schedules.json`` and ``QUEUE_SCHEDULES.md``; ``--times N`` goes
through N, ``--report`` writes the page again, ``--check`` tells if it is stale.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from types import ModuleType
from typing import Any

from benchmarks.reporting import PAGES, RAW, ROOT, run_many, source_hash

Row = dict[str, Any]

#: Schedules, those of a seed, and the events of each at most.
TIMES, SEEDED, STEPS = 100_000, 1000, 25


def state_machine() -> type[Any]:
    """Return the state machine of the tests."""
    package = ModuleType("tests")
    package.__path__ = [str(ROOT / "tests")]  # there are installed packages of this name
    sys.modules["tests"] = package
    found: type[Any] = import_module("tests.queueing.test_life").Schedules
    return found


def schedules(number: int, times: int) -> Row:
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
            max_examples=times, stateful_step_count=STEPS, deadline=None, database=None,
            derandomize=False, suppress_health_check=list(HealthCheck),
        ),
    )  # fmt: skip
    return {**counted, "seconds": time.process_time() - began}


def measure(times: int = TIMES) -> Row:
    """Go through them, a seed at a time."""
    parts = [min(SEEDED, times - start) for start in range(0, times, SEEDED)]
    total: Row = {"schedules": 0, "events": 0, "matches": 0, "seconds": 0.0}
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for number, part in enumerate(pool.map(schedules, range(len(parts)), parts)):
            total = {name: value + part[name] for name, value in total.items()}
            print(f"{number + 1} of {len(parts)}: {total}", flush=True)
    return {
        "machine": platform.machine(), "python": platform.python_version(), "source": source_hash(),
        "times": times, "seeds": len(parts), "steps": STEPS, **total,
    }  # fmt: skip


def report(results: Row) -> str:
    """Return the page."""
    return """\
# Random lives of a queue

`python -m benchmarks queue_schedules --times {times}` did this on {machine} with Python {python}, \
`python -m benchmarks queue_schedules --report` wrote it; do not edit.

{schedules:,} random schedules of at most {steps} steps ({seeds} seeds): {events:,} events and {matches:,} \
matches in {seconds:,.0f} s of processor time, none of them other than a slow oracle says.

Tickets alone and in parties, acceptances, declines, no-shows, cancellations, ends, games that were not \
played, seats of running matches, teams of other sizes and numbers under other policies, pauses, closing and \
starts from a snapshot come in any order, twice and late.
After each step every ticket is in the one place where the oracle has it, waiting since when it says, in the \
order it says, and every player is kept out as long as it says; at the end a replay of the record says and \
knows the same.
""".format(**results)


def main() -> int:
    """Read the arguments and do what they say."""
    return run_many(
        __doc__, RAW / "queue_schedules.json", PAGES / "QUEUE_SCHEDULES.md", measure, report, times=TIMES
    )
