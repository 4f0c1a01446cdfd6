"""Measure the weight server: ``python -m benchmarks serving`` writes ``serving.json``.

``python -m benchmarks serving --report`` turns it into ``SERVING.md``; ``--check`` tells if it is stale.
Servers, clients and the ingest are processes of their own, on loopback, beside a bare line echo in the same
run.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import random
import resource
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from typing import Any

from benchmarks.reporting import PAGES, PEERS, RAW, add_modes, keep
from benchmarks.service.processes import FIRST, TICKS, Server, serve, take_rank

Row = dict[str, Any]

#: Matches and players of the archive, and matches that are ingested while clients ask.
MATCHES, PLAYERS, INGESTED = 10_000, 2_000, 3_000

#: Clients that ask, seconds for which they do, and how often; of the repeats the best counts, as others use
#: the machine.
CLIENTS, SECONDS, REPEATS = 20, 1.5, 4

#: Lines that are on the way at once for each client where clients do not wait.
WINDOW = 100

#: Connections that say nothing, connections that read a byte a second, and questions of each of those.
IDLE, SLOW, FLOOD = 1_000, 100, 5_000

#: Seconds between two looks whether an ingest is in the answers.
LOOK = 0.01

#: The rates of the server as it was before it shared its time among clients, measured alike.
BEFORE = RAW / "serving-before.json"

#: What `serving_duel.py` found: the server of then and that of now by turns.
DUEL = RAW / "serving-duel.json"

HEAD = """\
# The weight server: lookups, waiting times, memory

`python -m benchmarks serving` measured this on {machine} with {cores} cores and Python {python}, \
`python -m benchmarks serving --report` wrote it; do not edit.

