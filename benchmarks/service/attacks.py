"""Attack the weight server: ``python -m benchmarks attacks`` writes ``attacks.json`` and ``ATTACKS.md``.

``--only NAME`` measures one attack and prints it; ``--report`` writes the page anew and ``--check`` tells if
it is stale.  The server runs on one core and everything else on another; attackers have the least priority
and addresses of their own on loopback, so that what is measured is what they take of the server.
"""

from __future__ import annotations

import argparse
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
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.reporting import PAGES, RAW, add_modes, keep
from benchmarks.service.processes import FIRST, LOOPBACK, Server, beside, pin, serve, take_rank

Row = dict[str, Any]

#: The address of attackers; the healthy client has another.
ATTACKER = "127.0.0.66"

#: Rounds of each attack, of which the medians count, and seconds that the client asks in each.
ROUNDS, SECONDS = 5, 1.0

#: Seconds for which an attack goes on before the client is measured.
BEFORE = 0.5

#: Matches and players of the archive.
MATCHES, PLAYERS = 2_000, 500

#: Seconds that the server is given to end, as it says.
GRACE = 3.0

#: What is allowed: times the median alone, times the 99th percentile alone or milliseconds.
TIMES, ALLOWED = 3.0, 0.010

#: Players of an expensive division.
MANY, DIVIDED = 128, 64


@dataclass(frozen=True, slots=True)
class Attack:
    """What attackers send, and from how many connections.

    Parameters
    ----------
    name : str
        What it is called.
    clients : int
        How many connections.
    lines : bytes
        What each of them sends again and again.
    pause : float
        Seconds between two pieces; 0 sends as fast as the server reads.
    waits : bool
        Whether each waits for an answer before it sends again.
    apart : bool
        Whether each has an address of its own.
    """

    name: str
    clients: int
    lines: bytes
    pause: float = 0.0
    waits: bool = False
    apart: bool = False


def _division(players: int) -> bytes:
    members = b"".join(b"\tPLAYER p%d" % n for n in range(players))
    return b"GAME openarena/tdm\nTEAMS 2%b\n" % members


def _party(players: int) -> bytes:
    return b"PARTY" + b"".join(b"\tPLAYER p%d" % n for n in range(players)) + b"\n"


def _advantage(players: int) -> bytes:
    seats = b"".join(b"\t%d PLAYER p%d" % (n % 2, n) for n in range(players))
    return b"GAME openarena/tdm\nADVANTAGE%b\n" % seats


ATTACKS = (
    Attack("one that sends empty lines", 1, b"\n" * 16384),
    Attack("ten that send empty lines", 10, b"\n" * 16384),
    Attack("ten that send GAME", 10, b"GAME tdm\n" * 1024),
    Attack("ten that send MUTATOR", 10, b"GAME tdm\n" + b"MUTATOR x\nMUTATOR y\n" * 512),
    Attack("ten that send refused lines", 10, b"HELLO\n" * 1024),
    Attack("ten that look up strangers", 10, b"".join(b"PLAYER x%d\n" % n for n in range(1024))),
    Attack("64 that send PARTY of 60 players", 64, b"GAME tdm\n" + 4 * _party(60)),
    Attack("64 that send a byte at a time", 64, b"PLAYER p1\n", pause=0.01),
    Attack(f"64 that divide {MANY} players", 64, _division(MANY), waits=True),
    Attack(f"64 that divide {DIVIDED} players", 64, _division(DIVIDED), waits=True),
    Attack(f"64 addresses that divide {MANY} players", 64, _division(MANY), waits=True, apart=True),
    Attack(f"64 that ask ADVANTAGE of {MANY} players", 64, _advantage(MANY), waits=True),
)


