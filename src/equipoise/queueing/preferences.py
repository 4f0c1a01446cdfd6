"""Whom players would like in their team: a match is divided so that most is granted, if it stays even."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from equipoise.queueing.columns import FLOORS, bound_of, have_roles
from equipoise.queueing.policy import QueuePolicy
from equipoise.queueing.tickets import QueueTicket

Teams = tuple[tuple[QueueTicket, ...], ...]

#: Tickets that are put into a team in the search for one match: all splits of two teams of five are fewer.
MOST_SEATED = 20_000  # effort


def preferences_of(tickets: Iterable[QueueTicket]) -> list[tuple[int, int]]:
    """Return the pairs of tickets, by place, of which a player of the first would like one of the second."""
    found = list(tickets)
    holder = {player.id: place for place, ticket in enumerate(found) for player in ticket.players}
    return [
        (place, holder[name])
        for place, ticket in enumerate(found)
        for player in ticket.players
        for name, _ in player.prefer
        if holder.get(name, place) != place
    ]


def divided_by_preferences(teams: Teams, now: float, policy: QueuePolicy, *, overdue: bool) -> Teams:
    """Return the teams of a match of the same tickets that grant most preferences, the most even of these.

    They differ by no more than the players accept by now; those of somebody overdue by no more than they
    would without preferences, or an eighth of the most.
    """
    tickets = [ticket for team in teams for ticket in team]
    preferences = preferences_of(tickets)
    if not preferences or policy.team_size == 1:
        return teams
    search = _PreferenceSearch(tickets, preferences, policy, overdue=overdue)
    before = [number for number, team in enumerate(teams) for _ in team]
    search.limit = search.difference(before)
    if overdue:
        search.limit = max(search.limit, float(bound_of(policy.most_imbalance * FLOORS[0], policy)))
    else:
        grown = [
            min(
                policy.imbalance + policy.imbalance_growth * max(now - each.since, 0.0), policy.most_imbalance
            )
            for each in tickets
        ]
        bounds = bound_of(grown, policy).tolist()
        accepted = sum(bound * each.size for bound, each in zip(bounds, tickets, strict=True)) / policy.seats
        search.limit = max(search.limit, accepted)
    search.best, search.value = before, search.worth(before)
    search.seat_next([])
    return tuple(
        tuple(ticket for ticket, at in zip(tickets, search.best, strict=True) if at == number)
        for number in range(policy.teams)
    )


class _PreferenceSearch:
    """Goes through the splits of some tickets, depth first."""

    def __init__(
        self,
        tickets: Sequence[QueueTicket],
        preferences: Sequence[tuple[int, int]],
        policy: QueuePolicy,
        *,
        overdue: bool,
    ) -> None:
        self._tickets, self._preferences, self._policy, self._overdue = tickets, preferences, policy, overdue
        self._totals = [sum(_above(each, policy)) for each in tickets]
        self._room = [policy.team_size] * policy.teams
        self._spent = 0
        self.limit = 0.0
        self.best: list[int] = []
        self.value = (0, 0.0)

    def difference(self, seats: Sequence[int]) -> float:
        """Return by how much the strongest and the weakest team differ."""
        totals = [0.0] * self._policy.teams
        for total, team in zip(self._totals, seats, strict=True):
            totals[team] += total
        return max(totals) - min(totals)

    def worth(self, seats: Sequence[int]) -> tuple[int, float]:
        """Return what a split is worth: the preferences it grants, then how even it is."""
        return sum(seats[one] == seats[other] for one, other in self._preferences), -self.difference(seats)

    def seat_next(self, seats: list[int]) -> None:
        """Put the next ticket into each team with room in turn; of empty teams, which are alike, into one."""
        if len(seats) == len(self._tickets):
            if self.value < (value := self.worth(seats)) and -value[1] <= self.limit and self._is_fine(seats):
                self.best, self.value = list(seats), value
            return
        size, tried_empty = self._tickets[len(seats)].size, False
        for team, room in enumerate(self._room):
            empty = room == self._policy.team_size
            if size > room or (empty and tried_empty) or self._spent >= MOST_SEATED:
                continue
            tried_empty = tried_empty or empty
            self._spent += 1
            self._room[team] -= size
            seats.append(team)
            self.seat_next(seats)
            seats.pop()
            self._room[team] += size

    def _is_fine(self, seats: Sequence[int]) -> bool:
        """Tell whether each team can have its roles, and parties are as alike as the policy says."""
        teams = [
            [ticket for ticket, at in zip(self._tickets, seats, strict=True) if at == number]
            for number in range(self._policy.teams)
        ]
        largest = [max(ticket.size for ticket in team) for team in teams]
        gap = None if self._overdue else self._policy.party_gap
        alike = gap is None or max(largest) - min(largest) <= gap
        return alike and all(
            have_roles([player for ticket in team for player in ticket.players], self._policy)
            for team in teams
        )


def _above(ticket: QueueTicket, policy: QueuePolicy) -> list[float]:
    return [
        0.0 if player.rating is None else player.rating.mu - policy.middle  # type: ignore[union-attr]
        for player in ticket.players
    ]
