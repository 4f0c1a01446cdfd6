"""A slow, obvious judge of matches and of what could be one, from the promises alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, permutations, product
from math import exp, log, sqrt

from equipoise.core.player import Player
from equipoise.queueing import QueuePolicy, QueueTicket


def mu(player: Player, policy: QueuePolicy) -> float:
    """Return a rating, the middle where there is none."""
    return policy.middle if player.rating is None else player.rating.mu  # type: ignore[union-attr]


def bound(imbalance: float, policy: QueuePolicy) -> float:
    """Return the difference of totals whose chance is so far from even, by solving the logistic curve."""
    noise = sqrt(2 * policy.team_size) * policy.beta
    return noise / 1.702 * log((0.5 + imbalance) / (0.5 - imbalance))


def imbalance(difference: float, policy: QueuePolicy) -> float:
    """Return how far the chance is from even at a difference."""
    noise = sqrt(2 * policy.team_size) * policy.beta
    return 1.0 / (1.0 + exp(-1.702 * difference / noise)) - 0.5


def totals(teams: Iterable[Iterable[QueueTicket]], policy: QueuePolicy) -> list[float]:
    """Return the sum of the ratings of each team."""
    return [sum(mu(player, policy) for ticket in team for player in ticket.players) for team in teams]


def may_meet(tickets: Sequence[QueueTicket], limits: Sequence[float], policy: QueuePolicy) -> bool:
    """Tell whether no rule keeps tickets from being in one match."""
    if len({ticket.ruleset for ticket in tickets}) > 1:
        return False
    regions = [
        {name for name, latency in ticket.latencies if latency <= limit}
        for ticket, limit in zip(tickets, limits, strict=True)
        if ticket.latencies
    ]
    if regions and not set.intersection(*regions):
        return False
    if policy.maps and not set(policy.maps) - {name for ticket in tickets for name in ticket.vetoes}:
        return False
    ids = {player.id: ticket.id for ticket in tickets for player in ticket.players}
    return not any(
        name in ids and ids[name] != ticket.id
        for ticket in tickets
        for player in ticket.players
        for name, _ in player.avoid
    )


def has_roles(team: Sequence[QueueTicket], policy: QueuePolicy) -> bool:
    """Tell whether a team's players can have its roles, by trying all orders."""
    if not policy.roles:
        return True
    players = [player for ticket in team for player in ticket.players]
    seats = [name for name, count in policy.roles for _ in range(count)]
    return any(
        all(
            not player.roles or role in dict(player.roles)
            for player, role in zip(players, order, strict=True)
        )
        for order in set(permutations(seats))
    )


def splits(tickets: Sequence[QueueTicket], policy: QueuePolicy) -> Iterator[list[list[QueueTicket]]]:
    """Yield all ways to divide tickets into full teams with their roles."""
    for labels in product(range(policy.teams), repeat=len(tickets)):
        teams = [
            [ticket for ticket, label in zip(tickets, labels, strict=True) if label == number]
            for number in range(policy.teams)
        ]
        full = all(sum(ticket.size for ticket in team) == policy.team_size for team in teams)
        if full and all(has_roles(team, policy) for team in teams):
            yield teams


def least_difference(tickets: Sequence[QueueTicket], policy: QueuePolicy) -> float:
    """Return the least difference of totals over all splits; infinity where there is none."""
    differences = (totals(teams, policy) for teams in splits(tickets, policy))
    return min((max(each) - min(each) for each in differences), default=float("inf"))


def legal_match_with(
    ticket: QueueTicket, others: Sequence[QueueTicket], policy: QueuePolicy
) -> list[QueueTicket] | None:
    """Return a match with a ticket that breaks nothing that never gives way, None if there is none."""
    for size in range(policy.teams * policy.team_size):
        for chosen in combinations(others, size):
            tickets = [ticket, *chosen]
            if sum(each.size for each in tickets) != policy.seats:
                continue
            if not may_meet(tickets, [policy.most_latency] * len(tickets), policy):
                continue
            if least_difference(tickets, policy) <= bound(policy.most_imbalance, policy) * (1 - 1e-9):
                return tickets
    return None
