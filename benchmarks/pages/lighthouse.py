"""Lighthouse on a phone, for every page of a service: performance, accessibility, and what travels.

A service shows an archive of games with kills and deaths, an evening that is going on, and the board.
Lighthouse (npm's package, the Chromium that the tests install) measures each page as on a slow phone: a
processor a quarter as fast, a line of 1.6 Mbit/s with 150 ms there and back.

``python -m benchmarks lighthouse`` measures and writes LIGHTHOUSE.md; ``--runs`` says how often each page is
measured, of which the median is taken.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.pages.browsers import why_no_browser
from benchmarks.reporting import PAGES, RAW, run_many
from benchmarks.service.processes import LOOPBACK, TOKEN, serve

from equipoise.archive.archive import open_archive
from equipoise.core.match import Contest, Match, Ruleset, Statistics
from equipoise.core.rulesets import ruleset_text
from equipoise.pages.html.site import slug
from equipoise.service.tonight import Evenings, Tap, opened_evening

#: The version that is measured with, the bars, and what is measured once more than it should be.
VERSION, ACCESSIBLE, FAST, RUNS = "lighthouse@12", 100, 95, 3

#: Games and people of the archive, and who is in on the evening.
GAMES, PEOPLE = 600, 60
NAMES = ("Amber", "Birch", "Cedar", "Dahlia", "Elm", "Fern", "Gorse", "Hazel", "Iris", "Juniper")

RULESET = Ruleset("game", "tdm")

Row = dict[str, Any]


def games(names: Sequence[str] = ()) -> Iterator[Match]:
    """Go through games of five against five with kills and deaths; the first people have given names."""
    called = {f"p{k}": names[k] if k < len(names) else f"Player {k}" for k in range(PEOPLE)}
    rng = np.random.default_rng(7)
    for n in range(GAMES):
        who = [f"p{k}" for k in rng.choice(PEOPLE, 10, replace=False)]
        scores = (float(rng.integers(20, 60)), float(rng.integers(20, 60)))
        did = tuple(
            Statistics(each, kills=float(rng.integers(0, 30)), deaths=float(rng.integers(0, 30)))
            for each in who
        )
        ranks = tuple(1.0 + (score < max(scores)) for score in scores)
        contest = Contest(
            RULESET, (who[::2], who[1::2]), ranks, at=1.7e9 + 7200.0 * n, scores=scores, statistics=did
        )
        yield Match((contest,), id=f"g{n}", names=[(each, called[each]) for each in who],
                    map=f"map {n % 9}")  # fmt: skip


def made(folder: Path) -> tuple[str, dict[str, str]]:
    """Make the archive; return its address, and the paths of the pages that are measured."""
    url = f"sqlite:///{folder}/games.db"
    with open_archive(url, create=True) as archive:
        archive.record(list(games()))
        archive.update_ratings()
        archive.keep_chronicle(archive.chronicle())
        links = {
            name: opened_evening(archive, name, "Thursday Arena", hours=9.0) for name in ("open", "teams")
        }
    evenings = Evenings(url)
    for name in links:
        evenings.add(name, "\n".join(NAMES))
    step = {"id": "the-only-step", "type": "divide"}
    list(evenings(("take", [Tap("teams", "organiser", "desk", step)])))
    table = slug(ruleset_text(RULESET))
    return url, {
        "first page": "/",
        "leaderboard": f"/leaderboard/{table}.html",
        "games": "/match/index.html",
        "game": f"/match/{slug(f'g{GAMES - 1}')}.html",
        "player": f"/player/{slug('p0')}.html",
        "search": "/search/index.html?q=Player%201",
        "fairness": "/fairness/index.html",
        "servers": "/servers/index.html",
        "board": "/board.html",
        "Tonight, first visit": links["open"].guests_link(""),
        "Tonight, who is in": links["open"].organiser_link(""),
        "Tonight, teams": links["teams"].organiser_link(""),
    }


def measured(program: str, address: str, folder: Path) -> Row:
    """Return what Lighthouse says of a page."""
    out = folder / "report.json"
    flags = "--headless=new --no-sandbox --disable-gpu"
    subprocess.run(
        [program, address, "--quiet", "--output=json", f"--output-path={out}", f"--chrome-flags={flags}",
         "--only-categories=performance,accessibility,best-practices,seo"],
        check=True, env={**os.environ, "CHROME_PATH": shutil.which("chromium") or ""}, capture_output=True,
    )  # fmt: skip
    said = json.loads(out.read_text(encoding="utf-8"))
    audits = said["audits"]
    found = {name: round(100 * (each["score"] or 0)) for name, each in said["categories"].items()}
    times = {
        name: audits[name]["numericValue"]
        for name in ("first-contentful-paint", "largest-contentful-paint", "total-blocking-time",
                     "cumulative-layout-shift", "speed-index", "total-byte-weight", "server-response-time")
    }  # fmt: skip
    lost = [
        (name, each["title"])
        for kind in said["categories"].values()
        for name in (one["id"] for one in kind["auditRefs"] if one["weight"])
        for each in (audits[name],) if each["score"] is not None and each["score"] < 0.9
    ]  # fmt: skip
    requests = len(audits["network-requests"]["details"]["items"])
    return {**found, **times, "requests": requests, "lost": lost}


def measure(runs: int) -> Row:
    """Return what Lighthouse says of every page, the median of some runs."""
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = shutil.which("lighthouse") or str(folder / "node_modules/.bin/lighthouse")
        if not Path(program).exists():
            command = ["npm", "install", "--no-fund", "--no-audit", "--prefix", str(folder), VERSION]
            subprocess.run(command, check=True, capture_output=True)
        url, paths = made(folder)
        pages: dict[str, Row] = {}
        with serve(url, "--http", f"{LOOPBACK}:0", "--http-rate", "1e9", token=TOKEN) as server:
            for path, where in paths.items():
                rows = [
                    measured(program, f"http://{LOOPBACK}:{server.http}{where}", folder) for _ in range(runs)
                ]
                numbers = [each for each in rows[0] if each != "lost"]
                pages[path] = {each: statistics.median(row[each] for row in rows) for each in numbers}
                pages[path]["lost"] = rows[-1]["lost"]
                print(path, pages[path], file=sys.stderr)
    return {"pages": pages, "runs": runs, "load": load, "cores": os.cpu_count()}


def report(results: Row) -> str:
    """Return the page."""
    rows = [
        f"| {name} | {each['performance']:.0f} | {each['accessibility']:.0f} "
        f"| {each['best-practices']:.0f} | "
        f"{each['first-contentful-paint'] / 1000:.1f} | {each['largest-contentful-paint'] / 1000:.1f} | "
        f"{each['total-blocking-time']:.0f} | {each['cumulative-layout-shift']:.3f} | "
        f"{each['total-byte-weight'] / 1000:.0f} | {each['requests']:.0f} |"
        for name, each in results["pages"].items()
    ]
    pages = results["pages"].values()
    least = {name: min(each[name] for each in pages) for name in ("performance", "accessibility")}
    load = f"{results['load']:.1f} processes wanted the machine, which has {results['cores']} cores"
    heads = (
        "page", "performance", "accessibility", "best practices", "first paint, s", "largest paint, s",
        "blocked, ms", "shift", "kB", "requests",
    )  # fmt: skip
    table = "\n".join([f"| {' | '.join(heads)} |", f"|---{'|--:' * (len(heads) - 1)}|", *rows])
    return f"""\
# Pages on a slow phone

Written by `python -m benchmarks lighthouse`: Lighthouse with its phone (a processor a quarter as fast, \
1.6 Mbit/s, 150 ms there and back), pages as `equipoise serve` sends them.

Medians of {results["runs"]}. The archive has {GAMES} games of {PEOPLE} people; the evening has ten.

{table}

The least are {least["performance"]:.0f} (bar {FAST}) and {least["accessibility"]:.0f} (bar {ACCESSIBLE}).

When this ran, {load}.
"""


def main() -> int:
    """Read the arguments and do what they say."""
    if why := why_no_browser() or ("" if shutil.which("npm") else "npm is not installed"):
        print(f"skipped: {why}", file=sys.stderr)
        return 0
    return run_many(__doc__, RAW / "lighthouse.json", PAGES / "LIGHTHOUSE.md", measure, report, runs=RUNS)
