"""Who of a queue is who: one person is in one ticket at a time, of all queues of an archive.

The row of a person in the archive is what makes it so: whoever has put it there has the person, and each
other queue, in whatever process, finds it.  Ids of the tickets are those that people came with; here each
counts as the one that it was merged into.

Whoever turns out to be in two tickets, as two ids were merged while both waited, stays in the one that is
ahead: a match that runs before one that is proposed, that before waiting, and then who came first.  The
other ticket leaves, which is held against nobody; of two matches that run, none can be taken back.
Who is kept out under one id is under all that are theirs, until the last of it is over.

Ids that differ in case alone, or in the forms of letters, are one person, unless the archive has ratings of
both: each ticket has a row for every way its players are written, beside that of each person.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Any

from equipoise.archive.ticket_record import AddedEvents, PersonSeat
from equipoise.core.player import Player
from equipoise.identity.forgetting import Tombstones
from equipoise.identity.names import folded
from equipoise.queueing.life import (
    Accept,
    CancelTicket,
    Decline,
    EnterTicket,
    OfferSeats,
    TicketLife,
    TicketPlace,
    why_kept_out,
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
    names = gone.names(
        {*named, *(written for each in players for written in (each.id, each.name) if written)}
    )
    return tuple(_player(each, names) for each in players) if names else players


def _player(player: Player, names: Mapping[str, str]) -> Player:
    avoid, prefer = [
        tuple({names.get(other, other): price for other, price in named}.items())
        for named in (player.avoid, player.prefer)
    ]
    name = "" if player.id in names or player.name in names else player.name
    return replace(player, id=names.get(player.id, player.id), name=name, avoid=avoid, prefer=prefer)


def all_ids(merged: Mapping[str, str]) -> dict[str, list[str]]:
    """Return all ids of everybody who has several, the one that counts first, by each of them."""
    ids: dict[str, list[str]] = {}
    for leaf, root in merged.items():
        ids.setdefault(root, [root]).append(leaf)
    return {each: some for some in ids.values() for each in some}


class KnownPeople:
    """Who is one person, by all of their ids and however they are written.

    Parameters
    ----------
    life : TicketLife
        Where the tickets of a queue are, and which ids are one person's.
    played : callable
        Returns those of some ids under which the archive has ratings.
    """

    def __init__(self, life: TicketLife, played: Callable[[Collection[str]], set[str]]) -> None:
        self._life = life
        self._ask_played = played
        self._played: dict[str, bool] = {}
        self._written: dict[str, list[str]] = {}
        self._blamed = -1

    def kept_out_until(self, player: Player) -> float:
        """Return until when somebody may not enter, by what was declined under all of their ids together.

        It is minus infinity where they may.
        """
        if not self._life.offenders:
            return float("-inf")
        keys = self._keys(player)
        written = [other for key in keys for other in self._out.get(key, ())]
        ids = {player.id, *self._ids(keys[0]), *(each for each in written if self._is_one(player.id, each))}
        return self._life.kept_out_until(*ids)

    def _ids(self, person: str) -> Sequence[str]:
        """Return all ids of whom others count as; none where they have one."""
        ids = self._life.same.get(person, ())
        return ids if ids and ids[0] == person else ()

    def _person(self, player: str) -> str:
        same = self._life.same
        return same[player][0] if player in same else player

    def _keys(self, player: Player) -> tuple[str, ...]:
        """Return what is kept of a player: whom they count as, and how their id and name are written."""
        person = self._person(player.id)
        written = folded(player.id)
        if written == player.id and not player.name:
            return (person,)
        also = (self._person(each) for each in (written, folded(player.name)) if each not in ("", player.id))
        return tuple(dict.fromkeys((person, *also)))

    def _is_one(self, player: str, other: str) -> bool:
        """Tell whether two who are written alike are one person: the archive does not know them as two."""
        return self._person(player) == self._person(other) or not (self._plays(player) and self._plays(other))

    def _plays(self, player: str) -> bool:
        """Tell whether the archive has ratings of somebody."""
        person = self._person(player)
        if person not in self._played:
            asked = {person} if self._played else {person, *self._at_once()}
            found = self._ask_played(asked)
            self._played |= {each: each in found for each in asked}
        return self._played[person]

    def _at_once(self) -> Iterable[str]:
        """Return of whom else is asked with the first."""
        return ()

    @property
    def _out(self) -> dict[str, list[str]]:
        """Who has not accepted a match by now, by how they are written."""
        if self._blamed != self._life.blamed:
            self._blamed, self._written = self._life.blamed, {}
            for player in self._life.offenders:
                self._written.setdefault(folded(player) or player, []).append(player)
        return self._written


class QueuePeople(KnownPeople):
    """The people of a queue within one transaction.

    Parameters
    ----------
    added : AddedEvents
        The transaction.
    queue : str
        The queue.
    life : TicketLife
        Where its tickets are, and which ids are one person's.
    """

    def __init__(self, added: AddedEvents, queue: str, life: TicketLife) -> None:
        super().__init__(life, added.played)
        self._added = added
        self._queue = queue
        self._claimed: dict[str, str] = {}
        self._found: dict[str, PersonSeat] = {}
        self._entered: dict[str, str] = {}
        #: Whether somebody is in two tickets of which none can be taken back yet.
        self.unsettled = False

    def claim(self, tickets: Iterable[QueueTicket]) -> None:
        """Put the people of tickets that want to enter into them, as far as they are in no other one."""
        self._claimed = self._keys_of(tickets)
        self._found = self._added.claim(self._claimed)

    def entered(self, tickets: Iterable[QueueTicket]) -> None:
        """Note that tickets have entered."""
        self._entered |= self._keys_of(tickets)

    def may_enter_together(self, tickets: Sequence[QueueTicket]) -> bool:
        """Tell whether nothing speaks against any of many tickets that a look at their ids would not show."""
        keys = [key for ticket in tickets for player in ticket.players for key in self._keys(player)]
        once = set(keys)
        taken = self._entered.keys() | self._found.keys() | self._out.keys()
        if len(once) < len(keys) or not once.isdisjoint(taken):
            return False
        alike = self._life.same.keys()
        return not alike or alike.isdisjoint(player.id for ticket in tickets for player in ticket.players)

    def refusal(self, ticket: QueueTicket, now: float) -> str:
        """Say why a ticket may not enter; nothing if it may, or the queue itself knows why not."""
        if twice := self._twice(ticket.players):
            return "{!r} and {!r} are one player".format(*twice)
        for player in ticket.players:
            keys = self._keys(player)
            if (seat := self._elsewhere(player.id, keys)) is not None:
                return f"{player.id!r} is in the ticket {seat.ticket!r} of the queue {seat.queue!r} already"
            for other in (*self._ids(keys[0]), *self._here(keys)):
                held = self._life.holder(other)
                if held is not None and other != player.id and self._is_one(player.id, other):
                    return f"{player.id!r} is in the ticket {held!r} already, as {other!r}"
            if why := why_kept_out(player.id, self.kept_out_until(player) - now):
                return why
        return ""

    def keep(self, left: Sequence[QueueTicket]) -> None:
        """Keep where everybody is now who wanted to enter, or was in a ticket that left."""
        ids = {player.id for ticket in left for player in ticket.players}
        gone = ids | set(map(folded, ids)) | self._keys_of(left).keys()
        refused = self._life.not_held(self._claimed)
        released, moved = [], {}
        for key in gone | refused | self._found.keys():
            held = self._held(key)
            seat = self._found.get(key)
            if seat is not None and seat.queue != self._queue:
                continue
            if held is None:
                released.append(key)
            elif held != (self._claimed.get(key) if seat is None else seat.ticket):
                moved[key] = held
        self._added.release(released)
        self._added.move(moved)

    def two_tickets(self) -> dict[str, str]:
        """Keep where everybody is, whatever was kept before; return the tickets that must leave, and why."""
        self.unsettled = False
        leave: dict[str, str] = {}
        tickets = sorted(set(self._life.holders().values()), key=self._turn)
        wanted: dict[str, str] = {}
        whose: dict[str, str] = {}
        persons: set[str] = set()
        for name in tickets:
            players = self._players_of(name)
            keys = {key: each.id for each in players for key in self._keys(each)}
            alike = [key for key in keys if key in wanted and self._is_one(keys[key], whose[key])]
            if self._may_leave(name) and alike:
                leave[name] = f"the same player is in the ticket {wanted[alike[0]]!r}"
                continue
            if self._may_leave(name) and self._twice(players):
                leave[name] = "two of its players are one"
                continue
            people = {self._person(each.id) for each in players}
            keys = {key: who for key, who in keys.items() if key not in wanted or key in people - persons}
            whose |= keys
            wanted |= dict.fromkeys(keys, name)
            persons |= people
        had = self._added.people()
        self._added.release([person for person in had if person not in wanted])
        self._added.move({who: name for who, name in wanted.items() if had.get(who, name) != name})
        elsewhere = self._added.claim({who: name for who, name in wanted.items() if who not in had})
        there = self._added.seated_with(elsewhere.values())
        for key, seat in elsewhere.items():
            mine = wanted[key]
            if not self._is_there(whose[key], key, there[seat.queue, seat.ticket]):
                continue
            if self._may_leave(mine):
                leave[mine] = f"the same player is in the queue {seat.queue!r}"
            else:  # until the match has ended the person is in there under the id they came with
                self.unsettled = True
                came = {form for each in self._players_of(mine) for form in (each.id, folded(each.id))}
                self._added.claim(dict.fromkeys(came.intersection(self._ids(key)), mine))
        others = {leaf: person for person in wanted for leaf in self._ids(person) if leaf != person}
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

    def _players_of(self, name: str) -> tuple[Player, ...]:
        ticket = self._life.ticket(name)
        return () if ticket is None else ticket.players

    def _twice(self, players: Iterable[Player]) -> tuple[str, str] | None:
        """Return two ids of a ticket that are one person's, if there are such."""
        seen: dict[str, str] = {}
        for player in players:
            for key in self._keys(player):
                other = seen.setdefault(key, player.id)
                if other != player.id and self._is_one(player.id, other):
                    return other, player.id
        return None

    def _held(self, key: str) -> str | None:
        """Return the ticket that somebody is in, under whichever id, or is written in."""
        held = chain([key], self._ids(key))
        found = next((ticket for each in held if (ticket := self._life.holder(each)) is not None), None)
        return found or next((name for name in self._tickets_here(key) if self._is_in(name)), None)

    def _keys_of(self, tickets: Iterable[QueueTicket]) -> dict[str, str]:
        return {
            key: ticket.id for ticket in tickets for player in ticket.players for key in self._keys(player)
        }

    def _at_once(self) -> Iterable[str]:
        return self._claimed

    def _tickets_here(self, key: str) -> list[str]:
        """Return the tickets of this queue that have a key, or had it when this began."""
        seat = self._found.get(key)
        before = [seat.ticket] if seat is not None and seat.queue == self._queue else []
        return [*([self._entered[key]] if key in self._entered else ()), *before]

    def _is_in(self, name: str) -> bool:
        where = self._life.where(name)
        return where is not None and where.place is not TicketPlace.GONE

    def _here(self, keys: Iterable[str]) -> Iterator[str]:
        """Go through those of this queue who share one of some keys."""
        for key in keys:
            for name in self._tickets_here(key):
                yield from (each.id for each in self._players_of(name) if key in self._keys(each))

    def _elsewhere(self, player: str, keys: Iterable[str]) -> PersonSeat | None:
        """Return where somebody is in another queue."""
        for key in keys:
            seat = self._found.get(key)
            if seat is None or seat.queue == self._queue:
                continue
            if self._is_there(player, key, self._others[seat.queue, seat.ticket]):
                return seat
        return None

    def _is_there(self, player: str, key: str, people: Iterable[str]) -> bool:
        """Tell whether somebody is the one of the people of another ticket who has a key of theirs."""
        written = [each for each in people if each != key and folded(each) == key]
        return any(self._is_one(player, each) for each in written or [key])

    @cached_property
    def _others(self) -> dict[tuple[str, str], list[str]]:
        """Who is in the tickets of other queues that somebody here is in already."""
        return self._added.seated_with(seat for seat in self._found.values() if seat.queue != self._queue)
