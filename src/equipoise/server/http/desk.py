"""What answers questions over HTTP rest on: the newest snapshot, and workers with lanes of their own.

Questions wait in bounded lanes in which addresses take turns, as divisions of the weight protocol do, so that
neither a lookup nor another address waits for one that takes long.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator, Mapping
from dataclasses import dataclass
from time import perf_counter, time
from typing import Any

from equipoise.errors import EquipoiseError
from equipoise.matches import Ruleset
from equipoise.server.http.lines import HereLine, WorkLine, when_its_turn_comes
from equipoise.server.http.reading import Read
from equipoise.server.http.small import Effort, effort
from equipoise.server.metrics import Gauge
from equipoise.server.service import BREATH, Service
from equipoise.server.settings import Settings
from equipoise.server.turns import Lane, Ticket
from equipoise.serving.people import People, PlayerRow
from equipoise.serving.ratings import Snapshot

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
