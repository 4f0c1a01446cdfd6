"""Kill, freeze and cut off servers of one PostgreSQL, and it too: ``python -m benchmarks cluster_faults``.

It writes ``cluster_faults.json`` and ``CLUSTER_FAULTS.md``; ``--kills N``, ``--freezes N``, ``--database N``
and ``--partitions N`` say how often, ``--seed N`` in which order, ``--report`` writes the page again,
``--check`` tells if it is stale.  Four workers own two queues between them, each queue in a process of its
own, as in 'equipoise serve'; the load is that of ``queue_kills``, sent to any worker and, where that does
not answer, to
another.  At the end a judge that knows the promises alone goes through the records.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import multiprocessing
import os
import platform
import random
import runpy
import select
import shutil
import signal
import subprocess
import threading
import time
from collections import Counter, defaultdict
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from benchmarks.reporting import PAGES, RAW, ROOT, add_modes, keep
from benchmarks.service.queue_kills import FASTER, HOOKS, Players, judged

Row = dict[str, Any]

#: Queues, and workers that may own them.
QUEUES, WORKERS = ("duo", "duo-b"), 4

#: How often by default, as issue and page have it.
TIMES = {"kills": 200, "freezes": 50, "database": 20, "partitions": 20}

#: Seconds between two looks for matches, and after which an answer is waited for no longer.
TICK, ANSWER = 0.2, 25.0

#: Seconds of load between two faults, for which harm goes on after a take-over, and in which it must be over;
#: and the share of faults that are an owner's.
BETWEEN, LONGER, OVER, OWNERS = (0.2, 0.8), (0.0, 0.5), 120.0, 0.8

#: What is added up over queues.
ADDED_UP = ("events", "tickets", "matches", "notes", "epochs")

#: The first part of the addresses of workers in namespaces of their own.
NETWORK = "10.77"

CLONE_NEWNET = 0x40000000


def settings_of(queue: str) -> Any:
    """Return a queue of teams of two, whose matches must be accepted soon."""
    from dataclasses import replace

    from benchmarks.service.queue_kills import queue_settings

    return replace(queue_settings(), name=queue)


def work(url: str, queue: str, name: str, namespace: str, questions: Connection) -> None:
    """Do what the process of a queue does in a server, until killed."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # end with the benchmark, however that ends
    os.environ["PGAPPNAME"] = name
    if namespace:
        with Path(f"/run/netns/{namespace}").open("rb") as file:
            if ctypes.CDLL(None, use_errno=True).setns(file.fileno(), CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), "setns")
    while True:
        try:
            _work(url, queue, name, questions)
        except EOFError:
            return
        except Exception:  # noqa: BLE001 -- the database is away: try again, as a server does
            time.sleep(0.2)


def _work(url: str, queue: str, name: str, questions: Connection) -> None:
    import psycopg

    from equipoise.archive.archive import open_archive
    from equipoise.archive.postgresql import listening_arguments
    from equipoise.archive.shards import channel_of
    from equipoise.errors import EquipoiseError
    from equipoise.service.queue_owner import Beat, QueueOwner, TickDue

    with (
        open_archive(url, create=False, waiting=str, timeout=8.0) as archive,
        psycopg.connect(**listening_arguments(url), autocommit=True) as signals,
    ):
        signals.execute(f'LISTEN "{channel_of(archive.salt)}"')
        owner = QueueOwner(archive, settings_of(queue), HOOKS, lambda: FASTER * time.time(), name)
        due = time.monotonic()
        while True:
            ready = select.select([questions, signals], [], [], max(0.0, due - time.monotonic()))[0]
            if signals in ready:
                for _ in signals.notifies(timeout=0, stop_after=1000):
                    pass
            if questions in ready:
                number, asked = questions.recv()
                try:
                    answers = owner.ask(asked).answers
                except EquipoiseError as error:
                    answers = [str(error)]
                questions.send((number, answers))
            elif signals in ready:
                owner.ask([Beat()])
            if time.monotonic() >= due:
                due = time.monotonic() + TICK
                owner.ask([Beat(), TickDue()])


