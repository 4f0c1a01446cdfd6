"""Why somebody waits, in words: what is short, and when that gives way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.core.arrays import Ints
from equipoise.queueing.columns import (
    EVERYWHERE,
    QueueColumns,
    could_play,
    crowded_roles,
    role_limits,
    tolerances_among,
)
from equipoise.queueing.policy import QueuePolicy
from equipoise.queueing.tick import columns_of, is_provisional, tick
from equipoise.queueing.tickets import QueueTicket, check_time


class Shortage(StrEnum):
    """What keeps a ticket waiting."""

    PARTY = "party too large"
    ROLES = "no roles of a team"
    MAPS = "no map that is not vetoed"
    REGIONS = "no region near enough"
    PLAYERS = "too few players"
    RULES = "too few players who may meet"
    PROVISIONAL = "too few players with provisional ratings"
    ROLE = "too few players of a role"
    RATINGS = "too few players of like rating"
    TEAMS = "no full teams"
    SPLIT = "no even teams"
    NOTHING = "nothing"
    PAUSED = "the queue is paused"


@dataclass(frozen=True, slots=True)
class WaitReason:
    """Why a ticket waits.

    Parameters
    ----------
    shortage : Shortage
        What keeps it waiting.
    text : str
        The same in words, for the player.
    here, wanted : int
        How many players there are of how many, where it is players that are short.
    roles : tuple of str
        The roles of which these play one, where those are short.
    """

    shortage: Shortage
    text: str
    here: int = 0
    wanted: int = 0
    roles: tuple[str, ...] = ()


def never_plays(ticket: QueueTicket, policy: QueuePolicy) -> WaitReason | None:
    """Say why a ticket could be in no match under a policy, whoever else waits; None where it could.

    Who would take a seat in a running match may be offered one of any map and region.

    Examples
    --------
    >>> from equipoise import Player
    >>> ann = QueueTicket("Ann", [Player("Ann", 1500)], 0.0, vetoes=["mill"])
    >>> never_plays(ann, QueuePolicy(team_size=1, maps=["mill"])).text
    'the ticket vetoes every map: mill'
    """
    if ticket.size > policy.team_size:
        text = f"the party has {ticket.size} players, and a team has {policy.team_size}"
        return WaitReason(Shortage.PARTY, text)
    if policy.roles:
        roles = [name for name, _ in policy.roles]
        if player := ticket.without_role(roles):
            return WaitReason(Shortage.ROLES, f"{player!r} plays none of the roles {', '.join(roles)}")
        if ticket.size > 1 and (crowded := crowded_roles(ticket.players, policy)):
            count, names, seats = crowded
            text = f"{count} players of the party play {' and '.join(names)} alone, and a team has {seats}"
            return WaitReason(Shortage.ROLES, text)
    if ticket.backfill:
        return None
    if policy.maps and set(policy.maps) <= set(ticket.vetoes):
        return WaitReason(Shortage.MAPS, f"the ticket vetoes every map: {', '.join(policy.maps)}")
    if ticket.latencies:
        region, latency = min(ticket.latencies, key=lambda each: each[1])
        if latency > policy.most_latency:
            limit = f"no region is within {policy.most_latency:g} ms"
            return WaitReason(Shortage.REGIONS, f"{limit}; the nearest, {region!r}, is {latency:g} away")
    return None


def all_may_play(tickets: Sequence[QueueTicket], policy: QueuePolicy) -> bool:
    """Tell whether :func:`never_plays` finds nothing in any of many tickets."""
    plain = not policy.roles and not any(map(attrgetter("latencies"), tickets))
    if plain and not (policy.maps and any(map(attrgetter("vetoes"), tickets))):
        return max([len(ticket.players) for ticket in tickets], default=0) <= policy.team_size
    return all(never_plays(ticket, policy) is None for ticket in tickets)


def reason_for_waiting(
    ticket: QueueTicket, queue: Sequence[QueueTicket], now: float, policy: QueuePolicy
) -> WaitReason:
    """Say why a ticket of a queue waits: what never gives way first, then ratings, then how even teams are.

    Parameters
    ----------
    ticket : QueueTicket
        One of the queue.
    queue : sequence of QueueTicket
        All who wait.
    now, policy
        As :func:`~equipoise.queueing.tick` takes them.

    Examples
    --------
    >>> from equipoise import Player
    >>> ann = QueueTicket("Ann", [Player("Ann", 1500)], 0.0)
    >>> reason_for_waiting(ann, [ann], 5.0, QueuePolicy(team_size=1)).text
    'a match has 2 players, and 1 waits for it'
    """
    check_time(now)
    if (never := never_plays(ticket, policy)) is not None:
        return never
    pool = [each for each in queue if each.ruleset == ticket.ruleset]
    overdue = now - ticket.since >= policy.longest_wait
    here = sum(each.size for each in pool)
    if here < policy.seats:
        verb = "waits" if here == 1 else "wait"
        text = f"a match has {policy.seats} players, and {here} {verb} for it"
        return WaitReason(Shortage.PLAYERS, text, here, policy.seats)
    columns, place = columns_of(pool, now, policy, overdue=overdue), pool.index(ticket)
    together, short = _enough(columns, _together(columns, place, pool, policy), policy)
    if short is not None:
        text = (
            f"{short.here} may meet you, by region, map and whom somebody avoids; a match has {short.wanted}"
        )
        many = f"of {here} players who wait {text}"
        text = f"of those who may meet you {_play(short)}" if short.roles else many
        return _reason(Shortage.RULES, text, short)
    no_teams = "parties, roles and whom somebody avoids leave no full teams of those who may meet you"
    together = [those for those in together if could_play(*_among(columns, those, place, policy), policy)]
    if not together:
        return WaitReason(Shortage.TEAMS, no_teams)
    if not overdue:
        near = _not_near(columns, place, together, pool, now, policy)
        if isinstance(near, WaitReason):
            return near
        if not any(could_play(*_among(columns, those, place, policy), policy) for those in near):
            text = f"{no_teams} and are of like rating; {_promise(ticket, now, policy)}"
            return WaitReason(Shortage.TEAMS, text)
    if any(ticket in team for found in tick(pool, now, policy).matches for team in found.teams):
        return WaitReason(Shortage.NOTHING, "nothing is short: a match is there when matches are made next")
    imbalance = policy.most_imbalance if overdue else accepted_imbalance(ticket, now, policy)
    return WaitReason(Shortage.SPLIT, _uneven(imbalance, "ever" if overdue else "yet"))


def _not_near(
    columns: QueueColumns,
    place: int,
    together: list[_Bools],
    pool: Sequence[QueueTicket],
    now: float,
    policy: QueuePolicy,
) -> WaitReason | list[_Bools]:
    """Return those of like rating among some, or why they are too few."""
    ticket = pool[place]
    alike = np.ones(len(pool), dtype=bool)
    if policy.provisional is not None:
        new = is_provisional(ticket, policy)
        alike = np.array([is_provisional(each, policy) == new for each in pool])
        together, short = _enough(columns, [those & alike for those in together], policy)
        if short is not None:
            kind = "with provisional ratings" if new else "with known ratings"
            text = f"{short.here} of {short.wanted} players {kind} wait for a match"
            if short.roles:
                text = f"of the players {kind} {_play(short)}"
            return _reason(Shortage.PROVISIONAL, f"{text}; {_promise(ticket, now, policy)}", short)
    means = columns.total / columns.size
    accepted = np.zeros(len(pool))
    accepted[alike] = tolerances_among(means[alike], columns.size[alike], columns.waited[alike], policy)
    far = abs(means - means[place])
    close = (far <= accepted) & (far <= accepted[place])
    near, short = _enough(columns, [those & close for those in together], policy)
    if short is None:
        return near
    text = f"within {accepted[place]:.0f} of your rating {short.here} of {short.wanted} players wait"
    if short.roles:
        text = f"within {accepted[place]:.0f} of your rating {_play(short)}"
    return _reason(Shortage.RATINGS, f"{text}; {_promise(ticket, now, policy)}", short)


def accepted_imbalance(ticket: QueueTicket, now: float, policy: QueuePolicy) -> float:
    """Return how far from even the chance of a match may be by now for a ticket that waits.

    Examples
    --------
    >>> from equipoise import Player
    >>> ann = QueueTicket("Ann", [Player("Ann", 1500)], 0.0)
    >>> accepted_imbalance(ann, 10.0, QueuePolicy(imbalance=0.02, imbalance_growth=0.001))
    0.03
    """
    waited = max(now - ticket.since, 0.0)
    return min(policy.imbalance + policy.imbalance_growth * waited, policy.most_imbalance)


def _promise(ticket: QueueTicket, now: float, policy: QueuePolicy) -> str:
    """Say when what is short gives way."""
    left = max(policy.longest_wait - (now - ticket.since), 0.0)
    return f"it grows, and in {left:.0f} s anybody will do"


def _uneven(imbalance: float, when: str) -> str:
    strong = 50 + 100 * imbalance
    even = f"{strong:.0f}:{100 - strong:.0f}"
    return f"no teams of these parties and roles are as even as they must be {when} ({even})"


#: Which of some tickets are meant.
_Bools = NDArray[np.bool_]


class _Short(NamedTuple):
    """How many players there are of how many, and the roles of which they play one, if it is those."""

    here: int
    wanted: int
    roles: tuple[str, ...] = ()


def _play(short: _Short) -> str:
    verb = "plays" if short.here == 1 else "play"
    return f"{short.here} {verb} {' or '.join(short.roles)}; a match has {short.wanted}"


def _reason(shortage: Shortage, text: str, short: _Short) -> WaitReason:
    return WaitReason(Shortage.ROLE if short.roles else shortage, text, *short)


def _together(
    columns: QueueColumns, place: int, pool: Sequence[QueueTicket], policy: QueuePolicy
) -> list[_Bools]:
    """Return the tickets that may meet one of them, itself among them, for each region and map of a match."""
    may = np.array([never_plays(each, policy) is None for each in pool])
    for pair in columns.avoided:
        if place in pair:
            may[sum(pair) - place] = False
    found = [may]
    for masks in (columns.places, columns.maps):
        if masks is not None:
            bits = _bits(masks, place)
            found = [those & (masks >> bit & 1 == 1) for those in found for bit in bits] or [may & False]
            largest = max(found, key=np.count_nonzero)
            if not np.any(found, axis=0)[~largest].any():
                found = [largest]  # the others are parts of it
    return found


def _bits(masks: Ints, place: int) -> list[int]:
    """Return the regions or maps in which a ticket could play; of one that all suit, those of the others."""
    mask = int(masks[place])
    if mask == EVERYWHERE:
        mask = int(np.bitwise_or.reduce(masks[masks != EVERYWHERE], initial=0)) or 1
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]


def _enough(
    columns: QueueColumns, pools: list[_Bools], policy: QueuePolicy
) -> tuple[list[_Bools], _Short | None]:
    """Return the pools that have players enough for a match, of each role too; if none has, what is short."""
    short = [_short(columns, those, policy) for those in pools]
    enough = [those for those, each in zip(pools, short, strict=True) if each is None]
    least = min(
        (each for each in short if each is not None),
        key=lambda each: (not each.roles, each.wanted - each.here),
        default=None,
    )
    return enough, None if enough else least


def _short(columns: QueueColumns, those: _Bools, policy: QueuePolicy) -> _Short | None:
    """Return what is short among some tickets: players, or those who play one of the fewest roles."""
    players = int(columns.size[those].sum())
    if players < policy.seats:
        return _Short(players, policy.seats)
    if columns.role_rows is None:
        return None
    names, limits = [name for name, _ in policy.roles], role_limits(policy)
    only, every = columns.role_rows[those].sum(axis=0).tolist(), len(limits)
    found = []
    for chosen in range(1, every):
        here, wanted = players - only[every - chosen - 1], policy.teams * limits[chosen - 1]
        if here < wanted:
            roles = tuple(name for bit, name in enumerate(names) if chosen >> bit & 1)
            found.append(_Short(here, wanted, roles))
    return min(found, key=lambda each: (len(each.roles), each.here - each.wanted), default=None)


def _among(columns: QueueColumns, those: _Bools, place: int, policy: QueuePolicy) -> tuple[QueueColumns, int]:
    """Return some tickets that have a region and a map in common as if all were alike; and where one is."""
    chosen = np.flatnonzero(those)
    at = {each: number for number, each in enumerate(chosen.tolist())}
    rows: dict[str, Any] = {"role_rows": None if columns.role_rows is None else columns.role_rows[chosen]}
    rows["avoided"] = tuple((at[a], at[b]) for a, b in columns.avoided if a in at and b in at)
    size = columns.size[chosen]
    return QueueColumns((size * policy.middle).astype(float), size, np.zeros(len(chosen)), **rows), at[place]
