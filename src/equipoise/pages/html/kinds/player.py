"""Players: the weight over time with its interval, results and form, company, names and maps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from equipoise.matches import Match
from equipoise.pages.html.graphs import band_graph
from equipoise.pages.html.site import Kind, Site, date, percent, slug
from equipoise.serving.chronicle import won_by

#: Games, companions, maps, names and rulesets that are shown.
GAMES, ROWS, NAMES, RULESETS, FORM = 100, 20, 20, 8, 10


def keys(site: Site) -> Iterator[str]:
    """Go through the players."""
    return iter([slug(player) for player in site.chronicle.of_player])


def render(site: Site, key: str, query: Mapping[str, str]) -> str | None:
    """Return a player's page."""
    del query
    player = site.slugs.get(key)
    if player is None:
        return None
    told = site.chronicle
    games = [_outcome(site, place, player) for place in told.of_player[player]]
    rulesets = [_ruleset(site, player, ruleset, games) for ruleset in told.rulesets_of[player][:RULESETS]]
    mates, opponents = _company(site, player)
    maps = Counter[str](), Counter[str]()
    for game in games:
        maps[0][game["match"].map] += 1
        maps[1][game["match"].map] += game["won"]
    names = list(dict.fromkeys(name for place in reversed(told.of_player[player][-2000:])
                               for who, name in told.matches[place].names if who == player))  # fmt: skip
    recent = [_told(site, player, game) for game in reversed(games[-GAMES:])]
    return site.render(
        "player.html", "../", told.name_of(player), id=player, names=names[:NAMES], rulesets=rulesets,
        games=recent, mates=mates, opponents=opponents, here="player",
        maps=[(name, count, maps[1][name] / count) for name, count in maps[0].most_common(ROWS)],
    )  # fmt: skip


def _outcome(site: Site, place: int, player: str) -> dict[str, Any]:
    """Return what a match was for a player: the part of its contests won, and what was expected of it."""
    match, chances = site.chronicle.matches[place], site.chronicle.chances[place]
    won = expected = played = 0.0
    for contest, predicted in zip(match.contests, chances, strict=True):
        for n, team in enumerate(contest.teams):
            if any(who == player for who, _ in team):
                won, expected, played = won + won_by(contest, n), expected + predicted[n], played + 1
    return {"place": place, "match": match, "won": won / played, "expected": expected / played}


def _ruleset(site: Site, player: str, ruleset: Any, games: Sequence[dict[str, Any]]) -> dict[str, Any]:
    points = site.chronicle.points(player, ruleset)
    own = [game for game in games if any(contest.ruleset == ruleset for contest in game["match"].contests)]
    title = site.t["graph_player"].format(
        first=date(points[0].at)[:10], last=date(points[-1].at)[:10], weight=f"{points[-1].weight:.1f}"
    )
    form = "".join("●" if game["won"] > 0.5 else "◐" if game["won"] == 0.5 else "○" for game in own[-FORM:])
    won, expected = (sum(game[what] for game in own) / len(own) for what in ("won", "expected"))
    return {"ruleset": ruleset, "last": points[-1], "games": len(own), "form": form, "won": won,
            "expected": expected, "graph": band_graph(points, title)}  # fmt: skip


def _told(site: Site, player: str, game: dict[str, Any]) -> dict[str, Any]:
    """Return a recent game with the weight after it, and why it moved."""
    match: Match = game["match"]
    after = site.chronicle.point_at(player, match.ruleset, game["place"])
    why = "won" if game["won"] > 0.5 else "lost" if game["won"] < 0.5 else "shared"
    words = ""
    if site.chronicle.exact and after is not None and after.match == game["place"]:
        key = {"won": "why_up", "lost": "why_down", "shared": "why_same"}[why]
        words = site.t[key].format(
            chance=percent(game["expected"]), change=f"{after.weight - after.before:+.1f}"
        )
    return {**game, "result": site.t[why], "weight": None if after is None else after.weight, "why": words}


def _company(site: Site, player: str) -> tuple[list[tuple[str, int, float]], list[tuple[str, int, float]]]:
    """Return whom a player played with and against most, and how often the player won then."""
    counts, wins = (Counter[str](), Counter[str]()), (Counter[str](), Counter[str]())
    for place in site.chronicle.of_player[player]:
        contest = next(contest for contest in reversed(site.chronicle.matches[place].contests)
                       if any(who == player for team in contest.teams for who, _ in team))  # fmt: skip
        own = next(n for n, team in enumerate(contest.teams) if any(who == player for who, _ in team))
        won = won_by(contest, own)
        for n, team in enumerate(contest.teams):
            side = int(n != own)
            for who, _ in team:
                counts[side][who] += 1
                wins[side][who] += won  # type: ignore[assignment]  # a shared victory counts in parts
    counts[0].pop(player)
    mates, opponents = (
        [(who, count, won[who] / count) for who, count in some.most_common(ROWS)]
        for some, won in zip(counts, wins, strict=True)
    )
    return mates, opponents


KIND = Kind("player", keys, render)
