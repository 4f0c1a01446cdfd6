"""What answers questions over HTTP rest on: the newest snapshot, and workers with lanes of their own.

Questions wait in bounded lanes in which addresses take turns, as divisions of the weight protocol do, so that
neither a lookup nor another address waits for one that takes long.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine, Iterator, Mapping
from dataclasses import dataclass
from time import perf_counter, time
from typing import Any

from equipoise.errors import EquipoiseError
from equipoise.matches import Ruleset
from equipoise.protocols.http.problems import HttpProblem
from equipoise.server.http.asking import ProblemError
from equipoise.server.http.reading import Read
from equipoise.server.metrics import Gauge
from equipoise.server.service import BREATH, Service
from equipoise.server.settings import Settings
from equipoise.server.turns import Lane, Ticket
from equipoise.server.workers import BEGIN, Worker
from equipoise.serving.people import People, PlayerRow
from equipoise.serving.ratings import Snapshot

#: Seconds that reading the archive may take.
READING = 20.0

#: Seconds beyond its time limit after which a worker that answers questions is restarted: they may have to
#: load what they need first, on a machine that is busy.
PATIENCE = 15.0

#: Cards of players that are kept as JSON for each snapshot.
MOST_CARDS = 10_000

#: Questions that take some milliseconds, and so have a worker that no long one holds up.
QUICK = ("balance", "late")

#: As many of these.
QUICK_WORKERS = 2

log = logging.getLogger(__name__)


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
        How many there are.
    """

    def __init__(
        self, role: str, places: int, *arguments: object, at_once: bool = False, workers: int = 1
    ) -> None:
        self._at_once = at_once
        self.workers = [Worker(role, *arguments) for _ in range(workers)]
        self._lane: Lane[tuple[Any, float]] = Lane(places, None)

    def __len__(self) -> int:
        return len(self._lane)

    async def ask(self, question: Any, seconds: float, address: str) -> Any:
        """Return the answer when the turn has come; whoever leaves gives it up.

        Raises
        ------
        ProblemError
            If too much waits, or there is no answer in time.
        """
        ticket = self._lane.enter(address, (question, seconds))
        try:
            answer = await asyncio.shield(ticket.answer)
        except asyncio.CancelledError:
            self._lane.leave(ticket)
            raise
        if answer is None:
            raise ProblemError(HttpProblem(429, "busy", "too much is being asked at once; ask again"))
        if isinstance(answer, EquipoiseError):
            log.warning("not answered", extra={"why": str(answer)})
            raise ProblemError(HttpProblem(503, "unavailable", "this cannot be answered just now; ask again"))
        return answer

    def work_off(self) -> list[Coroutine[Any, Any, None]]:
        """Return what answers, each without end."""
        return [self._work_off(each) for each in self.workers]

    async def _work_off(self, worker: Worker) -> None:
        """Answer one after the other, without end; begin the worker before the first who asks has to wait."""
        if self._at_once:
            with contextlib.suppress(EquipoiseError):
                await worker.ask(None, BEGIN)
        while True:
            ticket: Ticket[tuple[Any, float]] = await self._lane.next()
            question, seconds = ticket.item
            try:
                if worker.pid is None:  # to begin takes time of its own
                    await worker.ask(None, BEGIN)
                answer: Any = await worker.ask(question, seconds + PATIENCE)
            except EquipoiseError as error:
                answer = error
            except Exception as error:
                log.exception("unexpected error")
                answer = EquipoiseError(type(error).__name__)
            if not ticket.answer.done():
                ticket.answer.set_result(answer)


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
        self._quick, self._long = (
            WorkLine("ask", places, at_once=True, workers=QUICK_WORKERS),
            WorkLine("ask", places),
        )
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
        line = self._quick if kind in QUICK else self._long
        answer: tuple[int, bytes] = await line.ask((kind, body, limit), limit, address)
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
        ticket = self._lists.enter(address, parts)
        try:
            found = await asyncio.shield(ticket.answer)
        except asyncio.CancelledError:
            self._lists.leave(ticket)
            raise
        if found is None:
            raise ProblemError(HttpProblem(429, "busy", "too much is being asked at once; ask again"))
        if isinstance(found, EquipoiseError):
            raise found
        return found

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
        return {"quick": self._quick, "long": self._long, "read": self._read, "pages": self._pages}

    def lanes(self) -> list[Coroutine[Any, Any, None]]:
        """Return what works the lanes off, each without end."""
        lines = [each for line in self._lines().values() for each in line.work_off()]
        return [*lines, self._go_through()]

    async def close(self) -> None:
        """Close the workers."""
        workers = [worker for line in self._lines().values() for worker in line.workers]
        await asyncio.gather(*(each.end() for each in workers))

    def gauges(self) -> list[Gauge]:
        """Return what metrics say of this moment."""
        known = self.known
        waiting = {f'{{lane="{name}"}}': float(n) for name, n in self.service.waiting().items()}
        waiting |= {f'{{lane="http_{name}"}}': float(len(line)) for name, line in self._lines().items()}
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
