"""Players: the weight over time with its interval, results and form, company, names and maps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from equipoise.matches import Match, Ruleset
from equipoise.pages.html.graphs import band_graph
from equipoise.pages.html.site import PageKind, Site, date, percent, slug
from equipoise.serving.chronicle import won_by

#: Games, companions, maps, names and rulesets that are shown.
GAMES, ROWS, NAMES, RULESETS, FORM = 50, 20, 20, 8, 10


def keys(site: Site) -> Iterator[str]:
    """Go through the players."""
    return iter([slug(player) for player in site.chronicle.of_player])


def render(site: Site, key: str, query: Mapping[str, str]) -> str | None:
    """Return a player's page."""
    del query
    player = site.slugs.get(key)
    if player is None:
        return None
    chronicle = site.chronicle
    company = _Company()
    games = [_outcome(site, place, player, company) for place in chronicle.of_player[player]]
    rulesets = [
        _ruleset(site, player, ruleset, games) for ruleset in chronicle.rulesets_of[player][:RULESETS]
    ]
    names = list(dict.fromkeys(name for game in reversed(games[-2000:])
                               for who, name in game.match.names if who == player))  # fmt: skip
    return site.render(
        "player.html", "../", chronicle.name_of(player), id=player, names=names[:NAMES], rulesets=rulesets,
        games=[_row(site, player, game) for game in reversed(games[-GAMES:])], here="player",
        mates=company.most(0), opponents=company.most(1), maps=company.most(2),
    )  # fmt: skip


class _Game(NamedTuple):
    """What a match was for a player: the part of its contests won, and what was expected of it."""

    place: int
    match: Match
    won: float
    expected: float


class _Company:
    """With whom, against whom and where a player played, and how much of that was won."""

    def __init__(self) -> None:
        # Lists that are counted once at the end: some thousand counts of ten names each take longer.
        self.played: tuple[list[str], ...] = ([], [], [])
        self.won: tuple[list[str], ...] = ([], [], [])
        self.shared: tuple[dict[str, float], ...] = ({}, {}, {})

    def add(self, what: int, names: Sequence[str], won: float) -> None:
        """Note a game with some names; shared victories are few."""
        self.played[what].extend(names)
        if won == 1.0:
            self.won[what].extend(names)
        elif won:
            for name in names:
                self.shared[what][name] = self.shared[what].get(name, 0.0) + won

    def most(self, what: int) -> list[tuple[str, int, float]]:
        """Return those there were most games with, how many, and the part of them that was won."""
        won, shared = Counter(self.won[what]), self.shared[what]
        return [
            (name, count, (won[name] + shared.get(name, 0.0)) / count)
            for name, count in Counter(self.played[what]).most_common(ROWS)
        ]


def _outcome(site: Site, place: int, player: str, company: _Company) -> _Game:
    """Return what a match was for a player, and count its last contest's company."""
    match, chances = site.chronicle.matches[place], site.chronicle.chances[place]
    won = expected = played = last = 0.0
    sides: tuple[list[str], list[str]] = ([], [])
    for contest, predicted in zip(match.contests, chances, strict=True):
        teams = [[who for who, _ in team] for team in contest.teams]
        own = next((n for n, team in enumerate(teams) if player in team), None)
        if own is None:
            continue
        last = won_by(contest, own)
        won, expected, played = won + last, expected + predicted[own], played + 1.0
        sides = ([who for who in teams[own] if who != player],
                 [who for n, team in enumerate(teams) if n != own for who in team])  # fmt: skip
    company.add(0, sides[0], last)
    company.add(1, sides[1], last)
    company.add(2, [match.map], won / played)
    return _Game(place, match, won / played, expected / played)


def _ruleset(site: Site, player: str, ruleset: Ruleset, games: Sequence[_Game]) -> dict[str, Any]:
    points = site.chronicle.points(player, ruleset)
    own = [game for game in games if any(contest.ruleset == ruleset for contest in game.match.contests)]
    title = site.t["graph_player"].format(
        first=date(points[0].at)[:10], last=date(points[-1].at)[:10], weight=f"{points[-1].weight:.1f}"
    )
    form = "".join("●" if game.won > 0.5 else "◐" if game.won == 0.5 else "○" for game in own[-FORM:])
    won = sum(game.won for game in own) / len(own)
    expected = sum(game.expected for game in own) / len(own)
    return {"ruleset": ruleset, "last": points[-1], "games": len(own), "form": form, "won": won,
            "expected": expected, "graph": band_graph(points, title)}  # fmt: skip


def _row(site: Site, player: str, game: _Game) -> dict[str, Any]:
    """Return a recent game with the weight after it, and why it moved."""
    after = site.chronicle.point_at(player, game.match.ruleset, game.place)
    how = "won" if game.won > 0.5 else "lost" if game.won < 0.5 else "shared"
    why = ""
    if site.chronicle.exact and after is not None and after.match == game.place:
        key = {"won": "why_up", "lost": "why_down", "shared": "why_same"}[how]
        change = f"{after.weight - after.before:+.1f}"
        why = site.t[key].format(chance=percent(game.expected), change=change)
    return {**game._asdict(), "result": site.t[how], "why": why,
            "weight": None if after is None else after.weight}  # fmt: skip


KIND = PageKind("player", keys, render)
