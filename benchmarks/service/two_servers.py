"""When a result is seen by both servers of one PostgreSQL: ``python -m benchmarks two_servers``.

It writes ``two_servers.json`` and ``TWO_SERVERS.md``; ``--many N`` reports so many results, ``--report``
writes the page again, ``--check`` tells if it is stale.  Each result has a new player and comes at one of
two servers of ``equipoise serve``; both are asked for the player's weight until both know it.
"""

from __future__ import annotations

import contextlib
import os
import platform
import random
import runpy
import socket
import time
from typing import Any

from benchmarks.reporting import PAGES, RAW, ROOT, describe, run_many
from benchmarks.service.processes import FIRST, LOOPBACK, TOKEN, Server, serve, take_rank

Row = dict[str, Any]

#: How many results, seconds between two at most, between two questions, and until all must be seen.
RESULTS, BETWEEN, LOOKS, PATIENCE = 500, 0.3, 0.005, 60.0

#: Seconds within which both must have seen 99 of 100.
WANTED = 1.0


class Connection:
    """A connection of a game server."""

    def __init__(self, server: Server) -> None:
        self._socket = socket.create_connection((LOOPBACK, server.port), timeout=PATIENCE)
        self._lines = self._socket.makefile("rb")
        self.ask(f"AUTH {TOKEN}")

    def ask(self, line: str) -> str:
        """Return the answer to a line."""
        self._socket.sendall(f"{line}\n".encode())
        return self._lines.readline().decode().rstrip("\n")

    def knows(self, player: str) -> bool:
        """Tell whether there is a weight of a player."""
        return self.ask(f"GAME openarena/ctf\nPLAYER {player}") != f"PLAYER {player}"


def seen(connections: list[Connection], number: int, taker: int) -> tuple[list[float], int]:
    """Report a result; return the seconds until each server knows it, and how often it was sent again."""
    player, again = f"p{number}", 0
    began = time.monotonic()
    result = f"GAME openarena/ctf\nRESULT g{number}\t3 0\t0 PLAYER {player}\t1 PLAYER ann"
    while not connections[taker].ask(result).startswith("RESULT "):
        again += 1
    found = [0.0, 0.0]
    while not all(found):
        for n, each in enumerate(connections):
            if not found[n] and each.knows(player):
                found[n] = time.monotonic() - began
        if time.monotonic() - began > PATIENCE:
            msg = f"result {number} is not seen after {PATIENCE:g} s"
            raise AssertionError(msg)
        time.sleep(LOOKS)
    return found, again


def measure(many: int = RESULTS) -> Row:
    """Return the seconds until each result was seen at its own server, and at the other."""
    take_rank(FIRST)
    rng = random.Random(0)
    own, other, sent_again = list[float](), list[float](), 0
    servers = runpy.run_path(str(ROOT / "tests" / "servers.py"))
    with (
        servers["postgresql_server"]("fsync=on", "synchronous_commit=on") as database,
        contextlib.ExitStack() as stack,
    ):
        both = [
            stack.enter_context(serve(database.url, "--create", "--workers", "1", token=TOKEN))
            for _ in range(2)
        ]
        connections = [Connection(server) for server in both]
        seen(connections, -1, 0)  # whatever is loaded once
        for number in range(many):
            time.sleep(rng.uniform(0.0, BETWEEN))
            taker = rng.randrange(2)
            found, again = seen(connections, number, taker)
            own.append(found[taker])
            other.append(found[1 - taker])
            sent_again += again
    return {
        **describe(), "machine": platform.machine(), "cores": os.cpu_count(), "load": os.getloadavg()[0],
        "own": sorted(own), "other": sorted(other), "again": sent_again,
        "both": sorted(map(max, own, other)),
    }  # fmt: skip


def report(results: Row) -> str:
    """Return the page."""
    lines = []
    for name, words in (
        ("own", "the server that took it"), ("other", "the other server"), ("both", "both"),
    ):  # fmt: skip
        times = results[name]
        figures = [times[min(len(times) * each // 100, len(times) - 1)] for each in (50, 90, 99, 100)]
        lines.append(f"| {words} | {' | '.join(f'{each:.3f}' for each in figures)} |")
    return """\
# Two servers of one PostgreSQL

`python -m benchmarks two_servers` measured and wrote this; do not edit.

At commit {commit}, {processor}, {cores} cores at a load of {load:.0f} at the end: {many} results, one after \
the other, come at one of two servers of `equipoise serve` over the weight protocol; PostgreSQL writes \
durably (`fsync`, `synchronous_commit`).
Seconds are from the moment in which a result is sent until the weight of its player is known; {again} were \
sent again, as the protocol asks where a server says that the archive is busy.

| a result is seen by | median, s | p90, s | p99, s | longest, s |
|---|---:|---:|---:|---:|
{table}

Wanted: both within {wanted:g} s, 99 of 100.
""".format(**results, many=len(results["both"]), wanted=WANTED, table="\n".join(lines))


def main() -> int:
    """Read the arguments and do what they say."""
    return run_many(
        __doc__, RAW / "two_servers.json", PAGES / "TWO_SERVERS.md", measure, report, many=RESULTS
    )
