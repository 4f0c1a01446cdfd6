"""What a division costs over the network: ``python -m benchmarks posting`` writes ``POSTING.md``.

Processor time of the server and all its workers for each ``POST /v1/balance`` and each ``TEAMS``, beside that
of decoding, checking and dividing in one process, and of the same framework with a constant answer; and
answers a second with all processes on one core against all cores.
``--report`` writes the page anew, ``--check`` tells if it is stale.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import random
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from typing import Any

from benchmarks.reporting import PAGES, PEERS, RAW, add_modes, keep
from benchmarks.service.attacks import make
from benchmarks.service.http_frameworks import Client as Loading
from benchmarks.service.processes import CORES, LOOPBACK, Server, serve
from benchmarks.service.web import _post, _used

Row = dict[str, Any]

#: Players of the divisions, with how many of them are asked for in a round.
ASKED = {10: 1200, 24: 160, 64: 24}

#: Rounds, of which the medians count, and connections that ask one after the other.
ROUNDS, CONNECTIONS = 7, 8

#: Seconds that the server's workers are given to begin, and that a search may take.
BEFORE, LIMIT = 3.0, 5.0


def body(players: int) -> bytes:
    """Return a request of players with weights that are whole numbers."""
    rng = random.Random(players)
    return json.dumps({"players": {f"p{n}": rng.randrange(800, 2400) for n in range(players)}}).encode()


def _library(players: int, times: int) -> float:
    """Return the processor seconds of an answer made in this process."""
    from equipoise.service.http.stateless_questions import answered

    asked = body(players)
    answered("balance", asked, LIMIT)
    began = time.process_time()
    for _ in range(times):
        answered("balance", asked, LIMIT)
    return (time.process_time() - began) / times


class _Lines(asyncio.Protocol):
    """Asks for teams again and again over the weight protocol."""

    def __init__(self, line: bytes, times: int, done: asyncio.Future[None]) -> None:
        self._line, self._left, self._done, self._said = line, times, done, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask."""
        self._transport: Any = transport
        self._transport.write(b"GAME openarena/tdm\n" + self._line)

    def data_received(self, data: bytes) -> None:
        """Ask again once there is an answer."""
        self._said += data
        if not self._said.endswith(b"\n"):
            return
        if not self._said.startswith(b"TEAMS"):
            self._done.set_exception(RuntimeError(f"refused: {self._said!r}"))
            return
        self._said, self._left = b"", self._left - 1
        if self._left:
            self._transport.write(self._line)
        else:
            self._transport.close()
            self._done.set_result(None)


