"""Crowds that take places or ask again at once: ``python -m benchmarks crowds`` writes ``CROWDS.md``.

Silent connections of two addresses and of 200 networks, over both protocols, and clients that ask for
divisions again as soon as they are refused.  A healthy client connects and asks beside each crowd; of those
who ask again at once it is counted how many are answered for each second of the processor that the server
and its workers take.  ``--report`` writes the page anew, ``--check`` tells if it is stale.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import select
import socket
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.reporting import PAGES, RAW, add_modes, keep
from benchmarks.service.attacks import ALLOWED, TIMES, ask, make
from benchmarks.service.processes import LOOPBACK, Server, beside, serve, take_rank
from benchmarks.service.web import _get, _post, _request, _used, browse

Row = dict[str, Any]

#: Rounds of each crowd, of which the medians count, and seconds that a healthy client asks in each.
ROUNDS, SECONDS = 3, 0.5

#: Seconds for which a crowd is there before somebody healthy comes.
BEFORE = 1.0

#: Seconds within which a healthy client is connected and has its first answer.
WITHIN = 1.0

#: Numbers of clients that ask again at once, and the part of the first ones' throughput that all must have.
AGAIN, LEAST = (64, 200), 0.9

#: Players of a division that is asked for again and again.
DIVIDED = 10

#: Limits of open files: a crowd has one for each connection.
FILES = 8192


@dataclass(frozen=True, slots=True)
class Crowd:
    """Silent connections.

    Parameters
    ----------
    name : str
        What it is called.
    clients : int
        How many connections.
    addresses : int
        Of how many addresses they are; each is in a network of its own.
    protocol : str
        ``weights`` or ``http``.
    says : bytes
        What each says once.
    """

    name: str
    clients: int
    addresses: int
    protocol: str
    says: bytes = b""


CROWDS = (
    Crowd("2,048 silent of two addresses", 2048, 2, "weights"),
    Crowd("2,048 of two addresses with one line each", 2048, 2, "weights", b"MEANBOT\n"),
    Crowd("200 silent of as many networks", 200, 200, "weights"),
    Crowd("2,048 silent of two addresses, HTTP", 2048, 2, "http"),
    Crowd("2,048 of two addresses with one request each, HTTP", 2048, 2, "http", _get("/livez")),
    Crowd("200 silent of as many networks, HTTP", 200, 200, "http"),
)

#: What clients of each protocol ask again and again, and how an answer ends.
QUESTIONS = {
    "weights": b"GAME openarena/tdm\nTEAMS 2" + b"".join(b"\tPLAYER p%d" % n for n in range(DIVIDED)) + b"\n",
    "http": _post("/v1/balance", _request(DIVIDED)),
}


def _address(n: int) -> str:
    """Return an address of loopback in a network of its own."""
    return f"127.{1 + n // 250}.{1 + n % 250}.1"


def _raise_files() -> None:
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(FILES, hard), hard))


def _connected(port: int, address: str) -> socket.socket:
    client = socket.socket()
    client.bind((address, 0))
    client.connect((LOOPBACK, port))
    return client


def crowd(port: int, plan: Crowd) -> None:
    """Hold connections until this process is killed; whoever is closed connects again."""
    take_rank(19)
    _raise_files()
    poll = select.poll()
    by: dict[int, tuple[socket.socket, int]] = {}

    def enter(n: int) -> None:
        client = _connected(port, _address(n % plan.addresses))
        with contextlib.suppress(OSError):
            client.sendall(plan.says)
        client.setblocking(False)
        by[client.fileno()] = client, n
        poll.register(client, select.POLLIN)

    for n in range(plan.clients):
        with contextlib.suppress(OSError):
            enter(n)
    print("begun", flush=True)
    while True:
        for file, _ in poll.poll(100):
            client, n = by[file]
            with contextlib.suppress(OSError):
                if client.recv(65536):
                    continue
            poll.unregister(client)
            client.close()
            del by[file]
            with contextlib.suppress(OSError):
                enter(n)
        time.sleep(0.05)


def _is_whole(said: bytes) -> bool:
    """Tell whether an answer has come to its end."""
    if not said.startswith(b"HTTP"):
        return said.endswith(b"\n")
    head, _, body = said.partition(b"\r\n\r\n")
    length = head.lower().partition(b"content-length:")[2].split(b"\r")[0].strip()
    return length.isdigit() and len(body) >= int(length)


def again(port: int, protocol: str, clients: int) -> None:
    """Ask for divisions without end, each client again as soon as it has an answer; count these."""
    take_rank(10)
    poll = select.poll()
    by: dict[int, socket.socket] = {}
    said_by: dict[int, bytes] = {}
    for n in range(clients):
        client = _connected(port, _address(n))
        client.sendall(QUESTIONS[protocol])
        by[client.fileno()] = client
        poll.register(client, select.POLLIN)
    print("begun", flush=True)
    given = refused = 0
    counted = time.monotonic()
    while True:
        for file, _ in poll.poll(50):
            part = by[file].recv(65536)
            if not part:
                return
            said = said_by[file] = said_by.get(file, b"") + part
            if not _is_whole(said):
                continue
            said_by[file] = b""
            right = said.startswith((b"TEAMS", b"HTTP/1.1 200"))
            given, refused = given + right, refused + (not right)
            by[file].sendall(QUESTIONS[protocol])
        if time.monotonic() - counted > 0.1:
            counted = time.monotonic()
            print(json.dumps([given, refused]), flush=True)


def _first_answer(port: int, protocol: str) -> float:
    """Return after how many seconds a new client has its first answer."""
    began = time.perf_counter()
    with socket.create_connection((LOOPBACK, port), timeout=60.0) as client:
        client.sendall(b"MEANBOT\n" if protocol == "weights" else _get("/livez"))
        said = client.recv(4096)
    if not said.startswith((b"MEANBOT", b"HTTP/1.1 200")):
        msg = f"a healthy client was refused: {said!r}"
        raise RuntimeError(msg)
    return time.perf_counter() - began


@contextlib.contextmanager
def _served(url: str) -> Iterator[Server]:
    with serve(url, "--http", f"{LOOPBACK}:0", "--http-rate", "1e6") as server:
        yield server


def endure(url: str, plan: Crowd, rounds: int, seconds: float) -> Row:
    """Measure a healthy client of each protocol alone and beside a crowd, in turn."""
    parts = []
    with _served(url) as server:
        port = server.port if plan.protocol == "weights" else server.http
        ask(server.port, seconds / 4)
        browse(server.http, seconds / 4)
        for _ in range(rounds):
            alone = {"weights": ask(server.port, seconds), "http": browse(server.http, seconds)}
            with beside("crowds", "--crowd", str(port), plan.name):
                time.sleep(BEFORE)
                first = max(_first_answer(port, plan.protocol) for _ in range(5))
                there = {"weights": ask(server.port, seconds), "http": browse(server.http, seconds)}
            part = {"first": first}
            for whose in alone:
                part[f"{whose}_alone"] = alone[whose][len(alone[whose]) * 99 // 100]
                part[f"{whose}_beside"] = there[whose][len(there[whose]) * 99 // 100]
            parts.append(part)
    row: Row = {name: sorted(part[name] for part in parts)[len(parts) // 2] for name in parts[0]}
    row["first"] = max(part["first"] for part in parts)
    return {"name": plan.name, **row, "rounds": parts}


def throughput(url: str, protocol: str, clients: Sequence[int], rounds: int, seconds: float) -> Row:
    """Count what is given and refused to clients that ask again at once, by the server's processor time."""
    found: dict[int, list[Row]] = {number: [] for number in clients}
    with _served(url) as server:
        port = server.port if protocol == "weights" else server.http
        for number in [clients[0], *list(clients) * rounds]:  # the first is not counted
            with beside("crowds", "--again", str(port), protocol, str(number)) as asking:
                assert asking.stdout is not None
                time.sleep(BEFORE)
                before, used = _newest(asking.stdout.fileno()), _used(server.process.pid)
                began = time.perf_counter()
                time.sleep(seconds)
                after, now = _newest(asking.stdout.fileno()), _used(server.process.pid)
                took = time.perf_counter() - began
            processor = sum(spent - used.get(pid, 0.0) for pid, spent in now.items())
            given = after[0] - before[0]
            found[number].append({
                "given": given / took, "refused": (after[1] - before[1]) / took,
                "processor": processor / took, "by_processor": given / max(processor, 1e-9),
            })  # fmt: skip
    found[clients[0]].pop(0)
    rows = {
        str(number): {name: sorted(part[name] for part in parts)[len(parts) // 2] for name in parts[0]}
        for number, parts in found.items()
    }
    return {"protocol": protocol, "clients": rows}


def _newest(file: int) -> tuple[int, int]:
    """Return the last counts that an asking process has counted."""
    data = b""
    while select.select([file], [], [], 0.0 if data.endswith(b"]\n") else 5.0)[0]:
        part = os.read(file, 65536)
        if not part:
            break
        data += part
    given, refused = json.loads(data.splitlines()[-1])
    return given, refused


def measure(rounds: int = ROUNDS, seconds: float = SECONDS) -> Row:
    """Return what every crowd did."""
    _raise_files()
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/games.db"
        make(url)
        rows = []
        for plan in CROWDS:
            rows.append(endure(url, plan, rounds, seconds))
            print(json.dumps({**rows[-1], "rounds": rounds}), file=sys.stderr)
        rates = []
        for protocol in QUESTIONS:
            rates.append(throughput(url, protocol, AGAIN, rounds, 4 * seconds))
            print(json.dumps(rates[-1]), file=sys.stderr)
    return {
        "machine": platform.machine(), "python": platform.python_version(), "cores": os.cpu_count(),
        "load": os.getloadavg()[0], "times": rounds, "seconds": seconds, "rows": rows, "rates": rates,
    }  # fmt: skip


def broken(row: Row) -> list[str]:
    """Return which promises a crowd broke."""
    promises = {f"first answer within {WITHIN:g} s": row["first"] <= WITHIN}
    for whose in ("weights", "http"):
        p99 = max(TIMES * row[f"{whose}_alone"], ALLOWED)
        promises[f"{whose}: p99 within 3 times or 10 ms"] = row[f"{whose}_beside"] <= p99
    return [promise for promise, kept in promises.items() if not kept]


HEAD = """\
# Crowds that take places or ask again at once

`python -m benchmarks crowds` measured this on {machine} with {cores} cores and Python {python}, \
`python -m benchmarks crowds --report` wrote it; do not edit.

- Every address of a crowd is in a network (/24) of its own, and whoever is closed connects again at once.
- A healthy client of each protocol asks {seconds:g} s alone and as long beside the crowd, in {times} \
rounds; p99 is the median of the rounds, the first answer of a new client the longest of all.
- When this ran, {load:.1f} processes wanted the machine.

"""


def report(results: Row) -> str:
    """Return the page."""
    lines = ["| crowd | first answer | weights, p99 alone | beside | HTTP, p99 alone | beside | kept |",
             "|---|---|---|---|---|---|---|"]  # fmt: skip
    for row in results["rows"]:
        times = [row[f"{whose}_{when}"] for whose in ("weights", "http") for when in ("alone", "beside")]
        kept = "not: " + ", ".join(broken(row)) if broken(row) else "all"
        cells = [f"{1000 * each:.1f} ms" for each in (row["first"], *times)]
        lines.append(f"| {row['name']} | {' | '.join(cells)} | {kept} |")
    lines += [
        "", "## Who asks again at once", "",
        f"Clients, each of a network of its own, that ask for a division of {DIVIDED} players again at once.",
        "",
        "| protocol | clients | answered/s | refused/s | processor | answered for a second of it |",
        "|---|---|---|---|---|---|",
    ]  # fmt: skip
    for rate in results["rates"]:
        for number, row in rate["clients"].items():
            lines.append(
                f"| {rate['protocol']} | {number} | {row['given']:.0f} | {row['refused']:.0f} "
                f"| {row['processor']:.2f} | {row['by_processor']:.0f} |"
            )
    return HEAD.format(**results) + "\n".join(lines) + "\n"


def main() -> int:
    """Read the arguments and do what they say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--crowd", nargs=2, metavar=("PORT", "NAME"), help="be the crowd")
    parser.add_argument("--again", nargs=3, metavar=("PORT", "PROTOCOL", "CLIENTS"), help="ask again at once")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    add_modes(parser)
    given = parser.parse_args()
    if given.crowd:
        crowd(int(given.crowd[0]), next(each for each in CROWDS if each.name == given.crowd[1]))
        return 0
    if given.again:
        again(int(given.again[0]), given.again[1], int(given.again[2]))
        return 0
    return keep(given, RAW / "crowds.json", PAGES / "CROWDS.md", lambda: measure(given.rounds), report)


if __name__ == "__main__":
    sys.exit(main())
