"""The queues of a server: what is asked of each goes to its owner, many questions in one transaction.

An owner (:class:`equipoise.service.queue_owner.Queueing`) is a process of its own, so that neither a search
for matches nor a slow disk holds anybody else up.  While it works, questions gather; they are its next
transaction, so that the disk is waited for once for all of them.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import logging
from collections import Counter, deque
from collections.abc import Callable, Collection, Coroutine, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

from prometheus_client.core import Metric

from equipoise.archive.shards import BEAT, Owned
from equipoise.core.player import Player
from equipoise.errors import EquipoiseError
from equipoise.identity.merges import stand_in, tombstone
from equipoise.identity.roster_lookup import AmbiguousNameError
from equipoise.queueing.policy import QueuePolicy
from equipoise.service.admission import BusyError
from equipoise.service.monitoring import ServerMetrics, gauge_of_two
from equipoise.service.queue_owner import (
    Beat,
    HandOver,
    MatchesAsked,
    OpeningsAsked,
    Question,
    QueueAnswers,
    TickDue,
    size_of,
)
from equipoise.service.queue_parties import QueueParties
from equipoise.service.table_settings import QueueSettings
from equipoise.service.worker_pool import BEGIN, Worker

#: Seconds for an answer, and to wait for another process that writes the archive.
ANSWER, WRITER = 20.0, 8.0

#: Seconds to let another server own a queue, at the end.
LET_GO = 2.0

#: Questions of one transaction, and those that may wait.
AT_ONCE, MOST_WAITING = 2000, 10_000

#: Matches over which the recent figures go.
RECENT = 100

#: How a capability begins.
CAPABILITY = "tk_"

log = logging.getLogger(__name__)


def key_of(salt: bytes, queue: str) -> bytes:
    """Return what the capabilities of a queue are signed with, from the salt of its archive."""
    return hmac.digest(salt, f"queue:{queue}".encode(), hashlib.sha256)


def link_key(key: bytes, join: str) -> str:
    """Return the key of the link to a queue's page: another word in the settings, another key."""
    return hmac.digest(key, f"join:{join}".encode(), hashlib.sha256).hex()[:24] if join else ""


