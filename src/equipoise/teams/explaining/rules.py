"""The rules that can be asked for, each a class: parties, apart, fixed, sizes, roles, custom, moves."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from equipoise.teams.explaining.asking import Asked, Constraint, labels, teams_with
from equipoise.teams.explaining.judging import Yardstick
from equipoise.teams.problem.rules import Rule, rows_of
from equipoise.teams.request import BalanceRequest
from equipoise.teams.solution import Split


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
        request, everyone = yardstick.request, range(len(yardstick.request.players))
        rows = rows_of([self.rule], request.teams, everyone, len(everyone), request.roster.find)
        teams = np.array([yardstick.teams_of(split)], dtype=np.int8)
        return rows is None or not rows.excess(teams)[0] > 0.0

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
