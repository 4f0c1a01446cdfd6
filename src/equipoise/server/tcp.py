"""The weight protocol over TCP: connections, their limits, and the way they end.

What is said stands in :mod:`equipoise.protocols.weights.session`; who knows the answers is handed in.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections import Counter, deque
from collections.abc import Awaitable, Coroutine, Iterator
from typing import Any, Protocol, cast

from equipoise.errors import InputError
from equipoise.protocols.weights.requests import (
    Authorised,
    Known,
    Lookup,
    Refusal,
    Refused,
    Request,
    Silent,
    Work,
)
from equipoise.protocols.weights.session import Limits, WeightSession
from equipoise.server.limits import ServerLimits

#: Bytes that may wait to be sent before nothing more is read or answered.
HIGH_WATER = 65536

#: Bytes that the system is asked to keep for each direction of a connection (Linux takes twice as many); left
#: to itself it takes megabytes for a client that does not read, and answers are made to fill them.
SYSTEM_BUFFER = 65536

#: Bytes of answers that are made before others have their turn.
TURN = 32768

#: Seconds between two looks for connections that are idle or do not take their answers.
SWEEP = 0.25

#: Seconds that connections, and then lines, that have arrived before the end are given to be taken.
LAST_READ = 0.1

#: Seconds for which a client may still send after it was told the end; its bytes are thrown away.
LINGER = 1.0

#: Connections that may wait to be taken.
BACKLOG = 1024

#: Files that are open besides connections: the archive, its journal, logs and pipes.
OTHER_FILES = 128

#: Requests whose results take no time; the most frequent first.
AT_ONCE = (Known, Lookup, Silent, Refused, Authorised)

log = logging.getLogger(__name__)


class Oracle(Protocol):
    """Who knows the answers."""

    def converse(self, limits: Limits) -> WeightSession:
        """Begin a conversation."""

    def result(self, request: Request) -> Any:
        """Return the result of a request that takes no time."""

    def work(self, request: Work) -> Awaitable[Any]:
        """Return the result of any other, once it is there."""


class Connection(asyncio.Protocol):
    """One connection: at most one request is worked on, and nothing is read before its answer is sent."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._oracle = server.oracle
        self._session = server.oracle.converse(server.limits.conversation)
        self._requests: Iterator[Request] = iter(())
        self._transport = cast("asyncio.Transport", None)
        self._unsent: deque[memoryview] = deque()
        self._task: asyncio.Task[None] | None = None
        self._blocked_since: float | None = None
        self._paused = False
        self._ending = False
        self._half_closed = False
        self._finished = False
        self._turn: asyncio.Handle | None = None
        self.address = ""
        self.last_line = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take a connection, or refuse it where there are too many."""
        self._transport = cast("asyncio.Transport", transport)
        peer = transport.get_extra_info("peername")
        self.address = str(peer[0]) if peer else "unknown"
        self.last_line = self._server.clock
        if not self._server.take(self):
            self._finished = True
            self._transport.write(Refusal.TOO_MANY_CONNECTIONS.line)
            self._transport.close()
            return
        self._transport.set_write_buffer_limits(high=HIGH_WATER)
        for side in (socket.SO_SNDBUF, socket.SO_RCVBUF):
            transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, side, SYSTEM_BUFFER)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection; what it began is done all the same."""
        del exc
        self._finished = True
        if self._turn is not None:
            self._turn.cancel()
        self._server.drop(self)

    def data_received(self, data: bytes) -> None:
        """Answer what came."""
        if self._finished:
            return
        if b"\n" in data:
            self.last_line = self._server.clock
        self._requests = self._session.receive(data)
        if self._turn is None and self._task is None:
            self._answer()

    def eof_received(self) -> bool:
        """Answer what came before the client ended its half, then close."""
        self._ending = self._half_closed = True
        if self._finished:
            return False
        if self._turn is None and self._task is None:
            self._answer()
        return True

    def pause_writing(self) -> None:
        """Stop until the client has taken its answers."""
        self._blocked_since = self._server.clock

    def resume_writing(self) -> None:
        """Go on, now that it has."""
        self._blocked_since = None
        self._later()

    def end(self) -> None:
        """Answer what was read, and close."""
        self._ending = True
        if self._turn is None and self._task is None:
            self._answer()

    def check(self, now: float) -> None:
        """Close the connection where nobody asks, cut it off where nobody takes the answers."""
        limits = self._server.limits
        if self._blocked_since is not None:
            if now - self._blocked_since > limits.slow_seconds:
                log.info("slow reader cut off", extra={"address": self.address})
                self._transport.abort()
        elif now - self.last_line > limits.idle_seconds and self._task is None:
            log.info("idle connection closed", extra={"address": self.address})
            self._transport.close()

    @property
    def waiting(self) -> int:
        """How many bytes were handed to the system's side and are not taken yet."""
        return self._transport.get_write_buffer_size()

    def abort(self) -> None:
        """Cut the connection off."""
        self._transport.abort()

    def _answer(self) -> None:
        """Answer until there is nothing more, the client does not take it, or others have their turn."""
        self._turn = None
        answers: list[bytes] = []
        size = 0
        if not self._finished and self._sent_rest():
            for request in self._requests:
                if not isinstance(request, AT_ONCE):
                    self._task = self._server.start(self._work(request))
                    break
                answers.append(self._session.answer(request, self._oracle.result(request)))
                size += len(answers[-1])
                if size >= TURN:
                    self._later()
                    break
            else:
                self._write(b"".join(answers))
                self._caught_up()
                return
        self._write(b"".join(answers))
        self._pause()

    def _caught_up(self) -> None:
        """Read on, or end where no more is to come."""
        if self._unsent or self._blocked_since is not None:
            self._pause()
        elif self._ending:
            self._finish()
        elif self._paused:
            self._paused = False
            self._transport.resume_reading()

    def _finish(self) -> None:
        """Close the own half; read the other for a moment, since closing over unread bytes loses answers."""
        self._finished = True
        if self._half_closed:
            self._transport.close()
            return
        self._transport.write_eof()
        self._transport.resume_reading()
        asyncio.get_running_loop().call_later(LINGER, self._transport.close)

    def _pause(self) -> None:
        if not self._paused and not self._finished:
            self._paused = True
            self._transport.pause_reading()

    def _later(self) -> None:
        if self._turn is None and self._task is None:
            self._turn = asyncio.get_running_loop().call_soon(self._answer)

    async def _work(self, request: Work) -> None:
        result = await self._oracle.work(request)
        self._task = None
        self.last_line = self._server.clock
        if not self._finished:
            self._write(self._session.answer(request, result))
            self._answer()

    def _write(self, data: bytes) -> None:
        """Send an answer; of a long one only as much as the client takes is copied."""
        if len(data) <= HIGH_WATER and not self._unsent:
            if data:
                self._transport.write(data)
            return
        self._unsent.append(memoryview(data))
        self._sent_rest()

    def _sent_rest(self) -> bool:
        """Send more of a long answer; tell whether all is sent and more may be."""
        while self._unsent and self._blocked_since is None:
            answer = self._unsent.popleft()
            if len(answer) > HIGH_WATER:
                self._unsent.appendleft(answer[HIGH_WATER:])
            self._transport.write(answer[:HIGH_WATER])
        return self._blocked_since is None


