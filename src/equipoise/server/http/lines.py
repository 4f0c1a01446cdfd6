"""Lanes of questions, in which addresses take turns, and what works them off.

What takes time is answered by workers, of which one address never has all at once: another one finds
one that is free.  What takes no longer than a turn is answered in this process while it has taken little of
it lately, or nobody else is connected; where several wait for that, a free worker takes half of them.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine
from time import perf_counter
from typing import Any

from equipoise.errors import EquipoiseError
from equipoise.protocols.http.problems import HttpProblem
from equipoise.server.addresses import Account
from equipoise.server.http.asking import answered
from equipoise.server.http.decoding import ProblemError
from equipoise.server.turns import Lane, Ticket
from equipoise.server.workers import BEGIN, Worker

#: Seconds beyond its time limit after which a worker that answers questions is restarted: they may have to
#: load what they need first, on a machine that is busy.
PATIENCE = 15.0

#: Questions that may wait to be answered here where others are connected.
AHEAD = 4

#: Questions that a worker takes off this process at a time.
SPARE = 8

#: Seconds for which this process answers one after the other where nobody else is connected: the same again
#: at once is quicker.
TURN = 0.0015

#: Steps of the event loop between turns: a question comes in, and an answer goes out, over several.
STEPS = 4

log = logging.getLogger(__name__)


async def when_its_turn_comes(lane: Lane[Any], address: str, item: Any) -> Any:
    """Return the answer to something that waits in a lane; a client that leaves gives its turn up.

    Raises
    ------
    ProblemError
        If too much waits, or there is no answer in time.
    """
    ticket = lane.enter(address, item)
    try:
        answer = await asyncio.shield(ticket.answer)
    except asyncio.CancelledError:
        lane.leave(ticket)
        raise
    if answer is None:
        raise ProblemError(HttpProblem(429, "busy", "too much is being asked at once; ask again"))
    if isinstance(answer, EquipoiseError):
        log.warning("not answered", extra={"why": str(answer)})
        raise ProblemError(HttpProblem(503, "unavailable", "this cannot be answered just now; ask again"))
    return answer


class WorkLine:
    """A lane, and the workers that work it off.

    Parameters
    ----------
    role : str
        What a worker is; see :data:`equipoise.server.workers.ROLES`.
    places : int
        How many may wait.
    arguments : object
        What a worker is made with.
    at_once : bool
        Whether workers begin before somebody asks.
    workers : int
        How many there are; of several an address has all but one at most.
    relieves : HereLine, optional
        Whose questions a worker answers while none waits in this lane.
    """

    def __init__(
        self,
        role: str,
        places: int,
        *arguments: object,
        at_once: bool = False,
        workers: int = 1,
        relieves: HereLine | None = None,
    ) -> None:
        self._at_once = at_once
        self._relieves = relieves
        self.workers = [Worker(role, *arguments) for _ in range(workers)]
        self._lane: Lane[tuple[Any, float]] = Lane(places, None, max(1, workers - 1))
        self._idle = 0

    def __len__(self) -> int:
        return len(self._lane)

    def is_free(self, address: str) -> bool:
        """Tell whether a worker waits for a question of an address."""
        return self._idle > 0 and self._lane.may_begin(address)

    async def ask(self, question: Any, seconds: float, address: str) -> Any:
        """Return the answer when the turn has come; see :func:`when_its_turn_comes`."""
        return await when_its_turn_comes(self._lane, address, (question, seconds))

    def work_off(self) -> list[Coroutine[Any, Any, None]]:
        """Return what answers, each without end."""
        return [self._work_off(each) for each in self.workers]

    async def _work_off(self, worker: Worker) -> None:
        """Answer one after the other, without end; begin the worker before the first who asks has to wait."""
        if self._at_once:
            with contextlib.suppress(EquipoiseError):
                await worker.ask(None, BEGIN)
        while True:
            self._idle += 1
            ticket: Ticket[tuple[Any, float]] = await self._lane.next()
            self._idle -= 1
            try:
                await _answer(worker, [ticket], *ticket.item)
            finally:
                self._lane.done(ticket)
            while self._relieves and not len(self._lane) and (spare := self._relieves.spare()):
                questions = [each.item for each in spare]
                await _answer(worker, spare, questions, max(seconds for _, _, seconds in questions))


async def _answer(worker: Worker, tickets: list[Ticket[Any]], question: Any, seconds: float) -> None:
    """Have a worker answer a question, or a list of some, of so many seconds each, whatever happens."""
    left = iter(tickets)

    async def take(answer: Any) -> None:
        _give(answer, next(left))

    try:
        if worker.pid is None:  # to begin takes time of its own
            await worker.ask(None, BEGIN)
        answer: Any = await worker.ask(question, seconds + PATIENCE, take)
    except EquipoiseError as error:
        answer = error
    except Exception as error:
        log.exception("unexpected error")
        answer = EquipoiseError(type(error).__name__)
    for ticket in left:
        _give(answer, ticket)


def _give(answer: Any, ticket: Ticket[Any]) -> None:
    """Answer a ticket, unless it was given up."""
    if not ticket.answer.done():
        ticket.answer.set_result(answer)


class HereLine:
    """A lane of questions that this process answers itself, one between two turns of everybody else.

    Parameters
    ----------
    places : int
        How many may wait.
    """

    def __init__(self, places: int) -> None:
        self._lane: Lane[tuple[str, bytes, float]] = Lane(places, None)
        #: Tells whether nobody is connected but one address.
        self.is_alone: Callable[[], bool] = bool
        self._used = Account()

    def __len__(self) -> int:
        return len(self._lane)

    def has_time(self) -> bool:
        """Tell whether answers here keep nobody waiting: there were few lately, or nobody else is there."""
        few = len(self._lane) < AHEAD and self._used.is_light(perf_counter())
        return few or self.is_alone()

    def spare(self) -> list[Ticket[tuple[str, bytes, float]]]:
        """Return half of what waits, a few at most, which somebody else may answer meanwhile."""
        return self._lane.some(min(SPARE, len(self._lane) // 2))

    async def ask(self, question: tuple[str, bytes, float], address: str) -> Any:
        """Return the answer when the turn has come; see :func:`when_its_turn_comes`."""
        return await when_its_turn_comes(self._lane, address, question)

    async def work_off(self) -> None:
        """Answer one after the other, without end."""
        turn = perf_counter()
        while True:
            ticket = await self._lane.next()
            began = perf_counter()
            try:
                answer: Any = answered(*ticket.item)
            except Exception as error:
                log.exception("unexpected error")
                answer = EquipoiseError(type(error).__name__)
            _give(answer, ticket)
            now = perf_counter()
            self._used.charge(now - began, now)
            if now - turn > TURN or not self.is_alone():
                for _ in range(STEPS):
                    await asyncio.sleep(0)
                turn = perf_counter()
