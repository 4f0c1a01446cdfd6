"""Divisions changed by hand, and judged: swaps and moves by name, and why somebody is where they are.

What a division is worth without changes is explained in ``explaining``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from equipoise.errors import InputError
from equipoise.players import Player, Rating
from equipoise.stopping import never
from equipoise.teams.explaining.asking import Request, answer
from equipoise.teams.explaining.explaining import Instead, instead
from equipoise.teams.explaining.judging import Cost, Moved, Valuation
from equipoise.teams.explaining.relaxing import Constraint, priced_wishes
from equipoise.teams.problem.rules import rows_of
from equipoise.teams.solution import Solution, Split, weight


@dataclass(frozen=True, slots=True)
class Swap:
    """Two players, by id or name, who exchange their teams."""

    one: str
    other: str


@dataclass(frozen=True, slots=True)
class Move:
    """A player, by id or name, who goes to a team, from 0."""

    player: str
    team: int


@dataclass(frozen=True, slots=True)
class Change:
    """A division before and after changes by hand.

    Parameters
    ----------
    before, after : Valuation
        The division in numbers.
    moved : tuple of Moved
        Who is in another team afterwards.
    cost : Cost
        What the changes make worse.
    behind : Cost
        What the division is worse afterwards than the best that keeps all rules.
    broken : tuple of Constraint
        What must be kept and is then broken; of ``"sizes"``, ``allowed`` is by how many players teams may
        differ, and of ``"role"``, ``team`` is one that lacks it.
    split : Split
        The division afterwards.
    """

    before: Valuation
    after: Valuation
    moved: tuple[Moved, ...]
    cost: Cost
    behind: Cost
    broken: tuple[Constraint, ...]
    split: Split

    def as_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers, as ``equipoise balance --edit --json`` prints them."""
        plain = {name: asdict(getattr(self, name)) for name in ("cost", "behind")}
        return {
            "before": self.before.as_dict(),
            "after": self.after.as_dict(),
            "moved": [asdict(moved) for moved in self.moved],
            **plain,
            "broken": [asdict(rule) for rule in self.broken],
        }


