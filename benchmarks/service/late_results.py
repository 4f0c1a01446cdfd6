"""What late results cost everybody else: ``python -m benchmarks late_results`` writes ``LATE_RESULTS.md``.

A server has an archive of so many matches.  Current results come on a schedule, and every two seconds one
that ended at some time in the whole history.  Of each current one the time from when it was due until its
player's card counts it is taken; ten seconds after the last late one the ratings must be those of a rebuild,
bit for bit, and meanwhile the gauge of learning lag must tell that something waits.  Then the server is
killed while it learns, and what the next one learns must be that of a rebuild too.
"""

from __future__ import annotations

import argparse
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
import sqlalchemy as sa
from benchmarks.archive.late_matches import APART, PEOPLE, match
from benchmarks.reporting import PAGES, RAW, ROOT, add_modes, keep
from benchmarks.service.processes import LOOPBACK, TOKEN, Server, serve

from equipoise.archive.archive import open_archive
from equipoise.archive.tables import METADATA

#: Seconds from one look of a client for its result to the next: closer, those who look are the load.
LOOKS = 0.05

#: Matches in each archive, and seconds after which a client asks again that the server has no room for.
MATCHES, AGAIN = (30_000, 300_000), 0.05
BUSY = (http.HTTPStatus.TOO_MANY_REQUESTS, http.HTTPStatus.SERVICE_UNAVAILABLE)

#: Seconds for which results come, from one current result to the next, and from one late one to the next.
LONG, EVERY, LATE_EVERY = 60.0, 0.2, 2.0

#: Seconds after the last late result until all must be learnt, and within which current ones must be seen.
SETTLED, WANTED = 10.0, 1.0

#: Kills of a server that learns, with the smaller archive alone, and seconds for the next server.
KILLS, PATIENT = 3, 180.0

RESULTS = RAW / "late_results.json"


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
            if answer.status not in BUSY:
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
        time.sleep(LOOKS)
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
        lag = max(lag, waits(client))
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


def prepared(folder: Path, matches: int) -> Path:
    """Return an archive of so many matches, the last of which was an hour ago; what is there is used."""
    path = folder / f"late-results-{matches}.db"
    if not path.exists():
        rng = np.random.default_rng(matches)
        first = time.time() - 3600.0 - APART * matches
        making = path.with_suffix(".making")
        making.unlink(missing_ok=True)
        with open_archive(f"sqlite:///{making}") as archive:
            for start in range(0, matches, 10_000):
                these = range(start, min(start + 10_000, matches))
                archive.record(match(rng, n, first + APART * n, PEOPLE) for n in these)
        making.rename(path)
    with open_archive(f"sqlite:///{path}") as archive:  # of another version it learns anew
        archive.update_ratings()
    return path


def copied(path: Path, url: str) -> None:
    """Let a database have what an archive in a file has."""
    with open_archive(f"sqlite:///{path}") as archive, open_archive(url) as copy:
        source, target = archive._database, copy._database  # noqa: SLF001  # no user does
        for table in METADATA.sorted_tables:
            with source.reading() as reading, target.writing() as writing:
                writing.execute(sa.delete(table))
                found = reading.execute(sa.select(table))
                while some := found.fetchmany(10_000):
                    target.insert(writing, table, [tuple(each) for each in some])
        with target.writing() as writing:
            writing.execute(sa.text("ANALYZE"))  # as the database does by itself, within a minute


def measured(url: str, matches: int, seed: int, kills: int) -> dict[str, Any]:
    """Measure with one archive."""
    rng = np.random.default_rng(seed)
    with open_archive(url) as archive:
        last = archive.listed(None, 1)[0].match.ended or 0.0
    first, kills = last - APART * matches, kills if matches <= MATCHES[0] else 0
    with started(url) as server:
        load = os.getloadavg()[0]
        seen, came, lag = traffic(server.http, first, last, seed)
        time.sleep(max(0.0, came + SETTLED - time.monotonic()))
        after = float(waits(Client(server.http)))
        server.process.send_signal(signal.SIGTERM)
        server.process.wait()
        settled = is_rebuilt(url)
    killed = 0
    for n in range(kills):
        with started(url) as server:
            client = Client(server.http)
            for k in range(3):
                client.ask("/v1/results", body(rng, f"k-{n}-{k}", float(rng.uniform(first, last)), f"p{k}x"))
            time.sleep(float(rng.uniform(0.0, 2.0)))
            server.process.kill()
            server.process.wait()
        with started(url) as server:
            client, until = Client(server.http), time.monotonic() + PATIENT
            while time.monotonic() < until and waits(client):
                time.sleep(0.1)
            server.process.send_signal(signal.SIGTERM)
            server.process.wait()
        killed += is_rebuilt(url)
    return {
        "matches": matches, "results": len(seen), "late": int(LONG / LATE_EVERY),
        "median": float(np.median(seen)), "p99": float(np.quantile(seen, 0.99)), "most": max(seen),
        "lag": lag, "after": after, "settled": settled, "kills": kills, "killed": killed,
        "load": load, "first": -os.getpriority(os.PRIO_PROCESS, 0),
    }  # fmt: skip


