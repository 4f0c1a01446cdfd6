"""What answers questions over HTTP rest on: the newest snapshot, and workers with lanes of their own.

Questions wait in bounded lanes in which addresses take turns, as divisions of the weight protocol do, so that
neither a lookup nor another address waits for one that takes long.

Lanes of questions, in which addresses take turns, and what works them off.

What takes time is answered by workers, of which one address never has all at once: another one finds
one that is free.  What takes no longer than a turn is answered in this process while it has taken little of
it lately, or nobody else is connected; where several wait for that, a free worker takes half of them.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine, Iterator, Mapping
from dataclasses import dataclass
from time import perf_counter, time
from typing import Any

from equipoise.core.match import Ruleset
from equipoise.errors import EquipoiseError
from equipoise.service.admission import Account
from equipoise.service.archive_workers import Read
from equipoise.service.fair_queue import Lane, Ticket
from equipoise.service.http.messages import ProblemError
from equipoise.service.http.problems import HttpProblem
from equipoise.service.http.stateless_questions import answered
from equipoise.service.leaderboard import People, PlayerRow
from equipoise.service.monitoring import Gauge
from equipoise.service.request_cost import Effort, effort
from equipoise.service.service import BREATH, Service
from equipoise.service.settings import Settings
from equipoise.service.snapshot import Snapshot
from equipoise.service.worker_pool import BEGIN, Worker

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
        What a worker is; see :data:`equipoise.service.worker_pool.ROLES`.
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


#: Seconds that reading the archive may take.
READING = 20.0

#: Cards of players that are kept as JSON for each snapshot.
MOST_CARDS = 10_000

#: Workers for long questions: one more than an address may have.
LONG_WORKERS = 2

log = logging.getLogger(__name__)


@dataclass(slots=True)
class FromSnapshot:
    """What was made of one snapshot.

    Parameters
    ----------
    snapshot : Snapshot
        The snapshot.
    people : People
        Its players.
    etag : bytes
        What tells its revision from all others.
    since : float
        When it came, seconds since 1970.
    """

    snapshot: Snapshot
    people: People
    etag: bytes
    since: float
    cards: dict[str, bytes]
    leaders: dict[tuple[Ruleset, int], list[PlayerRow]]


class Desk:
    """What the handlers are called with.

    Parameters
    ----------
    service : Service
        What answers the weight protocol, and has the newest snapshot.
    settings : Settings
        What is allowed.
    """

    def __init__(self, service: Service, settings: Settings) -> None:
        self.service = service
        self.settings = settings
        self.metrics = service.metrics
        self.document = b""
        self.ending = False
        self.events: Any = None
        self.lookups: Callable[[], int] = int
        self.connections: Callable[[], Mapping[str, float]] = dict
        self._serial = 0
        self._known = self._take()
        places = settings.max_waiting
        self.here = HereLine(places)
        self._short = WorkLine("ask", places, at_once=True, relieves=self.here)
        self._long = WorkLine("ask", places, at_once=True, workers=LONG_WORKERS)
        self._read = WorkLine("read", places, settings.store)
        self._pages = WorkLine("pages", places, settings.store)
        self._lists: Lane[Iterator[Any]] = Lane(places, None)
        self._ranking = asyncio.Lock()

    @property
    def known(self) -> FromSnapshot:
        """What was made of the newest snapshot."""
        if self.service.board.snapshot is not self._known.snapshot:
            self._known = self._take()
        return self._known

    def _take(self) -> FromSnapshot:
        snapshot = self.service.board.snapshot
        before = getattr(self, "_known", None)
        if before is not None and snapshot.revision <= before.snapshot.revision:
            self._serial += 1  # another archive took its place
        etag = f'"{snapshot.revision}{f".{self._serial}" if self._serial else ""}"'.encode()
        return FromSnapshot(snapshot, People(snapshot), etag, time(), {}, {})

    async def ask(self, kind: str, body: bytes, seconds: float | None, address: str) -> tuple[int, bytes]:
        """Return status and body of the answer to a question that needs no archive."""
        settings = self.settings
        limit = min(settings.team_seconds if seconds is None else seconds, settings.max_time_limit)
        answer: tuple[int, bytes]
        work = effort(kind, body)
        is_here = work is Effort.HERE and self.here.has_time()
        if is_here and not (len(self.here) and self._short.is_free(address)):
            answer = await self.here.ask((kind, body, limit), address)
        else:
            line = self._long if work is Effort.LONG else self._short
            answer = await line.ask((kind, body, limit), limit, address)
        return answer

    async def read(self, kind: str, asked: Any, address: str) -> Read:
        """Return what the archive has."""
        answer: Read = await self._read.ask((kind, asked), READING, address)
        return answer

    async def page(self, path: str, query: dict[str, str], address: str) -> tuple[str, str | None]:
        """Return ``now`` and the page at a path, or ``later`` while there are none yet."""
        answer: tuple[str, str | None] = await self._pages.ask((path, query), READING, address)
        return answer

    async def gone_through(self, parts: Iterator[Any], address: str) -> Any:
        """Return the last of some parts that are computed here, when the turn has come.

        Raises
        ------
        ProblemError
            If too much waits.
        """
        return await when_its_turn_comes(self._lists, address, parts)

    async def _go_through(self) -> None:
        """Compute one list after the other, with pauses for everybody else, without end."""
        while True:
            ticket: Ticket[Iterator[Any]] = await self._lists.next()
            found: Any = None
            try:
                began = perf_counter()
                for part in ticket.item:
                    found = part
                    await asyncio.sleep(BREATH * (perf_counter() - began))
                    began = perf_counter()
            except Exception as error:
                log.exception("unexpected error")
                found = EquipoiseError(type(error).__name__)
            if not ticket.answer.done():
                ticket.answer.set_result(found)

    async def leaders(self, ruleset: Ruleset, least_games: int, address: str) -> list[PlayerRow]:
        """Return the strongest in a ruleset."""
        known = self.known
        async with self._ranking:
            found = known.leaders.get((ruleset, least_games))
            if found is None:
                found = await self.gone_through(known.people.ranked(ruleset, least_games), address)
                if len(known.leaders) >= len(known.snapshot.rulesets) + 8:
                    known.leaders.clear()
                known.leaders[ruleset, least_games] = found
        rows: list[PlayerRow] = found
        return rows

    def _lines(self) -> dict[str, WorkLine]:
        return {"short": self._short, "long": self._long, "read": self._read, "pages": self._pages}

    def lanes(self) -> list[Coroutine[Any, Any, None]]:
        """Return what works the lanes off, each without end."""
        lines = [each for line in self._lines().values() for each in line.work_off()]
        return [*lines, self.here.work_off(), self._go_through()]

    async def close(self) -> None:
        """Close the workers."""
        workers = [worker for line in self._lines().values() for worker in line.workers]
        await asyncio.gather(*(each.end() for each in workers))

    def gauges(self) -> list[Gauge]:
        """Return what metrics say of this moment."""
        known = self.known
        waiting = {f'{{lane="{name}"}}': float(n) for name, n in self.service.waiting().items()}
        lines: dict[str, HereLine | WorkLine] = {"here": self.here, **self._lines()}
        waiting |= {f'{{lane="http_{name}"}}': float(len(line)) for name, line in lines.items()}
        return [
            ("equipoise_waiting", "What waits in each lane.", "gauge", waiting),
            ("equipoise_lookups_total", "Lookups of the weight protocol.", "counter",
             {"": float(self.lookups())}),
            ("equipoise_connections", "Connections that are open.", "gauge", self.connections()),
            ("equipoise_listeners", "Who listens to events.", "gauge", {"": float(self.events.listeners)}),
            ("equipoise_revision", "The revision of the ratings.", "gauge", {"": known.snapshot.revision}),
            ("equipoise_revision_age_seconds", "How long ago they were taken.", "gauge",
             {"": time() - known.since}),
            ("equipoise_players", "Players that are known.", "gauge", {"": len(known.people.ids)}),
            ("equipoise_learning_lag_seconds",
             "For how long results wait to be learnt from.", "gauge", {"": self.service.lag()}),
        ]  # fmt: skip