- Everything runs on loopback, each server and all clients together in processes of their own; \
the clients are Python too and take as much of the machine as the servers.
- The echo is `benchmarks/peers/line_echo.py`: it splits what comes into lines and sends them back.
- The archive has {matches:,} matches of {players:,} players in four rulesets.
- A rate is answers a second; in brackets answers a second of the server's own processor time, \
which says more where others use the machine.
- Servers and clients have priority {first}, whatever else runs on the machine 0.
- *Before* is the server of commit 80601d7, which did not share its time among clients, beside an echo in a \
run of its own.
- More else ran then, and the echo itself took more processor time for a line, so shares of the two runs do \
not compare; the last table is of both servers by turns.
- Waiting times are those of a client that sends lines and waits for all answers; of {repeats} repeats of \
{seconds:g} s the one with the lowest 99th percentile is shown.
"""


def archive(url: str, matches: int, seed: int) -> None:
    """Write matches of random teams into an archive, as an ingest does, 1,000 at a time."""
    from equipoise.archive.archive import open_archive
    from equipoise.core.match import Contest, Match, Ruleset

    rng = random.Random(seed)
    rulesets = [
        Ruleset("openarena", kind, mutators) for kind in ("ctf", "tdm") for mutators in ((), ("g_rockets",))
    ]
    with open_archive(url) as into:
        for first in range(0, matches, 1000):
            batch = []
            for n in range(first, min(first + 1000, matches)):
                ids = [f"p{at}" if at % 20 else f"bot:Bot{at}:3" for at in rng.sample(range(PLAYERS), 8)]
                scores = (float(rng.randint(0, 9)), float(rng.randint(0, 9)))
                ranks = tuple(-score for score in scores)
                at = 1e9 + seed * 1e8 + n * 600.0
                batch.append(
                    Match(
                        (
                            Contest(
                                rng.choice(rulesets),
                                (tuple(ids[:4]), tuple(ids[4:])),
                                ranks,
                                at=at,
                                scores=scores,
                            ),
                        )
                    )
                )
            into.record(batch)
            into.update_ratings()


def ours(url: str, *, fast: bool, environment: Mapping[str, str] | None = None) -> Server:
    """Start our server, which waits for slow clients here."""
    return serve(url, "--slow-seconds", "600", fast=fast, environment=environment)


def echo(*, fast: bool) -> Server:
    """Start the echo."""
    return Server([str(PEERS / "line_echo.py"), "uvloop" if fast else "asyncio"])


def ask(port: int, clients: int, window: int, seconds: float) -> Row:
    """Let clients ask, each with so many lines on the way; return the rate and how long they waited."""
    rng = random.Random(0)
    poll = selectors.DefaultSelector()
    lines = [b"PLAYER p%d\n" % rng.randrange(PLAYERS) for _ in range(1000)]
    packets = [b"".join(rng.choices(lines, k=window)) for _ in range(97)]
    sent: dict[socket.socket, float] = {}
    missing: dict[socket.socket, int] = {}
    for n in range(clients):
        connection = socket.create_connection(("127.0.0.1", port))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sendall(b"GAME tdm\nMEANBOT\n")
        while not connection.recv(65536).endswith(b"\n"):
            pass
        poll.register(connection, selectors.EVENT_READ)
        sent[connection], missing[connection] = time.perf_counter(), window
        connection.sendall(packets[n])
    waits: list[float] = []
    turn, end = 0, time.perf_counter() + seconds
    began = time.perf_counter()
    while (now := time.perf_counter()) < end:
        for key, _ in poll.select(0.1):
            connection: Any = key.fileobj
            missing[connection] -= connection.recv(1 << 20).count(b"\n")
            if missing[connection] <= 0:
                now = time.perf_counter()
                waits.append(now - sent[connection])
                turn += 1
                sent[connection], missing[connection] = now, window
                connection.sendall(packets[turn % 97])
    elapsed = time.perf_counter() - began
    for connection in sent:
        connection.close()
    waits.sort()
    return {
        "rate": len(waits) * window / elapsed, "answers": len(waits) * window,
        "p50": waits[len(waits) // 2], "p99": waits[len(waits) * 99 // 100], "most": waits[-1],
    }  # fmt: skip


def asked(server: Server, clients: int, window: int, repeats: int = REPEATS) -> Row:
    """Return the best of several repeats, with the rate over the server's processor time."""
    rows = []
    for _ in range(repeats):
        used = server.seconds
        row = ask(server.port, clients, window, SECONDS)
        rows.append({**row, "own": row["answers"] / max(server.seconds - used, 1 / TICKS)})
    best = min(rows, key=lambda row: row["p99"])
    return {
        **best,
        "rate": max(row["rate"] for row in rows),
        "own": statistics.median(row["own"] for row in rows),
    }


def rates(url: str) -> list[Row]:
    """Measure echo and server side by side, waiting clients and clients that send on."""
    rows = []
    for fast in (False, True):
        with echo(fast=fast) as plain, ours(url, fast=fast) as server:
            for clients, window in ((CLIENTS, 1), (8, WINDOW)):
                for name, process in (("echo", plain), ("equipoise", server)):
                    row = asked(process, clients, window)
                    rows.append(
                        {
                            "loop": "uvloop" if fast else "asyncio",
                            "clients": clients,
                            "window": window,
                            "name": name,
                            **row,
                        }
                    )
                    print(rows[-1], file=sys.stderr)
    return rows


def during_ingest(url: str) -> list[Row]:
    """Measure waiting times while another process ingests, in turn with those of an echo."""
    rows = []
    for fast in (False, True):
        with echo(fast=fast) as plain, ours(url, fast=fast) as server:
            writer = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "benchmarks",
                    "serving",
                    "--archive",
                    url,
                    str(3 + fast),
                    str(INGESTED),
                ]
            )
            found: dict[str, list[Row]] = {"echo": [], "equipoise": []}
            while writer.poll() is None:
                found["echo"].append(ask(plain.port, CLIENTS, 1, 1.0))
                found["equipoise"].append(ask(server.port, CLIENTS, 1, 1.0))
            for name, parts in found.items():
                rows.append({
                    "loop": "uvloop" if fast else "asyncio", "name": name, "seconds": len(parts),
                    "rate": statistics.median(part["rate"] for part in parts),
                    "p99": statistics.median(part["p99"] for part in parts),
                    "worst_p99": max(part["p99"] for part in parts),
                    "most": max(part["most"] for part in parts),
                })  # fmt: skip
                print(rows[-1], file=sys.stderr)
    return rows