@dataclass(frozen=True, slots=True)
class Place:
    """Why a player is in a team.

    Parameters
    ----------
    player : str
        The player, by name.
    team : int
        The team, from 0.
    fixed : bool
        Whether a wish binds the player to it.
    party : tuple of str
        Those who stay with the player, by name.
    wishes : tuple of Constraint
        The player's wishes that have a price.
    relative_to : str
        Where the teams are interchangeable, the strongest other player, who is taken to stay: then it
        counts with whom one is, not in which team.  Empty where they are not.
    elsewhere : tuple of Instead
        What it would mean to be in another team, one for each that makes a difference.
    exchange : Change or None
        The best swap with one player of another team that breaks no rule, None where all do.
    partner : str
        With whom; empty where there is none.
    """

    player: str
    team: int
    fixed: bool
    party: tuple[str, ...]
    wishes: tuple[Constraint, ...]
    relative_to: str
    elsewhere: tuple[Instead, ...]
    exchange: Change | None
    partner: str

    def as_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers, as ``equipoise balance --why A --json`` prints them."""
        plain = asdict(replace(self, exchange=None))
        return {**plain, "exchange": None if self.exchange is None else self.exchange.as_dict()}


def edit(
    players: Iterable[Player] | Mapping[str, float | Rating | None],
    steps: Iterable[Swap | Move],
    *,
    solution: Solution | None = None,
    split: Split | None = None,
    **settings: Any,
) -> Change:
    """Change a division by hand, and say what it costs and which rules it breaks.

    Parameters
    ----------
    players : iterable of Player, or mapping from name to weight
        Who is here, as for :func:`equipoise.balance`.
    steps : iterable of Swap or Move
        What is changed, in this order; only the result need keep the rules.
    solution : Solution, optional
        What ``balance`` returned for the same arguments; asked for unless given.
    split : Split, optional
        The division to change; by default the best.
    **settings
        The other arguments of ``balance``.

    Raises
    ------
    InputError
        As ``balance``, if a name or team does not exist, or if there is no division to change.

    Examples
    --------
    >>> roster = {"Ann": 9, "Bob": 8, "Cid": 4, "Dan": 3}
    >>> change = edit(roster, [Swap("Ann", "Bob")], objective="gap")
    >>> [team.players for team in change.after.teams], change.cost.value
    ([('Bob', 'Dan'), ('Ann', 'Cid')], 2.0)
    """
    request, solution = answer(players, solution, settings)
    return _changed(request, solution, _start(solution, split), tuple(steps))


def why_there(
    players: Iterable[Player] | Mapping[str, float | Rating | None],
    who: str,
    *,
    solution: Solution | None = None,
    split: Split | None = None,
    **settings: Any,
) -> Place:
    """Say why a player is in a team: what binds the player, and what being elsewhere costs.

    Parameters
    ----------
    players, solution, split, **settings
        As for :func:`edit`.
    who : str
        The player, by id or name.

    Raises
    ------
    InputError
        As :func:`edit`.

    Examples
    --------
    >>> place = why_there({"Ann": 9, "Bob": 8, "Cid": 4, "Dan": 3}, "Dan", objective="gap")
    >>> place.relative_to, place.elsewhere[0].best.cost.value, place.partner, place.exchange.cost.value
    ('Ann', 2.0, 'Cid', 2.0)
    """
    request, solution = answer(players, solution, settings)
    start = _start(solution, split)
    place = request.place("why", who)
    teams = request.teams_of(start)
    home = teams[place]
    bound = _bound(request, place)
    anchor = _anchor(request, bound) if request.interchangeable else None
    asked = request if anchor is None else replace(request, fixed=((anchor, teams[anchor]),))
    others = [team for team in range(request.n_teams) if team != home]
    if anchor is not None:
        others = others[:1] if teams[anchor] == home else [teams[anchor]]
    exchange, partner = _best_swap(request, solution, start, place)
    return Place(
        player=request.label(place),
        team=home,
        fixed=any(one in bound for one, _ in request.fixed),
        party=tuple(request.label(one) for one in sorted(bound) if one != place),
        wishes=_wishes(request, place),
        relative_to="" if anchor is None else request.label(anchor),
        elsewhere=tuple(_elsewhere(asked, start, place, team) for team in others),
        exchange=exchange,
        partner=partner,
    )


def why_together(
    players: Iterable[Player] | Mapping[str, float | Rating | None],
    one: str,
    other: str,
    *,
    solution: Solution | None = None,
    split: Split | None = None,
    **settings: Any,
) -> Instead:
    """Say why two players are in one team: what it costs to keep them apart.

    Parameters
    ----------
    players, solution, split, **settings
        As for :func:`edit`.
    one, other : str
        The players, by id or name.

    Raises
    ------
    InputError
        As :func:`edit`, and if the two are one.

    Examples
    --------
    >>> roster = {"Ann": 9, "Bob": 8, "Cid": 4, "Dan": 3}
    >>> why_together(roster, "Ann", "Dan", objective="gap").best.cost.value
    2.0
    """
    request, solution = answer(players, solution, settings)
    start = _start(solution, split)
    pair = request.place("why", one), request.place("why", other)
    if pair[0] == pair[1]:
        msg = f"why: {one!r} and {other!r} are the same player; two are needed"
        raise InputError(msg)
    wish = Constraint("apart", (request.label(pair[0]), request.label(pair[1])))
    return _instead(replace(request, apart=(*request.apart, pair)), wish, start)


def _start(solution: Solution, split: Split | None) -> Split:
    if not solution.splits:
        msg = f"players: there is no division to look at: {solution.reason}"
        raise InputError(msg)
    return solution.best if split is None else split


def _changed(request: Request, solution: Solution, start: Split, steps: Sequence[Swap | Move]) -> Change:
    teams = request.teams_of(start)
    for step in steps:
        if isinstance(step, Swap):
            one, other = request.place("edit", step.one), request.place("edit", step.other)
            teams[one], teams[other] = teams[other], teams[one]
        elif 0 <= step.team < request.n_teams:
            teams[request.place("edit", step.player)] = step.team
        else:
            msg = f"edit: there is no team {step.team + 1}; there are teams 1 to {request.n_teams}"
            raise InputError(msg)
    after = request.judge(teams)
    return Change(
        before=request.value(start, solution),
        after=request.value(after, solution),
        moved=request.moves(start, after),
        cost=request.cost(after, start),
        behind=request.cost(after, solution.best),
        broken=_broken(request, teams, after),
        split=after,
    )


def _broken(request: Request, teams: Sequence[int], split: Split) -> tuple[Constraint, ...]:
    """Return what must be kept and is broken by a division."""

    def named(places: Sequence[int]) -> tuple[str, ...]:
        return tuple(request.label(place) for place in places)

    broken = [Constraint("party", named(p)) for p in request.parties if len({teams[one] for one in p}) > 1]
    broken += [Constraint("apart", named(pair)) for pair in request.apart if teams[pair[0]] == teams[pair[1]]]
    broken += [
        Constraint("fixed", named([one]), team=team) for one, team in request.fixed if teams[one] != team
    ]
    broken += [
        Constraint("role", name=role, number=request.needed[role], team=team)
        for role, team in _lacking(request, split)
    ]
    counts = [teams.count(team) for team in range(request.n_teams)]
    labels, everyone = np.array([teams], dtype=np.int8), range(len(teams))
    for rule in request.rules:
        rows = rows_of([rule], request.n_teams, everyone, len(teams), request.place)
        if rows is not None and rows.excess(labels)[0] > 0.0:
            broken.append(Constraint("rule", name=rule.name))
    if not request.holds(counts):
        broken.append(Constraint("sizes", allowed=request.largest_difference))
    return tuple(broken)


def _lacking(request: Request, split: Split) -> list[tuple[str, int]]:
    """Return the roles that are not filled, and in which team; bots take what is left."""
    lacking: list[tuple[str, int]] = []
    for team, (played, bots) in enumerate(zip(split.roles, split.bots, strict=False)):
        missing = {role: number - played.count(role) for role, number in request.needed.items()}
        if sum(missing.values()) > bots:
            lacking += [(role, team) for role, number in missing.items() if number > 0]
    return lacking


def _wishes(request: Request, place: int) -> tuple[Constraint, ...]:
    """Return the wishes with a price that a player is part of."""
    found = [wish.constraint for wish in priced_wishes(request)]
    return tuple(wish for wish in found if request.label(place) in wish.players)


def _bound(request: Request, place: int) -> set[int]:
    """Return the places of those who stay with a player, directly or not, the player included."""
    bound = {place}
    for _ in request.parties:
        for party in request.parties:
            if bound.intersection(party):
                bound.update(party)
    return bound


def _anchor(request: Request, bound: set[int]) -> int | None:
    """Return the strongest player who is not bound to one; the first among equals, None if there is none."""
    others = [place for place in range(len(request.roster.players)) if place not in bound]
    return max(others, key=lambda place: (weight(request.roster.players[place]), -place), default=None)


def _elsewhere(request: Request, start: Split, place: int, team: int) -> Instead:
    """Return the best division with a player in a team, the wish for another one given up."""
    bound = _bound(request, place)
    fixed = tuple(wish for wish in request.fixed if wish[0] not in bound)
    wish = Constraint("fixed", (request.label(place),), team=team)
    return _instead(replace(request, fixed=(*fixed, (place, team))), wish, start)


def _instead(request: Request, wish: Constraint, start: Split) -> Instead:
    return instead(request, wish, start, request.settings.get("stop", never))


def _best_swap(request: Request, solution: Solution, start: Split, place: int) -> tuple[Change | None, str]:
    """Return the swap of a player with one of another team that costs least and breaks no rule."""
    teams = request.teams_of(start)
    best: tuple[tuple[float, float], int] | None = None
    for other in range(len(teams)):
        swapped = list(teams)
        swapped[place], swapped[other] = swapped[other], swapped[place]
        if teams[other] == teams[place]:
            continue
        after = request.judge(swapped)
        if _broken(request, swapped, after):
            continue
        cost = request.cost(after, start)
        key = (cost.win_probability + cost.wishes, cost.value)
        if best is None or key < best[0]:
            best = key, other
    if best is None:
        return None, ""
    players = request.roster.players
    step = Swap(players[place].id, players[best[1]].id)
    return _changed(request, solution, start, (step,)), request.label(best[1])
