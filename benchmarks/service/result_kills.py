"""Kill the weight server while it takes results: ``python -m benchmarks result_kills`` does it 200 times.

It writes ``result_kills.json`` and ``RESULT_KILLS.md``; ``--times N`` does it N times, ``--report`` writes
the page anew, ``--check`` tells if it is stale.  After each kill the archive must hold each acknowledged
result once, and after the next start the answer to ``ALL`` must be that of a rebuild, without any new event.
"""

from __future__ import annotations

import contextlib
import os
import platform
import random
import shutil
import signal
import socket
import statistics
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from benchmarks.reporting import PAGES, RAW, run_many
from benchmarks.service.processes import LOOPBACK, TOKEN, Server, serve

Row = dict[str, Any]

#: Kills, the players of results, and the longest time from the first result to the kill, seconds.
TIMES, PLAYERS, LONGEST = 200, 40, 0.6

#: Seconds within which the weights must be those of a rebuild after a start.
PATIENCE = 20.0


def report_results(server: Server, first: int, rng: random.Random) -> tuple[list[str], list[str]]:
    """Report results, kill the server a while after the first; return the ids that were sent and kept."""
    sent: list[str] = []
    kept: list[str] = []
    with (
        contextlib.suppress(OSError),
        socket.create_connection((LOOPBACK, server.port), timeout=10) as client,
    ):
        client.sendall(f"AUTH {TOKEN}\nGAME openarena/ctf\n".encode())
        lines = client.makefile("rb")
        lines.readline()
        while True:
            ids = rng.sample(range(PLAYERS), 4)
            name = f"g{first + len(sent)}"
            seats = "".join(f"\t{n // 2} PLAYER p{at}" for n, at in enumerate(ids))
            sent.append(name)
            client.sendall(f"RESULT {name}\t{rng.randrange(9)} {rng.randrange(9)}{seats}\n".encode())
            answer = lines.readline()
            if not answer:
                break
            assert answer == f"RESULT {name} new\n".encode(), answer
            if not kept:
                pause = rng.random() * LONGEST
                threading.Timer(pause, os.kill, (server.process.pid, signal.SIGKILL)).start()
            kept.append(name)
    return sent, kept


def everyone(port: int) -> bytes:
    """Return the answer to ``ALL``."""
    with socket.create_connection((LOOPBACK, port), timeout=PATIENCE) as client:
        client.sendall(b"GAME openarena/ctf\nALL\n")
        client.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: client.recv(65536), b""))


def rebuilt(path: Path) -> tuple[list[str], bytes]:
    """Return the ids of all matches, and what is to be answered to ``ALL``, from a rebuild of a copy."""
    from equipoise.archive.archive import open_archive
    from equipoise.service.answer_cache import Board
    from equipoise.service.snapshot import Ratings, Snapshot
    from equipoise.service.weights.messages import Everyone, Setting

    with tempfile.TemporaryDirectory() as folder:
        for each in path.parent.glob(f"{path.name}*"):
            shutil.copyfile(each, Path(folder) / each.name)
        with open_archive(f"sqlite:///{folder}/{path.name}", create=False) as archive:
            archive.rebuild()
            standing = archive.standing()
            ids = [match.id for match in archive.matches()]
    ratings = Ratings(standing.model, standing.state, standing.last_bots)
    board = Board(Snapshot(ratings, standing.rulesets))
    answer: bytes = board.result(Everyone(Setting("openarena/ctf")))
    return ids, answer


def measure(times: int = TIMES, seed: int = 0) -> Row:
    """Kill so often; raise AssertionError where something is lost, doubled or stale."""
    rng = random.Random(seed)
    sent: list[str] = []
    kept: list[str] = []
    healed: list[float] = []
    behind = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.db"
        url = f"sqlite:///{path}"
        server = serve(url, "--create", token=TOKEN)
        for _ in range(times):
            these, acknowledged = report_results(server, len(sent), rng)
            sent += these
            kept += acknowledged
            server.wait()
            ids, expected = rebuilt(path)
            assert len(ids) == len(set(ids)), "a result was kept twice"
            assert set(kept) <= set(ids) <= set(sent), "a result was lost or made up"
            server = serve(url, token=TOKEN)
            began = time.monotonic()
            behind += everyone(server.port) != expected
            while everyone(server.port) != expected:
                assert time.monotonic() - began < PATIENCE, "weights stay behind"
                time.sleep(0.02)
            healed.append(time.monotonic() - began)
        server.process.kill()
        server.wait()
    return {
        "machine": platform.machine(), "python": platform.python_version(), "cores": os.cpu_count(),
        "kills": times, "sent": len(sent), "kept": len(kept), "behind": behind,
        "healed": statistics.median(healed), "most": max(healed),
    }  # fmt: skip


def report(results: Row) -> str:
    """Return the page."""
    return """\
# Kills of the weight server under RESULT

`python -m benchmarks result_kills --times {kills}` did this on {machine} with {cores} cores \
and Python {python}, `python -m benchmarks result_kills --report` wrote it; do not edit.

- The server was killed (SIGKILL) {kills} times at random moments, while a client reported results one after \
the other.
- {sent} results were sent and {kept} acknowledged; every acknowledged one was in the archive, and none twice.
- After every start `ALL` answered the weights of a rebuild without any new event: \
{healed:.2f} s after the start line in the median, {most:.2f} s at most; {behind} starts answered older \
weights first.
""".format(**results)


def main() -> int:
    """Read the arguments and do what they say."""
    return run_many(
        __doc__, RAW / "result_kills.json", PAGES / "RESULT_KILLS.md", measure, report, times=TIMES
    )