class Slot:
    """A worker: its processes, one for each queue, and its network."""

    def __init__(self, number: int, url: str, *, apart: bool) -> None:
        self.number = number
        self.begun = 0
        self.url = url
        self.namespace = ""
        self.asked: dict[str, Connection] = {}
        self.processes: list[Any] = []
        if apart:
            self.namespace = f"equipoise{number}"
            here, there = f"eqp{number}", f"eqw{number}"
            for command in (
                f"ip netns add {self.namespace}",
                f"ip link add {here} type veth peer name {there} netns {self.namespace}",
                f"ip addr add {NETWORK}.{number}.1/30 dev {here}", f"ip link set {here} up",
                f"ip -n {self.namespace} addr add {NETWORK}.{number}.2/30 dev {there}",
                f"ip -n {self.namespace} link set {there} up",
            ):  # fmt: skip
                _run(command)
            self.url = url.replace("127.0.0.1", f"{NETWORK}.{number}.1")

    @property
    def name(self) -> str:
        """What it is called, another name each time it begins."""
        return f"equipoise-w{self.number}-{self.begun}"

    def begin(self) -> None:
        """Begin its processes."""
        forked = multiprocessing.get_context("fork")
        self.begun += 1
        self.processes, self.asked = [], {}
        for queue in QUEUES:
            ours, theirs = forked.Pipe()
            process = forked.Process(target=work, args=(self.url, queue, self.name, self.namespace, theirs))
            process.start()
            theirs.close()
            self.processes.append(process)
            self.asked[queue] = ours

    def signal(self, number: int) -> None:
        """Send all its processes a signal."""
        for each in self.processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(each.pid, number)

    def kill(self) -> None:
        """End it."""
        self.signal(signal.SIGKILL)
        for each in self.processes:
            each.join()

    def link(self, state: str) -> None:
        """Cut it off from everything, or connect it again."""
        _run(f"ip link set eqp{self.number} {state}")

    def close(self) -> None:
        """End it, and take its network away."""
        self.kill()
        if self.namespace:
            _run(f"ip netns del {self.namespace}")


def _run(command: str) -> None:
    subprocess.run(command.split(), check=True, capture_output=True)


def begin(server: Any) -> None:
    """Begin PostgreSQL again, once nothing of what was killed holds its memory any longer."""
    for left in range(20, -1, -1):
        try:
            server.start()
        except subprocess.CalledProcessError:
            if not left:
                raise
            time.sleep(0.1)
        else:
            return


def can_part() -> bool:
    """Tell whether workers can have network namespaces of their own."""
    if shutil.which("ip") is None or os.geteuid():
        return False
    try:
        _run("ip netns add equipoise-probe")
        _run("ip netns del equipoise-probe")
    except subprocess.CalledProcessError:
        return False
    return True


class Client(threading.Thread):
    """Who sends a queue's tickets to any worker, and to another where that does not answer."""

    def __init__(self, queue: str, slots: list[Slot], seed: int) -> None:
        super().__init__(daemon=True)
        self.queue, self.slots = queue, slots
        self.players = Players(random.Random(seed))
        self.acknowledged: dict[str, float] = {}
        self.answered = self.again = self.number = 0
        self.ended = threading.Event()
        self.sent: dict[int, list[Any]] = {}

    def run(self) -> None:
        """Send until it is ended."""
        from equipoise.service.queue_owner import MatchesAsked

        while not self.ended.is_set():
            batch = [each for each in self.players.batch() if type(each).__name__ != "TickDue"]
            self.ask(batch)
            found = self.ask([MatchesAsked()])
            matches = found[0] if found else []
            self.players.playing = {each["match"] for each in matches if each["running"]}
            self.players.asked = [
                (each["match"], player) for each in matches if not each["running"]
                for team in each["players"] for player in team
            ]  # fmt: skip
            time.sleep(0.02)

    def ask(self, questions: list[Any]) -> list[Any]:
        """Return the answers of whoever gives them."""
        while not self.ended.is_set():
            slot = self.players.rng.choice(self.slots)
            self.number += 1
            self.sent[self.number] = questions
            answers = self._asked(slot, self.number, questions)
            if answers is not None and not any(isinstance(each, str) for each in answers):
                self.answered += 1
                return answers
            self.again += 1
            time.sleep(0.05)
        return []

    def _asked(self, slot: Slot, number: int, questions: list[Any]) -> list[Any] | None:
        try:
            pipe = slot.asked[self.queue]
            pipe.send((number, questions))
            until = time.monotonic() + 2.0  # another one is asked meanwhile; the answer counts when it comes
            while (left := until - time.monotonic()) > 0:
                if not pipe.poll(left):
                    return None
                got, answers = pipe.recv()
                self._acknowledged(self.sent.pop(got, []), answers)
                if got == number:
                    return answers
        except (EOFError, OSError, KeyError):
            pass
        return None

    def _acknowledged(self, questions: list[Any], answers: list[Any]) -> None:
        for question, answer in zip(questions, answers, strict=False):
            for reply in answer if isinstance(answer, list) else ():
                if reply.get("kind") == "waits" and type(question).__name__ == "EnterTicket":
                    self.acknowledged.setdefault(reply["ticket"], reply["since"])


