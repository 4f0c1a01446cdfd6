"""Games as cards: who was in each team, the score, how even it was before, and what it changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.core.match import Contest, Match
from equipoise.pages.html.site import Site, date
from equipoise.pages.html.small_pictures import numbers, shape, team_name, whole
from equipoise.ratings.point_changes import points
from equipoise.ratings.timeline import team_of, won_by

#: Names of a team and teams of a game that a card has.
NAMES, TEAMS = 12, 4

#: A change of points worth a word.
MOVED = 5


def change_of(site: Site, row: int) -> int:
    """Return by how many points a rating moved in an appearance."""
    columns = site.chronicle.columns
    return points(float(columns["weight"][row])) - points(float(columns["before"][row]))


def changes(site: Site, place: int) -> dict[str, int]:
    """Return by how many points everyone's rating moved in the ruleset of a match."""
    chronicle = site.chronicle
    columns, ruleset = chronicle.columns, chronicle.columns["match_ruleset"][place]
    return {
        chronicle.players[columns["player"][row]]: change_of(site, row)
        for row in chronicle.rows_in(place)
        if columns["ruleset"][row] == ruleset
    }


def cards(site: Site, places: Sequence[int], player: str = "") -> list[dict[str, Any]]:
    """Return games as cards, of one player's point of view where one is given."""
    found = site.chronicle.matches(places)
    return [_card(site, place, match, player) for place, match in zip(places, found, strict=True)]


def names_in(site: Site, place: int, match: Match) -> Mapping[str, str]:
    """Return what everyone in a match was called then."""
    shown = dict(match.names)
    return {
        who: shown.get(who) or site.chronicle.name_of(who, place)
        for contest in match.contests for team in contest.teams for who, _ in team
    }  # fmt: skip


def _card(site: Site, place: int, match: Match, player: str) -> dict[str, Any]:
    """Return a game: its last contest, which has the final teams."""
    contest, chances = match.contests[-1], site.chronicle.chances(place)[-1]
    own = team_of(player, contest) if player else -1
    moved = changes(site, place)
    order = list(range(len(contest.teams)))
    if len(order) > 2:
        order.sort(key=lambda n: (n != own, contest.ranks[n]))
    names = names_in(site, place, match)
    teams = [_team(site, contest, n, names, player) for n in order[:TEAMS]]
    return {
        "place": place, "match": match, "teams": teams, "more": len(order) - len(teams),
        "score": score_words(contest), "result": _result(contest, own, site.t),
        "won": won_by(contest, own) if own >= 0 else None, "change": moved.get(player) if player else None,
        "when": date(match.ended, match.dated), "words": _words(site, chances, own),
        "most": None if player else _most(moved, names),
    }  # fmt: skip


def _team(site: Site, contest: Contest, team: int, names: Mapping[str, str], player: str) -> dict[str, Any]:
    members = [who for who, _ in contest.teams[team]]
    shown = members[:NAMES]
    if player in members and player not in shown:
        shown[-1] = player
    return {
        "name": team_name(site.t, team), "shape": shape(team), "won": won_by(contest, team) == 1.0,
        "members": [(who, names[who], who == player) for who in shown], "more": len(members) - len(shown),
    }  # fmt: skip


def score_words(contest: Contest) -> str:
    """Return the score of two teams, or of the first and the last of more; the ranks where there is none."""
    given = [f"{score:g}" for score in contest.scores] or [f"{rank:g}" for rank in contest.ranks]
    if len(given) > 2:
        return ""
    return "\u00a0:\u00a0".join(given) if contest.scores else ""


def _result(contest: Contest, own: int, t: Mapping[str, str]) -> str:
    if own < 0:
        return ""
    won = won_by(contest, own)
    return t["won"] if won == 1.0 else t["shared"] if won else t["lost"]


def _words(site: Site, chances: Sequence[float], own: int) -> str:
    if own >= 0:
        return site.t["had"].format(chance=whole(chances)[own])
    return numbers(site.t, chances)


def _most(moved: Mapping[str, int], names: Mapping[str, str]) -> tuple[str, int] | None:
    """Return whose points moved most, where that is worth a word."""
    people = {who: change for who, change in moved.items() if who in names}
    if not people:
        return None
    who = max(people, key=lambda each: (abs(people[each]), each))
    return (names[who], people[who]) if abs(people[who]) >= MOVED else None
