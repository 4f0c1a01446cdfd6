"""Measure a weight server that is busy: ``python -m benchmarks busy`` writes ``busy.json`` and ``BUSY.md``.

``--report`` writes the page anew and ``--check`` tells if it is stale.  The archive has 20,000 players.  A
client looks weights up alone, beside another process that ingests, beside results that the server learns
from, and beside divisions of 64 players; results tell when they were acknowledged and seen in answers.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import socket
import statistics
import subprocess
import tempfile
import time
from collections.abc import Sequence
from typing import Any

from benchmarks.reporting import PAGES, RAW, add_modes, keep
from benchmarks.service.attacks import ATTACKS, ask, attacked, make, served
from benchmarks.service.processes import FIRST, LOOPBACK, TOKEN, beside, pin, take_rank

Row = dict[str, Any]

#: Matches and players of the archive.
MATCHES, PLAYERS = 10_000, 20_000

#: Rounds of each kind, of which the median counts, and seconds that the client asks in each.
ROUNDS, SECONDS = 5, 2.0

#: Matches that are ingested at once, as an ingest does, and results that are reported in a round.
BATCH, RESULTS = 500, 4

#: Seconds between two results, the second of which comes while the server learns from the first, and between
#: two looks whether one is seen.
BETWEEN, LOOK = 0.05, 0.01

#: What is promised, seconds: the 99th percentile of lookups, an acknowledgement, and being seen.
LOOKUP, ACKNOWLEDGED, SEEN = 0.010, 0.050, 1.0


def ingest(url: str, seed: int) -> None:
    """Write matches of random teams into an archive and learn from them, again and again."""
    from equipoise.archive.archive import open_archive
    from equipoise.core.match import Contest, Match, Ruleset

    rng = random.Random(seed)
    with open_archive(url, create=False) as archive:
        print("begun", flush=True)
        while True:
            archive.record(
                Match((Contest(Ruleset("openarena", "tdm"), (ids[:4], ids[4:]), (1, 2), at=time.time()),))
                for ids in ([f"p{at}" for at in rng.sample(range(PLAYERS), 8)] for _ in range(BATCH))
            )
            archive.update_ratings()


def report_results(port: int, name: str, results: int) -> None:
    """Report results, each with a newcomer; print when each was acknowledged and when seen in answers."""
    acknowledged: list[float] = []
    seen: list[float] = []
    with socket.create_connection((LOOPBACK, port), timeout=60.0) as client:
        lines = client.makefile("rb")
        client.sendall(f"AUTH {TOKEN}\nGAME openarena/tdm\n".encode())
        lines.readline()
        print("begun", flush=True)
        for n in range(results):
            for part in ("first", "second"):
                new = f"{name}-{n}-{part}"
                began = time.perf_counter()
                client.sendall(f"RESULT {new}\t2 1\t0 PLAYER {new}\t1 PLAYER p{n}\n".encode())
                answer = lines.readline()
                assert answer == f"RESULT {new} new\n".encode(), answer
                acknowledged.append(time.perf_counter() - began)
                time.sleep(BETWEEN)
            began = time.perf_counter()
            while True:
                client.sendall(f"PLAYER {new}\n".encode())
                if lines.readline() != f"PLAYER {new}\n".encode():
                    break
                time.sleep(LOOK)
            seen.append(time.perf_counter() - began + BETWEEN)
    print(json.dumps([acknowledged, seen]), flush=True)


def collect(reporter: subprocess.Popen[str], acknowledged: list[float], seen: list[float]) -> None:
    """Take what whoever reported results prints at its end."""
    assert reporter.stdout is not None
    these = json.loads(reporter.stdout.readline())
    acknowledged += these[0]
    seen += these[1]


def row(name: str, parts: Sequence[Sequence[float]]) -> Row:
    """Return the medians of what was measured in several rounds."""
    return {
        "name": name,
        "rounds": [
            {
                "median": waits[len(waits) // 2], "p99": waits[len(waits) * 99 // 100], "most": waits[-1],
                "asked": len(waits),
            }
            for waits in parts
        ],
    }  # fmt: skip


def play(rounds: int, seconds: float, matches: int, players: int) -> Row:
    """Return all measurements."""
    dividing = next(each for each in ATTACKS if "divide 64" in each.name)
    waits: dict[str, list[list[float]]] = {}
    acknowledged: list[float] = []
    seen: list[float] = []
    crowded: tuple[list[float], list[float]] = ([], [])
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/games.db"
        make(url, matches, players)
        with served(url, TOKEN) as server:
            port = server.port
            ask(port, seconds / 4)
            for n in range(rounds):
                waits.setdefault("alone", []).append(ask(port, seconds))
                with attacked(port, dividing):
                    waits.setdefault("divisions of 64 players", []).append(ask(port, seconds))
                with beside("busy", "--results", str(port), f"lone{n}", str(RESULTS)) as reporter:
                    collect(reporter, acknowledged, seen)
                with beside("busy", "--results", str(port), f"new{n}", str(RESULTS)) as reporter:
                    waits.setdefault("learning from results", []).append(ask(port, seconds))
                    collect(reporter, *crowded)
            for n in range(rounds):
                with beside("busy", "--ingest", url, str(n)):
                    waits.setdefault("an ingest by another process", []).append(ask(port, seconds))
    return {
        "machine": platform.machine(), "python": platform.python_version(), "cores": os.cpu_count(),
        "load": os.getloadavg()[0], "first": os.getpriority(os.PRIO_PROCESS, 0), "times": rounds,
        "seconds": seconds, "matches": matches, "players": players,
        "rows": [row(name, parts) for name, parts in waits.items()],
        "acknowledged": sorted(acknowledged), "seen": sorted(seen),
        "crowded": [sorted(each) for each in crowded],
    }  # fmt: skip


def measure() -> Row:
    """Return all measurements, before everything else that runs on the machine."""
    pin(1)
    take_rank(FIRST)
    return play(ROUNDS, SECONDS, MATCHES, PLAYERS)


HEAD = """\
# Lookups while the weight server is busy