class Looking:
    """What the database says of who owns what."""

    def __init__(self, url: str) -> None:
        self.url = url

    def owners(self) -> dict[str, tuple[int, str]]:
        """Return the epoch and the owner of each queue; waits for the database."""
        import psycopg

        until = time.monotonic() + OVER
        while True:
            try:
                with psycopg.connect(self.url, autocommit=True, connect_timeout=5) as connection:
                    rows = connection.execute("SELECT name, epoch, worker FROM shard").fetchall()
                return {name: (int(epoch), worker) for name, epoch, worker in rows}
            except psycopg.Error:
                if time.monotonic() > until:
                    raise
                time.sleep(0.02)

    def taken_over(self, before: dict[str, tuple[int, str]], began: float) -> float:
        """Return after how many seconds all queues of an owner have another epoch."""
        while any(self.owners()[name][0] <= epoch for name, (epoch, _) in before.items()):
            if time.monotonic() > began + OVER:
                msg = f"nobody took over within {OVER:g} s: {before}, {self.owners()}"
                raise AssertionError(msg)
            time.sleep(0.01)
        return time.monotonic() - began


def inflict(kind: str, rng: random.Random, server: Any, slots: list[Slot], looking: Looking) -> list[float]:
    """Do one harm, and mend it; return after how many seconds others own what an owner had, if it was one."""
    before = looking.owners()
    owner = rng.choice(sorted(before.values()))[1]
    found = [each for each in slots if each.name == owner]
    slot = found[0] if found and rng.random() < OWNERS else rng.choice(slots)
    owned = {name: each for name, each in before.items() if each[1] == slot.name}
    began = time.monotonic()
    if kind == "database":
        server.kill()
        begin(server)
        return [looking.taken_over(before, began)]
    harm, mend = {
        "kills": (slot.kill, slot.begin),
        "freezes": (lambda: slot.signal(signal.SIGSTOP), lambda: slot.signal(signal.SIGCONT)),
        "partitions": (lambda: slot.link("down"), lambda: slot.link("up")),
    }[kind]
    harm()
    taken = [looking.taken_over(owned, began)] if owned else []
    time.sleep(rng.uniform(*LONGER))
    mend()
    return taken


def measure(times: Row, seed: int) -> Row:
    """Do all that so often; raise AssertionError where something is lost, doubled, or by two owners."""
    import psycopg  # noqa: F401 -- likewise

    from equipoise.archive.archive import open_archive
    from equipoise.queueing.tick import tick  # noqa: F401 -- loaded before processes are forked

    rng = random.Random(seed)
    faults = [kind for kind, count in times.items() for _ in range(count)]
    rng.shuffle(faults)
    seconds: dict[str, list[float]] = defaultdict(list)
    done: Counter[str] = Counter()
    apart = can_part()
    servers = runpy.run_path(str(ROOT / "tests" / "servers.py"))
    settings = ("fsync=on", "synchronous_commit=on", "listen_addresses=*", "restart_after_crash=on")
    with servers["postgresql_server"](*settings) as server, contextlib.ExitStack() as stack:
        if apart:
            rule = f"host all all {NETWORK}.0.0/16 trust\n"
            with (server.data / "pg_hba.conf").open("a", encoding="ascii") as file:
                file.write(rule)
            subprocess.run([*server.control, "reload"], check=True, **server.run)
        with open_archive(server.url, waiting=str):
            pass
        slots = [Slot(number, server.url, apart=apart) for number in range(1, WORKERS + 1)]
        for slot in slots:
            stack.callback(slot.close)
            slot.begin()
        looking = Looking(server.url)
        while set(looking.owners()) != {f"queue:{each}" for each in QUEUES}:
            time.sleep(0.05)
        clients = [Client(queue, slots, seed + n) for n, queue in enumerate(QUEUES)]
        for client in clients:
            client.start()
        load = time.monotonic()
        for number, kind in enumerate(faults):
            if kind == "partitions" and not apart:
                continue
            time.sleep(rng.uniform(*BETWEEN))
            answered = [client.answered for client in clients]
            began = time.monotonic()
            seconds[kind] += inflict(kind, rng, server, slots, looking)
            done[kind] += 1
            while any(client.answered <= was + 1 for client, was in zip(clients, answered, strict=True)):
                if time.monotonic() > began + OVER:
                    msg = f"nobody is answered within {OVER:g} s after {kind}"
                    raise AssertionError(msg)
                time.sleep(0.02)
            if number % 10 == 9:
                print(number + 1, {kind: max(each) for kind, each in seconds.items() if each}, flush=True)
        load = time.monotonic() - load
        for client in clients:
            client.ended.set()
            client.join()
        for slot in slots:
            slot.kill()
        with open_archive(server.url, create=False, waiting=str) as archive:
            rows = [judged(archive, each.acknowledged, each.queue, webhooks=False) for each in clients]
            sent = archive.outbox.waiting().get("league", (0, 0.0))[0]
        assert sent == sum(row["notes"] for row in rows), "the outbox and the events differ"
    return {
        "machine": platform.machine(), "python": platform.python_version(), "cores": os.cpu_count(),
        "load": os.getloadavg()[0], "seconds": load, "times": dict(done), "seed": seed,
        "partitions": "network namespaces" if apart else "not done: no network namespaces here",
        "acknowledged": sum(len(each.acknowledged) for each in clients),
        "again": sum(each.again for each in clients),
        **{name: sum(row[name] for row in rows) for name in ADDED_UP},
        "taken": {kind: sorted(each) for kind, each in seconds.items()},
    }  # fmt: skip


