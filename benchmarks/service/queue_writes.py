"""Durable tickets a second: ``python -m benchmarks queue_writes``.

It writes ``queue_writes.json`` and ``QUEUE_WRITES.md``; ``--batches N`` does N transactions, ``--report``
writes the page again, ``--check`` tells if it is stale.  A queue's owner takes columns of tickets and makes
matches of them, a transaction for each batch; the same rows are then put into the same tables of another
archive by plain inserts, in as many transactions; and a server takes the same tickets over HTTP.
"""

from __future__ import annotations

import gc
import http.client
import json
import os
import platform
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.reporting import PAGES, RAW, run_many
from benchmarks.service.processes import LOOPBACK, TOKEN, serve

Row = dict[str, Any]

#: Transactions, and tickets of each.
BATCHES, TICKETS = 20, 1000

#: How often it is done; the best counts, as others use the machine.
ROUNDS = 3

HOOKS = {"queue": ("league",)}


def owned(url: str, ratings: np.ndarray) -> tuple[tuple[float, float], tuple[float, bool]]:
    """Return the seconds in which an owner takes columns of ratings, a transaction for each row.

    With them the seconds to write down all it knows then, by event of those after which it does, and whether
    it has done so by itself.
    """
    from equipoise.archive.archive import open_archive
    from equipoise.queueing.kept_state import state_of
    from equipoise.queueing.policy import QueuePolicy
    from equipoise.queueing.tickets import soloists
    from equipoise.service.queue_owner import EnterTickets, Queueing, TickDue
    from equipoise.service.table_settings import QueueSettings

    policy = QueuePolicy(team_size=1)
    with open_archive(url, waiting=str):
        pass
    owner = Queueing(url, QueueSettings("duel", policy, max_players=10**9), HOOKS, 10.0)
    list(owner(([TickDue()], None)))
    began = time.perf_counter(), time.process_time()
    for batch, row in enumerate(ratings.tolist()):
        tickets = soloists({f"{batch}-{n}": rating for n, rating in enumerate(row)}, 0.0)
        list(owner(([EnterTickets(tuple(tickets)), TickDue()], None)))
    spent = time.perf_counter() - began[0], time.process_time() - began[1]
    life, stated = owner._owner.life, owner._owner._stated > 0  # noqa: SLF001
    start = time.process_time()
    state_of(life)
    return spent, ((time.process_time() - start) / (life.known + life.proposed + life.running), stated)


def inserted(url: str, source: str, batches: int) -> tuple[tuple[float, float], int]:
    """Return the seconds in which plain inserts put the rows of an archive into another, and their number."""
    import sqlalchemy as sa

    from equipoise.archive.archive import open_archive
    from equipoise.archive.tables import OUTBOX, QUEUE_EVENT, QUEUE_MEMBER, QUEUE_PERSON

    tables = (QUEUE_EVENT, QUEUE_PERSON, QUEUE_MEMBER, OUTBOX)
    with open_archive(source, waiting=str) as archive, archive._database.reading() as connection:  # noqa: SLF001
        rows = [[tuple(row) for row in connection.execute(sa.select(table))] for table in tables]
    parts = [np.array_split(np.arange(len(each)), batches) for each in rows]
    slices = [
        [[each[i] for i in part[batch]] for each, part in zip(rows, parts, strict=True)]
        for batch in range(batches)
    ]
    with open_archive(url, waiting=str) as archive:
        database = archive._database  # noqa: SLF001 -- the same driver, and nothing else
        began = time.perf_counter(), time.process_time()
        for some in slices:
            with database.writing() as connection:
                for table, each in zip(tables, some, strict=True):
                    database.insert(connection, table, each)
        return (time.perf_counter() - began[0], time.process_time() - began[1]), sum(map(len, rows))


def over_http(url: str, folder: Path, servers: int, ratings: np.ndarray) -> float:
    """Return the seconds in which servers of an archive take tickets, each a queue's, a batch a request.

    Parameters
    ----------
    url : str
        The archive.
    folder : Path
        Where their settings are written.
    servers : int
        How many there are, and queues; a queue's owner may be another one than takes its tickets.
    ratings : ndarray, shape (batches, tickets)
        What is sent to each.
    """
    settings = folder / "serve.toml"
    queues = [f"duel{n}" for n in range(servers)]
    settings.write_text("".join(f"[queue.{name}]\nteam_size = 1\n" for name in queues), encoding="utf-8")
    flags = ("--create", "--http", f"{LOOPBACK}:0", "--config", str(settings))
    with ExitStack() as open_ones, ThreadPoolExecutor(servers) as threads:
        started = [open_ones.enter_context(serve(url, *flags, token=TOKEN)) for _ in queues]
        clients = [Entering(server.http, name) for server, name in zip(started, queues, strict=True)]
        first = np.full((1, TICKETS), 1500.0)
        list(threads.map(lambda each: each.enter("first", first), clients))  # kernels are loaded after these
        while any(each.waiting() for each in clients):
            time.sleep(0.1)
        began = time.perf_counter()
        list(threads.map(lambda each: each.enter("batch", ratings), clients))
        return time.perf_counter() - began


