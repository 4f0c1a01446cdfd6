"""Writes which functions of a package each test enters: ``scripts/mutate --map`` loads it into every process.

As a plugin of pytest it knows the test; a process that a test starts has its name from the environment.
What is called while fixtures are made belongs to all tests of the file.
A record is one line, written when it happens, as processes of tests are killed.
"""

from __future__ import annotations

import os
import sys
import threading
from types import CodeType, FrameType
from typing import Any


class Entered:
    """The functions that were entered since the test began."""

    def __init__(self) -> None:
        self.source = os.environ["ENTERED_SOURCE"] + os.sep
        self.root = self.source.partition("src" + os.sep)[0]
        self.seen: set[CodeType] = set()
        self.test = _test(os.environ.get("PYTEST_CURRENT_TEST", ""))
        name = os.path.join(os.environ["ENTERED_TO"], str(os.getpid()))  # loaded by every process
        self.file = os.open(name, os.O_APPEND | os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC)

    def begin(self, test: str) -> None:
        """Start anew for a test, or for the fixtures of a file."""
        self.test = test
        self.seen.clear()

    def __call__(self, frame: FrameType, *_: Any) -> None:
        """Record what is entered for the first time."""
        code = frame.f_code
        if code in self.seen:
            return
        self.seen.add(code)
        if self.test and code.co_filename.startswith(self.source):
            name = getattr(code, "co_qualname", code.co_name).partition(".<locals>.<")[0]
            self.write(f"{code.co_filename.removeprefix(self.root)}:{name}")

    def write(self, what: str) -> None:
        """Write one record."""
        os.write(self.file, f"{self.test}\t{what}\n".encode())


def _test(current: str) -> str:
    """Return the test that pytest says is running, of one that is being made ready only its file."""
    name, _, phase = current.rpartition(" ")
    return name if phase == "(call)" else name.partition("::")[0]


def pytest_runtest_logstart(nodeid: str) -> None:
    """Let what follows be of the file's fixtures."""
    ENTERED.begin(nodeid.partition("::")[0])


def pytest_runtest_call(item: Any) -> None:
    """Let what follows be of the test."""
    ENTERED.begin(item.nodeid)


def pytest_runtest_teardown(item: Any) -> None:
    """Let what follows be of the file's fixtures again."""
    ENTERED.begin(item.nodeid.partition("::")[0])


def pytest_runtest_logreport(report: Any) -> None:
    """Record how long a test took that passed."""
    if report.when == "call" and report.passed:
        ENTERED.test = report.nodeid
        ENTERED.write(f"passed {report.duration:.4f}")


if "ENTERED_SOURCE" in os.environ:
    ENTERED: Entered = getattr(sys, "_entered", None) or Entered()
    sys._entered = ENTERED  # noqa: SLF001  # type: ignore[attr-defined]  # loaded twice: into the process, and as a plugin
    threading.settrace(ENTERED)
    sys.settrace(ENTERED)
