"""Search: players by a part of a name, from every page; a service looks, in a folder of files a script does."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any

import numpy as np

from equipoise.pages.html.site import PageKind, Site, shown, slug
from equipoise.ratings.point_changes import points

#: Players that are found at most.
MOST = 50

#: The scripts of a folder of files: what looks, and everybody's name, page, games and points.
SCRIPT, PEOPLE = "search.js", "people.js"


def keys(site: Site) -> Iterator[str]:
    """Go through the page and, where no service looks, its scripts."""
    yield "index"
    if not site.live:
        yield from (SCRIPT, PEOPLE)


def render(site: Site, key: str, query: Mapping[str, str]) -> str | None:
    """Return the page or a script."""
    if key == SCRIPT and not site.live:
        return files(__package__).joinpath(SCRIPT).read_text(encoding="utf-8")
    if key == PEOPLE and not site.live:
        people = json.dumps(site.people, separators=(",", ":")).replace("<", "\\u003c")
        return f"self.people={people};\n"
    if key != "index":
        return None
    wanted = query.get("q", "")[:100]
    found = list(_found(site, wanted)) if site.live and wanted.strip() else []
    return site.render(
        "search.html", "../", site.t["search_title"], here="search", wanted=wanted, found=found, most=MOST,
        news="",
    )  # fmt: skip


def everybody(site: Site) -> Iterator[tuple[str, str, int, int]]:
    """Go through all players, those of most games first: name, page, games, and points where they play most."""
    chronicle = site.chronicle
    player, ruleset = chronicle.columns["player"], chronicle.columns["ruleset"]
    many = len(chronicle.rulesets) or 1
    pairs, newest, games = np.unique(
        (player.astype(np.int64) * many + ruleset)[::-1], return_index=True, return_counts=True
    )
    weight = chronicle.columns["weight"][len(player) - 1 - newest]
    total = np.bincount(pairs // many, games, len(chronicle.players)).astype(int)
    best: dict[int, tuple[int, float]] = {}
    for who, count, each in zip((pairs // many).tolist(), games.tolist(), weight.tolist(), strict=True):
        if who not in best or count > best[who][0]:
            best[who] = count, each
    for who in np.argsort(-total, kind="stable").tolist():
        name = chronicle.players[who]
        yield shown(chronicle.name_of(name)), slug(name), int(total[who]), points(best[who][1])


def _found(site: Site, wanted: str) -> Iterator[dict[str, Any]]:
    folded, many = wanted.strip().casefold(), 0
    for name, where, games, mine in site.people:
        if folded in name.casefold():
            yield {"name": name, "slug": where, "games": games, "points": mine}
            many += 1
            if many == MOST:
                return


KIND = PageKind("search", keys, render)