class Server:
    """A listening socket and its connections."""

    def __init__(self, oracle: Oracle, limits: ServerLimits | None = None) -> None:
        self.oracle = oracle
        self.limits = limits or ServerLimits()
        self._connections: set[Connection] = set()
        self._addresses: Counter[str] = Counter()
        self._tasks: set[asyncio.Task[None]] = set()
        self._full = False
        #: The time of the loop as of the last sweep, seconds: exact enough for limits, and free to read.
        self.clock = 0.0

    async def listen(self, host: str, port: int) -> tuple[str, int]:
        """Begin to listen; return where, which tells the port where 0 was asked for.

        Raises
        ------
        InputError
            If the address cannot be listened on.
        """
        self._loop = asyncio.get_running_loop()
        self.clock = self._loop.time()
        allow_open_files(self.limits.connections)
        try:
            self._server = await self._loop.create_server(
                lambda: Connection(self), host, port, backlog=BACKLOG
            )
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or error
            msg = f"weights: cannot listen on {host}:{port}: {reason}"
            raise InputError(msg) from error
        self.start(self._sweep())
        address = self._server.sockets[0].getsockname()
        return address[0], address[1]

    @property
    def open(self) -> int:
        """How many connections there are."""
        return len(self._connections)

    @property
    def waiting(self) -> int:
        """How many bytes wait to be sent, over all connections."""
        return sum(connection.waiting for connection in self._connections)

    async def stop(self) -> None:
        """Take no more connections, answer what has arrived on the others, and end them."""
        end = self._loop.time() + self.limits.grace_seconds
        await asyncio.sleep(LAST_READ)  # those who wait to be taken have sent something too
        self._server.close()
        await asyncio.sleep(LAST_READ)
        for connection in tuple(self._connections):
            connection.end()
        while self._connections and self._loop.time() < end:
            await asyncio.sleep(SWEEP / 10)
        for connection in tuple(self._connections):
            connection.abort()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run something beside the connections, and see that it comes to an end."""
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def take(self, connection: Connection) -> bool:
        """Count a connection; tell whether it is within the limits."""
        address = connection.address
        limits = self.limits
        full = len(self._connections) >= limits.connections
        if full or self._addresses[address] >= limits.per_address:
            if not self._full:  # once, since a flood must not fill the log
                log.warning("connections refused", extra={"address": address, "open": len(self._connections)})
            self._full = True
            return False
        self._full = False
        self._connections.add(connection)
        self._addresses[address] += 1
        log.debug("connected", extra={"address": address, "open": len(self._connections)})
        return True

    def drop(self, connection: Connection) -> None:
        """Forget a connection that has ended."""
        if connection in self._connections:
            self._connections.remove(connection)
            self._addresses[connection.address] -= 1
            if not self._addresses[connection.address]:
                del self._addresses[connection.address]
            log.debug("closed", extra={"address": connection.address, "open": len(self._connections)})

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(SWEEP)
            self.clock = self._loop.time()
            for connection in tuple(self._connections):
                connection.check(self.clock)


def allow_open_files(connections: int) -> None:
    """Raise the limit of open files, so that a full house does not keep the archive from being opened."""
    try:
        import resource
    except ImportError:  # where there is no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
        if allowed < wanted:
            log.warning("fewer open files are allowed than connections", extra={"allowed": allowed})
