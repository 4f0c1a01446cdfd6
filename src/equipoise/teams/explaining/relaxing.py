"""What a request asks for, one constraint after another, and how it is asked without each.

What a constraint costs is found in ``explaining``; how it is put into words is in
:mod:`equipoise.pages.text.explanation`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from equipoise.players import NO_SIDE
from equipoise.teams.explaining.asking import Request
from equipoise.teams.problem.rules import Rule
from equipoise.teams.problem.wishes import Wish, side_prices
from equipoise.teams.solution import Split

#: By how many players more the teams may differ when the size rule is relaxed: of two teams the sizes
#: differ by an even number or by an odd one, so one more would often change nothing.
STEP = 2

#: What a wish between players is as a constraint.
WISH_KINDS = {"together": "prefer", "apart": "avoid"}


@dataclass(frozen=True, slots=True)
class Constraint:
    """What a division must keep, or would rather keep at a price.

    Parameters
    ----------
    kind : str
        ``"party"``, ``"member"`` (one who stays in a party), ``"apart"``, ``"fixed"``, ``"sizes"``,
        ``"role"`` or ``"rule"`` (of one's own) of what must be kept; ``"prefer"``, ``"avoid"`` or
        ``"side"`` of wishes with a price.
    players : tuple of str
        Whom it binds, by name; of a member the one who might leave.
    team : int or None
        Of ``"side"``, and of ``"fixed"`` unless it is all who are fixed, the team, from 0.
    allowed : int or None
        Of ``"sizes"``, by how many players the teams may differ if it is relaxed.
    name : str
        Of ``"role"`` and ``"rule"``, what it is called.
    number : int or None
        Of ``"role"``, how many every team needs.
    price : float or None
        Of a wish, what breaking it costs, in win probability.
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


@dataclass(frozen=True, slots=True)
class Relaxation:
    """A constraint, and how a request becomes one without it.

    Parameters
    ----------
    constraint : Constraint
        What is relaxed.
    drop : callable
        Gives the request without it.
    members : tuple of Relaxation
        Of a party of three and more, and of all who are fixed, the same for each of them.
    insist : callable or None
        Of a wish with a price, gives the request in which it must be kept.
    paid : callable or None
        Of a wish with a price, gives what a division of the request pays for it.
    """

    constraint: Constraint
    drop: Callable[[Request], Request]
    members: tuple[Relaxation, ...] = ()
    insist: Callable[[Request], Request] | None = None
    paid: Callable[[Request, Split], float] | None = None

    @property
    def parts(self) -> tuple[Relaxation, ...]:
        """The relaxation, then those of the members."""
        return (self, *self.members)


def relaxations(request: Request) -> list[Relaxation]:
    """Return everything that must be kept, except the sizes."""
    found = [_party(request, party) for party in request.parties]
    found += [_apart(request, pair) for pair in request.apart]
    held = tuple(_fixed(request, place, team) for place, team in request.fixed)
    found += held if len(held) < 2 else (_all_fixed(request, held),)
    found += [_role(role, number) for role, number in request.needed.items()]
    return found + [_rule(rule) for rule in request.rules]


def priced_wishes(request: Request) -> list[Relaxation]:
    """Return the wishes that have a price, in the order of a division's outcomes."""
    found = [_wish(request, place, wish) for place, wish in enumerate(request.wishes) if wish.price]
    if not request.side_price:
        return found
    players = request.roster.players
    paid = side_prices(players, request.n_teams, request.side_price)
    sided = [place for place, player in enumerate(players) if player.side != NO_SIDE]
    return found + [_side(request, place, float(paid[place].max())) for place in sided]


def relaxed_sizes(request: Request, steps: int) -> Relaxation | None:
    """Return the size rule, relaxed by some more players of difference; None where any may be already."""
    now = request.largest_difference
    allowed = min(now + steps, len(request.roster.players))
    if allowed <= now:
        return None
    change: dict[str, Any] = {"max_difference": allowed, "min_size": None, "max_size": None}
    if not request.settings.get("bots"):
        change["sizes"] = None

    def drop(asked: Request) -> Request:
        return replace(asked, settings={**asked.settings, **change})

    return Relaxation(Constraint("sizes", allowed=allowed), drop)


def _party(request: Request, party: tuple[int, ...]) -> Relaxation:
    def shrunk(rest: tuple[int, ...]) -> Callable[[Request], Request]:
        def drop(asked: Request) -> Request:
            parties = tuple(rest if other == party else other for other in asked.parties)
            return replace(asked, parties=tuple(kept for kept in parties if len(kept) > 1))

        return drop

    members = tuple(
        Relaxation(
            Constraint("member", (request.label(one),)),
            shrunk(tuple(other for other in party if other != one)),
        )
        for one in (party if len(party) > 2 else ())
    )
    return Relaxation(Constraint("party", tuple(map(request.label, party))), shrunk(()), members)


def _apart(request: Request, pair: tuple[int, int]) -> Relaxation:
    def drop(asked: Request) -> Request:
        return replace(asked, apart=tuple(other for other in asked.apart if other != pair))

    return Relaxation(Constraint("apart", (request.label(pair[0]), request.label(pair[1]))), drop)


def _fixed(request: Request, place: int, team: int) -> Relaxation:
    def drop(asked: Request) -> Request:
        return replace(asked, fixed=tuple(other for other in asked.fixed if other[0] != place))

    return Relaxation(Constraint("fixed", (request.label(place),), team=team), drop)


def _all_fixed(request: Request, members: tuple[Relaxation, ...]) -> Relaxation:
    names = tuple(request.label(place) for place, _ in request.fixed)
    return Relaxation(Constraint("fixed", names), lambda asked: replace(asked, fixed=()), members)


def _role(role: str, number: int) -> Relaxation:
    def drop(asked: Request) -> Request:
        rest = {other: needed for other, needed in asked.needed.items() if other != role}
        return replace(asked, settings={**asked.settings, "roles": rest or None})

    return Relaxation(Constraint("role", name=role, number=number), drop)


def _rule(rule: Rule) -> Relaxation:
    def drop(asked: Request) -> Request:
        return replace(asked, rules=tuple(other for other in asked.rules if other is not rule))

    return Relaxation(Constraint("rule", name=rule.name), drop)


def _wish(request: Request, place: int, wish: Wish) -> Relaxation:
    players = tuple(request.place("wish", who) for who in wish.players)

    def drop(asked: Request) -> Request:
        return replace(asked, wishes=tuple(other for other in asked.wishes if other is not wish))

    def insist(asked: Request) -> Request:
        if wish.kind == "together":
            return replace(asked, parties=(*asked.parties, players))
        pairs = [(one, other) for n, one in enumerate(players) for other in players[:n]]
        return replace(asked, apart=(*asked.apart, *pairs))

    def paid(asked: Request, split: Split) -> float:
        del asked
        return split.wishes[place].paid

    kind, named = WISH_KINDS[wish.kind], tuple(map(request.label, players))
    return Relaxation(Constraint(kind, named, price=wish.price), drop, insist=insist, paid=paid)


def _side(request: Request, place: int, price: float) -> Relaxation:
    players = request.roster.players
    team = 0 if players[place].side < NO_SIDE else request.n_teams - 1

    def drop(asked: Request) -> Request:
        everyone = tuple(
            replace(player, side=NO_SIDE) if n == place else player
            for n, player in enumerate(asked.roster.players)
        )
        return replace(asked, roster=replace(asked.roster, players=everyone))

    def insist(asked: Request) -> Request:
        return replace(asked, fixed=(*asked.fixed, (place, team)))

    def paid(asked: Request, split: Split) -> float:
        each = side_prices(asked.roster.players, asked.n_teams, asked.side_price)
        return float(each[place, asked.teams_of(split)[place]])

    constraint = Constraint("side", (request.label(place),), team=team, price=price)
    # Who is fixed to a team is in no other, whatever is wished.
    free = all(one != place for one, _ in request.fixed)
    return Relaxation(constraint, drop, insist=insist if free else None, paid=paid)