def crowd(url: str) -> Row:
    """Measure a healthy client and the memory, alone and beside idle and slow connections."""
    with ours(url, fast=True) as server:
        server_alone = [asked(server, 1, 1)]
        memory = {"alone": server.kilobytes}
        idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(IDLE)]
        ask(server.port, 1, 1, 0.2)
        memory["idle"] = server.kilobytes
        slow = []
        for _ in range(SLOW):
            connection = socket.socket()
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(("127.0.0.1", server.port))
            connection.setblocking(False)
            flood = memoryview(b"ALL\n" * FLOOD + (b"PLAYER " + b"x" * 180 + b"\n") * FLOOD)
            with contextlib.suppress(BlockingIOError):
                while flood:
                    flood = flood[connection.send(flood) :]
            slow.append(connection)
        beside, most = [], 0
        for _ in range(REPEATS):
            for connection in slow:  # a byte each; a repeat takes longer than a second
                with contextlib.suppress(BlockingIOError):  # where its answer is not made yet
                    connection.recv(1)
            beside.append(asked(server, 1, 1, repeats=1))
            most = max(most, server.kilobytes)
        memory["slow"] = most
        server_alone.append(asked(server, 1, 1, repeats=1))
        for connection in (*idle, *slow):
            connection.close()
        ask(server.port, 1, 1, 0.5)
        after = asked(server, 1, 1)
    return {
        "alone": min([*server_alone[:1], after], key=lambda row: row["p99"]),
        "beside": min(beside, key=lambda row: row["p99"]), "kilobytes": memory, "idle": IDLE, "slow": SLOW,
    }  # fmt: skip


def seen(url: str) -> Row:
    """Measure how long after an ingest has ended its matches are in the answers, milliseconds."""
    from equipoise.archive.archive import open_archive
    from equipoise.core.match import Contest, Match, Ruleset

    waits = []
    with (
        ours(url, fast=True) as server,
        socket.create_connection(("127.0.0.1", server.port)) as client,
    ):
        lines = client.makefile("rb")
        for n in range(10):
            duel = Contest(Ruleset("openarena", "ctf"), ([f"new{n}"], ["p1"]), (1, 2), at=3e9 + n)
            with open_archive(url) as into:
                into.record([Match((duel,))])
                into.update_ratings()
            began = time.perf_counter()
            while True:
                client.sendall(b"PLAYER new%d\n" % n)
                if lines.readline() != b"PLAYER new%d\n" % n:
                    break
                time.sleep(LOOK)
            waits.append(time.perf_counter() - began)
    return {"median": statistics.median(waits), "most": max(waits), "times": len(waits)}


def measure() -> Row:
    """Return all measurements."""
    take_rank(FIRST)
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed[1], allowed[1]))
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/games.db"
        archive(url, MATCHES, 1)
        return {
            "machine": platform.machine(), "python": platform.python_version(), "cores": os.cpu_count(),
            "matches": MATCHES, "players": PLAYERS, "repeats": REPEATS, "seconds": SECONDS,
            "first": os.getpriority(os.PRIO_PROCESS, 0),
            "before": json.loads(BEFORE.read_text(encoding="utf-8")),
            "rates": rates(url), "crowd": crowd(url), "seen": seen(url), "ingest": during_ingest(url),
        }  # fmt: skip


def report(results: Row) -> str:
    """Return the report as Markdown."""
    parts = (
        HEAD.format(**results),
        _rates(results["rates"], results["before"]),
        _ingest(results),
        _crowd(results["crowd"]),
        _duel(json.loads(DUEL.read_text(encoding="utf-8"))),
    )
    return "\n".join(parts)


