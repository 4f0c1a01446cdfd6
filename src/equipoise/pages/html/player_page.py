"""Players: the weight over time with its interval, results and form, company, names and maps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from equipoise.core.match import Match, Members, Ruleset
from equipoise.pages.html.graphs import band_graph
from equipoise.pages.html.site import PageKind, Site, date, percent, slug
from equipoise.ratings.timeline import won_by

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
    of = _by_ruleset(games)
    rulesets = [_ruleset(site, player, one, of[one]) for one in chronicle.rulesets_of[player][:RULESETS]]
    names = list(dict.fromkeys(name for game in reversed(games[-2000:])
                               for who, name in game.match.names if who == player))  # fmt: skip
    return site.render(
        "player.html", "../", chronicle.name_of(player), id=player, names=names[:NAMES], rulesets=rulesets,
        games=[_row(site, player, game) for game in reversed(games[-GAMES:])], here="player",
        mates=company.most(0, player), opponents=company.most(1), maps=company.most(2),
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

    def most(self, what: int, player: str = "") -> list[tuple[str, int, float]]:
        """Return those there were most games with, how many, and the part of them that was won."""
        played, won, shared = Counter(self.played[what]), Counter(self.won[what]), self.shared[what]
        del played[player]
        return [
            (name, count, (won[name] + shared.get(name, 0.0)) / count)
            for name, count in played.most_common(ROWS)
        ]


def _outcome(site: Site, place: int, player: str, company: _Company) -> _Game:
    """Return what a match was for a player, and count its last contest's company."""
    match, chances = site.chronicle.matches[place], site.chronicle.chances[place]
    won = expected = last = 0.0
    count, own, teams = 0, 0, match.contests[0].teams
    for contest, predicted in zip(match.contests, chances, strict=True):
        here = _team_of(player, contest.teams)
        if here < 0:
            continue
        own, teams, last = here, contest.teams, won_by(contest, here)
        won, expected, count = won + last, expected + predicted[here], count + 1
    for n, team in enumerate(teams):
        company.add(int(n != own), [who for who, _ in team], last)
    company.add(2, (match.map,), won / count)
    return _Game(place, match, won / count, expected / count)


def _team_of(player: str, teams: Sequence[Members]) -> int:
    """Return the team that a player is in, -1 for none."""
    for n, team in enumerate(teams):
        for who, _ in team:
            if who == player:
                return n
    return -1


def _by_ruleset(games: Sequence[_Game]) -> dict[Ruleset, list[_Game]]:
    """Return the games of each ruleset; a match may have several."""
    of: dict[Ruleset, list[_Game]] = {}
    for game in games:
        contests = game.match.contests
        for ruleset in (game.match.ruleset,) if len(contests) == 1 else {one.ruleset for one in contests}:
            of.setdefault(ruleset, []).append(game)
    return of


def _ruleset(site: Site, player: str, ruleset: Ruleset, own: Sequence[_Game]) -> dict[str, Any]:
    points = site.chronicle.points(player, ruleset)
    title = site.t["graph_player"].format(
        first=date(points[0].at)[:10], last=date(points[-1].at)[:10], weight=f"{points[-1].weight:.1f}"
    )
    form = "".join("●" if game.won > 0.5 else "◐" if game.won == 0.5 else "○" for game in own[-FORM:])
    aloud = site.t["form_aloud"].format(won=form.count("●"), count=len(form))
    won = sum(game.won for game in own) / len(own)
    expected = sum(game.expected for game in own) / len(own)
    return {"ruleset": ruleset, "last": points[-1], "games": len(own), "form": form, "aloud": aloud,
            "won": won, "expected": expected, "graph": band_graph(points, title)}  # fmt: skip


def _row(site: Site, player: str, game: _Game) -> dict[str, Any]:
    """Return a recent game with the weight after it, and why it moved."""
    after = site.chronicle.point_at(player, game.match.ruleset, game.place)
    how = "won" if game.won > 0.5 else "lost" if game.won < 0.5 else "shared"
    moves = site.chronicle.why(player, game.match.ruleset, game.place)
    why = ""
    if moves:
        key = {"won": "why_up", "lost": "why_down", "shared": "why_same"}[how]
        parts = [
            f"{site.t[f'channel_{name}']} {part:+.2f}" for name, part in moves.items() if abs(part) > 0.004
        ]
        change = f"{sum(moves.values()):+.2f}"
        why = site.t[key].format(chance=percent(game.expected), change=change)
        why += f" ({', '.join(parts)})" if len(parts) > 1 else ""
    return {**game._asdict(), "result": site.t[how], "why": why,
            "weight": None if after is None else after.weight}  # fmt: skip


KIND = PageKind("player", keys, render)