def percentile(values: list[float], percent: float) -> float:
    """Return a percentile of sorted values."""
    return values[min(int(len(values) * percent / 100), len(values) - 1)]


WORDS = {
    "kills": "a worker is killed (SIGKILL)", "freezes": "a worker is stopped (SIGSTOP), and goes on later",
    "database": "PostgreSQL is killed (SIGKILL of every process), and started",
    "partitions": "a worker is cut off from PostgreSQL, and connected again",
}  # fmt: skip


def report(results: Row) -> str:
    """Return the page."""
    lines = []
    for kind, words in WORDS.items():
        taken = results["taken"].get(kind, [])
        figures = [f"{percentile(taken, each):.2f}" for each in (50, 99, 100)] if taken else ["-"] * 3
        lines.append(f"| {words} | {results['times'].get(kind, 0)} | {len(taken)} | {' | '.join(figures)} |")
    return """\
# Servers of one PostgreSQL that are killed, frozen and cut off

`python -m benchmarks cluster_faults --kills {kills} --freezes {freezes} --database {database} --partitions \
{parted}` did this on {machine} with {cores} cores and Python {python} at a load of {load:.0f} at the end, \
in {seconds:.0f} s; `--report` wrote it; do not edit.

- {workers} workers have two queues between them; each queue of a worker is a process of its own that does \
what it does in `equipoise serve`, without HTTP before it. PostgreSQL writes durably (`fsync`, \
`synchronous_commit`).
- Tickets, acceptances, declines, no-shows, cancellations and ends come at any worker, some twice, some \
late; what is not answered within 2 s is sent again to another worker: {again} times.
- Partitions are by {partitions}.

| fault | times | of an owner | take-over, median (s) | p99 | longest |
|---|---:|---:|---:|---:|---:|
{table}

Take-over is the time from the fault until the queues have another owner; PostgreSQL's start is part of it.

A judge that knows the promises alone went through the records: {events} events in {epochs} epochs, \
{tickets} tickets, of which {acknowledged} were acknowledged, {matches} matches.
Every acknowledged ticket was there, waiting since it came; none was in two matches at once; no match was of \
two epochs, and no owner wrote after the next one; seats were what the events say; each of the {notes} \
events that webhooks receive was in the outbox, once.
""".format(
        **{**results, "partitions": results["partitions"]}, table="\n".join(lines), workers=WORKERS,
        **{name: results["times"].get(name, 0) for name in ("kills", "freezes", "database")},
        parted=results["times"].get("partitions", 0),
    )  # fmt: skip


def main() -> int:
    """Read the arguments and do what they say."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, times in TIMES.items():
        parser.add_argument(f"--{name}", type=int, default=times)
    parser.add_argument("--seed", type=int, default=0)
    add_modes(parser)
    given = parser.parse_args()
    times = {name: getattr(given, name) for name in TIMES}
    return keep(
        given, RAW / "cluster_faults.json", PAGES / "CLUSTER_FAULTS.md",
        lambda: measure(times, given.seed), report,
    )  # fmt: skip
