"""What a request asks for, rule by rule and preference by preference, each a class.

A rule (parties, apart, fixed, sizes, roles, custom, moves) or a preference (mates, a side, staying in a team)
says how a split breaks it (``violation``), what the request is without it (``relax``), and what it asks
for in words (``words``).  What it costs is found in :mod:`equipoise.teams.explain.explanation`; the sentences
around the words are in :mod:`equipoise.pages.text.explanation`.  A request is folded here: see
:func:`folded`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, ClassVar, cast

import numpy as np

from equipoise.core.fields import FieldInfo
from equipoise.core.player import NO_SIDE, Player
from equipoise.errors import InputError, UnsupportedError
from equipoise.teams.balance import balance
from equipoise.teams.explain.valuation import Yardstick
from equipoise.teams.problem.linear_rules import Rule, rows_of
from equipoise.teams.problem.preferences import Preference, side_prices
from equipoise.teams.request import BalanceRequest
from equipoise.teams.request_fields import further_rule
from equipoise.teams.solution import Solution, Split

#: Pairs of players apart that are looked at one by one.
MOST_PAIRS = 100_000  # effort


@dataclass(frozen=True, slots=True)
class Constraint:
    """What a split must keep, or should keep at a price, as it is reported.

    Parameters
    ----------
    kind : str
        ``"party"``, ``"member"`` (one who stays in a party), ``"apart"``, ``"fixed"``, ``"sizes"``,
        ``"role"``, ``"rule"`` (a custom one), ``"moves"`` or the name of a rule of an installed package, of
        what must be kept; ``"prefer"``, ``"avoid"``, ``"side"`` or ``"stay"`` of preferences with a price.
    players : tuple of str
        Whom it binds, by name; of a member the one who might leave.
    team : int or None
        Of ``"side"``, and of ``"fixed"`` unless it is all who are fixed, the team, from 0.
    allowed : int or None
        Of ``"sizes"``, by how many players the teams may differ if it is relaxed.
    name : str
        Of ``"role"``, ``"rule"`` and rules of packages, what it is called.
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


@dataclass(frozen=True)
class Party(Asked):
    """Players who stay together, by id."""

    ids: tuple[str, ...]
    kind = "party"

    def constraint(self, request: BalanceRequest) -> Constraint:
        return Constraint(self.kind, labels(request, self.ids))

    def keeps(self, yardstick: Yardstick, split: Split) -> bool:
        return len(teams_with(yardstick, split, self.ids)) == 1

    def relax(self, request: BalanceRequest) -> BalanceRequest:
        return replace(request, parties=tuple(other for other in request.parties if other != self.ids))

    def members(self) -> tuple[Asked, ...]:
        """Of a party of three and more, that each of them is part of it."""
        return tuple(RuleMember(self.ids, one) for one in self.ids) if len(self.ids) > 2 else ()

    @staticmethod
    def words(constraint: Constraint, who: str, team: str) -> str:
        return f"keeping {who} together"


@dataclass(frozen=True)
class RuleMember(Asked):
    """That one player stays in a party, by id."""

    ids: tuple[str, ...]
    one: str
    kind = "member"

    def constraint(self, request: BalanceRequest) -> Constraint:
        return Constraint(self.kind, labels(request, (self.one,)))

    def keeps(self, yardstick: Yardstick, split: Split) -> bool:
        """See :meth:`Asked.keeps`: the party says it."""
        return True

    def relax(self, request: BalanceRequest) -> BalanceRequest:
        rest = tuple(other for other in self.ids if other != self.one)
        parties = tuple(rest if party == self.ids else party for party in request.parties)
        return replace(request, parties=tuple(party for party in parties if len(party) > 1))

    @staticmethod
    def words(constraint: Constraint, who: str, team: str) -> str:
        return f"{who} staying in the party"


@dataclass(frozen=True)
class Apart(Asked):
    """Two players who are in different teams, by id."""

    pair: tuple[str, ...]
    kind = "apart"

    def constraint(self, request: BalanceRequest) -> Constraint:
        return Constraint(self.kind, labels(request, self.pair))

    def keeps(self, yardstick: Yardstick, split: Split) -> bool:
        return len(teams_with(yardstick, split, self.pair)) > 1

    def relax(self, request: BalanceRequest) -> BalanceRequest:
        return replace(request, apart=tuple(other for other in request.apart if other != self.pair))

    @staticmethod
    def words(constraint: Constraint, who: str, team: str) -> str:
        return f"keeping {who} apart"


