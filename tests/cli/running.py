"""The command line as tests run it: within this process, which is fast, or in one of its own."""

from __future__ import annotations

import inspect
import io
import os
import subprocess
import sys
from unittest import mock

from click.testing import CliRunner

from equipoise.cli import main


def runner() -> CliRunner:
    """Return what invokes a command, with standard error apart: older versions of click mix it in."""
    older = "mix_stderr" in inspect.signature(CliRunner).parameters
    return CliRunner(**({"mix_stderr": False} if older else {}))


def run(*args: str, stdin: str | bytes = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command line within this process, on streams of its own."""
    streams = [io.BytesIO(stdin.encode() if isinstance(stdin, str) else stdin), io.BytesIO(), io.BytesIO()]
    code = 0
    with (
        mock.patch.object(sys, "argv", ["equipoise", *args]),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(streams[0], encoding="utf-8")),
        mock.patch.object(sys, "stdout", io.TextIOWrapper(streams[1], encoding="utf-8", write_through=True)),
        mock.patch.object(sys, "stderr", io.TextIOWrapper(streams[2], encoding="utf-8", write_through=True)),
        mock.patch.dict(os.environ, environment),
    ):
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        out, err = streams[1].getvalue().decode(), streams[2].getvalue().decode()
    return subprocess.CompletedProcess(args, code, out, err)


def run_process(*args: str, stdin: str | bytes = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own, as a user does."""
    given = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run(  # our own program
        [sys.executable, "-m", "equipoise", *args],
        input=given, capture_output=True, check=False, env={**os.environ, **environment}, timeout=60,
    )  # fmt: skip
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return subprocess.CompletedProcess(args, done.returncode, done.stdout.decode(), done.stderr.decode())
