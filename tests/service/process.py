"""A weight server in a process of its own, for tests."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path

from tests.service.http.asking import ask

#: Seconds after which a test that hangs fails: a busy machine takes long for the first answer of a worker.
PATIENCE = 300.0

TOKEN = "a token that nobody guesses"  # noqa: S105 -- of these tests


class Served:
    """A running server, and how to ask it."""

    def __init__(
        self,
        store: Path | str,
        *flags: str,
        environment: Mapping[str, str] | None = None,
        through: tuple[str, ...] = (),
    ) -> None:
        self.store = store
        given = {"EQUIPOISE_TOKEN": TOKEN} if environment is None else environment
        url = f"sqlite:///{store}" if isinstance(store, Path) else store
        self.process = subprocess.Popen(
            [*through, sys.executable, "-m", "equipoise", "serve", "--store", url,
             "--weights", "127.0.0.1:0", "--json-logs", *flags],
            env={**os.environ, **given}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        assert ", weights: listening on 127.0.0.1:" in said, self.process.communicate()
        self.said = said
        weights, _, http = said.partition(", http: listening on ")
        self.port = int(weights.rpartition(":")[2])
        self.http = f"http://{http.strip()}" if http else ""

    def wait_until_ready(self) -> None:
        """Return once both protocols answer and the store can be asked."""
        assert self.ask("PLAYER somebody\n")
        while ask(f"{self.http}/readyz").status != HTTPStatus.OK:
            assert self.process.poll() is None

    def connect(self) -> socket.socket:
        """Return a connection."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def ask(self, said: str) -> str:
        """Send lines, and return everything that is answered."""
        with self.connect() as connection:
            connection.sendall(said.encode())
            connection.shutdown(socket.SHUT_WR)
            return rest(connection).decode()

    def result(self, name: str) -> str:
        """Report a game that zoe has won; return the answer."""
        reported = f"RESULT {name}\t3 0\t0 PLAYER zoe\t1 PLAYER ann\n"
        return self.ask(f"AUTH {TOKEN}\nGAME oa/ctf\n{reported}").removeprefix("AUTH ok\n")

    def wait_for(self, said: str, answer: str) -> None:
        """Ask again and again until an answer comes."""
        while self.ask(said) != answer:
            assert self.process.poll() is None

    def logged(self, event: str) -> dict:
        """Read the log up to an event."""
        assert self.process.stderr is not None
        while line := self.process.stderr.readline():
            if (found := json.loads(line))["event"] == event:
                return found
        raise AssertionError(event)

    def end(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, list[dict]]:
        """Send a signal; return the exit code and the log."""
        self.process.send_signal(number)
        _, log = self.process.communicate(timeout=PATIENCE)
        assert all(line.startswith("{") for line in log.splitlines()), log
        return self.process.returncode, [json.loads(line) for line in log.splitlines()]


def rest(connection: socket.socket) -> bytes:
    """Return everything that comes until the server closes its side."""
    return b"".join(iter(lambda: connection.recv(65536), b""))
