"""Whoever sits at standard input hears that it is read, whatever the command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

if sys.platform == "win32":  # as mypy reads it
    pytest.skip("there are no pseudo terminals", allow_module_level=True)

WAITS = "Type or paste what is to be read; end with Ctrl-D on a line of its own."


@pytest.mark.parametrize(
    "typed",
    [
        "balance -",
        "balance --request -",
        "lobbies - none.csv --team-size 2",
        "rate -",
        "ingest - --store sqlite:///new.db",
        "verify -",
    ],
)
def test_a_command_that_reads_a_terminal_says_so(typed: str, tmp_path: Path) -> None:
    """On stderr, before it reads; and nothing is said where nobody sits."""
    master, terminal = os.openpty()
    try:
        os.write(master, b"\x04" * 4)
        at_terminal = _run(typed, terminal, tmp_path)
    finally:
        os.close(master)
        os.close(terminal)
    elsewhere = _run(typed, subprocess.DEVNULL, tmp_path)
    assert at_terminal.stderr.decode().splitlines()[0] == WAITS
    assert WAITS not in at_terminal.stdout.decode() + elsewhere.stderr.decode()


def _run(typed: str, stdin: int, where: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "equipoise", *typed.split()],
        stdin=stdin, cwd=where, capture_output=True, timeout=60, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("typed", ["ingest --follow -", "archive import -"])
def test_a_command_that_cannot_read_standard_input_says_so(typed: str, tmp_path: Path) -> None:
    """Rather than looking for a file of that name."""
    done = _run(f"{typed} --store sqlite:///new.db", subprocess.DEVNULL, tmp_path)
    assert done.returncode == 1
    assert b"got -" in done.stderr
    assert not list(tmp_path.iterdir())
