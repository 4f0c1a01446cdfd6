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
from equipoise.lobbies.plan import LobbyRule
from equipoise.lobbies.problem import LobbyProblem, LobbyRequest

Item = TypeVar("Item")

#: Names of a party that are spelled out.
SPELLED = 6


#: Bars and parties up to which each is a rule of its own; of more, all bars of a lobby are one rule at first.
MOST_SINGLE = 60


class _Rule(NamedTuple):
    """A rule by places: ``party`` (its number), ``bar`` (its number) or ``least`` (the lobby).

    ``bars`` are all of a lobby, and ``parties`` all there are.
    """

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


def plain_conflict(asked: LobbyRequest, *, all_play: bool) -> tuple[LobbyRule, ...]:
    """Return a contradiction that needs no search, empty where there is none.

    A party larger than a team, or, where nobody may wait, a player or party that may be in no lobby.
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
    if not all_play:
        return ()
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


def conflict(asked: LobbyRequest, *, all_play: bool = False) -> tuple[LobbyRule, ...]:
    """Return an irreducible set of the rules that contradict; there must be a contradiction."""
    plain = plain_conflict(asked, all_play=all_play)
    if plain:
        return plain
    left = _contradicting(asked)
    return tuple(_spelled(asked, rule, left) for rule in reversed(left))


def advice(asked: LobbyRequest, *, all_play: bool = False) -> str:
    """Return what to relax so that nothing contradicts, in words; empty where nothing does."""
    texts: list[str] = []
    while (step := _parted(asked) or (_opened(asked) if all_play else None)) is not None:
        texts.append(step[0])
        asked = step[1]
    lowered = _lowered_minimums(asked)
    texts += [_lowered(asked, place, most) for place, most in lowered.items()]
    if len(texts) == len(lowered) == 1:
        # Whoever relaxes one rule only may as well find the players that it lacks.
        short = sum(lobby.min_teams for lobby in asked.lobbies) * asked.min_size - len(asked.skill)
        texts[0] += f", or find {short} more players" if short > 0 else ""
    return ", and ".join(texts)


def _parted(asked: LobbyRequest) -> tuple[str, LobbyRequest] | None:
    """Return what is asked without the first party that is larger than a team; None where none is."""
    large = next((n for n, party in enumerate(asked.parties) if len(party) > asked.team_size), None)
    if large is None:
        return None
    parties = tuple(party for n, party in enumerate(asked.parties) if n != large)
    return _party(asked, large).relax, replace(asked, parties=parties)


def _opened(asked: LobbyRequest) -> tuple[str, LobbyRequest] | None:
    """Return what is asked with one more lobby for somebody who may be in none; None where all may be."""
    nowhere = _nowhere(asked)
    if not nowhere:
        return None
    bar = nowhere[-1]
    return _bar(asked, *bar).relax, replace(asked, bars=tuple(other for other in asked.bars if other != bar))


def _lowered_minimums(asked: LobbyRequest) -> dict[int, int]:
    """Return the minimums to be lowered so that lobbies can be filled, by lobby, and to what.

    The later lobbies keep theirs where there is a choice.
    """
    wanted = [lobby.min_teams for lobby in asked.lobbies]

    def problem(least: list[int]) -> LobbyProblem:
        lobbies = tuple(
            replace(lobby, min_teams=most) for lobby, most in zip(asked.lobbies, least, strict=True)
        )
        return _problem(replace(asked, lobbies=lobbies))

    least = [0] * len(wanted)
    lowered: dict[int, int] = {}
    end = len(wanted)
    while end:
        # The most lobbies before the end that can all have what they want.
        low, high = 0, end + 1
        while high - low > 1:
            half = (low + high) // 2
            trial = [*least[: end - half], *wanted[end - half : end], *least[end:]]
            low, high = (half, high) if feasible(problem(trial)) else (low, half)
        least[end - low : end] = wanted[end - low : end]
        end -= low
        if end:
            end -= 1
            lowered[end] = least[end] = min(most_teams(problem(least), end) or 0, wanted[end] - 1)
    return dict(sorted(lowered.items()))


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
    least = [_Rule("least", place) for place, lobby in enumerate(asked.lobbies) if lobby.min_teams]
    bars = [_Rule("bar", place) for place in range(len(asked.bars))]
    parties = [_Rule("party", place) for place in range(len(asked.parties))]

    def contradict(some: Sequence[_Rule]) -> bool:
        return not feasible(_problem(_only(asked, some)))

    if len(bars) + len(parties) > MOST_SINGLE:
        many = [_Rule("bars", lobby) for lobby in sorted({lobby for _, lobby in asked.bars})]
        left = irreducible([*many, *([_Rule("parties", 0)] if parties else []), *least], contradict)
        bars = [bar for bar in bars if _Rule("bars", asked.bars[bar.place][1]) in left]
        parties = parties if _Rule("parties", 0) in left else []
        if len(bars) + len(parties) > MOST_SINGLE:
            return left
        least = [rule for rule in left if rule.kind == "least"]
    return irreducible([*bars, *parties, *least], contradict)


def _only(asked: LobbyRequest, rules: Sequence[_Rule]) -> LobbyRequest:
    """Return asked with no other rules."""
    kept = set(rules)
    return replace(
        asked,
        parties=tuple(
            party
            for n, party in enumerate(asked.parties)
            if _Rule("party", n) in kept or _Rule("parties", 0) in kept
        ),
        bars=tuple(
            bar
            for n, bar in enumerate(asked.bars)
            if _Rule("bar", n) in kept or _Rule("bars", bar[1]) in kept
        ),
        lobbies=tuple(
            lobby if _Rule("least", n) in kept else replace(lobby, min_teams=0)
            for n, lobby in enumerate(asked.lobbies)
        ),
    )


def _problem(asked: LobbyRequest) -> LobbyProblem:
    return asked.problem(np.zeros(len(asked.lobbies)), absolute=False, per_player=False)


def _spelled(asked: LobbyRequest, rule: _Rule, left: Sequence[_Rule]) -> LobbyRule:
    if rule.kind == "party":
        return _party(asked, rule.place)
    if rule.kind == "bar":
        return _bar(asked, *asked.bars[rule.place])
    if rule.kind == "bars":
        who, where = _barred(asked, rule.place), repr(asked.lobbies[rule.place].name)
        return LobbyRule(f"{who} may not be in {where}", f"let some of them into {where}")
    if rule.kind == "parties":
        return LobbyRule(f"{len(asked.parties)} parties stay together", "let some of them play apart")
    lobby = asked.lobbies[rule.place]
    relax = _lowered(asked, rule.place, _most(asked, rule, left))
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
    problem = _problem(_only(asked, others))
    return min(most_teams(problem, rule.place) or 0, asked.lobbies[rule.place].min_teams - 1)


def _lowered(asked: LobbyRequest, place: int, most: int) -> str:
    return f"lower the minimum of {asked.lobbies[place].name!r} to {most}"


def _team(asked: LobbyRequest) -> str:
    low, high = asked.min_size, asked.team_size
    return f"{high}" if low == high else f"{low} to {high}"


def _who(asked: LobbyRequest, places: Sequence[int]) -> str:
    names = [repr(asked.roster.players[place].label) for place in places[:SPELLED]]
    more = len(places) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")


def _barred(asked: LobbyRequest, lobby: int) -> str:
    return _who(asked, [place for place, other in asked.bars if other == lobby])


def _party(asked: LobbyRequest, number: int) -> LobbyRule:
    who = _who(asked, asked.parties[number])
    return LobbyRule(f"{who} stay together", f"let {who} play apart")


def _bar(asked: LobbyRequest, place: int, lobby: int) -> LobbyRule:
    who, where = repr(asked.roster.players[place].label), repr(asked.lobbies[lobby].name)
    return LobbyRule(f"{who} may not be in {where}", f"let {who} into {where}")
