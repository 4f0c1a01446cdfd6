"""Players: points over time with their range, form, games as cards, together and face to face."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from equipoise.core.match import Ruleset
from equipoise.pages.html.game_cards import cards
from equipoise.pages.html.graphs import band_graph
from equipoise.pages.html.site import PageKind, Site, day, slug
from equipoise.ratings.point_changes import points
from equipoise.ratings.timeline import PROVISIONAL

#: Games that are shown, of them at once, companions, maps, names and rulesets, and results in letters.
GAMES, AT_ONCE, ROWS, NAMES, RULESETS, FORM = 50, 10, 8, 20, 8, 10

#: Games together or against each other from which somebody is listed.
LEAST = 3


def keys(site: Site) -> Iterator[str]:
    """Go through the players."""
    return iter([slug(player) for player in site.chronicle.players])


def render(site: Site, key: str, query: Mapping[str, str]) -> str | None:
    """Return a player's page."""
    del query
    player = site.slugs.get(key)
    if player is None:
        return None
    chronicle = site.chronicle
    rulesets = [_ruleset(site, player, one) for one in chronicle.rulesets_of(player)[:RULESETS]]
    mine = own_rows(site, player)
    places = chronicle.columns["match"][mine[-GAMES:]][::-1].tolist()
    mates, rivals = company(site, mine)
    names = chronicle.aliases(player)
    return site.render(
        "player.html", "../", chronicle.name_of(player), id=player, names=names[:NAMES], rulesets=rulesets,
        games=cards(site, places, player), at_once=AT_ONCE, count=len(mine), here="player",
        since=day(float(chronicle.columns["ended"][chronicle.columns["match"][mine[0]]])), mates=mates,
        rivals=rivals, maps=maps_of(site, mine), news=f"player {player}",
    )  # fmt: skip


def own_rows(site: Site, player: str) -> Any:
    """Return the places of a player's appearances, one for each match: that of its ruleset."""
    columns = site.chronicle.columns
    rows = site.chronicle.rows_of(player)
    of_match = columns["match_ruleset"][columns["match"][rows]]
    own = rows[columns["ruleset"][rows] == of_match]
    if len(np.unique(columns["match"][rows])) == len(own):
        return own
    _, first = np.unique(columns["match"][rows], return_index=True)
    return rows[first]


def company(site: Site, mine: Any) -> tuple[list[Any], list[Any]]:
    """Return with whom a player won how often, and against whom, those of most games first."""
    chronicle = site.chronicle
    columns = chronicle.columns
    matches = columns["match"][mine]
    starts, ends = chronicle.rows_between(matches)
    counts = ends - starts
    of = np.repeat(np.arange(len(mine)), counts)
    rows = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts) + np.repeat(starts, counts)
    alike = columns["ruleset"][rows] == columns["ruleset"][mine][of]
    other = columns["player"][rows] != columns["player"][mine][of]
    same = columns["team"][rows] == columns["team"][mine][of]
    won = columns["last"][mine][of].astype(np.float64)
    theirs = columns["last"][rows].astype(np.float64)
    found = []
    for chosen in (alike & other & same, alike & other & ~same):
        people, where, games = np.unique(
            columns["player"][rows[chosen]], return_inverse=True, return_counts=True
        )
        wins = np.bincount(where, won[chosen], len(people))
        losses = np.bincount(where, theirs[chosen], len(people))
        order = np.lexsort((people, -games))[:ROWS]
        found.append([
            (chronicle.players[people[n]], int(games[n]), float(wins[n]), float(losses[n]))
            for n in order.tolist() if games[n] >= LEAST
        ])  # fmt: skip
    return found[0], found[1]


def maps_of(site: Site, mine: Any) -> list[tuple[str, int, float]]:
    """Return the maps that a player has played most, how often, and the part of games won there."""
    columns = site.chronicle.columns
    which, won = columns["match_map"][columns["match"][mine]], columns["won"][mine].astype(np.float64)
    maps, where, games = np.unique(which, return_inverse=True, return_counts=True)
    wins = np.bincount(where, won, len(maps))
    order = np.argsort(-games, kind="stable")[:ROWS].tolist()
    named = [(site.chronicle.texts["maps"][maps[n]], int(games[n]), float(wins[n])) for n in order]
    return [each for each in named if each[0]]


def _ruleset(site: Site, player: str, ruleset: Ruleset) -> dict[str, Any]:
    chronicle, t = site.chronicle, site.t
    course = chronicle.points(player, ruleset)
    rows = chronicle.rows_of(player)
    number = chronicle.rulesets[ruleset]
    rows = rows[chronicle.columns["ruleset"][rows] == number]
    results, expected = chronicle.columns["won"][rows], chronicle.columns["expected"][rows]
    won, count = float(results.sum()), len(rows)
    last = course[-1]
    title = t["graph_player"].format(
        first=day(course[0].at), last=day(last.at), points=points(last.weight), low=points(last.low),
        high=points(last.high),
    )  # fmt: skip
    usual = abs(won - float(expected.sum())) <= 0.5 * count**0.5
    return {
        "ruleset": ruleset, "last": last, "games": count, "settled": count >= PROVISIONAL,
        "form": [_letter(each) for each in results[-FORM:].tolist()],
        "aloud": t["form_aloud"].format(won=int((results[-FORM:] > 0.5).sum()), count=len(results[-FORM:])),
        "record": t["as_usual" if usual else "record"].format(
            won=f"{round(won, 1):g}", count=count, expected=round(float(expected.sum()))
        ),
        "graph": band_graph(course, title, t["graph_new"]),
    }  # fmt: skip


def _letter(won: float) -> str:
    return "won" if won > 0.5 else "shared" if won == 0.5 else "lost"


KIND = PageKind("player", keys, render)
