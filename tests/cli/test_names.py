"""Names on the command line: ``--read``, the question at a terminal, and exit codes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.running import run

LIST = "1 Amber\n2 Birch\n3 Cedar\n4 Dahlia\n"


def test_doubt_ends_with_two_and_the_remedy() -> None:
    """Without a terminal nobody can be asked: the line, the readings and the option are named."""
    done = run("balance", "-", stdin=LIST)
    assert done.returncode == 2
    assert "standard input, line 1: '1 Amber' can be read in several ways" in done.stderr
    assert "--read weight-first|names" in done.stderr


@pytest.mark.parametrize(("read", "total"), [("weight-first", "Team 1: 5"), ("names", "Team 1: 100")])
def test_the_option_decides(read: str, total: str) -> None:
    """Numbers of a list are weights or not, as asked for."""
    done = run("balance", "-", "--read", read, stdin=LIST)
    assert done.returncode == 0
    assert total in done.stdout


@pytest.mark.slow
def test_a_person_is_asked(tmp_path: Path) -> None:
    """At a terminal the readings are shown, and the answer is used."""
    path = tmp_path / "names.txt"
    path.write_text(LIST, encoding="utf-8")
    pty = pytest.importorskip("pty", reason="there are no terminals here")
    terminal, end = pty.openpty()
    command = subprocess.Popen(
        [sys.executable, "-m", "equipoise", "balance", str(path)],
        stdin=end, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    os.write(terminal, b"weight-first\n")
    out, asked = command.communicate(timeout=60)
    os.close(end)
    os.close(terminal)
    assert b"Read it as (weight-first, names)" in asked
    assert command.returncode == 0
    assert b"Team 1: 5" in out
