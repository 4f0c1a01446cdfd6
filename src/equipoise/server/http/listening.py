"""HTTP connections: who is taken, how long each may keep silent or send, and the way they end.

uvicorn's protocol speaks HTTP (:class:`uvicorn.protocols.http.httptools_impl.HttpToolsProtocol`), and the
application answers; all that is here is what uvicorn leaves open: it waits without end for headers that do
not come and for answers that nobody takes, and takes every connection.
Why this one: docs/decisions/0013-http.md.
"""

from __future__ import annotations

import asyncio
import contextlib
import email.utils
import logging
import socket
import ssl
import time
from dataclasses import dataclass
from typing import Any

from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from equipoise.errors import InputError
from equipoise.protocols.http.problems import MEDIA_TYPE, HttpProblem
from equipoise.server.addresses import Account, address_of
from equipoise.server.http.rates import Refusals
from equipoise.server.limits import check_above_zero
from equipoise.server.tcp import (
    HANDSHAKE,
    PAUSE,
    SWEEP,
    TAKEN,
    allowed_connections,
    listening_socket,
)

#: Bytes of the headers of one request, and requests that one connection may send ahead.
MOST_HEAD, MOST_AHEAD = 32768, 8

#: Bytes that may wait to be sent, here and in the system, before whoever answers has to wait.
HIGH_WATER, SYSTEM_BUFFER = 65536, 65536

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """What the HTTP connections of a server may take.

    Parameters
    ----------
    connections, per_address : int
        How many may be open; one more is refused and closed.
    header_seconds : float
        How long headers may take from their first byte, and the first ones from the connection on.
    idle_seconds : float
        How long a connection may be silent between two requests.
    slow_seconds : float
        A connection that does not take its answers for so long is cut off.
    grace_seconds : float
        How long the server waits at its end for answers to be made and taken.

    Raises
    ------
    InputError
        If a limit is not above 0.
    """

    connections: int = 1024
    per_address: int = 768
    header_seconds: float = 10.0
    idle_seconds: float = 75.0
    slow_seconds: float = 30.0
    grace_seconds: float = 10.0

    def __post_init__(self) -> None:
        check_above_zero(self)


