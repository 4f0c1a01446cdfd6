"""HTTP beside the weight protocol: ``python -m benchmarks web`` writes ``web.json`` and ``WEB.md``.

It attacks the server in HTTP's shape with a healthy client of each protocol, compares rates with bare
handlers of the same framework and server in one run, and kills the server while it takes results.
``--kills N`` kills N times; ``--report`` writes the page anew, ``--check`` tells if it is stale.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import platform
import random
import select
import signal
import socket
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.reporting import PAGES, PEERS, RAW, add_modes, keep
from benchmarks.service.attacks import ALLOWED, ATTACKER, GRACE, PLAYERS, TIMES, ask, make
from benchmarks.service.attacks import divide as divide_over_weights
from benchmarks.service.http_frameworks import Client as Loading
from benchmarks.service.processes import (
    FIRST,
    LOOPBACK,
    TICKS,
    TOKEN,
    Server,
    beside,
    pin,
    serve,
    take_rank,
)
from benchmarks.service.result_kills import LONGEST, rebuilt

Row = dict[str, Any]

#: Rounds of each attack, of which the medians count, and seconds that each client asks in each.
ROUNDS, SECONDS = 5, 1.0

#: Seconds for which an attack goes on before a client is measured.
BEFORE = 0.5

#: Requests a second that an address may send, and seconds between two of the healthy HTTP client.
RATE, PAUSE = 500.0, 0.003

#: Rounds of rates, requests of each, and connections.
RATED, REQUESTS, CONNECTIONS = 5, {"GET": 4000, "POST": 600}, 16

#: Kills, and the players of results.
KILLS, KILLED = 200, 40


@dataclass(frozen=True, slots=True)
class Attack:
    """What attackers send, and from how many connections.

    Parameters
    ----------
    name : str
        What it is called.
    clients : int
        How many connections.
    head, again : bytes
        What each sends first, and then again and again.
    pause : float
        Seconds between two of these; 0 sends as fast as the server reads.
    reads : bool
        Whether answers are taken.
    """

    name: str
    clients: int
    head: bytes
    again: bytes = b""
    pause: float = 0.0
    reads: bool = True


def _post(path: str, body: bytes, length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    return f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {size}\r\n\r\n".encode() + body


def _get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode()


def _request(players: int, **keywords: Any) -> bytes:
    rng = random.Random(players)
    listed = [{"name": f"p{n}", "weight": round(rng.gauss(1200, 400) ** 2) / 1000} for n in range(players)]
    return json.dumps({"players": listed, **keywords}).encode()


HARD = _request(128, teams=4, keep=20, objective="win")

ATTACKS = (
    Attack("400 slow headers", 400, b"GET /livez HTTP/1.1\r\nX: ", b"a", pause=0.5),
    Attack("200 slow bodies", 200, _post("/v1/balance", b"{", 1000), b" ", pause=0.5),
    Attack("16 bodies without end", 16, _post("/v1/balance", b"", 1 << 40), b" " * 65536),
    Attack("700 that keep alive", 700, _get("/livez"), b""),
    Attack("60 listeners that take nothing", 60, _get("/v1/events"), b"", reads=False),
    Attack(
        "64 expensive balances", 64, _post("/v1/balance?time_limit=3600", HARD), _post("/v1/balance", HARD)
    ),
    Attack("64 that list players", 64, _get("/v1/players?limit=1000"), _get("/v1/players?limit=1000&q=p")),
)


def attack(port: int, plan: Attack) -> None:
    """Send, until this process is killed; whoever is cut off connects again."""
    take_rank(19)
    poll = select.poll()
    by: dict[int, tuple[socket.socket, bytearray]] = {}

    def connect() -> None:
        client = socket.socket()
        client.bind((ATTACKER, 0))
        with contextlib.suppress(OSError):
            client.connect((LOOPBACK, port))
        client.setblocking(False)
        by[client.fileno()] = client, bytearray(plan.head)
        poll.register(client, select.POLLOUT | (select.POLLIN if plan.reads else 0))

    for _ in range(plan.clients):
        connect()
    print("begun", flush=True)
    while True:
        for file, event in poll.poll(100):
            client, rest = by[file]
            try:
                if event & select.POLLIN and not client.recv(1 << 18):
                    raise ConnectionError
                if event & (select.POLLERR | select.POLLHUP):
                    raise ConnectionError
                if event & select.POLLOUT and rest:
                    del rest[: client.send(rest)]
            except BlockingIOError:
                continue
            except OSError:
                poll.unregister(client)
                client.close()
                del by[file]
                connect()
                continue
            if not rest:
                rest += plan.again
                if not rest:
                    poll.modify(client, select.POLLIN if plan.reads else 0)
        time.sleep(plan.pause or (0.05 if not plan.again else 0.0))


def browse(port: int, seconds: float) -> list[float]:
    """Return how long an HTTP client waits for each player's ratings, one after the other."""
    rng = random.Random(0)
    waits = []
    with socket.create_connection((LOOPBACK, port), timeout=60.0) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        end = time.perf_counter() + seconds
        while (began := time.perf_counter()) < end:
            client.sendall(_get(f"/v1/players/p{rng.randrange(PLAYERS)}"))
            said = b""
            while not said.endswith(b"}]}"):
                said += client.recv(65536)
            if not said.startswith(b"HTTP/1.1 200"):
                msg = f"a request was refused: {said!r}"
                raise RuntimeError(msg)
            waits.append(time.perf_counter() - began)
            time.sleep(PAUSE)
    return sorted(waits)


