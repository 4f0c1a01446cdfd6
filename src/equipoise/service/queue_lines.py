"""The answers of queues to the lines of the weight protocol."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from equipoise.core.plain_data import printable
from equipoise.core.player import Player
from equipoise.errors import InputError
from equipoise.identity.roster_lookup import AmbiguousNameError
from equipoise.queueing.life import (
    Accept,
    CancelTicket,
    Decline,
    EnterTicket,
    MatchEnded,
    OfferSeats,
    WithdrawSeats,
)
from equipoise.queueing.tickets import QueueTicket
from equipoise.service.queue_owner import MatchesAsked, OpeningsAsked, StatusAsked, WhereAsked
from equipoise.service.queues import Queue, Queues
from equipoise.service.weights.messages import Named, Queued, QueueVerb, Refusal, sayable

TAB = "\t"


async def answered(queues: Queues, asked: Queued) -> bytes | Refusal:
    """Return the lines that answer a line for a queue.

    Raises
    ------
    BusyError
        If too much waits.
    EquipoiseError
        If it cannot be kept.
    """
    if asked.queue not in queues:
        return Refusal.NO_QUEUE
    queue = queues[asked.queue]
    if asked.verb is QueueVerb.STATE:
        (state,) = await queue.ask(StatusAsked())
        return _line("QUEUE", queue.name, state["waiting"], state["proposed"], state["running"])
    if asked.verb is QueueVerb.MATCHES:
        (found,) = await queue.ask(MatchesAsked())
        return b"".join([*map(_match, found), b"END\n"])
    if asked.verb is QueueVerb.ENDED:
        (replies,) = await queue.ask(MatchEnded(asked.name, asked.played))
        return _refused(replies) or _line("ENDED", asked.name)
    if asked.verb is QueueVerb.SEATS:
        return await _seats(queues, queue, asked)
    return await _ticket(queues, queue, asked)


async def _seats(queues: Queues, queue: Queue, asked: Queued) -> bytes | Refusal:
    """Offer seats, or none any longer, and say how many of each team are looked for."""
    event: OfferSeats | WithdrawSeats = WithdrawSeats(asked.name)
    if asked.seats or asked.members:
        teams = tuple(tuple(_players(queues, queue, team)) for team in asked.seats)
        left = await queues.left(queue, asked.name, [each.name for each in asked.members])
        event = OfferSeats(asked.name, teams, left)
    replies, openings = await queue.ask(event, OpeningsAsked())
    free = [each["free"] for each in openings if each["match"] == asked.name]
    return _refused(replies) or _line("SEATS", asked.name, *(free[0] if free else ()))


async def _ticket(queues: Queues, queue: Queue, asked: Queued) -> bytes | Refusal:
    name, where = asked.name, WhereAsked(asked.name)
    if asked.verb is QueueVerb.ENTER:
        try:
            players = tuple(_players(queues, queue, asked.members))
            ticket = QueueTicket(name, players, 0.0, backfill=asked.backfill)
        except AmbiguousNameError:
            return Refusal.AMBIGUOUS_NAME
        except InputError:
            return Refusal.BAD_FIELD
        replies, state = await queue.ask(EnterTicket(ticket), where)
        return _refused(replies) or _place(asked, state)
    (state,) = await queue.ask(where)
    if state is None:
        return Refusal.NO_TICKET
    if asked.verb is QueueVerb.TICKET:
        return _place(asked, state)
    if asked.verb is QueueVerb.LEAVE:
        replies, state = await queue.ask(CancelTicket(name), where)
        return _refused(replies) or _place(asked, state)
    named = [each.name for each in asked.members] or list(state["players"])
    names = [queues.meant(each, state["players"]) for each in named]
    if not set(names) <= set(state["players"]):
        return Refusal.BAD_FIELD
    if asked.verb is QueueVerb.ACCEPT:
        *some, state = await queue.ask(*(Accept(asked.match, each) for each in names), where)
    else:
        *some, state = await queue.ask(Decline(asked.match, names[0]), where)
    return _refused([each for replies in some for each in replies]) or _place(asked, state)


def _players(queues: Queues, queue: Queue, members: Iterable[Named]) -> list[Player]:
    """Return players with the ratings in the archive."""
    return [queues.rated(Player(each.name), queue.settings) for each in members]


def _place(asked: Queued, state: dict[str, Any]) -> bytes:
    """Say where a ticket is: since how long it waits, in which match it is, or why it is gone."""
    more: tuple[object, ...] = ()
    if state["place"] == "waiting":
        more = (int(state["waited"]),)
    elif "match" in state:
        more = (state["match"]["match"],)
    elif state["why"]:
        more = (_shown(state["why"]),)
    return _line(asked.verb.value, asked.name, state["place"], *more)


def _match(found: dict[str, Any]) -> bytes:
    """Say who plays in which team of a match, and whether it runs, or which one it joins."""
    state = "running" if found["running"] else "proposed"
    seats = [
        f"{number} PLAYER {_sayable(name)}" for number, team in enumerate(found["players"]) for name in team
    ]
    joins = [f"joins {found['joins']}"] if "joins" in found else []
    return _line("MATCH", TAB.join([f"{found['match']} {state}", *joins, *seats]))


def _sayable(name: str) -> str:
    """Return an id for a line; of one from before ids were checked what stands for it."""
    return name if sayable(name) else printable(name)


def _refused(replies: Iterable[dict[str, Any]]) -> bytes:
    """Return the line that says why something was refused; nothing where it was not."""
    for each in replies:
        if each["kind"] == "refused":
            return _line("ERR", Refusal.REFUSED.code, _shown(each["why"]))
    return b""


def _shown(why: str) -> str:
    return "".join(sign if sign.isprintable() else "?" for sign in why)


def _line(*words: object) -> bytes:
    return (" ".join(map(str, words)) + "\n").encode("utf-8", "replace")