`python -m benchmarks busy` measured this on {machine} with {cores} cores and Python {python}, \
`python -m benchmarks busy --report` wrote it; do not edit.

- The archive has {matches:,} matches of {players:,} players.
- The server has one core with all its workers, all else another; server and client have priority {first}, \
whoever keeps it busy the usual one.
- A client sends `PLAYER` and waits for the answer for {seconds:g} s, in {times} rounds; each figure is the \
median of theirs, and the longest wait the worst of them.
- When this ran, {load:.1f} processes wanted the machine.

"""


def report(results: Row) -> str:
    """Return the page."""
    head = ["beside", "median", "p99", "longest wait", f"p99 below {_ms(LOOKUP)}"]
    lines = [head, ["---"] * len(head)]
    for each in results["rows"]:
        median, p99 = (statistics.median(part[key] for part in each["rounds"]) for key in ("median", "p99"))
        most = max(part["most"] for part in each["rounds"])
        lines.append([each["name"], _ms(median), _ms(p99), _ms(most), "yes" if p99 < LOOKUP else "no"])
    rounds = [["beside", *(str(n + 1) for n in range(results["times"]))]]
    rounds.append(["---"] * len(rounds[0]))
    rounds += [[each["name"], *(_ms(part["p99"]) for part in each["rounds"])] for each in results["rows"]]
    kinds = {"alone": [results["acknowledged"], results["seen"]], "beside lookups": results["crowded"]}
    reported = [
        f"| {kind} | {_kept(known, ACKNOWLEDGED)} | {_kept(seen, SEEN)} |"
        for kind, (known, seen) in kinds.items()
        if known
    ]
    table = "\n".join(reported)
    return f"""\
{HEAD.format(**results)}{_table(lines)}

Every second result was sent while the server learnt from the one before; lookups beside come without a pause.

| results | acknowledged: median | most | {_ms(ACKNOWLEDGED)} kept by | seen in answers: median | most | \
{_ms(SEEN)} kept by |
| --- | --- | --- | --- | --- | --- | --- |
{table}

## Every round: p99

{_table(rounds)}
"""


def _kept(waits: Sequence[float], within: float) -> str:
    """Return cells of waits: median, most, and how many are within what is promised."""
    kept = sum(wait <= within for wait in waits)
    return f"{_ms(statistics.median(waits))} | {_ms(waits[-1])} | {kept} of {len(waits)}"


def _table(lines: list[list[str]]) -> str:
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.2f} ms" if seconds < LOOKUP else f"{1000 * seconds:.0f} ms"


def main() -> int:
    """Read the arguments and do what they say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ingest", nargs=2, metavar=("URL", "SEED"), help="be the one who ingests")
    parser.add_argument("--results", nargs=3, metavar=("PORT", "NAME", "N"), help="be the one who reports")
    add_modes(parser)
    given = parser.parse_args()
    if given.ingest:
        ingest(given.ingest[0], int(given.ingest[1]))
    elif given.results:
        report_results(int(given.results[0]), given.results[1], int(given.results[2]))
        return 0
    return keep(given, RAW / "busy.json", PAGES / "BUSY.md", measure, report)
