"""All that a queue knows at a moment as text, from which it goes on.

What is known of tickets and matches are columns: what is the default of all is left out, and a match names
its tickets by their places.  A row for each, with all tickets in the matches once more, took four times the
room.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, fields, replace
from operator import attrgetter
from typing import Any

import msgspec

from equipoise.errors import InputError
from equipoise.queueing.life import KnownMatch, KnownTicket, LifeSnapshot, TicketLife
from equipoise.queueing.record import match_of, ticket_lines
from equipoise.queueing.tickets import FoundMatch, QueueTicket

#: The form of a state that is written, and of those before, in which the life has tickets and matches itself.
STATE_FORM, FORM_OF_ROWS = 2, 1

Columns = dict[str, list[Any]]


class _StateColumns(msgspec.Struct):
    """Tickets, what is known of them, matches, and what is known of these: values by field.

    First come the tickets that are known, then those that a match alone still names.
    """

    tickets: list[QueueTicket]
    known: Columns
    found: Columns
    matches: Columns


class _State(msgspec.Struct):
    form: int
    life: LifeSnapshot
    columns: _StateColumns | None = None


class _StateForm(msgspec.Struct):
    form: int


def state_of(life: TicketLife) -> str:
    """Return all that a life knows as text, from which :func:`life_of` makes it again."""
    snapshot = life.snapshot()
    tickets = [known.ticket for known in snapshot.tickets]
    found = [match.found for match in snapshot.matches]
    place = {id(ticket): number for number, ticket in enumerate(tickets)}
    for ticket in [ticket for each in found for team in each.teams for ticket in team]:
        if place.setdefault(id(ticket), len(tickets)) == len(tickets):
            tickets.append(ticket)
    teams = [[[place[id(ticket)] for ticket in team] for team in each.teams] for each in found]
    columns = _StateColumns(
        tickets=ticket_lines(tickets),
        known=_columns(KnownTicket, snapshot.tickets, but="ticket"),
        found={**_columns(FoundMatch, found, but="teams"), "teams": teams},
        matches=_columns(KnownMatch, snapshot.matches, but="found"),
    )
    state = _State(STATE_FORM, replace(snapshot, tickets=(), matches=()), columns)
    return msgspec.json.encode(state).decode()


def life_of(state: str) -> TicketLife | None:
    """Return the life that goes on from a text of :func:`state_of`; None if it has another form.

    Examples
    --------
    >>> from equipoise.queueing.policy import QueuePolicy
    >>> life = TicketLife(QueuePolicy(team_size=1))
    >>> life_of(state_of(life)).snapshot() == life.snapshot()
    True
    """
    try:
        if msgspec.json.decode(state, type=_StateForm).form not in (STATE_FORM, FORM_OF_ROWS):
            return None
        read = msgspec.json.decode(state, type=_State)
    except (msgspec.DecodeError, InputError):
        return None
    return TicketLife.of_snapshot(read.life if read.columns is None else _filled(read.life, read.columns))


def _filled(life: LifeSnapshot, columns: _StateColumns) -> LifeSnapshot:
    """Return a snapshot with the tickets and matches of some columns."""
    known = _rows(columns.known)
    here = columns.tickets[: len(known)]
    found = [match_of(row, columns.tickets.__getitem__) for row in _rows(columns.found)]
    matches = zip(found, _rows(columns.matches), strict=True)
    return replace(
        life,
        tickets=tuple(KnownTicket(ticket, **row) for ticket, row in zip(here, known, strict=True)),
        matches=tuple(KnownMatch(found=each, **row) for each, row in matches),
    )


def _columns(kind: type[Any], values: Sequence[Any], but: str) -> Columns:
    """Return the values of each field but one; without those in which all have the default."""
    columns = {}
    for field in fields(kind):
        column = list(map(attrgetter(field.name), values))
        if field.name != but and (field.default is MISSING or column.count(field.default) < len(column)):
            columns[field.name] = column
    return columns


def _rows(columns: Columns) -> list[dict[str, Any]]:
    """Return columns row by row, with tuples for lists."""
    values = [[tuple(each) if type(each) is list else each for each in column] for column in columns.values()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True)]
