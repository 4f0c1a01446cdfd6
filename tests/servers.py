"""Servers that tests start for themselves, where they are installed."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

#: Who runs a server that refuses to run as root, the first that exists.
_UNPRIVILEGED = ("postgres", "nobody")


def postgresql_programs() -> Path | None:
    """Return the directory of initdb and pg_ctl, the newest where there are several; None without."""
    found = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3].split(".")[0])
    )
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).resolve().parent if on_path else None


@contextmanager
def postgresql() -> Iterator[str]:
    """Give the address of a server of our own: on loopback, with its data in a temporary directory."""
    programs = postgresql_programs()
    assert programs is not None
    home = Path(tempfile.mkdtemp(prefix="equipoise-postgresql-"))
    who = _unprivileged()
    if who:
        shutil.chown(home, who["user"])
    data = home / "data"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    run: Any = {"capture_output": True, "timeout": 120, "cwd": home, **who}
    options = f"-p {port} -c listen_addresses=127.0.0.1 -k {home} -c fsync=off"
    try:
        initdb = (programs / "initdb", "-D", data, "-U", "tester", "-A", "trust", "-E", "UTF8", "--locale=C")
        subprocess.run([*initdb, "--no-sync"], check=True, **run)
        start = (programs / "pg_ctl", "-D", data, "-w", "-l", home / "log", "-o", options)
        subprocess.run([*start, "start"], check=True, **run)
        try:
            yield f"postgresql://tester@127.0.0.1:{port}/postgres"
        finally:
            subprocess.run(
                [programs / "pg_ctl", "-D", data, "-w", "-m", "immediate", "stop"], check=True, **run
            )
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _unprivileged() -> dict[str, Any]:
    """Return as whom to run, for subprocess; nothing where we are not root."""
    if os.geteuid() != 0:
        return {}
    users = {entry.pw_name: entry for entry in pwd.getpwall()}
    entry = next(users[name] for name in _UNPRIVILEGED if name in users)
    return {"user": entry.pw_name, "group": entry.pw_gid, "extra_groups": []}