class Entering:
    """A connection over which tickets enter a queue."""

    def __init__(self, port: int, queue: str) -> None:
        self._client = http.client.HTTPConnection(LOOPBACK, port, timeout=60)
        self._queue = queue

    def _asked(self, method: str, path: str, body: str | None = None) -> Any:
        headers = {"authorization": f"Bearer {TOKEN}"}
        while True:
            self._client.request(method, f"/v1/queues/{self._queue}{path}", body, headers)
            answer = self._client.getresponse()
            content = answer.read()
            if answer.status == 200:
                return json.loads(content)
            assert answer.status == 503, content  # which asks for the same once more, and nothing is doubled
            time.sleep(0.1)

    def waiting(self) -> bool:
        """Tell whether tickets wait."""
        return bool(self._asked("GET", "")["waiting"])

    def enter(self, name: str, ratings: np.ndarray) -> None:
        """Send batches of tickets."""
        for number, row in enumerate(ratings.tolist()):
            ids = [f"{self._queue}-{name}-{number}-{n}" for n in range(len(row))]
            tickets = [
                {"id": who, "players": [{"id": who, "weight": rating}]}
                for who, rating in zip(ids, row, strict=True)
            ]
            self._asked("POST", "/tickets:batch", json.dumps({"tickets": tickets}))


def measure(batches: int = BATCHES) -> Row:
    """Take tickets in all three ways."""
    ratings = np.random.default_rng(0).normal(1500, 250, (batches, TICKETS))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        owned(f"sqlite:///{folder / 'warm.db'}", ratings[:1])
        ours, plain, states = [], [], []
        for number in range(ROUNDS):
            gc.unfreeze()
            gc.collect()  # an owner lives in a process of its own, and has frozen what it found there
            source = f"sqlite:///{folder / f'ours{number}.db'}"
            taken, state = owned(source, ratings)
            ours.append(taken)
            states.append(state)
            spent, rows = inserted(f"sqlite:///{folder / f'plain{number}.db'}", source, batches)
            plain.append(spent)
        network = over_http(f"sqlite:///{folder / 'http.db'}", folder, 1, ratings)
    tickets = ratings.size
    return {
        "machine": platform.machine(), "python": platform.python_version(), "cores": os.cpu_count(),
        "batches": batches, "tickets": tickets, "rows": rows, "rounds": ROUNDS,
        "ours": tickets / min(clock for clock, _ in ours),
        "plain": tickets / min(clock for clock, _ in plain),
        "ours_time": 1e6 * min(spent for _, spent in ours) / tickets,
        "plain_time": 1e6 * min(spent for _, spent in plain) / tickets, "http": tickets / network,
        "state_time": 1e6 * min(spent for spent, _ in states), "stated": any(kept for _, kept in states),
        "share": min(clock for clock, _ in plain) / min(clock for clock, _ in ours),
        "share_time": min(spent for _, spent in plain) / min(spent for _, spent in ours),
    }  # fmt: skip


def report(results: Row) -> str:
    """Return the page."""
    fell = "one fell" if results["stated"] else "none fell"
    return """\
# Durable tickets a second

`python -m benchmarks queue_writes --batches {batches}` did this on {machine} with {cores} cores \
and Python {python}, `python -m benchmarks queue_writes --report` wrote it; do not edit.

| how | tickets a second | processor time of a ticket |
|---|---|---|
| from columns to commit: tickets, people, matches, record, seats, outbox | {ours:,.0f} | {ours_time:.0f} µs |
| the same {rows:,} rows by plain inserts, made beforehand, in as many transactions | {plain:,.0f} | \
{plain_time:.0f} µs |
| over HTTP, 1000 tickets a request, from one client, the kernels loaded | {http:,.0f} | |

{tickets:,} tickets in {batches} transactions of a SQLite archive whose disk is waited for each time, the \
best of {rounds} rounds; an owner has {share:.2f} of the rate of the inserts alone, {share_time:.2f} by \
processor time; half was asked for.

All that a queue knows is kept as a whole once in as many events as it has tickets and matches, if that are \
enough; {fell} into a round. To write it down takes {state_time:.1f} µs for each of those events.
""".format(**results, fell=fell)


def main() -> int:
    """Read the arguments and do what they say."""
    return run_many(
        __doc__, RAW / "queue_writes.json", PAGES / "QUEUE_WRITES.md", measure, report, batches=BATCHES
    )
