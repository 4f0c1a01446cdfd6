"""What late results cost everybody else: ``python -m benchmarks late_results`` writes ``LATE_RESULTS.md``.

A server has an archive of so many matches.  Current results come on a schedule, and every two seconds one
that ended at some time in the whole history.  Of each current one the time from when it was due until its
player's card counts it is taken; ten seconds after the last late one the ratings must be those of a rebuild,
bit for bit, and meanwhile the gauge of learning lag must tell that something waits.  Then the server is
killed while it learns, and what the next one learns must be that of a rebuild too.
"""

from __future__ import annotations

import http.client
import json
import os
import platform
import runpy
import signal
import tempfile
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.archive.late_matches import APART, PEOPLE, match
from benchmarks.reporting import PAGES, RAW, ROOT, run_many
from benchmarks.service.processes import LOOPBACK, TOKEN, Server, serve

from equipoise.archive.archive import open_archive

#: Matches in each archive, and seconds after which a client asks again that the server has no room for.
MATCHES, AGAIN = (30_000, 300_000), 0.05

#: Seconds for which results come, from one current result to the next, and from one late one to the next.
LONG, EVERY, LATE_EVERY = 60.0, 0.2, 2.0

#: Seconds after the last late result until all must be learnt, and within which current ones must be seen.
SETTLED, WANTED = 10.0, 1.0

#: Kills of a server that learns.
KILLS = 3


