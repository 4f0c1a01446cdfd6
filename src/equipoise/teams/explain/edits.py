"""Splits changed by hand, and judged: swaps and moves by name, and why somebody is where they are.

Who may be exchanged for whom (a player, and those who stay with the player, for others) is found here too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from equipoise.core.arrays import Labels
from equipoise.errors import InputError
from equipoise.teams.balance import balance
from equipoise.teams.explain.asked_rules import (
    Constraint,
    Fixed,
    TeamSizes,
    folded,
    labels,
    preferences_in,
    rules_in,
)
from equipoise.teams.explain.explanation import Instead, alternative, instead
from equipoise.teams.explain.valuation import Cost, TeamChanges, Valuation, Yardstick, as_json
from equipoise.teams.request import BalanceRequest
from equipoise.teams.request_fields import Players
from equipoise.teams.solution import Solution, Split, weight

if TYPE_CHECKING:
    from equipoise.core.stopping import Stop
    from equipoise.teams.request_keywords import Keywords

#: Exchanges of a player's party that are looked at, a team; with one player there are as many as others.
MOST_EXCHANGES = 10_000  # effort


@dataclass(frozen=True, slots=True)
class ExchangeSeat:
    """Where a player is: the team, who moves along, who of them is fixed, and the teams to compare with."""

    place: int
    team: int
    block: frozenset[int]
    held: tuple[tuple[str, int], ...]
    anchor: int | None
    others: tuple[int, ...]

    @classmethod
    def of(cls, yardstick: Yardstick, teams: Sequence[int], who: str) -> ExchangeSeat:
        """Return the seat of a player, by id or name."""
        request = yardstick.request
        place = request.roster.find("why", who)
        block = _party_of(yardstick, place)
        held = tuple(one for one in request.fixed if yardstick.index[one[0]] in block)
        anchor = _anchor(yardstick, block) if yardstick.interchangeable else None
        others = tuple(team for team in range(request.teams) if team != teams[place])
        if anchor is not None:
            others = others[:1] if teams[anchor] == teams[place] else (teams[anchor],)
        return cls(place, teams[place], block, held, anchor, others)


def _party_of(yardstick: Yardstick, place: int) -> frozenset[int]:
    """Return where those are in the roster who stay with a player, directly or not, the player included."""
    bound = {place}
    for _ in yardstick.request.parties:
        for party in yardstick.request.parties:
            members = {yardstick.index[who] for who in party}
            bound |= members if bound & members else set()
    return frozenset(bound)


def _anchor(yardstick: Yardstick, block: frozenset[int]) -> int | None:
    """Return the strongest player who is not bound to one; the first among equals, None if there is none."""
    players = yardstick.request.roster.players
    others = [place for place in range(len(players)) if place not in block]
    return max(others, key=lambda place: (weight(players[place]), -place), default=None)


def exchanges(
    yardstick: Yardstick,
    teams: Sequence[int],
    block: frozenset[int],
    others: Iterable[int],
    *,
    alone: bool = False,
    keep: int | None = None,
) -> Labels:
    """Return the splits in which a block is exchanged for as many of another team, or may join it alone.

    Parties go as a whole, those to be kept stay, and only splits that keep the rules are returned.
    """
    home = teams[min(block)]
    rows = []
    for team in others:
        parties = {_party_of(yardstick, place) for place in range(len(teams)) if teams[place] == team}
        blocks = sorted((party for party in parties if keep not in party), key=min)
        exchanged = islice(_of_size(blocks, len(block)), MOST_EXCHANGES)
        for chosen in (*[frozenset[int]()] * alone, *exchanged):
            row = np.array(teams, dtype=np.int8)
            row[list(chosen)] = home
            row[list(block)] = team
            rows.append(row)
    splits = np.array(rows, dtype=np.int8).reshape(len(rows), len(teams))
    return splits[yardstick.legal(splits)]


def _of_size(blocks: Sequence[frozenset[int]], size: int) -> Iterator[frozenset[int]]:
    """Yield the unions of blocks that have so many players."""
    if not size:
        yield frozenset()
    for n, block in enumerate(blocks):
        if len(block) <= size:
            yield from (block | rest for rest in _of_size(blocks[n + 1 :], size - len(block)))


def fairest(yardstick: Yardstick, splits: Labels) -> list[int] | None:
    """Return the fairest of some splits, None where there are none."""
    if not len(splits):
        return None
    best: list[int] = splits[yardstick.fairest(splits)].tolist()
    return best


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
    """A split before and after changes by hand.

    Parameters
    ----------
    before, after : Valuation
        The split in numbers.
    moved : tuple of TeamChanges
        Who is in another team afterwards.
    cost : Cost
        What the changes make worse.
    behind : Cost
        What the split is worse afterwards than the best that keeps all rules.
    broken : tuple of Constraint
        What must be kept and is then broken; of ``"sizes"``, ``allowed`` is by how many players teams may
        differ, and of ``"role"``, ``team`` is one that lacks it.
    split : Split
        The split afterwards.
    """

    before: Valuation
    after: Valuation
    moved: tuple[TeamChanges, ...]
    cost: Cost
    behind: Cost
    broken: tuple[Constraint, ...]
    split: Split

    def as_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers, as ``equipoise balance --edit --json`` prints them."""
        plain = {name: as_json(getattr(self, name)) for name in ("cost", "behind")}
        return {
            "before": self.before.as_dict(),
            "after": self.after.as_dict(),
            "moved": [asdict(moved) for moved in self.moved],
            **plain,
            "broken": [asdict(rule) for rule in self.broken],
        }


