"""Turns: however much each has waiting, everybody's first is served before anybody's second.

Fair queueing by address, as J. Nagle proposed for gateways (RFC 970, 1985): items wait in a queue for each
address, and the queues are served in rotation.  A lane is a bounded one, whose places are shared likewise:
where all are taken, the address that has most of them gives one up.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Container, Hashable
from typing import Generic, TypeVar

Item = TypeVar("Item")


class Turns(Generic[Item]):
    """Items that wait, by whose they are.

    Examples
    --------
    >>> turns = Turns()
    >>> for whose, item in [("a", 1), ("a", 2), ("a", 3), ("b", 4)]:
    ...     turns.add(whose, item)
    >>> [turns.take() for _ in range(len(turns))]
    [1, 4, 2, 3]
    """

    def __init__(self) -> None:
        self._queues: dict[Hashable, deque[Item]] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, whose: Hashable, item: Item) -> None:
        """Let an item wait behind all others of the same address."""
        self._queues.setdefault(whose, deque()).append(item)
        self._count += 1

    def take(self, but: Container[Hashable] = ()) -> Item:
        """Return the next item, not of some addresses; its address is the last to have a turn again."""
        whose = next(each for each in self._queues if each not in but)
        queue = self._queues.pop(whose)
        item = queue.popleft()
        if queue:
            self._queues[whose] = queue
        self._count -= 1
        return item

    def has(self, but: Container[Hashable] = ()) -> bool:
        """Tell whether something waits, not of some addresses."""
        return any(each not in but for each in self._queues)

    def remove(self, whose: Hashable, item: Item) -> bool:
        """Take out an item that need no longer wait; tell whether it was there."""
        queue = self._queues.get(whose, deque())
        if item not in queue:
            return False
        queue.remove(item)
        if not queue:
            del self._queues[whose]
        self._count -= 1
        return True

    def waiting(self, whose: Hashable) -> int:
        """Return how many items of an address wait."""
        return len(self._queues.get(whose, ()))

    def drop_newest_of_most(self) -> Item:
        """Take out the newest item of the address that has the most."""
        whose = max(self._queues, key=lambda each: len(self._queues[each]))
        item = self._queues[whose].pop()
        if not self._queues[whose]:
            del self._queues[whose]
        self._count -= 1
        return item


class Ticket(Generic[Item]):
    """Something that waits in a lane, and the answer that is to come: None where there was no room."""

    __slots__ = ("answer", "item", "whose")

    def __init__(self, whose: Hashable, item: Item) -> None:
        self.whose = whose
        self.item = item
        self.answer: asyncio.Future[object] = asyncio.get_running_loop().create_future()


class Lane(Generic[Item]):
    """A bounded queue whose places are shared among addresses, for one kind of work.

    Parameters
    ----------
    places : int
        How many may wait.
    full : object
        The answer where there is no room.
    at_once : int, optional
        How much of one address may be worked on at a time, until :meth:`done`; by default any number.
    """

    def __init__(self, places: int, full: object, at_once: int | None = None) -> None:
        self._places = places
        self._full = full
        self._at_once = at_once
        self._worked_on: dict[Hashable, int] = {}
        self._sated: set[Hashable] = set()
        self._turns: Turns[Ticket[Item]] = Turns()
        self._something = asyncio.Event()

    def __len__(self) -> int:
        return len(self._turns)

    def enter(self, whose: Hashable, item: Item) -> Ticket[Item]:
        """Let something wait; where all places are taken, one of the address that has most is refused."""
        ticket = Ticket(whose, item)
        self._turns.add(whose, ticket)
        if len(self._turns) > self._places:
            self._turns.drop_newest_of_most().answer.set_result(self._full)
        self._something.set()
        return ticket

    def leave(self, ticket: Ticket[Item]) -> None:
        """Give up a place, unless its turn has come already."""
        self._turns.remove(ticket.whose, ticket)

    def may_begin(self, whose: Hashable) -> bool:
        """Tell whether something of an address would be the next at once."""
        return whose not in self._sated and not self._turns.has(self._sated)

    async def next(self) -> Ticket[Item]:
        """Wait for the next."""
        while not self._turns.has(self._sated):
            self._something.clear()
            await self._something.wait()
        ticket = self._turns.take(self._sated)
        if self._at_once is not None:
            number = self._worked_on[ticket.whose] = self._worked_on.get(ticket.whose, 0) + 1
            if number >= self._at_once:
                self._sated.add(ticket.whose)
        return ticket

    def done(self, ticket: Ticket[Item]) -> None:
        """Note that something is no longer worked on."""
        number = self._worked_on.pop(ticket.whose) - 1
        if number:
            self._worked_on[ticket.whose] = number
        self._sated.discard(ticket.whose)
        self._something.set()

    def some(self, most: int) -> list[Ticket[Item]]:
        """Return those that wait, in turn, at most so many."""
        return [self._turns.take() for _ in range(min(most, len(self._turns)))]
