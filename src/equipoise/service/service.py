"""The service: which archive, model and games, kept up to date and asked over the network.

The composition root: the only place besides the command line that chooses concrete parts by name.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from importlib import import_module
from typing import Any

from equipoise.errors import EquipoiseError, InputError
from equipoise.ratings.models.gaussian_filter.mixture import Mixture
from equipoise.service.answer_cache import Board
from equipoise.service.archive_workers import ReportedGame, UndoneGame
from equipoise.service.fair_queue import Lane, Ticket
from equipoise.service.monitoring import ServerMetrics
from equipoise.service.questions import INFEASIBLE
from equipoise.service.settings import Settings
from equipoise.service.snapshot import AmbiguousGameError, Ratings, Snapshot
from equipoise.service.snapshot_follower import Follower
from equipoise.service.tokens import Keyring
from equipoise.service.weights.commands import Limits
from equipoise.service.weights.conversation import WeightSession
from equipoise.service.weights.messages import Division, Everyone, Finished, Refusal, Request, Setting, Work
from equipoise.service.worker_pool import BEGIN, Worker

#: Seconds between two looks whether the archive has changed.
POLL = 0.1

#: Seconds until the next look after one that failed, unless something is kept before: what refuses does so at
#: once, and what hangs is waited for.
RETRY = 0.25

#: Seconds for which the start waits for matches to be learnt from that nobody has learnt from.
HEALING = 5.0

#: Seconds beyond its time limit after which a worker that keeps is restarted, and one that divides: this is
#: short of the processor wherever much else runs, and restarting it would take more of it.
LATE, LATE_TEAMS = 3.0, 9.0

#: Seconds to wait for another process that writes the archive, before a result is refused.
PATIENCE = 4.0

#: Divisions among which the time for one is shared at most, where as many wait.
SHARED = 10

#: Seconds that a division takes about for each of its players.
A_PLAYER = 0.001

#: Seconds that chances and advantages leave to others for each second they take themselves.
BREATH = 4.0

#: What metrics call a lane, where that is not what it asks for, and what the log says of what was kept.
LANES = {ReportedGame: "reports", object: "others"}
KEPT = {ReportedGame: "game reported", UndoneGame: "game undone"}

log = logging.getLogger(__name__)


class Service:
    """Answers what game servers ask, from the newest board.

    What takes time waits in a lane of its own kind, in which addresses take turns.  Workers divide players,
    keep results, and follow the archive.  Chances and advantages need all ratings and take some milliseconds
    at most, so they are computed here, with pauses for everybody else.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.keyring = Keyring(settings.tokens, settings.secret())
        self._follower = Follower(settings.store, settings.game)
        self._divider = Worker("divide")
        self._keeper = Worker("keep", settings.store, PATIENCE)
        self._compiler = Worker("compile")
        self._lanes: dict[type, Lane[Any]] = {
            kind: Lane(settings.max_waiting, Refusal.BUSY)
            for kind in (Division, Everyone, Finished, ReportedGame, object)
        }
        self._lanes[UndoneGame] = self._lanes[ReportedGame]
        self._kept = asyncio.Event()
        self._beginning: list[asyncio.Future[Any]] = []
        self._trouble = ""
        self._behind_since = 0.0
        self.metrics = ServerMetrics()
        self.board = Board(Snapshot(Ratings(Mixture(), Mixture().initial())))

    async def open(self) -> None:
        """Read the archive for the first time, learn what is to be learnt, and begin the workers.

        Raises
        ------
        EquipoiseError
            If it cannot be read.
        """
        for module in ("late_join", "advantage"):  # so that the first who asks need not wait
            import_module(f"equipoise.teams.{module}")
        begun = asyncio.ensure_future(self._begin())
        self._beginning.append(begun)
        self._take(await self._follower.newer())
        if self._follower.behind:
            healing = asyncio.ensure_future(self._look(now=True))
            self._beginning.append(healing)
            await asyncio.wait([healing], timeout=HEALING)
        await begun

    async def _begin(self) -> None:
        """Begin the other workers, so that the first who asks need not wait for them."""
        beginning = [self._divider.ask(None, BEGIN)]
        if self.keyring.can_report:
            beginning.append(self._keeper.ask(None, BEGIN))
        await asyncio.gather(*beginning)

    async def follow(self) -> None:
        """Keep the board up to date, without end, whatever happens."""
        await asyncio.gather(*self._beginning)
        now, pause = False, POLL
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause):  # what was kept shows that the archive is there again
                    await self._kept.wait()
            now = now or self._kept.is_set()
            self._kept.clear()
            well = await self._look(now=now)
            now, pause = now and not well, POLL if well else RETRY

    async def _look(self, *, now: bool) -> bool:
        """Look for something new, optionally learning at once; tell whether that went well."""
        began = time.monotonic()
        try:
            snapshot = await self._follower.newer(now=now)
        except EquipoiseError as error:
            self._tell("archive cannot be read", str(error))
            return False
        except Exception as error:
            log.exception("unexpected error")
            self._tell("archive cannot be read", f"{type(error).__name__}: {error}")
            return False
        self._tell("ratings cannot be learnt", self._follower.trouble)
        if not self._follower.behind:
            self._behind_since = 0.0
        elif not self._behind_since:
            self._behind_since = time.monotonic()
        if snapshot is not None:
            self._take(snapshot)
            seconds = round(time.monotonic() - began, 3)
            log.info("ratings refreshed", extra={"players": len(snapshot.ratings.known), "seconds": seconds})
        return True

    async def compile(self) -> None:
        """Have every kernel compiled; until then divisions of many players look at fewer splits."""
        try:
            kept = await self._compiler.ask(None)
        except EquipoiseError as error:
            log.warning("divisions go on without compiled kernels", extra={"why": str(error)})
        else:
            if not kept:
                log.warning("compiled kernels cannot be kept; set NUMBA_CACHE_DIR to a directory to write in")
        await self._compiler.end()

    def _take(self, snapshot: Snapshot | None) -> None:
        if snapshot is not None:
            self.board = Board(snapshot)

    def reload(self, settings: Settings) -> None:
        """Take another token, and other times, from reloaded settings.

        Raises
        ------
        InputError
            If the token cannot be had; nothing has changed then.
        """
        self.keyring = Keyring(settings.tokens, settings.secret())
        self._settings = settings

    def lanes(self) -> list[Coroutine[Any, Any, None]]:
        """Return what works the lanes off, each without end."""
        return [
            self._work_off(Division, self._divide),
            self._work_off(Everyone, self._everyone),
            self._work_off(Finished, self._record),
            self._work_off(ReportedGame, self._keep),
            self._work_off(object, self._judged, BREATH),
        ]

    def converse(self, limits: Limits) -> WeightSession:
        """Begin a conversation."""
        return WeightSession(self._right if self.keyring.can_report else None, limits, self._known)

    def _known(self, setting: Setting) -> Mapping[bytes, bytes]:
        return self.board.known(setting)

    def result(self, request: Request) -> Any:
        """Return the result of a request that takes no time."""
        return self.board.result(request)

    async def work(self, request: Work | ReportedGame | UndoneGame, address: str) -> Any:
        """Return the result of a request that takes time, when its turn has come.

        A client that leaves gives up its turn, but for results: they are kept all the same.
        """
        lane = self._lanes.get(type(request), self._lanes[object])
        cost = A_PLAYER * len(request.members) if isinstance(request, Division) else 0.0
        ticket = lane.enter(address, request, cost)
        began = time.monotonic()
        try:
            answer = await asyncio.shield(ticket.answer)
            status = answer.code if isinstance(answer, Refusal) else "ok"
            self.metrics.answered("weights", type(request).__name__.lower(), status, time.monotonic() - began)
            return answer
        except asyncio.CancelledError:
            if not isinstance(request, Finished | ReportedGame | UndoneGame):
                lane.leave(ticket)
            raise

    def waiting(self) -> dict[str, int]:
        """Return how much waits in each lane."""
        return {
            LANES.get(kind, kind.__name__.lower()): len(lane)
            for kind, lane in self._lanes.items()
            if kind is not UndoneGame  # which waits with reports
        }

    def lag(self) -> float:
        """Return for how many seconds matches have waited to be learnt from; 0 where none waits."""
        return time.monotonic() - self._behind_since if self._behind_since else 0.0

    async def close(self) -> None:
        """Let go of everything; what is under way then is not waited for."""
        for each in self._beginning:
            each.cancel()
        await asyncio.gather(*self._beginning, return_exceptions=True)
        await asyncio.gather(
            self._compiler.end(),
            self._divider.end(),
            self._follower.end(),
            self._keeper.close(),  # what it is keeping may be kept
        )

    async def _work_off(self, kind: type, work: Callable[[Any], Awaitable[Any]], breath: float = 0.0) -> None:
        """Answer a lane, one at a time; afterwards others have so many times as long for themselves."""
        lane = self._lanes[kind]
        while True:
            ticket: Ticket[Any] = await lane.next()
            began = time.monotonic()
            try:
                answer = await work(ticket.item)
            except EquipoiseError as error:
                log.warning("not answered", extra={"kind": kind.__name__, "why": str(error)})
                answer = Refusal.UNAVAILABLE
            except Exception:
                log.exception("unexpected error")
                answer = Refusal.UNAVAILABLE
            lane.done(ticket)
            if not ticket.answer.done():
                ticket.answer.set_result(answer)
            await asyncio.sleep(breath * (time.monotonic() - began))

    async def _divide(self, request: Division) -> Any:
        try:
            gathered = self.board.gather(request, clans=self._settings.clan_tags)
            limit = self._settings.team_seconds
            seconds = limit / min(1 + len(self._lanes[Division]), SHARED)
            divided = await self._divider.ask((gathered, seconds), limit + LATE_TEAMS)
        except AmbiguousGameError:
            return Refusal.AMBIGUOUS_GAME
        except InputError:
            return Refusal.BAD_FIELD
        return Refusal.IMPOSSIBLE if divided == INFEASIBLE else divided or Refusal.BUSY

    async def _everyone(self, request: Everyone) -> Any:
        whole: Any = None
        try:
            for part in self.board.everyone(request):
                whole = part
                await asyncio.sleep(0)  # others have their turn
        except AmbiguousGameError:
            return Refusal.AMBIGUOUS_GAME
        return whole

    async def _judged(self, request: Work) -> Any:
        return self.board.result(request)

    async def _record(self, request: Finished) -> bool | Refusal:
        match = self.board.match(request, time.time())
        if isinstance(match, Refusal):
            return match
        try:
            new: bool = await self._keeper.ask(match, PATIENCE + LATE)
        except EquipoiseError as error:
            log.error("result not kept", extra={"id": request.id, "why": str(error)})
            return Refusal.UNAVAILABLE
        log.info("result", extra={"id": request.id, "new": new})
        self._kept.set()
        return new

    async def _keep(self, request: ReportedGame | UndoneGame) -> str | Refusal:
        try:
            outcome: str = await self._keeper.ask(request, PATIENCE + LATE)
        except EquipoiseError as error:
            log.error("result not kept", extra={"id": request.id, "why": str(error)})
            return Refusal.UNAVAILABLE
        log.info(KEPT[type(request)], extra={"id": request.id, "outcome": outcome})
        self._kept.set()
        return outcome

    def _right(self, token: str) -> bool:
        """Tell whether a token may report; how long that takes tells nothing about it."""
        right = self.keyring.may(token, "report")
        self.metrics.failed["weights"] += not right
        return right

    def _tell(self, what: str, why: str) -> None:
        """Log trouble with the archive once, and its end."""
        if why and why != self._trouble:
            log.warning(what, extra={"why": why})
        elif self._trouble and not why:
            log.warning("archive can be read again")
        self._trouble = why
