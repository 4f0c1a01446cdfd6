"""Matches: teams as they were divided, how even it was, what happened, and what it changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from equipoise.core.match import Contest, Match
from equipoise.core.player import is_bot
from equipoise.pages.html.game_cards import cards, change_of, names_in, score_words
from equipoise.pages.html.site import PageKind, Site, date, percent, slug
from equipoise.pages.html.small_pictures import level, numbers, shape, team_name, whole
from equipoise.pages.text.point_changes import ordinal
from equipoise.ratings.timeline import won_by

#: Games of a page of the list, and line-ups and players of one match that are shown.
ROWS, MOST_GROUPS, MOST_PLAYERS = 50, 12, 400

#: A match below this many seconds is shown in seconds.
SHORT = 100

#: Chances this near to even make no favourite.
OPEN = 0.05

#: Statistics that a table may have, in the order of its columns.
STATISTICS = ("kills", "deaths", "score")

Judged = tuple[Contest, Sequence[float]]


def keys(site: Site) -> Iterator[str]:
    """Go through the parts of the list and the matches."""
    yield "index"
    yield from (f"index_{part + 1}" for part in range(len(site.chronicle) // ROWS))
    yield from (slug(match) for match in site.chronicle.texts["ids"])


def render(site: Site, key: str, query: Mapping[str, str]) -> str | None:
    """Return the newest matches, a part of the list, which the next ones leave as it is, or a match."""
    del query
    if key == "index":
        return _newest(site)
    if key.startswith("index_"):
        return _list(site, key.removeprefix("index_"))
    place = site.match_slugs.get(key)
    return None if place is None else _match(site, place)


def _newest(site: Site) -> str:
    count = len(site.chronicle)
    places = range(count - 1, max(count - 1 - ROWS, -1), -1)
    full = count // ROWS
    older = full if count > ROWS else 0
    return _listed(site, places, [("older", older), ("oldest", 1)] if older else [])


def _list(site: Site, number: str) -> str | None:
    full = len(site.chronicle) // ROWS
    if not (number.isascii() and number.isdecimal() and len(number) < 7 and 1 <= int(number) <= full):
        return None
    part = int(number)
    ways = [("newest", 0), ("newer", part + 1 if part < full else 0)]
    if part > 1:
        ways += [("older", part - 1), ("oldest", 1)]
    return _listed(site, range(part * ROWS - 1, (part - 1) * ROWS - 1, -1), ways)


def _listed(site: Site, places: Sequence[int], ways: Sequence[tuple[str, int]]) -> str:
    links = [(site.t[name], f"index_{part}.html" if part else "index.html", False) for name, part in ways]
    return site.render(
        "match.html", "../", site.t["match"], match=None, games=cards(site, places), links=links, here="match"
    )


def _match(site: Site, place: int) -> str:
    (match,), chances = site.chronicle.matches([place]), site.chronicle.chances(place)
    names = names_in(site, place, match)
    groups: dict[tuple[frozenset[str], ...], list[Judged]] = {}
    for contest, predicted in zip(match.contests, chances, strict=True):
        line_up = tuple(frozenset(who for who, _ in team) for team in contest.teams)
        groups.setdefault(line_up, []).append((contest, predicted))
    shown, room = list(groups.values())[-MOST_GROUPS:], MOST_PLAYERS
    moved, placed = _moved(site, place), _placed(site, place)
    parts = []
    for group in shown:
        parts.append(_group(site, moved, placed, group, room, last=group is shown[-1]))
        room = max(room - sum(map(len, group[0][0].teams)), 0)
    playing = {who for contest in match.contests for team in contest.teams for who, _ in team}
    watching = [who for who in match.roster if who not in playing and not is_bot(who)][:50]
    there = {who: site.chronicle.name_of(who, place) for who in watching}
    seconds = (match.ended or 0.0) - (match.began or 0.0)
    length = ("seconds", seconds) if seconds < SHORT else ("minutes", seconds / 60.0)
    return site.render(
        "match.html", "../", _title(site, match, names), match=match, parts=parts, watching=watching,
        here="match", more=len(groups) - len(shown),
        names={**there, **dict(match.names), **names}, news="match",
        whys=[(who, why) for who, (_, why) in moved.items() if why],
        lasted=site.t[length[0]].format(count=round(length[1])), when=date(match.ended, match.dated),
    )  # fmt: skip


def _title(site: Site, match: Match, names: Mapping[str, str]) -> str:
    """Return who won."""
    contest = match.contests[-1]
    winners = [n for n in range(len(contest.teams)) if won_by(contest, n) == 1.0]
    if not winners:
        return site.t["a_draw"]
    team = contest.teams[winners[0]]
    alone = len(team) == 1
    return site.t["who_won"].format(team=names[team[0][0]] if alone else team_name(site.t, winners[0]))


def _moved(site: Site, place: int) -> dict[str, tuple[int, str]]:
    """Return by how many points everyone's rating moved, and by what."""
    chronicle = site.chronicle
    columns, ruleset = chronicle.columns, chronicle.columns["match_ruleset"][place]
    found = {}
    for row in chronicle.rows_in(place):
        if columns["ruleset"][row] != ruleset:
            continue
        moves = {name: 10.0 * part for name, part in chronicle.why(row).items() if abs(part) > 0.004}
        words = ", ".join(f"{site.t[f'channel_{name}']} {part:+.1f}" for name, part in moves.items())
        found[chronicle.players[columns["player"][row]]] = change_of(site, row), words
    return found


