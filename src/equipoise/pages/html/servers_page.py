"""Servers: what is played on each, when and where; where a log tells no server, by game."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from equipoise.core.rulesets import ruleset_text
from equipoise.pages.html.graphs import columns_graph
from equipoise.pages.html.site import PageKind, Site, day
from equipoise.ratings.timeline import WEEK

#: Servers, rulesets and maps that are shown, and the weeks of a graph.
SERVERS, ROWS, WEEKS = 20, 20, 104


def keys(site: Site) -> Iterator[str]:
    """There is one page."""
    del site
    return iter(["index"])


def render(site: Site, key: str, query: Mapping[str, str]) -> str | None:
    """Return the page."""
    del query
    if key != "index":
        return None
    chronicle = site.chronicle
    columns, texts = chronicle.columns, chronicle.texts
    games = [ruleset.game for ruleset in chronicle.listed_rulesets]
    listed = sorted(set(games))
    game = np.array([listed.index(each) for each in games], dtype=int)[columns["match_ruleset"]]
    known = np.array([bool(each) for each in texts["servers"]], dtype=bool)[columns["match_server"]]
    group = np.where(known, columns["match_server"] + len(listed), game)
    numbers, first, counts = np.unique(group, return_index=True, return_counts=True)
    order = np.lexsort((first, -counts)).tolist()
    servers = []
    for number in numbers[order[:SERVERS]].tolist():
        of_server = number >= len(listed)
        name = texts["servers"][number - len(listed)] if of_server else listed[number]
        servers.append(_server(site, name, of_server, np.flatnonzero(group == number)))
    return site.render(
        "servers.html",
        "../",
        site.t["servers"],
        servers=servers,
        more=len(numbers) - len(servers),
        here="servers",
        sessions=site.sessions(),
    )


def _server(site: Site, name: str, known: bool, places: Any) -> dict[str, Any]:
    chronicle = site.chronicle
    columns = chronicle.columns
    ended = columns["ended"][places]
    first = max(float(ended.min()), float(ended.max()) - WEEKS * WEEK)
    weeks = np.bincount(((ended[ended >= first] - first) // WEEK).astype(int)).tolist()
    labels = [day(first + week * WEEK) for week in range(len(weeks))]
    here = np.zeros(len(chronicle), dtype=bool)
    here[places] = True
    return {
        "name": name, "known": known, "matches": len(places), "last": float(ended.max()),
        "players": int(np.count_nonzero(np.bincount(columns["player"][here[columns["match"]]]))),
        # One week is no course of events.
        "graph": columns_graph(weeks, labels, site.t["graph_activity"].format(most=max(weeks)))
        if len(weeks) > 1 else None,
        "rulesets": _most(columns["match_ruleset"][places], [*map(ruleset_text, chronicle.listed_rulesets)]),
        "maps": _most(columns["match_map"][places], chronicle.texts["maps"]),
    }  # fmt: skip


def _most(which: Any, names: Any) -> list[tuple[str, int]]:
    """Return what there was most of, and how often."""
    counts = np.bincount(which, minlength=len(names))
    return [
        (names[n], int(counts[n])) for n in np.argsort(-counts, kind="stable")[:ROWS].tolist() if counts[n]
    ]


KIND = PageKind("servers", keys, render)