@dataclass(frozen=True)
class Fixed(Asked):
    """Players, by id, and the team each must be in: one of them, or all who are fixed."""

    teams: tuple[tuple[str, int], ...]
    kind = "fixed"

    def constraint(self, request: BalanceRequest) -> Constraint:
        team = self.teams[0][1] if len(self.teams) == 1 else None
        return Constraint(self.kind, labels(request, [who for who, _ in self.teams]), team=team)

    def violation(self, yardstick: Yardstick, split: Split) -> tuple[Constraint, ...]:
        """See :meth:`Asked.violation`: each player who is elsewhere."""
        gone = [(who, team) for who, team in self.teams if teams_with(yardstick, split, (who,)) != {team}]
        return tuple(Fixed((one,)).constraint(yardstick.request) for one in gone)

    def relax(self, request: BalanceRequest) -> BalanceRequest:
        ids = {who for who, _ in self.teams}
        return replace(request, fixed=tuple(other for other in request.fixed if other[0] not in ids))

    def members(self) -> tuple[Asked, ...]:
        """Of several who are fixed, each of them."""
        return tuple(Fixed((one,)) for one in self.teams) if len(self.teams) > 1 else ()

    @staticmethod
    def words(constraint: Constraint, who: str, team: str) -> str:
        return f"fixing {who} to {'their teams' if constraint.team is None else team}"


@dataclass(frozen=True)
class Role(Asked):
    """How many of a role every team needs."""

    role: str
    number: int
    kind = "role"

    def constraint(self, request: BalanceRequest) -> Constraint:
        return Constraint(self.kind, name=self.role, number=self.number)

    def violation(self, yardstick: Yardstick, split: Split) -> tuple[Constraint, ...]:
        """See :meth:`Asked.violation`: each team that lacks it; bots take what is left."""
        needed = dict(yardstick.request.roles)
        lacking = []
        for team, (played, bots) in enumerate(zip(split.roles, split.bots, strict=False)):
            missing = {role: number - played.count(role) for role, number in needed.items()}
            if sum(missing.values()) > bots and missing[self.role] > 0:
                lacking.append(Constraint(self.kind, name=self.role, number=self.number, team=team))
        return tuple(lacking)

    def relax(self, request: BalanceRequest) -> BalanceRequest:
        return replace(request, roles=tuple(other for other in request.roles if other[0] != self.role))

    @staticmethod
    def words(constraint: Constraint, who: str, team: str) -> str:
        lacking = "" if constraint.team is None else f", which {team} lacks"
        return f"needing {constraint.number} {who} in every team{lacking}"


@dataclass(frozen=True)
class Custom(Asked):
    """A custom rule."""

    rule: Rule
    kind = "rule"

    def constraint(self, request: BalanceRequest) -> Constraint:
        return Constraint(self.kind, name=self.rule.name)

    def keeps(self, yardstick: Yardstick, split: Split) -> bool:
        return rows_kept(yardstick, split, [self.rule])

    def relax(self, request: BalanceRequest) -> BalanceRequest:
        return replace(request, rules=tuple(other for other in request.rules if other is not self.rule))

    @staticmethod
    def words(constraint: Constraint, who: str, team: str) -> str:
        return f"the rule {who!r}"


@dataclass(frozen=True)
class TeamSizes(Asked):
    """By how many players the teams may differ, and how many if that is relaxed by some steps."""

    steps: int
    kind = "sizes"

    def constraint(self, request: BalanceRequest) -> Constraint:
        most = min(request.size_rules.largest_difference + self.steps, len(request.players))
        return Constraint(self.kind, allowed=most)

    def violation(self, yardstick: Yardstick, split: Split) -> tuple[Constraint, ...]:
        rules = yardstick.request.size_rules
        kept = rules.holds([len(team) for team in split.teams])
        return () if kept else (Constraint(self.kind, allowed=rules.largest_difference),)

    def relax(self, request: BalanceRequest) -> BalanceRequest:
        allowed = self.constraint(request).allowed
        sizes = request.sizes if request.bots is not None else None
        return replace(request, max_difference=allowed, min_size=None, max_size=None, sizes=sizes)

    @staticmethod
    def words(constraint: Constraint, who: str, team: str) -> str:
        players = "1 player" if constraint.allowed == 1 else f"{constraint.allowed or 0} players"
        return f"the sizes of the teams, which may differ by {players}"


