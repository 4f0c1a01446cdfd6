"""What benchmarks of the weight server run beside themselves: servers, and scripts that keep them busy."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.reporting import ROOT

#: Where servers listen and clients come from.
LOOPBACK = "127.0.0.1"

#: The token of servers that take results.
TOKEN = "a token that nobody guesses"  # noqa: S105 -- of benchmarks

#: The priority of server and client: the usual one, since a server has no other.
FIRST = 0

#: The cores that this process was given.
CORES = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [0]

#: Ticks of the processor clock in a second.
TICKS = os.sysconf("SC_CLK_TCK")


class Server:
    """A server in a process of its own: where it listens, and what it has used; it is killed at the end."""

    def __init__(self, arguments: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *arguments],
            stdout=subprocess.PIPE, text=True, env={**os.environ, **(environment or {})},
        )  # fmt: skip
        assert self.process.stdout is not None
        weights, _, http = self.process.stdout.readline().partition(", http: ")
        #: Where it listens for the weight protocol, and for HTTP (0 where it does not).
        self.port, self.http = int(weights.rpartition(":")[2]), int(http.rpartition(":")[2] or 0)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.wait()

    def wait(self) -> None:
        """Wait for its end."""
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()

    @property
    def seconds(self) -> float:
        """Processor time so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    @property
    def kilobytes(self) -> int:
        """Memory held now."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))


def serve(
    url: str, *flags: str, token: str = "", fast: bool = True, environment: Mapping[str, str] | None = None
) -> Server:
    """Start our server: with uvloop, where it is installed, or without."""
    forbid = "" if fast else "sys.modules['uvloop'] = None; "
    program = f"import sys; {forbid}from equipoise.cli import main; main()"
    given = ("serve", "--store", url, "--weights", f"{LOOPBACK}:0", "--log-level", "error", *flags)
    secret = {"EQUIPOISE_TOKEN": token} if token else {}
    return Server(["-c", program, *given], {**(environment or {}), **secret})


@contextlib.contextmanager
def beside(name: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Run a benchmark in a session of its own from its first line of output on, until it is not needed."""
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks", name, *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        process.stdout.readline()
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def pin(core: int, process: int = 0) -> None:
    """Keep a process, by default this one, on one core, where the system can do that and has several."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(process, {CORES[min(core, len(CORES) - 1)]})


def take_rank(priority: int) -> None:
    """Set the priority of this process, and of a session of its own: Linux weighs sessions first."""
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, priority)
        if os.getsid(0) != os.getpid():
            os.setsid()
        Path("/proc/self/autogroup").write_text(str(priority), encoding="ascii")