@dataclass(frozen=True, slots=True)
class Place:
    """Why a player is in a team, found by arithmetic alone.

    Parameters
    ----------
    player : str
        The player, by name.
    team : int
        The team, from 0.
    fixed : bool
        Whether a rule binds the player, or the party, to it.
    party : tuple of str
        Those who stay with the player, by name.
    preferences : tuple of Constraint
        The player's preferences that have a price.
    relative_to : str
        Where the teams are interchangeable, the strongest other player, who is taken to stay: then it
        counts with whom one is, not in which team.  Empty where they are not.
    elsewhere : tuple of Instead
        What it would mean to be in another team, one for each that makes a difference: the best exchange of
        the player, and of the party, for others.  Who is fixed is let go for it, which ``given_up`` says.
    exchange : Change or None
        The best exchange for players of another team that breaks no rule, None where all do.
    partner : str
        For whom; empty where there is none.
    held : tuple of str
        Those of the player and the party who are fixed to the team, by name.
    """

    player: str
    team: int
    fixed: bool
    party: tuple[str, ...]
    preferences: tuple[Constraint, ...]
    relative_to: str
    elsewhere: tuple[Instead, ...]
    exchange: Change | None
    partner: str
    held: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers, as ``equipoise balance --why A --json`` prints them."""
        plain = as_json(replace(self, exchange=None))
        return {**plain, "exchange": None if self.exchange is None else self.exchange.as_dict()}


def edit(
    players: Players | BalanceRequest,
    steps: Iterable[Swap | Move],
    *,
    solution: Solution | None = None,
    split: Split | None = None,
    **keywords: Unpack[Keywords],
) -> Change:
    """Change a split by hand, and say what it costs and which rules it breaks.

    Parameters
    ----------
    players : iterable of Player, mapping from name to weight, or BalanceRequest
        Who is here, as for :func:`equipoise.balance`.
    steps : iterable of Swap or Move
        What is changed, in this order; only the result need keep the rules.
    solution : Solution, optional
        What ``balance`` returned for the same request; asked for unless given.
    split : Split, optional
        The split to change; by default the best.
    **keywords
        Those of ``balance``.

    Raises
    ------
    InputError
        As ``balance``, if a name or team does not exist, or if there is no split to change.

    Examples
    --------
    >>> roster = {"Ann": 9, "Bob": 8, "Cid": 4, "Dan": 3}
    >>> change = edit(roster, [Swap("Ann", "Bob")], objective="difference")
    >>> [team.players for team in change.after.teams], change.cost.value
    ([('Bob', 'Dan'), ('Ann', 'Cid')], 2.0)
    """
    yardstick, solution, start = _looked_at(players, solution, split, keywords)
    find, n_teams = yardstick.request.roster.find, yardstick.request.teams
    teams = yardstick.teams_of(start)
    for step in steps:
        if isinstance(step, Swap):
            one, other = find("edit", step.one), find("edit", step.other)
            teams[one], teams[other] = teams[other], teams[one]
        elif 0 <= step.team < n_teams:
            teams[find("edit", step.player)] = step.team
        else:
            msg = f": there is no team {step.team + 1}; there are teams 1 to {n_teams}"
            raise InputError(msg, "edit")
    return _changed(yardstick, solution.best, start, teams)


def why_there(
    players: Players | BalanceRequest,
    who: str,
    *,
    solution: Solution | None = None,
    split: Split | None = None,
    **keywords: Unpack[Keywords],
) -> Place:
    """Say why a player is in a team: what binds the player, and what being elsewhere costs.

    Nothing is searched for where the solution is given: all exchanges are judged at once.

    Parameters
    ----------
    players, solution, split, **keywords
        As for :func:`edit`.
    who : str
        The player, by id or name.

    Raises
    ------
    InputError
        As :func:`edit`.

    Examples
    --------
    >>> place = why_there({"Ann": 9, "Bob": 8, "Cid": 4, "Dan": 3}, "Dan", objective="difference")
    >>> place.relative_to, place.elsewhere[0].best.cost.value, place.partner, place.exchange.cost.value
    ('Ann', 2.0, 'Cid', 2.0)
    """
    yardstick, solution, start = _looked_at(players, solution, split, keywords)
    request, teams = yardstick.request, yardstick.teams_of(start)
    seat = ExchangeSeat.of(yardstick, teams, who)
    place, home, block, anchor, held = seat.place, seat.team, seat.block, seat.anchor, seat.held
    name = request.players[place].label
    free = Yardstick(Fixed(held).relax(request)) if held else yardstick
    who = request.players[place].id
    priced_preferences = [each.about(who).constraint(request) for each in preferences_in(request)]
    elsewhere = []
    for team in seat.others:
        preference = Constraint("fixed", (name,), team=team)
        found = fairest(free, exchanges(free, teams, block, [team], alone=True, keep=anchor))
        best = None if found is None else alternative(yardstick, yardstick.split(found), start)
        reason = "" if best else "no exchange for players of that team keeps the rules"
        given_up = tuple(Fixed((one,)).constraint(request) for one in held)
        elsewhere.append(Instead(preference, best, reason, given_up=given_up))
    swapped = fairest(yardstick, exchanges(yardstick, teams, block, set(teams) - {home}))
    exchange = None if swapped is None else _changed(yardstick, solution.best, start, swapped)
    partners = [moved.player for moved in (exchange.moved if exchange else ()) if moved.origin != home]
    return Place(
        player=name,
        team=home,
        fixed=bool(held),
        party=tuple(request.players[one].label for one in sorted(block) if one != place),
        preferences=tuple(preference for preference in priced_preferences if name in preference.players),
        relative_to="" if anchor is None else request.players[anchor].label,
        elsewhere=tuple(elsewhere),
        exchange=exchange,
        partner=", ".join(partners),
        held=labels(request, [one for one, _ in held]),
    )


def why_not(
    players: Players | BalanceRequest,
    who: str,
    *,
    solution: Solution | None = None,
    split: Split | None = None,
    **keywords: Unpack[Keywords],
) -> tuple[Instead, ...]:
    """Say what the best split is with a player in each other team: a search for each.

    Parameters
    ----------
    players, who, solution, split, **keywords
        As for :func:`why_there`, whose ``elsewhere`` has the best exchanges instead.

    Raises
    ------
    InputError
        As :func:`edit`.

    Examples
    --------
    >>> roster = {"Ann": 9, "Bob": 8, "Cid": 4, "Dan": 3}
    >>> others = why_not(roster, "Dan", objective="difference")
    >>> [(other.preference.team, other.best.cost.value) for other in others]
    [(1, 2.0)]
    """
    yardstick, _, start = _looked_at(players, solution, split, keywords)
    request, teams = yardstick.request, yardstick.teams_of(start)
    seat = ExchangeSeat.of(yardstick, teams, who)
    given_up = tuple(Fixed((one,)).constraint(request) for one in seat.held)
    free, player = Fixed(seat.held).relax(request), request.players[seat.place]
    stays = () if seat.anchor is None else ((request.players[seat.anchor].id, teams[seat.anchor]),)
    found = []
    for team in seat.others:
        preference = Constraint("fixed", (player.label,), team=team)
        asked = replace(free, fixed=(*free.fixed, *stays, (player.id, team)))
        found.append(replace(instead(asked, preference, start, request.stop), given_up=given_up))
    return tuple(found)


def why_together(
    players: Players | BalanceRequest,
    one: str,
    other: str,
    *,
    solution: Solution | None = None,
    split: Split | None = None,
    **keywords: Unpack[Keywords],
) -> Instead:
    """Say why two players are in one team: what it costs to keep them apart.

    Parameters
    ----------
    players, solution, split, **keywords
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
    >>> why_together(roster, "Ann", "Dan", objective="difference").best.cost.value
    2.0
    """
    yardstick, _, start = _looked_at(players, solution, split, keywords)
    request = yardstick.request
    pair = tuple(request.players[request.roster.find("why", who)].id for who in (one, other))
    if pair[0] == pair[1]:
        msg = f": {one!r} and {other!r} are the same player; name two"
        raise InputError(msg, "why")
    preference = Constraint("apart", labels(request, pair))
    return instead(replace(request, apart=(*request.apart, pair)), preference, start, request.stop)


def why(
    request: BalanceRequest,
    one: str,
    other: str | None = None,
    *,
    solution: Solution,
    split: Split,
    stop: Stop,
) -> Place | Change | Instead:
    """Say why a player is in a team, or why two are not exchanged; of two in one team, what apart would cost.

    This is what ``equipoise explain --why`` and ``why`` over HTTP ask; ``stop`` ends what is searched for it.

    Raises
    ------
    InputError
        As :func:`edit`.
    """
    limited = replace(request, stop=stop)
    if other is None:
        # Beside the exchanges, which are only computed, the best there is with everybody moved.
        place = why_there(request, one, solution=solution, split=split)
        return replace(place, elsewhere=why_not(limited, one, solution=solution, split=split))
    change = edit(request, [Swap(one, other)], solution=solution, split=split)
    return change if change.moved else why_together(limited, one, other, solution=solution, split=split)


def _looked_at(
    players: Players | BalanceRequest, solution: Solution | None, split: Split | None, keywords: Keywords
) -> tuple[Yardstick, Solution, Split]:
    """Return what measures, what ``balance`` says, and the split that is asked about."""
    request = BalanceRequest.of(players, **keywords)
    solution = balance(request) if solution is None else solution
    if not solution.splits:
        msg = f": there is no split to look at: {solution.reason}"
        raise InputError(msg, "players")
    return Yardstick(folded(request)), solution, solution.best if split is None else split


def _changed(yardstick: Yardstick, best: Split, start: Split, teams: Sequence[int]) -> Change:
    after = yardstick.split(teams)
    rules = [*rules_in(yardstick.request), TeamSizes(0)]
    return Change(
        before=yardstick.value(start),
        after=yardstick.value(after),
        moved=yardstick.moves(start, after),
        cost=yardstick.cost(after, start),
        behind=yardstick.cost(after, best),
        broken=tuple(broken for rule in rules for broken in rule.violation(yardstick, after)),
        split=after,
    )