async def _load(server: Server, protocol: str, players: int, times: int) -> float:
    """Return how many answers a second come over several connections."""
    loop = asyncio.get_running_loop()
    each = max(1, times // CONNECTIONS)
    line = b"TEAMS 2" + b"".join(b"\tPLAYER p%d" % n for n in range(players)) + b"\n"
    post = _post(f"/v1/balance?time_limit={LIMIT:g}", body(players))
    waited: list[asyncio.Future[None]] = [loop.create_future() for _ in range(CONNECTIONS)]
    began = time.perf_counter()
    for done in waited:
        if protocol == "http":
            await loop.create_connection(
                lambda done=done: Loading(post, each, done),
                LOOPBACK,
                server.http,  # type: ignore[misc]
            )
        else:
            await loop.create_connection(
                lambda done=done: _Lines(line, each, done),
                LOOPBACK,
                server.port,  # type: ignore[misc]
            )
    await asyncio.gather(*waited)
    return each * CONNECTIONS / (time.perf_counter() - began)


def _asked(server: Server, protocol: str, players: int, times: int) -> tuple[float, float]:
    """Return answers a second, and the processor seconds of each in all processes of a server."""
    before = _used(server.process.pid)
    rate = asyncio.run(_load(server, protocol, players, times))
    after = _used(server.process.pid)
    used = sum(seconds - before.get(pid, 0.0) for pid, seconds in after.items())
    return rate, used / (max(1, times // CONNECTIONS) * CONNECTIONS)


def _stay_on(number: int) -> None:
    """Let this process, and those that it begins, have so many cores."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, set(CORES[:number]))


def _serving(open_ones: ExitStack, url: str, number: int) -> Server:
    """Return a server that has so many cores, whose workers have begun."""
    make(url)
    _stay_on(number)
    flags = ("--http", f"{LOOPBACK}:0", "--http-rate", "1e9", "--team-seconds", str(LIMIT))
    server: Server = open_ones.enter_context(serve(url, *flags, "--workers", str(number)))
    time.sleep(BEFORE)
    for protocol in ("http", "weights"):
        _asked(server, protocol, 10, CONNECTIONS)
    return server


def measure(rounds: int = ROUNDS, asked: dict[int, int] = ASKED) -> Row:
    """Return what was measured: all that is compared takes turns, so that the machine is as busy for each."""
    rows = []
    with tempfile.TemporaryDirectory() as folder, ExitStack() as open_ones:
        servers = {
            number: _serving(open_ones, f"sqlite:///{folder}/{number}.db", number)
            for number in {1: None, len(CORES): None}
        }
        _stay_on(1)
        bare = open_ones.enter_context(Server([str(PEERS / "bare_http.py")]))
        for players, times in asked.items():
            found: dict[str, list[float]] = {}

            def note(name: str, number: float, found: dict[str, list[float]] = found) -> None:
                found.setdefault(name, []).append(number)

            for turn in range(rounds + 1):
                if turn == 1:
                    found.clear()  # the first one was for the workers to load what they need
                for protocol in ("http", "weights"):
                    for number, server in servers.items():
                        _stay_on(number)
                        rate, used = _asked(server, protocol, players, times)
                        note(f"{protocol} {number}", rate)
                        note(f"{protocol} {number} used", used)
                    _stay_on(1)
                    if protocol == "http":
                        note("constant", _asked(bare, protocol, players, times)[1])
                        note("library", _library(players, times // 4))
            middle = {name: statistics.median(numbers) for name, numbers in found.items()}
            for protocol in ("http", "weights"):
                rows.append({
                    "protocol": protocol, "players": players, "library": middle["library"],
                    "constant": middle["constant"] if protocol == "http" else None,
                    "served": middle[f"{protocol} 1 used"], "one": middle[f"{protocol} 1"],
                    "all": middle[f"{protocol} {len(CORES)}"],
                })  # fmt: skip
                print(json.dumps(rows[-1]), file=sys.stderr)
    _stay_on(len(CORES))
    return {
        "machine": platform.machine(), "python": platform.python_version(), "cores": len(CORES),
        "load": os.getloadavg()[0], "times": rounds, "turns": True, "rows": rows,
    }  # fmt: skip


HEAD = """\
# What a division costs over the network

`python -m benchmarks posting` measured this on {machine} with {cores} cores and Python {python}, \
`python -m benchmarks posting --report` wrote it; do not edit.

- *Library* is the processor time of decoding, checking, dividing and encoding in one process, *constant* \
that of the same framework that decodes and answers with a constant, *served* that of the server and all its \
workers, with everything on one core; medians of {times} rounds{turns}.
- Over the weight protocol players are known to the archive, with uncertain ratings; its divisions are \
others, so there *times* says nothing.
- Answers a second are those of all processes and the client on one core, and on all.
- When this ran, {load:.1f} processes wanted the machine.

"""


def report(results: Row) -> str:
    """Return the page."""
    lines = [
        "| protocol | players | library | constant | served | times | one core | all cores | times |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in results["rows"]:
        is_http = row["protocol"] == "http"
        cells = [
            row["protocol"], str(row["players"]), f"{1000 * row['library']:.2f} ms" if is_http else "",
            f"{1000 * row['constant']:.2f} ms" if is_http else "", f"{1000 * row['served']:.2f} ms",
            f"{row['served'] / row['library']:.2f}" if is_http else "", f"{row['one']:.0f}/s",
            f"{row['all']:.0f}/s", f"{row['all'] / row['one']:.2f}",
        ]  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    turns = ", in which all of them take turns" if results.get("turns") else ""
    return HEAD.format(**{**results, "turns": turns}) + "\n".join(lines) + "\n"


def main() -> int:
    """Read the arguments and do what they say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    add_modes(parser)
    given = parser.parse_args()
    return keep(given, RAW / "posting.json", PAGES / "POSTING.md", lambda: measure(given.rounds), report)
