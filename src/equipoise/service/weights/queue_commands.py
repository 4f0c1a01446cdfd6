"""The lines for queues: what each asks; what queues know is not known here.

A line names a ticket or a match, and players in fields; what a game server does, as over HTTP, needs a token.
"""

from __future__ import annotations

import re

from equipoise.core.plain_data import is_plain
from equipoise.service.weights.messages import (
    MOST_TEAMS,
    Named,
    Queued,
    QueueVerb,
    Refusal,
    Wrong,
    member_in,
    name_in,
    refuse_more,
    whole,
)

#: How a match ended that was not played.
UNPLAYED = b"unplayed"

#: What stands before the players of a ticket for whom a seat in a running match does.
BACKFILL = b"backfill"

#: What a new ticket, and a match that offers seats, may be called: the name is part of paths over HTTP.
TICKET_NAME = r"^[A-Za-z0-9._:@~-]+$(?!\n)"

#: What asks and changes nothing, and so needs no token.
OPEN = (QueueVerb.STATE, QueueVerb.MATCHES)


def queue_request(queue: str, verb: QueueVerb, rest: bytes, fields: list[bytes]) -> Queued:
    """Return what a line asks of a queue.

    Raises
    ------
    Wrong
        If the line is at fault.

    Examples
    --------
    >>> queue_request("duel", QueueVerb.ACCEPT, b"t1", [b"7"]).match
    '7'
    """
    if verb is QueueVerb.MATCHES:
        refuse_more(rest, fields)
        return Queued(queue, verb)
    name = name_in(rest, [])
    new = verb is QueueVerb.ENTER or (verb is QueueVerb.SEATS and bool(fields))
    if new and not re.search(TICKET_NAME, name):
        raise Wrong(Refusal.BAD_NAME)
    if verb is QueueVerb.ENTER:
        backfill = fields[:1] == [BACKFILL]
        return Queued(queue, verb, name, members=_people(fields[backfill:]), backfill=backfill)
    if verb in (QueueVerb.ACCEPT, QueueVerb.DECLINE):
        if not fields:
            raise Wrong(Refusal.BAD_FIELD)
        return Queued(queue, verb, name, name_in(fields[0], []), _people(fields[1:], least=0))
    if verb is QueueVerb.ENDED:
        if fields not in ([], [UNPLAYED]):
            raise Wrong(Refusal.BAD_FIELD)
        return Queued(queue, verb, name, played=not fields)
    if verb is QueueVerb.SEATS:
        if fields and fields[0][:1].isdigit():
            return Queued(queue, verb, name, seats=_seats(fields))
        return Queued(queue, verb, name, members=_people(fields, least=0))
    refuse_more(b"", fields)
    return Queued(queue, verb, name)


def _people(fields: list[bytes], least: int = 1) -> tuple[Named, ...]:
    """Return players, each once."""
    found = tuple(member_in(field, Refusal.BAD_FIELD) for field in fields)
    if (
        len(found) < least
        or len(set(found)) < len(found)
        or any(each.bot or not is_plain(each.name) for each in found)
    ):
        raise Wrong(Refusal.BAD_FIELD)
    return found


def _seats(fields: list[bytes]) -> tuple[tuple[Named, ...], ...]:
    """Return who plays in which team; a team may be empty."""
    teams: list[list[Named]] = [[], []]
    for field in fields:
        number, _, rest = field.partition(b" ")
        team = whole(number, 0, MOST_TEAMS - 1)
        teams.extend([] for _ in range(team + 1 - len(teams)))
        teams[team].append(member_in(rest, Refusal.BAD_FIELD))
    found = tuple(map(tuple, teams))
    _people([member.raw for team in found for member in team])
    return found
