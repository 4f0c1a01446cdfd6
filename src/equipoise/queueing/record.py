"""The record of a queue: what happened and the replies to it, as lines of JSON.

A line holds the kind of an event and its fields.  Matches that were found are part of it, by the ids of their
tickets: a replay takes them instead of looking again, so that the record means the same under any later
version of the search.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields
from operator import attrgetter
from typing import Any

import msgspec

from equipoise.core.player import Player
from equipoise.errors import InputError
from equipoise.queueing.life import (
    Accept,
    AskAgain,
    CancelTicket,
    ChangePolicy,
    Command,
    Decline,
    EnterTicket,
    Event,
    MakeMatches,
    MatchEnded,
    OfferSeats,
    Pause,
    Propose,
    Start,
    TicketLife,
    Waits,
    WithdrawSeats,
)
from equipoise.queueing.policy import QueuePolicy
from equipoise.queueing.tickets import FoundMatch, QueueTicket

#: What each kind of event is called; those of a policy and of matches have a form of their own.
KINDS: dict[type[Any], str] = {
    EnterTicket: "enter",
    CancelTicket: "cancel",
    Accept: "accept",
    Decline: "decline",
    MatchEnded: "ended",
    OfferSeats: "seats",
    WithdrawSeats: "no seats",
    Pause: "pause",
    AskAgain: "asked again",
    ChangePolicy: "policy",
    MakeMatches: "matches",
}

_EVENTS = {name: kind for kind, name in KINDS.items()}

#: What a reply is called in the record and in events.
REPLIES = {
    "Waits": "waits",
    "Propose": "proposed",
    "Start": "started",
    "Dissolve": "dissolved",
    "Leaves": "left",
    "Penalty": "penalty",
    "FreeSeats": "seats",
    "TicketRefused": "refused",
}


#: Faster than :func:`msgspec.json.encode`, which makes one at each call.
_ENCODER = msgspec.json.Encoder()
_encode = _ENCODER.encode


def _line_form(kind: type, **types: Any) -> Any:
    """Return what is encoded in place of a frozen dataclass: without the fields that have their defaults."""
    named: list[Any] = [
        (each.name, types.get(each.name, Any), *([] if each.default is MISSING else [each.default]))
        for each in fields(kind)
    ]
    return msgspec.defstruct(f"{kind.__name__}Line", named, omit_defaults=True, gc=False)


_PLAYER_LINE: Any = _line_form(Player)
_TICKET_LINE: Any = _line_form(QueueTicket, players=list[_PLAYER_LINE])
_MATCH_LINE: Any = _line_form(FoundMatch)


def ticket_lines(tickets: Sequence[QueueTicket]) -> list[Any]:
    """Return tickets as what is encoded without the fields that have their defaults.

    Examples
    --------
    >>> msgspec.json.encode(ticket_lines([QueueTicket("t1", [Player("Ann", 1500)], 0.0)]))
    b'[{"id":"t1","players":[{"id":"Ann","rating":{"mu":1500.0,"sigma":0.0}}],"since":0.0}]'
    """
    lines: list[Any] = msgspec.convert(tickets, list[_TICKET_LINE], from_attributes=True)
    return lines


def lines_of_entering(tickets: Sequence[QueueTicket]) -> list[str]:
    """Return the line of :func:`line_of` of each ticket that enters.

    Examples
    --------
    >>> lines_of_entering([QueueTicket("t1", [Player("Ann", 1500)], 0.0)])
    ['["enter",{"ticket":{"id":"t1","players":[{"id":"Ann","rating":{"mu":1500.0,"sigma":0.0}}],"since":0.0}}]']
    """
    kind = KINDS[EnterTicket]
    return [f'["{kind}",{{"ticket":{line}}}]' for line in encoded_lines(ticket_lines(tickets))]


def encoded_lines(values: Sequence[Any]) -> list[str]:
    """Return the JSON of each of many values, in one call.

    Examples
    --------
    >>> encoded_lines([{"a": 1}, "two"]), encoded_lines([])
    (['{"a":1}', '"two"'], [])
    """
    return _ENCODER.encode_lines(values).decode().split("\n")[:-1]


def line_of(event: Event) -> str:
    """Return an event as a line of the record.

    Examples
    --------
    >>> line_of(Accept("7", "Ann"))
    '["accept",{"match":"7","player":"Ann"}]'
    """
    content: Any = event
    if isinstance(event, EnterTicket):
        (line,) = lines_of_entering([event.ticket])
        return line
    if isinstance(event, ChangePolicy):
        content = event.policy.to_dict()
    elif isinstance(event, MakeMatches):
        content = _match_lines(event.found or ())[0]
    return _encode((KINDS[type(event)], content)).decode()


def event_of(line: str, ticket: Callable[[str], QueueTicket | None]) -> Event:
    """Return the event of a line.

    Parameters
    ----------
    line : str
        The line.
    ticket : callable
        Gives a ticket by its id, as it stood when this happened.

    Raises
    ------
    InputError
        If it is none.

    Examples
    --------
    >>> event_of('["cancel",{"ticket":"t1"}]', {}.get)
    CancelTicket(ticket='t1', why='')
    """
    try:
        name, raw = msgspec.json.decode(line, type=tuple[str, msgspec.Raw])
        kind = _EVENTS[name]
        if kind is ChangePolicy:
            return ChangePolicy(QueuePolicy.from_dict(msgspec.json.decode(raw)))
        if kind is MakeMatches:
            return MakeMatches(tuple(match_of(each, ticket) for each in msgspec.json.decode(raw)))
        event: Event = msgspec.json.decode(raw, type=kind)
    except (msgspec.DecodeError, KeyError, TypeError) as error:
        msg = f"record: {line:.80} is no event of a queue: {error}"
        raise InputError(msg) from error
    return event


def _match_lines(matches: Sequence[FoundMatch]) -> tuple[list[Any], list[list[list[str]]]]:
    """Return matches as what is encoded, tickets by their ids, and who plays in each team of each of them.

    A loop takes half the time of nested comprehensions, as most teams are small.
    """
    teams, players = [], []
    for found in matches:
        tickets_here, players_here = [], []
        for team in found.teams:
            tickets, people = [], []
            for ticket in team:
                tickets.append(ticket.id)
                for player in ticket.players:
                    people.append(player.id)  # noqa: PERF401 -- see above
            tickets_here.append(tickets)
            players_here.append(people)
        teams.append(tickets_here)
        players.append(players_here)
    columns = {each.name: map(attrgetter(each.name), matches) for each in fields(FoundMatch)}
    return list(map(_MATCH_LINE, *{**columns, "teams": teams}.values())), players


def lines_of_proposals(proposals: Sequence[Propose]) -> tuple[str, list[str]]:
    """Return the line of :func:`line_of` of matches that were found, and each reply as JSON.

    A match is encoded once for both.

    Examples
    --------
    >>> found = FoundMatch(((), ()), "", "", (), 0.0, 0.0, 0.0)
    >>> made = Propose("7", found, 3.0)
    >>> line, replies = lines_of_proposals([made])
    >>> line == line_of(MakeMatches((found,))), replies == encoded_lines([reply_data(made)])
    (True, True)
    """
    lines, players = _match_lines([each.found for each in proposals])
    matches, kind = encoded_lines(lines), REPLIES["Propose"]
    until = encoded_lines([each.until for each in proposals])
    replies = [
        f'{{"kind":"{kind}","match":"{each.match}","until":{time},{match[1:-1]},"players":{names}}}'
        for each, time, match, names in zip(proposals, until, matches, encoded_lines(players), strict=True)
    ]
    return f'["{KINDS[MakeMatches]}",[{",".join(matches)}]]', replies


def match_of(data: dict[str, Any], ticket: Callable[[Any], QueueTicket | None]) -> FoundMatch:
    """Return the match of plain data, and of what gives a ticket by what stands for it there.

    Raises
    ------
    InputError
        If there is no such ticket.
    """
    teams = tuple(tuple(map(ticket, team)) for team in data["teams"])
    if any(each is None for team in teams for each in team):
        msg = f"record: a match has a ticket that is not there: {data['teams']}"
        raise InputError(msg)
    return FoundMatch(**{**data, "teams": teams, "maps": tuple(data["maps"])})


def reply_data(command: Command) -> dict[str, Any]:
    """Return a reply as plain data, with its kind; of a match who plays in which team too.

    Examples
    --------
    >>> from equipoise.queueing.life import Waits
    >>> reply_data(Waits("t1", 3.0))
    {'kind': 'waits', 'ticket': 't1', 'since': 3.0, 'why': ''}
    """
    if type(command) is Waits:
        return waits_data(command.ticket, command.since, command.why)
    kind = REPLIES[type(command).__name__]
    if isinstance(command, Propose | Start):
        until = {"until": command.until} if isinstance(command, Propose) else {}
        return {"kind": kind, "match": command.match, **until, **with_players(command.found)}
    return {"kind": kind, **msgspec.to_builtins(command)}


def waits_data(ticket: str, since: float, why: str = "") -> dict[str, Any]:
    """Return the reply that a ticket waits as plain data."""
    return {"kind": "waits", "ticket": ticket, "since": since, "why": why}


def with_players(found: FoundMatch) -> dict[str, Any]:
    """Return a match as plain data, its players by their ids beside its tickets."""
    (line,), (players,) = _match_lines([found])
    return {**msgspec.to_builtins(line), "players": players}


def replay(life: TicketLife, lines: Sequence[tuple[float, str]]) -> None:
    """Let a life go through what is recorded: when it happened, and the line.

    Examples
    --------
    >>> from equipoise import Player
    >>> life, again = TicketLife(QueuePolicy(team_size=1)), TicketLife(QueuePolicy(team_size=1))
    >>> event = EnterTicket(QueueTicket("t1", [Player("Ann", 1500)], 0.0))
    >>> replies = life.handle(event, 2.0)
    >>> replay(again, [(2.0, line_of(event))])
    >>> again.where("t1") == life.where("t1")
    True
    """
    for at, line in lines:
        life.handle(event_of(line, life.ticket), at)
