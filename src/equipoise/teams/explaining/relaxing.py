"""Everything a request asks for, one rule or preference after another, and the size rule relaxed.

Each is a class, in :mod:`.rules` and :mod:`.preferences` beside this.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from equipoise.players import NO_SIDE
from equipoise.teams.explaining.asking import Asked, Constraint, PricedPreference
from equipoise.teams.explaining.preferences import Mates, Side, Stay
from equipoise.teams.explaining.rules import (
    Apart,
    Custom,
    Fixed,
    MostMoves,
    Party,
    Role,
    RuleMember,
    TeamSizes,
)
from equipoise.teams.request import BalanceRequest

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
    return KINDS[constraint.kind].words(constraint, who, team)


def rules_in(request: BalanceRequest) -> list[Asked]:
    """Return everything that must be kept, except the sizes."""
    found: list[Asked] = [Party(party) for party in request.parties]
    found += [Apart(pair) for pair in request.apart]
    found += [Fixed(request.fixed)] if request.fixed else []
    found += [Role(role, number) for role, number in request.roles]
    found += [Custom(rule) for rule in request.rules]
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
