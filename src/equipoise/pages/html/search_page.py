"""Search: players by a part of a name; a service looks itself, in a folder of files a script does."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any

from equipoise.pages.html.site import PageKind, Site

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


def _found(site: Site, wanted: str) -> Iterator[dict[str, Any]]:
    folded, many = wanted.strip().casefold(), 0
    for name, where, games, mine in site.people:
        if folded in name.casefold():
            yield {"name": name, "slug": where, "games": games, "points": mine}
            many += 1
            if many == MOST:
                return


KIND = PageKind("search", keys, render)
