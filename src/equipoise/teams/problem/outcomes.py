"""What became of preferences in a split: those between players, for a side, and to stay in a team."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from equipoise.arrays import Labels
from equipoise.players import NO_SIDE, Player
from equipoise.teams.problem.preferences import Preference, broken_for, side_prices
from equipoise.teams.problem.problem import Problem


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a preference in a split.

    Parameters
    ----------
    kind : str
        ``"together"``, ``"apart"``, ``"side"`` or ``"stay"``.
    players : tuple of str
        Who wanted it, as they are shown.
    price : float
        What breaking it costs, for each player it is broken for.
    paid : float
        What this split pays for it; 0 where it is met.
    """

    kind: str
    players: tuple[str, ...]
    price: float
    paid: float

    @property
    def met(self) -> bool:
        """Whether nothing is paid."""
        return self.paid == 0.0

    def as_dict(self) -> dict[str, object]:
        """Return the outcome in plain lists and numbers."""
        return {
            "kind": self.kind,
            "players": list(self.players),
            "price": self.price,
            "paid": self.paid,
            "met": self.met,
        }


def outcomes(
    problem: Problem,
    preferences: Sequence[Preference],
    side_price: float,
    stay: float,
    players: Sequence[Player],
    labels: Labels,
) -> tuple[Outcome, ...]:
    """Return what became of every preference in a split: between players, for a side, to stay in a team.

    Parameters
    ----------
    problem : Problem
        With prices made of the preferences, in their order.
    preferences : sequence of Preference
        The preferences between players.
    side_price : float
        What a whole side preference is worth.
    stay : float
        What it is worth to stay in the team of now.
    players : sequence of Player
        The roster.
    labels : ndarray of int8, shape (n_blocks,)
        The split.
    """
    if problem.prices is None:
        return ()
    label_of = {key: player.label for player in players for key in (player.name, player.id) if key}
    found = [
        Outcome(
            preference.kind,
            tuple(label_of[who] for who in preference.players),
            preference.price,
            float(group.price * broken_for(group, labels[None, :], problem.n_teams).sum()),
        )
        for preference, group in zip(preferences, problem.prices.groups, strict=True)
    ]
    if side_price:
        each = side_prices(players, problem.n_teams, side_price)
        for places, team in zip(problem.members, labels.tolist(), strict=True):
            found += [
                Outcome("side", (players[place].label,), float(each[place].max()), float(each[place, team]))
                for place in places
                if players[place].side != NO_SIDE
            ]
    if stay:
        found += [
            Outcome("stay", (players[place].label,), stay, stay if team != players[place].team_now else 0.0)
            for places, team in zip(problem.members, labels.tolist(), strict=True)
            for place in places
            if players[place].team_now is not None
        ]
    return tuple(found)