def divide(port: int) -> float:
    """Return how long an HTTP client waits for a balance of ten players, which may not be refused."""
    with socket.create_connection((LOOPBACK, port), timeout=60.0) as client:
        began = time.perf_counter()
        client.sendall(_post("/v1/balance", _request(10)))
        said = client.recv(65536)
        if not said.startswith(b"HTTP/1.1 200"):
            msg = f"a balance was refused: {said!r}"
            raise RuntimeError(msg)
        return time.perf_counter() - began


def endure(url: str, plan: Attack, rounds: int, seconds: float) -> Row:
    """Measure healthy clients alone and beside an attack, in turn, then how long the server takes to end."""
    parts = []
    flags = ("--http", f"{LOOPBACK}:0", "--http-rate", str(RATE), "--grace-seconds", str(GRACE))
    with serve(url, *flags) as server:
        pin(0, server.process.pid)
        ask(server.port, seconds / 4)
        browse(server.http, seconds / 4)
        divide(server.http)
        for _ in range(rounds):
            alone, alone_web = ask(server.port, seconds), browse(server.http, seconds)
            with beside("web", "--attack", str(server.http), plan.name):
                time.sleep(BEFORE)
                part = _figures("weights", alone, ask(server.port, seconds))
                part |= _figures("http", alone_web, browse(server.http, seconds))
                parts.append(
                    {**part, "balance": divide(server.http), "teams": divide_over_weights(server.port, 1)[0]}
                )
        with beside("web", "--attack", str(server.http), plan.name):
            began = time.perf_counter()
            server.process.send_signal(signal.SIGTERM)
            code = server.process.wait(60)
            ended = time.perf_counter() - began
    row: Row = {name: statistics.median(part[name] for part in parts) for name in parts[0]}
    worst = ("weights_most", "http_most", "balance", "teams")
    row |= {name: max(part[name] for part in parts) for name in worst}
    return {"name": plan.name, **row, "ended": ended, "code": code, "rounds": parts}