@dataclass(frozen=True)
class MostMoves(Asked):
    """How many players may change team."""

    most: int
    kind = "moves"

    def constraint(self, request: BalanceRequest) -> Constraint:
        return Constraint(self.kind, number=self.most)

    def keeps(self, yardstick: Yardstick, split: Split) -> bool:
        return len(split.moved) <= self.most

    def relax(self, request: BalanceRequest) -> BalanceRequest:
        return replace(request, moves=None)

    @staticmethod
    def words(constraint: Constraint, who: str, team: str) -> str:
        number = constraint.number or 0
        return f"at most {number} {'player' if number == 1 else 'players'} changing team"


@dataclass(frozen=True)
class AddedRule(Asked):
    """A rule that a package adds: the base of what it registers as ``equipoise.rules``.

    A class made of it says, beside its ``words``, what its field is and which sums over each team's players
    it comes to; whether a split keeps it and what a request is without it follow from these.  Its instances
    are what single requests ask.

    Parameters
    ----------
    name : str
        What the rule is registered as, which is the name of its field.
    value : object
        What the request asks, frozen.
    """

    name: str
    value: Any

    #: How it is read, written, frozen, checked and typed, as for the fields of
    #: :class:`equipoise.teams.request_fields.RequestFields`; its name is the registered one.
    field: ClassVar[FieldInfo]

    @staticmethod
    def rows(value: Any, players: Sequence[Player], n_teams: int) -> Iterable[Rule]:
        """Return what the rule comes to: sums over each team's players.

        Parameters
        ----------
        value : object
            What is asked, frozen.
        players : sequence of Player
            Who is here, everyone with a rating.
        n_teams : int
            How many teams there are.
        """
        raise NotImplementedError

    def constraint(self, request: BalanceRequest) -> Constraint:
        return Constraint(self.name, name=self.name)

    def keeps(self, yardstick: Yardstick, split: Split) -> bool:
        return rows_kept(yardstick, split, yardstick.request.rows_of(self.name))

    def relax(self, request: BalanceRequest) -> BalanceRequest:
        return request.without(self.name)


def rows_kept(yardstick: Yardstick, split: Split, rules: Sequence[Rule]) -> bool:
    """Tell whether a split keeps sums over its teams within their limits."""
    request, everyone = yardstick.request, range(len(yardstick.request.players))
    rows = rows_of(rules, request.teams, everyone, len(everyone), request.roster.find)
    teams = np.array([yardstick.teams_of(split)], dtype=np.int8)
    return rows is None or not rows.excess(teams)[0] > 0.0


@dataclass(frozen=True)
class Mates(PricedPreference):
    """A preference between players, and its place among the preferences of the request."""

    place: int
    preference: Preference
    kind = "prefer"

    #: What preferences are called as constraints.
    KIND_OF: ClassVar[Mapping[str, str]] = {"together": "prefer", "apart": "avoid"}

    def constraint(self, request: BalanceRequest) -> Constraint:
        named = labels(request, self.preference.players)
        return Constraint(self.KIND_OF[self.preference.kind], named, price=self.preference.price)

    def relax(self, request: BalanceRequest) -> BalanceRequest:
        return replace(
            request, preferences=tuple(other for other in request.preferences if other is not self.preference)
        )

    def insist(self, request: BalanceRequest) -> BalanceRequest | None:
        if self.preference.kind == "together":
            return replace(request, parties=(*request.parties, self.preference.players))
        return replace(request, apart=(*request.apart, *combinations(self.preference.players, 2)))

    def paid(self, yardstick: Yardstick, split: Split) -> float:
        return split.preferences[self.place].paid

    @staticmethod
    def words(constraint: Constraint, who: str, team: str) -> str:
        return f"{who} rather {'together' if constraint.kind == 'prefer' else 'apart'}"


@dataclass(frozen=True)
class Side(PricedPreference):
    """The side a player prefers."""

    who: str
    kind = "side"

    def constraint(self, request: BalanceRequest) -> Constraint:
        place, team = self._place(request)
        price = float(side_prices(request.players, request.teams, request.side_price)[place].max())
        return Constraint(self.kind, (request.players[place].label,), team=team, price=price)

    def relax(self, request: BalanceRequest) -> BalanceRequest:
        players = (
            replace(player, side=NO_SIDE) if player.id == self.who else player for player in request.players
        )
        return replace(request, players=tuple(players))

    def insist(self, request: BalanceRequest) -> BalanceRequest | None:
        """See :meth:`PricedPreference.insist`: who is fixed to a team is in no other, whatever is wanted."""
        if any(who == self.who for who, _ in request.fixed):
            return None
        return replace(request, fixed=(*request.fixed, (self.who, self._place(request)[1])))

    def paid(self, yardstick: Yardstick, split: Split) -> float:
        request = yardstick.request
        each = side_prices(request.players, request.teams, request.side_price)
        place, _ = self._place(request)
        return float(each[place, yardstick.teams_of(split)[place]])

    def _place(self, request: BalanceRequest) -> tuple[int, int]:
        """Return where the player is in the roster, and the team that is wanted."""
        place = request.roster.find("side", self.who)
        return place, 0 if request.players[place].side < NO_SIDE else request.teams - 1

    @staticmethod
    def words(constraint: Constraint, who: str, team: str) -> str:
        return f"{who} rather in {team}"


