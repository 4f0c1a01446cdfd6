"""What answers questions over HTTP rest on: the newest snapshot, and the lanes of what takes time.

Searches go to the pool that divides for the weight protocol too; what is read from the archive, and
pages for people, have a worker each.  Lists of players are made here, from the snapshot, with pauses for
everybody else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from dataclasses import dataclass
from time import time
from typing import Any

import msgspec
from prometheus_client.core import Metric

from equipoise.core.match import Ruleset
from equipoise.errors import InputError
from equipoise.service.archive_workers import AuditStep, Read
from equipoise.service.fair_queue import Lane
from equipoise.service.http.messages import HttpRequest, ProblemError
from equipoise.service.http.problems import HttpProblem
from equipoise.service.leaderboard import People, PlayerRow
from equipoise.service.monitoring import counter, gauge
from equipoise.service.request_cost import seconds_of
from equipoise.service.service import Service
from equipoise.service.settings import Settings
from equipoise.service.snapshot import Snapshot
from equipoise.service.worker_pool import Pool, last_of, work_off

#: Seconds that reading the archive may take.
READING = 20.0

#: Cards of players that are kept as JSON for each snapshot.
MOST_CARDS = 10_000


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


class Backend:
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
        self.zone = settings.local_zone()
        self.metrics = service.metrics
        self.document = b""
        self.ending = False
        self.events: Any = None
        self.tonight: Any = None
        self.queue_pages: Any = None
        self.where = ("", 0)
        self.lookups: Callable[[], int] = int
        self.connections: Callable[[], dict[str, int]] = dict
        self._serial = 0
        self._known = self._take()
        self._reading = Pool("reading", "read", service.admission, settings.store)
        self._pages = Pool("pages", "pages", service.admission, settings.store, settings.language)
        self._lists: Lane[Iterator[Any]] = Lane("lists", service.admission)
        self._ranking = asyncio.Lock()
        self.metrics.watch(self.now)

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

    async def ask(self, kind: str, body: bytes, seconds: float | None, whose: str) -> tuple[int, bytes]:
        """Return status and body of the answer to a question that needs no archive."""
        settings = self.settings
        limit = min(settings.team_seconds if seconds is None else seconds, settings.max_time_limit)
        cost = seconds_of(kind, body, limit)
        answer: tuple[int, bytes] = await self.service.divisions.search(
            kind, lambda: body, limit, whose, cost
        )
        return answer

    async def read(self, kind: str, asked: Any, whose: str) -> Read:
        """Return what the archive has."""
        answer: Read = await self._reading.ask((kind, asked), READING, whose)
        return answer

    async def audited(
        self, asked: HttpRequest, what: str, details: object, do: Callable[[], Awaitable[Any]]
    ) -> Any:
        """Return the outcome of what an admin does, which the audit log has before and after.

        Raises
        ------
        ProblemError
            If it cannot be done.
        """
        text = msgspec.json.encode(details).decode()

        async def note(outcome: str) -> None:
            await self.service.keep(AuditStep(asked.whose, what, text, outcome), asked.whose)

        await note("asked")
        try:
            outcome = await do()
        except InputError as error:
            await note("not done")
            if error.argument == "store":
                raise
            raise ProblemError(HttpProblem(409, "conflict", str(error))) from None
        await note("done")
        return outcome

    async def page(self, question: tuple[str, dict[str, str], Any], whose: str) -> Any:
        """Return what the worker answers to a path, a query, and what the page that is held is of."""
        return await self._pages.ask(question, READING, whose)

    async def gone_through(self, parts: Iterator[Any], whose: str) -> Any:
        """Return the last of some parts that are computed here, when the turn has come."""
        return await self._lists.ask(whose, parts)

    async def leaders(self, ruleset: Ruleset, least_games: int, whose: str) -> list[PlayerRow]:
        """Return the strongest in a ruleset."""
        known = self.known
        async with self._ranking:
            found = known.leaders.get((ruleset, least_games))
            if found is None:
                found = await self.gone_through(known.people.ranked(ruleset, least_games), whose)
                if len(known.leaders) >= len(known.snapshot.rulesets) + 8:
                    known.leaders.clear()
                known.leaders[ruleset, least_games] = found
        rows: list[PlayerRow] = found
        return rows

    def lanes(self) -> list[Coroutine[Any, Any, None]]:
        """Return what works the lanes off, each without end."""
        return [*self._reading.work_off(), *self._pages.work_off(), work_off(self._lists, last_of)]

    def waiting(self) -> dict[str, int]:
        """Return how much waits in each lane, of both protocols."""
        lanes: tuple[Lane[Any], ...] = (self._reading.lane, self._pages.lane, self._lists)
        return self.service.waiting() | {each.name: len(each) for each in lanes}

    def now(self) -> Iterator[Metric]:
        """Tell what metrics say of this moment."""
        known, admission = self.known, self.service.admission
        limits = admission.limits
        of_address, of_network = admission.most()
        yield gauge("equipoise_waiting", "What waits in each lane.", self.waiting(), "lane")
        yield counter("equipoise_lookups_total", "Lookups of the weight protocol.", self.lookups())
        yield gauge("equipoise_connections", "Connections that are open.", self.connections(), "protocol")
        yield gauge("equipoise_limit", "What clients may take.", limits.table(), "what")
        yield gauge(
            "equipoise_most_connections",
            "Connections of the address, and of the network, that has most.",
            {"address": of_address, "network": of_network},
            "of",
        )
        yield counter("equipoise_refused_total", "What was refused, and why.", admission.refused, "what")
        ready = sum(each.is_ready for each in self.service.divisions.workers)
        yield gauge("equipoise_workers", "Processes that divide, and take questions.", ready)
        yield gauge("equipoise_listeners", "Who listens to events.", self.events.listeners)
        yield gauge("equipoise_revision", "The revision of the ratings.", known.snapshot.revision)
        yield gauge("equipoise_revision_age_seconds", "How long ago they were taken.", time() - known.since)
        yield gauge("equipoise_players", "Players that are known.", len(known.people.ids))
        yield gauge(
            "equipoise_learning_lag_seconds",
            "For how long results wait to be learnt from.",
            self.service.lag(),
        )
        yield from self.service.queues.metrics()
        deliverer = self.service.deliverer
        if deliverer.hooks:
            yield counter("equipoise_webhooks_taken_total", "What webhooks took.", deliverer.taken, "hook")
            yield counter("equipoise_webhooks_failed_total", "Tries that failed.", deliverer.failed, "hook")
            names = [each.name for each in deliverer.hooks]
            waiting = {name: deliverer.waiting.get(name, (0, 0.0)) for name in names}
            counts = {name: float(count) for name, (count, _) in waiting.items()}
            ages = {name: time() - since if since else 0.0 for name, (_, since) in waiting.items()}
            yield gauge("equipoise_webhooks_waiting", "What is still to be sent.", counts, "hook")
            yield gauge("equipoise_webhooks_oldest_seconds", "For how long the oldest waits.", ages, "hook")

    async def close(self) -> None:
        """End the workers."""
        await asyncio.gather(self._reading.end(), self._pages.end())
