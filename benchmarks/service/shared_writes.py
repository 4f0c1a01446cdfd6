"""Durable tickets a second of PostgreSQL: ``python -m benchmarks shared_writes`` writes ``SHARED_WRITES.md``.

One, two and four owners, each of a queue and in a process of its own, take columns of tickets side by side
and make matches of them, a transaction for each thousand.  The same rows are then put into the same tables of
another database by as many runs of ``pgbench``, in as many transactions.  Last, as many servers take as many
tickets over HTTP.
"""

from __future__ import annotations

import multiprocessing
import os
import platform
import runpy
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.reporting import PAGES, RAW, ROOT, describe, run_many
from benchmarks.service.queue_writes import HOOKS, TICKETS, over_http

Row = dict[str, Any]

#: Owners side by side, transactions of each, and how often it is done; the best counts.
OWNERS, BATCHES, ROUNDS = (1, 2, 4), 10, 2


def own(url: str, number: int, batches: int, begin: Any) -> None:
    """Take columns of tickets into a queue, a transaction for each batch, once all are there."""
    from equipoise.queueing.life import EnterTicket
    from equipoise.queueing.policy import QueuePolicy
    from equipoise.queueing.tickets import soloists
    from equipoise.service.queue_owner import Queueing, TickDue
    from equipoise.service.table_settings import QueueSettings

    name = f"duel{number}"
    settings = QueueSettings(name, QueuePolicy(team_size=1), max_players=10**9)
    owner = Queueing(url, settings, HOOKS, 10.0, f"worker{number}")
    ratings = np.random.default_rng(number).normal(1500, 250, (batches + 1, TICKETS))
    for batch, row in enumerate(ratings.tolist()):
        tickets = soloists({f"{name}-{batch}-{n}": rating for n, rating in enumerate(row)}, 0.0)
        list(owner(([*map(EnterTicket, tickets), TickDue()], None)))
        if not batch:  # which has loaded whatever is loaded once
            begin.wait()
    begin.wait()


def owned(url: str, owners: int, batches: int) -> float:
    """Return the seconds in which owners take their tickets."""
    from equipoise.archive.archive import open_archive

    with open_archive(url, waiting=str):
        pass
    context = multiprocessing.get_context("spawn")
    begin = context.Barrier(owners + 1)
    processes = [context.Process(target=own, args=(url, n, batches, begin)) for n in range(owners)]
    for each in processes:
        each.start()
    begin.wait()
    began = time.perf_counter()
    begin.wait()
    seconds = time.perf_counter() - began
    for each in processes:
        each.join()
    return seconds


def written(url: str, folder: Path, owners: int, batches: int) -> tuple[list[Path], int]:
    """Write the rows of owners as scripts of ``pgbench``, one an owner; return them, and how many rows."""
    import psycopg
    from psycopg import sql

    from equipoise.archive.tables import OUTBOX, QUEUE_EVENT, QUEUE_MEMBER, QUEUE_PERSON

    texts: list[list[str]] = [["BEGIN;\n"] for _ in range(owners * batches)]
    count = 0
    with psycopg.connect(url) as connection:
        for table in (QUEUE_EVENT, QUEUE_PERSON, QUEUE_MEMBER, OUTBOX):
            found = connection.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier(table.name)))
            names = [sql.Identifier(column.name) for column in found.description or ()]
            head = sql.SQL("INSERT INTO {} ({}) VALUES ").format(
                sql.Identifier(table.name), sql.SQL(", ").join(names)
            )
            rows = found.fetchall()
            kept = len(rows) * batches // (batches + 1)  # what came before the clock began is left out
            count += kept
            for text, part in zip(texts, np.array_split(np.arange(kept), len(texts)), strict=True):
                values = ",".join(
                    f"({','.join(sql.Literal(cell).as_string(connection) for cell in rows[n])})" for n in part
                )
                text.append(f"{head.as_string(connection)}{values};\n")
    paths = []
    for owner in range(owners):
        paths.append(folder / f"{owner}.sql")
        some = texts[owner * batches : (owner + 1) * batches]
        paths[-1].write_text("".join("".join([*text, "COMMIT;\n"]) for text in some), encoding="utf-8")
        paths[-1].chmod(0o644)
    return paths, count


