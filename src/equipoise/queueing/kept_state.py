"""All that a queue knows at a moment as text, from which it goes on.

What is known of tickets and matches are columns: what is the default of all is left out, and a match names
its tickets by their places.  A row for each, with all tickets in the matches once more, took four times the
room.
"""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import islice
from operator import attrgetter
from typing import Any

import msgspec

from equipoise.errors import InputError
from equipoise.queueing.life import Columns, KnownMatch, KnownTicket, LifeSnapshot, TicketLife
from equipoise.queueing.record import match_of, ticket_lines
from equipoise.queueing.tickets import FoundMatch, QueueTicket

#: The form of a state that is written, and of those before: a match that nobody has accepted named whom it
#: waits for, and the places of its tickets; in the first form the life had tickets and matches itself.
FORMS = STATE_FORM, FORM_OF_PLACES, FORM_OF_ROWS = 3, 2, 1


class _StateColumns(msgspec.Struct):
    """Tickets, what is known of them, matches, and what is known of these: values by field.

    First come the tickets that are known, then those that a match alone still names.  ``teams`` of a match
    says how many tickets each has, ``seats`` which those of all matches are, one after another; where there
    are no seats ``teams`` has the places itself.
    """

    tickets: list[QueueTicket]
    known: Columns
    found: Columns
    matches: Columns
    seats: list[int] | None = None


class _State(msgspec.Struct):
    form: int
    life: LifeSnapshot
    columns: _StateColumns | None = None


class _StateForm(msgspec.Struct):
    form: int


def state_of(life: TicketLife) -> str:
    """Return all that a life knows as text, from which :func:`life_of` makes it again."""
    rest, known, matches = life.columns()
    tickets, found = known.pop("ticket"), matches.pop("found")
    seated = [ticket for each in found for team in each.teams for ticket in team]
    place = dict(zip(map(id, tickets), range(len(tickets)), strict=True))
    gone = {id(ticket): ticket for ticket in seated if id(ticket) not in place}
    place.update(zip(gone, range(len(tickets), len(tickets) + len(gone)), strict=True))
    tickets += gone.values()
    of_found: Columns = {each.name: list(map(attrgetter(each.name), found)) for each in fields(FoundMatch)}
    of_found["teams"] = [tuple(map(len, teams)) for teams in of_found["teams"]]
    columns = _StateColumns(
        tickets=ticket_lines(tickets),
        known=_without_defaults(KnownTicket, known),
        found=_without_defaults(FoundMatch, of_found),
        matches=_without_defaults(KnownMatch, matches),
        seats=list(map(place.__getitem__, map(id, seated))),
    )
    return msgspec.json.encode(_State(STATE_FORM, rest, columns)).decode()


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
        if msgspec.json.decode(state, type=_StateForm).form not in FORMS:
            return None
        read = msgspec.json.decode(state, type=_State)
    except (msgspec.DecodeError, InputError):
        return None
    return TicketLife.of_snapshot(read.life if read.columns is None else _filled(read.life, read.columns))


def _filled(life: LifeSnapshot, columns: _StateColumns) -> LifeSnapshot:
    """Return a snapshot with the tickets and matches of some columns."""
    known = _rows(columns.known)
    here = columns.tickets[: len(known)]
    rows = _rows(columns.found)
    if columns.seats is not None:
        seats = iter(columns.seats)
        for row in rows:
            row["teams"] = [list(islice(seats, size)) for size in row["teams"]]
    found = [match_of(row, columns.tickets.__getitem__) for row in rows]
    matches = zip(found, _rows(columns.matches), strict=True)
    return replace(
        life,
        tickets=tuple(KnownTicket(ticket, **row) for ticket, row in zip(here, known, strict=True)),
        matches=tuple(KnownMatch(found=each, **row) for each, row in matches),
    )


def _without_defaults(kind: type[Any], columns: Columns) -> Columns:
    """Return the values of those fields in which not all have the default."""
    default = {field.name: field.default for field in fields(kind)}
    return {name: all_ for name, all_ in columns.items() if all_.count(default[name]) < len(all_)}


def _rows(columns: Columns) -> list[dict[str, Any]]:
    """Return columns row by row, with tuples for lists."""
    values = [[tuple(each) if type(each) is list else each for each in column] for column in columns.values()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True)]
