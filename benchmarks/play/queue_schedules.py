"""Random lives of a queue against an oracle: ``python -m benchmarks queue_schedules`` goes through 100,000.

It is the state machine of ``tests/queueing/test_life.py``, which the tests go through a few times: tickets,
answers, ends, free seats, policies, pauses and snapshots at random, each step compared with an oracle that
knows the promises alone.  It writes ``queue_schedules.json`` and ``QUEUE_SCHEDULES.md``; ``--times N`` goes
through N, going on where the last run ended, ``--anew`` begins again, ``--report`` writes the page again,
``--check`` tells if it is stale.
"""

from __future__ import annotations

import platform
import sys
import time
from importlib import import_module
from types import ModuleType
from typing import Any

from benchmarks.reporting import PAGES, RAW, ROOT, describe, run_parts

Row = dict[str, Any]

#: Schedules, those of a seed, and the steps of each at most.
TIMES, SEEDED, STEPS = 100_000, 500, 25


def state_machine() -> type[Any]:
    """Return the state machine of the tests."""
    package = ModuleType("tests")
    package.__path__ = [str(ROOT / "tests")]  # there are installed packages of this name
    sys.modules["tests"] = package
    found: type[Any] = import_module("tests.queueing.test_life").Schedules
    return found


def measure(part: range) -> Row:
    """Go through the schedules of one seed; raise what the state machine raises where one goes wrong."""
    from hypothesis import HealthCheck, Phase, seed, settings
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
        seed(part.start)(Counted),
        settings=settings(
            max_examples=len(part), stateful_step_count=STEPS, deadline=None, database=None,
            derandomize=False, suppress_health_check=list(HealthCheck),
            phases=[Phase.generate],  # to make one that goes wrong shorter takes longer than all the others
        ),
    )  # fmt: skip
    seconds = time.process_time() - began
    return {
        **counted, "seconds": seconds, "machine": platform.machine(), "python": platform.python_version(),
        "commit": describe()["commit"],
    }  # fmt: skip


def report(parts: list[Row]) -> str:
    """Return the page."""
    total = {
        name: sum(part[name] for part in parts) for name in ("schedules", "events", "matches", "seconds")
    }
    made = {name: parts[-1][name] for name in ("machine", "python")}
    commits = ", ".join(dict.fromkeys(part["commit"] for part in parts))
    return """\
# Random lives of a queue

`python -m benchmarks queue_schedules` did this on {machine} with Python {python}, the code being that of \
commit {commits}; `python -m benchmarks queue_schedules --report` wrote it; do not edit.

{schedules:,} random schedules of at most {steps} steps ({seeds} seeds): {events:,} events and {matches:,} \
matches in {seconds:,.0f} s of processor time, none of them other than a slow oracle says.

Tickets alone and in parties, acceptances, declines, no-shows, cancellations, ends, games that were not \
played, seats of running matches, teams of other sizes and numbers under other policies, pauses, closing and \
starts from a snapshot come in any order, twice and late.
After each step every ticket is in the one place where the oracle has it, waiting since when it says, in the \
order it says, and every player is kept out as long as it says; at the end a replay of the record says and \
knows the same.
""".format(**made, **total, commits=commits, steps=STEPS, seeds=len(parts))


def main() -> int:
    """Read the arguments and do what they say."""
    return run_parts(
        __doc__, RAW / "queue_schedules.json", PAGES / "QUEUE_SCHEDULES.md", measure, report, size=SEEDED,
        times=TIMES,
    )  # fmt: skip
