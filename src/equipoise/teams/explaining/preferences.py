"""The preferences that can be asked for, each a class: mates, a side, and staying in a team."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import ClassVar

from equipoise.players import NO_SIDE
from equipoise.teams.explaining.asking import Constraint, PricedPreference, labels
from equipoise.teams.explaining.judging import Yardstick
from equipoise.teams.problem.preferences import Preference, side_prices
from equipoise.teams.request import BalanceRequest
from equipoise.teams.solution import Split


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
