"""Play the weight server against an earlier one: ``python -m benchmarks serving_duel CHECKOUT``.

``CHECKOUT`` is a working tree of the earlier source; ``serving-duel.json`` is written, which the page of
``serving.py`` shows.  Both answer the same lookups of the same client, one after the other in many short
rounds, each on the first core while the client has the other.  What counts is the processor time that a
server itself has used: a busy machine is busy for both.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.reporting import RAW, ROOT
from benchmarks.service.processes import FIRST, Server, pin, take_rank
from benchmarks.service.serving import PLAYERS, Row, ours

#: Matches of the archive that each writes.
MATCHES = 1_000

#: Clients, lines that each has on the way, and lookups of a round.
GAMES = ((20, 1, 15_000), (1, 1, 8_000), (8, 100, 800_000), (8, 400, 800_000))

#: Rounds of each server in each of those.
ROUNDS = 6

#: Lookups that a figure is for.
EACH = 10_000


class Client:
    """Connections that ask a server, each with so many lines on the way."""

    def __init__(self, port: int, clients: int, window: int) -> None:
        self._window = window
        self._poll = selectors.DefaultSelector()
        self._packets = [
            b"".join(b"PLAYER p%d\n" % (7 * (n * window + k) % PLAYERS) for k in range(window))
            for n in range(997)
        ]
        for _ in range(clients):
            connection = socket.create_connection(("127.0.0.1", port))
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._poll.register(connection, selectors.EVENT_READ)
            connection.sendall(b"GAME tdm\n")

    def ask(self, lookups: int) -> None:
        """Ask, and wait for all answers."""
        missing: dict[Any, int] = {}
        turn = 0
        for key in self._poll.get_map().values():
            key.fileobj.sendall(self._packets[turn])  # type: ignore[union-attr]
            missing[key.fileobj] = self._window
            turn += 1
        while missing:
            for key, _ in self._poll.select():
                connection: Any = key.fileobj
                missing[connection] -= connection.recv(1 << 20).count(b"\n")
                if missing[connection]:
                    continue
                if turn * self._window < lookups:
                    connection.sendall(self._packets[turn % len(self._packets)])
                    missing[connection] = self._window
                    turn += 1
                else:
                    del missing[connection]

    def close(self) -> None:
        """Leave."""
        for key in list(self._poll.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]
        self._poll.close()


@contextlib.contextmanager
def playing(root: Path, *, fast: bool) -> Iterator[Server]:
    """Run the server of a working tree, with an archive that it has written itself."""
    environment = {**os.environ, "PYTHONPATH": str(root / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/games.db"
        runner = root / "benchmarks" / "__main__.py"
        script = ["-m", "benchmarks", "serving"] if runner.exists() else ["benchmarks/serving.py"]
        written = [*script, "--archive", url, "1", str(MATCHES)]
        subprocess.run([sys.executable, *written], cwd=root, env=environment, check=True)
        with ours(url, fast=fast, environment=environment) as server:
            pin(0, server.process.pid)
            yield server


def duel(before: Path, *, fast: bool) -> list[Row]:
    """Return the seconds of each server for so many lookups, and the median of the shares of all rounds."""
    rows = []
    with playing(before, fast=fast) as old, playing(ROOT, fast=fast) as new:
        for clients, window, lookups in GAMES:
            asking = [(server, Client(server.port, clients, window), list[float]()) for server in (old, new)]
            for n in range(ROUNDS + 1):
                for server, client, used in asking[:: (-1) ** n]:
                    began = server.seconds
                    client.ask(lookups)
                    if n:  # the first round finds the answers, which are kept
                        used.append((server.seconds - began) * EACH / lookups)
            for _, client, _ in asking:
                client.close()
            then, now = (used for _, _, used in asking)
            rows.append({
                "loop": "uvloop" if fast else "asyncio", "clients": clients, "window": window,
                "before": statistics.median(then), "now": statistics.median(now), "rounds": ROUNDS,
                "share": sum(now) / sum(then),
            })  # fmt: skip
            print(rows[-1], file=sys.stderr)
    return rows


def main() -> int:
    """Play, and write what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", type=Path, metavar="CHECKOUT", help="working tree of the earlier source")
    before = parser.parse_args().before.resolve()
    pin(1)
    take_rank(FIRST)
    rows = [row for fast in (False, True) for row in duel(before, fast=fast)]
    (RAW / "serving-duel.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0
