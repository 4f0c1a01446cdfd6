"""In which order admitted work is done: everybody's first before anybody's second.

Fair queueing by address, as J. Nagle proposed for gateways (RFC 970, 1985): items wait in a queue for each
address, and the queues are served in rotation (:class:`Turns`).  A lane (:class:`Lane`) is a bounded one for
one kind of work, whose places are shared likewise: where all are taken, who has most of them gives one up,
by the rule of :class:`equipoise.service.admission.Holdings`.  What waits in a lane may take long, so its
turns go by the time that addresses have used and will have used (A. Demers and others, 1989): who asks for
the first time, and for little, waits for what is worked on, not for a turn of everybody who asks much.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Hashable
from typing import Any, Generic, TypeVar

from equipoise.service.admission import Admission, BusyError, Holdings, network_of

Item = TypeVar("Item")

#: Addresses whose use a lane keeps in mind.
REMEMBERED = 1024  # effort

#: Seconds of work above which something is long: of several workers one is left to what is not.
LONG = 0.05


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

    def first(self) -> list[tuple[Hashable, Item]]:
        """Return the next item of each, those whose turn was longest ago first."""
        return [(whose, queue[0]) for whose, queue in self._queues.items()]

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

    def newest(self, whose: Hashable) -> Item:
        """Return the last item of an address."""
        return self._queues[whose][-1]


class Ticket(Generic[Item]):
    """Something that waits in a lane, and the answer that is to come."""

    __slots__ = ("answer", "began", "cost", "item", "whose")

    def __init__(self, whose: str, item: Item, cost: float = 0.0) -> None:
        self.whose = whose
        self.item = item
        self.cost = cost
        self.began = 0.0
        self.answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    def give(self, answer: Any) -> None:
        """Answer, or raise an error where that is waited for, unless nobody waits now."""
        if self.answer.done():
            return
        if isinstance(answer, BaseException):
            self.answer.set_exception(answer)
            self.answer.exception()  # nobody may be there to look at it
        else:
            self.answer.set_result(answer)

    @property
    def groups(self) -> tuple[Hashable, ...]:
        """Of what it is part that may have only so much in work at a time."""
        network = network_of(self.whose)
        return (network, LONG) if self.cost > LONG else (network,)

    @property
    def key(self) -> Hashable:
        """Behind which it waits: what is short does not wait behind what is long."""
        return self.whose, self.cost > LONG


class Lane(Generic[Item]):
    """A bounded queue whose places are shared among addresses, for one kind of work.

    Parameters
    ----------
    name : str
        What it is called in metrics.
    admission : Admission
        How much may wait, and what is refused.
    at_once : int, optional
        How much of one network, and how much that is long, may be worked on at a time, until :meth:`done`;
        by default any number.
    """

    def __init__(self, name: str, admission: Admission, at_once: int | None = None) -> None:
        self.name = name
        self._admission = admission
        self._at_once = at_once
        self._worked_on: Counter[Hashable] = Counter()
        self._turns: Turns[Ticket[Item]] = Turns()
        self._holdings = Holdings()
        self._something = asyncio.Event()
        self._use: dict[str, float] = {}  # seconds, of newcomers as much as who had the last turn
        self._level = 0.0

    def __len__(self) -> int:
        return len(self._turns)

    async def ask(self, whose: str, item: Item, cost: float = 0.0) -> Any:
        """Return the answer to something when its turn has come; who leaves gives the turn up.

        Parameters
        ----------
        whose : str
            The address, or who has a token.
        item : object
            What waits.
        cost : float
            About how many seconds it will take, where that differs.

        Raises
        ------
        BusyError
            If there is no room for it; that is held back.
        EquipoiseError
            If there is no answer.
        """
        ticket = self.enter(whose, item, cost)
        try:
            return await asyncio.shield(ticket.answer)
        except asyncio.CancelledError:
            self.leave(ticket)
            raise
        except BusyError:
            await self._admission.refuse(whose, "places")
            raise

    def enter(self, whose: str, item: Item, cost: float = 0.0) -> Ticket[Item]:
        """Let something wait; where all places are taken, one of the address that has most is refused."""
        ticket = Ticket(whose, item, cost)
        if not self._holdings.of(whose)[0]:
            self._use[whose] = self._used(whose)
            if len(self._use) > REMEMBERED:
                self._forget()
        self._turns.add(ticket.key, ticket)
        self._holdings.add(whose)
        if len(self._turns) > self._admission.limits.places:
            self._drop_newest_of_most().give(BusyError("too much waits"))
        self._something.set()
        return ticket

    def leave(self, ticket: Ticket[Item]) -> None:
        """Give up a place, unless its turn has come already."""
        if self._turns.remove(ticket.key, ticket):
            self._holdings.remove(ticket.whose)
        ticket.answer.cancel()

    async def next(self) -> Ticket[Item]:
        """Wait for the next."""
        while not (ready := self._ready()):
            self._something.clear()
            await self._something.wait()
        ticket = min(ready, key=lambda each: self._used(each.whose) + each.cost)
        self._turns.take(ticket.key)
        self._holdings.remove(ticket.whose)
        self._level = self._used(ticket.whose)
        self._worked_on.update(ticket.groups)
        ticket.began = asyncio.get_running_loop().time()
        return ticket

    def done(self, ticket: Ticket[Item]) -> None:
        """Note that something is no longer worked on: the time that took is used up."""
        took = asyncio.get_running_loop().time() - ticket.began
        used = self._use[ticket.whose] = self._used(ticket.whose) + took
        if not len(self._turns):
            self._level = used  # nobody had to wait for it
        self._worked_on -= Counter(ticket.groups)
        self._something.set()

    def _ready(self) -> list[Ticket[Item]]:
        """Return the first ones of which no more than may be are in work."""
        most = self._at_once
        return [
            ticket
            for _, ticket in self._turns.first()
            if most is None or all(self._worked_on[each] < most for each in ticket.groups)
        ]

    def _drop_newest_of_most(self) -> Ticket[Item]:
        """Take out the newest of the address that has most, and of several has used most."""
        whose = max(map(str, self._holdings.most()), key=self._used)
        keys = [key for key in ((whose, True), (whose, False)) if key in self._turns]
        ticket = self._turns.newest(keys[0])
        self._turns.remove(ticket.key, ticket)
        self._holdings.remove(whose)
        return ticket

    def _used(self, whose: str) -> float:
        return max(self._use.get(whose, 0.0), self._level)

    def _forget(self) -> None:
        """Forget addresses that have used no more than one that comes now, or else all."""
        level = self._level
        self._use = {each: used for each, used in self._use.items() if used > level}
        if len(self._use) > REMEMBERED // 2:
            self._use.clear()
