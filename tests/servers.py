"""Servers that tests start for themselves, where they are installed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from benchmarks.ports import free_port

#: Who runs a server that refuses to run as root, the first that exists.
_UNPRIVILEGED = ("postgres", "nobody")


def postgresql_programs() -> Path | None:
    """Return the directory of initdb and pg_ctl, the newest where there are several; None without."""
    found = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3].split(".")[0])
    )
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).resolve().parent if on_path else None


@dataclass(frozen=True, slots=True)
class Postgresql:
    """A server that runs: its address, and how it fails."""

    url: str
    control: tuple[str | Path, ...]
    run: Mapping[str, Any]
    data: Path

    def hang(self) -> None:
        """Let every process of it stand still, as on a machine without a disk."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let them go on."""
        self._signal(signal.SIGCONT)

    def stop(self) -> None:
        """End it without asking anyone."""
        subprocess.run([*self.control, "-m", "immediate", "stop"], check=True, **self.run)

    def start(self) -> None:
        """Begin it again at the same address."""
        subprocess.run([*self.control, "-l", self.data.parent / "log", "start"], check=True, **self.run)

    def kill(self) -> None:
        """End every process of it at once; what the system holds of its files stays."""
        self._signal(signal.SIGKILL)

    def _signal(self, number: int) -> None:
        """Send a signal to the first process and its children; each of them may end meanwhile."""
        main = int((self.data / "postmaster.pid").read_text(encoding="ascii").split()[0])
        for process in (main, *_children(main)):
            with suppress(ProcessLookupError):
                os.kill(process, number)


def _children(parent: int) -> Iterator[int]:
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(FileNotFoundError, ProcessLookupError):
            if int(path.read_text(encoding="ascii").rpartition(")")[2].split()[1]) == parent:
                yield int(path.parent.name)


@contextmanager
def postgresql_server(*settings: str) -> Iterator[Postgresql]:
    """Give a server of our own on loopback, its data in a temporary directory; or skip the test.

    Settings are like ``fsync=on``; what is written is not waited for unless they say so.
    """
    programs = postgresql_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed: scripts/install-test-servers installs it")
    pytest.importorskip("psycopg", reason="psycopg, which talks to PostgreSQL, is not installed")
    home = Path(tempfile.mkdtemp(prefix="equipoise-postgresql-"))
    who = _unprivileged()
    if who:
        shutil.chown(home, who["user"])
    data = home / "data"
    port = free_port()
    run: Any = {"capture_output": True, "timeout": 120, "cwd": home, **who}
    options = f"-p {port} -c listen_addresses=127.0.0.1 -k {home} -c fsync=off"
    options += "".join(f" -c {each}" for each in settings)
    control = (programs / "pg_ctl", "-D", data, "-w", "-o", options)
    server = Postgresql(f"postgresql://tester@127.0.0.1:{port}/postgres", control, run, data)
    try:
        initdb = (programs / "initdb", "-D", data, "-U", "tester", "-A", "trust", "-E", "UTF8", "--locale=C")
        subprocess.run([*initdb, "--no-sync"], check=True, **run)
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(home, ignore_errors=True)


@contextmanager
def postgresql() -> Iterator[str]:
    """Give the address of a server of our own."""
    with postgresql_server() as server:
        yield server.url


def _unprivileged() -> dict[str, Any]:
    """Return as whom to run, for subprocess; nothing where we are not root."""
    if os.geteuid() != 0:
        return {}
    import pwd  # a server needs POSIX, what imports this module need not

    users = {entry.pw_name: entry for entry in pwd.getpwall()}
    entry = next(users[name] for name in _UNPRIVILEGED if name in users)
    return {"user": entry.pw_name, "group": entry.pw_gid, "extra_groups": []}
