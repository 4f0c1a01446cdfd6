"""The first page: the last games, and the strongest of each ruleset."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from equipoise.pages.html.game_cards import cards
from equipoise.pages.html.site import PageKind, Site

#: Tables, the players of each, and games.
TABLES, FIRST, LATEST = 12, 5, 10


def keys(site: Site) -> Iterator[str]:
    """There is one page."""
    del site
    return iter(["index"])


def render(site: Site, key: str, query: Mapping[str, str]) -> str:
    """Return the page."""
    del key, query
    chronicle = site.chronicle
    tables = [(ruleset, chronicle.table(ruleset, 0, FIRST)) for ruleset in list(chronicle.rulesets)[:TABLES]]
    latest = range(len(chronicle) - 1, max(len(chronicle) - LATEST - 1, -1), -1)
    return site.render(
        "index.html", "", site.t["title"], tables=tables, latest=cards(site, latest), chronicle=chronicle
    )


KIND = PageKind("front", keys, render)