class Queue:
    """One queue.

    Parameters
    ----------
    store : str
        The archive.
    settings : QueueSettings
        The queue.
    hooks : mapping
        The webhooks that receive each kind of event.
    metrics : ServerMetrics
        What counts matches and waits.
    tell : callable
        Called when there may be something to send.
    worker : str
        What this server is called, of several that may own the queue.
    """

    def __init__(
        self,
        store: str,
        settings: QueueSettings,
        hooks: Mapping[str, Sequence[str]],
        metrics: ServerMetrics,
        tell: Callable[[], None],
        worker: str = "",
    ) -> None:
        self.settings = settings
        self.status: dict[str, Any] = {}
        #: Who owns the queue, as far as is known here.
        self.owned = Owned(True)
        self.number = 0
        self.ended = False
        #: Who listens to its events.
        self.listeners = 0
        #: Who watches their ticket in it.
        self.watching = 0
        #: Seconds without a look for matches after which the queue is late, as metrics say.
        self.late = 0.0
        self._worker = Worker("queue", store, settings, hooks, WRITER, worker)
        self._shared = bool(worker)
        self._due = asyncio.Event()
        self._metrics = metrics
        self._tell = tell
        self._key = self._salt = b""
        #: Those who gather on its page.
        self.parties = QueueParties(b"")
        self._policy: QueuePolicy | None = None
        self._asked: list[tuple[Question, asyncio.Future[Any]]] = []
        self._size = 0  # of all that is asked
        self._something = asyncio.Event()
        self._changed = asyncio.Condition()
        self._made: deque[dict[str, Any]] = deque(maxlen=RECENT)

    @property
    def name(self) -> str:
        """What it is called."""
        return self.settings.name

    def recent(self) -> dict[str, float]:
        """Return how long the tickets of the last matches waited, and how even those are."""
        waits = sorted(wait for each in self._made for wait in each["waits"])
        count = len(self._made)
        return {
            "matches": count,
            "wait": sum(waits) / len(waits) if waits else 0.0,
            "p95": waits[min(int(0.95 * len(waits)), len(waits) - 1)] if waits else 0.0,
            "imbalance": sum(each["imbalance"] for each in self._made) / count if count else 0.0,
            "relaxed": sum(each["relaxed"] for each in self._made),
        }

    async def ready(self) -> None:
        """Wait until it is known what capabilities and links are signed with, and what the last event is.

        Raises
        ------
        EquipoiseError
            If the archive cannot be asked.
        """
        if not self._key:
            await self.begin()

    async def begin(self) -> None:
        """Go through the record, so that the first who asks need not wait for that."""
        self._salt, number = await self._worker.ask(None, BEGIN)
        if not self._key:
            self._key = key_of(self._salt, self.name)
            self.parties = QueueParties(self._key)
        await self.heard(number)

    def link_key(self) -> str:
        """Return the key of the link to the queue's page; empty where it has none."""
        return link_key(self._key, self.settings.join) if self._key else ""

    def capability(self, ticket: str, player: str) -> str:
        """Return what lets a player ask for, accept with and cancel the ticket they are in."""
        return f"{CAPABILITY}{player.encode().hex()}_{self._signed(ticket, player)}"

    def holder(self, ticket: str, capability: str) -> str | None:
        """Return which player a capability for a ticket is of, None where it is of none."""
        written, _, signed = capability.removeprefix(CAPABILITY).partition("_")
        try:
            player = bytes.fromhex(written).decode()
        except ValueError:
            return None
        right = hmac.compare_digest(self._signed(ticket, player).encode(), signed.encode("utf-8", "replace"))
        return player if right and self._key and capability.startswith(CAPABILITY) else None

    def known_as(self, player: str, players: Sequence[str]) -> str:
        """Return the id somebody has among those of a ticket: a stand-in where they are forgotten."""
        instead = player if player in players else stand_in(tombstone(self._salt, player))
        return instead if instead in players else player

    def _signed(self, ticket: str, player: str) -> str:
        what = b"\0".join(each.encode() for each in (ticket, player))
        return hmac.digest(self._key, what, hashlib.sha256).hex()

    async def ask(self, *questions: Question) -> list[Any]:
        """Return the answers to questions; what they change survives a crash then.

        Raises
        ------
        BusyError
            If too much waits.
        EquipoiseError
            If it cannot be kept; nothing of it was done then, or all of it.
        """
        size = sum(map(size_of, questions))
        if self._size + size > MOST_WAITING:
            msg = "too much waits"
            raise BusyError(msg)
        self._size += size
        loop = asyncio.get_running_loop()
        waiting = [(each, loop.create_future()) for each in questions]
        self._asked += waiting
        self._something.set()
        # What was asked is done although its sender leaves: others in its transaction may be answered.
        return list(await asyncio.gather(*(asyncio.shield(answer) for _, answer in waiting)))

    def reload(self, settings: QueueSettings) -> None:
        """Go on under another policy; nobody loses a ticket."""
        self.settings = settings
        self._policy = settings.policy

    async def follow(self) -> None:
        """Answer what is asked, without end."""
        while True:
            await self._something.wait()
            self._something.clear()
            while self._asked:
                sizes = accumulate(size_of(each) for each, _ in self._asked)
                count = max(sum(size <= AT_ONCE for size in sizes), 1)
                batch, self._asked = self._asked[:count], self._asked[count:]
                self._size -= sum(size_of(each) for each, _ in batch)
                await self._answer(batch)

    async def _answer(self, batch: list[tuple[Question, asyncio.Future[Any]]]) -> None:
        policy, self._policy = self._policy, None
        try:
            await self.ready()
            found: QueueAnswers = await self._worker.ask(([each for each, _ in batch], policy), ANSWER)
        except Exception as error:
            self._policy = self._policy or policy
            if not isinstance(error, EquipoiseError):
                log.exception("unexpected error")
                error = EquipoiseError(type(error).__name__)
            for _, answer in batch:
                if not answer.done():
                    answer.set_exception(error)
                    answer.exception()  # nobody may be there to look at it
            return
        for (_, answer), value in zip(batch, found.answers, strict=True):
            if not answer.done():
                answer.set_result(value)
        await self._take(found)

    async def _take(self, found: QueueAnswers) -> None:
        self.owned = found.owned
        self._made.extend(found.made)
        for each in found.made:
            self._metrics.matched(self.name, each)
        for kind, count in found.replies.items():
            self._metrics.replied(self.name, kind, count)
        for why, count in (found.left or {}).items():
            self._metrics.left(self.name, why, count)
        await self.heard(found.number)

    async def heard(self, number: int) -> None:
        """Note that there are events up to a number."""
        if number != self.number:
            async with self._changed:
                self.number = number
                self._changed.notify_all()
            self._tell()

    def wake(self, *, letter: bool = False) -> None:
        """Note that another server has let go of the queue, or that a letter waits for its owner."""
        if self.owned.here or not letter:
            self._due.set()

    async def news(self, number: int, seconds: float) -> bool:
        """Wait until there is an event after a number; tell whether there is one."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds), self._changed:
                await self._changed.wait_for(lambda: self.ended or self.number > number)
        return self.number > number

    async def end(self) -> None:
        """Let all who wait for news go."""
        self.ended = True
        async with self._changed:
            self._changed.notify_all()

    async def tick(self) -> None:
        """Look for matches again and again, without end."""
        loop = asyncio.get_running_loop()
        looked = loop.time()
        while True:
            began = loop.time()
            try:
                (self.status,) = await self.ask(TickDue())
                looked = loop.time()
                if not self.owned.here:
                    self.status = {}
            except BusyError:
                log.warning("queue is too busy to look for matches", extra={"queue": self.name})
            except EquipoiseError as error:
                log.warning("no matches were looked for", extra={"queue": self.name, "why": str(error)})
            self.late = loop.time() - looked
            await asyncio.sleep(max(self.settings.tick - (loop.time() - began), 0.01))

    async def beat(self) -> None:
        """Be there for other servers, without end: own the queue where it is free, answer their letters."""
        while self._shared:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(BEAT):
                    await self._due.wait()
            self._due.clear()
            try:
                await self.ask(Beat())
            except EquipoiseError as error:
                log.debug("no sign of life", extra={"queue": self.name, "why": str(error)})
                await asyncio.sleep(BEAT)

    async def close(self) -> None:
        """Let what is being kept be kept, and another server own the queue."""
        if self._shared and self._worker.is_ready:
            with contextlib.suppress(EquipoiseError):
                await self._worker.ask(([HandOver()], None), LET_GO)
        await self._worker.close()


class Queues:
    """All queues of a server.

    Parameters
    ----------
    store : str
        The archive.
    settings : sequence of QueueSettings
        The queues.
    hooks : mapping
        The webhooks that receive each kind of event.
    metrics : ServerMetrics
        What counts matches and waits.
    tell : callable
        Called when there may be something to send.
    rated : callable
        Returns who is meant by a player, with the rating in the archive that counts in a queue.
    worker : str
        What this server is called, of several that may own the queues; empty where there is this one alone.
    """

    def __init__(
        self,
        store: str,
        settings: Sequence[QueueSettings],
        hooks: Mapping[str, Sequence[str]],
        metrics: ServerMetrics,
        tell: Callable[[], None],
        rated: Callable[[Player, QueueSettings | None], Player],
        worker: str = "",
    ) -> None:
        self._queues = {each.name: Queue(store, each, hooks, metrics, tell, worker) for each in settings}
        self.rated = rated

    def meant(self, name: str, among: Collection[str]) -> str:
        """Return the id of who is meant by a name; the name where nobody is.

        Whoever is ``among`` the ids that may be meant goes before others of the same name.

        Raises
        ------
        AmbiguousNameError
            If several are meant, and not one of them alone may be.
        """
        if name in among:
            return name
        try:
            return self.rated(Player(name), None).id
        except AmbiguousNameError as error:
            here = [player for player, _ in error.candidates if player in among]
            if len(here) != 1:
                raise
            return here[0]

    async def left(self, queue: Queue, match: str, names: Sequence[str]) -> tuple[str, ...]:
        """Return who has left a match, by the names given: as they are, and the ids of who is meant.

        Raises
        ------
        AmbiguousNameError
            If several are meant, and not one of them alone plays in the match.
        BusyError, EquipoiseError
            As :meth:`Queue.ask`.
        """
        if not names:
            return ()
        found, openings = await queue.ask(MatchesAsked(match), OpeningsAsked())
        shown = [*found, *(each for each in openings if each["match"] == match)]
        here = {player for each in shown for team in each["players"] for player in team}
        return tuple(dict.fromkeys([*names, *(self.meant(each, here) for each in names)]))

    def __getitem__(self, name: str) -> Queue:
        return self._queues[name]

    def __iter__(self) -> Iterator[Queue]:
        return iter(self._queues.values())

    def __contains__(self, name: object) -> bool:
        return name in self._queues

    async def begin(self) -> None:
        """Go through the records of all queues."""
        await asyncio.gather(*(each.begin() for each in self))

    def follow(self) -> list[Coroutine[Any, Any, None]]:
        """Return what answers and what looks for matches, each without end."""
        return [work for each in self for work in (each.follow(), each.tick(), each.beat())]

    def forget(self) -> None:
        """Keep nobody in memory, as somebody was forgotten: who is in a party is heard of again."""
        for each in self:
            each.parties.clear()

    def reload(self, settings: Sequence[QueueSettings]) -> None:
        """Take other policies; queues neither come nor go until the next start."""
        for each in settings:
            if each.name in self:
                self[each.name].reload(each)
            else:
                log.warning("a new queue begins with the next start", extra={"queue": each.name})

    def metrics(self) -> Iterator[Metric]:
        """Tell how the queues stand."""
        bands: Counter[tuple[str, str]] = Counter()
        stands: dict[tuple[str, str], float] = {}
        for each in self:
            for band, count in each.status.get("bands", {}).items():
                bands[each.name, band] += count
            for what in ("waiting", "proposed", "running", "openings", "players", "oldest", "ahead"):
                stands[each.name, what] = each.status.get(what, 0)
            stands[each.name, "late"] = each.late
            stands[each.name, "owned"] = each.owned.here
            stands[each.name, "epoch"] = each.owned.epoch
        if stands:
            yield gauge_of_two(
                "equipoise_queue", "How a queue stands: counts, seconds, and whether it is owned here.",
                stands, ("queue", "what"),
            )  # fmt: skip
            yield gauge_of_two(
                "equipoise_queue_waiting", "Tickets that wait, by deviations from the middle.", bands,
                ("queue", "band"),
            )  # fmt: skip

    async def close(self) -> None:
        """End the owners."""
        await asyncio.gather(*(each.close() for each in self))
