"""Pages of large archives: how long each takes, how large it is, and what it refers to; writes PAGES.md.

A hundred thousand players, of whom one has played ten thousand matches, as a service would show them; and all
static pages of ten thousand players.  Times are of the processor, on one core.

``python -m benchmarks pages`` measures and writes, ``--report`` writes the page from the last results,
``--check`` says whether the page is stale.
"""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks import reporting
from benchmarks.reporting import PAGES, RAW

from equipoise.core.match import Contest, Match, Ruleset
from equipoise.core.rulesets import ruleset_text
from equipoise.pages.html.site import Site, slug
from equipoise.ratings.models.gaussian_filter.mixture import Mixture
from equipoise.ratings.timeline import chronicle_of

SEED = 20261122

#: Players of the large archive, matches of its most eager one, and players of the one that is exported.
PLAYERS, MATCHES, EXPORTED = 100_000, 10_000, 10_000

#: What a page may take: seconds of server time, and bytes.
SECONDS, BYTES = 0.3, 200_000

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


def site_of(matches: Sequence[Match]) -> tuple[Site, float]:
    """Return the pages of matches, and the seconds that going through them took."""
    began = time.process_time()
    names = {who: name for match in matches for who, name in match.names}
    return Site(chronicle_of(Mixture(), matches, names), live=True), time.process_time() - began


def one_by_one(players: int, eager: int) -> dict[str, Any]:
    """Return what each kind of page takes in a large archive."""
    matches = history(players, eager)
    site, made = site_of(matches)
    table = f"leaderboard/{slug(ruleset_text(RULESET))}"
    asked = {
        "overview": ("index.html", {}),
        "leaderboard": (f"{table}.html", {}),
        "leaderboard, searched": (f"{table}.html", {"q": "77"}),
        "leaderboard, part 400": (f"{table}_400.html", {}),
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
    return {"players": len(site.chronicle.of_player), "matches": len(matches), "made": made, "pages": pages}


def exported(players: int) -> dict[str, Any]:
    """Return what writing all static pages takes."""
    matches = history(players, players // 10)
    site, made = site_of(matches)
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
        "players": len(site.chronicle.of_player), "matches": len(matches), "pages": count, "outside": outside,
        "largest": largest, "seconds": made + time.process_time() - began,
    }  # fmt: skip


def measure() -> dict[str, Any]:
    """Return all results."""
    return {"large": one_by_one(PLAYERS, MATCHES), "export": exported(EXPORTED)}


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
    ]
    return "\n".join(lines)


def main() -> int:
    """Do what the command line says."""
    return reporting.run(__doc__, RAW / "pages.json", PAGES / "PAGES.md", measure, report)