def inserted(url: str, pgbench: Path, scripts: list[Path]) -> float:
    """Return the seconds in which runs of ``pgbench`` side by side do a script each."""
    from equipoise.archive.archive import open_archive

    with open_archive(url, waiting=str):
        pass
    began = time.perf_counter()
    running = [
        subprocess.Popen([pgbench, "-n", "-t", "1", "-f", script, url], stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE, text=True)
        for script in scripts
    ]  # fmt: skip
    for each in running:
        said = each.communicate()[1]
        assert each.returncode == 0, said[-2000:]
        assert "ERROR" not in said, said[-2000:]
    return time.perf_counter() - began


def measure(batches: int = BATCHES) -> Row:
    """Take tickets in both ways."""
    import tempfile

    import psycopg

    servers = runpy.run_path(str(ROOT / "tests" / "servers.py"))
    pgbench = servers["postgresql_programs"]() / "pgbench"
    rows = []
    for owners in OWNERS:
        ours, plain, network = [], [], []
        for _ in range(ROUNDS):
            with (
                servers["postgresql_server"]("fsync=on", "synchronous_commit=on") as server,
                tempfile.TemporaryDirectory() as folder,
            ):
                ours.append(owned(server.url, owners, batches))
                scripts, count = written(server.url, Path(folder), owners, batches)
                with psycopg.connect(server.url, autocommit=True) as connection:
                    connection.execute("CREATE DATABASE plain")
                url = server.url.removesuffix("/postgres") + "/plain"
                plain.append(inserted(url, pgbench, scripts))
                with psycopg.connect(server.url, autocommit=True) as connection:
                    connection.execute("CREATE DATABASE served")
                url = server.url.removesuffix("/postgres") + "/served"
                ratings = np.random.default_rng(0).normal(1500, 250, (batches, TICKETS))
                network.append(over_http(url, Path(folder), owners, ratings))
        tickets = owners * batches * TICKETS
        rows.append(
            {"owners": owners, "tickets": tickets, "rows": count, "ours": tickets / min(ours),
             "plain": tickets / min(plain), "share": min(plain) / min(ours), "http": tickets / min(network)}
        )  # fmt: skip
        print(rows[-1], flush=True)
    return {
        **describe(), "machine": platform.machine(), "cores": os.cpu_count(), "batches": batches,
        "load": os.getloadavg()[0], "rows": rows,
    }  # fmt: skip


def report(results: Row) -> str:
    """Return the page."""
    lines = [
        f"| {row['owners']} | {row['tickets']:,} | {row['rows']:,} | {row['ours']:,.0f} "
        f"| {row['plain']:,.0f} | {row['share']:.2f} | {row['http']:,.0f} |"
        for row in results["rows"]
    ]
    return """\
# Durable tickets a second of PostgreSQL

`python -m benchmarks shared_writes` measured and wrote this; do not edit.

At commit {commit}, {processor}, {cores} cores that others use too, at a load of {load:.0f} at the end.
Owners of a queue each take {batches} thousand tickets from columns to commit, a transaction for each \
thousand, side by side; PostgreSQL on the same cores writes durably (`fsync`, `synchronous_commit`).
The same rows are then inserted by as many runs of `pgbench`, many rows a statement, in as many transactions.
Over HTTP as many servers take as many tickets, 1,000 a request, their clients on the same cores.
Seconds are of the clock, the best of {rounds} rounds; half of the rate of the inserts was asked for.

| owners | tickets | rows | tickets a second | by `pgbench` | share | over HTTP |
|---:|---:|---:|---:|---:|---:|---:|
{lines}
""".format(**{**results, "lines": "\n".join(lines)}, rounds=ROUNDS)


def main() -> int:
    """Read the arguments and do what they say."""
    return run_many(
        __doc__, RAW / "shared_writes.json", PAGES / "SHARED_WRITES.md", measure, report, batches=BATCHES
    )