def _figures(whose: str, alone: Sequence[float], beside_it: Sequence[float]) -> dict[str, float]:
    return {
        f"{whose}_alone": alone[len(alone) // 2], f"{whose}_alone_p99": alone[len(alone) * 99 // 100],
        f"{whose}_beside": beside_it[len(beside_it) // 2],
        f"{whose}_beside_p99": beside_it[len(beside_it) * 99 // 100], f"{whose}_most": beside_it[-1],
    }  # fmt: skip


def broken(row: Row) -> list[str]:
    """Return which promises an attack broke."""
    promises = {"exit code 0": row["code"] == 0, "end within the grace and 1 s": row["ended"] <= GRACE + 1.0}
    for whose in ("weights", "http"):
        p99 = max(TIMES * row[f"{whose}_alone_p99"], ALLOWED)
        promises[f"{whose}: median within 3 times"] = row[f"{whose}_beside"] <= TIMES * row[f"{whose}_alone"]
        promises[f"{whose}: p99 within 3 times or 10 ms"] = row[f"{whose}_beside_p99"] <= p99
    return [promise for promise, kept in promises.items() if not kept]


async def _load(port: int, request: bytes, times: int) -> float:
    """Return how many answers a second come over several connections."""
    loop = asyncio.get_running_loop()
    waited = [loop.create_future() for _ in range(CONNECTIONS)]
    began = time.perf_counter()
    for done in waited:
        await loop.create_connection(
            lambda done=done: Loading(request, times // CONNECTIONS, done),
            LOOPBACK,
            port,  # type: ignore[misc]
        )
    await asyncio.gather(*waited)
    return times / (time.perf_counter() - began)


def _used(pid: int) -> dict[int, float]:
    """Return the processor time of a process and of each of its children, seconds."""
    used = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = path.read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
            if pid in (int(path.parent.name), int(fields[1])):
                used[int(path.parent.name)] = (int(fields[11]) + int(fields[12])) / TICKS
    return used


def rates(url: str, rounds: int = RATED, requests: dict[str, int] = REQUESTS) -> list[Row]:
    """Return the rates of ours and of bare handlers, in turn in one run."""
    sent = {"GET": _get("/v1/players/p1"), "POST": _post("/v1/balance", _request(10))}
    ours = serve(url, "--http", f"{LOOPBACK}:0", "--http-rate", "1e9")
    bare = Server([str(PEERS / "bare_http.py")])
    rows = []
    with ours, bare:
        for name, request in sent.items():
            found: dict[str, list[float]] = {"ours": [], "bare": []}
            busiest: dict[str, list[float]] = {"ours": [], "bare": []}
            for server in (ours, bare):
                asyncio.run(_load(server.http, request, requests[name] // 4))
            for _ in range(rounds):
                for who, server in (("ours", ours), ("bare", bare)):
                    before = _used(server.process.pid)
                    found[who].append(asyncio.run(_load(server.http, request, requests[name])))
                    after = _used(server.process.pid)
                    most = max(seconds - before.get(pid, 0.0) for pid, seconds in after.items())
                    busiest[who].append(requests[name] / max(most, 1e-9))
            medians = {who: statistics.median(each) for who, each in found.items()}
            medians |= {f"{who}_busiest": statistics.median(each) for who, each in busiest.items()}
            rows.append({"name": name, **medians, "rounds": found})
    return rows


def kill(times: int = KILLS, seed: int = 0, tell: Callable[[Row], object] = bool) -> Row:
    """Kill the server so often while it takes results; raise AssertionError where one is lost or doubled.

    After each kill ``tell`` is called with what there was so far.
    """
    from equipoise.client import Client, ServerError

    rng = random.Random(seed)
    sent: list[str] = []
    kept: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.db"
        for n in range(times):
            server = serve(
                f"sqlite:///{path}", "--create", "--http", f"{LOOPBACK}:0", "--http-rate", "1e9", token=TOKEN
            )
            acknowledged = 0
            with (
                contextlib.suppress(ServerError),
                Client(f"http://{LOOPBACK}:{server.http}", token=TOKEN) as client,
            ):
                while True:
                    ids = [f"p{at}" for at in rng.sample(range(KILLED), 4)]
                    name = f"g{n}/{len(sent)}"
                    body = {"id": name, "game": "openarena", "game_type": "ctf", "teams": [ids[:2], ids[2:]],
                            "scores": [rng.randrange(9), rng.randrange(9)]}  # fmt: skip
                    sent.append(name)
                    client.report(body)
                    if not acknowledged:
                        threading.Timer(
                            rng.random() * LONGEST, os.kill, (server.process.pid, signal.SIGKILL)
                        ).start()
                    acknowledged += 1
                    kept.append(name)
            server.wait()
            ids, _ = rebuilt(path)
            assert len(ids) == len(set(ids)), "a result was kept twice"
            assert set(kept) <= set(ids) <= set(sent), "a result was lost or made up"
            tell({"kills": n + 1, "sent": len(sent), "kept": len(kept)})
    return {"kills": times, "sent": len(sent), "kept": len(kept)}


def measure(
    rounds: int = ROUNDS, seconds: float = SECONDS, kills: int = KILLS, attacks: Sequence[Attack] = ATTACKS
) -> Row:
    """Return everything."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/games.db"
        make(url)
        rated = rates(url)
        print(json.dumps(rated), file=sys.stderr)
        pin(1)
        take_rank(FIRST)
        for plan in attacks:
            rows.append(endure(url, plan, rounds, seconds))
            print(json.dumps({**rows[-1], "rounds": rounds, "broken": broken(rows[-1])}), file=sys.stderr)
    return {
        "machine": platform.machine(), "python": platform.python_version(), "cores": os.cpu_count(),
        "load": os.getloadavg()[0], "times": rounds, "seconds": seconds, "grace": GRACE, "rows": rows,
        "first": os.getpriority(os.PRIO_PROCESS, 0), "rated": rated, "killed": kill(kills) if kills else None,
    }  # fmt: skip


HEAD = """\
# HTTP beside the weight protocol, measured

`python -m benchmarks web` measured this on {machine} with {cores} cores and Python {python}, \
`python -m benchmarks web --report` wrote it; do not edit.
When this ran, {load:.1f} processes wanted the machine.

## Attacks

- The server has one core, all else another; attackers have priority 19 and an address of their own, the \
measuring clients have priority {first}.
- A healthy client of the weight protocol sends `PLAYER`, one of HTTP `GET /v1/players/ID`, each \
{seconds:g} s alone and then as long beside the attack, in {times} rounds; figures are medians of these, \
the longest waits, *balance*, a `POST /v1/balance` of ten players beside the attack, and *teams*, a `TEAMS` \
of as many, the worst; a refusal stops the run.
- *End* is the time from `SIGTERM` to the end of the process under attack, with {grace:g} s of grace.

"""


def report(results: Row) -> str:
    """Return the page."""
    head = ["attack", "client", "median alone", "beside", "p99 alone", "beside", "longest"]
    lines = [[*head, "balance", "teams", "end", "kept"], ["---"] * (len(head) + 4)]
    for row in results["rows"]:
        lost = broken(row)
        last = [f"{row[key]:.2f} s" for key in ("balance", "teams", "ended")]
        last.append("not: " + ", ".join(lost) if lost else "all")
        for whose, name, rest in (("weights", row["name"], last), ("http", "", [""] * len(last))):
            keys = ("alone", "beside", "alone_p99", "beside_p99", "most")
            times = [f"{1000 * row[f'{whose}_{key}']:.2f} ms" for key in keys]
            lines.append([name, whose, *times, *rest])
    table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    kept = (
        f"*Kept* tells whether each median is within {TIMES:g} times and each 99th percentile within "
        f"{TIMES:g} times or {1000 * ALLOWED:g} ms, and the end within the grace and 1 s.\n"
    )
    head = ["request", "ours, a second", "bare, a second", "share", "ours, by processor", "bare", "share"]
    rated = ["| " + " | ".join(head) + " |", "| --- " * len(head) + "|"]
    for row in results["rated"]:
        both = [(row[f"ours{kind}"], row[f"bare{kind}"]) for kind in ("", "_busiest")]
        cells = [f"{ours:.0f} | {bare:.0f} | {ours / bare:.2f}" for ours, bare in both]
        rated.append(f"| {row['name']} | {' | '.join(cells)} |")
    bare = (
        f"`GET /v1/players/ID` and `POST /v1/balance` of ten players over {CONNECTIONS} connections, in turn "
        "with handlers of the same framework and server that answer constants, the latter after decoding to "
        f"a request; medians of {RATED} rounds.\n"
        "*By processor* is answers for each second of processor time of the process that took the most: the "
        "rate where every process has a core, whatever else wants the machine.\n"
    )
    parts = [HEAD.format(**results) + table, kept, "## Rates", bare, "\n".join(rated)]
    if results.get("killed"):
        parts += ["## Kills", KILLS_TEXT.format(**results["killed"])]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


KILLS_TEXT = """\
The server was killed (SIGKILL) {kills} times at random moments, while a client reported results one after \
the other: {sent} were sent and {kept} acknowledged; every acknowledged one was in the archive, none twice.
"""


def main() -> int:
    """Read the arguments and do what they say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--attack", nargs=2, metavar=("PORT", "NAME"), help="be the attacker")
    parser.add_argument("--only", metavar="NAME", help="attacks whose names contain this, printed alone")
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--only-kills", action="store_true", help="kill, and keep the other figures")
    add_modes(parser)
    given = parser.parse_args()
    if given.attack:
        attack(int(given.attack[0]), next(each for each in ATTACKS if each.name == given.attack[1]))
        return 0
    if given.only:
        measure(given.rounds, kills=0, attacks=[each for each in ATTACKS if given.only in each.name])
        return 0
    page, results = PAGES / "WEB.md", RAW / "web.json"
    if given.only_kills:
        known = json.loads(results.read_text(encoding="utf-8"))

        def write(killed: Row) -> None:
            text = json.dumps({**known, "killed": killed}, indent=1)
            results.write_text(f"{text}\n", encoding="utf-8")

        kill(given.kills, tell=write)
        given.report = True
    return keep(given, results, page, lambda: measure(given.rounds, kills=given.kills), report)
