"""Leaderboards: everyone of a ruleset with their weights, in parts, to search and as CSV."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from equipoise.core.match import Ruleset
from equipoise.core.rulesets import ruleset_text
from equipoise.pages.html.site import PageKind, Site, date, slug, table_csv

#: Rows of a page: some 100 kB.
ROWS = 200


def keys(site: Site) -> Iterator[str]:
    """Go through the index, and the parts and the CSV of each ruleset."""
    yield "index"
    for ruleset, rows in site.chronicle.tables.items():
        name = slug(ruleset_text(ruleset))
        yield from (_part(name, part) for part in range(-(-len(rows) // ROWS)))
        yield f"{name}.csv"


def render(site: Site, key: str, query: Mapping[str, str]) -> str | None:
    """Return the index, a part of a table, or a table as CSV."""
    root = "../"
    if key == "index":
        return site.render("leaderboard.html", root, site.t["leaderboard"], ruleset=None, here="leaderboard")
    name, _, number = key.removesuffix(".csv").partition("_")
    ruleset = site.ruleset_slugs.get(name)
    if ruleset is None or not (number or "1").isascii() or not (number or "1").isdecimal() or len(number) > 6:
        return None
    if key.endswith(".csv"):
        return _csv(site, ruleset)
    return _table(site, ruleset, name, int(number or "1") - 1, query)


def _table(site: Site, ruleset: Ruleset, name: str, part: int, query: Mapping[str, str]) -> str | None:
    table = site.chronicle.tables[ruleset]
    wanted, least = query.get("q", "").casefold(), query.get("games", "1")
    fewest = int(least[:9]) if least.isascii() and least.isdecimal() else 1
    filtered = bool(wanted) or fewest > 1
    places: Sequence[int] = range(len(table))
    if filtered:
        places = [n for n, row in enumerate(table) if wanted in row.name.casefold() and row.games >= fewest]
    parts = max(-(-len(places) // ROWS), 1)
    if not 0 <= part < parts:
        return None
    near = sorted({0, parts - 1, *range(max(part - 5, 0), min(part + 6, parts))})
    links = [] if filtered else [(str(n + 1), f"{_part(name, n)}.html", n == part) for n in near]
    return site.render(
        "leaderboard.html", "../", ruleset_text(ruleset), ruleset=ruleset, here="leaderboard", query=query,
        rows=[(n + 1, table[n]) for n in places[part * ROWS : (part + 1) * ROWS]], count=len(table),
        links=links,
        csv=f"{name}.csv",
    )  # fmt: skip


def _part(name: str, part: int) -> str:
    return name if part == 0 else f"{name}_{part + 1}"


def _csv(site: Site, ruleset: Ruleset) -> str:
    rows = (
        (rank, row.id, row.name, *(round(number, 2) for number in (row.weight, row.low, row.high)), row.games,
         date(row.last))
        for rank, row in enumerate(site.chronicle.tables[ruleset], start=1)
    )  # fmt: skip
    return table_csv(("rank", "id", "name", "weight", "low", "high", "games", "last"), rows)


KIND = PageKind("leaderboard", keys, render)
