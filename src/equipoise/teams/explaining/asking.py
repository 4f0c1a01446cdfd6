"""What a request asks for, as it is shown and as a class: what every rule and every preference can do.

It says how a split breaks it (``violation``), what the request is without it (``relax``), and what it asks
for in words (``words``).  What it costs is found in ``explaining``; the sentences around the words are in
:mod:`equipoise.pages.text.explanation`.  A request is folded here: see :func:`folded`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, ClassVar, cast

from equipoise.errors import InputError, UnsupportedError
from equipoise.teams.balancing import balance
from equipoise.teams.explaining.judging import Yardstick
from equipoise.teams.request import BalanceRequest
from equipoise.teams.solution import Solution, Split

#: Pairs of players apart that are looked at one by one.
MOST_PAIRS = 100_000


@dataclass(frozen=True, slots=True)
class Constraint:
    """What a split must keep, or should keep at a price, as it is reported.

    Parameters
    ----------
    kind : str
        ``"party"``, ``"member"`` (one who stays in a party), ``"apart"``, ``"fixed"``, ``"sizes"``,
        ``"role"``, ``"rule"`` (a custom one) or ``"moves"`` of what must be kept; ``"prefer"``, ``"avoid"``,
        ``"side"`` or ``"stay"`` of preferences with a price.
    players : tuple of str
        Whom it binds, by name; of a member the one who might leave.
    team : int or None
        Of ``"side"``, and of ``"fixed"`` unless it is all who are fixed, the team, from 0.
    allowed : int or None
        Of ``"sizes"``, by how many players the teams may differ if it is relaxed.
    name : str
        Of ``"role"`` and ``"rule"``, what it is called.
    number : int or None
        Of ``"role"``, how many every team needs; of ``"moves"``, how many players may change team.
    price : float or None
        Of a preference, what breaking it costs, in win probability; of ``"stay"``, for each who moves.
    """

    kind: str
    players: tuple[str, ...] = ()
    team: int | None = None
    allowed: int | None = None
    name: str = ""
    number: int | None = None
    price: float | None = None

    @property
    def binding(self) -> bool:
        """Whether it must be kept."""
        return self.price is None


@dataclass(frozen=True)
class Asked:
    """Something that is asked for."""

    #: The :attr:`Constraint.kind` of what it reports.
    kind: ClassVar[str] = ""

    def constraint(self, request: BalanceRequest) -> Constraint:
        """Return it as it is reported."""
        raise NotImplementedError

    def keeps(self, yardstick: Yardstick, split: Split) -> bool:
        """Tell whether a split keeps it; what is broken in parts defines :meth:`violation` instead."""
        raise NotImplementedError

    def violation(self, yardstick: Yardstick, split: Split) -> tuple[Constraint, ...]:
        """Return how a split breaks it; nothing where it keeps it."""
        return () if self.keeps(yardstick, split) else (self.constraint(yardstick.request),)

    def relax(self, request: BalanceRequest) -> BalanceRequest:
        """Return the request without it."""
        raise NotImplementedError

    def members(self) -> tuple[Asked, ...]:
        """Return its parts, each of which may be given up alone."""
        return ()

    @property
    def parts(self) -> tuple[Asked, ...]:
        """It, then its members."""
        return (self, *self.members())

    @staticmethod
    def words(constraint: Constraint, who: str, team: str) -> str:
        """Return what is asked for; given its players and its team as they are to be called."""
        raise NotImplementedError


@dataclass(frozen=True)
class PricedPreference(Asked):
    """Something that may be broken at a price."""

    def insist(self, request: BalanceRequest) -> BalanceRequest | None:
        """Return the request in which it must be kept; None where that says nothing."""
        raise NotImplementedError

    def about(self, who: str) -> PricedPreference:
        """Return what of it is about a player, by id."""
        del who
        return self

    def paid(self, yardstick: Yardstick, split: Split) -> float:
        """Return what a split of the request pays for it."""
        raise NotImplementedError

    def keeps(self, yardstick: Yardstick, split: Split) -> bool:
        """See :meth:`Asked.keeps`: nothing is paid for it."""
        return not self.paid(yardstick, split)


def labels(request: BalanceRequest, ids: tuple[str, ...] | list[str]) -> tuple[str, ...]:
    """Return what players are called, from their ids or names."""
    roster = request.roster
    return tuple(roster.players[roster.find("players", who)].label for who in ids)


def teams_with(yardstick: Yardstick, split: Split, ids: tuple[str, ...]) -> set[int]:
    """Return the teams that players are in."""
    teams = yardstick.teams_of(split)
    return {teams[yardstick.index[who]] for who in ids}


def folded(request: BalanceRequest) -> BalanceRequest:
    """Return a request with what comes with the players as fields, everyone by id.

    Each rule is then in one place: a party once, however often it is asked for, those apart in pairs.
    """
    roster, tags = request.roster, dict[str, list[str]]()
    for player in request.players:
        if player.party is not None:
            tags.setdefault(player.party, []).append(player.id)

    def ids(names: Iterable[str], argument: str) -> tuple[str, ...]:
        return tuple(roster.players[roster.find(argument, who)].id for who in names)

    parties = [*map(tuple, tags.values()), *(ids(party, "parties") for party in request.parties)]
    fixed = {player.id: player.team for player in request.players if player.team is not None}
    fixed |= {ids([who], "fixed")[0]: team for who, team in request.fixed}
    number = sum(math.comb(len(group), 2) for group in request.apart)
    if number > MOST_PAIRS:
        msg = f": {number} pairs of players are apart; at most {MOST_PAIRS} can be explained"
        raise InputError(msg, "apart")
    pairs = (pair for group in request.apart for pair in combinations(ids(group, "apart"), 2))
    bare = {"party": None, "team": None, "prefer": (), "avoid": ()}
    return replace(
        request,
        players=tuple(replace(player, **cast("Any", bare)) for player in request.players),
        parties=tuple(dict.fromkeys(party for party in parties if len(party) > 1)),
        apart=tuple(dict.fromkeys(pairs)),
        fixed=tuple(fixed.items()),
        preferences=request.all_preferences,
    )


def ask(request: BalanceRequest) -> Solution:
    """Return what ``balance`` says; what the solver that is asked for cannot do is left to one that can."""
    try:
        return balance(request)
    except UnsupportedError:
        return balance(replace(request, solver="auto"))
