"""Matches: teams as they were divided, what was predicted and what happened, who came and left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from equipoise.core.match import Contest
from equipoise.pages.html.site import PageKind, Site, date, percent, slug
from equipoise.ratings.timeline import won_by

#: Matches in a part of the list, and line-ups and players of one match that are shown.
ROWS, MOST_GROUPS, MOST_PLAYERS = 200, 12, 400

#: A match below this many seconds is shown in seconds.
SHORT = 100

#: Chances this near to even make no favourite.
OPEN = 0.05

Judged = tuple[Contest, Sequence[float]]


def keys(site: Site) -> Iterator[str]:
    """Go through the parts of the list and the matches."""
    yield "index"
    parts = -(-len(site.chronicle.matches) // ROWS)
    yield from (f"index_{part + 1}" for part in range(1, parts))
    yield from (slug(match.id) for match in site.chronicle.matches)


def render(site: Site, key: str, query: Mapping[str, str]) -> str | None:
    """Return a part of the list, the newest first, or a match."""
    del query
    if key == "index" or key.startswith("index_"):
        return _list(site, key.removeprefix("index").removeprefix("_") or "1")
    place = site.match_slugs.get(key)
    return None if place is None else _match(site, place)


def _list(site: Site, number: str) -> str | None:
    count = len(site.chronicle.matches)
    parts = max(-(-count // ROWS), 1)
    if not (number.isascii() and number.isdecimal() and len(number) < 7 and 1 <= int(number) <= parts):
        return None
    part = int(number) - 1
    places = range(count - 1 - part * ROWS, max(count - 1 - (part + 1) * ROWS, -1), -1)
    links = [(str(n + 1), f"index{f'_{n + 1}' if n else ''}.html", n == part) for n in range(parts)]
    near = [link for n, link in enumerate(links) if abs(n - part) <= 5 or n in (0, parts - 1)]
    return site.render(
        "match.html", "../", site.t["match"], match=None, places=places, links=near, here="match"
    )


def _match(site: Site, place: int) -> str:
    match, chances = site.chronicle.matches[place], site.chronicle.chances[place]
    groups: dict[tuple[frozenset[str], ...], list[Judged]] = {}
    for contest, predicted in zip(match.contests, chances, strict=True):
        line_up = tuple(frozenset(who for who, _ in team) for team in contest.teams)
        groups.setdefault(line_up, []).append((contest, predicted))
    shown, room = list(groups.values())[-MOST_GROUPS:], MOST_PLAYERS
    parts = []
    for group in shown:
        parts.append(_group(site, place, group, room))
        room = max(room - sum(map(len, group[0][0].teams)), 0)
    playing = {who for contest in match.contests for team in contest.teams for who, _ in team}
    watching = [who for who in match.roster if who not in playing][:50]
    title = site.t["one_match"].format(date=date(match.ended, match.dated))
    seconds = (match.ended or 0.0) - (match.began or 0.0)
    length = ("seconds", seconds) if seconds < SHORT else ("minutes", seconds / 60.0)
    return site.render("match.html", "../", title, match=match, parts=parts, watching=watching, here="match",
                       more=len(groups) - len(shown),
                       lasted=site.t[length[0]].format(count=round(length[1])))  # fmt: skip


def _group(site: Site, place: int, group: Sequence[Judged], room: int) -> dict[str, Any]:
    """Return what is shown of contests in which the same people were together."""
    chronicle, (last, _) = site.chronicle, group[-1]
    teams = []
    for n, team in enumerate(last.teams):
        members = []
        for who, share in team[: max(room // len(last.teams), 1)]:
            point = chronicle.point_at(who, last.ruleset, place)
            after = point.weight if point and chronicle.exact else None
            members.append({"id": who, "share": share, "left": who in last.left,
                            "before": point and point.before, "after": after})  # fmt: skip
        points = (chronicle.point_at(who, last.ruleset, place) for who, _ in team)
        known = [point.before for point in points if point]
        won = sum(won_by(contest, n) for contest, _ in group)
        chance = sum(chances[n] for _, chances in group) / len(group)
        teams.append({"members": members, "chance": chance, "won": won,
                      "score": last.scores[n] if last.scores and len(group) == 1 else None,
                      "mean": sum(known) / len(known) if known else None})  # fmt: skip
    return {"teams": teams, "count": len(group), "words": _words(site, group)}


def _words(site: Site, group: Sequence[Judged]) -> str:
    """Say whether it went as predicted."""
    if len(group) > 1:
        return site.t["rounds"].format(count=len(group))
    contest, predicted = group[0]
    favourite = max(range(len(predicted)), key=predicted.__getitem__)
    winners = [n for n in range(len(predicted)) if won_by(contest, n) == 1.0]
    if not winners:
        return site.t["drawn"].format(chance=percent(predicted[favourite]))
    chance = predicted[winners[0]]
    if max(predicted) - 1.0 / len(predicted) < OPEN:
        return site.t["open"].format(chance=percent(chance))
    return site.t["as_expected" if chance >= predicted[favourite] else "upset"].format(chance=percent(chance))


KIND = PageKind("match", keys, render)