class Client:
    """One HTTP connection."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection(LOOPBACK, port, timeout=60)

    def ask(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """Return the answer as plain data, or as text where it is none."""
        reported = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        how = "GET" if body is None else "POST"
        while True:
            self._connection.request(how, path, None if body is None else json.dumps(body), reported)
            answer = self._connection.getresponse()
            content = answer.read().decode()
            if answer.status != http.HTTPStatus.TOO_MANY_REQUESTS:
                break
            time.sleep(AGAIN)
        assert answer.status < 300, (answer.status, content)
        return content if path == "/metrics" else json.loads(content)


def games(client: Client, player: str) -> int:
    """Return how many games of a player are counted."""
    card = client.ask(f"/v1/players/{player}")
    return max((int(each["games"]) for each in card["ratings"]), default=0)


def body(rng: np.random.Generator, name: str, ended: float | None, newcomer: str) -> dict[str, Any]:
    """Return a result of two teams, with a player who has no other."""
    ids = [f"p{number}" for number in rng.choice(PEOPLE, 7, replace=False).tolist()]
    teams = [[newcomer, *ids[:3]], ids[3:]]
    scores = rng.integers(0, 9, 2).tolist()
    reported = {"id": name, "game": "g", "game_type": "tdm", "teams": teams, "scores": scores}
    return reported if ended is None else {**reported, "ended": ended}


def one_result(port: int, due: float, reported: dict[str, Any], player: str, seen: list[float]) -> None:
    """Report a result when it is due, and note how long it took until it was seen."""
    time.sleep(max(0.0, due - time.monotonic()))
    client = Client(port)
    before = games(client, player)
    due = max(due, time.monotonic())
    client.ask("/v1/results", reported)
    while games(client, player) == before:
        time.sleep(0.01)
    seen.append(time.monotonic() - due)


def traffic(port: int, first: float, last: float, seed: int) -> tuple[list[float], float, float]:
    """Let results come; return how long each current one took, when the last late one came, and the lag."""
    rng = np.random.default_rng(seed)
    seen: list[float] = []
    began = time.monotonic()
    threads = []
    for n in range(int(LONG / EVERY)):
        # Nobody of a result is in one that comes within some seconds of it, so that its count is its own.
        crowd = PEOPLE // 20
        ids = [f"p{crowd * (n % 20) + at}" for at in rng.choice(crowd, 8, replace=False).tolist()]
        reported = {"id": f"now-{seed}-{n}", "game": "g", "game_type": "tdm", "teams": [ids[:4], ids[4:]],
                "scores": rng.integers(0, 9, 2).tolist()}  # fmt: skip
        due = began + EVERY * n
        threads.append(threading.Thread(target=one_result, args=(port, due, reported, ids[0], seen)))
    for thread in threads:
        thread.start()
    client, lag, came = Client(port), 0.0, 0.0
    for n in range(int(LONG / LATE_EVERY)):
        time.sleep(max(0.0, began + LATE_EVERY * n - time.monotonic()))
        reported = body(rng, f"late-{seed}-{n}", float(rng.uniform(first, last)), f"p{n}")
        reported["teams"] = [[f"p{at}" for at in range(n, n + 4)], [f"p{at}" for at in range(n + 4, n + 8)]]
        client.ask("/v1/results", reported)
        came = time.monotonic()
        gauge = next(
            line for line in client.ask("/metrics").splitlines()
            if line.startswith("equipoise_learning_lag_seconds")
        )  # fmt: skip
        lag = max(lag, float(gauge.split()[-1]))
    for thread in threads:
        thread.join()
    return seen, came, lag


def is_rebuilt(url: str) -> bool:
    """Tell whether the ratings are those of a rebuild, which they are then."""
    with open_archive(url, create=False) as archive:
        standing = archive.standing()
        before = repr((standing.state, standing.known)) if standing.current else ""
        archive.rebuild()
        standing = archive.standing()
        return before == repr((standing.state, standing.known))


def started(url: str) -> Server:
    """Start a server."""
    return serve(
        url, "--http", f"{LOOPBACK}:0", "--http-rate", "100000", "--token-rate", "100000", token=TOKEN
    )


def measured(url: str, matches: int, seed: int) -> dict[str, Any]:
    """Measure with one archive."""
    rng = np.random.default_rng(seed)
    last = time.time() - 3600.0
    first = last - APART * matches
    with open_archive(url) as archive:
        for start in range(0, matches, 10_000):
            these = range(start, min(start + 10_000, matches))
            archive.record(match(rng, n, first + APART * n, PEOPLE) for n in these)
        archive.update_ratings()
    with started(url) as server:
        seen, came, lag = traffic(server.http, first, last, seed)
        time.sleep(max(0.0, came + SETTLED - time.monotonic()))
        server.process.send_signal(signal.SIGTERM)
        server.process.wait()
        settled = is_rebuilt(url)
    killed = 0
    for n in range(KILLS):
        with started(url) as server:
            client = Client(server.http)
            for k in range(3):
                client.ask("/v1/results", body(rng, f"k-{n}-{k}", float(rng.uniform(first, last)), f"p{k}x"))
            time.sleep(float(rng.uniform(0.0, 2.0)))
            server.process.kill()
            server.process.wait()
        with started(url) as server:
            client, until = Client(server.http), time.monotonic() + 60.0
            while time.monotonic() < until and "lag_seconds 0.0" not in client.ask("/metrics"):
                time.sleep(0.1)
            server.process.send_signal(signal.SIGTERM)
            server.process.wait()
        killed += is_rebuilt(url)
    return {
        "matches": matches, "results": len(seen), "late": int(LONG / LATE_EVERY),
        "median": float(np.median(seen)), "p99": float(np.quantile(seen, 0.99)), "most": max(seen),
        "lag": lag, "settled": settled, "kills": KILLS, "killed": killed,
    }  # fmt: skip


def measure(matches: int) -> dict[str, Any]:
    """Measure in both databases, as far as they are there, with so many matches, 0 for all sizes."""
    servers = runpy.run_path(str(ROOT / "tests" / "servers.py"))
    rows = []
    for many in (matches,) if matches else MATCHES:
        with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
            urls = {"SQLite": f"sqlite:///{Path(folder) / 'games.db'}"}
            if servers["postgresql_programs"]() is not None:
                urls["PostgreSQL"] = stack.enter_context(servers["postgresql"]())
            for name, url in urls.items():
                rows.append({"database": name, **measured(url, many, len(rows))})
                print(rows[-1], flush=True)
    load = os.getloadavg()[0]
    return {"machine": platform.machine(), "cores": os.cpu_count(), "load": load, "rows": rows}


def report(results: dict[str, Any]) -> str:
    """Return the page."""
    lines = [
        "| {database} | {matches:,} | {results} | {late} | {median:.2f} | {p99:.2f} | {most:.2f} | {lag:.1f} "
        "| {same} | {killed} of {kills} |".format(**row, same="yes" if row["settled"] else "no")
        for row in results["rows"]
    ]
    return """\
# Late results

`python -m benchmarks late_results` measured and wrote this; do not edit.

Archives of {people:,} people on {machine} with {cores} cores, at a load of {load:.1f} at the end.
A current result came every {every:g} s and one from anywhere in the history every {late:g} s, for \
{long:.0f} s; "seen" is the time in seconds from a result's report until its player's card counts it, by the \
clock on the wall: {wanted:g} s is wanted at the 99th percentile.
"Rebuilt" says whether the ratings were those of a rebuild, bit for bit, {settled:.0f} s after the last late \
one; "after kills" how often they were so once a server had been killed (SIGKILL) while it learnt, and \
another one had started.

| database | matches | current | late | seen, median | p99 | most | most lag shown | rebuilt | after kills |
|---|---|---|---|---|---|---|---|---|---|
{lines}
""".format(
        people=PEOPLE, machine=results["machine"], cores=results["cores"], load=results["load"],
        every=EVERY, late=LATE_EVERY, long=LONG, wanted=WANTED, settled=SETTLED, lines="\n".join(lines),
    )  # fmt: skip


def main() -> int:
    """Read the arguments and do what they say."""
    return run_many(__doc__, RAW / "late_results.json", PAGES / "LATE_RESULTS.md", measure, report, matches=0)
