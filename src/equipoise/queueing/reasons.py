"""Why somebody waits, in words: what is short, and when that gives way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from equipoise.queueing.columns import tolerances_among
from equipoise.queueing.policy import QueuePolicy
from equipoise.queueing.tick import columns_of, is_provisional
from equipoise.queueing.tickets import QueueTicket, check_time


class Shortage(StrEnum):
    """What keeps a ticket waiting."""

    PARTY = "party too large"
    ROLES = "no role of the queue"
    PLAYERS = "too few players"
    RULES = "too few players who may meet"
    PROVISIONAL = "too few players with provisional ratings"
    RATINGS = "too few players of like rating"
    SPLIT = "no even teams"


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
    """

    shortage: Shortage
    text: str
    here: int = 0
    wanted: int = 0


def reason_for_waiting(
    ticket: QueueTicket, queue: Sequence[QueueTicket], now: float, policy: QueuePolicy
) -> WaitReason:
    """Say why a ticket of a queue waits.

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
    if ticket.size > policy.team_size:
        text = f"your party has {ticket.size} players, and a team has {policy.team_size}"
        return WaitReason(Shortage.PARTY, text)
    roles = [name for name, _ in policy.roles]
    if player := ticket.without_role(roles):
        return WaitReason(Shortage.ROLES, f"{player!r} plays none of the roles {', '.join(roles)}")
    pool = [each for each in queue if each.ruleset == ticket.ruleset]
    overdue = now - ticket.since >= policy.longest_wait
    here = sum(each.size for each in pool)
    if here < policy.seats:
        verb = "waits" if here == 1 else "wait"
        text = f"a match has {policy.seats} players, and {here} {verb} for it"
        return WaitReason(Shortage.PLAYERS, text, here, policy.seats)
    may = _may_meet(ticket, pool, now, policy, overdue=overdue)
    players = sum(each.size for each in may)
    if players < policy.seats:
        text = (
            f"of {here} players who wait {players} may meet you, by region, map and whom somebody avoids; "
            f"a match has {policy.seats}"
        )
        return WaitReason(Shortage.RULES, text, players, policy.seats)
    if overdue:
        return WaitReason(Shortage.SPLIT, _uneven(policy.most_imbalance, "ever"))
    if policy.provisional is not None:
        new = is_provisional(ticket, policy)
        may = [each for each in may if is_provisional(each, policy) == new]
        players = sum(each.size for each in may)
        if players < policy.seats:
            kind = "with provisional ratings" if new else "with known ratings"
            text = f"{players} of {policy.seats} players {kind} wait for a match"
            text += f"; {_promise(ticket, now, policy)}"
            return WaitReason(Shortage.PROVISIONAL, text, players, policy.seats)
    columns = columns_of(may, now, policy, overdue=False)
    means = columns.total / columns.size
    accepted = tolerances_among(means, columns.size, columns.waited, policy)
    place = may.index(ticket)
    far = abs(means - means[place])
    near = int(columns.size[(far <= accepted) & (far <= accepted[place])].sum())
    if near < policy.seats:
        text = (
            f"within {accepted[place]:.0f} of your rating {near} of {policy.seats} players wait; "
            f"{_promise(ticket, now, policy)}"
        )
        return WaitReason(Shortage.RATINGS, text, near, policy.seats)
    return WaitReason(Shortage.SPLIT, _uneven(accepted_imbalance(ticket, now, policy), "yet"))


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


def _may_meet(
    ticket: QueueTicket, pool: Sequence[QueueTicket], now: float, policy: QueuePolicy, *, overdue: bool
) -> list[QueueTicket]:
    """Return the tickets that no rule keeps from meeting a ticket, itself among them."""
    columns = columns_of(pool, now, policy, overdue=overdue)
    place = pool.index(ticket)
    avoided = {other for pair in columns.avoided if place in pair for other in pair} - {place}
    may = []
    for other, each in enumerate(pool):
        meets = columns.places is None or columns.places[other] & columns.places[place]
        shared = columns.maps is None or columns.maps[other] & columns.maps[place]
        fits = each.size <= policy.team_size
        if meets and shared and fits and other not in avoided:
            may.append(each)
    return may
