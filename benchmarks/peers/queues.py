"""Two peers' ways to make matches of a queue, written anew from their descriptions, behind one call.

Both take what :func:`equipoise.queueing.tick` takes and return what it returns, so that one simulation judges
all.  Neither knows regions, maps, roles or whom somebody avoids.  What a peer leaves open is set so that the
figures known of it come out within 20 % (`benchmarks/QUEUE.md`); its tolerances widen with waiting, as
`TOLERANCE` says, and a window is kept if no two of its ratings are farther apart than each of its tickets
tolerates.

Open-Match-like: the scenario "teamshooter" of Open Match's scale tests sorts the tickets by skill, takes each
run of tickets that fills a match as a proposal, and lets the evaluator take proposals in the order of their
spread as long as they share no ticket.  It has no parties and no teams; here a run must fill the seats with
whole parties, and its teams are the best split, which is kinder than no split at all.

FAF-like: `TeamMatchMaker` of FAForever's server goes out from each party, takes neighbours below and above in
turn, divides by Karmarkar and Karp's heuristic with 5000 points added for each player, drops what comes out
uneven in size, and takes the games of the best quality that share no party.

References
----------
https://github.com/googleforgames/open-match, examples/scale/scenarios/teamshooter
https://github.com/FAForever/server, server/matchmaker/algorithm/team_matchmaker.py
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from itertools import count

from equipoise.queueing import FoundMatch, QueuePolicy, QueueTicket, TickResult

#: How far apart ratings may be at first, and how much farther with each second.
TOLERANCE = {"open match": (48.0, 56.0), "faf": (65.0, 42.0)}

#: What FAF adds to a party's rating for each player, so that teams come out of one size.
PER_PLAYER = 5000.0

Proposal = tuple[float, list[QueueTicket], list[list[QueueTicket]]]


def total(ticket: QueueTicket) -> float:
    """Return the sum of a party's ratings."""
    return sum(player.rating.mu for player in ticket.players)


def taken(proposals: list[Proposal], queue: Sequence[QueueTicket]) -> TickResult:
    """Take proposals from the least on, as long as they share no ticket."""
    matches, gone = [], set()
    for spread, tickets, teams in sorted(proposals, key=lambda each: each[0]):
        ids = {ticket.id for ticket in tickets}
        if not ids & gone:
            gone |= ids
            totals = [sum(map(total, team)) for team in teams]
            found = tuple(map(tuple, teams))
            means = [total(ticket) / ticket.size for ticket in tickets]
            apart = max(means) - min(means)
            matches.append(FoundMatch(found, "", "", (), max(totals) - min(totals), spread, apart))
    return TickResult(tuple(matches), tuple(ticket for ticket in queue if ticket.id not in gone))


def best_split(tickets: Sequence[QueueTicket], team_size: int) -> list[list[QueueTicket]] | None:
    """Return the teams whose totals differ least, None where parties cannot fill them."""
    totals, sizes = [total(ticket) for ticket in tickets], [ticket.size for ticket in tickets]
    half, best, chosen = sum(totals) / 2, float("inf"), -1
    sums, players = [0.0], [0]
    for value, size in zip(totals[1:], sizes[1:], strict=True):
        sums += [each + value for each in sums]
        players += [each + size for each in players]
    for mask, (each, number) in enumerate(zip(sums, players, strict=True)):
        if number == team_size and abs(each - half) < best:
            best, chosen = abs(each - half), mask << 1
    if chosen < 0:
        return None
    return [[t for n, t in enumerate(tickets) if chosen >> n & 1 == side] for side in (0, 1)]


def karmarkar_karp(tickets: Sequence[QueueTicket], team_size: int) -> list[list[QueueTicket]] | None:
    """Return the teams of the largest differencing method, None where they are uneven in size."""
    order = count()
    heap = [(-(total(t) + PER_PLAYER * t.size), next(order), [t], []) for t in tickets]
    heapq.heapify(heap)
    while len(heap) > 1:
        one, _, left, right = heapq.heappop(heap)
        other, _, less, more = heapq.heappop(heap)
        heapq.heappush(heap, (one - other, next(order), [*left, *more], [*right, *less]))
    teams = [heap[0][2], heap[0][3]]
    return teams if all(sum(t.size for t in team) == team_size for team in teams) else None


def open_match(queue: Sequence[QueueTicket], now: float, policy: QueuePolicy) -> TickResult:
    """Make matches as Open Match's example does."""
    base, growth = TOLERANCE["open match"]
    tickets = sorted(queue, key=lambda ticket: total(ticket) / ticket.size)
    proposals: list[Proposal] = []
    for first in range(len(tickets)):
        players, last = 0, first
        while last < len(tickets) and players < policy.seats:
            players += tickets[last].size
            last += 1
        if players != policy.seats:
            continue
        run = tickets[first:last]
        spread = total(run[-1]) / run[-1].size - total(run[0]) / run[0].size
        if spread <= min(base + growth * (now - ticket.since) for ticket in run):
            teams = best_split(run, policy.team_size)
            if teams:
                proposals.append((spread, run, teams))
    return taken(proposals, queue)


def faf(queue: Sequence[QueueTicket], now: float, policy: QueuePolicy) -> TickResult:
    """Make matches as FAF's server does."""
    base, growth = TOLERANCE["faf"]
    tickets = sorted(queue, key=lambda ticket: total(ticket) / ticket.size)
    means = [total(ticket) / ticket.size for ticket in tickets]
    tolerances = [base + growth * (now - ticket.since) for ticket in tickets]
    proposals: list[Proposal] = []
    for seed in range(len(tickets)):
        below, above, downwards = seed - 1, seed + 1, True
        chosen, players = [seed], tickets[seed].size
        low = high = means[seed]
        least = tolerances[seed]
        while players < policy.seats and (below >= 0 or above < len(tickets)):
            if (downwards and below >= 0) or above >= len(tickets):
                place, below = below, below - 1
            else:
                place, above = above, above + 1
            downwards = not downwards
            limits = min(low, means[place]), max(high, means[place]), min(least, tolerances[place])
            if players + tickets[place].size <= policy.seats and limits[1] - limits[0] <= limits[2]:
                low, high, least = limits
                chosen.append(place)
                players += tickets[place].size
        if players == policy.seats:
            group = [tickets[place] for place in chosen]
            teams = karmarkar_karp(group, policy.team_size)
            if teams:
                proposals.append((high - low, group, teams))
    return taken(proposals, queue)
