"""Servers: what is played on each, when and where; where a log tells no server, by game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from equipoise.core.match import Match
from equipoise.core.rulesets import ruleset_text
from equipoise.pages.html.graphs import columns_graph
from equipoise.pages.html.site import PageKind, Site, date

#: Servers, rulesets and maps that are shown, and the weeks of a graph.
SERVERS, ROWS, WEEKS = 20, 20, 104
WEEK = 7 * 86400.0


def keys(site: Site) -> Iterator[str]:
    """There is one page."""
    del site
    return iter(["index"])


def render(site: Site, key: str, query: Mapping[str, str]) -> str | None:
    """Return the page."""
    del query
    if key != "index":
        return None
    of: dict[tuple[str, str], list[Match]] = {}
    for match in site.chronicle.matches:
        of.setdefault((match.server, "" if match.server else match.ruleset.game), []).append(match)
    most = sorted(of.items(), key=lambda one: -len(one[1]))[:SERVERS]
    servers = [_server(site, server or game, bool(server), matches) for (server, game), matches in most]
    return site.render(
        "servers.html",
        "../",
        site.t["servers"],
        servers=servers,
        more=len(of) - len(servers),
        here="servers",
        sessions=site.sessions(),
    )


def _server(site: Site, name: str, known: bool, matches: Sequence[Match]) -> dict[str, Any]:
    players = {
        who for match in matches for contest in match.contests for team in contest.teams for who, _ in team
    }
    ended = [match.ended or 0.0 for match in matches]
    first = max(min(ended), max(ended) - WEEKS * WEEK)
    counts = Counter(int((at - first) // WEEK) for at in ended if at >= first)
    weeks = [counts[week] for week in range(max(counts) + 1)]
    labels = [date(first + week * WEEK)[:10] for week in range(len(weeks))]
    return {
        "name": name, "known": known, "matches": len(matches), "players": len(players), "last": max(ended),
        # One week is no course of events.
        "graph": columns_graph(weeks, labels, site.t["graph_activity"].format(most=max(weeks)))
        if len(weeks) > 1 else None,
        "rulesets": Counter(ruleset_text(match.ruleset) for match in matches).most_common(ROWS),
        "maps": Counter(match.map for match in matches).most_common(ROWS),
    }  # fmt: skip


KIND = PageKind("servers", keys, render)