def attack(port: int, plan: Attack) -> None:
    """Send, until this process is killed."""
    take_rank(19)
    poll = select.poll()
    by: dict[int, socket.socket] = {}
    rest: dict[int, memoryview] = {}
    for n in range(plan.clients):
        address = f"127.0.1.{n + 1}" if plan.apart else ATTACKER
        client = socket.create_connection((LOOPBACK, port), source_address=(address, 0))
        client.setblocking(False)
        by[client.fileno()], rest[client.fileno()] = client, memoryview(plan.lines)
        poll.register(client, select.POLLIN | select.POLLOUT)
    print("begun", flush=True)
    while True:
        for file, event in poll.poll():
            client = by[file]
            with contextlib.suppress(BlockingIOError, ConnectionError):
                if event & select.POLLIN and not client.recv(1 << 18):
                    return  # the server has ended
                if event & select.POLLIN and plan.waits:
                    rest[file] = memoryview(plan.lines)
                    poll.modify(client, select.POLLIN | select.POLLOUT)
                if event & select.POLLOUT and rest[file]:
                    sent = client.send(rest[file][: 1 if plan.pause else len(rest[file])])
                    rest[file] = rest[file][sent:]
            if not rest[file] and not plan.waits:
                rest[file] = memoryview(plan.lines)
            elif not rest[file]:
                poll.modify(client, select.POLLIN)
        if plan.pause:
            time.sleep(plan.pause)


def ask(port: int, seconds: float) -> list[float]:
    """Return how long a client waits for each answer, one after the other."""
    rng = random.Random(0)
    waits = []
    with socket.create_connection((LOOPBACK, port), timeout=60.0) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client.sendall(b"GAME openarena/tdm\nMEANBOT\n")
        client.recv(65536)
        end = time.perf_counter() + seconds
        while (began := time.perf_counter()) < end:
            client.sendall(b"PLAYER p%d\n" % rng.randrange(PLAYERS))
            while not client.recv(65536).endswith(b"\n"):
                pass
            waits.append(time.perf_counter() - began)
    return sorted(waits)


def divide(port: int, answers: int) -> list[float]:
    """Return how long a client waits for divisions of ten players, none of which may be refused."""
    waits = []
    with socket.create_connection((LOOPBACK, port), timeout=60.0) as client:
        for _ in range(answers):
            began = time.perf_counter()
            client.sendall(_division(10))
            said = b""
            while not said.endswith(b"\n"):
                said += client.recv(65536)
            if not said.startswith(b"TEAMS"):
                msg = f"a division was refused: {said!r}"
                raise RuntimeError(msg)
            waits.append(time.perf_counter() - began)
    return sorted(waits)


@contextlib.contextmanager
def attacked(port: int, plan: Attack) -> Iterator[None]:
    """Attack from another process."""
    with beside("attacks", "--attack", str(port), plan.name):
        time.sleep(BEFORE)
        yield


def served(url: str, token: str = "") -> Server:
    """Run the server on the first core."""
    server = serve(url, "--grace-seconds", str(GRACE), token=token)
    pin(0, server.process.pid)
    return server


def endure(url: str, plan: Attack, rounds: int, seconds: float) -> Row:
    """Measure a healthy client alone and beside an attack, in turn, then how long the server takes to end."""
    parts = []
    with served(url) as server:
        port = server.port
        ask(port, seconds / 4)
        divide(port, 1)
        for _ in range(rounds):
            alone = ask(port, seconds)
            with attacked(port, plan):
                waits, teams = ask(port, seconds), divide(port, 1)
            parts.append({
                "alone": _middle(alone), "alone_p99": _p99(alone), "beside": _middle(waits),
                "beside_p99": _p99(waits), "most": waits[-1], "asked": len(waits), "teams": teams[-1],
            })  # fmt: skip
        with attacked(port, plan):
            began = time.perf_counter()
            server.process.send_signal(signal.SIGTERM)
            code = server.process.wait(60)
            ended = time.perf_counter() - began
    row: Row = {name: statistics.median(part[name] for part in parts) for name in parts[0]}
    row |= {name: max(part[name] for part in parts) for name in ("most", "teams")}
    return {"name": plan.name, **row, "ended": ended, "code": code, "rounds": parts}


