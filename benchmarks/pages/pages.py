"""Pages of large archives: how long each takes, how large it is, and what it refers to; writes PAGES.md.

A hundred thousand players, of whom one has played ten thousand matches, as a service would show them; and all
static pages of ten thousand players.  Times are of the processor, on one core.

``python -m benchmarks pages`` measures and writes, ``--report`` writes the page from the last results,
``--check`` says whether the page is stale.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import hashlib
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks import reporting
from benchmarks.reporting import PAGES, RAW
from benchmarks.service.processes import LOOPBACK, TICKS, TOKEN, Server, serve

from equipoise.archive.archive import Archive, open_archive
from equipoise.core.match import Contest, Match, Ruleset
from equipoise.core.rulesets import ruleset_text
from equipoise.pages.html.changed_pages import look
from equipoise.pages.html.site import Site, slug
from equipoise.ratings.models.gaussian_filter.mixture import Mixture
from equipoise.ratings.timeline import chronicle_of
from equipoise.service.exported_site import BOARD, Manifest, keep_manifest, site_of

SEED = 20261122

#: Players of the large archive, matches of its most eager one, and players of the one that is exported.
PLAYERS, MATCHES, EXPORTED = 100_000, 10_000, 10_000

#: What a page may take: seconds of server time, and bytes.
SECONDS, BYTES = 0.3, 200_000

#: Matches and players of the archive to which one result more comes, exports after one, and results while
#: pages are open; how many are open, and the seconds that are waited for quiet and after a result.
ARCHIVE, REGULARS, ROUNDS, RESULTS, OPEN, QUIET, SETTLED = 100_000, 2_000, 5, 5, 1_000, 10.0, 8.0

RULESET = Ruleset("game", "tdm")


def history(players: int, eager: int) -> list[Match]:
    """Return matches of five against five: one player is in ``eager`` of them, all others in one."""
    rng = np.random.default_rng(SEED)
    order = rng.permutation(players - 1) + 1
    first, rest = order[: 9 * eager], order[9 * eager :]
    lines = [[0, *first[n : n + 9]] for n in range(0, len(first), 9)]
    lines += [list(rest[n : n + 10]) for n in range(0, len(rest), 10)]
    lines = [line if len(line) > 1 else [0, *line] for line in lines]
    matches = []
    for n, line in enumerate(lines):
        names = [f"p{k}" for k in line]
        scores = (float(rng.integers(0, 30)), float(rng.integers(0, 30)))
        ranks = tuple(1.0 + (score < max(scores)) for score in scores)
        contest = Contest(RULESET, (names[::2], names[1::2]), ranks, at=600.0 * n, scores=scores)
        named = [(name, f"Player {name[1:]}") for name in names]
        matches.append(Match((contest,), id=f"m{n}", names=named, map=f"map{n % 20}"))
    return matches


def pages_of(matches: Sequence[Match]) -> tuple[Site, float]:
    """Return the pages of matches, and the seconds that going through them took."""
    began = time.process_time()
    return Site(chronicle_of(Mixture(), matches), live=True), time.process_time() - began


def one_by_one(players: int, eager: int) -> dict[str, Any]:
    """Return what each kind of page takes in a large archive."""
    matches = history(players, eager)
    site, made = pages_of(matches)
    table = f"leaderboard/{slug(ruleset_text(RULESET))}"
    asked = {
        "overview": ("index.html", {}),
        "leaderboard": (f"{table}.html", {}),
        "leaderboard, searched": (f"{table}.html", {"q": "77"}),
        "search": ("search/index.html", {"q": "77"}),
        "most eager player": (f"player/{slug('p0')}.html", {}),
        "another player": (f"player/{slug('p1')}.html", {}),
        "matches": ("match/index.html", {}),
        "match": (f"match/{slug(matches[-1].id)}.html", {}),
        "fairness": ("fairness/index.html", {}),
        "fairness, compared": ("fairness/index.html", {"date": "1970-02-01"}),
        "servers": ("servers/index.html", {}),
    }  # fmt: skip
    for path, query in asked.values():
        site.page(path, query)  # what is made once for all pages is made
    pages = {}
    for name, (path, query) in asked.items():
        began = time.process_time()
        page = site.page(path, query)
        if page is None:
            continue
        outside = re.search(r"\w://", page) is not None
        pages[name] = {
            "seconds": time.process_time() - began,
            "bytes": len(page.encode()),
            "outside": outside,
        }
    return {"players": len(site.chronicle.players), "matches": len(matches), "made": made, "pages": pages}


def exported(players: int) -> dict[str, Any]:
    """Return what writing all static pages takes."""
    matches = history(players, players // 10)
    site, made = pages_of(matches)
    count = outside = largest = 0
    began = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        for path in site.paths():
            page = site.page(path) or ""
            target = Path(folder, path)
            target.parent.mkdir(exist_ok=True)
            target.write_text(page, encoding="utf-8", newline="")
            count, largest = count + 1, max(largest, len(page.encode()) if path.endswith(".html") else 0)
            outside += re.search(r"\w://", page) is not None
    return {
        "players": len(site.chronicle.players), "matches": len(matches), "pages": count, "outside": outside,
        "largest": largest, "seconds": made + time.process_time() - began,
    }  # fmt: skip


def at_random(many: int, players: int) -> Iterator[Match]:
    """Go through matches of five against five, a quarter of an hour apart, of people drawn at random."""
    rng = np.random.default_rng(SEED)
    for n in range(many):
        names = [f"p{k}" for k in rng.choice(players, 10, replace=False)]
        scores = (float(rng.integers(0, 30)), float(rng.integers(0, 30)))
        ranks = tuple(1.0 + (score < max(scores)) for score in scores)
        teams = (names[::2], names[1::2])
        contest = Contest(RULESET, teams, ranks, at=1e9 + 900.0 * n, scores=scores)
        named = [(name, f"Player {name[1:]}") for name in names]
        yield Match((contest,), id=f"m{n}", names=named, map=f"map{n % 20}")


def prepared(folder: Path, many: int, players: int) -> dict[str, float]:
    """Make an archive of many matches and a folder of its pages, unless they are there; return what it took.

    Nothing is in the pages, as it makes no difference to what one result more takes.
    """
    url, said = f"sqlite:///{folder}/games.db", folder / "prepared.json"
    if said.exists():
        known: dict[str, float] = json.loads(said.read_text(encoding="utf-8"))
        return known
    folder.mkdir(parents=True, exist_ok=True)
    with open_archive(url, create=True) as archive:
        if not archive.count():
            archive.record(list(at_random(many, players)))
        began = time.process_time()
        archive.keep_chronicle(archive.chronicle())
        known = {"made": time.process_time() - began}
        archive.update_ratings()
        known["pages"] = emptied(archive, folder / "site")
    said.write_text(json.dumps(known), encoding="utf-8")
    return known


def emptied(archive: Archive, out: Path) -> int:
    """Write a folder of pages in which nothing is, with its manifest; return how many there are."""
    site, known = site_of(archive, None)
    paths = [*site.paths(), BOARD]
    for path in paths:
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        (out / path).write_text("", encoding="utf-8")
    of = (known.lineage, look(), repr(None), "en")
    nothing = hashlib.sha256(b"").hexdigest()
    keep_manifest(out, Manifest(dict.fromkeys(paths, nothing), of, len(known.chronicle)))
    return len(paths)


def one_more(folder: Path, many: int, players: int) -> dict[str, Any]:
    """Return what one result more takes in an archive of many matches: in a folder, and on open pages."""
    known = prepared(folder, many, players)
    url, out = f"sqlite:///{folder}/games.db", folder / "site"
    with open_archive(url) as archive:
        there = archive.count()
    new = list(at_random(there + ROUNDS + RESULTS, players))[there:]
    command = [sys.executable, "-m", "equipoise", "pages", "--store", url, "--out", str(out)]
    # Modules are compiled once, as they are where the package is installed.
    environment = {name: each for name, each in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with open_archive(url) as archive:
        emptied(archive, out)  # as pages are made now
    rounds = []
    for match in new[:ROUNDS]:
        with open_archive(url) as archive:
            archive.record([match])
        began, used = time.perf_counter(), children()
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        rounds.append((children() - used, time.perf_counter() - began, int(done.stdout.split()[0])))
    print(rounds, file=sys.stderr)
    opened = open_pages(url, new[ROUNDS:], players)
    began = children()
    libraries = [sys.executable, "-c", "import click, jinja2, msgspec, numpy, sqlalchemy"]
    subprocess.run(libraries, check=True, env=environment)
    imports = children() - began
    used, waited, pages = (statistics.median(each) for each in zip(*rounds, strict=True))
    return {
        "matches": many, "players": players, **known, "seconds": used, "waited": waited, "changed": pages,
        "open": opened, "load": os.getloadavg()[0], "imports": imports, "cores": os.cpu_count(),
    }  # fmt: skip


def children() -> float:
    """Return the processor time of the processes that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def open_pages(url: str, results: Sequence[Match], players: int) -> dict[str, Any]:
    """Return what open pages cost a server, and how soon they show results; see :func:`looked_at`."""
    flags = ("--http", f"{LOOPBACK}:0", "--http-rate", "1e9")
    with serve(url, *flags, token=TOKEN) as server:
        return asyncio.run(looked_at(server, results, players))


