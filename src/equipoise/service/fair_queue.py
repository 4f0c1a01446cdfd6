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
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Hashable
from typing import Any, Generic, TypeVar

from equipoise.service.admission import Admission, BusyError, Holdings, network_of

Item = TypeVar("Item")

#: Addresses whose use a lane keeps in mind.
REMEMBERED = 1024  # effort

#: Seconds of work above which something is long: of several workers one is left to what is not.
LONG = 0.05

#: How much that is short a worker takes at a time at most: who comes next waits for as many.
TOGETHER = 8


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

    __slots__ = ("answer", "began", "cost", "groups", "item", "key", "whose")

    def __init__(self, whose: str, item: Item, cost: float = 0.0) -> None:
        self.whose = whose
        self.item = item
        self.cost = cost
        network = network_of(whose)
        #: Of what it is part that may have only so much in work at a time.
        self.groups: tuple[Hashable, ...] = (network, LONG) if cost > LONG else (network,)
        #: Behind which it waits: what is short does not wait behind what is long.
        self.key: Hashable = (whose, cost > LONG)
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
        self._idle: deque[asyncio.Future[None]] = deque()
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
            return await ticket.answer
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
        if self._may_begin(ticket):  # nothing else can be begun now that could not before
            self._wake()
        return ticket

    def leave(self, ticket: Ticket[Item]) -> None:
        """Give up a place, unless its turn has come already."""
        if self._turns.remove(ticket.key, ticket):
            self._holdings.remove(ticket.whose)
        ticket.answer.cancel()

    async def next(self) -> Ticket[Item]:
        """Wait for the next."""
        while not (ready := self._ready()):
            woken = asyncio.get_running_loop().create_future()
            self._idle.append(woken)
            try:
                await woken
            except asyncio.CancelledError:
                if woken in self._idle:
                    self._idle.remove(woken)
                else:
                    self._wake()
                raise
        ticket = min(ready, key=lambda each: self._used(each.whose) + each.cost)
        self._worked_on.update(ticket.groups)
        return self._begun(ticket)

    def beside(self, first: Ticket[Item]) -> list[Ticket[Item]]:
        """Take what may be worked on with the next, as one piece of work that is not long, in its order.

        Only what is known to be short is; others who work may have as much of what waits.
        """
        taken, groups, left = [first], set(first.groups), LONG - first.cost
        costs: defaultdict[str, float] = defaultdict(float, {first.whose: first.cost})
        most = min(TOGETHER, 1 + len(self._turns) // (self._at_once or 1)) if first.cost else 1
        while len(taken) < most:
            ready = [each for each in self._ready(groups) if 0.0 < each.cost <= left]
            if not ready:
                break
            ticket = min(ready, key=lambda each: self._used(each.whose) + costs[each.whose] + each.cost)
            self._worked_on.update(set(ticket.groups) - groups)
            groups.update(ticket.groups)
            costs[ticket.whose] += ticket.cost
            left -= ticket.cost
            taken.append(self._begun(ticket))
        return taken[1:]

    def _begun(self, ticket: Ticket[Item]) -> Ticket[Item]:
        self._turns.take(ticket.key)
        self._holdings.remove(ticket.whose)
        self._level = self._used(ticket.whose)
        ticket.began = asyncio.get_running_loop().time()
        return ticket

    def done(self, *tickets: Ticket[Item]) -> None:
        """Note that what was worked on together no longer is: the time that took is used up."""
        took = (asyncio.get_running_loop().time() - tickets[0].began) / len(tickets)
        for ticket in tickets:
            used = self._use[ticket.whose] = self._used(ticket.whose) + took
            if not len(self._turns):
                self._level = used  # nobody had to wait for it
        self._worked_on -= Counter({each for ticket in tickets for each in ticket.groups})
        if self._idle and self._ready():
            self._wake()

    def _wake(self) -> None:
        """Let one who waits for work look for it."""
        while self._idle:
            woken = self._idle.popleft()
            if not woken.done():  # it may have been cancelled
                woken.set_result(None)
                return

    def _ready(self, besides: Collection[Hashable] = ()) -> list[Ticket[Item]]:
        """Return the first of each that may be begun, besides others."""
        return [ticket for _, ticket in self._turns.first() if self._may_begin(ticket, besides)]

    def _may_begin(self, ticket: Ticket[Item], besides: Collection[Hashable] = ()) -> bool:
        """Tell whether no more than may be is in work of what it is part of, or that is besides some."""
        most = self._at_once
        return most is None or all(each in besides or self._worked_on[each] < most for each in ticket.groups)

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