class HttpConnection(HttpToolsProtocol):
    """One connection, with a moment until which something must have come."""

    def __init__(self, server: HttpServer, address: str, account: Account) -> None:
        super().__init__(server.config, server.state, {})
        self._server = server
        self._answering: asyncio.Task[None] | None = None
        self._answered: RequestResponseCycle | None = None
        self._head = 0
        self._in_head = True
        self._unsent = 0
        self._stuck_since = 0.0
        self._until = server.clock + server.limits.header_seconds
        self.address = address
        self.account = account
        self.was_open = False
        self._is_refused = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        super().connection_made(transport)  # type: ignore[arg-type]  # a stream has one of these
        self.was_open = True
        self.transport.set_write_buffer_limits(high=HIGH_WATER)
        side = transport.get_extra_info("socket")
        side.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SYSTEM_BUFFER)
        side.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1) if side.family != socket.AF_UNIX else None
        self._server.took(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection; nobody waits for its answers now."""
        super().connection_lost(exc)
        if self._answering is not None and self._answered is not None:
            self._answered.disconnected = True  # it may be another than the last that was sent ahead
            self._answering.cancel()
        self._server.drop(self)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        """Let the application answer, and remember which task does."""
        self._answered = cycle
        self._answering = task = self.loop.create_task(cycle.run_asgi(app))
        task.add_done_callback(self.tasks.discard)
        self.tasks.add(task)

    def data_received(self, data: bytes) -> None:
        """Take bytes; headers may not be longer than allowed."""
        if self._is_refused:
            self.transport.pause_reading()  # an answer under way has asked for more
            return
        if self._in_head:
            self._head += len(data)
            if self._head > MOST_HEAD and self.parser is not None:
                super().data_received(data)
                if self._in_head:
                    self._refuse(HttpProblem(431, "headers-too-large", f"headers may have {MOST_HEAD} bytes"))
                return
        if self.parser is not None and not self.transport.is_closing():
            super().data_received(data)

    def on_message_begin(self) -> None:
        """Note that headers begin; they may not take long."""
        super().on_message_begin()
        if not self._in_head:
            self._head = 0
        self._in_head = True
        self._until = self._server.clock + self._server.limits.header_seconds

    def on_headers_complete(self) -> None:
        """Let the application answer, unless too much was sent ahead, or nobody is addressed."""
        self._in_head = False
        self._until = 0.0  # how long bodies and answers may take is the application's affair
        if len(self.pipeline) >= MOST_AHEAD:
            msg = "too many requests sent ahead"
            raise ValueError(msg)
        if self.parser.get_http_version() == "1.1" and not any(name == b"host" for name, _ in self.headers):
            msg = "no Host, which RFC 9112 (3.2) has refused"
            raise ValueError(msg)
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._unset_keepalive_if_required()  # one timer for all connections does
        if not self._in_head and not self.pipeline:
            self._head = 0
            self._in_head = True
            self._until = self._server.clock + self._server.limits.idle_seconds

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP."""
        self._refuse(HttpProblem(400, "malformed", msg))

    def _refuse(self, problem: HttpProblem) -> None:
        """Take nothing more, and refuse when it is this address's turn to be refused."""
        if self.transport.is_closing() or self._is_refused:
            return
        self._is_refused = True
        self.transport.pause_reading()
        wait = self._server.refusals.wait(self.address, self.loop.time())
        if wait:
            self.loop.call_later(wait, self._end_with, problem)
        else:
            self._end_with(problem)

    def _end_with(self, problem: HttpProblem) -> None:
        if self.transport.is_closing():
            return
        body = problem.encoded()
        head = f"content-type: {MEDIA_TYPE}\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
        self.transport.write(STATUS_LINE[problem.status] + head.encode() + body)
        self.transport.close()

    def check(self, now: float) -> None:
        """Close the connection where nothing comes, cut it off where nothing is taken."""
        unsent = self.transport.get_write_buffer_size()
        if not unsent or unsent < self._unsent or not self._unsent:
            self._stuck_since = now
        self._unsent = unsent
        if unsent and now - self._stuck_since > self._server.limits.slow_seconds:
            log.info("slow HTTP reader cut off", extra={"address": self.address})
            self.transport.abort()
        elif self._until and now > self._until:
            self._until = now + self._server.limits.slow_seconds
            if self.transport.is_closing():
                self.transport.abort()
            else:
                self.transport.close()

    def abort(self) -> None:
        """Cut the connection off."""
        self.transport.abort()


class HttpServer:
    """Listening sockets, and the connections to an application.

    Parameters
    ----------
    application : ASGI application
        What answers.
    limits : HttpLimits
        What connections may take.
    """

    def __init__(self, application: Any, limits: HttpLimits | None = None) -> None:
        self.limits = limits or HttpLimits()
        self.config = Config(
            application, interface="asgi3", lifespan="off", ws="none", http=HttpConnection, log_config=None,
            access_log=False, proxy_headers=False, server_header=False,
        )  # fmt: skip
        self.config.load()
        quiet = logging.getLogger("uvicorn")
        quiet.propagate = False
        quiet.addHandler(logging.NullHandler())
        self.state = ServerState()
        self.clock = 0.0
        self.refusals = Refusals()
        self._connections: set[HttpConnection] = set()
        self._accounts: dict[str, Account] = {}
        self._taken = 0
        self._full = False
        self._tls: ssl.SSLContext | None = None
        self._listening: list[socket.socket] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def listen(
        self, host: str, port: int, tls: ssl.SSLContext | None = None, others: int = 0
    ) -> tuple[str, int]:
        """Begin to listen; return where, which tells the port where 0 was asked for.

        Parameters
        ----------
        host, port : str and int
            Where.
        tls : SSLContext, optional
            How connections are encrypted.
        others : int
            How many connections there may be besides, for which files are left.

        Raises
        ------
        InputError
            If the address cannot be listened on.
        """
        self._loop = asyncio.get_running_loop()
        self._tls = tls
        self._tick()
        self._allowed = max(1, allowed_connections(self.limits.connections + others) - others)
        try:
            found = await self._loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
            for family, _, _, _, address in dict.fromkeys(found):
                self._listening.append(listening_socket(family, address))
        except (OSError, OverflowError) as error:
            self.close()
            msg = f": cannot listen on {host}:{port}: {getattr(error, 'strerror', None) or error}"
            raise InputError(msg, "http") from error
        for each in self._listening:
            self._loop.add_reader(each, self._accept, each)
        self._start(self._sweep())
        where = self._listening[0].getsockname()
        return where[0], where[1]

    @property
    def open(self) -> int:
        """How many connections there are."""
        return len(self._connections)

    @property
    def addresses(self) -> int:
        """From how many addresses they are."""
        return len(self._accounts)

    def close(self) -> None:
        """Stop listening."""
        for each in self._listening:
            self._loop.remove_reader(each)
            each.close()
        self._listening.clear()

    async def stop(self) -> None:
        """Take no more connections, answer what has arrived on the others, and end them."""
        end = self._loop.time() + self.limits.grace_seconds
        self.close()
        for connection in tuple(self._connections):
            connection.shutdown()
        while self._connections and self._loop.time() < end:
            await asyncio.sleep(SWEEP / 10)
        for connection in tuple(self._connections):
            connection.abort()
        for task in (*self.state.tasks, *self._tasks):
            task.cancel()
        await asyncio.gather(*self.state.tasks, *self._tasks, return_exceptions=True)

    def _accept(self, listening: socket.socket) -> None:
        """Take those who wait to be connected, some at a time."""
        for _ in range(TAKEN):
            try:
                client, peer = listening.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                log.warning("no HTTP connection can be taken", extra={"why": error.strerror})
                self._loop.remove_reader(listening)
                self._loop.call_later(PAUSE, self._again, listening)
                return
            client.setblocking(False)
            address = address_of(peer)
            account = self._account(address)
            if account is None:
                client.close()
            else:
                self._start(self._connect(client, address, account))

    def _again(self, listening: socket.socket) -> None:
        if listening in self._listening:
            self._loop.add_reader(listening, self._accept, listening)

    async def _connect(self, client: socket.socket, address: str, account: Account) -> None:
        connection = HttpConnection(self, address, account)
        limit = {} if self._tls is None else {"ssl_handshake_timeout": HANDSHAKE}
        try:
            await self._loop.connect_accepted_socket(lambda: connection, client, ssl=self._tls, **limit)
        except (OSError, TimeoutError) as error:
            client.close()
            log.info("HTTP connection failed", extra={"address": address, "why": str(error)})
        finally:
            if not connection.was_open:
                self._release(address, account)

    def _account(self, address: str) -> Account | None:
        """Count a connection; return its address's account, None where it is beyond the limits."""
        account = self._accounts.get(address) or Account()
        share = min(self.limits.per_address, max(1, self._allowed * 3 // 4))
        if self._taken >= min(self.limits.connections, self._allowed) or account.open >= share:
            if not self._full:  # once, since a flood must not fill the log
                log.warning("HTTP connections refused", extra={"address": address, "open": self.open})
            self._full = True
            return None
        self._full = False
        self._accounts[address] = account
        account.open += 1
        self._taken += 1
        return account

    def _release(self, address: str, account: Account) -> None:
        account.open -= 1
        self._taken -= 1
        if not account.open:
            self._accounts.pop(address, None)

    def took(self, connection: HttpConnection) -> None:
        """Note a connection that has begun."""
        self._connections.add(connection)

    def drop(self, connection: HttpConnection) -> None:
        """Forget a connection that has ended."""
        if connection in self._connections:
            self._connections.remove(connection)
            self._release(connection.address, connection.account)

    def _start(self, work: Any) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _tick(self) -> None:
        """Take the time: for limits, and for the date of answers."""
        self.clock = self._loop.time()
        date = email.utils.formatdate(time.time(), usegmt=True).encode()
        self.state.default_headers = [(b"date", date)]

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(SWEEP)
            self._tick()
            for connection in tuple(self._connections):
                with contextlib.suppress(OSError):
                    connection.check(self.clock)
