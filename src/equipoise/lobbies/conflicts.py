"""Why lobbies cannot be filled: an irreducible set of rules that contradict, and what to relax.

References
----------
J. W. Chinneck, "Feasibility and infeasibility in optimization", 2008, chapter 6: the deletion filter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

import numpy as np

from equipoise.lobbies.asked import LobbyRequest
from equipoise.lobbies.layout import feasible, most_teams
from equipoise.lobbies.plan import LobbyRule

Item = TypeVar("Item")

#: Names of a party that are spelled out.
SPELLED = 6


class _Rule(NamedTuple):
    """A rule by places: ``party`` (its number), ``bar`` (its number) or ``least`` (the lobby)."""

    kind: str
    place: int


def irreducible(items: Sequence[Item], contradict: Callable[[Sequence[Item]], bool]) -> list[Item]:
    """Return items that contradict, none of which can be left out.

    Parameters
    ----------
    items : sequence
        Items that contradict; the earlier ones are left out where there is a choice.
    contradict : callable
        Whether some of them contradict; more never contradict less.

    Examples
    --------
    >>> irreducible([1, 2, 3, 4, 5], lambda some: sum(some) >= 9)
    [4, 5]
    """
    needed: list[Item] = []
    rest = list(items)
    chunk = max(len(rest) // 2, 1)
    while rest:
        chunk = min(chunk, len(rest))
        if contradict([*needed, *rest[chunk:]]):
            rest = rest[chunk:]
            chunk *= 2
        elif chunk == 1:
            needed.append(rest.pop(0))
        else:
            chunk //= 2
    return needed


def plain_conflict(asked: LobbyRequest) -> tuple[LobbyRule, ...]:
    """Return a contradiction that needs no search, empty where there is none.

    A party larger than a team, or a player or party that may be in no lobby.
    """
    for party in asked.parties:
        if len(party) > asked.team_size:
            return (
                LobbyRule(
                    f"{_who(asked, party)} ({len(party)} players) stay together",
                    f"let them play apart, or raise the team size to {len(party)}",
                ),
                LobbyRule(
                    f"a team has at most {asked.team_size} players",
                    f"raise the team size to {len(party)}",
                ),
            )
    barred: dict[int, set[int]] = {}
    for place, lobby in asked.bars:
        barred.setdefault(place, set()).add(lobby)
    everywhere = set(range(len(asked.lobbies)))
    for place, where in barred.items():
        if where == everywhere:
            return tuple(_bar(asked, place, lobby) for lobby in sorted(where))
    for number, party in enumerate(asked.parties):
        bars = [(place, lobby) for place in party for lobby in sorted(barred.get(place, ()))]
        if {lobby for _, lobby in bars} == everywhere:
            bars = irreducible(bars, lambda some: {lobby for _, lobby in some} == everywhere)
            return (_party(asked, number), *(_bar(asked, *bar) for bar in bars))
    return ()


def conflict(asked: LobbyRequest) -> tuple[LobbyRule, ...]:
    """Return an irreducible set of the rules that contradict; there must be a contradiction."""
    plain = plain_conflict(asked)
    if plain:
        return plain
    left = _contradicting(asked)
    return tuple(_spelled(asked, rule, left) for rule in reversed(left))


def advice(asked: LobbyRequest) -> str:
    """Return what to relax so that nothing contradicts, in words; empty where nothing does."""
    steps: list[tuple[str, LobbyRequest]] = []
    while True:
        step = _relaxed(steps[-1][1] if steps else asked)
        if step is None:
            break
        steps.append(step)
    texts = [text for text, _ in steps]
    if len(texts) == 1:
        # Whoever relaxes one rule only may as well find the players that it lacks.
        short = sum(lobby.min_teams for lobby in asked.lobbies) * asked.min_size - len(asked.skill)
        texts[0] += f", or find {short} more players" if short > 0 else ""
    return ", and ".join(texts)


def _relaxed(asked: LobbyRequest) -> tuple[str, LobbyRequest] | None:
    """Return one relaxation of what contradicts, in words and carried out; None where nothing does.

    A lobby's minimum comes first, then a bar, then a party.
    """
    large = next((n for n, party in enumerate(asked.parties) if len(party) > asked.team_size), None)
    nowhere = _nowhere(asked)
    if large is not None:
        rule = _Rule("party", large)
    elif nowhere:
        rule = _Rule("bar", asked.bars.index(nowhere[-1]))
    elif _feasible(asked):
        return None
    else:
        left = _contradicting(asked)
        rule = next(one for kind in ("least", "bar", "party") for one in left if one.kind == kind)
    if rule.kind == "party":
        parties = tuple(party for n, party in enumerate(asked.parties) if n != rule.place)
        return _party(asked, rule.place).relax, replace(asked, parties=parties)
    if rule.kind == "bar":
        bar = asked.bars[rule.place]
        bars = tuple(other for other in asked.bars if other != bar)
        return _bar(asked, *bar).relax, replace(asked, bars=bars)
    most = _most(asked, rule, left)
    lobbies = tuple(
        replace(lobby, min_teams=most) if n == rule.place else lobby for n, lobby in enumerate(asked.lobbies)
    )
    return _lowered(asked, rule, most), replace(asked, lobbies=lobbies)


def _nowhere(asked: LobbyRequest) -> list[tuple[int, int]]:
    """Return the bars by which a player or party may be in no lobby; empty where all may be somewhere."""
    together = {place: party for party in asked.parties for place in party}
    barred: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for bar in asked.bars:
        barred.setdefault(together.get(bar[0], (bar[0],)), []).append(bar)
    return next(
        (bars for bars in barred.values() if len({lobby for _, lobby in bars}) == len(asked.lobbies)), []
    )


def _contradicting(asked: LobbyRequest) -> list[_Rule]:
    """Return an irreducible set of rules that contradict."""
    rules = [
        *(_Rule("bar", place) for place in range(len(asked.bars))),
        *(_Rule("party", place) for place in range(len(asked.parties))),
        *(_Rule("least", place) for place, lobby in enumerate(asked.lobbies) if lobby.min_teams),
    ]
    return irreducible(rules, lambda some: not _feasible(_only(asked, some)))


def _only(asked: LobbyRequest, rules: Sequence[_Rule]) -> LobbyRequest:
    """Return asked with no other rules."""
    kept = set(rules)
    return replace(
        asked,
        parties=tuple(p for n, p in enumerate(asked.parties) if _Rule("party", n) in kept),
        bars=tuple(b for n, b in enumerate(asked.bars) if _Rule("bar", n) in kept),
        lobbies=tuple(
            lobby if _Rule("least", n) in kept else replace(lobby, min_teams=0)
            for n, lobby in enumerate(asked.lobbies)
        ),
    )


def _feasible(asked: LobbyRequest) -> bool:
    problem = asked.problem(np.zeros(len(asked.lobbies)), absolute=False, per_player=False)
    return feasible(problem)


def _spelled(asked: LobbyRequest, rule: _Rule, left: Sequence[_Rule]) -> LobbyRule:
    if rule.kind == "party":
        return _party(asked, rule.place)
    if rule.kind == "bar":
        return _bar(asked, *asked.bars[rule.place])
    lobby = asked.lobbies[rule.place]
    relax = _lowered(asked, rule, _most(asked, rule, left))
    what = f"{lobby.name!r} gets at least {lobby.min_teams} teams of {_team(asked)}"
    short = sum(asked.lobbies[one.place].min_teams for one in left if one.kind == "least") * asked.min_size
    short -= len(asked.skill)
    if short > 0:
        what += f", and there are only {len(asked.skill)} players"
        relax += f", or find {short} more players"
    return LobbyRule(what, relax)


def _most(asked: LobbyRequest, rule: _Rule, left: Sequence[_Rule]) -> int:
    """Return the largest minimum of a lobby that the other rules leave it."""
    others = [other for other in left if other != rule]
    problem = _only(asked, others).problem(np.zeros(len(asked.lobbies)), absolute=False, per_player=False)
    return min(most_teams(problem, rule.place) or 0, asked.lobbies[rule.place].min_teams - 1)


def _lowered(asked: LobbyRequest, rule: _Rule, most: int) -> str:
    return f"lower the minimum of {asked.lobbies[rule.place].name!r} to {most}"


def _team(asked: LobbyRequest) -> str:
    low, high = asked.min_size, asked.team_size
    return f"{high}" if low == high else f"{low} to {high}"


def _who(asked: LobbyRequest, places: Sequence[int]) -> str:
    names = [repr(asked.roster.players[place].label) for place in places[:SPELLED]]
    more = len(places) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")


def _party(asked: LobbyRequest, number: int) -> LobbyRule:
    who = _who(asked, asked.parties[number])
    return LobbyRule(f"{who} stay together", f"let {who} play apart")


def _bar(asked: LobbyRequest, place: int, lobby: int) -> LobbyRule:
    who, where = repr(asked.roster.players[place].label), repr(asked.lobbies[lobby].name)
    return LobbyRule(f"{who} may not be in {where}", f"let {who} into {where}")
