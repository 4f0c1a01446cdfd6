"""HTTP: its connections, the application with what it rests on, and its end.

uvicorn's protocol speaks HTTP (:class:`uvicorn.protocols.http.httptools_impl.HttpToolsProtocol`), and the
application answers; what is here of connections is what uvicorn leaves open: it waits without end for headers
that do not come and for answers that nobody takes.
Why this one: docs/decisions/0013-http.md.
"""

from __future__ import annotations

import asyncio
import email.utils
import json
import logging
import socket
import ssl
import time
from dataclasses import dataclass
from typing import Any

from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from equipoise.service.admission import Activity, Admission
from equipoise.service.http.application import Application
from equipoise.service.http.backend import Backend
from equipoise.service.http.event_stream import Events
from equipoise.service.http.openapi import document
from equipoise.service.http.pages import Pages
from equipoise.service.http.problems import MEDIA_TYPE, HttpProblem
from equipoise.service.http.queue_page_operations import QueuePages
from equipoise.service.http.routes import OPERATIONS
from equipoise.service.http.tonight_operations import TonightFront
from equipoise.service.listener import Acceptor, ConnectionLimits
from equipoise.service.service import Service
from equipoise.service.settings import Settings
from equipoise.service.tcp import Server

#: Bytes of the headers of one request, and requests that one connection may send ahead.
MOST_HEAD, MOST_AHEAD = 32768, 8

#: Bytes that may wait to be sent, here and in the system, before the handler has to wait.
HIGH_WATER, SYSTEM_BUFFER = 65536, 65536

#: Why a request with such headers is refused.
TOO_LARGE = HttpProblem(431, "headers-too-large", f"headers may have {MOST_HEAD} bytes")

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class HttpLimits(ConnectionLimits):
    """What an HTTP connection may take, besides what is common to all.

    Parameters
    ----------
    header_seconds : float
        How long headers may take from their first byte, and the first ones from the connection on.
    idle_seconds : float
        How long a connection may be silent between two requests.
    """

    header_seconds: float = 10.0
    idle_seconds: float = 75.0


class Joining:
    """What an answer is written to: its head waits for its body, so that a client hears of both at once.

    uvicorn writes them one after the other; the head of what comes bit by bit is sent in the next turn.

    Parameters
    ----------
    transport : Transport
        The connection.
    loop : AbstractEventLoop
        Its loop.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._first: bytes | None = None
        self.is_closing = transport.is_closing

    def write(self, data: bytes) -> None:
        """Send something, with what waits before it, or let it wait."""
        if self._first is None:
            self._first = data
            self._loop.call_soon(self.flush)
        else:
            first, self._first = self._first, None
            self._transport.write(first + data)

    def flush(self) -> None:
        """Send what waits."""
        first, self._first = self._first, None
        if first is not None:
            self._transport.write(first)

    def close(self) -> None:
        """Send what waits, and end."""
        self.flush()
        self._transport.close()


class HttpConnection(HttpToolsProtocol):
    """One connection, with a moment until which something must have come."""

    def __init__(self, server: HttpServer, address: str) -> None:
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
        self.last_heard = server.clock
        self.was_open = False
        self._is_silent = True
        self._is_refused = False
        self._refused_later: HttpProblem | None = None
        self._fault: HttpProblem | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        super().connection_made(transport)  # type: ignore[arg-type]  # a stream has one of these
        self.was_open = True
        self.transport.set_write_buffer_limits(high=HIGH_WATER)
        self._joining = Joining(self.transport, self.loop)
        side = transport.get_extra_info("socket")
        side.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SYSTEM_BUFFER)
        if side.family in (socket.AF_INET, socket.AF_INET6):
            side.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
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
        cycle.transport = self._joining  # type: ignore[assignment]  # as far as it needs one
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
                    self._refuse(TOO_LARGE)
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
        self.last_heard = self._server.clock
        self._is_silent = False
        self._fault = self._found_fault()
        if self._fault is not None:
            raise ValueError(self._fault.detail)
        super().on_headers_complete()

    def _found_fault(self) -> HttpProblem | None:
        """Return why a request is refused for its headers, None if it may be answered."""
        size, has_host = len(self.url), False
        for name, value in self.headers:
            size += len(name) + len(value) + 4
            has_host = has_host or name == b"host"
        if size > MOST_HEAD:
            return TOO_LARGE
        if len(self.pipeline) >= MOST_AHEAD:
            what = f"a connection may send {MOST_AHEAD} requests ahead of their answers"
            return HttpProblem(400, "malformed", what)
        if not has_host and self.parser.get_http_version() == "1.1":
            return HttpProblem(400, "malformed", "a request must have a Host")  # RFC 9112 (3.2)
        return None

    def on_message_complete(self) -> None:
        """Note the body of a request that has come as a whole: most do before the application asks for it."""
        super().on_message_complete()
        if not self.cycle.response_complete:
            scope: Any = self.cycle.scope
            scope["body"] = bytes(self.cycle.body)

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._joining.flush()
        self.last_heard = self._server.clock
        if not self.transport.is_closing():  # as uvicorn does, but for a timer: one for all connections does
            self.flow.resume_reading()
            if self.pipeline:
                self._start_asgi_task(*self.pipeline.pop())
        if not self._in_head and not self.pipeline:
            self._head = 0
            self._in_head = True
            self._until = self._server.clock + self._server.limits.idle_seconds
        if self._refused_later is not None and not self._is_answering():
            self._refuse_now(self._refused_later)

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP."""
        self._refuse(self._fault or HttpProblem(400, "malformed", msg))

    def _refuse(self, problem: HttpProblem) -> None:
        """Take nothing more, and refuse once what came before has been answered: answers come in order."""
        if self.transport.is_closing() or self._is_refused:
            return
        self._is_refused = True
        self.transport.pause_reading()
        if self.pipeline and self.pipeline[0][0].more_body:
            self.pipeline.popleft()  # its body is at fault
        if self._is_answering():
            self._refused_later = problem
        else:
            self._refuse_now(problem)

    def _is_answering(self) -> bool:
        """Tell whether the application answers a request that has come as a whole."""
        cycle = self._answered
        return cycle is not None and not (cycle.response_complete or cycle.more_body)

    def _refuse_now(self, problem: HttpProblem) -> None:
        """Refuse when it is this address's turn to be refused."""
        self._server.admission.refused["malformed"] += 1
        wait = self._server.admission.refusal_delay(self.address)
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

    def activity(self) -> Activity:
        """Tell what it does: nothing yet, nothing just now, or something."""
        if self._is_silent:
            return Activity.SILENT
        return Activity.BUSY if self._is_answering() or self.pipeline else Activity.IDLE

    def give_way(self) -> None:
        """End, since somebody else needs the place."""
        if not self._server.let_go(self):
            self.transport.abort()

    def abort(self) -> None:
        """Cut the connection off."""
        self.transport.abort()


