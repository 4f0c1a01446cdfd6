"""The policy of a queue, and tickets that came, from files in JSON or TOML.

The fields are in :mod:`equipoise.queueing.policy` and :mod:`equipoise.queueing.tickets`.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

from equipoise.core.plain_data import fail, list_of, real_of
from equipoise.files.read_request import data_of
from equipoise.files.read_roster import content_of
from equipoise.queueing.policy import QueuePolicy
from equipoise.queueing.tickets import QueueTicket


def read_policy(source: str) -> QueuePolicy:
    """Read a policy from a file, or from standard input for ``-``.

    Parameters
    ----------
    source : str
        A path or ``-``.  With the ending ``.toml`` it is TOML, else JSON.

    Raises
    ------
    InputError
        If the file cannot be read or something in it is wrong.
    """
    where, content = content_of(source)
    return QueuePolicy.asked(data_of(content, where, toml=source.lower().endswith(".toml")), where)


class TicketsRead(NamedTuple):
    """Tickets that once came, and when each left that would not wait any longer; infinity for the others."""

    tickets: tuple[QueueTicket, ...]
    until: tuple[float, ...]


def read_tickets(source: str) -> TicketsRead:
    """Read tickets from a list in a JSON file, or from standard input for ``-``.

    Besides the fields of a ticket, ``until`` says when it left without having played.

    Raises
    ------
    InputError
        If the file cannot be read or something in it is wrong; the message names the entry.
    """
    where, content = content_of(source)
    entries = list_of(data_of(content, where, toml=False), where, "tickets")
    tickets, until = [], []
    for number, entry in enumerate(entries, start=1):
        at = f"{where}, ticket {number}"
        plain = dict(entry) if isinstance(entry, dict) else entry
        end = real_of(plain.pop("until"), f"{at}: until") if plain is not entry and "until" in plain else inf
        ticket = QueueTicket.from_dict(plain, at)
        if end < ticket.since:
            fail(at, f"until must be at least since, {ticket.since:g}, got {end:g}")
        tickets.append(ticket)
        until.append(end)
    return TicketsRead(tuple(tickets), tuple(until))
