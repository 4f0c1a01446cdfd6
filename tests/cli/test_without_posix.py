"""The command line where there are no POSIX signals, locks and forks, and where the console is not UTF-8."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from tests.cli.running import run_process

#: What takes POSIX away from a process that has this folder in PYTHONPATH.
TAKEN_AWAY = {"PYTHONPATH": str(Path(__file__).parents[1] / "without_posix")}

#: Seconds after which a test that hangs fails.
PATIENCE = 300.0


def without(*arguments: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    """Run a command without POSIX, in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "equipoise", *arguments],
        cwd=folder, capture_output=True, check=False, timeout=PATIENCE, env={**os.environ, **TAKEN_AWAY},
    )  # fmt: skip


@pytest.mark.slow
def test_processes_are_without_posix(tmp_path: Path) -> None:
    """What is taken away is away: otherwise nothing here would show anything."""
    program = "import os, signal; print(hasattr(os, 'fork'), hasattr(signal, 'SIGKILL')); import fcntl"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path, capture_output=True, check=False, timeout=PATIENCE, env={**os.environ, **TAKEN_AWAY},
    )  # fmt: skip
    assert done.stdout.split() == [b"False", b"False"]
    assert b"ModuleNotFoundError" in done.stderr


@pytest.mark.slow
def test_a_night_needs_no_posix(tmp_path: Path) -> None:
    """Teams, a result, its undoing and the next teams, in a file that is given by its path alone."""
    store = ("--store", "night.db")
    for step in (("Ann", "Bob", "Cid", "Dan"), ("won", "1"), ("undo",), ("again",)):
        done = without("night", *step, *store, folder=tmp_path)
        assert done.returncode == 0, done.stderr.decode()
        assert b"Traceback" not in done.stderr
    assert (tmp_path / "night.db").is_file()


@pytest.mark.slow
def test_a_pick_up_starts_without_posix(tmp_path: Path) -> None:
    """It connects and says who it is; with signals that a loop does not have it would have ended before."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(PATIENCE)
        port = server.getsockname()[1]
        bot = subprocess.Popen(
            [sys.executable, "-m", "equipoise", "pickup", "--irc", f"127.0.0.1:{port}",
             "--channel", "#night", "--lobby", "duel=1v1", "--store", "night.db"],
            cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **TAKEN_AWAY},
        )  # fmt: skip
        try:
            connection, _ = server.accept()
            with connection:
                connection.settimeout(PATIENCE)
                received = b""
                while b"NICK " not in received:
                    part = connection.recv(4096)
                    assert part, received
                    received += part
            assert bot.poll() is None
        finally:
            bot.terminate()
            _, errors = bot.communicate(timeout=PATIENCE)
        assert b"Traceback" not in errors, errors.decode()


@pytest.mark.slow
@pytest.mark.parametrize("console", ["cp1252", "ascii", "cp850"])
def test_names_are_written_in_utf_8_whatever_the_console(console: str) -> None:
    """No name is damaged or escaped."""
    done = run_process("balance", "-", stdin="5 Ünal\n6 محمد\n", PYTHONIOENCODING=console, LC_ALL="C")
    assert "Ünal" in done.stdout
    assert "محمد" in done.stdout


@pytest.mark.slow
def test_a_server_answers_without_posix(tmp_path: Path) -> None:
    """Over HTTP, also what a worker divides; nothing on the way asks for what only POSIX has."""
    assert without("night", "Ann", "Bob", "--store", "night.db", folder=tmp_path).returncode == 0
    addresses = ("--http", "127.0.0.1:0", "--weights", "127.0.0.1:0")
    with subprocess.Popen(
        [sys.executable, "-m", "equipoise", "serve", "--store", "night.db", *addresses],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, **TAKEN_AWAY},
    ) as server:  # fmt: skip
        assert server.stdout is not None
        try:
            read: list[str] = []
            while not (found := re.search(r"http: listening on (\S+)", "".join(read))):
                read.append(server.stdout.readline().decode())
                assert read[-1], read
            body = json.dumps({"text": "Ann 5\nBob 4\nCid 3\nDee 1"}).encode()
            asked = urllib.request.Request(f"http://{found[1]}/v1/balance", body)
            asked.add_header("Content-Type", "application/json")
            with urllib.request.urlopen(asked, timeout=PATIENCE) as answer:  # noqa: S310  # our own server
                assert json.load(answer)["status"] == "optimal"
        finally:
            server.terminate()
            errors = server.stdout.read().decode()
    assert "Exception" not in errors, errors
    assert "Traceback" not in errors, errors