def _middle(waits: Sequence[float]) -> float:
    return waits[len(waits) // 2]


def _p99(waits: Sequence[float]) -> float:
    return waits[len(waits) * 99 // 100]


def make(url: str, matches: int = MATCHES, players: int = PLAYERS) -> None:
    """Fill an archive."""
    from equipoise.archive.archive import open_archive
    from equipoise.core.match import Contest, Match, Ruleset

    rng = random.Random(1)
    with open_archive(url) as archive:
        archive.record(
            Match((Contest(Ruleset("openarena", "tdm"), (ids[:4], ids[4:]), (1, 2), at=1e9 + 600.0 * n),))
            for n in range(matches)
            for ids in [[f"p{at}" for at in rng.sample(range(players), 8)]]
        )
        archive.update_ratings()


def measure(attacks: Sequence[Attack] = ATTACKS, rounds: int = ROUNDS, seconds: float = SECONDS) -> Row:
    """Return the medians over rounds of each attack, and every round."""
    pin(1)
    take_rank(FIRST)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/games.db"
        make(url)
        for plan in attacks:
            rows.append(endure(url, plan, rounds, seconds))
            print(json.dumps({**rows[-1], "rounds": rounds}), file=sys.stderr)
    return {
        "machine": platform.machine(), "python": platform.python_version(), "cores": os.cpu_count(),
        "load": os.getloadavg()[0], "times": rounds, "seconds": seconds, "grace": GRACE, "rows": rows,
        "first": os.getpriority(os.PRIO_PROCESS, 0),
    }  # fmt: skip


def broken(row: Row) -> list[str]:
    """Return which promises an attack broke."""
    p99 = max(TIMES * row["alone_p99"], ALLOWED)
    promises: dict[str, bool] = {
        "median within 3 times": row["beside"] <= TIMES * row["alone"],
        "p99 within 3 times or 10 ms": row["beside_p99"] <= p99,
        "end within the grace and 1 s": row["ended"] <= GRACE + 1.0,
        "exit code 0": row["code"] == 0,
    }
    return [promise for promise, kept in promises.items() if not kept]


HEAD = """\
# The weight server under attack

`python -m benchmarks attacks` measured this on {machine} with {cores} cores and Python {python}, \
`python -m benchmarks attacks --report` wrote it; do not edit.

- The server has one core, all else another; attackers have priority 19 and an address of their own (one \
each where it says so); server and client have priority {first}.
- A healthy client sends `PLAYER` and waits for the answer, {seconds:g} s alone and then as long beside the \
attack, in {times} rounds; each figure is their median, the longest wait and *teams* are the worst of them.
- *Teams* is a division of ten players beside the attack; a refusal stops the run.
- *End* is the time from `SIGTERM` to the end of the process under attack; it is given {grace:g} s of grace.
- When this ran, {load:.1f} processes wanted the machine.

"""


def report(results: Row) -> str:
    """Return the page."""
    head = ["attack", "median alone", "beside", "p99 alone", "beside", "longest", "teams", "end", "kept"]
    lines = [head, ["---"] * len(head)]
    for row in results["rows"]:
        times = [
            f"{1000 * row[key]:.2f} ms" for key in ("alone", "beside", "alone_p99", "beside_p99", "most")
        ]
        lines.append([
            row["name"], *times, f"{row['teams']:.2f} s", f"{row['ended']:.2f} s",
            (", ".join(broken(row)) and "not: " + ", ".join(broken(row))) or "all",
        ])  # fmt: skip
    table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    rounds = [
        f"| {row['name']} | "
        + " | ".join(
            "{alone:.2f}, {alone_p99:.2f} → {beside:.2f}, {beside_p99:.2f}".format(
                **{key: 1000 * seconds for key, seconds in part.items()}
            )
            for part in row["rounds"]
        )
        + " |"
        for row in results["rows"]
    ]
    numbers = [str(n + 1) for n in range(results["times"])]
    every = "\n".join([
        "| attack | " + " | ".join(numbers) + " |", "| --- " * (len(numbers) + 1) + "|", *rounds,
    ])  # fmt: skip
    kept = (
        f"*Kept* tells whether the median is within {TIMES:g} times and the 99th percentile within "
        f"{TIMES:g} times or {1000 * ALLOWED:g} ms, and the end within the grace and 1 s.\n"
    )
    title = "## Every round: median and p99 alone → beside, ms"
    return f"{HEAD.format(**results)}{table}\n\n{kept}\n{title}\n\n{every}\n"


def main() -> int:
    """Read the arguments and do what they say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--attack", nargs=2, metavar=("PORT", "NAME"), help="be the attacker")
    parser.add_argument("--only", metavar="NAME", help="attacks whose names contain this, printed alone")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    add_modes(parser)
    given = parser.parse_args()
    if given.attack:
        attack(int(given.attack[0]), next(each for each in ATTACKS if each.name == given.attack[1]))
        return 0
    if given.only:
        measure([each for each in ATTACKS if given.only in each.name], given.rounds)
        return 0
    name = RAW / "attacks.json"
    return keep(given, name, PAGES / "ATTACKS.md", lambda: measure(rounds=given.rounds), report)