@dataclass(frozen=True)
class Stay(PricedPreference):
    """That players, by id, stay in the team each is in now."""

    ids: tuple[str, ...]
    kind = "stay"

    def constraint(self, request: BalanceRequest) -> Constraint:
        return Constraint(self.kind, labels(request, self.ids), price=request.stay)

    def violation(self, yardstick: Yardstick, split: Split) -> tuple[Constraint, ...]:
        """See :meth:`Asked.violation`: each player who changes team."""
        moved = [player.id for player in split.moved if player.id in self.ids]
        return tuple(Stay((who,)).constraint(yardstick.request) for who in moved)

    def relax(self, request: BalanceRequest) -> BalanceRequest:
        return replace(request, stay=0.0)

    def insist(self, request: BalanceRequest) -> BalanceRequest | None:
        return replace(request, stay=0.0, moves=0)

    def about(self, who: str) -> PricedPreference:
        return Stay((who,)) if who in self.ids else self

    def paid(self, yardstick: Yardstick, split: Split) -> float:
        return yardstick.request.stay * len(self.violation(yardstick, split))

    @staticmethod
    def words(constraint: Constraint, who: str, team: str) -> str:
        return f"{who} staying in {'the team' if len(constraint.players) == 1 else 'the teams'} of now"


#: By how many players more the teams may differ when the size rule is relaxed: of two teams the sizes
#: differ by an even number or by an odd one, so one more would often change nothing.
STEP = 2


#: The class of everything that can be asked for, by the kind that is reported.
KINDS: Mapping[str, type[Asked]] = {
    "party": Party,
    "member": RuleMember,
    "apart": Apart,
    "fixed": Fixed,
    "sizes": TeamSizes,
    "role": Role,
    "rule": Custom,
    "prefer": Mates,
    "avoid": Mates,
    "side": Side,
    "stay": Stay,
    "moves": MostMoves,
}


def words(constraint: Constraint, who: str, team: str) -> str:
    """Return what a constraint asks for, given its players and its team as they are to be called."""
    return _kind(constraint.kind).words(constraint, who, team)


def _kind(name: str) -> type[Asked]:
    """Return the class of what can be asked for, ours or that of an installed package."""
    return KINDS[name] if name in KINDS else _added(name)


def _added(name: str) -> type[AddedRule]:
    """Return the class of a rule of an installed package."""
    return cast("type[AddedRule]", further_rule(name))


def rules_in(request: BalanceRequest) -> list[Asked]:
    """Return everything that must be kept, except the sizes."""
    found: list[Asked] = [Party(party) for party in request.parties]
    found += [Apart(pair) for pair in request.apart]
    found += [Fixed(request.fixed)] if request.fixed else []
    found += [Role(role, number) for role, number in request.roles]
    found += [Custom(rule) for rule in request.rules]
    found += [_added(name)(name, value) for name, value in request.further]
    return found + ([] if request.moves is None else [MostMoves(request.moves)])


def preferences_in(request: BalanceRequest) -> list[PricedPreference]:
    """Return what has a price, in the order of a split's outcomes."""
    found: list[PricedPreference] = [
        Mates(place, preference) for place, preference in enumerate(request.preferences) if preference.price
    ]
    if request.side_price:
        found += [Side(player.id) for player in request.players if player.side != NO_SIDE]
    if request.stay:
        ids = tuple(player.id for player in request.players if player.team_now is not None)
        found += [Stay(ids)] if ids else []
    return found


def relaxed_sizes(request: BalanceRequest, steps: int) -> TeamSizes | None:
    """Return the size rule, relaxed by some more players of difference; None where any may be already."""
    sizes = TeamSizes(steps)
    allowed = cast("int", sizes.constraint(request).allowed)
    return sizes if allowed > request.size_rules.largest_difference else None
