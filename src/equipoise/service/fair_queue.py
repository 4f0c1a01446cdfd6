"""Turns: however much each has waiting, everybody's first is served before anybody's second.

Fair queueing by address, as J. Nagle proposed for gateways (RFC 970, 1985): items wait in a queue for each
address, and the queues are served in rotation.  A lane is a bounded one, whose places are shared likewise:
where all are taken, the address that has most of them gives one up.  What waits in a lane may take long, so
its turns go by the time that addresses have used and will have used (A. Demers and others, 1989): who asks
for the first time, and for little, waits for what is worked on, not for a turn of everybody who asks much.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Container, Hashable
from typing import Generic, TypeVar

Item = TypeVar("Item")

#: Addresses whose use a lane keeps in mind.
REMEMBERED = 1024


def _alike(_: Hashable) -> float:
    return 0.0


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

    def __contains__(self, whose: Hashable) -> bool:
        return whose in self._queues

    def next(self, but: Container[Hashable], cost: Callable[[Hashable, Item], float]) -> Hashable:
        """Return whose turn it is, not of some addresses: of those who cost least, who waits longest."""
        return min(
            (each for each in self._queues if each not in but),
            key=lambda each: cost(each, self._queues[each][0]),
        )

    def take(self, whose: Hashable | None = None) -> Item:
        """Return the next item, or that of an address; the address is the last to have a turn again."""
        if whose is None:
            whose = next(iter(self._queues))
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

    def drop_newest_of_most(self, used: Callable[[Hashable], float] = _alike) -> Item:
        """Take out the newest item of the address that has the most, and of several has used most."""
        whose = max(self._queues, key=lambda each: (len(self._queues[each]), used(each)))
        item = self._queues[whose].pop()
        if not self._queues[whose]:
            del self._queues[whose]
        self._count -= 1
        return item


class Ticket(Generic[Item]):
    """Something that waits in a lane, and the answer that is to come: None where there was no room."""

    __slots__ = ("answer", "began", "cost", "item", "whose")

    def __init__(self, whose: Hashable, item: Item, cost: float = 0.0) -> None:
        self.whose = whose
        self.item = item
        self.cost = cost
        self.began = 0.0
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
        self._use: dict[Hashable, float] = {}  # seconds, of newcomers as much as who had the last turn
        self._level = 0.0

    def __len__(self) -> int:
        return len(self._turns)

    def enter(self, whose: Hashable, item: Item, cost: float = 0.0) -> Ticket[Item]:
        """Let something wait; where all places are taken, one of the address that has most is refused.

        Parameters
        ----------
        whose : hashable
            The address.
        item : object
            What waits.
        cost : float
            About how many seconds it will take, where that differs.
        """
        ticket = Ticket(whose, item, cost)
        if whose not in self._turns:
            self._use[whose] = self._used(whose)
            if len(self._use) > REMEMBERED:
                self._forget()
        self._turns.add(whose, ticket)
        if len(self._turns) > self._places:
            self._turns.drop_newest_of_most(self._used).answer.set_result(self._full)
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
        whose = self._turns.next(self._sated, lambda each, first: self._used(each) + first.cost)
        self._level = self._used(whose)
        ticket = self._turns.take(whose)
        if self._at_once is not None:
            number = self._worked_on[whose] = self._worked_on.get(whose, 0) + 1
            if number >= self._at_once:
                self._sated.add(whose)
        ticket.began = asyncio.get_running_loop().time()
        return ticket

    def done(self, ticket: Ticket[Item]) -> None:
        """Note that something is no longer worked on: the time that took is used up."""
        took = asyncio.get_running_loop().time() - ticket.began
        used = self._use[ticket.whose] = self._used(ticket.whose) + took
        if not len(self._turns):
            self._level = used  # nobody had to wait for it
        if self._at_once is not None:
            number = self._worked_on.pop(ticket.whose) - 1
            if number:
                self._worked_on[ticket.whose] = number
            self._sated.discard(ticket.whose)
            self._something.set()

    def some(self, most: int) -> list[Ticket[Item]]:
        """Return those that wait, in turn, at most so many."""
        return [self._turns.take() for _ in range(min(most, len(self._turns)))]

    def _used(self, whose: Hashable) -> float:
        return max(self._use.get(whose, 0.0), self._level)

    def _forget(self) -> None:
        """Forget addresses that have used no more than one that comes now, or else all."""
        level = self._level
        self._use = {each: used for each, used in self._use.items() if used > level}
        if len(self._use) > REMEMBERED // 2:
            self._use.clear()