def waits(client: Client) -> float:
    """Return what the gauge of learning lag says."""
    name = "equipoise_learning_lag_seconds "
    lines = client.ask("/metrics").splitlines()
    return float(next(line for line in lines if line.startswith(name)).removeprefix(name))


def measure(given: argparse.Namespace) -> dict[str, Any]:
    """Measure what is asked for, and leave what is known of other sizes and databases as it is."""
    servers = runpy.run_path(str(ROOT / "tests" / "servers.py"))
    known = json.loads(RESULTS.read_text(encoding="utf-8"))["rows"] if RESULTS.exists() else []
    rows = {(row["database"], row["matches"]): row for row in known}
    for many in (given.matches,) if given.matches else MATCHES:
        with tempfile.TemporaryDirectory() as temporary, ExitStack() as stack:
            folder = Path(temporary)
            source = prepared(given.folder or folder, many)
            urls = {}
            if given.database != "PostgreSQL":
                urls["SQLite"] = f"sqlite:///{folder / 'games.db'}"
            if given.database != "SQLite" and servers["postgresql_programs"]() is not None:
                urls["PostgreSQL"] = stack.enter_context(servers["postgresql"]())
            for name, url in ({} if given.prepare else urls).items():
                copied(source, url)
                rows[name, many] = {"database": name, **measured(url, many, len(name), given.kills)}
                print(rows[name, many], flush=True)
                RESULTS.write_text(json.dumps(in_order(rows), indent=1) + "\n", encoding="utf-8")
    return in_order(rows)


def in_order(rows: dict[tuple[str, int], dict[str, Any]]) -> dict[str, Any]:
    """Return what was measured, the smaller archives first."""
    order = sorted(rows, key=lambda each: (each[1], each[0] != "SQLite"))
    return {
        "machine": platform.machine(), "cores": os.cpu_count(), "rows": [rows[each] for each in order],
    }  # fmt: skip


def report(results: dict[str, Any]) -> str:
    """Return the page."""
    lines = [
        "| {database} | {matches:,} | {results} | {late} | {median:.2f} | {p99:.2f} | {most:.2f} | {lag:.1f} "
        "| {after:.1f} | {same} | {killed} of {kills} | {load:.1f} | {first} |".format(
            **{"first": 0, **row}, same="yes" if row["settled"] else "no"
        )
        for row in results["rows"]
    ]
    return """\
# Late results

`python -m benchmarks late_results` measured and wrote this; do not edit.

Archives of {people:,} people on {machine} with {cores} cores.
A current result came every {every:g} s and one from anywhere in the history every {late:g} s, for \
{long:.0f} s; "seen" is the time in seconds from a result's report until its player's card counts it, by the \
clock on the wall: {wanted:g} s is wanted at the 99th percentile.
"Rebuilt" says whether the ratings were those of a rebuild, bit for bit, {settled:.0f} s after the last late \
one, and the column before it what the gauge of learning lag said then; "after kills" how often they were so \
once a server had been killed (SIGKILL) while it learnt, and another one had started.
Those who wait for a result look every {looks:.0f} ms, which is part of what they see.
The load is that of the machine as the results began to come; "before others" is by how much (nice) \
servers and clients went before what else ran.

| database | matches | current | late | seen, median | p99 | most | most lag shown | lag then | rebuilt \
| after kills | load | before others |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
{lines}
""".format(
        people=PEOPLE, machine=results["machine"], cores=results["cores"],
        every=EVERY, late=LATE_EVERY, long=LONG, wanted=WANTED, settled=SETTLED, looks=1000 * LOOKS,
        lines="\n".join(lines),
    )  # fmt: skip


def main() -> int:
    """Read the arguments and do what they say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=0, help="in each archive; by default all sizes")
    parser.add_argument("--database", choices=("SQLite", "PostgreSQL"), help="by default both")
    parser.add_argument("--folder", type=Path, help="where archives are kept from one run to the next")
    parser.add_argument("--kills", type=int, default=KILLS, help="of a server that learns")
    parser.add_argument("--prepare", action="store_true", help="only make these")
    parser.add_argument(
        "--first", type=int, default=0, metavar="N", help="go before what else runs (nice -N)"
    )
    add_modes(parser)
    given = parser.parse_args()
    os.nice(-given.first)
    if given.prepare:
        measure(given)
        return 0
    return keep(given, RESULTS, PAGES / "LATE_RESULTS.md", lambda: measure(given), report)
