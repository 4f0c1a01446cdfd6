"""Who of a queue is who: one person is in one ticket at a time, of all queues of an archive.

The row of a person in the archive is what makes it so: whoever has put it there has the person, and each
other queue, in whatever process, finds it.  Ids of the tickets are those that people came with; here each
counts as the one that it was merged into.

Whoever turns out to be in two tickets, as two ids were merged while both waited, stays in the one that is
ahead: a match that runs before one that is proposed, that before waiting, and then who came first.  The
other ticket leaves, which is held against nobody; of two matches that run, none can be taken back.
Who is kept out under one id is under all that are theirs, until the last of it is over.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from equipoise.archive.ticket_record import AddedEvents, PersonSeat
from equipoise.core.player import Player
from equipoise.identity.forgetting import Tombstones
from equipoise.queueing.life import (
    Accept,
    CancelTicket,
    Decline,
    EnterTicket,
    OfferSeats,
    TicketLife,
    TicketPlace,
)
from equipoise.queueing.tickets import QueueTicket

#: What is ahead of what.
_AHEAD = {TicketPlace.PLAYING: 0, TicketPlace.ACCEPTED: 1, TicketPlace.PROPOSED: 1, TicketPlace.WAITING: 2}


def with_stand_ins(question: Any, gone: Tombstones) -> Any:
    """Return what a queue is asked with what stands for those who are forgotten, so that no id is kept.

    Two of a ticket who are one so are one player of it.
    """
    if not gone.stones:
        return question
    if isinstance(question, EnterTicket):
        ticket = question.ticket
        players = {each.id: each for each in _players(ticket.players, gone)}
        known = gone.instead(ticket.id), tuple(players.values())
        same = known == (ticket.id, ticket.players)
        return question if same else EnterTicket(replace(ticket, id=known[0], players=known[1]))
    if isinstance(question, OfferSeats):
        left = tuple(map(gone.instead, question.left))
        return replace(question, teams=tuple(_players(team, gone) for team in question.teams), left=left)
    if isinstance(question, Accept | Decline):
        return replace(question, player=gone.instead(question.player))
    if isinstance(question, CancelTicket):
        return replace(question, ticket=gone.instead(question.ticket))
    return question


def _players(players: Iterable[Player], gone: Tombstones) -> tuple[Player, ...]:
    """Return players, and whom they name, with what stands for those who are forgotten."""
    players = tuple(players)
    named = (other for each in players for other, _ in (*each.avoid, *each.prefer))
    names = gone.names({*named, *(each.id for each in players)})
    return tuple(_player(each, names) for each in players) if names else players


def _player(player: Player, names: Mapping[str, str]) -> Player:
    avoid, prefer = [
        tuple({names.get(other, other): price for other, price in named}.items())
        for named in (player.avoid, player.prefer)
    ]
    name = "" if player.id in names else player.name
    return replace(player, id=names.get(player.id, player.id), name=name, avoid=avoid, prefer=prefer)


class QueuePeople:
    """The people of a queue within one transaction.

    Parameters
    ----------
    added : AddedEvents
        The transaction.
    queue : str
        The queue.
    life : TicketLife
        Where its tickets are.
    merged : mapping of str to str
        From each merged id to the one that it counts as.
    """

    def __init__(self, added: AddedEvents, queue: str, life: TicketLife, merged: Mapping[str, str]) -> None:
        self._added = added
        self._queue = queue
        self._life = life
        self._merged = merged
        self._ids: dict[str, list[str]] = {}
        for leaf, root in merged.items():
            self._ids.setdefault(root, [root]).append(leaf)
        self._claimed: dict[str, str] = {}
        self._found: dict[str, PersonSeat] = {}
        #: Whether somebody is in two tickets of which none can be taken back yet.
        self.unsettled = False

    def same(self) -> dict[str, list[str]]:
        """Return all ids of everybody who has several, by each of them."""
        return {each: ids for ids in self._ids.values() for each in ids}

    def claim(self, tickets: Iterable[QueueTicket]) -> None:
        """Put the people of tickets that want to enter into them, as far as they are in no other one."""
        person = self._merged.get
        self._claimed = {person(each.id, each.id): ticket.id for ticket in tickets for each in ticket.players}
        self._found = self._added.claim(self._claimed)

    def may_enter_together(self, tickets: Sequence[QueueTicket]) -> bool:
        """Tell whether nothing speaks against any of many tickets that a look at their ids would not show."""
        if not self._found and not self._ids:
            return True
        players = {player.id for ticket in tickets for player in ticket.players}
        alike = self._ids.keys() | self._merged.keys()
        return alike.isdisjoint(players) and not any(
            seat.queue != self._queue for who, seat in self._found.items() if who in players
        )

    def refusal(self, ticket: QueueTicket, now: float) -> str:
        """Say why a ticket may not enter; nothing if it may, or the queue itself knows why not."""
        seen: dict[str, str] = {}
        for player in ticket.players:
            person = self._person(player.id)
            if person in seen:
                return f"{seen[person]!r} and {player.id!r} are one player"
            seen[person] = player.id
            seat = self._found.get(person)
            if seat is not None and seat.queue != self._queue:
                return f"{player.id!r} is in the ticket {seat.ticket!r} of the queue {seat.queue!r} already"
            for other in self._ids.get(person, ()):
                held = self._life.holder(other)
                if held is not None and other != player.id:
                    return f"{player.id!r} is in the ticket {held!r} already, as {other!r}"
            if why := self._life.why_kept_out(player.id, self._ids.get(person, ()), now):
                return why
        return ""

    def keep(self, left: Sequence[QueueTicket]) -> None:
        """Keep where everybody is now who wanted to enter, or was in a ticket that left."""
        ids = {player.id for ticket in left for player in ticket.players}
        gone = ids | set(map(self._person, ids))
        refused = self._life.not_held(self._claimed)
        released, moved = [], {}
        for person in gone | refused | self._found.keys():
            held = self._held(person)
            seat = self._found.get(person)
            if seat is not None and seat.queue != self._queue:
                continue
            if held is None:
                released.append(person)
            elif held != (self._claimed.get(person) if seat is None else seat.ticket):
                moved[person] = held
        self._added.release(released)
        self._added.move(moved)

    def two_tickets(self) -> dict[str, str]:
        """Keep where everybody is, whatever was kept before; return the tickets that must leave, and why."""
        self.unsettled = False
        leave: dict[str, str] = {}
        tickets = sorted(set(self._life.holders().values()), key=self._turn)
        wanted: dict[str, str] = {}
        for name in tickets:
            people = self._people_of(name)
            ahead = next((wanted[each] for each in people if each in wanted), None)
            if not self._may_leave(name):
                wanted = dict.fromkeys(people, name) | wanted
            elif ahead is not None:
                leave[name] = f"the same player is in the ticket {ahead!r}"
            elif len(set(people)) < len(people):
                leave[name] = "two of its players are one"
            else:
                wanted.update(dict.fromkeys(people, name))
        had = self._added.people()
        self._added.release([person for person in had if person not in wanted])
        self._added.move({who: name for who, name in wanted.items() if had.get(who, name) != name})
        elsewhere = self._added.claim({who: name for who, name in wanted.items() if who not in had})
        for person, seat in elsewhere.items():
            if self._may_leave(wanted[person]):
                leave[wanted[person]] = f"the same player is in the queue {seat.queue!r}"
            else:  # until the match has ended the person is in there under the id they came with
                self.unsettled = True
                self._added.claim(
                    {each: wanted[person] for each in self._ids.get(person, ()) if self._life.holder(each)}
                )
        others = {leaf: person for person in wanted for leaf in self._ids.get(person, ()) if leaf != person}
        for leaf, seat in self._added.seats_of(list(others)).items():
            mine = wanted[others[leaf]]
            if seat.queue != self._queue and seat.match and self._may_leave(mine):
                leave[mine] = f"the same player is in the queue {seat.queue!r}"
        return leave

    def _turn(self, name: str) -> tuple[int, float, str]:
        where = self._life.where(name)
        assert where is not None  # noqa: S101 -- somebody is in it
        return _AHEAD[where.place], where.since, name

    def _may_leave(self, name: str) -> bool:
        where = self._life.where(name)
        return where is not None and where.place is not TicketPlace.PLAYING

    def _people_of(self, name: str) -> list[str]:
        ticket = self._life.ticket(name)
        return [] if ticket is None else [self._person(each.id) for each in ticket.players]

    def _person(self, player: str) -> str:
        return self._merged.get(player, player)

    def _held(self, person: str) -> str | None:
        """Return the ticket that a person is in, under whichever id."""
        held = chain([person], self._ids.get(person, ()))
        return next((ticket for each in held if (ticket := self._life.holder(each)) is not None), None)
