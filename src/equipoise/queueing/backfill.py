"""Seats of running matches, filled from the queue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from equipoise.core.player import Player
from equipoise.errors import InputError
from equipoise.queueing.columns import bound_of, have_roles, tolerances
from equipoise.queueing.policy import QueuePolicy
from equipoise.queueing.tick import check_queue, evenness, latency_limit, mu_of
from equipoise.queueing.tickets import FoundMatch, QueueTicket, check_time, names_all_ids

#: Tickets, the nearest in rating, of which all ways to fill an opening are gone through.
MOST_CANDIDATES = 7


@dataclass(frozen=True, slots=True)
class Opening:
    """A running match with free seats.

    Parameters
    ----------
    match : str
        Its id.
    teams : tuple of tuple of Player
        Who plays in each team now.
    since : float
        Since when seats are free; the match that has waited longest is filled first.
    ruleset, region, map : str
        Where and what is played; a region or a map that is empty suits everybody.
    left : tuple of str
        Who has left it, by id: no seat of it is offered to them.
    """

    match: str
    teams: tuple[tuple[Player, ...], ...]
    since: float
    ruleset: str = ""
    region: str = ""
    map: str = ""
    left: tuple[str, ...] = ()


def with_all_ids(opening: Opening, same: Mapping[str, Sequence[str]]) -> Opening:
    """Return an opening that names whom its players avoid, and who has left, by all their ids."""
    if not same:
        return opening
    teams = tuple(tuple(names_all_ids(player, same) for player in team) for team in opening.teams)
    left = {each for name in opening.left for each in same.get(name, (name,))}
    return replace(opening, teams=teams, left=tuple(sorted(left)))


class BackfillJoin(NamedTuple):
    """A ticket that joins a team of a running match."""

    match: str
    team: int
    ticket: QueueTicket


class Filled(NamedTuple):
    """Who joins which match, and who goes on waiting."""

    joins: tuple[BackfillJoin, ...]
    waiting: tuple[QueueTicket, ...]


def joined_match(opening: Opening, joins: Sequence[BackfillJoin], policy: QueuePolicy) -> FoundMatch:
    """Return the tickets that join an opening as a match, and how even the teams are with them.

    Examples
    --------
    >>> opening = Opening("m1", ((Player("Ann", 1500),), ()), 0.0)
    >>> join = BackfillJoin("m1", 1, QueueTicket("t1", [Player("Bob", 1495)], 0.0, backfill=True))
    >>> found = joined_match(opening, [join], QueuePolicy(team_size=1))
    >>> found.joins, found.difference
    ('m1', 5.0)
    """
    teams = tuple(
        tuple(join.ticket for join in joins if join.team == number) for number in range(policy.teams)
    )
    players = [
        (*here, *(player for ticket in team for player in ticket.players))
        for here, team in zip(opening.teams, teams, strict=True)
    ]
    ((difference, imbalance),) = evenness([players], policy)
    means = [mu_of(player, policy) for team in players for player in team]
    return FoundMatch(
        teams, opening.ruleset, opening.region, (opening.map,) if opening.map else (), difference, imbalance,
        max(means) - min(means), opening.match,
    )  # fmt: skip


def fill_openings(
    queue: Iterable[QueueTicket], openings: Iterable[Opening], now: float, policy: QueuePolicy
) -> Filled:
    """Fill the free seats of running matches from those who wait and would join one.

    As many seats as can be are filled, by those of like rating, so that the teams' totals differ least; a
    seat that stays free counts as a player of the middle.  Nobody joins if the teams would then differ by
    more than those who join accept, unless they differ less than before.  Who has left a match joins others.

    Examples
    --------
    >>> opening = Opening("m1", ((Player("Ann", 1500),), ()), 0.0)
    >>> queue = [QueueTicket("t1", [Player("Bob", 1495)], 0.0, backfill=True)]
    >>> joins, waiting = fill_openings(queue, [opening], 1.0, QueuePolicy(team_size=1))
    >>> joins[0].team, joins[0].ticket.id, waiting
    (1, 't1', ())
    """
    waiting = list(queue)
    check_time(now)
    check_queue(waiting)
    others = [ticket for ticket in waiting if not ticket.backfill]
    willing = [ticket for ticket in waiting if ticket.backfill]
    joins: list[BackfillJoin] = []
    for opening in sorted(openings, key=lambda each: each.since):
        _check_opening(opening, policy)
        chosen = _best_filling(opening, _candidates(opening, willing, now, policy), now, policy)
        joins += [BackfillJoin(opening.match, team, ticket) for ticket, team in chosen]
        gone = {ticket.id for ticket, _ in chosen}
        willing = [ticket for ticket in willing if ticket.id not in gone]
    left = {ticket.id for ticket in (*others, *willing)}
    return Filled(tuple(joins), tuple(ticket for ticket in waiting if ticket.id in left))


def fits_policy(opening: Opening, policy: QueuePolicy) -> bool:
    """Tell whether the teams of an opening are as many and as large as the policy says."""
    return len(opening.teams) == policy.teams and all(len(team) <= policy.team_size for team in opening.teams)


def _check_opening(opening: Opening, policy: QueuePolicy) -> None:
    if not fits_policy(opening, policy):
        msg = f": {opening.match!r} must have {policy.teams} teams of at most {policy.team_size} players"
        raise InputError(msg, "openings")


def _candidates(
    opening: Opening, queue: Sequence[QueueTicket], now: float, policy: QueuePolicy
) -> list[QueueTicket]:
    """Return those who may join, the nearest in rating first."""
    playing = [player for team in opening.teams for player in team]
    ids = {player.id for player in playing}
    unwanted = {*opening.left, *(name for player in playing for name, _ in player.avoid)}
    mean = sum(mu_of(player, policy) for player in playing) / len(playing) if playing else policy.middle
    room = policy.team_size - min(len(team) for team in opening.teams)
    found: list[tuple[float, int, QueueTicket]] = []
    for ticket in queue:
        off = abs(sum(mu_of(player, policy) for player in ticket.players) / ticket.size - mean)
        limit = latency_limit(ticket, now, policy, overdue=False)
        latencies = dict(ticket.latencies)
        if (
            ticket.ruleset == opening.ruleset
            and ticket.size <= room
            and opening.map not in ticket.vetoes
            and (not latencies or not opening.region or latencies.get(opening.region, limit + 1.0) <= limit)
            and not any(player.id in ids | unwanted for player in ticket.players)
            and not any(name in ids for player in ticket.players for name, _ in player.avoid)
            and off <= _tolerance(ticket, now, policy)
        ):
            found.append((off, len(found), ticket))
    return [ticket for _, _, ticket in sorted(found, key=lambda each: each[:2])[:MOST_CANDIDATES]]


def _tolerance(ticket: QueueTicket, now: float, policy: QueuePolicy) -> float:
    mean = np.array([sum(mu_of(player, policy) for player in ticket.players) / ticket.size])
    return float(tolerances(mean, np.array([max(now - ticket.since, 0.0)]), policy)[0])


def _best_filling(
    opening: Opening, candidates: Sequence[QueueTicket], now: float, policy: QueuePolicy
) -> list[tuple[QueueTicket, int]]:
    """Return who joins which team."""
    totals = [sum(mu_of(player, policy) - policy.middle for player in team) for team in opening.teams]
    free = [policy.team_size - len(team) for team in opening.teams]
    before = max(totals) - min(totals)
    best: tuple[int, float, list[tuple[QueueTicket, int]]] = (0, before, [])
    for chosen in _ways(list(candidates), free):
        after = list(totals)
        for ticket, team in chosen:
            after[team] += sum(mu_of(player, policy) - policy.middle for player in ticket.players)
        difference = max(after) - min(after)
        filled = sum(ticket.size for ticket, _ in chosen)
        if difference > before and difference > _bound([ticket for ticket, _ in chosen], now, policy):
            continue
        if (filled, -difference) > (best[0], -best[1]) and _has_roles(opening, chosen, policy):
            best = (filled, difference, chosen)
    return best[2]


def _ways(candidates: list[QueueTicket], free: list[int]) -> Iterator[list[tuple[QueueTicket, int]]]:
    """Yield all ways to put some of the candidates into teams with room, none of whom avoid one another."""
    if not candidates:
        yield []
        return
    first, rest = candidates[0], candidates[1:]
    yield from _ways(rest, free)
    names = {player.id for player in first.players}
    avoided = {name for player in first.players for name, _ in player.avoid}
    meets = [
        other
        for other in rest
        if not any(
            player.id in avoided or any(name in names for name, _ in player.avoid) for player in other.players
        )
    ]
    for team, room in enumerate(free):
        if first.size <= room:
            left = [*free[:team], room - first.size, *free[team + 1 :]]
            for others in _ways(meets, left):
                yield [(first, team), *others]


def _bound(tickets: Sequence[QueueTicket], now: float, policy: QueuePolicy) -> float:
    """Return how far apart the totals may be for those who join: what they accept on average."""
    waited = np.array([max(now - ticket.since, 0.0) for ticket in tickets])
    grown = np.minimum(policy.imbalance + policy.imbalance_growth * waited, policy.most_imbalance)
    return float(bound_of(grown, policy).mean())


def _has_roles(opening: Opening, chosen: Sequence[tuple[QueueTicket, int]], policy: QueuePolicy) -> bool:
    """Tell whether every team could be completed with its roles."""
    return all(
        have_roles(
            [*team, *(player for ticket, at in chosen if at == number for player in ticket.players)], policy
        )
        for number, team in enumerate(opening.teams)
    )
