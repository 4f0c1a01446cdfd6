"""Leaderboards: everyone of a ruleset with their points, in parts, to search and as CSV.

Who has played few games has no rank and stands apart: those of them who played last on the first part, all in
the CSV.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from equipoise.core.match import Ruleset
from equipoise.core.rulesets import ruleset_text
from equipoise.pages.html.site import PageKind, Site, date, slug, table_csv
from equipoise.ratings.timeline import PROVISIONAL, ChronicleMember

#: Rows of a page, newcomers on the first one, and games in a sparkline.
ROWS, NEWCOMERS, COURSE = 100, 50, 20

#: Rulesets that can be chosen between on each table.
RULESETS = 12


def keys(site: Site) -> Iterator[str]:
    """Go through the index, and the parts and the CSV of each ruleset."""
    yield "index"
    for ruleset in site.chronicle.rulesets:
        name = slug(ruleset_text(ruleset))
        yield from (_part(name, part) for part in range(parts_of(site, ruleset)))
        yield f"{name}.csv"


def parts_of(site: Site, ruleset: Ruleset) -> int:
    """Return how many parts a table has."""
    ranked = site.chronicle.standings(site.chronicle.rulesets[ruleset]).ranked
    return max(-(-ranked // ROWS), 1)


def render(site: Site, key: str, query: Mapping[str, str]) -> str | None:
    """Return the index, a part of a table, or a table as CSV."""
    if key == "index":
        listed = [
            (ruleset, len(site.chronicle.standings(number).players))
            for ruleset, number in site.chronicle.rulesets.items()
        ]
        return site.render(
            "leaderboard.html", "../", site.t["leaderboard"], ruleset=None, here="leaderboard", listed=listed
        )
    name, _, number = key.removesuffix(".csv").partition("_")
    ruleset = site.ruleset_slugs.get(name)
    if ruleset is None or not (number or "1").isascii() or not (number or "1").isdecimal() or len(number) > 6:
        return None
    if key.endswith(".csv"):
        return _csv(site, ruleset)
    return _table(site, ruleset, name, int(number or "1") - 1, query)


def _table(site: Site, ruleset: Ruleset, name: str, part: int, query: Mapping[str, str]) -> str | None:
    chronicle, parts = site.chronicle, parts_of(site, ruleset)
    if not 0 <= part < parts:
        return None
    known = chronicle.standings(chronicle.rulesets[ruleset])
    wanted, least = query.get("q", "").casefold(), query.get("games", "1")
    fewest = int(least[:9]) if least.isascii() and least.isdecimal() else 1
    filtered = bool(wanted) or fewest > 1
    if filtered:
        every = chronicle.table(ruleset)
        rows = [row for row in every if wanted in row.name.casefold() and row.games >= fewest][:ROWS]
        newcomers: Sequence[ChronicleMember] = [row for row in rows if not row.rank]
        rows = [row for row in rows if row.rank]
    else:
        rows = chronicle.table(ruleset, part * ROWS, min((part + 1) * ROWS, known.ranked))
        newcomers = newest(site, ruleset) if part == 0 else ()
    near = sorted({0, parts - 1, *range(max(part - 3, 0), min(part + 4, parts))})
    links = (
        [] if filtered or parts == 1 else [(str(n + 1), f"{_part(name, n)}.html", n == part) for n in near]
    )
    others = [(each, slug(ruleset_text(each))) for each in list(chronicle.rulesets)[:RULESETS]]
    return site.render(
        "leaderboard.html", "../", f"{site.t['leaderboard']}: {ruleset_text(ruleset)}", ruleset=ruleset,
        here="leaderboard", query=query,
        rows=_with_courses(site, ruleset, rows), newcomers=_with_courses(site, ruleset, newcomers),
        count=len(known.players), ranked=known.ranked, links=links, csv=f"{name}.csv", others=others,
        more=0 if filtered or part else len(known.players) - known.ranked - len(newcomers),
        least=PROVISIONAL, name=name, news=f"ruleset {ruleset_text(ruleset)}",
    )  # fmt: skip


def newest(site: Site, ruleset: Ruleset) -> list[ChronicleMember]:
    """Return the newcomers who played last, the strongest first."""
    chronicle = site.chronicle
    known = chronicle.standings(chronicle.rulesets[ruleset])
    rows = known.rows[known.ranked :]
    if len(rows) <= NEWCOMERS:
        return chronicle.table(ruleset, known.ranked)
    last = rows.argsort(kind="stable")[-NEWCOMERS:]
    last.sort()
    return [chronicle.table(ruleset, known.ranked + at, known.ranked + at + 1)[0] for at in last.tolist()]


def _with_courses(
    site: Site, ruleset: Ruleset, rows: Sequence[ChronicleMember]
) -> list[tuple[ChronicleMember, Any]]:
    return [(row, site.chronicle.course(row.id, ruleset, COURSE)) for row in rows]


def _part(name: str, part: int) -> str:
    return name if part == 0 else f"{name}_{part + 1}"


def _csv(site: Site, ruleset: Ruleset) -> str:
    rows = (
        (row.rank or "", row.id, row.name, *(round(number, 2) for number in (row.weight, row.low, row.high)),
         row.games, date(row.last))
        for row in site.chronicle.table(ruleset)
    )  # fmt: skip
    return table_csv(("rank", "id", "name", "weight", "low", "high", "games", "last"), rows)


KIND = PageKind("leaderboard", keys, render)