async def looked_at(server: Server, results: Sequence[Match], players: int) -> dict[str, Any]:
    """Hold pages open as browsers do: each listens, and asks for itself again when it shows who played."""
    rng = np.random.default_rng(SEED)
    table = f"/leaderboard/{slug(ruleset_text(RULESET))}.html"
    shown = ["/", table, "/match/index.html", "/fairness/index.html", *[""] * 6]
    pages = [
        OpenPage(
            server.http,
            shown[n % 10] or f"/player/{slug(f'p{who}')}.html",
            "" if shown[n % 10] else f"p{who}",
        )
        for n, who in enumerate(rng.integers(0, players, OPEN).tolist())
    ]
    await _get(server.http, "/")
    for first in range(0, OPEN, 50):
        await asyncio.gather(*(page.begin() for page in pages[first : first + 50]))
    tasks = [asyncio.create_task(page.follow()) for page in pages]
    await asyncio.sleep(QUIET)
    used, began = all_used(server), time.perf_counter()
    await asyncio.sleep(QUIET)
    idle = (all_used(server) - used) / (time.perf_counter() - began)
    waits: list[float] = []
    busy = 0.0
    for match in results:
        used, began = all_used(server), time.perf_counter()
        for page in pages:
            page.shown.clear()
        await _report(server.http, match)
        reported = time.perf_counter()
        await asyncio.sleep(SETTLED)
        took = time.perf_counter() - began
        busy += max(all_used(server) - used - idle * took, 0.0)
        waits += [page.shown[-1] - reported for page in pages if page.shown]
    for task in tasks:
        task.cancel()
    waits.sort()
    return {
        "pages": OPEN, "results": len(results), "idle": idle, "a_result": busy / len(results),
        "asked": len(waits) / len(results), "median": waits[len(waits) // 2],
        "p99": waits[len(waits) * 99 // 100],
    }  # fmt: skip


class OpenPage:
    """A page that is open in a browser.

    Parameters
    ----------
    port : int
        Where the service listens.
    path : str
        Its address.
    player : str
        Whose page it is; empty for one that every match changes.
    """

    def __init__(self, port: int, path: str, player: str) -> None:
        self._port, self._path, self._player = port, path, player
        self._etag = b""
        #: When it showed what was new.
        self.shown: list[float] = []

    async def begin(self) -> None:
        """Load the page, and listen."""
        self._etag, _ = await _get(self._port, self._path)
        self._reader, writer = await asyncio.open_connection(LOOPBACK, self._port, limit=1 << 22)
        writer.write(b"GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n")
        self._writer = writer

    async def follow(self) -> None:
        """Ask again for the page when somebody has played whom it shows."""
        kind, played = b"", False
        async for line in self._reader:
            if line.startswith(b"event: "):
                kind = line[7:].strip()
            elif line.startswith(b"data: ") and kind == b"match":
                played = played or f'"{self._player}"'.encode() in line
            elif line.startswith(b"data: ") and kind == b"ratings":
                revision = json.loads(line[6:])["revision"]
                if played or not self._player:
                    await asyncio.sleep(0.4 * random.random())  # as live.js does
                    await self._again(revision)
                played = False

    async def _again(self, revision: int) -> None:
        for _ in range(8):
            self._etag, there = await _get(self._port, self._path, self._etag)
            if there >= revision:
                self.shown.append(time.perf_counter())
                return
            await asyncio.sleep(0.3)


async def _get(port: int, path: str, etag: bytes = b"") -> tuple[bytes, int]:
    """Return the hash of a page and the revision it is of, waiting while pages are being made."""
    while True:
        reader, writer = await asyncio.open_connection(LOOPBACK, port)
        had = b"If-None-Match: %b\r\n" % etag if etag else b""
        writer.write(b"GET %b HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\nConnection: close\r\n%b\r\n" % (
            path.encode(), had))  # fmt: skip
        head, _, _ = (await reader.read()).partition(b"\r\n\r\n")
        writer.close()
        if not head.startswith(b"HTTP/1.1 503"):
            break
        await asyncio.sleep(1.0)
    if head.split()[1] not in (b"200", b"304"):
        msg = f"{path} was refused: {head!r}"
        raise RuntimeError(msg)
    fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
    return fields[b"etag"], int(fields[b"x-revision"])


async def _report(port: int, match: Match) -> None:
    """Report a result to the service."""
    contest = match.contests[0]
    body = {
        "id": match.id, "game": RULESET.game, "game_type": RULESET.game_type, "at": contest.at,
        "teams": [[who for who, _ in team] for team in contest.teams], "scores": list(contest.scores),
    }  # fmt: skip
    content = json.dumps(body).encode()
    reader, writer = await asyncio.open_connection(LOOPBACK, port)
    writer.write(
        b"POST /v1/results HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n"
        b"Authorization: Bearer %b\r\nContent-Length: %d\r\n\r\n%b" % (TOKEN.encode(), len(content), content)
    )
    said = await reader.read()
    writer.close()
    if not said.startswith(b"HTTP/1.1 20"):
        msg = f"a result was refused: {said!r}"
        raise RuntimeError(msg)


def all_used(server: Server) -> float:
    """Return the processor time of a server and its workers."""
    used = 0.0
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = path.read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
            if server.process.pid in (int(path.parent.name), int(fields[1])):
                used += (int(fields[11]) + int(fields[12])) / TICKS
    return used


def measure(folder: Path | None) -> dict[str, Any]:
    """Return all results; the archive to which results come is kept where a folder is named."""
    with tempfile.TemporaryDirectory() as name:
        return {
            "one_more": one_more(folder or Path(name), ARCHIVE, REGULARS),
            "large": one_by_one(PLAYERS, MATCHES), "export": exported(EXPORTED),
        }  # fmt: skip


def _one_more(more: dict[str, Any]) -> list[str]:
    """Return what one result more takes, as lines of the page."""
    opened = more["open"]
    share = opened["idle"] + opened["a_result"] / 60.0
    made = (
        f"In an archive of {more['matches']} matches of {more['players']} players, of {more['pages']} pages, "
        f"after going through all matches once in {more['made']:.0f} s:"
    )
    folder = (
        f"- `equipoise pages --out` after one result takes {more['seconds']:.2f} s of the processor "
        f"({more['waited']:.2f} s by the clock, {more['imports']:.2f} s of it only to load libraries), and "
        f"writes {more['changed']:.0f} pages: medians of {ROUNDS}."
    )
    shown = (
        f"- {opened['pages']} pages are open, four in ten lists that each result changes. "
        f"A result shows on all that show it (some {opened['asked']:.0f}) after {opened['median']:.2f} s in "
        f"the median and {opened['p99']:.2f} s at the 99th percentile."
    )
    cost = (
        f"- They cost the server {opened['idle']:.3f} of a core while nothing happens and "
        f"{opened['a_result']:.2f} s for each result: {share:.3f} of a core at one result a minute."
    )
    load = f"When this ran, {more['load']:.1f} processes wanted the machine, which has {more['cores']} cores."
    return ["## One result more", "", made, "", folder, shown, cost, "", load, ""]


def report(results: dict[str, Any]) -> str:
    """Return the page."""
    large, export = results["large"], results["export"]
    rows = [
        f"| {name} | {1000 * page['seconds']:.0f} | {page['bytes'] / 1000:.0f} |"
        for name, page in large["pages"].items()
    ]
    outside = export["outside"] + sum(page["outside"] for page in large["pages"].values())
    many = f"{large['players']} players and {large['matches']} matches"
    written = f"{export['players']} players and {export['matches']} matches"
    size = export["largest"] / 1000
    lines = [
        "# Pages of large archives",
        "",
        "Written by `python -m benchmarks pages`; matches are drawn from a seed, times are of the processor.",
        "",
        f"There are {many}; one player is in {MATCHES} of them.",
        f"Going through them takes {large['made']:.0f} s, once for each change.",
        "",
        "| page | ms | kB |",
        "|---|--:|--:|",
        *rows,
        "",
        f"A static export of {written} takes {export['seconds']:.0f} s.",
        f"It has {export['pages']} pages, the largest of {size:.0f} kB.",
        f"{outside} pages name a host outside.",
        "",
        *(_one_more(results["one_more"]) if "one_more" in results else ()),
    ]
    return "\n".join(lines)


def main() -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, help="where the archive of 100,000 matches is kept or made")
    parser.add_argument("--prepare", action="store_true", help="only make that archive, which takes minutes")
    reporting.add_modes(parser)
    given = parser.parse_args()
    if given.prepare:
        print(prepared(given.folder, ARCHIVE, REGULARS))
        return 0
    results = RAW / "pages.json"
    return reporting.keep(given, results, PAGES / "PAGES.md", lambda: measure(given.folder), report)
