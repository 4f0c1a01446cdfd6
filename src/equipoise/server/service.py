"""The service: which archive, model and games, kept up to date and asked over the network.

The composition root: the only place besides the command line that chooses concrete parts by name.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import hashlib
import hmac
import ipaddress
import logging
import signal
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from equipoise.archive.archive import open_archive
from equipoise.clock import deadline
from equipoise.errors import EquipoiseError
from equipoise.matches import Match, Setting
from equipoise.protocols.weights.requests import Finished, Refusal, Request, Work
from equipoise.protocols.weights.session import Limits, WeightSession
from equipoise.ratings.models.gaussian_filter.mixture import Mixture
from equipoise.server.following import Follower
from equipoise.server.settings import Settings
from equipoise.server.tcp import Server
from equipoise.serving.board import Board
from equipoise.serving.ratings import Ratings, Snapshot
from equipoise.teams.balancing import balance

#: Seconds between two looks whether the archive has changed.
POLL = 0.1

#: Seconds for which a thread keeps others waiting: a tenth of Python's usual, so that a refresh or a division
#: holds no answer up.
SWITCH = 0.0005

#: Seconds to wait for another process that writes the archive, before a result is refused.
PATIENCE = 10.0

log = logging.getLogger(__name__)


class Service:
    """Answers what game servers ask, from the newest board.

    Threads do what takes time: one follows the archive, one divides players, one keeps results.
    """

    def __init__(self, settings: Settings) -> None:
        secret = settings.secret()
        self._settings = settings
        self._token = _digest(secret) if secret else None
        self._follower = Follower(settings)
        self._threads = {
            name: ThreadPoolExecutor(1, thread_name_prefix=name) for name in ("follow", "divide", "record")
        }
        self._waiting = 0
        self._learning: asyncio.Future[None] | None = None
        self._told = ""
        self.board = Board(Snapshot(Ratings(Mixture(), Mixture().initial())))

    async def open(self) -> None:
        """Read the archive for the first time.

        Raises
        ------
        InputError
            If it cannot be read.
        """
        snapshot = await self._in("follow", self._follower.newer)
        self.board = Board(snapshot) if snapshot else self.board
        await self._in("divide", _warm)

    async def follow(self) -> None:
        """Keep the board up to date, for ever."""
        while True:
            await asyncio.sleep(POLL)
            began = time.monotonic()
            try:
                snapshot = await self._in("follow", self._follower.newer)
            except EquipoiseError as error:
                self._tell(str(error))
                continue
            self._tell("")
            if snapshot is not None:
                self.board = Board(snapshot)
                log.info(
                    "ratings refreshed",
                    extra={
                        "players": len(snapshot.ratings.known),
                        "seconds": round(time.monotonic() - began, 3),
                    },
                )

    def converse(self, limits: Limits) -> WeightSession:
        """Begin a conversation."""
        return WeightSession(None if self._token is None else self._right, limits, self._known)

    def _known(self, setting: Setting) -> Mapping[bytes, bytes]:
        return self.board.known(setting)

    def result(self, request: Request) -> Any:
        """Return the result of a request that takes no time."""
        return self.board.result(request)

    async def work(self, request: Work) -> Any:
        """Return the result of a request that takes time; refuse it where too many wait."""
        if self._waiting >= self._settings.max_waiting:
            return Refusal.BUSY
        self._waiting += 1
        try:
            if isinstance(request, Finished):
                return await self._record(request)
            return await self._in("divide", self._judge, request)
        finally:
            self._waiting -= 1

    async def close(self) -> None:
        """Let the work that was begun come to its end."""
        if self._learning is not None:
            await self._learning
        for thread in self._threads.values():
            thread.shutdown()
        self._follower.close()

    def _judge(self, request: Work) -> Any:
        return self.board.result(request, deadline(self._settings.team_seconds))

    async def _record(self, request: Finished) -> bool | Refusal:
        match = self.board.match(request, time.time())
        if isinstance(match, Refusal):
            return match
        try:
            new: bool = await self._in("record", self._keep, match)
        except EquipoiseError:
            log.exception("result not kept")
            return Refusal.UNAVAILABLE
        log.info("result", extra={"id": request.id, "new": new})
        if new and (self._learning is None or self._learning.done()):
            self._learning = asyncio.ensure_future(self._learn())
        return new

    def _keep(self, match: Match) -> bool:
        """Keep a game; when this returns it survives a crash.  Tell whether it was new."""
        with open_archive(self._settings.store, timeout=PATIENCE, waiting=log.warning) as archive:
            return archive.record([match]).new > 0

    async def _learn(self) -> None:
        try:
            await self._in("record", self._update)
        except EquipoiseError:
            log.exception("ratings not updated")

    def _update(self) -> None:
        with open_archive(self._settings.store, timeout=PATIENCE, waiting=log.warning) as archive:
            archive.update_ratings()

    def _right(self, token: str) -> bool:
        """Tell whether a token is right; how long that takes tells nothing about it."""
        return self._token is not None and hmac.compare_digest(_digest(token), self._token)

    def _tell(self, trouble: str) -> None:
        """Log trouble with the archive once, and its end."""
        if trouble != self._told:
            log.warning(
                "archive cannot be read" if trouble else "archive can be read again", extra={"why": trouble}
            )
        self._told = trouble

    async def _in(self, thread: str, function: Callable[..., Any], *given: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._threads[thread], function, *given)


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def _warm() -> None:
    """Load what divides players, so that the first who asks need not wait for it."""
    balance({"one": 1.0, "two": 2.0})


async def serve(settings: Settings, listening: Callable[[str, int], None]) -> None:
    """Answer until the process is told to end, then answer what was asked before.

    Parameters
    ----------
    settings : Settings
        Which archive, where, and within what limits.
    listening : callable
        Told the host and port once there are answers.

    Raises
    ------
    InputError
        If a setting is at fault, the archive cannot be read, or the address cannot be had.
    """
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError):  # where a loop has no signals, Ctrl-C raises
            loop.add_signal_handler(number, ended.set)
    host, port = settings.address
    service = Service(settings)
    await service.open()
    gc.freeze()  # what is loaded stays: to go through it again and again would hold answers up for 0.1 s
    server = Server(service, settings.limits)
    following = None
    try:
        bound = await server.listen(host, port)
        if not (settings.token or settings.token_file) and not _is_loopback(bound[0]):
            log.warning(
                "anyone who reaches this address may ask; results are not taken without a token",
                extra={"host": bound[0]},
            )
        following = asyncio.ensure_future(service.follow())
        listening(*bound)
        await ended.wait()
        log.info("ending")
        await server.stop()
        log.info("ended")
    finally:
        if following is not None:
            following.cancel()
        await service.close()


def _is_loopback(host: str) -> bool:
    return ipaddress.ip_address(host).is_loopback


def run(settings: Settings, listening: Callable[[str, int], None]) -> None:
    """Run :func:`serve` on the fastest loop there is."""
    sys.setswitchinterval(SWITCH)
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(serve(settings, listening))


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    """Return what makes event loops: uvloop's where it is installed."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop
    return uvloop.new_event_loop