def _ingest(results: Row) -> str:
    seen_ = results["seen"]
    cells = [
        [
            row["loop"], row["name"], str(row["seconds"]), f"{row['rate']:,.0f}",
            *(_ms(row[key]) for key in ("p99", "worst_p99", "most")),
        ]
        for row in results["ingest"]
    ]  # fmt: skip
    head = ["loop", "server", "seconds", "rate", "p99, median", "p99, worst second", "longest wait"]
    return f"""\
## {CLIENTS} clients while another process ingests {INGESTED:,} matches

The ingest, the clients and both servers share the machine.
The clients ask one server and then the other, a second each, until the ingest ends; of each second the 99th \
percentile is taken.

{_table(head, cells)}

After an ingest has ended its matches are in the answers within {_ms(seen_["median"])} in the median of \
{seen_["times"]}, {_ms(seen_["most"])} at most.
"""


def _crowd(crowd_: Row) -> str:
    memory = crowd_["kilobytes"]
    idle = (memory["idle"] - memory["alone"]) / crowd_["idle"]
    slow = (memory["slow"] - memory["idle"]) / crowd_["slow"]
    cells = [
        [
            name, f"{crowd_[name]['rate']:,.0f}", _ms(crowd_[name]["p50"]), _ms(crowd_[name]["p99"]),
            f"{memory[at] / 1024:.0f} MB",
        ]
        for name, at in (("alone", "alone"), ("beside", "slow"))
    ]  # fmt: skip
    return f"""\
## One client beside {crowd_["idle"]:,} idle connections and {crowd_["slow"]} that read a byte a second

Each of the slow ones has sent as many questions as it could before.

{_table(["", "rate", "median wait", "p99", "memory of the server"], cells)}

An idle connection costs {idle:.1f} KiB, a slow one {slow:.0f} KiB.
The 99th percentile beside them is {crowd_["beside"]["p99"] / crowd_["alone"]["p99"]:.2f} times that alone.
"""


def _duel(rows: list[Row]) -> str:
    cells = [
        [
            row["loop"], str(row["clients"]), str(row["window"]),
            _ms(row["before"]), _ms(row["now"]), f"{row['share']:.2f}",
        ]
        for row in rows
    ]  # fmt: skip
    head = ["loop", "clients", "lines on the way", "before", "now", "share"]
    return f"""\
## Processor time of the server for 10,000 lookups, now and before

`python -m benchmarks serving_duel CHECKOUT` measured it with a checkout of commit 80601d7: both servers by \
turns, {rows[0]["rounds"]} rounds each, on the first core, the client on the other.
Milliseconds are medians of the rounds, the share is that of the sums.

{_table(head, cells)}
"""


def _rates(rows: list[Row], before: list[Row]) -> str:
    head = [
        "loop", "clients", "lines on the way", "server", "rate (of own time)", "of the echo", "before",
        "median wait", "p99",
    ]  # fmt: skip
    cells = []
    shares = [_share(plain, row) for plain, row in zip(before[::2], before[1::2], strict=True)]
    for plain, row, was in zip(rows[::2], rows[1::2], shares, strict=True):
        for one in (plain, row):
            compared = ["", ""] if one is plain else [_share(plain, one), was]
            cells.append([
                one["loop"], str(one["clients"]), str(one["window"]), one["name"],
                f"{one['rate']:,.0f} ({one['own']:,.0f})", *compared, _ms(one["p50"]), _ms(one["p99"]),
            ])  # fmt: skip
    return f"## Lookups a second, beside a bare line echo\n\n{_table(head, cells)}\n"


def _share(plain: Row, row: Row) -> str:
    return f"{row['rate'] / plain['rate']:.2f} ({row['own'] / plain['own']:.2f})"


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.2f} ms"


def _table(head: list[str], cells: list[list[str]]) -> str:
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *cells])


def main() -> int:
    """Read the arguments and do what they say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--archive", nargs=3, metavar=("URL", "SEED", "MATCHES"), help="ingest, as one of the processes"
    )
    add_modes(parser)
    arguments = parser.parse_args()
    if arguments.archive:
        url, seed, matches = arguments.archive
        archive(url, int(matches), int(seed))
        return 0
    return keep(arguments, RAW / "serving.json", PAGES / "SERVING.md", measure, report)