class HttpServer(Acceptor[HttpConnection, HttpLimits]):
    """What listens for HTTP.

    Parameters
    ----------
    application : ASGI application
        What answers.
    limits : HttpLimits
        What a connection may take.
    admission : Admission
        Who is admitted.
    """

    def __init__(
        self, application: Any, limits: HttpLimits | None = None, admission: Admission | None = None
    ) -> None:
        super().__init__("http", limits or HttpLimits(), admission or Admission())
        self.config = Config(
            application, interface="asgi3", lifespan="off", ws="none", http=HttpConnection, log_config=None,
            access_log=False, proxy_headers=False, server_header=False,
        )  # fmt: skip
        self.config.load()
        quiet = logging.getLogger("uvicorn")
        quiet.propagate = False
        quiet.addHandler(logging.NullHandler())
        self.state = ServerState()

    def begin(self, address: str) -> HttpConnection:
        """Return what answers a connection of an address."""
        return HttpConnection(self, address)

    def tick(self) -> None:
        """Take the time: for limits, and for the date of answers."""
        super().tick()
        date = email.utils.formatdate(time.time(), usegmt=True).encode()
        self.state.default_headers = [(b"date", date)]

    async def stop(self) -> None:
        """Take no more connections, answer what has arrived on the others, and end them."""
        by = self._loop.time() + self.limits.grace_seconds
        self.close()
        for connection in tuple(self._connections):
            connection.shutdown()
        await self.end(by)
        for task in self.state.tasks:
            task.cancel()
        await asyncio.gather(*self.state.tasks, return_exceptions=True)


class HttpFront:
    """What answers HTTP beside the weight protocol, from the same snapshot.

    Parameters
    ----------
    service : Service
        What answers the weight protocol.
    settings : Settings
        What is allowed.
    weights : Server
        What listens for the weight protocol, for its counts.
    """

    def __init__(self, service: Service, settings: Settings, weights: Server) -> None:
        self.backend = Backend(service, settings)
        self.backend.document = json.dumps(document(OPERATIONS)).encode()
        admission = service.admission
        self.application = Application(
            OPERATIONS, self.backend, admission, settings.max_body, settings.origins, settings.proxies,
            Pages(self.backend),
        )  # fmt: skip
        self._server = HttpServer(self.application, limits(settings), admission)
        self.backend.events = Events(self.backend)
        self.backend.queue_pages = QueuePages()
        self.backend.tonight = self._tonight = TonightFront(settings.store, admission)
        self.backend.lookups = lambda: weights.lookups
        self.backend.connections = lambda: {"weights": weights.open, "http": self._server.open}
        self._tasks: list[asyncio.Task[None]] = []
        self.where = ("", 0)

    async def open(self, address: tuple[str, int], tls: ssl.SSLContext | None) -> None:
        """Work the lanes off, and listen.

        Raises
        ------
        InputError
            If the address cannot be listened on.
        """
        self._tasks = [
            asyncio.create_task(each)
            for each in (
                *self.backend.lanes(),
                *self.backend.events.following(),
                *self._tonight.following(),
            )
        ]
        self.where = self.backend.where = await self._server.listen(*address, tls)

    def reload(self, settings: Settings) -> None:
        """Take other limits from reloaded settings; addresses and proxies stay."""
        self.backend.settings = settings
        self.application.most_bytes = settings.max_body
        self._server.limits = limits(settings)

    async def stop(self) -> None:
        """Take no more connections, answer what has arrived, and end the others."""
        self.backend.ending = True
        self.backend.events.end()
        await self._tonight.end()
        for each in self.backend.service.queues:
            await each.end()
        await self._server.stop()

    async def close(self) -> None:
        """Close the workers."""
        self._server.close()
        for each in self._tasks:
            each.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(self.backend.close(), self._tonight.close())


def limits(settings: Settings) -> HttpLimits:
    """Return what an HTTP connection may take."""
    return HttpLimits(settings.slow_seconds, settings.grace_seconds, header_seconds=settings.header_seconds)