def _placed(site: Site, place: int) -> dict[str, str]:
    """Return everyone's place after a match, and by how much it changed, in words."""
    return {
        who: site.t["placed_up" if up > 0 else "placed_down" if up else "placed"].format(
            ordinal=ordinal(now), place=now, count=abs(up)
        )
        for who, (now, up) in site.chronicle.places(place).items()
    }


def _group(
    site: Site, moved: Mapping[str, tuple[int, str]], placed: Mapping[str, str], group: Sequence[Judged],
    room: int, *, last: bool,
) -> dict[str, Any]:  # fmt: skip
    """Return what is shown of contests in which the same people were together."""
    contest, alone = group[-1][0], len(group) == 1
    figures = _figures(group)
    columns = [name for name in STATISTICS if any(name in each for each in figures.values())]
    best = {
        name: max(each[name] for each in figures.values() if name in each)
        for name in columns if name != "deaths"
    }  # fmt: skip
    teams = []
    chances = [sum(predicted[n] for _, predicted in group) / len(group) for n in range(len(contest.teams))]
    for n, team in enumerate(contest.teams):
        members = []
        for who, share in team[: max(room // len(contest.teams), 1)]:
            mine = figures.get(who, {})
            cells = [
                None if name not in mine else (f"{mine[name]:g}", 0.0 < mine[name] == best.get(name))
                for name in columns
            ]
            members.append({"id": who, "share": share, "left": who in contest.left, "cells": cells,
                            "change": moved[who][0] if last and who in moved else None,
                            "placed": placed.get(who) if last else None})  # fmt: skip
        won = sum(won_by(each, n) for each, _ in group)
        teams.append({"members": members, "chance": whole(chances)[n], "won": won, "shape": shape(n),
                      "name": team_name(site.t, n), "team": n % 4 + 1,
                      "score": f"{contest.scores[n]:g}" if alone and contest.scores else None})  # fmt: skip
    return {"teams": teams, "count": len(group), "words": _words(site, group), "columns": columns,
            "level": level(site.t, chances), "verdict": numbers(site.t, chances),
            "score": score_words(contest) if len(group) == 1 else _rounds(teams)}  # fmt: skip


def _rounds(teams: Sequence[Mapping[str, Any]]) -> str:
    return "\u00a0:\u00a0".join(f"{team['won']:g}" for team in teams) if len(teams) == 2 else ""


def _figures(group: Sequence[Judged]) -> dict[str, dict[str, float]]:
    """Return what is known of everyone's kills, deaths and score, added up over some contests."""
    found: dict[str, dict[str, float]] = {}
    for contest, _ in group:
        for each in contest.statistics:
            mine = found.setdefault(each.player, {})
            for name in STATISTICS:
                number = getattr(each, name)
                if number is not None:
                    mine[name] = mine.get(name, 0.0) + number
    return found


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
