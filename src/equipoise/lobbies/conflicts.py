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

from equipoise.lobbies.layout import feasible, most_teams
from equipoise.lobbies.plan import Demand
from equipoise.lobbies.wishes import Wishes

Item = TypeVar("Item")

#: Names of a party that are spelled out.
SPELLED = 6


class _Demand(NamedTuple):
    """A demand by places: ``party`` (its number), ``bar`` (its number) or ``least`` (the lobby)."""

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


def plain_conflict(wishes: Wishes) -> tuple[Demand, ...]:
    """Return a contradiction that needs no search, empty where there is none.

    A party larger than a team, or a player or party that may be in no lobby.
    """
    for party in wishes.parties:
        if len(party) > wishes.team_size:
            return (
                Demand(
                    f"{_who(wishes, party)} ({len(party)} players) stay together",
                    f"let them play apart, or raise the team size to {len(party)}",
                ),
                Demand(
                    f"a team has at most {wishes.team_size} players",
                    f"raise the team size to {len(party)}",
                ),
            )
    barred: dict[int, set[int]] = {}
    for place, lobby in wishes.bars:
        barred.setdefault(place, set()).add(lobby)
    everywhere = set(range(len(wishes.lobbies)))
    for place, where in barred.items():
        if where == everywhere:
            return tuple(_bar(wishes, place, lobby) for lobby in sorted(where))
    for number, party in enumerate(wishes.parties):
        bars = [(place, lobby) for place in party for lobby in sorted(barred.get(place, ()))]
        if {lobby for _, lobby in bars} == everywhere:
            bars = irreducible(bars, lambda some: {lobby for _, lobby in some} == everywhere)
            return (_party(wishes, number), *(_bar(wishes, *bar) for bar in bars))
    return ()


def conflict(wishes: Wishes) -> tuple[Demand, ...]:
    """Return an irreducible set of the rules that contradict; there must be a contradiction."""
    plain = plain_conflict(wishes)
    if plain:
        return plain
    left = _contradicting(wishes)
    return tuple(_spelled(wishes, demand, left) for demand in reversed(left))


def advice(wishes: Wishes) -> str:
    """Return what to relax so that nothing contradicts, in words; empty where nothing does."""
    steps: list[tuple[str, Wishes]] = []
    while True:
        step = _relaxed(steps[-1][1] if steps else wishes)
        if step is None:
            break
        steps.append(step)
    texts = [text for text, _ in steps]
    if len(texts) == 1:
        # Whoever relaxes one demand only may as well find the players that it lacks.
        short = sum(lobby.min_teams for lobby in wishes.lobbies) * wishes.min_size - len(wishes.skill)
        texts[0] += f", or find {short} more players" if short > 0 else ""
    return ", and ".join(texts)


def _relaxed(wishes: Wishes) -> tuple[str, Wishes] | None:
    """Return one relaxation of what contradicts, in words and carried out; None where nothing does.

    A lobby's minimum comes first, then a bar, then a party.
    """
    large = next((n for n, party in enumerate(wishes.parties) if len(party) > wishes.team_size), None)
    nowhere = _nowhere(wishes)
    if large is not None:
        demand = _Demand("party", large)
    elif nowhere:
        demand = _Demand("bar", wishes.bars.index(nowhere[-1]))
    elif _feasible(wishes):
        return None
    else:
        left = _contradicting(wishes)
        demand = next(one for kind in ("least", "bar", "party") for one in left if one.kind == kind)
    if demand.kind == "party":
        parties = tuple(party for n, party in enumerate(wishes.parties) if n != demand.place)
        return _party(wishes, demand.place).relax, replace(wishes, parties=parties)
    if demand.kind == "bar":
        bar = wishes.bars[demand.place]
        bars = tuple(other for other in wishes.bars if other != bar)
        return _bar(wishes, *bar).relax, replace(wishes, bars=bars)
    most = _most(wishes, demand, left)
    lobbies = tuple(
        replace(lobby, min_teams=most) if n == demand.place else lobby
        for n, lobby in enumerate(wishes.lobbies)
    )
    return _lowered(wishes, demand, most), replace(wishes, lobbies=lobbies)


def _nowhere(wishes: Wishes) -> list[tuple[int, int]]:
    """Return the bars by which a player or party may be in no lobby; empty where all may be somewhere."""
    together = {place: party for party in wishes.parties for place in party}
    barred: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for bar in wishes.bars:
        barred.setdefault(together.get(bar[0], (bar[0],)), []).append(bar)
    return next(
        (bars for bars in barred.values() if len({lobby for _, lobby in bars}) == len(wishes.lobbies)), []
    )


def _contradicting(wishes: Wishes) -> list[_Demand]:
    """Return an irreducible set of rules that contradict."""
    demands = [
        *(_Demand("bar", place) for place in range(len(wishes.bars))),
        *(_Demand("party", place) for place in range(len(wishes.parties))),
        *(_Demand("least", place) for place, lobby in enumerate(wishes.lobbies) if lobby.min_teams),
    ]
    return irreducible(demands, lambda some: not _feasible(_only(wishes, some)))


def _only(wishes: Wishes, demands: Sequence[_Demand]) -> Wishes:
    """Return the same with no other rules."""
    kept = set(demands)
    return replace(
        wishes,
        parties=tuple(p for n, p in enumerate(wishes.parties) if _Demand("party", n) in kept),
        bars=tuple(b for n, b in enumerate(wishes.bars) if _Demand("bar", n) in kept),
        lobbies=tuple(
            lobby if _Demand("least", n) in kept else replace(lobby, min_teams=0)
            for n, lobby in enumerate(wishes.lobbies)
        ),
    )


def _feasible(wishes: Wishes) -> bool:
    problem, _ = wishes.problem(np.zeros(len(wishes.lobbies)), absolute=False, per_player=False)
    return feasible(problem)


def _spelled(wishes: Wishes, demand: _Demand, left: Sequence[_Demand]) -> Demand:
    if demand.kind == "party":
        return _party(wishes, demand.place)
    if demand.kind == "bar":
        return _bar(wishes, *wishes.bars[demand.place])
    lobby = wishes.lobbies[demand.place]
    relax = _lowered(wishes, demand, _most(wishes, demand, left))
    what = f"{lobby.name!r} gets at least {lobby.min_teams} teams of {_team(wishes)}"
    short = sum(wishes.lobbies[one.place].min_teams for one in left if one.kind == "least") * wishes.min_size
    short -= len(wishes.skill)
    if short > 0:
        what += f", and there are only {len(wishes.skill)} players"
        relax += f", or find {short} more players"
    return Demand(what, relax)


def _most(wishes: Wishes, demand: _Demand, left: Sequence[_Demand]) -> int:
    """Return the largest minimum of a lobby that the other rules leave it."""
    others = [other for other in left if other != demand]
    problem, _ = _only(wishes, others).problem(
        np.zeros(len(wishes.lobbies)), absolute=False, per_player=False
    )
    return min(most_teams(problem, demand.place) or 0, wishes.lobbies[demand.place].min_teams - 1)


def _lowered(wishes: Wishes, demand: _Demand, most: int) -> str:
    return f"lower the minimum of {wishes.lobbies[demand.place].name!r} to {most}"


def _team(wishes: Wishes) -> str:
    low, high = wishes.min_size, wishes.team_size
    return f"{high}" if low == high else f"{low} to {high}"


def _who(wishes: Wishes, places: Sequence[int]) -> str:
    names = [repr(wishes.roster.players[place].label) for place in places[:SPELLED]]
    more = len(places) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")


def _party(wishes: Wishes, number: int) -> Demand:
    who = _who(wishes, wishes.parties[number])
    return Demand(f"{who} stay together", f"let {who} play apart")


def _bar(wishes: Wishes, place: int, lobby: int) -> Demand:
    who, where = repr(wishes.roster.players[place].label), repr(wishes.lobbies[lobby].name)
    return Demand(f"{who} may not be in {where}", f"let {who} into {where}")
